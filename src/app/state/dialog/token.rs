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
}
