//! Everything that is known of a deployment, page by page where it does not fit.

use uuid::Uuid;

/// What is shown of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Details {
    /// The deployment.
    pub deployment: Uuid,
    /// The page. After the last one comes the first: how many there are depends on
    /// the screen.
    pub page: isize,
}
