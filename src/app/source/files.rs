//! Files and pipes as a source of tracks: one is read again when it has changed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::input::{Input, Stamp, shown};
use crate::exchange::{Attempt, READ};
use crate::failure::Failure;
use crate::formats::read::{self, ChosenColumns, FileTrack};
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::service::{Observer, Recording};
use crate::text;
use crate::token::Token;
use crate::track::{DeclaredState, Records};
use crate::watch::{Answer, Deployment};

/// Files and pipes, with the tracks that were read last.
pub(crate) struct Files {
    followed: Mutex<Vec<FollowedFile>>,
    observer: Option<Observer>,
    /// Their paths, which no output replaces.
    pub paths: Vec<PathBuf>,
    /// Sentences for the user about what was taken for granted when they were opened.
    pub notes: Vec<String>,
}

/// A file or a pipe.
#[derive(Debug)]
struct FollowedFile {
    input: Input,
    /// Its state when it was read last, and when its changes were reported last.
    read_at: Stamp,
    reported_at: Stamp,
    /// Why it could not be read then.
    fault: Option<String>,
    /// What was taken for granted then.
    notes: Vec<String>,
    tracks: Vec<FollowedTrack>,
}

/// A track of a file.
#[derive(Debug)]
struct FollowedTrack {
    deployment: Deployment,
    /// The id in the file.
    id: Option<String>,
    records: Arc<Records>,
    /// `true` once its deployment is on the watch list.
    is_listed: bool,
}

/// A deployment whose file has changed.
#[derive(Debug, Clone)]
pub(crate) struct FileChange {
    pub uuid: Uuid,
    /// Its entry for the watch list, if the file did not have it before.
    pub entry: Option<Deployment>,
}

impl Files {
    /// Reads files, by the columns that are named.
    ///
    /// # Errors
    /// `FailureKind::Usage` if one does not exist, `FailureKind::NotUnderstood` if one cannot
    /// be read.
    pub(crate) async fn read(words: Vec<String>, columns: &ChosenColumns) -> Result<Self, Failure> {
        let mut all: Vec<FollowedFile> = Vec::new();
        let mut notes = Vec::new();
        for word in words {
            let columns = columns.clone();
            let (input, stamp, found) = blocking(move || {
                let input = Input::open(word, columns)?;
                let stamp = input.stamp();
                let found = input.read()?;
                Ok::<_, Failure>((input, stamp, found))
            })
            .await??;
            let of_file = |message| format!("{}: {message}", shown(input.word()));
            notes.extend(found.notes.iter().cloned().map(of_file));
            let mut tracks = Vec::new();
            for track in found.tracks {
                let used = uuids(&all).chain(uuids_among(&tracks)).collect();
                let mut track = FollowedTrack::new(track, input.word(), used);
                track.is_listed = true;
                tracks.push(track);
            }
            all.push(FollowedFile {
                input,
                read_at: stamp,
                reported_at: stamp,
                fault: None,
                notes: found.notes,
                tracks,
            });
        }
        Ok(Self {
            paths: all.iter().map(|file| file.input.word().into()).collect(),
            followed: Mutex::new(all),
            observer: None,
            notes,
        })
    }

    /// The same, with an `observer` that receives every reading.
    pub(crate) fn observed(self, observer: Observer) -> Self {
        Self {
            observer: Some(observer),
            ..self
        }
    }

    pub(crate) fn deployments(&self) -> Vec<Deployment> {
        let all = self.all();
        let tracks = all.iter().flat_map(|file| &file.tracks);
        tracks.map(|track| track.deployment.clone()).collect()
    }

    /// Reads the files that have changed since the last look again; returns their deployments.
    pub(crate) fn look(&self) -> Vec<FileChange> {
        let mut changes = Vec::new();
        let mut all = self.all();
        for index in 0..all.len() {
            read_again(&mut all, index);
            let file = &mut all[index];
            if file.reported_at == file.read_at {
                continue;
            }
            file.reported_at = file.read_at;
            for track in &mut file.tracks {
                let is_new = !std::mem::replace(&mut track.is_listed, true);
                changes.push(FileChange {
                    uuid: track.deployment.id.uuid,
                    entry: is_new.then(|| track.deployment.clone()),
                });
            }
        }
        changes
    }

    /// The records of a deployment; its file is read again if it has changed.
    ///
    /// # Errors
    /// `FailureKind::Other` if the file can no longer be read.
    pub(super) async fn track(files: &Arc<Self>, uuid: Uuid) -> Result<Answer, Failure> {
        let files = Arc::clone(files);
        blocking(move || files.track_now(uuid)).await?
    }

    fn track_now(&self, uuid: Uuid) -> Result<Answer, Failure> {
        let gone = |why: String| Failure::other(why).with_hint("Put the file back.");
        let mut all = self.all();
        let has_it = |file: &FollowedFile| uuids_among(&file.tracks).any(|known| known == uuid);
        let index = all
            .iter()
            .position(has_it)
            .ok_or_else(|| gone(format!("no open file has the deployment {uuid}")))?;
        let name = file_name(all[index].input.word());
        let observer = self.observer.clone();
        let mut recording =
            Recording::new(observer, Token::none(), READ, &name, Attempt::ONLY).begun();
        read_again(&mut all, index);
        let file = &all[index];
        if let Some(fault) = &file.fault {
            recording.failed(fault.clone());
            return Err(gone(fault.clone()));
        }
        let mut tracks = file.tracks.iter();
        let track = tracks.find(|track| track.deployment.id.uuid == uuid);
        let records = track
            .map(|track| Arc::clone(&track.records))
            .unwrap_or_default();
        let bytes = file.read_at.map_or(0, |(_, bytes)| bytes);
        recording.exchange.bytes = bytes;
        recording.done(text::counted(records.count(), "record", "records"));
        Ok(Answer {
            records,
            bytes,
            notes: file.notes.clone(),
            ..Answer::new(200, name, unix_now())
        })
    }

    fn all(&self) -> MutexGuard<'_, Vec<FollowedFile>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FollowedTrack {
    /// The track of a file, whose deployment gets a UUID that none of the `used` is.
    fn new(track: FileTrack, word: &str, used: Vec<Uuid>) -> Self {
        let label = track.id.clone().unwrap_or_else(|| stem(word));
        let mut deployment = entry(&label);
        while used.contains(&deployment.id.uuid) {
            deployment.id.uuid = Uuid::new_v5(&deployment.id.uuid, word.as_bytes());
        }
        Self {
            deployment,
            id: track.id,
            records: Arc::new(track.records),
            is_listed: false,
        }
    }
}

/// Reads a file again if it has changed.
fn read_again(all: &mut [FollowedFile], index: usize) {
    let mut used: Vec<Uuid> = uuids(all).collect();
    let file = &mut all[index];
    if file.input.stamp() == file.read_at {
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
    file.notes = found.notes;
    for track in &mut file.tracks {
        track.records = Arc::default();
    }
    for track in found.tracks {
        match file.tracks.iter_mut().find(|known| known.id == track.id) {
            Some(known) => known.records = Arc::new(track.records),
            None => {
                let new = FollowedTrack::new(track, file.input.word(), used.clone());
                used.push(new.deployment.id.uuid);
                file.tracks.push(new);
            }
        }
    }
}

fn uuids(all: &[FollowedFile]) -> impl Iterator<Item = Uuid> {
    all.iter().flat_map(|file| uuids_among(&file.tracks))
}

fn uuids_among(tracks: &[FollowedTrack]) -> impl Iterator<Item = Uuid> {
    tracks.iter().map(|track| track.deployment.id.uuid)
}

/// A deployment of a file, which is on no watch list.
pub(crate) fn entry(name: &str) -> Deployment {
    let urn = format!("urn:driftline:track:{name}");
    Deployment {
        label: Some(name.to_owned()),
        state: DeclaredState::Read,
        ..Deployment::new(Uuid::new_v5(&Uuid::NAMESPACE_URL, urn.as_bytes()))
    }
}

/// A file's name without its folder.
fn file_name(word: &str) -> String {
    match Path::new(word).file_name() {
        Some(name) if word != "-" => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}

/// A file's name without its folder and extension, and without that of what is packed in it.
pub(crate) fn stem(word: &str) -> String {
    let stem = |path: &str| {
        let stem = Path::new(path).file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    };
    let extension = Path::new(word).extension().unwrap_or_default();
    let mut name = stem(word);
    if read::PACKED
        .iter()
        .any(|packed| extension.eq_ignore_ascii_case(packed))
    {
        name = stem(&name);
    }
    match name.as_str() {
        "" | "-" => "standard input".to_owned(),
        stem => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_taken_for_granted_is_noted_with_every_answer() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "time,lat,lon\n2026-11-20 05:00,60,5\n").unwrap();
        let word = file.path().to_string_lossy().into_owned();
        let files = Arc::new(
            Files::read(vec![word], &ChosenColumns::default())
                .await
                .unwrap(),
        );
        let uuid = files.deployments()[0].id.uuid;
        let notes = Files::track(&files, uuid).await.unwrap().notes;
        assert_eq!(notes, ["times without a zone are taken as UTC"]);
    }

    #[test]
    fn the_label_is_the_name_without_folder_and_extension() {
        for (word, name) in [
            ("/x/buoy 7.csv", "buoy 7"),
            ("/x/buoy 7.csv.gz", "buoy 7"),
            ("a/seal.gpx.ZIP", "seal"),
            ("seal.zip", "seal"),
            ("seal.kmz", "seal"),
            ("-", "standard input"),
        ] {
            assert_eq!(stem(word), name);
        }
    }
}
