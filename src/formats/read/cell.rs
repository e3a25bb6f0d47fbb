//! A value of a row, and the id that it may be.

use super::names::Role;
use super::position::is_none;
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

/// The id that a value is, if it is one.
pub(super) fn id_text(value: FieldValue<'_>) -> Option<String> {
    let text = match value {
        // A whole number with all its digits.
        FieldValue::Number(number) if number.fract() == 0.0 => format!("{number:.0}"),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Digits(text) | FieldValue::Text(text) => text.trim().to_owned(),
        FieldValue::Null | FieldValue::Truth(_) => return None,
    };
    (!is_none(&text)).then_some(text)
}
