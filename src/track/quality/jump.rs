//! Test (d), jump: a lasting move, and what the speed test did beside it.
//!
//! A lost clock, a flown buoy or a new owner uses up the window of the speed
//! test, which then fails good fixes on either side and lets the move pass.

use std::collections::VecDeque;

use super::constants::UNDER_WAY_M_S;
use super::judgement::Judgement;
use super::reason::Reason;
use super::speed;
use crate::geo::{Position, geodesic, sphere, vector::Vector};
use crate::track::flag::Flag;

/// This many failed fixes in a row, and more, are taken in again where they agree
/// with one side.
const BLOCK: usize = 5;
/// A geodesic is longer than the great circle on a sphere by less than this
/// factor.
const ELLIPSOID: f64 = 1.006;
/// The cosine of the angle between the fix before and the fix after, seen from
/// between, below which legs turn by less than 60 degrees.
const STRAIGHT: f64 = -0.5;

impl Judgement<'_> {
    /// Test (d), first half: five and more fixes in a row that the speed test
    /// failed are taken in again where each is within the limit of the 15 nearest
    /// included fixes on one of its sides, and no data gap lies between. `gap_s`
    /// is the longest interval that is none, in seconds.
    pub(super) fn take_in_again(&mut self, gap_s: f64, slack_m: f64) {
        if self.longest_failed_run() < BLOCK {
            return;
        }
        let mut agrees = vec![false; self.fixes.len()];
        let candidates: Vec<usize> = self.candidates().collect();
        self.compare_with_side(candidates.iter().copied(), gap_s, slack_m, &mut agrees);
        self.compare_with_side(
            candidates.iter().rev().copied(),
            gap_s,
            slack_m,
            &mut agrees,
        );
        for block in candidates.chunk_by(|a, b| agrees.get(*a) == agrees.get(*b)) {
            let one = block.first().and_then(|first| agrees.get(*first));
            if block.len() < BLOCK || one != Some(&true) {
                continue;
            }
            for &index in block {
                if self.conflicts.binary_search(&index).is_ok() {
                    self.mark(index, Flag::Suspect, Reason::TimeConflict);
                } else {
                    self.mark(index, Flag::Pass, Reason::None);
                }
            }
        }
    }

    /// The fixes that the speed test looked at, in their order.
    fn candidates(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.fixes.len()).filter(|&index| self.is_sound(index) || self.failed_speed(index))
    }

    fn failed_speed(&self, index: usize) -> bool {
        self.reasons.get(index) == Some(&Reason::Speed)
    }

    fn longest_failed_run(&self) -> usize {
        let (mut longest, mut run) = (0, 0);
        for index in self.candidates() {
            run = if self.failed_speed(index) { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest
    }

    /// Marks the failed fixes that are within the limit of the included fixes on
    /// the side the fixes are given from.
    fn compare_with_side(
        &self,
        candidates: impl Iterator<Item = usize>,
        gap_s: f64,
        slack_m: f64,
        agrees: &mut [bool],
    ) {
        let mut side: VecDeque<usize> = VecDeque::with_capacity(speed::NEIGHBOURS);
        let mut beyond_gap = false;
        let mut last: Option<f64> = None;
        for index in candidates {
            let Some(fix) = self.fixes.get(index) else {
                break;
            };
            let interval = last.map_or(0.0, |last| (fix.time_stamp - last).abs());
            last = Some(fix.time_stamp);
            if !self.failed_speed(index) {
                beyond_gap = false;
                if side.len() == speed::NEIGHBOURS {
                    side.pop_front();
                }
                side.push_back(index);
                continue;
            }
            beyond_gap |= interval > gap_s;
            let within = !beyond_gap
                && !side.is_empty()
                && !side
                    .iter()
                    .any(|&other| self.is_violation(other.min(index), other.max(index), slack_m));
            if let Some(place) = agrees.get_mut(index).filter(|_| within) {
                *place = true;
            }
        }
    }

    /// Test (d), second half: a leg between fixes that have not failed, and that
    /// is still over the limit, is a jump, and the fix after it is suspect. The
    /// answer is where jumps lead to, ascending.
    pub(super) fn test_jump(&mut self, slack_m: f64) -> Vec<u32> {
        let mut jumps = Vec::new();
        let mut before: Option<usize> = None;
        let mut cosines = sphere::Cosines::default();
        for index in 0..self.fixes.len() {
            if !self.is_sound(index) {
                continue;
            }
            let Some(from) = before.replace(index) else {
                continue;
            };
            let (Some(a), Some(b)) = (self.fixes.get(from), self.fixes.get(index)) else {
                break;
            };
            let most = sphere::at_most_m(a.position, b.position, &mut cosines);
            let seconds = b.time_stamp - a.time_stamp;
            if most <= slack_m + self.limit * seconds || !self.is_violation(from, index, slack_m) {
                continue;
            }
            jumps.extend(u32::try_from(index));
            if self.passes(index) {
                self.mark(index, Flag::Suspect, Reason::Jump);
                self.find_leg(Some(from), index);
            }
        }
        jumps
    }

    /// Whether the legs over the middle one of three fixes are both over 4 knots
    /// and turn by less than 60 degrees, and the slower speed in m/s; `most` are
    /// lengths on a sphere that the legs do not exceed, metres.
    pub(super) fn under_way(&self, three: [usize; 3], most: [f64; 2]) -> Option<f64> {
        let [before, here, after] = three.map(|index| self.fixes.get(index));
        let (before, here, after) = (before?, here?, after?);
        let seconds = [
            here.time_stamp - before.time_stamp,
            after.time_stamp - here.time_stamp,
        ];
        let can_be = |leg: usize| match (most.get(leg), seconds.get(leg)) {
            (Some(most), Some(seconds)) => {
                *seconds > 0.0 && *most * ELLIPSOID > UNDER_WAY_M_S * seconds
            }
            _ => false,
        };
        if !can_be(0) || !can_be(1) {
            return None;
        }
        let [in_s, out_s] = seconds;
        let in_m_s = geodesic::length_m(before.position, here.position) / in_s;
        let out_m_s = geodesic::length_m(here.position, after.position) / out_s;
        let slower = in_m_s.min(out_m_s);
        (slower > UNDER_WAY_M_S
            && angle_cosine(before.position, here.position, after.position) < STRAIGHT)
            .then_some(slower)
    }
}

/// The cosine of the angle between two positions, seen from the one between
/// them.
pub(super) fn angle_cosine(before: Position, here: Position, after: Position) -> f64 {
    let here = Vector::of(here);
    let towards = |position: Position| {
        let there = Vector::of(position);
        let along = there.dot(here);
        let (x, y, z) = (
            there.x - here.x * along,
            there.y - here.y * along,
            there.z - here.z * along,
        );
        Vector { x, y, z }.unit()
    };
    towards(before).dot(towards(after))
}
