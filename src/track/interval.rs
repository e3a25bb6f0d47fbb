//! The usual interval of a track, and the median.

/// T is the median of at most this many intervals.
pub(super) const INTERVALS: usize = 20;

/// T in seconds: the median of the last 20 intervals between times that are
/// given newest first, without those of no length.
pub(super) fn usual_interval(newest_first: impl Iterator<Item = f64>) -> Option<f64> {
    let mut last: Option<f64> = None;
    let mut intervals = Vec::with_capacity(INTERVALS);
    for time in newest_first {
        if let Some(later) = last.replace(time)
            && later > time
        {
            intervals.push(later - time);
            if intervals.len() == INTERVALS {
                break;
            }
        }
    }
    median(intervals)
}

/// The median; of an even number the mean of the middle two.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (count, middle) = (values.len(), values.len() / 2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if count % 2 == 1 {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, upper))
}
