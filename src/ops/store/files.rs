//! The archive's files in the file system: their state, which differs after a write, and the
//! log of a file that was replaced.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Inner, Place, Store};
use crate::clock::unix_now;
use crate::files::{identity, with_suffix};

/// The coarsest resolution of time stamps of files (FAT), seconds: after two
/// writes within this time a file may have the same time stamp.
const COARSEST_S: f64 = 2.0;

/// The state of a file in the file system. It differs after a write, except for two within
/// [`COARSEST_S`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    /// The identity, which differs if the file was replaced.
    identity: Option<(u64, u64)>,
    length: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    /// `true` if the other is a state of the same file.
    fn is_same_file(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

/// Device and number of a file.
/// The states of an archive's file and of its log, each `None` for a missing file.
pub(super) type FileStates = [Option<FileState>; 2];

pub(super) fn states(path: &Path) -> FileStates {
    let state = |path: &Path| {
        let there = std::fs::metadata(path).ok()?;
        Some(FileState {
            identity: identity(&there),
            length: there.len(),
            modified: there.modified().ok(),
        })
    };
    [state(path), state(&with_suffix(path, "-wal"))]
}

/// `true` if a write at `now` (UNIX seconds) changes the time stamps: not if a time stamp is
/// ahead of the clock.
pub(super) fn are_settled(states: &FileStates, now: f64) -> bool {
    states.iter().flatten().all(|state| {
        let modified = state
            .modified
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        modified.is_some_and(|modified| now - modified.as_secs_f64() > COARSEST_S)
    })
}

/// The files of the archive, as they were before it was replaced, for example by a restored
/// copy. SQLite would play the old log into the new file.
#[derive(Debug, Default)]
pub(super) struct OpenFiles(Mutex<Option<FileStates>>);

impl OpenFiles {
    /// Notes the files of an open archive that was not replaced.
    pub(super) fn note(&self, path: &Path) {
        if let Ok(mut known) = self.0.lock() {
            *known = Some(states(path));
        }
    }

    /// Renames the log, and removes its index, if they are still those of the replaced
    /// file. Its connection must have ended.
    pub(super) fn rename_old_log(&self, path: &Path, now: f64) {
        let known = self.0.lock().ok().and_then(|mut known| known.take());
        let (Some([_, Some(before)]), [Some(_), Some(log)]) = (known, states(path)) else {
            return;
        };
        if !before.is_same_file(&log) {
            return;
        }
        // A failure here is reported when the file is opened.
        let aside = with_suffix(path, &format!(".replaced-{now:.0}-wal"));
        if std::fs::rename(with_suffix(path, "-wal"), aside).is_ok() {
            let _ = std::fs::remove_file(with_suffix(path, "-shm"));
        }
    }
}

/// Checks at intervals whether another program may have written to the archive.
#[derive(Debug)]
pub(crate) struct ArchiveWatch {
    inner: Arc<Inner>,
    /// The states of the files at the last check; `None` before the first, and if
    /// the next write may leave them unchanged.
    seen: Option<FileStates>,
}

impl ArchiveWatch {
    /// `true` if the archive may have been written to since the last check, or could
    /// not be read after it. Of a server always.
    pub(crate) fn may_be_written(&mut self) -> bool {
        self.may_be_written_at(unix_now())
    }

    fn may_be_written_at(&mut self, now: f64) -> bool {
        let Some(path) = self.inner.place.file() else {
            return true;
        };
        let states = states(path);
        let is_unread = self.inner.is_unread.swap(false, Ordering::Relaxed);
        let is_same = self.seen == Some(states) && !is_unread;
        self.seen = are_settled(&states, now).then_some(states);
        !is_same
    }
}

impl Store {
    /// A watch for writes by other programs; `None` if no other program can write.
    pub(crate) fn watch(&self) -> Option<ArchiveWatch> {
        matches!(self.inner.place, Place::At { .. }).then(|| ArchiveWatch {
            inner: Arc::clone(&self.inner),
            seen: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::time::Duration;

    const NOW: f64 = 1.8e9;

    /// A watch on an archive whose file was last written an hour before [`NOW`].
    fn watch(folder: &Path) -> (ArchiveWatch, std::path::PathBuf) {
        let path = folder.join("archive.db");
        write(&path, "one", NOW - 3600.0);
        (Store::at(path.clone()).watch().unwrap(), path)
    }

    fn write(path: &Path, text: &str, at: f64) {
        fs::write(path, text).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs_f64(at))
            .unwrap();
    }

    #[test]
    fn an_archive_at_rest_is_read_once_and_after_each_write_once() {
        let folder = tempfile::tempdir().unwrap();
        let (mut watch, path) = watch(folder.path());
        let mut look = || watch.may_be_written_at(NOW);
        assert_eq!([look(), look(), look()], [true, false, false]);
        let ago = |seconds| NOW - seconds;
        // The same length at another time, the log alone, and another file with the
        // same length and time.
        write(&path, "two", ago(60.0));
        assert_eq!([look(), look()], [true, false]);
        write(&folder.path().join("archive.db-wal"), "log", ago(50.0));
        assert_eq!([look(), look()], [true, false]);
        write(&folder.path().join("other"), "two", ago(60.0));
        fs::rename(folder.path().join("other"), &path).unwrap();
        assert_eq!([look(), look()], [true, false]);
        fs::remove_file(&path).unwrap();
        assert_eq!([look(), look()], [true, false]);
        write(&path, "two", ago(60.0));
        assert_eq!([look(), look()], [true, false]);
    }

    #[test]
    fn a_second_write_that_may_have_the_same_time_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (mut watch, path) = watch(folder.path());
        watch.may_be_written_at(NOW);
        write(&path, "two", NOW - 1.0);
        assert!(watch.may_be_written_at(NOW));
        write(&path, "six", NOW - 1.0);
        let mut look = |later| watch.may_be_written_at(NOW + later);
        assert_eq!([look(5.0), look(10.0)], [true, false]);
        // A time ahead of the clock is no help.
        write(&path, "ten", NOW + 3600.0);
        assert_eq!([look(15.0), look(20.0)], [true, true]);
    }

    #[test]
    fn what_could_not_be_read_is_looked_for_again() {
        let folder = tempfile::tempdir().unwrap();
        let (mut watch, _) = watch(folder.path());
        let store = Store {
            inner: Arc::clone(&watch.inner),
            door: Arc::new(super::super::door::Door::new(1)),
        };
        let mut look = || watch.may_be_written_at(NOW);
        assert_eq!([look(), look()], [true, false]);
        store.inner.is_unread.store(true, Ordering::Relaxed);
        assert_eq!([look(), look()], [true, false]);
    }

    #[test]
    fn an_archive_that_no_other_program_has_is_not_watched() {
        assert!(Store::in_memory().watch().is_none());
        assert!(Store::nowhere("no home").watch().is_none());
    }
}
