//! Why an archive operation failed, as a caller decides on it.

use std::path::{Path, PathBuf};

use super::tables::VERSION;
use crate::os::files::link_away;

/// Why an archive operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// The archive cannot be opened.
    #[error("the archive {} cannot be opened: {reason}", path.display())]
    Unopened { path: PathBuf, reason: String },
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Unwritable(String),
    /// There is no room for the archive.
    #[error("the archive cannot be written: the disk is full")]
    Full,
    /// The file was named, and even its folder is missing: a typing error, or a
    /// disk that is not mounted.
    #[error("there is no archive {}: its folder does not exist", path.display())]
    WithoutFolder { path: PathBuf },
    /// A symbolic link on the path of the file leads to a missing file: perhaps a disk that
    /// is not mounted, so no archive is made.
    #[error("the archive {} cannot be opened: {} is a symbolic link to {}, which does not exist", path.display(), link.display(), target.display())]
    LinkAway {
        path: PathBuf,
        /// The file, its folder or a folder above.
        link: PathBuf,
        target: PathBuf,
    },
    /// The file was named and is missing, and a missing file does not mean an empty watch
    /// list.
    #[error("there is no archive at {}", path.display())]
    Missing { path: PathBuf },
    /// The file is not a valid archive.
    #[error("the archive {} is damaged ({reason})", path.display())]
    Damaged { path: PathBuf, reason: String },
    /// The file has no bytes: its content is lost.
    #[error("the archive {} is empty", path.display())]
    Empty { path: PathBuf },
    /// The file is not a database, and nothing in it is of an archive.
    #[error("{} is no archive of driftline; it was left as it is", path.display())]
    NoArchive { path: PathBuf },
    /// Another program created the file.
    #[error("{} is a database of another program; it was left as it is", path.display())]
    Foreign { path: PathBuf },
    /// A development version created the archive, with tables of its own.
    #[error("the archive {} was made by an earlier development version of driftline; it was left as it is", path.display())]
    Older { path: PathBuf },
    /// A newer driftline created the archive.
    #[error("the archive {} was made by a newer driftline (schema {found}, this one knows {known})", path.display())]
    Newer {
        path: PathBuf,
        found: i64,
        known: i64,
    },
    /// Another process has locked the archive.
    #[error("archive locked by another driftline")]
    Busy,
    /// The file system locks no file.
    #[error("the file system of the archive {} has no locks", path.display())]
    WithoutLocks { path: PathBuf },
    /// The opened file is no longer at its path: another process renamed it, or
    /// the user removed it.
    #[error("the archive was replaced meanwhile")]
    Moved,
    /// The file was removed after this process had opened it.
    #[error("the archive was removed while driftline ran; nothing is stored: {}", path.display())]
    Removed { path: PathBuf },
    /// The file was cut to nothing after this process had opened it.
    #[error("the archive was emptied while driftline ran; nothing is stored: {}", path.display())]
    Emptied { path: PathBuf },
    /// The server of the archive cannot be reached, or went away.
    #[cfg(feature = "postgres")]
    #[error("the archive {} cannot be reached: {reason}", path.display())]
    Unreached { path: PathBuf, reason: String },
    /// The server refuses the user, the password or the database.
    #[cfg(feature = "postgres")]
    #[error("the server refuses the archive {}: {reason}", path.display())]
    Refused { path: PathBuf, reason: String },
    /// The server has ended a statement that took too long.
    #[cfg(feature = "postgres")]
    #[error("the archive {} took too long to answer: {reason}", path.display())]
    Slow { path: PathBuf, reason: String },
    /// There is no room for the archive on its server.
    #[cfg(feature = "postgres")]
    #[error("the archive {} cannot be written: the disk of the server is full ({reason})", path.display())]
    ServerFull { path: PathBuf, reason: String },
    /// There is no folder for an archive.
    #[error("there is no archive: {0}")]
    Nowhere(&'static str),
    /// The archive has data of this deployment from another service.
    #[error("the archive has this deployment from another service, {known}")]
    Elsewhere {
        /// The base URL of that service.
        known: String,
    },
}

impl ArchiveError {
    /// The error of an archive whose tables are of the version `found`; `None` for the present
    /// one.
    pub(super) fn of_version(path: PathBuf, found: i64) -> Option<Self> {
        match found {
            VERSION => None,
            ..VERSION => Some(Self::Older { path }),
            _ => Some(Self::Newer {
                path,
                found,
                known: VERSION,
            }),
        }
    }

    /// `true` if it does not pass by itself.
    pub(crate) fn stays(&self) -> bool {
        match self {
            Self::Damaged { .. }
            | Self::Empty { .. }
            | Self::NoArchive { .. }
            | Self::Foreign { .. }
            | Self::Older { .. }
            | Self::Newer { .. } => true,
            #[cfg(feature = "postgres")]
            Self::Refused { .. } => true,
            _ => false,
        }
    }

    /// A hint to the user.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => {
                "Run `driftline archive check` on it, with --archive where it was named: it recovers readable rows of an archive, and leaves any other file as it is"
            }
            Self::Empty { .. } => {
                "Put a copy of it back; `driftline archive check` renames it and makes a new one"
            }
            Self::Foreign { .. } | Self::NoArchive { .. } => "Name another file with --archive",
            Self::Older { .. } => {
                "Move it away or name a new one with --archive; `driftline deployments import` reads the watch list that the earlier version wrote with `deployments export`"
            }
            Self::Newer { .. } => "Update driftline, or name another with --archive",
            Self::Busy | Self::Moved => "Try again",
            Self::Removed { .. } => "Put it back, or start driftline again, which makes a new one",
            Self::Emptied { .. } => {
                "Put a copy of it back, or start driftline again, which makes a new one"
            }
            Self::WithoutLocks { .. } => {
                "Keep the archive on a local disk: name it with the setting `archive` or --archive"
            }
            Self::Full => "Free some disk space",
            Self::WithoutFolder { .. } => "Check its path, and whether its disk is mounted",
            Self::LinkAway { .. } => "Check whether its disk is mounted, or where the link leads",
            Self::Missing { .. } => {
                "Check its path, and whether its disk is mounted; `driftline collect --once` makes a new one"
            }
            Self::Nowhere(_) => "Set HOME to an absolute path, or name an archive with --archive",
            Self::Elsewhere { .. } => {
                "`driftline deployments add UUID` accepts it from this service from now on; or name another archive with --archive"
            }
            #[cfg(feature = "postgres")]
            Self::Unreached { .. } => "Start the server, or check the host and port of --archive",
            #[cfg(feature = "postgres")]
            Self::Refused { .. } => {
                "Check the user and the database of --archive, and the password in PGPASSWORD or ~/.pgpass"
            }
            #[cfg(feature = "postgres")]
            Self::Slow { .. } => "Try again, or ask for less at once",
            #[cfg(feature = "postgres")]
            Self::ServerFull { .. } => "Make room on the disk of the server",
            _ => "Choose another --archive path, or fix its permissions",
        }
    }
}

/// Checks that no symbolic link on the path of a missing file leads to what is missing.
///
/// # Errors
/// [`ArchiveError::LinkAway`] with the first such link.
pub(crate) fn look_for_links(path: &Path) -> Result<(), ArchiveError> {
    match link_away(path) {
        Some((link, target)) => Err(ArchiveError::LinkAway {
            path: path.to_owned(),
            link,
            target,
        }),
        None => Ok(()),
    }
}

/// The error of a file that cannot be opened.
pub(super) fn unopened(path: &Path, error: &dyn std::fmt::Display) -> ArchiveError {
    ArchiveError::Unopened {
        path: path.to_owned(),
        reason: crate::text::excerpt(&error.to_string(), 200),
    }
}
