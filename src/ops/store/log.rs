//! The log of an archive file that was replaced.

use std::path::Path;
use std::sync::Mutex;

use crate::files::{identity, with_suffix};

/// The identity of the log of an archive file, if there is one.
fn log_identity(path: &Path) -> Option<(u64, u64)> {
    identity(&std::fs::metadata(with_suffix(path, "-wal")).ok()?)
}

/// The log of the archive as it was before the file was replaced, for example by a restored
/// copy. SQLite would play the old log into the new file.
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
