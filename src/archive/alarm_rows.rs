//! The rows of alarms and of their events, written within a transaction.

use uuid::Uuid;

use super::connection::Transaction;
use super::sql::{Params, Result, ToValue, params};
use super::tracks::number_of;
use crate::alarm::{self, AlarmEvent, Kind, Rule};
use crate::hash::hash64;
use crate::track::Deployment;

/// The time of an event of an alarm, UNIX seconds.
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

/// Whether the program of `on_alarm` is notified of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notify {
    Yes,
    No,
}

impl Notify {
    pub(super) fn when(is_notified: bool) -> Self {
        if is_notified { Self::Yes } else { Self::No }
    }
}

/// Records an event of an alarm.
pub(super) fn happened(
    transaction: &Transaction<'_>,
    alarm: &str,
    moment: Moment,
    event: &str,
    notify: Notify,
) -> Result<()> {
    transaction.execute(
        "INSERT INTO alarm_event (alarm, at, seen_at, event, to_tell) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            alarm,
            moment.at,
            moment.seen_at,
            event,
            notify == Notify::Yes
        ],
    )?;
    Ok(())
}

/// A short id that no alarm has yet, made of what identifies the alarm.
pub(super) fn free_id(transaction: &Transaction<'_>, of: &[&[u8]]) -> Result<String> {
    /// Digits and letters that cannot be confused (Crockford).
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let bytes = of.iter().flat_map(|part| part.iter().chain(&[0xff]));
    let mut hash = hash64(bytes.copied());
    loop {
        let digit = |index: u32| {
            let digit = usize::try_from((hash >> (5 * index + 20)) & 31).unwrap_or(0);
            char::from(DIGITS.get(digit).copied().unwrap_or(b'0'))
        };
        let id: String = (0..6).map(digit).collect();
        let known = "SELECT 1 FROM alarm WHERE id = ?1";
        if transaction
            .optional_row(known, [&id], |_| Ok(()))?
            .is_none()
        {
            return Ok(id);
        }
        hash = hash64(hash.to_le_bytes());
    }
}

/// Ends the active alarms that a condition selects. Returns the ids of what it ended.
pub(super) fn end_where(
    transaction: &Transaction<'_>,
    condition: &str,
    values: impl Params,
    moment: Moment,
) -> Result<Vec<String>> {
    let active = format!("SELECT id FROM alarm WHERE {condition} AND cleared_at IS NULL");
    let ids: Vec<String> =
        transaction.rows(&active, values, |row| Ok(row.text(0).unwrap_or_default()))?;
    let mut ended = Vec::new();
    for id in ids {
        if end(transaction, &id, moment)? {
            ended.push(id);
        }
    }
    Ok(ended)
}

/// Ends an active alarm, of which is notified if its start was. Returns whether it was
/// active.
pub(super) fn end(transaction: &Transaction<'_>, alarm: &str, moment: Moment) -> Result<bool> {
    let was_notified: Option<bool> = transaction.optional_row(
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
    )?;
    let Some(was_notified) = was_notified else {
        return Ok(false);
    };
    let notify = Notify::when(was_notified);
    happened(
        transaction,
        alarm,
        moment,
        AlarmEvent::Cleared.name(),
        notify,
    )?;
    Ok(true)
}

/// Moves the start of the active alarms that a condition on `?2` selects to `now` (UNIX
/// seconds) if it is later: the clock was ahead then. If the clock is behind the fix that
/// raised an alarm, the clock is wrong now.
pub(super) fn bring_to_now(
    transaction: &Transaction<'_>,
    condition: &str,
    value: impl ToValue,
    now: f64,
) -> Result<()> {
    let earlier = format!(
        "UPDATE alarm SET raised_at = ?1,
             seen_at = CASE WHEN seen_at > ?1 THEN ?1 ELSE seen_at END,
             told_at = CASE WHEN told_at > ?1 THEN ?1 ELSE told_at END
         WHERE {condition} AND cleared_at IS NULL AND raised_at > ?1
         AND coalesce(fix_time, 0) <= ?1"
    );
    transaction.execute(&earlier, params![now, value])?;
    Ok(())
}

/// Ends the alarms of a deployment that have no rule any more, at `now` (UNIX seconds), and
/// forgets the results of their rules. The reason is added to the text of each.
pub(super) fn end_without_rule(
    transaction: &Transaction<'_>,
    id: i64,
    entry: &Deployment,
    now: f64,
) -> Result<()> {
    let rules = alarm::rules(entry, now);
    let why = |kind: Kind| alarm::why_no_rule(entry, kind, now);
    end_but_for(transaction, id, &rules, &why, now)
}

/// Adds why an alarm has ended to its text.
pub(super) fn write_why(transaction: &Transaction<'_>, alarm: &str, why: &str) -> Result<()> {
    transaction.execute(
        "UPDATE alarm SET text = text || CASE WHEN text = '' THEN '' ELSE '; ' END
             || CAST(?2 AS TEXT)
         WHERE id = ?1",
        params![alarm, format!("{}{why}", alarm::ENDED)],
    )?;
    Ok(())
}

/// The SQL condition that selects the rows of a rule.
const OF_RULE: &str = "deployment = ?1 AND kind = ?2 AND field = ?3";

/// Ends the alarms of a deployment of which none of these rules is; `why` gives the reason
/// for a kind.
fn end_but_for(
    transaction: &Transaction<'_>,
    id: i64,
    rules: &[Rule],
    why: &dyn Fn(Kind) -> String,
    now: f64,
) -> Result<()> {
    let known: Vec<(String, String)> = transaction.rows(
        "SELECT kind, field FROM alarm WHERE deployment = ?1 AND cleared_at IS NULL
         UNION SELECT kind, field FROM alarm_rule WHERE deployment = ?1",
        [id],
        |row| {
            Ok((
                row.text(0).unwrap_or_default(),
                row.text(1).unwrap_or_default(),
            ))
        },
    )?;
    for (kind, field) in known {
        let is_of = |rule: &Rule| rule.kind().name() == kind && rule.field() == field;
        if rules.iter().any(is_of) {
            continue;
        }
        let values = params![id, kind, field];
        let ended = end_where(transaction, OF_RULE, values.clone(), Moment::now(now))?;
        if let Some(why) = kind.parse().ok().map(why) {
            for alarm in ended {
                write_why(transaction, &alarm, &why)?;
            }
        }
        transaction.execute(&format!("DELETE FROM alarm_rule WHERE {OF_RULE}"), values)?;
    }
    Ok(())
}

/// Ends the alarms of a deployment that is removed from the watch list.
pub(super) fn end_of_unwatched(transaction: &Transaction<'_>, uuid: Uuid, now: f64) -> Result<()> {
    match number_of(transaction, uuid)? {
        Some(id) => {
            let why = |_| "it was taken off the watch list".to_owned();
            end_but_for(transaction, id, &[], &why, now)
        }
        None => Ok(()),
    }
}
