//! An archive file that is missing, or was removed under this process. A new one with the next
//! edit alone would hide that the rest is gone. And the log of a file that was replaced.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::Ordering;

use super::pool::Slot;
use super::{Inner, Place, Store};
use crate::archive::{ArchiveError, look_for_links};
use crate::failure::Failure;
use crate::os::files::{identity, with_suffix};

/// The handling of a write if the file was removed under this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhereRemoved {
    /// It fails.
    Refuse,
    /// It goes to a new archive: the outcome of a create or delete that was
    /// sent must be written down somewhere.
    Reset,
}

/// Checks that the folder of a named file exists.
pub(super) fn look_for_folder(file: Option<&Path>, named: bool) -> Result<(), ArchiveError> {
    let Some(path) = file.filter(|_| named) else {
        return Ok(());
    };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = absolute.parent().unwrap_or(Path::new("/"));
    // Other faults of the folder are reported when the file is opened.
    if matches!(folder.try_exists(), Ok(false)) {
        look_for_links(path).and(Err(ArchiveError::WithoutFolder {
            path: path.to_owned(),
        }))
    } else {
        Ok(())
    }
}

impl Store {
    /// How often the archive file was removed or replaced while it was open: then the archive
    /// may lack responses that were stored.
    pub(crate) fn replacements(&self) -> u64 {
        self.inner.replacements.load(Ordering::Relaxed)
    }

    /// The archive that is not there yet, by its name: the first write makes it.
    /// `None` if it exists, or cannot be read.
    pub(crate) async fn missing(&self) -> Option<String> {
        let Place::At { place, .. } = &self.inner.place else {
            return None;
        };
        let is_there = self.read(|_| Ok(true)).await;
        matches!(is_there, Ok(false)).then(|| place.to_string())
    }

    /// Checks that a file exists that was named for this run: a missing file may be a typing
    /// error or on a disk that is not mounted, and does not mean that nothing is watched.
    ///
    /// # Errors
    /// When it is missing, or the archive cannot be read.
    pub(crate) async fn look_for_named(&self) -> Result<(), Failure> {
        let Place::At { place, named: true } = &self.inner.place else {
            return Ok(());
        };
        let is_there = self.read(|_| Ok(true)).await?;
        match place.file().filter(|_| !is_there) {
            Some(path) => Err(Failure::from(ArchiveError::Missing {
                path: path.to_owned(),
            })),
            None => Ok(()),
        }
    }
}

impl Inner {
    /// Checks that a file that existed still exists, with its content.
    ///
    /// # Errors
    /// When it was removed, or cut to nothing.
    pub(super) fn still_there(&self) -> Result<(), ArchiveError> {
        let Some(path) = self.place.file().filter(|_| self.was_opened()) else {
            return Ok(());
        };
        let there = std::fs::metadata(path);
        let path = path.to_owned();
        match there {
            Ok(there) if there.len() == 0 => Err(ArchiveError::Emptied { path }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(ArchiveError::Removed { path })
            }
            _ => Ok(()),
        }
    }
}

/// The identity of the log of an archive file, if there is one.
pub(super) fn log_identity(path: &Path) -> Option<(u64, u64)> {
    identity(&std::fs::metadata(with_suffix(path, "-wal")).ok()?)
}

impl Slot {
    /// Renames the log of a replaced file, for example by a restored copy, and removes its index,
    /// if it is still that file's. Its connection must have ended.
    // SQLite would play the old log into the new file.
    pub(super) fn rename_old_log(&mut self, path: &Path, now: f64) {
        let known = self.log.take();
        if known.is_none() || known != log_identity(path) {
            return;
        }
        // A failure here is reported when the file is opened.
        let aside = with_suffix(path, &format!(".replaced-{now:.0}-wal"));
        if std::fs::rename(with_suffix(path, "-wal"), aside).is_ok() {
            let _ = std::fs::remove_file(with_suffix(path, "-shm"));
        }
    }
}
