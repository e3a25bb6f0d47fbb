//! The overviews of tracks that lists show, a row for each deployment, so that nobody
//! reads the track for it. A row holds while it is of the fixes and of the choices that
//! there are; one that does not is made anew by whoever needs it.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::connection::Connection;
use super::sql::{self, OptionalExtension, Row, ValueRef, number, params, sound_text};
use super::{Archive, ArchiveError};
use crate::track::overview::ReadOverview;
use crate::track::overview::basis;
use crate::track::{Overview, TrackOptions};

/// So many are looked for one by one; for more of them all rows are read.
const ONE_BY_ONE: usize = 16;

/// The overview of a track that was made of stored fixes.
#[derive(Debug, Clone)]
pub(crate) struct MadeOverview {
    /// The deployment.
    pub uuid: Uuid,
    /// The revision of the records; `None`: they are those of the response that is
    /// stored with it.
    pub revision: Option<i64>,
    /// The choices, with the time.
    pub options: TrackOptions,
    /// The overview that lists show.
    pub overview: Arc<Overview>,
    /// Until when it holds, UNIX seconds.
    until: f64,
}

impl MadeOverview {
    /// The overview of a track that was made of fixes at these times (UNIX seconds,
    /// ascending) with these choices.
    pub(crate) fn new(
        uuid: Uuid,
        revision: Option<i64>,
        overview: Arc<Overview>,
        times: &[f64],
        options: TrackOptions,
    ) -> Self {
        Self {
            uuid,
            revision,
            until: held_until(times, options.now),
            options,
            overview,
        }
    }
}

/// Until when what was made of fixes at these times (UNIX seconds, ascending) holds:
/// then a fix that was ahead at `now` has come, or one that was too far ahead is so no
/// more.
fn held_until(times: &[f64], now: f64) -> f64 {
    /// As quality control has it, seconds.
    const AHEAD_S: f64 = 86_400.0;
    let after = |ahead_s: f64| {
        let ahead = times.partition_point(|time| *time <= now + ahead_s);
        times
            .get(ahead)
            .map_or(f64::INFINITY, |time| time - ahead_s)
    };
    after(0.0).min(after(AHEAD_S))
}

/// A row of [`COLUMNS`].
struct StoredRow {
    revision: i64,
    basis: Option<i64>,
    until: Option<f64>,
    body: Option<Vec<u8>>,
    fetched_at: f64,
}

const COLUMNS: &str = "d.uuid, d.revision, o.basis, o.until, o.body,
     (SELECT max(f.at) FROM fetch f WHERE f.deployment = d.id) FROM deployment d
     LEFT JOIN overview o ON o.deployment = d.id
     WHERE EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = d.id)";

impl StoredRow {
    fn read(row: &Row) -> sql::Result<(Option<Uuid>, Self)> {
        let integer = |column| -> sql::Result<Option<i64>> {
            Ok(match row.get_ref(column)? {
                ValueRef::Integer(number) => Some(number),
                _ => None,
            })
        };
        let uuid = sound_text(row, 0)?.and_then(|uuid| Uuid::parse_str(&uuid).ok());
        let stored = Self {
            revision: row.get(1)?,
            basis: integer(2)?,
            until: number(row, 3)?,
            body: match row.get_ref(4)? {
                ValueRef::Blob(body) => Some(body.to_vec()),
                _ => None,
            },
            fetched_at: number(row, 5)?.unwrap_or_default(),
        };
        Ok((uuid, stored))
    }

    /// The overview, where it holds for these choices.
    fn holding(&self, options: &TrackOptions) -> Option<Overview> {
        let wanted = basis(self.revision, options);
        let is_of_them = self.basis == Some(wanted.cast_signed());
        let holds = is_of_them && self.until.is_none_or(|until| options.now < until);
        Overview::from_bytes(self.body.as_ref().filter(|_| holds)?)
    }
}

impl Archive {
    /// The overviews of those of these deployments that have stored data, each with the
    /// choices of its track. The stored flags count besides those of the choices.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn overviews(
        &self,
        wanted: Vec<(Uuid, TrackOptions)>,
    ) -> Result<Vec<ReadOverview>, ArchiveError> {
        let few = wanted.len() <= ONE_BY_ONE;
        let mut overrides = if few {
            HashMap::new()
        } else {
            self.all_overrides()?
        };
        let mut rows = self.rows(few.then_some(wanted.as_slice()))?;
        let mut found = Vec::with_capacity(wanted.len());
        for (uuid, options) in wanted {
            let Some(row) = rows.remove(&uuid) else {
                continue;
            };
            let overrides = if few {
                self.overrides(uuid)?
            } else {
                overrides.remove(&uuid).unwrap_or_default()
            };
            let options = TrackOptions {
                overrules: overrides.merged_with(&options.overrules),
                ..options
            };
            found.push(ReadOverview {
                uuid,
                overview: row.holding(&options).map(Arc::new),
                overrides,
                options: Box::new(options),
                fetched_at: row.fetched_at,
            });
        }
        Ok(found)
    }

    /// The rows of these deployments, or of all.
    fn rows(
        &self,
        of: Option<&[(Uuid, TrackOptions)]>,
    ) -> Result<HashMap<Uuid, StoredRow>, ArchiveError> {
        let read = || -> sql::Result<HashMap<Uuid, StoredRow>> {
            let mut all = HashMap::new();
            let mut add = |(uuid, row): (Option<Uuid>, StoredRow)| {
                all.extend(uuid.map(|uuid| (uuid, row)));
            };
            match of {
                Some(wanted) => {
                    let one = format!("SELECT {COLUMNS} AND d.uuid = ?1");
                    for (uuid, _) in wanted {
                        let found =
                            self.connection
                                .query_row(&one, [uuid.to_string()], StoredRow::read);
                        found.optional()?.map(&mut add);
                    }
                }
                None => {
                    let mut statement = self.connection.prepare(&format!("SELECT {COLUMNS}"))?;
                    let mut rows = statement.query([])?;
                    while let Some(row) = rows.next()? {
                        add(StoredRow::read(row)?);
                    }
                }
            }
            Ok(all)
        };
        read().map_err(|error| self.error(&error))
    }

    /// Stores what lists show of tracks, where the fixes that it was made of are
    /// still those that are stored.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn store_overviews(&mut self, made: &[MadeOverview]) -> Result<(), ArchiveError> {
        let one = match made {
            [one] => Some(&one.uuid),
            _ => None,
        };
        self.writing_of(one, |transaction| {
            for one in made {
                let id: Option<i64> = transaction
                    .query_row(
                        "SELECT id FROM deployment WHERE uuid = ?1",
                        [one.uuid.to_string()],
                        |row| row.get(0),
                    )
                    .optional()?;
                if let Some(id) = id {
                    write(transaction, id, one)?;
                }
            }
            Ok(())
        })
    }
}

/// Writes a row, where the fixes that it was made of are those that are stored. One
/// with failed fixes is the choice of a session, which no other reads.
pub(super) fn write(transaction: &Connection, id: i64, made: &MadeOverview) -> sql::Result<()> {
    let query = "SELECT revision FROM deployment WHERE id = ?1";
    let revision: i64 = transaction.query_row(query, [id], |row| row.get(0))?;
    if made.revision.is_some_and(|of| of != revision) {
        return Ok(());
    }
    if !made.options.exclude_failed {
        return Ok(());
    }
    let until = Some(made.until).filter(|until| until.is_finite());
    transaction.execute(
        "INSERT INTO overview (deployment, basis, until, body) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (deployment)
         DO UPDATE SET basis = excluded.basis, until = excluded.until, body = excluded.body",
        params![
            id,
            basis(revision, &made.options).cast_signed(),
            until,
            made.overview.to_bytes(),
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
