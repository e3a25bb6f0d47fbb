//! The log: asked for by `DRIFTLINE_LOG`, in a file of this user alone. It
//! holds requests and their outcomes, never a token.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use crate::runtime;
use crate::settings::Places;

/// A log is turned over at this size, in bytes; one older is kept.
const LARGEST: u64 = 5 << 20;

/// An open log.
pub(super) struct Log {
    file: Mutex<File>,
}

impl Log {
    /// The log, if `DRIFTLINE_LOG` asks for one. Where it cannot be opened the
    /// program works without.
    pub(super) fn open() -> Option<Self> {
        let filter = std::env::var("DRIFTLINE_LOG")
            .ok()
            .filter(|filter| !filter.is_empty())?;
        if filter == "off" || filter == "error" {
            return None;
        }
        let folder = Places::new(&|name| std::env::var_os(name)).state();
        Some(Self {
            file: Mutex::new(open(&folder).ok()?),
        })
    }

    /// Writes a line with the time before it.
    pub(super) fn line(&self, words: &str) {
        let time = crate::ops::time::rfc3339(runtime::now());
        if let Ok(mut file) = self.file.lock() {
            let _ = writeln!(file, "{time} {}", crate::ops::text::clean(words));
        }
    }
}

fn open(folder: &Path) -> std::io::Result<File> {
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
    options.open(path)
}
