//! A track: a deployment's fixes in columns, with flags and legs.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::field::{FieldChoice, FieldColumn, FieldRows};
use super::interval::{Burst, Intervals};
use super::options::TrackOptions;
use super::platform::Platform;
use super::quality::judgement::Verdict;
use super::quality::reason::{Finding, text};
use super::quality::{Flag, LocationClass, Reason};
use super::record::{Early, InvalidRecord, Records, Transmission};
use super::service_clock::ServiceClock;
use super::statistics::Summary;
use crate::geo::{Position, Units, Vector, geodesic};
use crate::text::counted;
use crate::track::DeclaredState;

/// The fixes in which a last value is looked for.
const LATEST: usize = 200;

/// A valid transmission of a track, with the verdict on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fix {
    /// Index in the track, from 0, oldest first.
    pub index: usize,
    /// UNIX time in seconds, UTC.
    pub time_stamp: f64,
    /// The position of the instrument.
    pub position: Position,
    /// The QARTOD flag.
    pub flag: Flag,
    /// Why the flag is what it is.
    pub reason: Reason,
}

/// The geodesic from the previous included fix to a fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Leg {
    /// Index of the fix the leg starts at.
    pub from: usize,
    /// Length in metres.
    pub distance_m: f64,
    /// Course over ground at the start, degrees true in [0, 360); none where
    /// the distance is zero.
    pub course_deg: Option<f64>,
    /// Time between the two fixes in seconds, never negative.
    pub duration_s: f64,
    /// Speed over ground in m/s; `None` if no time passed.
    pub speed_m_s: Option<f64>,
}

/// A deployment's fixes in columns, oldest first, with flags and summary.
#[derive(Debug, Clone)]
pub(crate) struct Track {
    /// With what it was judged, and when.
    pub(super) options: TrackOptions,
    /// The first fix within the time window, and the first one after it.
    pub(super) inside: (usize, usize),
    /// Of a part of a track: time of the last fix (UNIX seconds) and T (seconds)
    /// of the whole one.
    pub(super) cut_from: Option<(Option<f64>, Option<f64>)>,
    /// The records that it is made of, in the order of time and without repeats.
    pub(super) records: Records,
    /// When the last answer with them was received, UNIX seconds.
    pub(super) received: f64,
    /// The fixes that were sent more than once: index and how often, ascending.
    pub(super) repeated: Vec<(u32, u32)>,
    /// How many of these repeats have another value in a field than the last of them, which counts.
    pub(super) conflicting: usize,
    /// The fixes that the service no longer sends, ascending.
    pub(super) absent: Vec<u32>,
    /// The classes of Argos locations, one for each fix; `None` if no field has them.
    pub(super) classes: Vec<Option<LocationClass>>,
    pub(super) verdict: Verdict,
    /// For each fix the last included fix before it; itself if there is none.
    pub(super) previous: Vec<u32>,
    /// The intervals from which T and the longest interval that is no data gap follow.
    pub(super) intervals: Intervals,
    /// Made when it is first asked for: it measures every leg.
    pub(super) summary: OnceLock<Summary>,
}

impl PartialEq for Track {
    /// `true` if both have the same content, whether they are summed up or not. When it was
    /// received is not compared: what follows from that is in the verdict, and the same response
    /// a minute later is the same track.
    fn eq(&self, other: &Self) -> bool {
        self.options.same_choices(&other.options)
            && self.count_past() == other.count_past()
            && self.verdict == other.verdict
            && self.records == other.records
            && self.repeated == other.repeated
            && self.conflicting == other.conflicting
            && self.absent == other.absent
    }
}

impl Track {
    /// The clock of its service when it was assembled.
    pub(crate) fn clock(&self) -> ServiceClock {
        self.options.clock
    }

    /// The platform whose limits the flags were made with.
    pub(crate) fn platform(&self) -> Platform {
        self.options.platform
    }

    /// `true` for the track of a file, which does not report.
    pub(crate) fn is_of_file(&self) -> bool {
        self.options.declared == DeclaredState::Read
    }

    /// The speed limit in m/s that the flags were made with.
    pub(crate) fn speed_limit_m_s(&self) -> f64 {
        self.options.speed_limit_m_s()
    }

    /// The speed limit that the flags were made with, and its source: "limit
    /// 8.1 kn, drifter", "limit 10 kn, set".
    pub(crate) fn limit_text(&self, units: Units) -> String {
        self.options.limit_text(units)
    }

    /// Number of fixes, failed ones included, unusable records not.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.transmissions().len()
    }

    /// `true` if there is no fix at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.transmissions().is_empty()
    }

    /// Times and positions of all fixes, oldest first.
    #[inline]
    pub(crate) fn transmissions(&self) -> &[Transmission] {
        &self.records.transmissions
    }

    /// The time of the fix at `index`, UNIX seconds.
    #[inline]
    pub(crate) fn time_stamp(&self, index: usize) -> Option<f64> {
        Some(self.transmissions().get(index)?.time_stamp)
    }

    /// The times of the first and the last fix, UNIX seconds; `None` without a fix.
    pub(crate) fn ends(&self) -> Option<(f64, f64)> {
        let all = self.transmissions();
        Some((all.first()?.time_stamp, all.last()?.time_stamp))
    }

    /// How many fixes are earlier than a time, UNIX seconds.
    pub(crate) fn count_before(&self, time: f64) -> usize {
        let all = self.transmissions();
        all.partition_point(|fix| fix.time_stamp < time)
    }

    /// How many fixes are of a time, UNIX seconds, or earlier.
    pub(crate) fn count_until(&self, time: f64) -> usize {
        let all = self.transmissions();
        all.partition_point(|fix| fix.time_stamp <= time)
    }

    /// Flags of all fixes.
    pub(crate) fn flags(&self) -> &[Flag] {
        &self.verdict.flags
    }

    /// The fields of the fixes' records, besides time and position.
    pub(crate) fn fields(&self) -> &FieldRows {
        &self.records.fields
    }

    /// The last number of each field that one of the latest good fixes has.
    pub(crate) fn last_values(&self) -> Vec<(String, f64)> {
        let of = |column: &FieldColumn| {
            let mut good = self
                .included_fixes()
                .rev()
                .filter(|fix| fix.flag != Flag::Suspect)
                .take(LATEST);
            let value =
                good.find_map(|fix| self.records.fields.value(column, fix.index)?.number())?;
            Some((column.name().to_owned(), value))
        };
        self.records.fields.columns().filter_map(of).collect()
    }

    /// The track with these fields for its fixes.
    pub(crate) fn with_fields(&self, fields: FieldRows) -> Self {
        let mut track = self.clone();
        track.records.fields = fields;
        track
    }

    /// The track with only the fields of a choice.
    pub(crate) fn with_chosen_fields(&self, choice: &FieldChoice) -> Self {
        self.with_fields(self.records.fields.pick(choice))
    }

    /// The position of the fix at `index`; the North Pole without a fix.
    #[inline]
    pub(crate) fn position(&self, index: usize) -> Position {
        let pole = Position {
            latitude: 90.0,
            longitude: 0.0,
        };
        let fix = self.transmissions().get(index);
        fix.map_or(pole, |fix| fix.position)
    }

    /// The fix at `index`.
    #[inline]
    pub(crate) fn fix(&self, index: usize) -> Option<Fix> {
        let transmission = self.transmissions().get(index)?;
        Some(Fix {
            index,
            time_stamp: transmission.time_stamp,
            position: transmission.position,
            flag: *self.verdict.flags.get(index)?,
            reason: *self.verdict.reasons.get(index)?,
        })
    }

    /// All fixes, oldest first.
    pub(crate) fn fixes(&self) -> impl DoubleEndedIterator<Item = Fix> + Clone + '_ {
        (0..self.len()).filter_map(|index| self.fix(index))
    }

    /// The fix nearest to a position, of several the newest; `None` without fixes.
    pub(crate) fn nearest(&self, position: Position) -> Option<usize> {
        let there = Vector::new(position);
        let mut nearest = None;
        let mut least = f64::INFINITY;
        let mut within_deg = f64::INFINITY;
        for (index, fix) in self.transmissions().iter().enumerate() {
            // By its latitude alone it may be farther away.
            if (fix.position.latitude - position.latitude).abs() > within_deg {
                continue;
            }
            let here = Vector::new(fix.position);
            if here.chord(there) <= least {
                (nearest, least) = (Some(index), here.chord(there));
                within_deg = here.angle(there).to_degrees() + 1e-9;
            }
        }
        nearest
    }

    /// The included fixes, oldest first.
    pub(crate) fn included_fixes(&self) -> impl DoubleEndedIterator<Item = Fix> + '_ {
        self.fixes().filter(|fix| self.is_included(fix.index))
    }

    /// How many fixes are not ahead of the clock by which the track was judged.
    pub(super) fn count_past(&self) -> usize {
        self.count_until(self.options.now)
    }

    /// The included fixes and not ahead of the clock, oldest first.
    pub(crate) fn past_fixes(&self) -> impl DoubleEndedIterator<Item = Fix> + '_ {
        self.fixes_up_to(self.options.now)
    }

    /// The included fixes and neither ahead of the clock nor after a moment, UNIX
    /// seconds; oldest first.
    pub(crate) fn fixes_up_to(&self, moment: f64) -> impl DoubleEndedIterator<Item = Fix> + '_ {
        let moment = moment.min(self.options.now);
        let fixes = (0..self.count_until(moment)).filter_map(|index| self.fix(index));
        fixes.filter(|fix| self.is_included(fix.index))
    }

    /// The latest included fix that is not ahead of the clock.
    pub(crate) fn latest(&self) -> Option<Fix> {
        self.latest_at(self.options.now)
    }

    /// When the instrument last showed that it sends, UNIX seconds: the time of the latest
    /// included fix, or when that was received, if that was before its time. Where the clock of
    /// the latest is ahead, those that are still ahead show it, too.
    pub(crate) fn heard_at(&self) -> Option<f64> {
        let is_ahead = |index: &usize| {
            self.verdict.reasons.get(*index) == Some(&Reason::Ahead) && self.is_inside(*index)
        };
        let last = self
            .past_fixes()
            .next_back()
            .filter(|fix| self.is_early(fix.index));
        let ahead = (self.count_past()..self.len())
            .filter(|_| last.is_some())
            .filter(is_ahead);
        let mut heard = ahead
            .filter_map(|index| self.received_early(index))
            .reduce(f64::max);
        for fix in self.past_fixes().rev().take(LATEST) {
            let early = self.received_early(fix.index);
            let shown = early.unwrap_or(fix.time_stamp);
            heard = Some(heard.map_or(shown, |heard| heard.max(shown)));
            if early.is_none() {
                break;
            }
        }
        heard
    }

    /// When a fix was received, UNIX seconds, if that was before its time.
    fn received_early(&self, index: usize) -> Option<f64> {
        let fix = self.transmissions().get(index)?;
        let is_it = |early: &&Early| early.fix == *fix;
        Some(self.records.early.iter().rfind(is_it)?.received)
    }

    /// `true` if a fix was received before its time.
    pub(crate) fn is_early(&self, index: usize) -> bool {
        self.received_early(index).is_some()
    }

    /// The latest included fix that is neither ahead of the clock nor after a moment, UNIX
    /// seconds. Of several positions at that time the best flag counts, then that the
    /// service still sends it, then the northernmost and the easternmost: so it does not
    /// depend on the order in which they were sent.
    pub(crate) fn latest_at(&self, moment: f64) -> Option<Fix> {
        let mut backwards = self.fixes_up_to(moment).rev();
        let last = backwards.next()?;
        let same = backwards.take_while(|fix| fix.time_stamp == last.time_stamp);
        let is_better = |this: &Fix, other: &Fix| {
            let sent = |fix: &Fix| !self.is_absent_from_latest(fix.index);
            let here = this.position;
            let there = other.position;
            (other.flag.code().cmp(&this.flag.code()))
                .then(sent(this).cmp(&sent(other)))
                .then(here.latitude.total_cmp(&there.latitude))
                .then(here.longitude.total_cmp(&there.longitude))
        };
        std::iter::once(last).chain(same).max_by(is_better)
    }

    /// `true` if the fix at `index` is in the time in which fixes count.
    #[inline]
    pub(crate) fn is_inside(&self, index: usize) -> bool {
        (self.inside.0..self.inside.1).contains(&index)
    }

    /// `true` if any fix is in the time in which the deployment counts.
    pub(crate) fn has_fix_inside(&self) -> bool {
        self.inside.0 < self.inside.1
    }

    /// `true` if the fix at `index` takes part in line and statistics.
    #[inline]
    pub(crate) fn is_included(&self, index: usize) -> bool {
        if !self.is_inside(index) {
            return false;
        }
        let is_ahead = self.verdict.reasons.get(index) == Some(&Reason::Ahead);
        let flag = self.verdict.flags.get(index);
        let may_fail = !self.options.exclude_failed;
        !is_ahead && flag.is_some_and(|flag| may_fail || *flag != Flag::Fail)
    }

    /// `true` if failed fixes are left out of line and statistics.
    #[cfg(test)]
    pub(crate) fn excludes_failed(&self) -> bool {
        self.options.exclude_failed
    }

    /// Why the fix at `index` carries its flag, with the number and the limit that
    /// made it: "16.5 km in 258 s: 64 m/s, limit 4.2 m/s"; empty if it passed.
    pub(crate) fn reason_text(&self, index: usize) -> Cow<'static, str> {
        self.reason_with(index, None)
    }

    /// [`Track::reason_text`] in the units of people.
    pub(crate) fn reason_in(&self, index: usize, units: Units) -> Cow<'static, str> {
        self.reason_with(index, Some(units))
    }

    fn reason_with(&self, index: usize, units: Option<Units>) -> Cow<'static, str> {
        let reason = self.verdict.reasons.get(index).copied().unwrap_or_default();
        let limit = self.options.speed_limit_m_s();
        text(reason, self.finding(index), limit, units)
    }

    /// The test result of a fix whose flag a user overrode; `None` if the tests had
    /// not failed it.
    pub(crate) fn tested(&self, index: usize) -> Option<(Flag, Reason)> {
        let fix = u32::try_from(index).ok()?;
        let overruled = &self.verdict.overruled;
        let found = overruled.binary_search_by_key(&fix, |(fix, ..)| *fix);
        let (_, flag, reason) = self.verdict.overruled.get(found.ok()?)?;
        Some((*flag, *reason))
    }

    pub(crate) fn finding(&self, index: usize) -> Option<&Finding> {
        let fix = u32::try_from(index).ok()?;
        let findings = &self.verdict.findings;
        let found = findings.binary_search_by_key(&fix, |finding| finding.fix);
        findings.get(found.ok()?)
    }

    /// `true` if the leg that leads to the fix at `index` is a jump: a lasting move
    /// over the speed limit. It is dashed on maps and counts neither for the
    /// length nor for the highest speed.
    #[inline]
    pub(crate) fn is_jump(&self, index: usize) -> bool {
        // A leg from a failed fix, where those are included, is another leg.
        self.jumps_lead_to(index)
            && self
                .leg_start(index)
                .is_some_and(|from| self.verdict.flags.get(from) != Some(&Flag::Fail))
    }

    #[inline]
    pub(super) fn jumps_lead_to(&self, index: usize) -> bool {
        u32::try_from(index).is_ok_and(|index| self.verdict.jumps.binary_search(&index).is_ok())
    }

    /// The note on repeats with other values of fields; `None` if there are none.
    pub(crate) fn conflicting_repeats(&self) -> Option<String> {
        let count = self.conflicting;
        let repeats = counted(count, "repeat of a fix has", "repeats of fixes have");
        (count > 0).then(|| format!("{repeats} another value in a field: the last one counts"))
    }

    /// How often the fix at `index` was sent; repeats are folded into one.
    pub(crate) fn times_sent(&self, index: usize) -> u32 {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let found = self.repeated.binary_search_by_key(&index, |(fix, _)| *fix);
        let repeated = found.ok().and_then(|found| self.repeated.get(found));
        repeated.map_or(1, |(_, times)| *times)
    }

    /// `true` if the fix at `index` is archived, but absent from the last answer.
    pub(crate) fn is_absent_from_latest(&self, index: usize) -> bool {
        u32::try_from(index).is_ok_and(|index| self.absent.binary_search(&index).is_ok())
    }

    /// The fix at the start of the leg to `index`; `None` for the first fix and for an excluded
    /// fix.
    #[inline]
    pub(crate) fn leg_start(&self, index: usize) -> Option<usize> {
        let from = usize::try_from(*self.previous.get(index)?).ok()?;
        (self.is_included(index) && from != index).then_some(from)
    }

    /// The leg that leads to the fix at `index`; none for the first fix, for one
    /// that is out, and from another position at the same time.
    pub(crate) fn leg(&self, index: usize) -> Option<Leg> {
        self.leg_between(self.leg_start(index)?, index)
    }

    /// The leg to the fix at `index` from the last one before its time: as
    /// [`Track::leg`], but not from another position at the same time.
    pub(crate) fn leg_from_before(&self, index: usize) -> Option<Leg> {
        let mut from = self.leg_start(index)?;
        while self.time_stamp(from) == self.time_stamp(index) {
            from = self.leg_start(from)?;
        }
        self.leg_between(from, index)
    }

    fn leg_between(&self, from: usize, index: usize) -> Option<Leg> {
        let duration_s = self.time_stamp(index)? - self.time_stamp(from)?;
        if duration_s <= 0.0 {
            return None;
        }
        let (distance_m, course_deg) = geodesic::leg(self.position(from), self.position(index));
        Some(Leg {
            from,
            distance_m,
            course_deg: (distance_m > 0.0).then_some(course_deg),
            duration_s,
            speed_m_s: Some(distance_m / duration_s),
        })
    }

    /// `true` if a leg of this duration in seconds is a data gap: longer than
    /// max(3 T, min(2 h, 30 T)).
    #[inline]
    pub(crate) fn is_gap(&self, duration_s: f64) -> bool {
        duration_s > self.intervals.longest_s()
    }

    /// `true` if the line is broken before the fix at `index`: by a data gap or a
    /// jump.
    #[inline]
    pub(crate) fn is_break(&self, index: usize) -> bool {
        let Some(from) = self.leg_start(index) else {
            return false;
        };
        let times = (self.time_stamp(from), self.time_stamp(index));
        let gap = matches!(times, (Some(from), Some(to)) if self.is_gap(to - from));
        gap || self.is_jump(index)
    }

    /// T: the median of the last 20 intervals between included fixes in seconds; `None` of
    /// fewer than three, and over 45 days.
    pub(crate) fn interval_s(&self) -> Option<f64> {
        self.intervals.interval_s()
    }

    /// T of all records with a position, whatever their flags, in seconds. Where fixes fail, the
    /// gaps between those that are left say little of how often the instrument sends.
    pub(crate) fn record_interval_s(&self) -> Option<f64> {
        let past = (0..self.count_past()).rev();
        let inside = past.filter(|index| self.is_inside(*index));
        Intervals::new(inside.filter_map(|index| self.time_stamp(index))).interval_s()
    }

    /// The number of intervals that T is made of.
    pub(crate) fn gaps(&self) -> usize {
        self.intervals.count
    }

    /// The gaps within the bursts in which it is sent; `None` if each fix is one of its own.
    pub(crate) fn burst(&self) -> Option<Burst> {
        self.intervals.burst()
    }

    /// The first records that could not be used, at most
    /// 1,000 of a response.
    pub(crate) fn unusable(&self) -> &[InvalidRecord] {
        &self.records.unusable
    }

    /// How many records could not be used.
    pub(crate) fn unusable_count(&self) -> usize {
        self.records.unusable_count()
    }

    /// How many records cannot be used, and why the first cannot; `None` if all can.
    pub(crate) fn unusable_text(&self) -> Option<String> {
        let first = self.records.unusable.first()?;
        let reason = crate::text::excerpt(&first.fault.to_string(), 200);
        let place = first.place();
        Some(match self.unusable_count() {
            1 => format!("1 record is invalid: {place}: {reason}"),
            count => format!("{count} records are invalid; the first is {place}: {reason}"),
        })
    }

    /// Counts, extent, length and pace of the included fixes.
    /// Of a long track the first call takes its time.
    pub(crate) fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| self.sum())
    }
}
