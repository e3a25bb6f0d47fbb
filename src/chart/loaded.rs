//! A track on its way to the screen.

use std::sync::Arc;

use super::PreparedTrack;
use crate::track::{FetchDelta, TrackOptions};

/// A track from the service or from the archive, prepared for drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadedTrack {
    /// The track.
    pub track: Arc<PreparedTrack>,
    /// The choices that it was assembled with.
    pub options: TrackOptions,
    /// When it was fetched from the service, UNIX seconds.
    pub fetched_at: f64,
    /// What the user should know about the response; may be empty.
    pub notes: Vec<String>,
    /// What the fetch added to the archive; none where it was not stored.
    pub delta: Option<FetchDelta>,
}
