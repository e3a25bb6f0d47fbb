//! The subject of the row at the cursor, and the row of a subject.

use crate::dashboard::row::Row;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::dashboard::tabs::rows::row_of;
use crate::dashboard::track::nearest::same_fix;

impl Shell {
    /// The subject of the row at this tab's cursor; `None` in an empty table.
    pub(crate) fn row_at_cursor(&self) -> Option<Row> {
        if let Some(tab) = self.component() {
            return Some(Row::Of(tab.subject(tab.rows().selected()?)?));
        }
        Some(match self.shared.tab {
            TabId::Deployments => Row::Deployment(self.selected()?.deployment.uuid),
            TabId::Track => {
                let track = self.tabs.track.shown_track(&self.shared)?;
                let fix = self
                    .tabs
                    .track
                    .fix_in_row(track, self.tabs.track.table.cursor)?;
                Row::Fix(fix.time_stamp, fix.position)
            }
            _ => return None,
        })
    }

    /// The row with this subject; `None` if this tab has none.
    pub(crate) fn number_of(&self, row: &Row) -> Option<usize> {
        match (row, self.shared.tab) {
            (Row::Deployment(uuid), TabId::Deployments) => {
                let mut shown = self.tabs.deployments.shown(&self.shared.deployments);
                shown.position(|deployment| deployment.uuid() == *uuid)
            }
            (Row::Fix(time_stamp, position), TabId::Track) => {
                let fix = same_fix(
                    self.tabs.track.shown_track(&self.shared)?,
                    *time_stamp,
                    *position,
                )?;
                self.tabs.track.row_of(fix)
            }
            (Row::Of(subject), _) => row_of(self.component()?, subject),
            _ => None,
        }
    }

    /// Rows of fixes have other texts: filter and search read the shown texts.
    pub(crate) fn rewrite_rows(&mut self) {
        let has_filter = !self.tabs.track.arrangement.filter.is_empty();
        if self.shared.tab != TabId::Track || !has_filter && self.shared.search.is_none() {
            return;
        }
        self.tabs.track.arrangement.filter = self.query(self.tabs.track.arrangement.filter.text());
        let searched = self
            .shared
            .search
            .as_ref()
            .map(|search| self.query(search.query.text()));
        if let (Some(search), Some(query)) = (&mut self.shared.search, searched) {
            search.query = query;
        }
        self.tabs.track.arrange_rows(&mut self.shared)
    }
}
