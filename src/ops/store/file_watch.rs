//! The detection of writes to the archive by other programs, without opening it, by two
//! calls of the file system.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::files::{FileStates, are_settled, states};
use super::{Inner, Place, Store};
use crate::clock::unix_now;

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
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

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
