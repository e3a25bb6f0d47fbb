//! The options of `collect`, and the events that it reports.

use crate::alarm::{Alarm, AlarmEvent};
use crate::failure::Failure;
use crate::track::{Deployment, Update};

/// The options of `collect`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CollectOptions {
    /// Each deployment once, then the end.
    pub once: bool,
    /// Requests at once, at most.
    pub at_once: usize,
}

/// An event during collection.
#[derive(Debug)]
pub(crate) enum Report<'a> {
    /// A deployment was fetched and stored.
    Fetched {
        /// The deployment.
        entry: &'a Deployment,
        /// The result of the fetch.
        update: &'a Update,
        /// When it is due next, UNIX seconds.
        next: f64,
    },
    /// A deployment could not be fetched.
    Failed {
        /// The deployment.
        entry: &'a Deployment,
        /// Why.
        failure: &'a Failure,
        /// When it is due next, UNIX seconds.
        next: f64,
    },
    /// A deployment was fetched and could not be stored.
    Unstored {
        /// The deployment.
        entry: &'a Deployment,
        /// Why.
        failure: &'a Failure,
        /// When it is due next, UNIX seconds.
        next: f64,
    },
    /// A deployment was not requested in a round.
    LeftOut {
        /// The deployment.
        entry: &'a Deployment,
        /// `true` if the service cannot be reached; else the archive cannot be written.
        is_unreached: bool,
    },
    /// Nothing was due in a round.
    NothingDue {
        /// The deployment that is due first.
        first: &'a Deployment,
        /// When, UNIX seconds.
        next: f64,
    },
    /// An alarm was raised or cleared.
    Alarm {
        /// The alarm.
        alarm: &'a Alarm,
        /// Its change.
        event: AlarmEvent,
    },
    /// There was no archive of this name, and a new one is made.
    NewArchive(&'a str),
    /// Something else went wrong.
    Warning(String),
}
