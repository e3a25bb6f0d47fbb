//! The log, enabled by `DRIFTLINE_LOG`, in a file that only this user can read.
//! It has requests and their outcomes, never a token.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::clock::unix_now;
use crate::settings::Places;

/// The log is rotated at this size, bytes; one older log is kept.
const LARGEST: u64 = 5 << 20;

/// An open log.
pub(super) struct Log {
    folder: PathBuf,
    open: Mutex<Open>,
}

struct Open {
    file: File,
    /// Its size, bytes.
    size: u64,
}

impl Log {
    /// The log, if `DRIFTLINE_LOG` enables it. If it cannot be opened, the
    /// program works without it.
    pub(super) fn open() -> Option<Self> {
        let filter = std::env::var("DRIFTLINE_LOG")
            .ok()
            .filter(|filter| !filter.is_empty())?;
        if filter == "off" || filter == "error" {
            return None;
        }
        let folder = Places::new(&|name| std::env::var_os(name)).state();
        let open = Mutex::new(open(&folder).ok()?);
        Some(Self { folder, open })
    }

    /// Writes a line with the time before it.
    pub(super) fn line(&self, message: &str) {
        let time = crate::track::time::rfc3339(unix_now());
        let line = format!("{time} {}\n", crate::text::clean(message));
        let Ok(mut log) = self.open.lock() else {
            return;
        };
        // A dashboard may run for weeks: the size is checked at each line.
        if log.size > LARGEST
            && let Ok(next) = open(&self.folder)
        {
            *log = next;
        }
        if log.file.write_all(line.as_bytes()).is_ok() {
            log.size += u64::try_from(line.len()).unwrap_or(u64::MAX);
        }
    }
}

fn open(folder: &Path) -> std::io::Result<Open> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        builder.mode(0o700);
        options.mode(0o600);
    }
    if !folder.is_dir() {
        builder.create(folder)?;
    }
    let path = folder.join("driftline.log");
    if std::fs::metadata(&path).is_ok_and(|log| log.len() > LARGEST) {
        std::fs::rename(&path, folder.join("driftline.log.1"))?;
    }
    let file = options.open(path)?;
    let size = file.metadata()?.len();
    Ok(Open { file, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_full_is_turned_over_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log {
            folder: folder.path().to_owned(),
            open: Mutex::new(open(folder.path()).unwrap()),
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
