//! The answer to "is all well?": how many deployments are lost, overdue, late and on time, and the
//! alarms, for the header.

use super::alarms::Count;
use crate::dashboard::shared::Shared;
use crate::track::State;

/// The statuses that are counted, the worst first; unknown only where a report was due.
const COUNTED: [State; 5] = [
    State::Lost,
    State::Overdue,
    State::Late,
    State::Unknown,
    State::OnTime,
];

/// The counts of the whole watch list and of all alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Attention {
    /// Deployments of each counted status.
    counts: [usize; COUNTED.len()],
    /// Deployments that are expected to report, and those of unknown status.
    pub all: usize,
    /// The active alarms.
    pub alarms: Count,
    /// Deployments with a limit that cannot be judged.
    pub unjudged: usize,
}

impl Attention {
    /// Counts all alarms and the whole watch list.
    pub(crate) fn new(shared: &Shared) -> Self {
        let mut counted = Self {
            alarms: shared.alarms.count(shared.now),
            ..Self::default()
        };
        for deployment in &shared.deployments.list {
            let health = deployment.health(shared.now);
            let state = health.state;
            let is_counted = state != State::Unknown || health.is_missed();
            let index = COUNTED
                .iter()
                .position(|status| *status == state && is_counted);
            if let Some(count) = index.and_then(|index| counted.counts.get_mut(index)) {
                *count += 1;
            }
            let is_over = matches!(
                state,
                State::Recovered | State::DeclaredLost | State::Ended | State::Read
            );
            counted.all += usize::from(!is_over);
            counted.unjudged += usize::from(!deployment.unjudged.is_empty());
        }
        counted
    }

    /// Each counted status with its number, the worst first.
    pub(crate) fn counts(self) -> impl Iterator<Item = (State, usize)> {
        COUNTED.into_iter().zip(self.counts)
    }
}
