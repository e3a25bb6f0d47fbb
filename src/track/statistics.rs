//! The summary of a track in a dozen numbers.

use super::fixes::{Fix, Track};
use super::interval::median;
use super::quality::Flag;
use crate::geo::{BoundingBox, geodesic};

/// Counts, extent, length and pace of a track.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Summary {
    /// Fixes, as many as table and files have: failed ones and those outside the
    /// time in which the deployment counts are included.
    pub fixes: usize,
    /// Records that could not be used.
    pub unusable: usize,
    /// Exact repeats that were folded.
    pub repeats: usize,
    /// Fixes flagged 3.
    pub suspect: usize,
    /// Fixes flagged 4.
    pub fail: usize,
    /// Time of the first included fix, UNIX seconds.
    pub first: Option<f64>,
    /// Time of the last included fix, UNIX seconds.
    pub last: Option<f64>,
    /// Sum of the legs in metres, without jumps.
    pub length_m: f64,
    /// Distance from the first to the last fix in metres.
    pub displacement_m: f64,
    /// Highest speed of a leg in m/s, without jumps.
    pub max_speed_m_s: Option<f64>,
    /// Longest time between two fixes in seconds.
    pub longest_gap_s: Option<f64>,
    /// Median time between two fixes in seconds.
    pub median_interval_s: Option<f64>,
    /// Expected times with a fix near them over expected times, in [0, 1].
    pub completeness: Option<f64>,
    /// Box around the included fixes.
    pub bbox: Option<BoundingBox>,
}

impl Track {
    /// Counts, extent, length and pace of the included fixes. It measures
    /// every leg.
    pub(super) fn sum(&self) -> Summary {
        let mut summary = Summary {
            fixes: self.len(),
            unusable: self.unusable_count(),
            repeats: self
                .repeated
                .iter()
                .map(|(_, times)| (*times as usize).saturating_sub(1))
                .sum(),
            bbox: BoundingBox::around(self.included_fixes().map(|fix| fix.position)),
            ..Summary::default()
        };
        let mut ends = None;
        let mut fastest_m_s = 0.0_f64;
        for fix in self.fixes() {
            summary.suspect += usize::from(fix.flag == Flag::Suspect);
            summary.fail += usize::from(fix.flag == Flag::Fail);
            if !self.is_included(fix.index) {
                continue;
            }
            ends = Some((ends.map_or(fix, |(first, _): (Fix, Fix)| first), fix));
            let Some(start) = self.leg_start(fix.index).and_then(|start| self.fix(start)) else {
                continue;
            };
            let duration = fix.time_stamp - start.time_stamp;
            let metres = if duration <= 0.0 || self.is_jump(fix.index) {
                0.0
            } else {
                geodesic::length_m(start.position, fix.position)
            };
            summary.length_m += metres;
            let longest = summary
                .longest_gap_s
                .map_or(duration, |gap| gap.max(duration));
            summary.longest_gap_s = Some(longest);
            if duration > 0.0 {
                fastest_m_s = fastest_m_s.max(metres / duration);
            }
        }
        summary.median_interval_s = self.median_interval_s();
        summary.completeness = self.data_return();
        if let Some((first, last)) = ends {
            summary.first = Some(first.time_stamp);
            summary.last = Some(last.time_stamp);
            summary.displacement_m = geodesic::inverse(first.position, last.position).distance_m;
            summary.max_speed_m_s = (first.index != last.index).then_some(fastest_m_s);
        }
        summary
    }

    /// The median of the times between included fixes that are not at one time, seconds.
    fn median_interval_s(&self) -> Option<f64> {
        let times = || self.included_fixes().map(|fix| fix.time_stamp);
        let durations = times()
            .zip(times().skip(1))
            .map(|(began, ended)| ended - began);
        median(durations.filter(|duration| *duration > 0.0).collect())
    }

    /// The share of the expected times with a report near them. Expected are the times from the
    /// first to the last report at the median interval, both counted; near is up to half an
    /// interval. Duplicates and reports in between fill no gap. A report is a fix, or a burst of
    /// fixes, which counts at its first. It needs no summary: that measures each leg.
    pub(crate) fn data_return(&self) -> Option<f64> {
        let mut last = f64::NEG_INFINITY;
        let within_burst_s = self.intervals.within_burst_s.unwrap_or(0.0);
        let mut reports: Vec<f64> = self.included_fixes().map(|fix| fix.time_stamp).collect();
        reports.retain(|time| {
            let gap = time - std::mem::replace(&mut last, *time);
            gap > within_burst_s
        });
        let pairs = reports.iter().zip(reports.iter().skip(1));
        let interval_s = median(pairs.map(|(began, next)| next - began).collect())?;
        let first = *reports.first()?;
        let number = |time_stamp: &f64| ((time_stamp - first) / interval_s).round();
        let mut numbers: Vec<f64> = reports.iter().map(number).collect();
        numbers.dedup();
        Some(numbers.len() as f64 / (numbers.last()? + 1.0))
    }
}
