//! The tab follows what the shell shows.

use crate::dashboard::format;
use crate::dashboard::layout::{Arrangement, FixCells, Layout};
use crate::dashboard::shared::Shared;
use crate::dashboard::tab::{Pane, TabId};
use crate::dashboard::track::TrackTab;
use crate::dashboard::track::table::time_cells;
use crate::map::PreparedTrack;
use crate::track::Fix;
use std::sync::Arc;
use uuid::Uuid;

/// The tracks on the map of the open deployment.
pub(super) fn tracks_together(shared: &Shared) -> Vec<(Uuid, Arc<PreparedTrack>)> {
    let together = shared.together().into_iter();
    let tracks = together.filter_map(|known| Some((known.uuid(), Arc::clone(known.track.get()?))));
    tracks.collect()
}

impl TrackTab {
    /// Follows what the shell shares after an event: another open deployment, another track of
    /// it or of those on its map, and its fields. Tracks arrive with many events; cursor, rows
    /// and time range are of the one before until then.
    pub(super) fn follow_shared(&mut self, shared: &mut Shared) {
        if shared.map.sought.picture.is_some() {
            // It shows one of several: the others come back with the tab.
            return;
        }
        match shared.screen.pane {
            _ if shared.screen.tab != TabId::Track => {}
            Pane::Table => self.is_table_wide = true,
            Pane::Map => self.is_table_wide = false,
            // What the timeline shows is chosen from any pane, and leaves those above as they are.
            Pane::Timeline | Pane::Summary => {}
        }
        if self.deployment != shared.deployments.open {
            self.deployment = shared.deployments.open;
            self.forget(shared);
        }
        let now = tracks_together(shared);
        // Prepared tracks are equal if they are one in memory.
        let changed: Vec<Uuid> = now
            .iter()
            .filter(|known| !self.seen.contains(known))
            .map(|(uuid, _)| *uuid)
            .collect();
        let is_open_changed = self.deployment.is_some_and(|open| changed.contains(&open));
        self.seen = now;
        if is_open_changed {
            self.open_track_changed(shared);
        }
        if !changed.is_empty() {
            self.cut_time_range(shared);
        }
        self.read_fields(shared);
        self.read_fields_beside(shared);
    }

    /// The layout at the current size.
    pub(crate) fn layout(&self, shared: &Shared) -> Layout {
        self.layout_at(shared, (shared.screen.width, shared.screen.height))
    }

    /// The layout of a screen of this size.
    pub(crate) fn layout_at(&self, shared: &Shared, size: (u16, u16)) -> Layout {
        shared.layout_at(size, self.panes(shared))
    }

    pub(super) fn panes(&self, shared: &Shared) -> Arrangement {
        if let Some(picture) = &shared.map.sought.picture {
            return Arrangement::Picture {
                shown: picture.shown,
            };
        }
        Arrangement::Track {
            fix: self.needed_cells(shared),
            // A measurement has a line of its own.
            summary: u16::from(self.marks.0.is_some()),
            is_table_wide: self.is_table_wide,
        }
    }

    /// The cells that the table of fixes needs, whether it has speed and course or a field.
    pub(crate) fn needed_cells(&self, shared: &Shared) -> FixCells {
        let coordinates = shared.settings.coordinates;
        let pair = |(latitude, longitude): (u16, u16)| latitude + 1 + longitude;
        FixCells {
            shortest: time_cells(shared) + 1 + pair(coordinates.short_width()),
            position: pair(coordinates.width()),
            // A course has seven cells with the blanks around it.
            motion: format::speed_cells(shared.settings.units) + 7,
        }
    }

    /// The open track, or its part in the time range if one is set.
    pub(crate) fn shown_track<'a>(&'a self, shared: &'a Shared) -> Option<&'a Arc<PreparedTrack>> {
        self.shown_track_of(shared, shared.deployments.open?)
    }

    /// The fix under the cursor of Track.
    pub(crate) fn cursor_fix(&self, shared: &Shared) -> Option<Fix> {
        self.shown_track(shared)?.fix(self.cursor)
    }
}
