//! Rules about how an instrument moves: aboard a ship, or not at all.

use crate::alarm::life::{Episode, end, is_open};
use crate::alarm::rules::still::{Window, spread};
use crate::alarm::words::{Measured, apart};
use crate::geo::geodesic;
use crate::track::{Fix, time};

/// The speed of a leg aboard a ship at least, m/s.
const FAST_M_S: f64 = 1.5;
/// Fast legs in a row are together at least this long, seconds.
const FAST_S: f64 = 3.0 * 3600.0;
/// A ship slows down for minutes: shorter legs than this are taken together, seconds.
const SHORT_S: f64 = 900.0;
/// Displacement over length is more than this.
const STRAIGHT: f64 = 0.9;
/// After this long without a fast leg it is not aboard a ship any more, seconds.
const SLOW_S: f64 = 86_400.0;
/// A run of fast legs is looked back on for this long at most, seconds.
const LONGEST_RUN_S: f64 = 86_400.0;

/// The time in which a drifter that is stationary does not move, seconds.
const STILL_S: f64 = 48.0 * 3600.0;
/// The fixes of this time at least.
const STILL_FIXES: usize = 6;
/// They are within this distance of their median, metres.
const STILL_M: f64 = 100.0;
/// It moves again when one of them is farther, metres.
const MOVING_M: f64 = 150.0;

/// Two legs or more in a row, together 3 h or longer, each at 1.5 m/s or more (a leg of less
/// than a quarter of an hour together with the leg before it), with displacement over length
/// above 0.9. A day without such a leg clears it.
pub(super) fn picked_up(fixes: &[Fix]) -> Vec<Episode> {
    let legs: Vec<Option<Leg>> = std::iter::once(None)
        .chain(fixes.windows(2).map(Leg::between))
        .collect();
    let is_fast = |index: usize| {
        let leg = legs.get(index).copied().flatten();
        leg.is_some_and(|leg| leg.is_fast())
    };
    let mut last_fast = fixes
        .first()
        .map_or(f64::NEG_INFINITY, |fix| fix.time_stamp);
    let mut episodes = Vec::new();
    for (index, fix) in fixes.iter().enumerate() {
        let fast = is_fast(index);
        if fast {
            last_fast = fix.time_stamp;
        }
        if is_open(&episodes) {
            if fix.time_stamp - last_fast >= SLOW_S {
                end(&mut episodes, fix.time_stamp);
            }
        } else if fast && let Some(run) = Run::that_ends(fixes, &legs, index) {
            let measured = Measured::Carried {
                speed_m_s: run.length_m / run.duration_s,
                limit_m_s: FAST_M_S,
            };
            episodes.push(Episode::by_fix(fix.time_stamp, &measured, &run.text()));
        }
    }
    episodes
}

/// From one good fix to the next.
#[derive(Clone, Copy, Default)]
struct Leg {
    distance_m: f64,
    duration_s: f64,
}

impl Leg {
    fn between(pair: &[Fix]) -> Option<Self> {
        let [from, to] = pair else { return None };
        let duration_s = to.time_stamp - from.time_stamp;
        (duration_s > 0.0).then(|| Self {
            distance_m: geodesic::length_m(from.position, to.position),
            duration_s,
        })
    }

    fn is_fast(self) -> bool {
        self.distance_m >= FAST_M_S * self.duration_s
    }
}

/// Fast legs in a row.
struct Run {
    legs: usize,
    length_m: f64,
    displacement_m: f64,
    duration_s: f64,
}

impl Run {
    /// The shortest run of a picked up instrument that ends with the fix at `last`, if
    /// there is one.
    fn that_ends(fixes: &[Fix], legs: &[Option<Leg>], last: usize) -> Option<Self> {
        let end = fixes.get(last)?;
        let mut length_m = 0.0;
        let mut duration_s = 0.0;
        // Short legs that together are not long enough yet.
        let mut part = Leg::default();
        for index in (1..=last).rev() {
            let leg = legs.get(index).copied().flatten()?;
            length_m += leg.distance_m;
            duration_s += leg.duration_s;
            part.distance_m += leg.distance_m;
            part.duration_s += leg.duration_s;
            let count = last - index + 1;
            if part.duration_s >= SHORT_S {
                if !part.is_fast() {
                    return None;
                }
                part = Leg::default();
            }
            if count < 2 || duration_s < FAST_S || !part.is_fast() || !leg.is_fast() {
                continue;
            }
            let displacement_m = geodesic::length_m(fixes.get(index - 1)?.position, end.position);
            if displacement_m > STRAIGHT * length_m {
                return Some(Self {
                    legs: count,
                    length_m,
                    displacement_m,
                    duration_s,
                });
            }
            if duration_s > LONGEST_RUN_S {
                return None;
            }
        }
        None
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
