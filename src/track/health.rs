//! The reporting status of an instrument.

use super::fixes::Track;
use crate::track::{DeclaredState, Window};

/// How the age of the last fix compares with the usual interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum State {
    /// No interval T is known: fewer than three intervals between fixes, or T over 45 days.
    #[default]
    Unknown,
    /// Up to 1.5 T old.
    #[strum(serialize = "on time")]
    OnTime,
    /// Up to 3 T old.
    Late,
    /// Over 3 T old.
    Overdue,
    /// Older than max(10 T, 2 days).
    Lost,
    /// The user declares it recovered.
    Recovered,
    /// The user declares it lost.
    #[strum(serialize = "lost")]
    DeclaredLost,
    /// Its time window has ended, or it is a file with an old last fix.
    Ended,
    /// A file, which does not report.
    Read,
}

impl State {
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }
}

/// On time and late are a last fix up to these ages, in intervals T.
const ON_TIME: f64 = 1.5;
const LATE: f64 = 3.0;

/// The age at `now` of a fix at `last` (both UNIX seconds) in seconds, to a millisecond: status and
/// alarms have one answer where it is a limit exactly, whatever the sums of times are rounded by.
pub(crate) fn age_s(last: f64, now: f64) -> f64 {
    ((now - last) * 1000.0).round() / 1000.0
}

/// The age of the last fix in seconds over which a deployment with an interval T (seconds)
/// is late.
pub(crate) fn late_after_s(interval_s: f64) -> f64 {
    ON_TIME * interval_s
}

/// The age of the last fix in seconds over which a deployment is overdue: its maximum age if
/// it has one, else 3 T; `None` if neither is known.
pub(crate) fn overdue_after_s(max_age_s: Option<f64>, interval_s: Option<f64>) -> Option<f64> {
    max_age_s.or(interval_s.map(|t| LATE * t))
}

/// The age of the last fix in seconds from which on a deployment with an interval T
/// (seconds) counts as lost.
pub(crate) fn lost_after_s(interval_s: f64) -> f64 {
    (10.0 * interval_s).max(LOST_AFTER_S)
}

/// The shortest such age, seconds.
const LOST_AFTER_S: f64 = 2.0 * 86_400.0;

/// The next response is waited for by half of the shortest wait more, and so long at most, seconds.
const RESPONSE_TAKES_S: f64 = 60.0;

/// How long a response may take after the shortest `wait` for its request, both seconds.
pub(crate) fn response_takes_s(wait: f64) -> f64 {
    (wait / 2.0).min(RESPONSE_TAKES_S)
}

/// When the service was asked for a deployment last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LastAsked {
    /// When its response was received, UNIX seconds.
    pub at: f64,
    /// The shortest wait until the next request, seconds.
    pub wait_s: f64,
}

impl LastAsked {
    /// Until when the response holds, UNIX seconds.
    fn until(self) -> f64 {
        self.at + self.wait_s + response_takes_s(self.wait_s)
    }

    /// The time as of which the reports of an instrument with an interval T are judged
    /// at `now` (both UNIX seconds): that of the response while it holds, where T is so
    /// short that a fix may be late before the next request can bring it.
    pub(crate) fn judged_at(self, interval_s: Option<f64>, now: f64) -> f64 {
        let is_short = interval_s.is_some_and(|t| t < 2.0 * self.wait_s);
        if is_short && (self.at..self.until()).contains(&now) {
            self.at
        } else {
            now
        }
    }
}

/// Two clocks may differ by so much without a word, seconds: by some minutes, and by
/// an hour if a time zone was applied.
const CLOCKS_DIFFER_S: f64 = 3600.0;

/// By how many seconds a last fix at `last` is ahead of `now` (both UNIX seconds), where
/// that is more than the clocks may differ.
pub(crate) fn ahead_s(last: f64, now: f64) -> Option<f64> {
    Some(last - now).filter(|ahead| *ahead > CLOCKS_DIFFER_S)
}

/// The verdict on whether an instrument still reports.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Health {
    pub state: State,
    /// Age of the last fix in seconds, never below 0.
    pub age_s: Option<f64>,
    /// T: median of the last 20 good gaps, seconds.
    pub interval_s: Option<f64>,
}

impl Health {
    /// The verdict for a last fix at `last` and an interval T, seen at `now`.
    pub(crate) fn judge(last: Option<f64>, interval_s: Option<f64>, now: f64) -> Self {
        let age_s = last.map(|last| age_s(last, now).max(0.0));
        let state = match (age_s, interval_s) {
            (Some(age), Some(t)) if age > lost_after_s(t) => State::Lost,
            (Some(age), Some(t)) if age <= ON_TIME * t => State::OnTime,
            (Some(age), Some(t)) if age <= LATE * t => State::Late,
            (Some(_), Some(_)) => State::Overdue,
            _ => State::Unknown,
        };
        Self {
            state,
            age_s,
            interval_s,
        }
    }

    /// The same if nothing is known of the report that was due.
    #[must_use]
    pub(crate) fn missed(self) -> Self {
        Self {
            state: State::Unknown,
            ..self
        }
    }

    /// `true` if a report was due, and nothing is known of it: an interval T is known.
    pub(crate) fn is_missed(&self) -> bool {
        self.state == State::Unknown && self.interval_s.is_some()
    }

    /// The same if the service was last asked at a time: an instrument is not late
    /// for the time in which nobody asked.
    pub(crate) fn judge_as_asked(
        last: Option<f64>,
        interval_s: Option<f64>,
        asked: LastAsked,
        now: f64,
    ) -> Self {
        let as_of = asked.judged_at(interval_s, now);
        Self {
            age_s: last.map(|last| age_s(last, now).max(0.0)),
            ..Self::judge(last, interval_s, as_of)
        }
    }

    /// The same for a deployment with a maximum age: a last fix beyond it is overdue,
    /// however long its interval is.
    #[must_use]
    pub(crate) fn with_max_age(self, max_age_s: Option<f64>) -> Self {
        let over = self.age_s.zip(max_age_s).filter(|(age, most)| age > most);
        let state = match self.state {
            State::Unknown | State::OnTime | State::Late if over.is_some() => State::Overdue,
            state => state,
        };
        Self { state, ..self }
    }

    /// The same for a deployment that the user declares to be `declared`: one
    /// that is recovered or lost is never late.
    #[must_use]
    pub(crate) fn declared(self, declared: DeclaredState) -> Self {
        let state = match declared {
            DeclaredState::Active => self.state,
            DeclaredState::Recovered => State::Recovered,
            DeclaredState::Lost => State::DeclaredLost,
            DeclaredState::Read if self.age_s.is_some_and(|age| age > self.ended_after_s()) => {
                State::Ended
            }
            DeclaredState::Read => State::Read,
        };
        Self { state, ..self }
    }

    /// The age of the last fix in seconds over which a file has ended.
    fn ended_after_s(&self) -> f64 {
        self.interval_s.map_or(LOST_AFTER_S, lost_after_s)
    }

    /// The same for a deployment with a time window, seen at `now` (UNIX seconds): after
    /// its end it is never late. The state that the user declares stays.
    #[must_use]
    pub(crate) fn in_window(self, window: &Window, now: f64) -> Self {
        let state = match self.state {
            State::Recovered | State::DeclaredLost => self.state,
            _ if window.has_ended(now) => State::Ended,
            state => state,
        };
        Self { state, ..self }
    }
}

impl Track {
    /// The reporting status at `now` (UNIX seconds), by the later of both clocks.
    pub(crate) fn health(&self, now: f64) -> Health {
        self.health_at(self.options.clock.later(now))
    }

    /// The reporting status at a moment by the later of both clocks, UNIX seconds.
    pub(crate) fn health_at(&self, now: f64) -> Health {
        let own = || (self.heard_at(), self.interval_s());
        let (last, interval_s) = self.cut_from.unwrap_or_else(own);
        let health = Health::judge(last, interval_s, now)
            .with_max_age(self.options.max_age_s)
            .declared(self.options.declared);
        health.in_window(&self.options.window, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: f64 = 1.8e9;

    #[test]
    fn an_age_of_three_intervals_is_late_whatever_the_clock_is_rounded_by() {
        let last = 1_795_000_000.3;
        for now in [last + 10_800.0, last + 10_800.000_000_3] {
            let found = Health::judge(Some(last), Some(3600.0), now);
            assert_eq!((found.state, found.age_s), (State::Late, Some(10_800.0)));
        }
    }

    #[test]
    fn what_is_older_than_its_maximum_age_is_overdue_whatever_its_interval() {
        for (age_s, interval_s, max_age_s, state) in [
            (3700.0, Some(7200.0), Some(3600.0), State::Overdue),
            (3700.0, None, Some(3600.0), State::Overdue),
            (3500.0, Some(7200.0), Some(3600.0), State::OnTime),
            (3700.0, Some(7200.0), None, State::OnTime),
            // It allows an age, and does not change what the interval says of it.
            (3500.0, Some(600.0), Some(3600.0), State::Overdue),
            (3e6, Some(600.0), Some(3600.0), State::Lost),
        ] {
            let last = NOW - age_s;
            let health = Health::judge(Some(last), interval_s, NOW).with_max_age(max_age_s);
            assert_eq!(health.state, state, "{age_s} {interval_s:?} {max_age_s:?}");
        }
    }

    #[test]
    fn an_instrument_that_reports_more_often_than_it_is_asked_for_is_not_late_between() {
        let asked = LastAsked {
            at: NOW,
            wait_s: 60.0,
        };
        let seen = |age: f64, t: f64, later: f64| {
            let last = Some(NOW - age);
            Health::judge_as_asked(last, Some(t), asked, NOW + later)
        };
        // Every 15 s: 5 s after its last fix it was on time, and nobody has asked since.
        for later in [0.0, 18.0, 41.0, 60.0, 89.0] {
            let health = seen(5.0, 15.0, later);
            assert_eq!(health.state, State::OnTime, "{later}");
            assert_eq!(health.age_s, Some(5.0 + later));
        }
        // The next response does not come, nor does the next fix in it.
        assert_eq!(seen(5.0, 15.0, 90.0).state, State::Overdue);
        assert_eq!(seen(46.0, 15.0, 0.0).state, State::Overdue);
        assert_eq!(seen(30.0, 15.0, 59.0).state, State::Late);
        // A fix that is due is asked for before it is late.
        assert_eq!(seen(179.0, 120.0, 2.0).state, State::Late);
        assert_eq!(seen(5.0, 3600.0, 5400.0).state, State::Late);
        // A clock that was set back, and one fix alone.
        assert_eq!(seen(0.0, 15.0, -30.0).state, State::OnTime);
        let unknown = Health::judge_as_asked(Some(NOW), None, asked, NOW + 5.0);
        assert_eq!(unknown.state, State::Unknown);
    }

    #[test]
    fn a_fix_is_ahead_of_the_clock_from_more_than_an_hour_on() {
        for (ahead, told) in [(-60.0, None), (3600.0, None), (7200.0, Some(7200.0))] {
            assert_eq!(ahead_s(NOW + ahead, NOW), told);
        }
    }

    #[test]
    fn after_the_end_of_its_time_window_it_is_ended_and_not_overdue_or_lost() {
        let window = Window {
            from: None,
            until: Some(NOW),
        };
        let seen = |last: Option<f64>, at: f64| {
            Health::judge(last, Some(600.0), at).in_window(&window, at)
        };
        // Both ends are in it.
        let within = seen(Some(NOW - 60.0), NOW);
        assert_eq!(within.state, State::OnTime);
        for (last, later) in [(60.0, 1.0), (60.0, 3600.0), (60.0, 1e7), (9e6, 1.0)] {
            let ended = seen(Some(NOW - last), NOW + later);
            assert_eq!(ended.state, State::Ended, "{last} {later}");
            assert_eq!(ended.state.word(), "ended");
            assert_eq!(ended.age_s, Some(last + later));
        }
        assert_eq!(seen(None, NOW + 1.0).state, State::Ended);
        let recovered =
            Health::judge(Some(NOW), Some(600.0), NOW + 1e7).declared(DeclaredState::Recovered);
        let recovered = recovered.in_window(&window, NOW + 1e7);
        assert_eq!(recovered.state, State::Recovered);
    }
}
