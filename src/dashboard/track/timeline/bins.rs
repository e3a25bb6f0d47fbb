//! The columns of the timeline: the fixes, the data gaps and the values of each.

use std::sync::Arc;

use super::curve::Curve;
use crate::map::fields::Extent;
use crate::map::{PreparedTrack, Stretch, gap_start};

/// Most values of a column from which its median is taken, evenly spread.
const SAMPLE: usize = 129;
/// At most this part of the columns are given to data gaps that are shorter than a column: of a
/// year with a gap in each day the rest would not be seen.
const SHORT_GAPS: usize = 4;

/// The kind of the time of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Time {
    /// Fixes, or the leg between two.
    #[default]
    Track,
    /// A data gap.
    Gap,
    /// The time before the first or after the last fix.
    Outside,
}

/// The fixes and values in one column.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bin {
    pub time: Time,
    /// Number of fixes.
    pub fixes: usize,
    /// The index of the last one.
    pub last: usize,
    /// `true` if a fix has the flag fail.
    pub failed: bool,
    /// The number of fixes with the flag suspect.
    pub suspects: usize,
    /// The lowest and the highest value.
    pub extent: Option<Extent>,
    /// The median value.
    pub median: Option<f64>,
}

impl Bin {
    /// `true` if more than a twentieth of its fixes are suspect: of a long track nearly
    /// every column has one.
    pub(super) fn is_suspect(self) -> bool {
        self.suspects * 20 > self.fixes
    }
}

/// The columns of a time axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    /// The first and the last time, UNIX seconds: in the middle of the first and of the last
    /// column.
    pub times: (f64, f64),
    /// The number of columns.
    pub width: u16,
}

impl Axis {
    /// The column of a time; one beyond an end is at that end.
    pub(super) fn column(self, time: f64) -> u16 {
        let (first, last) = self.times;
        let part = if last > first {
            ((time - first) / (last - first)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        // Within the width.
        (part * f64::from(self.width.saturating_sub(1))).round() as u16
    }

    /// The same time in columns of which so many are in one of these.
    pub(super) fn divided(self, parts: u16) -> Self {
        let (first, last) = self.times;
        let steps = f64::from(self.width.saturating_sub(1).max(1));
        // The middle of the first part is before that of its column.
        let before = (last - first) / steps * (0.5 - 0.5 / f64::from(parts));
        Self {
            times: (first - before, last + before),
            width: self.width.saturating_mul(parts),
        }
    }

    /// The time at which a column begins.
    pub(super) fn edge(self, x: u16) -> f64 {
        let (first, last) = self.times;
        let steps = f64::from(self.width.saturating_sub(1).max(1));
        first + (last - first) * (f64::from(x) - 0.5) / steps
    }

    /// The times of some columns, the second excluded: half of the first and of the last column is
    /// beyond the axis, and what lies there is not shown.
    fn span(self, from: u16, to: u16) -> (f64, f64) {
        let (first, last) = self.times;
        let (begin, end) = (self.edge(from), self.edge(to + 1));
        (begin.max(first), end.min(last.next_up()))
    }
}

/// The columns of a track. A column's fixes are found by binary search and summed by blocks, so
/// that the cost depends on the width and not on the length of the track.
pub(super) fn bins(inputs: &Inputs) -> Vec<Bin> {
    let Inputs { track, axis, .. } = inputs;
    let axis = *axis;
    let fixes_of = |x: u16| {
        let from = track.count_before(axis.edge(x));
        (from, track.count_before(axis.edge(x + 1)).max(from))
    };
    let bin = |x: u16| {
        let (from, to) = fixes_of(x);
        let block = track.block(from, to);
        Bin {
            fixes: to - from,
            last: to.saturating_sub(1),
            failed: block.failed,
            suspects: block.suspects,
            ..Bin::default()
        }
    };
    let mut bins: Vec<Bin> = (0..axis.width).map(bin).collect();
    mark_times(&mut bins, &inputs.whole, axis);
    if let Some(curve) = &inputs.curve {
        for (x, bin) in (0u16..).zip(&mut bins) {
            if bin.time != Time::Track || bin.fixes == 0 {
                continue;
            }
            let (from, to) = fixes_of(x);
            let stretch = curve.between(axis.span(x, x));
            bin.extent = stretch.ends.map(|_| stretch.extent());
            bin.median = median(curve, from, to);
        }
    }
    bins
}

/// The median of the values of some fixes, or of an even selection of many.
fn median(curve: &Curve, from: usize, to: usize) -> Option<f64> {
    let value = curve.reader();
    let stride = (to - from).div_ceil(SAMPLE).max(1);
    let mut values: Vec<f64> = (from..to).step_by(stride).filter_map(value).collect();
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Marks the columns of data gaps, at least one for each, and those beyond the ends of a track.
fn mark_times(bins: &mut [Bin], track: &PreparedTrack, axis: Axis) {
    let Some((first, last)) = track.ends() else {
        bins.iter_mut().for_each(|bin| bin.time = Time::Outside);
        return;
    };
    for (x, bin) in (0u16..).zip(bins.iter_mut()).filter(|_| last > first) {
        if axis.edge(x + 1) <= first || axis.edge(x) > last {
            bin.time = Time::Outside;
        }
    }
    let mut short = Vec::new();
    for (from, to) in gaps(track, axis) {
        let before = axis.column(from);
        let after = axis.column(to);
        // Beyond an end of the axis no fix is in the way.
        let start = if from < axis.times.0 { 0 } else { before + 1 };
        let end = if to > axis.times.1 { axis.width } else { after };
        if start >= end {
            short.push(axis.column(f64::midpoint(from, to)));
        }
        for bin in bins.iter_mut().take(end.into()).skip(start.into()) {
            bin.time = Time::Gap;
        }
    }
    short.dedup();
    if short.len() <= bins.len() / SHORT_GAPS {
        for x in short {
            if let Some(bin) = bins.get_mut(usize::from(x)) {
                bin.time = Time::Gap;
            }
        }
    }
}

/// The begin and the end of each data gap that an axis shows, UNIX seconds.
fn gaps(track: &PreparedTrack, axis: Axis) -> Vec<(f64, f64)> {
    let gap = |fix: usize| {
        let start = track.time_stamp(gap_start(track, fix)?)?;
        Some((start, track.time_stamp(fix)?))
    };
    let mut found = Vec::new();
    for x in 0..axis.width {
        let from = track.count_before(axis.edge(x));
        let to = track.count_before(axis.edge(x + 1)).max(from);
        // Of a long track few columns have any.
        if track.block(from, to).has_gap {
            found.extend((from..to).filter_map(gap));
        }
    }
    // One that ends after the axis may begin on it.
    let after = track.count_before(axis.edge(axis.width));
    let next = (after..track.len()).find(|fix| track.is_included(*fix));
    found.extend(next.and_then(gap));
    found
}

/// The track, axis and field that columns are made from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Inputs {
    pub track: Arc<PreparedTrack>,
    /// The whole track: the time range may begin within a gap of it.
    pub whole: Arc<PreparedTrack>,
    pub axis: Axis,
    pub curve: Option<Curve>,
}

/// The values of the columns of a part of the axis.
pub(super) fn summed(curve: &Curve, axis: Axis, (from, to): (u16, u16)) -> Stretch {
    curve.between(axis.span(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::track::track;
    use crate::track::Platform;

    /// Hourly fixes, but for those between 100 h and 118 h, and those between 300 h and 303 h.
    fn with_gaps() -> PreparedTrack {
        let hours = (0u32..600).filter(|hour| !(101..118).contains(hour));
        let hours = hours.filter(|hour| !(301..304).contains(hour));
        let fixes = hours.map(|hour| {
            let north = 60.0 + 0.001 * f64::from(hour % 7);
            (3600.0 * f64::from(hour), north, 5.0)
        });
        PreparedTrack::new(Arc::new(track(Platform::Drifter, 1e9, fixes)))
    }

    fn shaded(width: u16, times: (f64, f64)) -> Vec<usize> {
        let track = Arc::new(with_gaps());
        let bins = bins(&Inputs {
            track: Arc::clone(&track),
            whole: track,
            axis: Axis { times, width },
            curve: None,
        });
        let gaps = bins.iter().enumerate();
        let gaps = gaps.filter(|(_, bin)| bin.time == Time::Gap);
        gaps.map(|(x, _)| x).collect()
    }

    #[test]
    fn a_data_gap_takes_a_column_at_least_at_every_width() {
        let times = (0.0, 3600.0 * 599.0);
        assert_eq!(shaded(600, times).len(), 17 + 3);
        for width in [40, 60, 94, 120] {
            let shaded = shaded(width, times);
            let column = |hour: f64| (hour / 599.0 * f64::from(width - 1)).round() as usize;
            for (from, to) in [(100.0, 118.0), (300.0, 304.0)] {
                let of_gap = (column(from)..=column(to)).any(|x| shaded.contains(&x));
                assert!(of_gap, "{width}: {shaded:?}");
            }
        }
    }

    #[test]
    fn a_range_that_begins_in_a_gap_begins_with_it() {
        let hours = |from: f64, to: f64| (3600.0 * from, 3600.0 * to);
        assert_eq!(shaded(11, hours(110.0, 120.0)), (0..8).collect::<Vec<_>>());
        assert_eq!(shaded(11, hours(104.0, 114.0)), (0..11).collect::<Vec<_>>());
    }

    #[test]
    fn a_column_of_many_fixes_is_suspect_only_where_more_than_a_twentieth_are() {
        let of = |fixes, suspects| Bin {
            fixes,
            suspects,
            ..Bin::default()
        };
        assert!(of(1, 1).is_suspect() && of(19, 1).is_suspect());
        assert!(!of(20, 1).is_suspect() && !of(6000, 12).is_suspect());
        assert!(of(6000, 301).is_suspect() && !of(0, 0).is_suspect());
    }
}
