//! What of the archive is not in the table yet: the months of each deployment whose
//! records, fields, flags or label are others than at the last export.

use std::collections::{BTreeMap, HashMap};

use super::manifest::{Exported, Manifest};
use super::partition::{Month, Partition, slot};
use super::stop::Stop;
use crate::archive::{Archive, ArchivedDeployment, ArchivedRecord};
use crate::failure::{Failure, FailureKind};
use crate::track::field::{FixKey, fix_key};
use crate::track::time::CALENDAR;
use crate::track::{Flag, Transmission};

/// Records that are read at once.
pub(super) const PAGE: usize = 20_000;
/// All times of the calendar.
const ALWAYS: (f64, f64) = (CALENDAR.0, CALENDAR.1 + 1.0);

/// The flags set by hand of a deployment.
pub(super) type Overrides = HashMap<FixKey, Flag>;

/// The slots of the deployments with something new in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Slots([u64; 4]);

impl Slots {
    fn add(&mut self, slot: u8) {
        if let Some(part) = self.0.get_mut(usize::from(slot / 64)) {
            *part |= 1 << (slot % 64);
        }
    }

    fn holds(self, slot: u8) -> bool {
        let part = self.0.get(usize::from(slot / 64)).copied().unwrap_or(0);
        part & (1 << (slot % 64)) != 0
    }
}

/// A deployment as it is to be exported.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    pub(super) known: ArchivedDeployment,
    pub(super) exported: Exported,
    pub(super) slot: u8,
}

impl Planned {
    /// Whether it may have records in a month.
    pub(super) fn may_have(&self, month: Month) -> bool {
        let (from, until) = month.range();
        #[allow(clippy::cast_precision_loss)] // seconds of the calendar
        let (first, last) = (self.exported.first as f64, self.exported.last as f64);
        self.exported.rows > 0 && first < until && last + 1.0 >= from
    }
}

/// What is to be exported.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) deployments: Vec<Planned>,
    pub(super) overrides: HashMap<i64, Overrides>,
    /// The months with something new, and in which slots.
    months: BTreeMap<Month, Slots>,
    /// Number of new records of each month.
    pub(super) new: BTreeMap<Month, u64>,
}

impl Plan {
    /// The months with something new.
    pub(super) fn months(&self) -> impl Iterator<Item = Month> + '_ {
        self.months.keys().copied()
    }

    /// The files to be written, where a month has so many buckets.
    pub(super) fn files(&self, buckets: &BTreeMap<Month, u16>) -> Vec<Partition> {
        let mut files = Vec::new();
        for (month, slots) in &self.months {
            let Some(buckets) = buckets.get(month) else {
                continue;
            };
            let used = (0..=u8::MAX).filter(|slot| slots.holds(*slot));
            files.extend(used.map(|slot| Partition::of(*month, slot, *buckets)));
        }
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// Finds what is not in the table yet.
///
/// # Errors
/// When the archive cannot be read; [`FailureKind::Other`] when it is another than
/// the one that was exported, or has lost records.
pub(super) fn plan(archive: &Archive, manifest: &Manifest, stop: &Stop) -> Result<Plan, Failure> {
    let mut plan = Plan::default();
    for (id, one, flag) in archive.archived_overrides()? {
        let of = plan.overrides.entry(id).or_default();
        of.insert(fix_key(one.time_stamp, one.position), flag);
    }
    let none = Overrides::new();
    let mut known = 0;
    for one in archive.archived_deployments()? {
        let before = manifest.of(one.uuid);
        known += usize::from(before.is_some());
        let overrides = plan.overrides.get(&one.id).unwrap_or(&none);
        let changes = changes(archive, &one, before, overrides, stop)?;
        let slot = slot(one.uuid);
        for (month, new) in changes.months {
            plan.months.entry(month).or_default().add(slot);
            *plan.new.entry(month).or_default() += new;
        }
        // A label stands in every row.
        if before.is_some_and(|before| before.label != changes.exported.label) {
            let planned = |month: &&Month| {
                let (from, until) = month.range();
                #[allow(clippy::cast_precision_loss)] // seconds of the calendar
                let (first, last) = (changes.exported.first as f64, changes.exported.last as f64);
                first < until && last + 1.0 >= from
            };
            for month in manifest.months.keys().filter(planned) {
                plan.months.entry(*month).or_default().add(slot);
            }
        }
        plan.deployments.push(Planned {
            known: changes.known,
            exported: changes.exported,
            slot,
        });
    }
    if known < manifest.deployments.len() {
        return Err(another(&format!(
            "{} deployments of the table are not in it",
            manifest.deployments.len() - known
        )));
    }
    Ok(plan)
}

/// The failure of an archive that is not the one that was exported.
pub(super) fn another(why: &str) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("the table was exported from another archive, or this one has lost records: {why}"),
        "Nothing of it was replaced. Export to an empty prefix.",
    )
}

/// What is new of a deployment.
struct Changes {
    known: ArchivedDeployment,
    exported: Exported,
    /// The months with something new, and their numbers of new records.
    months: BTreeMap<Month, u64>,
}

/// What the records of a deployment are.
struct Scan {
    rows: u64,
    sum: u64,
    first: i64,
    last: i64,
    months: BTreeMap<Month, u64>,
}

/// Finds what is new of a deployment.
fn changes(
    archive: &Archive,
    known: &ArchivedDeployment,
    before: Option<&Exported>,
    overrides: &Overrides,
    stop: &Stop,
) -> Result<Changes, Failure> {
    let scan = scan(archive, known, before, stop)?;
    let mut months = scan.months;
    let fields = Some(known.last_batch).filter(|batch| *batch > 0);
    if fields != before.and_then(|before| before.fields) {
        let after = before.map_or(0, |before| before.batch);
        let of = (known.id, known.uuid);
        let mut times = archive.times_of_fields(of, after)?;
        if times.is_empty() {
            times = archive.times_of_fields(of, 0)?;
        }
        for time in times {
            months.entry(Month::of(time)).or_default();
        }
    }
    let flags = flags_by_month(overrides);
    let none = BTreeMap::new();
    let flags_before = before.map_or(&none, |before| &before.overrides);
    for month in flags.keys().chain(flags_before.keys()) {
        if flags.get(month) != flags_before.get(month) {
            months.entry(*month).or_default();
        }
    }
    let exported = Exported {
        rows: scan.rows,
        sum: scan.sum,
        fields,
        label: known.label.clone(),
        first: scan.first,
        last: scan.last,
        fetch: known.last_fetch,
        batch: known.last_batch,
        overrides: flags,
    };
    Ok(Changes {
        known: known.clone(),
        exported,
        months,
    })
}

/// Reads the records of a deployment. What another program stores meanwhile is new to the next export.
fn scan(
    archive: &Archive,
    known: &ArchivedDeployment,
    before: Option<&Exported>,
    stop: &Stop,
) -> Result<Scan, Failure> {
    let mut found = Scan {
        rows: 0,
        sum: 0,
        first: i64::MAX,
        last: i64::MIN,
        months: BTreeMap::new(),
    };
    let (mut added, mut new) = (0u64, BTreeMap::new());
    each(archive, known.id, ALWAYS, stop, |record| {
        if record.first_seen > known.last_fetch {
            return;
        }
        let hash = hash(&record.one);
        found.rows += 1;
        found.sum = found.sum.wrapping_add(hash);
        found.first = found.first.min(second(&record.one));
        found.last = found.last.max(second(&record.one));
        count(&mut found.months, &record.one);
        if before.is_some_and(|before| record.first_seen > before.fetch) {
            added = added.wrapping_add(hash);
            count(&mut new, &record.one);
        }
    })?;
    match before {
        Some(before) if found.sum.wrapping_sub(added) == before.sum => found.months = new,
        Some(before) if found.rows < before.rows => {
            return Err(another(&format!(
                "it has {} records of {} instead of {}",
                found.rows, known.uuid, before.rows
            )));
        }
        _ => {}
    }
    Ok(found)
}

/// Hash of a record: its bits, mixed by SplitMix64 (Steele, Lea and Flood, 2014). The
/// sum of the hashes does not depend on the order of the records.
fn hash(one: &Transmission) -> u64 {
    let mix = |value: u64| {
        let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    };
    let position = one.position;
    [one.time_stamp, position.latitude, position.longitude]
        .into_iter()
        .fold(0u64, |sum, number| {
            mix(sum.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ number.to_bits())
        })
}

/// Counts a record in its month.
fn count(months: &mut BTreeMap<Month, u64>, one: &Transmission) {
    *months.entry(Month::of(one.time_stamp)).or_default() += 1;
}

/// The whole second that a record is in.
fn second(one: &Transmission) -> i64 {
    #[allow(clippy::cast_possible_truncation)] // within the calendar
    let second = one.time_stamp.floor() as i64;
    second
}

/// Calls `take` with each record of a deployment in a time range, by time.
///
/// # Errors
/// When they cannot be read, or the export is to stop.
pub(super) fn each(
    archive: &Archive,
    id: i64,
    range: (f64, f64),
    stop: &Stop,
    mut take: impl FnMut(&ArchivedRecord),
) -> Result<(), Failure> {
    let mut last: Option<ArchivedRecord> = None;
    loop {
        stop.check()?;
        let page = archive.archived_records(id, range, last.as_ref(), PAGE)?;
        for record in &page {
            take(record);
        }
        last = page.last().copied();
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

/// A sum over the flags set by hand, of each month.
fn flags_by_month(overrides: &Overrides) -> BTreeMap<Month, u64> {
    let mut months = BTreeMap::new();
    for ((time, latitude, longitude), flag) in overrides {
        let month = Month::of(f64::from_bits(*time));
        let mixed = [*time, *latitude, *longitude, u64::from(flag.code())]
            .into_iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, part| {
                (hash ^ part).wrapping_mul(0x0100_0000_01b3).rotate_left(29)
            });
        let sum: &mut u64 = months.entry(month).or_default();
        *sum = sum.wrapping_add(mixed);
    }
    months
}

#[cfg(test)]
mod tests;
