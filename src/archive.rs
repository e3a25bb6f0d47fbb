//! Local SQLite archive of all received data: migrations, the watch list,
//! transmissions and the plant log.

mod alarm_list;
mod alarm_rows;
mod alarms;
mod checksum;
mod error;
mod fields;
mod file;
mod ingest;
mod judge;
mod ledger;
mod overrides;
mod process;
mod recover;
mod row_hash;
mod schema;
mod services;
#[cfg(test)]
mod tests;
mod tracks;
mod undo;
mod watch_list;

pub(crate) use alarms::ToTell;
pub(crate) use error::ArchiveError;
pub(crate) use recover::Recovered;
pub(crate) use services::Refusal;
pub(crate) use tracks::StoredRecords;
pub(crate) use watch_list::ReadEntry;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::track::Deployment;
use error::explained;

/// Longest wait for an archive that another process has locked: a command ends
/// within 5 s.
pub(crate) const BUSY: Duration = Duration::from_secs(4);

/// An open archive. Every call blocks the thread.
#[derive(Debug)]
pub(crate) struct Archive {
    connection: Connection,
    path: PathBuf,
    /// Identity of the opened file; `None` in memory, or if the system reports
    /// none.
    identity: Option<file::Identity>,
    /// The folder of a temporary copy that is read in place of the archive; it
    /// is removed on drop.
    copy: Option<tempfile::TempDir>,
    /// How long another process may hold it.
    patience: Duration,
    /// Deployments that the settings file lists: they are watched as well.
    configured: Vec<Deployment>,
}

impl Archive {
    /// As [`Archive::open_within`], with the usual patience.
    ///
    /// # Errors
    /// As [`Archive::open_within`].
    #[cfg(any(test, feature = "bench"))]
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::open_within(path, BUSY)
    }

    /// Opens the archive for reading and writing, and creates it if it is
    /// missing: mode 0600, in a folder of mode 0700. Another process may hold
    /// it for `patience`.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged, or was created by a newer
    /// driftline or another program.
    pub(crate) fn open_within(path: &Path, patience: Duration) -> Result<Self, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let place = file::place(path).map_err(failed)?;
        if !file::is_there(&place).map_err(failed)? {
            // Whole or not at all: an empty file is one that lost its content.
            file::create(&place, |new| {
                Self::open_file(new.to_owned(), patience)
                    .map(|_| ())
                    .map_err(Creation::Archive)
            })
            .map_err(|error| match error {
                Creation::File(error) => failed(error),
                Creation::Archive(error) => error,
            })?;
        } else if file::is_emptied(&place).map_err(failed)? {
            return Err(ArchiveError::Damaged {
                path: place,
                reason: EMPTIED.to_owned(),
            });
        }
        Self::open_file(place, patience)
    }

    fn open_file(place: PathBuf, patience: Duration) -> Result<Self, ArchiveError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(&place, flags).map_err(|error| unopened(&place, &error))?;
        let identity = file::identity(&place);
        let mut archive = Self {
            connection,
            path: place,
            identity,
            copy: None,
            patience,
            configured: Vec::new(),
        };
        archive.prepare()?;
        Ok(archive)
    }

    /// As [`Archive::open_read_only_within`], with the usual patience.
    ///
    /// # Errors
    /// As [`Archive::open_within`].
    #[cfg(test)]
    pub(crate) fn open_read_only(path: &Path) -> Result<Option<Self>, ArchiveError> {
        Self::open_read_only_within(path, BUSY)
    }

    /// Opens an existing archive for reading only; `None` if there is no file.
    /// Another process may hold it for `patience`.
    ///
    /// # Errors
    /// As [`Archive::open_within`].
    pub(crate) fn open_read_only_within(
        path: &Path,
        patience: Duration,
    ) -> Result<Option<Self>, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let place = file::place(path).map_err(failed)?;
        if !file::is_there(&place).map_err(failed)? {
            return Ok(None);
        }
        if file::is_emptied(&place).map_err(failed)? {
            return Err(ArchiveError::Damaged {
                path: place,
                reason: EMPTIED.to_owned(),
            });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = |address: &Path, flags: OpenFlags| -> Result<(Self, i64), ArchiveError> {
            let connection = Connection::open_with_flags(address, flags)
                .map_err(|error| unopened(path, &error))?;
            let archive = Self {
                connection,
                path: place.clone(),
                identity: file::identity(&place),
                copy: None,
                patience,
                configured: Vec::new(),
            };
            archive
                .connection
                .busy_timeout(patience)
                .map_err(|error| archive.error(&error))?;
            let version = archive.recognise()?;
            Ok((archive, version))
        };
        let (archive, version) = match opened(&place, flags) {
            // In a read-only folder SQLite cannot create the log of a WAL
            // database. If no log is left over, the file alone is complete.
            Err(ArchiveError::Unopened { .. } | ArchiveError::Unwritable(_))
                if file::has_journal(&place) =>
            {
                return Self::open_within(path, patience).map(Some);
            }
            Err(error @ (ArchiveError::Unopened { .. } | ArchiveError::Unwritable(_))) => {
                let address = file::unchanging(&place).ok_or(error)?;
                opened(Path::new(&address), flags | OpenFlags::SQLITE_OPEN_URI)?
            }
            other => other?,
        };
        if (1..schema::VERSION).contains(&version) {
            // A query needs the current schema: the file is migrated first, or
            // a copy of it if it cannot be written.
            drop(archive);
            return Self::open_within(path, patience)
                .or_else(|_| Self::migrated_copy(&place))
                .map(Some);
        }
        Ok((version > 0).then_some(archive))
    }

    /// A temporary copy of an archive with an older schema, migrated to the
    /// current one and removed on drop.
    fn migrated_copy(place: &Path) -> Result<Self, ArchiveError> {
        // A copy by the system would take over the mode, and be read-only too.
        let copy_of = |from: &Path, to: &Path| -> std::io::Result<()> {
            file::make(to)?;
            let mut to = std::fs::OpenOptions::new().write(true).open(to)?;
            std::io::copy(&mut std::fs::File::open(from)?, &mut to).map(|_| ())
        };
        let copied = || -> std::io::Result<(tempfile::TempDir, PathBuf)> {
            let folder = tempfile::tempdir()?;
            let copy = folder.path().join("archive.db");
            copy_of(place, &copy)?;
            let log = |path: &Path| {
                let mut log = path.as_os_str().to_owned();
                log.push("-wal");
                PathBuf::from(log)
            };
            if log(place).exists() {
                copy_of(&log(place), &log(&copy))?;
            }
            Ok((folder, copy))
        };
        let (folder, copy) = copied().map_err(|error| unopened(place, &error))?;
        let mut archive = Self::open_within(&copy, BUSY)?;
        archive.path = place.to_owned();
        archive.identity = file::identity(place);
        archive.copy = Some(folder);
        Ok(archive)
    }

    /// Opens an archive in memory, lost on drop.
    ///
    /// # Errors
    /// When memory runs out.
    pub(crate) fn in_memory() -> Result<Self, ArchiveError> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory().map_err(|error| ArchiveError::Unopened {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        let mut archive = Self {
            connection,
            path,
            identity: None,
            copy: None,
            patience: BUSY,
            configured: Vec::new(),
        };
        archive.prepare()?;
        Ok(archive)
    }

    /// Sets the longest wait for another process that has locked it.
    ///
    /// # Errors
    /// When SQLite rejects the value.
    pub(crate) fn set_patience(&mut self, patience: Duration) -> Result<(), ArchiveError> {
        self.patience = patience;
        self.connection
            .busy_timeout(patience)
            .map_err(|error| self.error(&error))
    }

    /// A number that differs from an earlier one where another connection has
    /// written to the file in between.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn data_version(&self) -> Result<i64, ArchiveError> {
        self.connection
            .query_row("PRAGMA data_version", [], |row| row.get(0))
            .map_err(|error| self.error(&error))
    }

    /// Whether the opened file is still at its path: a write to a removed file
    /// is lost when the file is closed.
    pub(crate) fn is_in_place(&self) -> bool {
        self.identity.is_none() || file::identity(&self.path) == self.identity
    }

    /// Configures the connection. SQLite reports "busy" at once, without its
    /// busy timeout, for a change of journal mode and while the last user of a
    /// log closes it; both are retried for the same time.
    fn prepare(&mut self) -> Result<(), ArchiveError> {
        let began = Instant::now();
        loop {
            match self.prepare_once(self.patience.saturating_sub(began.elapsed())) {
                Err(ArchiveError::Busy) if began.elapsed() < self.patience => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                other => return other,
            }
        }
    }

    fn prepare_once(&mut self, patience: Duration) -> Result<(), ArchiveError> {
        self.connection
            .busy_timeout(patience)
            .map_err(|error| self.error(&error))?;
        // This check precedes all settings, so that a file of another program
        // is not changed.
        let version = self.recognise()?;
        if self.identity.is_some() {
            file::make_private(&self.path).map_err(|error| unopened(&self.path, &error))?;
        }
        let configured = self
            .connection
            // A network file system may force another journal mode, which is
            // accepted.
            .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
            .and_then(|()| {
                self.connection
                    .execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
            });
        configured.map_err(|error| self.error(&error))?;
        schema::migrate(&mut self.connection, version).map_err(|error| self.error(&error))
    }

    /// The schema version; 0 if the file is empty.
    fn recognise(&self) -> Result<i64, ArchiveError> {
        let (version, recognised) =
            schema::recognise(&self.connection).map_err(|error| self.error(&error))?;
        if !recognised {
            return Err(ArchiveError::Foreign {
                path: self.path.clone(),
            });
        }
        if version > schema::VERSION {
            return Err(ArchiveError::Newer {
                path: self.path.clone(),
                found: version,
                known: schema::VERSION,
            });
        }
        Ok(version)
    }

    /// Runs SQLite's integrity check on the whole file and verifies the
    /// checksums of all transmissions. Returns the problems found.
    ///
    /// # Errors
    /// When the check cannot run.
    pub(crate) fn check(&self) -> Result<Vec<String>, ArchiveError> {
        let mut statement = self
            .connection
            .prepare("PRAGMA integrity_check")
            .map_err(|error| self.error(&error))?;
        let rows = statement
            .query_map([], |row| row.get::<_, String>(0))
            .map_err(|error| self.error(&error))?;
        let mut found = Vec::new();
        for row in rows {
            let line = row.map_err(|error| self.error(&error))?;
            if line != "ok" {
                found.push(line);
            }
        }
        // A file that has only been read may have an older schema, without
        // checksums.
        if found.is_empty() && self.recognise()? == schema::VERSION {
            found.extend(self.corrupted()?);
            found.extend(self.damaged_fields()?);
            found.extend(self.damaged_entries()?);
            found.extend(self.damaged_lines()?);
            found.extend(self.damaged_alarms()?);
        }
        Ok(found)
    }

    /// Rewrites the file to reclaim unused disk space.
    ///
    /// # Errors
    /// When there is no room for the copy, or another process has locked the
    /// archive.
    pub(crate) fn vacuum(&self) -> Result<(), ArchiveError> {
        self.connection
            .execute_batch("VACUUM")
            .map_err(|error| self.error(&error))
    }

    /// Runs `act` in a transaction, in the file that is now at the path: after
    /// another process has renamed the file, a connection that waited for the
    /// lock must not write to it.
    fn writing<T>(
        &mut self,
        act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, ArchiveError> {
        let (identity, path) = (self.identity, self.path.clone());
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| explained(&path, &error))?;
        if identity.is_some() && file::identity(&path) != identity {
            return Err(ArchiveError::Moved);
        }
        act(&transaction)
            .and_then(|done| transaction.commit().map(|()| done))
            .map_err(|error| explained(&path, &error))
    }

    fn error(&self, error: &rusqlite::Error) -> ArchiveError {
        explained(&self.path, error)
    }
}

/// Why a file without bytes is no archive.
const EMPTIED: &str = "it is empty";

/// Why an archive cannot be created.
enum Creation {
    File(std::io::Error),
    Archive(ArchiveError),
}

impl From<std::io::Error> for Creation {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}

fn unopened(path: &Path, error: &dyn std::fmt::Display) -> ArchiveError {
    ArchiveError::Unopened {
        path: path.to_owned(),
        reason: crate::text::excerpt(&error.to_string(), 200),
    }
}
