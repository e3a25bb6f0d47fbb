//! Writes a file of the table from the archive, with the memory of a row group and
//! of the fields of a month of a deployment.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom};

use super::contents::{Contents, Part, TableDeployment};
use super::export::Stop;
use super::partition::{Month, Partition};
use crate::archive::{Archive, ArchivedRecord};
use crate::failure::{Failure, FailureKind};
use crate::formats::ExportError;
use crate::formats::table_file::{TableFile, TableFileState, TableRow, fields_object};
use crate::track::field::{FieldRows, fix_key};

/// Records that are read at once.
const PAGE: usize = 20_000;

/// A file that is written and not in the table yet.
pub(super) struct Written {
    /// At its beginning.
    pub(super) file: File,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// A file of the table that is to be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileToWrite {
    pub(super) partition: Partition,
    /// The number of buckets of its month.
    pub(super) buckets: u16,
    pub(super) part: Part,
}

/// Writes a file of the table to a temporary one without a name, the deployments in
/// the order of their UUIDs.
///
/// # Errors
/// When the archive cannot be read, there is no room, or the export is to stop.
pub(super) fn write(
    archive: &Archive,
    contents: &Contents,
    to: FileToWrite,
    stop: &Stop,
) -> Result<Written, Failure> {
    let temporary = tempfile::tempfile().map_err(|error| full(&error))?;
    let mut out =
        TableFile::new(BufWriter::with_capacity(1 << 20, temporary)).map_err(unwritten)?;
    let deployments = contents.deployments.iter();
    for deployment in deployments.filter(|one| one.is_in(to.partition, to.buckets)) {
        write_deployment(archive, deployment, to.partition.month, stop, &mut out)?;
    }
    let state = TableFileState {
        rows: out.rows(),
        buckets: to.buckets,
        basis: to.part.basis,
    };
    let out = out.finish(&state).map_err(unwritten)?;
    let mut file = out.into_inner().map_err(|error| full(error.error()))?;
    let bytes = file.stream_position().map_err(|error| full(&error))?;
    file.seek(SeekFrom::Start(0))
        .map_err(|error| full(&error))?;
    Ok(Written {
        file,
        rows: state.rows,
        bytes,
    })
}

fn write_deployment(
    archive: &Archive,
    deployment: &TableDeployment,
    month: Month,
    stop: &Stop,
    out: &mut TableFile<BufWriter<File>>,
) -> Result<(), Failure> {
    let known = &deployment.known;
    let range = month.range();
    out.deployment(&known.uuid.to_string(), known.label.as_deref());
    let fetches = archive.fetch_times(known.id)?;
    let fields = archive.fields_between(known, &range, &deployment.batches)?;
    let mut last: Option<ArchivedRecord> = None;
    loop {
        stop.check()?;
        let page = archive.archived_records(known.id, &range, last.as_ref(), PAGE)?;
        let keys = page.iter();
        let keys = keys.map(|record| fix_key(record.fix.time_stamp, record.fix.position));
        let fields = if fields.names().next().is_none() {
            FieldRows::default()
        } else {
            fields.of(keys)
        };
        for (index, record) in page.iter().enumerate() {
            let at = fetches.partition_point(|(number, _)| *number < record.first_seen);
            let row = TableRow {
                time_stamp: record.fix.time_stamp,
                position: record.fix.position,
                received_by: fetches.get(at).map(|(_, time)| *time),
                flag: deployment
                    .overrides
                    .get(record.fix.time_stamp, record.fix.position),
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
