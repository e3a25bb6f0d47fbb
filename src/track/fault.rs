//! Why a record is invalid: a type for decisions and the archive, and words for users and files.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

use crate::text;

/// A number that every record has.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Display, VariantArray, Serialize, Deserialize,
)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, Serialize, Deserialize)]
pub(crate) enum JsonKind {
    /// `null`.
    #[strum(serialize = "null")]
    Null,
    /// `true` or `false`.
    #[strum(serialize = "a truth value")]
    Boolean,
    #[strum(serialize = "a number")]
    Number,
    /// A string.
    #[strum(serialize = "a string")]
    Text,
    #[strum(serialize = "an array")]
    Array,
    #[strum(serialize = "an object")]
    Object,
}

/// Why a record cannot be used. [`fmt::Display`] writes it as a clause, such as
/// "latitude is null".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum RecordFault {
    /// It is not an object.
    NotRecord(JsonKind),
    /// A member is not there.
    Missing(Member),
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
    fn a_fault_is_no_larger_than_a_text() {
        // An answer may hold a million of them.
        assert!(size_of::<RecordFault>() <= size_of::<String>());
    }
}
