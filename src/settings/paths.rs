//! The paths of files, after the XDG Base Directory Specification 0.8.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folders of this user. Without a home, those that no variable names are
/// not there: nothing is ever looked for in the present folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    home: Option<PathBuf>,
    config: Option<PathBuf>,
    data: Option<PathBuf>,
    state: Option<PathBuf>,
}

impl Places {
    /// The folders, from the environment. A relative path in an XDG variable is
    /// ignored, as the specification requires; a home directory that is unset,
    /// empty or relative is none.
    pub(crate) fn new(environment: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let absolute = |variable: &str| {
            environment(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let home = absolute("HOME");
        let folder = |variable: &str, under: &str| {
            absolute(variable).or_else(|| Some(home.as_ref()?.join(under)))
        };
        Self {
            config: folder("XDG_CONFIG_HOME", ".config"),
            data: folder("XDG_DATA_HOME", ".local/share"),
            state: folder("XDG_STATE_HOME", ".local/state"),
            home,
        }
    }

    /// The configuration file.
    pub(crate) fn config(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join("driftline").join("config.toml"))
    }

    /// The archive.
    pub(crate) fn archive(&self) -> Option<PathBuf> {
        Some(self.data.as_ref()?.join("driftline").join("archive.db"))
    }

    /// The folder of logs.
    pub(crate) fn state(&self) -> Option<PathBuf> {
        Some(self.state.as_ref()?.join("driftline"))
    }

    /// A path in which `~` at the front is the home; none without a home.
    pub(super) fn with_home(&self, path: &Path) -> Option<PathBuf> {
        match path.strip_prefix("~") {
            Ok(rest) => Some(self.home.as_ref()?.join(rest)),
            Err(_) => Some(path.to_owned()),
        }
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
            Some(PathBuf::from("/home/a/.config/driftline/config.toml"))
        );
        assert_eq!(
            places.archive(),
            Some(PathBuf::from("/data/driftline/archive.db"))
        );
    }

    #[test]
    fn without_a_home_nothing_is_in_the_present_folder() {
        for home in [None, Some(""), Some("relative"), Some(".")] {
            let places = Places::new(&|name| match name {
                "HOME" => home.map(Into::into),
                _ => None,
            });
            let all = [places.config(), places.archive(), places.state()];
            assert_eq!(all, [None, None, None], "{home:?}");
        }
    }
}
