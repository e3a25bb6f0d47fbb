//! Leases of deployments among the collectors of one archive.

use uuid::Uuid;

use super::{Place, Store};
use crate::failure::Failure;

impl Store {
    /// `true` if programs on other computers may use the archive.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(&self.inner.place, Place::At { place, .. } if place.file().is_none())
    }

    /// Takes the lease of a deployment that is due. Returns `None` where it was
    /// taken, else in how many seconds to try again.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn lease(&self, uuid: Uuid) -> Result<Option<f64>, Failure> {
        let holder = self.inner.holder.clone();
        self.write(move |archive| archive.lease(uuid, &holder))
            .await
    }

    /// Ends the lease of a deployment, which is due again after this many seconds.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn end_lease(&self, uuid: Uuid, due_s: f64) -> Result<(), Failure> {
        let holder = self.inner.holder.clone();
        self.write(move |archive| archive.end_lease(uuid, &holder, due_s))
            .await
    }

    /// Renews all leases that this program holds.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) async fn renew_leases(&self) -> Result<(), Failure> {
        let holder = self.inner.holder.clone();
        self.write(move |archive| archive.renew_leases(&holder))
            .await
    }

    /// Ends all leases that this program holds. Those that cannot be ended now end by
    /// themselves.
    pub(crate) async fn end_leases(&self) {
        let holder = self.inner.holder.clone();
        let _ = self.write(move |archive| archive.end_leases(&holder)).await;
    }

    /// Ends what this program holds of an archive that others share, at its end.
    pub(crate) async fn leave(&self) {
        if self.is_shared() {
            self.end_leases().await;
        }
    }
}
