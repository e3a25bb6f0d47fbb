//! The rows of alarms and of what happened to each, written in a transaction of
//! others.

use uuid::Uuid;

use super::connection::{Connection, Transaction};
use super::sql::{self, OptionalExtension, params, text};
use crate::alarm::{self, AlarmEvent, Kind, Rule};
use crate::hash::hash64;
use crate::track::Deployment;

/// The time of something that happened to an alarm, UNIX seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// When it happened.
    pub at: f64,
    /// When it was seen.
    pub seen_at: f64,
}

impl Moment {
    /// Seen as it happened.
    pub(super) fn now(now: f64) -> Self {
        Self {
            at: now,
            seen_at: now,
        }
    }
}

/// Records something that happened to an alarm.
pub(super) fn happened(
    transaction: &Transaction<'_>,
    alarm: &str,
    moment: Moment,
    event: &str,
    to_tell: bool,
) -> sql::Result<()> {
    transaction.execute(
        "INSERT INTO alarm_event (alarm, at, seen_at, event, to_tell) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![alarm, moment.at, moment.seen_at, event, to_tell],
    )?;
    Ok(())
}

/// A short id of no alarm yet, made of what tells the alarm from others.
pub(super) fn free_id(transaction: &Transaction<'_>, of: &[&[u8]]) -> sql::Result<String> {
    /// Digits and letters that are not taken for each other (Crockford).
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let bytes = of.iter().flat_map(|part| part.iter().chain(&[0xff]));
    let mut hash = hash64(bytes.copied());
    loop {
        let id: String = (0..6)
            .map(|place| {
                let digit = (hash >> (5 * place + 20)) & 31;
                char::from(
                    DIGITS
                        .get(usize::try_from(digit).unwrap_or(0))
                        .copied()
                        .unwrap_or(b'0'),
                )
            })
            .collect();
        let taken: bool = transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM alarm WHERE id = ?1)",
            [&id],
            |row| row.get(0),
        )?;
        if !taken {
            return Ok(id);
        }
        hash = hash64(hash.to_le_bytes());
    }
}

/// Ends the alarms of a kind and field that stand. Returns the ids of what it ended.
pub(super) fn end_all(
    transaction: &Transaction<'_>,
    id: i64,
    kind: &str,
    field: &str,
    moment: Moment,
) -> sql::Result<Vec<String>> {
    let mut statement = transaction.prepare(
        "SELECT id FROM alarm
         WHERE deployment = ?1 AND kind = ?2 AND field = ?3 AND cleared_at IS NULL",
    )?;
    let standing: Vec<String> = statement
        .query_map(params![id, kind, field], |row| {
            Ok(text(row, 0)?.unwrap_or_default())
        })?
        .collect::<sql::Result<_>>()?;
    let mut ended = Vec::new();
    for alarm in standing {
        if end(transaction, &alarm, moment)? {
            ended.push(alarm);
        }
    }
    Ok(ended)
}

/// Ends an alarm that stands, which is told where the alarm was. Returns whether it stood.
pub(super) fn end(transaction: &Transaction<'_>, alarm: &str, moment: Moment) -> sql::Result<bool> {
    let was_told: Option<bool> = transaction
        .query_row(
            "UPDATE alarm SET
                 cleared_at = CASE WHEN raised_at > ?3 AND coalesce(fix_time, 0) <= ?3 THEN ?3
                     WHEN raised_at > ?2 THEN raised_at ELSE ?2 END,
                 raised_at = CASE WHEN raised_at > ?3 AND coalesce(fix_time, 0) <= ?3 THEN ?3
                     ELSE raised_at END
             WHERE id = ?1 AND cleared_at IS NULL
             RETURNING told_at IS NOT NULL OR EXISTS (
                 SELECT 1 FROM alarm_event e WHERE e.alarm = alarm.id AND e.to_tell = 1)",
            params![alarm, moment.at.min(moment.seen_at), moment.seen_at],
            |row| row.get(0),
        )
        .optional()?;
    let Some(was_told) = was_told else {
        return Ok(false);
    };
    let event = AlarmEvent::Cleared.name();
    happened(transaction, alarm, moment, event, was_told)?;
    Ok(true)
}

/// Brings the alarms of a deployment that were raised after `now` (UNIX seconds) to
/// now: the clock was ahead then. One that is behind the fix that raised an alarm is
/// wrong itself.
pub(super) fn bring_to_now(transaction: &Transaction<'_>, id: i64, now: f64) -> sql::Result<()> {
    transaction.execute(
        "UPDATE alarm SET raised_at = ?2,
             seen_at = CASE WHEN seen_at > ?2 THEN ?2 ELSE seen_at END,
             told_at = CASE WHEN told_at > ?2 THEN ?2 ELSE told_at END
         WHERE deployment = ?1 AND cleared_at IS NULL AND raised_at > ?2
         AND coalesce(fix_time, 0) <= ?2",
        params![id, now],
    )?;
    Ok(())
}

/// The kinds and fields that a query selects of a deployment.
pub(super) fn kinds(
    transaction: &Transaction<'_>,
    query: &str,
    id: i64,
) -> sql::Result<Vec<(String, String)>> {
    let mut statement = transaction.prepare(query)?;
    statement
        .query_map([id], |row| {
            Ok((
                text(row, 0)?.unwrap_or_default(),
                text(row, 1)?.unwrap_or_default(),
            ))
        })?
        .collect()
}

/// Ends the alarms of a deployment that no rule is left for, at `now` (UNIX
/// seconds), and forgets how far it was held to them. Why is in the text of each.
pub(super) fn end_without_rule(
    transaction: &Transaction<'_>,
    id: i64,
    entry: &Deployment,
    now: f64,
) -> sql::Result<()> {
    let rules = alarm::rules(entry, now);
    let why = |kind: Kind| alarm::why_no_rule(entry, kind, now);
    end_but_for(transaction, id, &rules, &why, now)
}

/// Writes why an alarm has ended into its text.
pub(super) fn write_why(transaction: &Transaction<'_>, alarm: &str, why: &str) -> sql::Result<()> {
    transaction.execute(
        "UPDATE alarm SET text = text || CASE WHEN text = '' THEN '' ELSE '; ' END
             || CAST(?2 AS TEXT)
         WHERE id = ?1",
        params![alarm, format!("{}{why}", alarm::ENDED)],
    )?;
    Ok(())
}

/// Ends the alarms of a deployment that none of these rules is for, with the reason that
/// `why` gives for a kind.
fn end_but_for(
    transaction: &Transaction<'_>,
    id: i64,
    rules: &[Rule],
    why: &dyn Fn(Kind) -> String,
    now: f64,
) -> sql::Result<()> {
    let known = kinds(
        transaction,
        "SELECT kind, field FROM alarm WHERE deployment = ?1 AND cleared_at IS NULL
         UNION SELECT kind, field FROM alarm_rule WHERE deployment = ?1",
        id,
    )?;
    for (kind, field) in known {
        let holds = |rule: &Rule| rule.kind().name() == kind && rule.field() == field;
        if rules.iter().any(holds) {
            continue;
        }
        let ended = end_all(transaction, id, &kind, &field, Moment::now(now))?;
        if let Some(why) = kind.parse().ok().map(why) {
            for alarm in ended {
                write_why(transaction, &alarm, &why)?;
            }
        }
        transaction.execute(
            "DELETE FROM alarm_rule WHERE deployment = ?1 AND kind = ?2 AND field = ?3",
            params![id, kind, field],
        )?;
    }
    Ok(())
}

/// Ends the alarms of a deployment that is taken off the watch list for good.
pub(super) fn end_of_unwatched(
    transaction: &Transaction<'_>,
    uuid: Uuid,
    now: f64,
) -> sql::Result<()> {
    match number_of(transaction, uuid)? {
        Some(id) => {
            let why = |_| "it was taken off the watch list".to_owned();
            end_but_for(transaction, id, &[], &why, now)
        }
        None => Ok(()),
    }
}

/// The number of a deployment in the archive.
pub(super) fn number_of(connection: &Connection, uuid: Uuid) -> sql::Result<Option<i64>> {
    connection
        .query_row(
            "SELECT id FROM deployment WHERE uuid = ?1",
            [uuid.to_string()],
            |row| row.get(0),
        )
        .optional()
}
