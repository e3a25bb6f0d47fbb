//! Collects the watch list into the archive without a terminal, with a line on standard error
//! for each fetch.

use super::args::Global;
use super::args::fleet::CollectArguments;
use super::output::{note, status};
use super::run::Run;
use super::signals::signal;
use crate::alarm::{Alarm, AlarmEvent};
use crate::app::collect::{CollectOptions, Collector, Report};
use crate::app::watch_list;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::text;
use crate::track::time;
use crate::watch::Deployment;

pub(super) async fn run(global: &Global, arguments: CollectArguments) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let settings = &run.settings;
    let store = &run.store;
    let source = run.source()?;
    let workers = arguments.workers.map(usize::from);
    let options = CollectOptions {
        once: arguments.once,
        at_once: workers
            .unwrap_or(settings.workers)
            .min(settings.workers_per_service),
    };
    // Lines of the journal have its own time.
    let journal = std::env::var_os("JOURNAL_STREAM").is_some();
    let report = |report: Report<'_>| note(&line(&report, journal, unix_now()));
    let mut is_list_lost = false;
    // The collector reports a list that cannot be read.
    let watched = watch_list::watched(settings, store).await;
    if watched.is_ok_and(|list| list.is_empty()) {
        is_list_lost = store.set_aside().is_some();
        report(Report::Warning(watch_list::empty(settings, store)));
    }
    if let Some(others) = watch_list::elsewhere(settings, store).await {
        report(Report::Warning(others));
    }
    let collector = Collector::new(&source, store, settings, options, &report);
    let mut ended_by = None;
    let stopped = async { ended_by = Some(signal().await) };
    let of_rounds = collector.run(stopped).await?;
    // SIGINT (130) and SIGTERM (143) are the orderly end of a collector, but not of a round: cron
    // would take it for done. After any other signal the status names it, so that a service manager
    // starts it again.
    let is_failure = |status: &u8| arguments.once || !matches!(status, 130 | 143);
    if let Some(status) = ended_by.filter(is_failure) {
        return Ok(status);
    }
    // An empty list next to a damaged one is no round that was done.
    let failed = of_rounds.or(is_list_lost.then_some(FailureKind::Other));
    Ok(failed.filter(|_| arguments.once).map_or(0, status))
}

/// A line of the log: what happened, then names with values. In the journal it
/// begins with its priority (sd-daemon(3)), elsewhere with the time.
fn line(report: &Report<'_>, journal: bool, now: f64) -> String {
    let (priority, text) = match report {
        Report::Begun {
            deployments,
            service,
            archive,
        } => {
            let (service, archive) = (quoted(service), quoted(archive));
            let text =
                format!("collecting deployments={deployments} service={service} archive={archive}");
            (6, text)
        }
        Report::Ended => (6, "ended reason=\"a signal\"".to_owned()),
        Report::Fetched {
            entry,
            update,
            next,
        } => {
            let last = update.overview.latest;
            let track = update.track.as_ref();
            let status = track.map_or("-", |track| track.health(now).state.word());
            let text = format!(
                "fetched {} new={} fixes={} last={} status={} took={:.2}s next={}{}",
                named(entry),
                update.delta.unwrap_or_default().new,
                update.overview.fixes,
                last.map_or_else(|| "-".to_owned(), |fix| time::rfc3339(fix.time_stamp)),
                quoted(status),
                update.took_s,
                time::rfc3339(next.floor()),
                if update.notes.is_empty() {
                    String::new()
                } else {
                    format!(" note={}", quoted(&update.notes.join("; ")))
                }
            );
            (6, text)
        }
        Report::Failed {
            entry,
            failure,
            next,
        } => {
            let text = of_failure(entry, failure, &failure.message(), *next);
            (4, format!("failed {text}"))
        }
        Report::Unstored {
            entry,
            failure,
            next,
        } => {
            let reason = format!("fetched and not stored: {failure}");
            let text = of_failure(entry, failure, &reason, *next);
            (3, format!("error {text}"))
        }
        Report::LeftOut {
            entry,
            is_unreached,
        } => {
            let why = if *is_unreached {
                "the service cannot be reached; not asked in this round"
            } else {
                "the archive cannot be written; not asked in this round"
            };
            let text = format!("left out {} reason={}", named(entry), quoted(why));
            (4, text)
        }
        Report::NothingDue { first, next } => {
            let text = format!(
                "nothing due first {} next={} in={}",
                named(first),
                time::rfc3339(next.floor()),
                quoted(&time::duration(next - now))
            );
            (6, text)
        }
        Report::Alarm { alarm, event } => {
            let (priority, at, words) = match event {
                AlarmEvent::Cleared => (5, alarm.cleared_at, alarm.report(now)),
                AlarmEvent::Raised | AlarmEvent::Reminder => (4, None, alarm.report_of_start(now)),
            };
            let at = at.unwrap_or(alarm.raised_at);
            let text = format!(
                "alarm {} id={} kind={}{} at={} text={}",
                event.name(),
                alarm.id,
                alarm.kind.name(),
                of_deployment(alarm),
                time::rfc3339(at.floor()),
                quoted(&words)
            );
            (priority, text)
        }
        Report::NewArchive(name) => (
            5,
            format!("new archive={} reason=\"there was none\"", quoted(name)),
        ),
        Report::Warning(text) => (4, format!("warning reason={}", quoted_up_to(1000, text))),
    };
    if journal {
        format!("<{priority}>{text}")
    } else {
        format!("{} {text}", time::rfc3339(now.floor()))
    }
}

/// A deployment whose fetch failed, why, and when it is due next (UNIX seconds).
fn of_failure(entry: &Deployment, failure: &Failure, reason: &str, next: f64) -> String {
    format!(
        "{} kind={} reason={} next={}",
        named(entry),
        failure.kind.name(),
        quoted(reason),
        time::rfc3339(next.floor())
    )
}

fn named(entry: &Deployment) -> String {
    let shown = entry.id.to_string();
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    // The id of a service may be any text.
    let id = if shown.chars().all(is_word) {
        shown
    } else {
        quoted(&shown)
    };
    match &entry.label {
        Some(label) => format!("deployment={id} label={}", quoted(label)),
        None => format!("deployment={id}"),
    }
}

/// The deployment of an alarm, after a blank; empty for an alarm about the service.
fn of_deployment(alarm: &Alarm) -> String {
    let deployment = alarm.deployment.clone().map(|id| Deployment {
        label: alarm.label.clone(),
        ..Deployment::new(id)
    });
    deployment.map_or_else(String::new, |entry| format!(" {}", named(&entry)))
}

/// A value between quotation marks, as JSON has it, on one line.
fn quoted(value: &str) -> String {
    quoted_up_to(300, value)
}

/// As [`quoted`], of up to this many characters.
fn quoted_up_to(most: usize, value: &str) -> String {
    let shown = text::excerpt(value, most);
    serde_json::to_string(&shown).unwrap_or(shown)
}
