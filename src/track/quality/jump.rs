//! The test "jump": a lasting move, and the effects of the speed test near it.
//!
//! A flown buoy or a new owner uses up the window of the speed test, which then fails good
//! fixes on either side and lets the move pass; and it fails nearly all that a ship carries,
//! since each fix is over the limit to all others. That a drifter is aboard is what its
//! owner most wants to hear of.

use std::collections::VecDeque;

use super::judgement::Judgement;
use super::reason::Reason;
use super::{CARRIED_M_S, UNDER_WAY_M_S, speed};
use crate::geo::{Position, geodesic, sphere, vector::Vector};
use crate::track::quality::Flag;

/// At least this many failed fixes in a row are included again if they agree with one side,
/// or with each other if they are apart from the rest.
const BLOCK: usize = 5;
/// At the end of a track this many are enough if they last long enough: those that would
/// confirm them are still to come.
const LAST_BLOCK: usize = 3;
/// The least time from the first to the third fix, in intervals T, which vary a little.
const LAST_BLOCK_INTERVALS: f64 = 1.9;
/// A geodesic is longer than the great circle on a sphere by less than this
/// factor.
pub(super) const ELLIPSOID: f64 = 1.006;
/// The cosine of the angle between the fix before and the fix after, seen from
/// between, below which legs turn by less than 60 degrees.
const STRAIGHT: f64 = -0.5;

/// Legs over the limit between included fixes.
#[derive(Debug, Default)]
pub(super) struct OverLimit {
    /// The fixes that such a leg leads to, ascending.
    pub(super) jumps: Vec<u32>,
    /// The same, each after a fix before it; also if the leg is from another position at
    /// the time of that fix.
    suspect: Vec<(usize, usize)>,
}

impl Judgement<'_> {
    /// The test "jump", first half: takes fixes in again that the speed test failed, and that are a
    /// lasting move.
    pub(super) fn take_in_again(&mut self, slack_m: f64) {
        let intervals = self.intervals();
        let tested: Vec<usize> = (0..self.fixes.len())
            .filter(|&index| self.is_sound(index) || self.failed_speed(index))
            .collect();
        self.take_in_carried(&tested);
        self.take_in_beside(&tested, intervals.longest_s(), slack_m);
        self.take_in_last(&tested, intervals.interval_s(), slack_m);
        self.include_separate(&tested, intervals.longest_s(), slack_m);
    }

    /// Fixes that a ship or an aircraft carries: between two legs over 4 and up to 60 knots
    /// that turn by less than 60 degrees, and the fix at the end of the second leg, which may
    /// be the latest of all. They are suspect, not failed. `tested` are the fixes that
    /// the speed test looked at; a position that is repeated counts from its first fix on.
    fn take_in_carried(&mut self, tested: &[usize]) {
        if !self.platform.is_passive() {
            return;
        }
        for three in self.runs(tested).windows(3) {
            let &[[before, ..], here @ [first, ..], after @ [last, ..]] = three else {
                continue;
            };
            let carried = || here.iter().chain(after).copied();
            if !carried().any(|index| self.failed_speed(index)) {
                continue;
            }
            let Some(speed) = self.under_way([*before, *first, *last], [f64::INFINITY; 2]) else {
                continue;
            };
            for index in carried() {
                if self.failed_speed(index) {
                    self.mark(index, Flag::Suspect, Reason::UnderWay);
                    self.find(index, speed, 0.0);
                }
            }
        }
    }

    /// Five and more fixes in a row that the speed test failed, each within the limit of the
    /// 15 nearest included fixes on one of its sides, with no data gap between. `gap_s` is
    /// the longest interval that is none, in seconds.
    fn take_in_beside(&mut self, tested: &[usize], gap_s: f64, slack_m: f64) {
        let is_block = |run: &[usize]| {
            run.len() >= BLOCK && run.first().is_some_and(|first| self.failed_speed(*first))
        };
        let mut runs = tested.chunk_by(|a, b| self.failed_speed(*a) == self.failed_speed(*b));
        if !runs.any(is_block) {
            return;
        }
        let mut agrees = vec![false; self.fixes.len()];
        self.compare_with_side(tested.iter().copied(), gap_s, slack_m, &mut agrees);
        let backwards = tested.iter().rev().copied();
        self.compare_with_side(backwards, gap_s, slack_m, &mut agrees);
        for block in tested.chunk_by(|a, b| agrees.get(*a) == agrees.get(*b)) {
            let first = block.first().and_then(|first| agrees.get(*first));
            if block.len() >= BLOCK && first == Some(&true) {
                self.include(block);
            }
        }
    }

    /// The end of the track from a failed fix on, if it is consistent in itself, where five
    /// fixes and more of it have failed, or three and more over at least two intervals T. Of
    /// those that the rest of the track agrees with by then none may be left out.
    fn take_in_last(&mut self, tested: &[usize], interval_s: Option<f64>, slack_m: f64) {
        let from = tested.len().saturating_sub(2 * speed::NEIGHBOURS);
        let ends = (from..tested.len()).filter_map(|from| tested.get(from..));
        let mut failed_ends = ends
            .filter(|block| block.first().is_some_and(|first| self.failed_speed(*first)))
            .filter_map(|block| {
                let kept = self.mostly_consistent(block, slack_m);
                let is_kept = |index: &usize| kept.binary_search(index).is_ok();
                let is_whole =
                    (block.iter()).all(|index| self.failed_speed(*index) || is_kept(index));
                let is_end = block.first() == kept.first() && is_whole;
                let failed = kept.into_iter().filter(|index| self.failed_speed(*index));
                is_end.then(|| failed.collect::<Vec<usize>>())
            });
        if let Some(failed) = failed_ends.find(|failed| self.is_lasting(failed, interval_s)) {
            self.include(&failed);
        }
    }

    /// `true` if fixes at the end of the track are enough to be a lasting move.
    fn is_lasting(&self, block: &[usize], interval_s: Option<f64>) -> bool {
        let time = |index: Option<&usize>| self.time(*index?);
        let is_long = || {
            let seconds = time(block.last())? - time(block.first())?;
            Some(seconds >= LAST_BLOCK_INTERVALS * interval_s?)
        };
        block.len() >= BLOCK || block.len() >= LAST_BLOCK && is_long() == Some(true)
    }

    /// Five and more failed fixes, consistent in themselves, that data gaps or the way of a
    /// ship part from all others. `gap_s` is the longest interval that is no data gap, in
    /// seconds.
    fn include_separate(&mut self, tested: &[usize], gap_s: f64, slack_m: f64) {
        let is_carried = |index: usize| self.verdict.reasons.get(index) == Some(&Reason::UnderWay);
        let is_parted = |a: usize, b: usize| {
            let (Some(a_fix), Some(b_fix)) = (self.fixes.get(a), self.fixes.get(b)) else {
                return false;
            };
            b_fix.time_stamp - a_fix.time_stamp > gap_s || is_carried(a) || is_carried(b)
        };
        let stretches: Vec<&[usize]> = tested.chunk_by(|a, b| !is_parted(*a, *b)).collect();
        // The first and the last have nothing on one of their sides.
        let inner = stretches
            .get(1..stretches.len().max(2) - 1)
            .unwrap_or_default();
        let blocks: Vec<Vec<usize>> = inner
            .iter()
            .filter(|block| block.iter().all(|index| self.failed_speed(*index)))
            .map(|block| self.mostly_consistent(block, slack_m))
            .filter(|block| block.len() >= BLOCK)
            .collect();
        for block in blocks {
            self.include(&block);
        }
    }

    /// The failed fixes in a row that pass the speed test by themselves; none where
    /// that is less than four of five from the first of them on.
    fn mostly_consistent(&self, block: &[usize], slack_m: f64) -> Vec<usize> {
        let kept = self.consistent(block, slack_m);
        let before = block.partition_point(|index| Some(index) < kept.first());
        if kept.len() * 5 >= (block.len() - before) * 4 {
            kept
        } else {
            Vec::new()
        }
    }

    fn include(&mut self, block: &[usize]) {
        for &index in block {
            if self.conflicts.binary_search(&index).is_ok() {
                self.mark(index, Flag::Suspect, Reason::TimeConflict);
            } else {
                self.mark(index, Flag::Pass, Reason::None);
            }
        }
    }

    fn failed_speed(&self, index: usize) -> bool {
        self.verdict.reasons.get(index) == Some(&Reason::Speed)
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
            if let Some(agrees) = agrees.get_mut(index).filter(|_| within) {
                *agrees = true;
            }
        }
    }

    /// The test "jump", second half: a leg between fixes that have not failed, and that is still
    /// over the limit, is a jump, and the fix after it is suspect. Returns where jumps lead
    /// to, ascending.
    pub(super) fn test_jump(&mut self, slack_m: f64) -> Vec<u32> {
        let OverLimit { jumps, suspect } = self.legs_over_limit(slack_m);
        for (from, index) in suspect {
            if self.passes(index) {
                self.mark(index, Flag::Suspect, Reason::Jump);
                self.find_leg(Some(from), index);
            }
        }
        jumps
    }

    /// The legs over the limit between fixes that have not failed, but for those of what a
    /// ship carries.
    pub(super) fn legs_over_limit(&self, slack_m: f64) -> OverLimit {
        let mut found = OverLimit::default();
        // The positions at the time before, and those at the present time so far.
        let mut before: Vec<usize> = Vec::new();
        let mut here: Vec<usize> = Vec::new();
        for index in self.sound() {
            if here
                .last()
                .is_none_or(|last| self.time(*last) != self.time(index))
            {
                before.clear();
                std::mem::swap(&mut before, &mut here);
            }
            let leads_here = here.is_empty();
            here.push(index);
            // As many as the speed test looks at.
            for &from in before.iter().rev().take(speed::NEIGHBOURS) {
                if !self.is_jump(from, index, slack_m) {
                    continue;
                }
                if (found.suspect.last()).is_none_or(|(_, last)| *last != index) {
                    found.suspect.push((from, index));
                }
                if leads_here && before.last() == Some(&from) {
                    found.jumps.extend(u32::try_from(index));
                }
            }
        }
        found
    }

    /// `true` if the leg between two fixes, the earlier first, is over the limit and not the
    /// way of a ship.
    fn is_jump(&self, from: usize, to: usize, slack_m: f64) -> bool {
        let from = self.stand_in(from);
        let to = self.stand_in(to);
        let (Some(a), Some(b)) = (self.fixes.get(from), self.fixes.get(to)) else {
            return false;
        };
        let most = sphere::at_most_m(a.position, b.position) * ELLIPSOID;
        let seconds = b.time_stamp - a.time_stamp;
        let slack_m = self.slack_between(from, to, slack_m);
        if most <= slack_m + self.limit * seconds || !self.is_violation(from, to, slack_m) {
            return false;
        }
        let is_carried = |index: usize| self.verdict.reasons.get(index) == Some(&Reason::UnderWay);
        let is_of_ship = is_carried(from) || is_carried(to);
        !is_of_ship || geodesic::length_m(a.position, b.position) > CARRIED_M_S * seconds
    }

    /// The slower speed in m/s of the legs over the middle one of three fixes, if both are
    /// over 4 and up to 60 knots and turn by less than 60 degrees; `most` are
    /// lengths on a sphere that the legs do not exceed, metres.
    pub(super) fn under_way(&self, three: [usize; 3], most: [f64; 2]) -> Option<f64> {
        let [Some(before), Some(here), Some(after)] = three.map(|index| self.fixes.get(index))
        else {
            return None;
        };
        let in_s = here.time_stamp - before.time_stamp;
        let out_s = after.time_stamp - here.time_stamp;
        let [most_in, most_out] = most;
        let can_be =
            |most: f64, seconds: f64| seconds > 0.0 && most * ELLIPSOID > UNDER_WAY_M_S * seconds;
        if !can_be(most_in, in_s) || !can_be(most_out, out_s) {
            return None;
        }
        let in_m_s = geodesic::length_m(before.position, here.position) / in_s;
        let out_m_s = geodesic::length_m(here.position, after.position) / out_s;
        let slower = in_m_s.min(out_m_s);
        (slower > UNDER_WAY_M_S
            && in_m_s.max(out_m_s) <= CARRIED_M_S
            && angle_cosine(before.position, here.position, after.position) < STRAIGHT)
            .then_some(slower)
    }
}

/// The cosine of the angle between two positions, seen from the position between them.
pub(super) fn angle_cosine(before: Position, here: Position, after: Position) -> f64 {
    let here = Vector::new(here);
    let towards = |position: Position| {
        let there = Vector::new(position);
        there.minus(here.scaled(there.dot(here))).unit()
    };
    towards(before).dot(towards(after))
}
