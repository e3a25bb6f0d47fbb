//! The options of `collect`, and the events that it reports.

use std::time::{Duration, Instant};

use super::Collector;
use crate::alarm::{Alarm, AlarmEvent};
use crate::failure::Failure;
use crate::watch::{Deployment, Update};

/// The same warning is reported at most this often: a fault of the archive may last for days.
pub(super) const SAME_WARNING_EVERY: Duration = Duration::from_secs(3600);

/// The options of `collect`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CollectOptions {
    /// Each deployment once, then the end.
    pub once: bool,
    /// Requests at once, at most.
    pub at_once: usize,
}

/// An event during collection.
#[derive(Debug)]
pub(crate) enum Report<'a> {
    /// Collection begins.
    Begun {
        /// The number of deployments on the watch list.
        deployments: usize,
        /// The base URL of the service.
        service: &'a str,
        archive: &'a str,
    },
    /// A signal ended collection.
    Ended,
    /// A deployment was fetched and stored.
    Fetched {
        entry: &'a Deployment,
        /// The result of the fetch.
        update: &'a Update,
        /// When it is due next, UNIX seconds.
        next: f64,
    },
    /// A deployment could not be fetched.
    Failed {
        entry: &'a Deployment,
        /// Why.
        failure: &'a Failure,
        /// When it is due next, UNIX seconds.
        next: f64,
    },
    /// A deployment was fetched and could not be stored.
    Unstored {
        entry: &'a Deployment,
        /// Why.
        failure: &'a Failure,
        /// When it is due next, UNIX seconds.
        next: f64,
    },
    /// A deployment was not requested in a round.
    LeftOut {
        entry: &'a Deployment,
        /// `true` if the service cannot be reached; else the archive cannot be written.
        is_unreached: bool,
    },
    /// A round in which no deployment was due.
    NothingDue {
        /// The deployment that is due first.
        first: &'a Deployment,
        /// When, UNIX seconds.
        next: f64,
    },
    /// An alarm was raised or cleared.
    Alarm {
        alarm: &'a Alarm,
        /// Its change.
        event: AlarmEvent,
    },
    /// There was no archive of this name, and a new one is made.
    NewArchive(&'a str),
    /// Something else went wrong.
    Warning(String),
}

impl Collector<'_> {
    /// Reports a warning, unless the same was reported a short time ago.
    pub(super) fn warn(&mut self, warning: String) {
        let is_recent = |at: &Instant| at.elapsed() < SAME_WARNING_EVERY;
        if !self.warned.get(&warning).is_some_and(is_recent) {
            self.warned.retain(|_, at| is_recent(at));
            self.warned.insert(warning.clone(), Instant::now());
            (self.report)(Report::Warning(warning));
        }
    }

    /// Reports the alarms that were raised or cleared since the last call.
    pub(super) async fn report_alarms(&mut self) {
        for (alarm, event) in self.new_alarms().await {
            let alarm = &alarm;
            (self.report)(Report::Alarm { alarm, event });
        }
    }

    /// The alarms that were raised or cleared since the last call, or both; none if they cannot
    /// be read.
    pub(super) async fn new_alarms(&mut self) -> Vec<(Alarm, AlarmEvent)> {
        let Ok(alarms) = self.store.recent_alarms().await else {
            return Vec::new();
        };
        self.alarms
            .retain(|id, _| alarms.iter().any(|alarm| alarm.id == *id));
        let known = &mut self.alarms;
        let changed = alarms.into_iter().flat_map(|alarm| {
            let is_active = alarm.cleared_at.is_none();
            let was_active = known.insert(alarm.id.clone(), is_active);
            let raised = was_active.is_none().then_some(AlarmEvent::Raised);
            let cleared = (!is_active && was_active != Some(false)).then_some(AlarmEvent::Cleared);
            let events = raised.into_iter().chain(cleared);
            events.map(move |event| (alarm.clone(), event))
        });
        changed.collect()
    }
}
