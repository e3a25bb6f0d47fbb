//! Writes files atomically.

mod descriptor;
mod waiting;

pub(crate) use waiting::Waiting;

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, FailureKind};

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WriteError {
    /// The file exists and must not be replaced.
    Exists(Failure),
    /// Any other failure.
    Failed(Failure),
}

impl From<Failure> for WriteError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Exists(failure) | WriteError::Failed(failure) => failure,
        }
    }
}

/// The kind of object at the output path.
enum Target {
    /// An open file of this process: written to at its current position.
    Open(i32),
    /// Nothing, or a regular file, which the new file replaces atomically.
    Replace(PathBuf),
    /// A device or a pipe, which is written directly.
    Into(PathBuf),
}

/// Writes a file atomically: a temporary file beside it replaces it after all
/// data is on the disk, so that a failure changes nothing. A symbolic link is
/// followed, a device or pipe is written directly, and the mode of an existing
/// file is preserved.
///
/// # Errors
/// [`WriteError::Exists`] for an existing file, without `replace`;
/// [`FailureKind::Usage`] for a folder; [`FailureKind::Other`] with the step
/// that failed; any failure of `content`.
pub(crate) fn write_file(
    path: &Path,
    replace: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), WriteError> {
    match target(path, replace)? {
        Target::Open(number) => {
            let file = descriptor::open(number).map_err(|error| failed("opening", path, &error))?;
            write_into(file, path, content)
        }
        Target::Into(path) => {
            let file = OpenOptions::new()
                .write(true)
                .open(&path)
                .map_err(|error| failed("opening", &path, &error))?;
            write_into(file, &path, content)
        }
        Target::Replace(path) => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            let name = left_over_name(&path);
            remove_left_over(folder, &name);
            let there = mode(&path);
            // The temporary file has a hidden, random name and is removed on an
            // error.
            let mut builder = tempfile::Builder::new();
            let prefix = format!(".{name}.");
            builder.prefix(&prefix).suffix(".tmp");
            if there.is_none() {
                // The usual mode of a new file, to which the umask applies.
                like_any_new_file(&mut builder);
            }
            let temporary = builder
                .tempfile_in(folder)
                .map_err(|error| failed("making a temporary file for", &path, &error))?;
            {
                let mut out = BufWriter::with_capacity(1 << 16, temporary.as_file());
                content(&mut out)?;
                out.flush()
                    .map_err(|error| failed("writing", &path, &error))?;
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
                .map_err(|error| failed("putting in place", &path, &error.error))?;
            sync_folder(folder);
            Ok(())
        }
    }
}

/// Writes into what is open, waiting where it does not block.
fn write_into(
    file: File,
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), WriteError> {
    let mut out = BufWriter::with_capacity(1 << 16, Waiting(file));
    content(&mut out)?;
    out.flush()
        .map_err(|error| failed("writing", path, &error))?;
    Ok(())
}

fn target(path: &Path, replace: bool) -> Result<Target, WriteError> {
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
        return Err(Failure::usage(format!(
            "{} is a folder: name a file",
            crate::text::clean(&path.display().to_string())
        ))
        .into());
    }
    if !metadata.is_file() {
        return Ok(Target::Into(path.to_owned()));
    }
    if !replace {
        return Err(WriteError::Exists(Failure::usage(format!(
            "{} is there already",
            crate::text::clean(&path.display().to_string())
        ))));
    }
    if metadata.permissions().readonly() {
        let error = io::Error::from(io::ErrorKind::PermissionDenied);
        return Err(failed("writing", path, &error).into());
    }
    let end = std::fs::canonicalize(path).map_err(|error| failed("looking at", path, &error))?;
    Ok(Target::Replace(end))
}

/// The last target of symbolic links, which does not exist. The number of links
/// is bounded: for more than its limit the system has already reported a loop.
fn end_of_links(path: &Path) -> PathBuf {
    let mut end = path.to_owned();
    for _ in 0..40 {
        let Ok(link) = std::fs::read_link(&end) else {
            break;
        };
        end = end.parent().unwrap_or(Path::new("")).join(link);
    }
    end
}

/// The mode of the file to replace.
fn mode(path: &Path) -> Option<Permissions> {
    let there = std::fs::metadata(path).ok()?;
    Some(there.permissions())
}

#[cfg(unix)]
fn like_any_new_file(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn like_any_new_file(_builder: &mut tempfile::Builder<'_, '_>) {}

/// Prefix of the names of a file's temporary files: the file's own name,
/// shortened so that the whole name stays within the limit of file systems (255
/// bytes).
fn left_over_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut end = name.len().min(200);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or_default().to_owned()
}

/// Removes temporary files of a killed export of this name if they are older
/// than an hour; a newer one may belong to a running export.
fn remove_left_over(folder: &Path, name: &str) {
    let (prefix, suffix) = (format!(".{name}."), ".tmp");
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let entry_name = entry.file_name().to_string_lossy().into_owned();
        let random = entry_name
            .strip_prefix(&prefix)
            .and_then(|rest| rest.strip_suffix(suffix))
            .is_some_and(|rest| {
                rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
            });
        let old = || {
            let modified = entry.metadata().ok()?.modified().ok()?;
            Some(modified.elapsed().ok()?.as_secs() > 3600)
        };
        if random && old() == Some(true) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Syncs a folder: a file's new name is permanent only after that. A folder
/// that cannot be opened is skipped, as nothing else can be done.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

fn failed(step: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!(
            "{step} {} failed: {error}",
            crate::text::clean(&path.display().to_string())
        ),
        "Nothing that was there has been changed. Choose another place, or make room.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &'static str) -> impl FnOnce(&mut dyn Write) -> Result<(), Failure> {
        move |out| {
            out.write_all(text.as_bytes())
                .map_err(|e| Failure::new(FailureKind::Other, e.to_string(), ""))
        }
    }

    #[test]
    fn a_failure_leaves_what_was_there_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("track.csv");
        write_file(&path, false, content("old")).unwrap();
        let broken = |out: &mut dyn Write| {
            out.write_all(b"half").unwrap();
            Err(Failure::new(FailureKind::Other, "it broke", ""))
        };
        assert_eq!(
            Failure::from(write_file(&path, true, broken).unwrap_err()).reason,
            "it broke"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_replaced_only_when_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("track.csv");
        write_file(&path, false, content("one")).unwrap();
        assert_eq!(
            Failure::from(write_file(&path, false, content("two")).unwrap_err()).kind,
            FailureKind::Usage
        );
        write_file(&path, true, content("two")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(
            Failure::from(write_file(folder.path(), true, content("x")).unwrap_err()).kind,
            FailureKind::Usage
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_modes_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        write_file(&link, true, content("new")).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(
            std::fs::metadata(&real).unwrap().permissions().mode() & 0o777,
            0o640
        );
        let dangling = folder.path().join("dangling");
        symlink("later", &dangling).unwrap();
        write_file(&dangling, false, content("there")).unwrap();
        assert_eq!(
            std::fs::read_to_string(folder.path().join("later")).unwrap(),
            "there"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_chain_of_links_is_followed_to_its_end_and_a_loop_is_told() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("deep")).unwrap();
        symlink("deep/second", at("first")).unwrap();
        symlink("../third", at("deep/second")).unwrap();
        symlink("end", at("third")).unwrap();
        write_file(&at("first"), false, content("there")).unwrap();
        assert_eq!(std::fs::read_to_string(at("end")).unwrap(), "there");
        for link in ["first", "deep/second", "third"] {
            assert!(std::fs::symlink_metadata(at(link)).unwrap().is_symlink());
        }
        symlink("round", at("round")).unwrap();
        let told = write_file(&at("round"), true, content("x")).unwrap_err();
        assert_eq!(Failure::from(told).kind, FailureKind::Other);
        assert!(std::fs::symlink_metadata(at("round")).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_mode_of_any_new_file_and_nothing_is_beside_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| {
            let there = std::fs::metadata(folder.path().join(name)).unwrap();
            there.permissions().mode() & 0o7777
        };
        std::fs::write(folder.path().join("plain"), "x").unwrap();
        write_file(&folder.path().join("ours"), false, content("x")).unwrap();
        assert_eq!(mode("ours"), mode("plain"));
        // The longest possible name.
        let long = "\u{e9}".repeat(127) + "x";
        write_file(&folder.path().join(&long), false, content("x")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn what_an_export_that_was_killed_left_is_removed_once_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let (old, young) = (".track.csv.aB3dE6.tmp", ".track.csv.young1.tmp");
        let other = ".track.csv.bak.tmp";
        for name in [old, young, other] {
            std::fs::write(folder.path().join(name), "half").unwrap();
        }
        let hours_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
        for name in [old, other] {
            let file = File::options().write(true).open(folder.path().join(name));
            file.unwrap().set_modified(hours_ago).unwrap();
        }
        write_file(&folder.path().join("track.csv"), false, content("x")).unwrap();
        let there = |name: &str| folder.path().join(name).exists();
        assert_eq!(
            (there(old), there(young), there(other)),
            (false, true, true)
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_into() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap())
        };
        write_file(&pipe, true, content("through")).unwrap();
        assert_eq!(reader.join().unwrap(), "through");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_into_and_stays_a_device() {
        use std::os::unix::fs::FileTypeExt;
        write_file(Path::new("/dev/null"), true, content("gone")).unwrap();
        assert!(
            std::fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
        let full = write_file(Path::new("/dev/full"), true, content("no room"));
        assert_eq!(Failure::from(full.unwrap_err()).kind, FailureKind::Other);
    }
}
