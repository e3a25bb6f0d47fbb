//! Whether another program may have written to the archive, found without opening
//! it: a look costs two questions to the file system.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Inner, Place, Store};
use crate::clock::unix_now;

/// The coarsest time stamps of files that are in use, seconds (FAT has them): two
/// writes within this time may leave the same one.
const COARSEST_S: f64 = 2.0;

/// A file as the file system has it. It differs after a write, but for two within
/// [`COARSEST_S`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    /// What tells the file from another in its place.
    identity: Identity,
    length: u64,
    modified: Option<SystemTime>,
}

/// Device and number of a file.
#[cfg(unix)]
type Identity = (u64, u64);

/// When a file was made, where the file system tells.
#[cfg(not(unix))]
type Identity = Option<SystemTime>;

#[cfg(unix)]
fn identity(there: &std::fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn identity(there: &std::fs::Metadata) -> Identity {
    there.created().ok()
}

/// The states of an archive's file and of its log, each none where there is no such
/// file.
pub(super) type FileStates = [Option<FileState>; 2];

fn states(path: &Path) -> FileStates {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let state = |path: &Path| {
        let there = std::fs::metadata(path).ok()?;
        Some(FileState {
            identity: identity(&there),
            length: there.len(),
            modified: there.modified().ok(),
        })
    };
    [state(path), state(Path::new(&log))]
}

/// The states of an archive's file and of its log at `now` (UNIX seconds), where the
/// next write leaves others.
pub(super) fn settled_states(path: &Path, now: f64) -> Option<FileStates> {
    Some(states(path)).filter(|states| are_settled(states, now))
}

/// Whether a write at `now` (UNIX seconds) leaves other time stamps. One ahead of the
/// clock says nothing.
fn are_settled(states: &FileStates, now: f64) -> bool {
    states.iter().flatten().all(|state| {
        let modified = state
            .modified
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        modified.is_some_and(|modified| now - modified.as_secs_f64() > COARSEST_S)
    })
}

/// Looks at intervals whether another program may have written to the archive.
#[derive(Debug)]
pub(crate) struct ArchiveWatch {
    inner: Arc<Inner>,
    /// What was there at the last look; none before the first, and where the next
    /// write could not be told from the last.
    seen: Option<FileStates>,
}

impl ArchiveWatch {
    /// Whether the archive may have been written to since the last look, or could
    /// not be read after it. A server is not asked: it always may.
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
    /// What looks whether another program has written; none where no other can.
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
        };
        let mut look = || watch.may_be_written_at(NOW);
        assert_eq!([look(), look()], [true, false]);
        store.look_again();
        assert_eq!([look(), look()], [true, false]);
    }

    #[test]
    fn an_archive_that_no_other_program_has_is_not_watched() {
        assert!(Store::in_memory().watch().is_none());
        assert!(Store::nowhere("no home").watch().is_none());
    }
}
