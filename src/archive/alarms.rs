//! Alarms in the archive: what stands, what a user says of it, and what is to be
//! told, once, by whichever program claims the telling.

#[cfg(test)]
mod tests;

use uuid::Uuid;

use super::alarm_rows::happened;
use super::connection::{Connection, Transaction};
use super::row_hash::{number, text};
use super::sql::{self, Row, params};
use super::{Archive, ArchiveError, process};
use crate::alarm::{self, Alarm, AlarmEvent, FIRST_REMINDER_S, Kind};
use crate::track::Deployment;

/// What was claimed is free again after this long, seconds: the program that
/// claimed it runs, but tells no more.
const CLAIM_S: f64 = 120.0;

/// A transition that the caller has claimed, to tell it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToTell {
    /// The number of the transition.
    pub number: i64,
    /// What happened.
    pub event: AlarmEvent,
    /// The alarm as it is now.
    pub alarm: Alarm,
}

/// Selects the alarms of which a reminder may be due: those told before a time
/// (UNIX seconds) or snoozed. Thousands may stand, of which few are.
const MAY_BE_DUE: &str = "WHERE a.cleared_at IS NULL AND a.acknowledged_at IS NULL
    AND (a.told_at <= ?1 OR a.told_at IS NOT NULL AND a.snoozed_until IS NOT NULL)";

impl Archive {
    /// Names deployments that are watched besides those on the list.
    pub(crate) fn watch_also(&mut self, configured: Vec<Deployment>) {
        self.configured = configured;
    }

    pub(super) fn configured_entry(&self, uuid: Uuid) -> Option<Deployment> {
        self.configured.iter().find(|one| one.uuid == uuid).cloned()
    }

    /// The alarms that stand, the latest first; with `all`, those that have ended
    /// as well.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn alarms(&self, all: bool) -> Result<Vec<Alarm>, ArchiveError> {
        let which = if all {
            ""
        } else {
            "WHERE a.cleared_at IS NULL"
        };
        let order = format!("{which} ORDER BY a.raised_at DESC, a.id");
        read(&self.connection, &order, []).map_err(|error| self.error(&error))
    }

    /// Acknowledges an alarm at `now` (UNIX seconds); returns it as it was
    /// before, `None` if there is none with this id.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn acknowledge(
        &mut self,
        id: &str,
        now: f64,
    ) -> Result<Option<Alarm>, ArchiveError> {
        self.said(id, now, "acknowledged", |transaction| {
            transaction.execute(
                "UPDATE alarm SET acknowledged_at = ?2, snoozed_until = NULL
                 WHERE id = ?1 AND cleared_at IS NULL AND acknowledged_at IS NULL",
                params![id, now],
            )
        })
    }

    /// Puts the reminders of an alarm off until a time (UNIX seconds), as said at
    /// `now`; returns it as it was before, `None` if there is none with this id.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn snooze(
        &mut self,
        id: &str,
        until: f64,
        now: f64,
    ) -> Result<Option<Alarm>, ArchiveError> {
        self.said(id, now, "snoozed", |transaction| {
            transaction.execute(
                "UPDATE alarm SET snoozed_until = ?2, acknowledged_at = NULL
                 WHERE id = ?1 AND cleared_at IS NULL",
                params![id, until],
            )
        })
    }

    /// Records what a user says of an alarm; nothing where it has ended.
    fn said(
        &mut self,
        id: &str,
        now: f64,
        event: &str,
        act: impl FnOnce(&Transaction<'_>) -> sql::Result<usize>,
    ) -> Result<Option<Alarm>, ArchiveError> {
        self.writing(|transaction| {
            let alarm = read(transaction, "WHERE a.id = ?1", [id])?.pop();
            if alarm.is_some() && act(transaction)? > 0 {
                happened(transaction, id, (now, now), event, false)?;
            }
            Ok(alarm)
        })
    }

    /// Claims what is to be told at `now` (UNIX seconds), reminders among it: no
    /// other program is given the same while this one runs and the claim is not
    /// old. [`Archive::told`] ends the claim.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn claim(&mut self, now: f64) -> Result<Vec<ToTell>, ArchiveError> {
        self.writing(|transaction| {
            for alarm in read(transaction, MAY_BE_DUE, [now - FIRST_REMINDER_S])? {
                if alarm.is_reminder_due(now) {
                    let event = AlarmEvent::Reminder.name();
                    happened(transaction, &alarm.id, (now, now), event, true)?;
                    transaction.execute(
                        "UPDATE alarm SET told_at = ?2, reminders = reminders + 1 WHERE id = ?1",
                        params![alarm.id, now],
                    )?;
                }
            }
            let mut claimed = Vec::new();
            for (number, id, event) in free_events(transaction, now)? {
                let alarm = read(transaction, "WHERE a.id = ?1", [&id])?.pop();
                let (Some(alarm), Ok(event)) = (alarm, event.parse()) else {
                    continue;
                };
                transaction.execute(
                    "UPDATE alarm_event SET process = ?2, run = ?3, claimed_at = ?4 WHERE id = ?1",
                    params![
                        number,
                        std::process::id(),
                        process::run_of(std::process::id()),
                        now
                    ],
                )?;
                claimed.push(ToTell {
                    number,
                    event,
                    alarm,
                });
            }
            Ok(claimed)
        })
    }

    /// Whether anything is to be told at `now` (UNIX seconds), without a claim.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn has_to_tell(&self, now: f64) -> Result<bool, ArchiveError> {
        let look = || -> sql::Result<bool> {
            let due = |alarm: &Alarm| alarm.is_reminder_due(now);
            let standing = read(&self.connection, MAY_BE_DUE, [now - FIRST_REMINDER_S])?;
            Ok(standing.iter().any(due) || !free_events(&self.connection, now)?.is_empty())
        };
        look().map_err(|error| self.error(&error))
    }

    /// Records that transitions were told at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn told(&mut self, numbers: &[i64], now: f64) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            for number in numbers {
                transaction
                    .execute("UPDATE alarm_event SET to_tell = 0 WHERE id = ?1", [number])?;
                transaction.execute(
                    "UPDATE alarm SET told_at = ?2 WHERE told_at IS NULL
                     AND id = (SELECT alarm FROM alarm_event WHERE id = ?1)",
                    params![number, now],
                )?;
            }
            Ok(())
        })
    }

    /// Renews the claim on transitions at `now` (UNIX seconds); returns those that
    /// this process still holds: none that another told meanwhile.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn renew(&mut self, numbers: &[i64], now: f64) -> Result<Vec<i64>, ArchiveError> {
        let run = process::run_of(std::process::id());
        self.writing(|transaction| {
            let mut held = Vec::new();
            for number in numbers {
                let renewed = transaction.execute(
                    "UPDATE alarm_event SET claimed_at = ?2
                     WHERE id = ?1 AND to_tell = 1 AND process = ?3
                     AND run IS NOT DISTINCT FROM ?4",
                    params![number, now, std::process::id(), run],
                )?;
                held.extend((renewed > 0).then_some(*number));
            }
            Ok(held)
        })
    }

    /// What is wrong with the alarms.
    pub(super) fn damaged_alarms(&self) -> Result<Vec<String>, ArchiveError> {
        let look = || -> sql::Result<Vec<String>> {
            let mut statement = self.connection.prepare("SELECT id, kind FROM alarm")?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let id = text(row, 0)?.unwrap_or_default();
                let kind = text(row, 1)?.unwrap_or_default();
                if kind.parse::<Kind>().is_err() {
                    found.push(format!(
                        "the kind of alarm {} has a wrong checksum",
                        crate::text::excerpt(&id, 20)
                    ));
                }
            }
            Ok(found)
        };
        look().map_err(|error| self.error(&error))
    }
}

/// The transitions that are to be told and that no other program is telling:
/// number, id of the alarm, event.
fn free_events(connection: &Connection, now: f64) -> sql::Result<Vec<(i64, String, String)>> {
    let mut statement = connection.prepare(
        "SELECT id, alarm, event, process, run, claimed_at, due FROM alarm_event
         WHERE to_tell = 1 ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    let mut free = Vec::new();
    while let Some(row) = rows.next()? {
        let claimed = number(row, 5)?;
        let owner: Option<i64> = row.get(3)?;
        // Another program may have claimed while this one waited for its turn. A
        // claim of a far future is one of a clock that was set back.
        let holds = claimed.is_some_and(|at| (now - at).abs() < CLAIM_S)
            && owner.is_some_and(|owner| {
                let run = text(row, 4).ok().flatten();
                process::is_alive(owner, run.as_deref(), connection.is_shared())
            });
        // So is a wait that is longer than any.
        let waits = number(row, 6)?.is_some_and(|due| now < due && due - now <= alarm::UNDO_S);
        if !holds && !waits {
            let (alarm, event) = (text(row, 1)?, text(row, 2)?);
            free.push((
                row.get(0)?,
                alarm.unwrap_or_default(),
                event.unwrap_or_default(),
            ));
        }
    }
    Ok(free)
}

/// The alarms that an SQL clause selects and orders; one that cannot be read is
/// left out.
pub(super) fn read(
    connection: &Connection,
    which: &str,
    arguments: impl sql::Params,
) -> sql::Result<Vec<Alarm>> {
    let mut statement = connection.prepare(&format!(
        "SELECT a.id, d.uuid, coalesce(d.label, a.label), a.kind, a.raised_at, a.seen_at,
             a.acknowledged_at, a.snoozed_until, a.cleared_at, a.fix_time, a.value, a.threshold,
             a.text, a.told_at, a.reminders
         FROM alarm a LEFT JOIN deployment d ON d.id = a.deployment {which}"
    ))?;
    let mut rows = statement.query(arguments)?;
    let mut alarms = Vec::new();
    while let Some(row) = rows.next()? {
        alarms.extend(alarm(row)?);
    }
    Ok(alarms)
}

fn alarm(row: &Row) -> sql::Result<Option<Alarm>> {
    let kind = text(row, 3)?.and_then(|name| name.parse().ok());
    let (Some(id), Some(kind), Some(raised_at)) = (text(row, 0)?, kind, number(row, 4)?) else {
        return Ok(None);
    };
    Ok(Some(Alarm {
        id,
        deployment: text(row, 1)?.and_then(|uuid| uuid.parse().ok()),
        label: text(row, 2)?,
        kind,
        raised_at,
        seen_at: number(row, 5)?.unwrap_or(raised_at),
        acknowledged_at: number(row, 6)?,
        snoozed_until: number(row, 7)?,
        cleared_at: number(row, 8)?,
        fix_time: number(row, 9)?,
        value: number(row, 10)?,
        limit: number(row, 11)?,
        text: text(row, 12)?.unwrap_or_default(),
        told_at: number(row, 13)?,
        reminders: u32::try_from(row.get::<i64>(14).unwrap_or(0)).unwrap_or(0),
    }))
}
