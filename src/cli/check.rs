//! A monitoring plugin: one line with the state and performance data, and the
//! exit status of the Monitoring Plugins guidelines (0 OK, 1 warning, 2
//! critical, 3 unknown).

mod all;
mod named;
mod report;
mod seen;
mod verdict;

use std::time::Duration;

use tokio::time::Instant;

use super::args::printed::Form;
use super::args::{CheckArguments, Global, Selection, asks_for_json, is_typed};
use super::output::note;
use super::track;
use super::{alarms, connect, file};
use crate::clock::unix_now;
use crate::failure::{Failure, FailureKind};
use crate::ops::store::Store;
use crate::ops::watch_list;
use crate::settings::Settings;
use crate::track::remote::Remote;
use crate::track::{Deployment, TrackOptions};
use named::look_for_archive;
use report::{Judged, Of};
use seen::of_track;
use verdict::{Limits, Verdict, no_verdict, settled};

/// Prints that the status is unknown because of a failure, by arguments that could not be
/// parsed; returns 3.
pub(super) fn unknown(failure: &Failure) -> u8 {
    let form = match asks_for_json() {
        true => Form::Json,
        false => Form::Table,
    };
    let of = match is_typed("--all") {
        true => Of::Several,
        false => Of::One,
    };
    let _ = report::print_unknown(failure, form, of);
    3
}

pub(super) async fn run(global: &Global, arguments: CheckArguments) -> Result<u8, Failure> {
    let form = arguments.printed.form();
    let of = match arguments.all || arguments.deployments.len() > 1 {
        true => Of::Several,
        false => Of::One,
    };
    let status = match (connect::duration("--deadline", &arguments.deadline), of) {
        (Err(failure), _) => Err(failure),
        (Ok(deadline), Of::Several) => all::run(global, arguments, deadline).await,
        (Ok(deadline), Of::One) => one(global, arguments, deadline).await,
    };
    status.or_else(|failure| report::print_unknown(&failure, form, of))
}

/// Checks the deployment or file that is named, within `deadline` seconds in all.
async fn one(global: &Global, arguments: CheckArguments, deadline: f64) -> Result<u8, Failure> {
    let end = Instant::now() + Duration::from_secs_f64(deadline);
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let verdict = judged(global, &settings, &store, arguments);
    let status = tokio::time::timeout_at(end, verdict)
        .await
        .unwrap_or_else(|_| {
            Err(Failure::new(
                FailureKind::Unreachable,
                no_verdict(deadline),
                "",
            ))
        });
    alarms::tell_until(end, &settings, &store).await;
    status
}

async fn judged(
    global: &Global,
    settings: &Settings,
    store: &Store,
    arguments: CheckArguments,
) -> Result<u8, Failure> {
    let limits = Limits::of(&arguments, settings.notation())?;
    let typed = arguments.deployments.first();
    let typed = typed.ok_or_else(|| Failure::usage("name a deployment, or give --all"))?;
    if file::is_meant(typed, settings, store).await {
        let selection = Selection {
            since: None,
            until: None,
            speed: arguments.speed,
        };
        let got = file::track(typed, &arguments.file, &selection).await?;
        let entry = file::entry(&got.deployment);
        let nothing = Store::in_memory();
        let judged = Judged {
            deployment: Some(got.deployment),
            verdict: of_track(&entry, &got.track, None, &limits, &nothing).await,
            label: entry.label,
        };
        return report::print(&judged, arguments.printed.form());
    }
    let uuid = connect::deployment(typed, settings, store).await?;
    look_for_archive(settings, store).await?;
    // Limits that cannot be read are not limits that were never set: without
    // them there is no OK.
    let known = watch_list::known(uuid, settings, store).await?;
    let entry = known.entry;
    let entry = entry.unwrap_or_else(|| Deployment::new(uuid));
    let form = arguments.printed.form();
    let judged = |verdict| Judged {
        deployment: Some(Remote::shown(uuid)),
        label: entry.label.clone(),
        verdict,
    };
    // What was recovered or given up, or is over, has no status to ask the service for.
    if let Some(word) = settled(&entry, unix_now()) {
        return report::print(&judged(Verdict::settled(&entry.name(), &word)), form);
    }
    // Like `track`: with overridden flags and withdrawn records.
    let options = TrackOptions {
        overrules: known.overrides,
        ..limits.options(&entry)
    };
    let (got, warnings) = track::fetched(global, settings, store, uuid, options).await?;
    let alarms = store.alarms(false).await?;
    let verdict = of_track(&entry, &got.track, got.clock_ahead_s, &limits, store).await;
    for warning in verdict.unsaid(&warnings) {
        note(&format!("driftline: {warning}"));
    }
    let verdict = verdict.with_alarms(&alarms, uuid, settings.units);
    report::print(&judged(verdict), form)
}
