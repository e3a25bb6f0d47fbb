//! Exports the archive to a folder as one table: `month=2026-01/part-0007.parquet`, as
//! DuckDB, Polars and Spark read partitions.
//!
//! A part holds the fixes of one deployment in a month. It is made from them alone and is
//! replaced only where its bytes differ, so that a program which mirrors the folder sends
//! what is new.

// With all deployments in one file a month, a late fix of one buoy would send the month of
// the whole fleet again over a ship's link; and the months of all would have to be open
// at once while one track after the other is read.

#[cfg(all(test, feature = "parquet"))]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use jiff::tz::Offset;
use jiff::{Span, Timestamp};

use crate::app::export::can_write;
use crate::app::store::Store;
use crate::archive::Archive;
use crate::failure::Failure;
use crate::formats::{self, Format, Subject};
use crate::geo::Notation;
use crate::os::blocking::blocking;
use crate::os::output::{Destination, FileKind, why, write_file};
use crate::text;
use crate::track::{Track, TrackOptions};
use crate::watch::Deployment;

/// The result of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TableReport {
    /// Deployments with a fix.
    pub(crate) deployments: usize,
    /// Fixes of the table.
    pub(crate) rows: usize,
    pub(crate) files: usize,
    /// Files that were written, because they are new or something in them is.
    pub(crate) written: usize,
    /// Bytes of those.
    pub(crate) bytes: usize,
    /// Files that were removed, because the archive has no fix for them any more.
    pub(crate) removed: usize,
}

/// Exports every deployment of the archive, with the quality flags. `options` returns how the
/// track of a deployment is assembled, without the flags set by hand; `heard` is called with
/// each file that is written.
///
/// # Errors
/// `FailureKind::Usage` if this build lacks Parquet, and for a folder with anything but
/// such a table; `FailureKind::Other` when the archive cannot be read, a file cannot be
/// written, or the table is of another archive. Each file is whole then, as it was or as
/// it is now.
pub(crate) async fn export_table(
    store: &Store,
    folder: &Path,
    now: f64,
    options: impl Fn(&Deployment) -> TrackOptions,
    mut heard: impl FnMut(&str),
) -> Result<TableReport, Failure> {
    can_write(Format::Parquet)?;
    let place = folder.to_owned();
    let before = blocking(move || files_of_table(&place)).await??;
    let known = store.read(Archive::known).await?;
    let mut owners = HashMap::new();
    for deployment in store.read(Archive::numbered).await? {
        let uuid = deployment.id.uuid;
        let number = store.read(move |archive| archive.number(uuid)).await?;
        let name = part_name(number.unwrap_or_default());
        owners.insert(OsString::from(name), deployment.id.to_string());
    }
    // All of them first: of the table of another archive no file is written or removed. An archive
    // without anything is more likely a mistyped path.
    if !known.is_empty() {
        let parts: HashMap<_, _> = (before.iter())
            .filter_map(|path| Some((path.file_name()?.to_owned(), path.clone())))
            .collect();
        blocking(move || {
            parts.into_iter().try_for_each(|(name, path)| {
                let file = fs::read(&path).map_err(|error| failed("reading", &path, &error))?;
                // No deployment ever goes from an archive, nor does its number.
                check_owner(&path, &file, owners.get(&name).map(String::as_str))
            })
        })
        .await??;
    }
    let mut report = TableReport::default();
    let mut current = BTreeSet::new();
    for deployment in known {
        let uuid = deployment.id.uuid;
        let read = store.read(move |archive| {
            let stored = archive.stored_with_fields(uuid)?;
            Ok((archive.number(uuid)?, stored, archive.overrides(uuid)?))
        });
        let (Some(number), Some(stored), overrules) = read.await? else {
            continue;
        };
        let options = TrackOptions {
            overrules,
            ..options(&deployment)
        };
        let id = deployment.id.to_string();
        let place = folder.to_owned();
        let parts = blocking(move || {
            let track = Track::new(&stored.records, &options);
            let subject = Subject {
                deployment: &id,
                label: deployment.label.as_deref(),
                fetched_at: stored.fetched_at,
                now,
                notation: Notation::default(),
            };
            let mut parts = Vec::new();
            for (month, fixes) in months(&track) {
                let path = place.join(format!("month={month}")).join(part_name(number));
                parts.push(write_part(path, &subject, &track, fixes)?);
            }
            Ok::<_, Failure>(parts)
        })
        .await??;
        report.deployments += usize::from(!parts.is_empty());
        for part in parts {
            report.files += 1;
            report.rows += part.rows;
            if part.written > 0 {
                report.written += 1;
                report.bytes += part.written;
                let path = text::path(&part.path);
                let rows = text::counted(part.rows, "fix", "fixes");
                heard(&format!("{path}: {rows}, {} bytes", part.written));
            }
            current.insert(part.path);
        }
    }
    // An archive without any fix is more likely the wrong one than one that lost them all.
    if current.is_empty() {
        return Ok(report);
    }
    let gone: Vec<PathBuf> = before.difference(&current).cloned().collect();
    report.removed = gone.len();
    blocking(move || {
        gone.iter().try_for_each(|path| {
            fs::remove_file(path).map_err(|error| failed("removing", path, &error))
        })
    })
    .await??;
    Ok(report)
}

/// A file of the table.
struct Part {
    path: PathBuf,
    rows: usize,
    /// The bytes that were written; 0 if it is as it was.
    written: usize,
}

/// The months of the fixes of a track, as `2026-01`, each with its fixes by their index.
fn months(track: &Track) -> Vec<(String, Range<usize>)> {
    let mut months = Vec::new();
    let mut start = 0;
    while let Some(first) = track.fix(start) {
        let (month, end_s) = month(first.time_stamp);
        let later = track.fixes().skip(start);
        let count = later.take_while(|fix| fix.time_stamp < end_s).count();
        // The month of a time ends after it; a track goes on all the same.
        let end = start + count.max(1);
        months.push((month, start..end));
        start = end;
    }
    months
}

/// The month of a time within the calendar, in UTC, and its end; both UNIX seconds.
fn month(time: f64) -> (String, f64) {
    // Within the calendar.
    let second = Timestamp::from_second(time.floor() as i64).unwrap_or_default();
    let first = Offset::UTC.to_datetime(second).date().first_of_month();
    let next = first
        .checked_add(Span::new().months(1))
        .ok()
        .and_then(|day| {
            Offset::UTC
                .to_timestamp(day.to_datetime(jiff::civil::Time::midnight()))
                .ok()
        });
    let end = next.map_or(f64::INFINITY, |next| next.as_second() as f64);
    (format!("{:04}-{:02}", first.year(), first.month()), end)
}

fn write_part(
    path: PathBuf,
    subject: &Subject<'_>,
    track: &Track,
    fixes: Range<usize>,
) -> Result<Part, Failure> {
    let mut bytes = Vec::new();
    let rows = fixes.len();
    formats::write_part(subject, track, fixes, &mut bytes)?;
    let before = match fs::read(&path) {
        Ok(before) => Some(before),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed("reading", &path, &error)),
    };
    let mut part = Part {
        path,
        rows,
        written: 0,
    };
    if before.as_ref() == Some(&bytes) {
        return Ok(part);
    }
    if let Some(before) = before {
        check_owner(&part.path, &before, Some(subject.deployment))?;
    }
    if let Some(folder) = part.path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed("making", folder, &error))?;
    }
    write_file(&Destination::new(&part.path, FileKind::Replaced), |out| {
        Ok(out.write_all(&bytes)?)
    })?;
    part.written = bytes.len();
    Ok(part)
}

/// The name of the file of the deployment with this number in the archive.
fn part_name(number: i64) -> String {
    format!("part-{number:04}.parquet")
}

/// Checks that a file of the table is of the `deployment` that has its number in the archive.
fn check_owner(path: &Path, file: &[u8], deployment: Option<&str>) -> Result<(), Failure> {
    let owner = formats::deployment_of_part(file);
    if owner.is_some() && owner.as_deref() == deployment {
        return Ok(());
    }
    let found = owner.map_or_else(|| "no deployment".to_owned(), |id| text::excerpt(&id, 130));
    let own = deployment.map_or("none of this archive".to_owned(), |id| {
        format!("not of {}", text::excerpt(id, 130))
    });
    Err(Failure::other(format!(
        "the table was exported from another archive: {} is of {found}, {own}",
        shown(path)
    ))
    .with_hint("It was left as it is. Export to an empty folder."))
}

/// The files of the table in a folder; none if it does not exist. What begins with `_` or `.`
/// is left out, as readers do.
///
/// # Errors
/// `FailureKind::Usage` where something else is in the folder: a reader would take it for
/// a part of the table.
fn files_of_table(folder: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let mut files = BTreeSet::new();
    for (name, month) in entries(folder)? {
        if !is_month(&name) || !month.is_dir() {
            return Err(not_of_table(folder, &month));
        }
        for (name, file) in entries(&month)? {
            if !is_part(&name) {
                return Err(not_of_table(folder, &file));
            }
            files.insert(file);
        }
    }
    Ok(files)
}

/// `true` for the name of the folder of a month, such as `month=2026-01`.
fn is_month(name: &str) -> bool {
    let Some((year, month)) = name
        .strip_prefix("month=")
        .and_then(|month| month.split_once('-'))
    else {
        return false;
    };
    year.len() == 4 && month.len() == 2 && is_number(year) && is_number(month)
}

/// `true` for the name of a part, such as `part-0007.parquet`.
fn is_part(name: &str) -> bool {
    let number = name
        .strip_prefix("part-")
        .and_then(|rest| rest.strip_suffix(".parquet"));
    number.is_some_and(|number| number.len() >= 4 && is_number(number))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The names and paths in a folder that readers of tables see.
fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed("reading", folder, &error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| failed("reading", folder, &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with(['_', '.']) {
            found.push((name, entry.path()));
        }
    }
    Ok(found)
}

fn not_of_table(folder: &Path, path: &Path) -> Failure {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    Failure::usage(format!(
        "{} has {}, which is no file of a table of driftline",
        shown(folder),
        shown(inside)
    ))
    .with_hint("Name an empty folder, or remove what is there.")
}

fn failed(doing: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::other(format!("{doing} {} failed: {}", shown(path), why(error)))
        .with_hint("Files of the table are whole, as they were or as they are now: export again.")
}

fn shown(path: &Path) -> String {
    text::excerpt(&path.display().to_string(), 200)
}
