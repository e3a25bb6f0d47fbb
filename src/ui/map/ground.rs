//! What of a map stays while only the cursor moves: coast, graticule and track,
//! drawn once and drawn over from then on.

use std::sync::Arc;

use crate::chart::{Charted, Kind, Layers, Marker, Picture, Raster, View, ground};

/// The ground of the map that was drawn last, and what it was drawn from.
#[derive(Debug)]
pub struct Ground {
    view: View,
    track: Option<Arc<Charted>>,
    size: (u16, u16),
    markers: Marker,
    /// Its lines, with the track's.
    pub(super) raster: Raster,
    /// Cells of flagged and repeated fixes.
    pub(super) flagged: Vec<(u16, u16, Kind)>,
    /// Its names.
    pub(super) picture: Picture,
}

impl Ground {
    /// The ground of a view: the known one, if that is what it was drawn from.
    pub(super) fn of<'a>(
        known: &'a mut Option<Self>,
        view: &View,
        track: Option<&Arc<Charted>>,
        size: (u16, u16),
        markers: Marker,
    ) -> &'a Self {
        let same = |known: &Self| {
            let same_track = match (&known.track, track) {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                (None, None) => true,
                _ => false,
            };
            same_track && known.view == *view && known.size == size && known.markers == markers
        };
        let kept = known.take().filter(same);
        known.insert(kept.unwrap_or_else(|| Self::new(view.clone(), track, size, markers)))
    }

    fn new(view: View, track: Option<&Arc<Charted>>, size: (u16, u16), markers: Marker) -> Self {
        let mut picture = ground(&view, Layers::default().graticule_spacing);
        let mut raster = Raster::new(size.0, size.1, markers.dots());
        raster.furniture(&picture);
        picture.lines = Vec::new();
        let flagged = track.map_or_else(Vec::new, |track| raster.track(track, &view));
        Self {
            view,
            track: track.map(Arc::clone),
            size,
            markers,
            raster,
            flagged,
            picture,
        }
    }
}
