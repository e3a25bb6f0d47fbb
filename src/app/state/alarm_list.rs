//! The list of alarms: those that stand, then those that have ended lately.

use crate::alarm::Alarm;
use crate::app::state::alarms::Alarms;
use crate::app::state::table::{Step, TableState};

/// Lines of the dialog besides the rows: its frame, the heading, a blank, and what
/// is known of the chosen alarm; the header and the footer of the screen.
const OTHER_LINES: u16 = 12;
/// The rows that are shown at most.
const MOST_ROWS: u16 = 20;

/// The list of alarms.
#[derive(Debug, Clone, Default)]
pub(crate) struct AlarmList {
    /// The cursor and the visible rows.
    pub table: TableState,
    /// The id of the alarm under the cursor.
    chosen: Option<String>,
}

impl AlarmList {
    /// Rows that are visible on a screen of so many lines.
    pub(crate) fn height(screen: u16) -> usize {
        usize::from(screen.saturating_sub(OTHER_LINES).clamp(3, MOST_ROWS))
    }

    /// The alarm under the cursor.
    pub(crate) fn chosen<'a>(&self, alarms: &'a Alarms) -> Option<&'a Alarm> {
        let by_id = (self.chosen.as_ref()).and_then(|id| alarms.get(id));
        by_id.or_else(|| alarms.list.get(self.table.cursor))
    }

    /// Moves the cursor, with so many rows visible.
    pub(crate) fn step(&mut self, step: Step, alarms: &Alarms, height: usize) {
        self.table.step(step, alarms.list.len(), height);
        self.chosen = alarms
            .list
            .get(self.table.cursor)
            .map(|alarm| alarm.id.clone());
    }

    /// Keeps the cursor on its alarm after the rows have changed.
    pub(crate) fn follow(&mut self, alarms: &Alarms, height: usize) {
        let row = alarms
            .list
            .iter()
            .position(|one| Some(&one.id) == self.chosen.as_ref());
        let row = row.unwrap_or(self.table.cursor);
        self.table.go(row, alarms.list.len(), height);
        self.chosen = alarms
            .list
            .get(self.table.cursor)
            .map(|alarm| alarm.id.clone());
    }
}
