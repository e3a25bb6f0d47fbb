//! Crossings of the rings of a polygon, each with itself or with another.

use super::ring::Ring;

/// An edge of a ring, with the number of the ring, of the edge in it, and of
/// edges of the ring.
#[derive(Clone, Copy)]
struct Edge {
    from: (f64, f64),
    to: (f64, f64),
    ring: usize,
    number: usize,
    count: usize,
}

/// How two edges meet.
#[derive(PartialEq)]
enum Meeting {
    /// In a point that is the end of an edge.
    Touch,
    /// In a point within both.
    Cross,
    /// Along a line.
    Overlap,
}

impl Edge {
    fn west(&self) -> f64 {
        self.from.0.min(self.to.0)
    }

    fn east(&self) -> f64 {
        self.from.0.max(self.to.0)
    }

    fn moved(self, by: f64) -> Self {
        Self {
            from: (self.from.0 + by, self.from.1),
            to: (self.to.0 + by, self.to.1),
            ..self
        }
    }

    /// `true` if it lies where areas are cut: on the antimeridian, or on a pole.
    fn is_cut(&self) -> bool {
        let on_antimeridian = |x: f64| (x.abs() - 180.0).rem_euclid(360.0) == 0.0;
        (self.from.0 == self.to.0 && on_antimeridian(self.from.0))
            || (self.from.1 == self.to.1 && self.from.1.abs() == 90.0)
    }

    fn follows(&self, other: &Self) -> bool {
        self.ring == other.ring && (other.number + 1) % self.count == self.number
    }

    /// `true` if one of them lies where areas are cut and both end in the same point:
    /// the corners on either side of a cut are one position.
    fn meets_a_cut_at_its_end(&self, other: &Self) -> bool {
        let ends = [other.from, other.to];
        (self.is_cut() || other.is_cut())
            && [self.from, self.to].iter().any(|end| ends.contains(end))
    }

    /// How it meets another edge, if it does.
    fn meeting(&self, other: &Self) -> Option<Meeting> {
        let side = |a: (f64, f64), b: (f64, f64), c: (f64, f64)| {
            (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
        };
        let [a, b, c, d] = [
            side(other.from, other.to, self.from),
            side(other.from, other.to, self.to),
            side(self.from, self.to, other.from),
            side(self.from, self.to, other.to),
        ];
        if a == 0.0 && b == 0.0 {
            // On one line: along its longer extent.
            let along = |point: (f64, f64)| {
                if self.from.0 == self.to.0 {
                    point.1
                } else {
                    point.0
                }
            };
            let ends = |edge: &Self| {
                let from = along(edge.from);
                let to = along(edge.to);
                (from.min(to), from.max(to))
            };
            let ((start, end), (other_start, other_end)) = (ends(self), ends(other));
            let common = end.min(other_end) - start.max(other_start);
            return match common {
                common if common > 0.0 => Some(Meeting::Overlap),
                0.0 => Some(Meeting::Touch),
                _ => None,
            };
        }
        if a * b > 0.0 || c * d > 0.0 {
            return None;
        }
        if a == 0.0 || b == 0.0 || c == 0.0 || d == 0.0 {
            Some(Meeting::Touch)
        } else {
            Some(Meeting::Cross)
        }
    }

    /// `true` if both may be edges of the same polygon.
    fn is_apart_from(&self, other: &Self) -> bool {
        if (self.ring, self.number) == (other.ring, other.number)
            || (self.is_cut() && other.is_cut())
        {
            return true;
        }
        match self.meeting(other) {
            None => true,
            Some(Meeting::Touch) => {
                self.ring != other.ring
                    || self.follows(other)
                    || other.follows(self)
                    || self.meets_a_cut_at_its_end(other)
            }
            Some(Meeting::Cross | Meeting::Overlap) => false,
        }
    }
}

/// A crossing of the rings of a polygon: (longitude, latitude) of the start of an
/// edge that crosses another, if there is one.
pub(super) fn crossing<'a>(rings: impl Iterator<Item = &'a Ring>) -> Option<(f64, f64)> {
    let mut edges: Vec<Edge> = Vec::new();
    for (index, ring) in rings.enumerate() {
        let count = ring.edges().count();
        for (number, (from, to)) in ring.edges().enumerate() {
            let edge = Edge {
                from,
                to,
                ring: index,
                number,
                count,
            };
            // Each edge begins between -180 and 180; an edge over the antimeridian is added twice.
            let turns = ((edge.west() + 180.0) / 360.0).floor();
            let edge = edge.moved(-360.0 * turns);
            edges.push(edge);
            if edge.east() > 180.0 {
                edges.push(edge.moved(-360.0));
            }
        }
    }
    edges.sort_by(|a, b| a.west().total_cmp(&b.west()));
    for (index, edge) in edges.iter().enumerate() {
        let later = edges.iter().skip(index + 1);
        let overlapping = later.take_while(|other| other.west() <= edge.east());
        for other in overlapping {
            if !edge.is_apart_from(other) {
                return Some(edge.from);
            }
        }
    }
    None
}
