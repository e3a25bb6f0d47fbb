//! Pure work on a track: an effect carries the job to another thread, and an event
//! brings back the change of the model.

use std::fmt;

use super::effect::Effect;
use super::event::RequestId;
use super::model::Model;

/// Number of fixes from which a job waits for its turn. One after the other, jobs on
/// long tracks take no longer than side by side, and only one more track is in memory.
const LONG: usize = 100_000;

/// Work on a track that needs neither disk nor network.
pub(crate) struct Job {
    /// Its number; a job that it supersedes is cancelled by its own.
    pub request: RequestId,
    /// `true` if it waits until no other job on a long track is done.
    pub waits: bool,
    work: Box<dyn FnOnce() -> Change + Send>,
}

/// A change of the model by the result of a job.
pub(crate) struct Change(Box<Apply>);

type Apply = dyn FnOnce(&mut Model) + Send;

impl Job {
    /// A job that computes a value, and the change of the model by that value.
    pub(super) fn new<T: Send + 'static>(
        request: RequestId,
        work: impl FnOnce() -> T + Send + 'static,
        change: impl FnOnce(&mut Model, T) + Send + 'static,
    ) -> Self {
        Self {
            request,
            waits: false,
            work: Box::new(move || {
                let value = work();
                Change(Box::new(move |model| change(model, value)))
            }),
        }
    }

    /// The job, done in turn if the track is long.
    fn in_turn(self, fixes: usize) -> Self {
        Self {
            waits: fixes >= LONG,
            ..self
        }
    }

    /// Does the work.
    pub(crate) fn run(self) -> Change {
        (self.work)()
    }
}

impl Change {
    /// Changes the model.
    pub(super) fn apply(self, model: &mut Model) {
        (self.0)(model)
    }
}

impl Model {
    /// Starts a job on a number of fixes. A job in the same slot of the model is
    /// cancelled, and its result is dropped. Nothing is started if the slot no longer
    /// exists.
    pub(super) fn compute<T: Send + 'static>(
        &mut self,
        slot: impl Fn(&mut Self) -> Option<&mut Option<RequestId>> + Send + 'static,
        fixes: usize,
        work: impl FnOnce() -> T + Send + 'static,
        change: impl FnOnce(&mut Self, T) + Send + 'static,
    ) {
        let request = self.next_request();
        let Some(before) = slot(self).map(|slot| slot.replace(request)) else {
            return;
        };
        let change = move |model: &mut Self, value| {
            let job = slot(model).and_then(|slot| slot.take_if(|job| *job == request));
            if job.is_some() {
                change(model, value);
            }
        };
        let job = Job::new(request, work, change).in_turn(fixes);
        self.cancel(before);
        self.send(Effect::Compute(job));
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

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Change")
    }
}
