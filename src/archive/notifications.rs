//! Notifications of alarms: each is sent once, by whichever program claims it.

use std::collections::HashSet;

use super::Archive;
use super::alarm_rows::{happened, read};
use super::connection::{Connection, Transaction};
use super::sql::{Result, params};
use crate::alarm::{self, Alarm, AlarmEvent, AlarmState, FIRST_REMINDER_S};
use crate::track::ServiceClock;
/// How long a claim lasts, seconds.
// Nothing renews it: the program that is notified runs for 10 s at most, so that a claim that has
// ended is that of a driftline that died, or that could not write for long.
const CLAIM_S: f64 = 30.0;

/// A transition of an alarm, to be notified.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Transition {
    pub number: i64,
    pub event: AlarmEvent,
    /// The alarm as it is now.
    pub alarm: Alarm,
}

/// The notifications that are due.
#[derive(Debug, Default)]
pub(crate) struct ToNotify {
    /// The transitions that no program has claimed, in their order.
    pub transitions: Vec<Transition>,
    /// `true` if reminders are due, or some transitions are not notified any more:
    /// [`Archive::settle_notifications`] records it.
    pub is_unsettled: bool,
}

/// Selects the alarms of which a reminder may be due: those notified before a time
/// (UNIX seconds), after another, or snoozed. Of thousands of active alarms these are few.
const MAY_BE_DUE: &str = "WHERE a.cleared_at IS NULL AND a.acknowledged_at IS NULL
    AND (a.notified_at <= ?1 OR a.notified_at > ?2
        OR a.notified_at IS NOT NULL AND a.snoozed_until IS NOT NULL)";

impl Archive {
    /// The notifications due at `now` (UNIX seconds). A failed notification is among it after
    /// its wait; in a round that began at `round` (UNIX seconds), if it failed before the round.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn to_notify(&self, round: Option<f64>, now: f64) -> Result<ToNotify> {
        let connection = &self.connection;
        let pending = Pending::read(connection, "", round, now)?;
        let has_reminders = !reminders_due(connection, now)?.is_empty();
        Ok(ToNotify {
            transitions: pending.transitions,
            is_unsettled: has_reminders || !pending.over.is_empty(),
        })
    }

    /// Adds the reminders that are due at `now` (UNIX seconds), and ends the notifications that
    /// are over or given up.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn settle_notifications(&mut self, round: Option<f64>, now: f64) -> Result<()> {
        self.writing(|transaction| {
            for alarm in reminders_due(transaction, now)? {
                if alarm.is_notified_ahead(now) {
                    let brought = "UPDATE alarm SET notified_at = ?2 WHERE id = ?1";
                    transaction.execute(brought, params![alarm.id, now])?;
                    continue;
                }
                happened(transaction, &alarm.id, AlarmEvent::Reminder, now)?;
                transaction.execute(
                    "UPDATE alarm SET notified_at = ?2, reminders = reminders + 1 WHERE id = ?1",
                    params![alarm.id, now],
                )?;
            }
            let pending = Pending::read(transaction, "", round, now)?;
            end_notifications(transaction, &pending.over, now)
        })
    }

    /// Claims transitions at `now` (UNIX seconds), all of them or none: `false` if one is not
    /// [to be notified](Archive::to_notify) any more, or claimed by another program. No other
    /// program gets them until the claim ends, by [`Archive::notified`],
    /// [`Archive::not_notified`] or itself.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn claim(&mut self, numbers: &[i64], round: Option<f64>, now: f64) -> Result<bool> {
        let own = list(numbers);
        self.writing(|transaction| {
            let same_alarms =
                format!("AND alarm IN (SELECT alarm FROM alarm_event WHERE id IN ({own}))");
            let pending = Pending::read(transaction, &same_alarms, round, now)?;
            let transitions = pending.transitions.iter();
            let free: HashSet<i64> = transitions.map(|transition| transition.number).collect();
            if !numbers.iter().all(|number| free.contains(number)) {
                return Ok(false);
            }
            let claim = format!(
                "UPDATE alarm_event SET claimed_until = {} + {CLAIM_S} WHERE id IN ({own})",
                transaction.dialect().claim_time
            );
            transaction.execute(&claim, [now])?;
            Ok(true)
        })
    }

    /// Ends the claim on transitions whose notifications were interrupted: the next program, or
    /// the next start of this one, sends them at once.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn release(&mut self, numbers: &[i64]) -> Result<()> {
        let own = list(numbers);
        let release = format!("UPDATE alarm_event SET claimed_until = NULL WHERE id IN ({own})");
        self.writing(|transaction| transaction.execute(&release, ()).map(drop))
    }

    /// Records that notifications of transitions were sent at `now` (UNIX seconds).
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn notified(&mut self, numbers: &[i64], now: f64) -> Result<()> {
        self.writing(|transaction| end_notifications(transaction, numbers, now))
    }

    /// Records that notifications could not be sent at `now` (UNIX seconds), and ends the
    /// claim on them. Returns in how many seconds the first of them is sent again; `None` if
    /// all are given up, as they would be a day old then and none of the alarms is active.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn not_notified(&mut self, numbers: &[i64], now: f64) -> Result<Option<f64>> {
        self.writing(|transaction| {
            let mut soonest: Option<f64> = None;
            for number in numbers {
                let known: Option<(i64, f64)> = transaction.optional_row(
                    "UPDATE alarm_event SET failures = failures + 1, claimed_until = NULL
                     WHERE id = ?1 RETURNING failures, seen_at",
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
                    end_notifications(transaction, &[*number], now)?;
                } else {
                    soonest = Some(soonest.map_or(wait, |known| known.min(wait)));
                    transaction.execute(
                        "UPDATE alarm_event SET due = ?2 WHERE id = ?1",
                        params![number, now + wait],
                    )?;
                }
            }
            Ok(soonest)
        })
    }

    /// Records at `now` (UNIX seconds), before it is sent, that the alarms of these
    /// transitions are notified in the message with this id.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn notified_together(&mut self, id: &str, numbers: &[i64], now: f64) -> Result<()> {
        // Once, also if it is sent again.
        let together = format!(
            "INSERT INTO alarm_event (alarm, at, seen_at, event, to_notify, message)
             SELECT DISTINCT e.alarm, CAST(?1 AS DOUBLE PRECISION),
                 CAST(?1 AS DOUBLE PRECISION), 'notified', 0, CAST(?2 AS TEXT)
             FROM alarm_event e WHERE e.id IN ({})
             AND NOT EXISTS (SELECT 1 FROM alarm_event k
                 WHERE k.alarm = e.alarm AND k.message = ?2)",
            list(numbers)
        );
        let of_message = params![now, id];
        self.writing(|transaction| transaction.execute(&together, of_message).map(drop))
    }
}

/// Numbers as a list in SQL, which may not be empty on a server.
fn list(numbers: &[i64]) -> String {
    let numbers = numbers.iter().map(i64::to_string);
    numbers
        .chain(["NULL".to_owned()])
        .collect::<Vec<_>>()
        .join(",")
}

/// The alarms of which a reminder is due at `now` (UNIX seconds).
fn reminders_due(connection: &Connection, now: f64) -> Result<Vec<Alarm>> {
    let mut active = read(connection, MAY_BE_DUE, [now - FIRST_REMINDER_S, now])?;
    // A clock that the service says is far ahead makes nothing due.
    let newest = "SELECT ahead, at FROM fetch ORDER BY id DESC LIMIT 1";
    let clock = connection
        .optional_row(newest, (), |row| Ok((row.number(0), row.number(1))))?
        .map(|(ahead_s, at)| ServiceClock::new(ahead_s, at.unwrap_or_default()));
    let earlier = clock.map_or(now, |clock| clock.earlier(now));
    // Of programs that share a server one whose clock is ahead would take back, without end, what
    // the other has brought to its time.
    let is_of_one_computer = connection.dialect().late_fetches == 0;
    let is_ahead = |alarm: &Alarm| is_of_one_computer && alarm.is_notified_ahead(now);
    active.retain(|alarm| is_ahead(alarm) || alarm.is_reminder_due(earlier));
    Ok(active)
}

/// Records that the notifications of transitions were sent or given up at `now` (UNIX
/// seconds). Reminders of their alarms follow.
fn end_notifications(transaction: &Transaction<'_>, numbers: &[i64], now: f64) -> Result<()> {
    let own = list(numbers);
    let end = format!("UPDATE alarm_event SET to_notify = 0 WHERE id IN ({own})");
    transaction.execute(&end, ())?;
    let notified = format!(
        "UPDATE alarm SET notified_at = ?1 WHERE notified_at IS NULL
         AND id IN (SELECT alarm FROM alarm_event WHERE id IN ({own}))"
    );
    transaction.execute(&notified, [now]).map(drop)
}

/// The transitions that no program has claimed and that do not wait.
#[derive(Default)]
struct Pending {
    transitions: Vec<Transition>,
    /// The numbers of those that are over or given up.
    over: Vec<i64>,
}

impl Pending {
    /// The transitions at `now` (UNIX seconds) that the condition `which` selects. The events of
    /// an alarm are notified in order: none after a claimed or waiting event.
    fn read(connection: &Connection, which: &str, round: Option<f64>, now: f64) -> Result<Self> {
        let all = format!(
            "SELECT id, alarm, event, claimed_until - {}, due, failures, seen_at
             FROM alarm_event WHERE to_notify = 1 {which} ORDER BY id",
            connection.dialect().claim_time
        );
        let mut pending = Self::default();
        let mut waiting = HashSet::new();
        connection.each_row(&all, [now], |row| {
            let id = row.text(1).unwrap_or_default();
            // A longer claim is of a clock that was set back. A program that looked at its clock
            // before it waited for the archive sees more than the whole claim.
            let left_s = row.number(3).unwrap_or_default();
            let is_claimed = left_s > 0.0 && left_s < 2.0 * CLAIM_S;
            let failures = u32::try_from(row.get::<i64>(5)?).unwrap_or(0);
            // By the clock of this program, also on a server. If its clock is ahead, it sends
            // sooner, perhaps of a removal that can still be undone, but nothing twice.
            let waits = row
                .number(4)
                .is_some_and(|due| match round.filter(|_| failures > 0) {
                    // It failed in this round.
                    Some(round) => {
                        let failed_at = due - alarm::retry_wait(failures);
                        failed_at > round && failed_at < now + 1.0
                    }
                    // A longer wait than the longest is of a clock that was set back.
                    None => now < due && due - now <= alarm::LONGEST_RETRY_S,
                });
            if is_claimed || waits || waiting.contains(&id) {
                waiting.insert(id);
                return Ok(());
            }
            let alarm = read(connection, "WHERE a.id = ?1", [&id])?.pop();
            let event = row.text(2).unwrap_or_default().parse();
            let (Some(alarm), Ok(event)) = (alarm, event) else {
                return Ok(());
            };
            let number = row.get(0)?;
            let seen_at = row.number(6).unwrap_or(now);
            let is_given_up = failures > 0 && alarm::is_given_up(seen_at, now);
            // A user has replied since, or the alarm has ended.
            let is_over = event == AlarmEvent::Reminder && alarm.state(now) != AlarmState::Raised;
            if is_over || is_given_up && !must_be_notified(&alarm) {
                pending.over.push(number);
            } else {
                pending.transitions.push(Transition {
                    number,
                    event,
                    alarm,
                });
            }
            Ok(())
        })?;
        Ok(pending)
    }
}

/// `true` for an active alarm that no user knows of: its notification is never given up.
fn must_be_notified(alarm: &Alarm) -> bool {
    alarm.cleared_at.is_none() && alarm.acknowledged_at.is_none()
}
