//! The dialogs that the Plants tab asks for, and the replies to its requests.

use super::send::delete_next;
use super::{PlantRequest, PlantsTab};
use crate::dashboard::Dashboard;
use crate::dashboard::connection::Connection;
use crate::dashboard::dialogs::Dialog;
use crate::dashboard::dialogs::page::Message;
use crate::dashboard::dialogs::plant::{PlantForm, taken};
use crate::dashboard::dialogs::prompt::{Prompt, Purpose};
use crate::dashboard::dialogs::question::{Deed, Question};
use crate::dashboard::dialogs::quit::Quit;
use crate::dashboard::dialogs::resolve::Resolve;
use crate::dashboard::event::RequestId;
use crate::dashboard::keymap::Action;
use crate::dashboard::replies::waiting;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::tabs::Ask;
use crate::dashboard::tabs::rows::arrange;
use crate::failure::{Failure, FailureKind};
use crate::plant::Draft;
use crate::plant::log::{Entry, Operation, Outcome};
use crate::plant::state::State;

/// What a refusal says of a plant: it is what was asked for, or was not there.
fn settled(ended: &PlantRequest, shell: &Shell) -> Option<String> {
    let plants = &shell.tabs.plants;
    let plant = plants.plant(&ended.id)?;
    // Another refusal says nothing of it.
    let reply = &plants.lines(plant).next()?.reply;
    let is_answer = reply.is_not_there() || reply.status_of_plant() == Some(409);
    let words = match (ended.operation, plant.state) {
        _ if !is_answer => return None,
        (Operation::Delete, State::Deleted) => "is deleted, the service no longer has it",
        (Operation::Delete, State::Absent) => "is absent, nothing was deleted",
        (Operation::Create, State::Exists) => "exists, the service has it already",
        _ => return None,
    };
    Some(format!("plant {} {words}", ended.id))
}

impl Dashboard {
    /// Opens the dialog that the Plants tab asks for.
    pub(in crate::dashboard) fn ask(&mut self, ask: Ask) {
        match ask {
            Ask::NewPlant => {
                let form = PlantForm::new(&self.shell.tabs.plants);
                self.open(form);
            }
            Ask::Delete(ids) if ids.is_empty() => {
                self.open(Prompt::new(Purpose::PlantToDelete, ""));
            }
            Ask::Delete(ids) => {
                self.open(Question::new(Deed::DeletePlants { ids }));
            }
            Ask::Resolve(id) => self.open(Resolve::new(id)),
            Ask::UndoPlant => self.ask_to_undo_plant(),
            Ask::ExportPlants => {
                let mut prompt = Prompt::new(Purpose::ExportPlants, "plants.csv");
                prompt.field.select(true);
                self.open(prompt);
            }
            Ask::ImportPlants => self.open(Prompt::new(Purpose::ImportPlants, "")),
        }
    }

    /// Asks before the last create or delete of this run is taken back.
    fn ask_to_undo_plant(&mut self) {
        let plants = &self.shell.tabs.plants;
        let Some((operation, id)) = plants.last_change.clone() else {
            let none = "nothing to undo: no plant was created or deleted in this run";
            return self.shell.shared.notify(none);
        };
        match operation {
            Operation::Create => self.open(Question::new(Deed::DeletePlants { ids: vec![id] })),
            Operation::Delete => match plants.draft(&id) {
                Some(draft) => self.open(Question::new(Deed::CreatePlant { draft })),
                None => {
                    let why = format!("plant {id} cannot be created again: its name is not known");
                    self.shell.shared.notify(why);
                }
            },
            // The other answer takes it back.
            Operation::FoundExisting | Operation::FoundAbsent => {
                let plant = plants.plant(&id);
                if plant.is_some_and(|plant| plants.can_be_resolved(plant)) {
                    return self.open(Resolve::new(id));
                }
                let why =
                    format!("the service has answered of plant {id} since you said what it is");
                self.shell.shared.notify(why);
            }
        }
    }

    /// A create or delete has ended; `outcome` has a note on an unusual response.
    pub(in crate::dashboard) fn plant_ended(
        &mut self,
        request: RequestId,
        outcome: Result<Option<String>, Failure>,
    ) {
        let plants = &mut self.shell.tabs.plants;
        let import = plants.importing.take_if(|known| known.request == request);
        if let Some(id) = import.and_then(|import| plants.last_created(import.since)) {
            plants.last_change = Some((Operation::Create, id.clone()));
        }
        let mut known = plants.in_progress.iter();
        let index = known.position(|known| known.request == request);
        let ended = index.map(|index| plants.in_progress.remove(index));
        if let Some(ended) = &ended {
            let may_be_done = match &outcome {
                Ok(_) => true,
                Err(failure) => failure.kind == FailureKind::OutcomeUnknown,
            };
            if may_be_done {
                plants.last_change = Some((ended.operation, ended.id.clone()));
            }
            plants.rows.wanted = Some(ended.id.clone());
        }
        arrange(plants, None);
        let is_of_many = plants.deletes.are_many()
            && (ended.as_ref()).is_some_and(|ended| ended.operation == Operation::Delete);
        match (outcome, ended) {
            (outcome, Some(ended)) if is_of_many => self.one_of_many_ended(&ended, outcome),
            (Ok(note), Some(ended)) => {
                self.close_waiting(request);
                self.say_done(&ended, note);
            }
            (Ok(said), None) => {
                self.close_waiting(request);
                self.shell.shared.was_answered();
                self.shell.shared.notify(said.unwrap_or_default());
            }
            (Err(failure), ended) => self.plant_failed(request, &failure, ended.as_ref()),
        }
        self.quit_if_nothing_is_in_progress()
    }

    /// One of the deletes of marked plants has ended: the others follow, until the outcome of
    /// one is unknown. The last one says what became of all.
    fn one_of_many_ended(
        &mut self,
        ended: &PlantRequest,
        outcome: Result<Option<String>, Failure>,
    ) {
        let shell = &mut self.shell;
        let deletes = &mut shell.tabs.plants.deletes;
        match outcome {
            Ok(_) => deletes.was_done(),
            Err(failure) if is_refusal(&failure) => {
                deletes.was_refused(&ended.id, failure.message());
            }
            Err(failure) => {
                let sum = deletes.sum();
                deletes.left.clear();
                shell
                    .shared
                    .warn(format!("{sum}. {}", shell.shared.said_of(&failure)));
                return shell.shared.note_failure(&failure);
            }
        }
        shell.shared.was_answered();
        let deletes = &shell.tabs.plants.deletes;
        if deletes.left.is_empty() {
            shell.shared.notify(deletes.sum());
        } else {
            delete_next(shell);
        }
    }

    /// Says that a request was done, and what can be done next.
    fn say_done(&mut self, ended: &PlantRequest, note: Option<String>) {
        let shell = &mut self.shell;
        if ended.operation.is_request() {
            shell.shared.was_answered();
        }
        let correct = Some((Action::ResolvePlant, "correct"));
        let (done, next) = match ended.operation {
            Operation::Create => ("created", Some((Action::NewPlant, "next"))),
            Operation::Delete => ("deleted", Some((Action::Undo, "undo"))),
            Operation::FoundExisting => ("exists", correct),
            Operation::FoundAbsent => ("is absent", correct),
        };
        let next = next.map_or_else(String::new, |(action, word)| {
            format!("{} {word}  ", shell.shared.key_of(action))
        });
        let note = note.map_or_else(String::new, |note| format!(": {note}"));
        shell
            .shared
            .notify(format!("{next}plant {} {done}{note}", ended.id));
    }

    /// A request has failed: the form that waits for it says so, or closes where its outcome
    /// is unknown. Its next Enter would send it again.
    fn plant_failed(
        &mut self,
        request: RequestId,
        failure: &Failure,
        ended: Option<&PlantRequest>,
    ) {
        let shell = &mut self.shell;
        let id = ended.map_or("", |ended| ended.id.as_str());
        let is_open = |id: &str| {
            let plant = shell.tabs.plants.plant(id);
            plant.is_some_and(|plant| plant.state.is_open())
        };
        let is_unknown = failure.kind == FailureKind::OutcomeUnknown || is_open(id);
        let settled = ended.and_then(|ended| settled(ended, shell));
        let taken = shell.tabs.plants.is_taken(id).then(|| taken(id, shell));
        match waiting(&mut self.dialogs, request) {
            Some(Dialog::PlantForm(_)) if is_unknown => {
                let resolve = shell.shared.key_of(Action::ResolvePlant);
                let text = format!(
                    "{failure} Nothing is sent again by itself. {resolve} on its row records the answer."
                );
                self.close_waiting(request);
                let title = "Unknown outcome";
                self.dialogs.push(Message { title, text }.into());
            }
            Some(Dialog::PlantForm(form)) => match taken {
                Some(why) => form.id_is_taken(why),
                None => form.failed(shell.shared.said_of(failure)),
            },
            Some(Dialog::Prompt(prompt)) => prompt.failed(shell.shared.said_of(failure)),
            _ if settled.is_some() => {
                let settled = settled.unwrap_or_default();
                shell
                    .shared
                    .notify(format!("{settled}: {}", failure.message()));
            }
            _ => {
                let next = match (failure.kind, ended.map(|ended| ended.operation)) {
                    (FailureKind::OutcomeUnknown, Some(Operation::Delete)) => {
                        format!(
                            "{} delete again  ",
                            shell.shared.key_of(Action::DeletePlant)
                        )
                    }
                    (FailureKind::OutcomeUnknown, _) => {
                        format!("{} exists?  ", shell.shared.key_of(Action::ResolvePlant))
                    }
                    _ => String::new(),
                };
                shell
                    .shared
                    .warn(format!("{next}{}", shell.shared.said_of(failure)));
            }
        }
        let shell = &mut self.shell;
        // The user waits for this response: the program continues.
        let waits = |dialog: &Dialog| matches!(dialog, Dialog::Quit(Quit::Waiting));
        self.dialogs.retain(|dialog| !waits(dialog));
        shell.shared.note_failure(failure);
    }
}

/// `true` if a service has refused what was asked for.
fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Service | FailureKind::Forbidden)
}

impl Shared {
    /// The service has answered a create or delete: its token is good.
    fn was_answered(&mut self) {
        self.service.token.accept();
        if self.service.connection == Connection::Untried {
            self.service.connection = Connection::Good(self.now);
        }
    }

    /// Notes for the header that a create or delete has failed. Once deployments are asked
    /// for, their answers say more of the connection.
    fn note_failure(&mut self, failure: &Failure) {
        match failure.kind {
            FailureKind::NotAuthenticated => self.refused(failure.clone()),
            FailureKind::Service | FailureKind::NotUnderstood => self.was_answered(),
            // 403 is about the plant: a token may allow reading only.
            FailureKind::Forbidden if self.service.connection == Connection::Untried => {
                self.service.connection = Connection::Good(self.now);
            }
            FailureKind::OutcomeUnknown | FailureKind::Unreachable
                if self.service.connection == Connection::Untried =>
            {
                self.service.connection = Connection::Failing(failure.clone(), self.now);
            }
            _ => {}
        }
    }
}

impl PlantsTab {
    /// The last create since a time that was done or may have been: the id.
    fn last_created(&self, since: f64) -> Option<&String> {
        let may_be_done = |line: &&Entry| {
            line.operation == Operation::Create && line.outcome() != Outcome::Refused
        };
        let lines = self.log.iter().rev();
        let mut lines = lines.take_while(|line| line.at >= since);
        lines.find(may_be_done).map(|line| &line.id)
    }

    /// The create of a plant again; `None` if no name is known of it, or its id is no number.
    fn draft(&self, id: &str) -> Option<Draft> {
        let created = self.plant(id)?.created.as_ref()?;
        Some(Draft {
            id: id.parse().ok()?,
            name: created.name.clone(),
            tag: created.tag.clone(),
        })
    }
}
