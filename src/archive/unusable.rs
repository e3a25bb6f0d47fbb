//! The records of the latest response that cannot be used: the first ones, the number of the
//! others, and the times of all.

use super::connection::Connection;
use super::sql::{Result, params};
use crate::track::{InvalidRecord, InvalidTime, RecordFault, Records};

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

/// Reads those of a deployment's latest response.
pub(super) fn read(connection: &Connection, id: i64, records: &mut Records) -> Result<()> {
    records.unusable = connection.rows(
        "SELECT place, reason, excerpt FROM unusable WHERE deployment = ?1 ORDER BY place",
        [id],
        |row| {
            Ok(InvalidRecord {
                index: usize::try_from(row.get::<i64>(0)?).unwrap_or(0),
                fault: RecordFault::from_words(&row.text(1).unwrap_or_default()),
                excerpt: row.text(2).unwrap_or_default(),
            })
        },
    )?;
    let unkept = "SELECT unkept FROM deployment WHERE id = ?1";
    let unkept: i64 = connection.row(unkept, [id], |row| row.get(0))?;
    records.unkept = usize::try_from(unkept).unwrap_or(0);
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
