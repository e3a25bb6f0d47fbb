//! Changes of the user, taken back: only where nothing else has changed the
//! same thing since. Each is one transaction.

use uuid::Uuid;

use super::sql::{OptionalExtension, params};
use super::tracks::write_override;
use super::watch_list::{entry_of, entry_off_the_list, put, put_back};
use super::{Archive, ArchiveError};
use crate::geo::Position;
use crate::track::{Deployment, Flag};

impl Archive {
    /// Takes back the change of an entry from `before` to `after`: its changed
    /// members are as in `before` again, the others stay. Returns whether it was
    /// done; it is not where one of these members has changed since, or the
    /// deployment is on the list no longer.
    ///
    /// # Errors
    /// When it cannot be written, or the entry is damaged.
    pub(crate) fn undo_change(
        &mut self,
        before: &Deployment,
        after: &Deployment,
        now: f64,
    ) -> Result<bool, ArchiveError> {
        let path = self.path.clone();
        self.writing(|transaction| {
            let stored = match entry_of(transaction, &path, after.uuid)? {
                Ok(stored) => stored,
                Err(damaged) => return Ok(Err(damaged)),
            };
            // The same change once more changes nothing where it still holds.
            let holds = |entry: &Deployment| entry.clone().with_changes(before, after) == *entry;
            let Some(entry) = stored.filter(holds) else {
                return Ok(Ok(false));
            };
            put(transaction, &entry.with_changes(after, before), now)?;
            Ok(Ok(true))
        })?
    }

    /// Puts a removed entry back on the list, with what the archive had of it at
    /// its removal: another program may have changed it after `removed` was read. The
    /// alarms that the removal ended stand as before.
    /// Returns the entry; none where the deployment is on the list again.
    ///
    /// # Errors
    /// When it cannot be written, or the entry is damaged.
    pub(crate) fn undo_removal(
        &mut self,
        removed: &Deployment,
        now: f64,
    ) -> Result<Option<Deployment>, ArchiveError> {
        let path = self.path.clone();
        self.writing(|transaction| {
            match entry_of(transaction, &path, removed.uuid)? {
                Ok(Some(_)) => return Ok(Ok(None)),
                Ok(None) => {}
                Err(damaged) => return Ok(Err(damaged)),
            }
            // A removal leaves the values of the entry. Where they are damaged,
            // those that the dashboard had are the best there are.
            let kept = entry_off_the_list(transaction, removed.uuid)?;
            let entry = kept.unwrap_or_else(|| removed.clone());
            put_back(transaction, &entry, now)?;
            Ok(Ok(Some(entry)))
        })?
    }

    /// Sets the override of a fix from `after` back to `before`; `None` is no
    /// override. Returns whether it was done; it is not where the archive has
    /// another override by now.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn undo_override(
        &mut self,
        uuid: Uuid,
        (time, position): (f64, Position),
        (before, after): (Option<Flag>, Option<Flag>),
        now: f64,
    ) -> Result<bool, ArchiveError> {
        let fix = params![
            uuid.to_string(),
            time,
            position.latitude,
            position.longitude
        ];
        self.writing(|transaction| {
            let stored: Option<u8> = transaction
                .query_row(
                    "SELECT flag FROM overruled WHERE time = ?2 AND latitude = ?3 AND longitude = ?4
                     AND deployment = (SELECT id FROM deployment WHERE uuid = ?1)",
                    fix,
                    |row| row.get(0),
                )
                .optional()?;
            if stored.and_then(Flag::from_code) != after {
                return Ok(false);
            }
            write_override(transaction, uuid, (time, position), before, now)?;
            Ok(true)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::Platform;

    const NOW: f64 = 1_790_000_000.0;
    const POSITION: Position = Position {
        latitude: 80.0,
        longitude: -0.0,
    };

    fn deployment() -> Deployment {
        Deployment {
            label: Some("buoy".to_owned()),
            ..Deployment::new(Uuid::from_u128(7))
        }
    }

    #[test]
    fn an_undo_changes_its_member_alone_and_only_where_nothing_else_has_changed_it() {
        let mut archive = Archive::in_memory().unwrap();
        let before = deployment();
        let after = Deployment {
            platform: Platform::Float,
            ..before.clone()
        };
        archive.watch(&after, NOW).unwrap();
        // Another program renames it: the platform can still be taken back.
        let renamed = Deployment {
            label: Some("other".to_owned()),
            ..after.clone()
        };
        archive.change(Some(&after), &renamed, true, NOW).unwrap();
        assert!(archive.undo_change(&before, &after, NOW).unwrap());
        let stored = archive.entry(before.uuid).unwrap().unwrap();
        assert_eq!(stored.platform, Platform::Generic);
        assert_eq!(stored.label.as_deref(), Some("other"));
        // The platform is another by now: nothing is taken back.
        assert!(!archive.undo_change(&before, &after, NOW).unwrap());
        archive.unwatch(before.uuid).unwrap();
        assert!(!archive.undo_change(&before, &after, NOW).unwrap());
        // It comes back as it was in the archive, not as this program had it.
        assert_eq!(
            archive.undo_removal(&after, NOW).unwrap(),
            Some(stored.clone())
        );
        assert_eq!(archive.undo_removal(&after, NOW).unwrap(), None);
        assert_eq!(archive.entry(before.uuid).unwrap(), Some(stored));
        let never = Deployment::new(Uuid::from_u128(8));
        assert_eq!(
            archive.undo_removal(&never, NOW).unwrap(),
            Some(never.clone())
        );
    }

    #[test]
    fn an_override_is_taken_back_only_where_it_still_holds() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = deployment().uuid;
        let fix = (NOW, POSITION);
        let set = (None, Some(Flag::Fail));
        assert!(!archive.undo_override(uuid, fix, set, NOW).unwrap());
        archive
            .set_override(uuid, fix, Some(Flag::Fail), NOW)
            .unwrap();
        assert!(archive.undo_override(uuid, fix, set, NOW).unwrap());
        assert!(archive.overrides(uuid).unwrap().is_empty());
        assert!(
            archive
                .undo_override(uuid, fix, (Some(Flag::Fail), None), NOW)
                .unwrap()
        );
        let flag = archive.overrides(uuid).unwrap().get(NOW, POSITION);
        assert_eq!(flag, Some(Flag::Fail));
    }
}
