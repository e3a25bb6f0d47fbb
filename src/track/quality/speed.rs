//! The speed test: the track check of Xu and Ignatov (2013), "In situ SST
//! Quality Monitor (iQuam)", J. Atmos. Oceanic Technol. 31, section 3.
//!
//! Each fix is held against the 15 before and the 15 after it. A pair violates
//! where the distance, less 1.11 km, over the time, plus 36 s, is over the
//! limit. Distances are great circles on a sphere here, as in the paper: at 71
//! degrees south a geodesic is 0.4 % longer, which decides borderline cases.
//! The fix with most violations (of equals, the later) fails and is
//! taken from its neighbours' counts, until no violation is left.

use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

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
pub(crate) fn limit(platform: Platform) -> f64 {
    match platform {
        Platform::Generic | Platform::Vessel => 60.0 / 3.6,
        Platform::Drifter => 15.0 / 3.6,
        Platform::Float | Platform::Glider | Platform::Mooring => 3.0,
        Platform::Tag => 30.0,
    }
}

/// A place that stands for a run of fixes with one repeated position.
#[derive(Debug, Clone, Copy)]
pub(super) struct StationaryRun {
    /// Time of the run's first fix.
    time_stamp: f64,
    position: Position,
    /// The run's first fix, counted among those given.
    from: usize,
    /// The way from the first stand of all, metres: as long as it is, or a
    /// little longer.
    way_m: f64,
}

/// A pair that violates the limit: the first fix of each run, the earlier
/// first.
type Pair = (usize, usize);

/// The fixes that fail, counted among those given, which are in order of time.
pub(in crate::track) fn failures(
    fixes: impl Iterator<Item = (f64, Position)> + Clone,
    limit: f64,
) -> Vec<usize> {
    let pairs = violations(fixes.clone(), limit);
    if pairs.is_empty() {
        return Vec::new();
    }
    let failed: HashSet<usize> = worst_first(&pairs).into_iter().collect();
    // All fixes of a run share the verdict of its first.
    let mut found = Vec::new();
    let mut run: Option<(usize, Position)> = None;
    for (index, (_, position)) in fixes.enumerate() {
        let (from, _) = *match &mut run {
            Some(run) if run.1.same_point(position) => run,
            other => other.insert((index, position)),
        };
        if failed.contains(&from) {
            found.push(index);
        }
    }
    found
}

/// The pairs that violate the limit. Only a window of stands is ever held.
fn violations(fixes: impl Iterator<Item = (f64, Position)>, limit: f64) -> Vec<Pair> {
    let mut window: VecDeque<StationaryRun> = VecDeque::with_capacity(NEIGHBOURS + 1);
    let mut pairs = Vec::new();
    let mut cosines = sphere::Cosines::default();
    for (from, (time_stamp, position)) in fixes.enumerate() {
        let way_m = match window.back() {
            Some(last) if last.position.same_point(position) => continue,
            Some(last) => last.way_m + sphere::at_most_m(last.position, position, &mut cosines),
            None => 0.0,
        };
        let end = StationaryRun {
            time_stamp,
            position,
            from,
            way_m,
        };
        for start in &window {
            // The way along the legs is never shorter than the line between two
            // fixes, so where even the way is within the limit nothing need be
            // measured. On clean data this settles every pair by a subtraction.
            let allowed = limit * (end.time_stamp - start.time_stamp + TOLERANCE_S) + TOLERANCE_M;
            // A millimetre covers the rounding of the sums.
            if end.way_m - start.way_m > allowed - 1e-3 && violates(start, &end, limit) {
                pairs.push((start.from, end.from));
            }
        }
        if window.len() == NEIGHBOURS {
            window.pop_front();
        }
        window.push_back(end);
    }
    pairs
}

/// Whether two stands are too far apart for the time between, as the paper has
/// it.
fn violates(start: &StationaryRun, end: &StationaryRun, limit: f64) -> bool {
    let distance = sphere::distance_m(start.position, end.position);
    let speed =
        (distance - TOLERANCE_M).max(0.0) / (end.time_stamp - start.time_stamp + TOLERANCE_S);
    speed > limit
}

/// Takes out the stand with most violations, the later of equals, until none is
/// left; the answer is the first fixes of what was taken out.
fn worst_first(pairs: &[Pair]) -> Vec<usize> {
    let mut partners: HashMap<usize, Vec<usize>> = HashMap::new();
    for &(a, b) in pairs {
        partners.entry(a).or_default().push(b);
        partners.entry(b).or_default().push(a);
    }
    let mut counts: HashMap<usize, usize> = partners
        .iter()
        .map(|(stand, others)| (*stand, others.len()))
        .collect();
    // Counts only fall, so an entry that is out of date is met too early, never
    // too late: it is put back with its present count.
    let mut queue: BinaryHeap<(usize, usize)> = counts
        .iter()
        .map(|(stand, count)| (*count, *stand))
        .collect();
    let mut failed = Vec::new();
    while let Some((noted, stand)) = queue.pop() {
        let present = counts.get(&stand).copied().unwrap_or(0);
        if present == 0 {
            continue;
        }
        if present < noted {
            queue.push((present, stand));
            continue;
        }
        failed.push(stand);
        counts.insert(stand, 0);
        for partner in partners.get(&stand).into_iter().flatten() {
            if let Some(count) = counts.get_mut(partner) {
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
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for run in fixes.chunk_by(|a, b| a.1.same_point(b.1)) {
            let from = runs.last().map_or(0, |last| last.1);
            runs.push((from, from + run.len()));
        }
        let stands: Vec<StationaryRun> = runs
            .iter()
            .map(|&(from, _)| StationaryRun {
                time_stamp: fixes[from].0,
                position: fixes[from].1,
                from,
                way_m: 0.0,
            })
            .collect();
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
            .flat_map(|i| runs[i].0..runs[i].1)
            .collect();
        fixes.sort_unstable();
        fixes
    }

    fn quickly(fixes: &[(f64, Position)], limit: f64) -> Vec<usize> {
        failures(fixes.iter().copied(), limit)
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
