//! Exports tracks and images to files.

pub(crate) mod own_files;
pub(crate) mod table_export;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::store::Store;
use crate::app::export::own_files::OwnFiles;
use crate::failure::{Failure, WriteError};
use crate::formats;
use crate::formats::image::{Charted, ImageFormat, Source, Style};
use crate::formats::{ExportError, ExportJob, FileFormat, Format, LatestOf, Subject, WrittenFile};
use crate::geo::Notation;
use crate::map::PreparedTrack;
use crate::os::blocking::blocking;
use crate::os::output::{
    ContentError, Destination, FileKind, what_to_do, why, write_bytes, write_file,
};
use crate::text::hash::hash64;
use crate::track::Track;
use crate::track::field::{KeyedFields, fix_key};

/// Exports a track to a file atomically.
///
/// # Errors
/// As [`write_file`]; `FailureKind::Usage` for a format that this build
/// lacks.
pub(crate) fn export_file(
    destination: &Destination<'_>,
    format: Format,
    subject: &Subject<'_>,
    track: &Track,
) -> Result<(), WriteError> {
    write_file(destination, |out| {
        Ok(formats::write(format, subject, track, out)?)
    })
}

/// Writes a track, or its map, to the path that the user typed in the dashboard, on a
/// blocking thread.
///
/// # Errors
/// As [`write_file`]; if the image cannot be rendered; and if the archive that the track is
/// from cannot be read: no file without the fields is written.
pub(crate) async fn typed_path(
    store: &Store,
    own: &OwnFiles,
    job: ExportJob,
) -> Result<WrittenFile, WriteError> {
    // A track of the archive is opened without its fields. Where no archive could
    // be opened, the track is one of the service, with all it has.
    let uuid = job.deployment.id.uuid;
    let mut stored = KeyedFields::default();
    if job.format.has_fields() && job.track.fields().is_empty() {
        match store.read(move |archive| archive.fields(uuid)).await {
            Ok(fields) => stored = fields,
            Err(_) if !store.was_opened() => {}
            Err(failure) => {
                let failure = failure.context("the fields of the track cannot be read");
                return Err(failure.into());
            }
        }
    }
    let own = own.clone();
    blocking(move || written(&own, &job, &stored)).await?
}

/// Writes a table to the path that the user typed in the dashboard, where no file is yet;
/// returns the path.
///
/// # Errors
/// As [`write_file`].
pub(crate) async fn typed_table(
    own: &OwnFiles,
    typed: String,
    table: Vec<u8>,
) -> Result<String, Failure> {
    let own = own.clone();
    let written = blocking(move || -> Result<String, WriteError> {
        let path = typed_file(&typed, &own)?;
        write_bytes(&Destination::new(&path, FileKind::New), &table)?;
        Ok(path.display().to_string())
    });
    written.await?.map_err(|error| match error {
        WriteError::Exists(failure) | WriteError::Failed(failure) => failure,
    })
}

/// Writes the file of a job; a track of the archive has its fields in `stored`.
fn written(
    own: &OwnFiles,
    job: &ExportJob,
    stored: &KeyedFields,
) -> Result<WrittenFile, WriteError> {
    let path = typed_file(&job.path, own)?;
    let kind = if job.replace {
        FileKind::Replaced
    } else {
        FileKind::New
    };
    let destination = Destination::new(&path, kind);
    let subject = Subject {
        deployment: &job.deployment.id.to_string(),
        label: job.deployment.label.as_deref(),
        fetched_at: job.fetched_at,
        now: job.now,
        notation: Notation::default(),
    };
    let mut track = Arc::clone(job.track.track());
    let fields = stored.rows(
        track
            .fixes()
            .map(|fix| fix_key(fix.time_stamp, fix.position)),
    );
    if !fields.is_empty() {
        track = Arc::new(track.with_fields(fields));
    }
    if let Some((from, to)) = job.range {
        track = Arc::new(track.window(Some(from), Some(to)));
    }
    if job.without_failed {
        track = Arc::new(track.without_failed());
    }
    let fixes = track.len();
    match job.format {
        FileFormat::Track(format) => export_file(&destination, format, &subject, &track)?,
        FileFormat::Map(format) => {
            let is_part = job.range.is_some() || job.without_failed;
            let track = if is_part {
                Arc::new(PreparedTrack::new(track))
            } else {
                Arc::clone(&job.track)
            };
            let charted = Charted {
                subject,
                track: &track,
                limits: &job.deployment.limits,
                source: Source::Service,
            };
            image_file(&destination, format, &[charted], &job.style)?;
        }
    }
    let path = std::path::absolute(&path).unwrap_or(path);
    let bytes = std::fs::metadata(&path).map_or(0, |there| there.len());
    Ok(WrittenFile {
        path: path.display().to_string(),
        fixes,
        bytes,
    })
}

/// The file of a path that the user typed in the dashboard.
///
/// # Errors
/// For standard output, a terminal and a file of the program itself.
fn typed_file(typed: &str, own: &OwnFiles) -> Result<PathBuf, Failure> {
    if typed == "-" {
        return Err(Failure::usage("standard output is the dashboard's own")
            .with_hint("Give the path of a file."));
    }
    let path = match typed.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
        None => PathBuf::from(typed),
    };
    if is_terminal(&path) {
        return Err(Failure::usage(format!("{} is a terminal", path.display()))
            .with_hint("The dashboard draws on the terminal. Give the path of a file."));
    }
    own.refuse(&path)?;
    Ok(path)
}

/// `true` if a path leads to a terminal, such as `/dev/tty`. A file would be
/// written over the dashboard.
fn is_terminal(path: &Path) -> bool {
    // Only a device is opened: opening a pipe waits for its other end.
    is_character_device(path) && File::open(path).is_ok_and(|file| file.is_terminal())
}

#[cfg(unix)]
fn is_character_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_character_device(_: &Path) -> bool {
    false
}

/// Writes the last fixes of a list to a file.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn latest_file(
    destination: &Destination<'_>,
    format: Format,
    list: &[LatestOf<'_>],
) -> Result<(), Failure> {
    write_file(destination, |out| {
        Ok(formats::write_latest(format, list, out)?)
    })?;
    Ok(())
}

/// Checks that this build has a format, before anything is fetched for it.
///
/// # Errors
/// `FailureKind::Usage` if it lacks the format.
pub(crate) fn can_write(format: Format) -> Result<(), Failure> {
    if format.is_built() {
        return Ok(());
    }
    Err(ExportError::NotBuilt(format).into())
}

/// Writes the chart of tracks to an image file atomically.
///
/// # Errors
/// As [`write_file`]; `FailureKind::Other` when the image cannot be rendered.
pub(crate) fn image_file(
    destination: &Destination<'_>,
    format: ImageFormat,
    tracks: &[Charted<'_>],
    style: &Style,
) -> Result<(), WriteError> {
    write_file(destination, |out| {
        Ok(formats::image::write(format, tracks, style, out)?)
    })
}

/// A name as that of a file in a folder. Different names have different files: what cannot be in
/// the name of a file is replaced, and a hash of the whole name follows.
pub(crate) fn safe_file_name(name: &str) -> String {
    let kept = |character: char| match character {
        '/' | '\\' | ':' | '\0'..='\x1f' => '_',
        other => other,
    };
    let file: String = name.chars().take(100).map(kept).collect();
    if file == name && !file.starts_with('.') {
        return file;
    }
    let hash = hash64(name.bytes()) >> 32;
    let hidden = if file.starts_with('.') { "_" } else { "" };
    format!("{hidden}{file}-{hash:08x}")
}

impl From<ExportError> for ContentError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Io(error) => Self::Io(error),
            other => Self::Failed(other.into()),
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::NotBuilt(_) => Failure::usage(error.to_string()),
            ExportError::Io(error) => Failure::other(format!("writing failed: {}", why(&error)))
                .with_hint(what_to_do(&error)),
            ExportError::Unfit { .. } => {
                Failure::other(error.to_string()).with_hint("Choose another format.")
            }
            ExportError::Image(_) => {
                Failure::other(error.to_string()).with_hint("Choose another size, or SVG.")
            }
        }
    }
}
