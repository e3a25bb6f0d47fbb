//! The log, enabled by the setting `log`, in a file that only this user can read.
//! It has requests and their outcomes, never a token.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::os::clock::unix_now;
use crate::os::files::make_private_folder;
use crate::settings::{Places, Settings};

/// The log is rotated at this size, bytes, with one older log.
const LARGEST: u64 = 5 << 20;

/// An open log.
pub(super) struct Log {
    folder: PathBuf,
    file: Mutex<File>,
}

impl Log {
    /// The log, if the setting enables it.
    ///
    /// # Errors
    /// Why it cannot be opened; the program works without it.
    pub(super) fn open(settings: &Settings) -> Result<Option<Self>, String> {
        if !settings.log.is_written() {
            return Ok(None);
        }
        let Some(folder) = Places::new(&|name| std::env::var_os(name)).state() else {
            return Err("no log is written: HOME is unset, empty or relative".to_owned());
        };
        match open(&folder) {
            Ok(file) => Ok(Some(Self {
                folder,
                file: Mutex::new(file),
            })),
            Err(error) => Err(format!(
                "no log is written in {}: {error}",
                folder.display()
            )),
        }
    }

    /// Writes a line with the time before it.
    pub(super) fn line(&self, message: &str) {
        let time = crate::track::time::rfc3339(unix_now());
        let line = format!("{time} {}\n", crate::text::clean(message));
        let Ok(mut file) = self.file.lock() else {
            return;
        };
        // A dashboard may run for weeks: the size is checked at each line.
        if file.metadata().is_ok_and(|there| there.len() > LARGEST)
            && let Ok(next) = open(&self.folder)
        {
            *file = next;
        }
        // Nobody is there to hear that it cannot be written.
        let _ = file.write_all(line.as_bytes());
    }
}

fn open(folder: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    make_private_folder(folder)?;
    let path = folder.join("driftline.log");
    match std::fs::metadata(&path) {
        // A pipe that nobody reads would keep the program waiting.
        Ok(there) if !there.is_file() => {
            return Err(std::io::Error::other("it is no regular file"));
        }
        Ok(there) if there.len() > LARGEST => {
            std::fs::rename(&path, folder.join("driftline.log.1"))?;
        }
        _ => {}
    }
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata()?.permissions().mode();
        if mode & 0o077 != 0 {
            // It may be from before, or made by another program.
            file.set_permissions(std::fs::Permissions::from_mode(mode & 0o700))?;
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_full_is_turned_over_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log {
            folder: folder.path().to_owned(),
            file: Mutex::new(open(folder.path()).unwrap()),
        };
        let message = "w".repeat(1 << 20);
        for _ in 0..13 {
            log.line(&message);
        }
        let sizes: Vec<u64> = ["driftline.log", "driftline.log.1"]
            .map(|name| std::fs::metadata(folder.path().join(name)).unwrap().len())
            .into();
        assert!(
            sizes.iter().all(|size| *size < LARGEST + (2 << 20)),
            "{sizes:?}"
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
