//! The Plants tab: what was created and deleted from this computer.

use super::table::{Direction, TableState};
use crate::app::event::RequestId;
use crate::plant::Draft;
use crate::plant::ledger::{Entry, Operation, Outcome};

/// The tab.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlantsTab {
    /// The address at which plants are created, as the ledger has it.
    pub service: String,
    /// The lines of that service, and those that do not say theirs, oldest
    /// first.
    pub ledger: Vec<Entry>,
    /// Cursor over the rows shown.
    pub table: TableState,
    /// What the rows are filtered by.
    pub filter: String,
    /// Newest first unless turned round.
    pub direction: Direction,
    /// Creates and deletes in progress.
    pub in_progress: Vec<PlantRequest>,
}

/// A create or delete that was sent and has not been answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlantRequest {
    /// Its number.
    pub request: RequestId,
    /// What was asked.
    pub operation: Operation,
    /// The plant's identifier.
    pub id: String,
}

impl PlantsTab {
    /// Takes the lines that concern this service: a plant of another is neither
    /// deleted nor created again here.
    pub(in crate::app) fn take_ledger(&mut self, mut ledger: Vec<Entry>) {
        ledger.retain(|entry| entry.service.is_none() || self.is_here(entry));
        self.ledger = ledger;
    }

    /// Whether a line says that it is of this service.
    fn is_here(&self, entry: &Entry) -> bool {
        entry.service.as_ref() == Some(&self.service)
    }

    /// The rows shown: newest first, filter applied.
    pub(crate) fn shown(&self) -> Vec<&Entry> {
        let filter = self.filter.to_lowercase();
        let contains = |text: &Option<String>| {
            text.as_ref()
                .is_some_and(|text| text.to_lowercase().contains(&filter))
        };
        let mut rows: Vec<&Entry> = self
            .ledger
            .iter()
            .filter(|entry| {
                filter.is_empty()
                    || entry.id.to_lowercase().contains(&filter)
                    || contains(&entry.name)
                    || contains(&entry.tag)
                    || entry.word().contains(&filter)
            })
            .collect();
        if self.direction == Direction::Ascending {
            rows.reverse();
        }
        rows
    }

    /// The row under the cursor.
    pub(crate) fn selected(&self) -> Option<&Entry> {
        self.shown().get(self.table.cursor).copied()
    }

    /// What `U` creates: the plant under the cursor if what came of its create
    /// is unknown, else the last one deleted.
    pub(crate) fn creatable(&self) -> Option<Draft> {
        let unknown = self.selected().filter(|entry| {
            self.is_here(entry)
                && entry.operation == Operation::Create
                && entry.outcome == Outcome::Unknown
        });
        match unknown {
            Some(entry) => Some(Draft {
                id: entry.id.parse().ok()?,
                name: entry.name.clone()?,
                tag: entry.tag.clone().unwrap_or_default(),
            }),
            None => self.last_deleted(),
        }
    }

    /// The last plant that was deleted and could be created again.
    pub(crate) fn last_deleted(&self) -> Option<Draft> {
        let (place, gone) = self.ledger.iter().enumerate().rev().find(|(_, entry)| {
            self.is_here(entry)
                && entry.operation == Operation::Delete
                && entry.outcome == Outcome::Done
        })?;
        // One that was created again since, or may have been, is not gone.
        let came_back = self.ledger.iter().skip(place).any(|later| {
            later.id == gone.id
                && later.operation == Operation::Create
                && !matches!(later.outcome, Outcome::Refused | Outcome::NotSent)
        });
        let coming = self
            .in_progress
            .iter()
            .any(|one| one.id == gone.id && one.operation == Operation::Create);
        if came_back || coming {
            return None;
        }
        let known = self
            .ledger
            .iter()
            .rev()
            .find(|entry| self.is_here(entry) && entry.id == gone.id && entry.name.is_some())?;
        Some(Draft {
            id: gone.id.parse().ok()?,
            name: known.name.clone()?,
            tag: known.tag.clone().unwrap_or_default(),
        })
    }
}
