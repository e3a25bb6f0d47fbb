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
//! ```

mod file;
mod paths;
mod profile;
mod value;

pub(crate) use file::{ConfigError, ConfiguredDeployment};
pub(crate) use paths::Places;
pub(crate) use value::{Markers, Source, Valued};

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::choice::Choice;
use crate::geo::{CoordinateFormat, Units};
use file::ConfigFile;
use value::{AUTO, DEFAULT, span};

/// The settings given as flags; the others come from environment, file and
/// defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// `--profile`.
    pub profile: Option<String>,
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--base-url`.
    pub base_url: Option<String>,
    /// `--sandbox-url`.
    pub sandbox_url: Option<String>,
    /// `--archive`.
    pub archive: Option<PathBuf>,
    /// `--timeout`.
    pub timeout: Option<String>,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Name of the profile.
    pub profile: Valued<String>,
    /// The path of the configuration file.
    pub config: Valued<PathBuf>,
    /// Whether that file was read.
    pub config_read: bool,
    /// The service's base URL, if one is set.
    pub base_url: Option<Valued<String>>,
    /// The URL where plants are created; `None`: the base URL.
    pub sandbox_url: Option<Valued<String>>,
    /// Whether a token may be sent over plain http.
    pub allow_insecure_http: Valued<bool>,
    /// Certificates to trust besides the system's, in PEM; a relative path is
    /// relative to the configuration file's folder.
    pub ca_file: Option<Valued<PathBuf>>,
    /// The archive.
    pub archive: Valued<PathBuf>,
    /// Idle timeout of a connection.
    pub timeout: Valued<Duration>,
    /// Time between refreshes.
    pub refresh: Valued<Duration>,
    /// Maximum size of a response, bytes, decompressed.
    pub max_response: Valued<u64>,
    /// Units of speeds and distances.
    pub units: Valued<Units>,
    /// How coordinates are written.
    pub coordinates: Valued<CoordinateFormat>,
    /// The glyphs that maps are drawn with.
    pub markers: Valued<Markers>,
    /// The deployments in the file.
    pub deployments: Vec<ConfiguredDeployment>,
    /// Warnings about the file.
    pub warnings: Vec<String>,
}

impl Settings {
    /// The settings from flags, environment, file and defaults, in this order.
    ///
    /// # Errors If the file cannot be read or parsed, a named file does not
    /// exist, a named profile is not in the file, or a flag has an invalid
    /// value.
    pub(crate) fn load(
        flags: &Flags,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, ConfigError> {
        let given = Given { environment };
        let places = Places::new(environment);
        let named = given.path(&flags.config, "--config", "DRIFTLINE_CONFIG");
        let is_named = named.is_some();
        let config = named.unwrap_or_else(|| path_by_default(places.config()));
        let file = ConfigFile::read(&config.value, is_named)?;
        let profile = given
            .text(&flags.profile, "--profile", "DRIFTLINE_PROFILE")?
            .or_else(|| file.chosen())
            .unwrap_or_else(|| Valued::default(DEFAULT.to_owned(), DEFAULT));
        let known = file.profiles();
        if !known.contains(&profile.value) {
            return Err(ConfigError::NoProfile {
                name: profile.value,
                path: config.value,
                known,
            });
        }
        let said = file.in_force(&profile.value);
        let sandbox_url = |profile: &profile::Profile| profile.sandbox_url.clone();
        let has_own_base = said.own(|profile| profile.base_url.clone()).is_some();
        Ok(Self {
            base_url: given
                .text(&flags.base_url, "--base-url", "DRIFTLINE_BASE_URL")?
                .or_else(|| said.get(|profile| profile.base_url.clone())),
            sandbox_url: given
                .text(&flags.sandbox_url, "--sandbox-url", "DRIFTLINE_SANDBOX_URL")?
                // A profile with its own base URL has its own sandbox or none:
                // its token must not reach another service.
                .or_else(|| match has_own_base {
                    true => said.own(sandbox_url),
                    false => said.get(sandbox_url),
                }),
            allow_insecure_http: said
                .own(|profile| profile.allow_insecure_http.clone())
                .unwrap_or_else(|| Valued::default(false, "false")),
            ca_file: said.get(|profile| profile.ca_file.clone()),
            archive: given
                .path(&flags.archive, "--archive", "DRIFTLINE_ARCHIVE")
                .or_else(|| said.get(|profile| profile.archive.clone()))
                .unwrap_or_else(|| path_by_default(places.archive())),
            timeout: given
                .span(&flags.timeout, "--timeout")?
                .or_else(|| said.get(|profile| profile.timeout.clone()))
                .unwrap_or_else(|| Valued::default(Duration::from_secs(30), "30s")),
            refresh: said
                .get(|profile| profile.refresh.clone())
                .unwrap_or_else(|| Valued::default(Duration::from_secs(60), "60s")),
            max_response: said
                .get(|profile| profile.max_response.clone())
                .unwrap_or_else(|| Valued::default(1 << 30, (1_u64 << 30).to_string())),
            units: said
                .get(|profile| profile.units.clone())
                .unwrap_or_else(by_default),
            coordinates: said
                .get(|profile| profile.coordinates.clone())
                .unwrap_or_else(by_default),
            markers: said
                .get(|profile| profile.markers.clone())
                .unwrap_or_else(|| Valued::default(None, AUTO)),
            deployments: file.deployments().to_vec(),
            warnings: file.warnings(),
            config_read: file.was_read(),
            profile,
            config,
        })
    }

    /// Every setting with its value and source.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, String)> {
        fn row<T>(name: &'static str, valued: &Valued<T>) -> (&'static str, String, String) {
            (name, valued.shown.clone(), valued.source.to_string())
        }
        let missing = |name, shown: &str| (name, shown.to_owned(), Source::Default.to_string());
        let base_url = self.base_url.as_ref();
        let base = base_url.map_or("", |base| &base.shown);
        vec![
            row("profile", &self.profile),
            row("config", &self.config),
            base_url.map_or_else(|| missing("base_url", ""), |base| row("base_url", base)),
            self.sandbox_url.as_ref().map_or_else(
                || missing("sandbox_url", base),
                |sandbox| row("sandbox_url", sandbox),
            ),
            row("allow_insecure_http", &self.allow_insecure_http),
            self.ca_file
                .as_ref()
                .map_or_else(|| missing("ca_file", ""), |file| row("ca_file", file)),
            row("archive", &self.archive),
            row("timeout", &self.timeout),
            row("refresh", &self.refresh),
            row("max_response", &self.max_response),
            row("units", &self.units),
            row("coordinates", &self.coordinates),
            row("markers", &self.markers),
        ]
    }
}

/// Reads a value for one run from its flag, else from its environment variable.
struct Given<'a> {
    environment: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Given<'_> {
    fn variable(&self, name: &str) -> Option<OsString> {
        (self.environment)(name).filter(|value| !value.is_empty())
    }

    fn text(
        &self,
        flag: &Option<String>,
        name: &'static str,
        variable: &'static str,
    ) -> Result<Option<Valued<String>>, ConfigError> {
        // A variable that is not UTF-8 is an error even if a flag has
        // precedence.
        let from_variable = match self.variable(variable).map(OsString::into_string) {
            None => None,
            Some(Ok(text)) => Some((text, Source::Environment(variable))),
            Some(Err(_)) => return Err(ConfigError::NotText(variable)),
        };
        let from_flag = flag.clone().map(|text| (text, Source::Flag(name)));
        Ok(from_flag
            .or(from_variable)
            .map(|(text, source)| Valued::new(text.clone(), text, source)))
    }

    fn path(
        &self,
        flag: &Option<PathBuf>,
        name: &'static str,
        variable: &'static str,
    ) -> Option<Valued<PathBuf>> {
        let from_flag = flag.clone().map(|path| (path, Source::Flag(name)));
        from_flag
            .or_else(|| {
                Some((
                    self.variable(variable)?.into(),
                    Source::Environment(variable),
                ))
            })
            .map(|(path, source)| Valued::new(path.clone(), path.display().to_string(), source))
    }

    fn span(
        &self,
        flag: &Option<String>,
        name: &'static str,
    ) -> Result<Option<Valued<Duration>>, ConfigError> {
        let Some(text) = flag else {
            return Ok(None);
        };
        match span(text) {
            Ok(span) => Ok(Some(Valued::new(span, text, Source::Flag(name)))),
            Err(error) => Err(ConfigError::Flag {
                flag: name,
                reason: error.to_string(),
            }),
        }
    }
}

fn path_by_default(path: PathBuf) -> Valued<PathBuf> {
    let shown = path.display().to_string();
    Valued::default(path, shown)
}

fn by_default<T: Choice + Default>() -> Valued<T> {
    let value = T::default();
    let shown: &str = value.into();
    Valued::default(value, shown)
}

#[cfg(test)]
mod tests;
