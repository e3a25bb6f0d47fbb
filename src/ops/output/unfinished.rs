//! Temporary files of which the content is not complete: what removes them if a signal ends the
//! program, and those that a killed program left.

// `tempfile` removes its file on drop, and a signal that ends the program runs no drop; nor does
// SIGKILL. A lock, and not the age alone, tells a file that another program still writes.

use std::collections::HashMap;
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
    /// Makes a temporary file.
    // It is locked, so that other programs know that it is written.
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

/// The temporary files of the folder that was looked through last: thousands of files that are
/// written into one folder look through it once.
static LAST: Mutex<Option<Temporaries>> = Mutex::new(None);

/// The temporary files in a folder, each below the name of the file that it was made for.
struct Temporaries {
    folder: PathBuf,
    by_name: HashMap<String, Vec<PathBuf>>,
}

impl Temporaries {
    fn new(folder: &Path) -> Self {
        let mut by_name: HashMap<String, Vec<PathBuf>> = HashMap::new();
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            if let Some(name) = made_for(&entry.file_name().to_string_lossy()) {
                by_name
                    .entry(name.to_owned())
                    .or_default()
                    .push(entry.path());
            }
        }
        Self {
            folder: folder.to_owned(),
            by_name,
        }
    }
}

/// The name of the file that a temporary file was made for: `.NAME.` and six letters before
/// `.tmp`.
fn made_for(name: &str) -> Option<&str> {
    let (name, random) = name
        .strip_prefix('.')?
        .strip_suffix(".tmp")?
        .rsplit_once('.')?;
    let is_random = random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_random.then_some(name)
}

/// Removes temporary files of this name that a killed program left.
pub(super) fn remove_left_over(folder: &Path, name: &str) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let known = last.take().filter(|known| known.folder == folder);
    let here = last.insert(known.unwrap_or_else(|| Temporaries::new(folder)));
    for path in here.by_name.remove(name).unwrap_or_default() {
        if is_left_over(&path) == Some(true) {
            let _ = std::fs::remove_file(path);
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
