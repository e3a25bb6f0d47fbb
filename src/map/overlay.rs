//! An overlay: the content of a user's file, drawn below the tracks. It has lines, edges of
//! areas, named points, and ships that move with the moment.

use super::blocks::{Blocks, MOST_LEGS};
use super::dots::{CellDots, Segment, segments};
use super::ink::Class;
use super::pen::Pen;
use super::view::View;
use crate::geo::{Position, Vector};

/// The most points of an overlay.
pub(crate) const MOST_POINTS: usize = 1_000_000;

/// The content of a file, prepared for drawing.
#[derive(Debug)]
pub(crate) struct Overlay {
    /// The points of all lines.
    points: Vec<Vector>,
    blocks: Blocks,
    /// Named points.
    pub(crate) places: Vec<Place>,
    /// Lines with times.
    pub(crate) ways: Vec<Way>,
}

/// A point with a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) position: Position,
}

/// A line with times, such as a ship's track, which gives a position at each moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Way {
    pub(crate) name: String,
    /// Times, UNIX seconds, ascending, each with the position then.
    fixes: Vec<(f64, Position)>,
}

impl Way {
    /// A way through fixes in any order.
    pub(crate) fn new(name: String, mut fixes: Vec<(f64, Position)>) -> Self {
        fixes.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { name, fixes }
    }

    /// The position at a moment, on the great circle between two fixes; the last one after
    /// the end, `None` before the begin.
    pub(crate) fn at(&self, moment: f64) -> Option<Position> {
        let after = self.fixes.partition_point(|(time, _)| *time <= moment);
        let (from, start) = *self.fixes.get(after.checked_sub(1)?)?;
        let Some((to, end)) = self.fixes.get(after) else {
            return Some(start);
        };
        let share = (moment - from) / (to - from);
        Some(
            Vector::new(start)
                .towards(Vector::new(*end), share)
                .position(),
        )
    }
}

/// Two are equal if they are one in memory.
impl PartialEq for Overlay {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Overlay {
    /// An overlay of lines, named points and ways; each way is also a line.
    pub(crate) fn new(mut lines: Vec<Vec<Position>>, places: Vec<Place>, ways: Vec<Way>) -> Self {
        let fixes = ways.iter().map(|way| way.fixes.iter());
        lines.extend(fixes.map(|fixes| fixes.map(|(_, position)| *position).collect()));
        let mut points = Vec::new();
        let mut ranges = Vec::new();
        for line in lines {
            let first = points.len();
            points.extend(line.into_iter().map(Vector::new));
            ranges.push(first..points.len());
        }
        Self {
            blocks: Blocks::of_lines(&points, ranges),
            points,
            places,
            ways,
        }
    }

    /// Its named points, and the positions of its ships at a moment, with their names.
    pub(super) fn marks(&self, moment: f64) -> impl Iterator<Item = (Class, Position, &str)> {
        let places = self
            .places
            .iter()
            .map(|place| (Class::Place, place.position, place.name.as_str()));
        let ships = self.ways.iter().filter_map(move |way| {
            let position = way.at(moment)?;
            Some((Class::Ship, position, way.name.as_str()))
        });
        places.chain(ships)
    }

    /// Passes to `each` the segments that draw its lines on a map whose cells have these dots: of
    /// very many in view, those between each n-th point of a line.
    pub(crate) fn segments(&self, view: &View, dots: CellDots, mut each: impl FnMut(Segment)) {
        let plotter = view.plotter();
        let in_view = self.blocks.in_view(&plotter, dots, MOST_LEGS);
        let mut pen = Pen::new(&plotter, |line: &[(f64, f64)]| {
            segments(line).for_each(&mut each);
        });
        for block in in_view.blocks {
            let points = self.points.get(block.points).unwrap_or_default();
            let every = if block.is_dot {
                points.len()
            } else {
                in_view.every
            };
            let last = points.last().filter(|_| !block.is_dot);
            for point in points.iter().step_by(every).chain(last) {
                pen.arc(*point);
            }
            pen.lift();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::BoundingBox;
    use crate::map::GlyphSet;

    const fn at(latitude: f64, longitude: f64) -> Position {
        Position {
            latitude,
            longitude,
        }
    }

    #[test]
    fn a_ship_is_between_its_fixes_over_the_antimeridian_and_stays_at_its_last_one() {
        let way = Way::new(
            "ship".to_owned(),
            vec![(200.0, at(0.0, -179.0)), (100.0, at(0.0, 179.0))],
        );
        assert_eq!(way.at(99.0), None);
        assert!((way.at(125.0).unwrap().longitude - 179.5).abs() < 1e-4);
        assert!((way.at(175.0).unwrap().longitude + 179.5).abs() < 1e-4);
        assert_eq!(way.at(1e9), Some(at(0.0, -179.0)));
    }

    #[test]
    fn lines_are_drawn_over_the_pole_and_the_antimeridian_and_a_point_alone_is_a_dot() {
        let lines = vec![
            vec![at(89.0, 0.0), at(89.0, 180.0)],
            vec![at(80.0, 179.0), at(80.0, -179.0)],
            vec![at(85.0, 90.0)],
        ];
        let overlay = Overlay::new(lines.clone(), Vec::new(), Vec::new());
        let bounds = BoundingBox {
            west: -180.0,
            east: 180.0,
            south: 78.0,
            north: 90.0,
        };
        let view = View::fit(
            Some(bounds),
            &[
                at(80.0, 0.0),
                at(80.0, 90.0),
                at(80.0, 180.0),
                at(80.0, -90.0),
            ],
            80,
            40,
            2.0,
        );
        let mut drawn = Vec::new();
        let dots = GlyphSet::Braille.dots();
        overlay.segments(&view, dots, |segment| drawn.push(segment));
        let is_near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) < 0.1;
        for end in lines.iter().flatten() {
            let end = view.cell(*end).unwrap();
            let mut ends = drawn.iter().flat_map(|segment| [segment.from, segment.to]);
            assert!(ends.any(|other| is_near(other, end)), "{end:?}");
        }
        assert!(drawn.iter().any(|segment| segment.from == segment.to));
        let lengths = drawn
            .iter()
            .map(|Segment { from, to }| (from.0 - to.0).abs());
        let longest = lengths.fold(0.0, f64::max);
        // None goes the long way round.
        assert!(longest < 20.0, "{longest}");
    }
}
