//! The lock by which the programs on an archive file see that a request of the plant log is
//! being sent: a file next to the archive, locked as long as the program that sends lives.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A locked file, removed on drop. The system frees the lock of a program that was killed;
/// the file is left then, and means nothing.
#[derive(Debug)]
pub(super) struct SendLock {
    path: PathBuf,
    /// It keeps the lock.
    _file: File,
}

impl SendLock {
    /// Creates the file and locks it.
    pub(super) fn take(path: PathBuf) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let file = options.open(&path)?;
        // A file system without locks must not stop the request: its line reads as unknown
        // while it is sent, which claims no more than is known.
        let _ = file.lock();
        Ok(Self { path, _file: file })
    }
}

impl Drop for SendLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// `true` if a program that lives has the lock.
pub(super) fn is_held(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}
