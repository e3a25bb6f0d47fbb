//! Writes one file of the table from the archive, with the memory of a row group and
//! of the fields of one deployment's month.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom};

use super::partition::{Partition, along_curve};
use super::plan::{Overrides, PAGE, Plan, Planned};
use super::stop::Stop;
use crate::archive::{Archive, ArchivedRecord, BatchTimes};
use crate::export::ExportError;
use crate::export::table_file::{TableFile, TableRow, fields_object};
use crate::failure::{Failure, FailureKind};
use crate::track::field::{FieldRows, fix_key};

/// A file that is written and not in the table yet.
pub(super) struct Written {
    /// At its beginning.
    pub(super) file: File,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// What is known of batches of fields from files before, by the number of the
/// deployment.
pub(super) type Batches = HashMap<i64, BatchTimes>;

/// Writes a file of the table to a temporary one without a name.
///
/// # Errors
/// When the archive cannot be read, there is no room, or the export is to stop.
pub(super) fn write(
    archive: &Archive,
    plan: &Plan,
    (partition, buckets): (Partition, u16),
    batches: &mut Batches,
    stop: &Stop,
) -> Result<Written, Failure> {
    let temporary = tempfile::tempfile().map_err(|error| full(&error))?;
    let mut out =
        TableFile::new(BufWriter::with_capacity(1 << 20, temporary)).map_err(unwritten)?;
    let none = Overrides::new();
    for one in in_order(archive, plan, partition, buckets, stop)? {
        let label = one.exported.label.as_deref();
        out.deployment(&one.known.uuid.to_string(), label);
        let overrides = plan.overrides.get(&one.known.id).unwrap_or(&none);
        let batches = batches.entry(one.known.id).or_default();
        write_deployment(
            archive,
            one,
            partition,
            (overrides, batches),
            stop,
            &mut out,
        )?;
    }
    let rows = out.rows();
    let out = out.finish().map_err(unwritten)?;
    let mut file = out.into_inner().map_err(|error| full(error.error()))?;
    let bytes = file.stream_position().map_err(|error| full(&error))?;
    file.seek(SeekFrom::Start(0))
        .map_err(|error| full(&error))?;
    Ok(Written { file, rows, bytes })
}

/// The deployments of a file, those near to each other one after another, by the
/// position of the first record: a row group has a small box.
fn in_order<'a>(
    archive: &Archive,
    plan: &'a Plan,
    partition: Partition,
    buckets: u16,
    stop: &Stop,
) -> Result<Vec<&'a Planned>, Failure> {
    let mut found = Vec::new();
    let of_the_file = |one: &&Planned| {
        Partition::of(partition.month, one.slot, buckets) == partition
            && one.may_have(partition.month)
    };
    for one in plan.deployments.iter().filter(of_the_file) {
        stop.check()?;
        let range = partition.month.range();
        let first = archive.archived_records(one.known.id, range, None, 1)?;
        if let Some(first) = first.first() {
            found.push((along_curve(first.one.position), one));
        }
    }
    found.sort_by_key(|(along, one)| (*along, one.known.uuid));
    Ok(found.into_iter().map(|(_, one)| one).collect())
}

fn write_deployment(
    archive: &Archive,
    one: &Planned,
    partition: Partition,
    (overrides, batches): (&Overrides, &mut BatchTimes),
    stop: &Stop,
    out: &mut TableFile<BufWriter<File>>,
) -> Result<(), Failure> {
    let (id, range) = (one.known.id, partition.month.range());
    let fetches = archive.fetch_times(id)?;
    let fields = match one.known.last_batch {
        0 => None,
        _ => Some(archive.fields_between((id, one.known.uuid), range, batches)?),
    };
    let mut last: Option<ArchivedRecord> = None;
    loop {
        stop.check()?;
        let page = archive.archived_records(id, range, last.as_ref(), PAGE)?;
        let keys = page.iter();
        let keys = keys.map(|record| fix_key(record.one.time_stamp, record.one.position));
        let fields = fields
            .as_ref()
            .map_or_else(FieldRows::default, |fields| fields.of(keys));
        for (index, record) in page.iter().enumerate() {
            let at = fetches.partition_point(|(number, _)| *number < record.first_seen);
            let key = fix_key(record.one.time_stamp, record.one.position);
            let row = TableRow {
                time_stamp: record.one.time_stamp,
                position: record.one.position,
                received_by: fetches.get(at).map(|(_, time)| *time),
                flag: overrides.get(&key).copied(),
                fields: fields_object(fields.of_fix(index)),
            };
            out.push(row).map_err(unwritten)?;
        }
        last = page.last().copied();
        if page.len() < PAGE {
            return Ok(());
        }
    }
}

fn unwritten(error: ExportError) -> Failure {
    match error {
        ExportError::Io(error) => full(&error),
        other => Failure::new(
            FailureKind::Other,
            other.to_string(),
            "Nothing of the table was replaced by it.",
        ),
    }
}

/// The failure of a temporary file.
fn full(error: &std::io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("the temporary file of the export cannot be written: {error}"),
        "Make room for the largest file of the table, or name another folder in TMPDIR.",
    )
}
