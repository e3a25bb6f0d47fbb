//! The archive's files in the file system: their state, which differs after a write, and the
//! log of a file that was replaced.

use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

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
