//! Writes what a running program remembers into a new archive.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::{OptionalExtension, ToSql, Transaction, TransactionBehavior, params_from_iter};

use super::orphan;

use crate::archive::Archive;
use crate::archive::error::{ArchiveError, look_for_links, unopened};
use crate::archive::remembered::Remembered;
use crate::archive::sql::Value;
use crate::archive::sqlite::{Connection, file};
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
    /// Makes a missing archive from what a program remembers. To one that is there it is added if
    /// that was made anew without a watch list, or of what could be read of a damaged one
    /// (`is_recovered`). `None` if nothing was missing.
    ///
    /// # Errors
    /// When it cannot be created or written.
    pub(crate) fn reset(
        path: &Path,
        remembered: &Remembered,
        is_recovered: bool,
        lock_timeout: Duration,
    ) -> Result<Option<Restored>, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let file_path = file::resolved(path).map_err(failed)?;
        look_for_links(path)?;
        let mut restored = None;
        let mut write = |engine: Connection| {
            let added = engine.add_remembered(remembered, is_recovered);
            restored = added.map_err(|error| engine.error(error))?;
            Ok(())
        };
        if file::is_there(&file_path).map_err(failed)? {
            // One that has a list may be read only.
            let found = Connection::open_existing(path, lock_timeout)?;
            if let Some(engine) = found.filter(|_| !is_recovered)
                && engine.has_list().map_err(|error| engine.error(error))?
            {
                return Ok(None);
            }
            write(Connection::open_within(path, lock_timeout)?)?;
        } else {
            file::create(&file_path, &failed, |new| {
                write(Connection::open_file(new.to_owned(), lock_timeout)?)
            })?;
        }
        Ok(restored)
    }
}

impl Connection {
    /// An archive in memory with what is remembered of a file.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::archive) fn remembering(remembered: &Remembered) -> Result<Self, ArchiveError> {
        let engine = Self::in_memory()?;
        let added = engine.add_remembered(remembered, true);
        added.map_err(|error| engine.error(error))?;
        Ok(engine)
    }

    fn has_list(&self) -> rusqlite::Result<bool> {
        let listed = "SELECT EXISTS (SELECT 1 FROM deployment WHERE list_position > 0)";
        self.inner.query_row(listed, [], |row| row.get(0))
    }

    fn add_remembered(
        &self,
        remembered: &Remembered,
        is_recovered: bool,
    ) -> rusqlite::Result<Option<Restored>> {
        let behaviour = TransactionBehavior::Immediate;
        let transaction = Transaction::new_unchecked(&self.inner, behaviour)?;
        transaction.execute_batch("PRAGMA defer_foreign_keys = ON")?;
        // A list that is there is that of a person, or of a program that was faster.
        if !is_recovered && self.has_list()? {
            return Ok(None);
        }
        let done = restore(&transaction, remembered)?;
        if done.deployments == 0 {
            return Ok(None);
        }
        judge_again(&transaction)?;
        transaction.commit()?;
        Ok(Some(done))
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

/// Adds what is remembered to what could be read, or to what another program has made.
pub(super) fn restore(
    transaction: &Transaction<'_>,
    known: &Remembered,
) -> rusqlite::Result<Restored> {
    // The deployments that have another number there, or cannot be added.
    let mut renumbered = HashMap::new();
    let mut added = Vec::new();
    for (table, rows) in &known.0 {
        let mut count = 0;
        let deployment = table.columns().position(|name| name == "deployment");
        for row in rows {
            let mut row = row.clone();
            if table.name == "deployment" {
                count += add_deployment(transaction, table, row, &mut renumbered)?;
                continue;
            }
            if let Some(own) = deployment.and_then(|column| row.get_mut(column))
                && let Value::Integer(id) = own
                && let Some(number) = renumbered.get(id)
            {
                match number {
                    Some(number) => *own = Value::Integer(*number),
                    None => continue,
                }
            }
            count += add(transaction, table, &[row])?;
        }
        added.push((table.name, count));
    }
    Ok(Restored {
        deployments: row_count(&added, "deployment"),
        alarms: row_count(&added, "alarm"),
        lines: row_count(&added, "plant_log"),
    })
}

/// Adds a deployment, unless it is there, in the place of one that was recovered without its name;
/// returns how many. Notes a number other than its own.
fn add_deployment(
    transaction: &Transaction<'_>,
    table: &Table,
    mut row: Vec<Value>,
    renumbered: &mut HashMap<i64, Option<i64>>,
) -> rusqlite::Result<usize> {
    let (Some(Value::Integer(id)), Some(uuid)) = (row.first().cloned(), row.get(1)) else {
        return Ok(0);
    };
    let known = "SELECT id FROM deployment WHERE uuid = ?1";
    let known: Option<i64> = transaction
        .query_row(known, [uuid], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        if known != id {
            renumbered.insert(id, Some(known));
        }
        return Ok(0);
    }
    let marks = vec!["?"; table.width()].join(", ");
    let named = format!(
        "UPDATE OR IGNORE deployment SET ({}) = ({marks}) WHERE id = ? AND uuid = ?",
        table.column_list()
    );
    let orphan = [Value::Integer(id), Value::new(&orphan(id).to_string())];
    let of_orphan = row.iter().chain(&orphan);
    if transaction.execute(&named, params_from_iter(of_orphan))? > 0
        || add(transaction, table, &[row.clone()])? > 0
    {
        return Ok(1);
    }
    // Another deployment has its number.
    if let Some(number) = row.first_mut() {
        *number = Value::Null;
    }
    let count = add(transaction, table, &[row])?;
    let number = (count > 0).then(|| transaction.last_insert_rowid());
    renumbered.insert(id, number);
    Ok(count)
}

/// The next response is requested without validators, from whichever service, and what was judged
/// by lost records is judged again.
pub(super) fn judge_again(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "UPDATE fetch SET source = NULL, etag = NULL, modified = NULL, asked = NULL;
         UPDATE alarm_rule SET basis = '';",
    )
}
