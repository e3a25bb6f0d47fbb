//! Columns of a table to choose and to order.

use crate::app::columns::{ShownColumn, names};
use crate::app::state::tab::Tab;
use crate::app::state::table::TableState;

/// The dialog. Every change shows at once in the table below it.
#[derive(Debug, Clone)]
pub(crate) struct ColumnsForm {
    /// The tab of the table.
    pub tab: Tab,
    /// All columns: the shown ones in their order, then the hidden ones.
    pub rows: Vec<ColumnRow>,
    /// The chosen row and the visible ones.
    pub table: TableState,
    /// Why the last key changed nothing; empty if it did.
    pub error: &'static str,
    /// The columns at the opening, which Esc restores.
    pub(in crate::app) before: Vec<ShownColumn>,
}

/// A column of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnRow {
    /// The column.
    pub column: ShownColumn,
    /// Whether it is shown.
    pub is_shown: bool,
}

impl ColumnsForm {
    pub(in crate::app) fn new(tab: Tab, shown: &[ShownColumn]) -> Self {
        let mut form = Self {
            tab,
            rows: Vec::new(),
            table: TableState::default(),
            error: "",
            before: shown.to_vec(),
        };
        form.set(shown);
        form
    }

    /// Shows these columns and hides all others.
    pub(in crate::app) fn set(&mut self, shown: &[ShownColumn]) {
        let row = |column, is_shown| ColumnRow { column, is_shown };
        let hidden = (0..names(self.tab).len())
            .filter(|place| shown.iter().all(|column| column.place != *place))
            .map(|place| row(ShownColumn { place, width: None }, false));
        let shown = shown.iter().map(|column| row(*column, true));
        self.rows = shown.chain(hidden).collect();
    }

    /// The columns that are shown, in their order.
    pub(crate) fn shown(&self) -> Vec<ShownColumn> {
        let shown = self.rows.iter().filter(|row| row.is_shown);
        shown.map(|row| row.column).collect()
    }

    /// Shows the chosen column, or hides it. The last one stays.
    pub(in crate::app) fn toggle(&mut self) {
        let shown = self.rows.iter().filter(|row| row.is_shown).count();
        let Some(row) = self.rows.get_mut(self.table.cursor) else {
            return;
        };
        if row.is_shown && shown == 1 {
            self.error = "at least one column is needed";
            return;
        }
        row.is_shown = !row.is_shown;
    }

    /// Moves the chosen column by one place, down positive; the cursor goes
    /// with it.
    pub(in crate::app) fn shift(&mut self, by: isize, height: usize) {
        let from = self.table.cursor;
        let to = from.saturating_add_signed(by);
        if to < self.rows.len() && from < self.rows.len() {
            self.rows.swap(from, to);
            self.table.go(to, self.rows.len(), height);
        }
    }
}
