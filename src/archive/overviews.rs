//! The overviews of tracks for lists, a row for each deployment, so that a list need not
//! read tracks. A row is valid as long as the fixes and the options are the same; who needs
//! an overview whose row is not valid makes it again.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::Archive;
use super::connection::Connection;
use super::last_answers::{CLOCK, clock_from};
use super::rows::deployment_id;
use super::sql::{Result, params};
use crate::track::{Track, TrackOptions};
use crate::watch::Overview;
use crate::watch::overview::{ReadOverview, basis};

/// The deployments that one query reads.
const AT_ONCE: usize = 500;

/// The overview of a track that was made of stored fixes.
#[derive(Debug, Clone)]
pub(crate) struct MadeOverview {
    /// The deployment.
    pub uuid: Uuid,
    /// The revision of the records; `None` for the response that is stored with it.
    pub revision: Option<i64>,
    /// The options, with the time.
    pub options: TrackOptions,
    /// The overview that lists show.
    pub overview: Arc<Overview>,
    /// Until when it is valid, UNIX seconds.
    until: f64,
}

impl MadeOverview {
    /// The overview of a track that was made with these options.
    pub(crate) fn new(
        uuid: Uuid,
        revision: Option<i64>,
        overview: Arc<Overview>,
        track: &Track,
        options: TrackOptions,
    ) -> Self {
        Self {
            uuid,
            revision,
            until: valid_until(track, options.now),
            options,
            overview,
        }
    }
}

/// Until when an overview of a track is valid: until the time of a fix that was ahead of `now`, or until a fix is no longer too far ahead.
fn valid_until(track: &Track, now: f64) -> f64 {
    /// The limit of quality control, seconds.
    const AHEAD_S: f64 = 86_400.0;
    let after = |ahead_s: f64| {
        let ahead = track.time_stamp(track.count_until(now + ahead_s));
        ahead.map_or(f64::INFINITY, |time| time - ahead_s)
    };
    after(0.0).min(after(AHEAD_S))
}

impl Archive {
    /// The overviews of those of these deployments that have stored data, each with the
    /// options of its track, to which the stored flags are added.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn overviews(&self, wanted: Vec<(Uuid, TrackOptions)>) -> Result<Vec<ReadOverview>> {
        let mut overrides = match wanted.as_slice() {
            [(uuid, _)] => HashMap::from([(*uuid, self.overrides(*uuid)?)]),
            _ => self.all_overrides()?,
        };
        let mut found = Vec::with_capacity(wanted.len());
        for some in wanted.chunks(AT_ONCE) {
            let uuids: Vec<String> = some.iter().map(|(uuid, _)| format!("'{uuid}'")).collect();
            let query = format!(
                "SELECT d.uuid, d.revision, o.basis, o.until, o.body,
                     (SELECT max(m.at) FROM fetch m WHERE m.deployment = d.id), {CLOCK}
                 FROM deployment d
                 JOIN fetch f ON f.id = (SELECT max(l.id) FROM fetch l WHERE l.deployment = d.id)
                 LEFT JOIN overview o ON o.deployment = d.id WHERE d.uuid IN ({})",
                uuids.join(",")
            );
            let mut some: HashMap<Uuid, TrackOptions> = some.iter().cloned().collect();
            self.connection.each_row(&query, (), |row| {
                let wanted = row.uuid(0).and_then(|uuid| some.remove_entry(&uuid));
                let Some((uuid, options)) = wanted else {
                    return Ok(());
                };
                let overrides = overrides.remove(&uuid).unwrap_or_default();
                let now = options.now;
                let merged = TrackOptions {
                    overrules: overrides.merged_with(&options.overrules),
                    ..options
                };
                let options = merged.by_clock(clock_from(row, 6), now);
                let basis = basis(row.get(1)?, &options).cast_signed();
                let is_valid = row
                    .get(2)
                    .is_ok_and(|known: Option<i64>| known == Some(basis))
                    && row.number(3).is_none_or(|until| options.now < until);
                let body = row.blob(4).filter(|_| is_valid);
                found.push(ReadOverview {
                    uuid,
                    overview: body.and_then(Overview::from_bytes).map(Arc::new),
                    overrides,
                    options: Box::new(options),
                    fetched_at: row.number(5).unwrap_or_default(),
                });
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// Stores overviews, each if the fixes that it was made of are still those that are
    /// stored.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn store_overviews(&mut self, made: &[MadeOverview]) -> Result<()> {
        let of = match made {
            [overview] => Some(&overview.uuid),
            _ => None,
        };
        self.writing_of(of, |transaction| {
            for overview in made {
                if let Some(id) = deployment_id(transaction, overview.uuid)? {
                    write(transaction, id, overview)?;
                }
            }
            Ok(())
        })
    }
}

/// Writes a row, if the fixes that it was made of are those that are stored. An overview
/// with failed fixes is of this session only, and not stored.
pub(super) fn write(transaction: &Connection, id: i64, made: &MadeOverview) -> Result<()> {
    let query = "SELECT revision FROM deployment WHERE id = ?1";
    let revision: i64 = transaction.row(query, [id], |row| row.get(0))?;
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
