//! The tab of plants: the creates and deletes from this computer.

pub(super) mod table;

use super::effect::Effect;
use super::event::RequestId;
use super::model::Model;
use super::widgets::table_state::TableState;
use crate::plant::ledger::{self, Entry, Operation, Outcome, came_back};
use crate::plant::{Draft, PlantId};
use crate::track::query::Query;

/// The tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlantsTab {
    /// The address at which plants are created, as the ledger has it.
    pub service: String,
    /// The entries of that service, and those without a service, oldest first.
    pub ledger: Vec<Entry>,
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
    /// Takes the entries of this service: plants of other services are neither deleted
    /// nor created again here.
    pub(crate) fn take_ledger(&mut self, mut ledger: Vec<Entry>) {
        ledger.retain(|entry| entry.service.is_none() || self.is_here(entry));
        self.ledger = ledger;
    }

    /// `true` if a line says that it is of this service.
    fn is_here(&self, entry: &Entry) -> bool {
        entry.service.as_ref() == Some(&self.service)
    }

    /// The rows shown: newest first, filter applied.
    pub(crate) fn shown(&self) -> Vec<&Entry> {
        let mut rows: Vec<&Entry> = self
            .ledger
            .iter()
            .filter(|entry| self.filter.is_in(|word| entry.contains(word)))
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

    /// The message for a plant with a request in progress.
    pub(crate) const IN_PROGRESS: &'static str =
        "a create or delete of this plant is under way: wait for its answer";

    /// `true` if a create or delete of a plant was sent and has not been answered.
    pub(crate) fn is_in_progress(&self, id: &str) -> bool {
        self.in_progress.iter().any(|request| request.id == id)
    }

    /// The plant that `U` creates: the selected one if the outcome of its create is
    /// unknown, else the last deleted one.
    ///
    /// With it comes the number of the line that is made good.
    ///
    /// # Errors
    /// Why there is nothing to create, for the user.
    pub(crate) fn creatable(&self) -> Result<(Draft, i64), &'static str> {
        let unknown = self.selected().filter(|entry| {
            self.is_here(entry)
                && entry.operation == Operation::Create
                && entry.outcome == Outcome::Unknown
        });
        let wanted = match unknown {
            Some(entry) if came_back(&self.ledger, entry.sequence, &entry.id) => {
                return Err("nothing to do: a later line of this plant says what became of it");
            }
            Some(entry) => Some(entry),
            None => self.last_deleted(),
        };
        let wanted = wanted.ok_or_else(|| {
            // The entry of a create in progress is above the entry that it repeats.
            let selected = self.selected();
            if selected.is_some_and(|entry| self.is_in_progress(&entry.id)) {
                Self::IN_PROGRESS
            } else {
                "nothing to undo: no deleted plant with a known name"
            }
        })?;
        let draft = self
            .draft(wanted)
            .ok_or("nothing to undo: no name is known of that plant")?;
        if self.is_in_progress(&draft.id.to_string()) {
            return Err(Self::IN_PROGRESS);
        }
        Ok((draft, wanted.sequence))
    }

    /// The last delete, unless its plant exists again.
    fn last_deleted(&self) -> Option<&Entry> {
        let gone = self.ledger.iter().rev().find(|entry| {
            self.is_here(entry)
                && entry.operation == Operation::Delete
                && entry.outcome == Outcome::Done
        })?;
        // A plant that was created again since, or may have been, is not gone.
        (!came_back(&self.ledger, gone.sequence, &gone.id)).then_some(gone)
    }

    /// The create that names a plant.
    fn last_create(&self, id: &str) -> Option<&Entry> {
        ledger::last_create(&self.ledger, &self.service, id)
    }

    /// The name of the plant of a line, if known: not that of a refused create.
    pub(crate) fn name_of(&self, line: &Entry) -> Option<String> {
        let of_delete = Some(line).filter(|line| line.operation == Operation::Delete);
        let named = self.last_create(&line.id).or(of_delete)?;
        named.name.clone()
    }

    /// The plant of a line. A delete may have the name that an older version of the program
    /// took from a refused create.
    fn draft(&self, line: &Entry) -> Option<Draft> {
        let named = match line.operation {
            Operation::Create => line,
            Operation::Delete => self.last_create(&line.id).unwrap_or(line),
        };
        Some(Draft {
            id: line.id.parse().ok()?,
            name: named.name.clone()?,
            tag: named.tag.clone().unwrap_or_default(),
        })
    }
}

impl Model {
    /// Creates a plant, or the plant of a line of the ledger again; returns the number of
    /// the request.
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

    /// Why a create and the delete of the same plant go to two addresses; empty if both go
    /// to one.
    pub(in crate::dashboard) fn two_addresses(&self) -> String {
        let base = &self.address;
        let sandbox = &self.plants.service;
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
