//! A chooser: a cursor over rows, under a field that searches them.

use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::widgets::field::Field;
use crate::dashboard::widgets::table_state::{Step, TableState};

/// The cursor over the rows that a search finds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chooser {
    /// The search text.
    pub search: Field,
    /// The cursor and the visible rows.
    pub table: TableState,
}

/// The result of a key to a chooser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// No change of the rows: it moved a cursor at most.
    Nothing,
    /// The text of the search changed, and the rows with it.
    Searched,
    /// The row under the cursor is chosen.
    Chosen,
}

impl Chooser {
    /// Handles a key over this many rows, of which `height` are visible.
    pub(crate) fn key(&mut self, key: Key, rows: usize, height: usize) -> Choice {
        if let Some(step) = step(key) {
            self.table.step(step, rows, height);
        } else if key.code == KeyCode::Enter {
            return Choice::Chosen;
        } else if self.search.key(key) {
            self.table = TableState::default();
            return Choice::Searched;
        }
        Choice::Nothing
    }

    /// Adds pasted text to the search.
    pub(crate) fn paste(&mut self, text: &str) {
        self.search.paste(text);
        self.table = TableState::default();
    }

    /// Moves the cursor to the row that is so many lines below that of the cursor, if it is
    /// one of the visible rows.
    pub(crate) fn press(&mut self, below: i32, rows: usize, height: usize) {
        let cursor = i32::try_from(self.table.cursor.saturating_sub(self.table.top));
        let line = cursor.map_or(-1, |cursor| cursor.saturating_add(below));
        let row = u16::try_from(line).map_or(None, |line| self.table.row_at(line, rows));
        if let Some(row) = row.filter(|row| *row < self.table.top + height) {
            self.table.go(row, rows, height);
        }
    }
}

/// The move of a key in a list under a search field, where letters are text.
pub(super) fn step(key: Key) -> Option<Step> {
    match (key.code, key.ctrl) {
        (KeyCode::Down, _) | (KeyCode::Char('n'), true) => Some(Step::Rows(1)),
        (KeyCode::Up, _) | (KeyCode::Char('p'), true) => Some(Step::Rows(-1)),
        (KeyCode::PageDown, _) => Some(Step::Page(1)),
        (KeyCode::PageUp, _) => Some(Step::Page(-1)),
        (KeyCode::Home, _) => Some(Step::First),
        (KeyCode::End, _) => Some(Step::Last),
        _ => None,
    }
}

/// The move of a key in a list without a search field, where letters move, too.
pub(super) fn letter_step(key: Key) -> Option<Step> {
    match key.code {
        KeyCode::Char('j') => Some(Step::Rows(1)),
        KeyCode::Char('k') => Some(Step::Rows(-1)),
        KeyCode::Char('g') => Some(Step::First),
        KeyCode::Char('G') => Some(Step::Last),
        _ => step(key),
    }
}

/// The visible rows, `height` at most, each with whether the cursor is on it.
pub(super) fn visible<T>(
    rows: &[T],
    table: TableState,
    height: usize,
) -> impl Iterator<Item = (&T, bool)> {
    let rows = rows.iter().enumerate().skip(table.top).take(height);
    rows.map(move |(index, row)| (row, index == table.cursor))
}

/// The row of the cursor and the number of rows, with an arrow for each side on which rows are
/// hidden; empty where all are shown.
pub(super) fn position(table: TableState, count: usize, height: usize) -> String {
    if count <= height {
        return String::new();
    }
    let above = if table.top > 0 { "↑" } else { "" };
    let below = if table.top + height < count {
        "↓"
    } else {
        ""
    };
    format!(" {above}{below} {} of {count} ", table.cursor + 1)
}
