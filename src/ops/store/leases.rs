//! Leases of deployments among the collectors of one archive.

use uuid::Uuid;

use super::Store;
use crate::failure::Failure;

impl Store {
    /// Takes the lease of a deployment that is due. Returns `None` where it was
    /// taken, else in how many seconds to try again.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(in crate::ops) async fn lease(
        &self,
        uuid: Uuid,
        holder: String,
    ) -> Result<Option<f64>, Failure> {
        self.with(move |archive| archive.lease(uuid, &holder)).await
    }

    /// Ends the lease of a deployment, which is due again after this many seconds.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(in crate::ops) async fn end_lease(
        &self,
        uuid: Uuid,
        holder: String,
        due_s: f64,
    ) -> Result<(), Failure> {
        self.with(move |archive| archive.end_lease(uuid, &holder, due_s))
            .await
    }

    /// Renews all leases of a holder, or ends them.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(in crate::ops) async fn renew_leases(
        &self,
        holder: String,
        end: bool,
    ) -> Result<(), Failure> {
        self.with(move |archive| archive.renew_leases(&holder, end))
            .await
    }
}
