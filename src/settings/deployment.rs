//! A deployment in the settings file: a table `[[deployment]]`.

use std::path::Path;
use std::str::FromStr;

use toml::de::{DeTable, DeValue};

use super::file::unknown;
use super::inside;
use crate::watch::Deployment;
use crate::watch::deployment::change::{EntryChange, Reading, Setting};

/// The keys of a deployment.
const KEYS: [&str; 9] = [
    "uuid",
    "label",
    "group",
    "platform",
    "max_speed",
    "max_age",
    "inside",
    "below",
    "above",
];

/// The deployment that a table at `at` (bytes) in a file of this folder describes.
///
/// # Errors
/// The offset of what is wrong, bytes, and why it is.
pub(super) fn read(
    table: &DeTable<'_>,
    at: usize,
    folder: &Path,
) -> Result<Deployment, (usize, String)> {
    let mut uuid = None;
    let mut change = EntryChange::default();
    let reading = Reading {
        now: 0.0,
        zone: None,
        inside: &|typed| inside::parse(typed, folder),
    };
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let fault = |reason: String| (key.span().start, reason);
        let value = value.get_ref();
        if name == "uuid" {
            uuid = uuid::Uuid::parse_str(text(name, value).map_err(fault)?.trim()).ok();
            continue;
        }
        let setting = Setting::from_str(name)
            .ok()
            .filter(|_| KEYS.contains(&name))
            .ok_or_else(|| fault(unknown(name, &KEYS)))?;
        let typed = match setting {
            Setting::Below | Setting::Above => limits(value).ok_or_else(|| of_limits(name)),
            _ => text(name, value).map(str::to_owned),
        };
        let read = change.read(setting, &typed.map_err(fault)?, &reading);
        read.map_err(|reason| {
            fault(match (setting, setting.choices().as_slice()) {
                (Setting::Below | Setting::Above, _) => of_limits(name),
                (_, []) => format!("{name}: {reason}"),
                (_, names) => format!("{name} must be one of {}", names.join(", ")),
            })
        })?;
    }
    let uuid = uuid.ok_or_else(|| (at, "a deployment needs a valid uuid".to_owned()))?;
    let mut deployment = Deployment::new(uuid);
    change.apply(&mut deployment);
    Ok(deployment)
}

fn text<'a>(name: &str, value: &'a DeValue<'_>) -> Result<&'a str, String> {
    let text = value.as_str();
    text.ok_or_else(|| format!("{name} must be text in quotes"))
}

/// The limits of a table of fields, such as `{ battery = 11.5 }` or `{ battery = "11.5 V" }`, as
/// they are typed.
fn limits(value: &DeValue<'_>) -> Option<String> {
    let limits = value.as_table()?.iter().map(|(field, limit)| {
        let limit = match limit.get_ref() {
            DeValue::String(typed) => typed.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => return None,
        };
        Some(format!("{}={limit}", field.get_ref()))
    });
    let limits: Option<Vec<String>> = limits.collect();
    Some(limits?.join(";"))
}

fn of_limits(name: &str) -> String {
    format!(
        "{name}: a table of fields is needed, such as {{ battery = 11.5 }} or {{ battery = \"11.5 V\" }}"
    )
}
