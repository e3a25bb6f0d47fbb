//! The fixes of a time window that moves on with each fix: whether all are within a
//! distance of their median, without a walk over all of them for each fix.
//!
//! Two sorted columns of coordinates give the median. Of the last measurement of all
//! distances from it, the farthest fix and its distance are remembered: while these bounds
//! decide, nothing is measured again.

use crate::geo::projection::wrap;
use crate::geo::{Position, geodesic};
use crate::track::Fix;
use crate::watch::median_position;

/// A bound this near the limit does not decide, metres: positions are rounded.
const UNSURE_M: f64 = 1e-3;
/// The columns have fixes only within this many degrees of longitude of the first. Near a
/// pole, and for an instrument that moves far, the window is measured as a whole.
const NEAR_DEGREES: f64 = 1.0;

/// A window of fixes that moves on.
pub(super) struct Window<'a> {
    fixes: &'a [Fix],
    /// The index of its first fix.
    start: usize,
    /// The index after its last fix.
    end: usize,
    columns: Option<Columns>,
    distances: Option<Distances>,
    /// The index of a fix that was far from the last fix.
    apart: usize,
}

/// The coordinates of the fixes of a window, each in order.
struct Columns {
    start: usize,
    end: usize,
    /// The longitude that those of the others are counted from, degrees.
    reference: f64,
    latitudes: Vec<f64>,
    easts: Vec<f64>,
}

/// Measured distances of the fixes from a position.
struct Distances {
    from: Position,
    /// The index after the last measured fix.
    end: usize,
    /// The greatest distance, metres.
    farthest_m: f64,
    /// The index of the fix with it.
    farthest: usize,
}

impl<'a> Window<'a> {
    /// An empty window at the start of fixes in the order of time.
    pub(super) fn new(fixes: &'a [Fix]) -> Self {
        Self {
            fixes,
            start: 0,
            end: 0,
            columns: None,
            distances: None,
            apart: 0,
        }
    }

    /// Moves on to the fixes from `began` (UNIX seconds) up to the index `last`; returns
    /// them.
    pub(super) fn move_to(&mut self, last: usize, began: f64) -> &'a [Fix] {
        let is_before = |fix: &Fix| fix.time_stamp < began;
        while self.fixes.get(self.start).is_some_and(is_before) {
            self.start += 1;
        }
        self.end = last + 1;
        self.fixes.get(self.start..self.end).unwrap_or_default()
    }

    /// `true` if all its fixes are within `limit_m` metres of their median, as
    /// [`spread`] finds it.
    pub(super) fn is_within(&mut self, limit_m: f64) -> bool {
        let Some(window) = self.fixes.get(self.start..self.end) else {
            return false;
        };
        let whole = || spread(window, limit_m).is_some();
        if self.has_two_apart(window, limit_m) {
            return false;
        }
        let Some(centre) = self.centre() else {
            return whole();
        };
        let distance = |index: usize| {
            let fix = self.fixes.get(index);
            fix.map_or(0.0, |fix| geodesic::length_m(fix.position, centre))
        };
        let known = self.distances.as_ref();
        let witness = known.map_or(self.start, |known| known.farthest);
        let is_far = |index: usize| distance(index) > limit_m + UNSURE_M;
        if witness >= self.start && is_far(witness) || is_far(self.start) || is_far(self.end - 1) {
            return false;
        }
        if let Some(known) = self.distances.as_mut() {
            // The new fixes; those that left the window were no farther than measured.
            for index in known.end..self.end {
                if let Some(fix) = self.fixes.get(index) {
                    let away = geodesic::length_m(fix.position, known.from);
                    if away >= known.farthest_m {
                        (known.farthest_m, known.farthest) = (away, index);
                    }
                }
            }
            known.end = self.end;
            let moved = geodesic::length_m(known.from, centre);
            if known.farthest_m + moved <= limit_m - UNSURE_M {
                return true;
            }
        }
        let measured = self.measure(centre);
        let farthest_m = measured.farthest_m;
        self.distances = Some(measured);
        if (farthest_m - limit_m).abs() <= UNSURE_M {
            whole()
        } else {
            farthest_m < limit_m
        }
    }

    /// `true` if a fix is known to be so far from the last fix that both cannot be within
    /// `limit_m` metres of the same position: tries the fix that was found before, then the
    /// first.
    fn has_two_apart(&mut self, window: &[Fix], limit_m: f64) -> bool {
        let Some(last) = window.last() else {
            return false;
        };
        let is_apart = |index: &usize| {
            let fix = self.fixes.get(*index);
            fix.is_some_and(|fix| {
                geodesic::length_m(fix.position, last.position) > 2.0 * limit_m + UNSURE_M
            })
        };
        let known = self.apart.max(self.start);
        let found = [known, self.start].into_iter().find(is_apart);
        if let Some(found) = found {
            self.apart = found;
        }
        found.is_some()
    }

    /// The median position of the window; `None` if the columns cannot have its fixes.
    fn centre(&mut self) -> Option<Position> {
        let start = self.start;
        let end = self.end;
        let fits = |known: &Columns| known.end > start && known.start <= start && known.end <= end;
        let mut columns = match self.columns.take().filter(fits) {
            Some(known) => known,
            None => Columns::new(self.fixes, start)?,
        };
        for index in columns.start..start {
            columns.leave(self.fixes.get(index)?);
        }
        for index in columns.end.max(start)..end {
            columns.enter(self.fixes.get(index)?)?;
        }
        (columns.start, columns.end) = (start, end);
        let centre = columns.median();
        self.columns = Some(columns);
        centre
    }

    /// The distances of all fixes of the window from a position.
    fn measure(&self, from: Position) -> Distances {
        let mut measured = Distances {
            from,
            end: self.end,
            farthest_m: 0.0,
            farthest: self.start,
        };
        for index in self.start..self.end {
            let fix = self.fixes.get(index);
            let away = fix.map_or(0.0, |fix| geodesic::length_m(fix.position, from));
            if away > measured.farthest_m {
                (measured.farthest_m, measured.farthest) = (away, index);
            }
        }
        measured
    }
}

impl Columns {
    /// Empty columns for the fixes from the index `start` on.
    fn new(fixes: &[Fix], start: usize) -> Option<Self> {
        Some(Self {
            start,
            end: start,
            reference: fixes.get(start)?.position.longitude,
            latitudes: Vec::new(),
            easts: Vec::new(),
        })
    }

    /// The longitude from the reference, degrees in [-180, 180).
    fn east(&self, fix: &Fix) -> f64 {
        wrap(fix.position.longitude - self.reference)
    }

    /// Adds a fix; `None` if it is not near.
    fn enter(&mut self, fix: &Fix) -> Option<()> {
        let east = self.east(fix);
        if east.abs() > NEAR_DEGREES {
            return None;
        }
        put(&mut self.latitudes, fix.position.latitude);
        put(&mut self.easts, east);
        Some(())
    }

    fn leave(&mut self, fix: &Fix) {
        let east = self.east(fix);
        take(&mut self.latitudes, fix.position.latitude);
        take(&mut self.easts, east);
    }

    fn median(&self) -> Option<Position> {
        Some(Position {
            latitude: middle(&self.latitudes)?,
            longitude: self.reference + middle(&self.easts)?,
        })
    }
}

fn put(column: &mut Vec<f64>, value: f64) {
    let index = column.partition_point(|other| other.total_cmp(&value).is_lt());
    column.insert(index, value);
}

fn take(column: &mut Vec<f64>, value: f64) {
    if let Ok(index) = column.binary_search_by(|other| other.total_cmp(&value)) {
        column.remove(index);
    }
}

/// The median of a column in order; of an even number the mean of the middle two.
fn middle(column: &[f64]) -> Option<f64> {
    let upper = *column.get(column.len() / 2)?;
    match column.len() % 2 {
        1 => Some(upper),
        _ => Some(f64::midpoint(*column.get(column.len() / 2 - 1)?, upper)),
    }
}

/// The greatest distance of the fixes from their median position, metres; `None` if it is
/// over `limit`.
pub(super) fn spread(window: &[Fix], limit: f64) -> Option<f64> {
    let last = window.last()?.position;
    // Two fixes within the limit of a position are within twice the limit of each other.
    // The oldest fixes are the most likely to be far.
    let apart = |fix: &Fix| geodesic::length_m(fix.position, last) > 2.0 * limit;
    if window.iter().any(apart) {
        return None;
    }
    let positions: Vec<Position> = window.iter().rev().map(|fix| fix.position).collect();
    let centre = median_position(&positions)?;
    let away = |fix: &Fix| geodesic::length_m(fix.position, centre);
    let farthest = window.iter().map(away).fold(0.0, f64::max);
    (farthest <= limit).then_some(farthest)
}
