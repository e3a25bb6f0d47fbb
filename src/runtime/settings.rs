//! The settings of the dashboard: listed, and written into their file.

use crate::app::Event;
use crate::app::state::settings::Setting;
use crate::failure::{Failure, FailureKind};
use crate::ops::settings_file::{NewSetting, SettingsFile};
use crate::settings::SettingRow;
use crate::text::clean;

/// The settings as the dashboard lists them: those that can be changed first.
pub(super) fn in_force(rows: Vec<SettingRow>) -> Vec<Setting> {
    let setting = |row: SettingRow| {
        let words = |text: &str| clean(text).into_owned();
        let (name, value, source) = (words(&row.name), words(&row.value), words(&row.source));
        Setting::new(name, value, source, row.options)
    };
    let mut settings: Vec<Setting> = rows.into_iter().map(setting).collect();
    settings.sort_by_key(|setting| setting.options.is_empty());
    settings
}

/// Writes a setting into the settings file, if there is one; returns the event that says
/// so.
pub(super) async fn written(file: Option<SettingsFile>, new: NewSetting) -> Event {
    let of_table = new.table.map(|table| format!("{table} {}", new.name));
    let name = of_table.unwrap_or_else(|| new.name.clone());
    let outcome = match file {
        Some(file) => file.write(new).await,
        None => Err(Failure::new(
            FailureKind::Other,
            "there is no settings file: HOME is unset, empty or relative",
            "The setting stays for this session.",
        )),
    };
    let outcome = outcome.map(in_force);
    Event::SettingWritten { name, outcome }
}
