//! Lines as dots, up to eight per cell, independent of the glyphs, or as they are for an output
//! that draws them itself.

mod track;

pub(crate) use track::TrackCells;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::dots::{CellDots, Segment, segments};
use super::ink::{Ink, Layer};
use super::overlay::Overlay;
use super::shapes::Scene;
use super::view::View;
use crate::text::choice;

/// The glyph set of a map, which gives the number of dots per cell; the screen
/// selects the characters. The order is that of the key that changes it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum GlyphSet {
    /// A picture of pixels below the cells.
    Pixels,
    /// Two by four solid blocks (Unicode 16).
    Octant,
    /// Two by three solid blocks (Unicode 13).
    Sextant,
    /// Two by four small dots.
    #[default]
    Braille,
    /// Two blocks, one above the other.
    HalfBlock,
    /// ASCII characters, each for the direction of two by four dots.
    Ascii,
}

impl GlyphSet {
    /// The name in the settings.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The name shown to the user.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pixels => "pixels",
            Self::Octant => "octants",
            Self::Sextant => "sextants",
            Self::Braille => "braille dots",
            Self::HalfBlock => "half blocks",
            Self::Ascii => "ASCII",
        }
    }

    /// The next glyph set, cyclic.
    pub fn next(self) -> Self {
        choice::next(self)
    }

    /// The dots of a cell.
    pub(crate) fn dots(self) -> CellDots {
        let (across, down) = match self {
            Self::Octant | Self::Braille | Self::Ascii => (2, 4),
            Self::Sextant => (2, 3),
            Self::HalfBlock => (1, 2),
            Self::Pixels => return CellDots::ONE,
        };
        CellDots { across, down }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    dots: u8,
    ink: Option<Ink>,
}

/// The dots in an area of cells.
#[derive(Debug, Clone)]
pub(crate) struct Raster {
    width: u16,
    height: u16,
    dots: CellDots,
    cells: Vec<Cell>,
    /// The lines as they are, in place of dots.
    lines: Option<Vec<(Segment, Ink)>>,
}

impl Raster {
    /// An empty area of `width` by `height` cells with the dots of a glyph set; that of pixels
    /// keeps the lines as they are.
    pub(crate) fn new(width: u16, height: u16, glyphs: GlyphSet) -> Self {
        let dots = glyphs.dots();
        let lines = (glyphs == GlyphSet::Pixels).then(Vec::new);
        let cells = if lines.is_some() {
            0
        } else {
            usize::from(width) * usize::from(height)
        };
        Self {
            width,
            height,
            dots,
            cells: vec![Cell::default(); cells],
            lines,
        }
    }

    /// The lines, if it keeps them.
    pub(crate) fn lines(&self) -> Option<&[(Segment, Ink)]> {
        self.lines.as_deref()
    }

    /// The lines of a picture, in which a cell is a pixel. A part of a line of less than half a
    /// pixel is one with the next.
    pub(crate) fn into_visible_lines(self) -> Vec<(Segment, Ink)> {
        let mut lines = self.lines.unwrap_or_default();
        let is_short =
            |Segment { from, to }| (to.0 - from.0).abs().max((to.1 - from.1).abs()) < 0.5;
        lines.dedup_by(|(next, ink), (last, known)| {
            let goes_on =
                last.to == next.from && (known.layer, known.track) == (ink.layer, ink.track);
            let is_one = goes_on && is_short(*last);
            if is_one {
                (last.to, *known) = (next.to, *ink);
            }
            is_one
        });
        lines
    }

    /// Keeps a line, within the area; returns `false` if it is to be dots.
    fn keeps(&mut self, segment: Segment, ink: Ink) -> bool {
        /// Cells beyond the area: its edge cuts no end of a line that is seen.
        const BEYOND: f64 = 1.0;
        let right = f64::from(self.width) + BEYOND;
        let area = Segment {
            from: (-BEYOND, -BEYOND),
            to: (right, f64::from(self.height) + BEYOND),
        };
        let Some(lines) = &mut self.lines else {
            return false;
        };
        lines.extend(segment.clipped(area).map(|segment| (segment, ink)));
        true
    }

    /// Draws a line through points in cells; one point is a dot.
    pub(crate) fn line(&mut self, points: &[(f64, f64)], ink: Ink) {
        // Graticule and rings are dotted, so that they are less prominent than
        // the track.
        let every = match ink.layer {
            Layer::Graticule => 4,
            Layer::Limb | Layer::Ring | Layer::WatchCircle => 2,
            _ => 1,
        };
        let mut count: u32 = 0;
        let mut last = None;
        for segment in segments(points) {
            if self.keeps(segment, ink) {
                continue;
            }
            self.each_dot(segment, |raster, dot| {
                if last == Some(dot) {
                    return;
                }
                last = Some(dot);
                count += 1;
                if count.is_multiple_of(every) {
                    raster.dot(dot.0, dot.1, ink);
                }
            });
        }
    }

    /// Draws the lines of a scene.
    pub(crate) fn draw_lines(&mut self, scene: &Scene) {
        for line in &scene.lines {
            self.line(&line.points, Ink::new(line.class));
        }
    }

    /// Draws the lines of an overlay.
    pub(crate) fn overlay(&mut self, overlay: &Overlay, view: &View) {
        let ink = Ink {
            layer: Layer::Overlay,
            track: 0,
            order: 0,
        };
        overlay.segments(view, self.dots, |segment| self.stroke(segment, ink));
    }

    /// The layer that gives a cell its colour; `None` for an empty cell.
    pub(crate) fn layer_at(&self, column: u16, row: u16) -> Option<Layer> {
        if column >= self.width {
            return None;
        }
        let index = usize::from(row) * usize::from(self.width) + usize::from(column);
        self.cells.get(index)?.ink.map(|ink| ink.layer)
    }

    /// Adds the dots of another raster of this size to the cells that have some of the same track.
    pub(crate) fn add_below(&mut self, below: &Self) {
        let track = |cell: &Cell| cell.ink.map(|ink| ink.track);
        for (cell, other) in self.cells.iter_mut().zip(&below.cells) {
            if cell.ink.is_some() && track(cell) == track(other) {
                cell.dots |= other.dots;
            }
        }
    }

    /// Columns and rows of cells.
    pub(crate) fn size(&self) -> (u16, u16) {
        (self.width, self.height)
    }

    /// Draws one straight stroke.
    pub(crate) fn stroke(&mut self, segment: Segment, ink: Ink) {
        if self.keeps(segment, ink) {
            return;
        }
        self.each_dot(segment, |raster, (x, y)| raster.dot(x, y, ink));
    }

    fn each_dot(&mut self, segment: Segment, mut each: impl FnMut(&mut Self, (u16, u16))) {
        let Segment { from, to } = segment;
        let across = f64::from(self.dots.across);
        let down = f64::from(self.dots.down);
        let width = f64::from(self.width);
        let height = f64::from(self.height);
        if from == to {
            let x = from.0 * across;
            let y = from.1 * down;
            if x >= 0.0 && y >= 0.0 && x < width * across && y < height * down {
                // within the area
                each(self, (x as u16, y as u16));
            }
            return;
        }
        // Slightly inside, so that the last dot of the area is included.
        let area = Segment {
            from: (0.0, 0.0),
            to: (width - 1e-6, height - 1e-6),
        };
        let Some(Segment { from, to }) = segment.clipped(area) else {
            return;
        };
        let x0 = from.0 * across;
        let y0 = from.1 * down;
        let x1 = to.0 * across;
        let y1 = to.1 * down;
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0);
        let dx = (x1 - x0) / steps;
        let dy = (y1 - y0) / steps;
        // Within the area.
        for step in 0..=(steps as u32) {
            let step = f64::from(step);
            each(self, ((x0 + dx * step) as u16, (y0 + dy * step) as u16));
        }
    }

    fn dot(&mut self, x: u16, y: u16, ink: Ink) {
        let CellDots { across, down } = self.dots;
        let index = usize::from(y / down) * usize::from(self.width) + usize::from(x / across);
        let bit = 1u8 << (x % across + y % down * across);
        let Some(cell) = self.cells.get_mut(index) else {
            return;
        };
        // A cell has one colour, so a line of a lower layer, or of a track below, sets no dots
        // in a cell of a higher one. A data gap is one dot in each cell on its way.
        let there = cell.ink.map(Ink::line);
        let comes = ink.line();
        if there < Some(comes) {
            *cell = Cell {
                dots: bit,
                ink: Some(ink),
            };
        } else if there == Some(comes) {
            if ink.layer != Layer::Gap {
                cell.dots |= bit;
            }
            cell.ink = cell.ink.max(Some(ink));
        }
    }

    /// The cells with dots: column, row, dots, layer and order. Dots are bits,
    /// lowest first, row by row from the upper left.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (u16, u16, u8, Ink)> + '_ {
        let rows = self.cells.chunks(usize::from(self.width.max(1)));
        rows.zip(0u16..).flat_map(|(cells, row)| {
            let of_row = cells.iter().zip(0u16..);
            of_row.filter_map(move |(cell, column)| Some((column, row, cell.dots, cell.ink?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INK: Ink = Ink {
        layer: Layer::Track,
        track: 0,
        order: 0,
    };

    fn dots(points: &[(f64, f64)]) -> Vec<u8> {
        let mut raster = Raster::new(3, 2, GlyphSet::Braille);
        raster.line(points, INK);
        raster.cells.iter().map(|cell| cell.dots).collect()
    }

    #[test]
    fn a_line_is_made_of_the_dots_it_touches() {
        // Along the upper edge of the first row: both upper dots of each cell.
        assert_eq!(dots(&[(0.0, 0.0), (3.0, 0.0)]), [0x03, 0x03, 0x03, 0, 0, 0]);
        assert_eq!(dots(&[(0.0, 0.0), (0.0, 2.0)]), [0x55, 0, 0, 0x55, 0, 0]);
        assert_eq!(dots(&[(1.6, 1.9)]), [0, 0, 0, 0, 0x80, 0]);
    }

    #[test]
    fn what_lies_outside_leaves_no_dot_and_what_crosses_is_cut() {
        assert_eq!(dots(&[(-5.0, -5.0), (-1.0, 3.0)]), [0; 6]);
        assert_eq!(
            dots(&[(-1e9, 0.0), (1e9, 0.0)]),
            [0x03, 0x03, 0x03, 0, 0, 0]
        );
    }

    #[test]
    fn the_newest_leg_lies_on_top_whatever_was_drawn_first() {
        let ink = |layer, order| Ink {
            layer,
            track: 0,
            order,
        };
        for orders in [[3, 7], [7, 3]] {
            let mut raster = Raster::new(1, 1, GlyphSet::Braille);
            for order in orders {
                raster.line(&[(0.1, 0.1)], ink(Layer::Track, order));
            }
            raster.line(&[(0.9, 0.9)], ink(Layer::Coast, 9));
            let cells: Vec<_> = raster.cells().collect();
            assert_eq!(cells, [(0, 0, 0x01, ink(Layer::Track, 7))]);
        }
    }

    #[test]
    fn of_two_tracks_in_a_cell_it_has_the_dots_of_the_one_whose_colour_it_has() {
        let ink = |track| Ink { track, ..INK };
        for tracks in [[0, 1], [1, 0]] {
            let mut raster = Raster::new(1, 1, GlyphSet::Braille);
            for track in tracks {
                let at = [0.1, 0.9][usize::from(track)];
                raster.line(&[(at, at)], ink(track));
            }
            let cells: Vec<_> = raster.cells().collect();
            assert_eq!(cells, [(0, 0, 0x80, ink(1))]);
            // Nor has it the dots of another that lie below.
            let mut below = Raster::new(1, 1, GlyphSet::Braille);
            below.line(&[(0.1, 0.1)], ink(0));
            raster.add_below(&below);
            assert_eq!(raster.cells().next().map(|cell| cell.2), Some(0x80));
        }
    }

    #[test]
    fn a_jump_is_dashed_and_has_its_symbol_half_way() {
        use crate::map::strokes::Kind;
        use crate::map::{PreparedTrack, View};
        use crate::testing::track::track;
        use crate::track::Platform;
        // A lasting move of 200 km within ten minutes.
        let fixes = (0u32..60).map(|n| {
            let longitude = if n < 30 { 5.0 } else { 9.0 };
            (600.0 * f64::from(n), 60.0 + 0.001 * f64::from(n), longitude)
        });
        let track = track(Platform::Drifter, 1e9, fixes);
        let jump = (0..track.len()).find(|&index| track.is_jump(index));
        assert_eq!(jump, Some(30), "the data do not jump");
        let prepared = PreparedTrack::new(std::sync::Arc::new(track));
        let view = View::fit(prepared.summary().bbox, &[], 80, 30, 2.0);
        let mut raster = Raster::new(80, 30, GlyphSet::Braille);
        let marks = raster
            .track(&prepared, 0, &view, crate::map::FixDots::default())
            .flagged;
        let jumps: Vec<_> = marks.iter().filter(|mark| mark.2 == Kind::Jump).collect();
        assert!(
            matches!(jumps.as_slice(), [(35..=45, 10..=20, _)]),
            "{marks:?}"
        );
        let dashes = raster.cells().filter(|(.., ink)| ink.layer == Layer::Jump);
        let dashes = dashes.count();
        assert!((20..=40).contains(&dashes), "{dashes} cells");
        assert!(raster.cells().all(|(.., ink)| ink.layer != Layer::Gap));
    }

    proptest::proptest! {
        #[test]
        fn no_line_leaves_the_area(a in -1e6f64..1e6, b in -1e6f64..1e6, c in -1e6f64..1e6, d in -1e6f64..1e6) {
            dots(&[(a, b), (c, d)]);
        }
    }
}
