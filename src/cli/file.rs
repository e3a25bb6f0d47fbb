//! Tracks of files: no service, no archive and no keyring is asked for them.

mod input;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use uuid::Uuid;

use super::args::{FileArguments, Global, Selection};
use super::connect;
use super::output::note;
use super::track::{Got, Range, max_speed, options, said_of};
use crate::clock::unix_now;
use crate::demo::{self, Recorded};
use crate::failure::{Failure, FailureKind};
use crate::formats::read::{self, FileTrack};
use crate::ops::blocking::blocking;
use crate::ops::store::Store;
use crate::settings::Settings;
use crate::text;
use crate::track::field::FieldValue;
use crate::track::{Deployment, Limits, Platform, Records, Track};
pub(super) use input::Input;
use input::{Stamp, read_file};

/// `true` for what is a file, whatever the watch list has: standard input, a path, or a
/// name with the extension of a file that is read.
pub(super) fn is_file(word: &str) -> bool {
    let path = Path::new(word);
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    let is_read = |extension: String| read::EXTENSIONS.contains(&extension.as_str());
    word == "-" || word.contains(['/', std::path::MAIN_SEPARATOR]) || extension.is_some_and(is_read)
}

/// `true` for a file, or a word that names no deployment and a file that is there.
pub(super) async fn is_meant(word: &str, settings: &Settings, store: &Store) -> bool {
    is_file(word)
        || Path::new(word).is_file() && !connect::is_deployment(word, settings, store).await
}

/// `true` if all of the words are files, as [`is_meant`] says.
///
/// # Errors
/// [`FailureKind::Usage`] where the settings do not tell what is watched.
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
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    for word in words {
        if !is_meant(word, &settings, &store).await {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The tracks of a file, one for each of its deployments.
///
/// # Errors
/// [`FailureKind::Usage`] where it is not there, or has no column that is named,
/// [`FailureKind::NotUnderstood`] where it cannot be read.
pub(super) async fn tracks(
    word: &str,
    file: &FileArguments,
    selection: &Selection,
) -> Result<Vec<Got>, Failure> {
    let now = unix_now();
    let range = Range::of(selection, now)?;
    let max_speed_m_s = max_speed(selection.speed.max_speed.as_deref())?;
    let stem = stem(word);
    let tracks = records(word, file).await?;
    let assembled = tracks.into_iter().map(|track| {
        let name = track.id.unwrap_or_else(|| stem.clone());
        let entry = entry(&name);
        let options = options(&entry, selection.speed.platform, max_speed_m_s, now);
        let track = Track::assemble(track.records, &options);
        if let Some(told) = track.unusable_text() {
            note(&said_of(Some(&name), &told));
        }
        Got {
            track: range.part_of(Arc::new(track), Some(&name)),
            fetched_at: now,
            label: Some(name.clone()),
            deployment: name,
            limits: Limits::default(),
        }
    });
    Ok(assembled.collect())
}

/// The records of a file for each of its deployments, or for the chosen one; prints what
/// was taken for granted.
async fn records(word: &str, file: &FileArguments) -> Result<Vec<FileTrack>, Failure> {
    let (name, columns) = (word.to_owned(), file.columns());
    let found = blocking(move || read_file(&name, &columns)).await??;
    for told in &found.notes {
        note(&format!("driftline: {}: {told}", shown(word)));
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

/// The records of the one deployment of a file.
///
/// # Errors
/// As [`tracks`]; [`FailureKind::Usage`] where it has several deployments.
pub(super) async fn records_of_one(word: &str, file: &FileArguments) -> Result<Records, Failure> {
    let mut all = records(word, file).await?;
    match all.pop() {
        Some(track) if all.is_empty() => Ok(track.records),
        last => {
            let ids = all.into_iter().chain(last).filter_map(|track| track.id);
            Err(Failure {
                hint: "Choose one with --id.".to_owned(),
                ..several(word, &ids.collect::<Vec<_>>())
            })
        }
    }
}

/// The one track of a file.
///
/// # Errors
/// As [`tracks`]; [`FailureKind::Usage`] where it has several deployments.
pub(super) async fn track(
    word: &str,
    file: &FileArguments,
    selection: &Selection,
) -> Result<Got, Failure> {
    let mut all = tracks(word, file, selection).await?;
    match all.pop() {
        Some(got) if all.is_empty() => Ok(got),
        last => {
            let names = all
                .iter()
                .chain(&last)
                .map(|got| text::excerpt(&got.deployment, 60));
            Err(several(word, &names.collect::<Vec<_>>()))
        }
    }
}

/// The tracks of files for the embedded service, which reads a file again when it has
/// changed, and a pipe as its writer goes on.
///
/// # Errors
/// As [`tracks`].
pub(super) async fn recorded(inputs: Vec<Input>) -> Result<Vec<Recorded>, Failure> {
    let mut all: Vec<Recorded> = Vec::new();
    for input in inputs {
        let word = input.word().to_owned();
        let (input, stamp, found) = blocking(move || {
            let found = input.begin()?;
            Ok::<_, Failure>((input.clone(), input.stamp(), found))
        })
        .await??;
        for told in &found.notes {
            note(&format!("driftline: {}: {told}", shown(&word)));
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
                // A file that is not written any more is no deployment to wait for.
                until: is_old.then(|| last(&track.records)).flatten(),
            };
            let held = Mutex::new((stamp, Arc::new(answer(&track.records))));
            let (input, id) = (input.clone(), track.id);
            let body = move || again(&input, id.as_deref(), &held);
            all.push(Recorded {
                deployment,
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

/// The answer for a deployment of a file, made again where the file has changed.
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

/// Records as a service sends them. One that cannot be used is its text alone.
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

/// The failure of what takes one deployment, for a file with several.
pub(super) fn several(word: &str, names: &[String]) -> Failure {
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

/// A name as that of a file in a folder.
pub(super) fn name_of(name: &str) -> String {
    let kept = |character: char| match character {
        '/' | '\\' | ':' | '\0'..='\x1f' => '_',
        other => other,
    };
    let name: String = name.chars().take(100).map(kept).collect();
    match name.starts_with('.') {
        true => format!("_{name}"),
        false => name,
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
