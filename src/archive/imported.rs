//! Transmissions that were not received from a service, such as those of a file.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::connection::Connection;
use super::sql::{Result, params};
use super::{Archive, fields, ingest, received, tracks};
use crate::track::{Answer, Records, Transmission};

/// The source of records that no service sent.
const NOWHERE: &str = "";

/// The outcome for the fixes of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Imported {
    /// Fixes that were added.
    pub(crate) new: usize,
    /// Fixes left out because the archive has only other positions at their time.
    pub(crate) elsewhere: usize,
}

impl Archive {
    /// Adds the records at times of which none is stored, at `now` (UNIX seconds). The last response stays the same, and what is due follows from it.
    ///
    /// # Errors
    /// When they cannot be written, or the stored data of the deployment is damaged. Nothing
    /// is stored then.
    pub(crate) fn import(&mut self, uuid: Uuid, records: &Records, now: f64) -> Result<Imported> {
        self.connection.make_room(&records.transmissions)?;
        let times = records.transmissions.iter().map(|fix| fix.time_stamp);
        // The next request is due as if the last fix had been received when it was made.
        let at = times.max_by(f64::total_cmp).unwrap_or(now).min(now);
        let all = Answer {
            records: Arc::new(records.clone()),
            ..Answer::new(0, NOWHERE, at)
        };
        self.writing_of(Some(&uuid), |transaction| {
            let id = tracks::deployment(transaction, uuid, now)?;
            let elsewhere = elsewhere(transaction, id, &records.transmissions)?;
            let new = ingest::of_new_times(transaction, id, &all)?;
            if new.records.transmissions.is_empty() {
                return Ok(Imported { new: 0, elsewhere });
            }
            let known = ingest::known(transaction, id)?;
            if fields::store(transaction, id, &new.records, None)?.is_none() {
                return Err(transaction.damaged(fields::damage(uuid)));
            }
            let has_answer = "SELECT EXISTS (SELECT 1 FROM fetch WHERE deployment = ?1)";
            let has_answer: bool = transaction.row(has_answer, [id], |row| row.get(0))?;
            if !has_answer {
                let fetch = transaction.next_fetch()?;
                transaction.execute(
                    "INSERT INTO fetch (id, deployment, at, status, bytes, new, late)
                     VALUES (?1, ?2, ?3, 0, 0, 0, 0)",
                    params![fetch, id, at],
                )?;
            }
            let delta = ingest::insert(transaction, id, known, &new.records)?;
            received::note(transaction, id)?;
            let new = delta.new;
            Ok(Imported { new, elsewhere })
        })
    }
}

/// How many fixes are at times at which the archive has only other positions.
fn elsewhere(transaction: &Connection, id: i64, fixes: &[Transmission]) -> Result<usize> {
    let mut stored: HashMap<u64, Vec<(f64, f64)>> = HashMap::new();
    let all = "SELECT time, latitude, longitude FROM transmission WHERE deployment = ?1";
    transaction.each_row(all, [id], |row| {
        let at = stored.entry(row.get::<f64>(0)?.to_bits()).or_default();
        at.push((row.get(1)?, row.get(2)?));
        Ok(())
    })?;
    let is_elsewhere = |fix: &&Transmission| {
        let own = (fix.position.latitude, fix.position.longitude);
        let there = stored.get(&fix.time_stamp.to_bits());
        there.is_some_and(|there| !there.contains(&own))
    };
    Ok(fixes.iter().filter(is_elsewhere).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::answer;
    use crate::testing::track::records;

    fn added(new: usize) -> Imported {
        Imported { new, elsewhere: 0 }
    }

    #[test]
    fn what_is_imported_fills_holes_and_is_no_answer_of_the_service() {
        let mut archive = Archive::in_memory().unwrap();
        let (uuid, now) = (Uuid::from_u128(7), 1.8e9);
        let hours = |hours: &[u32]| {
            let fix = |hour: &u32| (1.7e9 + 3600.0 * f64::from(*hour), 60.0, 5.0);
            records(hours.iter().map(fix))
        };
        archive
            .ingest(uuid, &answer(&hours(&[0, 3]), 10.0))
            .unwrap();
        let before = archive.last_answers(now).unwrap();
        let file = hours(&[0, 1, 2, 3]);
        assert_eq!(archive.import(uuid, &file, now).unwrap(), added(2));
        let revision = archive.stored(uuid).unwrap().unwrap().revision;
        // Again is the same, and another position at a time that is stored changes nothing.
        assert_eq!(archive.import(uuid, &file, now).unwrap(), added(0));
        let other = records([(1.7e9, 61.0, 5.0)]);
        let left_out = Imported {
            new: 0,
            elsewhere: 1,
        };
        assert_eq!(archive.import(uuid, &other, now).unwrap(), left_out);
        let stored = archive.stored(uuid).unwrap().unwrap();
        assert_eq!(stored.revision, revision);
        assert_eq!(stored.records.transmissions, file.transmissions);
        assert_eq!((stored.fetched_at, stored.records.unsent.len()), (10.0, 0));
        assert_eq!(
            archive.last_answers(now).unwrap()[&uuid].at,
            before[&uuid].at
        );
        // The next answer says that it lacks them.
        archive
            .ingest(uuid, &answer(&hours(&[0, 3]), 20.0))
            .unwrap();
        assert_eq!(
            archive.stored(uuid).unwrap().unwrap().records.unsent.len(),
            2
        );
    }

    #[test]
    fn a_deployment_of_files_alone_is_due_and_of_no_service() {
        let mut archive = Archive::in_memory().unwrap();
        let uuid = Uuid::from_u128(7);
        let file = records([(1.7e9, 60.0, 5.0), (1.7e9 + 60.0, 60.0, 5.0)]);
        assert_eq!(archive.import(uuid, &file, 1.8e9).unwrap(), added(2));
        let last = archive.last_answers(1.8e9).unwrap()[&uuid];
        assert_eq!(last.at, 1.7e9 + 60.0);
        // Whatever service answers next, it is this deployment's.
        let delta = archive.ingest(uuid, &answer(&file, 1.8e9)).unwrap();
        assert_eq!((delta.new, delta.is_part), (0, false));
    }
}
