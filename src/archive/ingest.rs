//! Stores a response in the archive: new transmissions, duplicates, and
//! transmissions absent from the response.

mod sent;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::connection::Connection;
use super::copy::insert_all;
use super::invalid;
use super::rows::transmission;
use super::sql::{Result, Value, params};
use crate::geo::Position;
use crate::track::field::{FieldChoice, FixKey, fix_key};
use crate::track::{Records, Transmission};
use crate::watch::answer::Span;
use crate::watch::{Answer, FetchDelta};
pub(super) use sent::Reception;
use sent::{Sent, by_key, each_once, note_reception};

/// Of so many of the latest transmissions it is known whether one was received before its time.
const LATEST: i64 = 100;

/// `true` if one of the latest transmissions was received before its time.
fn has_early(connection: &Connection, id: i64) -> Result<bool> {
    connection.row(
        "SELECT EXISTS (SELECT 1 FROM (SELECT received FROM transmission WHERE deployment = ?1
             ORDER BY time DESC LIMIT ?2) t WHERE t.received IS NOT NULL)",
        [id, LATEST],
        |row| row.get(0),
    )
}

/// Facts about the stored transmissions of a deployment before a response is
/// stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Known {
    /// The number of transmissions.
    count: usize,
    /// Time of the latest transmission, UNIX seconds.
    latest: Option<f64>,
}

/// Reads these facts.
pub(super) fn known(connection: &Connection, id: i64) -> Result<Known> {
    connection.row(
        "SELECT count(*), max(time) FROM transmission WHERE deployment = ?1",
        [id],
        |row| {
            Ok(Known {
                count: usize::try_from(row.get::<i64>(0)?).unwrap_or(0),
                latest: row.get(1)?,
            })
        },
    )
}

/// How the stored transmissions of a deployment differ from those of a response.
#[derive(Default)]
struct Compared<'s> {
    new: Vec<&'s Sent<'s>>,
    /// Those with another index or another number of duplicates.
    moved: Vec<&'s Sent<'s>>,
    /// The stored ones that the response lacks.
    missing: Vec<Transmission>,
}

impl<'s> Compared<'s> {
    // Both are in the order of the key, so that one pass is enough.
    fn new(connection: &Connection, id: i64, sent: &'s [Sent<'s>], span: Span) -> Result<Self> {
        let mut compared = Self::default();
        let mut rest = sent.iter().peekable();
        connection.each_row(
            "SELECT time, latitude, longitude, record_index, times FROM transmission
             WHERE deployment = ?1 ORDER BY time, latitude, longitude",
            [id],
            |row| {
                let stored = transmission(row)?;
                let is_before = |sent: &&Sent<'_>| by_key(sent.fix, &stored).is_lt();
                while let Some(sent) = rest.next_if(is_before) {
                    compared.new.push(sent);
                }
                match rest.next_if(|sent| *sent.fix == stored) {
                    Some(sent) => {
                        let known: (u32, u32) = (row.get(3)?, row.get(4)?);
                        let is_moved = known != (sent.index, sent.times);
                        compared.moved.extend(is_moved.then_some(sent));
                    }
                    None if (span.from..=span.to).contains(&stored.time_stamp) => {
                        // One of a file is missing only where the service has another.
                        let time = stored.time_stamp;
                        let by_time = |sent: &Sent<'_>| sent.fix.time_stamp.total_cmp(&time);
                        if row.get::<u32>(4)? > 0 || sent.binary_search_by(by_time).is_ok() {
                            compared.missing.push(stored);
                        }
                    }
                    None => {}
                }
                Ok(())
            },
        )?;
        compared.new.extend(rest);
        Ok(compared)
    }

    /// Stores the new ones, and the index and the number of the others.
    fn store(&self, connection: &Connection, id: i64) -> Result<()> {
        insert_new(connection, id, self.new.iter().copied())?;
        for Sent {
            fix, index, times, ..
        } in &self.moved
        {
            let position = fix.position;
            connection.execute(
                "UPDATE transmission SET record_index = ?5, times = ?6
                 WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
                params![
                    id,
                    fix.time_stamp,
                    position.latitude,
                    position.longitude,
                    index,
                    times
                ],
            )?;
        }
        Ok(())
    }

    /// Notes the missing ones as absent since a fetch, and that those of `sent` no longer are.
    fn mark_absent(
        &self,
        connection: &Connection,
        id: i64,
        fetch: i64,
        sent: &[Sent<'_>],
    ) -> Result<()> {
        let key = |fix: &Transmission| fix_key(fix.time_stamp, fix.position);
        let absent = "SELECT time, latitude, longitude FROM absent WHERE deployment = ?1";
        let absent = connection.rows(absent, [id], |row| Ok(key(&transmission(row)?)))?;
        let absent: HashSet<FixKey> = absent.into_iter().collect();
        let again = sent.iter().filter(|sent| absent.contains(&key(sent.fix)));
        for Sent { fix, .. } in again {
            let position = fix.position;
            connection.execute(
                "DELETE FROM absent
                 WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
                params![id, fix.time_stamp, position.latitude, position.longitude],
            )?;
        }
        let missing = self.missing.iter();
        let new = missing.filter(|fix| !absent.contains(&key(fix)));
        insert_absent(connection, id, fetch, new)
    }
}

/// Stores new transmissions.
fn insert_new<'s>(
    connection: &Connection,
    id: i64,
    sent: impl Iterator<Item = &'s Sent<'s>>,
) -> Result<()> {
    let row = |sent: &Sent<'_>| {
        let [time, latitude, longitude] = key_values(sent.fix);
        let received = sent.received.map_or(Value::Null, Value::Real);
        let [index, times] = [sent.index, sent.times].map(|number| Value::Integer(number.into()));
        let id = Value::Integer(id);
        [id, time, latitude, longitude, received, index, times]
    };
    insert_all(connection, "transmission", sent.map(row))
}

fn key_values(fix: &Transmission) -> [Value; 3] {
    [
        fix.time_stamp,
        fix.position.latitude,
        fix.position.longitude,
    ]
    .map(Value::Real)
}

/// Notes transmissions as absent since a fetch.
fn insert_absent<'t>(
    connection: &Connection,
    id: i64,
    fetch: i64,
    fixes: impl Iterator<Item = &'t Transmission>,
) -> Result<()> {
    let row = |fix: &Transmission| {
        let [time, latitude, longitude] = key_values(fix);
        let [id, fetch] = [id, fetch].map(Value::Integer);
        [id, time, latitude, longitude, fetch]
    };
    insert_all(connection, "absent", fixes.map(row))
}

/// The stored transmissions that the last response lacks, and that another transmission of
/// the same time may have replaced.
fn replaced(connection: &Connection, id: i64) -> Result<HashSet<FixKey>> {
    let replaced = connection.rows(
        "SELECT u.time, u.latitude, u.longitude FROM absent u WHERE u.deployment = ?1
         AND EXISTS (SELECT 1 FROM transmission t
             WHERE t.deployment = u.deployment AND t.time = u.time
             AND (t.latitude <> u.latitude OR t.longitude <> u.longitude))",
        [id],
        |row| {
            let fix = transmission(row)?;
            Ok(fix_key(fix.time_stamp, fix.position))
        },
    )?;
    Ok(replaced.into_iter().collect())
}

/// The number of new transmissions, and of those that are earlier than a stored one.
fn delta<'s>(new: impl Iterator<Item = &'s Sent<'s>>, known: Known) -> FetchDelta {
    let mut delta = FetchDelta::default();
    for sent in new {
        delta.new += 1;
        let is_late = known.latest.is_some_and(|at| sent.fix.time_stamp < at);
        delta.backfilled += usize::from(is_late);
    }
    delta
}

/// Notes that the stored records of a deployment have changed.
pub(super) fn raise_revision(transaction: &Connection, id: i64) -> Result<()> {
    let raise = "UPDATE deployment SET revision = revision + 1 WHERE id = ?1";
    transaction.execute(raise, [id]).map(drop)
}

/// `true` if no record of the last response can be used, and it had any; of a deployment with
/// `stored` transmissions.
fn has_none_usable(connection: &Connection, id: i64, stored: usize) -> Result<bool> {
    let (absent, has_invalid): (i64, bool) = connection.row(
        "SELECT (SELECT count(*) FROM absent WHERE deployment = ?1),
             EXISTS (SELECT 1 FROM invalid WHERE deployment = ?1)",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(has_invalid && usize::try_from(absent) == Ok(stored))
}

/// Stores a response of a deployment; `has_other_fields`: some of its stored transmissions
/// have other fields than before.
pub(super) fn ingest(
    transaction: &Connection,
    id: i64,
    known: Known,
    answer: &Answer,
    has_other_fields: bool,
) -> Result<FetchDelta> {
    let records = &answer.records;
    let had_none = has_none_usable(transaction, id, known.count)?;
    let fetch = transaction.next_fetch()?;
    let mut sent = each_once(records);
    note_reception(&mut sent, answer.into(), known.count == 0);
    let replaced_before = replaced(transaction, id)?;
    let compared = Compared::new(transaction, id, &sent, answer.span)?;
    compared.store(transaction, id)?;
    let mut delta = delta(compared.new.iter().copied(), known);
    let beyond = (known.count + delta.new).saturating_sub(sent.len());
    delta.is_part = beyond > 0;
    let mut is_shorter = false;
    if beyond == 0 {
        transaction.execute("DELETE FROM absent WHERE deployment = ?1", [id])?;
    } else {
        compared.mark_absent(transaction, id, fetch, &sent)?;
        is_shorter = forget_absent_of_file(transaction, id)?;
        let count = "SELECT count(*) FROM absent WHERE deployment = ?1";
        let absent = transaction.row(count, [id], |row| row.get::<i64>(0))?;
        delta.absent = usize::try_from(absent).unwrap_or(0);
        delta.is_part = !is_shorter;
    }
    let is_corrected = replaced_before != replaced(transaction, id)?;
    // Limits are also judged by records that cannot be used.
    let has_other_invalid = invalid::times(transaction, id)? != records.invalid_times;
    invalid::write(transaction, id, records)?;
    let has_none = has_none_usable(transaction, id, known.count + delta.new)?;
    let has_others = has_other_fields || has_other_invalid || had_none != has_none;
    let is_other = is_corrected || is_shorter || has_others;
    if delta.new > 0 || is_other {
        raise_revision(transaction, id)?;
    }
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    // Fixes that another program has stored since this request began would have been new in
    // this response: it is not one without news.
    transaction.execute(
        "INSERT INTO fetch (id, deployment, at, status, bytes, new, late, source, etag, modified, asked, began, ahead, idle)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
             CASE WHEN ?6 > 0 OR EXISTS (
                 SELECT 1 FROM fetch WHERE id = (SELECT max(id) FROM fetch WHERE deployment = ?2)
                 AND idle = 0 AND at > ?12
             ) THEN 0 ELSE ?5 END)",
        params![
            fetch,
            id,
            answer.received_at,
            answer.status,
            i64::try_from(answer.bytes).unwrap_or(i64::MAX),
            number(delta.new),
            number(delta.backfilled),
            answer.source,
            answer.validators.etag,
            answer.validators.modified,
            answer.asked.as_ref().map(FieldChoice::text),
            answer.began(),
            answer.clock_ahead_s
        ],
    )?;
    sum_up_the_day(transaction, id, fetch)?;
    // When it was received is in the archive only.
    delta.is_part |= has_early(transaction, id)?;
    Ok(delta)
}

/// Forgets the transmissions that the file of a deployment has no more: unlike the answer of a
/// service it is whole each time. `false` for a deployment that is no file.
fn forget_absent_of_file(transaction: &Connection, id: i64) -> Result<bool> {
    let state = "SELECT state = 'read' FROM deployment WHERE id = ?1";
    let is_file: Option<bool> = transaction.row(state, [id], |row| row.get(0))?;
    if is_file != Some(true) {
        return Ok(false);
    }
    transaction.execute(
        "DELETE FROM transmission WHERE deployment = ?1 AND EXISTS (SELECT 1 FROM absent u
             WHERE u.deployment = transmission.deployment AND u.time = transmission.time
             AND u.latitude = transmission.latitude AND u.longitude = transmission.longitude)",
        [id],
    )?;
    transaction.execute("DELETE FROM absent WHERE deployment = ?1", [id])?;
    Ok(true)
}

/// The stored positions, by the bits of their time.
pub(super) fn positions(connection: &Connection, id: i64) -> Result<HashMap<u64, Vec<Position>>> {
    let mut stored: HashMap<u64, Vec<Position>> = HashMap::new();
    let all = "SELECT time, latitude, longitude FROM transmission WHERE deployment = ?1";
    connection.each_row(all, [id], |row| {
        let fix = transmission(row)?;
        let of_time = stored.entry(fix.time_stamp.to_bits()).or_default();
        of_time.push(fix.position);
        Ok(())
    })?;
    Ok(stored)
}

/// A response with only its transmissions at times of which none is stored.
pub(super) fn of_new_times(transaction: &Connection, id: i64, answer: &Answer) -> Result<Answer> {
    let stored = positions(transaction, id)?;
    let is_new = |fix: &Transmission| !stored.contains_key(&fix.time_stamp.to_bits());
    Ok(Answer {
        records: Arc::new(selected(&answer.records, is_new)),
        ..answer.clone()
    })
}

/// The transmissions that fulfil a condition, with their fields.
pub(super) fn selected(records: &Records, is_kept: impl Fn(&Transmission) -> bool) -> Records {
    let all = records.transmissions.iter().enumerate();
    let kept: Vec<usize> = all
        .filter(|(_, fix)| is_kept(fix))
        .map(|(index, _)| index)
        .collect();
    let fix = |index: &usize| records.transmissions.get(*index).copied();
    Records {
        transmissions: kept.iter().filter_map(fix).collect(),
        fields: records.fields.select(kept.iter().copied()),
        ..Records::default()
    }
}

/// Adds transmissions that are not of the last response; which ones that lacks stays as it was.
pub(super) fn insert(
    transaction: &Connection,
    id: i64,
    known: Known,
    records: &Records,
    reception: Reception,
) -> Result<FetchDelta> {
    let mut sent = each_once(records);
    note_reception(&mut sent, reception, known.count == 0);
    let delta = delta(sent.iter(), known);
    if delta.new == 0 {
        return Ok(delta);
    }
    let fetch = last_fetch(transaction, id)?;
    insert_new(transaction, id, sent.iter())?;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    transaction.execute(
        "UPDATE fetch SET new = new + ?2, late = late + ?3 WHERE id = ?1",
        params![fetch, number(delta.new), number(delta.backfilled)],
    )?;
    raise_revision(transaction, id)?;
    Ok(delta)
}

/// Adds transmissions of a response whose request precedes that of the stored response: the
/// stored one remains the latest, and lacks them.
pub(super) fn add(
    transaction: &Connection,
    id: i64,
    known: Known,
    answer: &Answer,
) -> Result<FetchDelta> {
    let records = &answer.records;
    let delta = insert(transaction, id, known, records, answer.into())?;
    let sent = each_once(records);
    let fetch = last_fetch(transaction, id)?;
    insert_absent(transaction, id, fetch, sent.iter().map(|sent| sent.fix))?;
    Ok(delta)
}

/// The number of the last fetch of a deployment.
fn last_fetch(connection: &Connection, id: i64) -> Result<i64> {
    let last = "SELECT max(id) FROM fetch WHERE deployment = ?1";
    connection.row(last, [id], |row| row.get(0))
}

/// Reduces the fetches before the last to one row per day (UTC) with the sums of
/// that day, so that frequent refreshes do not fill the disk. Called after every
/// fetch: at most one row is to be removed.
pub(super) fn sum_up_the_day(transaction: &Connection, id: i64, last: i64) -> Result<()> {
    let earlier: Vec<(i64, f64)> = transaction.rows(
        "SELECT id, at FROM fetch
         WHERE deployment = ?1 AND id < ?2 ORDER BY id DESC LIMIT 2",
        [id, last],
        |row| Ok((row.get(0)?, (row.get::<f64>(1)? / 86_400.0).trunc())),
    )?;
    if let [(sum, day), (over, same)] = earlier[..]
        && day == same
    {
        transaction.execute(
            "UPDATE fetch AS f SET bytes = f.bytes + o.bytes, idle = f.idle + o.idle,
                 new = f.new + o.new, at = o.at, late = f.late + o.late, fetches = f.fetches + o.fetches
             FROM fetch o WHERE f.id = ?1 AND o.id = ?2",
            [sum, over],
        )?;
        transaction.execute("DELETE FROM fetch WHERE id = ?1", [over])?;
    }
    Ok(())
}
