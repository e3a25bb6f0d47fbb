//! The failure of a request without a response, and the causes of an error.

use std::error::Error as StdError;
use std::io;
use std::iter::successors;

use crate::failure::{Failure, FailureKind};
use crate::text;

/// A request without a response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TransportError {
    pub failure: Failure,
    /// `true` if a connection was open and the request may have been sent.
    pub sent: bool,
    /// `true` if the cause is transient, so that a retry may succeed.
    pub transient: bool,
}

impl TransportError {
    /// An error before the request was sent, whose cause stays.
    pub(super) fn new(why: impl Into<String>, hint: &str) -> Self {
        Self {
            failure: Failure::new(FailureKind::Unreachable, why, hint),
            sent: false,
            transient: false,
        }
    }

    /// An error of a request that can never succeed as it was made.
    pub(super) fn usage(why: impl Into<String>, hint: &str) -> Self {
        Self {
            failure: Failure::usage(why).with_hint(hint),
            ..Self::new("", "")
        }
    }

    /// The same error of a request that may have been sent.
    pub(super) fn sent(self) -> Self {
        Self { sent: true, ..self }
    }

    /// The same error with a transient cause.
    pub(super) fn transient(self) -> Self {
        Self {
            transient: true,
            ..self
        }
    }

    /// The same error with its reason in the fewest words, before the host.
    pub(super) fn in_short(mut self, short: String) -> Self {
        self.failure.short = short;
        self
    }

    /// As the error of a read, or of a request that was not sent.
    pub(super) fn into_error(self, what: &str) -> Failure {
        let is_unconnected = !self.sent && self.failure.kind == FailureKind::Unreachable;
        Failure {
            is_unconnected,
            ..self.failure.context(what)
        }
    }
}

/// The causes of an error, outermost first, sanitized and shortened.
pub(super) fn chain(first: Option<&(dyn StdError + 'static)>) -> Vec<String> {
    let causes = successors(first, |&error| error.source());
    let mut words: Vec<String> = causes
        .map(|error| text::excerpt(&error.to_string(), 160))
        .collect();
    // A cause often repeats the message of its wrapper.
    words.dedup();
    words
}

/// The causes of an error, including those inside an I/O error.
pub(super) fn links<'e>(
    error: &'e reqwest::Error,
) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    let mut found: Vec<&'e (dyn StdError + 'static)> = Vec::new();
    for cause in successors(error.source(), |&error| error.source()) {
        // `source` of an I/O error skips the error that it wraps.
        found.extend(successors(Some(cause), |&error| {
            let wrapped = error.downcast_ref::<io::Error>()?.get_ref()?;
            Some(wrapped as &(dyn StdError + 'static))
        }));
    }
    found.sort_by_key(|link| link.downcast_ref::<rustls::Error>().is_none());
    found.into_iter()
}
