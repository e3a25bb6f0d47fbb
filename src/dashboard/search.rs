//! A search of the rows of a tab: its text, the rows that match, and the last values of
//! fields, which a list is searched and filtered by.

mod matches;
mod update;

use std::sync::Arc;

use super::row::Row;
use super::shared::Screen;
use super::tab::TabId;
use crate::track::query::Query;

/// A search of a tab's rows. It lasts until Esc or another tab.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    /// The query that rows must match.
    pub query: Query,
    /// The rows of Track that match, in their order; `None` during the search. The other
    /// tabs have few rows: they are searched when needed.
    pub rows: Option<Arc<Vec<u32>>>,
    /// `true` if the cursor goes to the first match once it is found.
    pub(in crate::dashboard) moves: bool,
    /// `true` once Enter has ended the typing.
    pub(in crate::dashboard) is_typed: bool,
    /// The row of the cursor when the search began; `None` in an empty table.
    pub(in crate::dashboard) origin: Option<Row>,
    /// `true` if the cursor followed the latest fix then.
    pub(in crate::dashboard) followed: bool,
}

impl Screen {
    /// The search of the shown tab, if rows may match it: not of a text that is empty, and on Track
    /// not of a time after `@` or a number after `#` to go to.
    pub(in crate::dashboard) fn searched(&self) -> Option<&Search> {
        let search = self.search.as_ref()?;
        let text = search.query.text().trim_start();
        let names_a_fix = self.tab == TabId::Track && text.starts_with(['@', '#']);
        (!search.query.is_empty() && !names_a_fix).then_some(search)
    }

    /// Shows another tab: the search of the one before ends.
    pub(in crate::dashboard) fn show_tab(&mut self, tab: TabId) {
        if self.tab != tab {
            self.tab = tab;
            self.search = None;
        }
    }
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matches {
    /// The rows are being searched.
    Searching,
    /// The number of matches, and the number of the match at the cursor, counted from 1.
    Found(usize, Option<usize>),
}
