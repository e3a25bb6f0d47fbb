//! What the columns of a record need not say, and what a user says of them.

use super::fault::ReadError;

/// What of a record is given besides its named columns, and not by one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Given {
    #[default]
    Nothing,
    Position,
    /// Time and position: of the columns that are named like these none is needed.
    Fix,
}

impl Given {
    /// What is found, or nothing if it is not needed.
    pub(super) fn needed<T: Default>(self, found: Result<T, ReadError>) -> Result<T, ReadError> {
        match found {
            Err(_) if self == Self::Fix => Ok(T::default()),
            found => found,
        }
    }
}

/// The column with the ids of the deployments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum IdChoice {
    /// A column with a name of the list of these.
    #[default]
    ByName,
    Column(String),
    /// The file is one track.
    None,
}

/// The use of the last row of a table if its line has no end: the rest of it may be lost,
/// and with it the last digits of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum UnendedRow {
    #[default]
    Kept,
    /// It is left out, and that is noted: what is stored could not be corrected.
    LeftOut,
    /// It is left out if it alone would make a deployment: of a file that may still grow.
    OfKnownDeployment,
}
