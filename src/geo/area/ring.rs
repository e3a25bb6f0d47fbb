//! A closed line in degrees, on a plane of longitudes without a seam.

use super::geojson::AreaFault;
use crate::geo::Position;
use crate::geo::sphere::MEAN_RADIUS_M;

/// A closed ring. Its longitudes go on beyond 180 and -180 instead of jumping.
#[derive(Debug, Clone)]
pub(super) struct Ring {
    /// (longitude, latitude); the last is the first, or a whole turn from it.
    points: Vec<(f64, f64)>,
    /// The pole within the ring: +1 for a turn about the north pole, -1 for one
    /// about the south pole, 0 for none.
    turn: i8,
}

/// The meaning of a step of 360 degrees from a vertex to the next.
#[derive(Clone, Copy, PartialEq)]
enum WholeTurn {
    /// A line along a whole parallel.
    Counts,
    /// No step at all.
    Ignored,
}

/// The longitude after `before` of a vertex that is `step` degrees east of the last vertex:
/// the shorter way round, unless the step is a whole turn that counts.
fn next(before: f64, step: f64, turn: WholeTurn) -> f64 {
    match step.abs() {
        by if by <= 180.0 || (by == 360.0 && turn == WholeTurn::Counts) => before + step,
        _ => before + step - 360.0 * (step / 360.0).round(),
    }
}

fn unwrapped(vertices: &[(f64, f64)], turn: WholeTurn) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::with_capacity(vertices.len() + 1);
    let mut last: Option<(f64, f64)> = None;
    // A ring that is not closed is closed.
    let open = vertices.first() != vertices.last();
    let closing = vertices.first().filter(|_| open);
    for &(longitude, latitude) in vertices.iter().chain(closing) {
        let x = match (last, points.last()) {
            (Some((last, last_latitude)), Some((before, _))) => {
                // Only along a parallel: elsewhere 180 and -180 are the same meridian.
                let turn = if latitude == last_latitude {
                    turn
                } else {
                    WholeTurn::Ignored
                };
                next(*before, longitude - last, turn)
            }
            _ => longitude,
        };
        last = Some((longitude, latitude));
        let before_last = points.len().checked_sub(2).and_then(|at| points.get(at));
        let was_at_a_pole = points.last().is_some_and(|last| last.1.abs() == 90.0);
        if before_last == Some(&(x, latitude)) && was_at_a_pole {
            // To a pole and back by the same meridian encloses nothing.
            points.pop();
        } else if points.last() != Some(&(x, latitude)) {
            points.push((x, latitude));
        }
    }
    points
}

/// `true` if all points are on one line of the plane.
fn are_on_a_line(points: &[(f64, f64)]) -> bool {
    let Some((first, rest)) = points.split_first() else {
        return true;
    };
    let from_first = |point: &(f64, f64)| (point.0 - first.0, point.1 - first.1);
    let mut apart = rest.iter().map(from_first).filter(|by| *by != (0.0, 0.0));
    let Some(along) = apart.next() else {
        return true;
    };
    apart.all(|by| along.0 * by.1 == along.1 * by.0)
}

/// Differences of longitude of an edge that is neither surely as written nor surely the short way
/// across 180 degrees.
const EITHER_WAY_DEG: std::ops::Range<f64> = 180.0 + 1e-9..270.0;

impl Ring {
    /// A ring of vertices (longitude, latitude in degrees).
    ///
    /// # Errors
    /// If it encloses nothing, or an edge may go either way.
    pub(super) fn new(vertices: &[(f64, f64)]) -> Result<Self, AreaFault> {
        let longitudes = vertices.windows(2).filter_map(|pair| match pair {
            [(from, _), (to, _)] => Some((*from, *to)),
            _ => None,
        });
        for (from, to) in longitudes {
            // RFC 7946 cuts what crosses 180 degrees; many files do not, with an edge that is
            // nearly the whole turn as it is written. A whole turn is a parallel.
            if EITHER_WAY_DEG.contains(&(to - from).abs()) {
                return Err(AreaFault::new(format!(
                    "has an edge from longitude {from} to {to}, which may go either way round the earth: put a corner between them, or cut it at 180"
                )));
            }
        }
        let mut points = unwrapped(vertices, WholeTurn::Counts);
        let turns = |points: &[(f64, f64)]| match (points.first(), points.last()) {
            (Some((first, _)), Some((last, _))) => ((last - first) / 360.0).round(),
            _ => 0.0,
        };
        // If the ring encloses nothing with whole turns along a parallel, it has none.
        if turns(&points) == 0.0 && are_on_a_line(&points) {
            points = unwrapped(vertices, WholeTurn::Ignored);
        }
        let middle: f64 = points.iter().map(|(_, latitude)| latitude).sum();
        let turn = match turns(&points) {
            0.0 if !are_on_a_line(&points) => 0,
            1.0 | -1.0 if middle > 0.0 => 1,
            1.0 | -1.0 if middle < 0.0 => -1,
            _ => return Err(AreaFault::nothing()),
        };
        Ok(Self { points, turn })
    }

    /// Its edges: from a point to the next.
    pub(super) fn edges(&self) -> impl Iterator<Item = ((f64, f64), (f64, f64))> {
        self.points.windows(2).filter_map(|pair| match pair {
            [from, to] => Some((*from, *to)),
            _ => None,
        })
    }

    /// `true` if a position is within: the meridian from it to the north pole
    /// crosses the ring an odd number of times, or an even one where the pole
    /// is within.
    pub(super) fn contains(&self, position: Position) -> bool {
        // The poles are on every meridian, just before their end.
        let latitude = position.latitude.clamp(-90.0 + 1e-12, 90.0 - 1e-12);
        let crossings = self.edges().filter(|(from, to)| {
            if from.1.max(to.1) <= latitude {
                return false;
            }
            let west = from.0.min(to.0);
            let east = from.0.max(to.0);
            let x = position.longitude + 360.0 * ((west - position.longitude) / 360.0).ceil();
            x < east && from.1 + (x - from.0) / (to.0 - from.0) * (to.1 - from.1) > latitude
        });
        (crossings.count() % 2 == 1) != (self.turn == 1)
    }

    /// The area that the ring encloses on a sphere, square metres.
    pub(super) fn area_m2(&self) -> f64 {
        let below: f64 = self
            .edges()
            .map(|(from, to)| {
                let south = from.1.to_radians();
                let north = to.1.to_radians();
                let sine = match (north - south).abs() {
                    step if step < 1e-9 => f64::midpoint(south, north).sin(),
                    _ => (south.cos() - north.cos()) / (north - south),
                };
                (to.0 - from.0).to_radians() * sine
            })
            .sum();
        let enclosed = match self.turn {
            0 => below.abs(),
            _ => std::f64::consts::TAU - below.abs(),
        };
        enclosed * MEAN_RADIUS_M * MEAN_RADIUS_M
    }
}

/// A polygon: its outer ring, and its holes.
#[derive(Debug, Clone)]
pub(super) struct Polygon {
    pub(super) outer: Ring,
    pub(super) holes: Vec<Ring>,
}

impl Polygon {
    fn contains(&self, position: Position) -> bool {
        self.outer.contains(position) && !self.holes.iter().any(|hole| hole.contains(position))
    }

    pub(super) fn rings(&self) -> impl Iterator<Item = &Ring> {
        std::iter::once(&self.outer).chain(&self.holes)
    }
}

/// `true` if a position is in one of the polygons.
pub(super) fn contains(polygons: &[Polygon], position: Position) -> bool {
    polygons.iter().any(|polygon| polygon.contains(position))
}
