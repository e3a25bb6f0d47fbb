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
pub(crate) mod inside;
mod notify;
mod paths;
mod profile;
mod rows;
mod value;

pub(crate) use edit::{PlaceOfSetting, with_base_url, with_setting};
pub(crate) use file::{ConfigError, ConfiguredList};
pub(crate) use notify::Notify;
pub(crate) use paths::Places;
pub(crate) use rows::SettingRow;
pub(crate) use value::{Markers, Source, Valued};

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::chart::FirstView;
use crate::choice::Choice;
use crate::geo::projection::UsualProjection;
use crate::geo::{CoordinateFormat, Units};
use crate::location::{ArchiveLocation, Password};
use crate::palette::{ColourScale, Look, Paint, ThemeName, Tone};
use crate::track::sort::SortedBy;
use crate::track::time::ShownZone;
use crate::track::{Deployment, DeploymentSort, TrackSort};
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    /// The profile to use.
    pub profile: Valued<String>,
    /// The path of the configuration file; `None` without a home directory.
    pub config: Option<Valued<PathBuf>>,
    /// Whether that file was read.
    pub config_read: bool,
    /// The service's base URL, if one is set.
    pub base_url: Option<Valued<String>>,
    /// The URL where plants are created; `None`: the base URL.
    pub sandbox_url: Option<Valued<String>>,
    /// Whether a token may be sent over plain http.
    pub allow_insecure_http: Valued<bool>,
    /// Certificates to trust besides the system's, in PEM; a relative path is
    /// relative to the configuration file's folder, `~/` to the home directory.
    pub ca_file: Option<Valued<PathBuf>>,
    /// The archive: a file, or `postgres://USER@HOST/DATABASE`; `None` without a
    /// home directory.
    pub archive: Option<Valued<ArchiveLocation>>,
    /// Idle timeout of a connection.
    pub timeout: Valued<Duration>,
    /// Shortest wait between two requests for a deployment, at least 1s.
    pub refresh: Valued<Duration>,
    /// Maximum size of a response, bytes, decompressed.
    pub max_response: Valued<u64>,
    /// The fields to request besides time and position: `[]` requests these
    /// alone; `None` requests whole records.
    pub fields: Option<Valued<Vec<String>>>,
    /// The program to run for each alarm, with its arguments.
    pub on_alarm: Valued<Vec<String>>,
    /// How the dashboard tells its terminal of an alarm.
    pub notify: Valued<Notify>,
    /// Most requests of `collect` at once.
    pub workers: Valued<usize>,
    /// Most requests of `collect` to one service at once.
    pub workers_per_service: Valued<usize>,
    /// Units of speeds and distances.
    pub units: Valued<Units>,
    /// How coordinates are written.
    pub coordinates: Valued<CoordinateFormat>,
    /// The time zone that the dashboard shows times in.
    pub time_zone: Valued<ShownZone>,
    /// The order of the list of deployments in the dashboard.
    pub deployments_sort: Valued<SortedBy<DeploymentSort>>,
    /// The order of the fixes of a track that the dashboard opens.
    pub track_sort: Valued<SortedBy<TrackSort>>,
    /// The projection of the map of a track, where it can show the track; else, and
    /// with `auto`, the one that suits the track.
    pub track_projection: Valued<UsualProjection>,
    /// The projection of the map of all deployments, as `track_projection`.
    pub world_projection: Valued<UsualProjection>,
    /// The glyphs that maps are drawn with.
    pub markers: Valued<Markers>,
    /// The colours of the screen.
    pub theme: Valued<ThemeName>,
    /// The colours that replace those of the theme.
    pub colours: Option<Valued<Vec<(Tone, Paint)>>>,
    /// The colour scale of a track.
    pub colour_scale: Valued<ColourScale>,
    /// Whether the dashboard uses the mouse; `false` leaves it to the terminal.
    pub mouse: Valued<bool>,
    /// The keys of actions in the file.
    pub keys: Vec<ConfiguredList>,
    /// The columns of tables in the file.
    pub columns: Vec<ConfiguredList>,
    /// The deployments in the file.
    pub deployments: Vec<Deployment>,
    /// Warnings about the file.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Whether the profile is the one at the file's top level.
    pub(crate) fn is_default_profile(&self) -> bool {
        self.profile.value == DEFAULT
    }

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
        let config = named.or_else(|| places.config().map(path_by_default));
        let file = match &config {
            Some(config) => ConfigFile::read(&config.value, is_named)?,
            None => ConfigFile::default(),
        };
        let profile = given
            .text(&flags.profile, "--profile", "DRIFTLINE_PROFILE")?
            .or_else(|| file.chosen())
            .unwrap_or_else(|| Valued::default(DEFAULT.to_owned(), DEFAULT));
        let known = file.profiles();
        if !known.contains(&profile.value) {
            return Err(ConfigError::NoProfile {
                name: profile.value,
                path: config.map(|config| config.value).unwrap_or_default(),
                known,
            });
        }
        let said = file.in_force(&profile.value);
        let sandbox_url = |profile: &profile::Profile| profile.sandbox_url.clone();
        let has_own_base = said.own(|profile| profile.base_url.clone()).is_some();
        let given_base = given.text(&flags.base_url, "--base-url", "DRIFTLINE_BASE_URL")?;
        let is_base_given = given_base.is_some();
        let archive = given
            .archive(&flags.archive)?
            .or_else(|| archive_from_home(&places, said.get(|profile| profile.archive.clone())?))
            .or_else(|| archive_of(path_by_default(places.archive()?)));
        let mut warnings = file.warnings();
        if config.is_none() {
            warnings.push(NO_CONFIG.to_owned());
        }
        if archive.is_none() {
            warnings.push(NO_ARCHIVE.to_owned());
        }
        Ok(Self {
            base_url: given_base.or_else(|| said.get(|profile| profile.base_url.clone())),
            sandbox_url: given
                .text(&flags.sandbox_url, "--sandbox-url", "DRIFTLINE_SANDBOX_URL")?
                // A base URL given for this run also applies to creates: the
                // token must not reach another service. For the same reason a
                // profile with its own base URL has its own sandbox or none.
                .or_else(|| match (is_base_given, has_own_base) {
                    (true, _) => None,
                    (false, true) => said.own(sandbox_url),
                    (false, false) => said.get(sandbox_url),
                }),
            allow_insecure_http: said
                .own(|profile| profile.allow_insecure_http.clone())
                .unwrap_or_else(|| Valued::default(false, "false")),
            ca_file: said
                .get(|profile| profile.ca_file.clone())
                .map(|file| from_home(&places, file.clone()).unwrap_or(file)),
            archive,
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
            fields: given
                .names("DRIFTLINE_FIELDS")?
                .or_else(|| said.get(|profile| profile.fields.clone())),
            on_alarm: said
                .get(|profile| profile.on_alarm.clone())
                .unwrap_or_else(|| Valued::default(Vec::new(), "(none)")),
            notify: said
                .get(|profile| profile.notify.clone())
                .unwrap_or_else(by_default),
            workers: said
                .get(|profile| profile.workers.clone())
                .unwrap_or_else(|| Valued::default(8, "8")),
            workers_per_service: said
                .get(|profile| profile.workers_per_service.clone())
                .unwrap_or_else(|| Valued::default(2, "2")),
            units: said
                .get(|profile| profile.units.clone())
                .unwrap_or_else(by_default),
            coordinates: said
                .get(|profile| profile.coordinates.clone())
                .unwrap_or_else(by_default),
            time_zone: said
                .get(|profile| profile.time_zone.clone())
                .unwrap_or_else(by_default),
            deployments_sort: said
                .get(|profile| profile.deployments_sort.clone())
                .unwrap_or_else(order_by_default),
            track_sort: said
                .get(|profile| profile.track_sort.clone())
                .unwrap_or_else(order_by_default),
            track_projection: said
                .get(|profile| profile.track_projection.clone())
                .unwrap_or_else(by_default),
            world_projection: said
                .get(|profile| profile.world_projection.clone())
                .unwrap_or_else(by_default),
            markers: said
                .get(|profile| profile.markers.clone())
                .unwrap_or_else(|| Valued::default(None, AUTO)),
            theme: said
                .get(|profile| profile.theme.clone())
                .unwrap_or_else(by_default),
            colours: said.get(|profile| profile.colours.clone()),
            colour_scale: said
                .get(|profile| profile.colour_scale.clone())
                .unwrap_or_else(by_default),
            mouse: said
                .get(|profile| profile.mouse.clone())
                .unwrap_or_else(|| Valued::default(true, "true")),
            keys: file.keys().to_vec(),
            columns: file.columns().to_vec(),
            deployments: file.deployments().to_vec(),
            warnings,
            config_read: file.was_read(),
            profile,
            config,
        })
    }

    /// How tables and maps look before anything is chosen on the screen.
    pub(crate) fn first_view(&self) -> FirstView {
        FirstView {
            zone: self.time_zone.value,
            deployments_sort: self.deployments_sort.value,
            track_sort: self.track_sort.value,
            track_projection: self.track_projection.value,
            world_projection: self.world_projection.value,
        }
    }

    /// How the screen is to look.
    pub(crate) fn look(&self) -> Look {
        Look {
            theme: self.theme.value,
            paints: self
                .colours
                .as_ref()
                .map_or_else(Vec::new, |colours| colours.value.clone()),
            scale: self.colour_scale.value,
        }
    }
}

/// The warning without a home directory.
const NO_CONFIG: &str = "no settings file is read: HOME is unset, empty or relative";
/// The warning without a home directory.
const NO_ARCHIVE: &str = "there is no archive, because HOME is unset, empty or relative: nothing is stored, and the limits and flags of deployments are not known; --archive names one";

/// A path of the file in which `~/` is the home directory; `None` without one.
fn from_home(places: &Places, file: Valued<PathBuf>) -> Option<Valued<PathBuf>> {
    let path = places.with_home(&file.value)?;
    let shown = path.display().to_string();
    Some(Valued::new(path, shown, file.source))
}

/// The archive that the file names, in which `~/` is the home directory; `None`
/// without one.
fn archive_from_home(
    places: &Places,
    named: Valued<ArchiveLocation>,
) -> Option<Valued<ArchiveLocation>> {
    match named.value.file() {
        Some(path) => {
            let path = Valued::new(path.to_owned(), named.shown, named.source);
            from_home(places, path).and_then(archive_of)
        }
        None => Some(named),
    }
}

fn archive_of(file: Valued<PathBuf>) -> Option<Valued<ArchiveLocation>> {
    let place = ArchiveLocation::File(file.value);
    Some(Valued::new(place, file.shown, file.source))
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

    /// Names with commas between them.
    fn names(&self, variable: &'static str) -> Result<Option<Valued<Vec<String>>>, ConfigError> {
        let Some(words) = self.text(&None, "", variable)? else {
            return Ok(None);
        };
        let names = words.value.split(',').map(str::trim);
        let names: Vec<String> = names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        if names.iter().any(|name| !value::is_field(name)) {
            return Err(ConfigError::Flag {
                flag: variable,
                reason: "it holds a control character".to_owned(),
            });
        }
        let shown = names.join(",");
        Ok(Some(Valued::new(names, shown, words.source)))
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

    /// The archive: a file, or the URL of one on a server, which may hold a
    /// password only in the environment.
    fn archive(
        &self,
        flag: &Option<PathBuf>,
    ) -> Result<Option<Valued<ArchiveLocation>>, ConfigError> {
        const FLAG: &str = "--archive";
        const VARIABLE: &str = "DRIFTLINE_ARCHIVE";
        let Some(named) = self.path(flag, FLAG, VARIABLE) else {
            return Ok(None);
        };
        let (name, password) = match named.source {
            Source::Environment(_) => (VARIABLE, Password::Allowed),
            _ => (FLAG, Password::Refused),
        };
        let place =
            ArchiveLocation::parse(&named.value, password).map_err(|error| ConfigError::Flag {
                flag: name,
                reason: error.to_string(),
            })?;
        let shown = place.to_string();
        Ok(Some(Valued::new(place, shown, named.source)))
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

fn order_by_default<T: Choice + Default>() -> Valued<SortedBy<T>> {
    let order = SortedBy::<T>::default();
    Valued::default(order, order.to_string())
}

#[cfg(test)]
mod tests;
