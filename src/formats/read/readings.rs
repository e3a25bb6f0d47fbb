//! Times that can be read in two ways, of which the whole column decides.

/// The times of a column with two readings: the first, until a time has only the second.
#[derive(Debug, Default)]
pub(super) struct TwoReadings {
    /// The numbers of the records whose time has both, and what the second adds, seconds.
    open: Vec<(usize, f64)>,
    /// The first time that has both.
    pub(super) example: Option<String>,
    decided: Option<Decided>,
}

/// The reading that a time with one alone has shown.
#[derive(Debug)]
struct Decided {
    is_second: bool,
    by: String,
}

impl TwoReadings {
    /// The time of a record by the reading of the column; `None` if it has none.
    pub(super) fn choose(
        &mut self,
        record: usize,
        readings: [Option<f64>; 2],
        written: impl Fn() -> String,
    ) -> Option<f64> {
        let [first, second] = readings;
        if first.is_some() && second.is_some() && first != second && self.example.is_none() {
            self.example = Some(written());
        }
        let is_second = match (&self.decided, first, second) {
            (Some(decided), ..) => decided.is_second,
            (None, Some(first), Some(second)) => {
                if first != second {
                    self.open.push((record, second - first));
                }
                false
            }
            (None, None, None) => return None,
            (None, ..) => {
                let is_second = first.is_none();
                let by = written();
                self.decided = Some(Decided { is_second, by });
                is_second
            }
        };
        if is_second { second } else { first }
    }

    /// The time that has decided for the first reading (`false`) or the second.
    pub(super) fn decided(&self) -> Option<(bool, &str)> {
        let decided = self.decided.as_ref()?;
        Some((decided.is_second, &decided.by))
    }

    /// `true` if no time of those with two readings shows which is right.
    pub(super) fn is_open(&self) -> bool {
        self.decided.is_none() && !self.open.is_empty()
    }

    /// The seconds to add to the times of records, by their numbers, ascending.
    pub(super) fn corrections(&self) -> &[(usize, f64)] {
        let is_second = self
            .decided
            .as_ref()
            .is_some_and(|decided| decided.is_second);
        if is_second { &self.open } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_with_one_reading_decides_for_all_before_and_after_it() {
        let both = [Some(1.0), Some(5.0)];
        let text = || "x".to_owned();
        for (one, is_second) in [([Some(2.0), None], false), ([None, Some(2.0)], true)] {
            let mut column = TwoReadings::default();
            assert_eq!(column.choose(7, both, text), Some(1.0));
            assert!(column.is_open());
            assert_eq!(column.choose(8, one, text), Some(2.0));
            assert_eq!(column.decided(), Some((is_second, "x")));
            let moved: &[(usize, f64)] = if is_second { &[(7, 4.0)] } else { &[] };
            assert_eq!(column.corrections(), moved);
            let after = if is_second { 5.0 } else { 1.0 };
            assert_eq!(column.choose(9, both, text), Some(after));
            let [first, second] = one;
            assert_eq!(column.choose(10, [second, first], text), None);
        }
    }
}
