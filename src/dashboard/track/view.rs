//! The map of a track.

use super::TrackTab;
use crate::dashboard::map::content::{Content, Of, OfTrack};
use crate::dashboard::shared::Shared;
use crate::dashboard::tabs::MapTab;
use crate::geo::circle::WatchCircle;
use crate::geo::projection::Projection;
use crate::geo::{Inside, Position};
use crate::map::{Fitted, PreparedTrack, View};

impl Shared {
    /// The areas that the map of Track is fitted to besides its tracks: the watch circle or area
    /// of the open deployment; in the picture of a search all that is marked there, without them.
    fn areas(&self) -> Vec<Inside> {
        // Those of each would move the map of several with every other table.
        let Some(open) = self.deployments.open.filter(|_| self.together().len() == 1) else {
            return Vec::new();
        };
        if self.map.sought.picture.is_none() {
            return self.inside().cloned().into_iter().collect();
        }
        let Some(known) = self.whereabouts(open) else {
            return Vec::new();
        };
        let circle = |centre: Position, radius_m| Inside::Circle(WatchCircle { centre, radius_m });
        let answer = known.found.as_ref().ok();
        let found = answer.map(|found| circle(found.position, found.r90_m));
        let ship = self.map.sought.ship(self.now).map(|ship| ship.position);
        let course = self.map.sought.course(self.now);
        let intercept = course.and_then(|course| course.intercept);
        let meeting = intercept.map(|meeting| meeting.position);
        // Without a circle and a ship the fix alone has no extent.
        let last = known.fix.map(|fix| fix.position);
        let fix = last.filter(|_| found.is_some() || ship.is_some());
        let known = [fix, ship, meeting].into_iter().flatten();
        let points = known.map(|point| circle(point, 0.0));
        found.into_iter().chain(points).collect()
    }

    /// The watch circle or area of the open deployment.
    pub(crate) fn inside(&self) -> Option<&Inside> {
        let open = self.deployments.get(self.deployments.open?)?;
        open.deployment.limits.inside.as_ref()
    }
}

impl TrackTab {
    /// The view of the track's map: chosen, or fitted to the track.
    pub(crate) fn track_view(&self, shared: &Shared) -> Option<View> {
        let area = self.layout(shared).map;
        if area.is_empty() {
            return None;
        }
        let (columns, rows) = (area.width, area.height);
        let aspect = shared.screen.cell_aspect;
        Some(match &self.view {
            Some(view) => view.clone().resized(columns, rows, aspect),
            None => View::fit_to(&self.fitted(shared), columns, rows, aspect),
        })
    }

    /// The content of a fitted map: all its tracks and areas, in the picture of a search the areas
    /// alone if there are any.
    fn fitted(&self, shared: &Shared) -> Fitted {
        let areas = shared.areas();
        let is_picture = shared.map.sought.picture.is_some() && !areas.is_empty();
        let drawn = self.drawn(shared).into_iter().filter(|_| !is_picture);
        let tracks: Vec<&PreparedTrack> = drawn.map(|drawn| drawn.track.as_ref()).collect();
        Fitted::new(&tracks, areas, self.projection)
    }

    /// The content of its map; `None` if it has no room.
    pub(crate) fn content<'a>(&'a self, shared: &'a Shared) -> Option<Content<'a>> {
        let of = OfTrack {
            drawn: self.drawn(shared),
            shown: self.shown_track(shared),
            cursor: match (&shared.map.sought.picture, shared.deployments.open) {
                // From there a search goes on.
                (Some(_), Some(open)) => shared.whereabouts(open).and_then(|known| known.fix),
                _ => self.cursor_fix(shared),
            },
            moment: self.cursor_moment(shared),
            marks: self.marks,
            shows_flagged: self.shows_flagged,
            is_fitted: self.view.is_none(),
            rings: self.rings,
            line_colour: self.line_colour(shared),
        };
        Some(Content {
            shared,
            view: self.track_view(shared)?,
            of: Of::Track(of),
        })
    }
}

impl MapTab for TrackTab {
    fn view(&self, shared: &Shared) -> Option<View> {
        self.track_view(shared)
    }

    fn set_view(&mut self, view: Option<View>) {
        self.view = view;
    }

    fn set_projection(&mut self, projection: Option<Projection>) {
        (self.projection, self.view) = (projection, None);
    }

    fn projections(&self, shared: &Shared) -> Vec<Projection> {
        self.fitted(shared).projections()
    }

    fn anchor(&self, shared: &Shared) -> Option<Position> {
        Some(self.cursor_fix(shared)?.position)
    }

    fn go_near(&mut self, shared: &mut Shared, position: Position) {
        let track = self.shown_track(shared);
        if let Some(fix) = track.and_then(|track| track.nearest(position)) {
            self.go_to_fix(shared, fix);
        }
    }
}
