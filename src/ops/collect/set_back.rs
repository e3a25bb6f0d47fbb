//! Whether the clock was set back while a collector ran.

use std::time::Duration;

/// A clock that is behind by this many seconds was set back.
const SET_BACK_S: f64 = 60.0;

/// Whether the clock was set back since it showed `then`, so long ago, where it
/// shows `now` (UNIX seconds).
pub(super) fn is_set_back(then: f64, elapsed: Duration, now: f64) -> bool {
    then + elapsed.as_secs_f64() - now > SET_BACK_S
}
