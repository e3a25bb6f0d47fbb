//! The watch list: deployments that the user watches.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::connection::{Connection, Transaction};
use super::sql::{self, Result, Row, Value, params};
use super::{Archive, Listed, alarm_rows, origins, rows, services};
use crate::geo::Inside;
use crate::os::clock::unix_now;
use crate::track::{Platform, Window, field_limit};
use crate::watch::id::Remote;
use crate::watch::{Deployment, Limits};

/// The SQL clause that selects the entry of a deployment on the list.
const OF_UUID: &str = "WHERE list_position > 0 AND uuid = ?1";

/// The state of the watch list, without its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListState([i64; 4]);

impl ListState {
    /// `true` if the list has an entry.
    pub(crate) fn has_entries(self) -> bool {
        let [count, ..] = self.0;
        count > 0
    }
}

impl Archive {
    /// The watch list, in the order in which entries were added. Of a damaged
    /// entry, its readable values.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn watched(&self) -> Result<Vec<Deployment>> {
        let entries = self.read_entries()?.into_iter();
        Ok(entries.filter_map(|entry| entry.deployment).collect())
    }

    /// The entries of the watch list with the damage to each, in their order.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn read_entries(&self) -> Result<Vec<ReadEntry>> {
        let mut entries = list(&self.connection)?;
        entries.retain(|entry| self.lists(entry));
        Ok(entries)
    }

    /// The state of the watch list, in a few numbers that differ after every edit.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn list_state(&self) -> Result<ListState> {
        self.connection.row(
            "SELECT count(*), CAST(coalesce(sum(id), 0) AS BIGINT),
                 CAST(coalesce(sum(edits), 0) AS BIGINT),
                 CAST(coalesce(sum(list_position), 0) AS BIGINT)
             FROM deployment WHERE list_position > 0",
            (),
            |row| {
                let numbers = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
                Ok(ListState(numbers))
            },
        )
    }

    /// The complete entry of a deployment; `None` if it is not on the list.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or may be an entry whose UUID cannot be read.
    pub(crate) fn entry(&self, uuid: Uuid) -> Result<Option<Deployment>> {
        if self.is_of_other_base(uuid)? {
            return Ok(None);
        }
        read_entry(&self.connection, uuid)
    }

    /// Descriptions of the damaged entries of the watch list.
    pub(super) fn damaged_entries(&self) -> Result<Vec<String>> {
        let list = entries(&self.connection, "ORDER BY id", ())?;
        Ok(list.into_iter().filter_map(|entry| entry.damage).collect())
    }

    /// Edits the entry of a deployment, which is added as `fallback`
    /// if it is not on the list; returns whether it is new. The next response of an entry
    /// that is on the list may come from any service. All of it is
    /// one transaction: of two edits at once, none is lost.
    ///
    /// # Errors
    /// When it cannot be written, or the entry is damaged.
    pub(crate) fn amend(
        &mut self,
        fallback: &Deployment,
        edit: impl Fn(&mut Deployment),
        now: f64,
    ) -> Result<bool> {
        let service = self.listed.clone();
        self.writing(|transaction| {
            let stored = read_entry(transaction, fallback.id.uuid)?;
            let is_listed = stored.is_some();
            let mut entry = stored.unwrap_or_else(|| fallback.clone());
            edit(&mut entry);
            let is_new = put(transaction, &entry, &service, now)?;
            if is_listed {
                origins::forget_source(transaction, fallback.id.uuid)?;
            }
            Ok(is_new)
        })
    }

    /// Edits entries, each of which is added as the deployment with its edit
    /// if it is not on the list; returns of each whether it is new. All of
    /// it is one transaction.
    ///
    /// # Errors
    /// When it cannot be written, or an entry is damaged: nothing is changed then.
    pub(crate) fn amend_all(
        &mut self,
        edits: &[(Deployment, impl Fn(&mut Deployment))],
        now: f64,
    ) -> Result<Vec<bool>> {
        let service = self.listed.clone();
        self.writing(|transaction| {
            // Looked for once: a list may be long.
            let mut unreadable = list(transaction)?;
            unreadable.retain(|entry| entry.deployment.is_none());
            let edited = edits.iter().map(|(fallback, edit)| {
                let uuid = fallback.id.uuid;
                let own = entries(transaction, OF_UUID, [uuid.to_string()])?;
                let found = if own.is_empty() { &unreadable } else { &own };
                let stored = whole_entry(transaction, found, uuid)?;
                let mut entry = stored.unwrap_or_else(|| fallback.clone());
                edit(&mut entry);
                put(transaction, &entry, &service, now)
            });
            edited.collect()
        })
    }

    /// Changes the fields of an entry that differ between the two arguments.
    /// Other fields keep their archived value, which another process may have
    /// changed. Without `before` the fields that are set are written. Returns
    /// whether it was done: not if another process has changed one of these fields, or
    /// has removed the entry, which was on the list (`listed`).
    ///
    /// # Errors
    /// When it cannot be written, or the entry is damaged.
    pub(crate) fn change(
        &mut self,
        before: Option<&Deployment>,
        after: &Deployment,
        listed: bool,
        now: f64,
    ) -> Result<bool> {
        let service = self.listed.clone();
        self.writing(|transaction| {
            // Moved to another service meanwhile.
            if listed && origins::is_of_other(transaction, after.id.uuid, service.base())? {
                return Ok(false);
            }
            let entry = match (read_entry(transaction, after.id.uuid)?, before) {
                // The opposite change would change it.
                (Some(stored), Some(before))
                    if stored.clone().with_changes(after, before) != stored =>
                {
                    return Ok(false);
                }
                (Some(stored), before) => {
                    let new = Deployment::new(after.id.clone());
                    stored.with_changes(before.unwrap_or(&new), after)
                }
                (None, _) if listed => return Ok(false),
                (None, _) => after.clone(),
            };
            // One that is put back has its former place.
            let uuid = after.id.uuid.to_string();
            let former =
                "SELECT -list_position FROM deployment WHERE uuid = ?1 AND list_position < 0";
            let former: Option<i64> =
                transaction.optional_row(former, [&uuid], |row| row.get(0))?;
            put(transaction, &entry, &service, now)?;
            if let Some(former) = former {
                transaction.execute(
                    "UPDATE deployment SET list_position = ?2 WHERE uuid = ?1",
                    params![uuid, former],
                )?;
            }
            Ok(true)
        })
    }

    /// Removes a deployment from the watch list; stored data stays. Returns
    /// whether it was on the list.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn unwatch(&mut self, uuid: Uuid) -> Result<bool> {
        let configured = self.configured.clone();
        self.writing(|transaction| {
            let now = unix_now();
            alarm_rows::end_of_unwatched(transaction, uuid, now)?;
            let changed = transaction.execute(
                "UPDATE deployment SET list_position = -list_position WHERE uuid = ?1 AND list_position > 0",
                [uuid.to_string()],
            )?;
            services::end_of_unasked(transaction, &configured, now)?;
            Ok(changed > 0)
        })
    }

    fn lists(&self, entry: &ReadEntry) -> bool {
        // A deployment whose UUID cannot be read may be of any service.
        let deployment = entry.deployment.as_ref();
        deployment.is_none_or(|own| self.listed.has(own.id.uuid, entry.origin.as_ref()))
    }

    /// The other services that deployments of the watch list were added under, each with their
    /// names.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn other_services(&self) -> Result<Vec<(String, Vec<String>)>> {
        let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in list(&self.connection)? {
            if let Some(origin) = entry.origin.as_ref().filter(|_| !self.lists(&entry)) {
                let named = others.entry(origin.service.to_string()).or_default();
                let label = entry.deployment.as_ref().and_then(|own| own.label.clone());
                named.push(label.unwrap_or_else(|| origin.id.to_string()));
            }
        }
        Ok(others.into_iter().collect())
    }

    /// Every deployment with stored data, watched or not.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn known(&self) -> Result<Vec<Deployment>> {
        let with_data =
            "WHERE EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = d.id) ORDER BY id";
        self.every(with_data)
    }

    /// Every deployment that has a number, with data or not.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn numbered(&self) -> Result<Vec<Deployment>> {
        self.every("ORDER BY id")
    }

    fn every(&self, condition: &str) -> Result<Vec<Deployment>> {
        let found = entries(&self.connection, condition, ())?.into_iter();
        Ok(found.filter_map(|entry| entry.deployment).collect())
    }

    /// The number of a deployment in this archive, which it keeps; `None` if the archive
    /// has none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn number(&self, uuid: Uuid) -> Result<Option<i64>> {
        rows::deployment_id(&self.connection, uuid)
    }

    /// `true` if a deployment is on the watch list.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn is_watched(&self, uuid: Uuid) -> Result<bool> {
        if self.is_of_other_base(uuid)? {
            return Ok(false);
        }
        let select = "SELECT 1 FROM deployment WHERE uuid = ?1 AND list_position > 0";
        let watched = self
            .connection
            .rows(select, [uuid.to_string()], |_| Ok(()))?;
        Ok(!watched.is_empty())
    }

    /// When a deployment was added, UNIX seconds; `None` if that is not known.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn added_at(&self, uuid: Uuid) -> Result<Option<f64>> {
        let found = self.connection.optional_row(
            "SELECT added_at FROM deployment WHERE uuid = ?1",
            [uuid.to_string()],
            |row| Ok(row.number(0)),
        )?;
        // A recovered archive has lost it.
        Ok(found.flatten().filter(|at| *at > 0.0))
    }
}

/// The readable part of an entry.
#[derive(Debug)]
pub(crate) struct ReadEntry {
    /// The deployment; `None` if its UUID cannot be read.
    pub deployment: Option<Deployment>,
    /// A description of the damage to the entry.
    pub damage: Option<String>,
    /// The service that it was added under, if that is known.
    pub origin: Option<Remote>,
}

/// The whole entry of a deployment on the list.
pub(super) fn read_entry(connection: &Connection, uuid: Uuid) -> Result<Option<Deployment>> {
    let own = entries(connection, OF_UUID, [uuid.to_string()])?;
    if own.is_empty() {
        // An entry whose UUID cannot be read may be this one.
        return whole_entry(connection, &list(connection)?, uuid);
    }
    whole_entry(connection, &own, uuid)
}

/// The whole entry of a deployment among entries of the list.
fn whole_entry(
    connection: &Connection,
    list: &[ReadEntry],
    uuid: Uuid,
) -> Result<Option<Deployment>> {
    let mut found = None;
    for entry in list {
        let is_it = entry.deployment.as_ref().map(|known| known.id.uuid == uuid);
        // An entry without a UUID may be this one.
        if let (true, Some(reason)) = (is_it != Some(false), &entry.damage) {
            return Err(connection.damaged(reason.clone()));
        }
        if is_it == Some(true) {
            found.clone_from(&entry.deployment);
        }
    }
    Ok(found)
}

pub(super) fn list(connection: &Connection) -> Result<Vec<ReadEntry>> {
    entries(
        connection,
        "WHERE list_position > 0 ORDER BY list_position, id",
        (),
    )
}

/// The entries that an SQL clause selects and orders. A damaged entry does not
/// affect the others.
fn entries(
    connection: &Connection,
    which: &str,
    values: impl sql::Params,
) -> Result<Vec<ReadEntry>> {
    connection.rows(
        &format!(
            "SELECT id, uuid, label, platform, max_age, inside, notes, max_speed,
                 valid_from, valid_until, state, field_limits, group_name,
                 {}
             FROM deployment d {which}",
            origins::COLUMNS
        ),
        values,
        |row| Ok(entry(row, row.get(0)?)),
    )
}

fn entry(row: &Row, id: i64) -> ReadEntry {
    let uuid = row.uuid(1);
    let platform: Option<Platform> = row.text(3).and_then(|name| name.parse().ok());
    let inside = row.text(5).and_then(|typed| Inside::from_stored(&typed));
    let state = row.text(10).and_then(|name| name.parse().ok());
    let fields = row.text(11).and_then(|typed| field_limit::read(&typed));
    let is_null = |column| *row.value(column) == Value::Null;
    let sound = platform.is_some()
        && (inside.is_some() || is_null(5))
        && [4, 7, 8, 9]
            .iter()
            .all(|column| row.number(*column).is_some() || is_null(*column))
        && (state.is_some() || is_null(10))
        && (fields.is_some() || is_null(11))
        && [2, 6, 12].iter().all(|column| row.is_sound_text(*column));
    let damage = match uuid {
        None => Some(format!(
            "the UUID of entry {id} of the watch list cannot be read"
        )),
        Some(uuid) if !sound => Some(format!(
            "the watch list entry of {uuid} cannot be read whole: check its label, platform and limits"
        )),
        Some(_) => None,
    };
    let origin = origins::from_row(row, 13);
    let deployment = uuid.map(|uuid| Deployment {
        id: origins::identified(uuid, origin.clone()),
        label: row.text(2),
        platform: platform.unwrap_or_default(),
        limits: Limits {
            max_age_s: row.number(4),
            inside,
            max_speed_m_s: row.number(7),
            fields: fields.unwrap_or_default(),
        },
        window: Window {
            from: row.number(8),
            until: row.number(9),
        },
        state: state.unwrap_or_default(),
        notes: row.text(6),
        group: row.text(12),
    });
    ReadEntry {
        deployment,
        damage,
        origin,
    }
}

/// Adds or changes an entry for the service in use; returns whether it is new on the list of
/// that.
fn put(
    transaction: &Transaction<'_>,
    entry: &Deployment,
    service: &Listed,
    now: f64,
) -> Result<bool> {
    let uuid = entry.id.uuid.to_string();
    let watched = "SELECT list_position FROM deployment WHERE uuid = ?1";
    let known: Option<i64> = transaction.optional_row(watched, [&uuid], |row| row.get(0))?;
    // An existing entry keeps its position; a new entry is last.
    transaction.execute(
        "INSERT INTO deployment (uuid, label, platform, list_position, added_at, max_age, inside, notes,
            max_speed, valid_from, valid_until, state, field_limits, group_name)
         VALUES (?1, ?2, ?3, (SELECT coalesce(max(list_position), 0) + 1 FROM deployment WHERE list_position > 0),
            ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
         ON CONFLICT (uuid) DO UPDATE SET label = ?2, platform = ?3, max_age = ?5, inside = ?6, notes = ?7,
            max_speed = ?8, valid_from = ?9, valid_until = ?10, state = ?11,
            field_limits = ?12, group_name = ?13,
         added_at = CASE WHEN deployment.list_position > 0 THEN deployment.added_at ELSE excluded.added_at END,
         list_position = CASE WHEN deployment.list_position > 0 THEN deployment.list_position ELSE excluded.list_position END",
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
            // `None` for the usual state.
            (!entry.state.is_active()).then(|| entry.state.name()),
            field_limit::written(&entry.limits.fields),
            entry.group,
        ],
    )?;
    let is_new = known.unwrap_or(0) <= 0;
    let was_elsewhere = origins::claim(transaction, &entry.id, service, is_new)?;
    if let Some(id) = rows::deployment_id(transaction, entry.id.uuid)? {
        alarm_rows::end_without_rule(transaction, id, entry, now)?;
    }
    Ok(is_new || was_elsewhere)
}

#[cfg(test)]
mod tests;
