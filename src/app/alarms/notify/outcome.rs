//! The outcome of a round of notifications.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::exchange::{Attempt, Exchange, ExchangeOutcome, RUN};
use crate::failure::Failure;
use crate::text;

/// The treatment of notifications that cannot be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unstored {
    /// They are sent: of alarms in memory, and of those that cannot be claimed.
    Notify,
    /// They are left to a program that runs for longer: each of a series of commands would notify
    /// of it again.
    Leave,
}

/// The outcome of a round of notifications.
#[derive(Debug, Default)]
pub(crate) struct Notified {
    /// The runs of the program, as a list of requests shows them.
    pub runs: Vec<Exchange>,
    /// The notifications that failed.
    pub failures: Vec<Failure>,
}

impl Notified {
    pub(super) fn fail(&mut self, failure: Failure) {
        if !self.failures.contains(&failure) {
            self.failures.push(failure);
        }
    }
}

/// A run of the program as a list of requests shows it, with a number of its own.
pub(super) fn new_run(on_alarm: &[String]) -> Exchange {
    /// Requests are numbered from 0 on.
    static NEXT: AtomicU64 = AtomicU64::new(1 << 63);
    Exchange {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        started_at: 0.0,
        method: RUN,
        url: text::excerpt(&on_alarm.join(" "), 200),
        status: None,
        duration_s: 0.0,
        bytes: 0,
        outcome: ExchangeOutcome::UnderWay,
        retry_in_s: None,
        subject: None,
        attempt: Attempt::ONLY,
    }
}
