//! Reads the configuration file. An error names file, line and key, never a
//! value, which might be a secret.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::given::{Given, Source, Value};
use super::paths::Places;
use super::table::{Inherited, SETTINGS, Setting, Values};
use super::{DEFAULT, deployment};
use crate::failure::Failure;
use crate::mapping::Mapping;
use crate::os::files::read_regular;
use crate::watch::Deployment;

/// Maximum size, bytes: a larger file is not a configuration file.
const LARGEST: u64 = 1 << 20;

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
    pub(crate) fn error(&self, reason: &str) -> Failure {
        wrong(&self.path, self.position, reason)
    }

    /// Its line in the file.
    pub(super) fn source(&self) -> Source {
        Source::File {
            path: self.path.clone(),
            line: self.position.0,
        }
    }
}

/// The tables whose columns can be chosen.
const TABLES: [&str; 4] = ["deployments", "track", "plants", "activity"];

/// The text of the file, and a warning if others can write it. A missing file is
/// `None`, unless the user named it (`named`).
///
/// # Errors
/// The reason.
pub(super) fn read(path: &Path, named: bool) -> Result<Option<(String, Option<String>)>, Failure> {
    let unreadable = |reason: &str| {
        let file = path.display();
        Failure::usage(format!("the configuration {file} cannot be read: {reason}"))
    };
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => unreadable("there is no such file"),
        _ => unreadable(&error.to_string()),
    };
    let metadata = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => return Ok(None),
        metadata => metadata.map_err(failed)?,
    };
    let bytes = read_regular(path, LARGEST).map_err(failed)?;
    let text = std::str::from_utf8(crate::text::without_byte_order_mark(&bytes))
        .map_err(|_| unreadable("it is not UTF-8 text"))?;
    #[cfg(unix)]
    let is_open = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o022 != 0;
    #[cfg(not(unix))]
    let is_open = false;
    let warning = || format!("{} can be written by others: chmod go-w it", path.display());
    Ok(Some((text.to_owned(), is_open.then(warning))))
}

/// The text of a file, with its path for messages.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl Text<'_> {
    /// Line and column of a byte offset, counted from 1.
    fn position(self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        (line, last.chars().count() + 1)
    }

    /// The lines are counted for each: of ten thousand deployments few are in an error
    /// message.
    fn source(self, at: usize) -> Source {
        Source::File {
            path: self.path.to_owned(),
            line: self.position(at).0,
        }
    }

    fn wrong(self, at: usize, reason: impl AsRef<str>) -> Failure {
        wrong(self.path, self.position(at), reason.as_ref())
    }
}

/// What is wrong at a line and a column of a file.
fn wrong(path: &Path, (line, column): (usize, usize), reason: &str) -> Failure {
    let file = path.display();
    Failure::usage(format!("{file}:{line}:{column}: {reason}"))
}

/// A value of a setting in the file.
pub(super) struct Entry<'a> {
    pub setting: &'static Setting,
    value: DeValue<'a>,
    /// Byte offset of the key.
    at: usize,
}

/// The values of the top level or of a profile.
#[derive(Default)]
pub(super) struct Level<'a> {
    name: String,
    entries: Vec<Entry<'a>>,
}

impl<'a> Level<'a> {
    fn get(&self, name: &str) -> Option<&Entry<'a>> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.setting.name == name)
    }
}

/// The file: every value in it can be used.
pub(super) struct ConfigFile<'a> {
    file: Text<'a>,
    places: &'a Places,
    top: Level<'a>,
    profiles: Vec<Level<'a>>,
    pub keys: Vec<ConfiguredList>,
    pub columns: Vec<ConfiguredList>,
    pub deployments: Vec<Deployment>,
    /// What an earlier version had or wrote, and this one has no use for.
    pub warnings: Vec<String>,
}

/// Settings of earlier versions. The dashboard wrote some of them: a collector must not stop for
/// them.
const WENT: [&str; 7] = [
    "ca_file",
    "colour_scale",
    "deployments_sort",
    "marked",
    "track_projection",
    "track_sort",
    "world_projection",
];

/// `true` for a theme of an earlier version, or colours for it.
fn is_theme_that_went(name: &str, value: &DeValue<'_>) -> bool {
    let is_known = |theme: &str| matches!(theme, "high-contrast" | "solarized");
    name == "theme" && (value.is_table() || value.as_str().is_some_and(is_known))
}

impl<'a> ConfigFile<'a> {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// Line and column of the first value that cannot be used, and why.
    pub(super) fn parse(file: Text<'a>, places: &'a Places) -> Result<Self, Failure> {
        let table = DeTable::parse(file.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            // The parser's messages name what is missing or too much, and no part of the
            // text.
            file.wrong(at, format!("this is not TOML: {}", error.message()))
        })?;
        let mut parsed = Self {
            file,
            places,
            top: Level::default(),
            profiles: Vec::new(),
            keys: Vec::new(),
            columns: Vec::new(),
            deployments: Vec::new(),
            warnings: Vec::new(),
        };
        let mut top = Level::default();
        for (key, value) in table.into_inner() {
            let at = key.span().start;
            match (key.get_ref().as_ref(), value.into_inner()) {
                ("profile", DeValue::Table(profiles)) => {
                    for (name, profile) in profiles {
                        let DeValue::Table(settings) = profile.into_inner() else {
                            let needed = "a profile must be a table: [profile.NAME]";
                            return Err(file.wrong(name.span().start, needed));
                        };
                        let mut profile = Level {
                            name: name.into_inner().into_owned(),
                            ..Level::default()
                        };
                        for (key, value) in settings {
                            let at = key.span().start;
                            let name = key.get_ref();
                            parsed.take(&mut profile, at, name, value.into_inner())?;
                        }
                        parsed.profiles.push(profile);
                    }
                }
                ("keys", DeValue::Table(actions)) => {
                    let needed =
                        "a list of keys is needed, such as \"track.measure\" = [\"space\", \"M\"]";
                    parsed.keys = parsed.lists(&actions, None, needed)?;
                }
                ("columns", DeValue::Table(tables)) => {
                    let needed = "a list of columns is needed, such as deployments = [\"status\", \"deployment\"]";
                    parsed.columns = parsed.lists(&tables, Some(&TABLES), needed)?;
                }
                ("deployment", DeValue::Array(list)) => {
                    for entry in &list {
                        let DeValue::Table(table) = entry.get_ref() else {
                            let needed = "a deployment must be a table: [[deployment]]";
                            return Err(file.wrong(at, needed));
                        };
                        let folder = file.path.parent().unwrap_or(Path::new(""));
                        let read = deployment::read(table, entry.span().start, folder);
                        let deployment = read.map_err(|(at, reason)| file.wrong(at, reason))?;
                        parsed.deployments.push(deployment);
                    }
                }
                (name, value) => parsed.take(&mut top, at, name, value)?,
            }
        }
        parsed.top = top;
        Ok(parsed)
    }

    /// Checks a value and keeps it.
    fn take(
        &mut self,
        level: &mut Level<'a>,
        at: usize,
        name: &str,
        value: DeValue<'a>,
    ) -> Result<(), Failure> {
        if name == "token" {
            let reason = "a token is not read from this file: run `driftline auth login`, or set DRIFTLINE_TOKEN";
            return Err(self.file.wrong(at, reason));
        }
        if WENT.contains(&name) || is_theme_that_went(name, &value) {
            let (line, _) = self.file.position(at);
            let path = self.file.path.display();
            let what = if value.is_table() || name != "theme" {
                name
            } else {
                "this theme"
            };
            self.warnings.push(format!(
                "{path}:{line}: {what} is of an earlier version and does nothing: remove the line"
            ));
            return Ok(());
        }
        let Some(setting) = Setting::named(name) else {
            let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            return Err(self.file.wrong(at, unknown(name, &known)));
        };
        let entry = Entry { setting, value, at };
        let taken = setting.take(&mut Values::default(), &self.given(&entry));
        taken.map_err(|reason| self.file.wrong(at, reason))?;
        level.entries.push(entry);
        Ok(())
    }

    /// The value of an entry as it is given to its setting.
    pub(super) fn given<'b>(&'b self, entry: &'b Entry<'a>) -> Given<'b> {
        Given {
            value: Value::Toml(&entry.value),
            source: self.file.source(entry.at),
            places: self.places,
        }
    }

    /// The lists of a table of the file, whose names are all `known` if those
    /// are given; `needed` is what is wrong with a value that is not a list.
    fn lists(
        &self,
        table: &DeTable<'_>,
        known: Option<&[&str]>,
        needed: &str,
    ) -> Result<Vec<ConfiguredList>, Failure> {
        let read = table.iter().map(|(key, value)| {
            let at = key.span().start;
            let name = key.get_ref().as_ref();
            if let Some(known) = known
                && !known.contains(&name)
            {
                return Err(self.file.wrong(at, unknown(name, known)));
            }
            let given = Given {
                value: Value::Toml(value.get_ref()),
                source: Source::Default,
                places: self.places,
            };
            let entries = given.names().ok_or_else(|| self.file.wrong(at, needed))?;
            Ok(ConfiguredList {
                name: name.to_owned(),
                entries,
                path: self.file.path.to_owned(),
                position: self.file.position(at),
            })
        });
        read.collect()
    }

    /// The default profile that the file sets.
    pub(super) fn chosen_profile(&self) -> Option<&str> {
        self.top.get("profile")?.value.as_str()
    }

    /// The profiles that name a service, each with the URLs that it may be at.
    pub(super) fn services(&self) -> Vec<(String, Vec<String>)> {
        let url_of = |level: &Level<'_>| {
            let url = level.get("base_url")?.value.as_str();
            url.map(str::to_owned)
        };
        let usual_of = |level: &Level<'_>| {
            let table = self.given(level.get("service")?).table()?;
            Mapping::read(&table).ok()?.usual_base()
        };
        let top = url_of(&self.top);
        let levels = std::iter::once((DEFAULT, &self.top));
        let profiles = self.profiles.iter();
        let named = profiles.map(|level| (level.name.as_str(), level));
        let has_service = |(_, level): &(&str, &Level<'_>)| {
            let has = |setting| level.get(setting).is_some();
            has("base_url") || has("service")
        };
        let all = levels.chain(named).filter(has_service);
        let of = |(name, level): (&str, &Level<'_>)| {
            let own = url_of(level).or_else(|| top.clone());
            let urls = own.into_iter().chain(usual_of(level));
            (name.to_owned(), urls.collect())
        };
        all.map(of).collect()
    }

    /// The names of the profiles.
    pub(super) fn profiles(&self) -> Vec<String> {
        let named = self.profiles.iter().map(|profile| &profile.name);
        std::iter::once(DEFAULT.to_owned())
            .chain(named.filter(|name| *name != DEFAULT).cloned())
            .collect()
    }

    fn own(&self, profile: &str) -> Option<&Level<'a>> {
        self.profiles.iter().find(|level| level.name == profile)
    }

    /// The values with this profile in force: those of the top level that it inherits,
    /// then its own. The top level is the profile `default`.
    pub(super) fn in_force(&self, profile: &str) -> impl Iterator<Item = &Entry<'a>> {
        let own = self.own(profile);
        let has_base_url = own.is_some_and(|own| own.get("base_url").is_some());
        let service = own
            .and_then(|own| own.get("service"))
            .and_then(|entry| self.given(entry).table());
        let is_program = service.is_some_and(|service| service.contains_key("command"));
        let is_default = profile == DEFAULT;
        let inherited = self.top.entries.iter().filter(move |entry| {
            is_default
                || match entry.setting.inherited {
                    Inherited::Always => true,
                    Inherited::Never => false,
                    Inherited::WithBaseUrl => !has_base_url && !is_program,
                    Inherited::UnlessProgram => !is_program,
                }
        });
        // The profile is chosen at the top level alone.
        let own = own.map_or(&[][..], |own| &own.entries).iter();
        inherited.chain(own.filter(|entry| entry.setting.name != "profile"))
    }
}

/// The message for an unknown key, with a similar known key if there is one.
pub(super) fn unknown(name: &str, known: &[&str]) -> String {
    // A key that is not a plain word may be a value without its key, and a
    // secret.
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !plain || name.len() > 30 {
        return format!("unknown setting; known settings: {}", known.join(", "));
    }
    let shown = crate::text::excerpt(name, 40);
    match crate::text::nearest(name, known.iter().copied()) {
        Some(key) => format!("unknown setting '{shown}': did you mean '{key}'?"),
        None => format!(
            "unknown setting '{shown}'; known settings: {}",
            known.join(", ")
        ),
    }
}
