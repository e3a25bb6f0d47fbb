//! Reads the configuration file. An error names file, line and key, never a
//! value, which might be a secret.

use crate::failure::{Failure, FailureKind};
use std::io::Read;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::deployment;
use super::profile::{Entry, InForce, Profile, position, unknown};
use super::value::{DEFAULT, Source, Valued};
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
    /// A setting cannot be written into the file.
    #[error("{name} cannot be written into {}: {reason}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The setting.
        name: String,
        /// The reason.
        reason: String,
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

/// A named list in the file: the keys of an action, or the columns of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfiguredList {
    /// Its name: an action such as `track.measure`, or a table such as `track`.
    pub name: String,
    /// The names in it.
    pub entries: Vec<String>,
    /// The file.
    path: PathBuf,
    /// Line and column of its name, counted from 1.
    position: (usize, usize),
}

impl ConfiguredList {
    /// The error that this list cannot be used for this reason.
    pub(crate) fn error(&self, reason: String) -> ConfigError {
        ConfigError::Wrong {
            path: self.path.clone(),
            line: self.position.0,
            column: self.position.1,
            reason,
        }
    }

    /// Where it is in the file.
    pub(super) fn source(&self) -> Source {
        Source::File {
            path: self.path.clone(),
            line: self.position.0,
        }
    }
}

/// The tables whose columns can be chosen.
const TABLES: [&str; 4] = ["deployments", "track", "plants", "activity"];

/// The settings in the file.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigFile {
    path: PathBuf,
    read: bool,
    all: Profile,
    profiles: Vec<(String, Profile)>,
    deployments: Vec<Deployment>,
    keys: Vec<ConfiguredList>,
    columns: Vec<ConfiguredList>,
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

    /// Checks a text that may be written into the file.
    ///
    /// # Errors
    /// What a start would refuse in it.
    pub(super) fn check(path: &Path, text: &str) -> Result<(), ConfigError> {
        let mut file = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        file.understand(text)
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
                    let needed =
                        "a list of keys is needed, such as \"track.measure\" = [\"space\", \"M\"]";
                    self.keys = self.lists(text, actions, None, needed)?;
                }
                ("columns", DeValue::Table(tables)) => {
                    let needed = "a list of columns is needed, such as deployments = [\"status\", \"deployment:30\"]";
                    self.columns = self.lists(text, tables, Some(&TABLES), needed)?;
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

    /// The lists of a table of the file, whose names are all `known` if those
    /// are given; `needed` is what is wrong with a value that is not a list.
    fn lists(
        &self,
        text: &str,
        table: &DeTable<'_>,
        known: Option<&[&str]>,
        needed: &str,
    ) -> Result<Vec<ConfiguredList>, ConfigError> {
        let read = table.iter().map(|(key, value)| {
            let (at, name) = (key.span().start, key.get_ref().as_ref());
            if let Some(known) = known
                && !known.contains(&name)
            {
                return Err(self.wrong(text, at, unknown(name, known)));
            }
            let entry = Entry {
                value: value.get_ref(),
                path: &self.path,
                text,
                at,
                name,
            };
            let entries = entry.names();
            let entries = entries.map_err(|_| self.wrong(text, at, needed.to_owned()))?;
            Ok(ConfiguredList {
                name: name.to_owned(),
                entries: entries.value,
                path: self.path.clone(),
                position: position(text, at),
            })
        });
        read.collect()
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

    pub(super) fn columns(&self) -> &[ConfiguredList] {
        &self.columns
    }

    pub(super) fn keys(&self) -> &[ConfiguredList] {
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
