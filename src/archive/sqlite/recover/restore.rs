//! Writes what a running program remembers into a new archive.

use std::path::Path;

use rusqlite::{ToSql, Transaction, params_from_iter};

use crate::archive::Archive;
use crate::archive::error::{ArchiveError, look_for_links, unopened};
use crate::archive::remembered::Remembered;
use crate::archive::sqlite::{BUSY, Connection, file};
use crate::archive::tables::Table;
use crate::text;

/// The rows that an archive has from the memory of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Restored {
    /// Watch list entries, and deployments that were on the list.
    deployments: usize,
    alarms: usize,
    /// Lines of the plant log.
    lines: usize,
}

impl std::fmt::Display for Restored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}, {} and {} of the plant log from the memory of this program; fixes come with the next answers",
            text::counted(self.deployments, "deployment", "deployments"),
            text::counted(self.alarms, "alarm", "alarms"),
            text::counted(self.lines, "line", "lines")
        )
    }
}

impl Archive {
    /// Makes a missing archive from what a program remembers; `None` if another program has
    /// made one meanwhile.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn reset(
        path: &Path,
        remembered: &Remembered,
    ) -> Result<Option<Restored>, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let file_path = file::resolved(path).map_err(failed)?;
        look_for_links(path)?;
        if file::is_there(&file_path).map_err(failed)? {
            return Ok(None);
        }
        let mut restored = None;
        file::create(&file_path, &failed, |new| {
            let engine = Connection::open_file(new.to_owned(), BUSY)?;
            let write = || -> rusqlite::Result<Restored> {
                let transaction = engine.inner.unchecked_transaction()?;
                transaction.execute_batch("PRAGMA defer_foreign_keys = ON")?;
                let done = restore(&transaction, remembered)?;
                judge_again(&transaction)?;
                transaction.commit()?;
                Ok(done)
            };
            restored = Some(write().map_err(|error| engine.error(error))?);
            Ok(())
        })?;
        Ok(restored)
    }
}

/// The number of rows of a table.
pub(super) fn row_count(rows: &[(&'static str, usize)], table: &str) -> usize {
    let of_table = rows.iter().find(|(name, _)| *name == table);
    of_table.map_or(0, |(_, rows)| *rows)
}

/// Adds rows to a table, but those that it has or that violate a constraint; returns how many.
pub(super) fn add<V: ToSql>(
    transaction: &Transaction<'_>,
    table: &Table,
    rows: &[Vec<V>],
) -> rusqlite::Result<usize> {
    let marks = vec!["?"; table.width()].join(", ");
    let mut insert = transaction.prepare(&format!(
        "INSERT OR IGNORE INTO {} ({}) VALUES ({marks})",
        table.name,
        table.column_list()
    ))?;
    // A row with a value of another type is skipped; the others are copied.
    let added = |row: &Vec<V>| insert.execute(params_from_iter(row)).unwrap_or(0);
    Ok(rows.iter().map(added).sum())
}

/// Adds what is remembered to what could be read.
pub(super) fn restore(
    transaction: &Transaction<'_>,
    known: &Remembered,
) -> rusqlite::Result<Restored> {
    let counts = known.0.iter().map(|(table, rows)| {
        let count = add(transaction, table, rows)?;
        Ok((table.name, count))
    });
    let added: Vec<_> = counts.collect::<rusqlite::Result<_>>()?;
    Ok(Restored {
        deployments: row_count(&added, "deployment"),
        alarms: row_count(&added, "alarm"),
        lines: row_count(&added, "plant_log"),
    })
}

/// The next response is requested without validators, from whichever service, and what was judged
/// by lost records is judged again.
pub(super) fn judge_again(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "UPDATE fetch SET source = NULL, etag = NULL, modified = NULL, asked = NULL;
         UPDATE alarm_rule SET basis = '';",
    )
}
