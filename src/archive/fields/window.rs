//! Stored fields of a part of a deployment's records, without those of the others.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::sql::Result;
use super::super::{Archive, ArchivedDeployment};
use super::batch::{Batch, unpack};
use super::{Stored, damage};
use crate::track::field::KeyedFields;

/// The numbers of batches of a deployment, with the first and the last time of the
/// records in each, UNIX seconds, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct BatchTimes(BTreeMap<i64, (f64, f64)>);

impl BatchTimes {
    /// `true` if a batch may have records of a time range.
    fn may_have(&self, number: i64, range: &Range<f64>) -> bool {
        let times = self.0.get(&number);
        times.is_none_or(|(first, last)| *last >= range.start && *first < range.end)
    }

    fn add(&mut self, number: i64, batch: &Batch) {
        let times = batch.keys.iter().map(|key| f64::from_bits(key.0));
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let ends = times.fold(none, |(first, last), at| (first.min(at), last.max(at)));
        self.0.insert(number, ends);
    }
}

impl Archive {
    /// The fields of a deployment's records from a time up to and without another,
    /// UNIX seconds, perhaps with those of more records. `times` says which batches
    /// need not be read.
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub(crate) fn fields_between(
        &self,
        deployment: &ArchivedDeployment,
        range: &Range<f64>,
        times: &BatchTimes,
    ) -> Result<KeyedFields> {
        let mut stored = Stored::default();
        let is_wanted = |number: i64| times.may_have(number, range);
        self.each_batch(deployment, is_wanted, |number, batch| {
            stored.add(number, batch)
        })?;
        Ok(stored.named().together())
    }

    /// The times of a deployment's batches of fields; `found` is called with the number
    /// of a batch and the time (UNIX seconds) of each of its records.
    ///
    /// # Errors
    /// When they cannot be read, or are damaged.
    pub(crate) fn batch_times(
        &self,
        deployment: &ArchivedDeployment,
        mut found: impl FnMut(i64, f64),
    ) -> Result<BatchTimes> {
        let mut times = BatchTimes::default();
        let all = |_| true;
        self.each_batch(deployment, all, |number, batch| {
            times.add(number, &batch);
            for key in &batch.keys {
                found(number, f64::from_bits(key.0));
            }
        })?;
        Ok(times)
    }

    /// Calls `read` with the number of each wanted batch of a deployment and the batch, all of
    /// one state of the archive.
    fn each_batch(
        &self,
        deployment: &ArchivedDeployment,
        is_wanted: impl Fn(i64) -> bool,
        mut read: impl FnMut(i64, Batch),
    ) -> Result<()> {
        self.reading(|archive| {
            let connection = &archive.connection;
            let numbers = "SELECT id FROM field_batch WHERE deployment = ?1 ORDER BY id";
            let numbers = connection.rows(numbers, [deployment.id], |row| row.get(0))?;
            for number in numbers.into_iter().filter(|number| is_wanted(*number)) {
                let body = "SELECT body FROM field_batch WHERE id = ?1";
                let body: Vec<u8> = connection.row(body, [number], |row| row.get(0))?;
                let damaged = || connection.damaged(damage(deployment.uuid));
                read(number, unpack(&body).ok_or_else(damaged)?);
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

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
        let (mut before, mut changed) = (0, Vec::new());
        archive
            .batch_times(&known[0], |number, _| before = before.max(number))
            .unwrap();
        ingested(&mut archive, 500, 10, 7);
        let all = archive.stored_with_fields(DEPLOYMENT).unwrap().unwrap();
        let times = archive.batch_times(&known[0], |number, time| {
            changed.extend((number > before).then_some(time));
        });
        let times = times.unwrap();
        for range in [0.0..6e4, 6e4..12e4, 30_000.0..30_600.0, 9e9..1e10] {
            let part = archive.fields_between(&known[0], &range, &times);
            let part = part.unwrap();
            let records = all.records.transmissions.iter().enumerate();
            for (index, one) in records.filter(|(_, one)| range.contains(&one.time_stamp)) {
                let key = fix_key(one.time_stamp, one.position);
                let part = part.of(std::iter::once(key));
                let (part, whole) = (part.of_fix(0), all.records.fields.of_fix(index));
                assert!(part.eq(whole), "{one:?}");
            }
        }
        assert!(changed.contains(&(500.0 * 60.0)) && !changed.contains(&(900.0 * 60.0)));
    }
}
