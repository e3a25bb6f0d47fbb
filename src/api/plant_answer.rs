//! What the service answered to a create and to a delete.

use super::wire::PlantEcho;

/// A plant was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CreateAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What the service echoed, if it could be read.
    pub echo: Option<PlantEcho>,
    /// What is odd about the answer.
    pub note: Option<String>,
}

/// A plant was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeleteAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What is odd about the answer: confirmed at the second try.
    pub note: Option<String>,
}
