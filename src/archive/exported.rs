//! What an export to an object store reads: what is known of each deployment, and
//! its records a page at a time, so that no track is in memory as a whole.

use uuid::Uuid;

use super::connection::Connection;
use super::sql::{self, Row, params, text};
use super::tracks::transmission;
use super::{Archive, ArchiveError};
use crate::track::{Flag, Transmission};

/// What tells whether a deployment has changed since it was exported.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArchivedDeployment {
    /// Its number in this archive.
    pub(crate) id: i64,
    pub(crate) uuid: Uuid,
    pub(crate) label: Option<String>,
    /// A number that is higher after every change of its records or their fields.
    pub(crate) revision: i64,
    /// The number of its last fetch.
    pub(crate) last_fetch: i64,
    /// The number of its last batch of fields; 0 without fields.
    pub(crate) last_batch: i64,
}

/// A stored record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ArchivedRecord {
    pub(crate) one: Transmission,
    /// The number of the fetch that brought it.
    pub(crate) first_seen: i64,
}

const DEPLOYMENTS: &str = "SELECT d.id, d.uuid, d.revision,
        (SELECT max(f.id) FROM fetch f WHERE f.deployment = d.id),
        (SELECT coalesce(max(b.id), 0) FROM field_batch b WHERE b.deployment = d.id),
        d.label
    FROM deployment d WHERE EXISTS (SELECT 1 FROM fetch f WHERE f.deployment = d.id)
    ORDER BY d.id";

/// `None` where the UUID cannot be read.
fn deployment(row: &Row) -> sql::Result<Option<ArchivedDeployment>> {
    let uuid: String = row.get(1)?;
    let Ok(uuid) = Uuid::parse_str(&uuid) else {
        return Ok(None);
    };
    Ok(Some(ArchivedDeployment {
        id: row.get(0)?,
        uuid,
        label: text(row, 5)?,
        revision: row.get(2)?,
        last_fetch: row.get(3)?,
        last_batch: row.get(4)?,
    }))
}

fn deployments(connection: &Connection) -> sql::Result<Vec<ArchivedDeployment>> {
    let mut statement = connection.prepare(DEPLOYMENTS)?;
    let rows: Vec<_> = statement
        .query_map([], deployment)?
        .collect::<sql::Result<_>>()?;
    Ok(rows.into_iter().flatten().collect())
}

impl Archive {
    /// All deployments of which something was received.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn archived_deployments(&self) -> Result<Vec<ArchivedDeployment>, ArchiveError> {
        deployments(&self.connection).map_err(|error| self.error(&error))
    }

    /// The records of a deployment from a time up to and without another, UNIX
    /// seconds: the first `most` of those after the record `after`, by time.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn archived_records(
        &self,
        id: i64,
        (from, until): (f64, f64),
        after: Option<&ArchivedRecord>,
        most: usize,
    ) -> Result<Vec<ArchivedRecord>, ArchiveError> {
        let read = |row: &Row| {
            Ok(ArchivedRecord {
                one: transmission(row)?,
                first_seen: row.get(3)?,
            })
        };
        let page = || -> sql::Result<Vec<ArchivedRecord>> {
            let next = match after {
                None => "",
                Some(_) => "AND (time, latitude, longitude) > (?2, ?4, ?5)",
            };
            let mut statement = self.connection.prepare(&format!(
                "SELECT time, latitude, longitude, first_seen FROM transmission
                 WHERE deployment = ?1 AND time >= ?2 AND time < ?3 {next}
                 ORDER BY time, latitude, longitude LIMIT {most}"
            ))?;
            match after {
                None => statement
                    .query_map(params![id, from, until], read)?
                    .collect(),
                Some(ArchivedRecord { one, .. }) => {
                    let (time, place) = (one.time_stamp, one.position);
                    let values = params![id, time, until, place.latitude, place.longitude];
                    statement.query_map(values, read)?.collect()
                }
            }
        };
        page().map_err(|error| self.error(&error))
    }

    /// The numbers and times (UNIX seconds) of the stored fetches of a deployment,
    /// by number. A record was received at the latest at the time of the first
    /// whose number is not below that of its own: the fetches of a day are summed
    /// up in the last of them, and a confirmed one has the time at which it was
    /// confirmed last.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn fetch_times(&self, id: i64) -> Result<Vec<(i64, f64)>, ArchiveError> {
        let read = || -> sql::Result<Vec<(i64, f64)>> {
            let mut statement = self
                .connection
                .prepare("SELECT id, at FROM fetch WHERE deployment = ?1 ORDER BY id")?;
            statement
                .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        read().map_err(|error| self.error(&error))
    }

    /// The flags that the user set, each with the number of its deployment.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn archived_overrides(
        &self,
    ) -> Result<Vec<(i64, Transmission, Flag)>, ArchiveError> {
        let read = || -> sql::Result<Vec<(i64, Transmission, Option<Flag>)>> {
            let mut statement = self
                .connection
                .prepare("SELECT time, latitude, longitude, flag, deployment FROM overruled")?;
            let row = |row: &Row| {
                let flag = Flag::from_code(row.get(3)?);
                Ok((row.get(4)?, transmission(row)?, flag))
            };
            statement.query_map([], row)?.collect()
        };
        let rows = read().map_err(|error| self.error(&error))?;
        let known = rows.into_iter();
        Ok(known
            .filter_map(|(id, one, flag)| Some((id, one, flag?)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::geo::Position;
    use crate::track::{Answer, Records};

    const DEPLOYMENT: Uuid = Uuid::from_u128(7);

    fn ingested(archive: &mut Archive, fixes: &[(f64, f64)], at: f64) {
        let transmissions = fixes
            .iter()
            .map(|&(time_stamp, latitude)| Transmission {
                time_stamp,
                position: Position {
                    latitude,
                    longitude: 5.0,
                },
            })
            .collect();
        let answer = Answer {
            records: Arc::new(Records {
                transmissions,
                ..Records::default()
            }),
            ..Answer::new(200, "http://127.0.0.1:1", at)
        };
        archive.ingest(DEPLOYMENT, &answer).unwrap();
    }

    #[test]
    fn records_are_read_in_pages_each_once_and_in_their_order() {
        let mut archive = Archive::in_memory().unwrap();
        // Several of one time, and more than a page.
        let fixes: Vec<(f64, f64)> = (0..25u32)
            .map(|n| (f64::from(n / 3) * 60.0, f64::from(n)))
            .collect();
        ingested(&mut archive, &fixes, 1e6);
        let id = archive.archived_deployments().unwrap()[0].id;
        for most in [1, 2, 3, 7, 100] {
            let mut all: Vec<ArchivedRecord> = Vec::new();
            loop {
                let last = all.last().copied();
                let page = archive.archived_records(id, (60.0, 420.0), last.as_ref(), most);
                let page = page.unwrap();
                assert!(page.len() <= most);
                if page.is_empty() {
                    break;
                }
                all.extend(page);
            }
            let read: Vec<(f64, f64)> = all
                .iter()
                .map(|row| (row.one.time_stamp, row.one.position.latitude))
                .collect();
            assert_eq!(read, fixes[3..21], "{most}");
        }
    }

    #[test]
    fn what_is_known_of_a_deployment_changes_with_its_records() {
        let mut archive = Archive::in_memory().unwrap();
        assert_eq!(archive.archived_deployments().unwrap(), []);
        ingested(&mut archive, &[(0.0, 1.0)], 1e6);
        let before = archive.archived_deployments().unwrap();
        let id = before[0].id;
        ingested(&mut archive, &[(0.0, 1.0), (60.0, 2.0)], 2e6);
        let after = archive.archived_deployments().unwrap().remove(0);
        assert!(after.last_fetch > before[0].last_fetch);
        let records = archive.archived_records(id, (-1e9, 1e9), None, 9).unwrap();
        assert_eq!(records[0].first_seen, before[0].last_fetch);
        assert_eq!(records[1].first_seen, after.last_fetch);
        assert!(after.revision > before[0].revision);
        let times = archive.fetch_times(id).unwrap();
        assert_eq!(times.last(), Some(&(after.last_fetch, 2e6)));
    }
}
