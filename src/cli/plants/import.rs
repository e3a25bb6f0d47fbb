//! `plants import`: a line for each plant as soon as it is known.

use std::cell::Cell;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::printed::id_json;
use super::{Run, resolvable};
use crate::app::plants::{self, AfterFailure, Course, ImportRow, ImportTo, Imported};
use crate::cli::args::Global;
use crate::cli::output::{Out, note, report, warn};
use crate::cli::signals::signal;
use crate::failure::{Failure, FailureKind};
use crate::formats::Format;
use crate::plant::log::PlantService;
use crate::text;

/// A line of the file as JSON.
#[derive(Serialize)]
struct LineJson {
    line: u64,
    id: Box<RawValue>,
    name: String,
    tag: String,
    outcome: &'static str,
    status: Option<u16>,
    error: Option<i64>,
    message: Option<String>,
}

impl LineJson {
    fn new(row: &ImportRow, outcome: &'static str) -> Self {
        Self {
            line: row.line,
            id: id_json(&row.draft.id.to_string()),
            name: row.draft.name.clone(),
            tag: row.draft.tag.clone(),
            outcome,
            status: None,
            error: None,
            message: None,
        }
    }

    fn failed(row: &ImportRow, failure: &Failure) -> Self {
        let outcome = match failure.kind {
            FailureKind::OutcomeUnknown => "unknown",
            FailureKind::Service | FailureKind::Forbidden => "refused",
            FailureKind::NotAuthenticated if failure.service.is_some() => "refused",
            _ => "not_sent",
        };
        let service = failure.service.as_ref();
        let said = service.and_then(|service| service.message.clone());
        Self {
            status: service.map(|service| service.status),
            error: service.and_then(|service| service.error),
            message: said.or_else(|| Some(failure.message())),
            ..Self::new(row, outcome)
        }
    }

    /// Its word in the sum, which distinguishes what the service has refused and what was left
    /// out by the log.
    fn counted(&self) -> &'static str {
        match (self.outcome, self.status) {
            ("refused", None) => "left out",
            ("not_sent", _) => "not sent",
            (outcome, _) => outcome,
        }
    }

    /// For people: "42  created", with what there is to say.
    fn text(&self) -> String {
        let outcome = match self.outcome {
            "not_sent" => "not sent",
            outcome => outcome,
        };
        let message = self.message.as_ref();
        let said = message.map_or_else(String::new, |said| {
            format!(": {}", text::excerpt(said, 200))
        });
        format!("{}  {outcome}{said}\n", self.id.get())
    }
}

/// The lines that are done, and the failure that decides the exit status.
#[derive(Default)]
struct Done {
    lines: Vec<LineJson>,
    worst: Option<Failure>,
}

impl Done {
    /// Adds a line, and prints it at once for people.
    fn add(&mut self, line: LineJson, form: Format) -> Result<(), Failure> {
        if form == Format::Table {
            Out::new().text(&line.text())?;
        }
        self.lines.push(line);
        Ok(())
    }

    /// Keeps the failure that decides, and reports the other.
    fn fail(&mut self, failure: Failure) {
        // Unknown before what stopped it before a refusal; of equals the later.
        let rank = |failure: &Failure| match failure.kind {
            FailureKind::OutcomeUnknown => 2,
            FailureKind::Service => 0,
            _ => 1,
        };
        let (kept, other) = match self.worst.take() {
            Some(worst) if rank(&worst) > rank(&failure) => (worst, Some(failure)),
            worst => (failure, worst),
        };
        self.worst = Some(kept);
        if let Some(other) = other {
            report(&other, false);
        }
    }

    /// "2 created, 1 exists, 3 not sent".
    fn summary(&self) -> String {
        let all = [
            "created", "exists", "left out", "refused", "unknown", "not sent",
        ];
        let count = |word: &str| {
            let lines = self.lines.iter();
            lines.filter(|line| line.counted() == word).count()
        };
        let words = text::counts(&all.map(|word| (count(word), word)));
        if words.is_empty() {
            "the file has no plants".to_owned()
        } else {
            words
        }
    }
}

/// Creates the plants of a file, one after the other.
pub(super) async fn import(
    global: &Global,
    file: &Path,
    dry_run: bool,
    keep_going: bool,
    form: Format,
) -> Result<u8, Failure> {
    let ended_by = Cell::new(None);
    let mut stopped = std::pin::pin!(async { ended_by.set(Some(signal().await)) });
    let rows = tokio::select! {
        rows = plants::read_file(file) => rows?,
        () = &mut stopped => return Ok(ended_by.get().unwrap_or(130)),
    };
    let run = Run::new(global)?;
    let session = run.session();
    let to = match &session {
        Ok(session) if !dry_run => ImportTo::Service(session),
        // A dry run needs no service.
        Ok(session) => ImportTo::DryRun(session.plant_service()),
        Err(_) if dry_run => ImportTo::DryRun(PlantService::default()),
        Err(failure) => return Err(failure.clone()),
    };
    let after_failure = if keep_going {
        AfterFailure::GoOn
    } else {
        AfterFailure::End
    };
    // A signal ends it as a whole.
    let (_running, running) = watch::channel(());
    let course = Course {
        after_failure,
        running,
    };
    let mut done = Done::default();
    let mut printed = Ok(());
    let mut take = |row: &ImportRow, outcome: Result<Imported, Failure>| {
        let outcome = outcome.map_err(|failure| resolvable(failure, row.draft.id));
        let line = match &outcome {
            Ok(Imported::Created(reply)) => {
                if let Some(odd) = &reply.note {
                    warn(format_args!("plant {}: {odd}", row.draft.id));
                }
                LineJson {
                    status: reply.status,
                    message: reply.note.clone(),
                    ..LineJson::new(row, "created")
                }
            }
            Ok(Imported::Exists) => LineJson::new(row, "exists"),
            Ok(Imported::WouldBeCreated) => LineJson {
                message: Some("would be created".to_owned()),
                ..LineJson::new(row, "not_sent")
            },
            Err(failure) => LineJson::failed(row, failure),
        };
        if printed.is_ok() {
            printed = done.add(line, form);
        }
        if let Err(failure) = outcome {
            done.fail(failure);
        }
    };
    let importing = plants::import(to, &run.store, &rows, course, &mut take);
    tokio::select! {
        () = importing => {}
        () = &mut stopped => {}
    }
    // A line that cannot be printed says what was done; the exit is that of the output.
    let unprinted = printed.err();
    if let (Some(_), Some(row)) = (ended_by.get(), rows.get(done.lines.len())) {
        let in_progress = plants::change_is_in_progress();
        let outcome = if in_progress { "unknown" } else { "not_sent" };
        let message = in_progress.then(|| "interrupted while it was being sent".to_owned());
        done.add(
            LineJson {
                message,
                ..LineJson::new(row, outcome)
            },
            form,
        )?;
    }
    for row in rows.iter().skip(done.lines.len()) {
        done.lines.push(LineJson::new(row, "not_sent"));
    }
    note(&done.summary());
    if form == Format::Json {
        Out::new().json(&done.lines)?;
    }
    if let Some(status) = ended_by.get() {
        return Ok(status);
    }
    match (done.worst, unprinted) {
        (Some(failure), _) => Err(failure),
        (None, Some(unprinted)) => Err(unprinted),
        (None, None) => Ok(0),
    }
}
