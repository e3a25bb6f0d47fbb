//! The tab of plants: the creates and deletes from this computer.

pub(super) mod table;

use super::effect::Effect;
use super::event::RequestId;
use super::model::{Model, TrackSource};
use super::widgets::table_state::TableState;
use crate::plant::log::{Entry, Operation, PlantService};
use crate::plant::state::{self, Plant, State};
use crate::plant::{Draft, PlantId};
use crate::text::has_word;
use crate::track::query::Query;

/// The tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlantsTab {
    /// The service in use: deletes go to its base address, creates to its sandbox address.
    pub service: PlantService,
    /// The lines of the plant log of that service, oldest first.
    pub log: Vec<Entry>,
    /// Cursor over the rows shown.
    pub table: TableState,
    /// The filter of the rows.
    pub filter: Query,
    /// `true` if the oldest rows come first.
    pub is_oldest_first: bool,
    /// Creates and deletes in progress.
    pub in_progress: Vec<PlantRequest>,
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

impl PlantsTab {
    /// Takes the lines of this service: plants of other services are neither deleted nor
    /// created again here.
    pub(crate) fn take_log(&mut self, mut log: Vec<Entry>) {
        log.retain(|entry| entry.service == self.service);
        self.log = log;
    }

    /// What the log says of a plant; `None` without a line of it.
    pub(crate) fn plant(&self, id: &str) -> Option<Plant> {
        state::plant(&self.log, &self.service, id)
    }

    /// The rows shown: newest first, filter applied.
    pub(crate) fn shown(&self) -> Vec<&Entry> {
        let mut rows: Vec<&Entry> = self
            .log
            .iter()
            .filter(|entry| self.filter.is_in(|word| contains(entry, word)))
            .collect();
        if !self.is_oldest_first {
            rows.reverse();
        }
        rows
    }

    /// The row under the cursor.
    pub(crate) fn selected(&self) -> Option<&Entry> {
        self.shown().get(self.table.cursor).copied()
    }

    /// The message where there is no service with plants.
    pub(crate) const NEED_THE_SERVICE: &'static str =
        "plants need the service: they are records of the one that driftline was made for";

    /// The message for a plant with a request in progress.
    pub(crate) const IN_PROGRESS: &'static str =
        "a create or delete of this plant is under way: wait for its answer";

    /// `true` if a create or delete of a plant was sent and has not been answered.
    pub(crate) fn is_in_progress(&self, id: &str) -> bool {
        self.in_progress.iter().any(|request| request.id == id)
    }

    /// The plant that `U` creates, with the number of its last line: the chosen one if it is
    /// not known to exist, else the last deleted one.
    ///
    /// # Errors
    /// Why there is nothing to create, for the user.
    pub(crate) fn creatable(&self) -> Result<(Draft, i64), &'static str> {
        let chosen = self.selected().and_then(|entry| self.plant(&entry.id));
        let may_be_created = |plant: &Plant| matches!(plant.state, State::Unknown | State::Deleted);
        let last_deleted = || {
            let is_deleted = |plant: &Plant| plant.state == State::Deleted;
            state::plants(&self.log).into_iter().find(is_deleted)
        };
        let plant = chosen.filter(may_be_created).or_else(last_deleted);
        let plant = plant.ok_or("nothing to undo: no deleted plant with a known name")?;
        if self.is_in_progress(&plant.id) || plant.state == State::Sending {
            return Err(Self::IN_PROGRESS);
        }
        let draft = (plant.id.parse().ok())
            .zip(plant.created.as_ref())
            .map(|(id, created)| Draft {
                id,
                name: created.name.clone(),
                tag: created.tag.clone(),
            });
        let draft = draft.ok_or("nothing to undo: no name is known of that plant")?;
        Ok((draft, plant.last_line(&self.log)))
    }

    /// The name of a plant, where it may be said.
    pub(crate) fn name_of(&self, id: &str) -> Option<String> {
        let plant = self.plant(id)?;
        plant.named().map(|named| named.name.clone())
    }
}

/// `true` if a line contains the lower-case text in its id, name, tag or state; an empty text
/// is in all.
pub(crate) fn contains(entry: &Entry, text: &str) -> bool {
    let is_in = |member: &str| has_word(&member.to_lowercase(), text);
    let members = [Some(&entry.id), entry.name.as_ref(), entry.tag.as_ref()];
    text.is_empty()
        || members.into_iter().flatten().any(|member| is_in(member))
        || entry.word().contains(text)
}

impl Model {
    /// Creates a plant, or again the plant that has this last line; returns the number of the
    /// request.
    pub(crate) fn create_plant(&mut self, draft: Draft, again: Option<i64>) -> RequestId {
        let request = self.begin_plant(Operation::Create, draft.id.to_string());
        self.send(Effect::CreatePlant {
            request,
            draft,
            again,
        });
        request
    }

    /// Deletes a plant.
    ///
    /// # Errors
    /// A description of the fault in the identifier; when a request for the plant is in
    /// progress.
    pub(crate) fn delete_plant(&mut self, typed: &str) -> Result<(), String> {
        let id = PlantId::parse(typed).map_err(|error| error.to_string())?;
        if self.plants.is_in_progress(typed) {
            return Err(PlantsTab::IN_PROGRESS.to_owned());
        }
        let request = self.begin_plant(Operation::Delete, typed.to_owned());
        self.send(Effect::DeletePlant { request, id });
        Ok(())
    }

    /// `true` if there are plants: not with files, nor at a service of another kind.
    pub(in crate::dashboard) fn has_plants(&self) -> bool {
        self.remote.is_none() && self.source != TrackSource::Files
    }

    /// Why a create and the delete of the same plant go to two addresses; empty if both go
    /// to one.
    pub(in crate::dashboard) fn two_addresses(&self) -> String {
        let PlantService { base, sandbox } = &self.plants.service;
        if base == sandbox {
            return String::new();
        }
        format!("Creates go to the sandbox URL, {sandbox}; deletes to the base URL, {base}.")
    }

    fn begin_plant(&mut self, operation: Operation, id: String) -> RequestId {
        let request = self.next_request();
        self.plants.in_progress.push(PlantRequest {
            request,
            operation,
            id,
        });
        request
    }

    /// Puts the cursor on the latest line of a plant, where the filter shows it.
    pub(crate) fn cursor_to_plant(&mut self, id: &str) {
        let shown = self.plants.shown();
        let lines = shown.iter().enumerate().filter(|(_, entry)| entry.id == id);
        let latest = lines.max_by_key(|(_, entry)| entry.sequence);
        if let Some((row, _)) = latest {
            self.plants.table.cursor = row;
        }
    }
}
