//! The work of the rules grows as the track does.

use super::*;
use crate::geo::geodesic::measured_by;

/// A track of so many fixes.
type Shape = fn(u32) -> Vec<Numbers>;

fn at(seconds: f64, north_m: f64, east_m: f64) -> Numbers {
    let per_degree = 111_320.0;
    (
        1.8e9 + seconds,
        north_m / per_degree,
        5.0 + east_m / per_degree,
    )
}

/// Round and round at 2 m/s, in an eddy of 1,700 m: all fast, and never straight.
fn turning(count: u32) -> Vec<Numbers> {
    let turn = |n: u32| f64::from(n) * 900.0 * 2.0 / 1700.0;
    (0..count)
        .map(|n| {
            let (north, east) = turn(n).sin_cos();
            at(f64::from(n) * 900.0, 1700.0 * north, 1700.0 * east)
        })
        .collect()
}

#[test]
fn no_rule_measures_more_than_in_proportion_to_the_track() {
    let shapes: [(&str, Shape); 6] = [
        ("turning", turning),
        ("straight and fast", |count| {
            (0..count)
                .map(|n| at(f64::from(n) * 60.0, f64::from(n) * 180.0, 0.0))
                .collect()
        }),
        ("noise each second", |count| {
            let stray = |n: u32| f64::from(n * 7919 % 13);
            (0..count)
                .map(|n| at(f64::from(n), stray(n), stray(n + 5)))
                .collect()
        }),
        ("all equal", |count| {
            (0..count)
                .map(|n| at(f64::from(n) * 600.0, 0.0, 0.0))
                .collect()
        }),
        ("all twins", |count| {
            let pair = |n: u32| f64::from(n / 2);
            (0..count)
                .map(|n| at(pair(n) * 60.0, pair(n) * 180.0, f64::from(n % 2)))
                .collect()
        }),
        ("all at one time", |count| {
            (0..count).map(|n| at(0.0, f64::from(n), 0.0)).collect()
        }),
    ];
    let circle = Rule::Outside(Inside::from_stored("0,5,200").unwrap());
    for (name, shape) in shapes {
        for rule in [&Rule::PickedUp, &Rule::Stationary, &circle] {
            let measured = |count: u32| {
                let fixes = shape(count);
                let options = TrackOptions::new(Platform::Vessel, 1.9e9);
                let track = Track::new(&records(fixes), &options);
                measured_by(|| drop(episodes(rule, &track, f64::NEG_INFINITY)))
            };
            // A limit for each fix and not a ratio: a rule that needs 48 h measures nothing
            // on the shorter of some of these tracks.
            for count in [2000, 20_000] {
                let measured = measured(count);
                assert!(
                    measured <= 20 * count as usize,
                    "{name}, {rule:?}, {count} fixes: {measured}"
                );
            }
        }
    }
}

#[test]
fn a_ship_is_seen_whatever_the_interval_and_the_noise_and_the_order_of_twins() {
    // 3 m/s to the north for 4 h, with metres of noise.
    for (step_s, is_twin) in [(1.0, false), (60.0, false), (600.0, true), (3600.0, true)] {
        // A few thousand.
        let count = (5.0 * 3600.0 / step_s) as u32;
        let fixes = (0..count).flat_map(|n| {
            let stray = f64::from(n * 7919 % 7);
            let seconds = f64::from(n) * step_s;
            let one = at(seconds, seconds * 3.0 + stray, stray);
            let twin = is_twin.then(|| at(seconds, seconds * 3.0 + stray, stray + 30.0));
            [Some(one), twin].into_iter().flatten()
        });
        let mut fixes: Vec<Numbers> = fixes.collect();
        for _ in 0..2 {
            let options = TrackOptions::new(Platform::Drifter, 1.9e9);
            let track = Track::new(&records(fixes.iter().copied()), &options);
            let found = episodes(&Rule::PickedUp, &track, f64::NEG_INFINITY);
            let [episode] = &found[..] else {
                panic!("{step_s}: {found:?}");
            };
            let after_s = episode.at - 1.8e9;
            assert!(
                (10_800.0..=14_400.0).contains(&after_s),
                "{step_s}: {after_s}"
            );
            fixes.reverse();
        }
    }
}
