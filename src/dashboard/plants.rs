//! The Plants tab: the plants that the plant log knows, and the requests of the chosen one.

mod asks;
mod detail;
mod marks;
pub(super) mod send;
mod table;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use strum::VariantArray;

use super::canvas::Canvas;
use super::event::{Event, RequestId};
use super::keymap::Action;
use super::shared::Shared;
use super::tab::Pane;
use super::tabs::rows::Rows;
use super::tabs::{
    Ask, Entry as FooterEntry, Form, Meaning, Outcome, RowsTab, TabAction, actions, row_text,
};
use super::theme::Theme;
use super::widgets::sheet::Sheet;
use super::widgets::table::names;
use super::widgets::table_state::TableState;
use crate::plant::log::{Entry, Operation, Outcome as Came, PlantService};
use crate::plant::state::{self, Named, Plant, State};
use crate::plant::{is_whole_number, label};
use crate::text;
use send::Series;

actions! {
    NewPlant, "n a", "Create a plant", "new";
    DeletePlant, "D delete", "Delete a plant, or those that are marked", "delete";
    ResolvePlant, "o", "Say, or correct, whether a plant exists", "found out" of row;
    Mark, "space", "Mark a plant; again: unmark", "mark" of row;
    Details, "enter i", "All requests of the plant; again: the list", "requests" of row;
    Undo, "U", "Take back the last create or delete", "undo";
    MarkAll, "*", "Mark all shown or found; again: none", "mark all" of row;
    ImportPlants, "I", "Import plants: create those of a file", "import";
    Export, "E", "Export the plants to a file", "export";
}

/// Where there is no service with plants.
const NEED_THE_SERVICE: &str =
    "plants need the service: they are records of the one that driftline was made for";

/// The tab.
#[derive(Debug, Clone)]
pub(crate) struct PlantsTab {
    rows: Rows,
    /// The service in use; `None` if there is none with plants.
    service: Option<PlantService>,
    /// The lines of the plant log of that service, oldest first.
    log: Vec<Entry>,
    /// The number of lines of other services.
    elsewhere: usize,
    /// The plants that the log knows, those with the newest line first.
    plants: Vec<Plant>,
    /// The ids of those that are marked.
    marked: BTreeSet<String>,
    /// Creates and deletes in progress.
    in_progress: Vec<PlantRequest>,
    /// The creates or deletes of one question.
    series: Series,
    /// The import of a file in progress.
    importing: Option<Import>,
    /// The last deed of this run.
    last_change: Option<LastChange>,
}

/// A deed that was done, or may have been: the creates or deletes of one question, an import,
/// or what was said of a plant.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LastChange {
    operation: Operation,
    /// The plants that it changed.
    ids: Vec<String>,
}

/// A create or delete that was sent and has not been answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlantRequest {
    /// Its number.
    pub request: RequestId,
    /// The requested operation.
    pub operation: Operation,
    /// The plant's identifier.
    pub id: String,
}

/// The import of a file in progress.
#[derive(Debug, Clone)]
struct Import {
    request: RequestId,
    /// When it began, UNIX seconds.
    since: f64,
    /// The plants of the file; empty until it is read.
    ids: Vec<String>,
    /// `true` once it was asked to end.
    is_stopped: bool,
}

impl Default for PlantsTab {
    fn default() -> Self {
        Self::new(None)
    }
}

impl PlantsTab {
    /// The tab of a service; `None` if there is none with plants.
    pub(crate) fn new(service: Option<PlantService>) -> Self {
        Self {
            rows: Rows::new("since"),
            service,
            log: Vec::new(),
            elsewhere: 0,
            plants: Vec::new(),
            marked: BTreeSet::new(),
            in_progress: Vec::new(),
            series: Series::default(),
            importing: None,
            last_change: None,
        }
    }

    /// What the log says of a plant; `None` without a line of it.
    pub(crate) fn plant(&self, id: &str) -> Option<&Plant> {
        self.plants.iter().find(|plant| plant.id == id)
    }

    /// The actions that need a service with plants, if there is no such service; else none.
    pub(in crate::dashboard) fn lacking(&self) -> &'static [Action] {
        match self.service {
            Some(_) => &[],
            None => &[Action::NewPlant, Action::DeletePlant, Action::ImportPlants],
        }
    }

    /// The plant under the cursor.
    pub(crate) fn selected(&self) -> Option<&Plant> {
        self.plants.get(self.rows.selected()?)
    }

    /// `true` if a create or delete of a plant was sent and has not been answered.
    pub(crate) fn is_in_progress(&self, id: &str) -> bool {
        self.in_progress.iter().any(|request| request.id == id)
    }

    /// `true` while a file is imported that was not asked to end.
    fn can_stop_import(&self) -> bool {
        let import = self.importing.as_ref();
        import.is_some_and(|import| !import.is_stopped)
    }

    /// What a plant is, with those whose request this program sends.
    fn state(&self, plant: &Plant) -> State {
        match self.is_in_progress(&plant.id) {
            true => State::Sending,
            false => plant.state,
        }
    }

    /// The number of plants in a state.
    pub(crate) fn count(&self, state: State) -> usize {
        let all = self.plants.iter();
        all.filter(|plant| self.state(plant) == state).count()
    }

    /// Name and tag of a plant where they may be said: "oak (north)"; empty if not.
    pub(crate) fn name_of(&self, id: &str) -> String {
        let named = self.plant(id).and_then(Plant::named);
        named.map_or_else(String::new, |named| label(&named.label(), &named.tag))
    }

    /// The name of a plant, if it was created at this address.
    pub(crate) fn name_at(&self, id: &str, address: &str) -> Option<String> {
        self.plant(id)?.name_at(address).map(Named::label)
    }

    /// An id for the next plant: one above the greatest of a create that was done or may
    /// have been, and of no plant that exists; empty if none fits.
    pub(crate) fn proposed_id(&self) -> String {
        let may_exist =
            |line: &&Entry| line.operation == Operation::Create && line.outcome() != Came::Refused;
        let ids = self.log.iter().filter(may_exist);
        let greatest = ids.filter_map(|line| line.id.parse::<i64>().ok()).max();
        let first = greatest.map_or(Some(1), |greatest| greatest.checked_add(1));
        let is_free = |id: &i64| {
            self.plant(&id.to_string())
                .is_none_or(|it| it.state.is_free())
        };
        let mut ids = first.map(|first| first..=i64::MAX).into_iter().flatten();
        let next = ids.find(is_free);
        next.map_or_else(String::new, |next| next.to_string())
    }

    /// The requests of a plant, newest first.
    fn lines<'a>(&'a self, plant: &'a Plant) -> impl Iterator<Item = &'a Entry> {
        let lines = plant.lines.iter().rev();
        lines.filter_map(|line| self.log.get(*line))
    }

    /// When the last create of a plant was done, UNIX seconds.
    pub(in crate::dashboard) fn created_at(&self, id: &str) -> Option<f64> {
        let plant = self.plant(id)?;
        let is_it =
            |line: &&Entry| line.operation == Operation::Create && line.outcome() == Came::Done;
        self.lines(plant).find(is_it).map(|line| line.at)
    }

    /// `true` if the service has refused the last create of a plant because its id is taken.
    pub(in crate::dashboard) fn is_taken(&self, id: &str) -> bool {
        let last = self.plant(id).and_then(|plant| self.lines(plant).next());
        last.is_some_and(|line| {
            line.operation == Operation::Create && line.reply.status_of_plant() == Some(409)
        })
    }

    fn take_log(&mut self, all: &[Entry]) {
        let is_here = |entry: &&Entry| Some(&entry.service) == self.service.as_ref();
        self.log = all.iter().filter(is_here).cloned().collect();
        self.elsewhere = all.len() - self.log.len();
        self.plants = state::plants(&self.log);
        let plants = &self.plants;
        self.marked
            .retain(|id| plants.iter().any(|plant| plant.id == *id));
    }

    /// `true` if a person may say whether a plant exists, or correct it.
    pub(in crate::dashboard) fn can_be_resolved(&self, plant: &Plant) -> bool {
        !self.is_in_progress(&plant.id) && plant.can_be_resolved()
    }

    /// Asks about the chosen plant, unless an answer of the service has said it.
    fn resolve(&self) -> Outcome {
        let Some(plant) = self.selected() else {
            return Outcome::Say("no plant is selected".to_owned());
        };
        if self.can_be_resolved(plant) {
            return Outcome::Ask(Ask::Resolve(plant.id.clone()));
        }
        let is = match self.state(plant) {
            State::Sending => return Outcome::Say(send::IN_PROGRESS.to_owned()),
            State::Exists => "exists".to_owned(),
            State::Refused => "was refused".to_owned(),
            state => format!("is {state}"),
        };
        Outcome::Say(format!(
            "nothing to ask: plant {} {is}, as answered",
            plant.id
        ))
    }
}

impl RowsTab for PlantsTab {
    fn rows(&self) -> &Rows {
        &self.rows
    }

    fn rows_mut(&mut self) -> &mut Rows {
        &mut self.rows
    }

    fn len(&self) -> usize {
        self.plants.len()
    }

    fn subject(&self, row: usize) -> Option<String> {
        Some(self.plants.get(row)?.id.clone())
    }

    fn has_word(&self, row: usize, word: &str) -> bool {
        let Some(plant) = self.plants.get(row) else {
            return false;
        };
        let named = plant.named();
        let name = named.map_or("", |named| &named.name).to_lowercase();
        let tag = named.map_or("", |named| &named.tag).to_lowercase();
        let id = plant.id.to_lowercase();
        let state = self.state(plant).to_string();
        match word.split_once([':', '=']) {
            Some(("state", sought)) => return state.starts_with(sought),
            Some(("tag", sought)) => return text::has_word(&tag, sought),
            Some(("name", sought)) => return text::has_word(&name, sought),
            Some(("id", sought)) => return id == sought,
            _ => {}
        }
        let requests = self.requests(plant);
        let mut members = [&id, &name, &tag, &requests].into_iter();
        members.any(|member| text::has_word(member, word)) || state.starts_with(word)
    }

    fn numbers(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn number(&self, row: usize, _name: &str) -> Option<f64> {
        let id = &self.plants.get(row)?.id;
        is_whole_number(id).then(|| id.parse().ok())?
    }

    fn texts(&self) -> &'static [&'static str] {
        &["id", "name", "tag", "state"]
    }

    fn compare(&self, column: &str, row: usize, other: usize) -> Ordering {
        let (Some(plant), Some(other)) = (self.plants.get(row), self.plants.get(other)) else {
            return Ordering::Equal;
        };
        let number = |plant: &Plant| plant.id.parse::<i64>().ok();
        let by_id = || match (number(plant), number(other)) {
            (Some(id), Some(other)) => id.cmp(&other),
            // Numbers come before texts.
            (id, other_id) => (id.is_none(), &plant.id).cmp(&(other_id.is_none(), &other.id)),
        };
        let name = |plant: &Plant| plant.named().map(|named| named.name.to_lowercase());
        let tag = |plant: &Plant| plant.named().map(|named| named.tag.to_lowercase());
        let order = match column {
            "state" => self.state(plant).cmp(&self.state(other)),
            "id" => Ordering::Equal,
            "name" => name(plant).cmp(&name(other)),
            "tag" => tag(plant).cmp(&tag(other)),
            "since" => plant.since.total_cmp(&other.since),
            "address" => plant.address.cmp(&other.address),
            "requests" => plant.lines.len().cmp(&other.lines.len()),
            _ => Ordering::Equal,
        };
        order.then_with(by_id)
    }

    fn columns(&self) -> Vec<&'static str> {
        names(table::COLUMNS)
    }

    fn forms(&self, row: usize) -> Vec<Form> {
        let Some(plant) = self.plants.get(row) else {
            return Vec::new();
        };
        let named = plant.named();
        let row = [
            plant.id.clone(),
            named.map_or_else(String::new, |named| named.name.clone()),
            named.map_or_else(String::new, |named| named.tag.clone()),
            self.state(plant).to_string(),
        ];
        vec![("id", plant.id.clone()), ("row", row_text(&row))]
    }

    fn hint(&self) -> &'static str {
        "state:unknown tag:north name:oak id=42 id>100; words of id, name, tag, state"
    }

    fn titles(&self) -> [String; 2] {
        // With a filter, the plants that it leaves are counted.
        let count = |state| {
            let shown = self.shown();
            shown.filter(|plant| self.state(plant) == state).count()
        };
        let words = [
            (
                State::Exists,
                match count(State::Exists) {
                    1 => "exists",
                    _ => "exist",
                },
            ),
            (State::Deleted, "deleted"),
            (State::Unknown, "unknown"),
            (State::Sending, "being sent"),
            (State::Absent, "absent"),
            (State::Refused, "refused"),
        ];
        // The number of plants that exist is there even if it is 0.
        let is_said = |state| count(state) > 0 || state == State::Exists && self.len() > 0;
        let said = words.into_iter().filter(|(state, _)| is_said(*state));
        // What the next delete is about, though a filter may hide it.
        let marked = Some((self.marked.len(), "marked")).filter(|(count, _)| *count > 0);
        let counts = said.map(|(state, word)| (count(state), word));
        let counts = marked.into_iter().chain(counts);
        let counts = counts.map(|(count, word)| format!("{} {word}", text::count(count)));
        let counts: Vec<String> = counts.collect();
        let table = match counts.is_empty() {
            true => "Plants: none known".to_owned(),
            false => format!("Plants: {}", counts.join(" · ")),
        };
        let chosen = self.selected().map(|plant| {
            let name = plant.named().map(Named::label);
            format!("Plant {} {}", plant.id, name.unwrap_or_default())
        });
        let detail = chosen.unwrap_or_else(|| "Plant".to_owned());
        [table, text::clean(detail.trim_end()).into_owned()]
    }

    fn actions(&self) -> &'static [TabAction] {
        ACTIONS
    }

    fn signs(&self, theme: Theme) -> Vec<Meaning> {
        let meanings = State::VARIANTS.iter();
        let meanings = meanings.map(|state| (table::sign(*state, theme), state.into()));
        let marked = (table::mark(theme), "marked");
        meanings.chain([marked]).collect()
    }

    fn offers(&self, action: Action) -> bool {
        match action {
            action if self.lacking().contains(&action) => false,
            Action::ResolvePlant => {
                let selected = self.selected();
                selected.is_some_and(|plant| self.can_be_resolved(plant))
            }
            Action::Undo => self.can_undo(),
            Action::Export => !state::export(&self.plants).rows.is_empty(),
            _ => true,
        }
    }

    fn key(&mut self, action: Action, shared: &mut Shared) -> Outcome {
        if self.lacking().contains(&action) {
            return Outcome::Say(NEED_THE_SERVICE.to_owned());
        }
        match action {
            Action::NewPlant => Outcome::Ask(Ask::NewPlant),
            Action::DeletePlant => Outcome::Ask(Ask::Delete(self.to_delete(shared))),
            Action::ResolvePlant => self.resolve(),
            Action::Undo => Outcome::Ask(Ask::UndoPlant),
            Action::Export => Outcome::Ask(Ask::ExportPlants),
            Action::ImportPlants => Outcome::Ask(Ask::ImportPlants),
            Action::Mark => self.mark(shared),
            Action::MarkAll => self.mark_all(shared),
            Action::Details => match self.selected() {
                Some(_) => {
                    (shared.screen.pane, shared.screen.full) = (Pane::Summary, !shared.screen.full);
                    self.rows.detail = TableState::default();
                    Outcome::Done
                }
                None => Outcome::Say("no plant is selected".to_owned()),
            },
            _ => Outcome::Done,
        }
    }

    fn first_entry(&self) -> Option<FooterEntry> {
        self.can_stop_import()
            .then_some((Action::Dismiss, "stop import"))
    }

    fn stop(&mut self, shared: &mut Shared) -> bool {
        self.stop_import(shared)
    }

    fn event(&mut self, event: &Event, _shared: &Shared) -> bool {
        match event {
            Event::PlantLog(all) => self.take_log(all),
            Event::Archived { plant_log, .. } => self.take_log(plant_log),
            _ => return false,
        }
        true
    }

    fn dismiss(&mut self) -> bool {
        !std::mem::take(&mut self.marked).is_empty()
    }

    fn is_busy(&self) -> bool {
        !self.in_progress.is_empty() || self.importing.is_some()
    }

    fn draw_table(&self, canvas: &mut Canvas<'_>, shared: &Shared) {
        table::draw(self, canvas, shared);
    }

    fn detail(&self, sheet: &mut Sheet, height: u16, shared: &Shared, theme: Theme) {
        detail::lines(self, sheet, height, shared, theme);
    }
}
