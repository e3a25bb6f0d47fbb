//! The last included fix of every deployment on the watch list, headless.

use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use uuid::Uuid;

use super::args::Global;
use super::args::fleet::LatestArguments;
use super::field_choice::{field_choice, missing_fields};
use super::output::{Out, note, object, status, waits, written};
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
use crate::settings::Settings;
use crate::text;
use crate::track::field::FieldChoice;
use crate::track::remote::Remote;
use crate::track::{Deployment, Update, time};

/// A deployment with its track, as far as one could be had.
struct Row {
    entry: Deployment,
    track: Option<Assembled>,
    /// `true` if the service was asked.
    asked: Asked,
}

/// The outcome of asking the service.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// It was not asked, or it answered.
    Well,
    /// It failed: what is written is older.
    Failed,
}

/// The command, with the first fault: it makes the exit status; what could be had is
/// written.
struct Latest<'a> {
    settings: &'a Settings,
    store: &'a Store,
    fault: Option<Failure>,
}

pub(super) async fn run(global: &Global, arguments: LatestArguments) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    if let Some(output) = &arguments.output {
        OwnFiles::of(&settings).refuse(output)?;
    }
    let format = format(&arguments)?;
    let at = at(arguments.at.as_deref())?;
    let choice = field_choice(arguments.fields.as_deref())?;
    let store = connect::store(&settings);
    let mut latest = Latest {
        settings: &settings,
        store: &store,
        fault: None,
    };
    let mut rows = latest.rows(&arguments.deployments).await?;
    if !arguments.offline && !rows.is_empty() {
        latest.fetch(global, &mut rows, &arguments).await?;
    }
    let fields = match format.has_fields() && !choice.as_ref().is_some_and(FieldChoice::is_none) {
        true => Fields::With,
        false => Fields::Without,
    };
    for row in &mut rows {
        if row.track.is_none() {
            latest.read(row, fields).await;
        }
        if row.track.is_none() && arguments.offline {
            let what = format!("the archive has no copy of {}", named(&row.entry));
            note(&format!("driftline: {what}"));
            let failure = Failure::new(FailureKind::Other, what, "");
            latest.fault.get_or_insert(failure);
        }
        if let (Some(at), Some(got)) = (at, &mut row.track) {
            got.track = Arc::new(got.track.as_of(at));
        }
        let track = row.track.as_ref().map(|got| &got.track);
        if let Some(told) = track.and_then(|track| ahead(track, unix_now())) {
            note(&format!("driftline: {}: {told}", named(&row.entry)));
        }
    }
    let fault = latest.fault;
    let active: Vec<Deployment> = (rows.iter().map(|row| &row.entry))
        .filter(|entry| entry.state.is_active())
        .cloned()
        .collect();
    let what = Written {
        output: output(&arguments),
        format,
        choice,
        notation: settings.notation(),
        now: at.unwrap_or_else(unix_now),
    };
    let written = what.write(rows).await;
    if !arguments.offline {
        // What gives no answer is judged as well. That an archive cannot be written is said
        // where a response is stored.
        let _ = judge_by_clock(&store, active, settings.refresh.as_secs_f64()).await;
        alarms::notify(&settings, &store).await;
    }
    let written = written?;
    let Some(fault) = fault else {
        return Ok(written);
    };
    if arguments.format() == Some(LatestFormat::Json) {
        object(&fault);
    }
    Ok(status(fault.kind))
}

/// Fetches into the archive what is due of a list; returns why some could not be fetched, each
/// with the name of its deployment.
///
/// # Errors
/// When there is no session: no service, or no token.
pub(super) async fn fetch_due(
    global: &Global,
    settings: &Settings,
    store: &Store,
    list: &[Deployment],
) -> Result<Vec<Failure>, Failure> {
    let is_due = fleet::due(store, list, settings.refresh).await;
    let due = list.iter().filter(|entry| is_due.contains(&entry.uuid));
    let active = due.filter(|entry| entry.state.is_active()).cloned();
    let active: Vec<Deployment> = active.collect();
    let mut failures = Vec::new();
    if active.is_empty() {
        return Ok(failures);
    }
    let session = connect::session(global, settings)?;
    let mut fetching = Fleet::fetch(&session, store, active, AT_ONCE);
    while let Some((uuid, outcome)) = fetching.next().await {
        if let Err(failure) = outcome {
            let name = list.iter().find(|entry| entry.uuid == uuid).map(named);
            failures.push(failure.of(name.unwrap_or_default()));
        }
    }
    Ok(failures)
}

impl Latest<'_> {
    /// The deployments that are named, else the watch list.
    async fn rows(&mut self, typed: &[String]) -> Result<Vec<Row>, Failure> {
        let (mut list, unknown) = watch_list::watched_as_known(self.settings, self.store).await;
        if let Some(failure) = unknown {
            if list.is_empty() && typed.is_empty() {
                return Err(failure.of("the watch list of the archive cannot be read"));
            }
            note(&format!(
                "driftline: the watch list of the archive cannot be read, because {failure}"
            ));
            self.fault = Some(failure);
        } else if list.is_empty() && typed.is_empty() {
            note("The watch list is empty; `driftline deployments add UUID` adds a deployment.");
        }
        if !typed.is_empty() {
            let uuids = connect::deployments(typed, self.settings, self.store).await?;
            let entries = uuids.into_iter().map(|uuid| {
                let listed = list.iter().find(|entry| entry.uuid == uuid);
                listed.cloned().unwrap_or_else(|| Deployment::new(uuid))
            });
            list = entries.collect();
        }
        let rows = list.into_iter().map(|entry| Row {
            entry,
            track: None,
            asked: Asked::Well,
        });
        Ok(rows.collect())
    }

    /// Asks the service: for what a person named at once, else for what is due. What was
    /// recovered or given up has nothing new, and of what is not due the archive has the
    /// last fix.
    async fn fetch(
        &mut self,
        global: &Global,
        rows: &mut [Row],
        arguments: &LatestArguments,
    ) -> Result<(), Failure> {
        let session = connect::session(global, self.settings)?;
        let list: Vec<Deployment> = rows.iter().map(|row| row.entry.clone()).collect();
        let is_due = match arguments.deployments.is_empty() {
            true => fleet::due(self.store, &list, self.settings.refresh).await,
            false => list.iter().map(|entry| entry.uuid).collect(),
        };
        let mut due: Vec<&mut Row> = rows
            .iter_mut()
            .filter(|row| row.entry.state.is_active() && is_due.contains(&row.entry.uuid))
            .collect();
        let asked: Vec<Deployment> = due.iter().map(|row| row.entry.clone()).collect();
        let mut outcomes: HashMap<Uuid, Result<Update, Failure>> = HashMap::new();
        let mut fleet = Fleet::fetch(&session, self.store, asked, AT_ONCE);
        while let Some((deployment, outcome)) = fleet.next().await {
            outcomes.insert(deployment, outcome);
        }
        let mut failures: Vec<(String, Failure)> = Vec::new();
        for row in &mut due {
            let outcome = outcomes.remove(&row.entry.uuid);
            match outcome.unwrap_or_else(|| Err(without_outcome())) {
                Ok(update) => {
                    for warning in &update.notes {
                        note(&format!("driftline: {}: {warning}", named(&row.entry)));
                    }
                    row.track = Assembled::of(update);
                }
                Err(failure) => {
                    self.fault.get_or_insert_with(|| failure.clone());
                    row.asked = Asked::Failed;
                    failures.push((named(&row.entry), failure));
                }
            }
        }
        for told in failures_by_reason(&failures) {
            note(&told);
        }
        Ok(())
    }

    /// Reads the archived track of a deployment; says how old it is where it could not be
    /// fetched, and why it cannot be read.
    async fn read(&mut self, row: &mut Row, fields: Fields) {
        let options = row.entry.options(unix_now());
        match archived::archived(self.store, row.entry.uuid, options, fields).await {
            Ok(found) => row.track = found.track,
            Err(failure) => {
                note(&format!("driftline: {}: {failure}", named(&row.entry)));
                self.fault.get_or_insert_with(|| failure.clone());
            }
        }
        if let Some(stored) = &row.track
            && row.asked == Asked::Failed
        {
            note(&format!(
                "driftline: {}: the row is from the archive, fetched {}",
                named(&row.entry),
                time::age(stored.fetched_at, unix_now())
            ));
        }
    }
}

/// Why deployments could not be fetched, by their names: what several share is said once.
pub(super) fn failures_by_reason(failures: &[(String, Failure)]) -> Vec<String> {
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

pub(super) fn named(entry: &Deployment) -> String {
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
    let to_terminal = output.is_none() && std::io::stdout().is_terminal();
    if arguments.format().is_none()
        && by_name.is_none()
        && let Some(path) = output.as_ref().filter(|path| path.extension().is_some())
    {
        return Err(unknown_extension(path));
    }
    let by_default = match to_terminal {
        true => LatestFormat::Table,
        false => LatestFormat::Csv,
    };
    Ok(arguments.format().or(by_name).unwrap_or(by_default))
}

/// The fields of each last fix that are written. Says which ones that were asked for no
/// last fix has.
fn last_fields(
    rows: &[Row],
    format: LatestFormat,
    choice: Option<&FieldChoice>,
) -> Vec<LastFields> {
    let of = |choice: Option<&FieldChoice>| -> Vec<LastFields> {
        let tracks = rows
            .iter()
            .map(|row| row.track.as_ref().map(|got| &got.track));
        let fields = tracks.map(|track| track.map(|track| LastFields::of(track, choice)));
        fields.map(Option::unwrap_or_default).collect()
    };
    if !format.has_fields() {
        return rows.iter().map(|_| LastFields::default()).collect();
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

/// The file that is written, and where.
struct Written {
    output: Option<PathBuf>,
    format: LatestFormat,
    choice: Option<FieldChoice>,
    notation: Notation,
    /// The moment at which they are seen, UNIX seconds.
    now: f64,
}

impl Written {
    async fn write(self, rows: Vec<Row>) -> Result<u8, Failure> {
        // A write to a pipe that nobody reads blocks: it must not block the thread
        // that listens for Ctrl-C.
        let done = blocking(move || {
            let now = self.now;
            let uuids: Vec<String> = rows
                .iter()
                .map(|row| Remote::shown(row.entry.uuid))
                .collect();
            let fields = last_fields(&rows, self.format, self.choice.as_ref());
            let all = rows.iter().zip(&uuids).zip(&fields);
            let of: Vec<LatestOf<'_>> = all
                .map(|((row, uuid), fields)| LatestOf {
                    subject: Subject {
                        deployment: uuid,
                        label: row.entry.label.as_deref(),
                        fetched_at: row.track.as_ref().map_or(now, |got| got.fetched_at),
                        now,
                        notation: self.notation,
                    },
                    platform: row.entry.platform,
                    track: row.track.as_ref().map(|got| &*got.track),
                    fields,
                })
                .collect();
            match &self.output {
                Some(path) => {
                    let target = Destination::that_waits(path, &waits);
                    export::latest_file(&target, self.format, &of)?;
                    written(&text::counted(of.len(), "deployment", "deployments"), path);
                    Ok(0)
                }
                None => Out::new().with(|out| export::write_latest(self.format, &of, out)),
            }
        });
        done.await?
    }
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
