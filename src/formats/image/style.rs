//! The options of an image.

use std::sync::Arc;

use crate::formats::Subject;
use crate::geo::Units;
use crate::map::{LineColour, Overlay, PreparedTrack};
use crate::text;
use crate::track::Limits;

/// How a track was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Source {
    /// Fetched from a service.
    #[default]
    Service,
    /// Read from a file, whose name is that of the deployment.
    File,
}

/// The options of an image.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Style {
    /// Width and height in pixels.
    pub size: (u16, u16),
    /// The attribute or field that colours the line of a track alone; each of several has
    /// a colour of its own.
    pub colour: LineColour,
    /// Units of the scale bar and of lengths.
    pub units: Units,
    /// The overlays below the tracks.
    pub overlays: Vec<Arc<Overlay>>,
}

/// A track of an image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charted<'a> {
    /// Its deployment.
    pub subject: Subject<'a>,
    /// The track.
    pub track: &'a PreparedTrack,
    /// The alarm limits of the deployment: its watch circle or area is drawn, the maximum
    /// age of a track alone is written.
    pub limits: &'a Limits,
    /// How the track was received.
    pub source: Source,
}

impl Charted<'_> {
    /// The name of its deployment, without control characters.
    pub(super) fn name(&self) -> String {
        text::clean(self.subject.name()).into_owned()
    }
}
