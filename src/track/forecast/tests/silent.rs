//! Silent instruments: of two drifters near each other one is hidden for some days, and
//! looked for by what the other did. The tracks are those of [`super::hindcast`].

use super::hindcast::{Quantiles, drifters};
use super::*;
use crate::testing::chance::rounds;
use crate::testing::manual::{part_is, table};
use path::Path;

/// Distances at the last fix, km, with the median and 90 % error in km that pairs in
/// marginal ice and water of 74 tracks had after three and seven days.
const GROUPS: [(f64, f64, [[f64; 2]; 2]); 3] = [
    (0.0, 2.0, [[2.3, 8.3], [4.1, 13.0]]),
    (2.0, 10.0, [[9.5, 26.0], [19.0, 45.0]]),
    (10.0, 50.0, [[17.0, 42.0], [29.0, 77.0]]),
];

#[derive(Default)]
struct Outcomes {
    alone_km: Vec<f64>,
    near_km: Vec<f64>,
    inside_90: usize,
    /// Those whose neighbour had no record yet, and how many of these circles held.
    unproven: usize,
    unproven_held: usize,
    /// Starts with a neighbour at this distance, followed or not.
    asked: usize,
}

#[test]
fn a_silent_drifter_is_found_by_its_neighbour() {
    let tracks = drifters();
    let paths: Vec<Path> = tracks
        .iter()
        .map(|(_, track)| Path::new(track, f64::INFINITY))
        .collect();
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (days, at) in [(3.0, 0), (7.0, 1)] {
        let mut groups: [Outcomes; 3] = Default::default();
        for (silent, path) in tracks.iter().zip(&paths) {
            for (other, along) in tracks.iter().zip(&paths) {
                if silent.0 != other.0 {
                    pair([&silent.1, &other.1], [path, along], days, &mut groups);
                }
            }
        }
        for ((from_km, to_km, limits), mut group) in GROUPS.into_iter().zip(groups) {
            let count = group.near_km.len();
            if count < 20 {
                continue;
            }
            let alone = Quantiles::new(&mut group.alone_km);
            let near = Quantiles::new(&mut group.near_km);
            let inside = (200 * group.inside_90 + count) / (2 * count);
            let told = format!(
                "{days} d, {from_km} to {to_km} km: {alone:?} {near:?} {inside} % of {count}"
            );
            let (unproven, held) = (group.unproven, group.unproven_held);
            println!("{told}; without a record {held} of {unproven}");
            let [median, ninety] = limits[at];
            let is_long = rounds(0, 1) == 1;
            let is_better = near.median < alone.median && near.ninety < alone.ninety;
            // Those pairs were others, of the same kind.
            let is_near = near.median <= 1.15 * median && near.ninety <= 1.25 * ninety;
            if !is_better || (is_long && !(is_near && inside >= 85)) {
                faults.push(told);
            }
            rows.push(vec![
                format!("{days} days"),
                format!("{from_km} to {to_km} km"),
                format!("{count} of {}", group.asked),
                format!("{:.1} / {:.1}", alone.median, alone.ninety),
                format!("{:.1} / {:.1}", near.median, near.ninety),
                format!("{inside} %"),
            ]);
        }
    }
    if rounds(0, 1) == 1 {
        let heading = [
            "Silent for",
            "Neighbour at",
            "Followed, of starts",
            "Alone, km",
            "With it, km",
            "Inside the second circle",
        ];
        part_is(
            "../background/hindcast.md",
            "silent",
            &table(&heading, &rows),
        );
    }
    assert!(!rows.is_empty() && faults.is_empty(), "{faults:#?}");
}

/// Looks for one of a pair, some days after fixes that are half a day apart.
fn pair(tracks: [&Track; 2], paths: [&Path; 2], days: f64, groups: &mut [Outcomes; 3]) {
    let ([silent, other], [path, along]) = (tracks, paths);
    let mut next_s = f64::NEG_INFINITY;
    for index in 0..path.len() {
        let stand = path.get(index).unwrap();
        if stand.time_s < next_s {
            continue;
        }
        let at = stand.time_s + days * DAY;
        let longest_gap_s = path.longest_gap_s(index);
        let near = along.position_at(stand.time_s, 6.0 * HOUR);
        let is_heard = along.position_at(at, 6.0 * HOUR).is_some();
        let truth = path.position_at(at, longest_gap_s);
        let (Some(near), Some(truth), true) = (near, truth, is_heard) else {
            continue;
        };
        let away_km = geodesic::length_m(stand.position, near) / 1000.0;
        let group = GROUPS
            .iter()
            .position(|(from, to, _)| (*from..*to).contains(&away_km));
        let Some(group) = group else {
            continue;
        };
        let step_h = rounds(288, 12) as f64;
        next_s = stand.time_s + step_h * HOUR;
        let known = silent.as_known_at(stand.time_s);
        let neighbour = Neighbour {
            deployment: Uuid::from_u128(2),
            track: other,
        };
        let moment = Moment::new(at, at);
        let found = [&[][..], &[neighbour]].map(|all| forecast(&known, all, moment));
        let [Ok(alone), Ok(with)] = found else {
            continue;
        };
        let outcomes = &mut groups[group];
        outcomes.asked += 1;
        if with.neighbour.is_none() {
            continue;
        }
        let error_m = |found: &Forecast| geodesic::length_m(found.position, truth);
        outcomes.alone_km.push(error_m(&alone) / 1000.0);
        outcomes.near_km.push(error_m(&with) / 1000.0);
        let holds = usize::from(error_m(&with) <= with.r90_m);
        outcomes.inside_90 += holds;
        if with.method.mean_error_m.is_none() {
            outcomes.unproven += 1;
            outcomes.unproven_held += holds;
        }
    }
}
