//! A loaded track with its choices and its age.

use std::sync::Arc;

use super::PreparedTrack;
use crate::track::TrackOptions;

/// A track from the service or from the archive, prepared for drawing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadedTrack {
    /// The track.
    pub track: Arc<PreparedTrack>,
    /// The options with which it was assembled; boxed, since an event is moved
    /// often.
    pub options: Box<TrackOptions>,
    /// When it was fetched from the service, UNIX seconds.
    pub fetched_at: f64,
}
