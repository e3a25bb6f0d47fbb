//! A deployment in the settings file: a table `[[deployment]]`.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::file::unknown;
use super::inside::{self, InsideFault};
use crate::geo::speed;
use crate::text::choice;
use crate::track::{FieldLimitChange, Platform, Side, time};
use crate::watch::Deployment;

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
    let mut deployment = Deployment::new(uuid::Uuid::nil());
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let value = value.get_ref();
        let taken = match name {
            "uuid" => {
                text(name, value).map(|typed| uuid = uuid::Uuid::parse_str(typed.trim()).ok())
            }
            _ => take(&mut deployment, name, value, folder),
        };
        taken.map_err(|reason| (key.span().start, reason))?;
    }
    deployment.uuid = uuid.ok_or_else(|| (at, "a deployment needs a valid uuid".to_owned()))?;
    Ok(deployment)
}

fn text<'a>(name: &str, value: &'a DeValue<'_>) -> Result<&'a str, String> {
    let text = value.as_str();
    text.ok_or_else(|| format!("{name} must be text in quotes"))
}

/// Reads the value of a key.
fn take(
    deployment: &mut Deployment,
    name: &str,
    value: &DeValue<'_>,
    folder: &Path,
) -> Result<(), String> {
    let limits = &mut deployment.limits;
    let of_key = |error: String| format!("{name}: {error}");
    match name {
        "label" => deployment.label = Some(text(name, value)?.to_owned()),
        "group" => deployment.group = Some(text(name, value)?.to_owned()),
        "platform" => {
            deployment.platform = text(name, value)?.parse().map_err(|_| {
                let known: Vec<&str> = choice::names::<Platform>().collect();
                format!("{name} must be one of {}", known.join(", "))
            })?;
        }
        "max_speed" => {
            let speed = speed::parse(text(name, value)?);
            limits.max_speed_m_s = Some(speed.map_err(|error| of_key(error.to_string()))?);
        }
        "max_age" => {
            let age = time::parse_duration(text(name, value)?);
            limits.max_age_s = Some(age.map_err(|error| of_key(error.to_string()))?);
        }
        "inside" => {
            let parsed = inside::parse(text(name, value)?, folder);
            limits.inside = Some(parsed.map_err(|fault| {
                of_key(match fault {
                    // What was typed may be anything, also a secret.
                    InsideFault::Neither { needed, .. } => needed,
                    fault @ InsideFault::File { .. } => fault.to_string(),
                })
            })?);
        }
        "below" => take_fields(deployment, Side::Below, name, value)?,
        "above" => take_fields(deployment, Side::Above, name, value)?,
        name => return Err(unknown(name, &KEYS)),
    }
    Ok(())
}

/// Takes a table of fields with their limits, such as `{ battery = 11.5 }` or
/// `{ battery = "11.5 V" }`.
fn take_fields(
    deployment: &mut Deployment,
    side: Side,
    name: &str,
    value: &DeValue<'_>,
) -> Result<(), String> {
    let needed = || {
        format!(
            "{name}: a table of fields is needed, such as {{ battery = 11.5 }} or {{ battery = \"11.5 V\" }}"
        )
    };
    let DeValue::Table(fields) = value else {
        return Err(needed());
    };
    for (field, limit) in fields {
        let limit = match limit.get_ref() {
            DeValue::String(typed) => typed.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => return Err(needed()),
        };
        let change = FieldLimitChange::parse(side, &format!("{}={limit}", field.get_ref()))
            .map_err(|_| needed())?;
        change.apply(&mut deployment.limits.fields);
    }
    Ok(())
}
