//! What was once seen is kept: SQLite, its migrations, the watch list,
//! transmissions and the ledger of plants.

mod checksum;
mod file;
mod ingest;
mod ledger;
mod process;
mod recover;
mod row_hash;
mod schema;
#[cfg(test)]
mod tests;
mod tracks;
mod watch_list;

pub(crate) use recover::Salvaged;
pub(crate) use tracks::StoredRecords;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

/// How long another process may hold the archive before it is given up. A
/// command ends within 5 s, whoever holds it.
pub(crate) const BUSY: Duration = Duration::from_secs(4);

/// Why the archive did not do as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// It cannot be opened.
    #[error("the archive {} cannot be opened: {reason}", path.display())]
    Unopened {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// It cannot be written.
    #[error("the archive cannot be written: {0}")]
    Unwritable(String),
    /// The file is not what it should be.
    #[error("the archive {} is damaged ({reason})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another program made it.
    #[error("{} is a database of another program; it was left as it is", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer driftline made it.
    #[error("the archive {} was made by a newer driftline (schema {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// Another process holds it.
    #[error("another driftline holds the archive; it was waited for 4 s")]
    Busy,
    /// The file that was opened stands at its path no more: another process
    /// set it aside, or a person removed it.
    #[error("the archive was replaced meanwhile")]
    Moved,
    /// There is no place for one.
    #[error("there is no archive: {0}")]
    Nowhere(&'static str),
    /// A deployment is kept as another service sent it.
    #[error("the archive holds this deployment as {known} sent it")]
    Elsewhere {
        /// The base address of that service.
        known: String,
    },
}

impl ArchiveError {
    /// What a person can do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => {
                "`driftline archive check` sets it aside and takes over what can be read; so does the next change"
            }
            Self::Foreign { .. } => "Name another file with --archive",
            Self::Newer { .. } => "Update driftline, or name another with --archive",
            Self::Busy | Self::Moved => "Try again",
            Self::Nowhere(_) => "Set HOME to an absolute path, or name an archive with --archive",
            Self::Elsewhere { .. } => {
                "`driftline deployments add UUID` takes it from this service from now on; or name another archive with --archive"
            }
            _ => "Name another place with --archive, or mend its permissions",
        }
    }
}

/// An open archive. Every call blocks.
#[derive(Debug)]
pub(crate) struct Archive {
    connection: Connection,
    path: PathBuf,
    /// The file that was opened; none: in memory, or nothing tells.
    identity: Option<file::Identity>,
    /// The folder of a copy that is read in its place, gone with this.
    copy: Option<tempfile::TempDir>,
    /// How long another process may hold it.
    patience: Duration,
}

impl Archive {
    /// Opens the archive for reading and writing, and makes it where it is not
    /// there: mode 0600, in a folder of mode 0700.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged or made by a newer driftline or
    /// another program.
    #[cfg(any(test, feature = "bench"))]
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::open_within(path, BUSY)
    }

    /// As [`Archive::open`], where another process may hold it for `patience`.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub(crate) fn open_within(path: &Path, patience: Duration) -> Result<Self, ArchiveError> {
        let ready = || -> std::io::Result<PathBuf> {
            let place = file::place(path)?;
            file::is_there(&place)?;
            file::make(&place)?;
            Ok(place)
        };
        let place = ready().map_err(|error| unopened(path, &error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(&place, flags).map_err(|error| unopened(path, &error))?;
        let identity = file::identity(&place);
        let mut archive = Self {
            connection,
            path: place,
            identity,
            copy: None,
            patience,
        };
        archive.prepare()?;
        Ok(archive)
    }

    /// Opens an archive that is there, for reading alone; none where there is
    /// no file, or nothing in it yet.
    ///
    /// # Errors
    /// As [`Archive::open`].
    #[cfg(test)]
    pub(crate) fn open_read_only(path: &Path) -> Result<Option<Self>, ArchiveError> {
        Self::open_read_only_within(path, BUSY)
    }

    /// As [`Archive::open_read_only`], where another process may hold it for
    /// `patience`.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub(crate) fn open_read_only_within(
        path: &Path,
        patience: Duration,
    ) -> Result<Option<Self>, ArchiveError> {
        let find = || -> std::io::Result<Option<PathBuf>> {
            let place = file::place(path)?;
            Ok(file::is_there(&place)?.then_some(place))
        };
        let Some(place) = find().map_err(|error| unopened(path, &error))? else {
            return Ok(None);
        };
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
            };
            archive
                .connection
                .busy_timeout(patience)
                .map_err(|error| archive.error(&error))?;
            let version = archive.recognise()?;
            Ok((archive, version))
        };
        let (archive, version) = match opened(&place, flags) {
            // Where the folder cannot be written, the log of a WAL database
            // cannot be made; without one left over the file is whole as it is.
            Err(error @ (ArchiveError::Unopened { .. } | ArchiveError::Unwritable(_))) => {
                let address = file::unchanging(&place).ok_or(error)?;
                opened(Path::new(&address), flags | OpenFlags::SQLITE_OPEN_URI)?
            }
            other => other?,
        };
        if (1..schema::VERSION).contains(&version) {
            // What it lacks cannot be asked for: it is brought to this schema
            // first, or a copy of it where it cannot be written.
            drop(archive);
            return Self::open_within(path, patience)
                .or_else(|_| Self::brought_forward(&place))
                .map(Some);
        }
        Ok((version > 0).then_some(archive))
    }

    /// A copy of an archive of an older schema, brought to this one and gone
    /// when it is dropped.
    fn brought_forward(place: &Path) -> Result<Self, ArchiveError> {
        let copied = || -> std::io::Result<(tempfile::TempDir, PathBuf)> {
            let folder = tempfile::tempdir()?;
            let copy = folder.path().join("archive.db");
            std::fs::copy(place, &copy)?;
            let log = |path: &Path| {
                let mut log = path.as_os_str().to_owned();
                log.push("-wal");
                PathBuf::from(log)
            };
            if log(place).exists() {
                std::fs::copy(log(place), log(&copy))?;
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

    /// An archive in memory, gone when it is dropped.
    ///
    /// # Errors
    /// When there is no memory for it.
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
        };
        archive.prepare()?;
        Ok(archive)
    }

    /// Sets how long another process may hold it.
    ///
    /// # Errors
    /// When SQLite does not take it.
    pub(crate) fn set_patience(&mut self, patience: Duration) -> Result<(), ArchiveError> {
        self.patience = patience;
        self.connection
            .busy_timeout(patience)
            .map_err(|error| self.error(&error))
    }

    /// Whether the file that was opened still stands at its path: what is
    /// written into one that was removed is lost when it is closed.
    pub(crate) fn is_in_place(&self) -> bool {
        self.identity.is_none() || file::identity(&self.path) == self.identity
    }

    /// Makes the connection ready. A change of journal mode is told to be busy
    /// at once, without the wait that all else has, and so is a log that its
    /// last user is just closing: they are tried again for as long.
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
        // Before anything is set: what is not ours stays as it is.
        let version = self.recognise()?;
        if self.identity.is_some() {
            file::make_private(&self.path).map_err(|error| unopened(&self.path, &error))?;
        }
        let configured = self
            .connection
            // A network file system keeps its own mode; what it answers is
            // taken.
            .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
            .and_then(|()| {
                self.connection
                    .execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
            });
        configured.map_err(|error| self.error(&error))?;
        schema::migrate(&mut self.connection, version).map_err(|error| self.error(&error))
    }

    /// The version of the schema; 0 where there is nothing in the file yet.
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

    /// SQLite's own check of the whole file, and whether the transmissions are
    /// still what was written; the answer is what it found, nothing where all is
    /// well.
    ///
    /// # Errors
    /// When the check cannot be made.
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
        // One that was only ever read may be of an older schema, without sums.
        if found.is_empty() && self.recognise()? == schema::VERSION {
            found.extend(self.corrupted()?);
            found.extend(self.damaged_entries()?);
            found.extend(self.damaged_lines()?);
        }
        Ok(found)
    }

    /// Rewrites the file without the room that deleted rows left.
    ///
    /// # Errors
    /// When there is no room for the copy, or another process holds it.
    pub(crate) fn vacuum(&self) -> Result<(), ArchiveError> {
        self.connection
            .execute_batch("VACUUM")
            .map_err(|error| self.error(&error))
    }

    /// Writes all of something or nothing, into the file that stands at the
    /// path: one that another process set aside while this one waited for its
    /// turn takes nothing any more.
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

/// What went wrong, as a caller can decide on it.
fn explained(path: &Path, error: &rusqlite::Error) -> ArchiveError {
    use rusqlite::Error as E;
    let reason = crate::text::excerpt(&error.to_string(), 200);
    let path = || path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ArchiveError::Damaged {
            path: path(),
            reason,
        },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Busy,
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => ArchiveError::Unopened {
            path: path(),
            reason,
        },
        // A row holds what driftline never wrote.
        _ if matches!(
            error,
            E::InvalidColumnType(..)
                | E::FromSqlConversionFailure(..)
                | E::IntegralValueOutOfRange(..)
                | E::Utf8Error(..)
        ) =>
        {
            ArchiveError::Damaged {
                path: path(),
                reason,
            }
        }
        _ => ArchiveError::Unwritable(reason),
    }
}

fn unopened(path: &Path, error: &dyn std::fmt::Display) -> ArchiveError {
    ArchiveError::Unopened {
        path: path.to_owned(),
        reason: crate::text::excerpt(&error.to_string(), 200),
    }
}
