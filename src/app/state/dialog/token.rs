//! The dialog that asks for a token.

use super::field::SecretField;
use crate::app::event::RequestId;

/// Asks for a token, tests it, and shows the result.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenForm {
    /// The token, never shown.
    pub secret: SecretField,
    /// Why a token is asked for.
    pub why: String,
    /// The request that tries it.
    pub trying: Option<RequestId>,
    /// Why the last one was not taken.
    pub error: String,
}
