//! The rows of a tab that are shown: filtered, sorted, with the cursor.

use std::cmp::Ordering;

use super::RowsTab;
use super::times::Times;
use crate::dashboard::canvas::Canvas;
use crate::dashboard::layout::Area;
use crate::dashboard::shared::Shared;
use crate::dashboard::targets::Heading;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::table::{Column, Look, Table};
use crate::dashboard::widgets::table_state::TableState;
use crate::track::query::{Quantity, Query};

/// The shown rows of a tab.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// Cursor and viewport.
    pub table: TableState,
    pub filter: Query,
    /// The column that they are sorted by.
    pub sort: &'static str,
    /// `true` if the order is the other way round.
    pub is_reversed: bool,
    /// The column of the usual order, the newest rows first.
    usual: &'static str,
    /// The shown rows in their order, by their index among all.
    pub order: Vec<usize>,
    /// The subject of a row that the cursor goes to.
    pub wanted: Option<String>,
    /// `true` if the cursor stays on its row, though it may be the first.
    pub is_held: bool,
    /// The lines of the pane below that are shown at full size.
    pub detail: TableState,
}

impl Rows {
    /// No rows, in the usual order: by this column, the newest first.
    pub(crate) fn new(usual: &'static str) -> Self {
        Self {
            table: TableState::default(),
            filter: Query::default(),
            sort: usual,
            is_reversed: false,
            usual,
            order: Vec::new(),
            wanted: None,
            is_held: false,
            detail: TableState::default(),
        }
    }

    /// The row under the cursor, by its index among all.
    pub(crate) fn selected(&self) -> Option<usize> {
        self.order.get(self.table.cursor).copied()
    }

    /// The rows that a table in this area shows, its heading line included.
    pub(crate) fn visible(&self, area: Area) -> impl Iterator<Item = usize> {
        let height = usize::from(area.height.saturating_sub(1));
        self.order.iter().copied().skip(self.table.top).take(height)
    }

    /// Draws lines, those of the visible rows, as a table, or words instead of none. Its heading
    /// has an arrow unless the order is the usual one.
    pub(crate) fn draw<R>(
        &self,
        canvas: &mut Canvas<'_>,
        shared: &Shared,
        columns: Vec<&'static Column<R, Times>>,
        lines: &[R],
    ) {
        let area = canvas.layout.table;
        let theme = canvas.theme;
        let is_usual = self.sort == self.usual;
        let arrow = theme.sort_arrow(self.is_reversed);
        let table = Table {
            columns,
            rows: lines.iter().collect(),
            cursor: self.table.cursor.checked_sub(self.table.top),
            sorted: (!is_usual).then_some((Heading::Column(self.sort), arrow)),
        };
        let times = shared.times();
        let look = Look::new(&times, theme, area.width).searched(shared.searched());
        canvas.draw_table(&table.laid(&look));
    }

    /// The words for their order.
    pub(crate) fn sorted(&self, theme: Theme) -> String {
        match (self.sort == self.usual, self.is_reversed) {
            (true, false) => "newest first".to_owned(),
            (true, true) => "oldest first".to_owned(),
            (false, _) => format!("by {} {}", self.sort, theme.sort_arrow(self.is_reversed)),
        }
    }
}

/// The subject of the row under the cursor, to find it again. On the first row the cursor
/// stays on the first row, unless it is held.
pub(crate) fn at_cursor(tab: &dyn RowsTab) -> Option<String> {
    let rows = tab.rows();
    (rows.table.cursor > 0 || rows.is_held).then(|| tab.subject(rows.selected()?))?
}

/// `true` if a row has all that a query asks for.
pub(crate) fn answers(tab: &dyn RowsTab, row: usize, query: &Query) -> bool {
    let number = |_: usize, quantity: &Quantity| match quantity {
        Quantity::Field(name) => tab.number(row, name),
        _ => None,
    };
    query.admits(|word| tab.has_word(row, word), number) == Some(true)
}

/// The shown row with this subject.
pub(crate) fn row_by_subject(tab: &dyn RowsTab, subject: &str) -> Option<usize> {
    let mut order = tab.rows().order.iter();
    order.position(|row| tab.subject(*row).as_deref() == Some(subject))
}

/// Filters and sorts the rows of a tab. The cursor goes to the row that is wanted, else to
/// that of `chosen`.
pub(crate) fn arrange(tab: &mut dyn RowsTab, chosen: Option<&str>) {
    let rows = tab.rows();
    let mut order: Vec<usize> = (0..tab.len())
        .filter(|row| answers(tab, *row, &rows.filter))
        .collect();
    if rows.sort != rows.usual {
        order.sort_by(|row, other| match tab.compare(rows.sort, *row, *other) {
            Ordering::Equal => row.cmp(other),
            unequal if rows.is_reversed => unequal.reverse(),
            unequal => unequal,
        });
    } else if rows.is_reversed {
        order.reverse();
    }
    let rows = tab.rows_mut();
    rows.order = order;
    let wanted = rows.wanted.take();
    let subject = wanted.as_deref().or(chosen);
    if let Some(row) = subject.and_then(|subject| row_by_subject(tab, subject)) {
        tab.rows_mut().table.cursor = row;
    }
}
