//! Reads the configuration file. An error names file, line and key, never a
//! value, which might be a secret.

use crate::failure::{Failure, FailureKind};
use std::io::Read;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::deployment;
use super::profile::{Entry, InForce, Profile, position, unknown};
use super::value::{DEFAULT, Valued};
use crate::track::Deployment;

/// Maximum size, bytes: a larger file is not a configuration file.
const LARGEST: u64 = 1 << 20;

/// Errors of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration {} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The file has an error at a line.
    #[error("{}:{line}:{column}: {reason}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The reason.
        reason: String,
    },
    /// The profile is not in the file.
    #[error("profile '{}' is not in {}; known profiles: {}", crate::text::excerpt(name, 60), path.display(), known.join(", "))]
    NoProfile {
        /// The requested profile.
        name: String,
        /// The file.
        path: PathBuf,
        /// The names of the profiles in the file.
        known: Vec<String>,
    },
    /// A flag has an invalid value.
    #[error("{flag}: {reason}")]
    Flag {
        /// The flag.
        flag: &'static str,
        /// The reason.
        reason: String,
    },
    /// An environment variable is not text.
    #[error("the environment variable {0} is not UTF-8 text")]
    NotText(&'static str),
}

/// Keys of an action in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfiguredKeys {
    /// The name of the action, such as `track.measure`.
    pub action: String,
    /// The names of its keys.
    pub keys: Vec<String>,
    /// The file.
    pub path: PathBuf,
    /// Line and column of the name, counted from 1.
    pub position: (usize, usize),
}

impl ConfiguredKeys {
    /// The error that these keys cannot be used for this reason.
    pub(crate) fn error(&self, reason: String) -> ConfigError {
        ConfigError::Wrong {
            path: self.path.clone(),
            line: self.position.0,
            column: self.position.1,
            reason,
        }
    }
}

/// Columns of a table in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfiguredColumns {
    /// The table: one of [`TABLES`].
    pub table: String,
    /// The names of its columns.
    pub names: Vec<String>,
    /// The file.
    path: PathBuf,
    /// Line and column of the table's name, counted from 1.
    position: (usize, usize),
}

impl ConfiguredColumns {
    /// The error that these columns cannot be used for this reason.
    pub(crate) fn error(&self, reason: String) -> ConfigError {
        ConfigError::Wrong {
            path: self.path.clone(),
            line: self.position.0,
            column: self.position.1,
            reason,
        }
    }
}

/// The tables whose columns can be chosen.
const TABLES: [&str; 2] = ["deployments", "track"];

/// The settings in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigFile {
    path: PathBuf,
    read: bool,
    all: Profile,
    profiles: Vec<(String, Profile)>,
    deployments: Vec<Deployment>,
    keys: Vec<ConfiguredKeys>,
    columns: Vec<ConfiguredColumns>,
    warnings: Vec<String>,
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let hint = match error {
            // The error is not in the configuration file.
            ConfigError::Flag { .. } => "",
            _ => "`driftline config path` shows the path of the file.",
        };
        Self::new(FailureKind::Usage, error.to_string(), hint)
    }
}

impl ConfigFile {
    /// Reads the file. A missing file counts as empty, unless the user named it
    /// (`named`).
    pub(super) fn read(path: &Path, named: bool) -> Result<Self, ConfigError> {
        let unreadable = |reason: String| ConfigError::Unreadable {
            path: path.to_owned(),
            reason,
        };
        let mut file = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => {
                return Ok(file);
            }
            Err(error) => return Err(unreadable(error.to_string())),
        };
        // A pipe would block the program; a folder has no text.
        if !metadata.is_file() {
            return Err(unreadable("it is not a regular file".to_owned()));
        }
        if metadata.len() > LARGEST {
            return Err(unreadable("it is larger than 1 MiB".to_owned()));
        }
        let mut bytes = Vec::new();
        let opened = std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
        opened
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(error.to_string()))?;
        let text = std::str::from_utf8(crate::text::without_byte_order_mark(&bytes))
            .map_err(|_| unreadable("it is not UTF-8 text".to_owned()))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if metadata.permissions().mode() & 0o022 != 0 {
                file.warnings.push(format!(
                    "{} can be written by others: chmod go-w it",
                    path.display()
                ));
            }
        }
        file.read = true;
        file.understand(text)?;
        Ok(file)
    }

    fn understand(&mut self, text: &str) -> Result<(), ConfigError> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            // The parser's message names what it expected; it quotes at most a
            // character or a key of the text.
            self.wrong(
                text,
                at,
                "this is not TOML".to_owned() + expected(error.message()),
            )
        })?;
        let mut all = Profile::default();
        for (key, value) in table.get_ref() {
            let at = key.span().start;
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("profile", DeValue::Table(profiles)) => {
                    for (name, profile) in profiles {
                        let name_text = name.get_ref().to_string();
                        let DeValue::Table(settings) = profile.get_ref() else {
                            return Err(self.wrong(
                                text,
                                name.span().start,
                                "a profile must be a table: [profile.NAME]".to_owned(),
                            ));
                        };
                        let mut profile = Profile::default();
                        for (key, value) in settings {
                            self.take(text, &mut profile, key, value)?;
                        }
                        self.profiles.push((name_text, profile));
                    }
                }
                ("keys", DeValue::Table(actions)) => {
                    for (key, value) in actions {
                        let (at, name) = (key.span().start, key.get_ref().as_ref());
                        let entry = Entry {
                            value: value.get_ref(),
                            path: &self.path,
                            text,
                            at,
                            name,
                        };
                        let keys = entry.names().map_err(|_| {
                            let reason = "a list of keys is needed, such as \"track.measure\" = [\"space\", \"M\"]";
                            self.wrong(text, at, reason.to_owned())
                        })?;
                        self.keys.push(ConfiguredKeys {
                            action: name.to_owned(),
                            keys: keys.value,
                            path: self.path.clone(),
                            position: position(text, at),
                        });
                    }
                }
                ("columns", DeValue::Table(tables)) => {
                    for (key, value) in tables {
                        let (at, name) = (key.span().start, key.get_ref().as_ref());
                        if !TABLES.contains(&name) {
                            return Err(self.wrong(text, at, unknown(name, &TABLES)));
                        }
                        let entry = Entry {
                            value: value.get_ref(),
                            path: &self.path,
                            text,
                            at,
                            name,
                        };
                        let names = entry.names().map_err(|_| {
                            let reason = "a list of columns is needed, such as deployments = [\"status\", \"deployment:30\"]";
                            self.wrong(text, at, reason.to_owned())
                        })?;
                        self.columns.push(ConfiguredColumns {
                            table: name.to_owned(),
                            names: names.value,
                            path: self.path.clone(),
                            position: position(text, at),
                        });
                    }
                }
                ("deployment", DeValue::Array(list)) => {
                    for one in list {
                        let DeValue::Table(entry) = one.get_ref() else {
                            return Err(self.wrong(
                                text,
                                at,
                                "a deployment must be a table: [[deployment]]".to_owned(),
                            ));
                        };
                        let read = deployment::read((text, &self.path), one.span().start, entry);
                        let deployment =
                            read.map_err(|(at, reason)| self.wrong(text, at, reason))?;
                        self.deployments.push(deployment);
                    }
                }
                _ => self.take(text, &mut all, key, value)?,
            }
        }
        self.all = all;
        Ok(())
    }

    /// Stores one setting of a profile.
    fn take(
        &self,
        text: &str,
        profile: &mut Profile,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let at = key.span().start;
        let name = key.get_ref().as_ref();
        if let ("theme", DeValue::Table(colours)) = (name, value.get_ref()) {
            for (key, value) in colours {
                let at = key.span().start;
                let entry = Entry {
                    value: value.get_ref(),
                    path: &self.path,
                    text,
                    at,
                    name: key.get_ref().as_ref(),
                };
                profile
                    .take_colour(&entry)
                    .map_err(|reason| self.wrong(text, at, reason))?;
            }
            return Ok(());
        }
        let entry = Entry {
            value: value.get_ref(),
            path: &self.path,
            text,
            at,
            name,
        };
        profile
            .take(&entry)
            .map_err(|reason| self.wrong(text, at, reason))
    }

    fn wrong(&self, text: &str, at: usize, reason: String) -> ConfigError {
        let (line, column) = position(text, at);
        ConfigError::Wrong {
            path: self.path.clone(),
            line,
            column,
            reason,
        }
    }

    /// The values with this profile in force; only the top level if the file
    /// has no profile of that name.
    pub(super) fn in_force(&self, profile: &str) -> InForce<'_> {
        let own = self.profiles.iter().find(|(name, _)| name == profile);
        InForce {
            own: own.map(|(_, profile)| profile),
            all: &self.all,
            is_default: profile == DEFAULT,
        }
    }

    /// The default profile that the file sets.
    pub(super) fn chosen(&self) -> Option<Valued<String>> {
        self.all.profile.clone()
    }

    /// The names of the profiles in the file.
    pub(super) fn profiles(&self) -> Vec<String> {
        let named = self.profiles.iter().map(|(name, _)| name);
        let default = DEFAULT.to_owned();
        std::iter::once(default)
            .chain(named.filter(|name| *name != DEFAULT).cloned())
            .collect()
    }

    pub(super) fn deployments(&self) -> &[Deployment] {
        &self.deployments
    }

    pub(super) fn columns(&self) -> &[ConfiguredColumns] {
        &self.columns
    }

    pub(super) fn keys(&self) -> &[ConfiguredKeys] {
        &self.keys
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    pub(super) fn was_read(&self) -> bool {
        self.read
    }
}

/// A clause for the parser's message, without quotes from the text; empty if
/// the cause is not known.
fn expected(message: &str) -> &str {
    match message {
        m if m.contains("duplicate key") => ": a key occurs twice",
        m if m.contains("quote") || m.contains("string") => ": text must be in quotes",
        _ => "",
    }
}
