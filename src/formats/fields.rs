//! The fields of records in files: names that differ from those of the columns, and values as
//! JSON and as text.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::columns;
use crate::track::Track;
use crate::track::field::{FieldChoice, FieldValue};

/// The prefix of a field whose name is also that of a driftline column.
pub(super) const PREFIX: &str = "field_";

/// The names of fields for a file: the name of a column gets a prefix, so that every name is
/// in the file once.
pub(super) fn distinct<'n>(
    fields: impl Iterator<Item = &'n str>,
    columns: impl Iterator<Item = &'static str>,
) -> Vec<String> {
    let fields: Vec<&str> = fields.collect();
    let columns: HashSet<&str> = columns.collect();
    let mut taken: HashSet<String> = fields.iter().map(|name| (*name).to_owned()).collect();
    let of = |name: &str| {
        if !columns.contains(name) {
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

/// The name of the field that has this name in a file of driftline.
pub(super) fn original(name: &str) -> &str {
    let rest = name.trim_start_matches(PREFIX);
    if columns::names().any(|column| column == rest) {
        rest
    } else {
        name
    }
}

/// The fields of a fix as a JSON object.
#[derive(Debug, Clone)]
pub(super) struct FieldsObject<'a> {
    pub(super) track: &'a Track,
    pub(super) fix: usize,
    /// The fields that are written; `None` for all.
    pub(super) choice: Option<&'a FieldChoice>,
}

impl FieldsObject<'_> {
    fn members(&self) -> impl Iterator<Item = (&str, FieldValue<'_>)> {
        let all = self.track.fields().of_fix(self.fix);
        all.filter(|(name, _)| self.choice.is_none_or(|choice| choice.takes(name)))
    }

    /// `true` if no field is written.
    pub(super) fn is_empty(&self) -> bool {
        self.members().next().is_none()
    }
}

impl Serialize for FieldsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.members() {
            map.serialize_entry(name, &Json(value))?;
        }
        map.end()
    }
}

/// A number printed so that it parses back to the same value, integers without `.0`.
pub(super) struct Number(pub(super) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Up to here every integer is exact and fits.
        if self.0.fract() == 0.0 && self.0.abs() < 9e15 {
            #[allow(clippy::cast_possible_truncation)]
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
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

/// A value as text, in files whose columns have one type; `None` for null.
pub(super) fn as_text(value: FieldValue<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        FieldValue::Null => return None,
        FieldValue::Truth(true) => Cow::Borrowed("true"),
        FieldValue::Truth(false) => Cow::Borrowed("false"),
        FieldValue::Number(number) => Cow::Owned((number + 0.0).to_string()),
        FieldValue::Digits(text) | FieldValue::Text(text) => Cow::Borrowed(text),
    })
}
