//! The clock of a service next to this computer's: now is the later of both.

use super::time;

/// Two clocks that differ by less are the same, seconds: a `Date` has whole seconds and is as old
/// as its answer is slow.
const SAME_S: f64 = 60.0;
/// A difference that was measured longer ago makes nothing late, seconds: this computer's clock
/// may have been set since.
const OLD_S: f64 = 3600.0;

/// How far the clock of a service was ahead of this computer's; by default it was not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ServiceClock {
    /// By so much, seconds; negative behind it.
    pub ahead_s: f64,
    /// When that was measured, by this computer's clock, UNIX seconds.
    pub at: f64,
}

impl ServiceClock {
    /// The clock by an answer at a time (UNIX seconds), by what its date was ahead.
    pub(crate) fn new(ahead_s: Option<f64>, at: f64) -> Self {
        Self {
            ahead_s: ahead_s.unwrap_or_default(),
            at,
        }
    }

    /// The clock for a deployment whose own last answer said `own`: not further ahead than that.
    // One computer of a service whose clock is wrong would make silent whoever another answers for.
    // Where this computer's clock was set back since, the own answer shows nothing.
    pub(crate) fn not_ahead_of_own(self, own: Self) -> Self {
        let ahead_s = if own.at <= self.at {
            self.ahead_s.min(own.ahead_s)
        } else {
            self.ahead_s
        };
        Self { ahead_s, ..self }
    }

    /// Now by the later of both clocks, where it is `now` by this computer's (UNIX seconds);
    /// `now` where the difference is old.
    pub(crate) fn later(self, now: f64) -> f64 {
        if self.is_old(now) {
            now
        } else {
            self.as_kept(now)
        }
    }

    /// Now by the earlier of both clocks, where that of the service is more than an hour behind;
    /// `now` (UNIX seconds) where the difference is old.
    pub(crate) fn earlier(self, now: f64) -> f64 {
        if self.is_old(now) || self.ahead_s > -OLD_S {
            now
        } else {
            now + self.ahead_s
        }
    }

    /// The same as [`ServiceClock::later`], however old the difference is.
    pub(crate) fn as_kept(self, now: f64) -> f64 {
        now + if self.ahead_s > SAME_S {
            self.ahead_s
        } else {
            0.0
        }
    }

    /// `true` if at `now` (UNIX seconds) the difference is old.
    fn is_old(self, now: f64) -> bool {
        now - self.at > OLD_S
    }

    /// A sentence on clocks that differ; `None` if they hardly do.
    pub(crate) fn differs(self) -> Option<String> {
        (self.ahead_s.abs() > SAME_S).then(|| {
            let side = if self.ahead_s > 0.0 {
                "ahead of"
            } else {
                "behind"
            };
            let by = time::duration(self.ahead_s);
            format!("the service's clock is {by} {side} this computer's")
        })
    }

    /// Why it cannot be judged at `now` (UNIX seconds) whether a last fix at `last` is older than
    /// `limit_s`: it is only by a difference that is old.
    pub(crate) fn doubt(self, last: f64, limit_s: f64, now: f64) -> Option<String> {
        let is_late = |now: f64| now - last > limit_s;
        (is_late(self.as_kept(now)) && !is_late(self.later(now))).then(|| {
            format!(
                "whether it reports cannot be judged: the service's clock was {} ahead of this \
                 computer's at {}, and it has not answered since",
                time::duration(self.ahead_s),
                time::rfc3339(self.at.floor())
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: f64 = 1.8e9;
    const DAY: f64 = 86_400.0;

    #[test]
    fn now_is_the_later_of_both_clocks_unless_the_difference_is_old() {
        for (ahead_s, age_s, later_s) in [
            (3.0 * DAY, 0.0, 3.0 * DAY),
            (3.0 * DAY, 3600.0, 3.0 * DAY),
            (3.0 * DAY, 3601.0, 0.0),
            (-3.0 * DAY, 0.0, 0.0),
            (59.0, 0.0, 0.0),
            (61.0, 0.0, 61.0),
        ] {
            let clock = ServiceClock::new(Some(ahead_s), NOW - age_s);
            assert_eq!(clock.later(NOW) - NOW, later_s, "{ahead_s} {age_s}");
        }
        assert_eq!(ServiceClock::new(None, NOW).later(NOW), NOW);
    }

    #[test]
    fn an_old_difference_makes_nothing_late_and_leaves_it_in_doubt() {
        let clock = |age_s: f64| ServiceClock::new(Some(3.0 * DAY), NOW - age_s);
        let of = |clock: ServiceClock| clock.doubt(NOW - 0.5 * DAY, DAY, NOW);
        assert_eq!(of(clock(60.0)), None);
        let why = of(clock(7200.0)).unwrap();
        assert!(why.contains("clock was 3 d ahead"), "{why}");
        assert_eq!(clock(7200.0).doubt(NOW - 2.0 * DAY, DAY, NOW), None);
        assert_eq!(of(ServiceClock::new(Some(90.0), NOW - 7200.0)), None);
    }
}
