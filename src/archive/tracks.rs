//! Stored transmissions, with when they were received if that was before their time,
//! invalid records, and fetches.

use uuid::Uuid;

use super::rows::{add_deployment, transmission};
use super::services::reached;
use super::sql::{Result, params};
use super::{Archive, ArchiveError, MadeOverview, fields, ingest, invalid, origins, overviews};
use crate::os::clock::unix_now;
use crate::os::loopback;
use crate::track::field::{FieldChoice, fix_key};
use crate::track::{Early, Records, Transmission};
use crate::watch::DeploymentId;
use crate::watch::{Answer, FetchDelta, RequestBasis, Validators};

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
        deployment: impl Into<DeploymentId>,
        answer: &Answer,
    ) -> Result<FetchDelta> {
        let (delta, _) = self.ingest_with(&deployment.into(), answer, None)?;
        Ok(delta)
    }

    /// As [`Archive::ingest`]; also stores the overview of the response, unless more than
    /// the response is stored. Returns the revision of the stored records, too.
    ///
    /// # Errors
    /// As [`Archive::ingest`].
    pub(crate) fn ingest_with(
        &mut self,
        deployment: &DeploymentId,
        answer: &Answer,
        overview: Option<&MadeOverview>,
    ) -> Result<(FetchDelta, i64)> {
        let uuid = deployment.uuid;
        let configured = self.configured.clone();
        self.writing_of(Some(&uuid), |transaction| {
            let id = add_deployment(transaction, deployment, answer.received_at)?;
            let base = origins::known_base(transaction, uuid)?;
            let last: Option<(Option<String>, f64)> = transaction.optional_row(
                "SELECT source, began FROM fetch WHERE deployment = ?1 ORDER BY id DESC LIMIT 1",
                [id],
                |row| Ok((row.sound_text(0), row.get(1)?)),
            )?;
            let (source, began) = last.unzip();
            // Where no service is known, any loopback address may lead to the same one.
            let other = match base {
                Some(base) => Some(base).filter(|base| *base != answer.source),
                None => source
                    .flatten()
                    .filter(|known| !loopback::may_be_one_service(known, &answer.source)),
            };
            if let Some(known) = other {
                return Err(ArchiveError::Elsewhere { known });
            }
            // A response whose request precedes that of the stored response is older. A stored
            // time in the future is of a clock that was ahead.
            let is_earlier = |stored: f64| stored > answer.began() && stored <= answer.received_at;
            let earlier = if began.is_some_and(is_earlier) {
                Some(ingest::of_new_times(transaction, id, answer)?)
            } else {
                None
            };
            let answer = earlier.as_ref().unwrap_or(answer);
            let known = ingest::known(transaction, id)?;
            let asked = answer.asked.as_ref();
            let stored = fields::store(transaction, id, &answer.records, asked)?;
            let fields = stored.ok_or_else(|| transaction.damaged(fields::damage(uuid)))?;
            let added = match &earlier {
                Some(new) => ingest::add(transaction, id, known, new)?,
                None => {
                    let has_other_fields = !fields.changed.is_empty();
                    ingest::ingest(transaction, id, known, answer, has_other_fields)?
                }
            };
            let delta = FetchDelta {
                unstored_fields: fields.unkept,
                is_part: added.is_part || fields.are_fewer || earlier.is_some(),
                ..added
            };
            if let Some(made) = overview.filter(|_| !delta.is_part) {
                overviews::write(transaction, id, made)?;
            }
            let at = answer.received_at;
            reached(transaction, &answer.source, uuid, &configured, at)?;
            let revision = "SELECT revision FROM deployment WHERE id = ?1";
            Ok((delta, transaction.row(revision, [id], |row| row.get(0))?))
        })
    }

    /// The stored data of a deployment; `None` if nothing was ever received. The fields of
    /// its transmissions are left out unless quality control needs them.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn stored(&self, uuid: Uuid) -> Result<Option<StoredRecords>> {
        self.reading(|archive| {
            if archive.has_fields_of_quality(uuid)? {
                archive
                    .stored_with_fields(uuid)
                    .or_else(|_| archive.transmissions(uuid))
            } else {
                archive.transmissions(uuid)
            }
        })
    }

    /// The stored data of a deployment without the fields of its transmissions.
    fn transmissions(&self, uuid: Uuid) -> Result<Option<StoredRecords>> {
        // The revision and the rows are of the same state.
        self.reading(|archive| {
            let connection = &archive.connection;
            let found: Option<(i64, i64, f64)> = connection.optional_row(
                "SELECT d.id, d.revision, max(f.at) FROM deployment d
                 JOIN fetch f ON f.deployment = d.id WHERE d.uuid = ?1 GROUP BY d.id",
                [uuid.to_string()],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )?;
            let Some((id, revision, fetched_at)) = found else {
                return Ok(None);
            };
            let mut records = Records {
                received: Some(fetched_at),
                ..Records::default()
            };
            let mut same = SameTime::new();
            // The order of the table's key, which the database need not sort.
            connection.each_row(
                "SELECT time, latitude, longitude, times, record_index, received
                 FROM transmission WHERE deployment = ?1 ORDER BY time, latitude, longitude",
                [id],
                |row| {
                    let fix = transmission(row)?;
                    let received: Option<f64> = row.get(5)?;
                    let early = received.map(|received| Early { fix, received });
                    records.early.extend(early);
                    if same
                        .first()
                        .is_some_and(|(first, ..)| first.time_stamp < fix.time_stamp)
                    {
                        end_time(&mut same, &mut records.transmissions);
                    }
                    same.push((fix, row.get(3)?, row.get(4)?));
                    Ok(())
                },
            )?;
            end_time(&mut same, &mut records.transmissions);
            invalid::read(connection, id, &mut records)?;
            records.unsent = connection.rows(
                "SELECT time, latitude, longitude FROM absent WHERE deployment = ?1
                 ORDER BY time, latitude, longitude",
                [id],
                transmission,
            )?;
            Ok(Some(StoredRecords {
                records,
                fetched_at,
                revision,
            }))
        })
    }

    /// The stored data of a deployment with the fields of its transmissions;
    /// `None` if nothing was ever received.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub(crate) fn stored_with_fields(&self, uuid: Uuid) -> Result<Option<StoredRecords>> {
        self.reading(|archive| {
            let Some(mut stored) = archive.transmissions(uuid)? else {
                return Ok(None);
            };
            let fixes = stored.records.transmissions.iter();
            let keys = fixes.map(|fix| fix_key(fix.time_stamp, fix.position));
            stored.records.fields = archive.fields(uuid)?.rows(keys);
            Ok(Some(stored))
        })
    }

    /// Descriptions of the stored records that cannot be read, by deployment.
    pub(super) fn damaged_records(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for deployment in self.known()? {
            match self.stored_with_fields(deployment.id.uuid) {
                Ok(_) => {}
                Err(ArchiveError::Damaged { reason, .. }) => {
                    let uuid = deployment.id.uuid;
                    found.push(format!("stored records of {uuid} cannot be read: {reason}"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// The basis of the next request to `source` for the `fields`; without validators if the
    /// last response was of a different service, or to a different request.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn request_basis(
        &self,
        uuid: Uuid,
        source: &str,
        fields: Option<&FieldChoice>,
    ) -> Result<RequestBasis> {
        let mut basis = RequestBasis::default();
        let entry = self.entry(uuid)?.or_else(|| self.configured_entry(uuid));
        let limits = entry.map(|entry| entry.limits.fields).unwrap_or_default();
        basis.limited = limits.into_iter().map(|limit| limit.field).collect();
        let last = "SELECT max(t.time) FROM transmission t JOIN deployment d
            ON d.id = t.deployment WHERE d.uuid = ?1 AND t.time <= ?2";
        let values = params![uuid.to_string(), unix_now()];
        basis.latest = self.connection.row(last, values, |row| row.get(0))?;
        let asked = fields.map(|fields| fields.with(&basis.limited).text());
        let found = self.connection.optional_row(
            "SELECT f.source, f.asked, f.etag, f.modified FROM fetch f
             JOIN deployment d ON d.id = f.deployment
             WHERE d.uuid = ?1 ORDER BY f.id DESC LIMIT 1",
            [uuid.to_string()],
            |row| {
                let validators = Validators {
                    etag: row.sound_text(2),
                    modified: row.sound_text(3),
                };
                let is_same =
                    row.sound_text(0).as_deref() == Some(source) && row.sound_text(1) == asked;
                Ok(is_same.then_some(validators))
            },
        )?;
        if let Some(validators) = found.flatten() {
            basis.validators = validators;
            if fields.is_some_and(FieldChoice::has_patterns) {
                basis.known = self.fields(uuid)?.names().map(str::to_owned).collect();
            }
        }
        Ok(basis)
    }

    /// Records that an answer confirmed the stored data as unchanged: answers to earlier requests
    /// are older.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn confirm(&mut self, uuid: Uuid, answer: &Answer) -> Result<()> {
        let at = answer.received_at;
        let began = answer.began();
        let configured = self.configured.clone();
        self.writing_of(Some(&uuid), |transaction| {
            let last = "SELECT f.id, f.deployment, f.source FROM fetch f
                JOIN deployment d ON d.id = f.deployment WHERE d.uuid = ?1 ORDER BY f.id DESC LIMIT 1";
            let confirmed: Option<(i64, i64, Option<String>)> = transaction
                .optional_row(last, [uuid.to_string()], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.sound_text(2)))
                })?;
            if let Some((last, id, source)) = confirmed {
                // A row of its own: what whole answers cost has a limit in a day, and the waits
                // of what has never sent begin at the first.
                let fetch = transaction.next_fetch()?;
                transaction.execute(
                    "INSERT INTO fetch (id, deployment, at, status, bytes, idle, new, late, source, etag, modified, asked, began, ahead)
                     SELECT ?1, deployment, CASE WHEN at > ?4 THEN at ELSE ?4 END, ?2, ?3,
                         CASE WHEN idle = 0 AND at > ?5 THEN 0 ELSE ?3 END, 0, 0, source, etag, modified, asked,
                         CASE WHEN began > ?5 THEN began ELSE ?5 END, ?6
                     FROM fetch WHERE id = ?7",
                    params![
                        fetch,
                        answer.status,
                        i64::try_from(answer.bytes).unwrap_or(i64::MAX),
                        at,
                        began,
                        answer.clock_ahead_s,
                        last
                    ],
                )?;
                ingest::sum_up_the_day(transaction, id, fetch)?;
                if let Some(source) = source {
                    reached(transaction, &source, uuid, &configured, at)?;
                }
            }
            Ok(())
        })
    }

    /// Numbers of stored deployments, of transmissions, of those absent from
    /// the latest response, of backfilled ones, of fetches, and of plant log
    /// entries.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn counts(&self) -> Result<[(&'static str, u64); 6]> {
        let number = |what: &str, table: &str| {
            let query = format!("SELECT CAST(coalesce({what}, 0) AS BIGINT) FROM {table}");
            let number = self.connection.row(&query, (), |row| row.get::<i64>(0))?;
            Ok(u64::try_from(number).unwrap_or(0))
        };
        Ok([
            ("deployments", number("count(*)", "deployment")?),
            ("transmissions", number("count(*)", "transmission")?),
            ("absent from latest response", number("count(*)", "absent")?),
            ("backfilled transmissions", number("sum(late)", "fetch")?),
            ("fetches", number("sum(fetches)", "fetch")?),
            ("plant log", number("count(*)", "plant_log")?),
        ])
    }
}

/// Transmissions of the same time, each with its number of duplicates and its index in the
/// response.
type SameTime = Vec<(Transmission, i64, i64)>;

/// Moves transmissions of the same time to `all`, in the order of the response.
fn end_time(same: &mut SameTime, all: &mut Vec<Transmission>) {
    same.sort_by_key(|(.., index)| *index);
    for (fix, times, _) in same.drain(..) {
        // A count beyond any response is damage and must not exhaust the memory.
        let count = usize::try_from(times.clamp(1, 1_000_000)).unwrap_or(1);
        all.extend(std::iter::repeat_n(fix, count));
    }
}

#[cfg(test)]
mod tests;
