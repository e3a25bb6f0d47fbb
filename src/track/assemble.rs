//! Records to track: sort, fold, flag, sum up.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::field::{FixKey, fix_key};
use super::fixes::Track;
use super::interval::Intervals;
use super::options::TrackOptions;
use super::quality;
use super::quality::judgement::Verdict;
use super::quality::reason::Finding;
use super::quality::{Flag, location_class, picked};
use super::record::{Records, Transmission};
use super::service_clock::ServiceClock;
use crate::geo::Position;

/// Fewer fixes than this that were received before their time are left out of the reporting
/// interval: of more the clock is ahead always.
const FEW_EARLY: usize = 30;

impl Track {
    /// Sorts the records by time (stable), deduplicates exact repeats, flags every fix and
    /// sums up. Invalid records are stored separately.
    pub(crate) fn new(records: &Records, options: &TrackOptions) -> Self {
        let mut records = records.clone();
        let mut repeated = Vec::new();
        let mut conflicting = 0;
        // Most responses are in the order of time: their track shares their memory.
        let sent = &records.transmissions;
        if !sent.is_sorted_by(|a, b| a.time_stamp < b.time_stamp) {
            let folded = Folded::new(sent);
            repeated = folded.repeated();
            let fields = &records.fields;
            let is_other = |(index, earlier): &&(usize, usize)| {
                let last = folded.records.get(*index);
                last.is_some_and(|last| fields.differ(*earlier, *last))
            };
            conflicting = folded.earlier.iter().filter(is_other).count();
            records.fields = fields.select_merged(folded.records, folded.earlier);
            records.transmissions = folded.transmissions.into();
        }
        let received = records.received.take().unwrap_or(options.now);
        let unsent = std::mem::take(&mut records.unsent);
        let mut track = Self {
            options: options.clone(),
            inside: (0, 0),
            cut_from: None,
            received,
            repeated,
            conflicting,
            absent: indices(&records.transmissions, &unsent),
            classes: location_class::classes(&records.fields, records.transmissions.len()),
            records,
            verdict: Verdict::default(),
            previous: Vec::new(),
            intervals: Intervals::default(),
            summary: OnceLock::new(),
        };
        track.judge();
        track
    }

    /// The same fixes judged with other choices.
    pub(crate) fn reassembled(&self, options: &TrackOptions) -> Self {
        let mut track = Self {
            options: options.clone(),
            cut_from: None,
            ..self.clone()
        };
        track.judge();
        track
    }

    fn judge(&mut self) {
        self.verdict = quality::judge(
            &self.records.transmissions,
            &self.classes,
            &self.absent,
            self.received,
            &self.options,
        );
        self.link();
        self.set_intervals();
        self.summary = OnceLock::new();
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
        // A moment is reported in true time, whatever this computer's clock says.
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
        let kept: Vec<usize> = range.filter(|index| wanted(*index)).collect();
        // A clone shares the memory of a long track.
        if kept.len() == self.len() {
            return self.clone();
        }
        let place = |fix: u32| {
            let place = kept.binary_search(&usize::try_from(fix).ok()?).ok()?;
            u32::try_from(place).ok()
        };
        let Verdict {
            flags,
            reasons,
            findings,
            jumps,
            overruled,
        } = &self.verdict;
        let find = |finding: &Finding| {
            let fix = place(finding.fix)?;
            Some(Finding { fix, ..*finding })
        };
        let overruled = overruled.iter();
        let verdict = Verdict {
            flags: picked(flags, &kept),
            reasons: picked(reasons, &kept),
            findings: findings.iter().filter_map(find).collect(),
            jumps: jumps.iter().filter_map(|fix| place(*fix)).collect(),
            overruled: overruled
                .filter_map(|(fix, flag, reason)| Some((place(*fix)?, *flag, *reason)))
                .collect(),
        };
        let absent = self.absent.iter().filter_map(|fix| place(*fix));
        let groups = self.repeated.iter();
        let repeated = groups.filter_map(|(fix, times)| Some((place(*fix)?, *times)));
        let mut part = Self {
            verdict,
            absent: absent.collect(),
            repeated: repeated.collect(),
            classes: picked(&self.classes, &kept),
            records: Records {
                transmissions: picked(self.transmissions(), &kept).into(),
                fields: self.records.fields.select(kept),
                ..self.records.clone()
            },
            options: self.options.clone(),
            inside: self.inside,
            cut_from: self.cut_from,
            received: self.received,
            conflicting: self.conflicting,
            previous: Vec::new(),
            intervals: self.intervals,
            summary: OnceLock::new(),
        };
        part.link();
        part.set_intervals();
        part
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
        let are_few = self.records.early.len() < FEW_EARLY;
        let newest_first = self
            .past_fixes()
            .rev()
            .filter(|fix| !are_few || !self.is_early(fix.index));
        self.intervals = Intervals::new(newest_first.map(|fix| fix.time_stamp));
    }
}

/// Transmissions in the order of time, each once.
#[derive(Default)]
struct Folded {
    transmissions: Vec<Transmission>,
    /// For each transmission its record; of repeats the last.
    records: Vec<usize>,
    /// The earlier records of repeats, each with the index of its transmission, in
    /// the order in which they were sent.
    earlier: Vec<(usize, usize)>,
}

impl Folded {
    /// Sorts transmissions by time (stable), and folds those of the same time and position into
    /// the first of them, also where another position of that time lies between.
    fn new(sent: &[Transmission]) -> Self {
        let time = |record: &usize| sent.get(*record).map_or(f64::NAN, |fix| fix.time_stamp);
        let key = |position: Position| {
            // ±180° is one meridian, and the two zeros are one number.
            let longitude = match position.longitude {
                180.0 => -180.0,
                longitude => longitude + 0.0,
            };
            ((position.latitude + 0.0).to_bits(), longitude.to_bits())
        };
        let mut order: Vec<usize> = (0..sent.len()).collect();
        order.sort_by(|a, b| time(a).total_cmp(&time(b)));
        let mut folded = Self::default();
        for same_time in order.chunk_by(|a, b| time(a) == time(b)) {
            let mut known = HashMap::new();
            for record in same_time {
                let Some(fix) = sent.get(*record) else {
                    continue;
                };
                let next = folded.records.len();
                let place = match same_time {
                    [_] => next,
                    _ => *known.entry(key(fix.position)).or_insert(next),
                };
                match folded.records.get_mut(place) {
                    Some(last) => {
                        let earlier = std::mem::replace(last, *record);
                        folded.earlier.push((place, earlier));
                    }
                    None => {
                        folded.transmissions.push(*fix);
                        folded.records.push(*record);
                    }
                }
            }
        }
        folded
    }

    /// The transmissions that were sent more than once: index and how often, ascending.
    fn repeated(&self) -> Vec<(u32, u32)> {
        let mut repeated = BTreeMap::new();
        for (index, _) in &self.earlier {
            let index = u32::try_from(*index).unwrap_or(u32::MAX);
            *repeated.entry(index).or_insert(1) += 1;
        }
        repeated.into_iter().collect()
    }
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
