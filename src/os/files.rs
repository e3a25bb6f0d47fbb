//! Files of the disk: their content, links, identity and folders.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::text;

/// The content of a regular file of at most `most` bytes.
///
/// # Errors
/// When it cannot be read, is another kind of file, or is larger.
// Reading a pipe would block the program, and a device may have no end.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    read_at_most(File::open(path)?, most)
}

/// All that can be read from `input`, if that is at most `most` bytes.
///
/// # Errors
/// When it cannot be read, or is more.
pub(crate) fn read_at_most(input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let most = text::bytes(most);
        let fault = format!("it is larger than {most}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, fault));
    }
    Ok(bytes)
}

/// The path that the symbolic links of a path lead to, whether it exists or not; a link if
/// they lead in a circle.
pub(crate) fn end_of_links(path: &Path) -> PathBuf {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut end = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = std::fs::read_link(&end) else {
            break;
        };
        end = end.parent().unwrap_or(Path::new("")).join(link);
    }
    end
}

/// The first symbolic link on the path of a file (which may be a link itself) whose target
/// is missing, with that target.
pub(crate) fn link_away(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let path = std::path::absolute(path).ok()?;
    let mut links: Vec<&Path> = path.ancestors().collect();
    links.reverse();
    links.into_iter().find_map(|link| {
        let written = std::fs::read_link(link).ok()?;
        let is_missing = |error: io::Error| matches!(error.kind(), io::ErrorKind::NotFound);
        let is_away = std::fs::metadata(link).is_err_and(is_missing);
        let target = link
            .parent()
            .map_or(written.clone(), |folder| folder.join(written));
        is_away.then(|| (link.to_owned(), target))
    })
}

/// A path with a suffix after its name, such as that of a log.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The identity of a file as long as it exists: its device and its number there.
#[cfg(unix)]
pub(crate) fn identity(there: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((there.dev(), there.ino()))
}

/// The identity of a file as long as it exists: when it was created, seconds and nanoseconds.
#[cfg(not(unix))]
pub(crate) fn identity(there: &Metadata) -> Option<(u64, u64)> {
    let since = there
        .created()
        .ok()?
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    Some((since.as_secs(), since.subsec_nanos().into()))
}

/// Makes a folder, and the folders above it, that only its user may enter.
///
/// # Errors
/// When that fails.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes the names of the files in a folder to the disk: otherwise a power cut could undo
/// that of a new file.
///
/// # Errors
/// When that fails.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
