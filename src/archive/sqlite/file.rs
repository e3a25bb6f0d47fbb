//! The archive file: its path, its permissions and its identity.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, utf8_percent_encode};

use crate::archive::error::ArchiveError;
use crate::os::files::{end_of_links, identity, make_private_folder, sync_folder, with_suffix};

/// The absolute path of a file, with its symbolic links followed. SQLite gives `:memory:`
/// and `file:…` a special meaning, the program may change its working folder, and the log
/// is in the folder of the file, not of a link to it.
pub(in crate::archive) fn resolved(path: &Path) -> io::Result<PathBuf> {
    let end = end_of_links(&std::path::absolute(path)?);
    if end.is_symlink() {
        return Err(io::Error::other("its symbolic links lead in a circle"));
    }
    Ok(end)
}

/// `true` if a regular file exists.
// Other kinds are errors: opening a pipe would block the program.
pub(super) fn is_there(path: &Path) -> io::Result<bool> {
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() => Ok(true),
        Ok(_) => Err(io::Error::other("it is no regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// `true` if the disk of a file has less room than SQLite takes at once.
#[cfg(unix)]
pub(in crate::archive) fn is_disk_full(path: &Path) -> bool {
    /// The index of the log grows by this many bytes.
    const STEP: u64 = 32 << 10;
    let folder = path.parent().unwrap_or(Path::new("."));
    rustix::fs::statvfs(folder).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < STEP)
}

#[cfg(not(unix))]
pub(in crate::archive) fn is_disk_full(_path: &Path) -> bool {
    false
}

/// Creates the missing file and folder with private permissions from the start
/// (SQLite gives its log the same).
pub(super) fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent()
        && !folder.is_dir()
    {
        make_private_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map(|_| ())
}

/// The size of a file, bytes. An archive is created atomically, so an empty one was emptied
/// by something else.
pub(super) fn size(path: &Path) -> io::Result<u64> {
    Ok(std::fs::metadata(path)?.len())
}

/// `true` if a file has a log with content, or the journal of an interrupted commit: SQLite
/// rolls the commit back before it reads, which needs permission to write.
pub(super) fn has_log(path: &Path) -> bool {
    has_content(path, "-wal") || has_journal(path)
}

/// `true` if a file has the journal of an interrupted commit.
pub(super) fn has_journal(path: &Path) -> bool {
    has_content(path, "-journal")
}

/// `true` if a file has an empty log.
pub(super) fn has_empty_log(path: &Path) -> bool {
    size(&with_suffix(path, "-wal")).is_ok_and(|size| size == 0)
}

/// Creates a missing file: `fill` writes a temporary file in its folder, which then gets its
/// name. If another process does the same at the same time, one of the files remains.
pub(super) fn create(
    path: &Path,
    failed: &impl Fn(io::Error) -> ArchiveError,
    fill: impl FnOnce(&Path) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    if !folder.is_dir() {
        make_private_folder(folder).map_err(failed)?;
    }
    let Ok(temporary) = tempfile::Builder::new()
        .prefix(".archive-")
        .suffix(".new")
        .tempfile_in(folder)
    else {
        // The system's message should be about the file itself.
        return make(path).map_err(failed);
    };
    fill(temporary.path())?;
    match temporary.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
        // A file system that can neither link nor rename without replacing.
        Err(_) => make(path).map_err(failed)?,
    }
    // Else a power cut could undo the name after the first commit.
    sync_folder(folder).map_err(failed)
}

/// Removes the permissions of other users from a file that is known to be an archive.
// It is not opened for this: closing it would end the locks that other connections of this
// process hold on it (POSIX, fcntl).
#[cfg(unix)]
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    match std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700)) {
        // The file belongs to another user, who shares it with this one.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
pub(super) fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// The identity of the file at a path; `None` if the system reports none.
pub(super) fn identity_at(path: &Path) -> Option<(u64, u64)> {
    identity(&std::fs::metadata(path).ok()?)
}

fn has_content(path: &Path, suffix: &str) -> bool {
    size(&with_suffix(path, suffix)).is_ok_and(|size| size > 0)
}

/// URI for an immutable file, which SQLite reads without the locks and the log
/// that need a writable folder; `None` if a log is left over.
pub(super) fn unchanging(path: &Path) -> Option<String> {
    // A left-over log has commits that the file lacks; a journal has the content that an
    // interrupted commit has overwritten.
    if has_log(path) {
        return None;
    }
    const NOT_OF_A_PATH: &AsciiSet = &percent_encoding::CONTROLS.add(b'%').add(b'?').add(b'#');
    let path = utf8_percent_encode(path.to_str()?, NOT_OF_A_PATH);
    Some(format!("file:{path}?immutable=1"))
}
