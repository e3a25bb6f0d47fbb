//! Tracks of files, which need no service, archive or keyring.

pub(super) mod dashboard;
pub(super) mod word;

use std::path::Path;
use std::sync::Arc;

use super::args::{FileArguments, Global};
use super::output::warn;
use super::run::Run;
use super::subject::{Naming, Subject, apply, max_speed};
use crate::app::source::files::{Files, entry, stem};
use crate::app::source::input::{read_file, shown};
use crate::app::update::keep::Assembled;
use crate::failure::Failure;
use crate::formats::read::{ChosenColumns, FileTrack, UnendedRow};
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::text;
use crate::track::Track;
use crate::watch::Flags;
use word::is_file;

/// `true` for such a word, and for the name of an existing file that names no deployment.
pub(super) async fn is_meant(word: &str, run: &Run) -> bool {
    is_file(word) || Path::new(word).is_file() && !run.is_deployment(word).await
}

/// `true` if all of the words are files, as [`is_meant`] says.
///
/// # Errors
/// `FailureKind::Usage` if the settings cannot be read.
pub(super) async fn all_are_meant(global: &Global, words: &[String]) -> Result<bool, Failure> {
    // Files need no settings.
    if words.iter().all(|word| is_file(word)) {
        return Ok(true);
    }
    if !words
        .iter()
        .all(|word| is_file(word) || Path::new(word).is_file())
    {
        return Ok(false);
    }
    let run = Run::new(global)?;
    for word in words {
        if !is_meant(word, &run).await {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The deployments of a file with their tracks.
///
/// # Errors
/// `FailureKind::Usage` if the file does not exist, or lacks a column that is named;
/// `FailureKind::NotUnderstood` if it cannot be read.
pub(super) async fn subjects(word: &str, naming: &Naming<'_>) -> Result<Vec<Subject>, Failure> {
    let now = unix_now();
    let max_speed_m_s = max_speed(naming.speed)?;
    let tracks = records(word, naming.file, UnendedRow::Kept).await?;
    let assembled = tracks.into_iter().map(|track| {
        let id = track.id.unwrap_or_else(|| stem(word));
        let entry = entry(&id);
        let mut options = entry.options(now);
        apply(naming.speed, max_speed_m_s, &mut options);
        let track = Arc::new(Track::new(&track.records, &options));
        let notes = Vec::from_iter(track.conflicting_repeats());
        let assembled = Assembled {
            track,
            options: Box::new(options.clone()),
            fetched_at: now,
        };
        Subject {
            id,
            is_watched: false,
            file: Some(word.to_owned()),
            options,
            flags: Flags::Given,
            got: Some(assembled),
            notes,
            ..Subject::new(entry)
        }
    });
    Ok(assembled.collect())
}

/// The records of a file for each of its deployments, or for the chosen one; prints what
/// was taken for granted.
async fn records(
    word: &str,
    file: &FileArguments,
    unended: UnendedRow,
) -> Result<Vec<FileTrack>, Failure> {
    let name = word.to_owned();
    let columns = ChosenColumns {
        unended,
        ..file.columns()
    };
    let found = blocking(move || read_file(&name, &columns)).await??;
    for message in &found.notes {
        warn(format_args!("{}: {message}", shown(word)));
    }
    let mut tracks = found.tracks;
    if let Some(id) = &file.id {
        let ids = names(word, &tracks);
        let is_own = |track: &FileTrack| track.id.as_deref() == Some(id.as_str());
        let has_own = tracks.iter().any(is_own);
        // Records without an id are shown by the name of the file.
        tracks.retain(|track| match (has_own, &track.id) {
            (true, _) => is_own(track),
            (false, Some(_)) => false,
            (false, None) => stem(word) == *id,
        });
        if tracks.is_empty() {
            let hint = format!("It has {}.", text::excerpt(&ids.join(", "), 300));
            let failure = format!(
                "{} has no deployment '{}'",
                shown(word),
                text::excerpt(id, 60)
            );
            return Err(Failure::usage(failure).with_hint(hint));
        }
    }
    Ok(tracks)
}

/// The track of the only deployment of a file, to be stored: without a row that may be cut.
///
/// # Errors
/// As [`subjects`]; `FailureKind::Usage` if the file has several deployments.
pub(super) async fn only_track(word: &str, file: &FileArguments) -> Result<FileTrack, Failure> {
    let mut all = records(word, file, UnendedRow::LeftOut).await?;
    match all.pop() {
        Some(track) if all.is_empty() => Ok(track),
        last => {
            all.extend(last);
            Err(has_several(word, &names(word, &all))
                .with_hint("Choose one with --id. With --id-column none all is one track."))
        }
    }
}

/// The failure for a file with several deployments if a single one is needed.
pub(super) fn several(word: &str, subjects: &[Subject]) -> Failure {
    let names = subjects
        .iter()
        .map(|subject| text::excerpt(&subject.id, 60));
    has_several(word, &names.collect::<Vec<_>>())
}

fn has_several(word: &str, names: &[String]) -> Failure {
    let failure = format!(
        "{} has {} deployments: {}",
        shown(word),
        names.len(),
        text::excerpt(&names.join(", "), 300)
    );
    let hint = "Choose one with --id, or give a folder: --output DIR/. With --id-column none all is one track.";
    Failure::usage(failure).with_hint(hint)
}

/// The names of tracks of a file, by which `--id` finds them.
fn names(word: &str, tracks: &[FileTrack]) -> Vec<String> {
    let name = |track: &FileTrack| track.id.clone().unwrap_or_else(|| stem(word));
    tracks.iter().map(name).collect()
}
