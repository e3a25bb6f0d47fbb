//! The intended table: what the archive has of each deployment in each month. The metadata
//! of a file identify what it was made from; a file that was made from something else is
//! written again.

use std::collections::{BTreeMap, BTreeSet};

use super::export::Stop;
use super::partition::{Month, Partition, slot};
use crate::archive::{Archive, ArchivedDeployment, BatchTimes};
use crate::failure::Failure;
use crate::hash::hash64;
use crate::track::Flag;
use crate::track::FlagOverrides;
use crate::track::field::FixKey;
use crate::track::time::CALENDAR;

/// A part of the table: a file, or what is in it of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) rows: u64,
    /// A hash of what it is made from.
    pub(super) basis: u64,
}

impl Part {
    /// Adds a part; the order matters.
    fn add(&mut self, part: Self) {
        self.rows += part.rows;
        self.basis = hash_of(&[self.basis, part.basis]);
    }
}

fn hash_of(numbers: &[u64]) -> u64 {
    hash64(numbers.iter().flat_map(|part| part.to_le_bytes()))
}

/// A deployment of the table.
#[derive(Debug, Clone)]
pub(super) struct TableDeployment {
    pub(super) known: ArchivedDeployment,
    pub(super) overrides: FlagOverrides,
    pub(super) batches: BatchTimes,
    slot: u8,
    months: BTreeMap<Month, Part>,
}

impl TableDeployment {
    /// `true` if a file of the table has it, where its month has so many buckets.
    pub(super) fn is_in(&self, file: Partition, buckets: u16) -> bool {
        self.months.contains_key(&file.month)
            && Partition::of(file.month, self.slot, buckets) == file
    }
}

/// All that is in the table, by the UUID of the deployment.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) deployments: Vec<TableDeployment>,
}

impl Contents {
    /// Reads what the archive has, without the records themselves.
    ///
    /// # Errors
    /// When the archive cannot be read, or the export is to stop.
    pub(super) fn read(archive: &Archive, stop: &Stop) -> Result<Self, Failure> {
        let mut overrides = archive.all_overrides()?;
        let mut deployments = Vec::new();
        for known in archive.archived_deployments()? {
            stop.check()?;
            let overrides = overrides.remove(&known.uuid).unwrap_or_default();
            let deployment = deployment(archive, known, overrides)?;
            if !deployment.months.is_empty() {
                deployments.push(deployment);
            }
        }
        deployments.sort_by_key(|deployment| deployment.known.uuid);
        Ok(Self { deployments })
    }

    /// Number of records of each month.
    pub(super) fn months(&self) -> BTreeMap<Month, u64> {
        let mut months = BTreeMap::new();
        for (month, part) in self.deployments.iter().flat_map(|one| &one.months) {
            *months.entry(*month).or_default() += part.rows;
        }
        months
    }

    /// The files of the table, where a month has so many buckets.
    pub(super) fn files(&self, buckets: &BTreeMap<Month, u16>) -> BTreeMap<Partition, Part> {
        let mut files: BTreeMap<Partition, Part> = BTreeMap::new();
        for deployment in &self.deployments {
            for (month, part) in &deployment.months {
                let buckets = buckets.get(month).copied().unwrap_or(1);
                let file = Partition::of(*month, deployment.slot, buckets);
                files.entry(file).or_default().add(*part);
            }
        }
        files
    }
}

fn deployment(
    archive: &Archive,
    known: ArchivedDeployment,
    overrides: FlagOverrides,
) -> Result<TableDeployment, Failure> {
    let mut months_of_batches = BTreeSet::new();
    let batches = archive.batch_times(&known, |number, time| {
        months_of_batches.insert((Month::of(time), number.cast_unsigned()));
    })?;
    let name = hash64(format!("{} {:?}", known.uuid, known.label).into_bytes());
    let mut months: BTreeMap<Month, Part> = BTreeMap::new();
    // A lost clock may put thousands of empty months between two records.
    let mut from = CALENDAR.0;
    while let Some(next) = archive.next_archived(known.id, from)? {
        let month = Month::of(next);
        if let Some(part) = archive.archived_part(known.id, &month.range())? {
            let basis = hash_of(&[name, part.rows, part.last_seen.cast_unsigned()]);
            let rows = part.rows;
            months.insert(month, Part { rows, basis });
        }
        from = month.range().end;
    }
    let mut mark = |month: Month, numbers: &[u64]| {
        if let Some(part) = months.get_mut(&month) {
            part.basis = hash_of(&[part.basis, hash_of(numbers)]);
        }
    };
    for (month, batch) in months_of_batches {
        mark(month, &[batch]);
    }
    let mut flags: Vec<(&FixKey, &Flag)> = overrides.iter().collect();
    flags.sort_unstable_by_key(|(fix, _)| **fix);
    for ((time, latitude, longitude), flag) in flags {
        let month = Month::of(f64::from_bits(*time));
        mark(month, &[*time, *latitude, *longitude, flag.code().into()]);
    }
    Ok(TableDeployment {
        slot: slot(known.uuid),
        known,
        overrides,
        batches,
        months,
    })
}

#[cfg(test)]
mod tests;
