//! A deployment, or one of a file, on its way to a track, and the flags that say how.

use std::sync::Arc;

use super::args::{FileArguments, Selection, SpeedLimit};
use super::output::warn;
use crate::app::update::keep::Assembled;
use crate::failure::Failure;
use crate::formats;
use crate::formats::image::Source;
use crate::geo::{Notation, speed};
use crate::os::clock::unix_now;
use crate::text;
use crate::track::{Fix, Reason, Track, TrackOptions, ahead_s, time};
use crate::watch::{Deployment, FetchRequest, Flags, Keep, Turn, Wanted};

/// A deployment, or one of a file, with its track once there is one.
pub(super) struct Subject {
    /// The id that the service has for it, or the name of the track of a file.
    pub(super) id: String,
    /// Its entry of the watch list; for a file, or what is not watched, one without limits.
    pub(super) entry: Deployment,
    pub(super) is_watched: bool,
    /// The word of the file that it is read from.
    pub(super) file: Option<String>,
    /// How its track is assembled.
    pub(super) options: TrackOptions,
    /// The source of the flags that the user has set.
    pub(super) flags: Flags,
    pub(super) got: Option<Assembled>,
    /// The time as of which it is silent or not, UNIX seconds, where it was not due.
    pub(super) judged_at: Option<f64>,
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
    pub(super) fn new(entry: Deployment) -> Self {
        Self {
            id: entry.id.to_string(),
            file: None,
            options: entry.options(unix_now()),
            flags: Flags::Archived,
            entry,
            is_watched: true,
            got: None,
            judged_at: None,
            notes: Vec::new(),
            failure: None,
            unjudged: None,
        }
    }

    /// A name for messages.
    pub(super) fn name(&self) -> String {
        match self.file {
            None => text::excerpt(&self.entry.name(), 100),
            Some(_) => text::excerpt(&self.id, 100),
        }
    }

    pub(super) fn source(&self) -> Source {
        match self.file {
            None => Source::Service,
            Some(_) => Source::File,
        }
    }

    /// Prints a note about it.
    pub(super) fn note(&self, message: &str) {
        warn(format_args!("{}: {message}", self.name()));
    }

    /// Prints the warnings about the response, and what the track itself warns of: invalid
    /// records, a fix ahead of the clock, dates that are all early, and fixes as of two instruments.
    pub(super) fn note_all(&self) {
        for warning in &self.notes {
            self.note(warning);
        }
        if let Some(got) = &self.got {
            let now = got.track.clock().as_kept(unix_now());
            let track = &got.track;
            let torn = track.often_lost().or_else(|| track.torn());
            let notes = [
                track.unusable_text(),
                ahead(track, now),
                track.all_early(),
                torn.map(|(why, _)| why),
            ];
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
                Failure::other(format!("the archive has no copy of {}", self.id))
                    .with_hint("Put it on the watch list and fetch it once: `driftline deployments add`, then `driftline track` without --offline.")
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

    pub(super) fn is_open(&self) -> bool {
        self.got.is_none() && self.failure.is_none()
    }

    pub(super) fn request(&self) -> FetchRequest {
        FetchRequest {
            deployment: self.entry.id.clone(),
            options: self.options.clone(),
            flags: self.flags,
            keep: Keep::IfWatched,
            wanted: Wanted::Track { shown: None },
            turn: Turn::Now,
        }
    }
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
    let first = whole.fix(0)?;
    let last = whole.fix(whole.len() - 1)?;
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
