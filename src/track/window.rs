//! The time in which a deployment counts.

use std::ops::Range;

/// The time in which the fixes of a deployment count, both ends included:
/// before it the instrument was not in the water yet, after it no more.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Window {
    /// The start, UNIX seconds; `None`: from the first fix on.
    pub from: Option<f64>,
    /// The end, UNIX seconds; `None`: up to the last fix.
    pub until: Option<f64>,
}

impl Window {
    /// `true` if its end is before its start.
    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.from, self.until), (Some(from), Some(until)) if until < from)
    }

    /// `true` if its end is before `now` (UNIX seconds), so that no report is expected.
    pub(crate) fn has_ended(&self, now: f64) -> bool {
        self.until.is_some_and(|until| until < now)
    }

    /// The indices of the elements in it, of a column in the order of time.
    pub(super) fn indices<T>(&self, column: &[T], time: impl Fn(&T) -> f64) -> Range<usize> {
        let from = self
            .from
            .map_or(0, |from| column.partition_point(|one| time(one) < from));
        let until = self.until.map_or(column.len(), |until| {
            column.partition_point(|one| time(one) <= until)
        });
        from..until.max(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_in_a_window() {
        let times = [1.0, 2.0, 2.0, 3.0, 4.0];
        let indices = |from, until| Window { from, until }.indices(&times, |time| *time);
        assert_eq!(indices(None, None), 0..5);
        assert_eq!(indices(Some(2.0), None), 1..5);
        assert_eq!(indices(None, Some(2.0)), 0..3);
        assert_eq!(indices(Some(2.5), Some(2.6)), 3..3);
        assert_eq!(indices(Some(9.0), Some(0.0)), 5..5);
    }
}
