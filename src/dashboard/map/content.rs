//! The content of a map, as its tab has it: the map knows no tab.

use std::sync::Arc;

use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::layout::Area;
use crate::dashboard::shared::Shared;
use crate::geo::Position;
use crate::map::{ColourBy, LineColour, PreparedTrack, View};
use crate::track::{Fix, Transmission};

/// A deployment whose track is on the map of Track.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawn<'a> {
    pub deployment: &'a DeploymentState,
    /// Its track, or the part of it in the time range.
    pub track: &'a Arc<PreparedTrack>,
    /// The index of its letter and colour on a map of several; `None` if the map shows
    /// only this one.
    pub mark: Option<usize>,
}

/// A map.
pub(crate) struct Content<'a> {
    /// The state that the tabs share.
    pub shared: &'a Shared,
    /// The part of the earth.
    pub view: View,
    /// The list or the track on it.
    pub of: Of<'a>,
}

/// The subject of a map.
pub(crate) enum Of<'a> {
    /// The deployments that the filter of the list leaves.
    List {
        /// Their indices in the list, in the order of the rows.
        order: Vec<usize>,
        /// The selected one.
        selected: Option<usize>,
    },
    /// The open track, and those on its map.
    Track(OfTrack<'a>),
}

/// The open track, and those on its map.
pub(crate) struct OfTrack<'a> {
    /// The tracks, the open one last, so that it is on top.
    pub drawn: Vec<Drawn<'a>>,
    /// The open track, or its part in the time range.
    pub shown: Option<&'a Arc<PreparedTrack>>,
    /// The fix under the cursor.
    pub cursor: Option<Fix>,
    /// Its time until the cursor follows the latest fix, UNIX seconds.
    pub moment: Option<f64>,
    /// The fixes at the start and the end of a measurement.
    pub marks: (Option<Transmission>, Option<Transmission>),
    /// `true` if flagged fixes have their symbols.
    pub shows_flagged: bool,
    /// `true` if the view is fitted to the tracks.
    pub is_fitted: bool,
    /// `true` if range rings are shown around the cursor.
    pub rings: bool,
    pub line_colour: LineColour,
}

impl<'a> Content<'a> {
    /// The open track, on the map of Track.
    pub(crate) fn track(&self) -> Option<&OfTrack<'a>> {
        match &self.of {
            Of::Track(track) => Some(track),
            Of::List { .. } => None,
        }
    }

    /// The tracks.
    pub(super) fn drawn(&self) -> &[Drawn<'a>] {
        self.track().map_or(&[], |track| &track.drawn)
    }

    /// The list index of the selected deployment, on the map of the list.
    pub(super) fn selected(&self) -> Option<usize> {
        match &self.of {
            Of::List { selected, .. } => *selected,
            Of::Track(_) => None,
        }
    }

    /// The colours of the lines of tracks.
    pub(super) fn line_colour(&self) -> LineColour {
        let by_time = LineColour::By(ColourBy::Time);
        self.track()
            .map_or(by_time, |track| track.line_colour.clone())
    }
}

/// The position in a cell of the screen that is on the map.
pub(crate) fn position_in(view: &View, map: Area, (column, row): (u16, u16)) -> Option<Position> {
    // The middle of the cell, in cells from the map's corner.
    let x = f64::from(column - map.x) + 0.5;
    view.position_at(x, f64::from(row - map.y) + 0.5)
}
