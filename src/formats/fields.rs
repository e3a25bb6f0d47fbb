//! The fields of records in files: names that differ from those of the columns, and values as
//! JSON and as text.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::columns::{self, Value};
use crate::track::Track;
use crate::track::field::{FieldChoice, FieldValue};
use crate::track::time::write_rfc3339;

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
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

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

/// Writes values as text, in reused buffers.
#[derive(Default)]
pub(super) struct ValueText {
    float: zmij::Buffer,
    integer: itoa::Buffer,
    text: String,
}

impl ValueText {
    /// The value of a column; nothing if it is missing, and for a text.
    pub(super) fn format(&mut self, value: &Value<'_>) -> &str {
        match value {
            Value::Missing | Value::Text(_) => "",
            Value::Time(time) => {
                write_rfc3339(*time, &mut self.text);
                &self.text
            }
            Value::Number(number) => self.number(*number),
            Value::Flag(flag) => self.integer.format(flag.code()),
            Value::Truth(true) => "true",
            Value::Truth(false) => "false",
        }
    }

    /// The shortest decimal that parses back to the same value, integers
    /// without a decimal point, never with an exponent.
    pub(super) fn number(&mut self, value: f64) -> &str {
        // `as` saturates.
        let whole = value as i64;
        let is_whole = value == (value as i64) as f64;
        // Up to here every integer is exact and fits; negative zero would lose
        // its sign.
        if is_whole && value.abs() < 9e15 && (value != 0.0 || value.is_sign_positive()) {
            return self.integer.format(whole);
        }
        // Within these bounds it is printed without an exponent.
        if (1e-4..1e15).contains(&value.abs()) {
            return self.float.format_finite(value);
        }
        self.text = value.to_string();
        &self.text
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

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_number_is_the_shortest_that_reads_back_the_same(bits in proptest::num::u64::ANY, small in -1e4f64..1e4) {
            let mut values = ValueText::default();
            for value in [f64::from_bits(bits), small, small.round(), small * 1e-6, small * 1e12] {
                // If two decimals are equally short and near, either is
                // correct.
                let (ours, known) = (values.number(value), value.to_string());
                proptest::prop_assert_eq!(ours.len(), known.len());
                if value.is_finite() {
                    proptest::prop_assert_eq!(ours.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
                }
            }
        }
    }
}
