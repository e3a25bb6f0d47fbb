//! A hash over each entry of the watch list and each line of the ledger.
//! SQLite's own check looks at the structure of a file: a bit that tipped
//! within a text or a limit it does not see. An edit by SQL is no damage: it
//! takes the hash off.

use super::connection::Connection;
use super::sql::{self, Row, ValueRef};

/// A table whose rows carry a hash in the column `row_hash`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hashed {
    table: &'static str,
    key: &'static str,
    columns: &'static str,
    /// Columns that came later. Those at the end that are NULL do not count, so
    /// that a hash of an older schema stays right.
    later: &'static [&'static str],
}

/// What a person entered for a deployment.
pub(super) const DEPLOYMENT: Hashed = Hashed {
    table: "deployment",
    key: "id",
    columns: "uuid, label, platform, max_age, circle, notes",
    later: &[
        "max_speed",
        "valid_from",
        "valid_until",
        "state",
        "field_limits",
        "group_name",
    ],
};

/// A line of the ledger.
pub(super) const LEDGER: Hashed = Hashed {
    table: "ledger",
    key: "sequence",
    columns: "at, operation, plant, name, tag, outcome, answered_name, answered_tag, words, service",
    later: &[],
};

/// The FNV-1a hash (Fowler, Noll and Vo) of the values from a column on, without
/// those of the last `later` columns that are NULL up to the end.
fn hash_of(row: &Row, from: usize, later: usize) -> sql::Result<i64> {
    let mut end = row.len();
    let first_later = end.saturating_sub(later);
    while end > first_later && row.get_ref(end - 1)? == ValueRef::Null {
        end -= 1;
    }
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for column in from..end {
        let (kind, bytes) = match row.get_ref(column)? {
            ValueRef::Null => (0, Vec::new()),
            ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
            ValueRef::Real(number) => (2, number.to_bits().to_le_bytes().to_vec()),
            ValueRef::Text(text) => (3, text.to_vec()),
            ValueRef::Blob(blob) => (4, blob.to_vec()),
        };
        // The length keeps neighbours apart.
        take(&[kind]);
        take(&bytes.len().to_le_bytes());
        take(&bytes);
    }
    Ok(hash.cast_signed())
}

impl Hashed {
    /// The columns that the hash is of, as SQL has them.
    pub(super) fn hashed_columns(self) -> String {
        std::iter::once(&self.columns)
            .chain(self.later)
            .copied()
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Writes the hash of the row with this key.
    pub(super) fn write(self, connection: &Connection, key: i64) -> sql::Result<()> {
        let Self {
            table,
            key: name,
            later,
            ..
        } = self;
        let columns = self.hashed_columns();
        let hash = connection.query_row(
            &format!("SELECT {columns} FROM {table} WHERE {name} = ?1"),
            [key],
            |row| hash_of(row, 0, later.len()),
        )?;
        connection.execute(
            &format!("UPDATE {table} SET row_hash = ?2 WHERE {name} = ?1"),
            [key, hash],
        )?;
        Ok(())
    }

    /// Writes the hash of every row.
    pub(super) fn write_all(self, connection: &Connection) -> sql::Result<()> {
        let keys: Vec<i64> = connection
            .prepare(&format!("SELECT {} FROM {}", self.key, self.table))?
            .query_map([], |row| row.get(0))?
            .collect::<sql::Result<_>>()?;
        keys.into_iter()
            .try_for_each(|key| self.write(connection, key))
    }

    /// The keys of the rows that are not what was written; rows from before
    /// there was a hash are not among them.
    pub(super) fn altered(self, connection: &Connection) -> sql::Result<Vec<i64>> {
        let mut statement = connection.prepare(&format!(
            "SELECT {}, row_hash, {} FROM {} WHERE row_hash IS NOT NULL",
            self.key,
            self.hashed_columns(),
            self.table
        ))?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if self.is_altered(row, 1)? {
                found.push(row.get(0)?);
            }
        }
        Ok(found)
    }

    /// Whether a row is not what was written, where the hash is in a column and the
    /// columns that it is of are all that follow. A row from before there was a
    /// hash is not.
    pub(super) fn is_altered(self, row: &Row, column: usize) -> sql::Result<bool> {
        let stored = row.get_ref(column)?;
        let hash = || hash_of(row, column + 1, self.later.len());
        Ok(stored != ValueRef::Null && stored != ValueRef::Integer(hash()?))
    }
}

/// The text in a column, with bytes that are not UTF-8 replaced; none if there is no
/// text.
pub(super) fn text(row: &Row, column: usize) -> sql::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        _ => None,
    })
}

/// Whether a column holds text in UTF-8, or nothing.
pub(super) fn is_sound_text(row: &Row, column: usize) -> sql::Result<bool> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => true,
        ValueRef::Text(text) => std::str::from_utf8(text).is_ok(),
        _ => false,
    })
}

/// The text in a column, if it is sound.
pub(super) fn sound_text(row: &Row, column: usize) -> sql::Result<Option<String>> {
    Ok(match is_sound_text(row, column)? {
        true => text(row, column)?,
        false => None,
    })
}

/// The number in a column; none where there is none.
pub(super) fn number(row: &Row, column: usize) -> sql::Result<Option<f64>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Real(number) => Some(number),
        #[allow(clippy::cast_precision_loss)] // a time or a limit in seconds
        ValueRef::Integer(number) => Some(number as f64),
        _ => None,
    })
}
