//! A deployment's track with the state of its request: the last good value
//! stays through loading and failure.

use std::sync::Arc;

use crate::dashboard::event::RequestId;
use crate::exchange::Progress;
use crate::failure::Failure;
use crate::map::{LoadedTrack, PreparedTrack};
use crate::track::{ServiceClock, TrackOptions};
use crate::watch::Overview;

/// A deployment's track with the state of its request.
#[derive(Debug, Clone, Default)]
pub(crate) struct FetchState {
    /// The last good value.
    pub(in crate::dashboard) held: Option<Held>,
    /// A received track whose choices have changed since: it is being assembled
    /// again, and is shown after that.
    pub pending: Option<LoadedTrack>,
    /// The request in progress.
    pub loading: Option<Loading>,
    /// Why the last attempt failed and when, UNIX seconds; `None` after a
    /// success.
    pub failure: Option<(Failure, f64)>,
    /// `true` if the last response showed that the service works: records, or an error
    /// that is about this deployment only.
    pub(in crate::dashboard) is_answered: bool,
}

/// A track, or the part of it that lists show.
#[derive(Debug, Clone)]
pub(in crate::dashboard) enum Held {
    /// The overview that lists show while the track is not in memory.
    Overview {
        overview: Arc<Overview>,
        /// The choices that it was made with.
        options: Box<TrackOptions>,
        /// When the track was fetched, UNIX seconds.
        fetched_at: f64,
    },
    Track(LoadedTrack),
}

/// A request in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Loading {
    /// Its number; a reply with another number is ignored.
    pub request: RequestId,
    /// When it began, UNIX seconds.
    pub since: f64,
    pub progress: Progress,
}

impl FetchState {
    /// The shown track, with the choices that it was assembled with.
    pub(crate) fn loaded(&self) -> Option<&LoadedTrack> {
        match &self.held {
            Some(Held::Track(loaded)) => Some(loaded),
            _ => None,
        }
    }

    /// The shown track.
    pub(crate) fn get(&self) -> Option<&Arc<PreparedTrack>> {
        self.loaded().map(|loaded| &loaded.track)
    }

    /// The overview of the track, in memory or not.
    pub(crate) fn overview(&self) -> Option<&Arc<Overview>> {
        self.held.as_ref().map(|held| match held {
            Held::Overview { overview, .. } => overview,
            Held::Track(loaded) => loaded.track.overview(),
        })
    }

    /// The choices and the time (UNIX seconds) of the data that are known: of the latest track
    /// received, shown or not.
    fn newest_known(&self) -> Option<(&TrackOptions, f64)> {
        if let Some(newest) = self.newest() {
            return Some((&newest.options, newest.fetched_at));
        }
        match self.held.as_ref()? {
            Held::Overview {
                options,
                fetched_at,
                ..
            } => Some((options, *fetched_at)),
            Held::Track(_) => None,
        }
    }

    /// `true` if anything is known of the track.
    pub(crate) fn has_data(&self) -> bool {
        self.held.is_some()
    }

    /// `true` if the track itself is in memory, not only its overview.
    pub(crate) fn is_held(&self) -> bool {
        self.newest().is_some()
    }

    /// `true` if the overview of a track that is not in memory was made with other
    /// choices than these.
    pub(in crate::dashboard) fn shows_other_choices(&self, options: &TrackOptions) -> bool {
        let known = self.newest_known().filter(|_| !self.is_held());
        known.is_some_and(|(known, _)| !known.same_choices(options))
    }

    /// Shows the overview of a track that is not in memory.
    pub(crate) fn show_overview(
        &mut self,
        overview: Arc<Overview>,
        options: Box<TrackOptions>,
        fetched_at: f64,
    ) {
        self.held = Some(Held::Overview {
            overview,
            options,
            fetched_at,
        });
    }

    /// When the data of the track were fetched, UNIX seconds.
    pub(in crate::dashboard) fn fetched_at(&self) -> Option<f64> {
        self.newest_known().map(|(_, fetched_at)| fetched_at)
    }

    /// The clock of its service, by the last answer.
    pub(in crate::dashboard) fn clock(&self) -> ServiceClock {
        let known = self.newest_known().map(|(options, _)| options.clock);
        known.unwrap_or_default()
    }

    /// The state of a track as it was at `at` (UNIX seconds), for lists.
    pub(in crate::dashboard) fn of_then(
        overview: Arc<Overview>,
        options: TrackOptions,
        at: f64,
    ) -> Self {
        let mut then = Self::default();
        then.show_overview(overview, Box::new(options), at);
        then
    }

    /// Drops the track; its overview stays.
    pub(in crate::dashboard) fn let_go(&mut self) {
        if let Some(held) = self.loaded() {
            let overview = Arc::clone(held.track.overview());
            self.show_overview(overview, held.options.clone(), held.fetched_at);
        }
        self.pending = None;
    }

    /// The track to assemble again when a choice changes: the latest received
    /// one, shown or not.
    pub(crate) fn newest(&self) -> Option<&LoadedTrack> {
        self.pending.as_ref().or(self.loaded())
    }

    /// Begins a request; it supersedes one in progress.
    pub(in crate::dashboard) fn begin(&mut self, request: RequestId, now: f64) {
        self.loading = Some(Loading {
            request,
            since: now,
            progress: Progress::default(),
        });
    }

    /// Cancels the request in progress; returns its number.
    pub(crate) fn cancel(&mut self) -> Option<RequestId> {
        self.loading.take().map(|loading| loading.request)
    }

    /// Shows a track.
    pub(in crate::dashboard) fn show(&mut self, loaded: LoadedTrack) {
        self.held = Some(Held::Track(loaded));
        self.pending = None;
    }
}
