//! The map as dots and lines, independent of the output: the dashboard draws it
//! in terminal cells, `formats::image` as an image.

mod blocks;
pub(crate) mod coastline;
mod distances;
mod dots;
pub(crate) mod fields;
pub(crate) mod graticule;
mod ink;
mod land;
mod overlay;
mod pen;
pub(crate) mod prepared;
pub(crate) mod raster;
pub(crate) mod scene;
mod search;
mod shapes;
pub(crate) mod shown_field;
mod stretch;
pub(crate) mod strokes;
mod symbols;
pub(crate) mod view;

pub(crate) use distances::DistanceTo;
pub(crate) use dots::{CellDots, FixDots, Segment};
pub(crate) use fields::FieldCharts;
pub(crate) use graticule::{RoundLength, latitude_label, longitude_label};
pub(crate) use ink::{Class, Ink, Layer};
pub(crate) use land::LandSpan;
pub(crate) use overlay::{MOST_POINTS, Overlay, Place, Way};
pub(crate) use prepared::{LoadedTrack, PreparedTrack, gap_start, leg_speed};
pub(crate) use raster::{GlyphSet, Raster, TrackCells};
pub(crate) use scene::{GRATICULE_SPACING, LayerTrack, Layers, base_map, foreground, scene};
pub(crate) use search::SearchArea;
pub(crate) use shapes::{Mark, Scene};
pub(crate) use shown_field::{ColourBy, LineColour, ShownField, ShownFields};
pub(crate) use stretch::Stretch;
pub(crate) use strokes::{Kind, Stroke, half_way};
pub(crate) use symbols::{Symbol, thinned};
pub(crate) use view::{Fitted, View};
