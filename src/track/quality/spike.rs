//! The test "spike": a fix that the track leaves and comes back from. QARTOD's
//! spike test (U.S. IOOS, Manual for Real-Time Quality Control of In-situ
//! Temperature and Salinity Data, 2020) for a position, with a threshold that
//! follows how straight the track is.

use super::judgement::Judgement;
use super::jump::angle_cosine;
use crate::geo::{Position, sphere, vector::Vector};
use crate::track::interval::median;
use crate::track::record::Transmission;

/// How many fixes on either side say how straight the track is.
const AROUND: usize = 15;
/// Eight standard deviations, by the median of deviations.
const FACTOR: f64 = 8.0 * 1.4826;
/// The cosine of the angle between the fix before and the fix after, seen from
/// the spike, above which the track turns back by more than 120 degrees.
const BACK: f64 = 0.5;

/// A spike: the fix, its distance off the track and the threshold, metres.
pub(super) type Spike = (usize, f64, f64);

/// Finds the spikes among some fixes, given in their order.
pub(super) fn spikes(
    judgement: &Judgement<'_>,
    included: &[usize],
    candidates: &[usize],
) -> Vec<Spike> {
    if candidates.is_empty() {
        return Vec::new();
    }
    // Each distance off the track is measured once, when it is needed.
    let mut known: Vec<f64> = vec![f64::NAN; included.len()];
    let mut found: Vec<(usize, f64, f64)> = Vec::new();
    for &number in candidates {
        let Some([before, here, after]) = three(judgement, included, number) else {
            continue;
        };
        let index = included.get(number).copied().unwrap_or_default();
        let floor_m = judgement.spike_floor_m(index);
        let off_m = off_track(judgement, included, number, &mut known);
        let Some(off_m) = off_m.filter(|off_m| *off_m > floor_m) else {
            continue;
        };
        let around = number.saturating_sub(AROUND)..(number + AROUND + 1).min(included.len());
        let others: Vec<f64> = around
            .filter(|other| *other != number)
            .filter_map(|other| off_track(judgement, included, other, &mut known))
            .collect();
        let threshold = (FACTOR * median(others).unwrap_or(0.0)).max(floor_m);
        let legs = [
            sphere::distance_m(before.position, here.position),
            sphere::distance_m(here.position, after.position),
        ];
        if off_m > threshold && legs.iter().all(|leg| *leg > threshold) {
            found.push((number, off_m, threshold));
        }
    }
    // Of two neighbours, the fix farther off the track is the spike.
    let off_m = |at: Option<usize>, number: Option<usize>| {
        let spike = found.get(at?).filter(|spike| Some(spike.0) == number);
        spike.map(|spike| spike.1)
    };
    (found.iter().enumerate())
        .filter(|(at, (number, own_m, _))| {
            let earlier = off_m(at.checked_sub(1), number.checked_sub(1));
            let later = off_m(Some(at + 1), Some(number + 1));
            earlier.is_none_or(|other| *own_m > other) && later.is_none_or(|other| *own_m >= other)
        })
        .map(|(_, spike)| *spike)
        .filter_map(|(number, off_m, threshold)| Some((*included.get(number)?, off_m, threshold)))
        .collect()
}

/// The fix with this number among those included, with its neighbours.
fn three<'a>(
    judgement: &Judgement<'a>,
    included: &[usize],
    number: usize,
) -> Option<[&'a Transmission; 3]> {
    let fix = |number: usize| judgement.fixes.get(*included.get(number)?);
    Some([fix(number.checked_sub(1)?)?, fix(number)?, fix(number + 1)?])
}

/// The distance in metres of a fix from the position that its neighbours have
/// at its time; none for the first and the last.
fn off_track(
    judgement: &Judgement<'_>,
    included: &[usize],
    number: usize,
    known: &mut [f64],
) -> Option<f64> {
    if let Some(metres) = known.get(number).filter(|metres| !metres.is_nan()) {
        return Some(*metres);
    }
    let metres = off_line_m(three(judgement, included, number)?);
    *known.get_mut(number)? = metres;
    Some(metres)
}

/// The distance in metres of the middle one of three fixes from the position
/// interpolated in time between the others, on the great circle.
fn off_line_m([before, here, after]: [&Transmission; 3]) -> f64 {
    let seconds = after.time_stamp - before.time_stamp;
    let share = if seconds > 0.0 {
        (here.time_stamp - before.time_stamp) / seconds
    } else {
        0.5
    };
    let between = along(before.position, after.position, share);
    sphere::distance_m(between, here.position)
}

/// The position at a share of the great circle between two.
fn along(from: Position, to: Position, share: f64) -> Position {
    let start = Vector::new(from);
    let end = Vector::new(to);
    let angle = start.angle(end);
    if angle < 1e-3 {
        // The chord is the arc to a tenth of a millimetre here.
        return start.towards(end, share).position();
    }
    let a = ((1.0 - share) * angle).sin();
    let b = (share * angle).sin();
    start.scaled(a).plus(end.scaled(b)).position()
}

/// `true` if the track turns back at the middle one of three fixes by more than 120 degrees.
pub(super) fn turns_back([before, here, after]: [&Transmission; 3]) -> bool {
    angle_cosine(before.position, here.position, after.position) > BACK
}
