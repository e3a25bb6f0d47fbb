//! The watch list: deployments that the user watches.

pub(super) mod pages;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use uuid::Uuid;

use super::connection::{Connection, Transaction};
use super::sql::{self, OptionalExtension, ValueRef, is_sound_text, number, params, text};
use super::{Archive, ArchiveError, alarm_rows, origins, services};
use crate::clock::unix_now;
use crate::geo::Inside;
use crate::track::{Deployment, Limits, Platform, Window, field_limit};

impl Archive {
    /// The watch list, in the order in which entries were added. Of a damaged
    /// entry, its readable values.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn watched(&self) -> Result<Vec<Deployment>, ArchiveError> {
        let list = list(&self.connection).map_err(|error| self.error(&error))?;
        let own = list
            .into_iter()
            .filter(|one| self.lists(one.deployment.as_ref()));
        Ok(own.filter_map(|one| one.deployment).collect())
    }

    /// The complete entry of a deployment; `None` if it is not on the list.
    ///
    /// # Errors
    /// When it cannot be read, is not what was written, or may be one whose
    /// UUID cannot be read.
    pub(crate) fn entry(&self, uuid: Uuid) -> Result<Option<Deployment>, ArchiveError> {
        let entry = entry_of(&self.connection, &self.path, uuid);
        entry.map_err(|error| self.error(&error))?
    }

    /// Descriptions of the damaged entries of the watch list.
    pub(super) fn damaged_entries(&self) -> Result<Vec<String>, ArchiveError> {
        let list = entries(&self.connection, "ORDER BY id", []);
        let list = list.map_err(|error| self.error(&error))?;
        Ok(list.into_iter().filter_map(|one| one.damage).collect())
    }

    /// Edits the entry of a deployment, which is put on the list as `fallback`
    /// where it is not there; the answer is whether it is new. An entry that is
    /// on the list is taken from whichever service sends it next. All of it is
    /// one transaction: of two edits at once, none is lost.
    ///
    /// # Errors
    /// When it cannot be written, or the entry is damaged.
    pub(crate) fn amend(
        &mut self,
        fallback: &Deployment,
        edit: impl Fn(&mut Deployment),
        now: f64,
    ) -> Result<bool, ArchiveError> {
        let path = self.path.clone();
        self.writing(|transaction| {
            let stored = match entry_of(transaction, &path, fallback.uuid)? {
                Ok(stored) => stored,
                Err(damaged) => return Ok(Err(damaged)),
            };
            let listed = stored.is_some();
            let mut entry = stored.unwrap_or_else(|| fallback.clone());
            edit(&mut entry);
            let new = put(transaction, &entry, now)?;
            if listed {
                forget_source(transaction, fallback.uuid)?;
            }
            Ok(Ok(new))
        })?
    }

    /// Edits entries, each of which is put on the list as the deployment beside its
    /// edit where it is not there; the answer is of each whether it is new. All of
    /// it is one transaction.
    ///
    /// # Errors
    /// When it cannot be written, or an entry is damaged: nothing is changed then.
    pub(crate) fn amend_all(
        &mut self,
        edits: &[(Deployment, impl Fn(&mut Deployment))],
        now: f64,
    ) -> Result<Vec<bool>, ArchiveError> {
        let path = self.path.clone();
        self.writing(|transaction| {
            let list = list(transaction)?;
            let known: HashMap<Uuid, &ReadEntry> = list
                .iter()
                .filter_map(|one| Some((one.deployment.as_ref()?.uuid, one)))
                .collect();
            // A deployment may be there twice: the second edit sees the first.
            let mut entries: Vec<Deployment> = Vec::new();
            let mut places: HashMap<Uuid, usize> = HashMap::new();
            for (fallback, edit) in edits {
                let place = match places.get(&fallback.uuid) {
                    Some(place) => *place,
                    None => {
                        let own = known.get(&fallback.uuid);
                        let stored = match own.map_or_else(
                            || {
                                whole_entry(
                                    &path,
                                    list.iter().filter(|one| one.deployment.is_none()),
                                    fallback.uuid,
                                )
                            },
                            |own| whole_entry(&path, [*own], fallback.uuid),
                        ) {
                            Ok(stored) => stored,
                            Err(damaged) => return Ok(Err(damaged)),
                        };
                        places.insert(fallback.uuid, entries.len());
                        entries.push(stored.unwrap_or_else(|| fallback.clone()));
                        entries.len() - 1
                    }
                };
                if let Some(entry) = entries.get_mut(place) {
                    edit(entry);
                }
            }
            let mut new: HashSet<Uuid> = HashSet::new();
            for entry in &entries {
                if put(transaction, entry, now)? {
                    new.insert(entry.uuid);
                }
            }
            let was_new = |(fallback, _): &(Deployment, _)| new.remove(&fallback.uuid);
            Ok(Ok(edits.iter().map(was_new).collect()))
        })?
    }

    /// Edits the entry of a deployment on the list; returns whether it is on the
    /// list. All of it is one transaction.
    ///
    /// # Errors
    /// When it cannot be written, or the entry is damaged.
    pub(crate) fn amend_listed(
        &mut self,
        uuid: Uuid,
        edit: impl Fn(&mut Deployment),
        now: f64,
    ) -> Result<bool, ArchiveError> {
        let path = self.path.clone();
        self.writing(|transaction| {
            let mut entry = match entry_of(transaction, &path, uuid)? {
                Ok(Some(entry)) => entry,
                Ok(None) => return Ok(Ok(false)),
                Err(damaged) => return Ok(Err(damaged)),
            };
            edit(&mut entry);
            put(transaction, &entry, now)?;
            Ok(Ok(true))
        })?
    }

    /// Changes the fields of an entry that differ between the two arguments.
    /// Other fields keep their archived value, which another process may have
    /// changed. Without `before` the fields that are set are written. Returns
    /// whether it was done: not where a field to be changed is another than in
    /// `before` by now, or the entry is gone that was on the list (`listed`).
    ///
    /// # Errors
    /// When it cannot be written, or the entry is damaged.
    pub(crate) fn change(
        &mut self,
        before: Option<&Deployment>,
        after: &Deployment,
        listed: bool,
        now: f64,
    ) -> Result<bool, ArchiveError> {
        let path = self.path.clone();
        self.writing(|transaction| {
            let there = match entry_of(transaction, &path, after.uuid)? {
                Ok(there) => there,
                Err(damaged) => return Ok(Err(damaged)),
            };
            let entry = match (there, before) {
                // To set the fields back to what they were would change it.
                (Some(stored), Some(before))
                    if stored.clone().with_changes(after, before) != stored =>
                {
                    return Ok(Ok(false));
                }
                (Some(stored), before) => {
                    let new = Deployment::new(after.uuid);
                    stored.with_changes(before.unwrap_or(&new), after)
                }
                (None, _) if listed => return Ok(Ok(false)),
                (None, _) => after.clone(),
            };
            put(transaction, &entry, now).map(|_| Ok(true))
        })?
    }

    /// Removes a deployment from the watch list; stored data stays. Returns
    /// whether it was on the list.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn unwatch(&mut self, uuid: Uuid) -> Result<bool, ArchiveError> {
        let configured = self.configured.clone();
        self.writing(|transaction| {
            let now = unix_now();
            alarm_rows::end_of_unwatched(transaction, uuid, now)?;
            let changed = transaction.execute(
                "UPDATE deployment SET watched = 0 WHERE uuid = ?1 AND watched > 0",
                [uuid.to_string()],
            )?;
            services::end_of_unasked(transaction, &configured, now)?;
            Ok(changed > 0)
        })
    }

    /// Every deployment with stored data, watched or not.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn known(&self) -> Result<Vec<Deployment>, ArchiveError> {
        let list = entries(
            &self.connection,
            "WHERE EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = deployment.id) ORDER BY id",
            [],
        )
        .map_err(|error| self.error(&error))?;
        Ok(list.into_iter().filter_map(|one| one.deployment).collect())
    }

    /// `true` if a deployment is on the watch list.
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

impl Archive {
    /// When a deployment was added, UNIX seconds; `None` where that is not known.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn added_at(&self, uuid: Uuid) -> Result<Option<f64>, ArchiveError> {
        let found = self
            .connection
            .query_row(
                "SELECT added_at FROM deployment WHERE uuid = ?1",
                [uuid.to_string()],
                |row| number(row, 0),
            )
            .optional();
        let found = found.map_err(|error| self.error(&error))?;
        // A damaged archive that was copied has lost it.
        Ok(found.flatten().filter(|at| *at > 0.0))
    }
}

/// An entry as it could be read.
#[derive(Debug)]
pub(crate) struct ReadEntry {
    /// Its place in the list.
    place: (i64, i64),
    /// The readable part of the entry; none where the UUID cannot be read.
    pub deployment: Option<Deployment>,
    /// A description of the damage to the entry.
    pub damage: Option<String>,
}

/// The whole entry of a deployment on the list.
pub(super) fn entry_of(
    connection: &Connection,
    path: &Path,
    uuid: Uuid,
) -> sql::Result<Result<Option<Deployment>, ArchiveError>> {
    let own = entries(
        connection,
        "WHERE watched > 0 AND uuid = ?1",
        [uuid.to_string()],
    )?;
    if own.is_empty() {
        // An entry whose UUID cannot be read may be this one.
        return Ok(whole_entry(path, &list(connection)?, uuid));
    }
    Ok(whole_entry(path, &own, uuid))
}

/// The whole entry of a deployment among those of the list.
fn whole_entry<'a>(
    path: &Path,
    list: impl IntoIterator<Item = &'a ReadEntry>,
    uuid: Uuid,
) -> Result<Option<Deployment>, ArchiveError> {
    let mut found = None;
    for one in list {
        let is_it = one.deployment.as_ref().map(|known| known.uuid == uuid);
        // One without a UUID may be this one.
        if let (true, Some(reason)) = (is_it != Some(false), &one.damage) {
            let (path, reason) = (path.to_owned(), reason.clone());
            return Err(ArchiveError::Damaged { path, reason });
        }
        if is_it == Some(true) {
            found.clone_from(&one.deployment);
        }
    }
    Ok(found)
}

pub(super) fn list(connection: &Connection) -> sql::Result<Vec<ReadEntry>> {
    entries(connection, "WHERE watched > 0 ORDER BY watched, id", [])
}

/// The entries that an SQL clause selects and orders. A damaged entry does not
/// affect the others.
fn entries(
    connection: &Connection,
    which: &str,
    values: impl sql::Params,
) -> sql::Result<Vec<ReadEntry>> {
    origins::read(connection)?;
    let mut statement = connection.prepare(&format!(
        "SELECT id, watched, uuid, label, platform, max_age, circle, notes, max_speed,
             valid_from, valid_until, state, field_limits, group_name
         FROM deployment {which}"
    ))?;
    let mut rows = statement.query(values)?;
    let mut list = Vec::new();
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let typed = text(row, 2)?.and_then(|typed| Uuid::parse_str(&typed).ok());
        let platform: Option<Platform> = text(row, 4)?.and_then(|name| name.parse().ok());
        let max_age_s = number(row, 5)?;
        let inside = text(row, 6)?.and_then(|typed| Inside::from_stored(&typed));
        let numbers = [number(row, 8)?, number(row, 9)?, number(row, 10)?];
        let [max_speed_m_s, from, until] = numbers;
        let state = text(row, 11)?.and_then(|name| name.parse().ok());
        let fields = text(row, 12)?.and_then(|typed| field_limit::read(&typed));
        let is_null = |column| Ok::<_, sql::Error>(row.get_ref(column)? == ValueRef::Null);
        let sound = platform.is_some()
            && (max_age_s.is_some() || is_null(5)?)
            && (inside.is_some() || is_null(6)?)
            && (max_speed_m_s.is_some() || is_null(8)?)
            && (from.is_some() || is_null(9)?)
            && (until.is_some() || is_null(10)?)
            && (state.is_some() || is_null(11)?)
            && (fields.is_some() || is_null(12)?)
            && is_sound_text(row, 3)?
            && is_sound_text(row, 7)?
            && is_sound_text(row, 13)?;
        let damage = match typed {
            None => Some(format!(
                "the UUID of entry {id} of the watch list cannot be read"
            )),
            Some(uuid) if !sound => Some(format!(
                "the watch list entry of {uuid} cannot be read whole: check its label, platform and limits"
            )),
            Some(_) => None,
        };
        let (label, notes, group) = (text(row, 3)?, text(row, 7)?, text(row, 13)?);
        let deployment = typed.map(|uuid| Deployment {
            uuid,
            label,
            platform: platform.unwrap_or_default(),
            limits: Limits {
                max_age_s,
                inside,
                max_speed_m_s,
                fields: fields.unwrap_or_default(),
            },
            window: Window { from, until },
            state: state.unwrap_or_default(),
            notes,
            group,
        });
        list.push(ReadEntry {
            place: (row.get(1)?, id),
            deployment,
            damage,
        });
    }
    Ok(list)
}

fn forget_source(transaction: &Transaction<'_>, uuid: Uuid) -> sql::Result<()> {
    transaction.execute(
        "UPDATE fetch SET source = NULL, etag = NULL, modified = NULL
         WHERE deployment = (SELECT id FROM deployment WHERE uuid = ?1)",
        [uuid.to_string()],
    )?;
    Ok(())
}

/// Adds or changes an entry; returns whether it is new.
fn put(transaction: &Transaction<'_>, entry: &Deployment, now: f64) -> sql::Result<bool> {
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
        "INSERT INTO deployment (uuid, label, platform, watched, added_at, max_age, circle, notes,
            max_speed, valid_from, valid_until, state, field_limits, group_name)
         VALUES (?1, ?2, ?3, (SELECT coalesce(max(watched), 0) + 1 FROM deployment WHERE watched > 0),
            ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (uuid) DO UPDATE SET label = ?2, platform = ?3, max_age = ?5, circle = ?6, notes = ?7,
            max_speed = ?8, valid_from = ?9, valid_until = ?10, state = ?11,
            field_limits = ?12, group_name = ?13,
         added_at = CASE deployment.watched WHEN 0 THEN excluded.added_at ELSE deployment.added_at END,
         watched = CASE deployment.watched WHEN 0 THEN excluded.watched ELSE deployment.watched END",
        params![
            uuid,
            entry.label,
            entry.platform.name(),
            now,
            entry.limits.max_age_s,
            entry.limits.inside.as_ref().map(Inside::stored_text),
            entry.notes,
            entry.limits.max_speed_m_s,
            entry.window.from,
            entry.window.until,
            // An instrument that should report has no word.
            (!entry.state.is_active()).then(|| entry.state.name()),
            field_limit::written(&entry.limits.fields),
            entry.group,
        ],
    )?;
    origins::write(transaction, entry.uuid)?;
    let id = transaction.query_row(
        "SELECT id FROM deployment WHERE uuid = ?1",
        [&uuid],
        |row| row.get(0),
    )?;
    alarm_rows::end_without_rule(transaction, id, entry, now)?;
    Ok(known.unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests;
