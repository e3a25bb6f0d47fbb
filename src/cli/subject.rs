//! Deployments and files on their way to a track: every command names, fetches and reads
//! them here.

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::args::{FileArguments, Selection, SpeedLimit};
use super::file;
use super::output::{is_watched, warn};
use super::run::Run;
use crate::clock::unix_now;
use crate::exchange::Progress;
use crate::failure::{Failure, FailureKind};
use crate::formats;
use crate::formats::image::Source;
use crate::geo::{Notation, speed};
use crate::intake::archived::{Fields, archived};
use crate::intake::fleet::{self, Fleet};
use crate::intake::keep::Assembled;
use crate::intake::update::without_outcome;
use crate::ops::watch_list::{self, Known};
use crate::text;
use crate::track::remote::Remote;
use crate::track::{
    Deployment, FetchRequest, Fix, Flags, Keep, Reason, Track, TrackOptions, Turn, Wanted, ahead_s,
    time,
};

/// A deployment, or one of a file, with its track once there is one.
pub(super) struct Subject {
    /// The id that the service has for it, or the name of the track of a file.
    pub(super) id: String,
    /// Its entry of the watch list; for a file, or what is not watched, one without limits.
    pub(super) entry: Deployment,
    pub(super) is_watched: bool,
    pub(super) source: Source,
    /// How its track is assembled.
    pub(super) options: TrackOptions,
    /// The source of the flags that the user has set.
    pub(super) flags: Flags,
    pub(super) got: Option<Assembled>,
    /// Warnings about the response.
    pub(super) notes: Vec<String>,
    /// Why it could not be fetched, or its archived track not be read.
    pub(super) failure: Option<Failure>,
    /// Why alarms were not judged by its response, or the response itself not stored.
    pub(super) unjudged: Option<Failure>,
}

/// The choices for what a command names.
pub(super) struct Naming<'a> {
    pub(super) file: &'a FileArguments,
    pub(super) speed: &'a SpeedLimit,
    pub(super) unread: Unread,
    pub(super) of_file: OfFile,
}

/// The deployments of a file that a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfFile {
    /// The only one: a file with several is refused.
    Only,
    /// Each of them.
    Each,
}

/// The rule for a deployment whose entry cannot be read from the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It fails: limits that cannot be read are not limits that were never set.
    Fails,
    /// It goes on with what the settings file has, and a note.
    IsNoted,
}

/// The deployments for which the service is asked; the others are read from the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    All,
    /// The deployments that are due and active.
    Due,
    Nothing,
}

impl Ask {
    /// The choice of the flag `--offline` of a command that names its deployments.
    pub(super) fn unless(offline: bool) -> Self {
        if offline { Self::Nothing } else { Self::All }
    }
}

impl Subject {
    /// An entry of the watch list. Its flags are in the archive.
    pub(super) fn of_entry(entry: Deployment) -> Self {
        Self {
            id: Remote::shown(entry.uuid),
            source: Source::Service,
            options: entry.options(unix_now()),
            flags: Flags::Archived,
            entry,
            is_watched: true,
            got: None,
            notes: Vec::new(),
            failure: None,
            unjudged: None,
        }
    }

    /// A name for messages.
    pub(super) fn name(&self) -> String {
        match self.source {
            Source::Service => text::excerpt(&self.entry.name(), 100),
            Source::File => text::excerpt(&self.id, 100),
        }
    }

    /// Prints a note about it.
    pub(super) fn note(&self, message: &str) {
        warn(format_args!("{}: {message}", self.name()));
    }

    /// Prints the warnings about the response, and what the track itself warns of: invalid
    /// records, and a fix ahead of the clock.
    pub(super) fn note_all(&self) {
        for warning in &self.notes {
            self.note(warning);
        }
        if let Some(got) = &self.got {
            let notes = [got.track.unusable_text(), ahead(&got.track, unix_now())];
            for message in notes.into_iter().flatten() {
                self.note(&message);
            }
        }
    }

    /// Its track.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn got(&self) -> Result<&Assembled, Failure> {
        self.got.as_ref().ok_or_else(|| {
            let no_copy = || {
                Failure::new(
                    FailureKind::Other,
                    format!("the archive has no copy of {}", self.id),
                    "Put it on the watch list and fetch it once: `driftline deployments add`, then `driftline track` without --offline.",
                )
            };
            self.failure.clone().unwrap_or_else(no_copy)
        })
    }

    pub(super) fn track(&self) -> Option<&Arc<Track>> {
        self.got.as_ref().map(|got| &got.track)
    }

    /// Its metadata in a file at `now` (UNIX seconds).
    pub(super) fn about(&self, now: f64, notation: Notation) -> formats::Subject<'_> {
        formats::Subject {
            deployment: &self.id,
            label: self.entry.label.as_deref(),
            fetched_at: self.got.as_ref().map_or(now, |got| got.fetched_at),
            now,
            notation,
        }
    }

    fn is_open(&self) -> bool {
        self.got.is_none() && self.failure.is_none()
    }

    fn request(&self) -> FetchRequest {
        FetchRequest {
            deployment: self.entry.uuid,
            options: self.options.clone(),
            flags: self.flags,
            keep: Keep::IfWatched,
            wanted: Wanted::Track { shown: None },
            turn: Turn::Now,
        }
    }
}

impl Run {
    /// The deployments and files that words name, each deployment once, and why other words
    /// name nothing.
    pub(super) async fn all_named(
        &self,
        words: &[String],
        naming: &Naming<'_>,
    ) -> (Vec<Subject>, Vec<Failure>) {
        let mut subjects = Vec::new();
        let mut failures = Vec::new();
        let mut known = HashSet::new();
        for word in words {
            match self.named(word, naming).await {
                Ok(named) => subjects.extend(named.into_iter().filter(|subject| {
                    subject.source == Source::File || known.insert(subject.entry.uuid)
                })),
                Err(failure) => failures.push(failure),
            }
        }
        (subjects, failures)
    }

    /// The deployment that a word names, or those of the file.
    pub(super) async fn named(
        &self,
        word: &str,
        naming: &Naming<'_>,
    ) -> Result<Vec<Subject>, Failure> {
        if file::is_meant(word, self).await {
            let subjects = file::subjects(word, naming).await?;
            if naming.of_file == OfFile::Only && subjects.len() > 1 {
                return Err(file::several(word, &subjects));
            }
            return Ok(subjects);
        }
        let max_speed_m_s = max_speed(naming.speed)?;
        let uuid = self.deployment(word).await?;
        let mut subject = self.entry(uuid, naming.unread).await?;
        apply(naming.speed, max_speed_m_s, &mut subject.options);
        Ok(vec![subject])
    }

    /// A deployment with its entry and the flags that the user has set.
    pub(super) async fn entry(&self, uuid: Uuid, unread: Unread) -> Result<Subject, Failure> {
        let known = match watch_list::known(uuid, &self.settings, &self.store).await {
            Err(failure) if unread == Unread::IsNoted => {
                warn(format_args!(
                    "platform, limits and flags set by hand of {uuid} are not known, because {failure}"
                ));
                Known {
                    entry: watch_list::configured(uuid, &self.settings),
                    ..Known::default()
                }
            }
            known => known?,
        };
        let is_watched = known.entry.is_some();
        let mut subject = Subject::of_entry(known.entry.unwrap_or_else(|| Deployment::new(uuid)));
        subject.is_watched = is_watched;
        subject.flags = Flags::Given;
        subject.options.overrules = known.overrides;
        Ok(subject)
    }

    /// Fetches tracks, and reads the others from the archive. What has a track or a failure
    /// stays as it is; what has no response at `end` gets neither.
    ///
    /// # Errors
    /// If no request can be sent, because a setting is wrong or there is no service.
    pub(super) async fn fetch(
        &self,
        subjects: Vec<&mut Subject>,
        ask: Ask,
        fields: Fields,
        end: Option<Instant>,
    ) -> Result<(), Failure> {
        let open = subjects.into_iter().filter(|subject| subject.is_open());
        let (asked, others): (Vec<_>, Vec<_>) = match ask {
            Ask::All => (open.collect(), Vec::new()),
            Ask::Nothing => (Vec::new(), open.collect()),
            Ask::Due => self.due(open.collect()).await,
        };
        // A service that does not answer must not take the time that the archive needs.
        let read = async {
            for subject in others {
                before(end, self.read(subject, fields)).await;
            }
        };
        let (requested, ()) = tokio::join!(self.request(asked, end), read);
        requested
    }

    /// The deployments that are due and active, and the others.
    pub(super) async fn due<'a>(
        &self,
        subjects: Vec<&'a mut Subject>,
    ) -> (Vec<&'a mut Subject>, Vec<&'a mut Subject>) {
        let list = subjects.iter().map(|subject| subject.entry.clone());
        let list: Vec<Deployment> = list.collect();
        let due = fleet::due(&self.store, &list, self.settings.refresh).await;
        subjects.into_iter().partition(|subject| {
            subject.entry.state.is_active() && due.contains(&subject.entry.uuid)
        })
    }

    /// Requests the tracks of deployments.
    ///
    /// # Errors
    /// As [`Run::fetch`].
    pub(super) async fn request(
        &self,
        mut asked: Vec<&mut Subject>,
        end: Option<Instant>,
    ) -> Result<(), Failure> {
        if asked.is_empty() {
            return Ok(());
        }
        let source = self.source()?;
        self.has_requested
            .store(true, std::sync::atomic::Ordering::Relaxed);
        let requests = asked.iter().map(|subject| subject.request()).collect();
        let shows_progress = asked.len() == 1 && is_watched();
        let progress = shows_progress.then(progress);
        let mut fleet = Fleet::fetch(&source, &self.store, requests, progress);
        while let Some(Some((uuid, outcome))) = before(end, fleet.next()).await {
            let mut asked = asked.iter_mut();
            let Some(subject) = asked.find(|subject| subject.entry.uuid == uuid) else {
                continue;
            };
            match outcome {
                Ok(mut update) => {
                    subject.notes = std::mem::take(&mut update.notes);
                    let unstored = update.unstored.take();
                    let unstored = unstored.map(|why| why.of("not stored in the archive"));
                    subject.unjudged = unstored.or(update.unjudged.take());
                    subject.got = Assembled::new(update);
                    if subject.got.is_none() {
                        subject.failure = Some(without_outcome());
                    }
                }
                Err(failure) => subject.failure = Some(failure),
            }
        }
        if shows_progress {
            progress_line("");
        }
        Ok(())
    }

    /// Reads the archived track of a deployment.
    async fn read(&self, subject: &mut Subject, fields: Fields) {
        let options = subject.options.clone();
        match archived(&self.store, subject.entry.uuid, options, fields).await {
            Ok(found) => subject.got = found.track,
            Err(failure) => {
                subject.failure.get_or_insert(failure);
            }
        }
    }

    /// Reads the archived tracks of what could not be fetched; says how old they are.
    pub(super) async fn read_instead(&self, subjects: Vec<&mut Subject>, fields: Fields) {
        for subject in subjects {
            if subject.got.is_some() || subject.failure.is_none() {
                continue;
            }
            self.read(subject, fields).await;
            if let Some(stored) = &subject.got {
                let age = time::age(stored.fetched_at, unix_now());
                subject.note(&format!("shown from the archive, fetched {age}"));
            }
        }
    }
}

/// The outcome of `work`; `None` if it takes longer than until `end`.
async fn before<T>(end: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match end {
        Some(end) => timeout_at(end, work).await.ok(),
        None => Some(work.await),
    }
}

/// Prints the progress of a fetch on one line of standard error.
fn progress() -> Arc<dyn Fn(Progress) + Send + Sync> {
    let began = Instant::now();
    Arc::new(move |progress: Progress| {
        let seconds = began.elapsed().as_secs_f64().max(1e-3);
        #[allow(clippy::cast_precision_loss)] // two digits are shown
        let bytes = progress.bytes as f64;
        progress_line(&format!(
            "{:.2} MB, {} fixes, {:.0} kB/s",
            bytes / 1e6,
            progress.records,
            bytes / 1e3 / seconds
        ));
    })
}

fn progress_line(message: &str) {
    let _ = write!(std::io::stderr(), "\r\x1b[K{message}");
}

/// Parses the value of `--max-speed`; returns m/s.
pub(super) fn max_speed(flags: &SpeedLimit) -> Result<Option<f64>, Failure> {
    let parse = |typed: &str| {
        speed::parse(typed).map_err(|error| {
            Failure::usage(format!("--max-speed {}: {error}", text::excerpt(typed, 40)))
        })
    };
    flags.max_speed.as_deref().map(parse).transpose()
}

/// Puts the platform and the speed limit of the flags into the options of a track: a platform
/// that is given counts with its own limit.
pub(super) fn apply(flags: &SpeedLimit, max_speed_m_s: Option<f64>, options: &mut TrackOptions) {
    if let Some(platform) = flags.platform {
        options.platform = platform;
        options.max_speed_m_s = None;
    }
    options.max_speed_m_s = max_speed_m_s.or(options.max_speed_m_s);
}

/// The time range of the flags, UNIX seconds.
pub(super) struct Range {
    since: Option<f64>,
    until: Option<f64>,
}

impl Range {
    /// The range of the flags at `now`.
    pub(super) fn new(selection: &Selection, now: f64) -> Result<Self, Failure> {
        let instant = |name: &str, value: Option<&str>| {
            let read = |value: &str| {
                let failed = |error| Failure::usage(format!("{name}: {error}"));
                time::parse(value, now).map_err(failed)
            };
            value.map(read).transpose()
        };
        let since = instant("--since", selection.since.as_deref())?;
        let until = instant("--until", selection.until.as_deref())?;
        if let (Some(since), Some(until)) = (since, until)
            && until < since
        {
            return Err(Failure::usage("--until is before --since"));
        }
        Ok(Self { since, until })
    }

    /// Its end, UNIX seconds.
    pub(super) fn until(&self) -> Option<f64> {
        self.until
    }

    /// Cuts the track of a subject to the range; prints a note if no fix is left.
    pub(super) fn cut(&self, subject: &mut Subject) {
        if self.since.is_none() && self.until.is_none() {
            return;
        }
        let Some(got) = &mut subject.got else { return };
        let part = got.track.window(self.since, self.until);
        let note = none_in_range(&got.track, &part);
        got.track = Arc::new(part);
        if let Some(note) = note {
            subject.note(&note);
        }
    }
}

/// The note that a time range has no fix of a track that has some.
fn none_in_range(whole: &Track, part: &Track) -> Option<String> {
    let last = whole.len().checked_sub(1)?;
    let first = whole.fix(0)?;
    let last = whole.fix(last)?;
    part.is_empty().then(|| {
        format!(
            "no fix in the time range of --since and --until; the track has fixes from {} to {} UTC",
            time::table(first.time_stamp, None),
            time::table(last.time_stamp, None)
        )
    })
}

/// The note that the newest fix is more than an hour ahead of the clock: it is not the last
/// fix until its time has come.
pub(super) fn ahead(track: &Track, now: f64) -> Option<String> {
    // A fix that is more than a day ahead has failed for that.
    let mut backwards = track.fixes().rev();
    let is_ahead = |fix: &Fix| matches!(fix.reason, Reason::Ahead | Reason::Future);
    let newest = backwards.find(|fix| is_ahead(fix) || track.is_included(fix.index))?;
    let ahead = ahead_s(newest.time_stamp, now)?;
    Some(format!(
        "the newest fix is {} ahead of this computer's clock",
        time::duration(ahead)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::Platform;

    #[test]
    fn a_fix_ahead_of_the_clock_is_told() {
        let now = 1_790_000_000.0;
        let of = |last: f64| {
            let fixes = [(now - 3600.0, 60.0, 5.0), (now + last, 60.001, 5.0)];
            crate::testing::track::track(Platform::Drifter, now, fixes)
        };
        let told = "the newest fix is 5 h ahead of this computer's clock";
        assert_eq!(ahead(&of(18_000.0), now).as_deref(), Some(told));
        assert_eq!(ahead(&of(600.0), now), None);
        // More than a day ahead it fails, and is reported all the same.
        let told = "the newest fix is 1 d 1 h ahead of this computer's clock";
        assert_eq!(ahead(&of(90_000.0), now).as_deref(), Some(told));
    }

    #[test]
    fn a_time_range_without_a_fix_is_told_with_the_times_of_the_track() {
        let fixes = [(1_790_000_000.0, 60.0, 5.0), (1_790_003_600.0, 60.1, 5.0)];
        let whole = crate::testing::track::track(Platform::Drifter, 1.9e9, fixes);
        let none = whole.window(Some(1_790_007_200.0), None);
        let told = none_in_range(&whole, &none).unwrap();
        assert!(
            told.ends_with("from 2026-09-21 14:13:20 to 2026-09-21 15:13:20 UTC"),
            "{told}"
        );
        let some = whole.window(Some(1_790_000_001.0), None);
        assert_eq!(none_in_range(&whole, &some), None);
        assert_eq!(none_in_range(&none, &none), None);
    }
}
