//! The picture as dots and lines, in no particular medium: drawn by `ui` in
//! cells and by `export` as a file.

pub mod charted;
pub mod coastline;
pub mod detail;
pub mod graticule;
mod pen;
mod ramp;
pub mod raster;
pub mod scene;
pub mod view;

pub use charted::Charted;
pub use detail::{Detail, Kind, Stroke};
pub use graticule::RoundLength;
pub use ramp::ramp_colour;
pub use raster::{Ink, Layer, Marker, Raster};
pub use scene::{Class, Layers, Line, Mark, Picture, Ramp, coast, ground, over, picture, share};
pub use view::{Plotter, View};
