//! A value that was given to a setting, and the source of it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;
use toml::de::{DeValue, ValueDeserializer};

use super::paths::{NO_PLACES, Places};
use crate::archive::location::{ArchiveLocation, LocationError, Password, is_url};

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// A flag on the command line.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The configuration file, at this line.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// The default: nothing sets it.
    Default,
    /// A choice in the dashboard.
    Session,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
            Self::Session => f.write_str("this session"),
        }
    }
}

/// A value that was given to a setting.
pub(super) struct Given<'a> {
    pub value: Value<'a>,
    pub source: Source,
    /// The folders of the user, for `~/`.
    pub places: &'a Places,
}

/// A value as it was written.
pub(super) enum Value<'a> {
    /// In the settings file.
    Toml(&'a DeValue<'a>),
    /// In a flag or a variable, as the default, or in the dashboard.
    Typed(&'a OsStr),
}

impl<'a> Given<'a> {
    /// A value that was typed or chosen, in which `~/` means nothing.
    pub(super) fn typed(value: &'a OsStr, source: Source) -> Self {
        Self {
            value: Value::Typed(value),
            source,
            places: &NO_PLACES,
        }
    }
}

impl Given<'_> {
    /// The name of what holds the value of the setting `name`.
    pub(super) fn name<'a>(&self, name: &'a str) -> &'a str {
        match self.source {
            Source::Flag(name) | Source::Environment(name) => name,
            _ => name,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Toml(DeValue::String(text)) => Some(text),
            Value::Toml(_) => None,
            Value::Typed(text) => text.to_str(),
        }
    }

    pub(super) fn switch(&self) -> Option<bool> {
        match &self.value {
            Value::Toml(DeValue::Boolean(switch)) => Some(*switch),
            Value::Toml(_) => None,
            Value::Typed(text) => text.to_str()?.parse().ok(),
        }
    }

    pub(super) fn number<T: FromStr>(&self) -> Option<T> {
        let digits = match &self.value {
            Value::Toml(DeValue::Integer(number)) => number.as_str(),
            Value::Toml(_) => return None,
            Value::Typed(text) => text.to_str()?,
        };
        digits.replace('_', "").parse().ok()
    }

    /// The texts of a list, of which each fulfils `is_sound`.
    fn list(&self, is_sound: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let Value::Toml(DeValue::Array(list)) = &self.value else {
            return None;
        };
        let text = |entry: &DeValue<'_>| match entry {
            DeValue::String(text) if is_sound(text) => Some(text.to_string()),
            _ => None,
        };
        list.iter().map(|entry| text(entry.get_ref())).collect()
    }

    pub(super) fn table(&self) -> Option<toml::Table> {
        let Value::Toml(value @ DeValue::Table(_)) = &self.value else {
            return None;
        };
        let value = toml::Spanned::new(0..0, (*value).clone());
        toml::Table::deserialize(ValueDeserializer::from(value)).ok()
    }

    /// Names that are not empty, perhaps none. Typed, they have commas between them, and
    /// `none` is none.
    pub(super) fn names(&self) -> Option<Vec<String>> {
        let is_name = |name: &str| !name.is_empty() && !name.chars().any(char::is_control);
        let Value::Typed(text) = &self.value else {
            return self.list(is_name);
        };
        let list = match text.to_str()?.trim() {
            "none" => "",
            list => list,
        };
        list.split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(|name| is_name(name).then(|| name.to_owned()))
            .collect()
    }

    /// A program with its arguments; an empty list is none.
    pub(super) fn program(&self) -> Option<Vec<String>> {
        let mut words = self.list(|word| !word.contains('\0'))?;
        if let Some(program) = words.first_mut() {
            if program.is_empty() {
                return None;
            }
            self.put_in_home(program);
        }
        Some(words)
    }

    /// Puts the home before a program that begins with `~/`.
    pub(super) fn put_in_home(&self, program: &mut String) {
        if let Some(path) = self.in_home(program)
            && let Some(path) = path.to_str()
        {
            *program = path.to_owned();
        }
    }

    /// Files, each as [`Self::path`] has it.
    pub(super) fn files(&self) -> Option<Vec<PathBuf>> {
        let files = self.list(|file| !file.is_empty() && !file.contains('\0'))?;
        let path = |file: &String| {
            if file.starts_with("~/") {
                self.in_home(file).unwrap_or_else(|| file.into())
            } else {
                self.folder().join(file)
            }
        };
        Some(files.iter().map(path).collect())
    }

    /// The path of a text that begins with `~/`.
    fn in_home(&self, text: &str) -> Option<PathBuf> {
        self.places.in_home(text.strip_prefix("~/")?)
    }

    /// A file. In the settings file, a relative path is relative to the folder of that
    /// file, and `~/` is the home.
    pub(super) fn path(&self) -> Option<PathBuf> {
        let text = match &self.value {
            Value::Toml(_) => self.text()?,
            Value::Typed(path) => return Some(PathBuf::from(path)),
        };
        if text.starts_with("~/") {
            return Some(self.in_home(text).unwrap_or_else(|| text.into()));
        }
        Some(self.folder().join(text))
    }

    /// `true` if this is a path in the home of a user who has none.
    pub(super) fn is_homeless(&self) -> bool {
        let is_in_home = matches!(self.value, Value::Toml(_))
            && self.text().is_some_and(|text| text.starts_with("~/"));
        is_in_home && self.places.in_home("").is_none()
    }

    /// The folder of the settings file; empty if the value is from elsewhere.
    pub(super) fn folder(&self) -> &Path {
        let folder = match &self.source {
            Source::File { path, .. } => path.parent(),
            _ => None,
        };
        folder.unwrap_or(Path::new(""))
    }

    /// An archive: a file as of [`Given::path`], or a database on a server. Its URL may
    /// hold a password in the environment alone.
    pub(super) fn archive(&self) -> Option<Result<ArchiveLocation, LocationError>> {
        let password = match self.source {
            Source::Environment(_) => Password::Allowed,
            _ => Password::Refused,
        };
        let place = match self.text().filter(|text| is_url(text)) {
            Some(url) => Cow::Borrowed(Path::new(url)),
            None => Cow::Owned(self.path()?),
        };
        Some(ArchiveLocation::parse(&place, password))
    }
}
