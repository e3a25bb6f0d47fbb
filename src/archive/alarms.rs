//! Alarms in the archive: what stands, what a user says of it, and what is to be
//! told, once, by whichever program claims the telling.

#[cfg(test)]
mod tests;
mod together;

use std::collections::HashSet;

use uuid::Uuid;

use super::alarm_rows::{Moment, happened};
use super::connection::{Connection, Transaction};
use super::sql::{self, OptionalExtension, Row, number, params, text};
use super::{Archive, ArchiveError, process};
use crate::alarm::{self, Alarm, AlarmEvent, AlarmState, FIRST_REMINDER_S, Kind};
use crate::track::Deployment;

/// The time after which a claim is free again, seconds: the program that made it runs,
/// but tells no more.
const CLAIM_S: f64 = 120.0;
/// Claims that are this old are renewed, seconds.
pub(crate) const RENEW_S: f64 = CLAIM_S / 4.0;

/// A transition that the caller has claimed, to tell it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToTell {
    /// The number of the transition.
    pub number: i64,
    /// The event of the alarm.
    pub event: AlarmEvent,
    /// The alarm as it is now.
    pub alarm: Alarm,
}

/// Selects the alarms of which a reminder may be due: those told before a time
/// (UNIX seconds), after another, or snoozed. Thousands may stand, of which few are.
const MAY_BE_DUE: &str = "WHERE a.cleared_at IS NULL AND a.acknowledged_at IS NULL
    AND (a.told_at <= ?1 OR a.told_at > ?2
        OR a.told_at IS NOT NULL AND a.snoozed_until IS NOT NULL)";

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

    /// The alarms that stand, and those that have ended since a time (UNIX
    /// seconds), the latest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn recent_alarms(&self, since: f64) -> Result<Vec<Alarm>, ArchiveError> {
        read(
            &self.connection,
            "WHERE a.cleared_at IS NULL OR a.cleared_at >= ?1 ORDER BY a.raised_at DESC, a.id",
            [since],
        )
        .map_err(|error| self.error(&error))
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

    /// Takes back what a user said of an alarm: gives it the acknowledgement and
    /// the snooze of `before` where it has those of `after` still and stands.
    /// Returns whether it was done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn undo_said(
        &mut self,
        before: &Alarm,
        after: &Alarm,
        now: f64,
    ) -> Result<bool, ArchiveError> {
        self.writing(|transaction| {
            let done = transaction.execute(
                "UPDATE alarm SET acknowledged_at = ?2, snoozed_until = ?3
                 WHERE id = ?1 AND cleared_at IS NULL
                 AND acknowledged_at IS NOT DISTINCT FROM ?4
                 AND snoozed_until IS NOT DISTINCT FROM ?5",
                params![
                    before.id,
                    before.acknowledged_at,
                    before.snoozed_until,
                    after.acknowledged_at,
                    after.snoozed_until
                ],
            )? > 0;
            if done {
                happened(
                    transaction,
                    &before.id,
                    Moment::now(now),
                    "taken back",
                    false,
                )?;
            }
            Ok(done)
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
                happened(transaction, id, Moment::now(now), event, false)?;
            }
            Ok(alarm)
        })
    }

    /// Claims what is to be told at `now` (UNIX seconds), reminders among it: no
    /// other program is given the same while this one runs and the claim is not
    /// old. [`Archive::told`] and [`Archive::not_told`] end the claim. What could not be
    /// told is claimed again when its wait is over; in a round that began at `round`
    /// (UNIX seconds) when that was before the round.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn claim(
        &mut self,
        round: Option<f64>,
        now: f64,
    ) -> Result<Vec<ToTell>, ArchiveError> {
        self.writing(|transaction| {
            for alarm in read(transaction, MAY_BE_DUE, [now - FIRST_REMINDER_S, now])? {
                if alarm.is_reminder_due(now) {
                    let event = AlarmEvent::Reminder.name();
                    happened(transaction, &alarm.id, Moment::now(now), event, true)?;
                    transaction.execute(
                        "UPDATE alarm SET told_at = ?2, reminders = reminders + 1 WHERE id = ?1",
                        params![alarm.id, now],
                    )?;
                }
            }
            let mut claimed = Vec::new();
            for (number, id, event, is_given_up) in free_events(transaction, round, now)? {
                let alarm = read(transaction, "WHERE a.id = ?1", [&id])?.pop();
                let (Some(alarm), Ok(event)) = (alarm, event.parse()) else {
                    continue;
                };
                // Somebody has said something of it since, or it has ended.
                let is_over =
                    event == AlarmEvent::Reminder && alarm.state(now) != AlarmState::Raised;
                if is_given_up && !must_be_told(&alarm) || is_over {
                    no_longer_to_tell(transaction, number, now)?;
                    continue;
                }
                let (process, run) = (std::process::id(), process::run_of(std::process::id()));
                transaction.execute(
                    &format!(
                        "UPDATE alarm_event SET process = ?3, run = ?4, claimed_at = {}
                         WHERE id = ?2",
                        transaction.claim_time()
                    ),
                    params![now, number, process, run],
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

    /// `true` if [`Archive::claim`] would have anything to do, without a claim.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn has_to_tell(&self, round: Option<f64>, now: f64) -> Result<bool, ArchiveError> {
        let look = || -> sql::Result<bool> {
            let due = |alarm: &Alarm| alarm.is_reminder_due(now);
            let standing = read(&self.connection, MAY_BE_DUE, [now - FIRST_REMINDER_S, now])?;
            Ok(standing.iter().any(due) || !free_events(&self.connection, round, now)?.is_empty())
        };
        look().map_err(|error| self.error(&error))
    }

    /// Records that transitions were told at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn told(&mut self, numbers: &[i64], now: f64) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            let mut numbers = numbers.iter();
            numbers.try_for_each(|number| no_longer_to_tell(transaction, *number, now))
        })
    }

    /// Records that transitions could not be told at `now` (UNIX seconds), and ends the
    /// claim on them and on what happened to their alarms after them: that is told in
    /// order. Returns in how many seconds the first of them is told again; `None` where
    /// all are given up, as they would be a day old then and nothing stands any more.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn not_told(
        &mut self,
        numbers: &[i64],
        now: f64,
    ) -> Result<Option<f64>, ArchiveError> {
        self.writing(|transaction| {
            let mut soonest: Option<f64> = None;
            for number in numbers {
                let known: Option<(i64, f64)> = transaction
                    .query_row(
                        "UPDATE alarm_event SET failures = failures + 1 WHERE id = ?1
                         RETURNING failures, seen_at",
                        [number],
                        |row| Ok((row.get(0)?, row.get(1)?)),
                    )
                    .optional()?;
                let Some((failures, seen_at)) = known else {
                    continue;
                };
                let wait = alarm::retry_wait(u32::try_from(failures).unwrap_or(u32::MAX));
                let of_event = "WHERE a.id = (SELECT alarm FROM alarm_event WHERE id = ?1)";
                let about = read(transaction, of_event, [number])?.pop();
                let is_given_up = alarm::is_given_up(seen_at, now + wait);
                if is_given_up && !about.as_ref().is_some_and(must_be_told) {
                    no_longer_to_tell(transaction, *number, now)?;
                } else {
                    soonest = Some(soonest.map_or(wait, |known| known.min(wait)));
                    transaction.execute(
                        "UPDATE alarm_event SET due = ?2 WHERE id = ?1",
                        params![number, now + wait],
                    )?;
                }
                transaction.execute(
                    "UPDATE alarm_event SET process = NULL, run = NULL, claimed_at = NULL
                     WHERE to_tell = 1 AND id >= ?1
                     AND alarm = (SELECT alarm FROM alarm_event WHERE id = ?1)",
                    [number],
                )?;
            }
            Ok(soonest)
        })
    }

    /// Renews the claims of this process at `now` (UNIX seconds); returns the
    /// transitions that it still holds: none that another told meanwhile.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn renew(&mut self, now: f64) -> Result<HashSet<i64>, ArchiveError> {
        let (process, run) = (std::process::id(), process::run_of(std::process::id()));
        self.writing(|transaction| {
            // One statement for all: no other program writes meanwhile.
            let mut statement = transaction.prepare(&format!(
                "UPDATE alarm_event SET claimed_at = {}
                 WHERE to_tell = 1 AND process = ?2 AND run IS NOT DISTINCT FROM ?3
                 RETURNING id",
                transaction.claim_time()
            ))?;
            statement
                .query_map(params![now, process, run], |row| row.get(0))?
                .collect()
        })
    }

    /// Descriptions of the damaged alarms.
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
                        "the kind of alarm {} cannot be read",
                        crate::text::excerpt(&id, 20)
                    ));
                }
            }
            Ok(found)
        };
        look().map_err(|error| self.error(&error))
    }
}

/// Records that a transition is not to be told any more at `now` (UNIX seconds): its
/// alarm was told, or given up. Reminders of it follow.
fn no_longer_to_tell(transaction: &Transaction<'_>, event: i64, now: f64) -> sql::Result<()> {
    transaction.execute("UPDATE alarm_event SET to_tell = 0 WHERE id = ?1", [event])?;
    transaction.execute(
        "UPDATE alarm SET told_at = ?2 WHERE told_at IS NULL
         AND id = (SELECT alarm FROM alarm_event WHERE id = ?1)",
        params![event, now],
    )?;
    Ok(())
}

/// The transitions that are to be told at `now` (UNIX seconds) and that no other program
/// is telling: number, id of the alarm, event, and whether it is given up. What happened
/// to an alarm is told in order: nothing after what is not free.
fn free_events(
    connection: &Connection,
    round: Option<f64>,
    now: f64,
) -> sql::Result<Vec<(i64, String, String, bool)>> {
    let mut statement = connection.prepare(&format!(
        "SELECT id, alarm, event, process, run, {} - claimed_at, due, failures, seen_at
         FROM alarm_event WHERE to_tell = 1 ORDER BY id",
        connection.claim_time()
    ))?;
    let mut rows = statement.query([now])?;
    let (mut free, mut waiting) = (Vec::new(), HashSet::new());
    while let Some(row) = rows.next()? {
        let alarm = text(row, 1)?.unwrap_or_default();
        let claimed_for = number(row, 5)?;
        let owner: Option<i64> = row.get(3)?;
        // Another program may have claimed while this one waited for its turn. A
        // claim of a far future is one of a clock that was set back.
        let holds = claimed_for.is_some_and(|age| age.abs() < CLAIM_S)
            && owner.is_some_and(|owner| {
                let run = text(row, 4).ok().flatten();
                process::is_alive(owner, run.as_deref(), connection.is_shared())
            });
        let failures = u32::try_from(row.get::<i64>(7)?).unwrap_or(0);
        // By the clock of this program, also where others share the archive. One whose
        // clock is ahead tries sooner, or tells of a removal that can still be undone;
        // nothing is told twice.
        let waits = number(row, 6)?.is_some_and(|due| match round.filter(|_| failures > 0) {
            // It failed in this round.
            Some(round) => {
                let failed_at = due - alarm::retry_wait(failures);
                failed_at > round && failed_at < now + 1.0
            }
            // A wait that is longer than any is one of a clock that was set back.
            None => now < due && due - now <= alarm::LONGEST_RETRY_S,
        });
        if holds || waits || waiting.contains(&alarm) {
            waiting.insert(alarm);
            continue;
        }
        let seen_at = number(row, 8)?.unwrap_or(now);
        let is_given_up = failures > 0 && alarm::is_given_up(seen_at, now);
        let event = text(row, 2)?.unwrap_or_default();
        free.push((row.get(0)?, alarm, event, is_given_up));
    }
    Ok(free)
}

/// `true` if an alarm stands that nobody knows of: that is never given up.
fn must_be_told(alarm: &Alarm) -> bool {
    alarm.cleared_at.is_none() && alarm.acknowledged_at.is_none()
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
             a.text, a.told_at, a.reminders, a.field
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
        field: text(row, 15)?.unwrap_or_default(),
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
