//! The configuration file: read with care, and what is wrong with it said with
//! file, line and key, never with a value, which might be a secret.

use std::io::Read;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Source, Valued};

/// A configuration is a page or two: a larger file is something else.
const LARGEST: u64 = 1 << 20;

/// The keys of a profile.
const KEYS: [&str; 12] = [
    "base_url",
    "sandbox_url",
    "ca_file",
    "allow_insecure_http",
    "archive",
    "timeout",
    "refresh",
    "max_response",
    "units",
    "coordinates",
    "markers",
    "profile",
];
/// The keys of a deployment.
const DEPLOYMENT_KEYS: [&str; 3] = ["uuid", "label", "platform"];

/// What a setting may be, where there is a choice of a few.
fn choices(key: &str) -> &'static [&'static str] {
    match key {
        "units" => &["nautical", "metric", "si"],
        "coordinates" => &["dd", "ddm", "dms"],
        "markers" => &[
            "auto",
            "octant",
            "sextant",
            "braille",
            "half-block",
            "ascii",
        ],
        _ => &[],
    }
}

/// What is wrong with the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration {} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Something in it is wrong.
    #[error("{}:{line}:{column}: {reason}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// The profile is in no file.
    #[error("there is no profile '{}' in {}; known are: {}", crate::text::excerpt(name, 60), path.display(), known.join(", "))]
    NoProfile {
        /// The profile asked for.
        name: String,
        /// The file.
        path: PathBuf,
        /// The profiles there are.
        known: Vec<String>,
    },
    /// An environment variable is not text.
    #[error("the environment variable {0} is not UTF-8 text")]
    NotText(&'static str),
}

/// A deployment that the file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredDeployment {
    /// Its UUID.
    pub uuid: uuid::Uuid,
    /// Its name.
    pub label: Option<String>,
    /// Its platform, as it is written.
    pub platform: Option<String>,
}

/// A value with its line.
#[derive(Debug, Clone)]
enum Value {
    Text(String),
    Boolean(bool),
    Integer(u64),
}

#[derive(Debug, Clone)]
struct Setting {
    profile: Option<String>,
    key: String,
    value: Value,
    line: usize,
}

/// The file's settings.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigFile {
    path: PathBuf,
    read: bool,
    settings: Vec<Setting>,
    profiles: Vec<String>,
    deployments: Vec<ConfiguredDeployment>,
    warnings: Vec<String>,
}

impl ConfigFile {
    /// Reads the file. One that is not there is empty, unless it was `named`.
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
        // A pipe would keep the program waiting, a folder has no text.
        if !metadata.is_file() {
            return Err(unreadable("it is no regular file".to_owned()));
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
            // The parser's message names what it expected; of the text it can
            // quote a character or a key at most.
            self.wrong(
                text,
                at,
                "this is not TOML".to_owned() + expected(error.message()),
            )
        })?;
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
                                "a profile is a table: [profile.NAME]".to_owned(),
                            ));
                        };
                        for (key, value) in settings {
                            self.take(text, Some(&name_text), key, value)?;
                        }
                        self.profiles.push(name_text);
                    }
                }
                ("deployment", DeValue::Array(list)) => {
                    for one in list {
                        let DeValue::Table(entry) = one.get_ref() else {
                            return Err(self.wrong(
                                text,
                                at,
                                "a deployment is a table: [[deployment]]".to_owned(),
                            ));
                        };
                        let deployment = self.deployment(text, one.span().start, entry)?;
                        self.deployments.push(deployment);
                    }
                }
                _ => self.take(text, None, key, value)?,
            }
        }
        Ok(())
    }

    /// Takes one setting of a profile.
    fn take(
        &mut self,
        text: &str,
        profile: Option<&str>,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let at = key.span().start;
        let name = key.get_ref().as_ref();
        if name == "token" {
            let reason = "a token is not read from this file: run `driftline auth login`, or set DRIFTLINE_TOKEN";
            return Err(self.wrong(text, at, reason.to_owned()));
        }
        if !KEYS.contains(&name) {
            return Err(self.wrong(text, at, unknown(name, &KEYS)));
        }
        let value = match (name, value.get_ref()) {
            ("allow_insecure_http", DeValue::Boolean(value)) => Value::Boolean(*value),
            ("allow_insecure_http", _) => {
                return Err(self.wrong(text, at, format!("{name} is true or false")));
            }
            ("max_response", DeValue::Integer(value)) => {
                match value.as_str().replace('_', "").parse() {
                    Ok(bytes) if bytes > 0 => Value::Integer(bytes),
                    _ => {
                        return Err(self.wrong(
                            text,
                            at,
                            format!("{name} is a number of bytes over 0"),
                        ));
                    }
                }
            }
            ("max_response", _) => {
                return Err(self.wrong(text, at, format!("{name} is a number of bytes")));
            }
            (_, DeValue::String(value)) => {
                let choices = choices(name);
                if !choices.is_empty() && !choices.contains(&value.as_ref()) {
                    let reason = format!("{name} is one of {}", choices.join(", "));
                    return Err(self.wrong(text, at, reason));
                }
                Value::Text(value.to_string())
            }
            _ => return Err(self.wrong(text, at, format!("{name} is text in quotes"))),
        };
        let setting = Setting {
            profile: profile.map(str::to_owned),
            key: name.to_owned(),
            value,
            line: position(text, at).0,
        };
        self.settings.push(setting);
        Ok(())
    }

    fn deployment(
        &self,
        text: &str,
        at: usize,
        entry: &DeTable<'_>,
    ) -> Result<ConfiguredDeployment, ConfigError> {
        let mut fields = [None, None, None];
        for (key, value) in entry {
            let name = key.get_ref().as_ref();
            let Some(place) = DEPLOYMENT_KEYS.iter().position(|known| *known == name) else {
                return Err(self.wrong(text, key.span().start, unknown(name, &DEPLOYMENT_KEYS)));
            };
            let DeValue::String(value) = value.get_ref() else {
                return Err(self.wrong(
                    text,
                    key.span().start,
                    format!("{name} is text in quotes"),
                ));
            };
            if let Some(field) = fields.get_mut(place) {
                *field = Some(value.to_string());
            }
        }
        let [uuid, label, platform] = fields;
        let uuid = uuid
            .and_then(|uuid| uuid::Uuid::parse_str(uuid.trim()).ok())
            .ok_or_else(|| {
                self.wrong(
                    text,
                    at,
                    "a deployment has a uuid, written as one".to_owned(),
                )
            })?;
        Ok(ConfiguredDeployment {
            uuid,
            label,
            platform,
        })
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

    fn setting(&self, profile: Option<&str>, key: &str) -> Option<&Setting> {
        let of = |wanted: Option<&str>| {
            self.settings
                .iter()
                .find(|setting| setting.profile.as_deref() == wanted && setting.key == key)
        };
        profile.and_then(|name| of(Some(name))).or_else(|| of(None))
    }

    fn source(&self, setting: &Setting) -> Source {
        Source::File {
            path: self.path.clone(),
            line: setting.line,
        }
    }

    pub(super) fn text(&self, profile: Option<&str>, key: &str) -> Option<Valued<String>> {
        let setting = self.setting(profile, key)?;
        match &setting.value {
            Value::Text(value) => Some(Valued {
                value: value.clone(),
                source: self.source(setting),
            }),
            _ => None,
        }
    }

    /// As [`ConfigFile::text`], but the top level's counts for no profile of
    /// another name.
    pub(super) fn own_text(&self, profile: Option<&str>, key: &str) -> Option<Valued<String>> {
        self.own(profile, key)?;
        self.text(profile, key)
    }

    /// A setting of this profile alone; the top level is the default's.
    fn own(&self, profile: Option<&str>, key: &str) -> Option<&Setting> {
        let of = |wanted: Option<&str>| {
            self.settings
                .iter()
                .find(|setting| setting.profile.as_deref() == wanted && setting.key == key)
        };
        of(profile).or_else(|| of(None).filter(|_| profile == Some("default")))
    }

    /// A switch counts for its own profile alone: what is allowed for one
    /// service is not allowed for another.
    pub(super) fn boolean(&self, profile: Option<&str>, key: &str) -> Option<Valued<bool>> {
        let setting = self.own(profile, key)?;
        match setting.value {
            Value::Boolean(value) => Some(Valued {
                value,
                source: self.source(setting),
            }),
            _ => None,
        }
    }

    pub(super) fn integer(&self, profile: Option<&str>, key: &str) -> Option<Valued<u64>> {
        let setting = self.setting(profile, key)?;
        match setting.value {
            Value::Integer(value) => Some(Valued {
                value,
                source: self.source(setting),
            }),
            _ => None,
        }
    }

    pub(super) fn has_profile(&self, name: &str) -> bool {
        self.profiles.iter().any(|known| known == name)
    }

    pub(super) fn profiles(&self) -> Vec<String> {
        std::iter::once("default".to_owned())
            .chain(self.profiles.iter().cloned())
            .collect()
    }

    pub(super) fn deployments(&self) -> &[ConfiguredDeployment] {
        &self.deployments
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    pub(super) fn was_read(&self) -> bool {
        self.read
    }
}

/// What a key that is not known might have been meant to be.
fn unknown(name: &str, known: &[&str]) -> String {
    // What is no plain word may be a value that lost its key, and a secret.
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !plain || name.len() > 30 {
        return format!("this is no setting; known are {}", known.join(", "));
    }
    let shown = crate::text::excerpt(name, 40);
    let nearest = known
        .iter()
        .map(|key| (strsim::levenshtein(name, key), key))
        .min();
    match nearest {
        Some((away, key)) if away <= 3 => {
            format!("there is no setting '{shown}': did you mean '{key}'?")
        }
        _ => format!(
            "there is no setting '{shown}'; known are {}",
            known.join(", ")
        ),
    }
}

/// The parser's message where it tells what was expected, without quotes from
/// the text.
fn expected(message: &str) -> &str {
    match message {
        m if m.contains("duplicate key") => ": a key stands twice",
        m if m.contains("quote") || m.contains("string") => ": text stands in quotes",
        _ => "",
    }
}

/// Line and column of a byte, counted from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (line, column)
}
