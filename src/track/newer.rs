//! Reports after or between the last good fixes that do not show where the instrument is:
//! failed fixes, invalid records, fixes ahead of the clock.

use serde::{Deserialize, Serialize};

use super::fixes::{Fix, Track};
use super::health::State;
use super::quality::{Flag, Reason, weeks_early};
use crate::geo::{Units, geodesic};

/// The share of good fixes is that among this many last good fixes.
const LAST: usize = 20;
/// The share of fixes that fail or jump is that among this many fixes in a row, until so many
/// later ones have come.
const TORN: usize = 12;
const HOLDS: usize = 6;

/// The reports of an instrument besides its last included fixes. The instrument may be far
/// from its last included position.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Newer {
    /// `true` if there is an included fix that all are newer than.
    has_fix: bool,
    /// Newer fixes that the quality tests failed.
    pub failed: usize,
    /// The distance of the newest of them from the last included fix, metres.
    pub(super) failed_m: Option<f64>,
    /// Newer records that cannot be used.
    pub invalid: usize,
    /// `true` if the newest of them lacks its position.
    lacks_position: bool,
    /// Newer fixes that are ahead of the clock, if no others arrive.
    pub ahead: usize,
    /// Fixes whose dates are rollovers of the GPS week early, if no others arrive.
    early: Option<Early>,
    /// Included fixes, failed ones and unusable records since the 20th last included fix.
    recent: [usize; 3],
}

/// Fixes whose dates are whole rollovers of the GPS week early.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Early {
    fixes: usize,
    weeks: f32,
    /// `true` if there are no others to judge it by, only the time of the answer.
    are_all: bool,
}

impl Early {
    fn text(self) -> String {
        let Self { fixes, weeks, .. } = self;
        match (self.are_all, fixes) {
            (true, _) => format!("all dates may be {weeks} weeks early (GPS week rollover)"),
            (false, 1) => format!("1 fix is dated {weeks} weeks early (GPS week rollover)"),
            _ => format!("{fixes} fixes are dated {weeks} weeks early (GPS week rollover)"),
        }
    }
}

impl Newer {
    /// "3 newer fixes failed, the newest 22.2 km away"; `None` if there is nothing to report.
    pub(crate) fn text(&self, units: Units) -> Option<String> {
        let distance = self.failed_m.map(|metres| units.distance(metres));
        let failed = self.failed().map(|words| match (distance, self.failed) {
            (None, _) => words,
            (Some(distance), 1) => format!("{words}, {distance} away"),
            (Some(distance), _) => format!("{words}, the newest {distance} away"),
        });
        let early = self.early.map(Early::text);
        let words = [failed, self.invalid(), self.ahead(), self.often(), early];
        let words: Vec<String> = words.into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// The same without what is ahead of the clock.
    pub(crate) fn without_ahead(self) -> Self {
        Self { ahead: 0, ..self }
    }

    fn counted(&self, count: usize, singular: &str, plural: &str) -> Option<String> {
        let newer = if self.has_fix { "newer " } else { "" };
        let noun = if count == 1 { singular } else { plural };
        (count > 0).then(|| format!("{count} {newer}{noun}"))
    }

    fn failed(&self) -> Option<String> {
        self.counted(self.failed, "fix failed", "fixes failed")
    }

    fn invalid(&self) -> Option<String> {
        let why = if self.lacks_position {
            ": no position"
        } else {
            ""
        };
        let words = self.counted(self.invalid, "record", "records")?;
        Some(format!("{words} cannot be used{why}"))
    }

    fn ahead(&self) -> Option<String> {
        let words = self.counted(self.ahead, "fix is", "fixes are")?;
        Some(words + " ahead of the clock")
    }

    /// The share of failed fixes and invalid records between the last good fixes, if it is two
    /// fifths or more.
    fn often(&self) -> Option<String> {
        let [good, failed, invalid] = self.recent;
        let lost = failed + invalid;
        let why = match (failed, invalid) {
            (_, 0) => "failed",
            (0, _) => "cannot be used",
            _ => "failed or cannot be used",
        };
        let is_often = good >= LAST / 4 && 3 * lost >= 2 * good;
        is_often.then(|| format!("{lost} of the last {} records {why}", good + lost))
    }

    /// `true` if about every second of the last fixes failed: as of two instruments in one.
    fn fails_often(&self) -> bool {
        let [good, failed, _] = self.recent;
        good >= LAST / 4 && 3 * failed >= 2 * good
    }
}

/// `true` for a fix that failed because the service has sent another position instead, or the user
/// knows.
fn is_known(fix: &Fix) -> bool {
    matches!(
        fix.reason,
        Reason::Future | Reason::Overridden | Reason::Replaced
    )
}

impl Track {
    /// The reports besides the last included fixes, without fixes that a user has failed;
    /// `None` if there is nothing to report.
    pub(crate) fn newer(&self) -> Option<Newer> {
        let last = self.latest();
        let since = last.map_or(f64::NEG_INFINITY, |fix| fix.time_stamp);
        let reason = |index: usize| self.verdict.reasons.get(index).copied();
        let is_fail = |index: usize| self.verdict.flags.get(index) == Some(&Flag::Fail);
        let is_failed = |index: &usize| self.is_failed(*index);
        let is_ahead = |index: &usize| {
            self.is_inside(*index) && (!is_fail(*index) || reason(*index) == Some(Reason::Future))
        };
        let from = self.count_until(since);
        let come = self.count_past();
        let failed: Vec<usize> = (from..come).filter(is_failed).collect();
        let newest = failed.last().and_then(|index| self.time_stamp(*index));
        // Of several positions at one time the farthest.
        let distances = (failed.iter().rev())
            .take_while(|index| self.time_stamp(**index) == newest)
            .filter_map(|index| Some((last?.position, self.position(*index))))
            .map(|(last, failed)| geodesic::length_m(last, failed));
        let is_on_time = self.health_at(self.options.now).state == State::OnTime;
        let window = self.options.window;
        let from_s = window.from.map_or(since, |from| from.max(since));
        let now = self.options.now;
        let until_s = window.until.map_or(now, |until| until.min(now));
        let invalid = (self.records.invalid_times.iter())
            .filter(|record| record.time_stamp > from_s && record.time_stamp <= until_s);
        let newest_invalid = (invalid.clone()).max_by(|a, b| a.time_stamp.total_cmp(&b.time_stamp));
        let newer = Newer {
            has_fix: last.is_some(),
            failed_m: distances.reduce(f64::max),
            failed: failed.len(),
            invalid: invalid.count(),
            lacks_position: newest_invalid.is_some_and(|record| record.lacks_position),
            // They hide nothing while others come.
            ahead: if is_on_time {
                0
            } else {
                (come..self.len()).filter(is_ahead).count()
            },
            early: if is_on_time { None } else { self.early() },
            recent: self.recent(since),
        };
        newer.text(Units::Metric).is_some().then_some(newer)
    }

    /// `true` for a fix inside the window that failed, and not because the service has sent another
    /// position instead or the user knows.
    pub(crate) fn is_failed(&self, index: usize) -> bool {
        let is_failed = |fix: Fix| fix.flag == Flag::Fail && !is_known(&fix);
        self.is_inside(index) && self.fix(index).is_some_and(is_failed)
    }

    /// The fixes whose dates are rollovers early, by the others or, if none shows it, by the time
    /// at which the last answer was received.
    fn early(&self) -> Option<Early> {
        let is_early = |fix: &Fix| fix.reason == Reason::WeekRollover;
        let found = self.fixes().filter(is_early);
        if let Some(last) = found.clone().next_back() {
            return Some(Early {
                fixes: found.count(),
                weeks: self.finding(last.index)?.measured,
                are_all: false,
            });
        }
        let last = self.latest()?.time_stamp;
        Some(Early {
            fixes: self.len(),
            weeks: weeks_early(last, self.received)?,
            are_all: true,
        })
    }

    /// The note that all dates are rollovers of the GPS week early, as far as the time at which
    /// the last answer was received tells.
    pub(crate) fn all_early(&self) -> Option<String> {
        let early = self.early().filter(|early| early.are_all);
        early.map(Early::text)
    }

    /// Included fixes, failed ones and unusable records from the 20th last included fix to
    /// the last one (UNIX seconds).
    fn recent(&self, last: f64) -> [usize; 3] {
        let good: Vec<Fix> = self.past_fixes().rev().take(LAST).collect();
        let Some(first) = good.last() else {
            return [0; 3];
        };
        let from = self.count_before(first.time_stamp);
        let until = self.count_until(last);
        let within = |time: f64| time >= first.time_stamp && time <= last;
        let invalid = self.records.invalid_times.iter();
        [
            good.len(),
            (from..until).filter(|index| self.is_failed(*index)).count(),
            invalid.filter(|record| within(record.time_stamp)).count(),
        ]
    }

    /// Why the latest response has no news of the instrument: none of its records can be used.
    /// `None` if one can, and for a response without a record.
    pub(crate) fn none_usable(&self) -> Option<String> {
        let first = self.records.unusable.first()?;
        let is_sent = |index: usize| !self.is_absent_from_latest(index);
        // Mostly the last fix is in it.
        let none = !(0..self.len()).rev().any(is_sent);
        none.then(|| {
            let count = crate::text::counted(self.unusable_count(), "record", "records");
            let why = crate::text::excerpt(&first.fault.to_string(), 200);
            format!("none of {count} in the response can be used; the first: {why}")
        })
    }

    /// Why the newest records do not show where the instrument is, and since when (UNIX
    /// seconds). `None` if fewer than `least` are in doubt.
    pub(crate) fn newer_lost(&self, least: usize) -> Option<(String, f64)> {
        let newer = self.newer()?;
        let is_lost = newer.failed + newer.invalid + newer.ahead >= least.max(1);
        let kinds = [newer.failed(), newer.invalid(), newer.ahead()].into_iter();
        let words: Vec<String> = kinds.filter(|_| is_lost).flatten().collect();
        let last = self
            .latest()
            .map_or(f64::NEG_INFINITY, |fix| fix.time_stamp);
        is_lost.then(|| (words.join(" and "), last))
    }

    /// The note that about every second of the last records failed, and since when (UNIX seconds).
    pub(crate) fn often_lost(&self) -> Option<(String, f64)> {
        let newer = self.newer()?;
        let often = newer.often().filter(|_| newer.fails_often())?;
        let first = self.past_fixes().rev().take(LAST).last()?;
        let from = self.count_before(first.time_stamp);
        let failed = (from..self.len()).find(|index| self.is_failed(*index));
        Some((often, self.time_stamp(failed?)?))
    }

    /// The note that a third of the last records failed or jump, as of two instruments in one, and since
    /// when (UNIX seconds).
    pub(crate) fn torn(&self) -> Option<(String, f64)> {
        let past = (0..self.count_past())
            .rev()
            .filter(|index| self.is_inside(*index));
        let records = past.filter_map(|index| self.fix(index));
        let unknown = records.filter(|fix| !is_known(fix));
        let last: Vec<Fix> = unknown.take(TORN + HOLDS).collect();
        let is_lost = |fix: &&Fix| fix.flag == Flag::Fail || fix.reason == Reason::Jump;
        let lost = |part: &[Fix]| part.iter().filter(is_lost).count();
        let torn = last.windows(TORN).filter(|part| 3 * lost(part) >= TORN);
        let earliest = torn.clone().next_back()?;
        let earliest = earliest.iter().rfind(is_lost)?.time_stamp;
        let most = torn.map(lost).max()?;
        let text = format!("{most} of {TORN} records in a row failed or jump");
        Some((text, earliest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::track::{records, track};
    use crate::track::{Member, Platform, RecordFault, TrackOptions};

    #[test]
    fn a_track_is_torn_since_the_first_record_that_does_not_fit() {
        let hourly = |n: u32| 1.7e9 + 3600.0 * f64::from(n);
        let longitude = |n: u32| match n {
            30.. if n.is_multiple_of(2) => 10.0,
            _ => 5.0,
        };
        let seen_after = |count: u32| {
            let fixes = (0..count).map(|n| (hourly(n), 60.0, longitude(n)));
            track(Platform::Mooring, hourly(count), fixes).torn()
        };
        assert_eq!(seen_after(36), None);
        let (words, since) = seen_after(42).unwrap();
        assert_eq!(since, hourly(30), "{words}");
    }

    #[test]
    fn fixes_after_the_last_good_one_are_counted_with_the_distance_of_the_newest() {
        let still = (0..30).map(|n| (1.7e9 + 600.0 * f64::from(n), 60.0, 5.0));
        let at = |n: u32, latitude| (1.7e9 + 600.0 * f64::from(29 + n), latitude, 5.0);
        let now = 1.7e9 + 600.0 * 32.0;
        let of = |more: &[(f64, f64, f64)]| {
            let fixes = still.clone().chain(more.iter().copied());
            let track = track(Platform::Drifter, now, fixes);
            track.newer().and_then(|newer| newer.text(Units::Metric))
        };
        assert_eq!(of(&[]), None);
        let one = "1 newer fix failed, 111.42 km away";
        assert_eq!(of(&[at(1, 61.0)]).as_deref(), Some(one));
        let two = "2 newer fixes failed, the newest 111.42 km away";
        assert_eq!(of(&[at(1, 61.0), at(2, 61.0)]).as_deref(), Some(two));
        // A good one after it, and three, which are a lasting move.
        assert_eq!(of(&[at(1, 61.0), at(2, 60.0)]), None);
        assert_eq!(of(&[at(1, 61.0), at(2, 61.0), at(3, 61.0)]), None);
        // The user knows of what the user has failed.
        let mut options = TrackOptions::new(Platform::Drifter, now);
        let fixes = track(Platform::Drifter, now, still.clone().chain([at(1, 61.0)]));
        let far = fixes.fix(30).unwrap();
        let (time, position) = (far.time_stamp, far.position);
        options.overrules.set(time, position, Flag::Fail);
        assert_eq!(fixes.reassembled(&options).newer(), None);
    }

    /// A track of good fixes each ten minutes, the last an hour ago, with these records that
    /// lack their position, in seconds after the last fix.
    fn with_invalid(times: impl Iterator<Item = f64>) -> Track {
        let last = 1.7e9;
        let good = (0..30).map(|n| (last - 600.0 * f64::from(29 - n), 60.0, 5.0));
        let mut records = records(good);
        for time in times {
            let fault = RecordFault::Missing(Member::Latitude);
            records.add_unusable(0, fault.at(last + time), String::new);
        }
        let options = TrackOptions::new(Platform::Drifter, last + 3600.0);
        Track::new(&records, &options)
    }

    #[test]
    fn records_without_a_position_are_counted_however_many_came_before() {
        let of = |track: Track| track.newer().and_then(|newer| newer.text(Units::Metric));
        let six = (1..=6).map(|n| 600.0 * f64::from(n));
        let old = (0..5000).map(|n| -f64::from(n) * 1e4 - 1e6);
        let text = "6 newer records cannot be used: no position";
        assert_eq!(of(with_invalid(old.chain(six))).as_deref(), Some(text));
        // A clock that is ahead is no newer record.
        assert_eq!(of(with_invalid([1e9].into_iter())), None);
    }

    #[test]
    fn that_every_second_record_is_of_no_use_is_said() {
        let of = |track: Track| track.newer().and_then(|newer| newer.text(Units::Metric));
        let second = (0..29).map(|n| -600.0 * f64::from(n) - 300.0);
        let text = "19 of the last 39 records cannot be used";
        assert_eq!(of(with_invalid(second)).as_deref(), Some(text));
        let third = (0..10).map(|n| -1800.0 * f64::from(n) - 300.0);
        assert_eq!(of(with_invalid(third)), None);
        // Another instrument under the same id.
        let both = (0..60).map(|n| {
            let north = if n % 2 == 0 { 60.0 } else { 62.0 };
            (1.7e9 + 300.0 * f64::from(n), north, 5.0)
        });
        let both = track(Platform::Drifter, 1.7e9 + 300.0 * 60.0, both);
        let (text, _) = both.often_lost().unwrap();
        assert!(
            text.contains("of the last") && text.ends_with("failed"),
            "{text}"
        );
    }

    #[test]
    fn fixes_ahead_of_the_clock_are_named_where_no_others_come() {
        let now = 1.7e9 + 36_000.0;
        let of = |ahead_s: f64, now: f64| {
            let good = (0..30).map(|n| (1.7e9 - 600.0 * f64::from(29 - n), 60.0, 5.0));
            let ahead = (0..5).map(|n| (1.7e9 + ahead_s + 600.0 * f64::from(n), 60.0, 5.0));
            track(Platform::Drifter, now, good.chain(ahead))
                .newer_lost(3)
                .map(|(text, _)| text)
        };
        let text = "5 newer fixes are ahead of the clock";
        assert_eq!(of(50_000.0, now).as_deref(), Some(text));
        assert_eq!(of(500_000.0, now).as_deref(), Some(text));
        // Others still come: those ahead hide nothing.
        assert_eq!(of(50_000.0, 1.7e9 + 300.0), None);
    }
}
