//! The invalid records of the latest response: the first ones, the number of the others, and the
//! times of all.

use super::connection::Connection;
use super::sql::{Result, params};
use crate::track::{InvalidRecord, InvalidTime, RecordFault, Records};

/// Stores the invalid records of a deployment's response in place of those of the response before.
pub(super) fn write(transaction: &Connection, id: i64, records: &Records) -> Result<()> {
    transaction.execute("DELETE FROM invalid WHERE deployment = ?1", [id])?;
    for record in &records.unusable {
        let index = i64::try_from(record.index).unwrap_or(i64::MAX);
        transaction.execute(
            "INSERT INTO invalid VALUES (?1, ?2, ?3, ?4)",
            params![id, index, fault_bytes(&record.fault), record.excerpt],
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
        "UPDATE deployment SET not_kept = ?2 WHERE id = ?1",
        params![id, i64::try_from(records.unkept).unwrap_or(i64::MAX)],
    )?;
    Ok(())
}

/// Reads the invalid records of a deployment's latest response.
pub(super) fn read(connection: &Connection, id: i64, records: &mut Records) -> Result<()> {
    records.unusable = connection.rows(
        "SELECT record_index, fault, excerpt FROM invalid
         WHERE deployment = ?1 ORDER BY record_index",
        [id],
        |row| {
            Ok(InvalidRecord {
                index: usize::try_from(row.get::<i64>(0)?).unwrap_or(0),
                line: None,
                fault: fault(row.blob(1).unwrap_or_default()),
                excerpt: row.text(2).unwrap_or_default(),
            })
        },
    )?;
    let select = "SELECT not_kept FROM deployment WHERE id = ?1";
    let not_kept: i64 = connection.row(select, [id], |row| row.get(0))?;
    records.unkept = usize::try_from(not_kept).unwrap_or(0);
    records.invalid_times = times(connection, id)?;
    Ok(())
}

/// The times of a deployment's invalid records.
pub(super) fn times(connection: &Connection, id: i64) -> Result<Vec<InvalidTime>> {
    let body = "SELECT body FROM invalid_time WHERE deployment = ?1";
    let times = connection.optional_row(body, [id], |row| {
        Ok(row.blob(0).map_or_else(Vec::new, InvalidTime::from_bytes))
    });
    Ok(times?.unwrap_or_default())
}

/// A fault as it is stored.
fn fault_bytes(fault: &RecordFault) -> Vec<u8> {
    postcard::to_allocvec(fault).unwrap_or_default()
}

/// The fault that was stored in these bytes.
fn fault(bytes: &[u8]) -> RecordFault {
    postcard::from_bytes(bytes)
        .unwrap_or_else(|_| RecordFault::Other("its fault cannot be read".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::{JsonKind, Member};

    #[test]
    fn every_fault_is_read_back_and_a_damaged_one_is_one() {
        let faults = [
            RecordFault::NotRecord(JsonKind::Array),
            RecordFault::Missing(Member::TimeStamp),
            RecordFault::NotNumber(Member::Latitude, JsonKind::Null),
            RecordFault::NotFinite(Member::Longitude),
            RecordFault::OutOfRange(Member::Latitude, f64::INFINITY),
            RecordFault::OutOfRange(Member::Latitude, -90.000_000_1),
            RecordFault::Other("invalid unicode code point".into()),
        ];
        for written in faults {
            assert_eq!(fault(&fault_bytes(&written)), written);
        }
        let damaged = fault(&[9, 9, 9]);
        assert_eq!(damaged.to_string(), "its fault cannot be read");
    }
}
