//! Responses of the service to a create and to a delete.

use super::wire::PlantEcho;

/// The response to a successful create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CreateAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The plant that the service returned, if it could be parsed.
    pub echo: Option<PlantEcho>,
    /// A peculiarity of the response that the user should know.
    pub note: Option<String>,
}

/// The response to a successful delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeleteAnswer {
    /// The HTTP status.
    pub status: u16,
    /// A peculiarity of the response: confirmed by the second attempt only.
    pub note: Option<String>,
}
