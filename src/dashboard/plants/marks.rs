//! The marked plants, which one question deletes.

use std::collections::BTreeSet;

use super::PlantsTab;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::tabs::{Outcome, RowsTab};
use crate::text;

impl PlantsTab {
    /// Marks the chosen plant, or no longer.
    pub(super) fn mark(&mut self, shared: &Shared) -> Outcome {
        let Some(id) = self.selected().map(|plant| plant.id.clone()) else {
            return Outcome::Done;
        };
        if !self.marked.remove(&id) {
            self.marked.insert(id);
        }
        self.say_marked(shared)
    }

    /// Marks all plants that are shown, or none of them if all are marked.
    pub(super) fn mark_all(&mut self, shared: &Shared) -> Outcome {
        let shown = self.rows.order.iter();
        let shown: Vec<String> = shown.filter_map(|row| self.subject(*row)).collect();
        let are_marked = shown.iter().all(|id| self.marked.contains(id));
        for id in shown {
            match are_marked {
                true => self.marked.remove(&id),
                false => self.marked.insert(id),
            };
        }
        self.say_marked(shared)
    }

    fn say_marked(&self, shared: &Shared) -> Outcome {
        let delete = shared.key_of(Action::DeletePlant);
        let all = match self.marked.len() < self.rows.order.len() {
            true => format!("; {}: all", shared.key_of(Action::MarkAll)),
            false => String::new(),
        };
        Outcome::Say(match self.marked.len() {
            0 => "none is marked".to_owned(),
            count => format!("{delete} deletes  {} marked{all}", text::count(count)),
        })
    }

    /// The ids that a delete is about: those that are marked, else that of the chosen row.
    pub(super) fn to_delete(&self) -> Vec<String> {
        if self.marked.is_empty() {
            return self
                .selected()
                .map(|plant| plant.id.clone())
                .into_iter()
                .collect();
        }
        let all = self
            .rows
            .order
            .iter()
            .filter_map(|row| self.plants.get(*row));
        let shown = all
            .map(|plant| &plant.id)
            .filter(|id| self.marked.contains(*id));
        let mut ids: Vec<String> = shown.cloned().collect();
        let hidden = self.marked.iter().filter(|id| !ids.contains(id)).cloned();
        let hidden: Vec<String> = hidden.collect();
        ids.extend(hidden);
        ids
    }

    /// How many of these plants are marked, and how many of those no row shows.
    pub(in crate::dashboard) fn marked_of(&self, ids: &[String]) -> (usize, usize) {
        let marked = ids.iter().filter(|id| self.marked.contains(*id));
        let shown = self.rows.order.iter();
        let shown = shown.filter_map(|row| self.plants.get(*row));
        let shown: BTreeSet<&str> = shown.map(|plant| plant.id.as_str()).collect();
        let hidden = marked.clone().filter(|id| !shown.contains(id.as_str()));
        (marked.count(), hidden.count())
    }
}
