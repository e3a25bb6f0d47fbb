//! A preview of a long track: a few thousand strokes, shown while its levels of
//! detail are prepared, which takes half a second for a million fixes.

use std::collections::BTreeSet;

use super::stroke::{Ends, Kind, Points, Stroke, leg};
use crate::map::view::View;
use crate::track::{Flag, Track};

/// Number of evenly spread fixes in a preview.
const EVENLY: usize = 8192;
/// Most data gaps, and most symbols, added to them.
const BESIDES: usize = 2048;

/// A selection of a track's fixes: evenly spread ones, both ends of data gaps,
/// and flagged fixes.
#[derive(Debug, Clone)]
pub(super) struct Preview {
    line: Vec<u32>,
    marks: Vec<(Kind, u32)>,
}

impl Preview {
    pub(super) fn of(track: &Track) -> Self {
        let points = Points(track);
        let index = |index: usize| u32::try_from(index).ok();
        let step = track.len().div_ceil(EVENLY).max(1);
        let is_included = |fix: &usize| track.is_included(*fix);
        let mut line: BTreeSet<u32> = (0..track.len())
            .step_by(step)
            .chain(track.len().checked_sub(1))
            .filter(is_included)
            .filter_map(index)
            .collect();
        let gaps = (0..track.len())
            .filter(is_included)
            .filter_map(index)
            .filter(|&fix| points.is_break(fix));
        for fix in gaps.take(BESIDES) {
            let start = track.leg_start(fix as usize).and_then(index);
            line.extend(start.into_iter().chain([fix]));
        }
        let flags = (0..).zip(track.flags());
        let marks = flags.filter_map(|(fix, flag)| match flag {
            Flag::Fail => Some((Kind::Failed, fix)),
            Flag::Suspect => Some((Kind::Suspect, fix)),
            _ => None,
        });
        let outside = (0..track.len())
            .step_by(step)
            .filter(|fix| !track.is_inside(*fix))
            .filter_map(index)
            .map(|fix| (Kind::Outside, fix));
        Self {
            line: line.into_iter().collect(),
            marks: outside.chain(marks.take(BESIDES)).collect(),
        }
    }

    /// Passes its strokes to `each`.
    pub(super) fn strokes(&self, track: &Track, view: &View, each: &mut impl FnMut(Stroke)) {
        let plotter = view.plotter();
        let points = Points(track);
        let mut before = None;
        for &fix in &self.line {
            let to = points.at(fix);
            let (from, kind) = match before {
                Some(from) if points.is(Kind::Jump, fix) => (from, Kind::Jump),
                Some(from) if points.is_break(fix) => (from, Kind::Gap),
                Some(from) => (from, Kind::Leg),
                None => (to, Kind::Leg),
            };
            leg(&plotter, Ends { from, to }, kind, fix, each);
            before = Some(to);
        }
        for &(kind, fix) in &self.marks {
            leg(&plotter, points.ends(kind, fix), kind, fix, each);
        }
    }
}
