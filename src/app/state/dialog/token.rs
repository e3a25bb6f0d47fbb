//! The dialog for a token.

use super::field::SecretField;
use crate::app::event::RequestId;

/// Takes a token, tests it, and shows the result.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenForm {
    /// The token, never shown.
    pub secret: SecretField,
    /// Why a token is needed.
    pub why: String,
    /// The request that tests it.
    pub trying: Option<RequestId>,
    /// Why the last one was not accepted.
    pub error: String,
    /// Whether it opened without a key of the user.
    pub(in crate::app) is_unasked: bool,
}

impl TokenForm {
    /// Adds pasted text. A single character before it, in a dialog that opened by
    /// itself, was a key for the dashboard that came too late: a token is pasted whole.
    pub(in crate::app) fn paste(&mut self, text: &str) {
        if self.is_unasked && self.secret.count() == 1 {
            self.secret.clear();
        }
        self.secret.paste(text);
        self.error = self.secret.fault().unwrap_or_default();
    }
}
