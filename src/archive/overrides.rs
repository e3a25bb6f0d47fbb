//! The flags that the user set, as they are read.

use uuid::Uuid;

use super::connection::Connection;
use super::sql;
use crate::geo::Position;
use crate::track::{Flag, FlagOverrides};

/// The flags that the user set for a deployment.
pub(super) fn read_overrides(connection: &Connection, uuid: Uuid) -> sql::Result<FlagOverrides> {
    let mut statement = connection.prepare(
        "SELECT o.time, o.latitude, o.longitude, o.flag FROM overruled o
         JOIN deployment d ON d.id = o.deployment WHERE d.uuid = ?1",
    )?;
    let mut rows = statement.query([uuid.to_string()])?;
    let mut overrules = FlagOverrides::default();
    while let Some(row) = rows.next()? {
        let position = Position {
            latitude: row.get(1)?,
            longitude: row.get(2)?,
        };
        if let Some(flag) = Flag::from_code(row.get(3)?) {
            overrules.set(row.get(0)?, position, flag);
        }
    }
    Ok(overrules)
}
