//! A track as dots: its legs, the cells of its fixes, and those of its symbols.

use std::collections::BTreeSet;

use super::Raster;
use crate::geo::Vector;
use crate::map::dots::{CellDots, FixDots, Segment, are_apart};
use crate::map::ink::{Ink, Layer};
use crate::map::prepared::PreparedTrack;
use crate::map::strokes::{Kind, half_way};
use crate::map::symbols::Symbol;
use crate::map::view::{Plotter, View};
use crate::track::Track;

/// Most jumps of a map that have a symbol.
const JUMPS_NAMED: usize = 200;
/// Most fixes that are marked on the line: more fill any map.
const MOST_ON_LINE: usize = 4096;

/// The cells of a track that have a sign of their own over its dots.
#[derive(Debug, Default)]
pub(crate) struct TrackCells {
    /// The cells of flagged and duplicate fixes, most important last.
    pub flagged: Vec<Symbol>,
    /// The cells of the fixes that are marked.
    pub fixes: Vec<(u16, u16, Ink)>,
}

/// A fix with its point in cells.
type Point = (u32, (f64, f64));

/// Both ends of each leg; of a fix without a leg it twice.
fn ends(track: &Track, plotter: &Plotter, legs: &[u32]) -> Vec<[Point; 2]> {
    let point = |fix: usize| {
        let at = plotter.cell(Vector::new(track.position(fix)))?;
        Some((u32::try_from(fix).ok()?, at))
    };
    let ends = |fix: &u32| {
        let fix = *fix as usize;
        let start = track.leg_start(fix).unwrap_or(fix);
        Some([point(start)?, point(fix)?])
    };
    legs.iter().filter_map(ends).collect()
}

impl Raster {
    /// Draws a track, which has this index among those of the map. Returns the cells that
    /// have signs.
    pub(crate) fn track(
        &mut self,
        prepared: &PreparedTrack,
        track: u16,
        view: &View,
        dots: FixDots,
    ) -> TrackCells {
        let mut flagged: Vec<Symbol> = Vec::new();
        let mut jumps: BTreeSet<u32> = BTreeSet::new();
        let mut legs: Vec<u32> = Vec::new();
        let size = self.size();
        let cell_at = |point| cell_at(point, size);
        let ink = |layer, order| Ink {
            layer,
            track,
            order,
        };
        let has_line = dots != FixDots::Alone;
        prepared
            .strokes()
            .draw(prepared, view, self.dots, |stroke| {
                let segment = stroke.segment;
                match stroke.kind {
                    Kind::Leg => {
                        let is_wanted = !has_line || legs.len() <= MOST_ON_LINE;
                        // An arc has several strokes.
                        let is_new = legs.last() != Some(&stroke.fix);
                        if dots != FixDots::Line && is_wanted && is_new {
                            legs.push(stroke.fix);
                        }
                        if has_line {
                            self.stroke(segment, ink(Layer::Track, stroke.fix));
                        }
                    }
                    Kind::Outside => self.stroke(segment, ink(Layer::Gap, stroke.fix)),
                    Kind::Gap if has_line => self.stroke(segment, ink(Layer::Gap, stroke.fix)),
                    Kind::Jump if has_line => {
                        jumps.insert(stroke.fix);
                        self.dash(segment, ink(Layer::Jump, stroke.fix));
                    }
                    Kind::Gap | Kind::Jump => {}
                    Kind::Repeated | Kind::Suspect | Kind::Failed => {
                        let mark = cell_at(segment.from).map(|(x, y)| (x, y, stroke.kind));
                        if flagged.last() != mark.as_ref() {
                            flagged.extend(mark);
                        }
                    }
                }
            });
        let plotter = view.plotter();
        // A jump has its symbol half-way.
        for fix in jumps.into_iter().take(JUMPS_NAMED) {
            let cell = half_way(prepared, &plotter, fix).and_then(cell_at);
            flagged.extend(cell.map(|(x, y)| (x, y, Kind::Jump)));
        }
        flagged.sort_unstable_by_key(|(_, _, kind)| *kind);
        let mut fixes = Vec::new();
        // So many legs fill any map.
        if legs.len() > MOST_ON_LINE && has_line {
            return TrackCells { flagged, fixes };
        }
        let legs = ends(prepared, &plotter, &legs);
        let between = legs.iter().filter(|[from, to]| from.0 != to.0);
        if has_line && !are_apart(between.map(|[(_, from), (_, to)]| (*from, *to))) {
            return TrackCells { flagged, fixes };
        }
        let mut marked = legs.concat();
        marked.sort_unstable_by_key(|(fix, _)| *fix);
        marked.dedup_by_key(|(fix, _)| *fix);
        for (fix, point) in marked {
            let Some((x, y)) = cell_at(point) else {
                continue;
            };
            let ink = ink(Layer::Track, fix);
            // A label keeps off the fix as it does off the line.
            let dot = Segment {
                from: point,
                to: point,
            };
            self.stroke(dot, ink);
            fixes.push((x, y, ink));
        }
        TrackCells { flagged, fixes }
    }

    /// Draws a dashed stroke, two columns or one row on and as much off.
    fn dash(&mut self, segment: Segment, ink: Ink) {
        if self.keeps(segment, ink) {
            return;
        }
        let Segment { from, to } = segment;
        let CellDots { across, down } = self.dots;
        let is_wide = (to.0 - from.0).abs() >= (to.1 - from.1).abs();
        self.each_dot(segment, |raster, (x, y)| {
            let is_on = if is_wide {
                (x / across) % 4 < 2
            } else {
                (y / down).is_multiple_of(2)
            };
            if is_on {
                raster.dot(x, y, ink);
            }
        });
    }
}

/// The cell of a point on a map of this size; `None` outside it.
fn cell_at((x, y): (f64, f64), (columns, rows): (u16, u16)) -> Option<(u16, u16)> {
    let is_inside = x >= 0.0 && y >= 0.0 && x < f64::from(columns) && y < f64::from(rows);
    // Within the area.
    is_inside.then_some((x as u16, y as u16))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::map::GlyphSet;
    use crate::testing::track::track;
    use crate::track::Platform;

    /// Twenty fixes an hour and 0.01 degrees of latitude apart, and a view of `rows` rows of
    /// them.
    fn drawn(rows: u16, dots: FixDots) -> (TrackCells, usize) {
        let fixes = (0u32..20).map(|n| (3600.0 * f64::from(n), 60.0 + 0.01 * f64::from(n), 5.0));
        let prepared = PreparedTrack::new(Arc::new(track(Platform::Drifter, 1e9, fixes)));
        let view = View::fit(prepared.summary().bbox, &[], 80, rows, 2.0);
        let mut raster = Raster::new(80, rows, GlyphSet::Braille);
        let cells = raster.track(&prepared, 0, &view, dots);
        let line = raster.cells().count();
        (cells, line)
    }

    #[test]
    fn each_fix_has_a_dot_on_the_line_as_soon_as_they_are_two_cells_apart() {
        for (rows, marked) in [(20, 0), (30, 0), (60, 20), (90, 20)] {
            let (cells, line) = drawn(rows, FixDots::OnLine);
            let fixes: Vec<u32> = cells.fixes.iter().map(|(_, _, ink)| ink.order).collect();
            let all: Vec<u32> = (0..marked).collect();
            assert_eq!(fixes, all, "{rows} rows");
            assert!(line > 15, "the line is drawn");
        }
        assert!(drawn(90, FixDots::Line).0.fixes.is_empty());
    }

    #[test]
    fn a_scatter_chart_has_every_fix_and_no_line() {
        for rows in [20, 90] {
            let (cells, dots) = drawn(rows, FixDots::Alone);
            assert_eq!(cells.fixes.len(), 20, "{rows} rows");
            let places: BTreeSet<(u16, u16)> =
                cells.fixes.iter().map(|(x, y, _)| (*x, *y)).collect();
            assert_eq!(dots, places.len(), "only the cells of fixes have dots");
        }
    }
}
