//! The fields of records: all members of a record except its time and position.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::text;

mod choice;
mod column;
mod rows;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use choice::FieldChoice;
pub(crate) use column::FieldColumn;
pub(crate) use rows::{FieldRows, FixKey, KeyedFields, fix_key};
#[cfg(test)]
pub(crate) use table::LONGEST_VALUE;
pub(crate) use table::{FieldTable, MOST_FIELDS, SecondValue};

/// Below this every whole number has an `f64` of its own: 2^53.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

/// The value of a field in one record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FieldValue<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Truth(bool),
    /// A finite number.
    Number(f64),
    /// A whole number from [`FIRST_INEXACT`] on, as its digits: an `f64` does not hold them all.
    Digits(&'a str),
    /// A text; an object, an array, or a number that is too large for an `f64`,
    /// as its JSON text.
    Text(&'a str),
}

impl<'a> FieldValue<'a> {
    pub(crate) fn from_number(json: &'a str) -> Self {
        let Some(number) = json.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            return Self::Text(json);
        };
        let is_whole = || {
            json.bytes()
                .all(|byte| byte == b'-' || byte.is_ascii_digit())
        };
        if number.abs() >= FIRST_INEXACT && is_whole() {
            Self::Digits(json)
        } else {
            Self::Number(number)
        }
    }

    /// The number that it is, to the precision of an `f64`.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Digits(digits) => digits.parse().ok(),
            Self::Null | Self::Truth(_) | Self::Text(_) => None,
        }
    }
}

/// The name of a field without control characters; `(no name)` if it is blank.
pub(crate) fn label(name: &str) -> Cow<'_, str> {
    if name.trim().is_empty() {
        Cow::Borrowed("(no name)")
    } else {
        text::clean(name)
    }
}

/// The profiles among fields with these names, such as the temperatures of a thermistor
/// string: `prefix_0` to `prefix_n`, at least two. Each has its prefix, in the order of first appearance.
pub(crate) fn profiles<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut found: HashMap<&str, (usize, Vec<usize>)> = HashMap::new();
    for (column, name) in names.enumerate() {
        if let Some((prefix, index)) = split(name) {
            let (_, indices) = found.entry(prefix).or_insert((column, Vec::new()));
            indices.push(index);
        }
    }
    let mut whole: Vec<(usize, &str, usize)> = found
        .into_iter()
        .filter_map(|(prefix, (column, mut indices))| {
            indices.sort_unstable();
            let is_whole = indices.len() > 1 && indices.iter().copied().eq(0..indices.len());
            is_whole.then_some((column, prefix, indices.len()))
        })
        .collect();
    whole.sort_unstable();
    whole
        .into_iter()
        .map(|(_, prefix, count)| (prefix, count))
        .collect()
}

/// The prefix and the index of a name that could be part of a profile.
fn split(name: &str) -> Option<(&str, usize)> {
    let (prefix, digits) = name.rsplit_once('_')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if prefix.is_empty() || !is_number {
        return None;
    }
    Some((prefix, digits.parse().ok()?))
}
