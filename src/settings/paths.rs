//! The paths of files, after the XDG Base Directory Specification 0.8; on
//! Windows its variables count too, and without them the known folders of a
//! user (`APPDATA`, `LOCALAPPDATA`).

use std::ffi::OsString;
use std::path::PathBuf;

/// The folders of this user. Without a home, those that no variable names are
/// not there: nothing is ever looked for in the present folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    home: Option<PathBuf>,
    config: Option<PathBuf>,
    data: Option<PathBuf>,
    state: Option<PathBuf>,
}

/// No folders.
pub(super) static NO_PLACES: Places = Places {
    home: None,
    config: None,
    data: None,
    state: None,
};

impl Places {
    /// The folders, from the environment. A relative path in an XDG variable is
    /// ignored, as the specification requires; a home directory that is unset,
    /// empty or relative is none.
    pub(crate) fn new(environment: &dyn Fn(&str) -> Option<OsString>) -> Self {
        Self::on(cfg!(windows), environment)
    }

    /// The folders on Windows, or on another system.
    fn on(windows: bool, environment: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let absolute = |variable: &str| {
            environment(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let known = |variable: &str| absolute(variable).filter(|_| windows);
        let home = absolute("HOME").or_else(|| known("USERPROFILE"));
        let folder = |variable: &str, known_folder: &str, under: &str| {
            absolute(variable)
                .or_else(|| known(known_folder))
                .or_else(|| Some(home.as_ref()?.join(under)))
        };
        Self {
            config: folder("XDG_CONFIG_HOME", "APPDATA", ".config"),
            data: folder("XDG_DATA_HOME", "LOCALAPPDATA", ".local/share"),
            state: folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state"),
            home,
        }
    }

    /// The configuration file.
    pub(crate) fn config(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join("driftline").join("config.toml"))
    }

    pub(crate) fn archive(&self) -> Option<PathBuf> {
        Some(self.data.as_ref()?.join("driftline").join("archive.db"))
    }

    /// The folder of logs.
    pub(crate) fn state(&self) -> Option<PathBuf> {
        Some(self.state.as_ref()?.join("driftline"))
    }

    /// A path in the home; none without a home.
    pub(super) fn in_home(&self, path: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
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
    fn the_known_folders_of_a_user_count_on_windows_alone() {
        let environment = |name: &str| match name {
            "USERPROFILE" => Some("/users/a".into()),
            "APPDATA" => Some("/users/a/roaming".into()),
            "LOCALAPPDATA" => Some("/users/a/local".into()),
            _ => None,
        };
        let windows = Places::on(true, &environment);
        let path = |text: &str| Some(PathBuf::from(text));
        assert_eq!(
            windows.config(),
            path("/users/a/roaming/driftline/config.toml")
        );
        assert_eq!(
            windows.archive(),
            path("/users/a/local/driftline/archive.db")
        );
        assert_eq!(windows.state(), path("/users/a/local/driftline"));
        let elsewhere = Places::on(false, &environment);
        let all = [elsewhere.config(), elsewhere.archive(), elsewhere.state()];
        assert_eq!(all, [None, None, None]);
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
