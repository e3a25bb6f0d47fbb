//! The map of the list.

use super::DeploymentsTab;
use super::list::Change;
use crate::dashboard::map::content::{Content, Of};
use crate::dashboard::shared::Shared;
use crate::dashboard::tabs::MapTab;
use crate::geo::projection::Projection;
use crate::geo::{Position, geodesic};
use crate::map::View;

impl DeploymentsTab {
    /// The view of the list's map: chosen, or fitted to the instruments that pass the
    /// filter.
    pub(crate) fn world_view(&self, shared: &Shared) -> Option<View> {
        let area = self.layout(shared).map;
        if area.is_empty() {
            return None;
        }
        Some(match &self.view {
            Some(view) => view
                .clone()
                .resized(area.width, area.height, shared.screen.cell_aspect),
            None => self.fitted_world(shared, area.width, area.height),
        })
    }

    /// The latest positions of the deployments that the filter leaves.
    pub(crate) fn latest_positions(&self, shared: &Shared) -> Vec<Position> {
        let shown = self.shown(&shared.deployments);
        shown
            .filter_map(|deployment| Some(deployment.latest()?.position))
            .collect()
    }

    /// The view with every instrument. It is cached, because every frame requests
    /// it.
    fn fitted_world(&self, shared: &Shared, columns: u16, rows: u16) -> View {
        let aspect = shared.screen.cell_aspect;
        let made = || {
            let positions = self.latest_positions(shared);
            View::world_with(&positions, self.projection, columns, rows, aspect)
        };
        let inputs = (
            shared.deployments.placed + self.sorted,
            columns,
            rows,
            aspect,
            self.projection,
        );
        match self.fitted.lock() {
            // Unsorted rows may have other positions.
            Ok(mut fitted) if shared.deployments.change == Change::None => {
                fitted.get(inputs, |_| made()).clone()
            }
            _ => made(),
        }
    }

    /// The content of its map, in a view.
    pub(in crate::dashboard) fn content<'a>(&self, shared: &'a Shared, view: View) -> Content<'a> {
        let list = &shared.deployments;
        let index = |row: usize| list.index(*self.order.get(row)?);
        let order = self.order.iter().filter_map(|uuid| list.index(*uuid));
        let of = Of::List {
            order: order.collect(),
            selected: index(self.table.cursor),
        };
        Content { shared, view, of }
    }
}

impl MapTab for DeploymentsTab {
    fn view(&self, shared: &Shared) -> Option<View> {
        self.world_view(shared)
    }

    fn set_view(&mut self, view: Option<View>) {
        self.view = view;
    }

    fn set_projection(&mut self, projection: Option<Projection>) {
        (self.projection, self.view) = (projection, None);
    }

    fn projections(&self, shared: &Shared) -> Vec<Projection> {
        View::world_projections(&self.latest_positions(shared))
    }

    fn anchor(&self, shared: &Shared) -> Option<Position> {
        Some(self.selected(&shared.deployments)?.latest()?.position)
    }

    fn go_near(&mut self, shared: &mut Shared, position: Position) {
        let with_fix = self.shown(&shared.deployments).filter_map(|deployment| {
            let fix = deployment.latest()?;
            let away = geodesic::inverse(position, fix.position).distance_m;
            Some((deployment.uuid(), away))
        });
        if let Some((uuid, _)) = with_fix.min_by(|a, b| a.1.total_cmp(&b.1)) {
            self.before_filter = None;
            self.select(uuid);
        }
    }

    // From its deployments to the world and back.
    fn beyond_fit(&self, view: &View) -> Option<View> {
        let world = || View::world(view.columns, view.rows, view.cell_aspect);
        self.view.is_none().then(world)
    }
}
