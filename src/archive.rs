//! What was once seen is kept: SQLite, its migrations, the watch list,
//! transmissions and the ledger of plants.

mod ledger;
mod schema;
mod tracks;
mod watch_list;

pub use tracks::{Kept, News};
pub use watch_list::Watched;

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

/// How long another process may hold the archive before it is given up.
const BUSY: Duration = Duration::from_secs(10);

/// Why the archive did not do as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
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
    #[error("the archive {} is damaged ({reason}); it was left as it is", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
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
    #[error("another driftline holds the archive; it was waited for 10 s")]
    Busy,
}

impl ArchiveError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => {
                "Name another with --archive, or move it away; nothing of it was deleted"
            }
            Self::Newer { .. } => "Update driftline, or name another with --archive",
            Self::Busy => "Try again",
            _ => "Name another place with --archive, or mend its permissions",
        }
    }
}

/// An open archive. Every call blocks.
#[derive(Debug)]
pub struct Archive {
    connection: Connection,
    path: PathBuf,
}

impl Archive {
    /// Opens the archive for reading and writing, and makes it where it is not
    /// there: mode 0600, in a folder of mode 0700.
    ///
    /// # Errors
    /// When it cannot be opened, is damaged or made by a newer driftline.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        let unopened = |reason: String| ArchiveError::Unopened {
            path: path.to_owned(),
            reason,
        };
        if path.exists() && !path.is_file() {
            return Err(unopened("it is no regular file".to_owned()));
        }
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            make_folder(folder).map_err(|error| unopened(error.to_string()))?;
        }
        make_file(path).map_err(|error| unopened(error.to_string()))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)
            .map_err(|error| unopened(error.to_string()))?;
        let mut archive = Self {
            connection,
            path: path.to_owned(),
        };
        archive.prepare()?;
        Ok(archive)
    }

    /// Opens an archive that is there, for reading alone; none where there is
    /// no file.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open_read_only(path: &Path) -> Result<Option<Self>, ArchiveError> {
        if !path.exists() {
            return Ok(None);
        }
        // Where the folder cannot be written, the log of a WAL database cannot
        // be made; without one left over the file is whole as it is.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let unopened = |error: rusqlite::Error| ArchiveError::Unopened {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let connection = Connection::open_with_flags(path, flags).map_err(unopened)?;
        let archive = Self {
            connection,
            path: path.to_owned(),
        };
        archive
            .connection
            .busy_timeout(BUSY)
            .map_err(|error| archive.error(&error))?;
        let version = match archive.version() {
            Ok(version) => version,
            Err(ArchiveError::Unopened { .. } | ArchiveError::Unwritable(_)) => {
                let uri = format!(
                    "file:{}?immutable=1",
                    path.display()
                        .to_string()
                        .replace('?', "%3f")
                        .replace('#', "%23")
                );
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                let connection = Connection::open_with_flags(uri, flags).map_err(unopened)?;
                let archive = Self {
                    connection,
                    path: path.to_owned(),
                };
                archive.check_version(archive.version()?)?;
                return Ok(Some(archive));
            }
            Err(error) => return Err(error),
        };
        archive.check_version(version)?;
        Ok((version > 0).then_some(archive))
    }

    /// An archive in memory, gone when it is dropped.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn in_memory() -> Result<Self, ArchiveError> {
        let path = PathBuf::from(":memory:");
        let connection = Connection::open_in_memory().map_err(|error| ArchiveError::Unopened {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        let mut archive = Self { connection, path };
        archive.prepare()?;
        Ok(archive)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn prepare(&mut self) -> Result<(), ArchiveError> {
        let configured = self.connection.busy_timeout(BUSY).and_then(|()| {
            // A network file system keeps its own mode; what it answers is
            // taken.
            self.connection
                .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
            self.connection
                .execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL;")
        });
        configured.map_err(|error| self.error(&error))?;
        let version = self.version()?;
        self.check_version(version)?;
        schema::migrate(&mut self.connection, version).map_err(|error| self.error(&error))
    }

    fn version(&self) -> Result<i64, ArchiveError> {
        self.connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| self.error(&error))
    }

    fn check_version(&self, found: i64) -> Result<(), ArchiveError> {
        let known = schema::VERSION;
        if found > known {
            return Err(ArchiveError::Newer {
                path: self.path.clone(),
                found,
                known,
            });
        }
        Ok(())
    }

    /// SQLite's own check of the whole file; the answer is what it found,
    /// nothing where all is well.
    ///
    /// # Errors
    /// When the check cannot be made.
    pub fn check(&self) -> Result<Vec<String>, ArchiveError> {
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
        Ok(found)
    }

    /// Rewrites the file without the room that deleted rows left.
    ///
    /// # Errors
    /// When there is no room for the copy, or another process holds it.
    pub fn vacuum(&self) -> Result<(), ArchiveError> {
        self.connection
            .execute_batch("VACUUM")
            .map_err(|error| self.error(&error))
    }

    fn error(&self, error: &rusqlite::Error) -> ArchiveError {
        let reason = crate::text::excerpt(&error.to_string(), 200);
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ArchiveError::Damaged {
                path: self.path.clone(),
                reason,
            },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Busy,
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => ArchiveError::Unopened {
                path: self.path.clone(),
                reason,
            },
            _ => ArchiveError::Unwritable(reason),
        }
    }
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

/// Makes the file with its mode from birth; SQLite gives its log the same.
fn make_file(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_archive_is_private_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("archive.db");
        let archive = Archive::open(&path).unwrap();
        assert!(archive.check().unwrap().is_empty());
        archive.vacuum().unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        }
    }

    #[test]
    fn what_is_no_archive_is_said_to_be_damaged_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let foreign = "this is a letter, not a database, and it is long enough to be read as one. "
            .repeat(40);
        std::fs::write(&path, &foreign).unwrap();
        assert!(matches!(
            Archive::open(&path),
            Err(ArchiveError::Damaged { .. })
        ));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        assert!(matches!(
            Archive::open(folder.path()),
            Err(ArchiveError::Unopened { .. })
        ));
    }

    #[test]
    fn one_of_a_newer_driftline_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        drop(Archive::open(&path).unwrap());
        Connection::open(&path)
            .unwrap()
            .execute_batch("PRAGMA user_version = 99")
            .unwrap();
        assert!(matches!(
            Archive::open(&path),
            Err(ArchiveError::Newer { found: 99, .. })
        ));
        assert!(matches!(
            Archive::open_read_only(&path),
            Err(ArchiveError::Newer { .. })
        ));
    }
}
