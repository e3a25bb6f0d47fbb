//! Temporary files of which the content is not complete.

// `tempfile` removes its file on drop, and a signal that ends the program runs no drop.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// The temporary files of this program.
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file on the list, until it is dropped.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a temporary file.
    pub(super) fn begin(
        make: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<(NamedTempFile, Self)> {
        let mut paths = paths();
        let file = make()?;
        paths.push(file.path().to_owned());
        let unfinished = Self(file.path().to_owned());
        Ok((file, unfinished))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        paths().retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of this program, which ends. No other is begun.
pub(crate) fn remove_unfinished() {
    let paths = paths();
    for path in paths.iter() {
        let _ = std::fs::remove_file(path);
    }
    std::mem::forget(paths);
}
