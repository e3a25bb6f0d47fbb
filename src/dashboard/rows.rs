//! The subject of a table row, and its row.

use uuid::Uuid;

use super::model::Model;
use super::tab::TabId;
use super::tabs::rows::row_of;
use super::track::update::same_fix;
use crate::geo::Position;

/// The subject of a row: a deployment, a fix, a plant or a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Row {
    /// This deployment.
    Deployment(Uuid),
    /// The fix of the open track with this time stamp (UNIX seconds) and position.
    Fix(f64, Position),
    /// The row of a tab that is about this.
    Of(String),
}

impl Model {
    /// The subject of the row at this tab's cursor; `None` in an empty table.
    pub(crate) fn row_at_cursor(&self) -> Option<Row> {
        if let Some(tab) = self.component() {
            return Some(Row::Of(tab.subject(tab.rows().selected()?)?));
        }
        Some(match self.tab {
            TabId::Deployments => Row::Deployment(self.deployments.selected()?.deployment.uuid),
            TabId::Track => {
                let track = self.shown_track()?;
                let fix = self.track.fix_in_row(track, self.track.table.cursor)?;
                Row::Fix(fix.time_stamp, fix.position)
            }
            _ => return None,
        })
    }

    /// The row with this subject; `None` if this tab has none.
    pub(crate) fn number_of(&self, row: &Row) -> Option<usize> {
        match (row, self.tab) {
            (Row::Deployment(uuid), TabId::Deployments) => {
                let mut shown = self.deployments.shown();
                shown.position(|deployment| deployment.uuid() == *uuid)
            }
            (Row::Fix(time_stamp, position), TabId::Track) => {
                let fix = same_fix(self.shown_track()?, *time_stamp, *position)?;
                self.track.row_of(fix)
            }
            (Row::Of(subject), _) => row_of(self.component()?, subject),
            _ => None,
        }
    }

    /// Rows of fixes have other texts: filter and search read the shown texts.
    pub(crate) fn rewrite_rows(&mut self) {
        let has_filter = !self.track.arrangement.filter.is_empty();
        if self.tab != TabId::Track || !has_filter && self.search.is_none() {
            return;
        }
        self.track.arrangement.filter = self.query(self.track.arrangement.filter.text());
        let searched = self
            .search
            .as_ref()
            .map(|search| self.query(search.query.text()));
        if let (Some(search), Some(query)) = (&mut self.search, searched) {
            search.query = query;
        }
        self.arrange_rows()
    }
}
