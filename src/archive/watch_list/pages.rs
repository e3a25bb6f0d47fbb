//! A long watch list read in parts, and what tells whether it has changed.

use super::{ReadEntry, entries};
use crate::archive::sql;
use crate::archive::{Archive, ArchiveError};

/// Entries that are read at once, at most.
const PAGE: usize = 2000;

/// The place of an entry in the list: by its column `watched`, then its number.
pub(crate) type ListPlace = (i64, i64);

/// A part of the watch list.
#[derive(Debug, Default)]
pub(crate) struct EntriesPage {
    /// The entries.
    pub entries: Vec<ReadEntry>,
    /// The place after which the next part begins; none after the last.
    pub next: Option<ListPlace>,
}

/// The state of the watch list, without its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListState([i64; 4]);

impl Archive {
    /// Some entries of the watch list with what is wrong with each, in their order:
    /// the first, or those after a place in the list.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn read_entries(
        &self,
        after: Option<ListPlace>,
    ) -> Result<EntriesPage, ArchiveError> {
        let which = "WHERE watched > 0 AND (watched, id) > (?1, ?2) ORDER BY watched, id LIMIT ?3";
        let most = i64::try_from(PAGE).unwrap_or(i64::MAX);
        let (watched, id) = after.unwrap_or((0, 0));
        let entries = entries(&self.connection, which, [watched, id, most]);
        let entries = entries.map_err(|error| self.error(&error))?;
        let last = entries.last().map(|one| one.place);
        Ok(EntriesPage {
            next: last.filter(|_| entries.len() == PAGE),
            entries: entries
                .into_iter()
                .filter(|one| self.lists(one.deployment.as_ref()))
                .collect(),
        })
    }

    /// The state of the watch list, in a few numbers that differ after every edit.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn list_state(&self) -> Result<ListState, ArchiveError> {
        let read = |row: &sql::Row| {
            let numbers = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
            Ok(ListState(numbers))
        };
        let state = self.connection.query_row(
            "SELECT count(*), CAST(coalesce(sum(id), 0) AS BIGINT),
                 CAST(coalesce(sum(edits), 0) AS BIGINT),
                 CAST(coalesce(sum(watched), 0) AS BIGINT)
             FROM deployment WHERE watched > 0",
            [],
            read,
        );
        state.map_err(|error| self.error(&error))
    }
}
