//! The reporting interval T of an instrument, by the gaps between its last fixes.

use serde::{Deserialize, Serialize};

/// T is the median of at most this many gaps.
pub(super) const MOST: usize = 20;
/// T is known from this many gaps on: of two, one is as often a data gap as not.
pub(super) const FEWEST: usize = 3;
/// The longest T, seconds: 45 days. An instrument that reports less often has no T.
const LONGEST_T_S: f64 = 45.0 * 86_400.0;
/// Bursts of an instrument are looked for in the gaps of so many last fixes, or of ten
/// days where those have more.
const LOOKED_AT: usize = 60;
const LOOKED_BACK_S: f64 = 10.0 * 86_400.0;
/// Between two bursts is a gap that is longer than this many lower quartiles of all gaps.
const QUARTILES: f64 = 5.0;

/// The gaps within the bursts in which an instrument sends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Burst {
    /// The median of the last 20 gaps between fixes, seconds.
    pub interval_s: f64,
    /// The longest gap within a burst, seconds.
    pub longest_s: f64,
}

/// The last gaps between the fixes of a track, or between its bursts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Intervals {
    median_s: Option<f64>,
    /// The number of gaps.
    pub(super) count: usize,
    /// The median of the last 20 gaps between fixes, whether they come in bursts or not.
    plain_median_s: Option<f64>,
    /// The longest gap within a burst, seconds; `None` where fixes do not come in bursts.
    pub(super) within_burst_s: Option<f64>,
}

impl Intervals {
    /// The last 20 gaps between times that are given newest first, without those of no
    /// length; of an instrument that sends in bursts the last 20 between bursts.
    pub(super) fn new(newest_first: impl Iterator<Item = f64>) -> Self {
        let mut gaps = recent_gaps(newest_first);
        let last = gaps.iter().take(MOST).copied();
        let plain_median_s = median(last.collect());
        let mut within_burst_s = None;
        // Again and again, since bursts come in bursts, too: the fixes of a satellite's pass in
        // the passes of some hours in which a seal is at the surface. With the first step alone
        // such a track is overdue once a day.
        while let Some(within_s) = longest_within_burst(&gaps) {
            gaps.retain(|gap| *gap > within_s);
            within_burst_s = Some(within_s);
        }
        gaps.truncate(MOST);
        Self {
            count: gaps.len(),
            median_s: median(gaps),
            plain_median_s,
            within_burst_s,
        }
    }

    /// T in seconds, their median; `None` of fewer than three gaps, and over 45 days.
    pub(super) fn interval_s(self) -> Option<f64> {
        self.median_s
            .filter(|median_s| self.count >= FEWEST && *median_s <= LONGEST_T_S)
    }

    /// The median gap between single fixes in seconds, where T is known.
    pub(super) fn plain_interval_s(self) -> Option<f64> {
        self.plain_median_s.filter(|_| self.interval_s().is_some())
    }

    /// The longest interval in seconds that is not a data gap: max(3 T, min(2 h, 30 T)),
    /// by their median even if that is not T; 2 h without a gap.
    pub(super) fn longest_s(self) -> f64 {
        const TWO_HOURS: f64 = 7200.0;
        self.median_s
            .map_or(TWO_HOURS, |t| (3.0 * t).max(TWO_HOURS.min(30.0 * t)))
    }

    /// The gaps within bursts; `None` if each fix is one of its own.
    pub(super) fn burst(self) -> Option<Burst> {
        Some(Burst {
            interval_s: self.plain_median_s?,
            longest_s: self.within_burst_s?,
        })
    }
}

/// The gaps, newest first, between the times in which bursts are looked for.
fn recent_gaps(newest_first: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut ends: Option<(f64, f64)> = None;
    let mut gaps = Vec::with_capacity(LOOKED_AT);
    for time in newest_first {
        let (newest, later) = ends.unwrap_or((time, time));
        if gaps.len() + 1 >= LOOKED_AT && newest - time > LOOKED_BACK_S {
            break;
        }
        ends = Some((newest, time));
        if later > time {
            gaps.push(later - time);
        }
    }
    gaps
}

/// The longest gap within a burst in seconds: five times the lower quartile q of the gaps, where
/// three and more are longer and make more than a quarter of the time. The two longest of all
/// are left out of that time: they may be outages of an instrument that sends evenly.
fn longest_within_burst(gaps: &[f64]) -> Option<f64> {
    let mut sorted = gaps.to_vec();
    let at = sorted.len().checked_sub(1)? / 4;
    let (_, quartile, _) = sorted.select_nth_unstable_by(at, f64::total_cmp);
    let within_s = QUARTILES * *quartile;
    let mut longest = [0.0_f64; 2];
    let (mut all_s, mut between_s, mut between) = (0.0, 0.0, 0_usize);
    for gap in gaps {
        all_s += gap;
        if *gap > within_s {
            between_s += gap;
            between += 1;
        }
        if *gap > longest[0] {
            longest = [*gap, longest[0]];
        } else if *gap > longest[1] {
            longest[1] = *gap;
        }
    }
    let left_out_s: f64 = longest.iter().sum();
    let is_most = between_s - left_out_s > (all_s - left_out_s) / 4.0;
    (between >= FEWEST && is_most).then_some(within_s)
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

#[cfg(test)]
mod tests;
