//! A use case that failed, as plain data: what failed, why, what to do next.

use std::fmt;

/// The kinds of failure, one for each exit status of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// Anything not listed below (1).
    Other,
    /// An argument, a UUID, an address or a setting is wrong (2).
    Usage,
    /// No token, or the service refused it (3).
    NotAuthenticated,
    /// The service answered with an error (4).
    Service,
    /// The service could not be reached, or the connection broke (5).
    Unreachable,
    /// The answer could not be understood (6).
    NotUnderstood,
    /// A create or delete was sent and no answer came (7).
    OutcomeUnknown,
    /// A person or a signal ended it (130).
    Interrupted,
}

impl FailureKind {
    /// The word for it in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Usage => "usage",
            Self::NotAuthenticated => "not_authenticated",
            Self::Service => "service",
            Self::Unreachable => "unreachable",
            Self::NotUnderstood => "not_understood",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Interrupted => "interrupted",
        }
    }
}

/// What the service itself said about an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServiceError {
    /// The HTTP status.
    pub status: u16,
    /// The member `error` of the Error object, if one came.
    pub error: Option<i64>,
    /// The member `message` of the Error object, made harmless.
    pub message: Option<String>,
}

/// Why a use case failed. Holds no token and no text that could act on a
/// terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What failed and why, a sentence without its full stop.
    pub message: String,
    /// What to do next, a sentence; empty where there is nothing to advise.
    pub hint: String,
    /// What the service said, if it answered.
    pub service: Option<ServiceError>,
}

impl Failure {
    /// A failure of `kind`.
    pub fn new(kind: FailureKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: hint.into(),
            service: None,
        }
    }

    /// A failure of [`FailureKind::Usage`].
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, message, "")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(f, ". {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
