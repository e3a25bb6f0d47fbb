//! The matches of a search in the rows of the shown tab.

use std::collections::BTreeSet;

use super::Matches;
use crate::dashboard::deployments::deployment::{DeploymentState, Part};
use crate::dashboard::model::Model;
use crate::dashboard::tab::Tab;
use crate::track::Wording;
use crate::track::query::{Query, Reading};

impl Model {
    /// How the table of fixes writes times and positions.
    pub(in crate::dashboard) fn wording(&self) -> Wording {
        Wording {
            zone: self.shown_zone().cloned(),
            coordinates: self.settings.coordinates,
        }
    }

    /// A query of this tab's rows by a text, as it is understood now.
    pub(in crate::dashboard) fn query(&self, text: &str) -> Query {
        let charts = self.track.fields.charts.as_ref();
        let fields: BTreeSet<&str> = match self.tab {
            Tab::Track => charts.map_or_else(BTreeSet::new, |charts| charts.names().collect()),
            Tab::Deployments => {
                let values = self
                    .deployments
                    .list
                    .iter()
                    .flat_map(|one| &one.last_values);
                values.map(|(name, _)| name.as_str()).collect()
            }
            Tab::Plants | Tab::Activity => BTreeSet::new(),
        };
        let reading = Reading {
            wording: self.wording(),
            now: self.now,
            speed_unit: self.settings.units.speed_unit(),
            fields: fields.into_iter().collect(),
            times: &|typed| self.times_of(typed),
        };
        Query::new(text, reading)
    }

    /// The rows that match the search, in their order; `None` during the search.
    pub(in crate::dashboard) fn matching_rows(&self) -> Option<Vec<usize>> {
        let search = self.search.as_ref()?;
        let query = &search.query;
        if query.is_empty() || search.names_a_fix() {
            return Some(Vec::new());
        }
        let rows = |found: &mut dyn Iterator<Item = bool>| {
            let matching = found.enumerate().filter(|(_, is_match)| *is_match);
            Some(matching.map(|(row, _)| row).collect())
        };
        match search.tab {
            Tab::Deployments => {
                let now = self.now;
                rows(
                    &mut self
                        .deployments
                        .shown()
                        .map(|deployment| deployment.answers(query, now)),
                )
            }
            Tab::Track => {
                let found = search.rows.as_ref()?.iter();
                Some(found.filter_map(|row| usize::try_from(*row).ok()).collect())
            }
            Tab::Plants => {
                let shown = self.plants.shown();
                rows(
                    &mut shown
                        .into_iter()
                        .map(|entry| query.is_in(|word| entry.contains(word))),
                )
            }
            Tab::Activity => {
                let mut shown = self.shown_exchanges();
                rows(
                    &mut shown
                        .by_ref()
                        .map(|exchange| query.is_in(|word| exchange.contains(word))),
                )
            }
        }
    }

    /// In which part of a deployment each word of the filter and the search are.
    pub(crate) fn found_in(&self, deployment: &DeploymentState) -> Vec<Part> {
        let search = self
            .search
            .as_ref()
            .filter(|search| search.tab == Tab::Deployments);
        let searched = search.into_iter().flat_map(|search| search.query.words());
        let words = self.deployments.filter.words().chain(searched);
        words
            .filter_map(|word| deployment.part_with(word, self.now))
            .collect()
    }

    /// The progress of the search; `None` without a search.
    pub(crate) fn matches(&self) -> Option<Matches> {
        let search = self.search.as_ref()?;
        if search.query.is_empty() || search.names_a_fix() {
            return None;
        }
        if let (Tab::Track, Some(rows)) = (search.tab, &search.rows) {
            // A million rows are not copied for each frame.
            let row = u32::try_from(self.table().cursor).unwrap_or(u32::MAX);
            let number = rows.binary_search(&row).ok().map(|index| index + 1);
            return Some(Matches::Found(rows.len(), number));
        }
        let Some(rows) = self.matching_rows() else {
            return Some(Matches::Searching);
        };
        let number = rows.binary_search(&self.table().cursor).ok();
        Some(Matches::Found(rows.len(), number.map(|index| index + 1)))
    }
}
