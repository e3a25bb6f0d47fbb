//! Tracks of files, which need no service, archive or keyring.

mod input;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use uuid::Uuid;

use super::args::{FileArguments, Global};
use super::output::note;
use super::run::Run;
use super::subject::{Naming, Subject, apply, max_speed};
use crate::clock::unix_now;
use crate::demo::{self, Recorded};
use crate::failure::{Failure, FailureKind};
use crate::formats::image::Source;
use crate::formats::read::{self, FileTrack};
use crate::intake::update::Assembled;
use crate::ops::blocking::blocking;
use crate::text;
use crate::track::field::FieldValue;
use crate::track::{Deployment, Flags, Platform, Records, Track};
pub(super) use input::Input;
use input::{Stamp, read_file};

/// `true` for a word that is a file, whatever the watch list has: standard input, a path, or a
/// name with the extension of a format that is read.
pub(super) fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    let is_read = |extension: String| read::EXTENSIONS.contains(&extension.as_str());
    word == "-" || word.contains(['/', std::path::MAIN_SEPARATOR]) || extension.is_some_and(is_read)
}

/// `true` for such a word, and for the name of an existing file that names no deployment.
pub(super) async fn is_meant(word: &str, run: &Run) -> bool {
    is_file(word) || Path::new(word).is_file() && !run.is_deployment(word).await
}

/// `true` if all of the words are files, as [`is_meant`] says.
///
/// # Errors
/// [`FailureKind::Usage`] if the settings cannot be read.
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
/// [`FailureKind::Usage`] if the file does not exist, or lacks a column that is named;
/// [`FailureKind::NotUnderstood`] if it cannot be read.
pub(super) async fn subjects(word: &str, naming: &Naming<'_>) -> Result<Vec<Subject>, Failure> {
    let now = unix_now();
    let max_speed_m_s = max_speed(naming.speed)?;
    let tracks = records(word, naming.file).await?;
    let assembled = tracks.into_iter().map(|track| {
        let id = track.id.unwrap_or_else(|| stem(word));
        let entry = entry(&id);
        let mut options = entry.options(now);
        apply(naming.speed, max_speed_m_s, &mut options);
        let assembled = Assembled {
            track: Arc::new(Track::of(&track.records, &options)),
            options: Box::new(options.clone()),
            fetched_at: now,
            clock_ahead_s: None,
        };
        Subject {
            id,
            entry,
            is_watched: false,
            source: Source::File,
            options,
            flags: Flags::Given,
            got: Some(assembled),
            notes: Vec::new(),
            failure: None,
            unjudged: None,
        }
    });
    Ok(assembled.collect())
}

/// The records of a file for each of its deployments, or for the chosen one; prints what
/// was taken for granted.
async fn records(word: &str, file: &FileArguments) -> Result<Vec<FileTrack>, Failure> {
    let (name, columns) = (word.to_owned(), file.columns());
    let found = blocking(move || read_file(&name, &columns)).await??;
    for message in &found.notes {
        note(&format!("driftline: {}: {message}", shown(word)));
    }
    let mut tracks = found.tracks;
    if let Some(id) = &file.id {
        let ids = ids(&tracks);
        tracks.retain(|track| track.id.as_deref() == Some(id.as_str()));
        if tracks.is_empty() {
            let hint = format!("It has {ids}.");
            let failure = format!(
                "{} has no deployment '{}'",
                shown(word),
                text::excerpt(id, 60)
            );
            return Err(Failure::new(FailureKind::Usage, failure, hint));
        }
    }
    Ok(tracks)
}

/// The records of the only deployment of a file.
///
/// # Errors
/// As [`subjects`]; [`FailureKind::Usage`] if the file has several deployments.
pub(super) async fn records_of_only(word: &str, file: &FileArguments) -> Result<Records, Failure> {
    let mut all = records(word, file).await?;
    match all.pop() {
        Some(track) if all.is_empty() => Ok(track.records),
        last => {
            let ids = all.into_iter().chain(last).filter_map(|track| track.id);
            Err(Failure {
                hint: "Choose one with --id.".to_owned(),
                ..has_several(word, &ids.collect::<Vec<_>>())
            })
        }
    }
}

/// The tracks of files for the embedded service, which reads a file again when it has
/// changed, and a pipe as its writer goes on.
///
/// # Errors
/// As [`subjects`].
pub(super) async fn recorded(inputs: Vec<Input>) -> Result<Vec<Recorded>, Failure> {
    let mut all: Vec<Recorded> = Vec::new();
    for input in inputs {
        let word = input.word().to_owned();
        let (input, stamp, found) = blocking(move || {
            let found = input.begin()?;
            Ok::<_, Failure>((input.clone(), input.stamp(), found))
        })
        .await??;
        for message in &found.notes {
            note(&format!("driftline: {}: {message}", shown(&word)));
        }
        let is_old = !input.is_live();
        for track in found.tracks {
            let name = track.id.clone().unwrap_or_else(|| stem(&word));
            let mut uuid = entry(&name).uuid;
            while all.iter().any(|other| other.deployment.uuid == uuid) {
                uuid = Uuid::new_v5(&uuid, word.as_bytes());
            }
            let deployment = demo::Deployment {
                uuid,
                label: name,
                platform: Platform::Generic,
                circle: None,
                // No more fixes are expected from a file that is not written any more.
                until: is_old.then(|| last(&track.records)).flatten(),
            };
            let held = Mutex::new((stamp, Arc::new(answer(&track.records))));
            let (input, id) = (input.clone(), track.id);
            let file = input.file();
            let body = move || again(&input, id.as_deref(), &held);
            all.push(Recorded {
                deployment,
                file,
                body: Arc::new(body),
            });
        }
    }
    Ok(all)
}

/// The time of the last fix.
fn last(records: &Records) -> Option<f64> {
    let times = records.transmissions.iter().map(|fix| fix.time_stamp);
    times.max_by(f64::total_cmp)
}

/// The response for a deployment of a file, made again if the file has changed.
fn again(
    input: &Input,
    id: Option<&str>,
    held: &Mutex<(Stamp, Arc<Vec<u8>>)>,
) -> io::Result<Vec<u8>> {
    let stamp = input.stamp();
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    if held.0.is_some() && held.0 != stamp {
        let found = input.read().map_err(io::Error::other)?;
        let track = found
            .tracks
            .into_iter()
            .find(|track| track.id.as_deref() == id);
        let records = track.map(|track| track.records).unwrap_or_default();
        *held = (stamp, Arc::new(answer(&records)));
    }
    Ok(held.1.to_vec())
}

/// Records as a service sends them; an invalid record is its text.
fn answer(records: &Records) -> Vec<u8> {
    let sent = records
        .transmissions
        .iter()
        .enumerate()
        .map(|(fix, transmission)| {
            let mut members = serde_json::Map::new();
            members.insert("time_stamp".to_owned(), transmission.time_stamp.into());
            members.insert("latitude".to_owned(), transmission.position.latitude.into());
            members.insert(
                "longitude".to_owned(),
                transmission.position.longitude.into(),
            );
            for (name, value) in records.fields.of_fix(fix) {
                members.insert(name.to_owned(), json(value));
            }
            Value::Object(members)
        });
    let unusable = records
        .unusable
        .iter()
        .map(|record| Value::String(record.excerpt.clone()));
    let mut body = Vec::from(b"[");
    for value in sent.chain(unusable) {
        if body.len() > 1 {
            body.push(b',');
        }
        body.extend_from_slice(value.to_string().as_bytes());
    }
    body.push(b']');
    body
}

fn json(value: FieldValue<'_>) -> Value {
    match value {
        FieldValue::Null => Value::Null,
        FieldValue::Truth(is) => is.into(),
        FieldValue::Number(number) => number.into(),
        FieldValue::Digits(text) | FieldValue::Text(text) => text.into(),
    }
}

/// A deployment of a file, which is on no watch list.
pub(super) fn entry(name: &str) -> Deployment {
    let urn = format!("urn:driftline:track:{name}");
    Deployment {
        label: Some(name.to_owned()),
        ..Deployment::new(Uuid::new_v5(&Uuid::NAMESPACE_URL, urn.as_bytes()))
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
    let hint = "Choose one with --id, or give a folder: --output DIR/.";
    Failure::new(FailureKind::Usage, failure, hint)
}

fn ids(tracks: &[FileTrack]) -> String {
    let ids: Vec<&str> = tracks
        .iter()
        .filter_map(|track| track.id.as_deref())
        .collect();
    match ids.as_slice() {
        [] => "no column of ids".to_owned(),
        ids => text::excerpt(&ids.join(", "), 300),
    }
}

/// A file's name without its folder and extension.
fn stem(word: &str) -> String {
    let stem = Path::new(word)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    match stem.as_ref() {
        "" | "-" => "standard input".to_owned(),
        stem => stem.to_owned(),
    }
}

fn shown(word: &str) -> String {
    match word {
        "-" => "standard input".to_owned(),
        word => format!("'{}'", text::excerpt(word, 200)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_or_an_extension_makes_a_file_and_a_label_none() {
        for word in ["-", "a.csv", "A.GPX", "./buoy", "/x/y", "a b.geojson"] {
            assert!(is_file(word), "{word}");
        }
        for word in ["buoy 7", "buoy.7", "5b6ac2a0", "csv", "v1.2"] {
            assert!(!is_file(word), "{word}");
        }
        assert_eq!(stem("/x/buoy 7.csv"), "buoy 7");
    }
}
