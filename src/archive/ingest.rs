//! Stores a response in the archive: new transmissions, duplicates, and
//! transmissions absent from the response.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::connection::{Connection, Sent};
use super::invalid;
use super::rows::transmission;
use super::sql::{Result, params};
use crate::track::field::{FieldChoice, FixKey, fix_key};
use crate::track::{Records, Transmission};
use crate::watch::{Answer, FetchDelta};

/// The transmissions of a response without duplicates, in the order of the key,
/// so that SQLite writes each page once.
fn each_once(records: &Records) -> Vec<Sent<'_>> {
    let key = |fix: &Transmission| fix_key(fix.time_stamp, fix.position);
    let early: HashMap<FixKey, f64> = records
        .early
        .iter()
        .map(|record| (key(&record.fix), record.received))
        .collect();
    let received = |fix: &Transmission| early.get(&key(fix)).copied();
    let as_sent = |fix| Sent {
        fix,
        received: received(fix),
        index: 0,
        times: 1,
    };
    let mut sent: Vec<Sent<'_>> = records.transmissions.iter().map(as_sent).collect();
    // Stable: transmissions of the same time stay in the order of the response.
    sent.sort_by(|a, b| a.fix.time_stamp.total_cmp(&b.fix.time_stamp));
    for group in sent.chunk_by_mut(|a, b| a.fix.time_stamp == b.fix.time_stamp) {
        if group.len() == 1 {
            continue;
        }
        for (index, sent) in (0..).zip(group.iter_mut()) {
            sent.index = index;
        }
        // Of duplicates the first remains, with their number.
        group.sort_by(|a, b| {
            let a = a.fix.position;
            let b = b.fix.position;
            a.latitude
                .total_cmp(&b.latitude)
                .then(a.longitude.total_cmp(&b.longitude))
        });
        for duplicates in group.chunk_by_mut(|a, b| a.fix == b.fix) {
            let count = u32::try_from(duplicates.len()).unwrap_or(u32::MAX);
            if let Some((first, rest)) = duplicates.split_first_mut() {
                first.times = count;
                rest.iter_mut().for_each(|duplicate| duplicate.times = 0);
            }
        }
    }
    sent.retain(|sent| sent.times > 0);
    sent
}

/// A transmission whose time is later than that of its reception by more than this was stamped by
/// another clock, seconds.
const EARLY_S: f64 = 60.0;
/// Of so many of the latest transmissions it is known whether one was received before its time.
const LATEST: i64 = 100;

/// A time that is further ahead is of a wrong clock, seconds: maybe of this computer's, where no
/// service has confirmed that.
const FAR_AHEAD_S: f64 = 86_400.0;

/// When transmissions were received.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reception {
    /// By the later of both clocks, UNIX seconds.
    at: f64,
    /// `true` if the service said what its clock shows.
    is_confirmed: bool,
}

impl Reception {
    /// By this computer's clock alone, UNIX seconds.
    pub(super) fn unconfirmed(at: f64) -> Self {
        Self {
            at,
            is_confirmed: false,
        }
    }

    /// `true` if a transmission of this time (UNIX seconds) was received before it.
    fn is_before(self, time: f64) -> bool {
        let ahead_s = time - self.at;
        ahead_s > EARLY_S && (self.is_confirmed || ahead_s <= FAR_AHEAD_S)
    }
}

impl From<&Answer> for Reception {
    fn from(answer: &Answer) -> Self {
        Self {
            at: answer.clock().as_kept(answer.received_at),
            is_confirmed: answer.clock_ahead_s.is_some(),
        }
    }
}

/// Notes which of these transmissions were received before their time. When those of the
/// `first` response were sent is not known: they say as much as its other transmissions.
fn note_early(sent: &mut [Sent<'_>], reception: Reception, first: bool) {
    let is_early = |time: f64| reception.is_before(time);
    let others = sent
        .iter()
        .map(|sent| sent.fix.time_stamp)
        .filter(|time| first && !is_early(*time));
    let received = others.max_by(f64::total_cmp).unwrap_or(reception.at);
    for sent in sent.iter_mut() {
        let is_early = is_early(sent.fix.time_stamp);
        sent.received = sent.received.or(is_early.then_some(received));
    }
}

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
    /// `true` if two have the same time, or one was sent more than once.
    ties: bool,
}

/// Reads these facts.
pub(super) fn known(connection: &Connection, id: i64) -> Result<Known> {
    connection.row(
        "SELECT count(*), max(time), coalesce(max(CASE WHEN record_index <> 0 OR times <> 1 THEN 1 ELSE 0 END), 0)
         FROM transmission WHERE deployment = ?1",
        [id],
        |row| {
            Ok(Known {
                count: usize::try_from(row.get::<i64>(0)?).unwrap_or(0),
                latest: row.get(1)?,
                ties: row.get(2)?,
            })
        },
    )
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
    note_early(&mut sent, answer.into(), known.count == 0);
    let replaced_before = replaced(transaction, id)?;
    let is_new = transaction.insert_new(id, known.ties, &sent)?;
    let new = sent.iter().zip(is_new).filter(|(_, is_new)| *is_new);
    let mut delta = delta(new.map(|(sent, _)| sent), known);
    let beyond = (known.count + delta.new).saturating_sub(sent.len());
    delta.is_part = beyond > 0;
    let mut is_shorter = false;
    if beyond == 0 {
        transaction.execute("DELETE FROM absent WHERE deployment = ?1", [id])?;
    } else {
        transaction.mark_absent(id, fetch, &sent, answer.span)?;
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

/// A response with only its transmissions at times of which none is stored.
pub(super) fn of_new_times(transaction: &Connection, id: i64, answer: &Answer) -> Result<Answer> {
    let mut stored: HashSet<u64> = HashSet::new();
    let times = "SELECT DISTINCT time FROM transmission WHERE deployment = ?1";
    transaction.each_row(times, [id], |row| {
        stored.insert(row.get::<f64>(0)?.to_bits());
        Ok(())
    })?;
    let is_new = |fix: &Transmission| !stored.contains(&fix.time_stamp.to_bits());
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
    note_early(&mut sent, reception, known.count == 0);
    let delta = delta(sent.iter(), known);
    if delta.new == 0 {
        return Ok(delta);
    }
    let last = "SELECT max(id) FROM fetch WHERE deployment = ?1";
    let fetch: i64 = transaction.row(last, [id], |row| row.get(0))?;
    transaction.insert_new(id, known.ties, &sent)?;
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
    for Sent { fix, .. } in &each_once(records) {
        let time = fix.time_stamp;
        let position = fix.position;
        transaction.execute(
            "INSERT INTO absent
             SELECT ?1, ?2, ?3, ?4, max(id) FROM fetch WHERE deployment = ?1",
            params![id, time, position.latitude, position.longitude],
        )?;
    }
    Ok(delta)
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
