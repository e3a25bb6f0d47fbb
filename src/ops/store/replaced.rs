//! The log of an archive file in whose place another file was put, such as a copy that
//! is restored. SQLite would play the old log into the new file.

use std::path::Path;
use std::sync::Mutex;

use super::file_state::{FileStates, states};

/// The files of the archive, as they were while it was open and in its place.
#[derive(Debug, Default)]
pub(super) struct OpenFiles(Mutex<Option<FileStates>>);

impl OpenFiles {
    /// Notes the files of an archive that is open and in its place.
    pub(super) fn note(&self, path: &Path) {
        if let Ok(mut known) = self.0.lock() {
            *known = Some(states(path));
        }
    }

    /// Renames the log, and removes its index, where they are still those of the file
    /// that was replaced. Its connection must have ended.
    pub(super) fn set_old_log_aside(&self, path: &Path, now: f64) {
        let known = self.0.lock().ok().and_then(|mut known| known.take());
        let (Some([_, Some(before)]), [Some(_), Some(log)]) = (known, states(path)) else {
            return;
        };
        if !before.is_same_file(&log) {
            return;
        }
        let beside = |end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            name
        };
        // What fails here is told by what opens the file next.
        let aside = beside(&format!(".replaced-{now:.0}-wal"));
        if std::fs::rename(beside("-wal"), aside).is_ok() {
            let _ = std::fs::remove_file(beside("-shm"));
        }
    }
}
