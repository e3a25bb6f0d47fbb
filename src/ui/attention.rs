//! How many deployments do not report as they should, for the header and the title
//! of the window.

use crate::app::Model;
use crate::track::State;

/// The deployments that need attention.
pub(super) struct Attention {
    /// The number of them.
    pub count: usize,
    /// What is wrong, such as `1 alarm, 2 lost`. A deployment that is lost and
    /// exceeds an alarm limit is in both numbers.
    pub words: String,
}

impl Attention {
    /// Counts the whole watch list; `None` where each deployment is well.
    pub(super) fn of(model: &Model) -> Option<Self> {
        let (mut lost, mut overdue, mut alarms, mut count) = (0, 0, 0, 0);
        for deployment in &model.deployments.list {
            let has_alarm = deployment.alarm(model.now).is_some();
            alarms += usize::from(has_alarm);
            let is_late = match deployment.health(model.now).state {
                State::Lost => {
                    lost += 1;
                    true
                }
                State::Overdue => {
                    overdue += 1;
                    true
                }
                State::OnTime
                | State::Late
                | State::Unknown
                | State::Recovered
                | State::DeclaredLost => false,
            };
            count += usize::from(has_alarm || is_late);
        }
        let alarm = if alarms == 1 { "alarm" } else { "alarms" };
        let parts: Vec<String> = [(alarms, alarm), (lost, "lost"), (overdue, "overdue")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        (count > 0).then(|| Self {
            count,
            words: parts.join(", "),
        })
    }
}
