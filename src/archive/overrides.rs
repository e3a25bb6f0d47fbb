//! The flags that the user set.

use std::collections::HashMap;

use uuid::Uuid;

use super::connection::Connection;
use super::sql::{Result, params};
use super::{Archive, rows};
use crate::geo::Position;
use crate::track::{Flag, FlagOverrides, Transmission};

/// The flags that the user set, of a deployment or of all that have any.
fn read(connection: &Connection, of: Option<Uuid>) -> Result<HashMap<Uuid, FlagOverrides>> {
    let mut found: HashMap<Uuid, FlagOverrides> = HashMap::new();
    connection.each_row(
        "SELECT o.time, o.latitude, o.longitude, o.flag, d.uuid FROM override o
         JOIN deployment d ON d.id = o.deployment
         WHERE CAST(?1 AS TEXT) IS NULL OR d.uuid = ?1",
        [of.map(|uuid| uuid.to_string())],
        |row| {
            let uuid = row.uuid(4);
            if let (Some(uuid), Some(flag)) = (uuid, Flag::from_code(row.get(3)?)) {
                let position = Position {
                    latitude: row.get(1)?,
                    longitude: row.get(2)?,
                };
                let overrides = found.entry(uuid).or_default();
                overrides.set(row.get(0)?, position, flag);
            }
            Ok(())
        },
    )?;
    Ok(found)
}

/// The flags that the user set for a deployment.
pub(super) fn read_overrides(connection: &Connection, uuid: Uuid) -> Result<FlagOverrides> {
    let mut found = read(connection, Some(uuid))?;
    Ok(found.remove(&uuid).unwrap_or_default())
}

impl Archive {
    /// The flags that the user set for a deployment.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn overrides(&self, uuid: Uuid) -> Result<FlagOverrides> {
        read_overrides(&self.connection, uuid)
    }

    /// The flags that the user set, of every deployment that has any.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn all_overrides(&self) -> Result<HashMap<Uuid, FlagOverrides>> {
        read(&self.connection, None)
    }

    /// Overrides the flag of a fix, or clears the override.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn set_override(
        &mut self,
        uuid: Uuid,
        fix: Transmission,
        flag: Option<Flag>,
        now: f64,
    ) -> Result<()> {
        self.writing_of(Some(&uuid), |transaction| {
            let id = rows::add_deployment(transaction, &uuid.into(), now)?;
            let time = fix.time_stamp;
            let position = fix.position;
            match flag {
                None => transaction.execute(
                    "DELETE FROM override
                     WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
                    params![id, time, position.latitude, position.longitude],
                )?,
                Some(flag) => transaction.execute(
                    "INSERT INTO override VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (deployment, time, latitude, longitude)
                     DO UPDATE SET flag = excluded.flag",
                    params![id, time, position.latitude, position.longitude, flag.code()],
                )?,
            };
            Ok(())
        })
    }
}
