//! The creates or deletes of one question, which are sent one after the other.

use super::PlantsTab;
use crate::dashboard::request::RequestId;
use crate::plant::log::{Operation, PlantService};
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
}
