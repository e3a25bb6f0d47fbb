//! The picture as dots and lines, in no particular medium: drawn by `ui` in
//! cells and by `export` as a file.

pub mod coastline;
mod colour_scale;
pub mod detail;
pub mod graticule;
pub mod loaded;
mod pen;
pub mod prepared;
pub mod raster;
pub mod scene;
pub mod view;

pub use colour_scale::ramp_colour;
pub use detail::{Detail, Kind, Stroke};
pub use graticule::RoundLength;
pub use loaded::LoadedTrack;
pub use prepared::PreparedTrack;
pub use raster::{GlyphSet, Ink, Layer, Raster};
pub use scene::{
    Class, ColourBy, Layers, Line, Mark, Picture, coast, ground, over, picture, share,
};
pub use view::{Plotter, View};
