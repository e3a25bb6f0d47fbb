//! The stored fixes that a later response has corrected.

use std::collections::HashSet;

use super::connection::Connection;
use super::sql;
use super::tracks::transmission;
use crate::track::Transmission;
use crate::track::field::{FixKey, fix_key};

/// The stored transmissions that the last response lacks, and that another one of the
/// same time may have replaced.
pub(super) fn replaced(connection: &Connection, id: i64) -> sql::Result<HashSet<FixKey>> {
    let mut statement = connection.prepare(
        "SELECT u.time, u.latitude, u.longitude FROM unsent u WHERE u.deployment = ?1
         AND EXISTS (SELECT 1 FROM transmission t
             WHERE t.deployment = u.deployment AND t.time = u.time
             AND (t.latitude <> u.latitude OR t.longitude <> u.longitude))",
    )?;
    statement
        .query_map([id], |row| Ok(fix_key_of(&transmission(row)?)))?
        .collect()
}

fn fix_key_of(one: &Transmission) -> FixKey {
    fix_key(one.time_stamp, one.position)
}
