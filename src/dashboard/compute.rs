//! Pure work on a track: an effect carries the job to another thread, and an event
//! brings back what it has computed.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use uuid::Uuid;

use crate::map::{LoadedTrack, PreparedTrack};

/// The number of a request that the dashboard began, or of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RequestId(pub u64);

/// Number of fixes from which a job waits for its turn. One after the other, jobs on
/// long tracks take no longer than side by side, and only one more track is in memory.
const LONG: usize = 100_000;

/// What a job computes: a later job of the same kind supersedes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum JobKind {
    /// The track of a deployment with other choices.
    Assembled(Uuid),
    /// The order of the rows of the open track.
    Rows,
    /// Its rows that match the search.
    Matches,
    /// The parts of tracks that lie in a time range.
    Parts,
}

/// Work on a track that needs neither disk nor network.
pub(crate) struct Job {
    /// Its number; a job that it supersedes is cancelled by its own.
    pub request: RequestId,
    /// `true` if it waits until no other job on a long track is done.
    pub waits: bool,
    work: Box<dyn FnOnce() -> Computed + Send>,
}

/// The result of a job.
#[derive(Debug)]
pub(crate) enum Computed {
    /// A track assembled with other choices.
    Assembled(LoadedTrack),
    /// The rows of the open track in the order of its table; `None` for all by time.
    Rows(Option<Arc<Vec<u32>>>),
    /// The rows of the open track that match the search.
    Matches(Arc<Vec<u32>>),
    /// The parts of tracks that lie in a time range.
    Parts(HashMap<Uuid, Arc<PreparedTrack>>),
}

impl Job {
    /// A job that computes a value of so many fixes.
    pub(super) fn new(
        request: RequestId,
        fixes: usize,
        work: impl FnOnce() -> Computed + Send + 'static,
    ) -> Self {
        Self {
            request,
            waits: fixes >= LONG,
            work: Box::new(work),
        }
    }

    /// Does the work.
    pub(crate) fn run(self) -> Computed {
        (self.work)()
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.request == other.request
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Job").field(&self.request).finish()
    }
}
