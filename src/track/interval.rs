//! The reporting interval T of an instrument, by the gaps between its last fixes.

/// T is the median of at most this many gaps.
const MOST: usize = 20;
/// T is known from this many gaps on: of two, one is as often a data gap as not.
const FEWEST: usize = 3;
/// The longest T, seconds: 45 days. An instrument that reports less often has no T.
const LONGEST_T_S: f64 = 45.0 * 86_400.0;
/// Bursts of an instrument are looked for in the gaps of so many last fixes, or of ten
/// days where those have more.
const LOOKED_AT: usize = 60;
const LOOKED_BACK_S: f64 = 10.0 * 86_400.0;
/// Between two bursts is a gap that is longer than this many lower quartiles of all gaps.
const QUARTILES: f64 = 5.0;

/// An instrument sends less often than before where its last gaps are longer than so many of its
/// usual ones, and so many of them differ by this factor at most.
const LONGER: f64 = 2.0;
const ALIKE: [(usize, f64); 2] = [(2, 1.1), (3, 2.2)];
/// It sends more often where its last gaps are shorter than this part of a usual one, and last
/// for so many of those.
const SHORTER: f64 = 0.75;
const LASTS: f64 = 1.5;
/// The upper quartile of such gaps is at most so many lower ones; of fewer than six the longest
/// so many of the shortest.
const EVEN: f64 = 1.3;
const FEW_ALIKE: f64 = 1.5;

/// The last gaps between the fixes of a track, or between its bursts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Intervals {
    median_s: Option<f64>,
    count: usize,
    /// The median of the last 20 gaps between fixes, whether they come in bursts or not.
    plain_median_s: Option<f64>,
    /// The longest gap within a burst, seconds; `None` where fixes do not come in bursts.
    within_burst_s: Option<f64>,
}

impl Intervals {
    /// The last 20 gaps between times that are given newest first, without those of no
    /// length; of an instrument that sends in bursts the last 20 between bursts. After a change
    /// of the reporting interval those since the change.
    pub(super) fn new(newest_first: impl Iterator<Item = f64>) -> Self {
        let all = recent_gaps(newest_first);
        let mut gaps = all.clone();
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
        let count = gaps.len();
        let usual_s = median(gaps.clone()).filter(|_| count >= FEWEST);
        let slower_s = usual_s.and_then(|usual_s| of_slower_mode(&gaps, usual_s));
        let faster_s = usual_s.and_then(|usual_s| of_faster_mode(&all, usual_s));
        Self {
            count,
            median_s: slower_s.or(faster_s).or_else(|| median(gaps)),
            plain_median_s,
            // The gaps of the mode before are none between bursts.
            within_burst_s: within_burst_s.filter(|_| slower_s.or(faster_s).is_none()),
        }
    }

    /// The number of gaps.
    pub(super) fn count(self) -> usize {
        self.count
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

    /// Fixes that are parted by no more than this are of one burst, seconds; `None` where each
    /// stands for itself.
    pub(super) fn within_burst_s(self) -> Option<f64> {
        self.within_burst_s
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

/// T of an instrument that sends less often since a few gaps (newest first) than before, each
/// `usual_s` seconds: by two that are alike, or three that hardly differ though a fix was lost.
fn of_slower_mode(gaps: &[f64], usual_s: f64) -> Option<f64> {
    let is_longer = |gap: &&f64| **gap > LONGER * usual_s;
    let run: Vec<f64> = gaps.iter().take_while(is_longer).copied().collect();
    let is_mode = |(count, spread): &(usize, f64)| {
        let newest = run.get(..*count);
        newest.is_some_and(|newest| gaps.len() > *count && spread_of(newest) <= *spread)
    };
    let is_any = ALIKE.iter().any(is_mode);
    median(run).filter(|_| is_any)
}

/// T of an instrument that sends evenly since a while, more often than before, each `usual_s`
/// seconds. No burst lasts so long.
fn of_faster_mode(gaps: &[f64], usual_s: f64) -> Option<f64> {
    let is_shorter = |gap: &&f64| **gap <= SHORTER * usual_s;
    let mut run: Vec<f64> = gaps.iter().take_while(is_shorter).copied().collect();
    let is_long = run.len() >= FEWEST && run.len() < gaps.len();
    if !is_long || run.iter().sum::<f64>() < LASTS * usual_s {
        return None;
    }
    let mut sorted = run.clone();
    sorted.sort_by(f64::total_cmp);
    let quarters = [sorted.get(run.len() / 4)?, sorted.get(3 * run.len() / 4)?];
    let is_even = quarters[1] <= &(EVEN * quarters[0]);
    let is_sure = run.len() >= 2 * FEWEST || spread_of(&run) <= FEW_ALIKE;
    run.truncate(MOST);
    median(run).filter(|_| is_even && is_sure)
}

/// The longest gap in shortest ones.
fn spread_of(gaps: &[f64]) -> f64 {
    let shortest = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    gaps.iter().copied().fold(0.0, f64::max) / shortest
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
