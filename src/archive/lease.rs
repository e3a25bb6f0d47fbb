//! Leases of deployments: of several collectors on one archive, one asks for a
//! deployment at a time. A file has one collector, and no leases.

use uuid::Uuid;

use super::{Archive, ArchiveError};

impl Archive {
    /// Takes the lease of a deployment that is due, for 45 s. Returns `None` where
    /// it was taken, else in how many seconds to try again: another holder has it
    /// until then, or it is not due.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn lease(&self, uuid: Uuid, holder: &str) -> Result<Option<f64>, ArchiveError> {
        let taken = self.connection.lease(uuid, holder);
        taken.map_err(|error| self.error(&error))
    }

    /// Some deployments that are leased or not due, in the order of their UUIDs, and
    /// in how many seconds to try to take the lease of each: the first, or those
    /// after a UUID; empty after the last.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn waits_after(&self, after: Uuid) -> Result<Vec<(Uuid, f64)>, ArchiveError> {
        let waits = self.connection.waits_after(after);
        waits.map_err(|error| self.error(&error))
    }

    /// Ends the lease of a deployment, which is due again after this many seconds.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn end_lease(
        &self,
        uuid: Uuid,
        holder: &str,
        due_s: f64,
    ) -> Result<(), ArchiveError> {
        let ended = self.connection.end_lease(uuid, holder, due_s);
        ended.map_err(|error| self.error(&error))
    }

    /// Takes all leases of a holder for 45 s more.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn renew_leases(&self, holder: &str) -> Result<(), ArchiveError> {
        let renewed = self.connection.renew_leases(holder);
        renewed.map_err(|error| self.error(&error))
    }

    /// Ends all leases of a holder without a change of when they are due.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn end_leases(&self, holder: &str) -> Result<(), ArchiveError> {
        let ended = self.connection.end_leases(holder);
        ended.map_err(|error| self.error(&error))
    }
}
