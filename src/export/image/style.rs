//! How an image is made.

use crate::chart::ColourBy;
use crate::geo::Units;

/// How an image is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    /// Width and height in pixels.
    pub size: (u16, u16),
    /// What colours the track.
    pub colour_by: ColourBy,
    /// Units of the scale bar and of lengths.
    pub units: Units,
}
