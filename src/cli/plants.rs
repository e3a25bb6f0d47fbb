//! Plants, headless.

use std::collections::HashSet;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use super::args::{Global, PlantsCommand};
use super::connect;
use super::output::{Out, note, report};
use crate::ops::{self, Draft, Failure, FailureKind, Operation, Outcome, PlantId, text, time};

/// A plant after a create or delete, for scripts.
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
            json,
        } => create(global, &draft(&id, &name, &tag)?, json).await,
        PlantsCommand::Delete { id, yes, json } => delete(global, &id, yes, json).await,
        PlantsCommand::List { json } => list(global, json).await,
        PlantsCommand::Import {
            file,
            dry_run,
            keep_going,
        } => import(global, &file, dry_run, keep_going).await,
    }
}

fn draft(id: &str, name: &str, tag: &str) -> Result<Draft, Failure> {
    Draft::parse(id, name, tag).map_err(|errors| {
        let words = errors
            .first()
            .map_or_else(String::new, |(field, error)| format!("--{field}: {error}"));
        Failure::usage(words)
    })
}

async fn create(global: &Global, draft: &Draft, json: bool) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let session = connect::session(global, &settings)?;
    let created = ops::ledger::create(&session, &connect::store(&settings), draft).await?;
    if let Some(words) = &created.note {
        note(&format!("driftline: {words}"));
    }
    let id = draft.id.to_string();
    let (name, tag) = match &created.echo {
        Some(echo) => (echo.name.as_str(), echo.tag.as_str()),
        None => (draft.name.as_str(), draft.tag.as_str()),
    };
    if json {
        let (name, tag) = (Some(name), Some(tag));
        let note = created.note.as_deref();
        return Out::new().json(&Done {
            id: &id,
            name,
            tag,
            outcome: "created",
            status: created.status,
            note,
        });
    }
    Out::new().text(&format!(
        "created plant {id}: {} ({})\n",
        text::clean(name),
        text::clean(tag)
    ))
}

async fn delete(global: &Global, typed: &str, yes: bool, json: bool) -> Result<u8, Failure> {
    let id = PlantId::parse(typed)
        .map_err(|error| Failure::usage(format!("the plant's identifier: {error}")))?;
    // A prompt keeps its thread: not the one that listens for Ctrl-C.
    let asked = id.clone();
    let confirmed = yes
        || tokio::task::spawn_blocking(move || confirmed(&asked))
            .await
            .map_err(|error| Failure::new(FailureKind::Other, error.to_string(), ""))??;
    if !confirmed {
        return Err(Failure::new(
            FailureKind::Other,
            "not deleted: it was not confirmed",
            "",
        ));
    }
    let settings = connect::settings(global)?;
    let session = connect::session(global, &settings)?;
    let deleted = ops::ledger::delete(&session, &connect::store(&settings), &id).await?;
    if let Some(words) = &deleted.note {
        note(&format!("driftline: {words}"));
    }
    if json {
        let note = deleted.note.as_deref();
        let done = Done {
            id: id.as_str(),
            name: None,
            tag: None,
            outcome: "deleted",
            status: deleted.status,
            note,
        };
        return Out::new().json(&done);
    }
    Out::new().text(&format!("deleted plant {}\n", text::clean(id.as_str())))
}

/// Asks on a terminal; without one nobody is there to be asked.
fn confirmed(id: &PlantId) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::new(
            FailureKind::Usage,
            "a delete asks first, and there is no terminal to ask on",
            "--yes deletes without asking.",
        ));
    }
    let _ = write!(
        io::stderr(),
        "Delete plant {}? [y/N] ",
        text::clean(id.as_str())
    );
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(|error| {
        Failure::new(
            FailureKind::Other,
            format!("the answer cannot be read: {error}"),
            "",
        )
    })?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

async fn list(global: &Global, json: bool) -> Result<u8, Failure> {
    let settings = connect::settings(global)?;
    let ledger = connect::store(&settings).ledger().await?;
    if json {
        #[derive(Serialize)]
        struct Row<'a> {
            sequence: i64,
            time: String,
            operation: &'static str,
            id: &'a str,
            name: Option<&'a str>,
            tag: Option<&'a str>,
            state: &'static str,
            answered_name: Option<&'a str>,
            answered_tag: Option<&'a str>,
            words: Option<&'a str>,
        }
        let rows: Vec<Row<'_>> = ledger
            .iter()
            .map(|entry| Row {
                sequence: entry.sequence,
                time: time::rfc3339(entry.at),
                operation: operation(entry.operation),
                id: &entry.id,
                name: entry.name.as_deref(),
                tag: entry.tag.as_deref(),
                state: entry.word(),
                answered_name: entry.answered.as_ref().map(|(name, _)| name.as_str()),
                answered_tag: entry.answered.as_ref().map(|(_, tag)| tag.as_str()),
                words: entry.words.as_deref(),
            })
            .collect();
        return Out::new().json(&rows);
    }
    let mut lines = String::new();
    for entry in &ledger {
        let line = format!(
            "{}  {:<8}  {:>10}  {:<24}  {:<16}  {}",
            time::table(entry.at, None),
            entry.word(),
            text::clean(&entry.id),
            text::fit(entry.name.as_deref().unwrap_or_default(), 24),
            text::fit(entry.tag.as_deref().unwrap_or_default(), 16),
            text::excerpt(entry.words.as_deref().unwrap_or_default(), 200),
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    if ledger.is_empty() {
        note("No plant has been created or deleted from this machine; the service lists none.");
    }
    Out::new().text(&lines)
}

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "create",
        Operation::Delete => "delete",
    }
}

/// Creates the plants of a file, one after the other. One that the ledger knows
/// as created already is left out, so that a broken import can be run again.
async fn import(
    global: &Global,
    file: &Path,
    dry_run: bool,
    keep_going: bool,
) -> Result<u8, Failure> {
    let drafts = read(file)?;
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let ledger = store.ledger().await?;
    let mut lines = String::new();
    let mut first_failure = None;
    let session = if dry_run {
        None
    } else {
        Some(connect::session(global, &settings)?)
    };
    let mut above: HashSet<String> = HashSet::new();
    for draft in &drafts {
        let id = draft.id.to_string();
        if !above.insert(id.clone()) {
            lines.push_str(&format!("{id}  left out: it stands in the file twice\n"));
            continue;
        }
        let last = ledger
            .iter()
            .rev()
            .find(|entry| entry.id == id && entry.outcome != Outcome::NotSent);
        let words = match (last.map(|entry| (entry.operation, entry.outcome)), &session) {
            (Some((Operation::Create, Outcome::Done)), _) => "created before".to_owned(),
            (Some((Operation::Create, Outcome::Unknown | Outcome::Pending)), _) => {
                "left out: an earlier create of it has an unknown outcome".to_owned()
            }
            (_, None) => "would be created".to_owned(),
            (_, Some(session)) => match ops::ledger::create(session, &store, draft).await {
                Ok(_) => "created".to_owned(),
                Err(failure) => {
                    report(&failure, false);
                    let fatal = !keep_going || failure.kind != FailureKind::Service;
                    let words = format!("failed: {}", text::excerpt(&failure.message, 200));
                    first_failure.get_or_insert(failure);
                    if fatal {
                        lines.push_str(&format!("{id}  {words}\n"));
                        break;
                    }
                    words
                }
            },
        };
        lines.push_str(&format!("{id}  {words}\n"));
    }
    Out::new().text(&lines)?;
    Ok(first_failure.map_or(0, |failure| super::output::status(failure.kind)))
}

fn read(file: &Path) -> Result<Vec<Draft>, Failure> {
    let named = |words: String| format!("{}: {words}", text::clean(&file.display().to_string()));
    let opened = std::fs::File::open(file)
        .map_err(|error| Failure::new(FailureKind::Other, named(error.to_string()), ""))?;
    ops::drafts(std::io::BufReader::new(opened)).map_err(|wrong| {
        let words = named(wrong.to_string());
        if wrong.is_unreadable() {
            Failure::new(FailureKind::Other, words, "")
        } else {
            Failure::usage(words)
        }
    })
}
