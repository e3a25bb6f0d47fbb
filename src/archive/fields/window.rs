//! Stored fields of a part of a deployment's records, without those of the others.

use uuid::Uuid;

use super::super::connection::Connection;
use super::super::sql::{self, params};
use super::super::{Archive, ArchiveError};
use super::batch::{Batch, unpack};
use super::{Stored, damage};
use crate::track::field::KeyedFields;

/// The numbers of batches of a deployment, with the first and the last time of the
/// records in each, UNIX seconds, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct BatchTimes {
    known: Vec<(i64, f64, f64)>,
}

impl BatchTimes {
    /// Whether a batch may have records of a time range.
    fn may_hold(&self, number: i64, (from, until): (f64, f64)) -> bool {
        let at = self
            .known
            .binary_search_by_key(&number, |(number, ..)| *number);
        let times = at.ok().and_then(|at| self.known.get(at));
        times.is_none_or(|(_, first, last)| *last >= from && *first < until)
    }

    fn add(&mut self, number: i64, batch: &Batch) {
        let times = batch.keys.iter().map(|key| f64::from_bits(key.0));
        let (first, last) = times.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| {
            (first.min(at), last.max(at))
        });
        if let Err(at) = self
            .known
            .binary_search_by_key(&number, |(number, ..)| *number)
        {
            self.known.insert(at, (number, first, last));
        }
    }
}

/// The numbers of the batches of a deployment after a number.
fn numbers(connection: &Connection, id: i64, after: i64) -> sql::Result<Vec<i64>> {
    let mut statement = connection
        .prepare("SELECT id FROM field_batch WHERE deployment = ?1 AND id > ?2 ORDER BY id")?;
    statement
        .query_map([id, after], |row| row.get(0))?
        .collect()
}

/// A batch; `None` where it is gone, for it was written anew with later ones. The
/// inner is `None` where it is damaged.
fn batch(connection: &Connection, number: i64) -> sql::Result<Option<Option<Batch>>> {
    let mut statement = connection.prepare("SELECT body FROM field_batch WHERE id = ?1")?;
    let mut rows = statement.query(params![number])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let body: Vec<u8> = row.get(0)?;
    Ok(Some(unpack(&body)))
}

impl Archive {
    /// The fields of a deployment's records from a time up to and without another,
    /// UNIX seconds; those of others may be among them. `times` says which batches
    /// need not be read, and is added to.
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub(crate) fn fields_between(
        &self,
        (id, uuid): (i64, Uuid),
        range: (f64, f64),
        times: &mut BatchTimes,
    ) -> Result<KeyedFields, ArchiveError> {
        let mut read = || -> sql::Result<Option<Stored>> {
            // A batch that goes away meanwhile comes again with a higher number.
            'anew: loop {
                let mut stored = Stored::default();
                for number in numbers(&self.connection, id, 0)? {
                    if !times.may_hold(number, range) {
                        continue;
                    }
                    let Some(found) = batch(&self.connection, number)? else {
                        continue 'anew;
                    };
                    let Some(batch) = found else {
                        return Ok(None);
                    };
                    times.add(number, &batch);
                    if times.may_hold(number, range) {
                        stored.add(number, batch);
                    }
                }
                return Ok(Some(stored.named()));
            }
        };
        match read() {
            Ok(Some(stored)) => Ok(stored.together()),
            Ok(None) => Err(self.damaged_batch(uuid)),
            Err(error) => Err(self.error(&error)),
        }
    }

    /// The times (UNIX seconds) of the records in a deployment's batches with a
    /// higher number than `after`: whose fields were stored or changed since.
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub(crate) fn times_of_fields(
        &self,
        (id, uuid): (i64, Uuid),
        after: i64,
    ) -> Result<Vec<f64>, ArchiveError> {
        let read = || -> sql::Result<Option<Vec<f64>>> {
            'anew: loop {
                let mut times = Vec::new();
                for number in numbers(&self.connection, id, after)? {
                    let Some(found) = batch(&self.connection, number)? else {
                        continue 'anew;
                    };
                    let Some(batch) = found else {
                        return Ok(None);
                    };
                    times.extend(batch.keys.iter().map(|key| f64::from_bits(key.0)));
                }
                return Ok(Some(times));
            }
        };
        match read() {
            Ok(Some(times)) => Ok(times),
            Ok(None) => Err(self.damaged_batch(uuid)),
            Err(error) => Err(self.error(&error)),
        }
    }

    fn damaged_batch(&self, uuid: Uuid) -> ArchiveError {
        ArchiveError::Damaged {
            path: self.path.clone(),
            reason: damage(uuid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::answer;
    use crate::testing::fields::with_fields;
    use crate::track::field::fix_key;

    const DEPLOYMENT: Uuid = Uuid::from_u128(7);

    /// Stores records a minute apart, each with a number that `value` is added to.
    fn ingested(archive: &mut Archive, from: u32, count: u32, value: u32) {
        let fixes = (from..from + count).map(|n| (f64::from(n) * 60.0, 1.0, 2.0));
        let first = f64::from(from + value);
        let records = with_fields(fixes, &["v".to_owned()], |_, record| {
            Some(first + f64::from(u32::try_from(record).unwrap()))
        });
        archive
            .ingest(DEPLOYMENT, &answer(&records, 1.8e9))
            .unwrap();
    }

    #[test]
    fn the_fields_of_a_time_range_are_those_of_the_whole() {
        let mut archive = Archive::in_memory().unwrap();
        // Three large batches, then values of the first that changed.
        for part in 0..3 {
            ingested(&mut archive, part * 1000, 1000, 0);
        }
        let known = archive.archived_deployments().unwrap();
        let (id, before) = (known[0].id, known[0].last_batch);
        ingested(&mut archive, 500, 10, 7);
        let all = archive.stored_with_fields(DEPLOYMENT).unwrap().unwrap();
        let mut times = BatchTimes::default();
        for range in [(0.0, 6e4), (6e4, 12e4), (30_000.0, 30_600.0), (9e9, 1e10)] {
            let part = archive.fields_between((id, DEPLOYMENT), range, &mut times);
            let part = part.unwrap();
            let records = all.records.transmissions.iter().enumerate();
            for (index, one) in
                records.filter(|(_, one)| (range.0..range.1).contains(&one.time_stamp))
            {
                let key = fix_key(one.time_stamp, one.position);
                let part = part.of(std::iter::once(key));
                let (part, whole) = (part.of_fix(0), all.records.fields.of_fix(index));
                assert!(part.eq(whole), "{one:?}");
            }
        }
        let changed = archive.times_of_fields((id, DEPLOYMENT), before).unwrap();
        assert!(changed.contains(&(500.0 * 60.0)) && !changed.contains(&(900.0 * 60.0)));
    }
}
