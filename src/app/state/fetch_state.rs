//! A deployment's track with the state of its request: the last good value
//! stays through loading and failure.

use std::sync::Arc;

use crate::app::event::RequestId;
use crate::chart::{LoadedTrack, PreparedTrack};
use crate::failure::Failure;

/// A deployment's track with the state of its request.
#[derive(Debug, Clone, Default)]
pub(crate) struct FetchState {
    /// The last good value.
    pub value: Option<LoadedTrack>,
    /// A received track whose choices have changed since: it is being assembled
    /// again, and is shown after that.
    pub pending: Option<LoadedTrack>,
    /// The request in progress.
    pub loading: Option<Loading>,
    /// Why the last attempt failed and when, UNIX seconds; `None` after a
    /// success.
    pub failure: Option<(Failure, f64)>,
}

/// A request in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Loading {
    /// Its number; a reply with another number is ignored.
    pub request: RequestId,
    /// When it began, UNIX seconds.
    pub since: f64,
    /// Bytes of the body received.
    pub bytes: u64,
    /// Bytes of the whole body, where the service says it.
    pub total: Option<u64>,
    /// Whether the client finds it slow: other requests do not wait for it.
    pub is_slow: bool,
}

impl FetchState {
    /// The shown track.
    pub(crate) fn get(&self) -> Option<&Arc<PreparedTrack>> {
        self.value.as_ref().map(|loaded| &loaded.track)
    }

    /// The track to assemble again when a choice changes: the latest received
    /// one, shown or not.
    pub(crate) fn newest(&self) -> Option<&LoadedTrack> {
        self.pending.as_ref().or(self.value.as_ref())
    }

    /// Begins a request; it supersedes one in progress.
    pub(in crate::app) fn begin(&mut self, request: RequestId, now: f64) {
        self.loading = Some(Loading {
            request,
            since: now,
            bytes: 0,
            total: None,
            is_slow: false,
        });
    }

    /// Whether `request` is the one in progress.
    pub(in crate::app) fn awaits(&self, request: RequestId) -> bool {
        self.loading
            .is_some_and(|loading| loading.request == request)
    }

    /// Cancels the request in progress; returns its number.
    pub(in crate::app) fn cancel(&mut self) -> Option<RequestId> {
        self.loading.take().map(|loading| loading.request)
    }

    /// Shows a track.
    pub(in crate::app) fn show(&mut self, loaded: LoadedTrack) {
        self.value = Some(loaded);
        self.pending = None;
    }
}
