//! Why a request did not do what it was for, told to a person: what failed,
//! why, what to do next. No token and no query of an address is in it.

use std::fmt;

/// The kinds of error a caller decides by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request cannot be made as asked; nothing was sent.
    Usage,
    /// The service refused the token (401 or 403).
    Unauthenticated,
    /// The service answered with an error.
    Service,
    /// It could not be reached, or the connection broke or timed out. For a
    /// create or delete: nothing was sent.
    Unreachable,
    /// The answer came whole and could not be understood.
    NotUnderstood,
    /// A create or delete was sent, and no answer came.
    OutcomeUnknown,
}

/// What the service said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answered {
    /// The HTTP status.
    pub status: u16,
    /// The member `error` of an Error object.
    pub error: Option<i64>,
    /// The member `message` of an Error object, made harmless.
    pub message: Option<String>,
}

/// A request that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// What failed and why, a sentence without its full stop.
    pub message: String,
    /// What to do next, a sentence; may be empty.
    pub hint: String,
    /// What the service said, if it answered.
    pub answer: Option<Answered>,
}

impl Error {
    /// An error without an answer of the service.
    pub(crate) fn new(
        kind: ErrorKind,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: hint.into(),
            answer: None,
        }
    }
}

impl From<super::AddressError> for Error {
    fn from(error: super::AddressError) -> Self {
        Self::new(ErrorKind::Usage, error.to_string(), "")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(f, ". {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
