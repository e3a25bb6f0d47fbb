//! The one place that reads the wall clock. The domain, the model and the
//! views never name it: time reaches them as a value.

use std::time::{SystemTime, UNIX_EPOCH};

/// The current time, UNIX seconds; 0 where the clock is set before 1970.
pub(crate) fn unix_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
