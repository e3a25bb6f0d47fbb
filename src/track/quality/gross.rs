//! The test "gross", QARTOD's gross range test (U.S. IOOS, Manual for Real-Time Quality Control of
//! In-situ Temperature and Salinity Data, 2020): a position that is none, also by its source, and
//! times of a clock that was lost.

use super::judgement::Judgement;
use super::reason::Reason;
use super::{AHEAD_S, LOST_CLOCK_S, ROLLOVER_S, START_S};
use crate::track::interval::Intervals;
use crate::track::quality::Flag;

const DAY_S: f64 = 86_400.0;
const YEAR_S: f64 = 365.25 * DAY_S;
/// The clocks of receivers begin at 1970-01-01, 1980-01-06, 1999-08-22 and 2000-01-01, UNIX
/// seconds.
const STARTS: [f64; 4] = [0.0, 315_964_800.0, 935_280_000.0, 946_684_800.0];
/// A clock may be this much before its start, seconds: by the leap seconds of today.
const LEAP_S: f64 = 60.0;
/// Weeks are counted from here on: no earlier time is of a week count that began again.
const GPS_START: f64 = STARTS[1] - LEAP_S;
/// Times this short before the answer came are never lost, seconds.
const RECENT_S: f64 = 30.0 * DAY_S;

/// Fixes in a row that more than a year parts from every other.
struct Group<'a> {
    fixes: &'a [usize],
    began: f64,
    ended: f64,
    /// `true` if it reaches into the last days before the answer came.
    is_recent: bool,
}

/// Why a group has a lost clock.
#[derive(Clone, Copy)]
enum Lost {
    /// Its times are shortly after this start of clocks, UNIX seconds.
    Start(f64),
    /// Its weeks were counted again, so many weeks ago.
    Rollover(f64),
    /// It is so many seconds from all others.
    Apart(f64),
}

/// By how many whole rollovers of the week count a span of times is before another one, if it
/// comes within `margin_s` of it once it is moved on by them.
fn rollovers(early: (f64, f64), right: (f64, f64), margin_s: f64) -> Option<f64> {
    let least = ((right.0 - margin_s - early.1) / ROLLOVER_S)
        .ceil()
        .max(1.0);
    let most = ((right.1 + margin_s - early.0) / ROLLOVER_S).floor();
    (early.0 >= GPS_START && least <= most).then_some(least)
}

/// By how many weeks a track that ends at `last` may be early, if it ends shortly before the time
/// `received` of its answer once it is moved on by them; UNIX seconds.
pub(in crate::track) fn weeks_early(last: f64, received: f64) -> Option<f32> {
    let recent = (received - RECENT_S, received + AHEAD_S);
    // A whole number of weeks.
    rollovers((last, last), recent, 0.0).map(|times| (1024.0 * times) as f32)
}

impl Judgement<'_> {
    /// The test "gross" of fixes that were received at `received` (UNIX seconds). Returns whether
    /// any two fixes have one time.
    pub(super) fn test_gross(&mut self, received: f64) -> bool {
        let mut conflict = false;
        let mut last = f64::NEG_INFINITY;
        for (index, fix) in self.fixes.iter().enumerate() {
            if self.is_marked(index) {
                self.mark(index, Flag::Fail, Reason::MarkedInvalid);
                continue;
            }
            if fix.position.latitude == 0.0 && fix.position.longitude == 0.0 {
                self.mark(index, Flag::Fail, Reason::NullIsland);
                continue;
            }
            conflict |= fix.time_stamp == last;
            last = fix.time_stamp;
        }
        self.test_lost_clock(received);
        conflict
    }

    fn test_lost_clock(&mut self, received: f64) {
        let time = |index: usize| self.fixes.get(index).map_or(f64::NAN, |fix| fix.time_stamp);
        let first = self.sound().next();
        let last = self.sound().next_back();
        if (first.zip(last)).is_none_or(|(a, b)| time(b) - time(a) <= YEAR_S) {
            return;
        }
        let sound: Vec<usize> = self.sound().collect();
        let groups: Vec<Group<'_>> = sound
            .chunk_by(|a, b| time(*b) - time(*a) <= YEAR_S)
            .filter_map(|fixes| {
                let ended = time(*fixes.last()?);
                Some(Group {
                    fixes,
                    began: time(*fixes.first()?),
                    ended,
                    is_recent: ended >= received - RECENT_S,
                })
            })
            .collect();
        let mut lost = after_start(&groups);
        let rest = (groups.iter().zip(&lost)).filter(|(_, lost)| lost.is_none());
        let newest_first = rest.rev().flat_map(|(group, _)| group.fixes.iter().rev());
        let interval_s = Intervals::new(newest_first.map(|index| time(*index))).interval_s();
        let margin_s = interval_s.map_or(DAY_S, |t| (3.0 * t).max(DAY_S));
        add_rolled_over(&groups, margin_s, &mut lost);
        add_apart(&groups, &mut lost);
        let found: Vec<(usize, Lost, usize)> = (groups.iter().zip(lost))
            .filter_map(|(group, lost)| Some((group, lost?)))
            .flat_map(|(group, lost)| {
                let count = group.fixes.len();
                group.fixes.iter().map(move |index| (*index, lost, count))
            })
            .collect();
        for (index, lost, count) in found {
            let count = count as f64;
            let (reason, measured, within) = match lost {
                Lost::Start(start) => (Reason::ClockStart, start, 0.0),
                Lost::Rollover(weeks) => (Reason::WeekRollover, weeks, count),
                Lost::Apart(seconds) => (Reason::LostClock, seconds, 0.0),
            };
            self.mark(index, Flag::Fail, reason);
            self.find(index, measured, within);
        }
    }
}

/// The groups that lie shortly after a start of clocks. If all do, the largest stays, of equals
/// the latest.
fn after_start(groups: &[Group<'_>]) -> Vec<Option<Lost>> {
    let start = |group: &Group<'_>| {
        let is_after =
            |start: &&f64| group.began >= **start - LEAP_S && group.ended <= **start + START_S;
        let start = STARTS.iter().find(is_after);
        start.filter(|_| !group.is_recent).copied().map(Lost::Start)
    };
    let mut lost: Vec<Option<Lost>> = groups.iter().map(start).collect();
    if lost.iter().all(Option::is_some) {
        let of_most = (groups.iter().zip(&mut lost)).max_by_key(|(group, _)| group.fixes.len());
        if let Some((_, lost)) = of_most {
            *lost = None;
        }
    }
    lost
}

/// Adds the groups whose weeks were counted again: whole rollovers later they would be at another
/// group. There are few that may be, a year apart since 1980.
fn add_rolled_over(groups: &[Group<'_>], margin_s: f64, lost: &mut [Option<Lost>]) {
    let first = groups.partition_point(|group| group.began < GPS_START);
    let is_start: Vec<bool> = lost.iter().map(Option::is_some).collect();
    let later = |place: usize| {
        let others = groups.iter().zip(&is_start).skip(place + 1);
        others.filter(|(_, is_start)| !**is_start)
    };
    for (place, group) in groups.iter().enumerate().skip(first) {
        let span = (group.began, group.ended);
        let before =
            |(other, _): (&Group<'_>, _)| rollovers(span, (other.began, other.ended), margin_s);
        if let Some(lost) = lost.get_mut(place).filter(|lost| lost.is_none())
            && !group.is_recent
            && let Some(times) = later(place).filter_map(before).reduce(f64::min)
        {
            *lost = Some(Lost::Rollover(1024.0 * times));
        }
    }
}

/// Adds the groups that are more than five years from all others, but for the largest of
/// them, of equals the latest.
fn add_apart(groups: &[Group<'_>], lost: &mut [Option<Lost>]) {
    let rest: Vec<usize> = (0..groups.len())
        .filter(|place| lost.get(*place).is_some_and(Option::is_none))
        .collect();
    let between = |earlier: &usize, later: &usize| {
        let ended = groups.get(*earlier).map_or(f64::NAN, |group| group.ended);
        groups
            .get(*later)
            .map_or(f64::NAN, |group| group.began - ended)
    };
    let parts: Vec<&[usize]> = rest
        .chunk_by(|a, b| between(a, b) <= LOST_CLOCK_S)
        .collect();
    let fixes = |part: &&[usize]| -> usize {
        let of_part = part.iter().filter_map(|place| groups.get(*place));
        of_part.map(|group| group.fixes.len()).sum()
    };
    let kept = (0..parts.len()).max_by_key(|number| parts.get(*number).map(fixes));
    for (number, part) in parts.iter().enumerate() {
        let is_recent = |place: &usize| groups.get(*place).is_some_and(|group| group.is_recent);
        if Some(number) == kept || part.iter().any(is_recent) {
            continue;
        }
        let before = number
            .checked_sub(1)
            .and_then(|before| parts.get(before)?.last());
        let after = parts.get(number + 1).and_then(|after| after.first());
        let sides = [before.zip(part.first()), part.last().zip(after)];
        let apart_s = sides
            .into_iter()
            .flatten()
            .map(|(a, b)| between(a, b))
            .fold(f64::INFINITY, f64::min);
        for place in *part {
            if let Some(lost) = lost.get_mut(*place) {
                *lost = Some(Lost::Apart(apart_s));
            }
        }
    }
}
