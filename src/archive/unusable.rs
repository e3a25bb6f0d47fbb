//! The records of the latest response that cannot be used: the first ones, the number of the
//! others, and the times of all.

use super::connection::Connection;
use super::sql::{Result, params};
use crate::track::{InvalidRecord, InvalidTime, MOST_UNUSABLE, RecordFault, Records};

/// Stores those of a deployment's response, and removes those of the response before.
pub(super) fn write(transaction: &Connection, id: i64, records: &Records) -> Result<()> {
    transaction.execute("DELETE FROM unusable WHERE deployment = ?1", [id])?;
    for record in &records.unusable {
        let index = i64::try_from(record.index).unwrap_or(i64::MAX);
        transaction.execute(
            "INSERT INTO unusable VALUES (?1, ?2, ?3, ?4)",
            params![id, index, record.fault.to_string(), record.excerpt],
        )?;
    }
    transaction.execute("DELETE FROM invalid_time WHERE deployment = ?1", [id])?;
    if !records.unusable.is_empty() {
        transaction.execute(
            "INSERT INTO invalid_time (deployment, body) VALUES (?1, ?2)",
            params![id, InvalidTime::to_bytes(&records.invalid_times)],
        )?;
    }
    transaction.execute(
        "UPDATE deployment SET unkept = ?2 WHERE id = ?1",
        params![id, i64::try_from(records.unkept).unwrap_or(i64::MAX)],
    )?;
    Ok(())
}

/// Reads those of a deployment's latest response: the first are read, the others counted, as
/// in the response itself.
pub(super) fn read(connection: &Connection, id: i64, records: &mut Records) -> Result<()> {
    let most = i64::try_from(MOST_UNUSABLE).unwrap_or(i64::MAX);
    records.unusable = connection.rows(
        "SELECT place, reason, excerpt FROM unusable WHERE deployment = ?1
         ORDER BY place LIMIT ?2",
        [id, most],
        |row| {
            Ok(InvalidRecord {
                index: usize::try_from(row.get::<i64>(0)?).unwrap_or(0),
                fault: RecordFault::from_words(&row.text(1).unwrap_or_default()),
                excerpt: row.text(2).unwrap_or_default(),
            })
        },
    )?;
    let (stored, counted): (i64, i64) = connection.row(
        "SELECT (SELECT count(*) FROM unusable WHERE deployment = ?1), unkept
         FROM deployment WHERE id = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let number = |count: i64| usize::try_from(count).unwrap_or(0);
    records.unkept = number(stored)
        .saturating_sub(records.unusable.len())
        .saturating_add(number(counted));
    records.invalid_times = times(connection, id)?;
    Ok(())
}

/// Their times.
pub(super) fn times(connection: &Connection, id: i64) -> Result<Vec<InvalidTime>> {
    let body = "SELECT body FROM invalid_time WHERE deployment = ?1";
    let times = connection.optional_row(body, [id], |row| {
        Ok(row.blob(0).map_or_else(Vec::new, InvalidTime::from_bytes))
    });
    Ok(times?.unwrap_or_default())
}
