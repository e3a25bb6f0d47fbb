//! Stores a response in the archive: new transmissions, duplicates, and
//! transmissions absent from the response.

use std::collections::HashSet;
use std::sync::Arc;

use super::connection::Connection;
use super::corrected;
use super::sent::{Sent, each_once};
use super::sql::{self, params};
use super::unusable;
use crate::track::field::FieldChoice;
use crate::track::{Answer, FetchDelta, Records};

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
pub(super) fn known(connection: &Connection, id: i64) -> sql::Result<Known> {
    connection.query_row(
        "SELECT count(*), max(time), coalesce(max(CASE WHEN place <> 0 OR times <> 1 THEN 1 ELSE 0 END), 0)
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

/// Stores a response of a deployment, of whose stored transmissions some have other fields
/// than before where `has_other_fields`.
pub(super) fn ingest(
    transaction: &Connection,
    id: i64,
    known: Known,
    answer: &Answer,
    has_other_fields: bool,
) -> sql::Result<FetchDelta> {
    let Answer {
        records,
        received_at,
        status,
        bytes,
        ..
    } = answer;
    let fetch = transaction.next_fetch()?;
    let sent = each_once(records);
    let replaced = corrected::replaced(transaction, id)?;
    let is_new = transaction.insert_new(id, fetch, known.ties, &sent)?;
    let mut delta = FetchDelta::default();
    for (sent, _) in sent.iter().zip(is_new).filter(|(_, is_new)| *is_new) {
        delta.new += 1;
        if known
            .latest
            .is_some_and(|latest| sent.one.time_stamp < latest)
        {
            delta.backfilled += 1;
        }
    }
    let beyond = (known.count + delta.new).saturating_sub(sent.len());
    delta.is_part = beyond > 0;
    match beyond {
        0 => {
            transaction.execute("DELETE FROM unsent WHERE deployment = ?1", [id])?;
        }
        _ => {
            transaction.mark_absent(id, fetch, &sent, answer.span)?;
            let count = "SELECT count(*) FROM unsent WHERE deployment = ?1";
            let absent = transaction.query_row(count, [id], |row| row.get::<i64>(0))?;
            delta.absent = usize::try_from(absent).unwrap_or(0);
        }
    }
    let is_corrected = replaced != corrected::replaced(transaction, id)?;
    // Newer records that cannot be used are news as fixes are: limits are judged by both.
    let has_other_invalid = unusable::times(transaction, id)? != records.invalid_times;
    if delta.new > 0 || is_corrected || has_other_fields || has_other_invalid {
        transaction.execute(
            "UPDATE deployment SET revision = revision + 1 WHERE id = ?1",
            [id],
        )?;
    }
    unusable::write(transaction, id, records)?;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    transaction.execute(
        "INSERT INTO fetch (id, deployment, at, status, bytes, new, late, source, etag, modified, asked, began)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
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
            answer.asked.as_ref().map(FieldChoice::text),
            answer.began()
        ],
    )?;
    sum_up_the_day(transaction, id, fetch)?;
    Ok(delta)
}

/// The same response with those of its transmissions alone at whose time none is stored.
pub(super) fn of_new_times(
    transaction: &Connection,
    id: i64,
    answer: &Answer,
) -> sql::Result<Answer> {
    let stored: HashSet<u64> = transaction
        .prepare("SELECT DISTINCT time FROM transmission WHERE deployment = ?1")?
        .query_map([id], |row| Ok(row.get::<f64>(0)?.to_bits()))?
        .collect::<sql::Result<_>>()?;
    let all = &answer.records.transmissions;
    let is_new = |index: &usize| {
        let time = all.get(*index).map(|one| one.time_stamp.to_bits());
        time.is_some_and(|time| !stored.contains(&time))
    };
    let new: Vec<usize> = (0..all.len()).filter(is_new).collect();
    let records = Records {
        transmissions: new
            .iter()
            .filter_map(|index| all.get(*index))
            .copied()
            .collect(),
        fields: answer.records.fields.select(new),
        ..Records::default()
    };
    Ok(Answer {
        records: Arc::new(records),
        ..answer.clone()
    })
}

/// Adds transmissions that are not of the last response, and says nothing of what that
/// has.
pub(super) fn insert(
    transaction: &Connection,
    id: i64,
    known: Known,
    records: &Records,
) -> sql::Result<FetchDelta> {
    let sent = each_once(records);
    let is_late = |sent: &&Sent<'_>| known.latest.is_some_and(|at| sent.one.time_stamp < at);
    let delta = FetchDelta {
        new: sent.len(),
        backfilled: sent.iter().filter(is_late).count(),
        ..FetchDelta::default()
    };
    if delta.new == 0 {
        return Ok(delta);
    }
    let last = "SELECT max(id) FROM fetch WHERE deployment = ?1";
    let fetch: i64 = transaction.query_row(last, [id], |row| row.get(0))?;
    transaction.insert_new(id, fetch, known.ties, &sent)?;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    transaction.execute(
        "UPDATE fetch SET new = new + ?2, late = late + ?3 WHERE id = ?1",
        params![fetch, number(delta.new), number(delta.backfilled)],
    )?;
    transaction.execute(
        "UPDATE deployment SET revision = revision + 1 WHERE id = ?1",
        [id],
    )?;
    Ok(delta)
}

/// Adds transmissions of a response that was asked for before the one that is stored:
/// that one stays the latest, and lacks them.
pub(super) fn add(
    transaction: &Connection,
    id: i64,
    known: Known,
    records: &Records,
) -> sql::Result<FetchDelta> {
    let delta = insert(transaction, id, known, records)?;
    let mut absent = transaction.prepare(
        "INSERT INTO unsent
         SELECT ?1, ?2, ?3, ?4, max(id) FROM fetch WHERE deployment = ?1",
    )?;
    for Sent { one, .. } in &each_once(records) {
        let (time, place) = (one.time_stamp, one.position);
        absent.execute(params![id, time, place.latitude, place.longitude])?;
    }
    Ok(delta)
}

/// Reduces the fetches before the last to one row per day (UTC) with the sums of
/// that day, so that frequent refreshes do not fill the disk. Called after every
/// fetch: at most one row is to be removed.
fn sum_up_the_day(transaction: &Connection, id: i64, last: i64) -> sql::Result<()> {
    let mut statement = transaction.prepare(
        "SELECT id, at FROM fetch
         WHERE deployment = ?1 AND id < ?2 ORDER BY id DESC LIMIT 2",
    )?;
    let earlier: Vec<(i64, f64)> = statement
        .query_map([id, last], |row| {
            Ok((row.get(0)?, (row.get::<f64>(1)? / 86_400.0).trunc()))
        })?
        .collect::<sql::Result<_>>()?;
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
