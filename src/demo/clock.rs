//! Simulation clock: real, stopped or accelerated.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A clock that starts at a given time and runs at a given speed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: f64,
    pace: f64,
    began: Instant,
}

impl Clock {
    /// A clock that starts at `start` (UNIX seconds; `None`: the current time)
    /// and runs `pace` times as fast as real time.
    pub(super) fn new(start: Option<f64>, pace: f64) -> Self {
        let present = || {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0.0, |since| since.as_secs_f64())
        };
        Self {
            start: start.unwrap_or_else(present),
            pace,
            began: Instant::now(),
        }
    }

    /// Its start time, UNIX seconds.
    pub(super) fn start(&self) -> f64 {
        self.start
    }

    /// Its current time, UNIX seconds.
    pub(super) fn now(&self) -> f64 {
        self.start + self.pace * self.began.elapsed().as_secs_f64()
    }
}
