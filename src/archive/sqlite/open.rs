//! Opens an archive file. A database of a different program or schema is not changed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;

use super::schema::{self, Recognised};
use super::{Access, BUSY, Connection, file};
use crate::archive::connection::Engine;
use crate::archive::error::{ArchiveError, look_for_links, unopened};

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// SQLite's name of a database in memory; the path of a file is absolute.
pub(super) const IN_MEMORY: &str = ":memory:";

/// Statements that a connection keeps, more than there are.
const STATEMENTS: usize = 256;

impl Connection {
    /// Opens the archive for reading and writing, and creates it if it is
    /// missing: mode 0600, in a folder of mode 0700. Waits up to `lock_timeout` for
    /// another process that has locked it.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged, or was created by another
    /// version of driftline or another program.
    pub(in crate::archive) fn open_within(
        path: &Path,
        lock_timeout: Duration,
    ) -> Result<Self, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let file_path = file::resolved(path).map_err(failed)?;
        if !file::is_there(&file_path).map_err(failed)? {
            look_for_links(path)?;
            // Atomically: an empty file is an archive that lost its content.
            file::create(&file_path, &failed, |new| {
                Self::open_file(new.to_owned(), lock_timeout).map(drop)
            })?;
        } else {
            check_size(&file_path)?;
        }
        Self::open_file(file_path, lock_timeout)
    }

    fn open_file(file_path: PathBuf, lock_timeout: Duration) -> Result<Self, ArchiveError> {
        let mut archive = Self::opened(file_path, lock_timeout)?;
        archive.make_writable()?;
        Ok(archive)
    }

    /// Opens a file without a change to it; [`Connection::make_writable`] must precede a
    /// write.
    pub(super) fn opened(file_path: PathBuf, lock_timeout: Duration) -> Result<Self, ArchiveError> {
        let inner = rusqlite::Connection::open_with_flags(&file_path, FLAGS)
            .map_err(|error| unopened(&file_path, &error))?;
        let archive = Self {
            inner,
            identity: file::identity_at(&file_path),
            path: file_path,
            lock_timeout,
            access: Access::Reading,
        };
        // SQLite would write its log into the file on close, which would change a file that
        // is only read.
        let done = archive
            .inner
            .busy_timeout(lock_timeout)
            .and_then(|()| archive.keep_statements())
            .and_then(|()| archive.keep_log(true))
            .and_then(|()| archive.inner.pragma_update(None, "query_only", true));
        done.map_err(|error| archive.error(error))?;
        Ok(archive)
    }

    /// Keeps each statement, with one plan for all its values. rusqlite keeps 16, and SQLite plans
    /// one again where a value is compared with a column that has no index: both took more of a
    /// round of `collect` than its statements did.
    fn keep_statements(&self) -> rusqlite::Result<()> {
        self.inner.set_prepared_statement_cache_capacity(STATEMENTS);
        let one_plan = DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG;
        self.inner.set_db_config(one_plan, true).map(|_| ())
    }

    /// Sets whether SQLite leaves the log unchanged when the connection ends.
    fn keep_log(&self, keeps: bool) -> rusqlite::Result<()> {
        let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        self.inner.set_db_config(keep_log, keeps).map(|_| ())
    }

    /// Opens an existing archive, which is not changed before
    /// [`Connection::make_writable`]; `None` if there is no file. Waits up to
    /// `lock_timeout` for another process that has locked it.
    ///
    /// # Errors
    /// As [`Connection::open_within`].
    pub(in crate::archive) fn open_existing(
        path: &Path,
        lock_timeout: Duration,
    ) -> Result<Option<Self>, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let file_path = file::resolved(path).map_err(failed)?;
        if !file::is_there(&file_path).map_err(failed)? {
            look_for_links(path)?;
            return Ok(None);
        }
        check_size(&file_path)?;
        let checked = |archive: Self| Ok(archive.is_archive()?.then_some(archive));
        match Self::opened(file_path.clone(), lock_timeout).and_then(checked) {
            // In a read-only folder and on a full disk SQLite cannot create the log of
            // a WAL database. If no log is left over, the file alone is complete.
            Err(error) if is_unwritable(&error) => {
                let address = file::unchanging(&file_path).ok_or(error)?;
                let flags = FLAGS | OpenFlags::SQLITE_OPEN_URI;
                let inner = rusqlite::Connection::open_with_flags(address, flags)
                    .map_err(|error| unopened(path, &error))?;
                checked(Self {
                    inner,
                    identity: file::identity_at(&file_path),
                    path: file_path,
                    lock_timeout,
                    access: Access::Unchanging,
                })
            }
            other => other,
        }
    }

    /// Opens an archive in memory, lost on drop.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::archive) fn in_memory() -> Result<Self, ArchiveError> {
        let path = PathBuf::from(IN_MEMORY);
        let connection =
            rusqlite::Connection::open_in_memory().map_err(|error| ArchiveError::Unopened {
                path: path.clone(),
                reason: error.to_string(),
            })?;
        let mut archive = Self {
            inner: connection,
            path,
            identity: None,
            lock_timeout: BUSY,
            access: Access::Reading,
        };
        let done = archive.keep_statements();
        done.map_err(|error| archive.error(error))?;
        archive.make_writable()?;
        Ok(archive)
    }

    /// Configures the connection for writing, if it is not yet. SQLite reports "busy" at
    /// once, without its busy timeout, for a change of journal mode and while the last
    /// user of a log closes it; both are retried for the same time.
    ///
    /// # Errors
    /// When the file is not an archive, or another process has locked it.
    pub(super) fn make_writable(&mut self) -> Result<(), ArchiveError> {
        if self.access == Access::Writing {
            return Ok(());
        }
        let is_read_only = self.inner.is_readonly(rusqlite::MAIN_DB);
        if is_read_only.map_err(|error| self.error(error))? {
            // The file may have become writable.
            *self = Self::opened(self.path.clone(), self.lock_timeout)?;
        }
        let began = Instant::now();
        loop {
            match self.configure(self.lock_timeout.saturating_sub(began.elapsed())) {
                Err(ArchiveError::Busy) if began.elapsed() < self.lock_timeout => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                other => return other,
            }
        }
    }

    fn configure(&mut self, lock_timeout: Duration) -> Result<(), ArchiveError> {
        self.inner
            .busy_timeout(lock_timeout)
            .map_err(|error| self.error(error))?;
        // This check precedes all settings, so that no other program's database is changed.
        let is_archive = self.is_archive()?;
        if self.identity.is_some() {
            file::make_private(&self.path).map_err(|error| unopened(&self.path, &error))?;
        }
        let configured = self
            .keep_log(false)
            .and_then(|()| self.inner.pragma_update(None, "query_only", false))
            // A network file system may force another journal mode, which is
            // accepted.
            .and_then(|()| {
                self.inner
                    .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
            })
            .and_then(|()| {
                self.inner
                    .execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
            });
        configured.map_err(|error| self.error(error))?;
        if !is_archive {
            schema::make(&mut self.inner).map_err(|error| self.error(error))?;
        }
        self.access = Access::Writing;
        Ok(())
    }

    /// `true` if the file is an archive of this schema; `false` if it has no tables yet.
    ///
    /// # Errors
    /// When it is a different database, or an archive with the schema of another version.
    pub(super) fn is_archive(&self) -> Result<bool, ArchiveError> {
        let path = self.path.clone();
        match schema::recognise(&self.inner).map_err(|error| self.error(error))? {
            Recognised::Empty => Ok(false),
            Recognised::Archive(found) => {
                ArchiveError::of_version(path, found).map_or(Ok(true), Err)
            }
            Recognised::Foreign => Err(ArchiveError::Foreign { path }),
        }
    }
}

impl Drop for Connection {
    // A reader makes a log next to the file and leaves it. An empty log is removed, unless
    // another program has it open.
    fn drop(&mut self) {
        if self.access == Access::Reading && self.is_in_place() && file::has_empty_log(&self.path) {
            let _ = self.keep_log(false);
        }
    }
}

/// Checks that a file is not empty, and that SQLite would not take it for an empty one.
fn check_size(file_path: &Path) -> Result<(), ArchiveError> {
    let path = file_path.to_owned();
    match file::size(file_path).map_err(|error| unopened(file_path, &error))? {
        0 if file::has_journal(file_path) => Ok(()),
        // Even if a write-ahead log is there: SQLite deletes the log of an empty file.
        0 => Err(ArchiveError::Empty { path }),
        // SQLite takes a single byte for an empty database, and would overwrite it.
        1 => Err(ArchiveError::Foreign { path }),
        _ => Ok(()),
    }
}

/// `true` for the error of a file or folder that may not be written, or of a full disk.
fn is_unwritable(error: &ArchiveError) -> bool {
    matches!(
        error,
        ArchiveError::Unopened { .. } | ArchiveError::Unwritable(_) | ArchiveError::Full
    )
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::archive::Archive;
    use crate::archive::tests::answer;
    use crate::testing::track::records;

    #[test]
    fn what_is_opened_to_read_changes_nothing_until_the_same_opening_is_made_writable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        drop(Archive::open(&path).unwrap());
        let before = std::fs::read(&path).unwrap();
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        let uuid = Uuid::from_u128(1);
        let response = answer(&records([(600.0, 80.0, 1.0)]), 1.0);
        let mut archive = Archive::open_existing(&path).unwrap().unwrap();
        archive.counts().unwrap();
        assert!(archive.ingest(uuid, &response).is_err());
        drop(archive);
        assert!(std::fs::read(&path).unwrap() == before);
        assert_eq!(files(), 1, "a log is left over");

        let mut archive = Archive::open_existing(&path).unwrap().unwrap();
        archive.counts().unwrap();
        archive.make_writable().unwrap();
        archive.ingest(uuid, &response).unwrap();
        drop(archive);
        assert!(std::fs::read(&path).unwrap() != before);
        assert_eq!(files(), 1, "a log is left over");
    }
}
