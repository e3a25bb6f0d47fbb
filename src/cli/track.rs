//! The track of one deployment, headless.

mod written;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use uuid::Uuid;

use super::args::{Global, Selection, TrackArguments};
use super::field_choice::field_choice;
use super::output::{is_watched, note, report};
use super::overrides::{self, Override};
use super::{alarms, connect, file};
use written::{Writing, folder, outputs};

use crate::clock::unix_now;
use crate::exchange::Progress;
use crate::failure::{Failure, FailureKind};
use crate::formats::Format;
use crate::geo::speed;
use crate::intake::archived::{Fields, archived};
use crate::intake::update::{
    self, Assembled, Flags, Keep, Reports, Request, Turn, update, without_outcome,
};
use crate::ops::store::Store;
use crate::ops::watch_list::Known;
use crate::ops::{export, watch_list};
use crate::settings::Settings;
use crate::text;
use crate::track::field::FieldChoice;
use crate::track::remote::Remote;
use crate::track::{Deployment, Limits, Platform, Reason, Track, TrackOptions, ahead_s, time};

/// A track with its fetch time, its label and its limits.
pub(super) struct Got {
    /// The deployment: its UUID, or the name that a file has for it.
    pub(super) deployment: String,
    pub(super) track: Arc<Track>,
    pub(super) fetched_at: f64,
    pub(super) label: Option<String>,
    pub(super) limits: Limits,
}

/// The requested deployment, time range and platform.
pub(super) struct Wanted<'a> {
    pub(super) deployment: &'a str,
    pub(super) selection: &'a Selection,
    pub(super) offline: bool,
    /// With or without the fields of the archived records.
    pub(super) fields: Fields,
    /// The flags that are set by hand.
    pub(super) overrides: &'a [Override],
}

pub(super) async fn run(global: &Global, arguments: TrackArguments) -> Result<u8, Failure> {
    connect::refuse_own(global, arguments.output.as_deref())?;
    let format = format(&arguments)?;
    export::can_write(format)?;
    let fields = field_choice(arguments.fields.as_deref())?;
    let overrides = overrides::parse(&arguments.overrides)?;
    if arguments.deployments.len() > 1 && !overrides.is_empty() {
        return Err(Failure::usage("--override is for one deployment"));
    }
    if arguments.deployments.len() > 1 && folder(&arguments).is_none() {
        return Err(Failure::new(
            FailureKind::Usage,
            "several deployments do not go into one file",
            "Name a folder: --output DIR/ writes a file for each deployment.",
        ));
    }
    let archived = match format.has_fields() && !fields.as_ref().is_some_and(FieldChoice::is_none) {
        true => Fields::With,
        false => Fields::Without,
    };
    let settings = connect::settings(global)?;
    let writing = Writing {
        exclude_failed: arguments.exclude_failed,
        fields,
        format,
        notation: settings.notation(),
    };
    let (mut all, mut failures) = (Vec::new(), Vec::new());
    let store = connect::store(&settings);
    let mut deployments = Vec::new();
    for word in &arguments.deployments {
        match file::is_meant(word, &settings, &store).await {
            true if !overrides.is_empty() => {
                let why = "--override is for a deployment: of a file nothing is stored";
                return Err(Failure::usage(why));
            }
            true => all.extend(file::tracks(word, &arguments.file, &arguments.selection).await?),
            false => deployments.push(word),
        }
    }
    if !deployments.is_empty() {
        for deployment in deployments {
            let wanted = Wanted {
                deployment,
                selection: &arguments.selection,
                offline: arguments.offline,
                fields: archived,
                overrides: &overrides,
            };
            match get(global, &settings, &store, wanted).await {
                Ok(got) if !all.iter().any(|one: &Got| one.deployment == got.deployment) => {
                    all.push(got);
                }
                Ok(_) => {}
                Err(failure) => failures.push(failure),
            }
        }
        if !arguments.offline {
            // That the service cannot be reached may be an alarm, too.
            alarms::notify(&settings, &store).await;
        }
    }
    let outputs = outputs(&arguments, format, &all)?;
    for (got, output) in all.into_iter().zip(outputs) {
        writing.write(got, output).await?;
    }
    match failures.pop() {
        None => Ok(0),
        Some(last) => {
            for failure in failures {
                report(&failure, false);
            }
            Err(last)
        }
    }
}

/// Gets a track from the service, or from the archive.
pub(super) async fn get(
    global: &Global,
    settings: &Settings,
    store: &Store,
    wanted: Wanted<'_>,
) -> Result<Got, Failure> {
    let selection = wanted.selection;
    let now = unix_now();
    let range = Range::of(selection, now)?;
    let max_speed_m_s = max_speed(selection.speed.max_speed.as_deref())?;
    let uuid = connect::deployment(wanted.deployment, settings, store).await?;
    let known = known(uuid, settings, store).await;
    let entry = known.entry.unwrap_or_else(|| Deployment::new(uuid));
    let options = TrackOptions {
        overrules: known.overrides,
        ..options(&entry, selection.speed.platform, max_speed_m_s, now)
    };
    let (label, limits) = (entry.label, entry.limits);
    let assembled = match wanted.offline {
        true => offline(store, uuid, options.clone(), wanted.fields).await?,
        false => online(global, settings, store, uuid, options.clone()).await?,
    };
    let (mut track, fetched_at) = (assembled.track, assembled.fetched_at);
    if !wanted.overrides.is_empty() {
        let by_hand = (&*track, options.overrules.clone());
        let overrules = overrides::set(wanted.overrides, uuid, by_hand, store).await?;
        track = Arc::new(track.reassembled(&TrackOptions {
            overrules,
            ..options
        }));
    }
    let notes = [track.unusable_text(), ahead(&track, unix_now())];
    for told in notes.into_iter().flatten() {
        note(&said_of(label.as_deref(), &told));
    }
    track = range.part_of(track, label.as_deref());
    Ok(Got {
        deployment: Remote::shown(uuid),
        track,
        fetched_at,
        label,
        limits,
    })
}

/// A note about a track, with the name of its deployment if it has one.
pub(super) fn said_of(label: Option<&str>, told: &str) -> String {
    match label {
        Some(label) => format!("driftline: {}: {told}", text::excerpt(label, 100)),
        None => format!("driftline: {told}"),
    }
}

/// The time range that is wanted, UNIX seconds.
pub(super) struct Range {
    since: Option<f64>,
    until: Option<f64>,
}

impl Range {
    /// The range that the flags say at `now`.
    pub(super) fn of(selection: &Selection, now: f64) -> Result<Self, Failure> {
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

    /// The part of a track in the range; says where it has no fix.
    pub(super) fn part_of(&self, track: Arc<Track>, label: Option<&str>) -> Arc<Track> {
        if self.since.is_none() && self.until.is_none() {
            return track;
        }
        let part = track.window(self.since, self.until);
        if let Some(told) = none_in_range(&track, &part) {
            note(&said_of(label, &told));
        }
        Arc::new(part)
    }
}

/// Says that a time range has no fix of a track that has some.
fn none_in_range(whole: &Track, part: &Track) -> Option<String> {
    let last = whole.len().checked_sub(1)?;
    let (first, last) = (whole.fix(0)?, whole.fix(last)?);
    part.is_empty().then(|| {
        format!(
            "no fix in the time range of --since and --until; the track has fixes from {} to {} UTC",
            time::table(first.time_stamp, None),
            time::table(last.time_stamp, None)
        )
    })
}

/// Says that the newest fix is ahead of the clock by more than an hour: it is no last fix
/// until its time has come.
pub(super) fn ahead(track: &Track, now: f64) -> Option<String> {
    // A fix that is ahead by more than a day has failed for that.
    let mut backwards = track.fixes().rev();
    let newest =
        backwards.find(|fix| fix.reason == Reason::Future || track.is_included(fix.index))?;
    let ahead = ahead_s(newest.time_stamp, now)?;
    Some(format!(
        "the newest fix is {} ahead of this computer's clock",
        time::duration(ahead)
    ))
}

/// How the track of an entry is assembled at `now` (UNIX seconds), with platform
/// and speed limit (m/s) of the flags: a platform that is given counts with its
/// own limit.
pub(super) fn options(
    entry: &Deployment,
    platform: Option<Platform>,
    max_speed_m_s: Option<f64>,
    now: f64,
) -> TrackOptions {
    let on_list = entry.options(now);
    let set = on_list.max_speed_m_s.filter(|_| platform.is_none());
    TrackOptions {
        platform: platform.unwrap_or(on_list.platform),
        max_speed_m_s: max_speed_m_s.or(set),
        ..on_list
    }
}

/// Parses the value of `--max-speed`; returns m/s.
pub(super) fn max_speed(typed: Option<&str>) -> Result<Option<f64>, Failure> {
    typed
        .map(|typed| {
            speed::parse(typed).map_err(|error| {
                Failure::usage(format!("--max-speed {}: {error}", text::excerpt(typed, 40)))
            })
        })
        .transpose()
}

/// The format given by the flag, else that of the file's extension, else the
/// table on a terminal and CSV otherwise.
fn format(arguments: &TrackArguments) -> Result<Format, Failure> {
    if let Some(format) = arguments.format() {
        return Ok(format);
    }
    if folder(arguments).is_some() {
        return Ok(Format::Csv);
    }
    let extension = |path: &Path| Format::from_extension(&path.extension()?.to_string_lossy());
    let file = (arguments.output.as_deref()).filter(|path| path.as_os_str() != "-");
    if let Some(path) = file
        && path.extension().is_some()
    {
        return extension(path).ok_or_else(|| unknown_extension(path));
    }
    Ok(match file.is_none() && std::io::stdout().is_terminal() {
        true => Format::Table,
        false => Format::Csv,
    })
}

/// The failure for a file name whose extension is that of no format.
pub(super) fn unknown_extension(path: &Path) -> Failure {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    Failure::new(
        FailureKind::Usage,
        format!(
            "--output: no format has the extension .{}",
            text::excerpt(&extension, 20)
        ),
        "Give the format with --format, or a name with its extension.",
    )
}

pub(super) async fn offline(
    store: &Store,
    uuid: Uuid,
    options: TrackOptions,
    fields: Fields,
) -> Result<Assembled, Failure> {
    let found = archived(store, uuid, options, fields).await?;
    found.track.ok_or_else(|| {
        Failure::new(
            FailureKind::Other,
            format!("the archive has no copy of {}", Remote::shown(uuid)),
            "Put it on the watch list and fetch it once: `driftline deployments add`, then `driftline track` without --offline.",
        )
    })
}

/// The track as the service has it now, with what was withdrawn of a deployment
/// that is watched; prints the warnings about it.
pub(super) async fn online(
    global: &Global,
    settings: &Settings,
    store: &Store,
    uuid: Uuid,
    options: TrackOptions,
) -> Result<Assembled, Failure> {
    let (assembled, warnings) = fetched(global, settings, store, uuid, options).await?;
    for warning in warnings {
        note(&format!("driftline: {warning}"));
    }
    Ok(assembled)
}

/// As [`online`], with the warnings.
pub(super) async fn fetched(
    global: &Global,
    settings: &Settings,
    store: &Store,
    uuid: Uuid,
    options: TrackOptions,
) -> Result<(Assembled, Vec<String>), Failure> {
    let session = connect::session(global, settings)?;
    let request = Request {
        deployment: uuid,
        options,
        flags: Flags::Given,
        keep: Keep::IfWatched,
        wanted: update::Wanted::Track { shown: None },
        turn: Turn::Now,
    };
    let reports = Reports {
        progress: progress(),
        assembled: None,
    };
    let updated = update(&session, store, request, reports).await;
    if is_watched() {
        connect::progress_line("");
    }
    let mut update = updated?.now()?;
    let warnings = std::mem::take(&mut update.notes);
    let assembled = Assembled::of(update).ok_or_else(without_outcome)?;
    Ok((assembled, warnings))
}

/// The entry and the flags that the user set for a deployment. Where the archive cannot
/// be read, that is told: the flags of the track may be others without it.
pub(super) async fn known(uuid: Uuid, settings: &Settings, store: &Store) -> Known {
    match watch_list::known(uuid, settings, store).await {
        Ok(known) => known,
        Err(failure) => {
            note(&format!(
                "driftline: platform, limits and flags set by hand of {uuid} are not known, because {failure}"
            ));
            Known {
                entry: watch_list::configured(uuid, settings),
                ..Known::default()
            }
        }
    }
}

/// Prints the progress of a fetch on one line of standard error, if that is a
/// terminal.
fn progress() -> Option<Arc<dyn Fn(Progress) + Send + Sync>> {
    if !is_watched() {
        return None;
    }
    let began = Instant::now();
    Some(Arc::new(move |progress: Progress| {
        let seconds = began.elapsed().as_secs_f64().max(1e-3);
        #[allow(clippy::cast_precision_loss)] // two digits are shown
        let (megabytes, rate) = (
            progress.bytes as f64 / 1e6,
            progress.bytes as f64 / 1e3 / seconds,
        );
        connect::progress_line(&format!(
            "{megabytes:.2} MB, {} fixes, {rate:.0} kB/s",
            progress.records
        ));
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // More than a day ahead it fails, and is told all the same.
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
