//! One export: what is new is found, the files with it are written and replaced, and
//! at last the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use super::address::TableAddress;
use super::lock::Lock;
use super::manifest::{FileEntry, Manifest, ManifestError, PATH};
use super::partition::{Month, Partition, buckets};
use super::plan::{Plan, another, plan};
use super::stop::{Stop, interrupted};
use super::store::{Found, TableStore};
use super::write::{Batches, Written, write};
use crate::archive::{Archive, BUSY};
use crate::failure::{Failure, FailureKind};
use crate::location::ArchiveLocation;
use crate::ops::blocking;
use crate::settings::Settings;
use crate::text;
use crate::track::time;

/// Bytes of a record in a file, until a table says how many they are.
const BYTES_OF_RECORD: f64 = 48.0;
/// Records of a table that say how many bytes one has.
const ENOUGH: u64 = 10_000;

/// What an export has done.
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
/// file, and `stopped` ends where the export is to stop. `None` if there is no
/// archive, or none of its deployments has a record.
///
/// # Errors
/// [`FailureKind::Usage`] for an address that cannot be used, or a prefix with
/// something else below it; [`FailureKind::Forbidden`] and
/// [`FailureKind::NotAuthenticated`] where the store refuses the user;
/// [`FailureKind::Unreachable`] where the network fails;
/// [`FailureKind::Interrupted`] where it was stopped; else [`FailureKind::Other`].
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
    let mut stopped = pin!(stopped);
    let lock = Lock::take(&store, &mut stopped).await?;
    let done = tokio::select! {
        done = export(archive, &store, now, heard, &stop) => done,
        failure = lock.keep(&store) => Err(failure),
        () = &mut stopped => Err(interrupted()),
    };
    stop.ask();
    store.give_up().await;
    lock.release(&store).await;
    done
}

async fn opened(place: ArchiveLocation) -> Result<Option<Archive>, Failure> {
    blocking(move || Ok(Archive::open_existing_at(&place, BUSY)?)).await
}

/// Runs something on a blocking thread.
async fn blocking<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = blocking::blocking(act).await;
    done.unwrap_or_else(|error| {
        Err(Failure::new(
            FailureKind::Other,
            format!("an internal fault of the export: {error}"),
            "",
        ))
    })
}

async fn export(
    archive: Archive,
    store: &TableStore,
    now: f64,
    mut heard: impl FnMut(&str),
    stop: &Stop,
) -> Result<Option<TableReport>, Failure> {
    let before = manifest_of(store).await?;
    let mut manifest = before.clone().unwrap_or_default();
    let found = store.list("").await?;
    refuse_others(store, &found, &manifest, before.is_some())?;
    let known = manifest.clone();
    let asked = stop.clone();
    let (archive, mut todo) = blocking(move || {
        let todo = plan(&archive, &known, &asked)?;
        Ok((archive, todo))
    })
    .await?;
    if todo.deployments.iter().all(|one| one.exported.rows == 0) {
        return Ok(None);
    }
    if divide(&mut manifest, &todo, now) {
        // Before the first file of a month, so that after a failure the next export
        // divides it in the same way.
        put(store, &mut manifest, now).await?;
    }
    let mut files: BTreeSet<Partition> = todo.files(&manifest.months).into_iter().collect();
    files.extend(lacking(&manifest, &found));
    let mut report = TableReport::default();
    let (mut archive, mut batches) = (archive, Batches::new());
    for partition in &files {
        let buckets = manifest.months.get(&partition.month).copied();
        let of = (*partition, buckets.unwrap_or(1));
        let asked = stop.clone();
        let written: Written;
        (archive, todo, batches, written) = blocking(move || {
            let written = write(&archive, &todo, of, &mut batches, &asked)?;
            Ok((archive, todo, batches, written))
        })
        .await?;
        let path = partition.to_string();
        let rows = manifest.files.get(&path).map_or(0, |file| file.rows);
        if written.rows < rows {
            return Err(another(&format!(
                "it has {} records for {path} instead of {rows}",
                written.rows
            )));
        }
        if written.rows == 0 {
            continue;
        }
        let entry = FileEntry {
            rows: written.rows,
            bytes: written.bytes,
        };
        store.upload(&path, written.file, written.bytes).await?;
        heard(&format!(
            "{path}: {} records, {}",
            entry.rows,
            text::bytes(entry.bytes)
        ));
        manifest.files.insert(path, entry);
        report.written += 1;
        report.bytes += entry.bytes;
    }
    if report.written > 0 {
        let of = |one: &super::plan::Planned| (one.known.uuid.to_string(), one.exported.clone());
        manifest.deployments = todo.deployments.iter().map(of).collect();
        put(store, &mut manifest, now).await?;
    }
    report.files = manifest.files.len();
    report.rows = manifest.size().0;
    Ok(Some(report))
}

async fn manifest_of(store: &TableStore) -> Result<Option<Manifest>, Failure> {
    let Some(bytes) = store.read(PATH).await? else {
        return Ok(None);
    };
    Manifest::read(&bytes).map(Some).map_err(|error| {
        let hint = match error {
            ManifestError::Foreign => "Name an empty prefix.",
            ManifestError::Newer => "Update driftline, or name an empty prefix.",
        };
        let what = format!("the table at {} cannot be read: {error}", store.address());
        Failure::new(FailureKind::Other, what, hint)
    })
}

async fn put(store: &TableStore, manifest: &mut Manifest, now: f64) -> Result<(), Failure> {
    manifest.written_at = time::rfc3339(now.floor());
    let bytes = manifest.bytes().map_err(|error| {
        let reason = format!("the manifest cannot be written: {error}");
        Failure::new(FailureKind::Other, reason, "Try again.")
    })?;
    store.write(PATH, bytes).await
}

/// Refuses a prefix below which something else is: a reader would take it for a part
/// of the table. What begins with `_` or `.` readers leave out.
fn refuse_others(
    store: &TableStore,
    found: &[Found],
    manifest: &Manifest,
    is_table: bool,
) -> Result<(), Failure> {
    let is_left_out = |path: &str| path.split('/').any(|part| part.starts_with(['_', '.']));
    let other = found
        .iter()
        .find(|one| !is_left_out(&one.path) && !manifest.may_hold(&one.path));
    let Some(other) = other else {
        return Ok(());
    };
    let shown = text::excerpt(&other.path, 120);
    let why = match is_table {
        true => format!(
            "{} has {shown} among the files of the table",
            store.address()
        ),
        false => format!("{} is not empty: it has {shown}", store.address()),
    };
    Err(Failure {
        hint: "Name an empty prefix, or remove what is there.".to_owned(),
        ..Failure::usage(why)
    })
}

/// Chooses the number of buckets of each month that has none; returns whether there
/// was one. A month that goes on is taken to become as large as the largest before.
fn divide(manifest: &mut Manifest, todo: &Plan, now: f64) -> bool {
    #[allow(clippy::cast_precision_loss)] // an estimate
    let bytes = match manifest.size() {
        (rows, bytes) if rows >= ENOUGH => bytes as f64 / rows as f64,
        _ => BYTES_OF_RECORD,
    };
    let new = |month: &Month| todo.new.get(month).copied().unwrap_or(0);
    let largest = manifest.months.keys().map(|month| manifest.rows_of(*month));
    let largest = largest.chain(todo.new.values().copied()).max().unwrap_or(0);
    let chosen: BTreeMap<Month, u16> = todo
        .months()
        .filter(|month| !manifest.months.contains_key(month))
        .map(|month| {
            let records = match month >= Month::of(now) {
                true => largest,
                false => new(&month),
            };
            (month, buckets(records, bytes))
        })
        .collect();
    let is_any = !chosen.is_empty();
    manifest.months.extend(chosen);
    is_any
}

/// The files that are in the manifest and not as it says.
fn lacking(manifest: &Manifest, found: &[Found]) -> Vec<Partition> {
    let sizes: BTreeMap<&str, u64> = found
        .iter()
        .map(|one| (one.path.as_str(), one.bytes))
        .collect();
    let differs =
        |(path, file): &(&String, &FileEntry)| sizes.get(path.as_str()) != Some(&file.bytes);
    let lacking = manifest.files.iter().filter(differs);
    lacking.filter_map(|(path, _)| path.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
