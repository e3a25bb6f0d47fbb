//! The good fixes of a track at distinct times, and the motion at each of them.

use super::motion::{Displacement, State};
use super::precision::error_m;
use super::{LONGEST_LEAD_S, Moment, NoForecast, SHORTEST_LEG_S};
use crate::geo::sphere::MEAN_RADIUS_M;
use crate::geo::{Position, Vector};
use crate::track::interval::median;
use crate::track::quality::LocationClass;
use crate::track::{Platform, Track};

/// The mean velocity is taken over this time, seconds: 12 h.
const MEAN_S: f64 = 12.0 * 3600.0;
/// The mean speed of the circle's scale is taken over this time, seconds: 24 h.
const SCALE_S: f64 = 24.0 * 3600.0;
/// Two fixes of one position are the error of a position apart at most; so many times as much is
/// motion.
const MOVED: f64 = 3.0;
/// An instrument that stays this near has not drifted, metres: so near are the fixes of a drifter that raises
/// `stationary`.
const AT_REST_M: f64 = 100.0;
/// A speed over a shorter time is that of the receiver's errors, seconds.
const SHORTEST_MOVE_S: f64 = 60.0;
/// T is the median of this many intervals.
const INTERVALS: usize = 20;

/// A good fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PathFix {
    /// UNIX seconds.
    pub time_s: f64,
    pub position: Position,
}

/// A lasting move over the speed limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Jump {
    /// The fix that it leads to, UNIX seconds.
    pub time_s: f64,
    pub distance_m: f64,
}

/// The good fixes of a track at distinct times, oldest first, from its last jump on: a jump
/// is no drift.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub platform: Platform,
    /// The jump that it begins with.
    pub jump: Option<Jump>,
    /// The error of its last position, metres.
    pub error_m: f64,
    /// `true` if its last position is an Argos location.
    pub is_by_argos: bool,
    /// The number of its fixes, those at equal times too.
    all: usize,
    fixes: Vec<PathFix>,
    vectors: Vec<Vector>,
}

impl Path {
    /// The good fixes of a track up to `until`, UNIX seconds.
    pub(crate) fn new(track: &Track, until: f64) -> Self {
        let mut backwards = track.fixes_up_to(until).rev();
        let jumped = backwards.find(|fix| track.is_jump(fix.index));
        let first = jumped.map_or(0, |fix| fix.index);
        let jump = jumped.and_then(|fix| {
            let distance_m = track.leg(fix.index)?.distance_m;
            let time_s = fix.time_stamp;
            Some(Jump { time_s, distance_m })
        });
        let mut fixes: Vec<PathFix> = track
            .fixes_up_to(until)
            .filter(|fix| fix.index >= first)
            .map(|fix| PathFix {
                time_s: fix.time_stamp,
                position: fix.position,
            })
            .collect();
        let all = fixes.len();
        fixes.dedup_by_key(|fix| fix.time_s);
        // Of several positions at the last time, that which every screen shows.
        let latest = track.latest_at(until);
        if let (Some(last), Some(fix)) = (fixes.last_mut(), latest) {
            last.position = fix.position;
        }
        let class = latest.and_then(|fix| track.location_class(fix.index));
        let positions: Vec<Position> = fixes.iter().map(|fix| fix.position).collect();
        let vectors = fixes.iter().map(|fix| Vector::new(fix.position));
        Self {
            platform: track.platform(),
            jump,
            error_m: error_m(&positions, class.map(LocationClass::error_m)),
            is_by_argos: class.is_some(),
            all,
            vectors: vectors.collect(),
            fixes,
        }
    }

    /// The last fix, if the path has a motion at the moment.
    pub(super) fn check(&self, moment: Moment) -> Result<PathFix, NoForecast> {
        let (Some(first), Some(last)) = (self.fixes.first(), self.fixes.last()) else {
            return Err(NoForecast::NoFix);
        };
        let age_s = moment.at - last.time_s;
        let span_s = last.time_s - first.time_s;
        let moves = || {
            let mut positions = self.fixes.iter().map(|fix| fix.position);
            positions.any(|position| !position.same_point(first.position))
        };
        match self.fixes.len() {
            _ if age_s > LONGEST_LEAD_S => Err(NoForecast::TooOld(age_s)),
            1 if self.all > 1 => Err(NoForecast::OneTime),
            1 => Err(NoForecast::OneFix),
            _ if !moves() => Err(NoForecast::OnePlace(self.fixes.len())),
            _ if span_s < SHORTEST_LEG_S => Err(NoForecast::TooShort(span_s)),
            _ => Ok(*last),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.fixes.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<PathFix> {
        self.fixes.get(index).copied()
    }

    /// The index of the last fix at or before a time.
    pub(super) fn last_until(&self, time_s: f64) -> Option<usize> {
        let after = self.fixes.partition_point(|fix| fix.time_s <= time_s);
        after.checked_sub(1)
    }

    /// The longest time between two fixes within which a position is interpolated, as
    /// known at the fix `index`: max(3 T, 2 h).
    pub(crate) fn longest_gap_s(&self, index: usize) -> f64 {
        (3.0 * self.interval_s(index)).max(2.0 * 3600.0)
    }

    /// T as known at the fix `index`: the median of the last 20 intervals.
    fn interval_s(&self, index: usize) -> f64 {
        let first = index.saturating_sub(INTERVALS);
        let known = self.fixes.get(first..=index).unwrap_or_default();
        let intervals = known.windows(2).map(|pair| match pair {
            [from, to] => to.time_s - from.time_s,
            _ => 0.0,
        });
        median(intervals.collect()).unwrap_or_default()
    }

    /// For how long the instrument has been within its error, and 100 m at least, of its last
    /// position, seconds.
    pub(super) fn at_rest_s(&self) -> f64 {
        let Some((last, here)) = self.fixes.last().zip(self.vectors.last()) else {
            return 0.0;
        };
        let within_m = self.error_m.max(AT_REST_M);
        let is_here =
            |(_, there): &(&PathFix, &Vector)| here.angle(**there) * MEAN_RADIUS_M <= within_m;
        let backwards = self.fixes.iter().zip(&self.vectors).rev();
        let came = backwards.take_while(is_here).last();
        came.map_or(0.0, |(fix, _)| last.time_s - fix.time_s)
    }

    /// The position at a time, on the great circle between the fixes about it; `None`
    /// where these are farther apart than `longest_gap_s`, and outside the path.
    pub(crate) fn position_at(&self, time_s: f64, longest_gap_s: f64) -> Option<Position> {
        let before = self.last_until(time_s)?;
        let from = self.get(before)?;
        if from.time_s == time_s {
            return Some(from.position);
        }
        let to = self.get(before + 1)?;
        let gap_s = to.time_s - from.time_s;
        if gap_s > longest_gap_s {
            return None;
        }
        let share = (time_s - from.time_s) / gap_s;
        let start = self.vectors.get(before)?;
        Some(
            start
                .towards(*self.vectors.get(before + 1)?, share)
                .position(),
        )
    }

    /// The speed to the fix `index` over the shortest leg, a minute at least and under an
    /// hour, that shows motion, m/s; 0 if none does.
    ///
    /// The mean of an hour is too slow for minutes after a mooring has parted. A shorter leg
    /// counts if the receiver's errors cannot make it, and if the fix before its start is as
    /// far away: alone that start could be a spike.
    fn speed_of_move_m_s(&self, index: usize) -> f64 {
        let age_s = |start: usize| Some(self.get(index)?.time_s - self.get(start)?.time_s);
        let moved_m = |start: usize| {
            let here = self.vectors.get(index)?;
            Some(here.angle(*self.vectors.get(start)?) * MEAN_RADIUS_M)
        };
        let is_far =
            |start: usize| moved_m(start).is_some_and(|moved_m| moved_m >= MOVED * self.error_m);
        let is_recent = |start: &usize| age_s(*start).is_some_and(|age_s| age_s < SHORTEST_LEG_S);
        let is_move = |start: &usize| {
            age_s(*start).is_some_and(|age_s| age_s >= SHORTEST_MOVE_S)
                && is_far(*start)
                && is_far(*start - 1)
        };
        let start = (1..index).rev().take_while(is_recent).find(is_move);
        let speed = start.and_then(|start| Some(moved_m(start)? / age_s(start)?));
        speed.unwrap_or_default()
    }

    /// The motion at the fix `index`, by this fix and those before it; `None` if none
    /// is an hour older.
    pub(super) fn state(&self, index: usize) -> Option<State> {
        let here = self.get(index)?;
        let start = self.get(self.last_until(here.time_s - SHORTEST_LEG_S)?)?;
        let duration_s = here.time_s - start.time_s;
        let last = Displacement::between(here.position, start.position).scaled(-1.0 / duration_s);
        let longest_gap_s = self.longest_gap_s(index);
        let mean = |over_s: f64| {
            let position = self.position_at(here.time_s - over_s, longest_gap_s)?;
            Some(Displacement::between(here.position, position).scaled(-1.0 / over_s))
        };
        // Over less than 24 h where the path begins later, or after a data gap.
        let since_known = || {
            let after = self
                .fixes
                .partition_point(|fix| fix.time_s < here.time_s - SCALE_S);
            let first = self.get(after).filter(|fix| fix.time_s < start.time_s)?;
            let known = Displacement::between(here.position, first.position);
            Some(known.scaled(-1.0 / (here.time_s - first.time_s)))
        };
        Some(State {
            time_s: here.time_s,
            position: here.position,
            last,
            mean_12h: mean(MEAN_S).unwrap_or(last),
            speed_m_s: mean(SCALE_S)
                .or_else(since_known)
                .unwrap_or(last)
                .length_m()
                .max(last.length_m())
                .max(self.speed_of_move_m_s(index)),
            // The speed of a leg over a data gap is not that at its end.
            is_after_gap: duration_s > (2.5 * self.interval_s(index)).max(2.5 * 3600.0),
        })
    }
}
