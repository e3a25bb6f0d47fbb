//! Why a record is invalid: a type for decisions, and words for users, files and the
//! archive.

use std::fmt;
use std::str::FromStr;

use strum::{Display, EnumString, VariantArray};

use crate::text;

/// A number that every record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Member {
    /// `time_stamp`, UNIX seconds.
    TimeStamp,
    /// `latitude`, degrees.
    Latitude,
    /// `longitude`, degrees.
    Longitude,
}

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, VariantArray)]
pub(crate) enum JsonKind {
    /// `null`.
    #[strum(serialize = "null")]
    Null,
    /// `true` or `false`.
    #[strum(serialize = "a truth value")]
    Boolean,
    /// A number.
    #[strum(serialize = "a number")]
    Number,
    /// A string.
    #[strum(serialize = "a string")]
    Text,
    /// An array.
    #[strum(serialize = "an array")]
    Array,
    /// An object.
    #[strum(serialize = "an object")]
    Object,
}

/// Why a record cannot be used. [`fmt::Display`] writes it as a clause, such as
/// "latitude is null"; [`RecordFault::from_words`] reads that back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RecordFault {
    /// It is not an object.
    NotRecord(JsonKind),
    /// A member is not there.
    Missing(Member),
    /// A member is not a number.
    NotNumber(Member, JsonKind),
    /// A member is a number that is too large for a finite `f64`.
    NotFinite(Member),
    /// A member lies outside its range.
    OutOfRange(Member, f64),
    /// Something else, in words, such as the parser's.
    Other(Box<str>),
}

impl RecordFault {
    /// The fault of a record that has a member twice: which of the two values is meant cannot
    /// be known.
    pub(crate) fn twice(name: &str) -> Self {
        Self::Other(format!("{} twice", text::excerpt(name, 40)).into())
    }

    /// The fault with these words; other words become [`RecordFault::Other`].
    pub(crate) fn from_words(words: &str) -> Self {
        // The words must be exactly those of the fault.
        parse(words)
            .filter(|fault| fault.to_string() == words)
            .unwrap_or_else(|| Self::Other(words.into()))
    }
}

fn parse(words: &str) -> Option<RecordFault> {
    if let Some(kind) = words.strip_prefix("not a record but ") {
        return kind.parse().ok().map(RecordFault::NotRecord);
    }
    let (member, rest) = words.split_once(' ')?;
    if let Some(member) = member.strip_suffix(':') {
        return Some(RecordFault::NotFinite(Member::from_str(member).ok()?));
    }
    let member = Member::from_str(member).ok()?;
    Some(match rest.split_once(' ')? {
        ("is", "missing") => RecordFault::Missing(member),
        ("is", kind) => RecordFault::NotNumber(member, kind.parse().ok()?),
        (number, _) => RecordFault::OutOfRange(member, number.parse().ok()?),
    })
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRecord(kind) => write!(f, "not a record but {kind}"),
            Self::Missing(member) => write!(f, "{member} is missing"),
            Self::NotNumber(member, kind) => write!(f, "{member} is {kind}"),
            Self::NotFinite(member) => write!(f, "{member}: number out of range"),
            Self::OutOfRange(member @ Member::TimeStamp, number) => {
                write!(
                    f,
                    "{member} {number:e} is outside 0001-01-01 to 9999-12-30T22:00:00Z"
                )
            }
            Self::OutOfRange(member @ Member::Latitude, number) => {
                write!(f, "{member} {number} is outside -90 to 90")
            }
            Self::OutOfRange(member @ Member::Longitude, number) => {
                write!(f, "{member} {number} is outside -180 to 360")
            }
            Self::Other(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_read_back_from_its_words() {
        let members = Member::VARIANTS.iter().copied();
        let kinds = JsonKind::VARIANTS.iter().copied();
        let faults = members.flat_map(|member| {
            kinds
                .clone()
                .map(move |kind| RecordFault::NotNumber(member, kind))
                .chain(
                    [1e300, -90.000_000_1, 1.7e12, f64::INFINITY]
                        .map(move |number| RecordFault::OutOfRange(member, number)),
                )
                .chain([
                    RecordFault::Missing(member),
                    RecordFault::NotFinite(member),
                    RecordFault::twice(&member.to_string()),
                ])
        });
        for fault in faults.chain(kinds.clone().map(RecordFault::NotRecord)) {
            assert_eq!(RecordFault::from_words(&fault.to_string()), fault);
        }
    }

    #[test]
    fn words_that_no_fault_has_are_kept_as_they_are() {
        for words in [
            "",
            "latitude",
            "latitude is",
            "latitude is a cat",
            "latitude 91.0 is outside -90 to 90",
            "latitude 91 is outside -90 to 91",
            "time_stamp twice ",
            "invalid unicode code point",
            "not a record but a cat",
            "depth is null",
        ] {
            let fault = RecordFault::from_words(words);
            assert_eq!(fault, RecordFault::Other(words.into()));
            assert_eq!(fault.to_string(), words);
        }
    }

    #[test]
    fn a_fault_is_no_larger_than_a_text() {
        // An answer may hold a million of them.
        assert!(size_of::<RecordFault>() <= size_of::<String>());
    }
}
