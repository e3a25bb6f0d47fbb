//! Leases of deployments among the collectors of a shared archive.

use uuid::Uuid;

use super::{Place, Store};
use crate::archive::{Archive, ArchiveError};
use crate::failure::Failure;

impl Store {
    /// `true` if programs on other computers may use the archive.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(&self.inner.place, Place::At { place, .. } if place.file().is_none())
    }

    /// Runs `act` with the leases of an archive and the id of this program; `T`'s default
    /// for a file, which has no leases: one that cannot be written does not stop the watch.
    async fn with_leases<T: Default + Send + 'static>(
        &self,
        act: impl Fn(&Archive, &str) -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, Failure> {
        if !self.is_shared() {
            return Ok(T::default());
        }
        let holder = self.inner.holder.clone();
        self.write(move |archive| act(archive, &holder)).await
    }

    /// Takes the lease of a deployment that is due. Returns `None` if it was
    /// taken, else in how many seconds to try again.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn lease(&self, uuid: Uuid) -> Result<Option<f64>, Failure> {
        self.with_leases(move |archive, holder| archive.lease(uuid, holder))
            .await
    }

    /// Ends the lease of a deployment, which is due again after this many seconds.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn end_lease(&self, uuid: Uuid, due_s: f64) -> Result<(), Failure> {
        self.with_leases(move |archive, holder| archive.end_lease(uuid, holder, due_s))
            .await
    }

    /// Renews all leases of this program. If the archive cannot be written, a response cannot
    /// be stored either, and that is reported.
    pub(crate) async fn renew_leases(&self) {
        let _ = self.with_leases(Archive::renew_leases).await;
    }

    /// Ends all leases of this program, at its end. Those that cannot be ended now end by
    /// themselves.
    pub(crate) async fn end_leases(&self) {
        let _ = self.with_leases(Archive::end_leases).await;
    }
}
