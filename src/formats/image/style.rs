//! The options of an image.

use std::sync::Arc;

use crate::geo::Units;
use crate::map::{LineColour, Overlay};
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

impl Source {
    /// The words before the time at which the track of a deployment was received.
    pub(super) fn of(self, deployment: &str) -> String {
        match self {
            Self::Service => format!("{deployment} · fetched"),
            Self::File => "read from a file".to_owned(),
        }
    }
}

/// The options of an image.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Style {
    /// Width and height in pixels.
    pub size: (u16, u16),
    /// The attribute or field that colours the track.
    pub colour: LineColour,
    /// Units of the scale bar and of lengths.
    pub units: Units,
    /// The alarm limits of the deployment: its watch circle or area is drawn, its
    /// maximum age written.
    pub limits: Limits,
    /// How the track was received.
    pub source: Source,
    /// What is drawn below the track.
    pub overlays: Vec<Arc<Overlay>>,
}
