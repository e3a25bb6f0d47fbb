//! Records to track: sort, fold, flag, sum up.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::field::{FixKey, fix_key};
use super::fixes::{Rest, Track};
use super::interval::Intervals;
use super::options::TrackOptions;
use super::points::Points;
use super::quality;
use super::quality::judgement::Verdict;
use super::quality::reason::Finding;
use super::quality::{Flag, location_class};
use super::record::{Records, Transmission};
use super::service_clock::ServiceClock;
use crate::geo::Position;

/// Fewer fixes than this that were received before their time are left out of the reporting
/// interval: of more the clock is ahead always.
const FEW_EARLY: usize = 30;

impl Track {
    /// Sorts the records by time (stable), deduplicates exact repeats, flags every fix and
    /// sums up. Invalid records are stored separately.
    pub(crate) fn new(records: &Records, assembly: &TrackOptions) -> Self {
        let Records {
            transmissions,
            unusable,
            unkept,
            invalid_times,
            unsent,
            received,
            early,
            fields,
        } = records;
        let mut transmissions = transmissions.clone();
        let mut fields = fields.clone();
        let mut repeated = Vec::new();
        let mut conflicting = 0;
        // Most responses are in the order of time: their track shares their memory.
        if !transmissions.is_sorted_by(|a, b| a.time_stamp < b.time_stamp) {
            let order = (!fields.is_empty()).then(|| in_time_order(&transmissions));
            transmissions.sort_by(|a, b| a.time_stamp.total_cmp(&b.time_stamp));
            let mut sources = Sources {
                last: order.unwrap_or_default(),
                earlier: Vec::new(),
            };
            repeated = fold_repeats(&mut transmissions, &mut sources);
            let is_other = |(index, earlier): &&(usize, usize)| {
                let last = sources.last.get(*index);
                last.is_some_and(|last| fields.differ(*earlier, *last))
            };
            conflicting = sources.earlier.iter().filter(is_other).count();
            fields = fields.select_merged(sources.last, sources.earlier);
        }
        let classes = location_class::classes(&fields, transmissions.len());
        let rest = Rest {
            unsent: indices(&transmissions, unsent),
            unusable: unusable.clone(),
            unkept: *unkept,
            invalid_times: invalid_times.clone(),
            received: received.unwrap_or(assembly.now),
            early: early.clone(),
            repeated,
            conflicting,
            fields,
            classes,
        };
        let verdict = rest.judge(&transmissions, assembly);
        Self::judged(Points::new(transmissions), verdict, rest, assembly)
    }

    /// The same fixes judged with other choices.
    pub(crate) fn reassembled(&self, assembly: &TrackOptions) -> Self {
        let rest = self.rest.clone();
        let verdict = rest.judge(self.transmissions(), assembly);
        Self::judged(self.points.clone(), verdict, rest, assembly)
    }

    /// A track of fixes, oldest first, with the verdict on them.
    fn judged(points: Points, verdict: Verdict, rest: Rest, assembly: &TrackOptions) -> Self {
        let mut track = Self {
            options: assembly.clone(),
            inside: (0, 0),
            cut_from: None,
            points,
            verdict,
            previous: Vec::new(),
            rest,
            intervals: Intervals::default(),
            summary: OnceLock::new(),
        };
        track.link();
        track.set_intervals();
        track
    }

    /// The fixes from `since` up to and with `until` (UNIX seconds), with the
    /// flags they have here and a summary of their own. Whether the instrument
    /// still reports stays that of the whole track. The records that cannot
    /// be used stay: what has no sound time lies in no window.
    pub(crate) fn window(&self, since: Option<f64>, until: Option<f64>) -> Self {
        let from = since.map_or(0, |since| self.count_before(since));
        let to = until
            .map_or(self.len(), |until| self.count_until(until))
            .max(from);
        let mut part = self.keep(from..to, |_| true);
        let last = self.heard_at();
        part.cut_from = self.cut_from.or(Some((last, self.interval_s())));
        part
    }

    /// The track as it was known at `time` (UNIX seconds).
    pub(crate) fn as_known_at(&self, time: f64) -> Self {
        let come = self.count_until(time);
        let mut part = self.keep(0..come, |_| true);
        part.options.now = part.options.now.min(time);
        // A moment is told in true time, whatever this computer's clock says.
        part.options.clock = ServiceClock::default();
        part
    }

    /// The track without the fixes flagged 4.
    pub(crate) fn without_failed(&self) -> Self {
        self.keep(0..self.len(), |index| {
            self.verdict.flags.get(index) != Some(&Flag::Fail)
        })
    }

    /// The track of the wanted ones of the fixes at `range`.
    fn keep(&self, range: Range<usize>, wanted: impl Fn(usize) -> bool) -> Self {
        let range = range.start..range.end.min(self.len());
        let inside = || range.clone().filter(|index| wanted(*index));
        let mut verdict = Verdict {
            flags: inside()
                .filter_map(|index| self.verdict.flags.get(index).copied())
                .collect(),
            reasons: inside()
                .filter_map(|index| self.verdict.reasons.get(index).copied())
                .collect(),
            ..Verdict::default()
        };
        let mut rest = Rest {
            repeated: Vec::new(),
            unsent: Vec::new(),
            fields: self.rest.fields.select(inside()),
            classes: inside()
                .filter_map(|index| self.rest.classes.get(index).copied())
                .collect(),
            ..self.rest.clone()
        };
        let Verdict {
            findings,
            jumps,
            overruled,
            ..
        } = &self.verdict;
        let is_plain = findings.is_empty()
            && jumps.is_empty()
            && overruled.is_empty()
            && self.rest.unsent.is_empty()
            && self.rest.repeated.is_empty();
        for (fix, old) in (0u32..).zip(inside()).take_while(|_| !is_plain) {
            let finding = self.finding(old).copied();
            verdict
                .findings
                .extend(finding.map(|finding| Finding { fix, ..finding }));
            verdict.jumps.extend(self.jumps_lead_to(old).then_some(fix));
            let tested = self.tested(old);
            verdict
                .overruled
                .extend(tested.map(|(flag, reason)| (fix, flag, reason)));
            rest.unsent
                .extend(self.is_absent_from_latest(old).then_some(fix));
            let times = Some(self.times_sent(old)).filter(|times| *times > 1);
            rest.repeated.extend(times.map(|times| (fix, times)));
        }
        let points = if range.clone().all(&wanted) {
            self.points.part(&range)
        } else {
            self.points.pick(&range, &wanted)
        };
        let kept = Self::judged(points, verdict, rest, &self.options);
        Self {
            cut_from: self.cut_from,
            ..kept
        }
    }

    /// Links every fix with the last included fix before it.
    fn link(&mut self) {
        let window = &self.options.window;
        let inside = window.indices(self.transmissions(), |fix| fix.time_stamp);
        self.inside = (inside.start, inside.end);
        self.previous = Vec::with_capacity(self.len());
        let mut last: Option<u32> = None;
        for index in 0..self.len() {
            // Four thousand million fixes are more than an answer may hold.
            let here = u32::try_from(index).unwrap_or(u32::MAX);
            self.previous.push(last.unwrap_or(here));
            if self.is_included(index) {
                last = Some(here);
            }
        }
    }

    fn set_intervals(&mut self) {
        // The few times of a clock that is ahead now and then are none of its reports.
        let are_few = self.rest.early.len() < FEW_EARLY;
        let newest_first = self
            .past_fixes()
            .rev()
            .filter(|fix| !are_few || !self.is_early(fix.index));
        self.intervals = Intervals::new(newest_first.map(|fix| fix.time_stamp));
    }
}

impl Rest {
    /// The verdict on the fixes that it belongs to.
    fn judge(&self, fixes: &[Transmission], options: &TrackOptions) -> Verdict {
        quality::judge(fixes, &self.classes, &self.unsent, self.received, options)
    }
}

/// The indices of transmissions, stably sorted by time.
fn in_time_order(transmissions: &[Transmission]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..transmissions.len()).collect();
    let time = |index: &usize| transmissions.get(*index).map_or(0.0, |fix| fix.time_stamp);
    order.sort_by(|a, b| time(a).total_cmp(&time(b)));
    order
}

/// The indices of the records that each transmission came from, or nothing where
/// the records have no fields.
struct Sources {
    /// For each transmission its record; of repeats the last.
    last: Vec<usize>,
    /// The earlier records of repeats, each with the index of its transmission, in
    /// the order in which they were sent.
    earlier: Vec<(usize, usize)>,
}

impl Sources {
    /// Moves the record at the index `from` to the index `to`, which has no record yet.
    fn move_to(&mut self, to: usize, from: usize) {
        if let Some(source) = self.last.get(from).copied()
            && let Some(last) = self.last.get_mut(to)
        {
            *last = source;
        }
    }

    /// Records that the record at the index `from` repeats the transmission at `to`.
    fn repeat(&mut self, to: usize, from: usize) {
        if let Some(earlier) = self.last.get(to).copied() {
            self.earlier.push((to, earlier));
        }
        self.move_to(to, from);
    }
}

/// Folds records of the same time and position into the first of them, also
/// where another position of that time lies between. Returns which of
/// those that are left were sent how often, if more than once. `sources` are
/// the records that each came from.
fn fold_repeats(transmissions: &mut Vec<Transmission>, sources: &mut Sources) -> Vec<(u32, u32)> {
    // Up to this many positions of the same time are compared with each other.
    const FEW: usize = 16;
    let key = |position: Position| {
        // ±180° is one meridian.
        let longitude = if position.longitude == 180.0 {
            -180.0
        } else {
            position.longitude
        };
        (position.latitude.to_bits(), longitude.to_bits())
    };
    let mut repeated: HashMap<usize, u32> = HashMap::new();
    let mut kept = 0;
    let mut same_time = 0;
    let mut indices: HashMap<(u64, u64), usize> = HashMap::new();
    // In the same memory: the remaining transmissions move to the front.
    for at in 0..transmissions.len() {
        let Some(&transmission) = transmissions.get(at) else {
            break;
        };
        let mut group = transmissions.get(same_time..kept).unwrap_or_default();
        if (group.first()).is_none_or(|first| first.time_stamp != transmission.time_stamp) {
            same_time = kept;
            indices.clear();
            group = &[];
        }
        let known = if group.len() <= FEW {
            group
                .iter()
                .position(|known| known.position.same_point(transmission.position))
                .map(|number| same_time + number)
        } else {
            if indices.is_empty() {
                let all = (same_time..).zip(group);
                indices.extend(all.map(|(index, known)| (key(known.position), index)));
            }
            indices.get(&key(transmission.position)).copied()
        };
        match known {
            Some(index) => {
                *repeated.entry(index).or_insert(1) += 1;
                sources.repeat(index, at);
            }
            None => {
                if !indices.is_empty() {
                    indices.insert(key(transmission.position), kept);
                }
                if let Some(slot) = transmissions.get_mut(kept) {
                    *slot = transmission;
                }
                sources.move_to(kept, at);
                kept += 1;
            }
        }
    }
    transmissions.truncate(kept);
    sources.last.truncate(kept);
    let mut repeated: Vec<(u32, u32)> = repeated
        .into_iter()
        .filter_map(|(index, times)| Some((u32::try_from(index).ok()?, times)))
        .collect();
    repeated.sort_unstable();
    repeated
}

/// The indices of some transmissions among all.
fn indices(all: &[Transmission], some: &[Transmission]) -> Vec<u32> {
    let key = |fix: &Transmission| fix_key(fix.time_stamp, fix.position);
    if some.is_empty() {
        return Vec::new();
    }
    let wanted: HashSet<FixKey> = some.iter().map(key).collect();
    (0u32..)
        .zip(all)
        .filter(|(_, transmission)| wanted.contains(&key(transmission)))
        .map(|(index, _)| index)
        .collect()
}

#[cfg(test)]
mod tests;
