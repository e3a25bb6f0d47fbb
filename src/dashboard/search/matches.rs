//! The rows that match a search, and how its text is understood.

use crate::dashboard::deployments::DeploymentsTab;
use crate::dashboard::effect::Effect;
use crate::dashboard::search::Matches;
use crate::dashboard::shared::Shared;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::track::Wording;
use crate::track::query::{Query, Reading};
use std::borrow::Cow;
use uuid::Uuid;

impl Shared {
    /// How the table of fixes writes times and positions.
    pub(in crate::dashboard) fn wording(&self) -> Wording {
        Wording {
            zone: self.shown_zone().cloned(),
            coordinates: self.settings.coordinates,
        }
    }
}

impl Shell {
    /// A query of this tab's rows by a text, as it is understood now.
    pub(in crate::dashboard) fn query(&self, text: &str) -> Query {
        let tab = self.tab();
        let reading = Reading {
            wording: self.shared.wording(),
            now: self.shared.now,
            speed_unit: self.shared.settings.units.speed_unit(),
            fields: tab.fields(&self.shared).into_iter().collect(),
            texts: tab.texts(),
            times: &|typed| self.tabs.track.time_range(&self.shared, typed),
        };
        Query::new(text, reading)
    }

    /// The rows that match the search, in their order; `None` during the search.
    pub(in crate::dashboard) fn matching_rows(&self) -> Option<Cow<'_, [u32]>> {
        let screen = &self.shared.screen;
        match screen.searched() {
            Some(search) => self
                .tabs
                .get(screen.tab)
                .matching(&self.shared, &search.query),
            None => screen.search.as_ref().map(|_| Cow::default()),
        }
    }

    /// The progress of the search; `None` without a search.
    pub(crate) fn matches(&self) -> Option<Matches> {
        self.shared.screen.searched()?;
        let Some(rows) = self.matching_rows() else {
            return Some(Matches::Searching);
        };
        let row = u32::try_from(self.table().cursor).unwrap_or(u32::MAX);
        let number = rows.binary_search(&row).ok().map(|index| index + 1);
        Some(Matches::Found(rows.len(), number))
    }

    /// The name of what the search finds.
    pub(crate) fn match_noun(&self) -> &'static str {
        let search = self.shared.screen.search.as_ref();
        search.map_or("match", |search| self.tab().match_noun(&search.query))
    }
}

impl Shared {
    /// Has the last values of the fields of these deployments known: a track that was read
    /// from a file has its fields. Returns `true` if any are read from the archive.
    pub(in crate::dashboard) fn read_last_values(
        &mut self,
        is_wanted: impl Fn(Uuid) -> bool,
    ) -> bool {
        if self.screen.tab != TabId::Deployments {
            return false;
        }
        let mut others = Vec::new();
        let list = self.deployments.list.iter_mut();
        for deployment in list.filter(|deployment| is_wanted(deployment.uuid())) {
            let track = deployment.track.get();
            match track.filter(|track| !track.fields().is_empty()) {
                Some(track) => deployment.last_values = track.last_values(),
                None => others.push(deployment.deployment.clone()),
            }
        }
        let are_read = !others.is_empty();
        if are_read {
            self.send(Effect::ReadLastValues(others));
        }
        are_read
    }
}

impl DeploymentsTab {
    /// Reads the last values of the fields of the selected deployment, which its details
    /// next to the map show: once for each last fix, and one deployment at a time, so that
    /// a held key does not fill the queue of the archive.
    pub(in crate::dashboard) fn read_selected_values(&self, shared: &mut Shared) {
        if shared.screen.tab != TabId::Deployments || shared.deployments.is_reading_values {
            return;
        }
        let selected = self.selected(&shared.deployments);
        let unread = selected.and_then(|deployment| {
            let latest = deployment.latest()?.time_stamp;
            (deployment.values_at != Some(latest)).then(|| (deployment.uuid(), latest))
        });
        let Some((uuid, latest)) = unread else {
            return;
        };
        if shared.past_moment().is_some() || self.layout(shared).summary.is_empty() {
            return;
        }
        if let Some(deployment) = shared.deployments.get_mut(uuid) {
            deployment.values_at = Some(latest);
        }
        shared.deployments.is_reading_values = shared.read_last_values(|id| id == uuid);
    }
}

impl Shell {
    /// Takes the last values of deployments. A filter, and a search that is being typed,
    /// read the names of the fields again.
    pub(in crate::dashboard) fn last_values_read(&mut self, all: Vec<(Uuid, Vec<(String, f64)>)>) {
        self.shared.deployments.is_reading_values = false;
        for (uuid, values) in all {
            if let Some(one) = self.shared.deployments.get_mut(uuid) {
                one.last_values = values;
            }
        }
        if self.shared.screen.tab != TabId::Deployments {
            return;
        }
        let filter = self.tabs.deployments.filter.text().to_owned();
        if !filter.is_empty() {
            self.set_filter(&filter);
        }
        let search = self.shared.screen.search.as_ref();
        let left = search.filter(|search| !search.is_typed);
        if let Some(text) = left.map(|search| search.query.text().to_owned()) {
            self.find(&text);
        }
    }
}
