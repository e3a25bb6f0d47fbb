//! Alarms, and deployments that do not report as they should, for the header and the
//! title of the window.

use super::alarms::words;
use super::deployments::deployment::DeploymentState;
use super::model::Model;
use crate::alarm::{AlarmState, Kind};
use crate::track::State;

/// The counts of alarms and deployments that need attention, and of alarms acknowledged or
/// snoozed. Nothing is counted twice: a deployment with an alarm is not counted as lost or
/// overdue again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Attention {
    /// Alarms that nobody has said anything of.
    pub alarms: usize,
    /// Deployments that are lost and have no such alarm, nor a maximum age that allows it.
    pub lost: usize,
    /// Deployments that are overdue and have no such alarm, nor a maximum age that
    /// allows it.
    pub overdue: usize,
    acknowledged: usize,
    snoozed: usize,
}

impl Attention {
    /// Counts all alarms and the whole watch list.
    pub(crate) fn of(model: &Model) -> Self {
        let alarms = model.alarms.count(model.now);
        let (mut lost, mut overdue) = (0, 0);
        for deployment in &model.deployments.list {
            if is_known(deployment, model.now)
                || deployment.has_raised(model.now)
                || words::allowed_age(deployment, model.now).is_some()
            {
                continue;
            }
            match deployment.health(model.now).state {
                State::Lost => lost += 1,
                State::Overdue => overdue += 1,
                State::OnTime
                | State::Late
                | State::Unknown
                | State::Recovered
                | State::DeclaredLost
                | State::Ended => {}
            }
        }
        Self {
            alarms: alarms.raised,
            lost,
            overdue,
            acknowledged: alarms.acknowledged,
            snoozed: alarms.snoozed,
        }
    }

    /// The number of alarms that somebody knows of.
    pub(crate) fn known(self) -> usize {
        self.acknowledged + self.snoozed
    }

    /// The words of each count that is not 0: of the alarms, of the lost and of the
    /// overdue ones. Beside alarms the others are "more", as those with an alarm are
    /// not among them.
    pub(crate) fn words(self) -> [Option<String>; 3] {
        let more = if self.alarms > 0 { " more" } else { "" };
        let alarms = crate::text::counted(self.alarms, "alarm", "alarms");
        [
            (self.alarms > 0).then_some(alarms),
            (self.lost > 0).then(|| format!("{}{more} lost", self.lost)),
            (self.overdue > 0).then(|| format!("{}{more} overdue", self.overdue)),
        ]
    }

    /// The counts of known alarms, as in `1 acknowledged, 1 snoozed`; may be empty.
    pub(crate) fn known_words(self) -> String {
        listed([
            (self.acknowledged, "acknowledged"),
            (self.snoozed, "snoozed"),
        ])
    }
}

/// `true` if somebody knows that a deployment does not report: has acknowledged or
/// snoozed its alarm of that.
fn is_known(deployment: &DeploymentState, now: f64) -> bool {
    let mut alarms = deployment.alarms.iter();
    alarms.any(|alarm| {
        let state = alarm.state(now);
        alarm.kind == Kind::Overdue
            && matches!(state, AlarmState::Acknowledged | AlarmState::Snoozed)
    })
}

/// The numbers that are not 0, each with its word.
fn listed<const N: usize>(parts: [(usize, &str); N]) -> String {
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    parts.join(", ")
}
