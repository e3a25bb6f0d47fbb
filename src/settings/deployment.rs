//! A deployment in the settings file: a table `[[deployment]]`.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::inside::{self, InsideFault};
use super::profile::{Entry, unknown};
use crate::track::{Deployment, FieldLimitChange, Side, time};

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

/// The deployment that a table at `at` (bytes) in the text of a file describes.
///
/// # Errors
/// Where it is wrong, bytes, and what is.
pub(super) fn read(
    (text, path): (&str, &Path),
    at: usize,
    table: &DeTable<'_>,
) -> Result<Deployment, (usize, String)> {
    let mut uuid = None;
    let mut deployment = Deployment::new(uuid::Uuid::nil());
    for (key, value) in table {
        let entry = Entry {
            value: value.get_ref(),
            path,
            text,
            at: key.span().start,
            name: key.get_ref().as_ref(),
        };
        let taken = match entry.name {
            "uuid" => entry
                .string()
                .map(|typed| uuid = uuid::Uuid::parse_str(typed.trim()).ok()),
            _ => take(&mut deployment, &entry),
        };
        taken.map_err(|reason| (entry.at, reason))?;
    }
    deployment.uuid = uuid.ok_or_else(|| (at, "a deployment needs a valid uuid".to_owned()))?;
    Ok(deployment)
}

/// Takes the value of one key.
fn take(deployment: &mut Deployment, entry: &Entry<'_>) -> Result<(), String> {
    let limits = &mut deployment.limits;
    let of_key = |error: String| format!("{}: {error}", entry.name);
    match entry.name {
        "label" => deployment.label = Some(entry.string()?.to_owned()),
        "group" => deployment.group = Some(entry.string()?.to_owned()),
        "platform" => deployment.platform = entry.option()?,
        "max_speed" => limits.max_speed_m_s = Some(entry.speed()?),
        "max_age" => {
            let age = time::parse_duration(entry.string()?);
            limits.max_age_s = Some(age.map_err(|error| of_key(error.to_string()))?);
        }
        "inside" => {
            let folder = entry.path.parent().unwrap_or(Path::new(""));
            let parsed = inside::parse(entry.string()?, folder);
            limits.inside = Some(parsed.map_err(|fault| {
                of_key(match fault {
                    // What was typed may be anything, also a secret.
                    InsideFault::Neither { needed, .. } => needed,
                    fault @ InsideFault::File { .. } => fault.to_string(),
                })
            })?);
        }
        "below" => take_fields(deployment, Side::Below, entry)?,
        "above" => take_fields(deployment, Side::Above, entry)?,
        name => return Err(unknown(name, &KEYS)),
    }
    Ok(())
}

/// Takes a table of fields with their limits, such as `{ battery = 11.5 }` or
/// `{ battery = "11.5 V" }`.
fn take_fields(deployment: &mut Deployment, side: Side, entry: &Entry<'_>) -> Result<(), String> {
    let needed = || {
        format!(
            "{}: a table of fields is needed, such as {{ battery = 11.5 }} or {{ battery = \"11.5 V\" }}",
            entry.name
        )
    };
    let DeValue::Table(fields) = entry.value else {
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
