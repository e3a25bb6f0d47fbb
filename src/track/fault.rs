//! Why a record is invalid: a type for decisions and the archive, and words for users and files.

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

/// Why a record cannot be used. [`std::fmt::Display`] writes it as a clause, such as
/// "latitude is null".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub(crate) enum RecordFault {
    #[error("not a record but {0}")]
    NotRecord(JsonKind),
    #[error("{0} is missing")]
    Missing(Member),
    /// The same by the name that a table of a service gives it.
    #[error("it has no {0}")]
    MissingPath(Box<str>),
    #[error("{0} is {1}")]
    NotNumber(Member, JsonKind),
    /// Too large for a finite `f64`.
    #[error("{0}: number out of range")]
    NotFinite(Member),
    #[error("{0} {words}", words = outside(*.0, *.1))]
    OutOfRange(Member, f64),
    /// Something else, in words, such as the parser's.
    #[error("{0}")]
    Other(Box<str>),
}

fn outside(member: Member, number: f64) -> String {
    match member {
        Member::TimeStamp => format!("{number:e} is outside 0001-01-01 to 9999-12-30T22:00:00Z"),
        Member::Latitude => format!("{number} is outside -90 to 90"),
        Member::Longitude => format!("{number} is outside -180 to 360"),
    }
}

impl RecordFault {
    /// `true` where a value is null or not there.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::Missing(_)
                | Self::MissingPath(_)
                | Self::NotNumber(_, JsonKind::Null)
                | Self::NotRecord(JsonKind::Null)
        )
    }

    /// The fault of a record that has a member twice: which of the two values is meant cannot
    /// be known.
    pub(crate) fn twice(name: &str) -> Self {
        Self::Other(format!("{} twice", text::excerpt(name, 40)).into())
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
