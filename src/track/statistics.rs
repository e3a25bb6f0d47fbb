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

/// Counts, sums and extremes of the fixes of a track.
#[derive(Debug)]
struct Sums {
    first: Option<usize>,
    last: Option<usize>,
    length_m: f64,
    fastest_m_s: f64,
    longest_gap_s: Option<f64>,
    /// Times between fixes that are not at one time, seconds.
    good: Vec<f64>,
    south: f64,
    north: f64,
    /// The least and the greatest longitude.
    least: f64,
    most: f64,
    suspect: usize,
    fail: usize,
}

impl Sums {
    fn of(track: &Track) -> Self {
        let mut sums = Self {
            first: None,
            last: None,
            length_m: 0.0,
            fastest_m_s: 0.0,
            longest_gap_s: None,
            good: Vec::new(),
            south: f64::INFINITY,
            north: f64::NEG_INFINITY,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            suspect: 0,
            fail: 0,
        };
        for index in 0..track.len() {
            match track.flags().get(index) {
                Some(Flag::Suspect) => sums.suspect += 1,
                Some(Flag::Fail) => sums.fail += 1,
                _ => {}
            }
            if !track.is_included(index) {
                continue;
            }
            sums.first.get_or_insert(index);
            sums.last = Some(index);
            let position = track.position(index);
            sums.south = sums.south.min(position.latitude);
            sums.north = sums.north.max(position.latitude);
            sums.least = sums.least.min(position.longitude);
            sums.most = sums.most.max(position.longitude);
            let Some(start) = track.leg_start(index) else {
                continue;
            };
            let (Some(began), Some(ended)) = (track.time_stamp(start), track.time_stamp(index))
            else {
                continue;
            };
            let duration = ended - began;
            let metres = if duration <= 0.0 || track.is_jump(index) {
                0.0
            } else {
                geodesic::length_m(track.position(start), position)
            };
            sums.length_m += metres;
            sums.longest_gap_s = Some(sums.longest_gap_s.map_or(duration, |gap| gap.max(duration)));
            if duration > 0.0 {
                sums.fastest_m_s = sums.fastest_m_s.max(metres / duration);
                sums.good.push(duration);
            }
        }
        sums
    }
}

impl Track {
    /// Counts, extent, length and pace of the included fixes. It measures
    /// every leg.
    pub(super) fn sum(&self) -> Summary {
        let sums = Sums::of(self);
        let median_interval_s = median(sums.good);
        let ends = sums.first.and_then(|first| self.fix(first));
        let ends = ends.zip(sums.last.and_then(|last| self.fix(last)));
        let legs = ends.is_some_and(|(first, last)| first.index != last.index);
        let bbox = if sums.most - sums.least < 180.0 {
            // Within half of the Earth, the arc between is the shorter arc.
            ends.map(|_| BoundingBox {
                west: sums.least,
                south: sums.south,
                east: sums.most,
                north: sums.north,
            })
        } else {
            BoundingBox::around(self.included_fixes().map(|fix| fix.position))
        };
        Summary {
            fixes: self.len(),
            unusable: self.unusable_count(),
            repeats: self
                .rest
                .repeated
                .iter()
                .map(|(_, times)| (*times as usize).saturating_sub(1))
                .sum(),
            suspect: sums.suspect,
            fail: sums.fail,
            first: ends.map(|(first, _)| first.time_stamp),
            last: ends.map(|(_, last)| last.time_stamp),
            length_m: sums.length_m,
            displacement_m: ends.map_or(0.0, |(first, last)| {
                geodesic::inverse(first.position, last.position).distance_m
            }),
            max_speed_m_s: legs.then_some(sums.fastest_m_s),
            longest_gap_s: sums.longest_gap_s,
            median_interval_s,
            completeness: self.completeness(ends, median_interval_s),
            bbox,
        }
    }

    /// The share of the expected times with a fix near them. Expected are the
    /// times from the first to the last fix at the median interval, both
    /// counted; near is up to half an interval. Duplicates and fixes in between
    /// fill no gap.
    fn completeness(
        &self,
        ends: Option<(Fix, Fix)>,
        median_interval_s: Option<f64>,
    ) -> Option<f64> {
        let (first, last) = ends?;
        let interval_s = median_interval_s?;
        let number = |time_stamp: f64| ((time_stamp - first.time_stamp) / interval_s).round();
        let (mut near, mut latest) = (0.0, f64::NEG_INFINITY);
        for (index, transmission) in self.transmissions().iter().enumerate() {
            let number = number(transmission.time_stamp);
            if self.is_included(index) && number > latest {
                latest = number;
                near += 1.0;
            }
        }
        Some(near / (number(last.time_stamp) + 1.0))
    }
}
