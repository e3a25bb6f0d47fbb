//! The base map with the track: coast, graticule and track line. It does not
//! change while only the cursor moves, so it is drawn once and reused.

use std::sync::Arc;

use super::land::Inset;
use super::pixels::Fine;
use super::signs::Shown;
use crate::dashboard::widgets::cached::Cached;
use crate::map::{
    FixDots, GRATICULE_SPACING, GlyphSet, Ink, Overlay, PreparedTrack, Raster, Scene, Symbol,
    TrackCells, View, base_map, thinned,
};
use crate::track::Flag;

/// The parts of the map that are reused from one frame to the next.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(super) base_map: Cached<Inputs, BaseMap>,
    /// The small world map, by the shape of a cell.
    pub(super) inset: Cached<f64, Inset>,
}

/// The inputs of a base map.
#[derive(Debug, PartialEq)]
pub(super) struct Inputs {
    pub(super) view: View,
    pub(super) overlays: Vec<Arc<Overlay>>,
    /// The tracks, which are drawn over the overlays.
    pub(super) tracks: Vec<Arc<PreparedTrack>>,
    markers: GlyphSet,
    /// Width and height of a cell of a map in pixels.
    cell: Option<(u16, u16)>,
    pub(super) fix_dots: FixDots,
}

impl Inputs {
    /// Draws overlays and tracks; returns the cells that have signs.
    pub(super) fn draw(&self, raster: &mut Raster, view: &View, dots: FixDots) -> TrackCells {
        for overlay in &self.overlays {
            raster.overlay(overlay, view);
        }
        let mut all = TrackCells::default();
        for (index, track) in (0u16..).zip(&self.tracks) {
            let cells = raster.track(track, index, view, dots);
            all.flagged.extend(cells.flagged);
            all.fixes.extend(cells.fixes);
        }
        all
    }
}

/// The base map: the lines and symbols below those of the cursor.
#[derive(Debug)]
pub(super) struct BaseMap {
    /// The glyphs that it is drawn with.
    pub(super) markers: GlyphSet,
    /// Its lines, the track's included.
    pub(super) raster: Raster,
    /// The same in pixels, which take the place of its dots.
    pub(super) fine: Option<Fine>,
    /// The cells of fixes that are marked.
    pub(super) fixes: Vec<(u16, u16, Ink)>,
    /// Symbols of jumps, flagged and repeated fixes.
    pub(super) flagged: Vec<Symbol>,
    /// The number of failed fixes that are not on it.
    pub(super) failed_beyond: usize,
    /// Its labels.
    pub(super) picture: Scene,
}

/// The number of failed fixes of a track outside a view.
fn failed_beyond(track: &PreparedTrack, view: &View) -> usize {
    let flags = track.flags().iter().enumerate();
    let failed = flags.filter(|(_, flag)| **flag == Flag::Fail);
    failed
        .filter(|(fix, _)| !view.shows(track.position(*fix)))
        .count()
}

impl BaseMap {
    /// The base map of a view.
    pub(super) fn of<'a>(known: &'a mut Cached<Inputs, Self>, shown: &Shown<'_>) -> &'a mut Self {
        let Shown { content, theme } = *shown;
        let shared = content.shared;
        let drawn = content.drawn().iter();
        let inputs = Inputs {
            view: content.view.clone(),
            overlays: shared.map.overlays.clone(),
            tracks: drawn.map(|track| Arc::clone(track.track)).collect(),
            // A terminal without these characters gets ASCII.
            markers: match shared.markers() {
                _ if !theme.can.unicode => GlyphSet::Ascii,
                // The lines that follow the cursor are finer than in octants.
                GlyphSet::Pixels => GlyphSet::Braille,
                markers => markers,
            },
            cell: shared.pixel_cell(),
            fix_dots: shared.map.fix_dots,
        };
        known.get(inputs, Self::new)
    }

    fn new(inputs: &Inputs) -> Self {
        let view = &inputs.view;
        let markers = inputs.markers;
        let mut picture = base_map(view, GRATICULE_SPACING);
        let mut raster = Raster::new(view.columns, view.rows, markers);
        raster.draw_lines(&picture);
        picture.lines = Vec::new();
        let mut cells = inputs.draw(&mut raster, view, inputs.fix_dots);
        let flagged = &mut cells.flagged;
        flagged.sort_by_key(|(_, _, kind)| *kind);
        let flagged = thinned(flagged, &raster);
        let fixes = cells.fixes;
        let tracks = &inputs.tracks;
        let cell = inputs.cell;
        let fine = cell.map(|cell| Fine::new(inputs, cell, !fixes.is_empty()));
        Self {
            markers,
            raster,
            fine,
            fixes,
            flagged,
            failed_beyond: tracks.iter().map(|track| failed_beyond(track, view)).sum(),
            picture,
        }
    }
}
