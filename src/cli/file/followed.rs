//! Files and pipes behind the dashboard: the embedded service has their tracks, and reads
//! one again when it has changed.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use uuid::Uuid;

use super::input::{Input, Stamp};
use super::{entry, shown, stem};
use crate::cli::output::warn;
use crate::demo::Recorded;
use crate::failure::Failure;
use crate::formats::read::FileTrack;
use crate::ops::blocking::blocking;
use crate::track::FileChange;
use crate::track::field::FieldValue;
use crate::track::{Deployment, InvalidRecord, Records};

/// Files and pipes, with the tracks that were read last.
#[derive(Debug, Default)]
pub(in crate::cli) struct Files(Mutex<Vec<FollowedFile>>);

/// A file or a pipe.
#[derive(Debug)]
struct FollowedFile {
    input: Input,
    /// Its state when it was read last, and when its changes were reported last.
    read_at: Stamp,
    told_at: Stamp,
    /// Why it could not be read then.
    fault: Option<String>,
    tracks: Vec<ServedTrack>,
}

/// A track of a file.
#[derive(Debug)]
struct ServedTrack {
    deployment: Deployment,
    /// The id in the file.
    id: Option<String>,
    /// The response to a request for it.
    body: Vec<u8>,
    /// `true` once its deployment is on the watch list.
    is_listed: bool,
}

impl Files {
    /// Reads files.
    ///
    /// # Errors
    /// As [`super::subjects`].
    pub(in crate::cli) async fn read(inputs: Vec<Input>) -> Result<Self, Failure> {
        let mut all: Vec<FollowedFile> = Vec::new();
        for input in inputs {
            let (input, stamp, found) = blocking(move || {
                let stamp = input.stamp();
                let found = input.begin()?;
                Ok::<_, Failure>((input, stamp, found))
            })
            .await??;
            for message in &found.notes {
                warn(format_args!("{}: {message}", shown(input.word())));
            }
            let mut tracks = Vec::new();
            for track in found.tracks {
                let used = uuids(&all).chain(uuids_of(&tracks)).collect();
                let mut served = ServedTrack::new(track, input.word(), used);
                served.is_listed = true;
                tracks.push(served);
            }
            all.push(FollowedFile {
                input,
                read_at: stamp,
                told_at: stamp,
                fault: None,
                tracks,
            });
        }
        Ok(Self(Mutex::new(all)))
    }

    /// Reads the files that have changed since the last look again; returns their deployments.
    pub(in crate::cli) fn look(&self) -> Vec<FileChange> {
        let mut changes = Vec::new();
        let mut all = self.all();
        for index in 0..all.len() {
            read_again(&mut all, index);
            let file = &mut all[index];
            if file.told_at == file.read_at {
                continue;
            }
            file.told_at = file.read_at;
            for track in &mut file.tracks {
                let is_new = !std::mem::replace(&mut track.is_listed, true);
                changes.push(FileChange {
                    uuid: track.deployment.uuid,
                    entry: is_new.then(|| track.deployment.clone()),
                });
            }
        }
        changes
    }

    fn all(&self) -> MutexGuard<'_, Vec<FollowedFile>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorded for Files {
    fn deployments(&self) -> Vec<Deployment> {
        let all = self.all();
        let tracks = all.iter().flat_map(|file| &file.tracks);
        tracks.map(|track| track.deployment.clone()).collect()
    }

    fn body(&self, uuid: Uuid) -> Option<io::Result<Vec<u8>>> {
        let mut all = self.all();
        let has_it = |file: &FollowedFile| uuids_of(&file.tracks).any(|known| known == uuid);
        let index = all.iter().position(has_it)?;
        read_again(&mut all, index);
        let file = &all[index];
        if let Some(fault) = &file.fault {
            return Some(Err(io::Error::other(fault.clone())));
        }
        let mut tracks = file.tracks.iter();
        let track = tracks.find(|track| track.deployment.uuid == uuid)?;
        Some(Ok(track.body.clone()))
    }
}

impl ServedTrack {
    /// The track of a file, whose deployment gets a UUID that none of the `used` is.
    fn new(track: FileTrack, word: &str, used: Vec<Uuid>) -> Self {
        let label = track.id.clone().unwrap_or_else(|| stem(word));
        let mut deployment = entry(&label);
        while used.contains(&deployment.uuid) {
            deployment.uuid = Uuid::new_v5(&deployment.uuid, word.as_bytes());
        }
        Self {
            deployment,
            id: track.id,
            body: response(&track.records),
            is_listed: false,
        }
    }
}

/// Reads a file again if it has changed.
fn read_again(all: &mut [FollowedFile], index: usize) {
    let mut used: Vec<Uuid> = uuids(all).collect();
    let file = &mut all[index];
    let stamp = file.input.stamp();
    if stamp == file.read_at {
        return;
    }
    let settled = file.input.settled();
    if settled == file.read_at {
        return;
    }
    file.read_at = settled;
    let found = match file.input.read_up_to(settled.map_or(0, |(_, bytes)| bytes)) {
        Ok(found) => found,
        Err(failure) => {
            file.fault = Some(failure.to_string());
            return;
        }
    };
    file.fault = None;
    for track in &mut file.tracks {
        track.body = response(&Records::default());
    }
    for track in found.tracks {
        match file.tracks.iter_mut().find(|known| known.id == track.id) {
            Some(known) => known.body = response(&track.records),
            None => {
                let new = ServedTrack::new(track, file.input.word(), used.clone());
                used.push(new.deployment.uuid);
                file.tracks.push(new);
            }
        }
    }
}

fn uuids(all: &[FollowedFile]) -> impl Iterator<Item = Uuid> {
    all.iter().flat_map(|file| uuids_of(&file.tracks))
}

fn uuids_of(tracks: &[ServedTrack]) -> impl Iterator<Item = Uuid> {
    tracks.iter().map(|track| track.deployment.uuid)
}

/// Records as a service sends them, in the order of the file; an invalid record is a text: its
/// reason, then itself.
fn response(records: &Records) -> Vec<u8> {
    let mut sent = records
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
    let text =
        |record: &InvalidRecord| Value::from(format!("{}: {}", record.fault, record.excerpt));
    let mut unusable = records.unusable.iter().peekable();
    let mut body = Vec::from(b"[");
    let mut index = 0;
    loop {
        let next = unusable.next_if(|record| record.index <= index).map(text);
        let next = next.or_else(|| sent.next());
        let Some(value) = next.or_else(|| unusable.next().map(text)) else {
            break;
        };
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(value.to_string().as_bytes());
        index += 1;
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
