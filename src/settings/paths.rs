//! The paths of files, after the XDG Base Directory Specification 0.8.

use std::ffi::OsString;
use std::path::PathBuf;

/// The folders of this user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
}

impl Places {
    /// The folders, from the environment. A relative path in an XDG variable is
    /// ignored, as the specification requires; without a home everything is in
    /// `.driftline` in the current folder.
    pub(crate) fn new(environment: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let home = environment("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute());
        let home = home
            .or_else(std::env::home_dir)
            .filter(|home| home.is_absolute());
        let folder = |variable: &str, under: &str| {
            environment(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| {
                    home.clone()
                        .map_or_else(|| PathBuf::from(".driftline"), |home| home.join(under))
                })
        };
        Self {
            config: folder("XDG_CONFIG_HOME", ".config"),
            data: folder("XDG_DATA_HOME", ".local/share"),
            state: folder("XDG_STATE_HOME", ".local/state"),
        }
    }

    /// The configuration file.
    pub(crate) fn config(&self) -> PathBuf {
        self.config.join("driftline").join("config.toml")
    }

    /// The archive.
    pub(crate) fn archive(&self) -> PathBuf {
        self.data.join("driftline").join("archive.db")
    }

    /// The folder of logs.
    pub(crate) fn state(&self) -> PathBuf {
        self.state.join("driftline")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_in_a_variable_is_ignored() {
        let places = Places::new(&|name| match name {
            "HOME" => Some("/home/a".into()),
            "XDG_CONFIG_HOME" => Some("relative".into()),
            "XDG_DATA_HOME" => Some("/data".into()),
            _ => None,
        });
        assert_eq!(
            places.config(),
            PathBuf::from("/home/a/.config/driftline/config.toml")
        );
        assert_eq!(
            places.archive(),
            PathBuf::from("/data/driftline/archive.db")
        );
    }
}
