//! Everything that is known of a deployment, page by page where it does not fit.

use uuid::Uuid;

/// What is shown in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A deployment.
    Deployment(Uuid),
    /// The fix under the cursor of the open track.
    Fix,
}

/// Everything that is known of a deployment or a fix, page by page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Details {
    /// What it is about.
    pub subject: Subject,
    /// The page. After the last one comes the first: how many there are depends on
    /// the screen.
    pub page: isize,
}
