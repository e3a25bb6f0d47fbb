//! Alarms of a deployment whose removal from the watch list can be undone.

use uuid::Uuid;

use super::alarm_rows::{end, happened, kinds, number_of};
use super::connection::Transaction;
use super::sql::{self, OptionalExtension, number, params};
use crate::alarm::{AlarmEvent, UNDO_S};

/// What happened to an alarm whose deployment was removed: an undo gives it back.
const REMOVED: &str = "removed";

/// Ends the alarms of a deployment that is removed at `now` (UNIX seconds). That is told
/// when there was time for an undo. How far its fixes were judged is remembered.
pub(super) fn end_for_now(transaction: &Transaction<'_>, uuid: Uuid, now: f64) -> sql::Result<()> {
    let Some(id) = number_of(transaction, uuid)? else {
        return Ok(());
    };
    forget_removal(transaction, id)?;
    let standing = kinds(
        transaction,
        "SELECT kind, field FROM alarm WHERE deployment = ?1 AND cleared_at IS NULL",
        id,
    )?;
    for (kind, field) in standing {
        for alarm in end(transaction, id, (&kind, &field), (now, now), true)? {
            transaction.execute(
                "UPDATE alarm_event SET due = ?3 WHERE alarm = ?1 AND event = ?2 AND to_tell = 1",
                params![alarm, AlarmEvent::Cleared.name(), now + UNDO_S],
            )?;
            happened(transaction, &alarm, (now, now), REMOVED, false)?;
        }
    }
    Ok(())
}

/// Gives a deployment the alarms back that its last removal ended, at `now` (UNIX
/// seconds). An end that was told by then is followed by another start with the same
/// id; else nothing is told.
pub(super) fn restore(transaction: &Transaction<'_>, uuid: Uuid, now: f64) -> sql::Result<()> {
    let Some(id) = number_of(transaction, uuid)? else {
        return Ok(());
    };
    let mut statement = transaction.prepare(
        "UPDATE alarm SET cleared_at = NULL
         WHERE deployment = ?1 AND cleared_at IS NOT NULL AND EXISTS (
             SELECT 1 FROM alarm_event e WHERE e.alarm = alarm.id AND e.event = ?2)
         RETURNING id",
    )?;
    let restored: Vec<String> = statement
        .query_map(params![id, REMOVED], |row| row.get(0))?
        .collect::<sql::Result<_>>()?;
    for alarm in restored {
        // The last one alone: those of earlier removals were told, and another start
        // after each.
        let end: Option<(i64, Option<f64>)> = transaction
            .query_row(
                "SELECT id, claimed_at FROM alarm_event WHERE alarm = ?1 AND event = ?2
                 ORDER BY id DESC LIMIT 1",
                params![alarm, AlarmEvent::Cleared.name()],
                |row| Ok((row.get(0)?, number(row, 1)?)),
            )
            .optional()?;
        // A program has told it, or is telling it.
        let was_told = matches!(end, Some((_, Some(_))));
        if let Some((event, None)) = end {
            transaction.execute("DELETE FROM alarm_event WHERE id = ?1", [event])?;
        }
        if was_told {
            let event = AlarmEvent::Raised.name();
            happened(transaction, &alarm, (now, now), event, true)?;
        }
    }
    forget_removal(transaction, id)
}

/// Forgets that alarms of a deployment were ended by a removal.
fn forget_removal(transaction: &Transaction<'_>, id: i64) -> sql::Result<()> {
    transaction.execute(
        "DELETE FROM alarm_event WHERE event = ?2
         AND alarm IN (SELECT id FROM alarm WHERE deployment = ?1)",
        params![id, REMOVED],
    )?;
    Ok(())
}

/// Forgets what was remembered for an undo of a removal, of a deployment that is put on
/// the list anew: by the rules of the alarms that ended, its fixes are judged from the
/// first.
pub(super) fn begin_anew(transaction: &Transaction<'_>, id: i64) -> sql::Result<()> {
    transaction.execute(
        "DELETE FROM alarm_progress WHERE deployment = ?1 AND EXISTS (
             SELECT 1 FROM alarm a JOIN alarm_event e ON e.alarm = a.id
             WHERE a.deployment = ?1 AND a.kind = alarm_progress.kind
             AND a.field = alarm_progress.field AND e.event = ?2)",
        params![id, REMOVED],
    )?;
    forget_removal(transaction, id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alarm::{Alarm, AlarmState};
    use crate::archive::Archive;
    use crate::archive::tests::answer;
    use crate::geo::Inside;
    use crate::testing::track::records;
    use crate::track::{Deployment, Limits, Platform};

    const UUID: Uuid = Uuid::from_u128(7);
    const START: f64 = 1.8e9;
    const HOUR: f64 = 3600.0;

    fn moored() -> Deployment {
        Deployment {
            platform: Platform::Mooring,
            limits: Limits {
                inside: Inside::from_stored("60,5,200"),
                ..Limits::default()
            },
            ..Deployment::new(UUID)
        }
    }

    /// Stores hourly fixes, this many metres north of the centre of the circle.
    fn received(archive: &mut Archive, metres: &[f64]) {
        let fixes = (0u32..).zip(metres).map(|(hour, north)| {
            let at = START + HOUR * f64::from(hour);
            (at, 60.0 + north / 111_320.0, 5.0)
        });
        let now = START + HOUR * (f64::from(u32::try_from(metres.len()).unwrap()) - 0.9);
        archive.ingest(UUID, &answer(&records(fixes), now)).unwrap();
    }

    fn told(archive: &mut Archive, now: f64) -> Vec<(AlarmEvent, String)> {
        let claimed = archive.claim(None, now).unwrap();
        let numbers: Vec<i64> = claimed.iter().map(|one| one.number).collect();
        archive.told(&numbers, now).unwrap();
        let told = claimed.into_iter().map(|one| (one.event, one.alarm.id));
        told.collect()
    }

    /// A mooring that left its circle, was told of and snoozed for nine hours, at
    /// [`NOW`].
    fn snoozed() -> (Archive, Alarm) {
        let mut archive = Archive::in_memory().unwrap();
        archive.watch(&moored(), START).unwrap();
        received(&mut archive, &[0.0, 5.0, 0.0, 0.0, 230.0, 240.0]);
        assert_eq!(told(&mut archive, NOW).len(), 1);
        let id = archive.alarms(false).unwrap().remove(0).id;
        archive.snooze(&id, NOW + 9.0 * HOUR, NOW).unwrap();
        let alarm = archive.alarms(false).unwrap().remove(0);
        assert_eq!(alarm.state(NOW), AlarmState::Snoozed);
        (archive, alarm)
    }

    const NOW: f64 = START + 5.5 * HOUR;

    #[test]
    fn a_removal_that_is_undone_leaves_the_alarm_as_it_was_and_tells_nothing() {
        let (mut archive, alarm) = snoozed();
        assert!(archive.unwatch_for_now(UUID, NOW).unwrap());
        assert_eq!(archive.alarms(false).unwrap(), []);
        assert_eq!(told(&mut archive, NOW + 30.0), []);
        assert!(!archive.has_to_tell(None, NOW + 30.0).unwrap());
        let restored = archive.undo_removal(&moored(), NOW + 40.0).unwrap();
        assert!(restored.is_some());
        assert_eq!(archive.alarms(true).unwrap(), std::slice::from_ref(&alarm));
        // The next response finds nothing new.
        received(&mut archive, &[0.0, 5.0, 0.0, 0.0, 230.0, 240.0, 250.0]);
        assert_eq!(archive.alarms(true).unwrap(), std::slice::from_ref(&alarm));
        assert_eq!(told(&mut archive, NOW + HOUR), []);
        // Once more, and it ends when it is back.
        archive.unwatch_for_now(UUID, NOW + HOUR).unwrap();
        archive.undo_removal(&moored(), NOW + HOUR).unwrap();
        let back = [0.0, 5.0, 0.0, 0.0, 230.0, 240.0, 250.0, 0.0, 0.0];
        received(&mut archive, &back);
        let cleared = [(AlarmEvent::Cleared, alarm.id)];
        assert_eq!(told(&mut archive, NOW + 3.0 * HOUR), cleared);
    }

    #[test]
    fn a_removal_that_stays_ends_the_alarm_and_that_is_told_once() {
        let (mut archive, alarm) = snoozed();
        archive.unwatch_for_now(UUID, NOW).unwrap();
        let cleared = [(AlarmEvent::Cleared, alarm.id.clone())];
        let later = NOW + UNDO_S;
        assert_eq!(told(&mut archive, later), cleared);
        assert_eq!(told(&mut archive, later + HOUR), []);
        // An undo after that: the same alarm, which stands again for whoever was told.
        archive.undo_removal(&moored(), later + HOUR).unwrap();
        assert_eq!(archive.alarms(true).unwrap(), std::slice::from_ref(&alarm));
        let raised = [(AlarmEvent::Raised, alarm.id.clone())];
        assert_eq!(told(&mut archive, later + HOUR), raised);
        assert_eq!(told(&mut archive, later + HOUR), []);
        // Removed and undone at once after that: nobody is told that it stands again who
        // was not told that it ended.
        archive.unwatch_for_now(UUID, later + HOUR).unwrap();
        archive.undo_removal(&moored(), later + HOUR).unwrap();
        assert_eq!(told(&mut archive, later + HOUR + UNDO_S), []);

        // Put on the list anew it is judged anew: a new alarm.
        archive.unwatch_for_now(UUID, later + HOUR).unwrap();
        archive.watch(&moored(), later + HOUR).unwrap();
        received(&mut archive, &[0.0, 5.0, 0.0, 0.0, 230.0, 240.0, 250.0]);
        let second = archive.alarms(false).unwrap().remove(0);
        assert_ne!(second.id, alarm.id);
        // An undo of its removal gives back this one alone.
        archive.unwatch_for_now(UUID, later + 2.0 * HOUR).unwrap();
        archive.undo_removal(&moored(), later + 2.0 * HOUR).unwrap();
        assert_eq!(archive.alarms(false).unwrap(), [second]);
    }

    #[test]
    fn an_alarm_that_was_never_told_is_given_back_without_a_word() {
        let mut archive = Archive::in_memory().unwrap();
        archive.watch(&moored(), START).unwrap();
        received(&mut archive, &[0.0, 5.0, 0.0, 0.0, 230.0, 240.0]);
        let alarm = archive.alarms(false).unwrap().remove(0);
        archive.unwatch_for_now(UUID, NOW).unwrap();
        archive.undo_removal(&moored(), NOW + 1.0).unwrap();
        let raised = [(AlarmEvent::Raised, alarm.id)];
        assert_eq!(told(&mut archive, NOW + HOUR), raised);
    }
}
