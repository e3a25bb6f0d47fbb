//! Opens an archive file: its schema is migrated, a file of another program is
//! left as it is.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::OpenFlags;

use super::{BUSY, Connection, file, schema};
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
        let connection = rusqlite::Connection::open_with_flags(&place, flags)
            .map_err(|error| unopened(&place, &error))?;
        let identity = file::identity(&place);
        let mut archive = Self {
            inner: connection,
            path: place,
            identity,
            copy: None,
            patience,
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
        if file::is_emptied(&place).map_err(failed)? {
            return Err(ArchiveError::Damaged {
                path: place,
                reason: EMPTIED.to_owned(),
            });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = |address: &Path, flags: OpenFlags| -> Result<(Self, i64), ArchiveError> {
            let connection = rusqlite::Connection::open_with_flags(address, flags)
                .map_err(|error| unopened(path, &error))?;
            let archive = Self {
                inner: connection,
                path: place.clone(),
                identity: file::identity(&place),
                copy: None,
                patience,
            };
            archive
                .inner
                .busy_timeout(patience)
                .map_err(|error| archive.error(error))?;
            let version = archive.recognise()?;
            Ok((archive, version))
        };
        let (archive, version) = match opened(&place, flags) {
            // In a read-only folder and on a full disk SQLite cannot create the log of
            // a WAL database. If no log is left over, the file alone is complete.
            Err(ArchiveError::Unopened { .. } | ArchiveError::Unwritable(_))
                if file::has_journal(&place) =>
            {
                return Self::open_within(path, patience).map(Some);
            }
            Err(
                error @ (ArchiveError::Unopened { .. }
                | ArchiveError::Unwritable(_)
                | ArchiveError::Full),
            ) => {
                let address = file::unchanging(&place).ok_or(error)?;
                opened(Path::new(&address), flags | OpenFlags::SQLITE_OPEN_URI)?
            }
            other => other?,
        };
        if (1..schema::VERSION).contains(&version) {
            // A query needs the current schema: the file is migrated first, or
            // a copy of it if it cannot be written. While another program writes
            // to it, a copy would be of no one state.
            drop(archive);
            return match Self::open_within(path, patience) {
                Err(
                    ArchiveError::Unopened { .. }
                    | ArchiveError::Unwritable(_)
                    | ArchiveError::Full,
                ) => Self::migrated_copy(&place).map(Some),
                other => other.map(Some),
            };
        }
        Ok((version > 0).then_some(archive))
    }

    /// A temporary copy of an archive with an older schema, migrated to the
    /// current one and removed on drop.
    pub(super) fn migrated_copy(place: &Path) -> Result<Self, ArchiveError> {
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
            copy: None,
            patience: BUSY,
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
        // is not changed.
        let version = self.recognise()?;
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
        schema::migrate(&mut self.inner, version).map_err(|error| self.error(error))
    }

    /// The schema version; 0 if the file is empty.
    pub(super) fn recognise(&self) -> Result<i64, ArchiveError> {
        let (version, recognised) =
            schema::recognise(&self.inner).map_err(|error| self.error(error))?;
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
}

/// Why an empty file is not an archive.
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
