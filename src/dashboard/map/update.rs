//! Actions on the map.

use crate::dashboard::keymap::Action;
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::Pane;
use crate::dashboard::widgets::text::Text;
use crate::geo::Position;
use crate::geo::projection::Projection;
use crate::map::View;

/// The factor by which one press of a zoom key changes the scale.
const ZOOM_STEP: f64 = 1.5;
/// The part of its size by which one press of a pan key moves the map.
const PAN_STEP: f64 = 0.2;

impl Shell {
    /// The projections that can show all of the track, or every instrument.
    pub(crate) fn offered_projections(&self) -> Vec<Projection> {
        let map = self.tab().map();
        map.map_or_else(Vec::new, |map| map.projections(&self.shared))
    }

    /// The whole globe, centred on the cursor if that is on the map.
    fn globe(&self, view: &View) -> View {
        let centre = self.anchor(view).unwrap_or(view.centre);
        View::globe(centre, view.columns, view.rows, view.cell_aspect)
    }

    /// The position that does not move while zooming: the cursor's fix, if it is on the
    /// map.
    fn anchor(&self, view: &View) -> Option<Position> {
        let position = self.tab().map()?.anchor(&self.shared)?;
        view.shows(position).then_some(position)
    }

    pub(crate) fn set_view(&mut self, view: Option<View>) {
        if let Some(map) = self.tab_mut().0.map_mut() {
            map.set_view(view);
        }
    }

    /// Fits the map again, in a projection or in the best one.
    fn set_projection(&mut self, projection: Option<Projection>) {
        if let Some(map) = self.tab_mut().0.map_mut() {
            map.set_projection(projection);
        }
    }

    /// Shows the map in the next projection that can show all of the track or every
    /// instrument, or on the globe, and names the others.
    fn next_projection(&mut self, view: &View) {
        let offered = self.offered_projections();
        let mut all = offered.clone();
        if !all.contains(&Projection::Globe) {
            all.push(Projection::Globe);
        }
        let index = all.iter().position(|other| *other == view.projection);
        let following = index.map_or(0, |index| index + 1);
        let next = all.iter().copied().cycle().nth(following);
        let projection = next.unwrap_or(Projection::Globe);
        if offered.contains(&projection) {
            self.set_projection(Some(projection))
        } else {
            self.set_view(Some(self.globe(view)))
        }
        let others = all.iter().filter(|other| **other != projection);
        let names: Vec<&str> = others.map(|other| other.name()).collect();
        let short = format!("projection: {}", projection.name());
        let said = Text::from(format!("{short}; others: {}", names.join(", ")));
        self.shared.notify(said.or(short));
    }

    /// Performs an action on the map.
    pub(crate) fn act_on_map(&mut self, action: Action) {
        if self.layout().map.is_empty() && self.tab().map().is_some() {
            // A full-size pane hides the map, or a small screen has no room for it: a
            // key of the map shows it.
            self.shared.screen.pane = Pane::Map;
            self.shared.screen.full = self.shared.screen.full || self.layout().map.is_empty();
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
            Action::FitWorld => self.globe(&view),
            Action::Projection => return self.next_projection(&view),
            _ => match self.tab().map().and_then(|map| map.beyond_fit(&view)) {
                Some(beyond) => beyond,
                None => return self.set_projection(None),
            },
        };
        self.set_view(Some(view));
    }
}
