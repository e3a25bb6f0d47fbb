//! The rows of alarms and of their events.

use rusqlite::ToSql;
use uuid::Uuid;

use super::connection::{Connection, Transaction};
use super::origins;
use super::rows::deployment_id;
use super::sql::{Params, Result, Row, params};
use crate::alarm::{self, Alarm, AlarmEvent, Kind, Rule};
use crate::text::hash::hash64;
use crate::watch::Deployment;

/// The subject of a rule: its kind and its field, which may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct About {
    pub kind: Kind,
    pub field: String,
}

impl About {
    /// The subject of a rule.
    pub(crate) fn rule(rule: &Rule) -> Self {
        Self {
            kind: rule.kind(),
            field: rule.field().to_owned(),
        }
    }

    /// The subject of the alarm that the limit of this subject cannot be judged.
    pub(crate) fn unjudged(&self) -> Self {
        Self {
            kind: Kind::Unjudged,
            field: format!("{} {}", self.kind.name(), self.field),
        }
    }

    /// All subjects of rules.
    pub(crate) fn all(rules: &[Rule]) -> Vec<Self> {
        let of_rules = rules.iter().map(Self::rule);
        of_rules
            .flat_map(|about| [about.unjudged(), about])
            .collect()
    }

    /// `true` if an alarm is about this.
    pub(crate) fn has(&self, alarm: &Alarm) -> bool {
        (alarm.kind, &alarm.field) == (self.kind, &self.field)
    }

    /// The subject in the first two columns of a row.
    pub(super) fn from_row(row: &Row) -> Option<Self> {
        Some(Self {
            kind: row.text(0)?.parse().ok()?,
            field: row.text(1).unwrap_or_default(),
        })
    }
}

/// The alarms that an SQL clause selects and orders, without those that cannot be read.
pub(super) fn read(
    connection: &Connection,
    which: &str,
    values: impl Params,
) -> Result<Vec<Alarm>> {
    let alarms = connection.rows(
        &format!(
            "SELECT a.id, d.uuid, coalesce(d.label, a.label), a.kind, a.raised_at, a.seen_at,
                 a.acknowledged_at, a.snoozed_until, a.cleared_at, a.fix_time, a.value, a.threshold,
                 a.text, a.notified_at, a.reminders, a.field, a.cause, a.ended, {}
             FROM alarm a LEFT JOIN deployment d ON d.id = a.deployment {which}",
            origins::COLUMNS
        ),
        values,
        |row| Ok(alarm(row)),
    )?;
    Ok(alarms.into_iter().flatten().collect())
}

fn alarm(row: &Row) -> Option<Alarm> {
    let raised_at = row.number(4)?;
    Some(Alarm {
        id: row.text(0)?,
        deployment: (row.uuid(1)).map(|uuid| origins::identified(uuid, origins::from_row(row, 18))),
        label: row.text(2),
        kind: row.text(3)?.parse().ok()?,
        field: row.text(15).unwrap_or_default(),
        raised_at,
        seen_at: row.number(5).unwrap_or(raised_at),
        acknowledged_at: row.number(6),
        snoozed_until: row.number(7),
        cleared_at: row.number(8),
        fix_time: row.number(9),
        value: row.number(10),
        limit: row.number(11),
        text: row.text(12).unwrap_or_default(),
        cause: (row.text(16)).and_then(|cause| serde_json::from_str(&cause).ok()),
        ended: row.text(17),
        notified_at: row.number(13),
        reminders: u32::try_from(row.get::<i64>(14).unwrap_or(0)).unwrap_or(0),
    })
}

/// Records an event of an alarm that is seen `now` (UNIX seconds), which the program of `on_alarm`
/// is notified of.
pub(super) fn happened(
    transaction: &Transaction<'_>,
    alarm: &str,
    event: AlarmEvent,
    now: f64,
) -> Result<()> {
    transaction.execute(
        "INSERT INTO alarm_event (alarm, at, seen_at, event, to_notify) VALUES (?1, ?2, ?2, ?3, 1)",
        params![alarm, now, event.name()],
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

/// Ends an alarm at a time that is seen `now` (both UNIX seconds), if it is active, and records why
/// if no fix ended it. Of the end is notified if its start was.
pub(super) fn end(
    transaction: &Transaction<'_>,
    alarm: &str,
    at: f64,
    why: Option<&str>,
    now: f64,
) -> Result<()> {
    let was_notified: Option<bool> = transaction.optional_row(
        "UPDATE alarm SET
             cleared_at = CASE WHEN raised_at > ?3 AND coalesce(fix_time, 0) <= ?3 THEN ?3
                 WHEN raised_at > ?2 THEN raised_at ELSE ?2 END,
             raised_at = CASE WHEN raised_at > ?3 AND coalesce(fix_time, 0) <= ?3 THEN ?3
                 ELSE raised_at END,
             ended = ?4
         WHERE id = ?1 AND cleared_at IS NULL
         RETURNING notified_at IS NOT NULL OR EXISTS (
             SELECT 1 FROM alarm_event e WHERE e.alarm = alarm.id AND e.to_notify = 1)",
        params![alarm, at.min(now), now, why],
        |row| row.get(0),
    )?;
    match was_notified {
        Some(true) => happened(transaction, alarm, AlarmEvent::Cleared, now),
        _ => Ok(()),
    }
}

/// Moves the start of the active alarms that a condition on `?2` selects to `now` (UNIX
/// seconds) if it is later: the clock was ahead then. If the clock is behind the fix that
/// raised an alarm, the clock is wrong now.
pub(super) fn bring_to_now(
    transaction: &Transaction<'_>,
    condition: &str,
    value: impl ToSql,
    now: f64,
) -> Result<()> {
    let earlier = format!(
        "UPDATE alarm SET raised_at = ?1,
             seen_at = CASE WHEN seen_at > ?1 THEN ?1 ELSE seen_at END,
             notified_at = CASE WHEN notified_at > ?1 THEN ?1 ELSE notified_at END
         WHERE {condition} AND cleared_at IS NULL AND raised_at > ?1
         AND coalesce(fix_time, 0) <= ?1"
    );
    transaction.execute(&earlier, params![now, value])?;
    Ok(())
}

/// Ends the alarms of a deployment that have no rule any more, at `now` (UNIX seconds), and
/// forgets the results of these rules.
pub(super) fn end_without_rule(
    transaction: &Transaction<'_>,
    id: i64,
    entry: &Deployment,
    now: f64,
) -> Result<()> {
    let subjects = About::all(&alarm::rules(entry, now));
    let why = |kind: Kind| alarm::why_no_rule(entry, kind, now);
    end_but_for(transaction, id, &subjects, &why, now)
}

/// Ends the alarms of a deployment that is removed from the watch list.
pub(super) fn end_of_unwatched(transaction: &Transaction<'_>, uuid: Uuid, now: f64) -> Result<()> {
    match deployment_id(transaction, uuid)? {
        Some(id) => {
            let why = |_| "it was taken off the watch list".to_owned();
            end_but_for(transaction, id, &[], &why, now)
        }
        None => Ok(()),
    }
}

/// Ends the alarms of a deployment that are about none of these subjects; `why` gives the
/// reason for a kind.
fn end_but_for(
    transaction: &Transaction<'_>,
    id: i64,
    subjects: &[About],
    why: &dyn Fn(Kind) -> String,
    now: f64,
) -> Result<()> {
    let active = "WHERE a.deployment = ?1 AND a.cleared_at IS NULL";
    for alarm in read(transaction, active, [id])? {
        if !subjects.iter().any(|about| about.has(&alarm)) {
            let why = why(alarm.kind);
            end(transaction, &alarm.id, now, Some(&why), now)?;
        }
    }
    let results = "SELECT kind, field FROM alarm_rule WHERE deployment = ?1";
    let known = transaction.rows(results, [id], |row| Ok(About::from_row(row)))?;
    for about in known.into_iter().flatten() {
        if !subjects.contains(&about) {
            transaction.execute(
                "DELETE FROM alarm_rule WHERE deployment = ?1 AND kind = ?2 AND field = ?3",
                params![id, about.kind.name(), about.field],
            )?;
        }
    }
    Ok(())
}
