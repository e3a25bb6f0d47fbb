//! The state of the dashboard. Only `update` changes it.

use super::components::{Components, usual_columns};
use super::compute::{Computed, JobKind};
use super::deployments::DeploymentsTab;
use super::deployments::deployment::DeploymentState;
use super::event::RequestId;
use super::layout::Layout;
use super::map::content::position_in;
use super::plants::PlantsTab;
use super::row::Row;
use super::shared::{Host, Shared, TrackSource, Watched};
use super::tab::{Pane, TabId};
use super::tabs::Tab;
use super::targets::{Drag, Targets};
use super::track::TrackTab;
use super::widgets::table_state::TableState;
use crate::geo::Position;
use crate::map::View;
use crate::plant::log::PlantService;
use crate::settings::Settings;

/// The state of the dashboard.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// The state that the tabs share.
    pub shared: Shared,
    pub tabs: Components,
    /// The row that the last action has copied, and in which of its forms.
    pub(crate) copied: Option<(Row, usize)>,
    /// The press on the map that has not been released yet.
    pub(crate) drag: Option<Drag>,
    /// The click targets of the last frame.
    pub(crate) targets: Targets,
}

impl Shell {
    /// The state at the start.
    pub(crate) fn new(settings: Settings, watched: Watched, host: Host) -> Self {
        let has_plants = watched.remote.is_none() && watched.source != TrackSource::Files;
        let service = PlantService::new(&watched.address, &watched.sandbox);
        let mut shared = Shared::new(settings, watched, host, usual_columns());
        let mut deployments = DeploymentsTab::new(&mut shared.deployments);
        let open = shared.deployments.open;
        if let Some(uuid) = open.filter(|_| shared.screen.tab == TabId::Track) {
            deployments.select(uuid);
        }
        Self {
            tabs: Components {
                deployments,
                track: TrackTab::new(),
                plants: PlantsTab::new(has_plants.then_some(service)),
                ..Components::default()
            },
            copied: None,
            drag: None,
            targets: Targets::default(),
            shared,
        }
    }

    /// Sorts the rows of the list, which have changed.
    pub(super) fn arrange_deployments(&mut self) {
        let tab = &mut self.tabs.deployments;
        tab.arrange(&mut self.shared.deployments, self.shared.now);
    }

    /// The deployment under the cursor of the list.
    pub(crate) fn selected(&self) -> Option<&DeploymentState> {
        self.tabs.deployments.selected(&self.shared.deployments)
    }

    /// The deployment that an action of this tab is about; without one, the selected one.
    pub(crate) fn chosen_deployment(&self) -> Option<&DeploymentState> {
        self.deployment().or_else(|| self.selected())
    }

    /// The deployment that this tab shows, or whose row is selected.
    pub(crate) fn deployment(&self) -> Option<&DeploymentState> {
        let uuid = self.tab().deployment(&self.shared)?;
        self.shared.deployments.get(uuid)
    }

    /// The shown tab. The picture of a search is Track's, over whichever tab.
    pub(crate) fn tab(&self) -> &dyn Tab {
        self.tabs.get(self.shared.tab_drawn())
    }

    /// The shown tab, to change with what all share.
    pub(crate) fn tab_mut(&mut self) -> (&mut dyn Tab, &mut Shared) {
        let tab = self.tabs.get_mut(self.shared.tab_drawn());
        (tab, &mut self.shared)
    }

    /// The layout at the current size.
    pub(crate) fn layout(&self) -> Layout {
        self.layout_at((self.shared.screen.width, self.shared.screen.height))
    }

    /// The layout of a screen of this size.
    pub(crate) fn layout_at(&self, size: (u16, u16)) -> Layout {
        let arrangement = self.tab().arrangement(&self.shared);
        self.shared.layout_at(size, arrangement)
    }

    /// The pane that has the focus.
    pub(crate) fn focused(&self) -> Pane {
        let full = self.shared.screen.full.then_some(self.shared.screen.pane);
        let arrangement = self.tab().arrangement(&self.shared);
        arrangement.focused(self.shared.screen.pane, full)
    }

    /// The view of the map on this tab.
    pub(crate) fn view(&self) -> Option<View> {
        self.tab().map()?.view(&self.shared)
    }

    /// The position in a cell of the screen; `None` outside the map.
    pub(crate) fn position_in(&self, (column, row): (u16, u16)) -> Option<Position> {
        let area = self.layout().map;
        let is_inside = area.contains((column, row).into());
        position_in(&self.view().filter(|_| is_inside)?, area, (column, row))
    }

    /// A job has ended.
    pub(super) fn computed(&mut self, request: RequestId, computed: Computed) {
        let Self { shared, tabs, .. } = self;
        match (shared.job_ended(request), computed) {
            (Some(JobKind::Assembled(uuid)), Computed::Assembled(loaded)) => {
                shared.show_track(uuid, loaded);
            }
            (Some(_), Computed::Rows(rows)) => tabs.track.rows_arranged(shared, rows),
            (Some(_), Computed::Parts(parts)) => tabs.track.parts_computed(shared, parts),
            (Some(_), Computed::Matches(rows)) => self.matches_computed(rows),
            _ => {}
        }
    }

    /// The text that filters this tab's rows.
    pub(crate) fn filter(&self) -> &str {
        self.tab().filter().text()
    }

    /// Cursor and viewport of the table of this tab.
    pub(crate) fn table(&self) -> TableState {
        self.tab().table()
    }

    /// Moves the cursor of this tab's table, by the number of rows and that of visible rows.
    /// The selected deployment and the fix under the cursor follow.
    pub(crate) fn move_in_table(&mut self, change: impl FnOnce(&mut TableState, usize, usize)) {
        let rows = self.rows();
        let height = usize::from(self.layout().rows.height);
        let (tab, shared) = self.tab_mut();
        change(tab.table_mut(), rows, height);
        tab.moved(shared);
    }

    /// Puts the cursor of this tab's table on a row.
    pub(crate) fn go_to_row(&mut self, row: usize) {
        self.move_in_table(|table, rows, height| table.go(row, rows, height));
    }

    /// Number of rows in the table of this tab.
    pub(crate) fn rows(&self) -> usize {
        self.tab().row_count(&self.shared)
    }

    /// Limits cursor and viewport of the shown table to its rows, after each event.
    pub(super) fn settle(&mut self) {
        let rows = self.rows();
        let height = usize::from(self.layout().rows.height);
        self.tab_mut().0.table_mut().settle(rows, height);
    }
}
