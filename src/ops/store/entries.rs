//! The watch list in the archive: its entries and their changes.

use uuid::Uuid;

use super::Store;
use crate::archive::Archive;
use crate::clock::unix_now;
use crate::failure::Failure;
use crate::track::Deployment;

impl Store {
    /// The watch list.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(crate) async fn watched(&self) -> Result<Vec<Deployment>, Failure> {
        self.read(Archive::watched).await
    }

    /// The complete watch list entry of a deployment; `None` if it is not on the
    /// list.
    ///
    /// # Errors
    /// When the archive cannot be read, or the entry is damaged.
    pub(crate) async fn entry(&self, uuid: Uuid) -> Result<Option<Deployment>, Failure> {
        self.read(move |archive| archive.entry(uuid)).await
    }

    /// Edits the entry of a deployment, which is added to the watch list as
    /// `fallback` if it is not on it; returns whether it is new. Of two
    /// edits at once none is lost. The next response for an entry that was on the list may
    /// be of any service.
    ///
    /// # Errors
    /// When the archive cannot be written, or the entry is damaged.
    pub(crate) async fn amend(
        &self,
        fallback: Deployment,
        edit: impl Fn(&mut Deployment) + Send + 'static,
    ) -> Result<bool, Failure> {
        self.write(move |archive| archive.amend(&fallback, &edit, unix_now()))
            .await
    }

    /// Changes the fields of a watch list entry that differ between the two
    /// arguments; other fields keep what another process may have changed. Returns
    /// whether it was done: not if another process has changed one of these fields, or has
    /// removed the entry, which was on the list (`listed`).
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn change(
        &self,
        before: Option<Deployment>,
        after: Deployment,
        listed: bool,
    ) -> Result<bool, Failure> {
        self.write(move |archive| archive.change(before.as_ref(), &after, listed, unix_now()))
            .await
    }
}
