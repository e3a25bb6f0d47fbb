//! Commands on plants.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use super::args::Global;
use super::args::archive::PlantsCommand;
use super::args::printed::Form;
use super::output::{Out, note, report, waits_to_read, warn};
use super::run::Run;
use crate::failure::{Failure, FailureKind};
use crate::ops::connect;
use crate::ops::plants::{self, AfterRejection, ImportRow, ImportTo, Imported};
use crate::plant::log::PlantService;
use crate::plant::{Draft, PlantId};
use crate::text;
use crate::track::time;

/// A plant after a create or delete, as JSON.
#[derive(Serialize)]
struct Done<'a> {
    id: &'a str,
    name: Option<&'a str>,
    tag: Option<&'a str>,
    outcome: &'static str,
    status: u16,
    note: Option<&'a str>,
}

pub(super) async fn run(global: &Global, command: PlantsCommand) -> Result<u8, Failure> {
    match command {
        PlantsCommand::Create {
            id,
            name,
            tag,
            printed,
        } => create(global, &draft(&id, &name, &tag)?, printed.form()).await,
        PlantsCommand::Delete { id, yes, printed } => {
            let question = if yes {
                Question::Answered
            } else {
                Question::Open
            };
            delete(global, &id, question, printed.form()).await
        }
        PlantsCommand::List { all, printed } => {
            let services = if all { Services::All } else { Services::InUse };
            list(global, services, printed.form()).await
        }
        PlantsCommand::Import {
            file,
            dry_run,
            keep_going,
            printed,
        } => import(global, &file, dry_run, keep_going, printed.form()).await,
    }
}

fn draft(id: &str, name: &str, tag: &str) -> Result<Draft, Failure> {
    Draft::parse(id, name, tag).map_err(|errors| {
        let message = errors
            .first()
            .map_or_else(String::new, |(field, error)| format!("--{field}: {error}"));
        Failure::usage(message)
    })
}

async fn create(global: &Global, draft: &Draft, form: Form) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let created = plants::create(&run.session()?, &run.store, draft).await?;
    let id = draft.id.to_string();
    let (name, tag) = (draft.name.as_str(), draft.tag.as_str());
    let done = format!(
        "created plant {id}: {} ({})",
        text::clean(name),
        text::clean(tag)
    );
    let object = Done {
        id: &id,
        name: Some(name),
        tag: Some(tag),
        outcome: "created",
        status: created.reply.status.unwrap_or_default(),
        note: created.reply.note.as_deref(),
    };
    print(&done, &object, form)
}

/// Prints a change that was made. If its JSON cannot be printed, the error says so, too: a script
/// must not make the change again.
fn print(done: &str, object: &Done<'_>, form: Form) -> Result<u8, Failure> {
    if let Some(message) = object.note {
        warn(message);
    }
    match form {
        Form::Json => (Out::new().json(object)).map_err(|failure| failure.of(done)),
        Form::Table => {
            note(done);
            Ok(0)
        }
    }
}

/// The question before a delete.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// It is asked on the terminal.
    Open,
    /// `--yes` answers it.
    Answered,
}

/// The services whose lines of the ledger are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Services {
    InUse,
    All,
}

async fn delete(
    global: &Global,
    typed: &str,
    question: Question,
    form: Form,
) -> Result<u8, Failure> {
    let id = PlantId::parse(typed)
        .map_err(|error| Failure::usage(format!("the plant's identifier: {error}")))?;
    let run = Run::new(global)?;
    // Creates go to the sandbox, deletes to the base.
    let address = connect::setup(&run.settings)?.connection.base.to_string();
    // A prompt blocks its thread, and another thread has to listen for Ctrl-C.
    let asked = id.clone();
    let confirmed = question == Question::Answered
        || tokio::task::spawn_blocking(move || confirmed(&asked, &address))
            .await
            .map_err(|error| Failure::new(FailureKind::Other, error.to_string(), ""))??;
    if !confirmed {
        return Err(Failure::new(
            FailureKind::Other,
            "not deleted: it was not confirmed",
            "",
        ));
    }
    let deleted = plants::delete(&run.session()?, &run.store, &id).await?;
    let done = format!("deleted plant {}", id.as_str());
    let object = Done {
        id: id.as_str(),
        name: None,
        tag: None,
        outcome: "deleted",
        status: deleted.reply.status.unwrap_or_default(),
        note: deleted.reply.note.as_deref(),
    };
    print(&done, &object, form)
}

/// Asks for confirmation on a terminal, naming the address that the delete goes to;
/// fails without a terminal.
fn confirmed(id: &PlantId, address: &str) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::new(
            FailureKind::Usage,
            "a delete needs confirmation, and there is no terminal to ask on",
            "Use --yes to delete without confirmation.",
        ));
    }
    let _ = write!(
        io::stderr(),
        "Delete plant {} at {}? [y/N] ",
        text::clean(id.as_str()),
        text::clean(address)
    );
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("the confirmation cannot be read: {error}"),
            "",
        )
    })?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Lists the lines of the service in use, and those without a service; all lines for
/// [`Services::All`], or if no service is set.
async fn list(global: &Global, services: Services, form: Form) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let mut ledger = run.store.plant_log().await?;
    let service = match services {
        Services::All => None,
        Services::InUse => connect::plant_service(&run.settings)?,
    };
    let before = ledger.len();
    if let Some(service) = &service {
        ledger.retain(|entry| entry.service == *service);
    }
    let elsewhere = before - ledger.len();
    if form == Form::Json {
        #[derive(Serialize)]
        struct Row<'a> {
            sequence: i64,
            time: String,
            operation: &'static str,
            id: &'a str,
            name: Option<&'a str>,
            tag: Option<&'a str>,
            state: &'static str,
            service: String,
            words: Option<&'a str>,
        }
        let rows: Vec<Row<'_>> = ledger
            .iter()
            .map(|entry| Row {
                sequence: entry.sequence,
                time: time::rfc3339(entry.at),
                operation: entry.operation.word(),
                id: &entry.id,
                name: entry.name.as_deref(),
                tag: entry.tag.as_deref(),
                state: entry.word(),
                service: entry.service.to_string(),
                words: entry.reply.message.as_deref(),
            })
            .collect();
        return Out::new().json(&rows);
    }
    let mut rows = Vec::new();
    if !ledger.is_empty() {
        let heading = [
            "time UTC", "state", "plant", "name", "tag", "service", "answer",
        ];
        rows.push(heading.map(str::to_owned).to_vec());
    }
    for entry in &ledger {
        rows.push(vec![
            time::table(entry.at, None),
            entry.word().to_owned(),
            text::clean(&entry.id).into_owned(),
            text::fit(entry.name.as_deref().unwrap_or_default(), 24),
            text::fit(entry.tag.as_deref().unwrap_or_default(), 16),
            text::excerpt(&entry.service.to_string(), 200),
            text::excerpt(entry.reply.message.as_deref().unwrap_or_default(), 200),
        ]);
    }
    if service.is_some() {
        for row in &mut rows {
            row.remove(5);
        }
    }
    match (ledger.is_empty(), elsewhere) {
        (true, 0) => {
            note(
                "No plant has been created or deleted from this computer; the service lists no plants.",
            );
        }
        (true, _) => note(&format!(
            "No plant of this service has been created or deleted from this computer; `plants list --all` shows {elsewhere} lines of other services."
        )),
        (false, 0) => {}
        (false, _) => note(&format!(
            "`plants list --all` shows {} of other services.",
            text::counted(elsewhere, "more line", "more lines")
        )),
    }
    Out::new().text(&text::table(&rows, &[]))
}

/// Creates the plants of a file, one after the other.
async fn import(
    global: &Global,
    file: &Path,
    dry_run: bool,
    keep_going: bool,
    form: Form,
) -> Result<u8, Failure> {
    let rows = plants::read_file(file, &waits_to_read).await?;
    let run = Run::new(global)?;
    let session = run.session();
    let to = match &session {
        Ok(session) if !dry_run => ImportTo::Service(session),
        // A dry run needs no service.
        Ok(session) => ImportTo::DryRun(session.plant_service()),
        Err(_) if dry_run => ImportTo::DryRun(PlantService::default()),
        Err(failure) => return Err(failure.clone()),
    };
    let after_rejection = if keep_going {
        AfterRejection::GoOn
    } else {
        AfterRejection::End
    };
    #[derive(Serialize)]
    struct Line {
        id: String,
        outcome: String,
    }
    let mut lines: Vec<Line> = Vec::new();
    let report = |row: &ImportRow, outcome| {
        lines.push(Line {
            id: row.draft.id.to_string(),
            outcome: import_outcome(row, outcome),
        });
    };
    let failed = plants::import(to, &run.store, &rows, after_rejection, report).await?;
    if let left @ 1.. = rows.len().saturating_sub(lines.len()) {
        let plants = text::counted(left, "plant", "plants");
        warn(format_args!("{plants} of the file after it: not sent"));
    }
    match form {
        Form::Json => Out::new().json(&lines)?,
        Form::Table => {
            let lines = lines.iter();
            let lines = lines.map(|line| format!("{}  {}\n", line.id, line.outcome));
            Out::new().text(&lines.collect::<String>())?
        }
    };
    Ok(failed.map_or(0, super::output::status))
}

/// The outcome of a row of the file; notes and failures are printed on standard error.
fn import_outcome(row: &ImportRow, outcome: Result<Imported, Failure>) -> String {
    let id = row.draft.id;
    let message = match outcome {
        Ok(Imported::Created(None)) => "created".to_owned(),
        Ok(Imported::Created(Some(odd))) => {
            warn(format_args!("plant {id}: {odd}"));
            "created, with a note".to_owned()
        }
        Ok(Imported::CreatedBefore) => "created before".to_owned(),
        Ok(Imported::InProgressElsewhere) => "skipped: another driftline is creating it".to_owned(),
        Ok(Imported::WouldBeCreated) => "would be created".to_owned(),
        Err(failure) => {
            report(&failure, false);
            format!("failed: {}", text::excerpt(&failure.message(), 200))
        }
    };
    match row.times {
        0 | 1 => message,
        times => format!("{message} (listed {times} times in the file)"),
    }
}
