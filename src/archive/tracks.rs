//! Stored transmissions with the time they were first received, invalid
//! records, and fetches.

use std::collections::HashMap;

use uuid::Uuid;

use super::connection::Connection;
use super::overrides::read_overrides;
use super::services::reached;
use super::sql::{self, OptionalExtension, Row, params, sound_text, text};
use super::{
    Archive, ArchiveError, MadeOverview, fields, ingest, origins, overviews, received, unusable,
};
use crate::clock::unix_now;
use crate::geo::Position;
use crate::plant::ledger::may_be_one_service;
use crate::track::field::{FieldChoice, fix_key};
use crate::track::{
    Answer, FetchDelta, Flag, FlagOverrides, Records, RequestBasis, Transmission, Validators,
};

/// The stored data of a deployment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredRecords {
    /// All records ever received, by time.
    pub records: Records,
    /// When the last valid response was received, UNIX seconds.
    pub fetched_at: f64,
    /// A number that is higher after every change of the records.
    pub revision: i64,
}

impl Archive {
    /// Stores a response. Known transmissions do not change; a transmission
    /// that is absent from the response is not deleted.
    ///
    /// # Errors
    /// When it cannot be written, the stored data of the deployment is damaged,
    /// or it came from another service. Nothing of the response is stored then.
    pub(crate) fn ingest(
        &mut self,
        uuid: Uuid,
        answer: &Answer,
    ) -> Result<FetchDelta, ArchiveError> {
        self.ingest_with(uuid, answer, None)
    }

    /// As [`Archive::ingest`], and stores what lists show of the track of the
    /// response, where that is all that is stored then.
    ///
    /// # Errors
    /// As [`Archive::ingest`].
    pub(crate) fn ingest_with(
        &mut self,
        uuid: Uuid,
        answer: &Answer,
        overview: Option<&MadeOverview>,
    ) -> Result<FetchDelta, ArchiveError> {
        let path = self.path.clone();
        let watched_also = self.configured.clone();
        let room = self.connection.make_room(&answer.records.transmissions);
        room.map_err(|error| self.error(&error))?;
        self.writing_of(Some(&uuid), |transaction| {
            let id = deployment(transaction, uuid, answer.received_at)?;
            let last: Option<(Option<String>, f64)> = transaction
                .query_row(
                    "SELECT source, began FROM fetch WHERE deployment = ?1 ORDER BY id DESC LIMIT 1",
                    [id],
                    |row| Ok((sound_text(row, 0)?, row.get(1)?)),
                )
                .optional()?;
            let (source, began) = last.unzip();
            if let Some(known) = source.flatten()
                && !may_be_one_service(&known, &answer.source)
            {
                return Ok(Err(ArchiveError::Elsewhere { known }));
            }
            // Where it was asked for before the stored one, it says less than that. A stored
            // one that lies ahead is of another clock.
            let is_earlier = |stored: f64| stored > answer.began() && stored <= answer.received_at;
            let earlier = if began.is_some_and(is_earlier) {
                Some(ingest::of_new_times(transaction, id, answer)?)
            } else {
                None
            };
            let answer = earlier.as_ref().unwrap_or(answer);
            let known = ingest::known(transaction, id)?;
            let asked = answer.asked.as_ref();
            let Some(fields) = fields::store(transaction, id, &answer.records, asked)? else {
                return Ok(Err(ArchiveError::Damaged {
                    path,
                    reason: fields::damage(uuid),
                }));
            };
            let delta = match &earlier {
                Some(new) => ingest::add(transaction, id, known, &new.records)?,
                None => {
                    let has_other_fields = !fields.changed.is_empty();
                    ingest::ingest(transaction, id, known, answer, has_other_fields)?
                }
            };
            let delta = FetchDelta {
                unstored_fields: fields.unkept,
                is_part: delta.is_part || fields.are_fewer || earlier.is_some(),
                ..delta
            };
            if let Some(made) = overview.filter(|_| !delta.is_part) {
                overviews::write(transaction, id, made)?;
            }
            received::note(transaction, id)?;
            let at = answer.received_at;
            reached(transaction, &answer.source, uuid, &watched_also, at)?;
            Ok(Ok(delta))
        })?
    }

    /// The stored data of a deployment; `None` if nothing was ever received. The fields of
    /// its transmissions are left out unless the verdict on their positions needs them.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn stored(&self, uuid: Uuid) -> Result<Option<StoredRecords>, ArchiveError> {
        self.reading(|one| match one.has_location_classes(uuid)? {
            // Damaged fields are no reason to show nothing.
            true => one
                .stored_with_fields(uuid)
                .or_else(|_| one.transmissions(uuid)),
            false => one.transmissions(uuid),
        })
    }

    /// The stored data of a deployment without the fields of its transmissions.
    fn transmissions(&self, uuid: Uuid) -> Result<Option<StoredRecords>, ArchiveError> {
        let read = || -> sql::Result<Option<StoredRecords>> {
            let found: Option<(i64, i64, f64)> = self
                .connection
                .query_row(
                    "SELECT d.id, d.revision, max(f.at) FROM deployment d
                     JOIN fetch f ON f.deployment = d.id WHERE d.uuid = ?1 GROUP BY d.id",
                    [uuid.to_string()],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                )
                .optional()?;
            let Some((id, revision, fetched_at)) = found else {
                return Ok(None);
            };
            let mut records = Records::default();
            // The order of the table's key, which the database need not sort.
            let mut statement = self.connection.prepare(
                "SELECT time, latitude, longitude, times, place FROM transmission
                 WHERE deployment = ?1 ORDER BY time, latitude, longitude",
            )?;
            let mut rows = statement.query([id])?;
            let mut same_time = SameTime::default();
            while let Some(row) = rows.next()? {
                same_time.add(
                    transmission(row)?,
                    row.get(3)?,
                    row.get(4)?,
                    &mut records.transmissions,
                );
            }
            same_time.end(&mut records.transmissions);
            unusable::read(&self.connection, id, &mut records)?;
            let mut statement = self.connection.prepare(
                "SELECT time, latitude, longitude FROM unsent WHERE deployment = ?1
                 ORDER BY time, latitude, longitude",
            )?;
            let rows = statement.query_map([id], transmission)?;
            records.unsent = rows.collect::<sql::Result<_>>()?;
            Ok(Some(StoredRecords {
                records,
                fetched_at,
                revision,
            }))
        };
        // The revision and the rows are of one state.
        self.reading(|_| read().map_err(|error| self.error(&error)))
    }

    /// The stored data of a deployment with the fields of its transmissions;
    /// `None` if nothing was ever received.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub(crate) fn stored_with_fields(
        &self,
        uuid: Uuid,
    ) -> Result<Option<StoredRecords>, ArchiveError> {
        self.reading(|one| {
            let Some(mut stored) = one.transmissions(uuid)? else {
                return Ok(None);
            };
            let keys = stored.records.transmissions.iter();
            let keys = keys.map(|one| fix_key(one.time_stamp, one.position));
            stored.records.fields = one.fields(uuid)?.of(keys);
            Ok(Some(stored))
        })
    }

    /// Descriptions of the stored records that cannot be read, by deployment.
    pub(super) fn damaged_records(&self) -> Result<Vec<String>, ArchiveError> {
        let mut found = Vec::new();
        for deployment in self.known()? {
            match self.stored_with_fields(deployment.uuid) {
                Ok(_) => {}
                Err(ArchiveError::Damaged { reason, .. }) => {
                    let uuid = deployment.uuid;
                    found.push(format!("stored records of {uuid} cannot be read: {reason}"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// The basis of the next request to `source` for the `fields`: of the last response
    /// nothing, if that came from another service, or to another request.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn request_basis(
        &self,
        uuid: Uuid,
        source: &str,
        fields: Option<&FieldChoice>,
    ) -> Result<RequestBasis, ArchiveError> {
        let mut basis = RequestBasis::default();
        let entry = self.entry(uuid)?.or_else(|| self.configured_entry(uuid));
        let limits = entry.map(|entry| entry.limits.fields).unwrap_or_default();
        basis.limited = limits.into_iter().map(|limit| limit.field).collect();
        let last = "SELECT max(t.time) FROM transmission t JOIN deployment d
            ON d.id = t.deployment WHERE d.uuid = ?1 AND t.time <= ?2";
        let values = params![uuid.to_string(), unix_now()];
        let latest = self.connection.query_row(last, values, |row| row.get(0));
        basis.latest = latest.map_err(|error| self.error(&error))?;
        let asked = fields.map(|fields| fields.with(&basis.limited).text());
        let are_timed = unusable::are_timed(&self.connection);
        let are_timed = are_timed.map_err(|error| self.error(&error))?;
        let found = self
            .connection
            .query_row(
                &format!(
                    "SELECT f.source, f.asked, f.etag, f.modified FROM fetch f
                     JOIN deployment d ON d.id = f.deployment
                     WHERE d.uuid = ?1 AND ({are_timed}) ORDER BY f.id DESC LIMIT 1"
                ),
                [uuid.to_string()],
                |row| {
                    let validators = Validators {
                        etag: sound_text(row, 2)?,
                        modified: sound_text(row, 3)?,
                    };
                    let is_same = sound_text(row, 0)?.as_deref() == Some(source)
                        && sound_text(row, 1)? == asked;
                    Ok(is_same.then_some(validators))
                },
            )
            .optional();
        let found = found.map_err(|error| self.error(&error))?;
        if let Some(validators) = found.flatten() {
            basis.validators = validators;
            if fields.is_some_and(FieldChoice::has_patterns) {
                basis.known = self.fields(uuid)?.names().map(str::to_owned).collect();
            }
        }
        Ok(basis)
    }

    /// Records that at time `at` the service confirmed the stored data as unchanged, in
    /// response to a request that `began` (both UNIX seconds): what was asked for before it
    /// says less.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn confirm(&mut self, uuid: Uuid, at: f64, began: f64) -> Result<(), ArchiveError> {
        let watched_also = self.configured.clone();
        self.writing_of(Some(&uuid), |transaction| {
            let confirmed: Option<(i64, Option<String>)> = transaction
                .query_row(
                    "UPDATE fetch SET at = CASE WHEN at > ?2 THEN at ELSE ?2 END,
                         began = CASE WHEN began > ?3 THEN began ELSE ?3 END WHERE id = (
                         SELECT max(f.id) FROM fetch f JOIN deployment d ON d.id = f.deployment
                         WHERE d.uuid = ?1)
                     RETURNING deployment, source",
                    params![uuid.to_string(), at, began],
                    |row| Ok((row.get(0)?, sound_text(row, 1)?)),
                )
                .optional()?;
            if let Some((id, source)) = confirmed {
                if let Some(source) = source {
                    reached(transaction, &source, uuid, &watched_also, at)?;
                }
                received::note(transaction, id)?;
            }
            Ok(())
        })
    }

    /// The flags that the user set for a deployment.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn overrides(&self, uuid: Uuid) -> Result<FlagOverrides, ArchiveError> {
        read_overrides(&self.connection, uuid).map_err(|error| self.error(&error))
    }

    /// The flags that the user set, of every deployment that has any.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn all_overrides(&self) -> Result<HashMap<Uuid, FlagOverrides>, ArchiveError> {
        let read = || -> sql::Result<Vec<String>> {
            self.connection
                .prepare(
                    "SELECT uuid FROM deployment
                     WHERE id IN (SELECT DISTINCT deployment FROM overruled)",
                )?
                .query_map([], |row| Ok(text(row, 0)?.unwrap_or_default()))?
                .collect()
        };
        let uuids = read().map_err(|error| self.error(&error))?;
        uuids
            .iter()
            .filter_map(|uuid| Uuid::parse_str(uuid).ok())
            .map(|uuid| Ok((uuid, self.overrides(uuid)?)))
            .collect()
    }

    /// Overrides the flag of a fix, or clears the override.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn set_override(
        &mut self,
        uuid: Uuid,
        fix: Transmission,
        flag: Option<Flag>,
        now: f64,
    ) -> Result<(), ArchiveError> {
        self.writing_of(Some(&uuid), |transaction| {
            write_override(transaction, uuid, fix, flag, now)
        })
    }

    /// Number of backfilled transmissions: received after a later one of their
    /// deployment.
    fn late(&self) -> Result<u64, ArchiveError> {
        self.connection
            .query_row(
                "SELECT CAST(coalesce(sum(late), 0) AS BIGINT) FROM fetch",
                [],
                |row| row.get::<i64>(0),
            )
            .map(|count| u64::try_from(count).unwrap_or(0))
            .map_err(|error| self.error(&error))
    }

    /// Numbers of stored deployments, of transmissions, of those absent from
    /// the latest response, of backfilled ones, of fetches, and of plant log
    /// entries.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn counts(&self) -> Result<[(&'static str, u64); 6], ArchiveError> {
        let count = |table: &str| {
            self.connection
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                    row.get::<i64>(0)
                })
                .map(|count| u64::try_from(count).unwrap_or(0))
                .map_err(|error| self.error(&error))
        };
        let fetches = || {
            self.connection
                .query_row(
                    "SELECT CAST(coalesce(sum(fetches), 0) AS BIGINT) FROM fetch",
                    [],
                    |row| row.get::<i64>(0),
                )
                .map(|count| u64::try_from(count).unwrap_or(0))
                .map_err(|error| self.error(&error))
        };
        Ok([
            ("deployments", count("deployment")?),
            ("transmissions", count("transmission")?),
            ("absent from latest response", count("unsent")?),
            ("backfilled transmissions", self.late()?),
            ("fetches", fetches()?),
            ("ledger", count("ledger")?),
        ])
    }
}

/// Sets or clears the override of a fix.
pub(super) fn write_override(
    connection: &Connection,
    uuid: Uuid,
    fix: Transmission,
    flag: Option<Flag>,
    now: f64,
) -> sql::Result<()> {
    let id = deployment(connection, uuid, now)?;
    let Transmission {
        time_stamp: time,
        position,
    } = fix;
    let place = params![id, time, position.latitude, position.longitude];
    match flag {
        None => connection.execute(
            "DELETE FROM overruled WHERE deployment = ?1 AND time = ?2 AND latitude = ?3 AND longitude = ?4",
            place,
        )?,
        Some(flag) => connection.execute(
            "INSERT INTO overruled VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (deployment, time, latitude, longitude) DO UPDATE SET flag = excluded.flag",
            params![id, time, position.latitude, position.longitude, flag.code()],
        )?,
    };
    Ok(())
}

/// The row number of a deployment, added if it is missing.
pub(super) fn deployment(connection: &Connection, uuid: Uuid, now: f64) -> sql::Result<i64> {
    connection.execute(
        "INSERT INTO deployment (uuid, added_at) VALUES (?1, ?2) ON CONFLICT (uuid) DO NOTHING",
        params![uuid.to_string(), now],
    )?;
    origins::write(connection, uuid)?;
    connection.query_row(
        "SELECT id FROM deployment WHERE uuid = ?1",
        [uuid.to_string()],
        |row| row.get(0),
    )
}

/// The transmission of a row that begins with time, latitude and longitude.
///
/// # Errors
/// When one of these is not a number.
pub(super) fn transmission(row: &Row) -> sql::Result<Transmission> {
    Ok(Transmission {
        time_stamp: row.get(0)?,
        position: Position {
            latitude: row.get(1)?,
            longitude: row.get(2)?,
        },
    })
}

/// Transmissions of one time, which come in the order of their places in the
/// response.
#[derive(Default)]
struct SameTime(Vec<(Transmission, i64, i64)>);

impl SameTime {
    /// Adds a transmission that came so many times, and its place. Those of an
    /// earlier time go to `all`.
    fn add(&mut self, one: Transmission, times: i64, place: i64, all: &mut Vec<Transmission>) {
        let is_of_run = |(first, ..): &(Transmission, i64, i64)| first.time_stamp == one.time_stamp;
        if !self.0.first().is_some_and(is_of_run) {
            self.end(all);
        }
        self.0.push((one, times, place));
    }

    fn end(&mut self, all: &mut Vec<Transmission>) {
        self.0.sort_by_key(|(.., place)| *place);
        for (one, times, _) in self.0.drain(..) {
            // A count beyond any response is damage and must not exhaust the
            // memory.
            for _ in 0..times.clamp(1, 1_000_000) {
                all.push(one);
            }
        }
    }
}

#[cfg(test)]
mod tests;
