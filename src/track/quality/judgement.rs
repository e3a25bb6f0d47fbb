//! The fixes of a track with what the tests found so far.

use super::location_class::LocationClass;
use super::reason::{Finding, Reason};
use crate::geo::geodesic;
use crate::track::interval::Intervals;
use crate::track::options::TrackOptions;
use crate::track::platform::Platform;
use crate::track::quality::Flag;
use crate::track::record::Transmission;

/// The verdict on all fixes of a track.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::track) struct Verdict {
    pub(in crate::track) flags: Vec<Flag>,
    pub(in crate::track) reasons: Vec<Reason>,
    /// The numbers of the reasons that have some, ascending by fix.
    pub(in crate::track) findings: Vec<Finding>,
    /// The fixes that a jump leads to, ascending.
    pub(in crate::track) jumps: Vec<u32>,
    /// The test results of failed fixes whose flag a user overrode, ascending by fix.
    pub(in crate::track) overruled: Vec<(u32, Flag, Reason)>,
}

impl Verdict {
    /// This verdict as that on the fixes at the indices `at` among `len`; the others are not
    /// evaluated.
    pub(super) fn placed(self, at: &[usize], len: usize) -> Self {
        let mut placed = Self {
            flags: vec![Flag::NotEvaluated; len],
            reasons: vec![Reason::Outside; len],
            ..Self::default()
        };
        let judged = self.flags.into_iter().zip(self.reasons);
        for (index, (flag, reason)) in at.iter().zip(judged) {
            placed.set(*index, flag, reason);
        }
        // Four thousand million fixes are more than an answer may hold.
        let place = |fix: u32| {
            let index = at.get(fix as usize).copied().unwrap_or_default();
            u32::try_from(index).unwrap_or(u32::MAX)
        };
        let findings = self.findings.into_iter().map(|finding| Finding {
            fix: place(finding.fix),
            ..finding
        });
        let overruled = self.overruled.into_iter();
        placed.findings = findings.collect();
        placed.jumps = self.jumps.into_iter().map(place).collect();
        placed.overruled = overruled
            .map(|(fix, flag, reason)| (place(fix), flag, reason))
            .collect();
        placed.findings.sort_by_key(|finding| finding.fix);
        placed.overruled.sort_by_key(|(fix, ..)| *fix);
        placed
    }

    /// Notes the numbers of a fix after all others that have some.
    pub(super) fn find(&mut self, index: usize, measured: f64, within: f64) {
        self.findings.extend(Finding::new(index, measured, within));
    }

    pub(super) fn set(&mut self, index: usize, flag: Flag, reason: Reason) {
        if let (Some(known), Some(why)) = (self.flags.get_mut(index), self.reasons.get_mut(index)) {
            (*known, *why) = (flag, reason);
        }
    }
}

/// Fixes in the order of time, with what the tests so far made of them.
pub(super) struct Judgement<'a> {
    pub(super) fixes: &'a [Transmission],
    /// The classes of Argos locations, one for each fix, or none.
    pub(super) classes: &'a [Option<LocationClass>],
    pub(super) platform: Platform,
    /// The speed limit in m/s.
    pub(super) limit: f64,
    /// What they found, but for its numbers and jumps.
    pub(super) verdict: Verdict,
    /// Numbers with the reason they belong to; of a fix that was flagged twice
    /// there are two.
    pub(super) findings: Vec<(Reason, Finding)>,
    /// The fixes that share their time with another if it is unknown which is right,
    /// ascending.
    pub(super) conflicts: Vec<usize>,
    /// How far the platform gets in the step that times are rounded to, metres; 0 where they are
    /// not.
    pub(super) step_m: f64,
    /// The fixes that were reported twice, ascending: they do not contradict each other.
    pub(super) reported_twice: Vec<usize>,
    /// The fixes that take no part in the tests: reported once more at their time, each with the
    /// fix that stands for it, ascending.
    pub(super) twins: Vec<(usize, usize)>,
}

impl<'a> Judgement<'a> {
    /// Fixes in the order of time, before the first test.
    pub(super) fn new(
        fixes: &'a [Transmission],
        classes: &'a [Option<LocationClass>],
        options: &TrackOptions,
    ) -> Self {
        Self {
            fixes,
            classes,
            platform: options.platform,
            limit: options.speed_limit_m_s(),
            verdict: Verdict {
                flags: vec![Flag::Pass; fixes.len()],
                reasons: vec![Reason::None; fixes.len()],
                ..Verdict::default()
            },
            findings: Vec::new(),
            conflicts: Vec::new(),
            step_m: 0.0,
            reported_twice: Vec::new(),
            twins: Vec::new(),
        }
    }

    /// `true` if no test has failed the fix so far.
    pub(super) fn is_sound(&self, index: usize) -> bool {
        self.verdict
            .flags
            .get(index)
            .is_some_and(|flag| *flag != Flag::Fail)
    }

    /// The fixes that no test has failed so far, ascending.
    pub(super) fn sound(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let flags = self.verdict.flags.iter().enumerate();
        flags
            .filter(|(_, flag)| **flag != Flag::Fail)
            .map(|(index, _)| index)
    }

    /// `true` if no test has flagged the fix.
    pub(super) fn passes(&self, index: usize) -> bool {
        self.verdict.flags.get(index) == Some(&Flag::Pass)
            && self.verdict.reasons.get(index) == Some(&Reason::None)
    }

    pub(super) fn mark(&mut self, index: usize, flag: Flag, reason: Reason) {
        self.verdict.set(index, flag, reason);
    }

    /// Notes the numbers of the reason that the fix has now.
    pub(super) fn find(&mut self, index: usize, measured: f64, within: f64) {
        let found = Finding::new(index, measured, within);
        if let Some((finding, reason)) = found.zip(self.verdict.reasons.get(index)) {
            self.findings.push((*reason, finding));
        }
    }

    /// Notes the leg from one fix to another as the numbers of the latter.
    pub(super) fn find_leg(&mut self, from: Option<usize>, to: usize) {
        if let Some((metres, seconds)) = from.and_then(|from| self.leg_numbers(from, to)) {
            self.find(to, metres, seconds);
        }
    }

    /// Metres and seconds between two fixes, the earlier first.
    pub(super) fn leg_numbers(&self, from: usize, to: usize) -> Option<(f64, f64)> {
        let from = self.fixes.get(from)?;
        let to = self.fixes.get(to)?;
        let metres = geodesic::length_m(from.position, to.position);
        Some((metres, to.time_stamp - from.time_stamp))
    }

    /// The time of a fix, UNIX seconds.
    pub(super) fn time(&self, index: usize) -> Option<f64> {
        Some(self.fixes.get(index)?.time_stamp)
    }

    /// Some fixes, ascending, by their times.
    pub(super) fn by_time<'f>(&self, fixes: &'f [usize]) -> Vec<&'f [usize]> {
        let is_same = |a: &usize, b: &usize| self.time(*a) == self.time(*b);
        fixes.chunk_by(is_same).collect()
    }

    /// Some fixes, ascending, by runs of one position.
    pub(super) fn runs<'f>(&self, fixes: &'f [usize]) -> Vec<&'f [usize]> {
        let position = |index: &usize| self.fixes.get(*index).map(|fix| fix.position);
        let is_repeat = |a: &usize, b: &usize| {
            (position(a).zip(position(b))).is_some_and(|(a, b)| a.same_point(b))
        };
        fixes.chunk_by(is_repeat).collect()
    }

    /// The last intervals between the fixes that no test has failed so far.
    pub(super) fn intervals(&self) -> Intervals {
        let newest_first = self.sound().rev();
        Intervals::new(newest_first.filter_map(|index| self.time(index)))
    }

    /// The fix that stands for a fix in the tests: itself, or that which it repeats.
    pub(super) fn stand_in(&self, index: usize) -> usize {
        let found = self.twins.binary_search_by_key(&index, |(twin, _)| *twin);
        let pair = found.ok().and_then(|at| self.twins.get(at));
        pair.map_or(index, |(_, kept)| *kept)
    }

    /// The flags and reasons that the tests found, where a fix that was reported twice shares
    /// one verdict.
    pub(super) fn finished(mut self, jumps: Vec<u32>) -> Verdict {
        let twins = std::mem::take(&mut self.twins);
        for &(twin, kept) in &twins {
            let flag = self.verdict.flags.get(kept).copied().unwrap_or_default();
            let reason = self.verdict.reasons.get(kept).copied().unwrap_or_default();
            self.mark(twin, flag, reason);
        }
        // If a fix has several findings, the last one for its reason counts.
        let mut findings: Vec<Finding> = self
            .findings
            .iter()
            .rev()
            .filter(|(reason, finding)| {
                self.verdict.reasons.get(finding.fix as usize) == Some(reason)
            })
            .map(|(_, finding)| *finding)
            .collect();
        findings.sort_by_key(|finding| finding.fix);
        findings.dedup_by_key(|finding| finding.fix);
        let shared: Vec<Finding> = (twins.iter())
            .filter_map(|&(twin, kept)| {
                let kept = u32::try_from(kept).ok()?;
                let at = findings.binary_search_by_key(&kept, |finding| finding.fix);
                let finding = *findings.get(at.ok()?)?;
                let fix = u32::try_from(twin).ok()?;
                Some(Finding { fix, ..finding })
            })
            .collect();
        if !shared.is_empty() {
            findings.extend(shared);
            findings.sort_by_key(|finding| finding.fix);
        }
        Verdict {
            findings,
            jumps,
            ..self.verdict
        }
    }
}
