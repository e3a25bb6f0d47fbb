//! The tests "gross" and "same time": positions that cannot be, and two positions at one time.

use super::judgement::Judgement;
use super::reason::Reason;
use super::speed;
use super::{LOST_CLOCK_S, LOST_FIXES};
use crate::geo::geodesic;
use crate::track::quality::Flag;

/// A time may be ahead of the current time by so much, in seconds: a day.
const AHEAD_S: f64 = 86_400.0;

impl Judgement<'_> {
    /// The test "gross", QARTOD's gross range test (U.S. IOOS, Manual for Real-Time
    /// Quality Control of In-situ Temperature and Salinity Data, 2020): a time more than a day
    /// ahead of `now` (UNIX seconds), exactly (0, 0), or a lost clock. Returns whether
    /// any two fixes before `now` have one time.
    pub(super) fn test_gross(&mut self, now: f64) -> bool {
        let ahead = self
            .fixes
            .partition_point(|fix| fix.time_stamp <= now + AHEAD_S);
        for index in ahead..self.fixes.len() {
            if let Some(fix) = self.fixes.get(index) {
                self.mark(index, Flag::Fail, Reason::Future);
                self.find(index, fix.time_stamp - now, 0.0);
            }
        }
        let mut conflict = false;
        let mut last = f64::NEG_INFINITY;
        for index in 0..ahead {
            let Some(fix) = self.fixes.get(index) else {
                break;
            };
            if fix.position.latitude == 0.0 && fix.position.longitude == 0.0 {
                self.mark(index, Flag::Fail, Reason::NullIsland);
                continue;
            }
            conflict |= fix.time_stamp == last;
            last = fix.time_stamp;
        }
        self.test_lost_clock();
        conflict
    }

    /// The last part of "gross": a gap of more than five years separates groups of fixes.
    /// Group by group the smallest fails, of equal sizes the earliest, if it has five fixes at
    /// most and is not the only group left.
    fn test_lost_clock(&mut self) {
        let time = |index: usize| self.fixes.get(index).map_or(f64::NAN, |fix| fix.time_stamp);
        let first = self.sound().next();
        let last = self.sound().next_back();
        if first
            .zip(last)
            .is_none_or(|(a, b)| time(b) - time(a) <= LOST_CLOCK_S)
        {
            return;
        }
        let sound: Vec<usize> = self.sound().collect();
        let groups: Vec<&[usize]> = sound
            .chunk_by(|a, b| time(*b) - time(*a) <= LOST_CLOCK_S)
            .collect();
        let kept =
            (0..groups.len()).max_by_key(|group| groups.get(*group).map(|group| group.len()));
        let between = |group: usize| {
            let before = groups.get(group)?.last()?;
            let after = groups.get(group + 1)?.first()?;
            Some(time(*after) - time(*before))
        };
        let lost: Vec<(usize, f64)> = (0..groups.len())
            .filter(|group| Some(*group) != kept)
            .filter_map(|group| Some((group, groups.get(group)?)))
            .filter(|(_, fixes)| fixes.len() <= LOST_FIXES)
            .flat_map(|(group, fixes)| {
                let sides = [group.checked_sub(1).and_then(between), between(group)];
                let apart_s = sides.into_iter().flatten().fold(f64::INFINITY, f64::min);
                fixes.iter().map(move |index| (*index, apart_s))
            })
            .collect();
        for (index, apart_s) in lost {
            self.mark(index, Flag::Fail, Reason::LostClock);
            self.find(index, apart_s, 0.0);
        }
    }

    /// The first part of "same time": an archived position that the latest response
    /// lacks fails where the response has another for the same time, since the
    /// service corrected it. `absent` are indices of fixes, ascending.
    pub(super) fn test_replaced(&mut self, absent: &[usize]) {
        if absent.is_empty() {
            return;
        }
        let is_absent = |index: &usize| absent.binary_search(index).is_ok();
        let time = |index: &usize| self.fixes.get(*index).map(|fix| fix.time_stamp);
        let sound: Vec<usize> = self.sound().collect();
        let mut replaced: Vec<(usize, usize)> = Vec::new();
        for group in sound.chunk_by(|a, b| time(a) == time(b)) {
            let Some(now) = group.iter().find(|index| !is_absent(index)) else {
                continue;
            };
            let of_group = group.iter().filter(|index| is_absent(index));
            replaced.extend(of_group.map(|old| (*old, *now)));
        }
        for &(old, now) in &replaced {
            self.mark(old, Flag::Fail, Reason::Replaced);
            if let Some((old_fix, now_fix)) = self.fixes.get(old).zip(self.fixes.get(now)) {
                let apart = geodesic::length_m(old_fix.position, now_fix.position);
                self.find(old, apart, 0.0);
            }
        }
        if !replaced.is_empty() {
            self.test_before_correction(&is_absent);
        }
    }

    /// Fails archived fixes that the corrected response neither has nor can be
    /// reached from: they are from before the correction. Without this the many
    /// of the archive would outvote the few of the response.
    fn test_before_correction(&mut self, is_absent: &impl Fn(&usize) -> bool) {
        let slack_m = self.speed_slack_m();
        let (absent, present): (Vec<usize>, Vec<usize>) = self.sound().partition(is_absent);
        for index in absent {
            let next = present.partition_point(|other| *other < index);
            let before = next.checked_sub(1).and_then(|last| present.get(last));
            let near = [before, present.get(next)];
            let contradicting = near.into_iter().flatten().find(|other| {
                let from = index.min(**other);
                let to = index.max(**other);
                self.is_violation(from, to, slack_m)
            });
            if let Some(other) = contradicting {
                let leg = self.leg_numbers(index.min(*other), index.max(*other));
                self.mark(index, Flag::Fail, Reason::Replaced);
                if let Some((metres, seconds)) = leg {
                    self.find(index, metres, seconds);
                }
            }
        }
    }

    /// The test "same time": two positions at the same time are both suspect. If only one of them can be
    /// reached from the fix before and left for the fix after, it passes and the others fail.
    /// A position can be reached if the speed test would not find a violation.
    pub(super) fn test_same_time(&mut self, slack_m: f64) {
        // Failed fixes may be between the positions of the same time.
        let sound: Vec<usize> = self.sound().collect();
        let time = |index: &usize| self.fixes.get(*index).map(|fix| fix.time_stamp);
        let groups: Vec<&[usize]> = sound.chunk_by(|a, b| time(a) == time(b)).collect();
        // The fix after a group is the next that is alone at its time.
        let mut after = vec![None; groups.len()];
        let mut next = None;
        for (slot, group) in after.iter_mut().zip(&groups).rev() {
            *slot = next;
            if let [alone] = group {
                next = Some(*alone);
            }
        }
        let mut before: Option<usize> = None;
        for (group, after) in groups.iter().zip(after) {
            if let [alone] = group {
                before = Some(*alone);
                continue;
            }
            let over = |from: Option<usize>, to: Option<usize>| {
                from.zip(to)
                    .is_some_and(|(from, to)| self.is_violation(from, to, slack_m))
            };
            // Whether it can be neither reached nor left, or both; none between.
            let verdicts: Vec<Option<bool>> = group
                .iter()
                .map(
                    |&index| match (over(before, Some(index)), over(Some(index), after)) {
                        (false, false) => Some(true),
                        (true, true) => Some(false),
                        _ => None,
                    },
                )
                .collect();
            let belongs = verdicts
                .iter()
                .position(|verdict| *verdict == Some(true))
                .filter(|_| {
                    verdicts
                        .iter()
                        .filter(|verdict| **verdict != Some(false))
                        .count()
                        == 1
                })
                .and_then(|index| group.get(index).copied());
            if let Some(belongs) = belongs {
                for &index in *group {
                    if index != belongs {
                        self.mark(index, Flag::Fail, Reason::WrongOfTwo);
                        self.find_leg(before, index);
                    }
                }
                before = Some(belongs);
            } else {
                // Of two Argos locations, the location of the better class is trusted.
                let best = self.of_best_class(group);
                for (number, &index) in group.iter().enumerate() {
                    if Some(index) == best {
                        continue;
                    }
                    self.conflicts.push(index);
                    self.mark(index, Flag::Suspect, Reason::TimeConflict);
                    let other = if number == 0 { 1 } else { 0 };
                    if let Some((a, b)) = group
                        .get(other)
                        .and_then(|other| self.fixes.get(*other))
                        .zip(self.fixes.get(index))
                    {
                        let apart = geodesic::length_m(a.position, b.position);
                        self.find(index, apart, 0.0);
                    }
                }
            }
        }
    }

    /// `true` if the speed test would call two single fixes a violation, the
    /// earlier first.
    pub(super) fn is_violation(&self, from: usize, to: usize, slack_m: f64) -> bool {
        let slack_m = self.slack_between(from, to, slack_m);
        let (Some(from), Some(to)) = (self.fixes.get(from), self.fixes.get(to)) else {
            return false;
        };
        speed::is_violation(
            from.position,
            to.position,
            to.time_stamp - from.time_stamp,
            self.limit,
            slack_m,
        )
    }
}
