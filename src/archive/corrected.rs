//! What a response has corrected of the fixes that were stored before it: from when on
//! the deployment is held to its rules once more.

use std::collections::HashSet;

use super::connection::Connection;
use super::sql::{self, number, params};
use super::tracks::transmission;
use crate::track::Transmission;
use crate::track::field::{FixKey, fix_key};

/// The time of the earliest fix that a response has corrected, UNIX seconds; `None` where
/// it has corrected none. A fix that came late is no correction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Corrected {
    /// Of those with another position than before.
    pub(super) positions: Option<f64>,
    /// Of those with another value of a field than before.
    pub(super) fields: Option<f64>,
}

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

/// The time of the earliest transmission that a fetch has stored beside an earlier one of
/// the same time, UNIX seconds.
pub(super) fn stored_beside(
    connection: &Connection,
    (id, fetch): (i64, i64),
) -> sql::Result<Option<f64>> {
    connection.query_row(
        "SELECT min(t.time) FROM transmission t
         WHERE t.deployment = ?1 AND t.first_seen = ?2
         AND EXISTS (SELECT 1 FROM transmission o
             WHERE o.deployment = t.deployment AND o.time = t.time AND o.first_seen <> ?2)",
        params![id, fetch],
        |row| number(row, 0),
    )
}

/// The earliest time of what is in one of these and not in the other, UNIX seconds.
pub(super) fn earliest_change(before: &HashSet<FixKey>, after: &HashSet<FixKey>) -> Option<f64> {
    let times = before.symmetric_difference(after);
    times.map(|key| f64::from_bits(key.0)).reduce(f64::min)
}

fn fix_key_of(one: &Transmission) -> FixKey {
    fix_key(one.time_stamp, one.position)
}
