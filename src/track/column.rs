//! One column of a track: a value for each fix, shared by all tracks made from it.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// The values of consecutive fixes. A clone and a part share the memory of the whole:
/// a track of a million fixes that is judged again, or of which a time range is shown,
/// has the times and positions once.
#[derive(Debug, Clone)]
pub(super) struct Column<T> {
    all: Arc<Vec<T>>,
    range: Range<usize>,
}

impl<T> Column<T> {
    /// The values of the fixes at `range`, which counts from the first one here.
    pub(super) fn part(&self, range: &Range<usize>) -> Self {
        let end = |place: usize| (self.range.start + place).min(self.range.end);
        Self {
            all: Arc::clone(&self.all),
            range: end(range.start)..end(range.end),
        }
    }
}

impl<T: Copy> Column<T> {
    /// The values of the fixes at `range` that are wanted, in memory of their own.
    pub(super) fn pick(&self, range: &Range<usize>, wanted: &impl Fn(usize) -> bool) -> Self {
        let places = range.clone().filter(|place| wanted(*place));
        places
            .filter_map(|place| self.get(place).copied())
            .collect()
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.all.get(self.range.clone()).unwrap_or_default()
    }
}

impl<T: PartialEq> PartialEq for Column<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(all: Vec<T>) -> Self {
        Self {
            range: 0..all.len(),
            all: Arc::new(all),
        }
    }
}

impl<T> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::from(Vec::from_iter(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_and_a_part_of_it_share_the_memory_of_the_whole() {
        let whole: Column<u8> = (10..20).collect();
        let part = whole.part(&(2..8));
        assert_eq!(*part, [12, 13, 14, 15, 16, 17]);
        assert_eq!(*part.part(&(1..3)), [13, 14]);
        assert!(Arc::ptr_eq(&whole.all, &part.part(&(1..3)).all));
        assert_eq!(part.get(6), None);
        // A range beyond the end is cut, one behind it is empty.
        assert_eq!(*part.part(&(4..40)), [16, 17]);
        assert!(part.part(&(30..40)).is_empty());
        assert_eq!(*part.pick(&(1..5), &|place| place % 2 == 0), [14, 16]);
        assert_eq!(part.part(&(0..1)), Column::from(vec![12]));
    }
}
