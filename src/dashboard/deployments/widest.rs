//! The widest texts of all rows of the watch list: its columns do not move while the
//! list scrolls.

use crate::alarm::{AlarmState, Kind};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::deployments::limit_words;
use crate::dashboard::widgets::sheet::cells;
use crate::track::time;

/// Cells of a UUID that is cut in its middle.
const CUT_UUID: u16 = 20;

/// The widest texts of all rows, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Widest {
    pub status: u16,
    /// Status, or the kind of an alarm of one that reports on time.
    pub words: u16,
    /// Status with the kind of an alarm that it does not imply.
    pub both: u16,
    /// Label, or UUID.
    pub name: u16,
    /// Label, or the cells that a UUID is cut to.
    pub label: u16,
    /// Group; 0 if no row has one.
    pub group: u16,
    /// Reporting interval.
    pub interval: u16,
    /// Limits with their names; 0 if no row has any.
    pub limits: u16,
    /// If any has an alarm or a limit whose words no other column shows.
    pub has_numbers: bool,
}

impl Widest {
    /// Takes a row in, at `now` (UNIX seconds).
    pub(super) fn add(&mut self, row: &DeploymentState, now: f64) {
        let entry = &row.deployment;
        let health = row.health(now);
        let alarm = row.alarm(now);
        let longer = |widest: &mut u16, words: &str| *widest = (*widest).max(cells(words));
        longer(&mut self.status, &row.status(now));
        let words = row.status_or_trouble(now);
        let trouble = row.trouble(now).filter(|trouble| *trouble != words);
        longer(&mut self.words, &words);
        let both = cells(&words) + trouble.map_or(0, |trouble| 1 + cells(&trouble));
        self.both = self.both.max(both);
        let is_unjudged = !row.unjudged.is_empty();
        longer(&mut self.name, &row.name());
        let label = entry.label.as_deref().map_or(CUT_UUID, cells);
        self.label = self.label.max(label);
        longer(&mut self.group, entry.group.as_deref().unwrap_or_default());
        if let Some(interval) = health.interval_s {
            longer(&mut self.interval, &time::interval(interval));
        }
        longer(&mut self.limits, &limit_words::widest(row));
        self.has_numbers |= alarm.map_or(is_unjudged, |(alarm, state)| {
            state == AlarmState::Raised && alarm.kind != Kind::Overdue
        });
    }
}
