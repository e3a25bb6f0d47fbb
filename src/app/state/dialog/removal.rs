//! Confirmation before a deployment is removed from the watch list.

use uuid::Uuid;

/// The question. Cancel has the focus.
#[derive(Debug, Clone)]
pub(crate) struct RemoveDeployment {
    /// The deployment.
    pub deployment: Uuid,
    /// Its name.
    pub name: String,
    /// Whether "remove" has the focus instead of "cancel".
    pub on_remove: bool,
    /// When it was first drawn, UNIX seconds; `None` before that.
    pub shown_at: Option<f64>,
}

impl RemoveDeployment {
    pub(in crate::app) fn new(deployment: Uuid, name: String) -> Self {
        Self {
            deployment,
            name,
            on_remove: false,
            shown_at: None,
        }
    }
}
