//! The state of the dashboard. Only `update` changes it.

use super::components::{Components, usual_columns};
use super::compute::Computed;
use super::deployments::DeploymentsTab;
use super::deployments::deployment::DeploymentState;
use super::event::RequestId;
use super::layout::Layout;
use super::plants::PlantsTab;
use super::row::Row;
use super::shared::{Host, Shared, TrackSource, Watched};
use super::tab::TabId;
use super::tabs::Tab;
use super::targets::Targets;
use super::track::{OnTrack, TrackTab};
use super::widgets::table_state::TableState;
use crate::map::View;
use crate::plant::log::PlantService;
use crate::settings::Settings;
use crate::track::query::Query;

/// The state of the dashboard.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// The state that the tabs share.
    pub shared: Shared,
    /// The tabs.
    pub tabs: Components,
    /// The row that the last action has copied, and in which of its forms.
    pub(crate) copied: Option<(Row, usize)>,
    /// The click targets of the last frame.
    pub(crate) targets: Targets,
}

impl Shell {
    /// The state at the start.
    pub(crate) fn new(settings: Settings, watched: Watched, host: Host) -> Self {
        let has_plants = watched.remote.is_none() && watched.source != TrackSource::Files;
        let service = PlantService::new(&watched.address, &watched.sandbox);
        let track = TrackTab::new(settings.track_sort);
        let sort = settings.deployments_sort;
        let mut shared = Shared::new(settings, watched, host, usual_columns());
        let mut deployments = DeploymentsTab::new(&mut shared.deployments, sort);
        if let Some(uuid) = shared
            .deployments
            .open
            .filter(|_| shared.tab == TabId::Track)
        {
            deployments.select(uuid);
        }
        Self {
            tabs: Components {
                deployments,
                track,
                plants: PlantsTab::new(has_plants.then_some(service)),
                ..Components::default()
            },
            copied: None,
            targets: Targets::default(),
            shared,
        }
    }

    /// Sorts the rows of the list, which have changed.
    pub(super) fn arrange_deployments(&mut self) {
        let now = self.shared.now;
        self.tabs
            .deployments
            .arrange(&mut self.shared.deployments, now);
    }

    /// Sorts the rows of the list in another order.
    pub(super) fn sort_deployments(&mut self) {
        let now = self.shared.now;
        self.tabs
            .deployments
            .arrange_rows(&self.shared.deployments, now);
    }

    /// The deployment under the cursor of the list.
    pub(crate) fn selected(&self) -> Option<&DeploymentState> {
        self.tabs.deployments.selected(&self.shared.deployments)
    }

    /// The open deployment on Track; without one, and on other tabs, the selected one.
    pub(crate) fn chosen_deployment(&self) -> Option<&DeploymentState> {
        let open = self.shared.open_deployment();
        let open = open.filter(|_| self.shared.tab == TabId::Track);
        open.or_else(|| self.selected())
    }

    /// The Track tab with what it shows.
    pub(crate) fn on_track(&self) -> OnTrack<'_> {
        OnTrack {
            tab: &self.tabs.track,
            list: &self.tabs.deployments,
            shared: &self.shared,
        }
    }

    /// The layout at the current size.
    pub(crate) fn layout(&self) -> Layout {
        self.layout_at((self.shared.width, self.shared.height))
    }

    /// The layout of a screen of this size.
    pub(crate) fn layout_at(&self, size: (u16, u16)) -> Layout {
        self.tabs.track.layout_at(&self.shared, size)
    }

    /// The view of the map on this tab.
    pub(crate) fn view(&self) -> Option<View> {
        self.on_track().view()
    }

    /// A job has ended.
    pub(super) fn computed(&mut self, request: RequestId, computed: Computed) {
        match computed {
            Computed::Assembled { deployment, loaded } => {
                self.shared.assembled_again(request, deployment, loaded);
            }
            Computed::Rows(rows) => self
                .tabs
                .track
                .rows_computed(&mut self.shared, request, rows),
            Computed::Parts(parts) => {
                self.tabs
                    .track
                    .parts_computed(&mut self.shared, request, parts)
            }
            Computed::Matches(rows) => self.matches_computed(request, rows),
        }
    }

    /// The query that filters this tab's rows.
    pub(crate) fn filter_query(&self) -> &Query {
        if let Some(tab) = self.component() {
            return &tab.rows().filter;
        }
        match self.shared.tab {
            TabId::Track => &self.tabs.track.arrangement.filter,
            _ => &self.tabs.deployments.filter,
        }
    }

    /// The text of that filter.
    pub(crate) fn filter(&self) -> &str {
        self.filter_query().text()
    }

    /// Number of rows in the table of this tab without its filter.
    pub(crate) fn all_rows(&self) -> usize {
        if let Some(tab) = self.component() {
            return tab.len();
        }
        match self.shared.tab {
            TabId::Track => self.shared.full_track().map_or(0, |track| track.len()),
            _ => self.shared.deployments.list.len(),
        }
    }

    /// Cursor and viewport of the table of this tab.
    pub(crate) fn table(&self) -> TableState {
        if let Some(tab) = self.component() {
            return tab.rows().table;
        }
        match self.shared.tab {
            TabId::Track => self.tabs.track.table,
            _ => self.tabs.deployments.table,
        }
    }

    fn table_mut(&mut self) -> &mut TableState {
        match self.shared.tab {
            TabId::Track => &mut self.tabs.track.table,
            TabId::Deployments => &mut self.tabs.deployments.table,
            TabId::Plants => &mut self.tabs.plants.rows_mut().table,
            TabId::Activity => &mut self.tabs.activity.rows_mut().table,
        }
    }

    /// Moves the cursor of this tab's table, by the number of rows and that of visible rows.
    /// The selected deployment and the fix under the cursor follow.
    pub(crate) fn move_in_table(&mut self, change: impl FnOnce(&mut TableState, usize, usize)) {
        let rows = self.rows();
        let height = usize::from(self.layout().rows.height);
        change(self.table_mut(), rows, height);
        match self.shared.tab {
            TabId::Deployments => {
                self.tabs.deployments.is_chosen = true;
                self.tabs.deployments.before_filter = None;
            }
            TabId::Track => {
                self.tabs.track.before_filter = None;
                self.tabs.track.cursor_from_row(&mut self.shared);
            }
            _ => {}
        }
    }

    /// Puts the cursor of this tab's table on a row.
    pub(crate) fn go_to_row(&mut self, row: usize) {
        self.move_in_table(|table, rows, height| table.go(row, rows, height));
    }

    /// Number of rows in the table of this tab.
    pub(crate) fn rows(&self) -> usize {
        if let Some(tab) = self.component() {
            return tab.rows().order.len();
        }
        match self.shared.tab {
            TabId::Track => self
                .tabs
                .track
                .shown_track(&self.shared)
                .map_or(0, |track| self.tabs.track.rows(track)),
            _ => self.tabs.deployments.order.len(),
        }
    }

    /// Limits cursor and viewport of the shown table to its rows, after each event.
    pub(super) fn settle(&mut self) {
        let rows = self.rows();
        let height = usize::from(self.layout().rows.height);
        self.table_mut().settle(rows, height);
    }
}
