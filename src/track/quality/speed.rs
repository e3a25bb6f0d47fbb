//! The speed test: the track check of Xu and Ignatov (2013), "In situ SST
//! Quality Monitor (iQuam)", J. Atmos. Oceanic Technol. 31, section 3.
//!
//! Each fix is held against the 15 before and the 15 after it. A pair violates
//! where the distance, less 1.11 km, over the time, plus 36 s, is over the
//! limit. Distances are great circles on a sphere here, as in the paper: at 71
//! degrees south a geodesic is 0.4 % longer, which decides borderline cases.
//! The fix with most violations (of equals, the later) fails and is
//! taken from its neighbours' counts, until no violation is left.

use std::collections::BinaryHeap;

use crate::geo::{Position, sphere};
use crate::track::Platform;

/// Fixes on either side that one is held against.
const NEIGHBOURS: usize = 15;
/// Positions are given to 0.01 degrees in the oldest messages: so much of a
/// distance may be rounding, in metres.
const TOLERANCE_M: f64 = 1110.0;
/// Times are given to 0.01 hours in the oldest messages, in seconds.
const TOLERANCE_S: f64 = 36.0;

/// The greatest speed a platform can have, in m/s.
pub fn limit(platform: Platform) -> f64 {
    match platform {
        Platform::Generic | Platform::Vessel => 60.0 / 3.6,
        Platform::Drifter => 15.0 / 3.6,
        Platform::Float | Platform::Glider | Platform::Mooring => 3.0,
        Platform::Tag => 30.0,
    }
}

/// A place that stands for a run of fixes with one repeated position.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    /// Time of the run's first fix.
    time_stamp: f64,
    position: Position,
    /// Fixes of the run, as indices into the fixes given.
    from: usize,
    to: usize,
}

/// The fixes that fail, as indices into `fixes`, which are in order of time.
pub(in crate::track) fn failures(fixes: &[(f64, Position)], limit: f64) -> Vec<usize> {
    let stands = stands(fixes);
    let pairs = violations(&stands, limit);
    if pairs.is_empty() {
        return Vec::new();
    }
    let failed = worst_first(stands.len(), &pairs);
    failed
        .into_iter()
        .filter_map(|stand| stands.get(stand))
        .flat_map(|stand| stand.from..stand.to)
        .collect()
}

fn stands(fixes: &[(f64, Position)]) -> Vec<Stand> {
    let mut stands = Vec::with_capacity(fixes.len());
    let mut from = 0;
    for run in fixes.chunk_by(|a, b| a.1.same_point(b.1)) {
        if let Some(&(time_stamp, position)) = run.first() {
            stands.push(Stand {
                time_stamp,
                position,
                from,
                to: from + run.len(),
            });
        }
        from += run.len();
    }
    stands
}

/// The pairs that violate the limit, the earlier first.
fn violations(stands: &[Stand], limit: f64) -> Vec<(usize, usize)> {
    // The way along the legs is never shorter than the line between two
    // fixes, so where even the way is within the limit nothing need be
    // measured. On clean data this settles every pair by a subtraction.
    let way = along(stands);
    let mut pairs = Vec::new();
    for (i, start) in stands.iter().enumerate() {
        for (j, end) in stands.iter().enumerate().skip(i + 1).take(NEIGHBOURS) {
            let allowed = limit * (end.time_stamp - start.time_stamp + TOLERANCE_S) + TOLERANCE_M;
            let along = match (way.get(i), way.get(j)) {
                (Some(a), Some(b)) => b - a,
                _ => f64::INFINITY,
            };
            // A millimetre covers the rounding of the sums.
            if along > allowed - 1e-3 && violates(start, end, limit) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

/// Whether two stands are too far apart for the time between, as the paper has
/// it.
fn violates(start: &Stand, end: &Stand, limit: f64) -> bool {
    let distance = sphere::distance_m(start.position, end.position);
    let speed =
        (distance - TOLERANCE_M).max(0.0) / (end.time_stamp - start.time_stamp + TOLERANCE_S);
    speed > limit
}

/// The way from the first stand to each, in metres.
fn along(stands: &[Stand]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut way = Vec::with_capacity(stands.len());
    way.push(0.0);
    for (start, end) in stands.iter().zip(stands.iter().skip(1)) {
        sum += sphere::distance_m(start.position, end.position);
        way.push(sum);
    }
    way
}

/// Takes out the stand with most violations, the later of equals, until none is
/// left; the answer is what was taken out.
fn worst_first(count: usize, pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut partners: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(a, b) in pairs {
        if let Some(of_a) = partners.get_mut(a) {
            of_a.push(b);
        }
        if let Some(of_b) = partners.get_mut(b) {
            of_b.push(a);
        }
    }
    let mut counts: Vec<usize> = partners.iter().map(Vec::len).collect();
    // Counts only fall, so an entry that is out of date is met too early, never
    // too late: it is put back with its present count.
    let mut queue: BinaryHeap<(usize, usize)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(stand, count)| (*count, stand))
        .collect();
    let mut failed = Vec::new();
    while let Some((noted, stand)) = queue.pop() {
        let present = counts.get(stand).copied().unwrap_or(0);
        if present == 0 {
            continue;
        }
        if present < noted {
            queue.push((present, stand));
            continue;
        }
        failed.push(stand);
        if let Some(count) = counts.get_mut(stand) {
            *count = 0;
        }
        for partner in partners.get(stand).into_iter().flatten() {
            if let Some(count) = counts.get_mut(*partner) {
                *count = count.saturating_sub(1);
            }
        }
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule word for word: every pair measured, every count made anew.
    fn plainly(fixes: &[(f64, Position)], limit: f64) -> Vec<usize> {
        let stands = stands(fixes);
        let mut failed = vec![false; stands.len()];
        loop {
            let counts: Vec<usize> = (0..stands.len())
                .map(|i| {
                    (0..stands.len())
                        .filter(|&j| {
                            j != i && i.abs_diff(j) <= NEIGHBOURS && !failed[i] && !failed[j]
                        })
                        .filter(|&j| violates(&stands[i.min(j)], &stands[i.max(j)], limit))
                        .count()
                })
                .collect();
            let Some(worst) = (0..counts.len())
                .filter(|&i| counts[i] > 0)
                .max_by_key(|&i| (counts[i], i))
            else {
                break;
            };
            failed[worst] = true;
        }
        let mut fixes: Vec<usize> = (0..stands.len())
            .filter(|&i| failed[i])
            .flat_map(|i| stands[i].from..stands[i].to)
            .collect();
        fixes.sort_unstable();
        fixes
    }

    fn quickly(fixes: &[(f64, Position)], limit: f64) -> Vec<usize> {
        let mut failed = failures(fixes, limit);
        failed.sort_unstable();
        failed
    }

    #[test]
    fn one_spike_fails_and_its_neighbours_do_not() {
        let mut fixes: Vec<(f64, Position)> = (0..40)
            .map(|n| {
                (
                    f64::from(n) * 600.0,
                    Position {
                        latitude: 60.0 + 0.001 * f64::from(n),
                        longitude: 5.0,
                    },
                )
            })
            .collect();
        fixes[20].1.longitude = 7.0;
        assert_eq!(quickly(&fixes, 15.0 / 3.6), vec![20]);
    }

    #[test]
    fn of_two_alone_the_later_fails() {
        let fixes = [
            (
                0.0,
                Position {
                    latitude: 0.0,
                    longitude: 1.0,
                },
            ),
            (
                60.0,
                Position {
                    latitude: 5.0,
                    longitude: 1.0,
                },
            ),
        ];
        assert_eq!(quickly(&fixes, 3.0), vec![1]);
    }

    #[test]
    fn a_run_of_one_position_shares_its_verdict() {
        let far = Position {
            latitude: 10.0,
            longitude: 10.0,
        };
        let here = |n: f64| Position {
            latitude: 0.001 * n,
            longitude: 1.0,
        };
        let mut fixes: Vec<(f64, Position)> = (0..10)
            .map(|n| (f64::from(n) * 600.0, here(f64::from(n))))
            .collect();
        fixes.extend((10..13).map(|n| (f64::from(n) * 600.0, far)));
        fixes.extend((13..30).map(|n| (f64::from(n) * 600.0, here(f64::from(n)))));
        assert_eq!(quickly(&fixes, 3.0), vec![10, 11, 12]);
    }

    proptest::proptest! {
        #[test]
        fn the_quick_form_gives_the_flags_of_the_plain_one(
            steps in proptest::collection::vec((0u32..2000, -0.03f64..0.03, -0.03f64..0.03, 0u8..12), 1..70),
        ) {
            let mut time = 0.0;
            let mut place = Position { latitude: 70.0, longitude: 179.9 };
            let fixes: Vec<(f64, Position)> = steps
                .into_iter()
                .map(|(dt, dlat, dlon, kind)| {
                    time += f64::from(dt);
                    match kind {
                        0 => (time, Position { latitude: place.latitude + 1.0, longitude: 175.0 }),
                        1 => (time, place),
                        _ => {
                            place = Position::new(place.latitude + dlat, (place.longitude + dlon + 180.0).rem_euclid(360.0) - 180.0).unwrap();
                            (time, place)
                        }
                    }
                })
                .collect();
            proptest::prop_assert_eq!(quickly(&fixes, 15.0 / 3.6), plainly(&fixes, 15.0 / 3.6));
        }
    }
}
