//! The marked plants, which one question deletes.

use std::collections::BTreeSet;

use super::PlantsTab;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::tabs::Outcome;
use crate::dashboard::tabs::rows::answers;
use crate::plant::state::Plant;
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
        let all = match self.can_be_marked(shared).is_subset(&self.marked) {
            true => String::new(),
            false => format!("; {} marks all", shared.key_of(Action::MarkAll)),
        };
        self.say_marked(shared, &all)
    }

    /// Marks all that can be marked together; unmarks them if all are marked. While a search
    /// stands, those that it finds.
    pub(super) fn mark_all(&mut self, shared: &Shared) -> Outcome {
        let ids = self.can_be_marked(shared);
        if ids.is_subset(&self.marked) {
            self.marked.retain(|id| !ids.contains(id));
            return self.say_marked(shared, "");
        }
        self.marked.extend(ids);
        let others = self.sought(shared);
        let others = others.filter(|plant| !self.marked.contains(&plant.id));
        let others = match others.count() {
            0 => String::new(),
            1 => "; 1 does not exist".to_owned(),
            count => format!("; {} do not exist", text::count(count)),
        };
        self.say_marked(shared, &others)
    }

    /// Those of the sought plants that exist or may exist; all of them if none does.
    fn can_be_marked(&self, shared: &Shared) -> BTreeSet<String> {
        let may_exist = |plant: &&Plant| !self.state(plant).is_free();
        let some_exist = self.sought(shared).any(|plant| may_exist(&plant));
        let plants = self.sought(shared);
        let plants = plants.filter(|plant| !some_exist || may_exist(plant));
        plants.map(|plant| plant.id.clone()).collect()
    }

    /// The shown plants that the search finds; all that are shown without one.
    fn sought(&self, shared: &Shared) -> impl Iterator<Item = &Plant> {
        let query = shared.screen.searched().map(|search| &search.query);
        let rows = self.rows.order.iter().copied();
        let rows = rows.filter(move |row| query.is_none_or(|query| answers(self, *row, query)));
        rows.filter_map(|row| self.plants.get(row))
    }

    /// The shown plants in their order.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Plant> {
        let rows = self.rows.order.iter();
        rows.filter_map(|row| self.plants.get(*row))
    }

    fn say_marked(&self, shared: &Shared, more: &str) -> Outcome {
        let delete = shared.key_of(Action::DeletePlant);
        Outcome::Say(match self.marked.len() {
            0 => "none is marked".to_owned(),
            count => format!("{delete} deletes  {} marked{more}", text::count(count)),
        })
    }

    /// The ids that a delete is about: those that are marked, those shown first, else that of
    /// the chosen row. Its page shows no marks, and is about that plant alone.
    pub(super) fn to_delete(&self, shared: &Shared) -> Vec<String> {
        if self.marked.is_empty() || shared.screen.full {
            return Vec::from_iter(self.selected().map(|plant| plant.id.clone()));
        }
        let shown = self.shown().map(|plant| &plant.id);
        let shown: Vec<&String> = shown.filter(|id| self.marked.contains(*id)).collect();
        let hidden = self.marked.iter().filter(|id| !shown.contains(id));
        shown.iter().copied().chain(hidden).cloned().collect()
    }

    /// How many of these plants are marked, and how many of those no row shows.
    pub(in crate::dashboard) fn marked_of(&self, ids: &[String]) -> (usize, usize) {
        let marked = ids.iter().filter(|id| self.marked.contains(*id));
        let shown: BTreeSet<&str> = self.shown().map(|plant| plant.id.as_str()).collect();
        let hidden = marked.clone().filter(|id| !shown.contains(id.as_str()));
        (marked.count(), hidden.count())
    }
}
