//! The world's time: the real one, one that stands, or one that hurries.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Time in the world, from a start at a pace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: f64,
    pace: f64,
    began: Instant,
}

impl Clock {
    /// A clock that shows `start` (UNIX seconds; none is the present) and goes
    /// `pace` times as fast as ours.
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

    /// The time it showed at first, UNIX seconds.
    pub(super) fn start(&self) -> f64 {
        self.start
    }

    /// The time it shows, UNIX seconds.
    pub(super) fn now(&self) -> f64 {
        self.start + self.pace * self.began.elapsed().as_secs_f64()
    }
}
