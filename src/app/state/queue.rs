//! Which deployments are asked for, and which are due, as the last pass over the list
//! found them.

use std::collections::VecDeque;

use uuid::Uuid;

/// The requests of a list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    /// Those that a request was begun for; some may have ended.
    pub(super) asked: Vec<Uuid>,
    /// Those that were due at the last pass, in the order in which they are asked
    /// for.
    pub(super) waiting: VecDeque<Uuid>,
    /// When the next of the others is due, UNIX seconds; none before the first pass.
    pub(super) next: Option<f64>,
}

impl Queue {
    /// Goes through the list again before the next request.
    pub(crate) fn scan_again(&mut self) {
        self.waiting.clear();
        self.next = None;
    }

    /// A request was begun.
    pub(in crate::app) fn begun(&mut self, uuid: Uuid) {
        if !self.asked.contains(&uuid) {
            self.asked.push(uuid);
        }
    }

    /// One is due at a time (UNIX seconds).
    pub(in crate::app) fn due_at(&mut self, moment: f64) {
        self.next = self.next.map(|next| next.min(moment));
    }

    /// When one is due next that is not waiting, UNIX seconds; infinite for never.
    pub(in crate::app) fn next_due(&self) -> f64 {
        self.next.unwrap_or(f64::NEG_INFINITY)
    }
}
