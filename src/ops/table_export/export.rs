//! An export of the table: the archive's content is compared with what the files say
//! they were made from, and those that differ are written.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt, TryStreamExt};

use super::address::TableAddress;
use super::contents::Contents;
use super::partition::{Month, Partition, buckets};
use super::store::{Found, TableStore};
use super::write::{FileToWrite, Written, write};
use crate::archive::{Archive, BUSY};
use crate::failure::{Failure, FailureKind};
use crate::formats::table_file::TableFileState;
use crate::location::ArchiveLocation;
use crate::ops::blocking::blocking;
use crate::settings::Settings;
use crate::text;

/// Bytes of a record in a file, until a table says how many they are.
const BYTES_OF_RECORD: f64 = 48.0;
/// Records of a table that say how many bytes one has.
const ENOUGH: u64 = 10_000;
/// Files whose ends are read at the same time.
const AT_ONCE: usize = 8;

/// The result of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TableReport {
    /// Files written, and all there are.
    pub(crate) written: usize,
    pub(crate) files: usize,
    /// Bytes written.
    pub(crate) bytes: u64,
    /// Records of the table.
    pub(crate) rows: u64,
}

/// Exports the archive of the settings to an address; `heard` is called with each
/// file, and `stopped` ends when the export is to stop. `None` if there is no
/// archive, or none of its deployments has a record.
///
/// # Errors
/// [`FailureKind::Usage`] for an address that cannot be used, or a prefix with
/// something else below it; [`FailureKind::Forbidden`] and
/// [`FailureKind::NotAuthenticated`] where the store refuses the user;
/// [`FailureKind::Unreachable`] where the network fails;
/// [`FailureKind::Interrupted`] if it was stopped; else [`FailureKind::Other`].
/// Each file of the table is complete then, as it was or as it is now.
pub(crate) async fn export_table(
    settings: &Settings,
    address: &str,
    now: f64,
    heard: impl FnMut(&str),
    stopped: impl Future<Output = ()>,
) -> Result<Option<TableReport>, Failure> {
    let address = TableAddress::parse(address)?;
    let Some(place) = settings.archive.as_ref() else {
        return Ok(None);
    };
    let Some(archive) = opened(place.clone()).await? else {
        return Ok(None);
    };
    let store = TableStore::open(address, settings.timeout)?;
    let stop = Stop::default();
    let stopped = pin!(stopped);
    let done = tokio::select! {
        // A signal is caught before the store has anything of the export.
        biased;
        () = stopped => Err(interrupted()),
        done = export(archive, &store, now, heard, &stop) => done,
    };
    stop.ask();
    store.give_up().await;
    done
}

async fn opened(place: ArchiveLocation) -> Result<Option<Archive>, Failure> {
    Ok(blocking(move || Archive::open_existing_at(&place, BUSY)).await??)
}

async fn export(
    archive: Archive,
    store: &TableStore,
    now: f64,
    mut heard: impl FnMut(&str),
    stop: &Stop,
) -> Result<Option<TableReport>, Failure> {
    let asked = stop.clone();
    let (mut archive, mut contents) = blocking(move || -> Result<_, Failure> {
        let contents = Contents::read(&archive, &asked)?;
        Ok((archive, contents))
    })
    .await??;
    if contents.deployments.is_empty() {
        return Ok(None);
    }
    let table = Table::read(store).await?;
    let months = table.divide(&contents.months(), now);
    let files = contents.files(&months);
    table.refuse_another(|file| files.get(&file).map_or(0, |part| part.rows), &months)?;
    let mut report = TableReport {
        files: files.len(),
        rows: files.values().map(|part| part.rows).sum(),
        ..TableReport::default()
    };
    for (partition, part) in files {
        let buckets = months.get(&partition.month).copied().unwrap_or(1);
        let there = table.files.get(&partition);
        if there.is_some_and(|state| (state.buckets, state.basis) == (buckets, part.basis)) {
            continue;
        }
        let asked = stop.clone();
        let to = FileToWrite {
            partition,
            buckets,
            part,
        };
        let written: Written;
        (archive, contents, written) = blocking(move || -> Result<_, Failure> {
            let written = write(&archive, &contents, to, &asked)?;
            Ok((archive, contents, written))
        })
        .await??;
        let path = partition.to_string();
        let rows = written.rows;
        let bytes = written.bytes;
        store.upload(&path, written.file, bytes).await?;
        heard(&format!("{path}: {rows} records, {}", text::bytes(bytes)));
        report.written += 1;
        report.bytes += bytes;
    }
    Ok(Some(report))
}

/// The table as it is in the store.
struct Table {
    files: BTreeMap<Partition, TableFileState>,
    /// Bytes of all files.
    bytes: u64,
}

impl Table {
    /// Reads what the files of the table say of themselves.
    ///
    /// # Errors
    /// [`FailureKind::Usage`] where something else is below the prefix: a reader would
    /// take it for a part of the table. What begins with `_` or `.` readers leave out.
    async fn read(store: &TableStore) -> Result<Self, Failure> {
        let mut found = store.list().await?;
        let is_left_out = |path: &str| path.split('/').any(|part| part.starts_with(['_', '.']));
        found.retain(|file| !is_left_out(&file.path));
        let bytes = found.iter().map(|file| file.bytes).sum();
        let states = found.into_iter().map(|file| async move {
            let Some(partition) = Partition::read(&file.path) else {
                return Err(other(store, &file));
            };
            match store.state(&file).await? {
                Some(state) => Ok((partition, state)),
                None => Err(other(store, &file)),
            }
        });
        let states = futures_util::stream::iter(states).buffer_unordered(AT_ONCE);
        let files = states.try_collect().await?;
        Ok(Self { files, bytes })
    }

    /// The number of buckets of each month with so many records. It stays as it was
    /// chosen first; a month that goes on is taken to become as large as the largest.
    fn divide(&self, months: &BTreeMap<Month, u64>, now: f64) -> BTreeMap<Month, u16> {
        #[allow(clippy::cast_precision_loss)] // an estimate
        let bytes = match self.files.values().map(|state| state.rows).sum::<u64>() {
            rows if rows >= ENOUGH => self.bytes as f64 / rows as f64,
            _ => BYTES_OF_RECORD,
        };
        let largest = months.values().copied().max().unwrap_or(0);
        let chosen = |month: &Month, records: u64| {
            let files = self.files.iter();
            let known = files
                .filter(|(file, _)| file.month == *month)
                .map(|(_, state)| state.buckets);
            known.max().unwrap_or_else(|| {
                if *month >= Month::of(now) {
                    buckets(largest, bytes)
                } else {
                    buckets(records, bytes)
                }
            })
        };
        let months = months.iter();
        months
            .map(|(month, records)| (*month, chosen(month, *records)))
            .collect()
    }

    /// Refuses to replace the files of a different archive, or of this one before it lost
    /// records; `rows` has the number of records that a file is to have.
    fn refuse_another(
        &self,
        rows: impl Fn(Partition) -> u64,
        months: &BTreeMap<Month, u16>,
    ) -> Result<(), Failure> {
        let lost = self.files.iter().find(|(file, state)| {
            // With a different number of buckets a file has other deployments.
            let buckets = months.get(&file.month);
            buckets.is_none_or(|buckets| *buckets == state.buckets) && rows(**file) < state.rows
        });
        let Some((file, state)) = lost else {
            return Ok(());
        };
        let why = format!(
            "it has {} records for {file} instead of {}",
            rows(*file),
            state.rows
        );
        Err(Failure::new(
            FailureKind::Other,
            format!(
                "the table was exported from another archive, or this one has lost records: {why}"
            ),
            "Nothing of it was replaced. Export to an empty prefix.",
        ))
    }
}

/// The failure of a prefix below which something else is.
fn other(store: &TableStore, file: &Found) -> Failure {
    let shown = text::excerpt(&file.path, 120);
    Failure {
        hint: "Name an empty prefix, or remove what is there.".to_owned(),
        ..Failure::usage(format!(
            "{} has {shown}, which is no file of a table of driftline",
            store.address()
        ))
    }
}

/// The flag that stops an export. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for it.
    pub(super) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Ends what is being done where it is asked for.
    ///
    /// # Errors
    /// [`FailureKind::Interrupted`] then.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.0.load(Ordering::Relaxed) {
            Err(interrupted())
        } else {
            Ok(())
        }
    }
}

/// The failure of an export that was asked to stop.
pub(super) fn interrupted() -> Failure {
    Failure::new(
        FailureKind::Interrupted,
        "the export was interrupted",
        "Files of the table are complete or as they were: export again.",
    )
}

#[cfg(test)]
mod tests;
