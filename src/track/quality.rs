//! Which positions to believe: QARTOD flags, their reasons, and the tests that
//! set them, in their order, each on the fixes that no earlier one failed.

mod jump;
pub mod overrides;
mod reason;
mod same_time;
mod speed;
mod spike;
mod stuck;

pub use overrides::FlagOverrides;
pub use reason::Reason;
pub(super) use reason::{Finding, text};

use super::assemble::usual_interval;
use super::health::longest_interval_s;
use super::{TrackOptions, Transmission};
use crate::geo::{geodesic, sphere};
use crate::track::Platform;

/// The QARTOD flag of a fix (U.S. IOOS, Manual for Real-Time Oceanographic
/// Data Quality Control Flags, 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Flag {
    /// Passed every test.
    #[default]
    Pass = 1,
    /// Not evaluated.
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
    pub const ALL: [Self; 5] = [
        Self::Pass,
        Self::NotEvaluated,
        Self::Suspect,
        Self::Fail,
        Self::Missing,
    ];

    /// The number that stands in files.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The flag with this number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.code() == code)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NotEvaluated => "not evaluated",
            Self::Suspect => "suspect",
            Self::Fail => "fail",
            Self::Missing => "missing",
        }
    }
}

/// The verdict on all fixes of a track.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) flags: Vec<Flag>,
    pub(super) reasons: Vec<Reason>,
    /// The numbers of the reasons that have some, ascending by fix.
    pub(super) findings: Vec<Finding>,
    /// The fixes that a jump leads to, ascending.
    pub(super) jumps: Vec<u32>,
}

/// Fixes in the order of time, with what the tests so far made of them.
struct Judgement<'a> {
    fixes: &'a [Transmission],
    platform: Platform,
    /// The speed limit in m/s.
    limit: f64,
    flags: Vec<Flag>,
    reasons: Vec<Reason>,
    /// Numbers with the reason they belong to; of a fix that was flagged twice
    /// there are two.
    findings: Vec<(Reason, Finding)>,
    /// The fixes that share their time with another, where it is not clear which
    /// belongs, ascending.
    conflicts: Vec<usize>,
}

/// Flags fixes, given in the order of time with exact repeats folded.
pub(super) fn judge(fixes: &[Transmission], options: &TrackOptions) -> Verdict {
    let mut judgement = Judgement {
        fixes,
        platform: options.platform,
        limit: options.speed_limit_m_s(),
        flags: vec![Flag::Pass; fixes.len()],
        reasons: vec![Reason::None; fixes.len()],
        findings: Vec::new(),
        conflicts: Vec::new(),
    };
    let conflict = judgement.test_gross(options.now);
    let slack_m = judgement.speed_slack_m();
    if conflict {
        judgement.test_same_time(slack_m);
    }
    let failed = judgement.test_speed(slack_m);
    if failed {
        let gap_s = longest_interval_s(judgement.interval_s());
        judgement.take_in_again(gap_s, slack_m);
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
    judgement.verdict(jumps)
}

impl<'a> Judgement<'a> {
    /// Whether no test has failed the fix so far.
    fn is_sound(&self, index: usize) -> bool {
        self.flags
            .get(index)
            .is_some_and(|flag| *flag != Flag::Fail)
    }

    /// The fixes that no test has failed so far, ascending.
    fn sound(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let flags = self.flags.iter().enumerate();
        flags
            .filter(|(_, flag)| **flag != Flag::Fail)
            .map(|(index, _)| index)
    }

    /// Whether no test has said anything of the fix.
    fn passes(&self, index: usize) -> bool {
        self.flags.get(index) == Some(&Flag::Pass) && self.reasons.get(index) == Some(&Reason::None)
    }

    fn mark(&mut self, index: usize, flag: Flag, reason: Reason) {
        if let (Some(known), Some(why)) = (self.flags.get_mut(index), self.reasons.get_mut(index)) {
            (*known, *why) = (flag, reason);
        }
    }

    /// Notes the numbers of the reason that the fix has now.
    fn find(&mut self, index: usize, measured: f64, within: f64) {
        if let (Ok(fix), Some(reason)) = (u32::try_from(index), self.reasons.get(index)) {
            #[allow(clippy::cast_possible_truncation)] // seven digits are shown at most
            let (measured, within) = (measured as f32, within as f32);
            let finding = Finding {
                fix,
                measured,
                within,
            };
            self.findings.push((*reason, finding));
        }
    }

    /// Notes the leg from one fix to another as the numbers of the latter.
    fn find_leg(&mut self, from: Option<usize>, to: usize) {
        if let Some((metres, seconds)) = from.and_then(|from| self.leg_numbers(from, to)) {
            self.find(to, metres, seconds);
        }
    }

    /// Metres and seconds between two fixes, the earlier first.
    fn leg_numbers(&self, from: usize, to: usize) -> Option<(f64, f64)> {
        let (from, to) = (self.fixes.get(from)?, self.fixes.get(to)?);
        let metres = geodesic::length_m(from.position, to.position);
        Some((metres, to.time_stamp - from.time_stamp))
    }

    /// T in seconds, of the fixes that no test has failed so far.
    fn interval_s(&self) -> Option<f64> {
        let newest_first = self.sound().rev();
        usual_interval(newest_first.filter_map(|index| Some(self.fixes.get(index)?.time_stamp)))
    }

    /// What a user set counts before the legs are drawn: a fix may come back in
    /// or go out by it.
    fn override_by_hand(&mut self, overrides: &FlagOverrides) {
        if overrides.is_empty() {
            return;
        }
        for (index, fix) in self.fixes.iter().enumerate() {
            if let Some(flag) = overrides.get(fix.time_stamp, fix.position) {
                self.mark(index, flag, Reason::Overruled);
            }
        }
    }

    /// What the legs tell: the rest of test (d), and tests (e) and (f).
    fn test_legs(&mut self, jumps: &[u32]) {
        let is_jump = |index: usize| {
            u32::try_from(index).is_ok_and(|index| jumps.binary_search(&index).is_ok())
        };
        let floor_m = self.platform.spike_floor_m();
        let drifter = self.platform == Platform::Drifter;
        let mut under_way: Vec<(usize, f64)> = Vec::new();
        let mut candidates: Vec<usize> = Vec::new();
        let mut stuck = stuck::Runs::default();
        let mut cosines = sphere::Cosines::default();
        // The two fixes before, and the greatest length of the leg between them.
        let mut last: [Option<(usize, &Transmission)>; 2] = [None, None];
        let mut most_in = 0.0_f64;
        for (place, index) in self.sound().enumerate() {
            let Some(fix) = self.fixes.get(index) else {
                break;
            };
            let [earlier, before] = last;
            last = [before, Some((index, fix))];
            let Some((here, middle)) = before else {
                stuck.start(index, fix.time_stamp);
                continue;
            };
            if middle.position.same_point(fix.position) {
                stuck.go_on(index, fix.time_stamp);
            } else {
                stuck.start(index, fix.time_stamp);
            }
            let most_out = sphere::at_most_m(middle.position, fix.position, &mut cosines);
            let most = [most_in, most_out];
            most_in = most_out;
            let Some((start, first)) = earlier else {
                continue;
            };
            if most.iter().all(|most| *most > floor_m)
                && spike::may_turn_back(first.position, middle.position, fix.position)
            {
                candidates.push(place - 1);
            }
            if drifter
                && let Some(speed) = self.under_way([start, here, index], most)
                && !is_jump(here)
                && !is_jump(index)
            {
                under_way.push((here, speed));
            }
        }
        let spikes = if candidates.is_empty() {
            Vec::new()
        } else {
            let included: Vec<usize> = self.sound().collect();
            spike::spikes(self, &included, &candidates, floor_m)
        };
        let stuck = stuck.end();
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
        if self.platform.is_always_moving() && !stuck.is_empty() {
            self.test_stuck(&stuck);
        }
    }

    /// Test (g): a fix that no other is left to be held against was not
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

    fn verdict(self, jumps: Vec<u32>) -> Verdict {
        // Of several numbers of one fix those of its reason count, the last.
        let mut findings: Vec<Finding> = self
            .findings
            .iter()
            .rev()
            .filter(|(reason, finding)| self.reasons.get(finding.fix as usize) == Some(reason))
            .map(|(_, finding)| *finding)
            .collect();
        findings.sort_by_key(|finding| finding.fix);
        findings.dedup_by_key(|finding| finding.fix);
        Verdict {
            flags: self.flags,
            reasons: self.reasons,
            findings,
            jumps,
        }
    }
}

#[cfg(test)]
mod tests;
