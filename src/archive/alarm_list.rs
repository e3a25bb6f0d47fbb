//! The alarms that a dashboard shows, and what it does to them besides saying
//! something of one: taking back what was said.

use super::alarm_rows::happened;
use super::alarms::read;
use super::sql::params;
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
