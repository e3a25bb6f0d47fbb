//! Stores a response in the archive: new transmissions, duplicates, and
//! transmissions absent from the response.

use rusqlite::{Transaction, params};

use super::checksum;
use crate::track::{Answer, FetchDelta, Records, Transmission};

/// A transmission with its index among those of the same time and its number of
/// duplicates.
struct Sent<'a> {
    one: &'a Transmission,
    place: i64,
    times: i64,
}

/// The transmissions of a response without duplicates, in the order of the key,
/// so that SQLite writes each page once.
fn each_once(records: &Records) -> Vec<Sent<'_>> {
    let mut sent: Vec<Sent<'_>> = records
        .transmissions
        .iter()
        .map(|one| Sent {
            one,
            place: 0,
            times: 1,
        })
        .collect();
    // Stable: transmissions of one time stay in the order of the response.
    sent.sort_by(|a, b| a.one.time_stamp.total_cmp(&b.one.time_stamp));
    for group in sent.chunk_by_mut(|a, b| a.one.time_stamp == b.one.time_stamp) {
        if group.len() == 1 {
            continue;
        }
        for (place, sent) in (0..).zip(group.iter_mut()) {
            sent.place = place;
        }
        // Of equal ones the first remains, with their number.
        group.sort_by(|a, b| {
            let (a, b) = (a.one.position, b.one.position);
            a.latitude
                .total_cmp(&b.latitude)
                .then(a.longitude.total_cmp(&b.longitude))
        });
        for equals in group.chunk_by_mut(|a, b| a.one == b.one) {
            let count = i64::try_from(equals.len()).unwrap_or(i64::MAX);
            if let Some((first, rest)) = equals.split_first_mut() {
                first.times = count;
                rest.iter_mut().for_each(|repeat| repeat.times = 0);
            }
        }
    }
    sent.retain(|sent| sent.times > 0);
    sent
}

/// Stores a response of a deployment.
pub(super) fn ingest(
    transaction: &Transaction<'_>,
    id: i64,
    known: checksum::Known,
    answer: &Answer,
) -> rusqlite::Result<FetchDelta> {
    let Answer {
        records,
        received_at,
        status,
        bytes,
        ..
    } = answer;
    let fetch: i64 =
        transaction.query_row("SELECT coalesce(max(id), 0) + 1 FROM fetch", [], |row| {
            row.get(0)
        })?;
    let mut delta = FetchDelta::default();
    let (mut came, mut added) = (0, 0u64);
    {
        let mut insert = transaction
            .prepare("INSERT OR IGNORE INTO transmission VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        let mut again = transaction.prepare(
            "UPDATE transmission SET place = ?5, times = ?6
             WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
        )?;
        for Sent { one, place, times } in each_once(records) {
            came += 1;
            let (time, position) = (one.time_stamp, one.position);
            let (latitude, longitude) = (position.latitude, position.longitude);
            let new =
                insert.execute(params![id, time, latitude, longitude, fetch, place, times])?;
            delta.new += new;
            if new > 0 {
                added = added.wrapping_add(checksum::row_hash(one));
            } else if known.ties || place != 0 || times != 1 {
                again.execute(params![id, time, latitude, longitude, place, times])?;
            }
            if new > 0 && known.latest.is_some_and(|latest| time < latest) {
                delta.backfilled += 1;
            }
        }
    }
    checksum::add(transaction, id, added)?;
    delta.absent = (known.count + delta.new).saturating_sub(came);
    mark_absent(transaction, id, records, fetch, delta.absent)?;
    transaction.execute("DELETE FROM unusable WHERE deployment = ?1", [id])?;
    {
        let mut insert = transaction.prepare("INSERT INTO unusable VALUES (?1, ?2, ?3, ?4)")?;
        for record in &records.unusable {
            let place = i64::try_from(record.index).unwrap_or(i64::MAX);
            insert.execute(params![id, place, record.fault.to_string(), record.excerpt])?;
        }
    }
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    transaction.execute(
        "UPDATE deployment SET unkept = ?2 WHERE id = ?1",
        params![id, number(records.unkept)],
    )?;
    transaction.execute(
        "INSERT INTO fetch (id, deployment, at, status, bytes, new, late, source, etag, modified, asked)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            fetch,
            id,
            received_at,
            status,
            i64::try_from(*bytes).unwrap_or(i64::MAX),
            number(delta.new),
            number(delta.backfilled),
            answer.source,
            answer.validators.etag,
            answer.validators.modified,
            answer.asked.as_deref().map(asked_text)
        ],
    )?;
    sum_up_the_day(transaction, id, fetch)?;
    Ok(delta)
}

/// The names of fields as they are stored.
pub(super) fn asked_text(names: &[String]) -> String {
    names.join(",")
}

/// Reduces the fetches before the last to one row per day (UTC) with the sums of
/// that day, so that frequent refreshes do not fill the disk. Called after every
/// fetch: at most one row is to be removed.
fn sum_up_the_day(transaction: &Transaction<'_>, id: i64, last: i64) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare(
        "SELECT id, CAST(at / 86400 AS INTEGER) FROM fetch
         WHERE deployment = ?1 AND id < ?2 ORDER BY id DESC LIMIT 2",
    )?;
    let earlier: Vec<(i64, i64)> = statement
        .query_map([id, last], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if let [(sum, day), (over, same)] = earlier[..]
        && day == same
    {
        transaction.execute(
            "UPDATE fetch AS f SET bytes = f.bytes + o.bytes, new = f.new + o.new,
                 late = f.late + o.late, fetches = f.fetches + o.fetches
             FROM fetch o WHERE f.id = ?1 AND o.id = ?2",
            [sum, over],
        )?;
        transaction.execute("DELETE FROM fetch WHERE id = ?1", [over])?;
    }
    Ok(())
}

/// Marks the stored transmissions that are absent from a response, with the
/// fetch since which they are absent, and unmarks those that are present again.
fn mark_absent(
    transaction: &Transaction<'_>,
    id: i64,
    records: &Records,
    fetch: i64,
    absent: usize,
) -> rusqlite::Result<()> {
    if absent == 0 {
        transaction.execute("DELETE FROM unsent WHERE deployment = ?1", [id])?;
        return Ok(());
    }
    transaction.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS came (time REAL, latitude REAL, longitude REAL,
             PRIMARY KEY (time, latitude, longitude)) WITHOUT ROWID;
         DELETE FROM came;",
    )?;
    {
        let mut insert = transaction.prepare("INSERT OR IGNORE INTO came VALUES (?1, ?2, ?3)")?;
        for one in &records.transmissions {
            let place = one.position;
            insert.execute(params![one.time_stamp, place.latitude, place.longitude])?;
        }
    }
    const SAME: &str = "c.time = t.time AND c.latitude = t.latitude AND c.longitude = t.longitude";
    transaction.execute(
        &format!(
            "DELETE FROM unsent AS t WHERE deployment = ?1 AND EXISTS (SELECT 1 FROM came c WHERE {SAME})"
        ),
        [id],
    )?;
    transaction.execute(
        &format!(
            "INSERT OR IGNORE INTO unsent SELECT deployment, time, latitude, longitude, ?2
             FROM transmission t WHERE deployment = ?1 AND NOT EXISTS (SELECT 1 FROM came c WHERE {SAME})"
        ),
        [id, fetch],
    )?;
    transaction.execute_batch("DELETE FROM came")
}
