//! The subject of the row at the cursor, and the row of a subject.

use crate::dashboard::row::Row;
use crate::dashboard::shell::Shell;

impl Shell {
    /// The subject of the row at this tab's cursor; `None` in an empty table.
    pub(crate) fn row_at_cursor(&self) -> Option<Row> {
        self.tab().row_at_cursor(&self.shared)
    }

    /// The row with this subject; `None` if this tab has none.
    pub(crate) fn row_number(&self, row: &Row) -> Option<usize> {
        self.tab().row_number(&self.shared, row)
    }

    /// Rows have other texts: filter and search read the shown texts.
    pub(crate) fn rewrite_rows(&mut self) {
        let filter = self.filter().to_owned();
        if !filter.is_empty() {
            self.set_filter(&filter);
        }
        let search = self.shared.screen.search.as_ref();
        let searched = search.map(|search| self.query(search.query.text()));
        if let (Some(search), Some(query)) = (&mut self.shared.screen.search, searched) {
            search.query = query;
            search.rows = None;
            let tab = self.tabs.get_mut(self.shared.screen.tab);
            tab.search(&mut self.shared);
        }
    }
}
