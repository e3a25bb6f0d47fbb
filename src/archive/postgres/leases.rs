//! Leases of deployments, by the clock of the server: those of the collectors may
//! differ. Each operation is one statement, and so a transaction by itself.

use uuid::Uuid;

use super::{Connection, NOW};
use crate::archive::connection::{Engine, Leases};
use crate::archive::sql::{Result, params};

/// How long a lease is valid without being renewed, seconds: a deployment of a collector
/// that died is requested by another within a minute.
const LEASE_S: f64 = 45.0;

impl Leases for Connection {
    fn lease(&self, uuid: Uuid, holder: &str) -> Result<Option<f64>> {
        let uuid = uuid.to_string();
        let taken = self.execute(
            &format!(
                "INSERT INTO lease AS l (deployment, holder, until, due)
                 VALUES (?1, ?2, {NOW} + ?3, 0)
                 ON CONFLICT (deployment) DO UPDATE SET holder = excluded.holder, until = excluded.until
                 WHERE l.due <= {NOW} AND (l.until <= {NOW} OR l.holder = excluded.holder)"
            ),
            &params![uuid, holder, LEASE_S],
        )?;
        if taken > 0 {
            return Ok(None);
        }
        let mut wait_s = 0.0;
        let wait = format!("SELECT greatest(until, due) - {NOW} FROM lease WHERE deployment = ?1");
        self.each_row(&wait, &params![uuid], &mut |row| {
            wait_s = row.get(0)?;
            Ok(())
        })?;
        Ok(Some(f64::max(wait_s, 0.5)))
    }

    fn waits(&self) -> Result<Vec<(Uuid, f64)>> {
        let mut waits = Vec::new();
        let query = format!(
            "SELECT deployment, greatest(until, due) - {NOW} FROM lease
             WHERE greatest(until, due) > {NOW}"
        );
        self.each_row(&query, &[], &mut |row| {
            let uuid: String = row.get(0)?;
            let wait: f64 = row.get(1)?;
            waits.extend(uuid.parse().ok().map(|uuid| (uuid, wait)));
            Ok(())
        })?;
        Ok(waits)
    }

    fn end_lease(&self, uuid: Uuid, holder: &str, due_s: f64) -> Result<()> {
        self.execute(
            &format!(
                "UPDATE lease SET until = 0, due = {NOW} + ?3 WHERE deployment = ?1 AND holder = ?2"
            ),
            &params![uuid.to_string(), holder, due_s],
        )?;
        Ok(())
    }

    fn renew_leases(&self, holder: &str) -> Result<()> {
        let renew =
            format!("UPDATE lease SET until = {NOW} + {LEASE_S} WHERE holder = ?1 AND until > 0");
        self.execute(&renew, &params![holder])?;
        Ok(())
    }

    fn end_leases(&self, holder: &str) -> Result<()> {
        let end = "UPDATE lease SET until = 0 WHERE holder = ?1 AND until > 0";
        self.execute(end, &params![holder])?;
        Ok(())
    }
}
