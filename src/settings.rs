//! Configuration: flags, environment, file, defaults, and where each value came
//! from.
//!
//! The file is TOML. Its top level is the profile `default`; each other profile
//! is a table of the same keys:
//!
//! ```toml
//! base_url = "https://service.example/api"
//! units = "nautical"
//!
//! [profile.ship]
//! base_url = "http://10.0.0.5:8080"
//! allow_insecure_http = true
//! timeout = "2m"
//!
//! [[deployment]]
//! uuid = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa"
//! label = "buoy 7"
//! platform = "drifter"
//! max_speed = "5m/s"
//! ```

mod deployment;
mod edit;
mod file;
mod given;
pub(crate) mod inside;
mod paths;
mod table;
mod taken;

pub(crate) use edit::{NewSetting, with_base_url, with_setting};
pub(crate) use file::ConfiguredList;
pub(crate) use given::Source;
pub(crate) use paths::Places;
pub(crate) use table::{Notify, SETTINGS, Setting};

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use crate::archive::location::ArchiveLocation;
use crate::failure::Failure;
use crate::geo::Notation;
use crate::watch::Deployment;
use file::{ConfigFile, Text};
use given::Given;
use table::{Changes, Values};

/// The name of the profile at the file's top level.
const DEFAULT: &str = "default";

/// The flags that were given, with their values.
pub(crate) type Flags = BTreeMap<&'static str, OsString>;

/// The settings in force: the values, and the source of each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    values: Values,
    /// The values that were read, by the name of the setting.
    origins: BTreeMap<&'static str, Origin>,
    /// The path of the configuration file; `None` without a home directory.
    pub config: Option<PathBuf>,
    /// The keys of actions in the file.
    pub keys: Vec<ConfiguredList>,
    /// The columns of tables in the file.
    pub columns: Vec<ConfiguredList>,
    /// The deployments in the file.
    pub deployments: Vec<Deployment>,
    /// The profiles in the file that name a service, each with the URLs that its service may be
    /// at, as they are written.
    pub profiles: Vec<(String, Vec<String>)>,
    /// Warnings about the file.
    pub warnings: Vec<String>,
}

/// A value as it is shown, with its source.
#[derive(Debug, Clone, PartialEq)]
struct Origin {
    shown: String,
    source: Source,
}

impl Deref for Settings {
    type Target = Values;

    fn deref(&self) -> &Values {
        &self.values
    }
}

impl DerefMut for Settings {
    fn deref_mut(&mut self) -> &mut Values {
        &mut self.values
    }
}

impl Default for Settings {
    /// The settings in force if nothing is set.
    fn default() -> Self {
        let mut settings = Self {
            values: Values::default(),
            origins: BTreeMap::new(),
            config: None,
            keys: Vec::new(),
            columns: Vec::new(),
            deployments: Vec::new(),
            profiles: Vec::new(),
            warnings: Vec::new(),
        };
        for setting in SETTINGS {
            if let Some(text) = setting.default {
                // A test finds a default that its setting refuses.
                let _ = settings.put(setting.name, text, Source::Default);
            }
        }
        settings
    }
}

/// A setting in force, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct SettingRow {
    /// Its name in the file.
    pub name: String,
    /// Its value as it is written in the file, without quotes.
    pub value: String,
    /// The source of the value.
    pub source: String,
    /// The values that it can have, where those are few and the dashboard can change it
    /// while it runs; else empty.
    #[serde(skip)]
    pub options: Vec<String>,
}

impl Settings {
    /// How numbers are written for people.
    pub(crate) fn notation(&self) -> Notation {
        Notation {
            units: self.units,
            coordinates: self.coordinates,
        }
    }

    /// The settings from flags, environment, file and defaults, in this order.
    ///
    /// # Errors
    /// If the file cannot be read or parsed, a named file does not exist, a named profile
    /// is not in the file, or a flag or a variable has an invalid value.
    pub(crate) fn load(
        flags: &Flags,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Failure> {
        let places = Places::new(environment);
        let typed = |flag: Option<&'static str>, variable: Option<&'static str>| {
            let of_flag = || Some((flags.get(flag?)?.clone(), Source::Flag(flag?)));
            let of_variable = || {
                let value = environment(variable?).filter(|value| !value.is_empty())?;
                Some((value, Source::Environment(variable?)))
            };
            of_flag().or_else(of_variable)
        };
        let mut settings = Self::default();
        let named = typed(Some("--config"), Some("DRIFTLINE_CONFIG"));
        let is_named = named.is_some();
        let by_default = || Some((places.config()?.into(), Source::Default));
        if let Some((path, source)) = named.or_else(by_default) {
            let path = PathBuf::from(path);
            let shown = path.display().to_string();
            settings.origins.insert(CONFIG, Origin { shown, source });
            settings.config = Some(path);
        }
        if let Some(archive) = places.archive() {
            settings.put("archive", archive.as_os_str(), Source::Default)?;
        }
        let path = settings.config.clone();
        let read = match &path {
            Some(path) => file::read(path, is_named)?,
            None => None,
        };
        let (text, warning) = read.unwrap_or_default();
        let text = Text {
            path: path.as_deref().unwrap_or(Path::new("")),
            text: &text,
        };
        let file = ConfigFile::parse(text, &places)?;
        settings.warnings.extend(warning);
        settings.warnings.extend_from_slice(&file.warnings);
        settings.choose_profile(&file, typed(Some("--profile"), Some("DRIFTLINE_PROFILE")))?;
        settings.take_file(&file)?;
        for setting in SETTINGS {
            let Some((value, source)) = typed(setting.flag, setting.variable) else {
                continue;
            };
            // A base URL given for this run also applies to creates: the token must not
            // reach another service.
            if setting.name == "base_url" {
                settings.sandbox_url = None;
                settings.origins.remove("sandbox_url");
            }
            settings.put(setting.name, &value, source)?;
        }
        settings.take_from_service();
        if settings.config.is_none() {
            settings.warnings.push(NO_CONFIG.to_owned());
        }
        if settings.archive.is_none() {
            settings.warnings.push(NO_ARCHIVE.to_owned());
        }
        Ok(settings)
    }

    /// Checks the archive of the settings file, unless something replaces it.
    ///
    /// # Errors
    /// If it cannot be used.
    pub(crate) fn check_archive(&self) -> Result<(), Failure> {
        match &self.archive {
            Some(ArchiveLocation::Unusable(why)) => {
                let source = self.source("archive");
                Err(Failure::usage(format!("{source}: archive: {why}")))
            }
            _ => Ok(()),
        }
    }

    /// Applies what follows from another kind of service.
    fn take_from_service(&mut self) {
        let Some(service) = &self.values.service else {
            return;
        };
        let least = service.min_interval.unwrap_or_default();
        self.values.refresh = self.values.refresh.max(least);
        if self.values.base_url.is_none() {
            self.values.base_url = service.usual_base();
        }
        // These are of services with UUIDs.
        self.deployments.clear();
    }

    /// Sets the profile in force: the typed profile, else that of the file.
    fn choose_profile(
        &mut self,
        file: &ConfigFile<'_>,
        typed: Option<(OsString, Source)>,
    ) -> Result<(), Failure> {
        match (typed, file.chosen_profile()) {
            (Some((name, source)), _) => self.put("profile", &name, source)?,
            (None, Some(name)) => self.profile = name.to_owned(),
            (None, None) => {}
        }
        let known = file.profiles();
        if known.contains(&self.profile) {
            return Ok(());
        }
        let name = crate::text::excerpt(&self.profile, 60);
        let file = self.config.clone().unwrap_or_default();
        let (file, known) = (file.display(), known.join(", "));
        Err(Failure::usage(format!(
            "profile '{name}' is not in {file}; known profiles: {known}"
        )))
    }

    /// Takes the values of the file for the profile in force.
    fn take_file(&mut self, file: &ConfigFile<'_>) -> Result<(), Failure> {
        let profile = self.profile.clone();
        for entry in file.in_force(&profile) {
            self.take(entry.setting, file.given(entry))?;
        }
        self.keys.clone_from(&file.keys);
        self.columns.clone_from(&file.columns);
        self.deployments.clone_from(&file.deployments);
        self.profiles = file.services();
        Ok(())
    }

    fn take(&mut self, setting: &'static Setting, given: Given<'_>) -> Result<(), Failure> {
        let taken = setting.take(&mut self.values, &given);
        let shown = taken.map_err(Failure::usage)?;
        let source = given.source;
        self.origins.insert(setting.name, Origin { shown, source });
        Ok(())
    }

    /// Puts the value of a setting that was typed.
    ///
    /// # Errors
    /// If the setting does not take it.
    pub(crate) fn put(
        &mut self,
        name: &str,
        value: impl AsRef<OsStr>,
        source: Source,
    ) -> Result<(), Failure> {
        match Setting::named(name) {
            Some(setting) => self.take(setting, Given::typed(value.as_ref(), source)),
            None => Ok(()),
        }
    }

    /// The settings of the screen: those of a service, an archive or a program have their defaults.
    pub(crate) fn of_screen(self) -> Self {
        let mut screen = Self {
            config: self.config,
            keys: self.keys,
            columns: self.columns,
            ..Self::default()
        };
        screen.overlays.clone_from(&self.values.overlays);
        for setting in SETTINGS.iter().filter(|it| it.changes == Changes::AtOnce) {
            if let Some(origin) = self.origins.get(setting.name) {
                // It was taken before.
                let _ = screen.put(setting.name, &origin.shown, origin.source.clone());
            }
        }
        screen
    }

    /// Puts an option of a setting that was chosen in the dashboard, for this session.
    pub(crate) fn choose(&mut self, name: &str, option: &str) {
        // An option is not refused.
        let _ = self.put(name, option, Source::Session);
    }

    /// Takes the keys and columns of `read`, which has just been read again, and its
    /// sources of the values that are the same.
    pub(crate) fn take_sources(&mut self, read: Self) {
        (self.keys, self.columns) = (read.keys, read.columns);
        for (name, origin) in read.origins {
            let known = self.origins.get(name).map(|known| &known.shown);
            if known == Some(&origin.shown) {
                self.origins.insert(name, origin);
            }
        }
    }

    /// `true` if the profile is that at the file's top level.
    pub(crate) fn is_default_profile(&self) -> bool {
        self.profile == DEFAULT
    }

    /// The source of the value of a setting, as it was read.
    pub(crate) fn source(&self, name: &str) -> &Source {
        let origin = self.origins.get(name);
        origin.map_or(&Source::Default, |origin| &origin.source)
    }

    /// Every setting with its value and source.
    pub(crate) fn rows(&self) -> Vec<SettingRow> {
        let mut rows = Vec::new();
        for setting in SETTINGS {
            let unset = match setting.name {
                "sandbox_url" => self.base_url.as_deref().unwrap_or_default(),
                _ => setting.unset,
            };
            rows.push(SettingRow {
                options: setting.options(),
                ..self.row(setting.name, unset)
            });
            if setting.name == "profile" {
                rows.push(self.row(CONFIG, ""));
            }
        }
        let list = |table: &str, list: &ConfiguredList| SettingRow {
            name: format!("{table} {}", list.name),
            value: list.entries.join(", "),
            source: list.source().to_string(),
            options: Vec::new(),
        };
        rows.extend(self.keys.iter().map(|keys| list("keys", keys)));
        rows.extend(self.columns.iter().map(|columns| list("columns", columns)));
        rows
    }

    fn row(&self, name: &str, unset: &str) -> SettingRow {
        let origin = self.origins.get(name);
        SettingRow {
            name: name.to_owned(),
            value: origin.map_or(unset, |origin| &origin.shown).to_owned(),
            source: self.source(name).to_string(),
            options: Vec::new(),
        }
    }
}

/// The row of the configuration file.
const CONFIG: &str = "config";
/// The warning without a home directory.
const NO_CONFIG: &str = "no settings file is read: HOME is unset, empty or relative";
/// The warning without a home directory.
const NO_ARCHIVE: &str = "there is no archive, because HOME is unset, empty or relative: nothing is stored, and the limits and flags of deployments are not known; --archive names one";

#[cfg(test)]
mod tests;
