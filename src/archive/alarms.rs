//! Alarms in the archive, the replies of users to them, and their notifications, which are sent
//! once, by whichever program claims them.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use uuid::Uuid;

use super::alarm_rows::{Moment, Notify, happened};
use super::connection::{Connection, Transaction};
use super::known_alarms::cause_of;
use super::sql::{self, Result, Row, params};
use super::{Archive, process};
use crate::alarm::{self, Alarm, AlarmEvent, AlarmReply, AlarmState, FIRST_REMINDER_S};
use crate::track::Deployment;

/// The age from which on a claim is void, seconds: the program that made it runs, but
/// sends nothing more.
const CLAIM_S: f64 = 120.0;
/// Claims of this age are renewed, seconds.
pub(crate) const RENEW_S: f64 = CLAIM_S / 4.0;

/// Most transitions in one statement.
const AT_ONCE: usize = 500;

/// A transition that the caller has claimed, to send its notification.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Transition {
    /// The number of the transition.
    pub number: i64,
    /// The event of the alarm.
    pub event: AlarmEvent,
    /// The alarm as it is now.
    pub alarm: Alarm,
}

/// Selects the alarms of which a reminder may be due: those notified before a time
/// (UNIX seconds), after another, or snoozed. Of thousands of active alarms these are few.
const MAY_BE_DUE: &str = "WHERE a.cleared_at IS NULL AND a.acknowledged_at IS NULL
    AND (a.told_at <= ?1 OR a.told_at > ?2
        OR a.told_at IS NOT NULL AND a.snoozed_until IS NOT NULL)";

impl Archive {
    /// Sets deployments that are watched in addition to those on the list.
    pub(crate) fn watch_also(&mut self, configured: Vec<Deployment>) {
        self.configured = configured;
    }

    pub(super) fn configured_entry(&self, uuid: Uuid) -> Option<Deployment> {
        let mut configured = self.configured.iter();
        configured.find(|entry| entry.uuid == uuid).cloned()
    }

    /// The active alarms, the latest first; with `all`, those that have ended as well.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn alarms(&self, all: bool) -> Result<Vec<Alarm>> {
        let since = if all { f64::MIN } else { f64::MAX };
        self.recent_alarms(since)
    }

    /// The active alarms, and those that have ended since a time (UNIX
    /// seconds), the latest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn recent_alarms(&self, since: f64) -> Result<Vec<Alarm>> {
        read(
            &self.connection,
            "WHERE a.cleared_at IS NULL OR a.cleared_at >= ?1 ORDER BY a.raised_at DESC, a.id",
            [since],
        )
    }

    /// Records the reply of a user to the alarm with this id, or to all that were notified in
    /// the message with it, at `now` (UNIX seconds). Returns the alarms as they were before; none
    /// if there is none with it. Nothing is changed of those that have ended.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn reply(&mut self, id: &str, reply: AlarmReply, now: f64) -> Result<Vec<Alarm>> {
        self.writing(|transaction| {
            let alarms = named(transaction, id)?;
            for alarm in &alarms {
                let (changed, event) = match reply {
                    AlarmReply::Acknowledged => (
                        transaction.execute(
                            "UPDATE alarm SET acknowledged_at = ?2, snoozed_until = NULL
                             WHERE id = ?1 AND cleared_at IS NULL AND acknowledged_at IS NULL",
                            params![alarm.id, now],
                        )?,
                        "acknowledged",
                    ),
                    // An acknowledged alarm is not snoozed with the others of its message.
                    AlarmReply::SnoozedUntil(_)
                        if alarm.id != id && alarm.acknowledged_at.is_some() =>
                    {
                        continue;
                    }
                    AlarmReply::SnoozedUntil(until) => (
                        transaction.execute(
                            "UPDATE alarm SET snoozed_until = ?2, acknowledged_at = NULL
                             WHERE id = ?1 AND cleared_at IS NULL",
                            params![alarm.id, until],
                        )?,
                        "snoozed",
                    ),
                };
                if changed > 0 {
                    happened(transaction, &alarm.id, Moment::now(now), event, Notify::No)?;
                }
            }
            Ok(alarms)
        })
    }

    /// `true` if an alarm, or a message of several, has this id.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn has_alarm(&self, id: &str) -> Result<bool> {
        Ok(!named(&self.connection, id)?.is_empty())
    }

    /// Undoes the reply of a user to an alarm: restores the acknowledgement and
    /// the snooze of `before` if the alarm still has those of `after` and is active.
    /// Returns whether it was done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn undo_reply(&mut self, before: &Alarm, after: &Alarm, now: f64) -> Result<bool> {
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
                let moment = Moment::now(now);
                happened(transaction, &before.id, moment, "taken back", Notify::No)?;
            }
            Ok(done)
        })
    }
}

/// The alarm with this id, or those that were notified in the message with it.
fn named(connection: &Connection, id: &str) -> Result<Vec<Alarm>> {
    read(
        connection,
        "WHERE a.id = ?1 OR a.id IN (SELECT alarm FROM alarm_event WHERE message = ?1)
         ORDER BY a.raised_at, a.id",
        [id],
    )
}

/// The alarms that an SQL clause selects and orders, without those that cannot be read.
fn read(connection: &Connection, which: &str, values: impl sql::Params) -> Result<Vec<Alarm>> {
    let alarms = connection.rows(
        &format!(
            "SELECT a.id, d.uuid, coalesce(d.label, a.label), a.kind, a.raised_at, a.seen_at,
                 a.acknowledged_at, a.snoozed_until, a.cleared_at, a.fix_time, a.value, a.threshold,
                 a.text, a.told_at, a.reminders, a.field, a.cause, a.ended
             FROM alarm a LEFT JOIN deployment d ON d.id = a.deployment {which}"
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
        deployment: row.text(1).and_then(|uuid| uuid.parse().ok()),
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
        cause: cause_of(row.text(16)),
        ended: row.text(17),
        told_at: row.number(13),
        reminders: u32::try_from(row.get::<i64>(14).unwrap_or(0)).unwrap_or(0),
    })
}

impl Archive {
    /// Claims the pending notifications at `now` (UNIX seconds), due reminders among them: no
    /// other program gets the same while this one runs and the claim is not
    /// old. [`Archive::notified`] and [`Archive::not_notified`] end the claim. A failed
    /// notification is claimed again after its wait; in a round that began at `round`
    /// (UNIX seconds), if it failed before the round.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn claim(&mut self, round: Option<f64>, now: f64) -> Result<Vec<Transition>> {
        self.writing(|transaction| {
            for alarm in read(transaction, MAY_BE_DUE, [now - FIRST_REMINDER_S, now])? {
                if alarm.is_reminder_due(now) {
                    let event = AlarmEvent::Reminder.name();
                    let moment = Moment::now(now);
                    happened(transaction, &alarm.id, moment, event, Notify::Yes)?;
                    transaction.execute(
                        "UPDATE alarm SET told_at = ?2, reminders = reminders + 1 WHERE id = ?1",
                        params![alarm.id, now],
                    )?;
                }
            }
            let mut claimed = Vec::new();
            for pending in pending(transaction, round, now)? {
                let alarm = read(transaction, "WHERE a.id = ?1", [&pending.alarm])?.pop();
                let (Some(alarm), Ok(event)) = (alarm, pending.event.parse()) else {
                    continue;
                };
                // A user has replied since, or the alarm has ended.
                let is_over =
                    event == AlarmEvent::Reminder && alarm.state(now) != AlarmState::Raised;
                if pending.is_given_up && !must_be_notified(&alarm) || is_over {
                    end_notification(transaction, pending.number, now)?;
                    continue;
                }
                let (process, run) = (std::process::id(), process::run_of(std::process::id()));
                transaction.execute(
                    &format!(
                        "UPDATE alarm_event SET process = ?3, run = ?4, claimed_at = {}
                         WHERE id = ?2",
                        transaction.claim_time()
                    ),
                    params![now, pending.number, process, run],
                )?;
                claimed.push(Transition {
                    number: pending.number,
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
    pub(crate) fn has_to_notify(&self, round: Option<f64>, now: f64) -> Result<bool> {
        let due = |alarm: &Alarm| alarm.is_reminder_due(now);
        let active = read(&self.connection, MAY_BE_DUE, [now - FIRST_REMINDER_S, now])?;
        Ok(active.iter().any(due) || !pending(&self.connection, round, now)?.is_empty())
    }

    /// Records that notifications of transitions were sent at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn notified(&mut self, numbers: &[i64], now: f64) -> Result<()> {
        self.writing(|transaction| {
            let mut numbers = numbers.iter();
            numbers.try_for_each(|number| end_notification(transaction, *number, now))
        })
    }

    /// Records that notifications could not be sent at `now` (UNIX seconds), and ends the
    /// claim on them and on the later events of their alarms, which are notified in
    /// order. Returns in how many seconds the first of them is sent again; `None` if
    /// all are given up, as they would be a day old then and none of the alarms is active.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn not_notified(&mut self, numbers: &[i64], now: f64) -> Result<Option<f64>> {
        self.writing(|transaction| {
            let mut soonest: Option<f64> = None;
            for number in numbers {
                let known: Option<(i64, f64)> = transaction.optional_row(
                    "UPDATE alarm_event SET failures = failures + 1 WHERE id = ?1
                     RETURNING failures, seen_at",
                    [number],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )?;
                let Some((failures, seen_at)) = known else {
                    continue;
                };
                let wait = alarm::retry_wait(u32::try_from(failures).unwrap_or(u32::MAX));
                let of_event = "WHERE a.id = (SELECT alarm FROM alarm_event WHERE id = ?1)";
                let about = read(transaction, of_event, [number])?.pop();
                let is_given_up = alarm::is_given_up(seen_at, now + wait);
                if is_given_up && !about.as_ref().is_some_and(must_be_notified) {
                    end_notification(transaction, *number, now)?;
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
    /// transitions that it still has claimed, without those that another program has
    /// notified meanwhile.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn renew(&mut self, now: f64) -> Result<HashSet<i64>> {
        let (process, run) = (std::process::id(), process::run_of(std::process::id()));
        self.writing(|transaction| {
            // One statement for all: no other program writes meanwhile.
            let renew = format!(
                "UPDATE alarm_event SET claimed_at = {}
                 WHERE to_tell = 1 AND process = ?2 AND run IS NOT DISTINCT FROM ?3
                 RETURNING id",
                transaction.claim_time()
            );
            let claimed = transaction.rows(&renew, params![now, process, run], |row| row.get(0))?;
            Ok(claimed.into_iter().collect())
        })
    }

    /// Records at `now` (UNIX seconds), before it is sent, that the alarms of these
    /// transitions are notified in the message with this id.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn notified_together(&mut self, id: &str, numbers: &[i64], now: f64) -> Result<()> {
        self.writing(|transaction| {
            for chunk in numbers.chunks(AT_ONCE) {
                let chunk: Vec<String> = chunk.iter().map(i64::to_string).collect();
                // Once, also if it is sent again.
                transaction.execute(
                    &format!(
                        "INSERT INTO alarm_event (alarm, at, seen_at, event, to_tell, message)
                         SELECT DISTINCT e.alarm, CAST(?1 AS DOUBLE PRECISION),
                             CAST(?1 AS DOUBLE PRECISION), 'notified', 0, CAST(?2 AS TEXT)
                         FROM alarm_event e WHERE e.id IN ({})
                         AND NOT EXISTS (SELECT 1 FROM alarm_event k
                             WHERE k.alarm = e.alarm AND k.message = ?2)",
                        chunk.join(",")
                    ),
                    params![now, id],
                )?;
            }
            Ok(())
        })
    }
}

/// Records that the notification of a transition was sent or given up at `now` (UNIX
/// seconds). Reminders of its alarm follow.
fn end_notification(transaction: &Transaction<'_>, event: i64, now: f64) -> Result<()> {
    transaction.execute("UPDATE alarm_event SET to_tell = 0 WHERE id = ?1", [event])?;
    transaction.execute(
        "UPDATE alarm SET told_at = ?2 WHERE told_at IS NULL
         AND id = (SELECT alarm FROM alarm_event WHERE id = ?1)",
        params![event, now],
    )?;
    Ok(())
}

/// A transition whose notification may be sent.
struct Pending {
    number: i64,
    alarm: String,
    event: String,
    is_given_up: bool,
}

/// The transitions that are to be notified at `now` (UNIX seconds) and that no other program
/// has claimed. The events of an alarm are notified in order: none after a claimed or waiting
/// event.
fn pending(connection: &Connection, round: Option<f64>, now: f64) -> Result<Vec<Pending>> {
    let all = format!(
        "SELECT id, alarm, event, process, run, {} - claimed_at, due, failures, seen_at
         FROM alarm_event WHERE to_tell = 1 ORDER BY id",
        connection.claim_time()
    );
    let mut pending = Vec::new();
    let mut waiting = HashSet::new();
    connection.each_row(&all, [now], |row| {
        let alarm = row.text(1).unwrap_or_default();
        let owner: Option<i64> = row.get(3)?;
        // Another program may have claimed it since `now`. A claim of a far future is of a
        // clock that was set back.
        let is_claimed = row.number(5).is_some_and(|age| age.abs() < CLAIM_S)
            && owner.is_some_and(|owner| {
                process::is_alive(owner, row.text(4).as_deref(), connection.is_shared())
            });
        let failures = u32::try_from(row.get::<i64>(7)?).unwrap_or(0);
        // By the clock of this program, also on a server. If its clock is ahead, it sends
        // sooner, perhaps of a removal that can still be undone, but nothing twice.
        let waits = row
            .number(6)
            .is_some_and(|due| match round.filter(|_| failures > 0) {
                // It failed in this round.
                Some(round) => {
                    let failed_at = due - alarm::retry_wait(failures);
                    failed_at > round && failed_at < now + 1.0
                }
                // A longer wait than the longest is of a clock that was set back.
                None => now < due && due - now <= alarm::LONGEST_RETRY_S,
            });
        if is_claimed || waits || waiting.contains(&alarm) {
            waiting.insert(alarm);
            return Ok(());
        }
        let seen_at = row.number(8).unwrap_or(now);
        pending.push(Pending {
            number: row.get(0)?,
            alarm,
            event: row.text(2).unwrap_or_default(),
            is_given_up: failures > 0 && alarm::is_given_up(seen_at, now),
        });
        Ok(())
    })?;
    Ok(pending)
}

/// `true` for an active alarm that no user knows of: its notification is never given up.
fn must_be_notified(alarm: &Alarm) -> bool {
    alarm.cleared_at.is_none() && alarm.acknowledged_at.is_none()
}
