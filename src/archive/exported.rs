//! The data for an export to an object store: the deployments, and their records a
//! page at a time, so that no whole track is in memory.

use std::ops::Range;

use uuid::Uuid;

use super::Archive;
use super::sql::{Result, params};
use super::tracks::transmission;
use crate::track::Transmission;

/// A deployment of the archive.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArchivedDeployment {
    /// Its number in this archive.
    pub(crate) id: i64,
    pub(crate) uuid: Uuid,
    pub(crate) label: Option<String>,
}

/// The records of a deployment in a time range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArchivedPart {
    pub(crate) rows: u64,
    /// The greatest number of a fetch that first had one of them: it changes with every
    /// record that is added.
    pub(crate) last_seen: i64,
}

/// A stored record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ArchivedRecord {
    pub(crate) fix: Transmission,
    /// The number of the fetch that first had it.
    pub(crate) first_seen: i64,
}

impl Archive {
    /// All deployments.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn archived_deployments(&self) -> Result<Vec<ArchivedDeployment>> {
        let all = "SELECT id, uuid, label FROM deployment ORDER BY id";
        let deployments = self.connection.rows(all, (), |row| {
            let uuid = Uuid::parse_str(&row.get::<String>(1)?).ok();
            let id = row.get(0)?;
            let label = row.text(2);
            Ok(uuid.map(|uuid| ArchivedDeployment { id, uuid, label }))
        })?;
        Ok(deployments.into_iter().flatten().collect())
    }

    /// The time of the first record of a deployment at a time or after it, UNIX seconds;
    /// `None` for no record.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn next_archived(&self, id: i64, from: f64) -> Result<Option<f64>> {
        self.connection.row(
            "SELECT min(time) FROM transmission WHERE deployment = ?1 AND time >= ?2",
            params![id, from],
            |row| row.get(0),
        )
    }

    /// How many records a deployment has from a time up to and without another, UNIX
    /// seconds; `None` for no record.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn archived_part(
        &self,
        id: i64,
        range: &Range<f64>,
    ) -> Result<Option<ArchivedPart>> {
        self.connection.row(
            "SELECT count(*), max(first_seen) FROM transmission
             WHERE deployment = ?1 AND time >= ?2 AND time < ?3",
            params![id, range.start, range.end],
            |row| {
                let rows: i64 = row.get(0)?;
                let last_seen: Option<i64> = row.get(1)?;
                Ok(last_seen.map(|last_seen| ArchivedPart {
                    rows: rows.cast_unsigned(),
                    last_seen,
                }))
            },
        )
    }

    /// The records of a deployment from a time up to and without another, UNIX
    /// seconds: the first `most` of those after the record `after`, by time.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn archived_records(
        &self,
        id: i64,
        range: &Range<f64>,
        after: Option<&ArchivedRecord>,
        most: usize,
    ) -> Result<Vec<ArchivedRecord>> {
        let (next, values) = match after {
            None => ("", params![id, range.start, range.end]),
            Some(ArchivedRecord { fix, .. }) => {
                let time = fix.time_stamp;
                let position = fix.position;
                let values = params![id, time, range.end, position.latitude, position.longitude];
                ("AND (time, latitude, longitude) > (?2, ?4, ?5)", values)
            }
        };
        self.connection.rows(
            &format!(
                "SELECT time, latitude, longitude, first_seen FROM transmission
                 WHERE deployment = ?1 AND time >= ?2 AND time < ?3 {next}
                 ORDER BY time, latitude, longitude LIMIT {most}"
            ),
            values,
            |row| {
                Ok(ArchivedRecord {
                    fix: transmission(row)?,
                    first_seen: row.get(3)?,
                })
            },
        )
    }

    /// The numbers and times (UNIX seconds) of the stored fetches of a deployment,
    /// by number. A record was received at the latest at the time of the first
    /// whose number is not below that of its own: the fetches of a day are summed
    /// up in the last of them, and a confirmed one has the time at which it was
    /// confirmed last.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn fetch_times(&self, id: i64) -> Result<Vec<(i64, f64)>> {
        let times = "SELECT id, at FROM fetch WHERE deployment = ?1 ORDER BY id";
        self.connection
            .rows(times, [id], |row| Ok((row.get(0)?, row.get(1)?)))
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
                let page = archive.archived_records(id, &(60.0..420.0), last.as_ref(), most);
                let page = page.unwrap();
                assert!(page.len() <= most);
                if page.is_empty() {
                    break;
                }
                all.extend(page);
            }
            let read: Vec<(f64, f64)> = all
                .iter()
                .map(|row| (row.fix.time_stamp, row.fix.position.latitude))
                .collect();
            assert_eq!(read, fixes[3..21], "{most}");
        }
    }

    #[test]
    fn what_is_known_of_a_part_changes_with_its_records_and_with_no_others() {
        let mut archive = Archive::in_memory().unwrap();
        assert_eq!(archive.archived_deployments().unwrap(), []);
        ingested(&mut archive, &[(0.0, 1.0)], 1e6);
        let known = archive.archived_deployments().unwrap().remove(0);
        let id = known.id;
        let part =
            |archive: &Archive, from| archive.archived_part(id, &(from..from + 60.0)).unwrap();
        let before = part(&archive, 0.0).unwrap();
        assert_eq!(part(&archive, 60.0), None);
        ingested(&mut archive, &[(0.0, 1.0), (60.0, 2.0)], 2e6);
        assert_eq!(archive.next_archived(id, 0.5).unwrap(), Some(60.0));
        assert_eq!(archive.next_archived(id, 60.5).unwrap(), None);
        assert_eq!(part(&archive, 0.0), Some(before));
        ingested(&mut archive, &[(0.0, 1.0), (60.0, 2.0), (60.0, 3.0)], 3e6);
        assert_eq!(part(&archive, 0.0), Some(before));
        let after = part(&archive, 60.0).unwrap();
        assert_eq!((before.rows, after.rows), (1, 2));
        assert!(after.last_seen > before.last_seen);
        let records = archive.archived_records(id, &(-1e9..1e9), None, 9).unwrap();
        assert_eq!(records[0].first_seen, before.last_seen);
        let times = archive.fetch_times(id).unwrap();
        assert_eq!(times.last(), Some(&(after.last_seen, 3e6)));
    }
}
