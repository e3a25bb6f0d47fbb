//! Plants that are deleted one after the other.

use super::PlantsTab;
use crate::plant::log::Operation;
use crate::text;

/// The deletes of one question, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Deletes {
    /// The ids that are deleted next, the first at the end.
    pub left: Vec<String>,
    /// The number of all.
    pub count: usize,
    pub done: usize,
    pub refused: Vec<String>,
    /// Why the first was refused.
    pub why: String,
}

impl Deletes {
    /// `true` if they are about several plants.
    pub(super) fn are_many(&self) -> bool {
        self.count > 1
    }

    /// Counts a delete that was done.
    pub(super) fn was_done(&mut self) {
        self.done += 1;
    }

    /// Counts a delete that was refused.
    pub(super) fn was_refused(&mut self, id: &str, why: String) {
        if self.refused.is_empty() {
            self.why = why;
        }
        self.refused.push(id.to_owned());
    }

    /// The sum in words: "18 of 20 plants deleted; refused: 3, 7 (why)".
    pub(super) fn sum(&self) -> String {
        let mut said = format!("{} of {} plants deleted", self.done, self.count);
        if !self.refused.is_empty() {
            let ids = text::first_of(self.refused.iter().cloned(), 3);
            said.push_str(&format!("; refused: {ids} ({})", self.why));
        }
        if !self.left.is_empty() {
            said.push_str(&format!("; {} not sent, still marked", self.left.len()));
        }
        said
    }
}

impl PlantsTab {
    /// `true` if the last change of this run was the create of this plant.
    pub(in crate::dashboard) fn was_created_last(&self, id: &str) -> bool {
        let last = self.last_change.as_ref();
        last.is_some_and(|(operation, last)| *operation == Operation::Create && last == id)
    }

    /// What the undo of a delete leaves of those of one question; empty if it was of one plant.
    pub(in crate::dashboard) fn others_deleted_with(&self, id: &str) -> String {
        let last = self.last_change.as_ref();
        let is_last =
            last.is_some_and(|(operation, last)| *operation == Operation::Delete && last == id);
        let others = self.deletes.done.saturating_sub(1);
        if !is_last || others == 0 {
            return String::new();
        }
        let others = text::counted(others, "other plant stays", "other plants stay");
        format!("This is the last of those deleted together: {others} deleted.")
    }
}
