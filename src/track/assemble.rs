//! Records to track: sort, fold, flag, sum up.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::quality::{self, Flag, Reason, speed};
use super::{Records, Track, TrackOptions, Transmission};
use crate::geo::{Position, geodesic, sphere};

/// T is the median of so many intervals.
const INTERVALS: usize = 20;

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
            unsent,
        } = records;
        let mut transmissions = Cow::Borrowed(transmissions.as_slice());
        let mut repeated = Vec::new();
        // What came one after the other, as it mostly does, is taken as it lies.
        if !transmissions.is_sorted_by(|a, b| a.time_stamp < b.time_stamp) {
            let owned = transmissions.to_mut();
            owned.sort_by(|a, b| a.time_stamp.total_cmp(&b.time_stamp));
            repeated = fold_repeats(owned);
        }
        let time_stamps: Vec<f64> = transmissions.iter().map(|t| t.time_stamp).collect();
        let verdicts = verdicts(&transmissions, &time_stamps, assembly);
        let unsent = places(&transmissions, unsent);
        let mut track = Self {
            platform: assembly.platform,
            exclude_failed: assembly.exclude_failed,
            time_stamps,
            latitudes: transmissions.iter().map(|t| t.position.latitude).collect(),
            longitudes: transmissions.iter().map(|t| t.position.longitude).collect(),
            flags: verdicts.iter().map(|verdict| verdict.0).collect(),
            reasons: verdicts.iter().map(|verdict| verdict.1).collect(),
            previous: Vec::new(),
            unusable: unusable.clone(),
            unkept: *unkept,
            repeated,
            unsent,
            interval_s: None,
            summary: OnceLock::new(),
        };
        track.sum_up(&assembly.overrules);
        track
    }

    /// The same records judged with other choices.
    pub(crate) fn reassembled(&self, assembly: &TrackOptions) -> Self {
        let transmissions = self.transmissions(0..self.len());
        let mut track = Self::assemble(
            Records {
                transmissions,
                unusable: self.unusable.clone(),
                unkept: self.unkept,
                unsent: self
                    .unsent
                    .iter()
                    .flat_map(|&index| self.transmissions(index as usize..index as usize + 1))
                    .collect(),
            },
            assembly,
        );
        track.repeated.clone_from(&self.repeated);
        track
    }

    /// The fixes from `since` up to and with `until` (UNIX seconds), with the
    /// flags they have here and a summary of their own. The records that cannot
    /// be used stay: what has no sound time lies in no window.
    pub(crate) fn window(&self, since: Option<f64>, until: Option<f64>) -> Self {
        let from = since.map_or(0, |since| {
            self.time_stamps.partition_point(|&time| time < since)
        });
        let to = until.map_or(self.len(), |until| {
            self.time_stamps.partition_point(|&time| time <= until)
        });
        let to = to.max(from);
        self.keep(|index| (from..to).contains(&index))
    }

    /// The track without the fixes flagged 4.
    pub(crate) fn without_failed(&self) -> Self {
        self.keep(|index| self.flags.get(index) != Some(&Flag::Fail))
    }

    fn keep(&self, wanted: impl Fn(usize) -> bool) -> Self {
        fn pick<T: Copy>(column: &[T], wanted: &impl Fn(usize) -> bool) -> Vec<T> {
            column
                .iter()
                .enumerate()
                .filter(|(index, _)| wanted(*index))
                .map(|(_, value)| *value)
                .collect()
        }
        let mut kept = Self {
            time_stamps: pick(&self.time_stamps, &wanted),
            latitudes: pick(&self.latitudes, &wanted),
            longitudes: pick(&self.longitudes, &wanted),
            flags: pick(&self.flags, &wanted),
            reasons: pick(&self.reasons, &wanted),
            previous: Vec::new(),
            unusable: self.unusable.clone(),
            unkept: self.unkept,
            repeated: Vec::new(),
            unsent: Vec::new(),
            summary: OnceLock::new(),
            platform: self.platform,
            exclude_failed: self.exclude_failed,
            interval_s: None,
        };
        if !self.unsent.is_empty() {
            let inside = (0..self.len()).filter(|index| wanted(*index));
            kept.unsent = (0u32..)
                .zip(inside)
                .filter(|(_, old)| self.is_absent_from_latest(*old))
                .map(|(new, _)| new)
                .collect();
        }
        if !self.repeated.is_empty() {
            let inside = (0..self.len()).filter(|index| wanted(*index));
            kept.repeated = (0u32..)
                .zip(inside)
                .map(|(new, old)| (new, self.times_sent(old)))
                .filter(|(_, times)| *times > 1)
                .collect();
        }
        kept.link();
        kept.set_interval();
        kept
    }

    /// The transmissions as they came, repeats folded.
    pub(crate) fn transmissions(&self, range: std::ops::Range<usize>) -> Vec<Transmission> {
        range
            .filter_map(|index| self.fix(index))
            .map(|fix| Transmission {
                time_stamp: fix.time_stamp,
                position: fix.position,
            })
            .collect()
    }

    /// Overruled flags, links, fast legs and T.
    fn sum_up(&mut self, overrules: &super::FlagOverrides) {
        self.flag_by_hand(overrules);
        self.link();
        self.flag_fast_legs();
        self.set_interval();
    }

    /// What a person set counts before the legs are drawn: a fix may come back
    /// in or go out by it.
    fn flag_by_hand(&mut self, overrules: &super::FlagOverrides) {
        if overrules.is_empty() {
            return;
        }
        for index in 0..self.len() {
            let Some(fix) = self.fix(index) else {
                continue;
            };
            if let Some(flag) = overrules.get(fix.time_stamp, fix.position)
                && let (Some(known), Some(reason)) =
                    (self.flags.get_mut(index), self.reasons.get_mut(index))
            {
                (*known, *reason) = (flag, Reason::Overruled);
            }
        }
    }

    /// Links every fix with the one before it that is in.
    fn link(&mut self) {
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

    /// Test (c), second half: a leg too fast for the platform makes the fix it
    /// leads to suspect.
    fn flag_fast_legs(&mut self) {
        let Some(limit) = quality::fast_limit(self.platform) else {
            return;
        };
        for index in 0..self.len() {
            let passed = self.flags.get(index) == Some(&Flag::Pass)
                && self.reasons.get(index) == Some(&Reason::None);
            if !passed || !self.is_fast(index, limit) {
                continue;
            }
            if let (Some(flag), Some(reason)) =
                (self.flags.get_mut(index), self.reasons.get_mut(index))
            {
                (*flag, *reason) = (Flag::Suspect, Reason::Fast);
            }
        }
    }

    /// Whether the leg to a fix is faster than a limit in m/s. A sphere settles
    /// all that is not near the limit: it differs by 0.6 % at most.
    fn is_fast(&self, index: usize, limit: f64) -> bool {
        let Some(from) = self.leg_start(index) else {
            return false;
        };
        let (start, end) = (self.position(from), self.position(index));
        let times = (self.time_stamps.get(from), self.time_stamps.get(index));
        let (Some(start_time), Some(end_time)) = times else {
            return false;
        };
        let duration = end_time - start_time;
        if duration <= 0.0 {
            return false;
        }
        let roughly = sphere::distance_m(start, end) / duration;
        if (roughly / limit - 1.0).abs() > 0.01 {
            return roughly > limit;
        }
        geodesic::leg(start, end).0 / duration > limit
    }

    /// T: of the last good intervals the median.
    fn set_interval(&mut self) {
        let mut last: Option<f64> = None;
        let mut intervals = Vec::with_capacity(INTERVALS);
        for fix in self.included_fixes().rev() {
            if let Some(later) = last.replace(fix.time_stamp)
                && later > fix.time_stamp
            {
                intervals.push(later - fix.time_stamp);
                if intervals.len() == INTERVALS {
                    break;
                }
            }
        }
        self.interval_s = median(intervals);
    }
}

/// The median; of an even number the mean of the middle two.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let (count, middle) = (values.len(), values.len() / 2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if count % 2 == 1 {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, upper))
}

/// Folds records of the same time and position into the first of them, also
/// where another position of that time lies between. The answer is which of
/// those that are left were sent how often, if more than once.
fn fold_repeats(transmissions: &mut Vec<Transmission>) -> Vec<(u32, u32)> {
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
            Some(place) => *repeated.entry(place).or_insert(1) += 1,
            None => {
                if !places.is_empty() {
                    places.insert(key(transmission.position), kept);
                }
                if let Some(place) = transmissions.get_mut(kept) {
                    *place = transmission;
                }
                kept += 1;
            }
        }
    }
    transmissions.truncate(kept);
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

/// The flags of all fixes before any leg is drawn: structure, two positions at
/// one time, speed.
fn verdicts(
    transmissions: &[Transmission],
    time_stamps: &[f64],
    assembly: &TrackOptions,
) -> Vec<(Flag, Reason)> {
    let position = |index: usize| {
        transmissions.get(index).map_or(
            Position {
                latitude: 90.0,
                longitude: 0.0,
            },
            |t| t.position,
        )
    };
    let mut verdicts = quality::check_time_and_location(time_stamps, position, assembly.now);
    let sound = || {
        transmissions
            .iter()
            .zip(&verdicts)
            .enumerate()
            .filter(|(_, (_, (flag, _)))| *flag != Flag::Fail)
            .map(|(index, (transmission, _))| (index, transmission))
    };
    let fixes = sound().map(|(_, one)| (one.time_stamp, one.position));
    let failed = speed::failures(fixes, speed::limit(assembly.platform));
    // Places among the sound ones to places among all.
    let mut failed = failed.into_iter().peekable();
    let places: Vec<usize> = sound()
        .enumerate()
        .filter(|(place, _)| failed.next_if_eq(place).is_some())
        .map(|(_, (index, _))| index)
        .collect();
    for index in places {
        if let Some(verdict) = verdicts.get_mut(index) {
            *verdict = (Flag::Fail, Reason::Speed);
        }
    }
    verdicts
}

#[cfg(test)]
mod tests;
