//! Commands on plants.

mod import;
mod printed;

use std::io::{self, BufRead, IsTerminal, Write};

use super::args::Global;
use super::args::plants::{Finding, PlantsCommand};
use super::output::{Out, last, note, warn};
use super::run::Run;
use crate::app::plants;
use crate::app::session::{connect, no_plants};
use crate::failure::{Failure, FailureKind};
use crate::formats::Format;
use crate::os::clock::unix_now;
use crate::plant::log::{Entry, Operation, PlantService};
use crate::plant::state::{self, Plant, State};
use crate::plant::{Draft, PlantId, label};
use crate::text;
use crate::track::time;
use printed::{PlantRow, Services};

pub(super) async fn run(global: &Global, command: PlantsCommand) -> Result<u8, Failure> {
    match command {
        PlantsCommand::Create {
            id,
            name,
            tag,
            printed,
        } => create(global, &draft(&id, &name, &tag)?, printed.form()).await,
        PlantsCommand::Delete { ids, yes, printed } => {
            let question = if yes {
                Question::Answered
            } else {
                Question::Open
            };
            delete(global, &ids, question, printed.form()).await
        }
        PlantsCommand::List {
            state,
            tag,
            all,
            printed,
        } => {
            let is_wanted = |row: &PlantRow| {
                state.is_none_or(|state| row.plant.state == state)
                    && tag.as_ref().is_none_or(|tag| row.tag() == Some(tag))
            };
            printed::list(global, Services::new(all), is_wanted, printed.form()).await
        }
        PlantsCommand::Log { all, printed } => {
            printed::log(global, Services::new(all), printed.form()).await
        }
        PlantsCommand::Resolve {
            id,
            finding,
            printed,
        } => resolve(global, &id, finding, printed.form()).await,
        PlantsCommand::Import {
            file,
            dry_run,
            keep_going,
            printed,
        } => import::import(global, &file, dry_run, keep_going, printed.form()).await,
        PlantsCommand::Export { file, output } => printed::export(global, file.or(output)).await,
    }
}

/// `true` if a command ends by itself when a signal asks for it, and says what was done.
pub(super) fn ends_itself(command: &PlantsCommand) -> bool {
    matches!(command, PlantsCommand::Import { .. })
}

fn draft(id: &str, name: &str, tag: &str) -> Result<Draft, Failure> {
    Draft::parse(id, name, tag).map_err(|errors| {
        let message = errors
            .first()
            .map_or_else(String::new, |(field, error)| format!("--{field}: {error}"));
        Failure::usage(message)
    })
}

/// The plant log, with the plants of the service in use.
struct Known {
    service: PlantService,
    entries: Vec<Entry>,
}

impl Known {
    async fn read(run: &Run) -> Result<Self, Failure> {
        let setup = connect::setup(&run.settings)?;
        if setup.connection.service.is_some() {
            return Err(no_plants());
        }
        let service = PlantService::new(&setup.connection.base, &setup.connection.sandbox);
        let entries = run.store.plant_log().await?;
        Ok(Self { service, entries })
    }

    fn plant(&self, id: &str) -> Option<Plant> {
        state::plant(&self.entries, &self.service, id)
    }

    /// The last line of each of some plants.
    fn last_lines<'i>(&self, ids: impl Iterator<Item = &'i PlantId>) -> Vec<Entry> {
        let last = |id: &PlantId| {
            let mut lines = self.entries.iter().rev();
            lines.find(|line| line.id == id.as_str() && line.service == self.service)
        };
        ids.filter_map(last).cloned().collect()
    }
}

async fn create(global: &Global, draft: &Draft, form: Format) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let session = run.session()?;
    let id = draft.id.to_string();
    let known = Known::read(&run).await?;
    if let Some(why) = known.plant(&id).and_then(|plant| why_not_free(&plant)) {
        if is_asked() {
            confirm(
                format!("{why} Create it all the same? [y/N] "),
                "not created",
            )
            .await?;
        } else {
            // Without a terminal the command itself is the answer; a script learns from its
            // status whether the service refused a second one.
            warn(format!("{why} It is sent all the same."));
        }
    }
    let unknown = known
        .plant(&id)
        .filter(|plant| plant.state == State::Unknown);
    let again = unknown.map(|plant| plant.last_line(&known.entries));
    let created = plants::create(&session, &run.store, draft, again)
        .await
        .map_err(|failure| resolvable(failure, draft.id))?;
    let done = format!(
        "created plant {id}: {} at {}",
        named(&draft.name, &draft.tag),
        text::excerpt(&created.address, 200)
    );
    if let Some(message) = &created.reply.note {
        warn(message);
    }
    print(&run, Changed::One(Box::new(created)), &[done], form).await
}

/// Why a create of this plant may be refused; `None` if nothing speaks against it. What is
/// being sent is refused anyway.
fn why_not_free(plant: &Plant) -> Option<String> {
    let id = &plant.id;
    match plant.state {
        State::Unknown => Some(format!(
            "Plant {id} may exist: the outcome of a request {} is unknown.",
            time::age(plant.since, unix_now())
        )),
        // What another address says of its plants says nothing of a create.
        State::Exists if plant.address == plant.service.sandbox => Some(format!(
            "Plant {id} exists by the plant log since {}; the service may refuse a taken id.",
            time::rfc3339(plant.since.floor())
        )),
        _ => None,
    }
}

/// A failure to create a plant; of one that may exist with the command that records whether it
/// does.
fn resolvable(failure: Failure, id: i64) -> Failure {
    if failure.kind != FailureKind::OutcomeUnknown {
        return failure;
    }
    let command = format!("`driftline plants resolve {id} exists` or `absent` records it.");
    let hint = format!("{} {command}", failure.hint);
    failure.with_hint(hint)
}

/// Name and tag for people, cut if they are long.
fn named(name: &str, tag: &str) -> String {
    label(&text::excerpt(name, 80), &text::excerpt(tag, 80))
}

/// The lines of what was changed: of one plant that was named, or of several.
enum Changed {
    One(Box<Entry>),
    Several(Vec<Entry>),
}

/// Prints the plants of some lines after a change.
// If their JSON cannot be printed, the error says what was done: a script must not make the
// change again.
async fn print(run: &Run, changed: Changed, done: &[String], form: Format) -> Result<u8, Failure> {
    if form == Format::Table {
        for done in done {
            note(done);
        }
        return Ok(0);
    }
    let entries = run.store.plant_log().await.unwrap_or_default();
    let row = |line: &Entry| match state::plant(&entries, &line.service, &line.id) {
        Some(plant) => Some(PlantRow::new(plant, &entries)),
        // The log could not be completed, and the warning said so.
        None => {
            let line = std::slice::from_ref(line);
            let plant = state::plants(line).pop()?;
            Some(PlantRow::new(plant, line))
        }
    };
    let printed = match &changed {
        Changed::One(line) => Out::new().json(&row(line)),
        Changed::Several(lines) => {
            let rows: Vec<PlantRow> = lines.iter().filter_map(row).collect();
            Out::new().json(&rows)
        }
    };
    printed.map_err(|failure| failure.context(done.join("; ")))
}

/// The question before a delete.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// It is asked on the terminal.
    Open,
    /// `--yes` answers it.
    Answered,
}

async fn delete(
    global: &Global,
    typed: &[String],
    question: Question,
    form: Format,
) -> Result<u8, Failure> {
    let mut ids = Vec::new();
    for typed in typed {
        let id = PlantId::parse(typed)
            .map_err(|error| Failure::usage(format!("the plant's identifier: {error}")))?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let run = Run::new(global)?;
    let known = Known::read(&run).await?;
    if question == Question::Open {
        confirm(delete_question(&ids, &known), "not deleted").await?;
    }
    let session = run.session()?;
    let (mut deleted, mut done, mut asked) = (Vec::new(), Vec::new(), 0);
    let mut failures = Vec::new();
    for id in &ids {
        asked += 1;
        match plants::delete(&session, &run.store, id).await {
            Ok(line) => {
                if let Some(message) = &line.reply.note {
                    warn(message);
                }
                done.push(deleted_words(&known, &line));
                deleted.push(line);
            }
            Err(failure) => {
                let goes_on = failure.kind == FailureKind::Service;
                failures.push(failure);
                if !goes_on {
                    break;
                }
            }
        }
    }
    let changed = match (ids.len(), deleted.pop()) {
        (1, None) => return last(failures).map_or(Ok(0), Err),
        (1, Some(line)) => Changed::One(Box::new(line)),
        (_, line) => {
            deleted.extend(line);
            // Those whose delete was refused or is unknown have a line, too.
            let after = Known::read(&run).await;
            let lines = after.map(|known| known.last_lines(ids.iter().take(asked)));
            Changed::Several(lines.unwrap_or(deleted))
        }
    };
    print(&run, changed, &done, form).await?;
    last(failures).map_or(Ok(0), Err)
}

/// The plant that was deleted, with its name if that may be said.
fn deleted_words(known: &Known, line: &Entry) -> String {
    let plant = known.plant(&line.id);
    let name = plant
        .as_ref()
        .and_then(|plant| plant.name_at(&line.address));
    let named = name.map(|created| format!(": {}", named(&created.name, &created.tag)));
    format!(
        "deleted plant {}{} at {}",
        text::clean(&line.id),
        named.unwrap_or_default(),
        text::excerpt(&line.address, 200)
    )
}

/// The question before plants are deleted: with the name of each if it may be said, the
/// state of one that does not exist, and the address.
fn delete_question(ids: &[PlantId], known: &Known) -> String {
    /// So many are named.
    const NAMED: usize = 5;
    let described = ids.iter().map(|id| {
        let plant = known.plant(id.as_str());
        let mut words = text::excerpt(id.as_str(), 80);
        let name = plant
            .as_ref()
            .and_then(|plant| plant.name_at(&known.service.base));
        if let Some(created) = name {
            words.push_str(&format!(", {}", named(&created.name, &created.tag)));
        }
        if let Some(plant) = plant.filter(|plant| plant.state != State::Exists) {
            let age = time::age(plant.since, unix_now());
            words.push_str(&format!(" [{} since {age}]", plant.state));
        }
        words
    });
    let what = match ids.len() {
        1 => "plant".to_owned(),
        several => format!("{several} plants:"),
    };
    format!(
        "Delete {what} {} at {}? [y/N] ",
        text::first_of(described, NAMED),
        text::excerpt(&known.service.base, 200)
    )
}

/// `true` if there is a terminal to ask on.
fn is_asked() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question on the terminal; an error that begins with `or_else` unless the answer is
/// yes.
async fn confirm(question: String, or_else: &'static str) -> Result<(), Failure> {
    if !is_asked() {
        return Err(Failure::usage(
            "a delete needs confirmation, and there is no terminal to ask on",
        )
        .with_hint("Use --yes to delete without confirmation."));
    }
    // A prompt blocks its thread, and another thread has to listen for Ctrl-C.
    let answer = tokio::task::spawn_blocking(move || {
        let _ = write!(io::stderr(), "{question}");
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer).map(|_| answer)
    })
    .await
    .map_err(|error| Failure::other(error.to_string()))?
    .map_err(|error| {
        let reason = format!("the confirmation cannot be read: {error}");
        Failure::other(reason)
    })?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => {
            let reason = format!("{or_else}: it was not confirmed");
            Err(Failure::other(reason))
        }
    }
}

/// Records what a person found out about a plant whose state is unknown, or corrects what one
/// has said of it.
async fn resolve(global: &Global, id: &str, finding: Finding, form: Format) -> Result<u8, Failure> {
    let run = Run::new(global)?;
    let known = Known::read(&run).await?;
    let shown = text::excerpt(id, 80);
    let (operation, found) = match finding {
        Finding::Exists => (Operation::FoundExisting, State::Exists),
        Finding::Absent => (Operation::FoundAbsent, State::Absent),
    };
    let Some(plant) = known.plant(id) else {
        return Err(Failure::other(format!(
            "the plant log has no plant {shown} at {}",
            known.service
        ))
        .with_hint("`driftline plants list` lists those that it has."));
    };
    if !plant.can_be_resolved() {
        let hint = match plant.state {
            State::Sending => "Wait for the answer.",
            _ => "A create or delete tells more.",
        };
        let reason = format!("the state of plant {shown} is not unknown: {}", plant.state);
        return Err(Failure::other(reason).with_hint(hint));
    }
    let line = Entry {
        address: plant.address.clone(),
        ..Entry::new(unix_now(), operation, id, &known.service)
    };
    plants::resolve(&run.store, line.clone(), plant.last_line(&known.entries)).await?;
    let done = format!(
        "recorded that plant {shown} {} at {}",
        match found {
            State::Exists => "exists",
            _ => "does not exist",
        },
        text::excerpt(&line.address, 200)
    );
    print(&run, Changed::One(Box::new(line)), &[done], form).await
}
