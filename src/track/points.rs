//! Times and positions of the fixes of a track, shared by all tracks made from it.

use std::ops::Range;
use std::sync::Arc;

use super::record::Transmission;
use crate::geo::Position;

/// Times and positions of fixes, oldest first. A clone and a part share the memory of the
/// whole: a track of a million fixes that is judged again, or of which a time range is
/// shown, has them once.
#[derive(Debug, Clone)]
pub(super) struct Points {
    all: Arc<Columns>,
    /// The fixes of this part.
    range: Range<usize>,
}

/// A value for each fix.
#[derive(Debug, PartialEq)]
struct Columns {
    /// UNIX seconds.
    time_stamps: Vec<f64>,
    /// Degrees.
    latitudes: Vec<f64>,
    /// Degrees in [-180, 180].
    longitudes: Vec<f64>,
}

impl Points {
    /// The times and positions of transmissions.
    pub(super) fn of(transmissions: &[Transmission]) -> Self {
        let all = || transmissions.iter();
        Self::new(Columns {
            time_stamps: all().map(|t| t.time_stamp).collect(),
            latitudes: all().map(|t| t.position.latitude).collect(),
            longitudes: all().map(|t| t.position.longitude).collect(),
        })
    }

    fn new(columns: Columns) -> Self {
        Self {
            range: 0..columns.time_stamps.len(),
            all: Arc::new(columns),
        }
    }

    /// The positions at `range`, which counts from the first one here; what is beyond the last
    /// one is left out.
    pub(super) fn part(&self, range: &Range<usize>) -> Self {
        let end = |index: usize| (self.range.start + index).min(self.range.end);
        Self {
            all: Arc::clone(&self.all),
            range: end(range.start)..end(range.end),
        }
    }

    /// The positions at `range` that are wanted, in memory of their own.
    pub(super) fn pick(&self, range: &Range<usize>, wanted: &impl Fn(usize) -> bool) -> Self {
        let picked = |column: &[f64]| {
            let indices = range.clone().filter(|index| wanted(*index));
            indices
                .filter_map(|index| column.get(index).copied())
                .collect()
        };
        Self::new(Columns {
            time_stamps: picked(self.time_stamps()),
            latitudes: picked(self.latitudes()),
            longitudes: picked(self.longitudes()),
        })
    }

    /// How many fixes there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    /// Times of all, UNIX seconds, ascending.
    #[inline]
    pub(super) fn time_stamps(&self) -> &[f64] {
        self.column(&self.all.time_stamps)
    }

    /// Latitudes of all, degrees.
    pub(super) fn latitudes(&self) -> &[f64] {
        self.column(&self.all.latitudes)
    }

    /// Longitudes of all, degrees in [-180, 180].
    pub(super) fn longitudes(&self) -> &[f64] {
        self.column(&self.all.longitudes)
    }

    #[inline]
    fn column<'a>(&self, column: &'a [f64]) -> &'a [f64] {
        column.get(self.range.clone()).unwrap_or_default()
    }

    /// The index in the columns of the fix at `index`. Called for each fix, from all parts of
    /// the program: slicing each column would take twice as long.
    #[inline]
    fn column_index(&self, index: usize) -> Option<usize> {
        let index = self.range.start + index;
        (index < self.range.end).then_some(index)
    }

    /// The time of the fix at `index`, UNIX seconds.
    #[inline]
    pub(super) fn time_stamp(&self, index: usize) -> Option<f64> {
        self.all.time_stamps.get(self.column_index(index)?).copied()
    }

    /// The position of the fix at `index`.
    #[inline]
    pub(super) fn position(&self, index: usize) -> Option<Position> {
        let index = self.column_index(index)?;
        Some(Position {
            latitude: *self.all.latitudes.get(index)?,
            longitude: *self.all.longitudes.get(index)?,
        })
    }
}

impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        self.time_stamps() == other.time_stamps()
            && self.latitudes() == other.latitudes()
            && self.longitudes() == other.longitudes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(numbers: Range<u8>) -> Points {
        let transmissions: Vec<Transmission> = numbers
            .map(|number| Transmission::new(f64::from(number), f64::from(number), -1.0).unwrap())
            .collect();
        Points::of(&transmissions)
    }

    #[test]
    fn a_part_and_a_part_of_it_share_the_memory_of_the_whole() {
        let whole = points(10..20);
        let part = whole.part(&(2..8));
        assert_eq!(part.time_stamps(), [12.0, 13.0, 14.0, 15.0, 16.0, 17.0]);
        assert_eq!(part.part(&(1..3)).latitudes(), [13.0, 14.0]);
        assert!(Arc::ptr_eq(&whole.all, &part.part(&(1..3)).all));
        assert_eq!(part.part(&(0..1)), points(12..13));
    }

    #[test]
    fn a_part_ends_where_it_ends_and_not_where_the_whole_does() {
        let part = points(10..20).part(&(2..8));
        assert_eq!((part.len(), part.longitudes().len()), (6, 6));
        assert_eq!(part.time_stamp(5), Some(17.0));
        assert_eq!((part.time_stamp(6), part.position(6)), (None, None));
        // A range beyond the end is cut, one behind it is empty.
        assert_eq!(part.part(&(4..40)).time_stamps(), [16.0, 17.0]);
        assert_eq!(part.part(&(30..40)).len(), 0);
        let even = part.pick(&(1..5), &|index| index % 2 == 0);
        assert_eq!(even.time_stamps(), [14.0, 16.0]);
    }
}
