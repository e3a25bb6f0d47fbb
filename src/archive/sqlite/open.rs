//! Opens an archive file. A file of another program, or of another schema, is left as
//! it is.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;

use super::schema::{self, Recognised};
use super::{BUSY, Connection, file};
use crate::archive::error::{ArchiveError, look_for_links, unopened};

impl Connection {
    /// Opens the archive for reading and writing, and creates it if it is
    /// missing: mode 0600, in a folder of mode 0700. Another process may hold
    /// it for `patience`.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged, or was created by a newer
    /// driftline or another program.
    pub(in crate::archive) fn open_within(
        path: &Path,
        patience: Duration,
    ) -> Result<Self, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let place = file::place(path).map_err(failed)?;
        if !file::is_there(&place).map_err(failed)? {
            look_for_links(path)?;
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
        } else {
            look_at_size(&place)?;
        }
        Self::open_file(place, patience)
    }

    fn open_file(place: PathBuf, patience: Duration) -> Result<Self, ArchiveError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = rusqlite::Connection::open_with_flags(&place, flags)
            .map_err(|error| unopened(&place, &error))?;
        let identity = file::identity(&place);
        let mut archive = Self {
            inner: connection,
            path: place,
            identity,
            patience,
            is_unchanging: false,
        };
        archive.configure()?;
        Ok(archive)
    }
    /// Opens an existing archive for reading only; `None` if there is no file.
    /// Another process may hold it for `patience`.
    ///
    /// # Errors
    /// As [`Connection::open_within`].
    pub(in crate::archive) fn open_read_only_within(
        path: &Path,
        patience: Duration,
    ) -> Result<Option<Self>, ArchiveError> {
        let failed = |error: std::io::Error| unopened(path, &error);
        let place = file::place(path).map_err(failed)?;
        if !file::is_there(&place).map_err(failed)? {
            look_for_links(path)?;
            return Ok(None);
        }
        look_at_size(&place)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = |address: &Path, flags: OpenFlags| -> Result<Option<Self>, ArchiveError> {
            let connection = rusqlite::Connection::open_with_flags(address, flags)
                .map_err(|error| unopened(path, &error))?;
            let archive = Self {
                inner: connection,
                path: place.clone(),
                identity: file::identity(&place),
                patience,
                is_unchanging: flags.contains(OpenFlags::SQLITE_OPEN_URI),
            };
            archive
                .inner
                .busy_timeout(patience)
                .map_err(|error| archive.error(error))?;
            Ok(archive.is_archive()?.then_some(archive))
        };
        match opened(&place, flags) {
            // In a read-only folder and on a full disk SQLite cannot create the log of
            // a WAL database. If no log is left over, the file alone is complete.
            Err(ArchiveError::Unopened { .. } | ArchiveError::Unwritable(_))
                if file::has_journal(&place) =>
            {
                Self::open_within(path, patience).map(Some)
            }
            Err(
                error @ (ArchiveError::Unopened { .. }
                | ArchiveError::Unwritable(_)
                | ArchiveError::Full),
            ) => {
                let address = file::unchanging(&place).ok_or(error)?;
                opened(Path::new(&address), flags | OpenFlags::SQLITE_OPEN_URI)
            }
            other => other,
        }
    }

    /// Opens an archive in memory, lost on drop.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::archive) fn in_memory() -> Result<Self, ArchiveError> {
        let path = PathBuf::from(":memory:");
        let connection =
            rusqlite::Connection::open_in_memory().map_err(|error| ArchiveError::Unopened {
                path: path.clone(),
                reason: error.to_string(),
            })?;
        let mut archive = Self {
            inner: connection,
            path,
            identity: None,
            patience: BUSY,
            is_unchanging: false,
        };
        archive.configure()?;
        Ok(archive)
    }

    /// Configures the connection. SQLite reports "busy" at once, without its
    /// busy timeout, for a change of journal mode and while the last user of a
    /// log closes it; both are retried for the same time.
    fn configure(&mut self) -> Result<(), ArchiveError> {
        let began = Instant::now();
        loop {
            match self.configure_once(self.patience.saturating_sub(began.elapsed())) {
                Err(ArchiveError::Busy) if began.elapsed() < self.patience => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                other => return other,
            }
        }
    }

    fn configure_once(&mut self, patience: Duration) -> Result<(), ArchiveError> {
        self.inner
            .busy_timeout(patience)
            .map_err(|error| self.error(error))?;
        // This check precedes all settings, so that a file of another program
        // is not changed: nor by its log, which SQLite would write into it on close.
        let keep_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        let set = |keeps| self.inner.set_db_config(keep_log, keeps);
        set(true).map_err(|error| self.error(error))?;
        let is_archive = self.is_archive()?;
        set(false).map_err(|error| self.error(error))?;
        if self.identity.is_some() {
            file::make_private(&self.path).map_err(|error| unopened(&self.path, &error))?;
        }
        let configured = self
            .inner
            // A network file system may force another journal mode, which is
            // accepted.
            .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
            .and_then(|()| {
                self.inner
                    .execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
            });
        configured.map_err(|error| self.error(error))?;
        if is_archive {
            return Ok(());
        }
        schema::make(&mut self.inner).map_err(|error| self.error(error))
    }

    /// `true` if the file is an archive of this schema; `false` if it has no tables yet.
    ///
    /// # Errors
    /// When it is another database, or an archive of another schema.
    pub(super) fn is_archive(&self) -> Result<bool, ArchiveError> {
        let path = || self.path.clone();
        match schema::recognise(&self.inner).map_err(|error| self.error(error))? {
            Recognised::Empty => Ok(false),
            Recognised::Archive(schema::VERSION) => Ok(true),
            Recognised::Archive(found) => Err(ArchiveError::Newer {
                path: path(),
                found,
                known: schema::VERSION,
            }),
            Recognised::OfDevelopment => Err(ArchiveError::OfDevelopment { path: path() }),
            Recognised::Foreign => Err(ArchiveError::Foreign { path: path() }),
        }
    }
}

/// Removes the log of an archive that has nothing in it, with its index, unless another
/// program has them open. A connection that only reads makes them and cannot remove them:
/// one that may write does, when it closes as the last.
pub(in crate::archive) fn remove_empty_log(place: &Path) {
    if !file::has_empty_log(place) {
        return;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if let Ok(connection) = rusqlite::Connection::open_with_flags(place, flags) {
        // It knows of the log from its first look at the file. What cannot be removed stays.
        let _ = connection.query_row("PRAGMA user_version", [], |_| Ok(()));
    }
}

/// Checks that a file is not empty, and no file that SQLite would take for an empty one.
fn look_at_size(place: &Path) -> Result<(), ArchiveError> {
    let path = place.to_owned();
    match file::size(place).map_err(|error| unopened(place, &error))? {
        0 if file::has_log(place) => Ok(()),
        0 => Err(ArchiveError::Empty { path }),
        // SQLite takes a file of one byte for an empty database, and would overwrite it.
        1 => Err(ArchiveError::Foreign { path }),
        _ => Ok(()),
    }
}

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
