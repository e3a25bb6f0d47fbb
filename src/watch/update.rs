//! The fetch of a deployment: what is asked for, and the result.

use std::sync::Arc;

use super::agenda::LastAnswer;
use super::answer::FetchDelta;
use super::deployment::Deployment;
use super::id::DeploymentId;
use super::overview::Overview;
use crate::failure::Failure;
use crate::track::{Track, TrackOptions};

/// A deployment to be fetched, and how.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FetchRequest {
    pub deployment: DeploymentId,
    /// How its track is assembled; its time is replaced by that of the response.
    pub options: TrackOptions,
    /// The flags of its fixes.
    pub flags: Flags,
    /// The condition on which the response is stored.
    pub keep: Keep,
    /// The data that the caller shows.
    pub wanted: Wanted,
    /// The rule for taking turns with other programs on the same archive.
    pub turn: Turn,
}

/// The source of the flags that a user has set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flags {
    /// The options have them.
    Given,
    /// The archive has them.
    Archived,
}

/// The condition on which a response is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// In any case.
    Always,
    /// If the deployment is on the watch list.
    IfWatched,
}

/// The data that is shown of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wanted {
    /// The overview of its track for lists.
    Overview,
    Track {
        /// The shown track: it stays if the response has the same fixes.
        shown: Option<Arc<Track>>,
    },
}

/// The rule for taking turns with other programs on the same archive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Turn {
    /// It is fetched now: a user asks.
    Now,
    /// It is fetched in turn, under a lease if the archive is on a server.
    Leased {
        /// The shortest wait between two requests, seconds.
        refresh_s: f64,
        /// `true` after a failure: then it may be due before the last response says so.
        is_retry: bool,
    },
    /// It is fetched in turn, under a lease that the caller holds.
    Held {
        /// The shortest wait between two requests, seconds.
        refresh_s: f64,
        /// As of [`Turn::Leased`].
        is_retry: bool,
    },
}

impl FetchRequest {
    /// A request for a watched deployment and its track, with the archived flags,
    /// at this time (UNIX seconds).
    pub(crate) fn new(entry: &Deployment, turn: Turn, now: f64) -> Self {
        Self {
            deployment: entry.id.clone(),
            options: entry.options(now),
            flags: Flags::Archived,
            keep: Keep::Always,
            wanted: Wanted::Track { shown: None },
            turn,
        }
    }
}

/// The result of fetching a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Update {
    /// The track: the response, and archived fixes that are absent from it. `None` where
    /// only what lists show of it was wanted, and nothing has changed.
    pub track: Option<Arc<Track>>,
    /// The overview of the track for lists.
    pub overview: Arc<Overview>,
    /// The choices that it was made with; boxed, since an event is moved often.
    pub options: Box<TrackOptions>,
    /// When the response was received, UNIX seconds.
    pub fetched_at: f64,
    /// How long the request took, seconds.
    pub took_s: f64,
    /// The difference between the response and the archive; `None` if it was not stored.
    pub delta: Option<FetchDelta>,
    /// Notes to the user about the response or the archive.
    pub notes: Vec<String>,
    /// Why the response, or that nothing has changed, was not stored.
    pub unstored: Option<Failure>,
    /// Why alarms could not be judged by the stored response.
    pub unjudged: Option<Failure>,
}

impl Update {
    /// Adds the notes about invalid records, and removes the notes that were `shown` last and
    /// have not changed.
    pub(crate) fn keep_new_notes(&mut self, shown: &mut Vec<String>) {
        let track = self.track.as_ref();
        self.notes
            .extend(track.and_then(|track| track.unusable_text()));
        let all = std::mem::take(&mut self.notes);
        self.notes = (all.iter())
            .filter(|note| !shown.contains(note))
            .cloned()
            .collect();
        // Without a track, nothing new is known of its records.
        match self.track {
            Some(_) => *shown = all,
            None => shown.extend(self.notes.iter().cloned()),
        }
    }

    /// The state of the reports, from which follows when the next request is due.
    pub(crate) fn last_answer(&self) -> LastAnswer {
        self.overview.last_answer(LastAnswer {
            at: self.fetched_at,
            first_at: self.fetched_at,
            idle: self.delta.unwrap_or_default().idle,
            clock: self.options.clock,
            max_age_s: self.options.max_age_s,
            ..LastAnswer::default()
        })
    }
}
