//! Records to track: sort, fold, flag, sum up.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use super::field::FieldRows;
use super::fixes::Track;
use super::interval::Intervals;
use super::options::TrackOptions;
use super::places::Places;
use super::quality;
use super::quality::Flag;
use super::quality::judgement::Verdict;
use super::quality::{LocationClass, location_class};
use super::record::{InvalidRecord, InvalidTime, Records, Transmission};
use crate::geo::Position;

impl Track {
    /// Sorts the records by time (stable), folds exact repeats into one, flags
    /// every fix and sums up. Records that cannot be used are kept aside.
    pub(crate) fn assemble(records: Records, assembly: &TrackOptions) -> Self {
        Self::of(&records, assembly)
    }

    /// As [`Track::assemble`], of records that are needed for something else,
    /// too.
    pub(crate) fn of(records: &Records, assembly: &TrackOptions) -> Self {
        let Records {
            transmissions,
            unusable,
            unkept,
            invalid_times,
            unsent,
            fields,
        } = records;
        let mut transmissions = Cow::Borrowed(transmissions.as_slice());
        let mut fields = fields.clone();
        let mut repeated = Vec::new();
        // What came one after the other, as it mostly does, is taken as it lies.
        if !transmissions.is_sorted_by(|a, b| a.time_stamp < b.time_stamp) {
            let order = (!fields.is_empty()).then(|| in_time_order(&transmissions));
            let owned = transmissions.to_mut();
            owned.sort_by(|a, b| a.time_stamp.total_cmp(&b.time_stamp));
            let mut sources = Sources {
                last: order.unwrap_or_default(),
                earlier: Vec::new(),
            };
            repeated = fold_repeats(owned, &mut sources);
            fields = fields.select_merged(sources.last, sources.earlier);
        }
        let classes = location_class::classes(&fields, transmissions.len());
        let beside = Beside {
            unsent: places(&transmissions, unsent),
            unusable: unusable.clone(),
            unkept: *unkept,
            invalid_times: invalid_times.clone(),
            repeated,
            fields,
            classes,
        };
        let places = Places::of(&transmissions);
        let verdict = quality::judge(&transmissions, &beside.classes, &beside.unsent, assembly);
        // Of a long track they are large, and no longer needed.
        drop(transmissions);
        Self::judged(places, verdict, beside, assembly)
    }

    /// The same fixes judged with other choices.
    pub(crate) fn reassembled(&self, assembly: &TrackOptions) -> Self {
        let beside = Beside {
            unusable: self.unusable.clone(),
            unkept: self.unkept,
            invalid_times: self.invalid_times.clone(),
            repeated: self.repeated.clone(),
            unsent: self.unsent.clone(),
            fields: self.fields.clone(),
            classes: self.classes.clone(),
        };
        let transmissions = self.transmissions(0..self.len());
        let verdict = quality::judge(&transmissions, &self.classes, &self.unsent, assembly);
        drop(transmissions);
        Self::judged(self.places.clone(), verdict, beside, assembly)
    }

    /// A track of fixes, oldest first, with the verdict on them.
    fn judged(places: Places, verdict: Verdict, beside: Beside, assembly: &TrackOptions) -> Self {
        let mut track = Self {
            platform: assembly.platform,
            speed_limit_m_s: assembly.speed_limit_m_s(),
            is_limit_set: assembly.set_speed_limit_m_s().is_some(),
            exclude_failed: assembly.exclude_failed,
            window: assembly.window,
            inside: (0, 0),
            declared: assembly.declared,
            now: assembly.now,
            cut_from: None,
            places,
            flags: verdict.flags,
            reasons: verdict.reasons,
            findings: verdict.findings,
            jumps: verdict.jumps,
            overruled: verdict.overruled,
            previous: Vec::new(),
            unusable: beside.unusable,
            unkept: beside.unkept,
            invalid_times: beside.invalid_times,
            repeated: beside.repeated,
            unsent: beside.unsent,
            fields: beside.fields,
            classes: beside.classes,
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
        let from = since.map_or(0, |since| {
            self.time_stamps().partition_point(|&time| time < since)
        });
        let to = until.map_or(self.len(), |until| {
            self.time_stamps().partition_point(|&time| time <= until)
        });
        let to = to.max(from);
        let mut part = self.keep(from..to, |_| true);
        let last = self.latest().map(|fix| fix.time_stamp);
        part.cut_from = self.cut_from.or(Some((last, self.interval_s())));
        part
    }

    /// The track as it stood at `time` (UNIX seconds): nothing later is known.
    pub(crate) fn as_of(&self, time: f64) -> Self {
        let come = self.time_stamps().partition_point(|&one| one <= time);
        let mut part = self.keep(0..come, |_| true);
        part.now = part.now.min(time);
        part
    }

    /// The track without the fixes flagged 4.
    pub(crate) fn without_failed(&self) -> Self {
        self.keep(0..self.len(), |index| {
            self.flags.get(index) != Some(&Flag::Fail)
        })
    }

    /// The track of the wanted ones of the fixes at `range`.
    fn keep(&self, range: Range<usize>, wanted: impl Fn(usize) -> bool) -> Self {
        let range = range.start..range.end.min(self.len());
        let inside = || range.clone().filter(|index| wanted(*index));
        let mut kept = Self {
            places: match range.clone().all(&wanted) {
                true => self.places.part(&range),
                false => self.places.pick(&range, &wanted),
            },
            flags: inside()
                .filter_map(|index| self.flags.get(index).copied())
                .collect(),
            reasons: inside()
                .filter_map(|index| self.reasons.get(index).copied())
                .collect(),
            findings: Vec::new(),
            jumps: Vec::new(),
            overruled: Vec::new(),
            previous: Vec::new(),
            unusable: self.unusable.clone(),
            unkept: self.unkept,
            invalid_times: self.invalid_times.clone(),
            repeated: Vec::new(),
            unsent: Vec::new(),
            fields: self.fields.select(inside()),
            classes: inside()
                .filter_map(|index| self.classes.get(index).copied())
                .collect(),
            summary: OnceLock::new(),
            platform: self.platform,
            speed_limit_m_s: self.speed_limit_m_s,
            is_limit_set: self.is_limit_set,
            exclude_failed: self.exclude_failed,
            window: self.window,
            inside: (0, 0),
            declared: self.declared,
            now: self.now,
            cut_from: self.cut_from,
            intervals: Intervals::default(),
        };
        if !self.findings.is_empty() || !self.jumps.is_empty() {
            for (new, old) in (0u32..).zip(inside()) {
                if let Some(finding) = self.finding(old) {
                    kept.findings.push(quality::reason::Finding {
                        fix: new,
                        ..*finding
                    });
                }
                if self.jumps_lead_to(old) {
                    kept.jumps.push(new);
                }
            }
        }
        if !self.overruled.is_empty() {
            for (new, old) in (0u32..).zip(inside()) {
                if let Some((flag, reason)) = self.tested(old) {
                    kept.overruled.push((new, flag, reason));
                }
            }
        }
        if !self.unsent.is_empty() {
            kept.unsent = (0u32..)
                .zip(inside())
                .filter(|(_, old)| self.is_absent_from_latest(*old))
                .map(|(new, _)| new)
                .collect();
        }
        if !self.repeated.is_empty() {
            kept.repeated = (0u32..)
                .zip(inside())
                .map(|(new, old)| (new, self.times_sent(old)))
                .filter(|(_, times)| *times > 1)
                .collect();
        }
        kept.link();
        kept.set_intervals();
        kept
    }

    /// The transmissions as they came, repeats folded.
    pub(crate) fn transmissions(&self, range: Range<usize>) -> Vec<Transmission> {
        range
            .filter_map(|index| self.fix(index))
            .map(|fix| Transmission {
                time_stamp: fix.time_stamp,
                position: fix.position,
            })
            .collect()
    }

    /// Links every fix with the one before it that is in.
    fn link(&mut self) {
        let inside = self.window.indices(self.time_stamps(), |time| *time);
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
        let newest_first = self.included_fixes().rev();
        self.intervals = Intervals::of(newest_first.map(|fix| fix.time_stamp));
    }
}

/// The parts of a track besides its fixes and the verdict on them.
struct Beside {
    unusable: Vec<InvalidRecord>,
    unkept: usize,
    invalid_times: Vec<InvalidTime>,
    /// The fixes that were sent more than once: index and how often, ascending.
    repeated: Vec<(u32, u32)>,
    /// The fixes that the service no longer sends, ascending.
    unsent: Vec<u32>,
    fields: FieldRows,
    classes: Vec<Option<LocationClass>>,
}

/// The indices of transmissions, stably sorted by time.
fn in_time_order(transmissions: &[Transmission]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..transmissions.len()).collect();
    let time = |index: &usize| transmissions.get(*index).map_or(0.0, |one| one.time_stamp);
    order.sort_by(|a, b| time(a).total_cmp(&time(b)));
    order
}

/// The indices of the records that each transmission came from, or nothing where
/// the records have no fields.
struct Sources {
    /// For each transmission its record; of repeats the last.
    last: Vec<usize>,
    /// The earlier records of repeats, each with the place of its transmission, in
    /// the order in which they were sent.
    earlier: Vec<(usize, usize)>,
}

impl Sources {
    /// Moves the record at the place `from` to the place `to`, where no record is yet.
    fn move_to(&mut self, to: usize, from: usize) {
        if let Some(source) = self.last.get(from).copied()
            && let Some(place) = self.last.get_mut(to)
        {
            *place = source;
        }
    }

    /// Notes that the record at the place `from` repeats the transmission at `to`.
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
    // Up to so many positions of one time are compared one by one.
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
    let (mut kept, mut same_time) = (0, 0);
    let mut places: HashMap<(u64, u64), usize> = HashMap::new();
    // In place: what is kept moves to the front.
    for at in 0..transmissions.len() {
        let Some(&transmission) = transmissions.get(at) else {
            break;
        };
        let group = transmissions.get(same_time..kept).unwrap_or_default();
        let group = if group
            .first()
            .is_some_and(|first| first.time_stamp == transmission.time_stamp)
        {
            group
        } else {
            same_time = kept;
            places.clear();
            &[]
        };
        let known = if group.len() <= FEW {
            group
                .iter()
                .position(|one| one.position.same_point(transmission.position))
                .map(|place| same_time + place)
        } else {
            if places.is_empty() {
                let all = (same_time..).zip(group);
                places.extend(all.map(|(place, one)| (key(one.position), place)));
            }
            places.get(&key(transmission.position)).copied()
        };
        match known {
            Some(place) => {
                *repeated.entry(place).or_insert(1) += 1;
                sources.repeat(place, at);
            }
            None => {
                if !places.is_empty() {
                    places.insert(key(transmission.position), kept);
                }
                if let Some(place) = transmissions.get_mut(kept) {
                    *place = transmission;
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
        .filter_map(|(place, times)| Some((u32::try_from(place).ok()?, times)))
        .collect();
    repeated.sort_unstable();
    repeated
}

/// The places of some transmissions among all.
fn places(all: &[Transmission], some: &[Transmission]) -> Vec<u32> {
    let key = |one: &Transmission| {
        let Position {
            latitude,
            longitude,
        } = one.position;
        (
            one.time_stamp.to_bits(),
            latitude.to_bits(),
            longitude.to_bits(),
        )
    };
    if some.is_empty() {
        return Vec::new();
    }
    let wanted: HashSet<(u64, u64, u64)> = some.iter().map(key).collect();
    (0u32..)
        .zip(all)
        .filter(|(_, one)| wanted.contains(&key(one)))
        .map(|(place, _)| place)
        .collect()
}

#[cfg(test)]
mod tests;
