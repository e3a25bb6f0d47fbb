//! The alarms that the dashboard shows: the active ones, and those that have ended in
//! the last days.

mod update;
pub(super) mod words;

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::alarm::{Alarm, AlarmState, Kind};

/// The alarms as last read from the archive.
#[derive(Debug, Clone)]
pub(crate) struct Alarms {
    /// The active alarms, the worst first, then those that have ended. Of equal ones the
    /// latest is first.
    pub list: Vec<Alarm>,
    /// When the dashboard was opened, UNIX seconds: alarms from before are shown, but
    /// not announced.
    opened_at: f64,
    /// The ids of the alarms that were announced, or active before the start.
    announced: HashSet<String>,
    /// The ids of the alarms that were snoozed at the last look.
    snoozed: HashSet<String>,
}

impl Alarms {
    /// No alarm, in a dashboard that is opened at `now` (UNIX seconds).
    pub(in crate::dashboard) fn new(now: f64) -> Self {
        Self {
            list: Vec::new(),
            opened_at: now,
            announced: HashSet::new(),
            snoozed: HashSet::new(),
        }
    }

    /// The alarm with this id.
    pub(crate) fn get(&self, id: &str) -> Option<&Alarm> {
        self.list.iter().find(|alarm| alarm.id == id)
    }

    /// The active alarms of each deployment, the worst first.
    pub(in crate::dashboard) fn standing(&self) -> HashMap<Uuid, Vec<Alarm>> {
        let mut standing: HashMap<Uuid, Vec<Alarm>> = HashMap::new();
        for alarm in self.list.iter().filter(|alarm| alarm.cleared_at.is_none()) {
            if let Some(uuid) = alarm.uuid() {
                standing.entry(uuid).or_default().push(alarm.clone());
            }
        }
        standing
    }

    /// The number of alarms in a state at `now` (UNIX seconds).
    pub(crate) fn count(&self, state: AlarmState, now: f64) -> usize {
        let all = self.list.iter();
        all.filter(|alarm| alarm.state(now) == state).count()
    }

    /// Replaces the alarms by those read at `now` (UNIX seconds); returns those to be announced
    /// and those that have ended.
    pub(in crate::dashboard) fn take(&mut self, mut list: Vec<Alarm>, now: f64) -> [Vec<Alarm>; 2] {
        list.sort_by(|a, b| {
            let since = |alarm: &Alarm| alarm.cleared_at.unwrap_or(alarm.raised_at);
            (rank(a, now).cmp(&rank(b, now)))
                .then(since(b).total_cmp(&since(a)))
                .then_with(|| a.id.cmp(&b.id))
        });
        let stood = |alarm: &&Alarm| {
            let before = self.get(&alarm.id);
            alarm.cleared_at.is_some() && before.is_some_and(|before| before.cleared_at.is_none())
        };
        let cleared: Vec<Alarm> = list.iter().filter(stood).cloned().collect();
        self.list = list;
        [self.announce_new(now), cleared]
    }

    /// The alarms to announce at `now` (UNIX seconds), each once: new ones since the
    /// dashboard was opened, and those whose snooze has ended.
    pub(in crate::dashboard) fn announce_new(&mut self, now: f64) -> Vec<Alarm> {
        let mut raised = Vec::new();
        for alarm in &self.list {
            match alarm.state(now) {
                AlarmState::Snoozed => {
                    self.snoozed.insert(alarm.id.clone());
                }
                AlarmState::Raised => {
                    let is_first = self.announced.insert(alarm.id.clone());
                    let was_snoozed = self.snoozed.remove(&alarm.id);
                    let is_new = alarm.seen_at >= self.opened_at;
                    // An undone snooze has no end.
                    let snooze_ended = alarm
                        .snoozed_until
                        .is_some_and(|until| until >= self.opened_at);
                    if is_first && (is_new || snooze_ended) || was_snoozed && snooze_ended {
                        raised.push(alarm.clone());
                    }
                }
                AlarmState::Acknowledged | AlarmState::Cleared => {}
            }
        }
        raised
    }
}

/// The rank of an alarm, the worst first: by its reply, then an `overdue` after the
/// other kinds.
pub(super) fn rank(alarm: &Alarm, now: f64) -> (AlarmState, bool) {
    let state = alarm.state(now);
    let is_overdue = state != AlarmState::Cleared && alarm.kind == Kind::Overdue;
    (state, is_overdue)
}
