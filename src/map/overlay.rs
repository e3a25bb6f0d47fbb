//! An overlay: the content of a user's file, drawn below the tracks. It has lines, edges of
//! areas, named points, and ships that move with the moment.

use super::dots::CellDots;
use super::ink::Class;
use super::strokes::{LineStrokes, Stroke};
use super::view::View;
use crate::geo::{Position, Vector};

/// The most points of an overlay.
pub(crate) const MOST_POINTS: usize = 1_000_000;

/// The content of a file, prepared for drawing.
#[derive(Debug)]
pub(crate) struct Overlay {
    lines: LineStrokes,
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

    fn positions(&self) -> Vec<Position> {
        self.fixes.iter().map(|(_, position)| *position).collect()
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
        lines.extend(ways.iter().map(Way::positions));
        Self {
            lines: LineStrokes::new(lines.iter().map(Vec::as_slice)),
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

    /// Passes to `each` the strokes that draw its lines on a map whose cells have these dots.
    pub(crate) fn strokes(&self, view: &View, dots: CellDots, each: impl FnMut(Stroke)) {
        self.lines.draw(view, dots, each);
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
        let overlay = Overlay::new(lines, Vec::new(), Vec::new());
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
        let mut numbers = Vec::new();
        let mut longest = 0.0f64;
        overlay.strokes(&view, GlyphSet::Braille.dots(), |stroke| {
            numbers.push(stroke.fix);
            longest = longest.max((stroke.from.0 - stroke.to.0).abs());
        });
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        // None goes the long way round.
        assert!(longest < 20.0, "{longest}");
    }
}
