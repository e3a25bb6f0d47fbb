//! When a deployment is asked for next: when its next fix is due, then often
//! enough to see it soon after it comes, and seldom where none is to be
//! expected.

use crate::failure::{Failure, FailureKind};

use super::health::{Health, State};

/// The longest wait where something is to be expected, and the wait where
/// nothing is, seconds.
const HOURLY_S: f64 = 3600.0;
/// The longest wait while the service cannot be reached, seconds.
const UNREACHABLE_S: f64 = 300.0;
/// The longest wait that a service can ask for, seconds: an hour.
const ASKED_FOR_S: u64 = 3600;

/// What the moment of the next request follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Why {
    /// The next fix is due then.
    Expected,
    /// The same wait again and again until something comes, seconds.
    Every(f64),
    /// The last request failed.
    Failed,
}

/// The next request for a deployment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NextRequest {
    /// When, UNIX seconds.
    pub at: f64,
    /// Why then.
    pub why: Why,
}

impl NextRequest {
    /// The next request after an answer that came at `asked`, where the last
    /// fix is of `last` (both UNIX seconds) and the interval T is `interval_s`.
    /// `refresh_s` is the shortest wait, and the only one where T is unknown.
    ///
    /// The next fix is due at `last` + T. From then on the wait is T/20, late
    /// T/10, overdue T/4 and at most an hour, lost an hour.
    pub(crate) fn after_answer(
        last: Option<f64>,
        interval_s: Option<f64>,
        asked: f64,
        refresh_s: f64,
    ) -> Self {
        let every = |wait: f64| {
            let wait = wait.max(refresh_s);
            Self {
                at: asked + wait,
                why: Why::Every(wait),
            }
        };
        let (Some(last), Some(t)) = (last, interval_s) else {
            return every(refresh_s);
        };
        // A clock that is ahead does not put the next request off.
        let due = last.min(asked) + t;
        match Health::judge(Some(last), interval_s, asked).state {
            State::Unknown => every(refresh_s),
            State::OnTime if due >= asked + refresh_s => Self {
                at: due,
                why: Why::Expected,
            },
            State::OnTime => every(t / 20.0),
            State::Late => every(t / 10.0),
            State::Overdue => every((t / 4.0).min(HOURLY_S)),
            State::Lost | State::Recovered | State::DeclaredLost | State::Ended => every(HOURLY_S),
        }
    }

    /// The next request after the last of `failures` failures in a row, which
    /// came at `asked` (UNIX seconds). The first wait is twice `refresh_s` and each
    /// further one twice the one before it, up to 5 minutes while the service cannot
    /// be reached and up to an hour where it answers; what the token may not read
    /// waits an hour at once. `spread` (0 to 1) moves the wait by up to a tenth, so
    /// that many do not come together. No wait is shorter than `refresh_s`. A
    /// `Retry-After` is the least, an hour of it at most.
    pub(crate) fn after_failure(
        failure: &Failure,
        failures: u32,
        asked: f64,
        refresh_s: f64,
        spread: f64,
    ) -> Self {
        let longest = match failure.kind {
            FailureKind::NotAuthenticated
            | FailureKind::Forbidden
            | FailureKind::Service
            | FailureKind::NotUnderstood => HOURLY_S,
            _ => UNREACHABLE_S,
        };
        let refused = matches!(
            failure.kind,
            FailureKind::NotAuthenticated | FailureKind::Forbidden
        );
        let wait = if refused {
            longest
        } else {
            (refresh_s * f64::from(2u32.saturating_pow(failures.min(16)))).min(longest)
        };
        let wait = (wait.max(refresh_s) * (0.9 + 0.2 * spread)).max(refresh_s);
        #[allow(clippy::cast_precision_loss)] // at most an hour
        let asked_for = failure
            .service
            .as_ref()
            .and_then(|said| said.retry_after_s)
            .map_or(0.0, |wait| wait.min(ASKED_FOR_S) as f64);
        Self {
            at: asked + wait.max(asked_for),
            why: Why::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::ServiceError;

    const H: f64 = 3600.0;
    const REFRESH: f64 = 60.0;

    /// The times of the requests in `span` seconds, of an instrument whose fixes
    /// are all of the past at `start`.
    fn requests(last: f64, t: f64, start: f64, span: f64) -> Vec<f64> {
        let mut now = start;
        let mut all = vec![now];
        loop {
            now = NextRequest::after_answer(Some(last), Some(t), now, REFRESH).at;
            if now > start + span {
                return all;
            }
            all.push(now);
        }
    }

    fn wait(age: f64, t: f64) -> NextRequest {
        let now = 1.8e9;
        let next = NextRequest::after_answer(Some(now - age), Some(t), now, REFRESH);
        NextRequest {
            at: next.at - now,
            ..next
        }
    }

    #[test]
    fn the_next_request_is_when_the_next_fix_is_due() {
        let next = wait(3.0 * H, 4.0 * H);
        assert_eq!((next.at, next.why), (H, Why::Expected));
        // Also where the clock of the instrument is ahead.
        assert_eq!(wait(-0.5 * H, 4.0 * H).at, 4.0 * H);
    }

    #[test]
    fn until_it_comes_the_waits_grow_with_the_delay() {
        let t = 4.0 * H;
        for (age, expected) in [
            (1.1 * t, t / 20.0),
            (1.6 * t, t / 10.0),
            (3.1 * t, H),
            (11.0 * t, H),
            (13.0 * t, H),
            (400.0 * 86_400.0, H),
        ] {
            let next = wait(age, t);
            assert_eq!(
                (next.at, next.why),
                (expected, Why::Every(expected)),
                "{age}"
            );
        }
        assert_eq!(wait(3.5 * H, H).at, 900.0);
        // Days apart: at least hourly once it is overdue.
        assert_eq!(wait(31.0 * 86_400.0, 10.0 * 86_400.0).at, H);
    }

    #[test]
    fn refresh_is_the_shortest_wait_and_the_only_one_without_an_interval() {
        let now = 1.8e9;
        for (age, t) in [(5.0, 15.0), (20.0, 15.0), (40.0, 15.0), (1e4, 15.0)] {
            assert_eq!(wait(age, t).at, REFRESH, "{age}");
        }
        // Due in a moment, and asked for a moment ago.
        assert_eq!(wait(4.0 * H - 10.0, 4.0 * H).at, 720.0);
        for (last, t) in [(None, None), (Some(now), None)] {
            let next = NextRequest::after_answer(last, t, now, REFRESH);
            assert_eq!((next.at, next.why), (now + REFRESH, Why::Every(REFRESH)));
        }
        let slow = NextRequest::after_answer(Some(now - 100.0 * 86_400.0), Some(H), now, 2.0 * H);
        assert_eq!(slow.at, now + 2.0 * H);
    }

    #[test]
    fn a_day_of_a_buoy_costs_its_fixes_and_a_few_requests_more() {
        let t = 4.0 * H;
        // Six fixes a day, each there when it is due.
        let (mut now, mut count) = (1.8e9, 0);
        let end = now + 86_400.0;
        while now < end {
            let last = (now / t).floor() * t;
            now = NextRequest::after_answer(Some(last), Some(t), now, REFRESH).at;
            count += 1;
        }
        assert!((6..=7).contains(&count), "{count}");
        // It falls silent: 10 requests up to 1.5 T, 15 up to 3 T, then hourly.
        let silent = requests(1.8e9, t, 1.8e9, 24.0 * H);
        assert!((36..=39).contains(&silent.len()), "{silent:?}");
        assert_eq!(requests(1e9, t, 1.8e9, 24.0 * H).len(), 25);
    }

    #[test]
    fn failures_wait_longer_and_longer_and_a_refusal_waits_an_hour() {
        let of = |kind, count| {
            let failure = Failure::new(kind, "", "");
            NextRequest::after_failure(&failure, count, 0.0, REFRESH, 0.5).at
        };
        assert_eq!(of(FailureKind::Unreachable, 1), 120.0);
        assert_eq!(of(FailureKind::Unreachable, 40), 300.0);
        assert_eq!(of(FailureKind::Service, 2), 240.0);
        assert_eq!(of(FailureKind::Service, 40), H);
        assert_eq!(of(FailureKind::Forbidden, 1), H);
        assert_eq!(of(FailureKind::NotAuthenticated, 1), H);
    }

    #[test]
    fn no_spread_shortens_a_wait_below_refresh() {
        for kind in [FailureKind::Unreachable, FailureKind::Forbidden] {
            let failure = Failure::new(kind, "", "");
            for refresh_s in [300.0, 3600.0, 7200.0] {
                let at =
                    |spread| NextRequest::after_failure(&failure, 3, 0.0, refresh_s, spread).at;
                assert!(at(0.0) >= refresh_s, "{kind:?} {refresh_s}: {}", at(0.0));
                assert!(at(1.0) > at(0.5) && at(0.5) >= refresh_s);
            }
        }
    }

    #[test]
    fn a_wait_that_the_service_asks_for_is_heeded() {
        let mut failure = Failure::new(FailureKind::Service, "", "");
        failure.service = Some(Box::new(ServiceError {
            status: 503,
            retry_after_s: Some(1800),
            ..ServiceError::default()
        }));
        let next = NextRequest::after_failure(&failure, 1, 0.0, REFRESH, 0.5);
        assert_eq!((next.at, next.why), (1800.0, Why::Failed));
        let late = NextRequest::after_failure(&failure, 9, 0.0, REFRESH, 0.5);
        assert_eq!(late.at, H);
        for absurd in [86_400, 99_999_999_999_999, u64::MAX] {
            if let Some(said) = &mut failure.service {
                said.retry_after_s = Some(absurd);
            }
            let next = NextRequest::after_failure(&failure, 1, 0.0, REFRESH, 0.5);
            assert_eq!(next.at, H);
        }
    }
}
