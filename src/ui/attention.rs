//! What needs attention, for the header and the title of the window: alarms, and
//! deployments that do not report as they should.

use crate::alarm::{AlarmState, Kind};
use crate::app::Model;
use crate::app::state::deployment::DeploymentState;
use crate::track::State;

/// What needs attention, and what somebody knows of already.
pub(super) struct Attention {
    /// The number of alarms that nobody has said anything of, and of deployments
    /// without one that are lost or overdue.
    pub count: usize,
    /// What is wrong, such as `1 alarm, 2 lost`; empty where `count` is 0. A
    /// deployment that is lost and has an alarm is in both numbers.
    pub words: String,
    /// What somebody knows of, such as `1 acknowledged, 1 snoozed`; may be empty.
    pub known: String,
}

impl Attention {
    /// Counts all alarms and the whole watch list; `None` where all is well.
    pub(super) fn of(model: &Model) -> Option<Self> {
        let alarms = model.alarms.count(model.now);
        let (mut lost, mut overdue, mut without_alarm) = (0, 0, 0);
        for deployment in &model.deployments.list {
            if is_known(deployment, model.now) {
                continue;
            }
            match deployment.health(model.now).state {
                State::Lost => lost += 1,
                State::Overdue => overdue += 1,
                State::OnTime
                | State::Late
                | State::Unknown
                | State::Recovered
                | State::DeclaredLost => continue,
            }
            without_alarm += usize::from(!deployment.has_raised(model.now));
        }
        let word = if alarms.raised == 1 {
            "alarm"
        } else {
            "alarms"
        };
        let words = listed([(alarms.raised, word), (lost, "lost"), (overdue, "overdue")]);
        let (acknowledged, snoozed) = (alarms.acknowledged, alarms.snoozed);
        let known = listed([(acknowledged, "acknowledged"), (snoozed, "snoozed")]);
        let count = alarms.raised + without_alarm;
        (count > 0 || !known.is_empty()).then_some(Self {
            count,
            words,
            known,
        })
    }
}

/// Whether somebody knows that a deployment does not report: has acknowledged or
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
