//! A separate home folder for every run, and an environment without anything of
//! the computer: no proxy, no certificates, no bus, no settings.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The program under test.
pub(crate) const DRIFTLINE: &str = env!("CARGO_BIN_EXE_driftline");

/// A private home directory with its XDG folders, removed when dropped.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Home {
        let folder = tempfile::Builder::new()
            .prefix("driftline-home-")
            .tempdir()
            .unwrap();
        Home { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A path inside the home; nothing is created.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Makes the answers in the archive a day older, so that all that is watched is due.
    pub(crate) fn let_a_day_pass(&self) {
        let archive = self.file(".local/share/driftline/archive.db");
        if archive.exists() {
            let archive = rusqlite::Connection::open(archive).unwrap();
            let older = [
                "UPDATE fetch SET at = at - 86400",
                "UPDATE unreached SET again = again - 86400",
                "UPDATE alarm_event SET claimed_until = claimed_until - 86400",
            ];
            for older in older {
                // It may have been killed before there were tables.
                drop(archive.execute(older, []));
            }
        }
    }

    /// Writes a file inside the home, with the folders above it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The whole environment of a run.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut pairs = vec![
            ("HOME".into(), self.path().into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("TERM".into(), "xterm-256color".into()),
            // Nothing listens here, so that the session bus of the computer is
            // not used.
            ("DBUS_SESSION_BUS_ADDRESS".into(), "disabled:".into()),
        ];
        for (variable, folder) in [
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_CACHE_HOME", ".cache"),
            ("XDG_RUNTIME_DIR", ".run"),
        ] {
            pairs.push((variable.into(), self.file(folder).into()));
        }
        if let Some(path) = std::env::var_os("PATH") {
            pairs.push(("PATH".into(), path));
        }
        pairs
    }

    /// Every file in the home that contains `needle`.
    pub(crate) fn files_holding(&self, needle: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() {
                    let bytes = fs::read(entry.path()).unwrap();
                    if holds(&bytes, needle) {
                        found.push(entry.path());
                    }
                }
            }
        }
        found
    }
}

/// Whether `bytes` contain `needle`.
pub(crate) fn holds(bytes: &[u8], needle: &str) -> bool {
    bytes
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

#[test]
fn a_home_is_empty_private_and_found_through() {
    let home = Home::new();
    home.write("a/b/log", "before SECRET after");
    home.write("a/other", "nothing");
    assert_eq!(home.files_holding("SECRET"), [home.file("a/b/log")]);
    let names: Vec<_> = home
        .environment()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name == "HTTP_PROXY" || name == "NO_COLOR")
    );
}
