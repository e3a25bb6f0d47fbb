//! The picture as dots and lines, in no particular medium: drawn by `ui` in
//! cells and by `export` as a file.

pub(crate) mod coastline;
mod colour_scale;
pub(crate) mod detail;
pub(crate) mod graticule;
pub(crate) mod loaded;
mod pen;
pub(crate) mod prepared;
pub(crate) mod raster;
pub(crate) mod scene;
pub(crate) mod view;

pub(crate) use colour_scale::ramp_colour;
pub(crate) use detail::{Kind, Stroke};
pub(crate) use graticule::RoundLength;
pub(crate) use loaded::LoadedTrack;
pub(crate) use prepared::PreparedTrack;
pub(crate) use raster::{GlyphSet, Ink, Layer, Raster};
pub(crate) use scene::{Class, ColourBy, Layers, Mark, Picture, ground, over, picture, share};
pub(crate) use view::View;
