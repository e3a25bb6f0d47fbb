//! Stationary: found as by a walk over the whole window for each fix.

use super::*;
use crate::testing::chance::{Chance, rounds};
use crate::track::{Flag, Reason};

/// As [`stationary`], with a walk over the whole window for each fix: when it is raised
/// and cleared, and the spread then.
fn by_walk(fixes: &[Fix]) -> Vec<(f64, Option<f64>)> {
    let (mut is_open, mut found) = (false, Vec::new());
    for (place, fix) in fixes.iter().enumerate() {
        let began = fix.time_stamp - STILL_S;
        let start = fixes.partition_point(|one| one.time_stamp < began);
        let window = &fixes[start..=place];
        if is_open {
            if spread(window, MOVING_M).is_none() {
                is_open = false;
                found.push((fix.time_stamp, None));
            }
            continue;
        }
        let reaches_back = fixes[0].time_stamp <= began;
        let spans = window[0].time_stamp <= began + STILL_S / 2.0;
        if !reaches_back || !spans || window.len() < STILL_FIXES {
            continue;
        }
        if let Some(spread_m) = spread(window, STILL_M) {
            is_open = true;
            found.push((fix.time_stamp, Some(spread_m)));
        }
    }
    found
}

fn by_window(fixes: &[Fix]) -> Vec<(f64, Option<f64>)> {
    let found = stationary(fixes).into_iter();
    let found = found.flat_map(|one| {
        let end = one.until.map(|at| (at, None));
        [Some((one.at, Some(one.value))), end]
    });
    found.flatten().collect()
}

/// A walk of an instrument that lies still, drifts slowly, jumps and is silent by
/// chance, around a position.
// A place in a list.
fn walk(chance: &mut impl FnMut() -> f64, count: usize, centre: (f64, f64)) -> Vec<Fix> {
    let (mut north_m, mut east_m, mut time) = (0.0, 0.0, 1.8e9);
    let (mut speed_m, mut noise_m, mut heading) = (0.0, 20.0, 0.0);
    let per_degree = 111_320.0;
    (0..count)
        .map(|index| {
            if chance() < 0.02 {
                speed_m = [0.0, 0.0, 2.0, 8.0, 60.0][(chance() * 5.0) as usize];
                noise_m = [0.0, 5.0, 45.0, 80.0][(chance() * 4.0) as usize];
                heading = chance() * std::f64::consts::TAU;
            }
            time += match chance() {
                silent if silent < 0.003 => 30.0 * 3600.0,
                often if often < 0.1 => 60.0,
                _ => 1800.0,
            };
            north_m += speed_m * f64::cos(heading);
            east_m += speed_m * f64::sin(heading);
            let stray = if chance() < 0.005 { 400.0 } else { noise_m };
            let (up, right) = (chance() - 0.5, chance() - 0.5);
            let latitude = centre.0 + (north_m + stray * up) / per_degree;
            let wide = per_degree * latitude.to_radians().cos();
            let longitude = centre.1 + (east_m + stray * right) / wide;
            Fix {
                index,
                time_stamp: time,
                position: crate::testing::at(
                    latitude.clamp(-90.0, 90.0),
                    (longitude + 540.0).rem_euclid(360.0) - 180.0,
                ),
                flag: Flag::Pass,
                reason: Reason::None,
            }
        })
        .collect()
}

#[test]
fn a_window_that_moves_on_finds_what_a_walk_over_each_window_finds() {
    let numbers = Chance::new("walks");
    let mut chance =
        || f64::from(u32::try_from(numbers.below(1 << 24)).unwrap()) / f64::from(1u32 << 24);
    let (mut raised, mut cleared) = (0, 0);
    // Also across the antimeridian and next to a pole.
    for centre in [(60.0, 5.0), (-70.0, 179.9999), (0.0, 0.0), (89.9995, 30.0)] {
        for _ in 0..rounds(2, 60) {
            let fixes = walk(&mut chance, 1200, centre);
            let expected = by_walk(&fixes);
            assert_eq!(by_window(&fixes), expected, "{centre:?}");
            raised += expected.iter().filter(|(_, value)| value.is_some()).count();
            cleared += expected.iter().filter(|(_, value)| value.is_none()).count();
        }
    }
    assert!(raised > 5 && cleared > 5, "{raised} {cleared}");
}
