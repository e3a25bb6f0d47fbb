//! Sends the creates and deletes of the dashboard; those of one question one after the other.

use std::collections::HashSet;

use strum::VariantArray;

use super::{Import, PlantRequest, PlantsTab};
use crate::dashboard::effect::Effect;
use crate::dashboard::event::RequestId;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::formats::csv;
use crate::plant::log::{Entry, Operation, PlantService};
use crate::plant::state::{self, Plant, State};
use crate::plant::{Draft, PlantId};
use crate::text;

/// A create or delete that is to be sent.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// A create of a plant that was deleted or may exist, with the number of its last line.
    CreateAgain(Draft, i64),
    Delete(PlantId),
}

impl Change {
    pub(super) fn operation(&self) -> Operation {
        match self {
            Self::CreateAgain(..) => Operation::Create,
            Self::Delete(_) => Operation::Delete,
        }
    }

    /// The plant's identifier.
    pub(super) fn id(&self) -> String {
        match self {
            Self::CreateAgain(draft, _) => draft.id.to_string(),
            Self::Delete(id) => id.as_str().to_owned(),
        }
    }
}

/// The creates or deletes of one question.
#[derive(Debug, Clone, Default)]
pub(super) struct Series {
    /// The request that has not been answered.
    pub request: Option<RequestId>,
    /// Those that are sent next, the first at the end.
    pub left: Vec<Change>,
    /// The number of all.
    pub count: usize,
    pub done: usize,
    /// The plants of those that were done, or may have been.
    pub changed: Vec<String>,
    pub refused: Vec<String>,
    /// Why the first was refused.
    pub why: String,
}

impl Series {
    /// Nothing of these is sent yet.
    pub(super) fn new(changes: Vec<Change>) -> Self {
        Self {
            count: changes.len(),
            left: changes.into_iter().rev().collect(),
            ..Self::default()
        }
    }

    /// `true` while several are sent: no others are begun.
    pub(super) fn is_running(&self) -> bool {
        self.count > 1 && self.request.is_some()
    }
}

/// The message for a plant with a request in progress.
pub(in crate::dashboard) const IN_PROGRESS: &str =
    "a create or delete of this plant is under way: wait for its answer";

/// The address that creates go to.
fn sandbox(shell: &Shell) -> &str {
    let service = shell.tabs.plants.service.as_ref();
    service.map_or("", |service| &service.sandbox)
}

/// The address that deletes go to.
pub(in crate::dashboard) fn base(shell: &Shell) -> &str {
    let service = shell.tabs.plants.service.as_ref();
    service.map_or("", |service| &service.base)
}

/// The address that a create or delete goes to, and whether the other operation has another.
pub(in crate::dashboard) fn goes_to(operation: Operation, shell: &Shell) -> String {
    let (base, sandbox) = (base(shell), sandbox(shell));
    let (name, to, url, others) = match operation {
        Operation::Create => ("create", sandbox, "sandbox", "deletes go to the base URL"),
        _ => ("delete", base, "base", "creates go to the sandbox URL"),
    };
    match base == sandbox {
        true => format!("The {name} goes to {to}"),
        false => {
            format!("The {name} goes to {to}, the {url} URL; {others}, which may be another store.")
        }
    }
}

fn begin(shell: &mut Shell, operation: Operation, id: &str) -> RequestId {
    let request = shell.shared.next_request();
    shell.tabs.plants.in_progress.push(PlantRequest {
        request,
        operation,
        id: id.to_owned(),
    });
    request
}

/// Creates a plant; returns the number of the request.
pub(in crate::dashboard) fn create(shell: &mut Shell, draft: Draft) -> RequestId {
    let request = begin(shell, Operation::Create, &draft.id.to_string());
    shell.shared.send(Effect::CreatePlant {
        request,
        draft,
        again: None,
    });
    request
}

/// Creates plants that may exist, or were deleted, one after the other: after a question.
///
/// # Errors
/// As [`delete`].
pub(in crate::dashboard) fn create_again(
    shell: &mut Shell,
    drafts: &[Draft],
) -> Result<(), String> {
    let plants = &shell.tabs.plants;
    let again = |draft: &Draft| {
        let plant = plants.plant(&draft.id.to_string());
        let last = plant.map_or(0, |plant| plant.last_line(&plants.log));
        Change::CreateAgain(draft.clone(), last)
    };
    let changes = drafts.iter().map(again).collect();
    start(shell, changes)
}

/// Deletes plants, one after the other.
///
/// # Errors
/// A description of the fault in an identifier; when a request for a plant is in progress.
pub(in crate::dashboard) fn delete(shell: &mut Shell, ids: &[String]) -> Result<(), String> {
    let ids = ids.iter().map(|id| PlantId::parse(id).map(Change::Delete));
    let changes = ids.collect::<Result<_, _>>();
    start(shell, changes.map_err(|error| error.to_string())?)
}

/// Sends the first of some creates or deletes. The others follow.
fn start(shell: &mut Shell, changes: Vec<Change>) -> Result<(), String> {
    let plants = &mut shell.tabs.plants;
    if (changes.iter()).any(|change| plants.is_in_progress(&change.id())) {
        return Err(IN_PROGRESS.to_owned());
    }
    if plants.series.is_running() {
        return Err("several plants are being changed: wait for the last one".to_owned());
    }
    plants.series = Series::new(changes);
    send_next(shell);
    Ok(())
}

/// Sends the next of the creates or deletes of one question.
pub(super) fn send_next(shell: &mut Shell) {
    let plants = &mut shell.tabs.plants;
    let Some(change) = plants.series.left.pop() else {
        return;
    };
    let id = change.id();
    plants.marked.remove(&id);
    let request = begin(shell, change.operation(), &id);
    shell.tabs.plants.series.request = Some(request);
    shell.shared.send(match change {
        Change::CreateAgain(draft, last_line) => Effect::CreatePlant {
            request,
            draft,
            again: Some(last_line),
        },
        Change::Delete(id) => Effect::DeletePlant { request, id },
    });
}

/// Writes the plants that exist and have a name to a file; returns the number of the request.
///
/// # Errors
/// When there is none.
pub(in crate::dashboard) fn export(shell: &mut Shell, path: &str) -> Result<RequestId, String> {
    let export = state::export(&shell.tabs.plants.plants);
    if export.rows.is_empty() {
        return Err("no plant is known to exist by its name".to_owned());
    }
    let count = text::counted(export.rows.len(), "plant", "plants");
    let table = csv::plants(export.rows.into_iter());
    let said = match export.left_out.as_str() {
        "" => count,
        left_out => format!("{count} ({left_out})"),
    };
    let request = shell.shared.next_request();
    shell.shared.send(Effect::ExportPlants {
        request,
        path: path.to_owned(),
        table,
        said,
    });
    Ok(request)
}

/// Creates the plants of a file; returns the number of the request.
///
/// # Errors
/// While another file is imported.
pub(in crate::dashboard) fn import(shell: &mut Shell, path: &str) -> Result<RequestId, String> {
    if shell.tabs.plants.importing.is_some() {
        return Err("a file is being imported: wait for its end".to_owned());
    }
    let request = shell.shared.next_request();
    shell.tabs.plants.importing = Some(Import {
        request,
        since: shell.shared.now,
        ids: Vec::new(),
        is_stopped: false,
    });
    shell.shared.send(Effect::ImportPlants {
        request,
        path: path.to_owned(),
    });
    Ok(request)
}

/// Records what a person found out about a plant.
///
/// # Errors
/// When nothing is known of it, or a request for it is in progress.
pub(in crate::dashboard) fn resolve(
    shell: &mut Shell,
    id: &str,
    found: Operation,
) -> Result<(), String> {
    let plants = &shell.tabs.plants;
    let known = plants.plant(id).zip(plants.service.as_ref());
    let (plant, service) = known.ok_or("no request for it is known")?;
    if plants.is_in_progress(id) {
        return Err(IN_PROGRESS.to_owned());
    }
    let finding = Entry {
        address: plant.address.clone(),
        ..Entry::new(shell.shared.now, found, id, service)
    };
    let last_line = plant.last_line(&plants.log);
    let request = begin(shell, found, id);
    shell.shared.send(Effect::ResolvePlant {
        request,
        finding: Box::new(finding),
        last_line,
    });
    Ok(())
}

impl PlantsTab {
    /// The sum of the series in words: "18 of 20 deleted; refused: 3, 7 (why)".
    pub(super) fn sum(&self, operation: Operation) -> String {
        let series = &self.series;
        let word = match operation {
            Operation::Create => "created",
            _ => "deleted",
        };
        let mut said = format!("{} of {} {word}", series.done, series.count);
        if !series.refused.is_empty() {
            let ids = text::first_of(series.refused.iter(), 3);
            said.push_str(&format!("; refused: {ids} ({})", series.why));
        }
        if !series.left.is_empty() {
            let mut left = series.left.iter();
            let are_marked = left.all(|change| self.marked.contains(&change.id()));
            let marked = if are_marked { ", still marked" } else { "" };
            said.push_str(&format!("; {} not sent{marked}", series.left.len()));
        }
        said
    }

    /// `true` if a delete of these takes the last deed of this run back: where creates go to
    /// another address, what is deleted may be other plants.
    pub(in crate::dashboard) fn were_created_last(&self, ids: &[String]) -> bool {
        let service = self.service.as_ref();
        let last = self.last_change.as_ref();
        let last = last.filter(|_| service.is_some_and(PlantService::has_one_address));
        last.is_some_and(|last| last.operation == Operation::Create && last.ids == ids)
    }

    /// Tells the import in progress to end before the next plant; `false` without one.
    pub(in crate::dashboard) fn stop_import(&mut self, shared: &mut Shared) -> bool {
        let import = self.importing.as_mut();
        let Some(import) = import.filter(|import| !import.is_stopped) else {
            return false;
        };
        import.is_stopped = true;
        shared.send(Effect::Cancel(import.request));
        shared.notify("the import ends after the plant in progress");
        true
    }

    /// The words of a question about several plants: how many of them do not exist, as far as
    /// is known; empty if all do.
    pub(in crate::dashboard) fn states_in_words(&self, ids: &[String]) -> String {
        let ids: HashSet<&String> = ids.iter().collect();
        let plants = || self.plants.iter().filter(|plant| ids.contains(&plant.id));
        let states: Vec<State> = plants().map(|plant| self.state(plant)).collect();
        let others = State::VARIANTS
            .iter()
            .filter(|state| **state != State::Exists);
        let words = others.filter_map(|state| {
            let count = states.iter().filter(|known| *known == state).count();
            (count > 0).then(|| format!("{} {state}", text::count(count)))
        });
        let of_others = plants().filter(|plant| plant.is_of_another()).count();
        let of_others = (of_others > 0).then(|| format!("{of_others} not created from here"));
        let words: Vec<String> = words.chain(of_others).collect();
        match words.is_empty() {
            true => String::new(),
            false => format!("Of these: {}.", words.join(", ")),
        }
    }

    /// The words of a question about a plant: its state unless it exists.
    pub(in crate::dashboard) fn state_in_words(&self, id: &str) -> &'static str {
        let plant = self.plant(id);
        match plant.map(|plant| plant.state) {
            Some(State::Exists) if plant.is_some_and(Plant::is_of_another) => {
                "It exists, and not by a create from here."
            }
            Some(State::Exists)
                if plant.is_some_and(|it| it.named().is_some_and(|named| !named.is_sure)) =>
            {
                "It exists, by a create whose answer was lost, or by another."
            }
            Some(State::Exists) => "",
            Some(State::Deleted) => "It was deleted.",
            Some(State::Absent) => "It does not exist, as far as is known.",
            Some(State::Unknown | State::Sending) => {
                "It may exist: the outcome of its last request is not known."
            }
            Some(State::Refused) => "It was never created from here: the service refused.",
            None => "No request for it is known here.",
        }
    }
}
