//! An archive file that is missing, or was removed under this process. A new one with the next
//! edit alone would hide that the rest is gone. And the log of a file that was replaced.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Inner, Place, Store};
use crate::archive::{Archive, ArchiveError, Basis, look_for_links};
use crate::failure::Failure;
use crate::os::clock::unix_now;
use crate::os::files::{identity, with_suffix};

/// How often a running program tries to recover what it cannot.
const RECOVER_EVERY: Duration = Duration::from_secs(60);

/// The handling of a write if the file was removed under this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhereRemoved {
    /// It fails.
    Refuse,
    /// It goes to a new archive: the outcome of a create or delete that was
    /// sent must be written down somewhere.
    Reset,
}

/// The removal of the archive file, and whether the user knows of it.
#[derive(Debug, Default)]
pub(super) struct Loss {
    /// `true` if the archive was ever opened by this process.
    was_seen: AtomicBool,
    /// `true` if the user was warned that it is gone.
    is_said: AtomicBool,
    /// `true` if it was found to be damaged, or gone, last.
    is_lost: AtomicBool,
}

impl Loss {
    /// Notes that the file is there.
    pub(super) fn seen(&self) {
        self.was_seen.store(true, Ordering::Relaxed);
        self.is_said.store(false, Ordering::Relaxed);
    }

    /// `true` if the archive was ever opened by this process.
    pub(super) fn was_seen(&self) -> bool {
        self.was_seen.load(Ordering::Relaxed)
    }

    /// Notes the end of a read or write.
    pub(super) fn found(&self, error: Option<&ArchiveError>) {
        use ArchiveError::{Damaged, Emptied, Removed};
        let is_lost = matches!(
            error,
            Some(Damaged { .. } | Emptied { .. } | Removed { .. })
        );
        self.is_lost.store(is_lost, Ordering::Relaxed);
    }

    /// `true` once after the file is gone: the user is to be warned.
    pub(super) fn is_news(&self) -> bool {
        !self.is_said.swap(true, Ordering::Relaxed)
    }

    /// Checks that a file that existed still exists, with its content.
    ///
    /// # Errors
    /// When it was removed, or cut to nothing.
    pub(super) fn check(&self, path: &Path) -> Result<(), ArchiveError> {
        if !self.was_seen() {
            return Ok(());
        }
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

impl Inner {
    /// Checks that the file was not removed or emptied under this process, and warns once if it
    /// was.
    ///
    /// # Errors
    /// When it is gone.
    pub(super) fn keep_there(&self, slot: &mut Option<Archive>) -> Result<(), ArchiveError> {
        self.close_replaced(slot);
        self.still_there().inspect_err(|lost| {
            if self.loss.is_news() {
                self.say(format!("{lost}. {}.", lost.hint()));
            }
        })
    }

    /// Renames a damaged archive and makes a new one of what can be read; returns whether it was
    /// damaged.
    pub(super) fn recover(&self, basis: Basis) -> Result<bool, ArchiveError> {
        let Some(path) = self.place.file() else {
            return Ok(false);
        };
        // Each try reads all of the file.
        let is_recent = |at: Instant| at.elapsed() < RECOVER_EVERY;
        let failed = self.unrecovered.lock().ok().and_then(|at| *at);
        if basis == Basis::Whole && failed.is_some_and(is_recent) {
            return Ok(false);
        }
        let timeout = self.lock_timeout();
        let recovered = Archive::recover_within(path, basis, unix_now(), timeout);
        if let Ok(mut failed) = self.unrecovered.lock() {
            *failed = recovered.is_err().then(Instant::now);
        }
        let recovered = recovered?;
        if let Some(recovered) = &recovered {
            self.replacements.fetch_add(1, Ordering::Relaxed);
            self.say(recovered.to_string());
        }
        Ok(recovered.is_some())
    }

    /// Adds a warning that is to stay.
    fn say(&self, words: String) {
        if let Ok(mut lasting) = self.lasting.lock() {
            lasting.push(words);
        }
    }
}

impl Store {
    /// The warning that the archive was lost or damaged under this process, with what became of
    /// it; once.
    pub(crate) fn loss(&self) -> Option<String> {
        let words = std::mem::take(&mut *self.inner.lasting.lock().ok()?);
        (!words.is_empty()).then(|| words.join(". "))
    }

    /// Checks that the watch list can be read from the file as it is on the disk: an open
    /// connection may go on for long with the pages that it has in memory. Other faults may pass
    /// by themselves.
    ///
    /// # Errors
    /// When it is damaged or empty.
    pub(crate) async fn look_for_damage(&self) -> Result<(), Failure> {
        if self.inner.place.file().is_none() {
            return Ok(());
        }
        self.submit(|inner, _| {
            let opened = inner.open_existing();
            match opened.and_then(|archive| archive.map_or(Ok(Vec::new()), |it| it.watched())) {
                Err(error @ (ArchiveError::Damaged { .. } | ArchiveError::Empty { .. })) => {
                    Err(error.into())
                }
                _ => Ok(()),
            }
        })
        .await
    }

    /// `true` if what was in the file cannot be read any more, as it was found last.
    pub(crate) fn is_lost(&self) -> bool {
        self.inner.loss.is_lost.load(Ordering::Relaxed)
    }

    /// The damaged archive that was set aside last, if one lies beside the archive.
    pub(crate) fn set_aside(&self) -> Option<PathBuf> {
        let Place::At { place, .. } = &self.inner.place else {
            return None;
        };
        let absolute = std::path::absolute(place.file()?).ok()?;
        let path = crate::os::files::end_of_links(&absolute);
        let start = format!("{}.damaged", path.file_name()?.to_str()?);
        let beside = std::fs::read_dir(path.parent()?).ok()?;
        let names = beside.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_aside = |name: &String| name.starts_with(&start) && !name.ends_with("-wal");
        // The name has the time.
        let last = names.filter(is_aside).max()?;
        Some(path.with_file_name(last))
    }

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

/// The identity of the log of an archive file, if there is one.
fn log_identity(path: &Path) -> Option<(u64, u64)> {
    identity(&std::fs::metadata(with_suffix(path, "-wal")).ok()?)
}

/// The log of the archive as it was before the file was replaced, for example by a restored copy.
// SQLite would play the old log into the new file.
#[derive(Debug, Default)]
pub(super) struct OpenLog(Mutex<Option<(u64, u64)>>);

impl OpenLog {
    /// Notes the log of an open archive that was not replaced.
    pub(super) fn note(&self, path: &Path) {
        if let Ok(mut known) = self.0.lock() {
            *known = log_identity(path);
        }
    }

    /// Renames the log, and removes its index, if it is still that of the replaced file. Its
    /// connection must have ended.
    pub(super) fn rename_old(&self, path: &Path, now: f64) {
        let known = self.0.lock().ok().and_then(|mut known| known.take());
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
