//! The faces of a cube around the Earth, and lines on them.

use crate::geo::Vector;
use crate::map::raster::Segment;

/// Number of faces of a cube.
pub(super) const FACES: usize = 6;

/// A point on a face, with coordinates in [-1, 1].
pub(super) type Point = (f64, f64);

/// A square on a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Square {
    /// Its smallest coordinates.
    pub(super) u: f64,
    pub(super) v: f64,
    /// Length of its side.
    pub(super) size: f64,
}

impl Square {
    /// A whole face.
    pub(super) const WHOLE: Self = Self {
        u: -1.0,
        v: -1.0,
        size: 2.0,
    };

    /// A quarter of the square, numbered 0 to 3 along u, then v.
    pub(super) fn quarter(self, number: usize) -> Self {
        let size = self.size / 2.0;
        Self {
            u: self.u + if number & 1 == 1 { size } else { 0.0 },
            v: self.v + if number & 2 == 2 { size } else { 0.0 },
            size,
        }
    }

    /// The quarter that contains a point.
    pub(super) fn quarter_of(self, point: Point) -> usize {
        let half = self.size / 2.0;
        usize::from(point.0 >= self.u + half) | usize::from(point.1 >= self.v + half) << 1
    }

    /// Clips a line to the square; `None` if it is outside.
    pub(super) fn cut(self, a: Point, b: Point) -> Option<(Point, Point)> {
        let right = self.u + self.size;
        let top = self.v + self.size;
        let inside = |p: Point| p.0 >= self.u && p.0 <= right && p.1 >= self.v && p.1 <= top;
        if inside(a) && inside(b) {
            return Some((a, b));
        }
        let outside = a.0.max(b.0) < self.u
            || a.0.min(b.0) > right
            || a.1.max(b.1) < self.v
            || a.1.min(b.1) > top;
        if outside {
            return None;
        }
        let low = (self.u, self.v);
        let high = (right, top);
        let cut = Segment { from: a, to: b }.clipped(Segment {
            from: low,
            to: high,
        })?;
        let within = |p: Point| (p.0.clamp(self.u, right), p.1.clamp(self.v, top));
        Some((within(cut.from), within(cut.to)))
    }
}

/// A vector in the coordinates of a face: its point is (x / w, y / w).
#[derive(Clone, Copy)]
struct Seen {
    x: f64,
    y: f64,
    w: f64,
}

fn seen(face: usize, vector: Vector) -> Seen {
    let Vector { x, y, z } = vector;
    let (x, y, w) = match face {
        0 => (y, z, x),
        1 => (y, z, -x),
        2 => (x, z, y),
        3 => (x, z, -y),
        4 => (x, y, z),
        _ => (x, y, -z),
    };
    Seen { x, y, w }
}

/// The unit vector of a point on a face.
pub(super) fn vector(face: usize, point: Point) -> Vector {
    let (a, b) = point;
    let (x, y, z) = match face {
        0 => (1.0, a, b),
        1 => (-1.0, a, b),
        2 => (a, 1.0, b),
        3 => (a, -1.0, b),
        4 => (a, b, 1.0),
        _ => (a, b, -1.0),
    };
    Vector { x, y, z }.unit()
}

/// The face of a vector.
fn face_of(vector: Vector) -> usize {
    let Vector { x, y, z } = vector;
    let ax = x.abs();
    let ay = y.abs();
    let az = z.abs();
    if ax >= ay && ax >= az {
        usize::from(x < 0.0)
    } else if ay >= az {
        2 + usize::from(y < 0.0)
    } else {
        4 + usize::from(z < 0.0)
    }
}

/// Passes to `each` the parts of the great circle from `a` to `b`, face by
/// face.
pub(super) fn pieces(a: Vector, b: Vector, mut each: impl FnMut(usize, Point, Point)) {
    let on = |seen: Seen| (seen.x / seen.w, seen.y / seen.w);
    let face_a = face_of(a);
    let face_b = face_of(b);
    if face_a == face_b {
        each(face_a, on(seen(face_a, a)), on(seen(face_a, b)));
        return;
    }
    for face in 0..FACES {
        // The chord in the coordinates of the face: its four sides are planes
        // through the centre of the Earth, w ± x = 0 and w ± y = 0.
        let from = seen(face, a);
        let to = seen(face, b);
        let mut enter = 0.0f64;
        let mut leave = 1.0f64;
        let sides = [
            (from.w + from.x, to.w + to.x),
            (from.w - from.x, to.w - to.x),
            (from.w + from.y, to.w + to.y),
            (from.w - from.y, to.w - to.y),
        ];
        for (before, behind) in sides {
            let change = behind - before;
            if change > 0.0 {
                enter = enter.max(-before / change);
            } else if change < 0.0 {
                leave = leave.min(-before / change);
            } else if before < 0.0 {
                leave = -1.0;
            }
        }
        if enter >= leave {
            continue;
        }
        let at = |share: f64| Seen {
            x: from.x + (to.x - from.x) * share,
            y: from.y + (to.y - from.y) * share,
            w: from.w + (to.w - from.w) * share,
        };
        let p = at(enter);
        let q = at(leave);
        if p.w > 0.0 && q.w > 0.0 {
            let clamped = |(u, v): Point| (u.clamp(-1.0, 1.0), v.clamp(-1.0, 1.0));
            each(face, clamped(on(p)), clamped(on(q)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;

    proptest::proptest! {
        #[test]
        fn the_pieces_of_a_leg_are_the_leg(lat1 in -90.0f64..90.0, lon1 in -180.0f64..180.0, lat2 in -90.0f64..90.0, lon2 in -180.0f64..180.0) {
            let at = |latitude, longitude| Vector::new(Position { latitude, longitude });
            let (a, b) = (at(lat1, lon1), at(lat2, lon2));
            proptest::prop_assume!(a.angle(b) < 3.0);
            let mut length = 0.0;
            pieces(a, b, |face, from, to| {
                let (p, q) = (vector(face, from), vector(face, to));
                length += p.angle(q);
                // Both ends are on the great circle.
                let pole = Vector { x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x }.unit();
                assert!(p.dot(pole).abs() < 1e-9 || a.angle(b) < 1e-3);
            });
            proptest::prop_assert!((length - a.angle(b)).abs() < 1e-9, "{length} {}", a.angle(b));
        }
    }
}
