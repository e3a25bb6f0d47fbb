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
    /// Time of the first fix that is in, UNIX seconds.
    pub first: Option<f64>,
    /// Time of the last fix that is in, UNIX seconds.
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
    /// Box around the fixes that are in.
    pub bbox: Option<BoundingBox>,
}

/// Fixes that are summed up together. Sums are taken over them in their order,
/// however many cores there are: the last digit of a length must not depend on
/// the machine.
const TOGETHER: usize = 1 << 16;

/// The statistics of a stretch of fixes.
#[derive(Debug)]
struct Part {
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

impl Part {
    fn new() -> Self {
        Self {
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
        }
    }

    /// With the legs that lead to these fixes, wherever they begin.
    fn of(track: &Track, from: usize, to: usize) -> Self {
        let mut part = Self::new();
        let times = track.time_stamps();
        for index in from..to {
            match track.flags().get(index) {
                Some(Flag::Suspect) => part.suspect += 1,
                Some(Flag::Fail) => part.fail += 1,
                _ => {}
            }
            if !track.is_included(index) {
                continue;
            }
            part.first.get_or_insert(index);
            part.last = Some(index);
            let position = track.position(index);
            part.south = part.south.min(position.latitude);
            part.north = part.north.max(position.latitude);
            part.least = part.least.min(position.longitude);
            part.most = part.most.max(position.longitude);
            let Some(start) = track.leg_start(index) else {
                continue;
            };
            let (Some(began), Some(ended)) = (times.get(start), times.get(index)) else {
                continue;
            };
            let duration = ended - began;
            let metres = if duration <= 0.0 || track.is_jump(index) {
                0.0
            } else {
                geodesic::length_m(track.position(start), position)
            };
            part.length_m += metres;
            part.longest_gap_s = Some(part.longest_gap_s.map_or(duration, |gap| gap.max(duration)));
            if duration > 0.0 {
                part.fastest_m_s = part.fastest_m_s.max(metres / duration);
                part.good.push(duration);
            }
        }
        part
    }

    fn with(mut self, next: Self) -> Self {
        self.good.extend(next.good);
        Self {
            first: self.first.or(next.first),
            last: next.last.or(self.last),
            length_m: self.length_m + next.length_m,
            fastest_m_s: self.fastest_m_s.max(next.fastest_m_s),
            longest_gap_s: match (self.longest_gap_s, next.longest_gap_s) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            },
            good: self.good,
            south: self.south.min(next.south),
            north: self.north.max(next.north),
            least: self.least.min(next.least),
            most: self.most.max(next.most),
            suspect: self.suspect + next.suspect,
            fail: self.fail + next.fail,
        }
    }

    /// Of a whole track, on every core.
    fn whole(track: &Track) -> Self {
        let parts = track.len().div_ceil(TOGETHER);
        // The number of cores takes longer to find out than a short track to sum.
        let threads = match parts {
            0..=1 => 1,
            _ => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let share = parts.div_ceil(threads.max(1)).max(1);
        let one = |part: usize| {
            let from = part * TOGETHER;
            Self::of(track, from, (from + TOGETHER).min(track.len()))
        };
        let mut all: Vec<Option<Self>> = (0..parts).map(|_| None).collect();
        if parts > 1 && threads > 1 {
            std::thread::scope(|scope| {
                for (number, some) in all.chunks_mut(share).enumerate() {
                    scope.spawn(move || {
                        for (part, place) in (number * share..).zip(some) {
                            *place = Some(one(part));
                        }
                    });
                }
            });
        }
        all.into_iter()
            .enumerate()
            .map(|(part, done)| done.unwrap_or_else(|| one(part)))
            .fold(Self::new(), Self::with)
    }
}

impl Track {
    /// Counts, extent, length and pace of the fixes that are in. It measures
    /// every leg.
    pub(super) fn sum(&self) -> Summary {
        let part = Part::whole(self);
        let median_interval_s = median(part.good);
        let ends = part.first.and_then(|first| self.fix(first));
        let ends = ends.zip(part.last.and_then(|last| self.fix(last)));
        let legs = ends.is_some_and(|(first, last)| first.index != last.index);
        let bbox = if part.most - part.least < 180.0 {
            // Within half of the Earth no arc between is wider than the one
            // beyond.
            ends.map(|_| BoundingBox {
                west: part.least,
                south: part.south,
                east: part.most,
                north: part.north,
            })
        } else {
            BoundingBox::around(self.included_fixes().map(|fix| fix.position))
        };
        Summary {
            fixes: self.len(),
            unusable: self.unusable_count(),
            repeats: self
                .repeated
                .iter()
                .map(|(_, times)| (*times as usize).saturating_sub(1))
                .sum(),
            suspect: part.suspect,
            fail: part.fail,
            first: ends.map(|(first, _)| first.time_stamp),
            last: ends.map(|(_, last)| last.time_stamp),
            length_m: part.length_m,
            displacement_m: ends.map_or(0.0, |(first, last)| {
                geodesic::inverse(first.position, last.position).distance_m
            }),
            max_speed_m_s: legs.then_some(part.fastest_m_s),
            longest_gap_s: part.longest_gap_s,
            median_interval_s,
            completeness: self.completeness(ends, median_interval_s),
            bbox,
        }
    }

    /// Expected times with a fix near them over expected times, in [0, 1], as the
    /// summary has it; no leg is measured for it.
    pub(super) fn data_return(&self) -> Option<f64> {
        if let Some(summary) = self.summary.get() {
            return summary.completeness;
        }
        let times = self.time_stamps();
        let (mut ends, mut good) = (None, Vec::new());
        for fix in self.included_fixes() {
            ends = Some((ends.map_or(fix, |(first, _): (Fix, Fix)| first), fix));
            let began = self.leg_start(fix.index).and_then(|from| times.get(from));
            if let Some(duration) = began.map(|began| fix.time_stamp - began)
                && duration > 0.0
            {
                good.push(duration);
            }
        }
        self.completeness(ends, median(good))
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
        let place = |time_stamp: f64| ((time_stamp - first.time_stamp) / interval_s).round();
        let (mut near, mut latest) = (0.0, f64::NEG_INFINITY);
        for (index, time_stamp) in self.time_stamps().iter().enumerate() {
            if self.is_included(index) && place(*time_stamp) > latest {
                latest = place(*time_stamp);
                near += 1.0;
            }
        }
        Some(near / (place(last.time_stamp) + 1.0))
    }
}
