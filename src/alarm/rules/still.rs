//! The fixes of a time window that moves on with each fix: whether all are within a
//! distance of their median, without a walk over all of them for each fix.
//!
//! The median is kept by two columns in order. Of the distances from it, the last whole
//! measurement is kept: a bound of the farthest, and which fix that was. While these
//! decide, nothing is measured again.

use crate::geo::{Position, geodesic};
use crate::track::Fix;
use crate::track::interval::median;

/// So near a limit a bound does not decide, metres: positions are rounded.
const UNSURE_M: f64 = 1e-3;
/// The columns hold fixes within so many degrees of longitude of the first alone. Near a
/// pole, and for an instrument that moves far, the window is measured as a whole.
const NEAR_DEGREES: f64 = 1.0;

/// A window of fixes that moves on.
pub(super) struct Window<'a> {
    fixes: &'a [Fix],
    /// The first fix in it.
    start: usize,
    /// The fix after its last.
    end: usize,
    columns: Option<Columns>,
    measured: Option<Measured>,
    /// A fix that was far from the last one.
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

/// Distances of the fixes from a position, as they were measured.
struct Measured {
    from: Position,
    /// The fix after the last one that was measured.
    end: usize,
    /// The greatest distance, metres.
    farthest_m: f64,
    /// The fix with it.
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
            measured: None,
            apart: 0,
        }
    }

    /// Moves on to the fix at `place` with those from `began` (UNIX seconds) on; returns
    /// the fixes in it.
    pub(super) fn move_to(&mut self, place: usize, began: f64) -> &'a [Fix] {
        let is_before = |one: &Fix| one.time_stamp < began;
        while self.fixes.get(self.start).is_some_and(is_before) {
            self.start += 1;
        }
        self.end = place + 1;
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
        let distance = |place: usize| {
            let one = self.fixes.get(place);
            one.map_or(0.0, |one| geodesic::length_m(one.position, centre))
        };
        let known = self.measured.as_ref();
        let witness = known.map_or(self.start, |known| known.farthest);
        let is_far = |place: usize| distance(place) > limit_m + UNSURE_M;
        if witness >= self.start && is_far(witness) || is_far(self.start) || is_far(self.end - 1) {
            return false;
        }
        if let Some(known) = self.measured.as_mut() {
            // Those that have come since; what has gone is no farther than was measured.
            for place in known.end..self.end {
                if let Some(one) = self.fixes.get(place) {
                    let away = geodesic::length_m(one.position, known.from);
                    if away >= known.farthest_m {
                        (known.farthest_m, known.farthest) = (away, place);
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
        self.measured = Some(measured);
        match (farthest_m - limit_m).abs() <= UNSURE_M {
            true => whole(),
            false => farthest_m < limit_m,
        }
    }

    /// `true` if one of the fixes is so far from the last one that both cannot be within
    /// `limit_m` metres of one position: looked for where it was found last, then at the
    /// ends.
    fn has_two_apart(&mut self, window: &[Fix], limit_m: f64) -> bool {
        let Some(last) = window.last() else {
            return false;
        };
        let is_apart = |place: &usize| {
            let one = self.fixes.get(*place);
            one.is_some_and(|one| {
                geodesic::length_m(one.position, last.position) > 2.0 * limit_m + UNSURE_M
            })
        };
        let known = self.apart.max(self.start);
        let found = [known, self.start].into_iter().find(is_apart);
        if let Some(found) = found {
            self.apart = found;
        }
        found.is_some()
    }

    /// The median position of the window; `None` where the columns do not hold it.
    fn centre(&mut self) -> Option<Position> {
        let (start, end) = (self.start, self.end);
        let fits = |known: &Columns| known.end > start && known.start <= start && known.end <= end;
        let mut columns = match self.columns.take().filter(fits) {
            Some(known) => known,
            None => Columns::new(self.fixes, start)?,
        };
        for place in columns.start..start {
            columns.leave(self.fixes.get(place)?);
        }
        for place in columns.end.max(start)..end {
            columns.enter(self.fixes.get(place)?)?;
        }
        (columns.start, columns.end) = (start, end);
        let centre = columns.median();
        self.columns = Some(columns);
        centre
    }

    /// The distances of all fixes of the window from a position.
    fn measure(&self, from: Position) -> Measured {
        let mut measured = Measured {
            from,
            end: self.end,
            farthest_m: 0.0,
            farthest: self.start,
        };
        for place in self.start..self.end {
            let one = self.fixes.get(place);
            let away = one.map_or(0.0, |one| geodesic::length_m(one.position, from));
            if away > measured.farthest_m {
                (measured.farthest_m, measured.farthest) = (away, place);
            }
        }
        measured
    }
}

impl Columns {
    /// Columns without fixes before the one at `start`.
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
    fn east(&self, one: &Fix) -> f64 {
        (one.position.longitude - self.reference + 540.0).rem_euclid(360.0) - 180.0
    }

    /// Takes a fix in; `None` where it is not near.
    fn enter(&mut self, one: &Fix) -> Option<()> {
        let east = self.east(one);
        if east.abs() > NEAR_DEGREES {
            return None;
        }
        put(&mut self.latitudes, one.position.latitude);
        put(&mut self.easts, east);
        Some(())
    }

    fn leave(&mut self, one: &Fix) {
        let east = self.east(one);
        take(&mut self.latitudes, one.position.latitude);
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
    let place = column.partition_point(|one| one.total_cmp(&value).is_lt());
    column.insert(place, value);
}

fn take(column: &mut Vec<f64>, value: f64) {
    if let Ok(place) = column.binary_search_by(|one| one.total_cmp(&value)) {
        column.remove(place);
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

/// The greatest distance of the fixes from their median position, metres; none
/// where it is over `limit`.
pub(super) fn spread(window: &[Fix], limit: f64) -> Option<f64> {
    let last = window.last()?.position;
    // Two within the limit of one position are within twice the limit of each
    // other. The oldest ones tell first.
    let apart = |one: &Fix| geodesic::length_m(one.position, last) > 2.0 * limit;
    if window.iter().any(apart) {
        return None;
    }
    // Longitudes around that of the last fix, across the antimeridian too.
    let east =
        |one: &Fix| (one.position.longitude - last.longitude + 540.0).rem_euclid(360.0) - 180.0;
    let centre = Position {
        latitude: median(window.iter().map(|one| one.position.latitude).collect())?,
        longitude: last.longitude + median(window.iter().map(east).collect())?,
    };
    let away = |one: &Fix| geodesic::length_m(one.position, centre);
    let farthest = window.iter().map(away).fold(0.0, f64::max);
    (farthest <= limit).then_some(farthest)
}
