//! Rows that many parts of the archive name: a deployment by its number, a transmission by its
//! columns.

use uuid::Uuid;

use super::connection::Connection;
use super::origins;
use super::sql::{Result, Row, RowResult, params};
use crate::geo::Position;
use crate::track::Transmission;
use crate::watch::DeploymentId;

/// The row number of a deployment, added if it is missing.
pub(super) fn add_deployment(
    connection: &Connection,
    deployment: &DeploymentId,
    now: f64,
) -> Result<i64> {
    let uuid = deployment.uuid;
    connection.execute(
        "INSERT INTO deployment (uuid, added_at) VALUES (?1, ?2) ON CONFLICT (uuid) DO NOTHING",
        params![uuid.to_string(), now],
    )?;
    origins::write(connection, deployment)?;
    connection.row(
        "SELECT id FROM deployment WHERE uuid = ?1",
        [uuid.to_string()],
        |row| row.get(0),
    )
}

/// The row number of a deployment; `None` if the archive does not have it.
pub(super) fn deployment_id(connection: &Connection, uuid: Uuid) -> Result<Option<i64>> {
    connection.optional_row(
        "SELECT id FROM deployment WHERE uuid = ?1",
        [uuid.to_string()],
        |row| row.get(0),
    )
}

/// The transmission of a row that begins with time, latitude and longitude.
///
/// # Errors
/// When one of these is not a number.
pub(super) fn transmission(row: &Row) -> RowResult<Transmission> {
    Ok(Transmission {
        time_stamp: row.get(0)?,
        position: Position {
            latitude: row.get(1)?,
            longitude: row.get(2)?,
        },
    })
}
