//! The base map with the track: coast, graticule and track line. It does not
//! change while only the cursor moves, so it is drawn once and reused.

use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Style;

use super::glyphs;
use super::labels::to_cell;
use super::land::Inset;
use crate::dashboard::layout::Area;
use crate::dashboard::theme::Theme;
use crate::map::{
    GlyphSet, Ink, Layers, LineColour, Overlay, PreparedTrack, Raster, Scene, Symbol, View,
    base_map, thinned,
};
use crate::track::Flag;

/// The base map that was drawn last, with the inputs it was drawn from.
#[derive(Debug)]
pub(crate) struct BaseMap {
    view: View,
    drawn: Drawn,
    /// The glyphs that it is drawn with.
    pub(super) markers: GlyphSet,
    /// Its lines, the track's included.
    pub(super) raster: Raster,
    /// Symbols of jumps, flagged and repeated fixes.
    pub(super) flagged: Vec<Symbol>,
    /// Cells of the border towards failed fixes beyond it, with the way there: columns to
    /// the right and rows down, each -1, 0 or 1.
    pub(super) beyond: Vec<(Area, (i8, i8))>,
    /// Its labels.
    pub(super) picture: Scene,
    painted: Option<Painted>,
    /// The small world map, once it was drawn.
    pub(super) inset: Option<Inset>,
}

/// The colour of a single track's line, the theme, and the colour index of each track
/// among several.
type Colours = (LineColour, Theme, Vec<Option<usize>>);

/// The cells of the border towards the failed fixes beyond it, each once.
fn failed_beyond(track: &PreparedTrack, view: &View) -> Vec<(Area, (i8, i8))> {
    let (columns, rows) = (f64::from(view.columns), f64::from(view.rows));
    let flags = track.flags().iter().enumerate();
    let failed = flags.filter(|(_, flag)| **flag == Flag::Fail);
    let way = |at: f64, size: f64| i8::from(at >= size) - i8::from(at < 0.0);
    let mut beyond = Vec::new();
    for (index, _) in failed {
        let Some((x, y)) = view.cell(track.position(index)) else {
            continue;
        };
        let to = (way(x, columns), way(y, rows));
        let cell = |at: f64, size: f64| to_cell(at.clamp(0.0, (size - 1.0).max(0.0)));
        let border = Area::new(cell(x, columns), cell(y, rows), 1, 1);
        if to != (0, 0) && !beyond.contains(&(border, to)) {
            beyond.push((border, to));
        }
    }
    beyond
}

/// The painted cells of a base map, with their colours.
#[derive(Debug)]
struct Painted {
    colours: Colours,
    cells: Vec<(u16, u16, Cell)>,
}

/// The contents of the base map: overlays, and tracks over them.
#[derive(Debug, Clone, Default)]
pub(super) struct Drawn {
    pub(super) overlays: Vec<Arc<Overlay>>,
    pub(super) tracks: Vec<Arc<PreparedTrack>>,
}

impl Drawn {
    /// `true` if the same in memory.
    fn is(&self, other: &Self) -> bool {
        fn same<T>(one: &[Arc<T>], other: &[Arc<T>]) -> bool {
            let mut both = one.iter().zip(other);
            one.len() == other.len() && both.all(|(one, other)| Arc::ptr_eq(one, other))
        }
        same(&self.overlays, &other.overlays) && same(&self.tracks, &other.tracks)
    }
}

impl BaseMap {
    /// The base map of a view: the known one if it was drawn from the same
    /// inputs, else a new one.
    pub(super) fn of<'a>(
        known: &'a mut Option<Self>,
        view: &View,
        drawn: Drawn,
        markers: GlyphSet,
    ) -> &'a mut Self {
        let same = |known: &Self| {
            known.drawn.is(&drawn) && known.view == *view && known.markers == markers
        };
        let mut before = known.take();
        let inset = before.as_mut().and_then(|known| known.inset.take());
        let kept = before.filter(same);
        let kept = kept.unwrap_or_else(|| Self::new(view.clone(), drawn, markers));
        known.insert(Self { inset, ..kept })
    }

    fn new(view: View, drawn: Drawn, markers: GlyphSet) -> Self {
        let mut picture = base_map(&view, Layers::default().graticule_spacing);
        let mut raster = Raster::new(view.columns, view.rows, markers);
        raster.draw_lines(&picture);
        picture.lines = Vec::new();
        for overlay in &drawn.overlays {
            raster.overlay(overlay, &view);
        }
        let tracks = &drawn.tracks;
        let mut flagged = Vec::new();
        for (place, track) in (0u16..).zip(tracks) {
            flagged.extend(raster.track(track, place, &view));
        }
        flagged.sort_by_key(|(_, _, kind)| *kind);
        let flagged = thinned(&flagged, &raster);
        let beyond = tracks.iter().flat_map(|track| failed_beyond(track, &view));
        let beyond = beyond.collect();
        Self {
            view,
            drawn,
            markers,
            raster,
            flagged,
            beyond,
            picture,
            painted: None,
            inset: None,
        }
    }

    /// Paints only the base map, with the known cells if it was painted in the
    /// same colours before.
    pub(super) fn paint(
        &mut self,
        buffer: &mut Buffer,
        area: Area,
        colours: Colours,
        style: impl Fn(Ink) -> Option<Style>,
    ) {
        let raster = &self.raster;
        let same = |known: &Painted| known.colours == colours;
        let known = self.painted.take().filter(same);
        let painted = self.painted.insert(known.unwrap_or_else(|| Painted {
            cells: glyphs::cells(raster, self.markers, style).collect(),
            colours,
        }));
        for (column, row, painted) in &painted.cells {
            if let Some(cell) = buffer.cell_mut((area.x + *column, area.y + *row)) {
                cell.clone_from(painted);
            }
        }
    }
}
