//! Which positions to believe: flags, their reasons, and the tests that set
//! them, in their order, each on the fixes that no earlier one failed.

mod gross;
pub(super) mod judgement;
mod jump;
pub(super) mod location_class;
pub(crate) mod method;
pub(crate) mod overrides;
pub(crate) mod reason;
mod same_time;
mod speed;
mod spike;
mod stuck;
#[cfg(test)]
mod tests;

pub(super) use gross::weeks_early;
pub(crate) use location_class::{LocationClass, MARKED_INVALID, is_location_class, is_of_quality};
pub(crate) use overrides::FlagOverrides;
pub(crate) use reason::Reason;

use super::options::TrackOptions;
use super::record::Transmission;
use crate::geo::sphere;
use crate::geo::units::NAUTICAL_MILE_M;
use judgement::{Judgement, Verdict};

/// A drifting platform is on a ship or an aircraft if two legs are faster than this, m/s: 4
/// knots.
pub(super) const UNDER_WAY_M_S: f64 = 4.0 * NAUTICAL_MILE_M / 3600.0;

/// The highest speed of a ship or a slow aircraft, m/s: 60 knots.
const CARRIED_M_S: f64 = 15.0 * UNDER_WAY_M_S;

/// The smaller of two groups of fixes that are this far apart has a lost clock, seconds: five
/// years.
const LOST_CLOCK_S: f64 = 5.0 * 365.25 * 86_400.0;

/// A clock that began again is in the time after its start, seconds: sixty days.
const START_S: f64 = 60.0 * 86_400.0;

/// GPS counts weeks up to this, seconds: 1024 weeks.
const ROLLOVER_S: f64 = 1024.0 * 7.0 * 86_400.0;

/// A time further ahead of the current time cannot be, seconds: a day.
const AHEAD_S: f64 = 86_400.0;

/// Two positions at one time that are so near are one fix that was reported twice, metres: the
/// error of a receiver.
pub(crate) const TWICE_M: f64 = 50.0;

/// A receiver that repeats a position this often is stuck.
const REPEATS: usize = 5;

/// The QARTOD flag of a fix (U.S. IOOS, Manual for Real-Time Oceanographic
/// Data Quality Control Flags, 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[repr(u8)]
pub(crate) enum Flag {
    /// Passed every test.
    #[default]
    Pass = 1,
    #[strum(serialize = "not evaluated")]
    NotEvaluated = 2,
    /// Suspect: of high interest.
    Suspect = 3,
    /// Failed.
    Fail = 4,
    /// A value is null or missing.
    Missing = 9,
}

impl Flag {
    /// All flags, by their numbers.
    pub(crate) const ALL: [Self; 5] = [
        Self::Pass,
        Self::NotEvaluated,
        Self::Suspect,
        Self::Fail,
        Self::Missing,
    ];

    /// The number in files.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// The flag with this number.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.code() == code)
    }

    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    /// `true` if a text is a part of the word for it.
    pub(super) fn has_word(self, text: &str) -> bool {
        match self {
            Self::Fail => "failed".contains(text),
            flag => flag.word().contains(text),
        }
    }
}

/// Flags fixes, given in the order of time with exact repeats folded. Those
/// outside the window are not evaluated: where the instrument was before it was
/// in the water says nothing about the fixes after. Nor are those ahead of the clock, and they
/// say nothing about others. `absent` are the indices of
/// archived fixes that the latest response lacks, ascending. `classes` are those of Argos
/// locations, one for each fix, or none. The fixes were received at `received`, UNIX seconds.
pub(super) fn judge(
    fixes: &[Transmission],
    classes: &[Option<LocationClass>],
    absent: &[u32],
    received: f64,
    options: &TrackOptions,
) -> Verdict {
    let inside = options.window.indices(fixes, |fix| fix.time_stamp);
    let come = fixes.partition_point(|fix| fix.time_stamp <= options.now);
    let judged = inside.start.min(come)..inside.end.min(come);
    let absent: Vec<usize> = absent
        .iter()
        .filter_map(|&index| (index as usize).checked_sub(judged.start))
        .collect();
    let mut verdict = judge_inside(
        fixes.get(judged.clone()).unwrap_or_default(),
        classes.get(judged.clone()).unwrap_or_default(),
        &absent,
        received,
        options,
    );
    if judged.len() == fixes.len() {
        return verdict;
    }
    verdict = verdict.placed(&judged.clone().collect::<Vec<_>>(), fixes.len());
    for (index, fix) in fixes.iter().enumerate() {
        if judged.contains(&index) {
            continue;
        }
        let (flag, reason) = match fix.time_stamp - options.now {
            _ if !inside.contains(&index) => (Flag::NotEvaluated, Reason::Outside),
            ahead_s if ahead_s > AHEAD_S => (Flag::Fail, Reason::Future),
            _ => (Flag::NotEvaluated, Reason::Ahead),
        };
        let by_hand = options.overrules.get(fix.time_stamp, fix.position);
        if let Some(by_hand) = by_hand {
            verdict.set(index, by_hand, Reason::Overridden);
            let fix = u32::try_from(index).unwrap_or(u32::MAX);
            verdict.overruled.push((fix, flag, reason));
        } else {
            verdict.set(index, flag, reason);
            if reason != Reason::Outside {
                verdict.find(index, fix.time_stamp - options.now, 0.0);
            }
        }
    }
    verdict.overruled.sort_unstable_by_key(|(fix, ..)| *fix);
    verdict
}

fn judge_inside(
    fixes: &[Transmission],
    classes: &[Option<LocationClass>],
    absent: &[usize],
    received: f64,
    options: &TrackOptions,
) -> Verdict {
    let judgement = Judgement::new(fixes, classes, options);
    let Some(order) = order_by_position(fixes) else {
        let judged = judge_in_order(judgement, absent, received, options);
        if judged.twins.is_empty() {
            return judged.verdict;
        }
        return with_jumps(Judgement::new(fixes, classes, options), judged);
    };
    let sorted = picked(fixes, &order);
    let is_absent = |index: &usize| absent.binary_search(index).is_ok();
    let absent: Vec<usize> = (0..order.len())
        .filter(|place| order.get(*place).is_some_and(is_absent))
        .collect();
    let sorted_classes = picked(classes, &order);
    let in_order = Judgement::new(&sorted, &sorted_classes, options);
    let judged = judge_in_order(in_order, &absent, received, options);
    let place = |place: usize| order.get(place).copied().unwrap_or_default();
    let mut twins: Vec<(usize, usize)> = judged
        .twins
        .into_iter()
        .map(|(twin, kept)| (place(twin), place(kept)))
        .collect();
    twins.sort_unstable();
    let judged = Judged {
        verdict: judged.verdict.placed(&order, order.len()),
        twins,
        ..judged
    };
    with_jumps(judgement, judged)
}

/// The elements at some indices.
pub(super) fn picked<T: Copy>(all: &[T], indices: &[usize]) -> Vec<T> {
    let picked = indices.iter().filter_map(|index| all.get(*index));
    picked.copied().collect()
}

/// The verdict of the tests on fixes by time and then by position.
struct Judged {
    verdict: Verdict,
    /// The fixes that were reported once more, each with the fix that stands for it.
    twins: Vec<(usize, usize)>,
    /// The slack of the speed test, metres.
    slack_m: f64,
}

/// The verdict with the jumps between fixes in the order in which they are shown: which leg leads
/// where follows from that.
fn with_jumps(judgement: Judgement<'_>, judged: Judged) -> Verdict {
    let judgement = Judgement {
        verdict: judged.verdict,
        twins: judged.twins,
        ..judgement
    };
    let jumps = judgement.legs_over_limit(judged.slack_m).jumps;
    Verdict {
        jumps,
        ..judgement.verdict
    }
}

/// The indices of fixes by time and then by position; `None` if that is their order. The
/// tests read fixes with the same time in this order, so that the result does not depend on
/// which of them was sent first.
fn order_by_position(fixes: &[Transmission]) -> Option<Vec<usize>> {
    let compare = |a: &Transmission, b: &Transmission| {
        (a.time_stamp.total_cmp(&b.time_stamp))
            .then_with(|| a.position.latitude.total_cmp(&b.position.latitude))
            .then_with(|| a.position.longitude.total_cmp(&b.position.longitude))
    };
    if fixes.is_sorted_by(|a, b| compare(a, b).is_le()) {
        return None;
    }
    let mut order: Vec<(usize, &Transmission)> = fixes.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| compare(a, b));
    Some(order.into_iter().map(|(index, _)| index).collect())
}

fn judge_in_order(
    mut judgement: Judgement<'_>,
    absent: &[usize],
    received: f64,
    options: &TrackOptions,
) -> Judged {
    let conflict = judgement.test_gross(received);
    judgement.test_location_class();
    let slack_m = judgement.speed_slack_m();
    if conflict {
        judgement.measure_step();
        judgement.test_replaced(absent);
        judgement.fold_twins(absent, &options.overrules);
        judgement.test_same_time(slack_m);
    }
    let failed = judgement.test_speed(slack_m);
    if failed {
        judgement.take_in_again(slack_m);
    }
    judgement.override_by_hand(&options.overrules);
    // While nothing is out, the speed test has seen every leg.
    let jumps = if failed || !options.overrules.is_empty() {
        judgement.test_jump(slack_m)
    } else {
        Vec::new()
    };
    judgement.test_legs(&jumps);
    judgement.test_single();
    let twins = judgement.twins.clone();
    Judged {
        verdict: judgement.finished(jumps),
        twins,
        slack_m,
    }
}

impl Judgement<'_> {
    /// Applies the user's flags before the legs are drawn: a fix may come back in or go
    /// out by them.
    fn override_by_hand(&mut self, overrides: &FlagOverrides) {
        if overrides.is_empty() {
            return;
        }
        for (index, fix) in self.fixes.iter().enumerate() {
            if let Some(flag) = overrides.get(fix.time_stamp, fix.position) {
                let before = self.verdict.reasons.get(index).copied().unwrap_or_default();
                if !self.is_sound(index) {
                    let fix = u32::try_from(index).unwrap_or(u32::MAX);
                    self.verdict.overruled.push((fix, Flag::Fail, before));
                }
                self.mark(index, flag, Reason::Overridden);
            }
        }
    }

    /// Runs the tests on legs: "under way", "spike" and "stuck".
    fn test_legs(&mut self, jumps: &[u32]) {
        let is_jump = |index: usize| {
            u32::try_from(index).is_ok_and(|index| jumps.binary_search(&index).is_ok())
        };
        let is_passive = self.platform.is_passive();
        let mut under_way: Vec<(usize, f64)> = Vec::new();
        let mut candidates: Vec<usize> = Vec::new();
        let sound: Vec<usize> = self.sound().collect();
        for (place, three) in sound.windows(3).enumerate() {
            let &[start, here, index] = three else {
                continue;
            };
            let [Some(first), Some(middle), Some(fix)] =
                [start, here, index].map(|index| self.fixes.get(index))
            else {
                break;
            };
            let most = [
                sphere::at_most_m(first.position, middle.position),
                sphere::at_most_m(middle.position, fix.position),
            ];
            let floor_m = self.spike_floor_m(here);
            // From the far side of a jump the track does not come back.
            if most.iter().all(|most| *most > floor_m)
                && !is_jump(index)
                && spike::turns_back([first, middle, fix])
            {
                candidates.push(place + 1);
            }
            if is_passive
                && let Some(speed) = self.under_way([start, here, index], most)
                && !is_jump(here)
                && !is_jump(index)
            {
                under_way.push((here, speed));
            }
        }
        let spikes = spike::spikes(self, &sound, &candidates);
        for (index, speed) in under_way {
            if self.passes(index) {
                self.mark(index, Flag::Suspect, Reason::UnderWay);
                self.find(index, speed, 0.0);
            }
        }
        for (index, off_m, threshold_m) in spikes {
            if self.passes(index) {
                self.mark(index, Flag::Suspect, Reason::Spike);
                self.find(index, off_m, threshold_m);
            }
        }
        if self.platform.is_always_moving() {
            self.test_stuck();
        }
    }

    /// The test "single": a fix without another one to compare it with was not
    /// evaluated.
    fn test_single(&mut self) {
        let mut sound = self.sound();
        if let (Some(one), None) = (sound.next(), sound.next()) {
            drop(sound);
            if self.passes(one) {
                self.mark(one, Flag::NotEvaluated, Reason::Single);
            }
        }
    }
}
