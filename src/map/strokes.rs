//! The strokes that draw tracks and lines on a map: every leg in view is one, but for those that
//! share a dot, and of tens of thousands in view each n-th.

mod leg;
mod path;
#[cfg(test)]
mod tests;

use crate::geo::{Position, Vector};
use crate::map::dots::{CellDots, Segment};
use crate::map::view::{Plotter, View};
use crate::track::{Flag, Track};
use path::{Block, InView, Legs, Path, within};

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

/// A straight stroke on a map, in cells; a dot if both ends are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stroke {
    /// The start.
    pub from: (f64, f64),
    /// The end.
    pub to: (f64, f64),
    /// Index of the fix, for a leg that of its end.
    pub fix: u32,
    pub kind: Kind,
}

impl Stroke {
    /// Its line.
    pub(crate) fn segment(self) -> Segment {
        Segment {
            from: self.from,
            to: self.to,
        }
    }
}

/// The fixes of a track, prepared for drawing at any scale.
#[derive(Debug, Clone)]
pub(crate) struct TrackStrokes {
    path: Path,
    /// The fixes with a symbol, ascending, each with its kind.
    marks: Vec<(u32, Kind)>,
}

impl Legs for Track {
    fn is_included(&self, fix: usize) -> bool {
        Track::is_included(self, fix)
    }

    fn start(&self, fix: usize) -> Option<usize> {
        self.leg_start(fix)
    }

    fn over_break(&self, fix: usize) -> Option<(usize, Kind)> {
        let kind = if self.is_jump(fix) {
            Kind::Jump
        } else {
            Kind::Gap
        };
        Some((self.leg_start(fix)?, kind))
    }
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

impl TrackStrokes {
    /// Prepares a track.
    pub(crate) fn new(track: &Track) -> Self {
        let fixes = || 0..u32::try_from(track.len()).unwrap_or(u32::MAX);
        let points = fixes().map(|fix| Vector::new(track.position(fix as usize)));
        let breaks = fixes().filter(|fix| track.is_break(*fix as usize));
        let marks = fixes().flat_map(|fix| marks(track, fix as usize).map(move |kind| (fix, kind)));
        Self {
            path: Path::new(points.collect(), breaks.collect(), track),
            marks: marks.collect(),
        }
    }

    /// Passes to `each` the strokes that draw the track, which it was made of, on a map whose
    /// cells have these dots. They set the dots that all its legs would set, or adjacent ones;
    /// above [`path::MOST_LEGS`] in view, those of each n-th leg, with all gaps.
    pub(crate) fn draw(
        &self,
        track: &Track,
        view: &View,
        dots: CellDots,
        mut each: impl FnMut(Stroke),
    ) {
        let plotter = view.plotter();
        let in_view = self.path.in_view(&plotter, dots, path::MOST_LEGS);
        self.path.draw(&plotter, &in_view, track, &mut each);
        for block in &in_view.blocks {
            let samples = block.points.clone().rev().step_by(in_view.every);
            let outside = samples.filter(|fix| !track.is_inside(*fix));
            // All of a dot are one.
            let most = if block.is_dot { 1 } else { usize::MAX };
            for fix in outside.take(most) {
                self.path.dot(&plotter, fix, Kind::Outside, &mut each);
            }
        }
        self.draw_marks(&plotter, &in_view, &mut each);
    }

    /// Draws the symbols of flagged fixes; where they are very many, some of each block.
    fn draw_marks(&self, plotter: &Plotter, in_view: &InView, each: &mut impl FnMut(Stroke)) {
        let of = |block: &Block| within(&self.marks, &block.points, |(fix, _)| *fix);
        let count: usize = in_view.blocks.iter().map(|block| of(block).len()).sum();
        let every = count.div_ceil(path::MOST_LEGS).max(1);
        for block in &in_view.blocks {
            let mut drawn: Vec<Kind> = Vec::new();
            for (fix, kind) in of(block).iter().step_by(every) {
                let is_there = drawn.contains(kind);
                if !(block.is_dot && is_there) {
                    drawn.extend((!is_there).then_some(*kind));
                    self.path.dot(plotter, *fix as usize, *kind, each);
                }
            }
        }
    }
}

/// Lines that belong to no track, prepared for drawing at any scale. A leg has the number of
/// the point at its end.
#[derive(Debug, Clone)]
pub(crate) struct LineStrokes {
    path: Path,
    begins: Begins,
}

/// The number of the first point of each line, ascending.
#[derive(Debug, Clone)]
struct Begins(Vec<u32>);

impl Legs for Begins {
    fn is_included(&self, _: usize) -> bool {
        true
    }

    fn start(&self, point: usize) -> Option<usize> {
        let found = self.0.binary_search_by_key(&point, |begin| *begin as usize);
        point.checked_sub(1).filter(|_| found.is_err())
    }

    fn over_break(&self, _: usize) -> Option<(usize, Kind)> {
        None
    }
}

impl LineStrokes {
    /// Prepares lines; a line of a single position is a dot.
    pub(crate) fn new<'a>(lines: impl Iterator<Item = &'a [Position]>) -> Self {
        let (mut points, mut begins) = (Vec::new(), Vec::new());
        for line in lines.filter(|line| !line.is_empty()) {
            begins.extend(u32::try_from(points.len()));
            points.extend(line.iter().copied().map(Vector::new));
        }
        let path = Path::new(points, begins.clone(), &Begins(begins.clone()));
        let begins = Begins(begins);
        Self { path, begins }
    }

    /// Passes to `each` the strokes that draw the lines on a map whose cells have these dots.
    pub(crate) fn draw(&self, view: &View, dots: CellDots, mut each: impl FnMut(Stroke)) {
        let plotter = view.plotter();
        let in_view = self.path.in_view(&plotter, dots, path::MOST_LEGS);
        self.path.draw(&plotter, &in_view, &self.begins, &mut each);
    }
}

/// The cell half-way along the leg to a fix; `None` if there is no leg or the
/// projection does not show it.
pub(crate) fn half_way(track: &Track, plotter: &Plotter, fix: u32) -> Option<(f64, f64)> {
    let index = usize::try_from(fix).ok()?;
    let from = Vector::new(track.position(track.leg_start(index)?));
    plotter.cell(from.towards(Vector::new(track.position(index)), 0.5))
}
