//! Checksum of a deployment's transmissions. SQLite's integrity check covers
//! the structure of a file; it does not detect a flipped bit within a number.

use super::connection::Connection;
use super::sql::{self, Row, params};
use super::{Archive, ArchiveError};
use crate::geo::Position;
use crate::track::Transmission;

/// The transmission of a row that begins with time, latitude and longitude.
///
/// # Errors
/// When one of these is not a number.
pub(super) fn transmission(row: &Row) -> sql::Result<Transmission> {
    Ok(Transmission {
        time_stamp: row.get(0)?,
        position: Position {
            latitude: row.get(1)?,
            longitude: row.get(2)?,
        },
    })
}

/// Hash of one transmission: its bits, mixed by SplitMix64 (Steele, Lea and
/// Flood, 2014). The checksum is the sum of the hashes, so the order of the
/// rows does not matter.
pub(super) fn row_hash(one: &Transmission) -> u64 {
    let mix = |value: u64| {
        let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    };
    let step = 0x9e37_79b9_7f4a_7c15u64;
    [
        one.time_stamp,
        one.position.latitude,
        one.position.longitude,
    ]
    .into_iter()
    .fold(0, |sum, number| {
        mix(sum.wrapping_add(step) ^ number.to_bits())
    })
}

/// The checksum of a deployment, computed from all its rows.
fn computed(connection: &Connection, id: i64) -> sql::Result<u64> {
    let mut statement = connection
        .prepare("SELECT time, latitude, longitude FROM transmission WHERE deployment = ?1")?;
    let mut rows = statement.query([id])?;
    let mut sum = 0u64;
    while let Some(row) = rows.next()? {
        sum = sum.wrapping_add(row_hash(&transmission(row)?));
    }
    Ok(sum)
}

/// Facts about the stored transmissions of a deployment before a response is
/// stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Known {
    /// The number of transmissions.
    pub(super) count: usize,
    /// Time of the latest transmission, UNIX seconds.
    pub(super) latest: Option<f64>,
    /// Whether two have the same time, or one was sent more than once.
    pub(super) ties: bool,
}

/// Reads these facts; `None` if the rows do not match the checksum.
pub(super) fn known(connection: &Connection, id: i64) -> sql::Result<Option<Known>> {
    let written: Option<i64> = connection.query_row(
        "SELECT checksum FROM deployment WHERE id = ?1",
        [id],
        |row| row.get(0),
    )?;
    let (count, latest, ties): (i64, Option<f64>, bool) = connection.query_row(
        "SELECT count(*), max(time), coalesce(max(CASE WHEN place <> 0 OR times <> 1 THEN 1 ELSE 0 END), 0)
         FROM transmission WHERE deployment = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    if let Some(written) = written
        && computed(connection, id)? != written.cast_unsigned()
    {
        return Ok(None);
    }
    Ok(Some(Known {
        count: usize::try_from(count).unwrap_or(0),
        latest,
        ties,
    }))
}

/// Adds to a deployment's checksum; without a stored one, computes it from all
/// rows.
pub(super) fn add(connection: &Connection, id: i64, added: u64) -> sql::Result<()> {
    let known: Option<i64> = connection.query_row(
        "SELECT checksum FROM deployment WHERE id = ?1",
        [id],
        |row| row.get(0),
    )?;
    let sum = match known {
        Some(sum) => sum.cast_unsigned().wrapping_add(added),
        None => computed(connection, id)?,
    };
    connection.execute(
        "UPDATE deployment SET checksum = ?2 WHERE id = ?1",
        params![id, sum.cast_signed()],
    )?;
    Ok(())
}

impl Archive {
    /// The UUIDs of the deployments whose transmissions do not match their
    /// checksum.
    pub(super) fn corrupted(&self) -> Result<Vec<String>, ArchiveError> {
        let read = || -> sql::Result<Vec<String>> {
            let mut statement = self
                .connection
                .prepare("SELECT id, uuid, checksum FROM deployment WHERE checksum IS NOT NULL")?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let (id, uuid, sum): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                if computed(&self.connection, id)? != sum.cast_unsigned() {
                    found.push(format!(
                        "stored transmissions of {uuid} have a wrong checksum"
                    ));
                }
            }
            Ok(found)
        };
        read().map_err(|error| self.error(&error))
    }
}
