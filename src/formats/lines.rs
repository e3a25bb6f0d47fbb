//! Splits a track line into parts at data gaps, jumps and the antimeridian.

use crate::track::{Fix, Track};

/// A vertex of a line: longitude and latitude.
pub(super) type Vertex = [f64; 2];

fn vertex(fix: &Fix) -> Vertex {
    [fix.position.longitude, fix.position.latitude]
}

/// The included fixes as parts of a line. The line is split before a fix that
/// follows a data gap or a jump, and where the shorter way between two fixes
/// crosses the antimeridian: there both parts extend to it (RFC 7946, section
/// 3.1.9).
pub(super) fn parts(track: &Track) -> Vec<Vec<Vertex>> {
    let mut parts: Vec<Vec<Vertex>> = Vec::new();
    for segment in segments(track, |longitude| longitude) {
        let mut part: Vec<Vertex> = Vec::new();
        for fix in segment.fixes(track) {
            let here = vertex(&fix);
            if part.is_empty()
                && !track.is_break(fix.index)
                && let Some(before) = parts.last_mut()
                && let Some((end, start)) = before.last().and_then(|last| crossing(*last, here))
            {
                // A fix on the antimeridian is already the end of a part, or its start.
                before.extend((before.last() != Some(&end)).then_some(end));
                part.extend((start != here).then_some(start));
            }
            part.push(here);
        }
        parts.push(part);
    }
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

/// The parts of the line, which end and begin with a fix.
/// They take no memory for each fix. `written` is the longitude that the file has
/// for one of a fix: the antimeridian has two, of which a file may know one.
pub(super) fn segments(track: &Track, written: fn(f64) -> f64) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut before: Option<Vertex> = None;
    for fix in track.included_fixes() {
        let here = [written(fix.position.longitude), fix.position.latitude];
        let is_split = before
            .is_none_or(|before| track.is_break(fix.index) || crossing(before, here).is_some());
        match segments.last_mut().filter(|_| !is_split) {
            Some(segment) => segment.last = fix.index,
            None => segments.push(Segment {
                first: fix.index,
                last: fix.index,
            }),
        }
        before = Some(here);
    }
    segments
}

/// The point at which the shorter way between two vertices crosses the
/// antimeridian, as the end of a part and the start of the next.
fn crossing([from, south]: Vertex, [to, north]: Vertex) -> Option<(Vertex, Vertex)> {
    let east = to - from;
    if east.abs() <= 180.0 {
        return None;
    }
    let edge = if east < 0.0 { 180.0 } else { -180.0 };
    // The other vertex, with its longitude continued beyond the antimeridian.
    let beyond = to + 2.0 * edge;
    let share = if beyond == from {
        0.0
    } else {
        (edge - from) / (beyond - from)
    };
    // A fix on the antimeridian is where the line meets it, to the last digit.
    let latitude = if share >= 1.0 {
        north
    } else {
        south + (north - south) * share
    };
    Some(([edge, latitude], [-edge, latitude]))
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
        assert_eq!(
            parts,
            [
                vec![[179.0, 10.0], [180.0, 11.0]],
                vec![[-180.0, 11.0], [-179.0, 12.0], [-178.0, 12.0]]
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
