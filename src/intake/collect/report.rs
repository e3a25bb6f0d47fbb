//! What `collect` is asked to do, and what it reports meanwhile.

use crate::failure::Failure;
use crate::track::{Deployment, Update};

/// What `collect` does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CollectOptions {
    /// Each deployment once, then the end.
    pub once: bool,
    /// Requests at once, at most.
    pub at_once: usize,
}

/// What happened while collecting.
#[derive(Debug)]
pub(crate) enum Report<'a> {
    /// A deployment was fetched and stored.
    Fetched {
        /// The deployment.
        entry: &'a Deployment,
        /// What came.
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
    /// A deployment was not asked for in a round.
    LeftOut {
        /// The deployment.
        entry: &'a Deployment,
        /// `true` if that is as the service cannot be reached; else the archive cannot be
        /// written.
        is_unreached: bool,
    },
    /// There was no archive of this name, and a new one is made.
    NewArchive(&'a str),
    /// Something else went wrong.
    Warning(String),
}
