//! A failure as plain data: what failed, why, and a hint. All layers use this
//! one type. It contains neither the token nor text that could control a
//! terminal.

pub(crate) mod refusal;

use std::fmt;

/// The kind of a failure; each has an exit status of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum FailureKind {
    /// Anything not listed below (1).
    Other,
    /// An argument, a UUID, a URL or a setting is wrong; nothing was sent (2).
    Usage,
    /// There is no token, or the service returned 401: it concerns the token
    /// (3).
    NotAuthenticated,
    /// The service returned 403: it concerns what was requested, not the token
    /// (3).
    // For a script both are the same: the token is not sufficient.
    #[strum(serialize = "not_authenticated")]
    Forbidden,
    /// The service returned an error (4).
    Service,
    /// The service could not be reached, or the connection broke or timed out.
    /// For a create or delete: nothing was sent (5).
    Unreachable,
    /// The response was complete but could not be interpreted (6).
    NotUnderstood,
    /// A create or delete was sent without a response (7).
    OutcomeUnknown,
    /// The user or a signal ended it (130).
    Interrupted,
}

impl FailureKind {
    /// The name of the kind in machine-readable output.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

/// The error that the service returned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ServiceError {
    /// The HTTP status.
    pub status: u16,
    /// The member `error` of the Error object, if the response had one.
    pub error: Option<i64>,
    /// The service's message, sanitized: the member `message` of the Error object, or another
    /// text of the response.
    pub message: Option<String>,
    /// Seconds until the next request that the service asks for (`Retry-After`).
    pub retry_after_s: Option<u64>,
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The kind, on which callers decide.
    pub kind: FailureKind,
    /// The failure, such as "deployment … could not be fetched"; empty if the reason
    /// includes it.
    pub what: String,
    /// Why it failed, as a sentence without its full stop.
    pub reason: String,
    /// The reason in the fewest words, then the host: "no answer from 127.0.0.1:80"; may be empty.
    pub short: String,
    /// The next step for the user, as a sentence; may be empty.
    pub hint: String,
    /// The service's error, if it responded.
    pub service: Option<Box<ServiceError>>,
    /// `true` if the failure is about this deployment alone, and the service can be reached:
    /// its response broke off, the program that requests it failed, or a service of another
    /// shape has nothing under its id.
    pub is_of_deployment: bool,
    /// `true` if no connection to the service could be made: no deployment has a part in it.
    pub is_unconnected: bool,
}

impl Failure {
    /// A failure of `kind` whose reason also says what failed.
    pub(crate) fn new(
        kind: FailureKind,
        reason: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            what: String::new(),
            reason: reason.into(),
            short: String::new(),
            hint: hint.into(),
            service: None,
            is_of_deployment: false,
            is_unconnected: false,
        }
    }

    /// A failure of [`FailureKind::Usage`] without a hint.
    pub(crate) fn usage(reason: impl Into<String>) -> Self {
        Self::new(FailureKind::Usage, reason, "")
    }

    /// A failure of [`FailureKind::Other`] without a hint.
    pub(crate) fn other(reason: impl Into<String>) -> Self {
        Self::new(FailureKind::Other, reason, "")
    }

    /// The same with the next step for the user, a sentence.
    #[must_use]
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: hint.into(),
            ..self
        }
    }

    /// The same failure of a larger operation `what`. The former `what` becomes
    /// part of the reason.
    #[must_use]
    pub(crate) fn context(self, what: impl Into<String>) -> Self {
        Self {
            reason: self.message(),
            what: what.into(),
            ..self
        }
    }

    /// `true` if the service answers 401 or 403, or there is no token.
    pub(crate) fn is_of_token(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::NotAuthenticated | FailureKind::Forbidden
        )
    }

    /// `true` if the service refuses what was asked for (401, 403, 404, 410), or there is no
    /// token.
    pub(crate) fn is_refusal(&self) -> bool {
        let service = self.service.as_ref();
        self.is_of_token() || service.is_some_and(|error| matches!(error.status, 404 | 410))
    }

    /// `true` if a service of another shape has nothing under the id of a deployment: of one
    /// that was readable, it answers that there is no fix now.
    pub(crate) fn means_no_fix(&self) -> bool {
        self.is_of_deployment && self.is_refusal()
    }

    /// The failure with its reason, without the hint.
    pub(crate) fn message(&self) -> String {
        match self.what.as_str() {
            "" => self.reason.clone(),
            what => format!("{what}: {}", self.reason),
        }
    }
}

/// The message as a sentence, then the hint.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message();
        match self.hint.as_str() {
            "" => f.write_str(&message),
            hint => write!(f, "{} {hint}", sentence(&message)),
        }
    }
}

impl std::error::Error for Failure {}

/// The text with one full stop at its end, or the question mark that it ends with.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    if text.ends_with('?') {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WriteError {
    /// The file exists and must not be replaced.
    Exists(Failure),
    /// Any other failure.
    Failed(Failure),
}

impl From<Failure> for WriteError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Exists(failure) | WriteError::Failed(failure) => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_failed_why_and_what_to_do_next() {
        let failure = Failure::new(FailureKind::Unreachable, "no route to host", "Try again.");
        assert_eq!(failure.to_string(), "no route to host. Try again.");
        let failure = failure.context("buoy 7 could not be fetched");
        assert_eq!(
            failure.to_string(),
            "buoy 7 could not be fetched: no route to host. Try again."
        );
        assert_eq!(failure.reason, "no route to host");
        let failure = failure.context("the token was not stored");
        assert_eq!(
            failure.message(),
            "the token was not stored: buoy 7 could not be fetched: no route to host"
        );
        assert_eq!(failure.kind, FailureKind::Unreachable);
    }

    #[test]
    fn a_sentence_has_one_mark_at_its_end() {
        for text in ["there is none", "there is none.", "there is none..."] {
            assert_eq!(sentence(text), "there is none.");
        }
        assert_eq!(sentence("did you mean 'units'?"), "did you mean 'units'?");
    }
}
