//! Changes of the files behind deployments.

use std::sync::Arc;

use uuid::Uuid;

use super::Deployment;

/// Looks for changes of files; returns the deployments concerned.
pub(crate) type LookAtFiles = Arc<dyn Fn() -> Vec<FileChange> + Send + Sync>;

/// A deployment whose file has changed.
#[derive(Debug, Clone)]
pub(crate) struct FileChange {
    pub uuid: Uuid,
    /// Its entry for the watch list, if the file did not have it before.
    pub added: Option<Deployment>,
}
