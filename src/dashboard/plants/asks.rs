//! The dialogs that the Plants tab asks for, and the replies to its requests.

use std::collections::HashSet;

use super::send::send_next;
use super::{Import, LastChange, PlantRequest, PlantsTab};
use crate::dashboard::Dashboard;
use crate::dashboard::connection::Connection;
use crate::dashboard::dialogs::Dialog;
use crate::dashboard::dialogs::page::{Act, Message};
use crate::dashboard::dialogs::plant::{PlantForm, taken};
use crate::dashboard::dialogs::prompt::{Prompt, Purpose};
use crate::dashboard::dialogs::question::{Deed, Question};
use crate::dashboard::dialogs::quit::Quit;
use crate::dashboard::event::RequestId;
use crate::dashboard::keymap::Action;
use crate::dashboard::replies::waiting;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::tabs::Ask;
use crate::dashboard::tabs::rows::arrange;
use crate::dashboard::widgets::text::Text;
use crate::failure::{Failure, FailureKind, sentence};
use crate::plant::Draft;
use crate::plant::log::{Entry, Operation, Outcome, PlantService};
use crate::plant::state::{Plant, State};
use crate::text;

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
        (Operation::Create, State::Exists) => "exists, and no other was created",
        _ => return None,
    };
    Some(format!("plant {} {words}", ended.id))
}

impl Dashboard {
    /// Opens the dialog that the Plants tab asks for.
    pub(in crate::dashboard) fn ask(&mut self, ask: Ask) {
        match ask {
            Ask::NewPlant => {
                // The message that it was created offers the next by `n`: no search may hold
                // that key.
                self.shell.shared.end_search();
                let form = PlantForm::new(&self.shell.tabs.plants);
                self.open(form);
            }
            Ask::Delete(ids) if ids.is_empty() => {
                self.open(Prompt::new(Purpose::PlantToDelete, ""));
            }
            Ask::Delete(ids) => {
                self.open(Question::new(Deed::DeletePlants { ids }));
            }
            Ask::Resolve(id) => self.open(Question::new(Deed::ResolvePlant { id })),
            Ask::UndoPlant => self.ask_to_undo_plant(),
            Ask::ExportPlants => {
                let mut prompt = Prompt::new(Purpose::ExportPlants, "plants.csv");
                prompt.field.select(true);
                self.open(prompt);
            }
            Ask::ImportPlants => self.open(Prompt::new(Purpose::ImportPlants, "")),
        }
    }

    /// Asks before the last deed of this run is taken back.
    fn ask_to_undo_plant(&mut self) {
        let plants = &self.shell.tabs.plants;
        let Some(LastChange { operation, ids }) = plants.last_change.clone() else {
            return self.shell.shared.notify("nothing to undo in this run");
        };
        match operation {
            Operation::Create if !plants.can_undo() => {
                let ids = text::first_of(ids.iter(), 3);
                let why = format!("no undo: {ids} does not exist by a create from here");
                let short = format!("no undo: {ids} is not from here");
                self.shell.shared.notify(Text::from(why).or(short));
            }
            Operation::Create => self.open(Question::new(Deed::DeletePlants { ids })),
            Operation::Delete => {
                let (drafts, left_out) = plants.drafts(&ids);
                if drafts.is_empty() {
                    return self.shell.shared.notify(format!("no undo: {left_out}"));
                }
                self.open(Question::new(Deed::CreatePlants { drafts, left_out }));
            }
            // The other answer takes it back.
            Operation::FoundExisting | Operation::FoundAbsent => {
                let id = ids.concat();
                let plant = plants.plant(&id);
                if plant.is_some_and(|plant| plants.can_be_resolved(plant)) {
                    return self.open(Question::new(Deed::ResolvePlant { id }));
                }
                let why =
                    format!("the service has answered of plant {id} since you said what it is");
                let short = format!("the service has answered of {id} since");
                self.shell.shared.notify(Text::from(why).or(short));
            }
        }
    }

    /// The file of an import was read: its creates follow.
    pub(in crate::dashboard) fn plants_read(&mut self, request: RequestId, ids: Vec<String>) {
        self.close_waiting(request);
        if let Some(import) = &mut self.shell.tabs.plants.importing {
            import.ids = ids;
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
        let is_answered = import
            .as_ref()
            .is_some_and(|import| plants.is_answered(import));
        let has_created = import.is_some_and(|import| plants.import_ended(import));
        let mut known = plants.in_progress.iter();
        let index = known.position(|known| known.request == request);
        let ended = index.map(|index| plants.in_progress.remove(index));
        let is_of_many = plants.series.count > 1 && plants.series.request == Some(request);
        plants.series.request.take_if(|known| *known == request);
        if let Some(ended) = &ended {
            let may_be_done = match &outcome {
                Ok(_) => true,
                Err(failure) => failure.kind == FailureKind::OutcomeUnknown,
            };
            if may_be_done {
                let mut ids = vec![ended.id.clone()];
                if is_of_many {
                    plants.series.changed.append(&mut ids);
                    ids.clone_from(&plants.series.changed);
                }
                let operation = ended.operation;
                plants.last_change = Some(LastChange { operation, ids });
            }
            // Of many the cursor follows the one that a key is offered for.
            let is_unknown = (outcome.as_ref().err())
                .is_some_and(|failure| failure.kind == FailureKind::OutcomeUnknown);
            if !is_of_many || is_unknown {
                plants.rows.wanted = Some(ended.id.clone());
            }
        }
        arrange(plants, None);
        match (outcome, ended) {
            (outcome, Some(ended)) if is_of_many => self.one_of_many_ended(&ended, outcome),
            (Ok(note), Some(ended)) => {
                self.close_waiting(request);
                self.say_done(&ended, note);
            }
            (Ok(said), None) => {
                self.close_waiting(request);
                self.shell.shared.was_answered();
                let mut said = said.unwrap_or_default();
                if has_created {
                    said.insert_str(0, &hint(&self.shell, Action::Undo, "undo"));
                }
                self.shell.shared.notify(said);
            }
            (Err(failure), ended) => self.plant_failed(request, &failure, ended.as_ref()),
        }
        if is_answered {
            self.shell.shared.was_answered();
        }
        self.quit_if_nothing_is_in_progress()
    }

    /// The plant log has news: those of an import in progress say that the service answers.
    pub(in crate::dashboard) fn plants_logged(&mut self) {
        let Shell { tabs, shared, .. } = &mut self.shell;
        let import = tabs.plants.importing.as_ref();
        if import.is_some_and(|import| tabs.plants.is_answered(import)) {
            shared.was_answered();
        }
    }

    /// One of the creates or deletes of one question has ended: the others follow, until the
    /// outcome of one is unknown. The last one says what became of all.
    fn one_of_many_ended(
        &mut self,
        ended: &PlantRequest,
        outcome: Result<Option<String>, Failure>,
    ) {
        let shell = &mut self.shell;
        let series = &mut shell.tabs.plants.series;
        match outcome {
            Ok(_) => series.done += 1,
            Err(failure) if is_refusal(&failure) => {
                if series.refused.is_empty() {
                    series.why = failure.message();
                }
                series.refused.push(ended.id.clone());
            }
            Err(failure) => {
                let plants = &mut shell.tabs.plants;
                let sum = plants.sum(ended.operation);
                plants.series.left.clear();
                let is_unknown = failure.kind == FailureKind::OutcomeUnknown;
                if is_unknown && ended.operation == Operation::Delete {
                    // The next delete is about it, too: its key is offered for it.
                    plants.marked.insert(ended.id.clone());
                }
                let next = next_step(ended.operation, &failure, shell);
                let why = shell.shared.said_of(&failure);
                let said = Text::from(format!("{next}{sum}. {why}"));
                shell.shared.warn(said.or(format!("{next}{sum}")));
                return shell.shared.note_failure(&failure);
            }
        }
        shell.shared.was_answered();
        if !shell.tabs.plants.series.left.is_empty() {
            return send_next(shell);
        }
        let mut sum = shell.tabs.plants.sum(ended.operation);
        if shell.tabs.plants.series.done > 0 && shell.tabs.plants.can_undo() {
            sum.insert_str(0, &hint(shell, Action::Undo, "undo"));
        }
        shell.shared.notify(sum);
    }

    /// Says that a request was done, and what can be done next.
    fn say_done(&mut self, ended: &PlantRequest, note: Option<String>) {
        let shell = &mut self.shell;
        if ended.operation.is_request() {
            shell.shared.was_answered();
        }
        let (done, action, word) = match ended.operation {
            Operation::Create => ("created", Action::NewPlant, "next"),
            Operation::Delete => ("deleted", Action::Undo, "undo"),
            Operation::FoundExisting => ("exists", Action::ResolvePlant, "correct"),
            Operation::FoundAbsent => ("is absent", Action::ResolvePlant, "correct"),
        };
        let can_act = action != Action::Undo || shell.tabs.plants.can_undo();
        let next = if can_act {
            hint(shell, action, word)
        } else {
            String::new()
        };
        let note = note.map_or_else(String::new, |note| format!(": {note}"));
        let short = format!("{next}plant {} {done}", ended.id);
        shell
            .shared
            .notify(Text::from(format!("{short}{note}")).or(short));
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
                let again = hint(shell, Action::NewPlant, "create it again, after a question");
                let [delete, resolve] = [Action::DeletePlant, Action::ResolvePlant]
                    .map(|action| shell.shared.key_of(action));
                let said = sentence(&failure.message());
                let service = shell.tabs.plants.service.as_ref();
                // Where deletes go to another address, the plant with this id there may be another.
                let can_delete = service.is_some_and(PlantService::has_one_address);
                let deletes = match can_delete {
                    true => format!("{delete} deletes it; "),
                    false => String::new(),
                };
                let text = format!(
                    "{again}{said} The service has no way to look it up; it may refuse to create what exists. {deletes}{resolve}: say what you found out otherwise. No create is sent again by itself."
                );
                let (drafts, left_out) = shell.tabs.plants.drafts(&[id.to_owned()]);
                let is_known = !drafts.is_empty();
                let question = is_known.then_some(Deed::CreatePlants { drafts, left_out });
                self.close_waiting(request);
                let title = "Unknown outcome";
                let act = |action, word, deed| Act { action, word, deed };
                let mut acts = vec![
                    act(Action::NewPlant, "create again", question),
                    act(Action::DeletePlant, "delete", None),
                    act(Action::ResolvePlant, "found out", None),
                ];
                acts.retain(|act| can_delete || act.action != Action::DeletePlant);
                self.dialogs.push(Message { title, text, acts }.into());
            }
            Some(Dialog::PlantForm(form)) => match taken {
                Some(why) => form.id_is_taken(why),
                None => form.failed(shell.shared.said_of(failure)),
            },
            Some(Dialog::Prompt(prompt)) => prompt.failed(shell.shared.said_of(failure)),
            _ if settled.is_some() => {
                let said = format!("{}: {}", settled.unwrap_or_default(), failure.reason);
                shell.shared.notify(said);
            }
            _ => {
                let next = ended.map_or_else(String::new, |ended| {
                    next_step(ended.operation, failure, shell)
                });
                let failed = shell.shared.failure_text(failure);
                let said = Text::from(format!("{next}{}", failed.long));
                shell
                    .shared
                    .warn(said.or(format!("{next}{}", failed.shortest())));
            }
        }
        let shell = &mut self.shell;
        // The user waits for this response: the program continues.
        let waits = |dialog: &Dialog| matches!(dialog, Dialog::Quit(Quit::Waiting));
        self.dialogs.retain(|dialog| !waits(dialog));
        shell.shared.note_failure(failure);
    }
}

/// The key that acts on a message, with its word: they come before it.
fn hint(shell: &Shell, action: Action, word: &str) -> String {
    format!("{} {word}  ", shell.shared.key_of(action))
}

/// The key for what can be done after an unknown outcome, before the words of the failure.
fn next_step(operation: Operation, failure: &Failure, shell: &Shell) -> String {
    let (action, word) = match (failure.kind, operation) {
        (FailureKind::OutcomeUnknown, Operation::Delete) => (Action::DeletePlant, "delete again"),
        (FailureKind::OutcomeUnknown, _) => (Action::ResolvePlant, "found out"),
        _ => return String::new(),
    };
    hint(shell, action, word)
}

/// `true` if a service has refused what was asked for.
fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Service | FailureKind::Forbidden)
}

impl Shared {
    /// The service has answered a create or delete: its token is good, and it works unless it
    /// fails for the deployments.
    fn was_answered(&mut self) {
        self.service.token.accept();
        if !self.deployments.agenda.service().fails() {
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
            // One whose outcome is unknown has a count of its own.
            FailureKind::Unreachable
                if self.service.connection == Connection::Untried
                    || self.deployments.list.is_empty() =>
            {
                self.service.connection = Connection::Failing(failure.clone(), self.now);
            }
            _ => {}
        }
    }
}

impl PlantsTab {
    /// `true` if a create of this plant from here may have been done.
    pub(in crate::dashboard) fn may_have_created(&self, id: &str) -> bool {
        let mut creates = self.log.iter().filter(|line| line.id == id);
        creates
            .any(|line| line.operation == Operation::Create && line.outcome() == Outcome::Unknown)
    }

    /// `true` if the service has answered to a request since an import began.
    fn is_answered(&self, import: &Import) -> bool {
        let mut since = self.log.iter().filter(|line| line.at >= import.since);
        since.any(|line| line.reply.status.is_some())
    }

    /// Notes the plants of a file that its import has created, or may have; `false` for none.
    fn import_ended(&mut self, import: Import) -> bool {
        let may_be_created = |line: &&Entry| {
            let may_be_done = line.outcome() != Outcome::Refused && line.at >= import.since;
            line.operation == Operation::Create && may_be_done
        };
        let created = self.log.iter().filter(may_be_created);
        let created: HashSet<&str> = created.map(|line| line.id.as_str()).collect();
        let mut ids = import.ids;
        // Other programs may have created others meanwhile.
        ids.retain(|id| created.contains(id.as_str()));
        let has_created = !ids.is_empty();
        if has_created {
            let operation = Operation::Create;
            self.last_change = Some(LastChange { operation, ids });
        }
        has_created
    }

    /// `true` if the last change can be taken back: what is deleted needs a name that is known.
    pub(super) fn can_undo(&self) -> bool {
        // Where the id is only known to be taken, the plant may be of another.
        let can_be_there = |id: &String| {
            let plant = self.plant(id);
            let is_ours = |plant: &Plant| plant.created.as_ref().is_some_and(|it| it.is_sure);
            plant.is_some_and(|plant| {
                plant.state.is_open() || !plant.state.is_free() && is_ours(plant)
            })
        };
        (self.last_change.as_ref()).is_some_and(|change| match change.operation {
            Operation::Create => change.ids.iter().any(can_be_there),
            Operation::Delete => !self.drafts(&change.ids).0.is_empty(),
            Operation::FoundExisting | Operation::FoundAbsent => true,
        })
    }

    /// The creates of plants again, and in words those that cannot be created again.
    fn drafts(&self, ids: &[String]) -> (Vec<Draft>, String) {
        let (mut drafts, mut left_out) = (Vec::new(), Vec::new());
        for id in ids {
            let plant = self.plant(id);
            let created = plant.and_then(|plant| plant.created.as_ref());
            let why = match (created, id.parse()) {
                _ if plant.is_some_and(|plant| plant.state == State::Exists) => "exists",
                (None, _) => "no name known",
                (_, Err(_)) => "no number",
                (Some(created), Ok(id)) => {
                    let (name, tag) = (created.name.clone(), created.tag.clone());
                    drafts.push(Draft { id, name, tag });
                    continue;
                }
            };
            left_out.push(format!("{id} ({why})"));
        }
        (drafts, text::first_of(left_out.iter(), 3))
    }
}
