//! The map of a track.

use std::sync::Arc;

use super::{FittedTo, TrackTab};
use crate::dashboard::map::content::{Content, Of, OfTrack};
use crate::dashboard::shared::Shared;
use crate::dashboard::tabs::MapTab;
use crate::geo::circle::WatchCircle;
use crate::geo::projection::Projection;
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
                .resized(area.width, area.height, shared.screen.cell_aspect),
            None => self.fitted_tracks(shared),
        };
        Some(view)
    }

    /// The map of Track that a view is fitted to.
    fn track_frame(&self, shared: &Shared) -> MapFrame {
        let area = self.layout(shared).map;
        MapFrame {
            columns: area.width,
            rows: area.height,
            cell_aspect: shared.screen.cell_aspect,
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

    /// What its map shows; `None` where it has no room.
    pub(crate) fn content<'a>(&'a self, shared: &'a Shared) -> Option<Content<'a>> {
        let of = OfTrack {
            drawn: self.drawn(shared),
            shown: self.shown_track(shared),
            cursor: self.cursor_fix(shared),
            moment: self.cursor_moment(shared),
            marks: self.marks,
            shows_flagged: self.shows_flagged,
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
        let drawn = self.drawn(shared);
        let tracks: Vec<&PreparedTrack> = drawn.iter().map(|drawn| drawn.track.as_ref()).collect();
        self.track_frame(shared).projections(&tracks)
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
