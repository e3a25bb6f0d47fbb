//! The last included fix of every deployment on the watch list, headless.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use super::args::Global;
use super::args::fleet::LatestArguments;
use super::field_choice::{field_choice, missing_fields};
use super::output::{Out, note, status, waits};
use super::track::{ahead, unknown_extension};
use super::{alarms, connect};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::formats::{LastFields, LatestFormat, LatestOf, Subject};
use crate::geo::Notation;
use crate::intake::archived::{self, Fields};
use crate::intake::fleet::{self, AT_ONCE, Fleet};
use crate::intake::judge::judge_by_clock;
use crate::intake::update::{Assembled, without_outcome};
use crate::ops::blocking::blocking;
use crate::ops::output::Destination;
use crate::ops::own_files::OwnFiles;
use crate::ops::store::Store;
use crate::ops::{export, watch_list};
use crate::text;
use crate::track::field::FieldChoice;
use crate::track::{Deployment, Update, time};

pub(super) async fn run(global: &Global, arguments: LatestArguments) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    if let Some(output) = &arguments.output {
        OwnFiles::of(&settings).refuse(output)?;
    }
    let format = format(&arguments)?;
    let at = at(arguments.at.as_deref())?;
    let choice = field_choice(arguments.fields.as_deref())?;
    let wants_fields = format.has_fields() && !choice.as_ref().is_some_and(FieldChoice::is_none);
    let store = connect::store(&settings);
    let (list, unknown) = watch_list::watched_as_known(&settings, &store).await;
    // The first fault makes the exit status; what could be had is written.
    let mut fault = unknown.map(|failure| {
        note(&format!(
            "driftline: the watch list of the archive cannot be read, because {failure}"
        ));
        failure.kind
    });
    if list.is_empty() && fault.is_none() {
        note("The watch list is empty; `driftline deployments add UUID` adds a deployment.");
    }
    let mut failed = HashSet::new();
    let mut tracks: Vec<Option<Assembled>> = list.iter().map(|_| None).collect();
    if !arguments.offline && !list.is_empty() {
        let session = connect::session(global, &settings)?;
        // What was recovered or given up has nothing new to be fetched, and of what is
        // not due the archive has the last fix.
        let is_due = fleet::due(&store, &list, settings.refresh).await;
        let (places, due): (Vec<usize>, Vec<Deployment>) = list
            .iter()
            .enumerate()
            .filter(|(_, one)| one.state.is_active() && is_due.contains(&one.uuid))
            .map(|(place, one)| (place, one.clone()))
            .unzip();
        let mut failures: Vec<(String, Failure)> = Vec::new();
        let mut outcomes: Vec<Option<Result<Update, Failure>>> = due.iter().map(|_| None).collect();
        let mut fleet = Fleet::fetch(&session, &store, due.iter().cloned(), AT_ONCE);
        while let Some((place, outcome)) = fleet.next().await {
            if let Some(slot) = outcomes.get_mut(place) {
                *slot = Some(outcome);
            }
        }
        for ((place, entry), outcome) in places.into_iter().zip(&due).zip(outcomes) {
            match outcome.unwrap_or_else(|| Err(without_outcome())) {
                Ok(update) => {
                    for warning in &update.notes {
                        note(&format!("driftline: {}: {warning}", named(entry)));
                    }
                    if let Some(slot) = tracks.get_mut(place) {
                        *slot = Assembled::of(update);
                    }
                }
                Err(failure) => {
                    fault.get_or_insert(failure.kind);
                    failed.insert(entry.uuid);
                    failures.push((named(entry), failure));
                }
            }
        }
        for told in failures_by_reason(&failures) {
            note(&told);
        }
    }
    for (entry, slot) in list.iter().zip(&mut tracks) {
        if slot.is_none() {
            let is_late = failed.contains(&entry.uuid);
            let source = (&*store, is_late, wants_fields);
            *slot = archived(source, entry, &mut fault).await;
            if slot.is_none() && arguments.offline {
                note(&format!(
                    "driftline: the archive has no copy of {}",
                    named(entry)
                ));
                fault.get_or_insert(FailureKind::Other);
            }
        }
    }
    if let Some(at) = at {
        for got in tracks.iter_mut().flatten() {
            got.track = Arc::new(got.track.as_of(at));
        }
    }
    for (entry, got) in list.iter().zip(&tracks) {
        if let Some(told) = got.as_ref().and_then(|got| ahead(&got.track, unix_now())) {
            note(&format!("driftline: {}: {told}", named(entry)));
        }
    }
    let offline = arguments.offline;
    let active: Vec<Deployment> = list
        .iter()
        .filter(|one| one.state.is_active())
        .cloned()
        .collect();
    let notation = settings.notation();
    let rows = Rows {
        list,
        tracks,
        now: at.unwrap_or_else(unix_now),
    };
    let written = write(&arguments, format, choice, notation, rows).await;
    if !offline {
        // What gives no answer is judged as well. That an archive cannot be written is said
        // where a response is stored.
        let _ = judge_by_clock(&store, active, settings.refresh.as_secs_f64()).await;
        alarms::tell(&settings, &store).await;
    }
    let written = written?;
    Ok(fault.map_or(written, status))
}

/// Why deployments could not be fetched, by their names: what several share is said once.
fn failures_by_reason(failures: &[(String, Failure)]) -> Vec<String> {
    /// This many of them are named.
    const NAMED: usize = 5;
    let reason = |failure: &Failure| (failure.reason.clone(), failure.hint.clone());
    let mut told = HashSet::new();
    let first = failures.iter().filter(|(_, one)| told.insert(reason(one)));
    let words = first.map(|(name, failure)| {
        let same = failures
            .iter()
            .filter(|(_, one)| reason(one) == reason(failure));
        let mut names: Vec<&str> = same.map(|(name, _)| name.as_str()).collect();
        let count = names.len();
        if count == 1 {
            return format!("driftline: {name}: {failure}");
        }
        names.truncate(NAMED);
        if count > NAMED {
            names.push("…");
        }
        let failure = Failure {
            what: String::new(),
            ..failure.clone()
        };
        let names = names.join(", ");
        format!("driftline: {count} deployments could not be fetched ({names}): {failure}")
    });
    words.collect()
}

/// The archived track of a deployment; says how old it is where it could not be fetched,
/// and why it cannot be read.
async fn archived(
    (store, is_late, wants_fields): (&Store, bool, bool),
    entry: &Deployment,
    fault: &mut Option<FailureKind>,
) -> Option<Assembled> {
    let options = entry.options(unix_now());
    let fields = match wants_fields {
        true => Fields::With,
        false => Fields::Without,
    };
    let stored = match archived::archived(store, entry.uuid, options, fields).await {
        Ok(found) => found.track,
        Err(failure) => {
            note(&format!("driftline: {}: {failure}", named(entry)));
            fault.get_or_insert(failure.kind);
            return None;
        }
    };
    if let Some(stored) = stored.as_ref().filter(|_| is_late) {
        note(&format!(
            "driftline: {}: the row is from the archive, fetched {}",
            named(entry),
            time::age(stored.fetched_at, unix_now())
        ));
    }
    stored
}

fn named(entry: &Deployment) -> String {
    text::excerpt(&entry.name(), 100)
}

/// The file that is written; none for standard output.
fn output(arguments: &LatestArguments) -> Option<PathBuf> {
    let typed = arguments.output.clone();
    typed.filter(|path| path.as_os_str() != "-")
}

/// The moment of `--at`, UNIX seconds; one that has not come is now.
fn at(typed: Option<&str>) -> Result<Option<f64>, Failure> {
    let now = unix_now();
    let parsed = typed.map(|typed| time::parse(typed, now).map(|at| at.min(now)));
    (parsed.transpose()).map_err(|error| Failure::usage(format!("--at: {error}")))
}

/// The format: as named, by the extension of the file, or by where it goes.
fn format(arguments: &LatestArguments) -> Result<LatestFormat, Failure> {
    let output = output(arguments);
    let extension = output.as_ref().and_then(|path| path.extension());
    let by_name = extension.and_then(|one| LatestFormat::from_extension(&one.to_string_lossy()));
    if arguments.json {
        return Ok(LatestFormat::Json);
    }
    let to_terminal = output.is_none() && std::io::stdout().is_terminal();
    if arguments.format.is_none()
        && by_name.is_none()
        && let Some(path) = output.as_ref().filter(|path| path.extension().is_some())
    {
        return Err(unknown_extension(path));
    }
    let by_default = match to_terminal {
        true => LatestFormat::Table,
        false => LatestFormat::Csv,
    };
    Ok(arguments.format.or(by_name).unwrap_or(by_default))
}

/// The fields of each last fix that are written. Says which ones that were asked for no
/// last fix has.
fn last_fields(
    tracks: &[Option<Assembled>],
    format: LatestFormat,
    choice: Option<&FieldChoice>,
) -> Vec<LastFields> {
    let of = |choice: Option<&FieldChoice>| -> Vec<LastFields> {
        let tracks = tracks.iter().map(|got| got.as_ref().map(|got| &got.track));
        let fields = tracks.map(|track| track.map(|track| LastFields::of(track, choice)));
        fields.map(Option::unwrap_or_default).collect()
    };
    if !format.has_fields() {
        return tracks.iter().map(|_| LastFields::default()).collect();
    }
    if let Some(choice) = choice.filter(|choice| !choice.is_none()) {
        let all = of(None);
        let mut names: Vec<&str> = all.iter().flat_map(LastFields::names).collect();
        let mut known = HashSet::new();
        names.retain(|name| known.insert(*name));
        if let Some(told) = missing_fields(|| names.iter().copied(), choice) {
            note(&told);
        }
    }
    of(choice)
}

/// The deployments that are written, each with its track where one could be had.
struct Rows {
    list: Vec<Deployment>,
    tracks: Vec<Option<Assembled>>,
    /// The moment at which they are seen, UNIX seconds.
    now: f64,
}

async fn write(
    arguments: &LatestArguments,
    format: LatestFormat,
    choice: Option<FieldChoice>,
    notation: Notation,
    rows: Rows,
) -> Result<u8, Failure> {
    let output = output(arguments);
    let Rows { list, tracks, now } = rows;
    // A write to a pipe that nobody reads blocks: it must not block the thread
    // that listens for Ctrl-C.
    let written = blocking(move || {
        let uuids: Vec<String> = list.iter().map(|one| one.uuid.to_string()).collect();
        let fields = last_fields(&tracks, format, choice.as_ref());
        let of: Vec<LatestOf<'_>> = list
            .iter()
            .zip(&uuids)
            .zip(tracks.iter().zip(&fields))
            .map(|((entry, uuid), (got, fields))| LatestOf {
                subject: Subject {
                    deployment: uuid,
                    label: entry.label.as_deref(),
                    fetched_at: got.as_ref().map_or(now, |got| got.fetched_at),
                    now,
                    notation,
                },
                platform: entry.platform,
                track: got.as_ref().map(|got| &*got.track),
                fields,
            })
            .collect();
        match &output {
            Some(path) => {
                let target = Destination::that_waits(path, &waits);
                export::latest_file(&target, format, &of).map(|()| 0)
            }
            None => Out::new().with(|out| export::write_latest(format, &of, out)),
        }
    });
    written.await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_deployments_share_is_said_once() {
        let refused = || {
            let why = Failure::new(FailureKind::NotAuthenticated, "401", "Log in.");
            why.of("deployment 7 could not be fetched")
        };
        let other = Failure::new(FailureKind::Service, "404", "");
        let mut failures: Vec<(String, Failure)> = (0..6)
            .map(|number| (format!("buoy {number}"), refused()))
            .collect();
        failures.insert(2, ("float".to_owned(), other));
        let told = [
            "driftline: 6 deployments could not be fetched (buoy 0, buoy 1, buoy 2, buoy 3, buoy 4, …): 401. Log in.",
            "driftline: float: 404",
        ];
        assert_eq!(failures_by_reason(&failures), told);
        let alone = failures_by_reason(&failures[..1]);
        assert_eq!(
            alone,
            ["driftline: buoy 0: deployment 7 could not be fetched: 401. Log in."]
        );
    }
}
