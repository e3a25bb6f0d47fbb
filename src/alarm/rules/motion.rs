//! Rules about how an instrument moves: aboard a ship, or not at all.

use crate::alarm::life::{Episode, end, is_open};
use crate::alarm::rules::still::{Window, spread};
use crate::alarm::words::{Measured, apart};
use crate::geo::{Position, geodesic};
use crate::track::{Fix, time};

/// The speed of a leg aboard a ship at least, m/s.
const FAST_M_S: f64 = 1.5;
/// Fast legs in a row are together at least this long, seconds.
const FAST_S: f64 = 3.0 * 3600.0;
/// A ship slows down for minutes: shorter legs than this are taken together, seconds.
const SHORT_S: f64 = 900.0;
/// The noise of positions a second apart is fast and never straight: legs run between fixes that
/// are at least this far apart, seconds.
const LEAST_S: f64 = 60.0;
/// Displacement over length is more than this.
const STRAIGHT: f64 = 0.9;
/// After this long without a fast leg it is not aboard a ship any more, seconds.
const SLOW_S: f64 = 86_400.0;

/// The time in which a drifter that is stationary does not move, seconds.
const STILL_S: f64 = 48.0 * 3600.0;
/// The fixes of this time at least.
const STILL_FIXES: usize = 6;
/// They are within this distance of their median, metres.
const STILL_M: f64 = 100.0;
/// It moves again when one of them is farther, metres.
const MOVING_M: f64 = 150.0;

/// Two legs or more in a row, together 3 h or longer, each at 1.5 m/s or more (a leg of less
/// than a quarter of an hour together with those before it), with displacement over length
/// above 0.9. A day without such a leg clears it.
pub(super) fn picked_up(fixes: &[Fix]) -> Vec<Episode> {
    let marks = marks(fixes);
    let mut last_fast = marks.first().map_or(f64::NEG_INFINITY, |mark| mark.at);
    // For each mark the first from which on the legs to it are fast, short ones together.
    let mut fast_since: Vec<usize> = Vec::with_capacity(marks.len());
    let mut episodes = Vec::new();
    for (last, mark) in marks.iter().enumerate() {
        if mark.is_fast {
            last_fast = mark.at;
        }
        let part = part_before(&marks, last);
        let is_fast = part.and_then(|from| Some(mark.is_fast_from(marks.get(from)?)));
        let fast_before = part.filter(|_| is_fast == Some(true));
        let since = fast_before
            .and_then(|from| fast_since.get(from).copied())
            .unwrap_or(last);
        fast_since.push(since);
        // A part of a slow one may be fast.
        let began = part_before(&marks, since).map_or(0, |from| from + 1);
        if is_open(&episodes) {
            if mark.at - last_fast >= SLOW_S {
                end(&mut episodes, mark.at);
            }
        } else if mark.is_fast
            && let Some(run) = Run::that_ends(&marks, began, since, last)
        {
            let measured = Measured::Carried {
                speed_m_s: run.length_m / run.duration_s,
                limit_m_s: FAST_M_S,
            };
            episodes.push(Episode::by_fix(mark.at, &measured, &run.text()));
        }
    }
    episodes
}

/// An end of legs.
struct Mark {
    /// The time of its fix, UNIX seconds.
    at: f64,
    position: Position,
    /// The length of all legs up to it, metres.
    way_m: f64,
    /// `true` if the leg that leads to it is fast.
    is_fast: bool,
}

impl Mark {
    /// `true` if the way from an earlier one to it was fast.
    fn is_fast_from(&self, from: &Self) -> bool {
        self.way_m - from.way_m >= FAST_M_S * (self.at - from.at)
    }
}

/// The latest mark from which on it is [`SHORT_S`] or longer to another.
fn part_before(marks: &[Mark], to: usize) -> Option<usize> {
    let end = marks.get(to)?;
    let before = marks.get(..to)?;
    let apart = before.partition_point(|from| end.at - from.at >= SHORT_S);
    apart.checked_sub(1)
}

/// The ends of legs: the first fix, then each that is [`LEAST_S`] later than the one before, and
/// [`FAST_S`] later where it is at the same position: records may come more often than positions.
/// Of several positions at one time, whose order means nothing, the southernmost counts.
fn marks(fixes: &[Fix]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for same in fixes.chunk_by(|a, b| a.time_stamp == b.time_stamp) {
        let southernmost = same
            .iter()
            .map(|fix| (fix.time_stamp, fix.position))
            .min_by(|(_, a), (_, b)| {
                let by_latitude = a.latitude.total_cmp(&b.latitude);
                by_latitude.then(a.longitude.total_cmp(&b.longitude))
            });
        let Some((at, position)) = southernmost else {
            continue;
        };
        let mut mark = Mark {
            at,
            position,
            way_m: 0.0,
            is_fast: false,
        };
        if let Some(from) = marks.last() {
            let least_s = if position.same_point(from.position) {
                FAST_S
            } else {
                LEAST_S
            };
            if at - from.at < least_s {
                continue;
            }
            mark.way_m = from.way_m + geodesic::length_m(from.position, position);
            mark.is_fast = mark.is_fast_from(from);
        }
        marks.push(mark);
    }
    marks
}

/// Fast legs in a row.
struct Run {
    legs: usize,
    length_m: f64,
    displacement_m: f64,
    duration_s: f64,
}

impl Run {
    /// A run of a picked up instrument that ends with the mark `last` and begins at `began` or
    /// later, if there is one; `since`: from there on all parts are fast.
    ///
    /// Looked at are the shortest run that is long enough, and those up to another such run
    /// longer, a quarter of an hour apart: of a straight run that is cut into parts which are just
    /// long enough, one is straight. So there are a dozen for each mark, however long a run is.
    fn that_ends(marks: &[Mark], began: usize, since: usize, last: usize) -> Option<Self> {
        let at = |index: usize| marks.get(index).map_or(f64::NAN, |mark| mark.at);
        // The last mark from which on it is so long to another.
        let back = |to: usize, seconds: f64, legs: usize| {
            let apart = marks.partition_point(|from| at(to) - from.at >= seconds);
            Some(apart.checked_sub(1)?.min(to.checked_sub(legs)?))
        };
        let end = marks.get(last)?;
        let shortest = back(last, FAST_S, 2)?;
        let longest = back(shortest, FAST_S, 2);
        let mut starts = std::iter::successors(Some(shortest), |start| back(*start, SHORT_S, 1))
            .take_while(|start| *start >= began && Some(*start) > longest);
        starts.find_map(|start| {
            let from = marks.get(start)?;
            marks.get(start + 1).filter(|next| next.is_fast)?;
            (marks.get(since)).filter(|part| start >= since || part.is_fast_from(from))?;
            let length_m = end.way_m - from.way_m;
            let displacement_m = geodesic::length_m(from.position, end.position);
            (displacement_m > STRAIGHT * length_m).then_some(Self {
                legs: last - start,
                length_m,
                displacement_m,
                duration_s: end.at - from.at,
            })
        })
    }

    /// How long it is and how straight.
    fn text(&self) -> String {
        let share = self.displacement_m / self.length_m;
        let (part, least) = apart(share, STRAIGHT, |part, more| format!("{part:.*}", 2 + more));
        format!(
            "{} legs in {}, {part} of their length in a straight line, limit {least}",
            self.legs,
            time::duration(self.duration_s),
        )
    }
}

/// All fixes of 48 h, at least six, within 100 m of their median. One farther
/// than 150 m clears it.
pub(super) fn stationary(fixes: &[Fix]) -> Vec<Episode> {
    let mut episodes = Vec::new();
    let mut moving = Window::new(fixes);
    for (index, fix) in fixes.iter().enumerate() {
        // Of several fixes at one time, whose order means nothing, with the last.
        if (fixes.get(index + 1)).is_some_and(|next| next.time_stamp == fix.time_stamp) {
            continue;
        }
        let began = fix.time_stamp - STILL_S;
        let window = moving.move_to(index, began);
        if is_open(&episodes) {
            if !moving.is_within(MOVING_M) {
                end(&mut episodes, fix.time_stamp);
            }
            continue;
        }
        // A track that began later, or a window with a long silence, does not cover 48 h.
        let reaches_back = (fixes.first()).is_some_and(|fix| fix.time_stamp <= began);
        let spans = window
            .first()
            .is_some_and(|fix| fix.time_stamp <= began + STILL_S / 2.0);
        if !reaches_back || !spans || window.len() < STILL_FIXES {
            continue;
        }
        if moving.is_within(STILL_M)
            && let Some(spread_m) = spread(window, STILL_M)
        {
            let measured = Measured::Still {
                spread_m,
                limit_m: STILL_M,
            };
            let fixes = format!("{} fixes", window.len());
            episodes.push(Episode::by_fix(fix.time_stamp, &measured, &fixes));
        }
    }
    episodes
}

#[cfg(test)]
mod tests;
