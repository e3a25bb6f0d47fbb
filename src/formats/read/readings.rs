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

/// The patterns of strptime for a time with day and month in numbers, the day first and the
/// month first.
pub(super) fn patterns(written: &str) -> [String; 2] {
    ["%d", "%m"].map(|first| {
        let second = if first == "%d" { "%m" } else { "%d" };
        let has_half = written.to_lowercase().ends_with('m');
        let word = |word: &str| {
            let is_mark = |letter: char| !letter.is_ascii_digit();
            let mut marks = word.matches(is_mark);
            match (marks.next(), marks.next()) {
                (None, _) if word.len() > 2 => "%Y".to_owned(),
                (Some(":"), second) => {
                    let hour = if has_half { "%I" } else { "%H" };
                    let seconds = if second == Some(":") { ":%S" } else { "" };
                    let fraction = if word.contains('.') { "%.f" } else { "" };
                    let half = if word.ends_with(is_mark) { "%p" } else { "" };
                    format!("{hour}:%M{seconds}{fraction}{half}")
                }
                (Some(mark), Some(_)) if word.starts_with(|first: char| first.is_ascii_digit()) => {
                    let digits = word.rsplit(mark).next().unwrap_or_default().len();
                    let year = if digits == 2 { "%y" } else { "%Y" };
                    format!("{first}{mark}{second}{mark}{year}")
                }
                _ if has_half => "%p".to_owned(),
                _ => word.to_owned(),
            }
        };
        let words: Vec<String> = written.split_whitespace().map(word).collect();
        words.join(" ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::TimeFormat;

    #[test]
    fn the_patterns_of_a_time_read_it_both_ways() {
        for (written, day_first, month_first) in [
            (
                "03/04/2021 10:30",
                "2021-04-03T10:30:00",
                "2021-03-04T10:30:00",
            ),
            (
                "3.4.2021 1:44:15 PM",
                "2021-04-03T13:44:15",
                "2021-03-04T13:44:15",
            ),
            (
                "10:30:01.5 03-04-2021",
                "2021-04-03T10:30:01.5",
                "2021-03-04T10:30:01.5",
            ),
            ("03/04/2021", "2021-04-03", "2021-03-04"),
            ("3/4/21 1:44", "2021-04-03T01:44", "2021-03-04T01:44"),
        ] {
            let expected = [day_first, month_first];
            for (pattern, expected) in patterns(written).iter().zip(expected) {
                let format = TimeFormat::read(pattern).unwrap();
                let expected = crate::track::time::parse(expected, 0.0).unwrap();
                assert_eq!(format.time(written), Some(expected), "{written} {pattern}");
            }
        }
    }

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
