//! Plants, headless.

use std::collections::HashMap;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use super::args::{Global, PlantsCommand};
use super::connect;
use super::output::{Out, note, report};
use crate::ops::{self, Draft, Failure, FailureKind, Operation, PlantId, text, time};

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
    let rows = each_once(read(file)?);
    let settings = connect::settings(global)?;
    let store = connect::store(&settings);
    let session = connect::session(global, &settings);
    // What would be created can be told without a service.
    let service = match (&session, dry_run) {
        (Ok(session), _) => session.sandbox().to_string(),
        (Err(_), true) => String::new(),
        (Err(failure), false) => return Err(failure.clone()),
    };
    let session = session.ok().filter(|_| !dry_run);
    let mut lines = String::new();
    let mut worst = None;
    for Row {
        draft,
        times,
        other,
    } in &rows
    {
        let id = draft.id.to_string();
        // What the ledger says against one plant says nothing of the next.
        let (done, may_go_on) = match (standing(&store, &service, draft).await, &session) {
            (Ok(Some(known)), _) => (Ok(known), true),
            (Err(failure), _) => {
                let of_this_plant = matches!(
                    failure.kind,
                    FailureKind::Service | FailureKind::OutcomeUnknown
                );
                (Err(failure), of_this_plant)
            }
            (Ok(None), None) => (Ok("would be created".to_owned()), true),
            (Ok(None), Some(session)) => {
                let done = import_one(session, &store, draft).await;
                let refused = done
                    .as_ref()
                    .is_err_and(|failure| failure.kind == FailureKind::Service);
                let may_go_on = done.is_ok() || (keep_going && refused);
                (done, may_go_on)
            }
        };
        let words = match done {
            Ok(words) => words,
            Err(failure) => {
                report(&failure, false);
                let words = format!("failed: {}", text::excerpt(&failure.message, 200));
                worst.get_or_insert(failure);
                if !may_go_on {
                    lines.push_str(&format!("{id}  {words}\n"));
                    break;
                }
                words
            }
        };
        lines.push_str(&format!("{id}  {words}"));
        if *times > 1 {
            lines.push_str(&format!(" (it stands in the file {times} times)"));
        }
        lines.push('\n');
        if let Some(other) = other {
            let failure = ambiguous(draft, other);
            report(&failure, false);
            worst.get_or_insert(failure);
        }
    }
    Out::new().text(&lines)?;
    Ok(worst.map_or(0, |failure| super::output::status(failure.kind)))
}

/// Creates one plant of a file, unless the ledger knows it.
async fn import_one(
    session: &ops::Session,
    store: &ops::Store,
    draft: &Draft,
) -> Result<String, Failure> {
    match ops::ledger::create_once(session, store, draft).await? {
        Some(created) => Ok(match created.note {
            Some(words) => {
                note(&format!("driftline: plant {}: {words}", draft.id));
                "created, with a note".to_owned()
            }
            None => "created".to_owned(),
        }),
        // Another import was faster by a moment.
        None => standing(store, &session.sandbox().to_string(), draft)
            .await
            .map(|known| {
                known.unwrap_or_else(|| "left out: another driftline tried it".to_owned())
            }),
    }
}

/// What the ledger knows of a plant already; none where it may be created.
async fn standing(
    store: &ops::Store,
    service: &str,
    draft: &Draft,
) -> Result<Option<String>, Failure> {
    let id = draft.id.to_string();
    let ledger = store.ledger_of(id.clone()).await?;
    match ops::standing(&ledger, service, &id) {
        ops::PlantState::Free => Ok(None),
        ops::PlantState::Created(name, tag)
            if (name, tag) == (Some(draft.name.as_str()), Some(draft.tag.as_str())) =>
        {
            Ok(Some("created before".to_owned()))
        }
        ops::PlantState::Created(name, tag) => Err(Failure::new(
            FailureKind::Service,
            format!(
                "plant {} was created before under another name or tag: {} ({})",
                draft.id,
                text::excerpt(name.unwrap_or_default(), 80),
                text::excerpt(tag.unwrap_or_default(), 80)
            ),
            "Delete it first, or take it out of the file.",
        )),
        ops::PlantState::Unknown => Err(Failure::new(
            FailureKind::OutcomeUnknown,
            format!(
                "plant {} was left out: what came of an earlier request for it is unknown",
                draft.id
            ),
            "Ask the service's operator whether it is there; delete it and create it again if not.",
        )),
    }
}

/// A plant of a file: the first of its identifier, with how often it stands
/// there and another that has the same identifier.
struct Row {
    draft: Draft,
    times: usize,
    other: Option<Draft>,
}

fn each_once(drafts: Vec<Draft>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut places: HashMap<i64, usize> = HashMap::new();
    for draft in drafts {
        match places.get(&draft.id).and_then(|place| rows.get_mut(*place)) {
            None => {
                places.insert(draft.id, rows.len());
                rows.push(Row {
                    draft,
                    times: 1,
                    other: None,
                });
            }
            Some(row) if row.draft == draft => row.times += 1,
            Some(row) => row.other = Some(draft),
        }
    }
    rows
}

/// Two rows of one identifier cannot both be meant.
fn ambiguous(draft: &Draft, other: &Draft) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!(
            "plant {} stands in the file twice, as {} ({}) and as {} ({}): only the first was taken",
            draft.id,
            text::excerpt(&draft.name, 80),
            text::excerpt(&draft.tag, 80),
            text::excerpt(&other.name, 80),
            text::excerpt(&other.tag, 80)
        ),
        "Delete it and create it again if the other is meant.",
    )
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
