//! Alarms in the archive, and the replies of users to them.

#[cfg(test)]
mod tests;

use uuid::Uuid;

use super::Archive;
use super::alarm_rows::read;
use super::connection::Connection;
use super::sql::{Result, params};
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
                match reply {
                    AlarmReply::Acknowledged => transaction.execute(
                        "UPDATE alarm SET acknowledged_at = ?2, snoozed_until = NULL
                         WHERE id = ?1 AND cleared_at IS NULL AND acknowledged_at IS NULL",
                        params![alarm.id, now],
                    )?,
                    // An acknowledged alarm is not snoozed with the others of its message.
                    AlarmReply::SnoozedUntil(_)
                        if alarm.id != id && alarm.acknowledged_at.is_some() =>
                    {
                        continue;
                    }
                    AlarmReply::SnoozedUntil(until) => transaction.execute(
                        "UPDATE alarm SET snoozed_until = ?2, acknowledged_at = NULL
                         WHERE id = ?1 AND cleared_at IS NULL",
                        params![alarm.id, until],
                    )?,
                };
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
    pub(crate) fn undo_reply(&mut self, before: &Alarm, after: &Alarm) -> Result<bool> {
        self.writing(|transaction| {
            let undone = transaction.execute(
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
            )?;
            Ok(undone > 0)
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
