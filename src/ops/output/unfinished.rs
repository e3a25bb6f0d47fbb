//! Temporary files of which the content is not complete: what removes them if a signal ends the
//! program, and those that a killed program left.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// The temporary files of this program.
static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A younger file may not be locked yet by the program that has just made it, seconds.
const JUST_MADE_S: u64 = 1;
/// A file system without locks: an older file is left over, seconds.
const OLD_S: u64 = 3600;

fn paths() -> MutexGuard<'static, Vec<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file on the list, until it is dropped.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a temporary file. It is locked, so that other programs know that it is written.
    pub(super) fn begin(
        make: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<(NamedTempFile, Self)> {
        let mut paths = paths();
        let file = make()?;
        // Without locks, the age of a file decides.
        let _ = file.as_file().try_lock();
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

/// Removes temporary files of this name that a killed program left.
pub(super) fn remove_left_over(folder: &Path, name: &str) {
    let prefix = format!(".{name}.");
    let suffix = ".tmp";
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let entry_name = entry.file_name().to_string_lossy().into_owned();
        let is_temporary = entry_name
            .strip_prefix(&prefix)
            .and_then(|rest| rest.strip_suffix(suffix))
            .is_some_and(|rest| {
                rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
            });
        if is_temporary && is_left_over(&entry.path()) == Some(true) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// `true` if no program writes a temporary file any more; `None` if it cannot be read.
fn is_left_over(path: &Path) -> Option<bool> {
    let file = File::open(path).ok()?;
    let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    let is_free = file.try_lock().is_ok();
    Some(age.as_secs() >= if is_free { JUST_MADE_S } else { OLD_S })
}
