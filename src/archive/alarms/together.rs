//! Alarms that were told in one message: its id is that of the first of them, and what a
//! user says of that id is said of all.

use super::super::alarm_rows::{Moment, happened};
use super::super::sql::{self, params};
use super::super::{Archive, ArchiveError};
use super::{Transaction, read};
use crate::alarm::Alarm;

/// So many transitions are named in one statement.
const AT_ONCE: usize = 500;

/// The recorded event of an alarm that was told in the message with this id.
fn told_with(id: &str) -> String {
    format!("told with {id}")
}

/// The alarms that were told in the message with this id: the one whose id it is, then
/// the others. Empty where there is none.
fn of_message(transaction: &Transaction<'_>, id: &str) -> sql::Result<Vec<Alarm>> {
    let mut alarms = read(transaction, "WHERE a.id = ?1", [id])?;
    let is_of_many: bool = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM alarm_event WHERE alarm = ?1 AND event = ?2)",
        params![id, told_with(id)],
        |row| row.get(0),
    )?;
    if is_of_many {
        alarms.extend(read(
            transaction,
            "WHERE a.id <> ?1 AND a.id IN (SELECT alarm FROM alarm_event WHERE event = ?2)
             ORDER BY a.raised_at, a.id",
            params![id, told_with(id)],
        )?);
    }
    Ok(alarms)
}

/// `true` if the first of some alarms has ended.
fn has_ended(alarms: &[Alarm]) -> bool {
    let named = alarms.first();
    named.is_some_and(|alarm| alarm.cleared_at.is_some())
}

impl Archive {
    /// Records at `now` (UNIX seconds), before it is told, that the alarms of these
    /// transitions are told in the message with this id.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn told_together(
        &mut self,
        id: &str,
        numbers: &[i64],
        now: f64,
    ) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            for some in numbers.chunks(AT_ONCE) {
                let some: Vec<String> = some.iter().map(i64::to_string).collect();
                // Once, also where it is told again.
                transaction.execute(
                    &format!(
                        "INSERT INTO alarm_event (alarm, at, seen_at, event, to_tell)
                         SELECT DISTINCT e.alarm, CAST(?1 AS DOUBLE PRECISION),
                             CAST(?1 AS DOUBLE PRECISION), CAST(?2 AS TEXT), 0
                         FROM alarm_event e WHERE e.id IN ({})
                         AND NOT EXISTS (SELECT 1 FROM alarm_event k
                             WHERE k.alarm = e.alarm AND k.event = ?2)",
                        some.join(",")
                    ),
                    params![now, told_with(id)],
                )?;
            }
            Ok(())
        })
    }

    /// Acknowledges at `now` (UNIX seconds) all alarms that were told in the message with
    /// this id, or the one alarm with it; returns them as they were before, the one with
    /// this id first. Empty where there is none; nothing is changed where the one with
    /// this id has ended.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn acknowledge_message(
        &mut self,
        id: &str,
        now: f64,
    ) -> Result<Vec<Alarm>, ArchiveError> {
        self.writing(|transaction| {
            let alarms = of_message(transaction, id)?;
            if has_ended(&alarms) {
                return Ok(alarms);
            }
            let mut statement = transaction.prepare(
                "UPDATE alarm SET acknowledged_at = ?2, snoozed_until = NULL
                 WHERE id = ?1 AND cleared_at IS NULL AND acknowledged_at IS NULL",
            )?;
            for alarm in &alarms {
                if statement.execute(params![alarm.id, now])? > 0 {
                    happened(
                        transaction,
                        &alarm.id,
                        Moment::now(now),
                        "acknowledged",
                        false,
                    )?;
                }
            }
            Ok(alarms)
        })
    }

    /// Puts the reminders of all alarms that were told in the message with this id off
    /// until a time (UNIX seconds), or those of the one alarm with it, as said at `now`;
    /// returns them as [`Archive::acknowledge_message`] does.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn snooze_message(
        &mut self,
        id: &str,
        until: f64,
        now: f64,
    ) -> Result<Vec<Alarm>, ArchiveError> {
        self.writing(|transaction| {
            let alarms = of_message(transaction, id)?;
            if has_ended(&alarms) {
                return Ok(alarms);
            }
            let mut statement = transaction.prepare(
                "UPDATE alarm SET snoozed_until = ?2, acknowledged_at = NULL
                 WHERE id = ?1 AND cleared_at IS NULL",
            )?;
            for alarm in &alarms {
                // What somebody knows of is not put off with the others.
                let is_known = alarm.id != id && alarm.acknowledged_at.is_some();
                if !is_known && statement.execute(params![alarm.id, until])? > 0 {
                    happened(transaction, &alarm.id, Moment::now(now), "snoozed", false)?;
                }
            }
            Ok(alarms)
        })
    }
}
