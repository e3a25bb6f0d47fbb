//! The engine on a file: SQLite.

mod bulk;
pub(super) mod file;
mod open;
mod recover;
pub(super) mod schema;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::types::{ToSqlOutput, ValueRef};
use uuid::Uuid;

use super::connection::{Engine, Leases};
use super::error::{ArchiveError, explained};
use super::sql::{Error, ErrorKind, Result, Row, Value};
use super::statement::{EngineRows, Prepared};

pub(crate) use recover::Recovered;

/// Longest wait for an archive that another process has locked: a command ends
/// within 5 s.
pub(crate) const BUSY: Duration = Duration::from_secs(4);

/// An open file. Every call blocks the thread.
#[derive(Debug)]
pub(super) struct Connection {
    inner: rusqlite::Connection,
    path: PathBuf,
    /// Identity of the opened file; `None` in memory, or if the system reports
    /// none.
    identity: Option<file::Identity>,
    /// How long another process may hold it.
    patience: Duration,
    access: Access,
}

/// The use that a connection makes of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// It reads a file that nobody changes, without a lock and a log.
    Unchanging,
    /// It has only read so far.
    Reading,
    /// It may write.
    Writing,
}

impl Connection {
    /// The path of the file; `:memory:` in memory.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, error: rusqlite::Error) -> ArchiveError {
        explained(&self.path, &error.into())
    }
}

impl Leases for Connection {}

impl Engine for Connection {
    fn make_writable(&mut self) -> std::result::Result<(), ArchiveError> {
        self.make_writable()
    }

    fn set_lock_timeout(&mut self, timeout: Duration) -> Result<()> {
        self.patience = timeout;
        Ok(self.inner.busy_timeout(timeout)?)
    }

    fn data_version(&self) -> Result<i64> {
        let version = self
            .inner
            .query_row("PRAGMA data_version", [], |row| row.get(0))?;
        Ok(version)
    }

    fn is_in_place(&self) -> bool {
        self.identity.is_none() || file::identity(&self.path) == self.identity
    }

    fn sees_writes(&self) -> bool {
        self.access != Access::Unchanging
    }

    fn check(&self) -> Result<Vec<String>> {
        let mut statement = self.inner.prepare("PRAGMA integrity_check")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        let mut found = Vec::new();
        for row in rows {
            let line = row?;
            if line != "ok" {
                found.push(line);
            }
        }
        Ok(found)
    }

    fn vacuum(&self) -> Result<()> {
        Ok(self.inner.execute_batch("VACUUM")?)
    }

    // After another process has renamed the file, a connection that waited for the lock
    // must not write to it.
    fn begin(&self, _of: Option<&Uuid>) -> Result<bool> {
        self.inner.execute_batch("BEGIN IMMEDIATE")?;
        Ok(self.is_in_place())
    }

    // The state is that of the first statement: SQLite's log is not shortened past it until
    // the transaction ends.
    fn begin_reading(&self) -> Result<()> {
        Ok(self.inner.execute_batch("BEGIN")?)
    }

    fn is_in_transaction(&self) -> bool {
        !self.inner.is_autocommit()
    }

    fn commit(&self) -> Result<()> {
        Ok(self.inner.execute_batch("COMMIT")?)
    }

    fn roll_back(&self) {
        // SQLite has ended it already where the disk is full.
        if self.is_in_transaction() {
            let _ = self.inner.execute_batch("ROLLBACK");
        }
    }

    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize> {
        Ok(self
            .inner
            .execute(sql, rusqlite::params_from_iter(values))?)
    }

    fn prepare(&self, sql: &str) -> Result<Box<dyn Prepared + '_>> {
        Ok(Box::new(Statement(self.inner.prepare(sql)?)))
    }

    #[cfg(test)]
    fn execute_batch(&self, sql: &str) -> Result<()> {
        Ok(self.inner.execute_batch(sql)?)
    }
}

/// SQL of the number of the next response, which is a count: one program writes at
/// a time.
pub(super) const NEXT_NUMBER: &str = "(SELECT coalesce(max(number), 0) + 1 FROM received)";

/// A prepared statement.
struct Statement<'c>(rusqlite::Statement<'c>);

impl Prepared for Statement<'_> {
    fn query(&mut self, values: &[Value]) -> Result<Box<dyn EngineRows + '_>> {
        let width = self.0.column_count();
        let inner = self.0.query(rusqlite::params_from_iter(values))?;
        Ok(Box::new(Rows { inner, width }))
    }

    fn execute(&mut self, values: &[Value]) -> Result<usize> {
        Ok(self.0.execute(rusqlite::params_from_iter(values))?)
    }
}

/// The rows of a query, read one by one.
struct Rows<'s> {
    inner: rusqlite::Rows<'s>,
    width: usize,
}

impl EngineRows for Rows<'_> {
    fn next(&mut self, row: &mut Row) -> Result<bool> {
        row.clear();
        let Some(read) = self.inner.next()? else {
            return Ok(false);
        };
        for column in 0..self.width {
            row.push(match read.get_ref(column)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => Value::Integer(number),
                ValueRef::Real(number) => Value::Real(number),
                ValueRef::Text(text) => Value::Text(text.to_vec()),
                ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
            });
        }
        Ok(true)
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as E;
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ErrorKind::Damaged,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::Busy,
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => ErrorKind::Unopened,
            Some(ErrorCode::DiskFull) => ErrorKind::Full,
            Some(ErrorCode::SystemIoFailure) => ErrorKind::Io,
            _ => match error {
                E::QueryReturnedNoRows => ErrorKind::NoRow,
                // A row contains a type that driftline never writes.
                E::InvalidColumnType(..)
                | E::FromSqlConversionFailure(..)
                | E::IntegralValueOutOfRange(..)
                | E::Utf8Error(..) => ErrorKind::Damaged,
                _ => ErrorKind::Other,
            },
        };
        Self::new(kind, error.to_string())
    }
}
