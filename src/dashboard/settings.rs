//! Settings that are chosen while the dashboard runs, and written into the file.

use super::effect::Effect;
use super::shell::Shell;
use crate::dashboard::shared::{Pixels, Shared};
use crate::failure::Failure;
use crate::map::GlyphSet;
use crate::settings::{NewSetting, SettingRow, Settings};
use crate::text::clean;

impl Shared {
    /// The glyphs that the map is drawn with.
    pub(crate) fn markers(&self) -> GlyphSet {
        let best = self.screen.host.best_markers;
        match (self.settings.markers, self.screen.pixels) {
            (Some(GlyphSet::Pixels), None) => best,
            (Some(chosen), _) => chosen,
            (None, Some(Pixels { are_near: true, .. })) => GlyphSet::Pixels,
            (None, _) => best,
        }
    }

    /// Width and height of a cell in pixels, where maps and charts are drawn in these.
    pub(crate) fn pixel_cell(&self) -> Option<(u16, u16)> {
        let pixels = self.screen.pixels?;
        (self.markers() == GlyphSet::Pixels).then_some(pixels.cell)
    }

    /// Seconds between two refreshes of a deployment.
    pub(crate) fn refresh_s(&self) -> f64 {
        self.settings.refresh.as_secs_f64()
    }

    /// Writes a value (in TOML) into a table of the settings file, or among the values
    /// of the profile.
    pub(crate) fn write_into_settings(
        &mut self,
        table: Option<&'static str>,
        name: String,
        value: String,
    ) {
        if self.service.source.is_embedded() {
            return self.notify("no settings file is written here");
        }
        self.send(Effect::WriteSetting(NewSetting { table, name, value }))
    }

    pub(super) fn next_markers(&mut self) {
        let mut next = self.markers().next();
        if next == GlyphSet::Pixels && self.screen.pixels.is_none() {
            next = next.next();
        }
        self.settings.choose("markers", next.name());
        self.notify(format!("map drawn in {}", next.words()));
    }
}

impl Shell {
    /// The settings as the dialog lists them: changeable ones first, with the present
    /// value, which a key or the dialog may have changed since the start.
    pub(crate) fn setting_rows(&self) -> Vec<SettingRow> {
        let mut rows = self.shared.settings.rows();
        // The others have no effect on the demo and on files.
        rows.retain(|row| !self.shared.service.source.is_embedded() || !row.options.is_empty());
        rows.sort_by_key(|row| row.options.is_empty());
        for row in &mut rows {
            for text in [&mut row.name, &mut row.value, &mut row.source] {
                *text = clean(text).into_owned();
            }
        }
        rows
    }

    /// A setting was written into the file, which now has these settings, or was not.
    /// The values of this session stay, whatever else is in the file.
    pub(crate) fn setting_written(&mut self, name: &str, outcome: Result<Box<Settings>, Failure>) {
        match outcome {
            Err(failure) => self.shared.warn(self.shared.failure_text(&failure)),
            Ok(read) => {
                self.shared.settings.take_sources(*read);
                self.shared
                    .notify(format!("{name} written into the settings file"));
            }
        }
    }

    /// Chooses the value of a setting for this session.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.shared.settings.choose(name, value);
        match name {
            "units" | "coordinates" | "time_zone" => self.rewrite_rows(),
            "markers" => {}
            _ => self.shared.send(Effect::ApplySettings),
        }
    }
}
