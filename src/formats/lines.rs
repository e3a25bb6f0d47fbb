//! Splits a track line into parts at data gaps, jumps and the antimeridian.

use crate::track::{Fix, Track};

/// A vertex of a line: longitude, latitude, and whether it is a fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Vertex {
    pub(super) longitude: f64,
    pub(super) latitude: f64,
    is_fix: bool,
}

impl Vertex {
    fn of(fix: &Fix) -> Self {
        Self {
            longitude: fix.position.longitude,
            latitude: fix.position.latitude,
            is_fix: true,
        }
    }
}

/// The included fixes as parts of a line. The line is split before a fix that
/// follows a data gap or a jump, and where the shorter way between two fixes
/// crosses the antimeridian: there both parts extend to it (RFC 7946, section
/// 3.1.9).
pub(super) fn parts(track: &Track) -> Vec<Vec<Vertex>> {
    let mut parts = Vec::new();
    let mut part: Vec<Vertex> = Vec::new();
    let mut before: Option<Vertex> = None;
    for fix in track.included_fixes() {
        let vertex = Vertex::of(&fix);
        if let Some(last) = before {
            if track.is_break(fix.index) {
                parts.push(std::mem::take(&mut part));
            } else if let Some((end, start)) = crossing(last, vertex) {
                // A fix on the antimeridian is already the end of the part.
                let there = part.last().is_some_and(|last| {
                    (last.longitude, last.latitude) == (end.longitude, end.latitude)
                });
                if !there {
                    part.push(end);
                }
                parts.push(std::mem::take(&mut part));
                part.push(start);
            }
        }
        // A fix on the antimeridian is already the start of the part.
        if part.last().is_none_or(|last| {
            last.is_fix || (last.longitude, last.latitude) != (vertex.longitude, vertex.latitude)
        }) {
            part.push(vertex);
        }
        before = Some(vertex);
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Fixes of a part of the line, and excluded ones between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    /// The index of the first.
    first: usize,
    /// The index of the last.
    last: usize,
}

impl Segment {
    /// The included fixes of the part.
    pub(super) fn fixes(self, track: &Track) -> impl Iterator<Item = Fix> + '_ {
        let all = self.first..=self.last;
        all.filter(|index| track.is_included(*index))
            .filter_map(|index| track.fix(index))
    }
}

/// The parts of the line as [`parts`] splits it, which end and begin with a fix.
/// They take no memory for each fix. `written` is the longitude that the file has
/// for one of a fix: the antimeridian has two, of which a file may know one.
pub(super) fn segments(track: &Track, written: fn(f64) -> f64) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut before: Option<Vertex> = None;
    for fix in track.included_fixes() {
        let vertex = Vertex {
            longitude: written(fix.position.longitude),
            ..Vertex::of(&fix)
        };
        let is_split = before
            .is_none_or(|before| track.is_break(fix.index) || crossing(before, vertex).is_some());
        match segments.last_mut().filter(|_| !is_split) {
            Some(segment) => segment.last = fix.index,
            None => segments.push(Segment {
                first: fix.index,
                last: fix.index,
            }),
        }
        before = Some(vertex);
    }
    segments
}

/// The point at which the shorter way between two vertices crosses the
/// antimeridian, as the end of a part and the start of the next.
fn crossing(from: Vertex, to: Vertex) -> Option<(Vertex, Vertex)> {
    let east = to.longitude - from.longitude;
    if east.abs() <= 180.0 {
        return None;
    }
    let edge = if east < 0.0 { 180.0 } else { -180.0 };
    // The other vertex, with its longitude continued beyond the antimeridian.
    let beyond = to.longitude + 2.0 * edge;
    let share = if beyond == from.longitude {
        0.0
    } else {
        (edge - from.longitude) / (beyond - from.longitude)
    };
    // A fix on the antimeridian is where the line meets it, to the last digit.
    let latitude = if share >= 1.0 {
        to.latitude
    } else {
        from.latitude + (to.latitude - from.latitude) * share
    };
    let at = |longitude| Vertex {
        longitude,
        latitude,
        is_fix: false,
    };
    Some((at(edge), at(-edge)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::track;

    #[test]
    fn the_line_is_cut_where_it_crosses_the_antimeridian_and_meets_there() {
        let track = track(&[
            (0.0, 10.0, 179.0),
            (86_400.0, 12.0, -179.0),
            (172_800.0, 12.0, -178.0),
        ]);
        let parts = parts(&track);
        let places: Vec<Vec<(f64, f64)>> = parts
            .iter()
            .map(|part| part.iter().map(|v| (v.longitude, v.latitude)).collect())
            .collect();
        assert_eq!(
            places,
            vec![
                vec![(179.0, 10.0), (180.0, 11.0)],
                vec![(-180.0, 11.0), (-179.0, 12.0), (-178.0, 12.0)]
            ]
        );
        let segments = segments(&track, |longitude| longitude).into_iter();
        let fixes: Vec<usize> = segments.map(|one| one.fixes(&track).count()).collect();
        assert_eq!(fixes, [1, 2]);
    }

    #[test]
    fn the_line_is_cut_at_a_gap_and_at_a_jump() {
        let step = |n: u32, latitude: f64| {
            let n = f64::from(n);
            (600.0 * n, latitude + 0.001 * n, 5.0)
        };
        let mut places: Vec<(f64, f64, f64)> = (0..40).map(|n| step(n, 60.0)).collect();
        let lengths = |places: &[(f64, f64, f64)]| -> Vec<usize> {
            let track = track(places);
            let lengths: Vec<usize> = parts(&track).iter().map(Vec::len).collect();
            let segments = segments(&track, |longitude| longitude).into_iter();
            let fixes: Vec<usize> = segments.map(|one| one.fixes(&track).count()).collect();
            assert_eq!(fixes, lengths);
            lengths
        };
        assert_eq!(lengths(&places), [40]);
        places.push((50_000.0, 60.05, 5.0));
        assert_eq!(lengths(&places), [40, 1]);
        // A lasting move: 1,000 km in ten minutes.
        places.pop();
        places.extend((40..80).map(|n| step(n, 69.0)));
        assert_eq!(lengths(&places), [40, 40]);
    }
}
