//! The last good fix of deployments, headless.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::args::Global;
use super::args::fleet::LatestArguments;
use super::field_choice::{field_choice, missing_fields};
use super::output::{Out, note, note_object, status, warn, written};
use super::run::Run;
use super::subject::{Ask, Subject, Unread, ahead};
use super::track::chosen_format;
use crate::app::update::prepare::Fields;
use crate::app::{export, watch_list};
use crate::failure::Failure;
use crate::formats;
use crate::formats::{Format, LatestOf};
use crate::os::blocking::blocking;
use crate::os::clock::unix_now;
use crate::os::output::{Destination, FileKind};
use crate::text;
use crate::track::field::{FieldChoice, FieldColumn};
use crate::track::time;

pub(super) async fn run(global: &Global, arguments: LatestArguments) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    run.refuse_own(arguments.output.as_deref(), &[])?;
    let output = arguments.output.as_deref();
    let format = chosen_format(arguments.printed.named(), output, &Format::LATEST)?;
    let at = at(arguments.at.as_deref())?;
    let choice = field_choice(arguments.fields.as_deref())?;
    let (mut subjects, fault) = subjects(&run, &arguments.deployments).await?;
    let ask = match (arguments.offline, arguments.deployments.is_empty()) {
        (true, _) => Ask::Nothing,
        (false, true) => Ask::Due,
        (false, false) => Ask::All,
    };
    let fields = Fields::for_format(format.has_fields(), choice.as_ref());
    // A named deployment that was recovered or lost has nothing new.
    let (active, others): (Vec<_>, Vec<_>) =
        (subjects.iter_mut()).partition(|subject| subject.entry.state.is_active());
    run.fetch(active, ask, fields, None).await?;
    run.fetch(others, Ask::Nothing, fields, None).await?;
    // The first fault makes the exit status; the rows that there are are written.
    let fault = fault.or_else(|| subjects.iter().find_map(|subject| subject.failure.clone()));
    let failed = subjects.iter().filter_map(|subject| {
        let failure = subject.failure.clone()?;
        Some((subject.name(), failure))
    });
    for message in failures_by_reason(&failed.collect::<Vec<_>>()) {
        note(&message);
    }
    run.read_instead(subjects.iter_mut().collect(), fields)
        .await;
    let mut no_copy = None;
    for subject in &mut subjects {
        if ask == Ask::Nothing
            && let Err(failure) = subject.got()
        {
            warn(failure.message());
            no_copy.get_or_insert(failure);
        }
        for warning in &subject.notes {
            subject.note(warning);
        }
        if let (Some(at), Some(got)) = (at, &mut subject.got) {
            got.track = Arc::new(got.track.as_known_at(at));
            subject.judged_at = None;
        }
        let notes = subject.track().map(|track| {
            let now = track.clock().as_kept(unix_now());
            [ahead(track, now), track.all_early()]
        });
        for message in notes.into_iter().flatten().flatten() {
            subject.note(&message);
        }
    }
    let active = (subjects.iter().map(|subject| &subject.entry))
        .filter(|entry| entry.state.is_active())
        .cloned()
        .collect();
    let file = output.filter(|path| path.as_os_str() != "-");
    let output = file.map(Path::to_owned);
    let notation = run.settings.notation();
    let now = at.unwrap_or_else(unix_now);
    // A write to a pipe that nobody reads blocks: it must not block the thread
    // that listens for Ctrl-C.
    let written = blocking(move || {
        let choice = choice.as_ref();
        if let Some(choice) = choice.filter(|choice| !choice.is_none())
            && format.has_fields()
        {
            note_missing_fields(&subjects, choice);
        }
        let of: Vec<LatestOf<'_>> = (subjects.iter())
            .map(|subject| LatestOf {
                subject: subject.about(now, notation),
                platform: subject.entry.platform,
                track: subject.track().map(|track| &**track),
                judged_at: subject.judged_at,
                choice,
            })
            .collect();
        match &output {
            Some(path) => {
                let target = Destination::new(path, FileKind::Named);
                export::latest_file(&target, format, &of)?;
                written(&text::counted(of.len(), "deployment", "deployments"), path);
                Ok(0)
            }
            None => Out::new().with(|out| formats::write_latest(format, &of, out)),
        }
    })
    .await
    .flatten();
    if ask != Ask::Nothing {
        run.judge_by_clock(active).await;
        run.notify().await;
    }
    let written = written?;
    let Some(fault) = fault.or(no_copy) else {
        return Ok(written);
    };
    if arguments.printed.named() == Some(Format::Json) {
        note_object(&fault);
    }
    Ok(status(fault.kind))
}

/// The deployments that are named, else the watch list; and why the archive's part of that
/// cannot be read.
async fn subjects(run: &Run, typed: &[String]) -> Result<(Vec<Subject>, Option<Failure>), Failure> {
    if !typed.is_empty() {
        let mut subjects = Vec::new();
        for uuid in run.deployments(typed).await? {
            subjects.push(run.entry(uuid, Unread::IsNoted).await?);
        }
        return Ok((subjects, None));
    }
    let (list, unread) = watch_list::watched_as_known(&run.settings, &run.store).await;
    run.note_elsewhere().await;
    match &unread {
        Some(failure) if list.is_empty() => {
            let failure = failure.clone();
            return Err(failure.context("the watch list of the archive cannot be read"));
        }
        Some(failure) => warn(format_args!(
            "the watch list of the archive cannot be read, because {failure}"
        )),
        None if list.is_empty() => {
            warn(watch_list::empty(&run.settings, &run.store));
        }
        None => {}
    }
    Ok((list.into_iter().map(Subject::new).collect(), unread))
}

/// Messages about deployments that could not be fetched; a reason that several share is in one
/// message.
fn failures_by_reason(failures: &[(String, Failure)]) -> Vec<String> {
    /// The most that are named.
    const NAMED: usize = 5;
    let reason = |failure: &Failure| (failure.reason.clone(), failure.hint.clone());
    let mut told = HashSet::new();
    let first = failures.iter().filter(|(_, one)| told.insert(reason(one)));
    let words = first.map(|(name, failure)| {
        let same = failures
            .iter()
            .filter(|(_, one)| reason(one) == reason(failure));
        let count = same.clone().count();
        if count == 1 {
            return format!("driftline: {name}: {failure}");
        }
        let names = text::first_of(same.map(|(name, _)| name), NAMED);
        let failure = Failure {
            what: String::new(),
            ..failure.clone()
        };
        format!("driftline: {count} deployments could not be fetched ({names}): {failure}")
    });
    words.collect()
}

/// The time of `--at`, UNIX seconds; a time in the future is now.
fn at(typed: Option<&str>) -> Result<Option<f64>, Failure> {
    let now = unix_now();
    let parsed = typed.map(|typed| time::parse(typed, now).map(|at| at.min(now)));
    (parsed.transpose()).map_err(|error| Failure::usage(format!("--at: {error}")))
}

/// Prints a note about fields that were chosen and that no track has.
fn note_missing_fields(subjects: &[Subject], choice: &FieldChoice) {
    let mut known = HashSet::new();
    let mut names: Vec<&str> = (subjects.iter().filter_map(Subject::track))
        .flat_map(|track| track.fields().columns().map(FieldColumn::name))
        .collect();
    names.retain(|name| known.insert(*name));
    if let Some(message) = missing_fields(|| names.iter().copied(), choice) {
        note(&message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    #[test]
    fn what_several_deployments_share_is_said_once() {
        let refused = || {
            let why = Failure::new(FailureKind::NotAuthenticated, "401", "Log in.");
            why.context("deployment 7 could not be fetched")
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
