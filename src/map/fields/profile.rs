//! The picture of a profile: means of its values in equal parts of the time of
//! the track.

use std::ops::Range;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::extent::{Dense, Extent, Scale, sampled};
use crate::track::Track;

/// Parts of the time of a track: more than a terminal has columns.
const PARTS: usize = 2048;
/// Most fixes of a part whose values are averaged, evenly spread.
const FIXES_OF_A_PART: usize = 32;

/// How the values of a profile are spread over its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum ProfileScale {
    /// Most colours where most values are.
    #[default]
    Auto,
    Linear,
}

/// The values of a profile over time: the mean of each number of the profile in
/// each part of the time of the track.
#[derive(Debug)]
pub(crate) struct ProfileGrid {
    count: usize,
    /// Part by part, the numbers of the profile one after the other; NaN without a value.
    means: Vec<f32>,
    /// The time of the first and of the last fix, UNIX seconds.
    times: (f64, f64),
    dense: Option<Dense>,
}

impl ProfileGrid {
    /// The grid of a profile of `count` numbers; `value` has each of them by
    /// number and fix. A part without a fix has the values of the nearest one,
    /// unless it is in a data gap.
    pub(super) fn new(
        track: &Track,
        count: usize,
        value: impl Fn(usize, usize) -> Option<f64>,
    ) -> Self {
        let ends = track.ends().unwrap_or_default();
        let mut means = Vec::with_capacity(PARTS * count);
        for part in 0..PARTS {
            let (from, to) = part_fixes(track, part, ends.0, ends.1);
            let stride = (to - from).div_ceil(FIXES_OF_A_PART).max(1);
            means.extend((0..count).map(|index| {
                let fixes = (from..to).step_by(stride);
                let values = fixes.filter_map(|fix| value(index, fix));
                let (sum, values) =
                    values.fold((0.0, 0u32), |(sum, n), value| (sum + value, n + 1));
                // Precise enough for a colour.
                (sum / f64::from(values)) as f32
            }));
        }
        let mut grid = Self {
            count,
            means,
            times: ends,
            dense: None,
        };
        grid.dense = grid.scale().and_then(|scale| {
            let values = sampled(grid.means.len(), |index| grid.value(index));
            Dense::new(values, scale)
        });
        grid
    }

    fn value(&self, index: usize) -> Option<f64> {
        let mean = self.means.get(index).copied().map(f64::from);
        mean.filter(|mean| mean.is_finite())
    }

    /// The range in which its values lie densely, if a scale is spread there.
    pub(crate) fn dense(&self, scale: ProfileScale) -> Option<Dense> {
        self.dense.filter(|_| scale == ProfileScale::Auto)
    }

    /// The scale of its means; `None` without a value.
    pub(super) fn scale(&self) -> Option<Scale> {
        let of = |index: usize| self.value(index);
        let values = (0..self.means.len()).filter_map(of);
        Scale::new(sampled(self.means.len(), of), Extent::of_values(values))
    }

    /// The scale of the mean of all numbers of the profile.
    pub(super) fn mean_scale(&self) -> Option<Scale> {
        let means = (0..PARTS).filter_map(|part| self.mean(part..part + 1, 0..self.count));
        let values: Vec<f64> = means.map(f64::from).collect();
        let whole = Extent::of_values(values.iter().copied());
        Scale::new(values, whole)
    }

    /// The mean of all numbers of the profile about a time (UNIX seconds).
    pub(in crate::map) fn mean_at(&self, time: f64) -> Option<f64> {
        let part = self.part_at(time).min(PARTS - 1);
        self.mean(part..part + 1, 0..self.count).map(f64::from)
    }

    /// The picture in `columns` over a time (UNIX seconds), its begin and its end in the
    /// middle of the first and the last one, and `rows`, the first number of the profile
    /// at the top: row by row, `None` without a value.
    pub(crate) fn picture(&self, columns: u16, rows: u16, times: Range<f64>) -> Vec<Option<f32>> {
        let steps = f64::from(columns.saturating_sub(1).max(1));
        let rows = usize::from(rows);
        // Of a single time only the first column has something.
        let column_s = ((times.end - times.start) / steps).max(1e-3);
        let edge = |column: u16| self.part_at(times.start + column_s * (f64::from(column) - 0.5));
        let mut picture = Vec::with_capacity(usize::from(columns) * rows);
        for row in 0..rows {
            let (from, to) = row_numbers(row, rows, self.count);
            for column in 0..columns {
                let first = edge(column).min(PARTS - 1);
                let last = edge(column + 1).clamp(first + 1, PARTS);
                picture.push(self.mean(first..last, from..to));
            }
        }
        picture
    }

    /// The part about a time (UNIX seconds); one more than there are behind the last.
    fn part_at(&self, time: f64) -> usize {
        let (first, last) = self.times;
        let share = (time - first) / (last - first).max(1e-3);
        // Within the parts.
        (share.clamp(0.0, 1.0) * PARTS as f64) as usize
    }

    fn mean(&self, parts: Range<usize>, numbers: Range<usize>) -> Option<f32> {
        let mut sum = 0.0f64;
        let mut count = 0u16;
        for part in parts {
            let at = part * self.count;
            let values = self.means.get(at + numbers.start..at + numbers.end);
            for value in values.unwrap_or_default() {
                if value.is_finite() {
                    sum += f64::from(*value);
                    count = count.saturating_add(1);
                }
            }
        }
        (count > 0).then(|| (sum / f64::from(count)) as f32)
    }
}

/// The numbers of a profile, from the first up to but excluding the last, that
/// a row of a picture shows: at least one.
pub(crate) fn row_numbers(row: usize, rows: usize, count: usize) -> (usize, usize) {
    let from = row * count / rows.max(1);
    (from, ((row + 1) * count / rows.max(1)).max(from + 1))
}

/// The fixes whose values a part has, from the first up to but excluding the
/// last.
fn part_fixes(track: &Track, part: usize, first: f64, last: f64) -> (usize, usize) {
    if last <= first {
        // All fixes have the same time: one part has them all.
        return (0, if part == 0 { track.len() } else { 0 });
    }
    let edge = |part: usize| first + (last - first) * part as f64 / PARTS as f64;
    let from = track.count_before(edge(part));
    let to = match part + 1 {
        PARTS => track.len(),
        next => track.count_before(edge(next)),
    };
    if from < to {
        return (from, to);
    }
    let middle = f64::midpoint(edge(part), edge(part + 1));
    let before = from.checked_sub(1);
    match (
        before.and_then(|fix| track.time_stamp(fix)),
        track.time_stamp(from),
    ) {
        (Some(before), Some(after)) if track.is_gap(after - before) => (0, 0),
        (Some(before), Some(after)) if middle - before > after - middle => (from, from + 1),
        (Some(_), _) => (from - 1, from),
        (None, _) => (from, from),
    }
}
