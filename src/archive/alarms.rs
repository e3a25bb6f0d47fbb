//! Alarms in the archive, and the replies of users to them.

#[cfg(test)]
mod tests;

use uuid::Uuid;

use super::alarm_rows::{Moment, Notify, happened};
use super::connection::Connection;
use super::sql::{self, Result, Row, params};
use super::{Archive, origins};
use crate::alarm::{Alarm, AlarmReply};
use crate::watch::Deployment;

impl Archive {
    /// Sets deployments that are watched in addition to those on the list.
    pub(crate) fn watch_also(&mut self, configured: Vec<Deployment>) {
        self.configured = configured;
    }

    pub(super) fn configured_entry(&self, uuid: Uuid) -> Option<Deployment> {
        let mut configured = self.configured.iter();
        configured.find(|entry| entry.id.uuid == uuid).cloned()
    }

    /// All alarms, the latest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn alarms(&self) -> Result<Vec<Alarm>> {
        self.recent_alarms(f64::MIN)
    }

    /// The active alarms, the latest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn active_alarms(&self) -> Result<Vec<Alarm>> {
        self.recent_alarms(f64::MAX)
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
pub(super) fn read(
    connection: &Connection,
    which: &str,
    values: impl sql::Params,
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
