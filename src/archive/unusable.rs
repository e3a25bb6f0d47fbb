//! The records of the latest response that cannot be used: the first ones, the number of the
//! others, and the times of all.

use super::connection::Connection;
use super::sql::{self, OptionalExtension, ValueRef, params, text};
use crate::track::{InvalidRecord, InvalidTime, MOST_UNUSABLE, RecordFault, Records};

/// Stores those of a deployment's response in place of those of the one before.
pub(super) fn write(transaction: &Connection, id: i64, records: &Records) -> sql::Result<()> {
    transaction.execute("DELETE FROM unusable WHERE deployment = ?1", [id])?;
    {
        let mut insert = transaction.prepare("INSERT INTO unusable VALUES (?1, ?2, ?3, ?4)")?;
        for record in &records.unusable {
            let place = i64::try_from(record.index).unwrap_or(i64::MAX);
            insert.execute(params![id, place, record.fault.to_string(), record.excerpt])?;
        }
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
pub(super) fn read(connection: &Connection, id: i64, records: &mut Records) -> sql::Result<()> {
    let mut statement = connection.prepare(
        "SELECT place, reason, excerpt FROM unusable WHERE deployment = ?1
         ORDER BY place LIMIT ?2",
    )?;
    let most = i64::try_from(MOST_UNUSABLE).unwrap_or(i64::MAX);
    let rows = statement.query_map([id, most], |row| {
        Ok(InvalidRecord {
            index: usize::try_from(row.get::<i64>(0)?).unwrap_or(0),
            fault: RecordFault::from_words(&text(row, 1)?.unwrap_or_default()),
            excerpt: text(row, 2)?.unwrap_or_default(),
        })
    })?;
    records.unusable = rows.collect::<sql::Result<_>>()?;
    let (stored, counted): (i64, i64) = connection.query_row(
        "SELECT (SELECT count(*) FROM unusable WHERE deployment = ?1), unkept
         FROM deployment WHERE id = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let number = |count: i64| usize::try_from(count).unwrap_or(0);
    records.unkept = number(stored)
        .saturating_sub(records.unusable.len())
        .saturating_add(number(counted));
    if has_times(connection)? {
        records.invalid_times = times(connection, id)?;
    }
    Ok(())
}

/// Their times.
pub(super) fn times(connection: &Connection, id: i64) -> sql::Result<Vec<InvalidTime>> {
    let body = "SELECT body FROM invalid_time WHERE deployment = ?1";
    let times = connection.query_row(body, [id], |row| {
        Ok(match row.get_ref(0)? {
            ValueRef::Blob(body) => InvalidTime::from_bytes(body),
            _ => Vec::new(),
        })
    });
    Ok(times.optional()?.unwrap_or_default())
}

/// SQL that tells if the times of the unusable records of a deployment `d` are known. They
/// are not in an archive of before, so that its next response has to come whole.
pub(super) fn are_timed(connection: &Connection) -> sql::Result<String> {
    let has_none = "NOT EXISTS (SELECT 1 FROM unusable u WHERE u.deployment = d.id)";
    Ok(match has_times(connection)? {
        true => {
            format!("{has_none} OR EXISTS (SELECT 1 FROM invalid_time i WHERE i.deployment = d.id)")
        }
        false => has_none.to_owned(),
    })
}

fn has_times(connection: &Connection) -> sql::Result<bool> {
    connection.query_row(connection.has_table(), ["invalid_time"], |row| row.get(0))
}
