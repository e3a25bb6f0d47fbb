//! The engine on a file: SQLite.

mod claim;
pub(super) mod file;
mod open;
mod recover;
pub(super) mod schema;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use rusqlite::ErrorCode;
use uuid::Uuid;

use super::connection::{Dialect, Engine, ReadRow};
use super::error::{ArchiveError, unopened};
use super::sql::{Result, Row, Value};
use super::tables::VERSION;
use crate::os::files::with_suffix;
use crate::plant::log::Claim;
use claim::SendLock;

pub(crate) use recover::Basis;

/// Longest wait for an archive that another process has locked: a command ends
/// within 5 s.
pub(crate) const BUSY: Duration = Duration::from_secs(4);

const DIALECT: Dialect = Dialect {
    data_version: "PRAGMA data_version",
    next_fetch: "SELECT coalesce(max(id), 0) + 1 FROM fetch",
    late_fetches: 0,
    claim_time: "?1",
};

/// An open file. Every call blocks the thread.
#[derive(Debug)]
pub(super) struct Connection {
    inner: rusqlite::Connection,
    path: PathBuf,
    /// Identity of the opened file; `None` in memory, or if the system reports
    /// no identity.
    identity: Option<(u64, u64)>,
    /// Longest wait for another process that has locked it.
    lock_timeout: Duration,
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
    /// The error of the archive for an error of SQLite.
    fn error(&self, error: rusqlite::Error) -> ArchiveError {
        explained(&self.path, &error)
    }

    /// Runs statements without parameters.
    fn run(&self, sql: &str) -> Result<()> {
        let done = self.inner.execute_batch(sql);
        done.map_err(|error| self.error(error))
    }

    /// The lock file of a request that is being sent; `None` in memory.
    fn claim_path(&self, sender: &Uuid) -> Option<PathBuf> {
        let is_file = self.path != Path::new(open::IN_MEMORY);
        is_file.then(|| with_suffix(&self.path, &format!("-sending-{sender}")))
    }
}

impl Engine for Connection {
    fn name(&self) -> &Path {
        &self.path
    }

    fn make_writable(&mut self) -> Result<()> {
        self.make_writable()
    }

    fn set_lock_timeout(&mut self, timeout: Duration) -> Result<()> {
        self.lock_timeout = timeout;
        let set = self.inner.busy_timeout(timeout);
        set.map_err(|error| self.error(error))
    }

    fn try_write(&self) -> Result<()> {
        // A number that stays the same is written all the same.
        self.run(&format!("PRAGMA user_version = {VERSION}"))
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn is_in_place(&self) -> bool {
        self.identity.is_none() || file::identity_at(&self.path) == self.identity
    }

    fn sees_writes(&self) -> bool {
        self.access != Access::Unchanging
    }

    fn check(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        self.each_row("PRAGMA integrity_check", &[], &mut |row| {
            found.extend(row.text(0).filter(|line| line != "ok"));
            Ok(())
        })?;
        Ok(found)
    }

    fn vacuum(&self) -> Result<()> {
        self.run("VACUUM")
    }

    // After another process has renamed the file, a connection that waited for the lock
    // must not write to it.
    fn begin(&self, _of: Option<&Uuid>) -> Result<()> {
        self.run("BEGIN IMMEDIATE")?;
        if self.is_in_place() {
            Ok(())
        } else {
            Err(ArchiveError::Moved)
        }
    }

    // The state is that of the first statement: SQLite's log is not shortened past it until
    // the transaction ends.
    fn begin_reading(&self) -> Result<()> {
        self.run("BEGIN")
    }

    fn is_in_transaction(&self) -> bool {
        !self.inner.is_autocommit()
    }

    fn commit(&self) -> Result<()> {
        self.run("COMMIT")
    }

    fn roll_back(&self) {
        // On a full disk SQLite has ended it already.
        if self.is_in_transaction() {
            let _ = self.run("ROLLBACK");
        }
    }

    fn execute(&self, sql: &str, values: &[Value]) -> Result<usize> {
        let statement = self.inner.prepare_cached(sql);
        let done = statement
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(values)));
        done.map_err(|error| self.error(error))
    }

    fn each_row(&self, sql: &str, values: &[Value], read: &mut ReadRow<'_>) -> Result<()> {
        let error = |error| self.error(error);
        let mut statement = self.inner.prepare_cached(sql).map_err(error)?;
        let width = statement.column_count();
        let values = rusqlite::params_from_iter(values);
        let mut rows = statement.query(values).map_err(error)?;
        let mut row = Row::default();
        while let Some(found) = rows.next().map_err(error)? {
            row.0.clear();
            for column in 0..width {
                row.0.push(found.get_ref(column).map_err(error)?.into());
            }
            read(&row).map_err(|error| error.into_archive_error(&self.path))?;
        }
        Ok(())
    }

    fn claim(&self, sender: &Uuid) -> Result<Option<Claim>> {
        let taken = self.claim_path(sender).map(SendLock::take).transpose();
        let lock = taken.map_err(|error| unopened(&self.path, &error))?;
        Ok(lock.map(|lock| Box::new(lock) as Claim))
    }

    fn is_claim_held(&self, sender: &Uuid) -> Option<bool> {
        // What is in memory ends with the program that sends.
        Some(
            self.claim_path(sender)
                .is_none_or(|path| claim::is_held(&path)),
        )
    }

    fn end_claim(&self, sender: &Uuid) {
        if let Some(path) = self.claim_path(sender) {
            let _ = std::fs::remove_file(path);
        }
    }

    #[cfg(test)]
    fn execute_batch(&self, sql: &str) -> Result<()> {
        self.run(sql)
    }
}

/// `true` unless SQLite cannot lock a new file in the folder of the archive, which no other program
/// has open: a file system on the network may have no locks. It is tried once.
fn has_locks(path: &Path) -> bool {
    static HAS_LOCKS: OnceLock<bool> = OnceLock::new();
    *HAS_LOCKS.get_or_init(|| can_lock(path))
}

fn can_lock(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| folder.is_dir());
    let Some(new) = folder.and_then(|folder| tempfile::NamedTempFile::new_in(folder).ok()) else {
        return true;
    };
    let locked = rusqlite::Connection::open(new.path())
        .and_then(|connection| connection.execute_batch("BEGIN EXCLUSIVE; ROLLBACK"));
    let busy = Some(ErrorCode::DatabaseBusy);
    locked.map_or_else(|error| error.sqlite_error_code() != busy, |()| true)
}

/// The error of the archive at a path for an error of SQLite.
fn explained(path: &Path, error: &rusqlite::Error) -> ArchiveError {
    let reason = crate::text::excerpt(&error.to_string(), 200);
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            ArchiveError::Damaged { path, reason }
        }
        Some(ErrorCode::DatabaseBusy) if !has_locks(&path) => ArchiveError::WithoutLocks { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Busy,
        Some(ErrorCode::DiskFull) => ArchiveError::Full,
        // SQLite does not say that there is no room for the index of its log.
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure)
            if file::is_disk_full(&path) =>
        {
            ArchiveError::Full
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            ArchiveError::Unopened { path, reason }
        }
        _ => ArchiveError::Unwritable(reason),
    }
}
