//! The alarms that a dashboard shows, and what it does to them besides saying
//! something of one: judging anew, and taking back what was said.

use uuid::Uuid;

use super::alarm_rows::happened;
use super::alarms::read;
use super::corrected::Corrected;
use super::judge::judge;
use super::sql::{OptionalExtension, params};
use super::{Archive, ArchiveError};
use crate::alarm::Alarm;

impl Archive {
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

    /// Holds the stored fixes of a watched deployment to its rules at `now` (UNIX
    /// seconds), as after a change of its limits; nothing where none are stored.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn judge_again(&mut self, uuid: Uuid, now: f64) -> Result<(), ArchiveError> {
        let configured = self.configured_entry(uuid);
        self.writing(|transaction| {
            let id: Option<i64> = transaction
                .query_row(
                    "SELECT d.id FROM deployment d WHERE d.uuid = ?1
                     AND EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = d.id)",
                    [uuid.to_string()],
                    |row| row.get(0),
                )
                .optional()?;
            match id {
                Some(id) => judge(
                    transaction,
                    (id, uuid),
                    configured,
                    Corrected::default(),
                    now,
                ),
                None => Ok(()),
            }
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
                happened(transaction, &before.id, (now, now), "taken back", false)?;
            }
            Ok(done)
        })
    }
}
