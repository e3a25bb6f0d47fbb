//! The fields of records in files: names that are not a column of ours, and values
//! as JSON and as text.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::number::Number;
use crate::track::Track;
use crate::track::field::FieldValue;

/// The prefix of a field whose name is also that of a driftline column.
pub(super) const PREFIX: &str = "field_";

/// The names of fields for a file with columns of ours: what is one of those gets a
/// prefix, so that every name is there once.
pub(super) fn distinct<'n>(
    fields: impl Iterator<Item = &'n str>,
    ours: impl Iterator<Item = &'static str>,
) -> Vec<String> {
    let (fields, ours): (Vec<&str>, HashSet<&str>) = (fields.collect(), ours.collect());
    let mut taken: HashSet<String> = fields.iter().map(|name| (*name).to_owned()).collect();
    let is_ours = |name: &str| ours.contains(name);
    let of = |name: &str| {
        if !is_ours(name) {
            return name.to_owned();
        }
        let mut new = format!("{PREFIX}{name}");
        while !taken.insert(new.clone()) {
            new.insert_str(0, PREFIX);
        }
        new
    };
    fields.into_iter().map(of).collect()
}

/// The fields of a fix as a JSON object.
#[derive(Debug, Clone)]
pub(super) struct FieldsObject<'a> {
    pub(super) track: &'a Track,
    pub(super) fix: usize,
}

impl FieldsObject<'_> {
    /// `true` if the record of the fix has no field.
    pub(super) fn is_empty(&self) -> bool {
        self.track.fields().of_fix(self.fix).next().is_none()
    }
}

impl Serialize for FieldsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.track.fields().of_fix(self.fix) {
            map.serialize_entry(name, &Json(value))?;
        }
        map.end()
    }
}

/// A value as JSON.
pub(super) struct Json<'a>(pub(super) FieldValue<'a>);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            FieldValue::Null => serializer.serialize_unit(),
            FieldValue::Truth(is) => serializer.serialize_bool(is),
            FieldValue::Number(number) => Number(number).serialize(serializer),
            FieldValue::Digits(digits) => RawValue::from_string(digits.to_owned())
                .map_err(S::Error::custom)?
                .serialize(serializer),
            FieldValue::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// A value as text, in files whose columns have one type; none for null.
pub(super) fn as_text(value: FieldValue<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        FieldValue::Null => return None,
        FieldValue::Truth(true) => Cow::Borrowed("true"),
        FieldValue::Truth(false) => Cow::Borrowed("false"),
        FieldValue::Number(number) => Cow::Owned((number + 0.0).to_string()),
        FieldValue::Digits(text) | FieldValue::Text(text) => Cow::Borrowed(text),
    })
}
