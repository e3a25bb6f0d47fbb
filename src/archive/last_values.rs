//! The last values of fields.

use super::connection::Connection;
use super::overrides::read_overrides;
use super::rows::{deployment_id, transmission};
use super::sql::{Result, params};
use super::{Archive, fields};
use crate::track::{Records, Track, TrackOptions};
use crate::watch::Deployment;

/// The number of latest fixes that are read: quality control looks back on them.
const CONTEXT_FIXES: i64 = 200;

impl Archive {
    /// The last values of all fields of a watched deployment, in its latest stored fixes,
    /// seen at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn last_values(&self, entry: &Deployment, now: f64) -> Result<Vec<(String, f64)>> {
        let Some(id) = deployment_id(&self.connection, entry.id.uuid)? else {
            return Ok(Vec::new());
        };
        let options = TrackOptions {
            overrules: read_overrides(&self.connection, entry.id.uuid)?,
            ..entry.options(now)
        };
        let mut records = latest_records(&self.connection, id)?;
        records.fields = fields::of_records(&self.connection, id, &records)?;
        Ok(Track::new(&records, &options).last_values())
    }
}

/// The latest stored transmissions of a deployment.
fn latest_records(connection: &Connection, id: i64) -> Result<Records> {
    let from: Option<f64> = connection.optional_row(
        "SELECT time FROM transmission WHERE deployment = ?1
         ORDER BY time DESC LIMIT 1 OFFSET ?2",
        params![id, CONTEXT_FIXES],
        |row| row.get(0),
    )?;
    let values = params![id, from.unwrap_or(f64::MIN)];
    Ok(Records {
        transmissions: connection
            .rows(
                "SELECT time, latitude, longitude FROM transmission
             WHERE deployment = ?1 AND time >= ?2 ORDER BY time, record_index, latitude, longitude",
                values.clone(),
                transmission,
            )?
            .into(),
        // The service has replaced these: they are not good.
        unsent: connection.rows(
            "SELECT time, latitude, longitude FROM absent
             WHERE deployment = ?1 AND time >= ?2 ORDER BY time, latitude, longitude",
            values,
            transmission,
        )?,
        ..Records::default()
    })
}
