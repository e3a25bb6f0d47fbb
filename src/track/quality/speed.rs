//! The test "speed": the track check of Xu and Ignatov (2013), "In situ SST
//! Quality Monitor (iQuam)", J. Atmos. Oceanic Technol. 31, section 3.
//!
//! A run of a repeated position counts once and lasts from its first to its last fix. Each
//! run is compared with the 15 before and the 15 after it. A pair violates the limit if
//! (distance - slack) / (time + 36 s) is over it. Distances are great circles on a sphere, as in the paper; if one is
//! so near the limit that the ellipsoid decides, it is the geodesic.
//! The run with most violations (of equals, the later) fails and is removed from its
//! neighbours' counts, until no violation is left.

use std::collections::BinaryHeap;

use super::judgement::Judgement;
use super::jump::ELLIPSOID;
use super::reason::Reason;
use crate::geo::{Position, geodesic, sphere};
use crate::track::quality::Flag;

/// Fixes on either side that one is compared with.
pub(super) const NEIGHBOURS: usize = 15;
/// Positions are given to 0.01 degrees in the oldest messages: so much of a
/// distance may be rounding, in metres.
const SLACK_M: f64 = 1110.0;
/// The slack if fixes come so often that none of them is an old message.
const DENSE_SLACK_M: f64 = 100.0;
/// A median interval below this is such a track, seconds.
const DENSE_S: f64 = 60.0;
/// Times are given to 0.01 hours in the oldest messages, in seconds.
const TOLERANCE_S: f64 = 36.0;

/// `true` if two positions are too far apart for the seconds between, at a limit
/// in m/s with a slack in metres.
pub(super) fn is_violation(
    from: Position,
    to: Position,
    seconds: f64,
    limit: f64,
    slack_m: f64,
) -> bool {
    let allowed_m = limit * (seconds + TOLERANCE_S) + slack_m;
    let distance_m = sphere::distance_m(from, to);
    let is_near = (distance_m - allowed_m).abs() <= (ELLIPSOID - 1.0) * distance_m;
    let distance_m = if is_near {
        geodesic::length_m(from, to)
    } else {
        distance_m
    };
    distance_m > allowed_m
}

/// A run of fixes with the same position.
#[derive(Debug, Clone, Copy)]
struct StationaryRun {
    /// Times of the run's first and last fix, UNIX seconds.
    began: f64,
    ended: f64,
    position: Position,
    /// Its first fix, whose class is that of the run.
    first: usize,
    /// The way from the first run of all, metres: as long as it is, or a little
    /// longer.
    way_m: f64,
}

/// For each run the runs before and after it with which it violates the limit: the lowest
/// bit is the nearest run.
#[derive(Debug, Default)]
struct Violations {
    before: Vec<u16>,
    after: Vec<u16>,
}

impl Violations {
    /// Notes a violation with both of its runs, the later of which is `steps` after the other.
    fn add(&mut self, run: usize, steps: usize) {
        self.before.resize(run + 1, 0);
        self.after.resize(run + 1, 0);
        let bit = 1 << (steps - 1);
        if let Some(before) = self.before.get_mut(run)
            && let Some(after) = self.after.get_mut(run - steps)
        {
            *before |= bit;
            *after |= bit;
        }
    }

    fn bits(&self, run: usize) -> (u16, u16) {
        let of = |bits: &[u16]| bits.get(run).copied().unwrap_or(0);
        (of(&self.before), of(&self.after))
    }

    fn count(&self, run: usize) -> u32 {
        let (before, after) = self.bits(run);
        before.count_ones() + after.count_ones()
    }

    /// Removes a run from its partners' counts. Returns the nearest partner, of equals the
    /// earlier.
    fn remove(&mut self, run: usize) -> Option<usize> {
        let (before, after) = self.bits(run);
        let mut nearest = None;
        for steps in 1..=NEIGHBOURS {
            let bit = 1_u16 << (steps - 1);
            if before & bit != 0
                && let Some(bits) = self.after.get_mut(run - steps)
            {
                *bits &= !bit;
                nearest = nearest.or(Some(run - steps));
            }
            if after & bit != 0
                && let Some(bits) = self.before.get_mut(run + steps)
            {
                *bits &= !bit;
                nearest = nearest.or(Some(run + steps));
            }
        }
        for side in [&mut self.before, &mut self.after] {
            if let Some(bits) = side.get_mut(run) {
                *bits = 0;
            }
        }
        nearest
    }

    /// Takes out the run with most violations, the later of equals, until none
    /// is left: what was taken out, and a run that it violated the limit with,
    /// ascending.
    fn worst_first(mut self) -> Vec<(usize, usize)> {
        // Counts only fall, so an entry that is out of date is met too early,
        // never too late: it is put back with its present count.
        let mut queue: BinaryHeap<(u32, usize)> = (0..self.before.len())
            .map(|run| (self.count(run), run))
            .filter(|(count, _)| *count > 0)
            .collect();
        let mut failed = Vec::new();
        while let Some((noted, run)) = queue.pop() {
            let present = self.count(run);
            if present == 0 {
                continue;
            }
            if present < noted {
                queue.push((present, run));
                continue;
            }
            let partner = self.remove(run).unwrap_or(run);
            failed.push((run, partner));
        }
        failed.sort_unstable();
        failed
    }
}

impl Judgement<'_> {
    /// The slack of the speed test in metres: 0.1 km where the median interval
    /// between the fixes that have not failed is under 60 s, else 1.11 km.
    pub(super) fn speed_slack_m(&self) -> f64 {
        let times = || self.sound().filter_map(|index| self.time(index));
        let apart = times().zip(times().skip(1)).map(|(from, to)| to - from);
        let intervals: Vec<f64> = apart.filter(|seconds| *seconds > 0.0).collect();
        match crate::track::interval::median(intervals) {
            Some(median) if median < DENSE_S => DENSE_SLACK_M,
            _ => SLACK_M,
        }
    }

    /// The test "speed". The answer is whether any fix failed it.
    pub(super) fn test_speed(&mut self, slack_m: f64) -> bool {
        let violations = self.violations(self.sound(), slack_m);
        if violations.before.is_empty() {
            return false;
        }
        let failed = violations.worst_first();
        self.fail_runs(&failed);
        true
    }

    /// The fixes of some, ascending, that pass the test if there are no others.
    pub(super) fn consistent(&self, fixes: &[usize], slack_m: f64) -> Vec<usize> {
        let failed = self
            .violations(fixes.iter().copied(), slack_m)
            .worst_first();
        let runs = self.runs(fixes).into_iter().enumerate();
        runs.filter(|(run, _)| failed.binary_search_by_key(run, |(run, _)| *run).is_err())
            .flat_map(|(_, run)| run.iter().copied())
            .collect()
    }

    /// The pairs of runs of some fixes, ascending, that violate the limit. Only a window of
    /// runs is in memory.
    fn violations(&self, fixes: impl Iterator<Item = usize>, slack_m: f64) -> Violations {
        let mut found = Violations::default();
        let mut window = [None::<StationaryRun>; NEIGHBOURS + 1];
        let mut count = 0_usize;
        let allowance = self.limit * TOLERANCE_S + self.least_slack(slack_m);
        // By how much the way since some run is longer than the limit allows for
        // the time: no pair violates the limit while this is within the
        // allowance, since the way is never shorter than the line between two.
        let mut excess = 0.0_f64;
        for index in fixes {
            let Some(fix) = self.fixes.get(index) else {
                break;
            };
            let last = count.wrapping_sub(1) % window.len();
            let mut way_m = 0.0;
            if let Some(Some(run)) = window.get_mut(last)
                && count > 0
            {
                if run.position.same_point(fix.position) {
                    run.ended = fix.time_stamp;
                    continue;
                }
                let step = sphere::at_most_m(run.position, fix.position) * ELLIPSOID;
                let allowed = self.limit * (fix.time_stamp - run.ended);
                excess = (excess + step - allowed).max(0.0);
                way_m = run.way_m + step;
            }
            let run = StationaryRun {
                began: fix.time_stamp,
                ended: fix.time_stamp,
                position: fix.position,
                first: index,
                way_m,
            };
            // A millimetre covers the rounding of the sums.
            if excess > allowance - 1e-3 {
                for steps in 1..=NEIGHBOURS.min(count) {
                    let earlier = window.get((count - steps) % window.len());
                    if let Some(Some(earlier)) = earlier
                        && self.are_too_far(earlier, &run, slack_m)
                    {
                        found.add(count, steps);
                    }
                }
            }
            if let Some(slot) = window.get_mut(count % (NEIGHBOURS + 1)) {
                *slot = Some(run);
            }
            count += 1;
        }
        found
    }

    fn are_too_far(&self, from: &StationaryRun, to: &StationaryRun, slack_m: f64) -> bool {
        let seconds = to.began - from.ended;
        let slack_m = self.slack_between(from.first, to.first, slack_m);
        let allowed = self.limit * (seconds + TOLERANCE_S) + slack_m;
        to.way_m - from.way_m > allowed - 1e-3
            && is_violation(from.position, to.position, seconds, self.limit, slack_m)
    }

    /// Fails the fixes of some runs, given ascending by their number with a run
    /// that each violated the limit with.
    fn fail_runs(&mut self, failed: &[(usize, usize)]) {
        let sound: Vec<usize> = self.sound().collect();
        let runs = self.runs(&sound);
        for (run, partner) in failed {
            let Some((fixes, others)) = runs.get(*run).zip(runs.get(*partner)) else {
                continue;
            };
            let leg = if partner < run {
                others.last().zip(fixes.first())
            } else {
                fixes.last().zip(others.first())
            };
            let numbers = leg.and_then(|(from, to)| self.leg_numbers(*from, *to));
            for index in *fixes {
                self.mark(*index, Flag::Fail, Reason::Speed);
                if let Some((metres, seconds)) = numbers {
                    self.find(*index, metres, seconds);
                }
            }
        }
    }
}
