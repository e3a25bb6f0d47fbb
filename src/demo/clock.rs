//! The simulation's clock.

use std::time::Instant;

use crate::clock::unix_now;

/// A clock that goes on from the time of its start, whatever the system's clock does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: f64,
    began: Option<Instant>,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            start: unix_now(),
            began: Some(Instant::now()),
        }
    }
}

impl Clock {
    /// A stopped clock.
    #[cfg(test)]
    pub(super) fn stopped(at: f64) -> Self {
        Self {
            start: at,
            began: None,
        }
    }

    /// Its start time, UNIX seconds.
    pub(super) fn start(&self) -> f64 {
        self.start
    }

    /// Its current time, UNIX seconds.
    pub(super) fn now(&self) -> f64 {
        let since = self
            .began
            .map_or(0.0, |began| began.elapsed().as_secs_f64());
        self.start + since
    }
}
