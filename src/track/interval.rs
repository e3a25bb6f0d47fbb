//! The last intervals between the fixes of a track, and the median.

/// T is the median of at most this many intervals.
const MOST: usize = 20;
/// T is known from this many intervals on: of two, one is as often a data gap as not.
const FEWEST: usize = 3;
/// The longest T, seconds: 45 days. An instrument that reports less often has no T.
const LONGEST_T_S: f64 = 45.0 * 86_400.0;

/// The last intervals between the fixes of a track.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Intervals {
    median_s: Option<f64>,
    count: usize,
}

impl Intervals {
    /// The last 20 intervals between times that are given newest first, without those of
    /// no length.
    pub(super) fn of(newest_first: impl Iterator<Item = f64>) -> Self {
        let mut last: Option<f64> = None;
        let mut intervals = Vec::with_capacity(MOST);
        for time in newest_first {
            if let Some(later) = last.replace(time)
                && later > time
            {
                intervals.push(later - time);
                if intervals.len() == MOST {
                    break;
                }
            }
        }
        Self {
            count: intervals.len(),
            median_s: median(intervals),
        }
    }

    /// The number of intervals.
    pub(super) fn count(self) -> usize {
        self.count
    }

    /// T in seconds, their median; `None` of fewer than three intervals, and over 45 days.
    pub(super) fn interval_s(self) -> Option<f64> {
        self.median_s
            .filter(|median_s| self.count >= FEWEST && *median_s <= LONGEST_T_S)
    }

    /// The longest interval in seconds that is not a data gap: max(3 T, min(2 h, 30 T)),
    /// by their median even if that is not T; 2 h without an interval.
    pub(super) fn longest_s(self) -> f64 {
        const TWO_HOURS: f64 = 7200.0;
        self.median_s
            .map_or(TWO_HOURS, |t| (3.0 * t).max(TWO_HOURS.min(30.0 * t)))
    }
}

/// The median; of an even number the mean of the middle two.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let count = values.len();
    let middle = values.len() / 2;
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if count % 2 == 1 {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, upper))
}
