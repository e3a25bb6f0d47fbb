//! The good fixes of a track at distinct times, and what they tell at each of them.

use super::motion::{Displacement, State};
use super::{LONGEST_LEAD_S, Moment, NoForecast, SHORTEST_LEG_S};
use crate::geo::{Position, Vector};
use crate::track::interval::median;
use crate::track::{Platform, Track};

/// The mean velocity is taken over this time, seconds: 12 h.
const MEAN_S: f64 = 12.0 * 3600.0;
/// The mean speed of the circle's scale is taken over this time, seconds: 24 h.
const SCALE_S: f64 = 24.0 * 3600.0;
/// T is the median of this many intervals.
const INTERVALS: usize = 20;

/// A good fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stand {
    /// UNIX seconds.
    pub time_s: f64,
    pub position: Position,
}

/// The good fixes of a track at distinct times, oldest first.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub platform: Platform,
    stands: Vec<Stand>,
    vectors: Vec<Vector>,
}

impl Path {
    /// The good fixes of a track up to `until`, UNIX seconds.
    pub(super) fn of(track: &Track, until: f64) -> Self {
        let mut stands: Vec<Stand> = Vec::with_capacity(track.len());
        for fix in track.come_fixes() {
            if fix.time_stamp > until {
                break;
            }
            if stands
                .last()
                .is_none_or(|last| last.time_s < fix.time_stamp)
            {
                stands.push(Stand {
                    time_s: fix.time_stamp,
                    position: fix.position,
                });
            }
        }
        // Of several positions at the last time, the one that every screen shows.
        if let (Some(last), Some(fix)) = (stands.last_mut(), track.latest_until(until)) {
            last.position = fix.position;
        }
        let vectors = stands.iter().map(|stand| Vector::of(stand.position));
        Self {
            platform: track.platform(),
            vectors: vectors.collect(),
            stands,
        }
    }

    /// The last fix, if the path tells a motion at the moment; `fixes` are those of the
    /// track, at equal times too.
    pub(super) fn check(&self, fixes: usize, moment: Moment) -> Result<Stand, NoForecast> {
        let (Some(first), Some(last)) = (self.stands.first(), self.stands.last()) else {
            return Err(NoForecast::NoFix);
        };
        let age_s = moment.at - last.time_s;
        let span_s = last.time_s - first.time_s;
        let moves = || {
            let mut positions = self.stands.iter().map(|stand| stand.position);
            positions.any(|position| !position.same_point(first.position))
        };
        match self.stands.len() {
            _ if age_s > LONGEST_LEAD_S => Err(NoForecast::TooOld(age_s)),
            1 if fixes > 1 => Err(NoForecast::OneTime),
            1 => Err(NoForecast::OneFix),
            _ if !moves() => Err(NoForecast::OnePlace),
            _ if span_s < SHORTEST_LEG_S => Err(NoForecast::TooShort(span_s)),
            _ => Ok(*last),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.stands.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<Stand> {
        self.stands.get(index).copied()
    }

    /// The index of the last fix at or before a time.
    pub(super) fn last_until(&self, time_s: f64) -> Option<usize> {
        let after = self.stands.partition_point(|stand| stand.time_s <= time_s);
        after.checked_sub(1)
    }

    /// The longest time between two fixes within which a position is interpolated, as
    /// known at the fix `index`: max(3 T, 2 h).
    pub(super) fn longest_gap_s(&self, index: usize) -> f64 {
        (3.0 * self.interval_s(index)).max(2.0 * 3600.0)
    }

    /// T as known at the fix `index`: the median of the last 20 intervals.
    fn interval_s(&self, index: usize) -> f64 {
        let first = index.saturating_sub(INTERVALS);
        let known = self.stands.get(first..=index).unwrap_or_default();
        let intervals = known.windows(2).map(|pair| match pair {
            [from, to] => to.time_s - from.time_s,
            _ => 0.0,
        });
        median(intervals.collect()).unwrap_or_default()
    }

    /// The position at a time, on the great circle between the fixes about it; `None`
    /// where these are farther apart than `longest_gap_s`, and outside the path.
    pub(super) fn position_at(&self, time_s: f64, longest_gap_s: f64) -> Option<Position> {
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

    /// The motion at the fix `index`, by this fix and those before it; `None` where none
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
        Some(State {
            time_s: here.time_s,
            position: here.position,
            last,
            mean_12h: mean(MEAN_S).unwrap_or(last),
            speed_m_s: mean(SCALE_S)
                .unwrap_or(last)
                .length_m()
                .max(last.length_m()),
            // A leg over a data gap tells little of the speed at its end.
            is_after_gap: duration_s > (2.5 * self.interval_s(index)).max(2.5 * 3600.0),
        })
    }
}
