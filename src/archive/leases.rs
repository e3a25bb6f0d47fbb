//! Leases of deployments in an archive on a server: of several collectors on it, one at a
//! time requests a deployment. They follow the clock of the server: those of the collectors
//! may differ. Each operation is one statement, and so a transaction by itself.

use uuid::Uuid;

use super::Archive;
use super::sql::{Result, params};

/// How long a lease is valid without being renewed, seconds: a deployment of a collector
/// that died is requested by another within a minute.
const LEASE_S: f64 = 45.0;

impl Archive {
    /// Takes the lease of a deployment that is due. Returns `None` if it was taken, else in
    /// how many seconds to try again: another holder has it until then, or it is not due.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn lease(&self, uuid: Uuid, holder: &str) -> Result<Option<f64>> {
        let uuid = uuid.to_string();
        let now = self.connection.dialect().claim_time;
        let taken = self.connection.execute(
            &format!(
                "INSERT INTO lease AS l (deployment, holder, until, due)
                 VALUES (?1, ?2, {now} + ?3, 0)
                 ON CONFLICT (deployment) DO UPDATE SET holder = excluded.holder, until = excluded.until
                 WHERE l.due <= {now} AND (l.until <= {now} OR l.holder = excluded.holder)"
            ),
            params![uuid, holder, LEASE_S],
        )?;
        if taken > 0 {
            return Ok(None);
        }
        let wait = format!("SELECT greatest(until, due) - {now} FROM lease WHERE deployment = ?1");
        let wait_s = self
            .connection
            .optional_row(&wait, [uuid], |row| row.get(0))?;
        Ok(Some(f64::max(wait_s.unwrap_or(0.0), 0.5)))
    }

    /// Ends the lease of a deployment, which is due again after this many seconds.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn end_lease(&self, uuid: Uuid, holder: &str, due_s: f64) -> Result<()> {
        let end = format!(
            "UPDATE lease SET until = 0, due = {} + ?3 WHERE deployment = ?1 AND holder = ?2",
            self.connection.dialect().claim_time
        );
        let values = params![uuid.to_string(), holder, due_s];
        self.connection.execute(&end, values).map(drop)
    }

    /// Extends all leases of a holder.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn renew_leases(&self, holder: &str) -> Result<()> {
        let renew = format!(
            "UPDATE lease SET until = {} + {LEASE_S} WHERE holder = ?1 AND until > 0",
            self.connection.dialect().claim_time
        );
        self.connection.execute(&renew, [holder]).map(drop)
    }

    /// Ends all leases of a holder; its deployments are due as before.
    ///
    /// # Errors
    /// When the archive cannot be written.
    pub(crate) fn end_leases(&self, holder: &str) -> Result<()> {
        let end = "UPDATE lease SET until = 0 WHERE holder = ?1 AND until > 0";
        self.connection.execute(end, [holder]).map(drop)
    }
}
