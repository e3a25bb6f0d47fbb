//! A loaded track with the facts that the screen shows beside it.

use std::sync::Arc;

use super::PreparedTrack;
use crate::track::{FetchDelta, TrackOptions};

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
    /// Notes to the user about the response; may be empty.
    pub notes: Vec<String>,
    /// What the fetch added to the archive; `None` if it was not stored.
    pub delta: Option<FetchDelta>,
}
