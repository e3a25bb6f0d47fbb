//! Why an archive operation failed.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::file;

/// Why an archive operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// The archive cannot be opened.
    #[error("the archive {} cannot be opened: {reason}", path.display())]
    Unopened {
        /// The file.
        path: PathBuf,
        /// The system's or SQLite's message.
        reason: String,
    },
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Unwritable(String),
    /// There is no room for the archive.
    #[error("the archive cannot be written: the disk is full")]
    Full,
    /// The file was named, and even its folder is missing: a typing error, or a
    /// disk that is not mounted.
    #[error("there is no archive {}: its folder does not exist", path.display())]
    WithoutFolder {
        /// The file.
        path: PathBuf,
    },
    /// The file is not a valid archive.
    #[error("the archive {} is damaged ({reason})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the check found.
        reason: String,
    },
    /// Another program created the file.
    #[error("{} is a database of another program; it was left as it is", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer driftline created the archive.
    #[error("the archive {} was made by a newer driftline (schema {found}, this one knows {known})", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest schema version that this build knows.
        known: i64,
    },
    /// Another process has locked the archive.
    #[error("archive locked by another driftline (waited 4 s)")]
    Busy,
    /// The opened file is no longer at its path: another process renamed it, or
    /// the user removed it.
    #[error("the archive was replaced meanwhile")]
    Moved,
    /// The file was removed after this process had opened it.
    #[error("the archive {} was removed while driftline ran; nothing is stored", path.display())]
    Removed {
        /// The file.
        path: PathBuf,
    },
    /// There is no folder for an archive.
    #[error("there is no archive: {0}")]
    Nowhere(&'static str),
    /// The archive has data of this deployment from another service.
    #[error("the archive holds this deployment as {known} sent it")]
    Elsewhere {
        /// The base URL of that service.
        known: String,
    },
}

impl ArchiveError {
    /// A hint to the user.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => "Run `driftline archive check` to recover readable rows",
            Self::Foreign { .. } => "Name another file with --archive",
            Self::Newer { .. } => "Update driftline, or name another with --archive",
            Self::Busy | Self::Moved => "Try again",
            Self::Removed { .. } => "Put it back, or start driftline anew, which makes a new one",
            Self::Full => "Free some disk space",
            Self::WithoutFolder { .. } => "Look over its path, and whether its disk is mounted",
            Self::Nowhere(_) => "Set HOME to an absolute path, or name an archive with --archive",
            Self::Elsewhere { .. } => {
                "`driftline deployments add UUID` takes it from this service from now on; or name another archive with --archive"
            }
            _ => "Choose another --archive path, or fix its permissions",
        }
    }
}

/// Maps an SQLite error to the error that a caller decides on.
pub(super) fn explained(path: &Path, error: &rusqlite::Error) -> ArchiveError {
    use rusqlite::Error as E;
    let reason = crate::text::excerpt(&error.to_string(), 200);
    let path = || path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ArchiveError::Damaged {
            path: path(),
            reason,
        },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ArchiveError::Busy,
        Some(ErrorCode::DiskFull) => ArchiveError::Full,
        // SQLite does not say that there is no room for its index of the log.
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) if file::is_disk_full(&path()) => {
            ArchiveError::Full
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => ArchiveError::Unopened {
            path: path(),
            reason,
        },
        // A row contains a type that driftline never writes.
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
