//! Settings that are chosen while the dashboard runs, and written into the file.

use std::str::FromStr;

use strum::VariantArray;

use super::{AUTO, ModelSetting};
use crate::dashboard::effect::Effect;
use crate::dashboard::model::Model;
use crate::dashboard::track::together;
use crate::dashboard::widgets::table_state::cyclic;
use crate::failure::Failure;
use crate::map::GlyphSet;
use crate::settings::{Setting, SettingRow, Settings, Source};
use crate::track::Arrangement;

impl Model {
    /// Chooses the value `by` options after the present one for the setting in this row,
    /// cyclic. It applies at once, for this session.
    pub(crate) fn choose_setting(&mut self, row: usize, by: isize) -> Vec<Effect> {
        let Some(SettingRow {
            name,
            value: present,
            options,
            ..
        }) = self.changeable_setting(row)
        else {
            return Vec::new();
        };
        let now = options.iter().position(|option| *option == present);
        let next = now.map_or(0, |now| cyclic(now, by, options.len()));
        let Some(value) = options.get(next) else {
            return Vec::new();
        };
        if let Ok(of_model) = name.parse() {
            return self.set(of_model, value);
        }
        self.put_setting(&name, value);
        vec![Effect::ApplySettings]
    }

    fn put_setting(&mut self, name: &str, value: &str) {
        if let Err(error) = self.settings.put(name, value, Source::Session) {
            self.warn(error.to_string());
        }
    }

    /// The setting in this row of the dialog; says so if it cannot be changed there.
    fn changeable_setting(&mut self, row: usize) -> Option<SettingRow> {
        let setting = self.setting_rows().into_iter().nth(row)?;
        if setting.options.is_empty() {
            self.notify(format!("{} cannot be changed here", setting.name));
            return None;
        }
        Some(setting)
    }

    fn set(&mut self, setting: ModelSetting, value: &str) -> Vec<Effect> {
        match setting {
            ModelSetting::Units => replace(&mut self.units, value),
            ModelSetting::Coordinates => {
                replace(&mut self.coordinates, value);
                return self.rewrite_rows();
            }
            ModelSetting::TimeZone => {
                replace(&mut self.clock, value);
                return self.rewrite_rows();
            }
            ModelSetting::DeploymentsSort => {
                if let Ok(order) = value.parse() {
                    let usual = self.deployments.usual_projection;
                    self.deployments.begin_with(order, usual);
                    self.deployments.arrange_rows(self.now);
                }
            }
            ModelSetting::TrackSort => {
                replace(&mut self.track.usual_sort, value);
                let (wanted, shown) = (self.track.usual_sort, &mut self.track.arrangement);
                let by = Arrangement::by(wanted);
                (shown.sort, shown.descending) = (by.sort, by.descending);
                return self.arrange_rows();
            }
            ModelSetting::TrackProjection => {
                replace(&mut self.track.usual_projection, value);
                (self.track.projection, self.track.view) = (None, None);
            }
            ModelSetting::WorldProjection => {
                let tab = &mut self.deployments;
                replace(&mut tab.usual_projection, value);
                (tab.projection, tab.view) = (None, None);
            }
            ModelSetting::Markers => {
                self.are_markers_auto = value == AUTO;
                let chosen: Option<GlyphSet> = value.parse().ok();
                self.markers = chosen.unwrap_or(self.best_markers);
            }
        }
        Vec::new()
    }

    /// Writes the present value of the setting in this row into the settings file.
    pub(crate) fn write_setting(&mut self, row: usize) -> Vec<Effect> {
        let row = self.changeable_setting(row);
        let Some((setting, row)) = row.and_then(|row| Some((Setting::named(&row.name)?, row)))
        else {
            return Vec::new();
        };
        let value = setting.toml(&row.value);
        self.write_into_settings(None, row.name, value)
    }

    /// Writes a value (in TOML) into a table of the settings file, or among the values
    /// of the profile.
    pub(crate) fn write_into_settings(
        &mut self,
        table: Option<&'static str>,
        name: String,
        value: String,
    ) -> Vec<Effect> {
        if self.demo {
            self.notify("the demo writes no settings file: this stays for the session");
            return Vec::new();
        }
        vec![Effect::WriteSetting { table, name, value }]
    }

    /// A setting was written into the file, which now has these settings, or was not.
    /// The values of this session stay, whatever else is in the file.
    pub(crate) fn setting_written(
        &mut self,
        name: &str,
        outcome: Result<Box<Settings>, Failure>,
    ) -> Vec<Effect> {
        match outcome {
            Err(failure) => self.warn(failure.to_string()),
            Ok(read) => {
                for setting in ModelSetting::VARIANTS {
                    self.put_setting(setting.into(), &self.value_of(*setting));
                }
                self.settings.take_sources(*read);
                // A mark has its own message.
                if name != together::SETTING {
                    self.notify(format!("{name} written into the settings file"));
                }
            }
        }
        Vec::new()
    }
}

/// Sets a value by its name; an unknown name changes nothing.
fn replace<T: FromStr>(value: &mut T, name: &str) {
    if let Ok(named) = name.parse() {
        *value = named;
    }
}
