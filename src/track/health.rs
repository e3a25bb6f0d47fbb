//! Whether the instrument still reports.

use super::declared::DeclaredState;

/// The longest interval in seconds that is not a data gap, at an interval T in
/// seconds: max(3 T, min(2 h, 30 T)); 2 h where there is no T.
pub(super) fn longest_interval_s(interval_s: Option<f64>) -> f64 {
    const TWO_HOURS: f64 = 7200.0;
    interval_s.map_or(TWO_HOURS, |t| (3.0 * t).max(TWO_HOURS.min(30.0 * t)))
}

/// How the age of the last fix compares with the usual interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum State {
    /// Too little is known: no fix, or one alone.
    #[default]
    Unknown,
    /// Up to 1.5 T old.
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
    DeclaredLost,
}

impl State {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::OnTime => "on time",
            Self::Late => "late",
            Self::Overdue => "overdue",
            Self::Lost | Self::DeclaredLost => "lost",
            Self::Recovered => "recovered",
        }
    }
}

/// The verdict on whether an instrument still reports.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Health {
    /// The state.
    pub state: State,
    /// Age of the last fix in seconds, never below 0.
    pub age_s: Option<f64>,
    /// T: median of the last 20 good gaps, seconds.
    pub interval_s: Option<f64>,
}

impl Health {
    /// The verdict for a last fix at `last` and an interval T, seen at `now`.
    pub(crate) fn judge(last: Option<f64>, interval_s: Option<f64>, now: f64) -> Self {
        let age_s = last.map(|last| (now - last).max(0.0));
        let state = match (age_s, interval_s) {
            (Some(age), Some(t)) if age > (10.0 * t).max(2.0 * 86_400.0) => State::Lost,
            (Some(age), Some(t)) if age <= 1.5 * t => State::OnTime,
            (Some(age), Some(t)) if age <= 3.0 * t => State::Late,
            (Some(_), Some(_)) => State::Overdue,
            _ => State::Unknown,
        };
        Self {
            state,
            age_s,
            interval_s,
        }
    }

    /// The same for a deployment that the user declares to be `declared`: one
    /// that is recovered or lost is never late.
    #[must_use]
    pub(crate) fn declared(self, declared: DeclaredState) -> Self {
        let state = match declared {
            DeclaredState::Active => self.state,
            DeclaredState::Recovered => State::Recovered,
            DeclaredState::Lost => State::DeclaredLost,
        };
        Self { state, ..self }
    }

    /// The moment (UNIX seconds) after `now` at which the state next changes,
    /// if it will.
    pub(crate) fn next_change(&self, last: f64) -> Option<f64> {
        let t = self.interval_s?;
        match self.state {
            State::OnTime => Some(last + 1.5 * t),
            State::Late => Some(last + 3.0 * t),
            State::Overdue => Some(last + (10.0 * t).max(2.0 * 86_400.0)),
            State::Lost | State::Unknown | State::Recovered | State::DeclaredLost => None,
        }
    }
}
