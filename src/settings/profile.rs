//! The values of a profile in the file. Each value is parsed into its type
//! here, and nowhere else.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use toml::de::DeValue;

use super::notify::Notify;
use super::value::{Markers, Source, Valued};
use crate::chart::GlyphSet;
use crate::choice::{self, Choice};
use crate::geo::projection::UsualProjection;
use crate::geo::{CoordinateFormat, Units, speed};
use crate::location::{ArchiveLocation, Password, is_server};
use crate::palette::{ColourScale, Paint, ThemeName, Tone};
use crate::track::sort::{SortedBy, deployment_orders, track_orders};
use crate::track::time::ShownZone;
use crate::track::{DeploymentSort, TrackSort};

/// The keys of a profile.
const KEYS: [&str; 25] = [
    "base_url",
    "sandbox_url",
    "ca_file",
    "allow_insecure_http",
    "archive",
    "timeout",
    "refresh",
    "max_response",
    "fields",
    "on_alarm",
    "notify",
    "workers",
    "workers_per_service",
    "units",
    "coordinates",
    "time_zone",
    "deployments_sort",
    "track_sort",
    "track_projection",
    "world_projection",
    "markers",
    "theme",
    "colour_scale",
    "mouse",
    "profile",
];

/// The values of one profile in the file. The keys are those of [`KEYS`].
#[derive(Debug, Clone, Default)]
pub(super) struct Profile {
    pub(super) base_url: Option<Valued<String>>,
    pub(super) sandbox_url: Option<Valued<String>>,
    pub(super) ca_file: Option<Valued<PathBuf>>,
    pub(super) allow_insecure_http: Option<Valued<bool>>,
    pub(super) archive: Option<Valued<ArchiveLocation>>,
    pub(super) timeout: Option<Valued<Duration>>,
    pub(super) refresh: Option<Valued<Duration>>,
    pub(super) max_response: Option<Valued<u64>>,
    pub(super) fields: Option<Valued<Vec<String>>>,
    pub(super) on_alarm: Option<Valued<Vec<String>>>,
    pub(super) notify: Option<Valued<Notify>>,
    pub(super) workers: Option<Valued<usize>>,
    pub(super) workers_per_service: Option<Valued<usize>>,
    pub(super) units: Option<Valued<Units>>,
    pub(super) coordinates: Option<Valued<CoordinateFormat>>,
    pub(super) time_zone: Option<Valued<ShownZone>>,
    pub(super) deployments_sort: Option<Valued<SortedBy<DeploymentSort>>>,
    pub(super) track_sort: Option<Valued<SortedBy<TrackSort>>>,
    pub(super) track_projection: Option<Valued<UsualProjection>>,
    pub(super) world_projection: Option<Valued<UsualProjection>>,
    pub(super) markers: Option<Valued<Markers>>,
    pub(super) theme: Option<Valued<ThemeName>>,
    pub(super) colours: Option<Valued<Vec<(Tone, Paint)>>>,
    pub(super) colour_scale: Option<Valued<ColourScale>>,
    pub(super) mouse: Option<Valued<bool>>,
    pub(super) profile: Option<Valued<String>>,
}

impl Profile {
    /// Stores one setting.
    ///
    /// # Errors The reason, without the value, which might be a secret.
    pub(super) fn take(&mut self, entry: &Entry<'_>) -> Result<(), String> {
        match entry.name {
            "base_url" => self.base_url = Some(entry.text()?),
            "sandbox_url" => self.sandbox_url = Some(entry.text()?),
            "ca_file" => self.ca_file = Some(entry.file_beside()?),
            "allow_insecure_http" => self.allow_insecure_http = Some(entry.switch()?),
            "archive" => self.archive = Some(entry.archive()?),
            "timeout" => self.timeout = Some(entry.span()?),
            "refresh" => self.refresh = Some(entry.interval()?),
            "max_response" => self.max_response = Some(entry.bytes()?),
            "fields" => self.fields = Some(entry.names()?),
            "on_alarm" => self.on_alarm = Some(entry.program()?),
            "notify" => self.notify = Some(entry.choice()?),
            "workers" => self.workers = Some(entry.workers()?),
            "workers_per_service" => self.workers_per_service = Some(entry.workers()?),
            "units" => self.units = Some(entry.choice()?),
            "coordinates" => self.coordinates = Some(entry.choice()?),
            "time_zone" => self.time_zone = Some(entry.choice()?),
            "deployments_sort" => {
                self.deployments_sort = Some(entry.order(deployment_orders())?);
            }
            "track_sort" => self.track_sort = Some(entry.order(track_orders())?),
            "track_projection" => self.track_projection = Some(entry.choice()?),
            "world_projection" => self.world_projection = Some(entry.choice()?),
            "markers" => self.markers = Some(entry.markers()?),
            "theme" => self.theme = Some(entry.choice()?),
            "colour_scale" => self.colour_scale = Some(entry.choice()?),
            "mouse" => self.mouse = Some(entry.switch()?),
            "profile" => self.profile = Some(entry.text()?),
            "token" => {
                return Err("a token is not read from this file: run `driftline auth login`, or set DRIFTLINE_TOKEN".to_owned());
            }
            _ => return Err(unknown(entry.name, &KEYS)),
        }
        Ok(())
    }
}

impl Profile {
    /// Stores one setting of the table `[theme]`: its name, or the colour of a
    /// tone.
    ///
    /// # Errors As [`Self::take`].
    pub(super) fn take_colour(&mut self, entry: &Entry<'_>) -> Result<(), String> {
        if entry.name == "name" {
            self.theme = Some(entry.choice()?);
            return Ok(());
        }
        let Ok(tone) = entry.name.parse::<Tone>() else {
            let known: Vec<&str> = std::iter::once("name")
                .chain(choice::names::<Tone>())
                .collect();
            return Err(unknown(entry.name, &known));
        };
        let text = entry.string()?;
        let paint = Paint::parse(text).ok_or_else(|| {
            format!(
                "{} must be a colour such as \"#5fd7ff\", or one of the terminal's such as \"bright-red\"",
                entry.name
            )
        })?;
        let shown = format!("{}={text}", entry.name);
        match &mut self.colours {
            Some(colours) => {
                colours.value.push((tone, paint));
                colours.shown.push(' ');
                colours.shown.push_str(&shown);
            }
            None => self.colours = Some(entry.valued(vec![(tone, paint)], shown)),
        }
        Ok(())
    }
}

/// The value of one key, with its position in the file.
pub(super) struct Entry<'a> {
    pub(super) value: &'a DeValue<'a>,
    pub(super) path: &'a Path,
    /// The text of the file, and the byte offset of the key.
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) name: &'a str,
}

impl Entry<'_> {
    /// The lines are counted only here: of ten thousand deployments few are in
    /// an error message.
    fn valued<T>(&self, value: T, shown: impl Into<String>) -> Valued<T> {
        let source = Source::File {
            path: self.path.to_owned(),
            line: position(self.text, self.at).0,
        };
        Valued::new(value, shown, source)
    }

    pub(super) fn string(&self) -> Result<&str, String> {
        match self.value {
            DeValue::String(string) => Ok(string.as_ref()),
            _ => Err(format!("{} must be text in quotes", self.name)),
        }
    }

    fn text(&self) -> Result<Valued<String>, String> {
        let string = self.string()?;
        Ok(self.valued(string.to_owned(), string))
    }

    /// A file; a relative path is relative to the configuration file's folder. One
    /// that begins with `~/` is returned as it is.
    fn file_beside(&self) -> Result<Valued<PathBuf>, String> {
        let string = self.string()?;
        let path = match self.path.parent() {
            Some(folder) if !string.starts_with("~/") => folder.join(string),
            _ => string.into(),
        };
        let shown = path.display().to_string();
        Ok(self.valued(path, shown))
    }

    /// An archive: a file as of [`Entry::file_beside`], or one on a server.
    fn archive(&self) -> Result<Valued<ArchiveLocation>, String> {
        let string = self.string()?;
        let place = if is_server(string) {
            ArchiveLocation::parse(Path::new(string), Password::Refused)
                .map_err(|error| format!("{}: {error}", self.name))?
        } else {
            ArchiveLocation::File(self.file_beside()?.value)
        };
        let shown = place.to_string();
        Ok(self.valued(place, shown))
    }

    fn span(&self) -> Result<Valued<Duration>, String> {
        let string = self.string()?;
        match super::value::span(string) {
            Ok(span) => Ok(self.valued(span, string)),
            Err(_) => Err(format!(
                "{} must be a duration such as 30s, 5m or 2h, over 0 and at most 10 years",
                self.name
            )),
        }
    }

    /// A duration of a second at least: a service is not asked more often.
    fn interval(&self) -> Result<Valued<Duration>, String> {
        let span = self.span()?;
        match span.value < Duration::from_secs(1) {
            true => Err(format!("{} must be at least 1s", self.name)),
            false => Ok(span),
        }
    }

    /// A speed with its unit, m/s.
    pub(super) fn speed(&self) -> Result<f64, String> {
        speed::parse(self.string()?).map_err(|error| format!("{}: {error}", self.name))
    }

    /// The named option of a choice.
    pub(super) fn option<T: Choice + FromStr>(&self) -> Result<T, String> {
        self.string()?
            .parse()
            .map_err(|_| self.one_of(choice::names::<T>()))
    }

    fn choice<T: Choice + FromStr>(&self) -> Result<Valued<T>, String> {
        let one: T = self.option()?;
        let name: &str = one.into();
        Ok(self.valued(one, name))
    }

    /// One of the `known` orders of rows.
    fn order<T: Choice + FromStr>(
        &self,
        known: impl Iterator<Item = String>,
    ) -> Result<Valued<SortedBy<T>>, String> {
        let known: Vec<String> = known.collect();
        let order: Option<SortedBy<T>> = self.string()?.parse().ok();
        match order.filter(|order| known.contains(&order.to_string())) {
            Some(order) => Ok(self.valued(order, order.to_string())),
            None => Err(format!("{} must be one of {}", self.name, known.join(", "))),
        }
    }

    fn markers(&self) -> Result<Valued<Markers>, String> {
        match self.string()? {
            super::value::AUTO => Ok(self.valued(None, super::value::AUTO)),
            string => match string.parse() {
                Ok(one) => Ok(self.valued(Some(one), string)),
                Err(_) => {
                    let glyphs = choice::names::<GlyphSet>();
                    Err(self.one_of(std::iter::once(super::value::AUTO).chain(glyphs)))
                }
            },
        }
    }

    fn one_of(&self, names: impl Iterator<Item = &'static str>) -> String {
        let names: Vec<_> = names.collect();
        format!("{} must be one of {}", self.name, names.join(", "))
    }

    fn switch(&self) -> Result<Valued<bool>, String> {
        match self.value {
            DeValue::Boolean(value) => Ok(self.valued(*value, value.to_string())),
            _ => Err(format!("{} must be true or false", self.name)),
        }
    }

    /// Names that are not empty, perhaps none.
    pub(super) fn names(&self) -> Result<Valued<Vec<String>>, String> {
        let DeValue::Array(list) = self.value else {
            return Err(format!(
                "{} is a list of names, such as [\"a\", \"b\"]",
                self.name
            ));
        };
        let mut names = Vec::new();
        for one in list.iter() {
            match one.get_ref() {
                DeValue::String(name) if super::value::is_field(name) => {
                    names.push(name.to_string());
                }
                _ => return Err(format!("{}: each is a name in quotes", self.name)),
            }
        }
        let shown = names.join(",");
        Ok(self.valued(names, shown))
    }

    /// A program with its arguments; an empty list is none.
    fn program(&self) -> Result<Valued<Vec<String>>, String> {
        let DeValue::Array(list) = self.value else {
            return Err(format!(
                "{} is a list, such as [\"program\", \"argument\"]",
                self.name
            ));
        };
        let mut words = Vec::new();
        for one in list.iter() {
            match one.get_ref() {
                DeValue::String(word) if !word.contains('\0') => words.push(word.to_string()),
                _ => return Err(format!("{}: each is a text in quotes", self.name)),
            }
        }
        if words.first().is_some_and(String::is_empty) {
            return Err(format!("{}: the program has no name", self.name));
        }
        let shown = words.join(" ");
        Ok(self.valued(words, shown))
    }

    /// How many requests are made at once.
    fn workers(&self) -> Result<Valued<usize>, String> {
        let wrong = || format!("{} must be a whole number from 1 to 64", self.name);
        let DeValue::Integer(value) = self.value else {
            return Err(wrong());
        };
        match value.as_str().parse::<usize>() {
            Ok(count) if (1..=64).contains(&count) => Ok(self.valued(count, count.to_string())),
            _ => Err(wrong()),
        }
    }

    fn bytes(&self) -> Result<Valued<u64>, String> {
        let DeValue::Integer(value) = self.value else {
            return Err(format!("{} must be a number of bytes", self.name));
        };
        match value.as_str().replace('_', "").parse::<u64>() {
            Ok(bytes) if bytes > 0 => Ok(self.valued(bytes, bytes.to_string())),
            _ => Err(format!("{} must be a number of bytes over 0", self.name)),
        }
    }
}

/// The values of the profile in force over those of the top level.
pub(super) struct InForce<'a> {
    pub(super) own: Option<&'a Profile>,
    pub(super) all: &'a Profile,
    /// The top level is the profile `default`.
    pub(super) is_default: bool,
}

impl InForce<'_> {
    /// The profile's own value, else the top level's.
    pub(super) fn get<T>(&self, of: impl Fn(&Profile) -> Option<T>) -> Option<T> {
        self.own.and_then(&of).or_else(|| of(self.all))
    }

    /// The profile's own value: a permission for one service does not apply to
    /// another.
    pub(super) fn own<T>(&self, of: impl Fn(&Profile) -> Option<T>) -> Option<T> {
        self.own
            .and_then(&of)
            .or_else(|| of(self.all).filter(|_| self.is_default))
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
    let nearest = known
        .iter()
        .map(|key| (strsim::levenshtein(name, key), key))
        .min();
    match nearest {
        Some((away, key)) if away <= 3 => {
            format!("unknown setting '{shown}': did you mean '{key}'?")
        }
        _ => format!(
            "unknown setting '{shown}'; known settings: {}",
            known.join(", ")
        ),
    }
}

/// Line and column of a byte offset, counted from 1.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_is_suggested_is_taken() {
        for key in KEYS {
            let values = [
                "true",
                "1",
                "\"si\"",
                "\"dd\"",
                "\"auto\"",
                "\"cividis\"",
                "\"utc\"",
                "\"name\"",
                "\"time\"",
                "\"5s\"",
                "[]",
            ];
            let taken = values.iter().any(|value| {
                let value = toml::de::DeValue::parse(value).unwrap();
                let entry = Entry {
                    value: value.get_ref(),
                    path: Path::new("config.toml"),
                    text: "",
                    at: 0,
                    name: key,
                };
                Profile::default().take(&entry).is_ok()
            });
            assert!(taken, "{key}");
        }
    }
}
