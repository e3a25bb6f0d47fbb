//! The views of the two maps, and the position under the mouse.

use std::sync::Arc;

use crate::dashboard::deployments::DeploymentsTab;
use crate::dashboard::deployments::list::Change;
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::TabId;
use crate::dashboard::track::FittedTo;
use crate::dashboard::track::{OnTrack, TrackTab};
use crate::geo::circle::WatchCircle;
use crate::geo::{Inside, Position};
use crate::map::{MapFrame, PreparedTrack, View};

impl Shared {
    /// The watch circle or area of the open deployment, and the circle in which it is to be
    /// looked for.
    fn areas(&self) -> Vec<Inside> {
        // Those of each would move the map of several with every other table.
        let Some(open) = self.deployments.open.filter(|_| self.together().len() == 1) else {
            return Vec::new();
        };
        let found = self
            .whereabouts(open)
            .and_then(|known| known.found.as_ref().ok());
        let sought = found.map(|found| {
            Inside::Circle(WatchCircle {
                centre: found.position,
                radius_m: found.r90_m,
            })
        });
        self.inside().cloned().into_iter().chain(sought).collect()
    }

    /// The watch circle or area of the open deployment.
    pub(crate) fn inside(&self) -> Option<&Inside> {
        let open = self.deployments.get(self.deployments.open?)?;
        open.deployment.limits.inside.as_ref()
    }
}

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
                .resized(area.width, area.height, shared.cell_aspect),
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
        let aspect = shared.cell_aspect;
        let usual_projection = shared.settings.world_projection;
        let made = || {
            let positions = self.latest_positions(shared);
            let usual = || usual_projection.among(&View::world_projections(&positions));
            match self.projection.or_else(usual) {
                Some(projection) => View::world_in(projection, &positions, columns, rows, aspect),
                None => View::world_of(&positions, columns, rows, aspect),
            }
        };
        let chosen = (self.projection, usual_projection);
        let inputs = (
            shared.deployments.placed + self.sorted,
            columns,
            rows,
            aspect,
            chosen,
        );
        match self.fitted.lock() {
            // Unsorted rows may have other positions.
            Ok(mut fitted) if shared.deployments.change == Change::None => {
                fitted.get(inputs, |_| made()).clone()
            }
            _ => made(),
        }
    }
}

impl TrackTab {
    /// The view of the track's map: chosen, or fitted to the track.
    pub(crate) fn track_view(&self, shared: &Shared) -> Option<View> {
        let area = self.layout(shared).map;
        if area.is_empty() {
            return None;
        }
        let view = match &self.view {
            Some(view) => view
                .clone()
                .resized(area.width, area.height, shared.cell_aspect),
            None => self.fitted_tracks(shared),
        };
        Some(view)
    }

    /// The map of Track that a view is fitted to.
    pub(super) fn track_frame(&self, shared: &Shared) -> MapFrame {
        let area = self.layout(shared).map;
        MapFrame {
            columns: area.width,
            rows: area.height,
            cell_aspect: shared.cell_aspect,
            areas: shared.areas(),
            projection: self.projection,
            usual_projection: shared.settings.track_projection,
        }
    }

    /// The view with all tracks of the map. It is cached, because every frame requests
    /// it.
    fn fitted_tracks(&self, shared: &Shared) -> View {
        let drawn = self.drawn(shared);
        let tracks: Vec<_> = drawn.iter().map(|drawn| Arc::clone(drawn.track)).collect();
        let fit = |(tracks, frame): &FittedTo| {
            let tracks: Vec<&PreparedTrack> = tracks.iter().map(AsRef::as_ref).collect();
            frame.fitted(&tracks)
        };
        let inputs = (tracks, self.track_frame(shared));
        match self.fitted.lock() {
            Ok(mut fitted) => fitted.get(inputs, fit).clone(),
            Err(_) => fit(&inputs),
        }
    }
}

impl OnTrack<'_> {
    /// The view of the map on this tab.
    pub(crate) fn view(&self) -> Option<View> {
        match self.shared.tab {
            TabId::Track => self.tab.track_view(self.shared),
            TabId::Deployments => self.list.world_view(self.shared),
            _ => None,
        }
    }

    /// The position under the mouse; `None` while it is not over the map.
    pub(crate) fn pointed_at(&self) -> Option<Position> {
        let (column, row) = self.tab.pointer?;
        self.position_in(column, row)
    }

    /// The position in a cell of the screen; `None` outside the map.
    pub(crate) fn position_in(&self, column: u16, row: u16) -> Option<Position> {
        let area = self.tab.layout(self.shared).map;
        if !area.contains((column, row).into()) {
            return None;
        }
        // The middle of the cell, in cells from the map's corner.
        self.view()?.position_at(
            f64::from(column - area.x) + 0.5,
            f64::from(row - area.y) + 0.5,
        )
    }
}
