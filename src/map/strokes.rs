//! The strokes that draw a track on a map: every leg in view is one, but for those that share a
//! dot, and of tens of thousands in view each n-th.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::ops::Range;

use super::blocks::{Block, Blocks, MOST_LEGS};
use super::dots::{CellDots, Segment, segments};
use super::pen::Pen;
use super::view::{Plotter, View};
use crate::geo::Vector;
use crate::track::{Flag, Track};

/// The kind of a stroke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// The dot of a fix outside the time in which fixes count.
    Outside,
    /// A leg over a data gap.
    Gap,
    /// A leg that is a jump, a lasting move over the speed limit.
    Jump,
    /// A leg, or the dot of a fix without a leg to it.
    Leg,
    /// The symbol of a duplicate fix.
    Repeated,
    /// The symbol of a suspect fix.
    Suspect,
    /// The symbol of a failed fix.
    Failed,
}

/// A straight stroke on a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    pub segment: Segment,
    /// Index of the fix, for a leg that of its end.
    pub fix: u32,
    pub kind: Kind,
}

/// The fixes of a track, prepared for drawing at any scale.
#[derive(Debug, Clone)]
pub(crate) struct TrackStrokes {
    points: Vec<Vector>,
    blocks: Blocks,
    /// The fixes that the line is broken before, ascending.
    breaks: Vec<u32>,
    /// The fixes with a symbol, ascending, each with its kind.
    marks: Vec<(u32, Kind)>,
}

/// The kinds of symbols of a fix.
fn marks(track: &Track, fix: usize) -> impl Iterator<Item = Kind> + use<> {
    let flag = track.flags().get(fix).copied();
    let is_suspect = flag == Some(Flag::Suspect) && track.is_included(fix);
    let marks = [
        (track.times_sent(fix) > 1).then_some(Kind::Repeated),
        is_suspect.then_some(Kind::Suspect),
        (flag == Some(Flag::Fail)).then_some(Kind::Failed),
    ];
    marks.into_iter().flatten()
}

/// The part of an ascending list within a range.
fn within<'a, T>(items: &'a [T], range: &Range<usize>, number: impl Fn(&T) -> u32) -> &'a [T] {
    let before = |end: usize| items.partition_point(|item| (number(item) as usize) < end);
    items
        .get(before(range.start)..before(range.end))
        .unwrap_or_default()
}

impl TrackStrokes {
    /// Prepares a track.
    pub(crate) fn new(track: &Track) -> Self {
        let fixes = || 0..u32::try_from(track.len()).unwrap_or(u32::MAX);
        let points = fixes().map(|fix| Vector::new(track.position(fix as usize)));
        let points: Vec<Vector> = points.collect();
        let breaks = fixes().filter(|fix| track.is_break(*fix as usize));
        let marks = fixes().flat_map(|fix| marks(track, fix as usize).map(move |kind| (fix, kind)));
        Self {
            blocks: Blocks::new(&points, |fix| track.leg_start(fix)),
            breaks: breaks.collect(),
            marks: marks.collect(),
            points,
        }
    }

    /// Passes to `each` the strokes that draw the track, which it was made of, on a map whose
    /// cells have these dots. They set the dots that all its legs would set, or adjacent ones;
    /// above [`MOST_LEGS`] in view, those of each n-th leg, with all gaps.
    pub(crate) fn draw(
        &self,
        track: &Track,
        view: &View,
        dots: CellDots,
        each: impl FnMut(Stroke),
    ) {
        self.draw_about(MOST_LEGS, track, view, dots, each);
    }

    /// The same with about so many legs.
    fn draw_about(
        &self,
        most: usize,
        track: &Track,
        view: &View,
        dots: CellDots,
        mut each: impl FnMut(Stroke),
    ) {
        let plotter = view.plotter();
        let in_view = self.blocks.in_view(&plotter, dots, most);
        let every = in_view.every;
        let stroke = Cell::new((0, Kind::Leg));
        let pen = Pen::new(&plotter, |line: &[(f64, f64)]| {
            let (fix, kind) = stroke.get();
            for segment in segments(line) {
                each(Stroke { segment, fix, kind });
            }
        });
        let mut drawing = Drawing {
            strokes: self,
            track,
            pen,
            at: None,
            stroke: &stroke,
        };
        for block in &in_view.blocks {
            drawing.line(block, every);
        }
        for block in &in_view.blocks {
            let samples = block.points.clone().rev().step_by(every);
            let outside = samples.filter(|fix| !track.is_inside(*fix));
            // All of a dot are one.
            let most = if block.is_dot { 1 } else { usize::MAX };
            outside
                .take(most)
                .for_each(|fix| drawing.dot(fix, Kind::Outside));
        }
        drawing.marks(&in_view.blocks);
    }
}

/// A track while it is drawn.
struct Drawing<'a, F: FnMut(&[(f64, f64)])> {
    strokes: &'a TrackStrokes,
    track: &'a Track,
    pen: Pen<'a, F>,
    /// The fix that the pen is at.
    at: Option<usize>,
    /// The fix and the kind of the next strokes.
    stroke: &'a Cell<(u32, Kind)>,
}

impl<F: FnMut(&[(f64, f64)])> Drawing<'_, F> {
    /// Draws the leg from a fix to another: an arc of a great circle.
    fn leg(&mut self, from: usize, fix: usize, kind: Kind) {
        let points = &self.strokes.points;
        let (Some(start), Some(end)) = (points.get(from), points.get(fix)) else {
            return;
        };
        // Most legs begin where the last one ended, and need no second projection.
        if self.at != Some(from) {
            self.pen.lift();
            self.pen.move_to(*start);
        }
        self.stroke
            .set((u32::try_from(fix).unwrap_or(u32::MAX), kind));
        self.pen.arc(*end);
        self.pen.finish();
        self.at = Some(fix);
    }

    /// Draws the dot of a fix.
    fn dot(&mut self, fix: usize, kind: Kind) {
        self.leg(fix, fix, kind);
    }

    /// Draws the line in a block.
    fn line(&mut self, block: &Block, every: usize) {
        let track = self.track;
        if block.is_dot {
            let mut newest = block.points.clone().rev();
            if let Some(fix) = newest.find(|fix| track.is_included(*fix)) {
                self.dot(fix, Kind::Leg);
            }
            return;
        }
        let mut begin = block.points.start;
        for broken in within(&self.strokes.breaks, &block.points, |fix| *fix) {
            let end = *broken as usize;
            self.whole_line(begin..end, every);
            let kind = if track.is_jump(end) {
                Kind::Jump
            } else {
                Kind::Gap
            };
            if let Some(start) = track.leg_start(end) {
                self.leg(start, end, kind);
            }
            self.dot(end, Kind::Leg);
            begin = end + 1;
        }
        self.whole_line(begin..block.points.end, every);
    }

    /// Draws the legs to fixes without a break, to each of `every` and to the last one.
    fn whole_line(&mut self, fixes: Range<usize>, every: usize) {
        let track = self.track;
        let is_included = |fix: &usize| track.is_included(*fix);
        let drawn = fixes.clone().skip(every - 1).step_by(every);
        let last = fixes.rev().find(is_included).filter(|_| every > 1);
        let mut before: Option<usize> = None;
        for fix in drawn.filter(is_included).chain(last) {
            if before >= Some(fix) {
                continue;
            }
            let earlier = before.filter(|_| every > 1);
            let start = earlier.or_else(|| track.leg_start(fix));
            self.leg(start.unwrap_or(fix), fix, Kind::Leg);
            before = Some(fix);
        }
    }

    /// Draws the symbols of flagged fixes; where they are very many, some of each block.
    fn marks(&mut self, blocks: &[Block]) {
        let all = &self.strokes.marks;
        let of = |block: &Block| within(all, &block.points, |(fix, _)| *fix);
        let count: usize = blocks.iter().map(|block| of(block).len()).sum();
        let every = count.div_ceil(MOST_LEGS).max(1);
        for block in blocks {
            let mut drawn: Vec<Kind> = Vec::new();
            for (fix, kind) in of(block).iter().step_by(every) {
                let is_there = drawn.contains(kind);
                if !(block.is_dot && is_there) {
                    drawn.extend((!is_there).then_some(*kind));
                    self.dot(*fix as usize, *kind);
                }
            }
        }
    }
}

/// The cell half-way along the leg to a fix; `None` if there is no leg or the
/// projection does not show it.
pub(crate) fn half_way(track: &Track, plotter: &Plotter, fix: u32) -> Option<(f64, f64)> {
    let index = usize::try_from(fix).ok()?;
    let from = Vector::new(track.position(track.leg_start(index)?));
    plotter.cell(from.towards(Vector::new(track.position(index)), 0.5))
}
