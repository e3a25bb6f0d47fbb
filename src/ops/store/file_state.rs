//! The state of the archive's files in the file system, by which writes are told apart.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The coarsest time stamps of files that are in use, seconds (FAT has them): two
/// writes within this time may leave the same one.
const COARSEST_S: f64 = 2.0;

/// A file as the file system has it. It differs after a write, but for two within
/// [`COARSEST_S`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    /// The identity, which tells the file from another in its place.
    identity: Identity,
    length: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    /// `true` if the other is the same file, whatever was written to it meanwhile.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
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

pub(super) fn states(path: &Path) -> FileStates {
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

/// `true` if a write at `now` (UNIX seconds) leaves other time stamps. One ahead of the
/// clock says nothing.
pub(super) fn are_settled(states: &FileStates, now: f64) -> bool {
    states.iter().flatten().all(|state| {
        let modified = state
            .modified
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        modified.is_some_and(|modified| now - modified.as_secs_f64() > COARSEST_S)
    })
}
