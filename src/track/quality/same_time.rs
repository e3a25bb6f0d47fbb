//! The test "same time": two positions at one time, which may be one fix that was reported
//! twice.

use super::judgement::Judgement;
use super::jump::ELLIPSOID;
use super::reason::Reason;
use super::{TWICE_M, speed};
use crate::geo::{Position, Vector, geodesic, sphere};
use crate::track::interval::median;
use crate::track::quality::{Flag, FlagOverrides};

/// The steps of times that are rounded, seconds: whole days, hours or minutes.
const STEPS_S: [f64; 3] = [86_400.0, 3600.0, 60.0];

/// `true` if two positions are at most so many metres apart.
fn is_within(a: Position, b: Position, metres: f64) -> bool {
    sphere::at_most_m(a, b) * ELLIPSOID <= metres || geodesic::length_m(a, b) <= metres
}

/// The position in the middle of some: the median of each component of their unit vectors, which
/// poles and antimeridian do not disturb.
fn median_position(positions: &[Position]) -> Option<Position> {
    let vectors: Vec<Vector> = positions.iter().copied().map(Vector::new).collect();
    let middle = |part: fn(&Vector) -> f64| median(vectors.iter().map(part).collect());
    let x = middle(|vector| vector.x)?;
    let y = middle(|vector| vector.y)?;
    let z = middle(|vector| vector.z)?;
    Some(Vector { x, y, z }.position())
}

impl Judgement<'_> {
    /// Notes how coarse the times are: where more than a tenth of the fixes share their time with
    /// another, and all are of whole minutes, hours or days, a position may be of any moment of
    /// that step.
    pub(super) fn measure_step(&mut self) {
        let times: Vec<f64> = self.sound().filter_map(|index| self.time(index)).collect();
        let of_one_time = times.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
        let sharing: usize = of_one_time.map(<[f64]>::len).sum();
        let is_of = |step: &f64| times.iter().all(|time| time % step == 0.0);
        let step_s = STEPS_S.into_iter().find(is_of);
        self.step_m = match step_s {
            Some(step_s) if sharing * 10 > times.len() => self.limit * step_s,
            _ => 0.0,
        };
    }

    /// The distance within which another position at the time of a fix is the same fix, metres.
    fn twice_m(&self, index: usize) -> f64 {
        self.error_m(index).unwrap_or(TWICE_M).max(self.step_m)
    }

    /// The fixes of one time that are one fix that was reported twice and more, in the given
    /// order: two that are near each other, of more those that are near the median
    /// position.
    fn of_one_fix(&self, group: &[usize]) -> Vec<usize> {
        let at = |index: usize| self.fixes.get(index).map(|fix| fix.position);
        if let &[a, b] = group {
            let within_m = self.twice_m(a).max(self.twice_m(b));
            let is_one = at(a)
                .zip(at(b))
                .is_some_and(|(a, b)| is_within(a, b, within_m));
            return if is_one { group.to_vec() } else { Vec::new() };
        }
        let positions: Vec<Position> = group.iter().filter_map(|index| at(*index)).collect();
        let Some(middle) = median_position(&positions) else {
            return Vec::new();
        };
        let is_near = |index: &usize| {
            at(*index).is_some_and(|at| is_within(middle, at, self.twice_m(*index)))
        };
        let near: Vec<usize> = group.iter().copied().filter(is_near).collect();
        if near.len() > 1 { near } else { Vec::new() }
    }

    /// The first part of "same time": of a fix that was reported twice one stands for all
    /// in the tests, and the others share its verdict. It is one that the latest response has, then
    /// one of the best class, then the southernmost. `absent` are the indices of those that it
    /// lacks, ascending; what a user has flagged stands for itself.
    pub(super) fn fold_twins(&mut self, absent: &[usize], by_hand: &FlagOverrides) {
        let sound: Vec<usize> = self.sound().collect();
        let mut twins: Vec<(usize, usize)> = Vec::new();
        let mut reported_twice = Vec::new();
        for group in self.by_time(&sound) {
            if group.len() < 2 {
                continue;
            }
            let is_set = |index: &usize| {
                let fix = self.fixes.get(*index);
                fix.is_some_and(|fix| by_hand.get(fix.time_stamp, fix.position).is_some())
            };
            let mut once = self.of_one_fix(group);
            reported_twice.extend_from_slice(&once);
            once.retain(|index| !is_set(index));
            let rank = |index: &&usize| {
                let class = self.classes.get(**index).copied().flatten();
                (absent.binary_search(index).is_ok(), class.is_none(), class)
            };
            let Some(kept) = once.iter().min_by_key(rank).copied() else {
                continue;
            };
            let others = once.into_iter().filter(|index| *index != kept);
            twins.extend(others.map(|twin| (twin, kept)));
        }
        // As failed ones they take no part in the other tests.
        for (twin, _) in &twins {
            self.mark(*twin, Flag::Fail, Reason::None);
        }
        self.twins = twins;
        self.reported_twice = reported_twice;
    }

    /// The second part of "same time": an archived position that the latest response
    /// lacks fails where the response has another for the same time, since the
    /// service corrected it. `absent` are indices of fixes, ascending.
    pub(super) fn test_replaced(&mut self, absent: &[usize]) {
        if absent.is_empty() {
            return;
        }
        let is_absent = |index: &usize| absent.binary_search(index).is_ok();
        let sound: Vec<usize> = self.sound().collect();
        let mut replaced: Vec<(usize, usize)> = Vec::new();
        for group in self.by_time(&sound) {
            let Some(now) = group.iter().find(|index| !is_absent(index)) else {
                continue;
            };
            // The last digits of a service may vary from response to response.
            let once = self.of_one_fix(group);
            let is_sent = once.iter().any(|index| !is_absent(index));
            let is_noise = |index: &usize| is_sent && once.binary_search(index).is_ok();
            let of_group = group
                .iter()
                .filter(|index| is_absent(index) && !is_noise(index));
            replaced.extend(of_group.map(|old| (*old, *now)));
        }
        for &(old, now) in &replaced {
            self.mark(old, Flag::Fail, Reason::Replaced);
            if let Some((apart, _)) = self.leg_numbers(old, now) {
                self.find(old, apart, 0.0);
            }
        }
        if !replaced.is_empty() {
            self.test_before_correction(&is_absent);
        }
    }

    /// Fails archived fixes that the corrected response neither has nor can be reached from: they
    /// are from before the correction.
    // Without this the many of the archive would outvote the few of the response.
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

    /// The last part of "same time": two positions at the same time are both suspect. If only one of them can be
    /// reached from the fix before and left for the fix after, it passes and the others fail.
    /// A position can be reached if the speed test would not find a violation.
    pub(super) fn test_same_time(&mut self, slack_m: f64) {
        // Failed fixes may be between the positions of the same time.
        let sound: Vec<usize> = self.sound().collect();
        let groups = self.by_time(&sound);
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
            let overs = |index: &usize| [over(before, Some(*index)), over(Some(*index), after)];
            let mut possible = group.iter().filter(|index| overs(index) != [true, true]);
            let first = possible.next().copied();
            let belongs =
                first.filter(|first| possible.next().is_none() && overs(first) == [false, false]);
            if let Some(belongs) = belongs {
                for &index in *group {
                    if index != belongs {
                        self.mark(index, Flag::Fail, Reason::WrongOfTwo);
                        self.find_leg(before, index);
                    }
                }
                before = Some(belongs);
            } else {
                // The location of the better class is trusted, and what was reported twice.
                let best = self.of_best_class(group);
                for (number, &index) in group.iter().enumerate() {
                    if Some(index) == best || self.reported_twice.binary_search(&index).is_ok() {
                        continue;
                    }
                    self.conflicts.push(index);
                    self.mark(index, Flag::Suspect, Reason::TimeConflict);
                    let other = group.get(if number == 0 { 1 } else { 0 });
                    if let Some((apart, _)) =
                        other.and_then(|other| self.leg_numbers(*other, index))
                    {
                        self.find(index, apart, self.twice_m(index));
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
