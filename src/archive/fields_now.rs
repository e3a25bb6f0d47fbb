//! The last values of the fields that limits are about.

use super::alarm_rows::number_of;
use super::connection::Connection;
use super::overrides::read_overrides;
use super::sql::{self, OptionalExtension, params};
use super::tracks::transmission;
use super::{Archive, ArchiveError, fields};
use crate::alarm::FieldNow;
use crate::track::{Deployment, Records, Track, TrackOptions};

/// So many of the latest fixes are read: quality control looks back on them.
const CONTEXT_FIXES: i64 = 200;

impl Archive {
    /// The last good values of the fields that the limits of a watched deployment are
    /// about, in its latest stored fixes, seen at `now` (UNIX seconds); none of a field
    /// that none of these has.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn fields_now(
        &self,
        entry: &Deployment,
        now: f64,
    ) -> Result<Vec<FieldNow>, ArchiveError> {
        let read = || -> sql::Result<Vec<FieldNow>> {
            let Some(id) = number_of(&self.connection, entry.uuid)? else {
                return Ok(Vec::new());
            };
            let options = TrackOptions {
                overrules: read_overrides(&self.connection, entry.uuid)?,
                ..entry.options(now)
            };
            let mut records = latest_records(&self.connection, id)?;
            records.fields = fields::of_records(&self.connection, id, &records)?;
            let track = Track::assemble(records, &options);
            Ok(FieldNow::of_track(&entry.limits.fields, &track))
        };
        read().map_err(|error| self.error(&error))
    }
}

/// The time of the earliest of so many latest transmissions of a deployment and one, UNIX
/// seconds; `None` where there are not more than so many.
fn time_of_latest(connection: &Connection, id: i64, count: i64) -> sql::Result<Option<f64>> {
    connection
        .query_row(
            "SELECT time FROM transmission WHERE deployment = ?1
             ORDER BY time DESC LIMIT 1 OFFSET ?2",
            params![id, count],
            |row| row.get(0),
        )
        .optional()
}

/// The latest stored transmissions of a deployment.
fn latest_records(connection: &Connection, id: i64) -> sql::Result<Records> {
    let from = time_of_latest(connection, id, CONTEXT_FIXES)?.unwrap_or(f64::MIN);
    let mut statement = connection.prepare(
        "SELECT time, latitude, longitude FROM transmission
         WHERE deployment = ?1 AND time >= ?2 ORDER BY time, place, latitude, longitude",
    )?;
    let rows = statement.query_map(params![id, from], transmission)?;
    let transmissions = rows.collect::<sql::Result<_>>()?;
    // Those that the service has replaced are not good.
    let mut statement = connection.prepare(
        "SELECT time, latitude, longitude FROM unsent
         WHERE deployment = ?1 AND time >= ?2 ORDER BY time, latitude, longitude",
    )?;
    let rows = statement.query_map(params![id, from], transmission)?;
    Ok(Records {
        transmissions,
        unsent: rows.collect::<sql::Result<_>>()?,
        ..Records::default()
    })
}
