//! Cells that can be read in several ways, of which the whole column decides.

use std::collections::BTreeMap;

/// The bit of a cell whose readings are all the same.
pub(super) const SAME: u8 = 0x80;

/// The readings of columns that were read once, by which a file is read again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(super) order: Option<usize>,
    pub(super) packed: Option<usize>,
    pub(super) of_day: Option<usize>,
    pub(super) positions: Option<usize>,
    /// The zone of rows without one in a column of zones that has a single one; empty if it has
    /// several.
    pub(super) zone_of_blanks: Option<String>,
}

/// The cells of a column with as many readings: the first of each, until one is settled.
#[derive(Debug, Default)]
pub(super) struct Readings {
    settled: Option<usize>,
    /// How many cells have the same readings, a bit each, and the first of them.
    cells: BTreeMap<u8, (usize, String)>,
}

impl Readings {
    /// No cells yet, of the reading that is known.
    pub(super) fn new(settled: Option<usize>) -> Self {
        let cells = BTreeMap::new();
        Self { settled, cells }
    }

    /// The value of a cell by the reading of the column; `None` if it has none. `marks` are bits
    /// beyond those of its readings.
    pub(super) fn choose<const N: usize>(
        &mut self,
        readings: [Option<f64>; N],
        marks: u8,
        written: impl Fn() -> String,
    ) -> Option<f64> {
        let mut known = readings.iter().flatten();
        let first = known.next().copied();
        let is_same = known.all(|other| Some(*other) == first) && !readings.contains(&None);
        let there = (0..N).filter(|at| readings[*at].is_some());
        let own = there.map(|at| 1 << at).sum::<u8>() | marks;
        let bits = if is_same { own | SAME } else { own };
        let (count, _) = (self.cells.entry(bits)).or_insert_with(|| (0, written()));
        *count += 1;
        match self.settled {
            Some(settled) => readings[settled],
            None => first,
        }
    }

    /// The number of cells with such bits.
    pub(super) fn count(&self, is: impl Fn(u8) -> bool) -> usize {
        let cells = self.cells.iter().filter(|(bits, _)| is(**bits));
        cells.map(|(_, (count, _))| count).sum()
    }

    /// A cell with such bits.
    pub(super) fn example(&self, is: impl Fn(u8) -> bool) -> Option<&str> {
        let mut cells = self.cells.iter();
        cells.find_map(|(bits, (_, text))| is(*bits).then_some(text.as_str()))
    }

    /// Of cells with two readings, `true` if more have the second alone than the first alone, and
    /// one of these; `None` if no cell has one alone.
    pub(super) fn majority(&self) -> Option<(bool, &str)> {
        let only = |bit: u8| move |bits: u8| bits & 3 == bit;
        let is_second = self.count(only(2)) > self.count(only(1));
        let by = self.example(only(if is_second { 2 } else { 1 }))?;
        Some((is_second, by))
    }

    /// A cell with two readings that differ, if none has one alone.
    pub(super) fn open(&self) -> Option<&str> {
        let both = self.example(|bits| bits & 3 == 3 && bits & SAME == 0);
        both.filter(|_| self.majority().is_none())
    }

    /// `true` if a cell was read by another than the `right` reading.
    pub(super) fn is_to_change(&self, right: usize) -> bool {
        let is_other = |bits: u8| {
            let is_first = bits.trailing_zeros() as usize == right;
            bits & 0x0f != 0 && !is_first && bits & SAME == 0
        };
        self.settled.is_none() && self.count(is_other) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_cells_with_one_reading_decide_whatever_their_order() {
        let both = [Some(1.0), Some(5.0)];
        let [first, second] = [[Some(2.0), None], [None, Some(2.0)]];
        for (mut cells, is_second) in [
            (vec![both, first], false),
            (vec![both, second], true),
            (vec![first, both, second, second], true),
            (vec![second, first, first], false),
            (vec![first, second], false),
        ] {
            for _ in 0..2 {
                cells.reverse();
                let mut column = Readings::default();
                for cell in &cells {
                    let value = cell[0].or(cell[1]);
                    assert_eq!(column.choose(*cell, 0, || "x".to_owned()), value);
                }
                assert_eq!(column.majority(), Some((is_second, "x")), "{cells:?}");
                let is_other = cells
                    .iter()
                    .any(|cell| cell[usize::from(is_second)].is_none());
                let is_again = is_other || is_second;
                let right = usize::from(is_second);
                assert_eq!(column.is_to_change(right), is_again, "{cells:?}");
            }
        }
    }
}
