//! A value of a row, and the id that it may be.

use super::names::Role;
use crate::track::field::FieldValue;

/// The first character of the id of a deployment that has only a number.
pub(super) const NUMBERED: char = '\u{1}';

/// A value with what its column is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) name: &'a str,
    pub(super) role: Role,
    pub(super) value: FieldValue<'a>,
}

/// Texts that stand where there is no id, in lower case.
const NO_ID: [&str; 6] = ["", "n/a", "na", "null", "none", "-"];

/// The id that a value is, if it is one.
pub(super) fn id_text(value: FieldValue<'_>) -> Option<String> {
    let text = match value {
        // A whole number with all its digits.
        FieldValue::Number(number) if number.fract() == 0.0 => format!("{number:.0}"),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Digits(text) | FieldValue::Text(text) => text.trim().to_owned(),
        FieldValue::Null | FieldValue::Truth(_) => return None,
    };
    let is_none = NO_ID.contains(&text.to_lowercase().as_str());
    (!is_none).then_some(text)
}
