//! The settings in force as a list, each with what it can be.

use super::value::{AUTO, Source, Valued};
use super::{ConfiguredList, Notify, Settings};
use crate::chart::GlyphSet;
use crate::choice;
use crate::geo::projection::UsualProjection;
use crate::geo::{CoordinateFormat, Units};
use crate::palette::{ColourScale, ThemeName};
use crate::track::sort::{deployment_orders, track_orders};
use crate::track::time::ShownZone;

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingRow {
    /// Its name in the file.
    pub name: String,
    /// Its value as it is written in the file, without quotes.
    pub value: String,
    /// Where the value is from.
    pub source: String,
    /// The values that it can have, where those are few and the dashboard can change it
    /// while it runs; else empty.
    pub options: Vec<String>,
}

impl SettingRow {
    /// A setting that the dashboard shows and does not change.
    fn new(name: &str, value: &str, source: String) -> Self {
        Self {
            name: name.to_owned(),
            value: value.to_owned(),
            source,
            options: Vec::new(),
        }
    }

    fn with_options<T: Into<String>>(mut self, options: impl Iterator<Item = T>) -> Self {
        self.options = options.map(Into::into).collect();
        self
    }
}

/// The row of a value that is set, or has a default.
fn row<T>(name: &str, valued: &Valued<T>) -> SettingRow {
    SettingRow::new(name, &valued.shown, valued.source.to_string())
}

/// The row of a value that may be missing; `shown` is in its place.
fn row_or<T>(name: &str, valued: Option<&Valued<T>>, shown: &str) -> SettingRow {
    let missing = || SettingRow::new(name, shown, Source::Default.to_string());
    valued.map_or_else(missing, |valued| row(name, valued))
}

/// The row of a list in a table of the file.
fn row_of_list(table: &str, list: &ConfiguredList) -> SettingRow {
    let name = format!("{table} {}", list.name);
    SettingRow::new(&name, &list.entries.join(", "), list.source().to_string())
}

impl Settings {
    /// Every setting with its value and source.
    pub(crate) fn rows(&self) -> Vec<SettingRow> {
        let base_url = self.base_url.as_ref();
        let base = base_url.map_or("", |base| base.shown.as_str());
        let mut rows = vec![
            row("profile", &self.profile),
            row_or("config", self.config.as_ref(), ""),
            row_or("base_url", base_url, ""),
            row_or("sandbox_url", self.sandbox_url.as_ref(), base),
            row("allow_insecure_http", &self.allow_insecure_http),
            row_or("ca_file", self.ca_file.as_ref(), ""),
            row_or("archive", self.archive.as_ref(), ""),
            row("timeout", &self.timeout),
            row("refresh", &self.refresh),
            row("max_response", &self.max_response),
            row_or("fields", self.fields.as_ref(), "(whole records)"),
            row("on_alarm", &self.on_alarm),
            row("workers", &self.workers),
            row("workers_per_service", &self.workers_per_service),
            row("units", &self.units).with_options(choice::names::<Units>()),
            row("coordinates", &self.coordinates).with_options(choice::names::<CoordinateFormat>()),
            row("time_zone", &self.time_zone).with_options(choice::names::<ShownZone>()),
            row("deployments_sort", &self.deployments_sort).with_options(deployment_orders()),
            row("track_sort", &self.track_sort).with_options(track_orders()),
            row("track_projection", &self.track_projection)
                .with_options(choice::names::<UsualProjection>()),
            row("world_projection", &self.world_projection)
                .with_options(choice::names::<UsualProjection>()),
            row("markers", &self.markers)
                .with_options(std::iter::once(AUTO).chain(choice::names::<GlyphSet>())),
            row("theme", &self.theme).with_options(choice::names::<ThemeName>()),
            row_or("theme colours", self.colours.as_ref(), ""),
            row("colour_scale", &self.colour_scale).with_options(choice::names::<ColourScale>()),
            row("notify", &self.notify).with_options(choice::names::<Notify>()),
            row("mouse", &self.mouse).with_options(["true", "false"].into_iter()),
        ];
        rows.extend(self.keys.iter().map(|list| row_of_list("keys", list)));
        rows.extend(self.columns.iter().map(|list| row_of_list("columns", list)));
        rows
    }
}
