//! Times and positions of the fixes of a track, shared by all tracks made from it.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use super::record::Transmission;

/// Transmissions whose clones share their memory until one of them is changed: the records
/// of a response, what is stored of it and the track made of it have a million fixes once.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Transmissions(Arc<Vec<Transmission>>);

impl Deref for Transmissions {
    type Target = Vec<Transmission>;

    fn deref(&self) -> &Vec<Transmission> {
        &self.0
    }
}

impl DerefMut for Transmissions {
    fn deref_mut(&mut self) -> &mut Vec<Transmission> {
        Arc::make_mut(&mut self.0)
    }
}

impl FromIterator<Transmission> for Transmissions {
    fn from_iter<T: IntoIterator<Item = Transmission>>(all: T) -> Self {
        Self::from(Vec::from_iter(all))
    }
}

impl From<Vec<Transmission>> for Transmissions {
    fn from(all: Vec<Transmission>) -> Self {
        Self(Arc::new(all))
    }
}

/// Times and positions of fixes, oldest first. A part shares the memory of the whole: a track
/// of a million fixes that is judged again, or of which a time range is shown, has them once.
#[derive(Debug, Clone)]
pub(super) struct Points {
    all: Transmissions,
    /// The fixes of this part.
    range: Range<usize>,
}

impl Points {
    /// Transmissions in the order of time.
    pub(super) fn new(all: Transmissions) -> Self {
        Self {
            range: 0..all.len(),
            all,
        }
    }

    /// The fixes of this part.
    #[inline]
    pub(super) fn all(&self) -> &[Transmission] {
        self.all.get(self.range.clone()).unwrap_or_default()
    }

    /// The fixes at `range`, which counts from the first one here; what is beyond the last
    /// one is left out.
    pub(super) fn part(&self, range: &Range<usize>) -> Self {
        let end = |index: usize| (self.range.start + index).min(self.range.end);
        Self {
            all: self.all.clone(),
            range: end(range.start)..end(range.end),
        }
    }

    /// The fixes at `range` that are wanted, in memory of their own.
    pub(super) fn pick(&self, range: &Range<usize>, wanted: &impl Fn(usize) -> bool) -> Self {
        let indices = range.clone().filter(|index| wanted(*index));
        Self::new(
            indices
                .filter_map(|index| self.get(index).copied())
                .collect(),
        )
    }

    /// How many fixes there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.range.len()
    }

    /// The fix at `index`.
    // Called for each fix, from all parts of the program: slicing the part first would take twice
    // as long.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Transmission> {
        let index = self.range.start + index;
        if index < self.range.end {
            self.all.get(index)
        } else {
            None
        }
    }
}

impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(numbers: Range<u8>) -> Points {
        let numbers = numbers.map(f64::from);
        let fixes = numbers.map(|number| Transmission::new(number, number, -1.0).unwrap());
        Points::new(fixes.collect())
    }

    fn times(points: &Points) -> Vec<f64> {
        points.all().iter().map(|fix| fix.time_stamp).collect()
    }

    #[test]
    fn a_part_and_a_part_of_it_share_the_memory_of_the_whole() {
        let whole = points(10..20);
        let part = whole.part(&(2..8));
        assert_eq!(times(&part), [12.0, 13.0, 14.0, 15.0, 16.0, 17.0]);
        assert_eq!(times(&part.part(&(1..3))), [13.0, 14.0]);
        let shared = part.part(&(1..3));
        assert!(std::ptr::eq(whole.all.as_ptr(), shared.all.as_ptr()));
        assert_eq!(part.part(&(0..1)), points(12..13));
    }

    #[test]
    fn a_part_ends_where_it_ends_and_not_where_the_whole_does() {
        let part = points(10..20).part(&(2..8));
        assert_eq!((part.len(), part.all().len()), (6, 6));
        assert_eq!(part.get(5).unwrap().time_stamp, 17.0);
        assert_eq!(part.get(6), None);
        // A range beyond the end is cut, one behind it is empty.
        assert_eq!(times(&part.part(&(4..40))), [16.0, 17.0]);
        assert_eq!(part.part(&(30..40)).len(), 0);
        let even = part.pick(&(1..5), &|index| index % 2 == 0);
        assert_eq!(times(&even), [14.0, 16.0]);
    }
}
