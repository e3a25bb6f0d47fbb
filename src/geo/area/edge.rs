//! The edges of an area on the earth.

use super::ring::{Polygon, contains};
use crate::geo::projection::wrap;
use crate::geo::{Position, Vector, geodesic};

/// The longest part of an edge, degrees. A great circle differs from it by 1.2 m
/// at most.
const STEP_DEG: f64 = 0.1;
/// The distance from an edge at which both its sides are tested, degrees: 1 cm.
const SIDE_DEG: f64 = 1e-7;

/// A short part of an edge.
struct Part {
    from: Vector,
    to: Vector,
    middle: Vector,
    /// Cosine and sine of the angle from its middle to its ends.
    reach: (f64, f64),
}

/// The edges of an area in short parts. A line with the area on both sides, such as a cut at
/// the antimeridian, is not an edge.
pub(super) struct Edges {
    parts: Vec<Part>,
    /// Positions along them; the last line, and others, may be empty.
    lines: Vec<Vec<Position>>,
    length_m: f64,
}

impl Edges {
    pub(super) fn new(polygons: &[Polygon]) -> Self {
        let mut edges = Self {
            parts: Vec::new(),
            lines: vec![Vec::new()],
            length_m: 0.0,
        };
        for ring in polygons.iter().flat_map(Polygon::rings) {
            for (from, to) in ring.edges() {
                edges.add(polygons, from, to);
            }
            edges.lines.push(Vec::new());
        }
        edges
    }

    fn add(&mut self, polygons: &[Polygon], from: (f64, f64), to: (f64, f64)) {
        let east = to.0 - from.0;
        let north = to.1 - from.1;
        // 10,800 at most.
        let count = ((east.abs().max(north.abs()) / STEP_DEG).ceil() as u32).max(1);
        let at = |number: f64| {
            let share = number / f64::from(count);
            (from.0 + share * east, from.1 + share * north)
        };
        let position_at = |number: f64| {
            let (longitude, latitude) = at(number);
            position(longitude, latitude)
        };
        let length = east.hypot(north);
        // A single polygon does not touch itself: only an edge along a meridian or a parallel
        // may be a cut.
        let may_be_cut = polygons.len() > 1 || east == 0.0 || north == 0.0;
        let aside = (-SIDE_DEG * north / length, SIDE_DEG * east / length);
        for number in 0..count {
            let middle = at(f64::from(number) + 0.5);
            let side = |sign: f64| {
                let x = middle.0 + sign * aside.0;
                let y = middle.1 + sign * aside.1;
                contains(polygons, position(x, y))
            };
            // Nothing is beyond a pole.
            let is_edge = middle.1.abs() < 90.0 && (!may_be_cut || side(1.0) != side(-1.0));
            if !is_edge {
                self.lines.push(Vec::new());
                continue;
            }
            let from = position_at(f64::from(number));
            let to = position_at(f64::from(number + 1));
            if let Some(line) = self.lines.last_mut() {
                if line.is_empty() {
                    line.push(from);
                }
                line.push(to);
            }
            self.length_m += geodesic::length_m(from, to);
            let middle = Vector::new(position(middle.0, middle.1));
            let [start, end] = [from, to].map(Vector::new);
            let reach = start.angle(middle).max(end.angle(middle));
            self.parts.push(Part {
                from: start,
                to: end,
                middle,
                reach: (reach.cos(), reach.sin()),
            });
        }
    }

    /// The length of all, metres.
    pub(super) fn length_m(&self) -> f64 {
        self.length_m
    }

    /// The lines of positions along them.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[Position]> {
        let lines = self.lines.iter().map(Vec::as_slice);
        lines.filter(|line| !line.is_empty())
    }

    /// The geodesic distance of a position from the nearest one, metres; half the
    /// earth's circumference without an edge.
    pub(super) fn distance_m(&self, from: Position) -> f64 {
        let point = Vector::new(from);
        let nearest = (self.parts.iter())
            .map(|part| part.middle.dot(point))
            .fold(-1.0, f64::max);
        // The nearest position is no farther than the nearest middle, and a part is no nearer
        // than its middle less its reach. An angle near zero is known to 1e-8 by its cosine.
        let (sine, cosine) = (nearest.clamp(-1.0, 1.0).acos() + 1e-7).sin_cos();
        let may_be_nearest = |part: &&Part| {
            let at_least = cosine * part.reach.0 - sine * part.reach.1;
            part.middle.dot(point) >= at_least || sine <= 0.0
        };
        (self.parts.iter())
            .filter(may_be_nearest)
            .map(|part| geodesic::length_m(from, part.nearest_to(point)))
            .fold(20_003_931.5, f64::min)
    }
}

impl Part {
    fn nearest_to(&self, point: Vector) -> Position {
        // On so short a part the chord is as good as the arc.
        let whole = self.to.minus(self.from);
        let length = whole.dot(whole);
        let share = if length > 0.0 {
            (whole.dot(point.minus(self.from)) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.from.plus(whole.scaled(share)).unit().position()
    }
}

/// The position of a point of the plane.
fn position(longitude: f64, latitude: f64) -> Position {
    Position {
        latitude: latitude.clamp(-90.0, 90.0),
        longitude: wrap(longitude),
    }
}
