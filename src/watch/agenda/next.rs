//! The time of the next request for a deployment: when its next fix is due, then often
//! enough to show it soon after it arrives, and seldom if none is expected.

use crate::failure::{Failure, FailureKind};
use crate::track::health::{Health, State, lost_after_s, response_takes_s};
use crate::track::{Burst, Newer, ServiceClock};

const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;
/// The longest wait after failures while the service cannot be reached, seconds.
const UNREACHABLE_S: f64 = 300.0;
/// The longest wait that a service can ask for, seconds.
pub(super) const ASKED_FOR_S: u64 = 3600;
/// T counts from this many gaps on.
const GAPS_OF_T: usize = 3;
/// With fewer known gaps T may be wrong: then no wait is longer than an hour.
const GAPS_OF_LONG_WAITS: usize = 5;
/// A refusal of what was readable is asked again hourly after this many in a row.
const REFUSALS: u32 = 5;
/// Whole answers that bring nothing new take at most one part of this many of the time.
const PARTS_OF_TIME: f64 = 50.0;
/// Bytes of such answers in a day that cost no further wait.
const FREE_BYTES: f64 = 10e6;
/// Bytes of such answers in a day at most, from those on.
const MOST_BYTES: f64 = 100e6;

/// The reason for the time of the next request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Why {
    /// The next fix is due then.
    Expected,
    /// The same wait again and again until something comes, seconds.
    Every(f64),
    /// Whole answers bring nothing new and are large: a longer wait than the state of
    /// the deployment asks for, seconds.
    Costly(f64),
    /// The last request failed.
    Failed,
}

/// The next request for a deployment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NextRequest {
    /// When, UNIX seconds.
    pub at: f64,
    /// Why then; `None` before the first answer, and if a user asks.
    pub why: Option<Why>,
}

/// The last answer for a deployment, and what is known of its reports since.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct LastAnswer {
    /// When it came, UNIX seconds.
    pub at: f64,
    /// When the first one came, UNIX seconds.
    pub first_at: f64,
    /// The time of the last included fix, UNIX seconds.
    pub last_fix: Option<f64>,
    /// T of the health rule, seconds.
    pub interval_s: Option<f64>,
    /// The age of the last fix above which the deployment is overdue, if the user has set one,
    /// seconds.
    pub max_age_s: Option<f64>,
    /// The number of gaps between included fixes that T is made of.
    pub gaps: usize,
    /// The gaps within bursts; `None` if each fix is one of its own.
    pub burst: Option<Burst>,
    /// The reports after the last included fix.
    pub newer: Option<Newer>,
    /// The cost of the answer if it was complete and had nothing new.
    pub idle: Idle,
    /// The clock of its service, by the newest answer.
    pub clock: ServiceClock,
}

/// The cost of whole answers that brought nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Idle {
    /// Bytes of the last answer.
    pub bytes: u64,
    /// How long it took, seconds.
    pub took_s: f64,
    /// Bytes of a day back, those of the last answer among them.
    pub bytes_of_day: u64,
}

impl Idle {
    /// The shortest wait after the answer, seconds.
    fn wait_s(self) -> f64 {
        let of_time = self.took_s * (PARTS_OF_TIME - 1.0);
        let of_bytes = if self.bytes_of_day as f64 >= FREE_BYTES {
            self.bytes as f64 / MOST_BYTES * DAY_S
        } else {
            0.0
        };
        // A silence is reported within the hour, however costly it is to see it.
        of_time.max(of_bytes).min(HOUR_S)
    }
}

impl LastAnswer {
    /// The next request after it. `refresh_s` is the shortest wait, and the only wait while T
    /// is unknown.
    ///
    /// The next fix is due a T after the last one, or is asked for at a maximum age below it, and
    /// while a burst may go on. From then on the wait is T/20, late T/10, overdue T/4 and at most an
    /// hour, lost an hour for a day, then six hours, after 30 days a day. Before the first fix, the
    /// waits double up to an hour.
    pub(crate) fn next(&self, refresh_s: f64) -> NextRequest {
        let interval_s = self.interval_s.filter(|_| self.gaps >= GAPS_OF_T);
        let (wait, is_expected) = match (self.last_fix, interval_s) {
            // The times of these requests are 0, 1, 3, 7 … times the shortest wait.
            (None, _) => (
                ((self.at - self.first_at).max(0.0) + refresh_s).min(HOUR_S),
                false,
            ),
            (Some(_), None) => (refresh_s, false),
            (Some(last), Some(t)) => {
                // The clock of the service may be wrong for once: it neither puts the next request
                // off, nor leaves for a day what is lost by it alone.
                let [by_later, by_own] =
                    [self.clock.as_kept(self.at), self.at].map(|at| self.wait_by(last, t, at));
                if by_own.0 < by_later.0 {
                    by_own
                } else {
                    by_later
                }
            }
        };
        let is_expected = is_expected && wait >= refresh_s;
        let wait = wait.min(self.longest_s()).max(refresh_s);
        let costly = self.costly_s();
        let (wait, why) = match (costly > wait, is_expected) {
            (true, _) => (costly, Why::Costly(costly)),
            (false, true) => (wait, Why::Expected),
            (false, false) => (wait, Why::Every(wait)),
        };
        NextRequest {
            at: self.at + wait,
            why: Some(why),
        }
    }
}

impl LastAnswer {
    /// The wait with a last fix and T, where the answer came `at` this time by a clock, and if a
    /// fix is expected then; seconds.
    fn wait_by(&self, last: f64, t: f64, at: f64) -> (f64, bool) {
        let due_s = last.min(at) + t - at;
        let age = (at - last).max(0.0);
        // Nothing is overdue by a limit below T before the service was asked at it.
        let limited = self.max_age_s.map(|limit| match limit - age {
            rest if rest > 0.0 => rest,
            _ => (t / 4.0).min(HOUR_S),
        });
        // The rest of a burst is not left until the next one: it is asked for at twice the
        // age each time, so that a long one costs few requests.
        let burst = self.burst.filter(|burst| age <= burst.longest_s);
        let in_burst = burst.map(|burst| age.max(burst.interval_s - age));
        let limited = limited.into_iter().chain(in_burst).reduce(f64::min);
        match Health::judge(Some(last), Some(t), at).state {
            _ if due_s > 0.0 && limited.is_some_and(|wait| wait < due_s) => {
                (limited.unwrap_or(due_s), false)
            }
            _ if due_s > 0.0 => (due_s, due_s <= self.longest_s()),
            State::OnTime | State::Unknown => (t / 20.0, false),
            State::Late => (t / 10.0, false),
            State::Overdue => ((t / 4.0).min(HOUR_S), false),
            State::Lost | State::Recovered | State::DeclaredLost | State::Ended | State::Read => {
                (lost_wait_s(age - lost_after_s(t)), false)
            }
        }
    }

    /// The longest wait after it, seconds.
    fn longest_s(&self) -> f64 {
        match self.gaps {
            ..GAPS_OF_LONG_WAITS => HOUR_S,
            _ => DAY_S,
        }
    }

    /// The wait that its cost asks for, seconds.
    fn costly_s(&self) -> f64 {
        self.idle.wait_s().min(self.longest_s())
    }

    /// The shortest wait after it, seconds, where two requests are `refresh_s` apart at least.
    pub(super) fn shortest_wait_s(&self, refresh_s: f64) -> f64 {
        refresh_s.max(self.costly_s())
    }

    /// The time as of which it shows a silence at `now` (both UNIX seconds): its own until the
    /// next request has been due, which may bring what is missed. Where nobody has asked an
    /// instrument is not silent: it may report more often, or its answers may be costly.
    pub(crate) fn judged_at(&self, refresh_s: f64, now: f64) -> f64 {
        let next = self.next(refresh_s).at;
        let until = next + response_takes_s(next - self.at);
        if (self.at..until).contains(&now) {
            self.at
        } else {
            now
        }
    }
}

/// The wait for a deployment that has been lost for this time, seconds.
fn lost_wait_s(lost_for_s: f64) -> f64 {
    if lost_for_s <= DAY_S {
        HOUR_S
    } else if lost_for_s <= 30.0 * DAY_S {
        6.0 * HOUR_S
    } else {
        DAY_S
    }
}

/// The request after the last of `failures` failures in a row, which came at `asked`
/// (UNIX seconds). The first wait is `refresh_s` and each further wait twice as long, up to 5
/// minutes while the service cannot be reached, and up to an hour if it answers. A refusal is
/// asked again hourly if the deployment never `was_readable`, and after five refusals in a
/// row. `Retry-After` is the shortest wait, up to an hour.
pub(super) fn after_failure(
    failure: &Failure,
    failures: u32,
    was_readable: bool,
    asked: f64,
    refresh_s: f64,
) -> NextRequest {
    let longest = match failure.kind {
        FailureKind::NotAuthenticated
        | FailureKind::Forbidden
        | FailureKind::Service
        | FailureKind::NotUnderstood => HOUR_S,
        _ => UNREACHABLE_S,
    };
    let doubled = refresh_s * f64::from(2u32.saturating_pow(failures.saturating_sub(1).min(16)));
    let wait = if failure.is_refusal() && (!was_readable || failures >= REFUSALS) {
        HOUR_S
    } else {
        doubled.min(longest)
    };
    NextRequest {
        at: asked + wait.max(refresh_s).max(retry_after_s(failure)),
        why: Some(Why::Failed),
    }
}

/// The wait that the service asks for with `Retry-After`, seconds.
pub(crate) fn retry_after_s(failure: &Failure) -> f64 {
    let error = failure.service.as_ref();
    let wait = error.and_then(|error| error.retry_after_s);
    wait.map_or(0.0, |wait| wait.min(ASKED_FOR_S) as f64)
}
