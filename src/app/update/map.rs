//! Actions on the map.

use crate::app::keymap::Action;
use crate::app::state::Model;
use crate::app::state::tab::{Pane, Tab};
use crate::chart::View;
use crate::geo::Position;

/// One press of a zoom key.
const ZOOM_STEP: f64 = 1.5;
/// One press of a pan key moves the map by this part of its size.
const PAN_STEP: f64 = 0.2;

impl Model {
    pub(super) fn set_view(&mut self, view: Option<View>) {
        match self.tab {
            Tab::Track => self.track.view = view,
            Tab::Deployments => self.deployments.view = view,
            Tab::Plants | Tab::Activity => {}
        }
    }

    /// The position that zooming keeps in place: the cursor's fix, if it is on
    /// the map.
    fn anchor(&self, view: &View) -> Option<Position> {
        let position = match self.tab {
            Tab::Track => self.open_one()?.fix(self.track.cursor)?.position,
            Tab::Deployments => self.deployments.selected()?.track.get()?.latest()?.position,
            Tab::Plants | Tab::Activity => return None,
        };
        view.shows(position).then_some(position)
    }

    /// Performs an action on the map.
    pub(super) fn act_on_map(&mut self, action: Action) {
        if self.layout().map.is_empty() && matches!(self.tab, Tab::Track | Tab::Deployments) {
            // A full-size pane hides the map: a key of the map shows it again.
            self.pane = Pane::Map;
            self.full = self.tab == Tab::Deployments || self.full;
        }
        let Some(view) = self.view() else {
            return;
        };
        let view = match action {
            Action::ZoomIn => view.zoomed(ZOOM_STEP, self.anchor(&view)),
            Action::ZoomOut => view.zoomed(1.0 / ZOOM_STEP, self.anchor(&view)),
            Action::PanLeft => view.panned(-PAN_STEP, 0.0),
            Action::PanRight => view.panned(PAN_STEP, 0.0),
            Action::PanUp => view.panned(0.0, -PAN_STEP),
            Action::PanDown => view.panned(0.0, PAN_STEP),
            Action::FitWorld => {
                let centre = self.anchor(&view).unwrap_or(view.centre);
                View::globe(centre, view.columns, view.rows, view.cell_aspect)
            }
            Action::Projection => {
                let view = view.next_projection();
                self.notify(format!("projection: {}", view.projection_name()));
                view
            }
            _ => {
                self.set_view(None);
                return;
            }
        };
        self.set_view(Some(view));
    }
}
