//! The watch list: deployments that the user watches.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use uuid::Uuid;

use super::{Archive, ArchiveError};
use crate::track::{Deployment, Limits};

impl Archive {
    /// The watch list, in the order in which entries were added.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn watched(&self) -> Result<Vec<Deployment>, ArchiveError> {
        list(&self.connection).map_err(|error| self.error(&error))
    }

    /// Adds a deployment to the watch list or changes its entry; returns
    /// whether it is new.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn watch(&mut self, entry: &Deployment, now: f64) -> Result<bool, ArchiveError> {
        self.writing(|transaction| put(transaction, entry, now))
    }

    /// Changes the fields of an entry that differ between the two arguments.
    /// Other fields keep their archived value, which another process may have
    /// changed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn change(
        &mut self,
        before: Option<&Deployment>,
        after: &Deployment,
        now: f64,
    ) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            let list = list(transaction)?;
            let there = list.into_iter().find(|one| one.uuid == after.uuid);
            let entry = match (before, there) {
                (Some(before), Some(stored)) => stored.with_changes(before, after),
                _ => after.clone(),
            };
            put(transaction, &entry, now).map(|_| ())
        })
    }

    /// Accepts the next response of a deployment from any service; stored data
    /// stays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn accept_any_source(&mut self, uuid: Uuid) -> Result<(), ArchiveError> {
        self.writing(|transaction| {
            transaction.execute(
                "UPDATE fetch SET source = NULL, etag = NULL, modified = NULL
                 WHERE deployment = (SELECT id FROM deployment WHERE uuid = ?1)",
                [uuid.to_string()],
            )?;
            Ok(())
        })
    }

    /// Removes a deployment from the watch list; stored data stays. Returns
    /// whether it was on the list.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn unwatch(&mut self, uuid: Uuid) -> Result<bool, ArchiveError> {
        self.writing(|transaction| {
            transaction.execute(
                "UPDATE deployment SET watched = 0 WHERE uuid = ?1 AND watched > 0",
                [uuid.to_string()],
            )
        })
        .map(|changed| changed > 0)
    }

    /// Every deployment with stored data, watched or not.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn known(&self) -> Result<Vec<Deployment>, ArchiveError> {
        entries(
            &self.connection,
            "WHERE EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = deployment.id) ORDER BY id",
        )
        .map_err(|error| self.error(&error))
    }

    /// Whether a deployment is on the watch list.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn is_watched(&self, uuid: Uuid) -> Result<bool, ArchiveError> {
        self.connection
            .query_row(
                "SELECT watched > 0 FROM deployment WHERE uuid = ?1",
                [uuid.to_string()],
                |row| row.get(0),
            )
            .optional()
            .map(|found| found.unwrap_or(false))
            .map_err(|error| self.error(&error))
    }
}

fn list(connection: &Connection) -> rusqlite::Result<Vec<Deployment>> {
    entries(connection, "WHERE watched > 0 ORDER BY watched, id")
}

/// The entries that an SQL clause selects and orders.
fn entries(connection: &Connection, which: &str) -> rusqlite::Result<Vec<Deployment>> {
    let mut statement = connection.prepare(&format!(
        "SELECT uuid, label, platform, max_age, circle, notes FROM deployment {which}"
    ))?;
    let rows = statement.query_map([], |row| {
        Ok((
            row.get::<_, String>(0)?,
            row.get(1)?,
            row.get::<_, String>(2)?,
            row.get(3)?,
            row.get::<_, Option<String>>(4)?,
            row.get(5)?,
        ))
    })?;
    let mut list = Vec::new();
    for row in rows {
        let (uuid, label, platform, max_age_s, circle, notes) = row?;
        if let Ok(uuid) = Uuid::parse_str(&uuid) {
            list.push(Deployment {
                uuid,
                label,
                platform: platform.parse().unwrap_or_default(),
                limits: Limits {
                    max_age_s,
                    circle: circle.and_then(|circle| circle.parse().ok()),
                },
                notes,
            });
        }
    }
    Ok(list)
}

/// Adds or changes an entry; returns whether it is new.
fn put(transaction: &Transaction<'_>, entry: &Deployment, now: f64) -> rusqlite::Result<bool> {
    let uuid = entry.uuid.to_string();
    let known: Option<i64> = transaction
        .query_row(
            "SELECT watched FROM deployment WHERE uuid = ?1",
            [&uuid],
            |row| row.get(0),
        )
        .optional()?;
    // An existing entry keeps its position; a new one is last.
    transaction.execute(
        "INSERT INTO deployment (uuid, label, platform, watched, added_at, max_age, circle, notes)
         VALUES (?1, ?2, ?3, (SELECT coalesce(max(watched), 0) + 1 FROM deployment), ?4, ?5, ?6, ?7)
         ON CONFLICT (uuid) DO UPDATE SET label = ?2, platform = ?3, max_age = ?5, circle = ?6, notes = ?7,
         watched = CASE watched WHEN 0 THEN excluded.watched ELSE watched END",
        params![
            uuid,
            entry.label,
            entry.platform.name(),
            now,
            entry.limits.max_age_s,
            entry.limits.circle.map(|circle| circle.to_string()),
            entry.notes
        ],
    )?;
    Ok(known.unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::Platform;

    #[test]
    fn the_list_keeps_its_order_and_its_entries_can_be_changed() {
        let mut archive = Archive::in_memory().unwrap();
        let entry = |n: u128, label: &str| Deployment {
            uuid: Uuid::from_u128(n),
            label: Some(label.to_owned()),
            platform: Platform::Float,
            limits: Limits {
                max_age_s: Some(3600.0),
                circle: "54,7.9,500".parse().ok(),
            },
            notes: Some(format!("moored at {label}")),
        };
        assert!(
            archive
                .watch(&entry(2, "b'); DROP TABLE deployment; --"), 0.0)
                .unwrap()
        );
        assert!(archive.watch(&entry(1, "a"), 0.0).unwrap());
        assert!(!archive.watch(&entry(2, "c"), 0.0).unwrap());
        let labels: Vec<_> = archive
            .watched()
            .unwrap()
            .into_iter()
            .filter_map(|one| one.label)
            .collect();
        assert_eq!(labels, ["c", "a"]);
        assert_eq!(archive.watched().unwrap(), [entry(2, "c"), entry(1, "a")]);
        assert!(archive.unwatch(Uuid::from_u128(2)).unwrap());
        assert!(!archive.unwatch(Uuid::from_u128(2)).unwrap());
        assert!(!archive.is_watched(Uuid::from_u128(2)).unwrap());
        archive.watch(&entry(2, "c"), 0.0).unwrap();
        assert_eq!(
            archive.watched().unwrap().last().unwrap().label.as_deref(),
            Some("c")
        );
    }

    #[test]
    fn what_another_process_changed_of_an_entry_stays() {
        let mut archive = Archive::in_memory().unwrap();
        let entry = |label: &str, notes: &str| Deployment {
            uuid: Uuid::from_u128(1),
            label: Some(label.to_owned()),
            platform: Platform::Float,
            limits: Limits::default(),
            notes: Some(notes.to_owned()),
        };
        let before = entry("a", "old");
        archive.watch(&before, 0.0).unwrap();
        // One process changes the notes, this one the label.
        archive.watch(&entry("a", "new"), 0.0).unwrap();
        archive
            .change(Some(&before), &entry("b", "old"), 0.0)
            .unwrap();
        assert_eq!(archive.watched().unwrap(), [entry("b", "new")]);
    }
}
