//! Writes files atomically.

mod descriptor;
mod unfinished;

pub(crate) use descriptor::Waiting;
pub(crate) use unfinished::remove_unfinished;

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, WriteError};
use crate::os::files::{end_of_links, sync_folder};
use crate::text;
use unfinished::Unfinished;

/// The path that a file is written to.
#[derive(Clone, Copy)]
pub(crate) struct Destination<'a> {
    pub path: &'a Path,
    pub kind: FileKind,
}

/// The files that an output may replace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A file that a user named in a command: an existing one is replaced, and a pipe without a
    /// reader is waited for, which is said on standard error.
    Named,
    /// A file that is written without waiting: a pipe is refused, and a file that exists.
    New,
    /// The same; an existing file is replaced.
    Replaced,
    /// The same; a new file is readable by its owner only.
    Private,
}

impl<'a> Destination<'a> {
    /// A path for a file of this kind.
    pub(crate) fn new(path: &'a Path, kind: FileKind) -> Self {
        Self { path, kind }
    }
}

/// Writes bytes as a file.
///
/// # Errors
/// As [`write_file`].
pub(crate) fn write_bytes(destination: &Destination<'_>, bytes: &[u8]) -> Result<(), WriteError> {
    write_file(destination, |out| Ok(out.write_all(bytes)?))
}

/// Why the content of a file was not written.
#[derive(Debug)]
pub(crate) enum ContentError {
    /// Writing failed.
    Io(io::Error),
    /// There is no content.
    Failed(Failure),
}

impl From<io::Error> for ContentError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl ContentError {
    /// The failure to write the file at a path.
    fn for_file(self, path: &Path) -> Failure {
        match self {
            Self::Io(error) => failed("writing", path, &error),
            Self::Failed(failure) => failure,
        }
    }
}

/// The kind of object at the output path.
enum Target {
    /// An open file of this process: written to at its current position.
    Open(i32),
    /// Nothing, or a regular file, which the new file replaces atomically.
    Replace(PathBuf),
    /// A device, or a pipe, which opens once a program reads from it: written directly.
    Into(PathBuf),
}

/// Writes a file atomically: a temporary file in its folder replaces it after all
/// data is on the disk, so that a failure changes nothing. A symbolic link is
/// followed, a device or pipe is written directly, and the mode of an existing
/// file is preserved.
///
/// # Errors
/// [`WriteError::Exists`] for an existing file where a new one is meant;
/// `FailureKind::Usage` for a folder, and for a pipe that is not waited for;
/// `FailureKind::Other` with the step that failed; any failure of `content`.
pub(crate) fn write_file(
    destination: &Destination<'_>,
    content: impl FnOnce(&mut dyn Write) -> Result<(), ContentError>,
) -> Result<(), WriteError> {
    let Destination { path, kind } = *destination;
    match target(path, kind)? {
        Target::Open(number) => {
            let file = descriptor::open(number).map_err(|error| failed("opening", path, &error))?;
            write_into(file, path, content)
        }
        Target::Into(path) => {
            let opened = OpenOptions::new().write(true).open(&path);
            let file = opened.map_err(|error| failed("opening", &path, &error))?;
            write_into(file, &path, content)
        }
        Target::Replace(path) => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            let name = start_of_name(&path);
            // The mode of the file to replace.
            let there = std::fs::metadata(&path).map(|there| there.permissions());
            let there = there.ok();
            // The temporary file has a hidden, random name and is removed on an
            // error.
            let mut builder = tempfile::Builder::new();
            let prefix = format!(".{name}.");
            builder.prefix(&prefix).suffix(".tmp");
            if there.is_none() && kind != FileKind::Private {
                // The usual mode of a new file, to which the umask applies.
                like_any_new_file(&mut builder);
            }
            let made = Unfinished::begin(|| builder.tempfile_in(folder));
            let (temporary, _unfinished) =
                made.map_err(|error| failed("making a temporary file for", &path, &error))?;
            {
                let mut out = BufWriter::with_capacity(1 << 16, temporary.as_file());
                let written = content(&mut out).and_then(|()| Ok(out.flush()?));
                written.map_err(|error| error.for_file(&path))?;
            }
            let file = temporary.as_file();
            if let Some(there) = there {
                file.set_permissions(there)
                    .map_err(|error| failed("setting the mode of", &path, &error))?;
            }
            file.sync_all()
                .map_err(|error| failed("writing", &path, &error))?;
            temporary
                .persist(&path)
                .map_err(|error| failed("renaming the temporary file to", &path, &error.error))?;
            // Not every file system can do it.
            let _ = sync_folder(folder);
            Ok(())
        }
    }
}

#[cfg(unix)]
fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_metadata: &std::fs::Metadata) -> bool {
    false
}

/// Writes into an open file, and waits if it does not block. A reader that has closed has what it
/// wants: the rest is not an error.
fn write_into(
    file: File,
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> Result<(), ContentError>,
) -> Result<(), WriteError> {
    let mut out = BufWriter::with_capacity(1 << 16, UntilClosed(Waiting(file)));
    let written = content(&mut out).and_then(|()| Ok(out.flush()?));
    Ok(written.map_err(|error| error.for_file(path))?)
}

/// A writer that takes what its reader, which has closed, does not read.
struct UntilClosed<W>(W);

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn target(path: &Path, kind: FileKind) -> Result<Target, WriteError> {
    if let Some(number) = descriptor::named_by(path) {
        return Ok(Target::Open(number));
    }
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link to a missing file is followed, too.
            let end = end_of_links(path);
            return Ok(Target::Replace(end));
        }
        Err(error) => return Err(failed("looking at", path, &error).into()),
    };
    if metadata.is_dir() {
        return Err(
            Failure::usage(format!("{} is a folder: name a file", text::path(path))).into(),
        );
    }
    if is_pipe(&metadata) && kind != FileKind::Named {
        return Err(Failure::usage(format!("{} is a pipe", text::path(path)))
            .with_hint("Give the path of a file. `driftline track --output` writes into a pipe.")
            .into());
    }
    if !metadata.is_file() {
        return Ok(Target::Into(path.to_owned()));
    }
    if kind == FileKind::New {
        return Err(WriteError::Exists(Failure::usage(format!(
            "{} is there already",
            text::path(path)
        ))));
    }
    if metadata.permissions().readonly() {
        let error = io::Error::from(io::ErrorKind::PermissionDenied);
        return Err(failed("writing", path, &error).into());
    }
    let end = std::fs::canonicalize(path).map_err(|error| failed("looking at", path, &error))?;
    Ok(Target::Replace(end))
}

#[cfg(unix)]
fn like_any_new_file(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn like_any_new_file(_builder: &mut tempfile::Builder<'_, '_>) {}

/// Prefix of the names of a file's temporary files: the file's own name,
/// shortened so that the whole name stays within the limit of file systems (255
/// bytes).
fn start_of_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut end = name.len().min(200);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or_default().to_owned()
}

/// Why writing failed, with the message of the system.
pub(crate) fn why(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => format!("the disk is full ({error})"),
        io::ErrorKind::QuotaExceeded => format!("the disk quota is used up ({error})"),
        _ => error.to_string(),
    }
}

/// A hint for a file that cannot be written.
pub(crate) fn what_to_do(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "Choose another path, or make room."
        }
        io::ErrorKind::PermissionDenied => "Choose another path, or change the permissions.",
        _ => "Choose another path.",
    }
}

fn failed(step: &str, path: &Path, error: &io::Error) -> Failure {
    let without_folder = matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    );
    let (reason, what_to_do) = match missing_folder(path).filter(|_| without_folder) {
        None => (
            format!("{step} {} failed: {}", text::path(path), why(error)),
            what_to_do(error),
        ),
        Some(folder) if folder.exists() => (
            format!(
                "{} cannot be written: {} is not a folder",
                text::path(path),
                text::path(folder)
            ),
            "Choose another path.",
        ),
        Some(folder) => (
            format!(
                "{} cannot be written: the folder {} does not exist",
                text::path(path),
                text::path(folder)
            ),
            "Make the folder, or correct the path.",
        ),
    };
    Failure::other(reason).with_hint(format!(
        "Nothing that was there has been changed. {what_to_do}"
    ))
}

/// The first part of the path to a file that is not a folder, or is missing.
fn missing_folder(path: &Path) -> Option<&Path> {
    let folders = path.ancestors().skip(1);
    folders
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        .last()
}

#[cfg(test)]
mod tests;
