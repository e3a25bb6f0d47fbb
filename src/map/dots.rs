//! Points and lines in cells and in the dots of a cell, whatever draws them.

use strum::{IntoStaticStr, VariantArray};

/// Cells from one fix to the next, in the median, from which on fixes are marked on the line.
const APART: f64 = 2.0;

/// The numbers of dots across and down a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellDots {
    pub(crate) across: u16,
    pub(crate) down: u16,
}

impl CellDots {
    /// A single dot, for an output that draws lines itself.
    pub(crate) const ONE: Self = Self { across: 1, down: 1 };
}

/// A straight line between two points in cells; a dot if they are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Segment {
    /// The start.
    pub from: (f64, f64),
    /// The end.
    pub to: (f64, f64),
}

impl Segment {
    /// Clips a line to the area between two corners, the smallest first (Liang and Barsky,
    /// ACM Transactions on Graphics 3, 1984); `None` if it is outside.
    pub(super) fn clipped(self, area: Self) -> Option<Self> {
        let Self { from, to } = self;
        let dx = to.0 - from.0;
        let dy = to.1 - from.1;
        let mut enter = 0.0f64;
        let mut leave = 1.0f64;
        for (toward, room) in [
            (-dx, from.0 - area.from.0),
            (dx, area.to.0 - from.0),
            (-dy, from.1 - area.from.1),
            (dy, area.to.1 - from.1),
        ] {
            if toward < 0.0 {
                enter = enter.max(room / toward);
            } else if toward > 0.0 {
                leave = leave.min(room / toward);
            } else if room < 0.0 {
                return None;
            }
        }
        let at = |part: f64| (from.0 + dx * part, from.1 + dy * part);
        // The end of a line that goes on is the same as the begin of the next, to the last digit.
        (enter <= leave).then(|| Self {
            from: at(enter),
            to: if leave < 1.0 { at(leave) } else { to },
        })
    }
}

/// The segments of a line through points; of a single point its dot.
pub(super) fn segments(points: &[(f64, f64)]) -> impl Iterator<Item = Segment> {
    let ends = points.iter().skip(1).chain(points.last());
    let all = points.iter().zip(ends).map(|(from, to)| Segment {
        from: *from,
        to: *to,
    });
    // The last point is repeated; that is a segment only if there is no other.
    all.filter(move |segment| segment.from != segment.to || points.len() == 1)
}

/// How a map shows the recorded fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
pub(crate) enum FixDots {
    /// Dots on the line, as soon as they are two cells apart.
    #[default]
    OnLine,
    /// The line alone.
    Line,
    /// Dots alone: a scatter chart.
    Alone,
}

/// `true` if points in cells, one after the other, are so far apart that each can be seen.
pub(crate) fn are_apart(points: impl IntoIterator<Item = ((f64, f64), (f64, f64))>) -> bool {
    let mut lengths: Vec<f64> = points
        .into_iter()
        .map(|((x0, y0), (x1, y1))| (x1 - x0).hypot(y1 - y0))
        .collect();
    let middle = lengths.len() / 2;
    lengths.is_empty() || *lengths.select_nth_unstable_by(middle, f64::total_cmp).1 >= APART
}
