//! How urgent a deployment is: the usual order of the list.

use super::deployment::DeploymentState;
use crate::alarm::{Alarm, AlarmState, Kind};
use crate::geo::Inside;
use crate::track::{State, overdue_after_s};

/// The kinds of harm, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// No report is expected any more.
    Ended,
    OnTime,
    Unknown,
    Late,
    Overdue,
    /// Outside its watch circle or area, or beyond another limit.
    BeyondLimit,
    Lost,
}

impl From<State> for Class {
    fn from(state: State) -> Self {
        match state {
            State::Recovered | State::DeclaredLost | State::Ended | State::Read => Self::Ended,
            State::OnTime => Self::OnTime,
            State::Unknown => Self::Unknown,
            State::Late => Self::Late,
            State::Overdue => Self::Overdue,
            State::Lost => Self::Lost,
        }
    }
}

impl DeploymentState {
    /// How urgent it is at `now` (UNIX seconds), the greatest first: first
    /// unacknowledged alarms, then the kind of harm, then the ratio of an age, distance
    /// or other value to its limit.
    pub(crate) fn harm(&self, now: f64) -> f64 {
        let health = self.health(now);
        let stands = |alarm: &&Alarm| alarm.state(now) != AlarmState::Cleared;
        let alarms = self.alarms.iter().filter(stands);
        let of_alarm = |alarm: &Alarm| match alarm.kind {
            Kind::Overdue => Class::Overdue,
            Kind::Unjudged => Class::Unknown,
            _ => Class::BeyondLimit,
        };
        // Without a verdict on a limit it is not known to be well.
        let unjudged = (!self.unjudged.is_empty()).then_some(Class::Unknown);
        let of_alarms = alarms.clone().map(of_alarm).chain(unjudged);
        let class = of_alarms.fold(health.state.into(), Class::max);
        let ratio = match class {
            // By name: the ages of those that are well would move the rows all the time.
            Class::Ended | Class::OnTime | Class::Unknown => 0.0,
            Class::Late | Class::Overdue | Class::Lost => {
                // The limit of the alarm that no fix comes.
                let max_age_s = self.deployment.limits.max_age_s;
                let limit = overdue_after_s(max_age_s, health.interval_s);
                health
                    .age_s
                    .zip(limit)
                    .map_or(0.0, |(age, limit)| age / limit)
            }
            Class::BeyondLimit => {
                let beyond = alarms.filter(|alarm| of_alarm(alarm) == Class::BeyondLimit);
                beyond.map(|alarm| self.excess(alarm)).fold(0.0, f64::max)
            }
        };
        harm(self.has_raised(now), class, ratio)
    }

    /// How many times its limit the value of an alarm is; of an area, which has no size
    /// to compare with, the distance beyond it in nautical miles, and one.
    fn excess(&self, alarm: &Alarm) -> f64 {
        const NAUTICAL_MILE_M: f64 = 1852.0;
        let latest = self.overview().and_then(|overview| overview.latest);
        let inside = self.deployment.limits.inside.as_ref();
        if let (Kind::Outside, Some(inside), Some(latest)) = (alarm.kind, inside, latest) {
            let over_m = inside.over_m(latest.position);
            let unit_m = match inside {
                Inside::Circle(circle) => circle.radius_m,
                Inside::Area(_) => NAUTICAL_MILE_M,
            };
            return (1.0 + over_m / unit_m).max(0.0);
        }
        match alarm.value.zip(alarm.limit) {
            Some((value, limit)) if limit != 0.0 => 1.0 + ((value - limit) / limit).abs(),
            Some((value, _)) => 1.0 + value.abs(),
            None => 0.0,
        }
    }
}

/// A number for the order: the ratio, which is 0 or more, counts less than the class.
fn harm(is_raised: bool, class: Class, ratio: f64) -> f64 {
    let raised = if is_raised { 10.0 } else { 0.0 };
    raised + f64::from(class as u8) + ratio / (1.0 + ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_acknowledged_is_first_then_the_kind_of_harm_then_the_ratio() {
        let order = [
            harm(true, Class::Lost, 3.0),
            harm(true, Class::Overdue, 23.0),
            harm(true, Class::Overdue, 4.0),
            harm(true, Class::OnTime, 0.0),
            harm(false, Class::Lost, 400.0),
            harm(false, Class::Lost, 399.0),
            harm(false, Class::BeyondLimit, 2.0),
            harm(false, Class::BeyondLimit, 1.1),
            harm(false, Class::Overdue, 1e9),
            harm(false, Class::Late, 0.8),
            harm(false, Class::Unknown, 0.0),
            harm(false, Class::OnTime, 0.0),
            harm(false, Class::Ended, 0.0),
        ];
        assert!(order.is_sorted_by(|a, b| a > b), "{order:?}");
    }
}
