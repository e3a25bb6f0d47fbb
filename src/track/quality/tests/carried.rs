//! Instruments that a ship or an aircraft carries, on made tracks: what the tests say of
//! their fixes, and which alarms are raised when.

use super::*;
use crate::alarm::{Kind, Rule, episodes};
use crate::geo::{Inside, geodesic};

const KNOT_M_S: f64 = 1852.0 / 3600.0;
const INTERVALS: [f64; 3] = [600.0, 3600.0, 14_400.0];
const CENTRE: Position = crate::testing::at(70.0, 5.0);

/// Forty fixes each T that stay within 50 m, then these numbers of metres north of the
/// centre, each T.
fn then_north(interval_s: f64, metres: impl IntoIterator<Item = f64>) -> Vec<Row> {
    let still = (0..40).map(|n| 50.0 * f64::from(n % 3) / 3.0);
    (0u32..)
        .zip(still.chain(metres))
        .map(|(n, north)| {
            let position = geodesic::direct(CENTRE, 0.0, north);
            (
                interval_s * f64::from(n),
                position.latitude,
                position.longitude,
            )
        })
        .collect()
}

/// Metres at a speed, fix by fix.
fn carried(knots: f64, interval_s: f64, fixes: u32) -> impl Iterator<Item = f64> {
    (1..=fixes).map(move |n| knots * KNOT_M_S * interval_s * f64::from(n))
}

/// How many fixes of the second part there are when each kind is raised first, as the track
/// comes fix by fix.
fn raised(rows: &[Row], platform: Platform) -> Vec<(Kind, usize)> {
    let circle = format!("{},{},500", CENTRE.latitude, CENTRE.longitude);
    let mut rules = vec![Rule::Outside(Inside::from_stored(&circle).unwrap())];
    if platform.is_passive() {
        rules.push(Rule::PickedUp);
    }
    if platform == Platform::Drifter {
        rules.push(Rule::Stationary);
    }
    let mut all = Vec::new();
    for rule in rules {
        for count in 41..=rows.len() {
            let track = assembled(&rows[..count], platform);
            // After the last still fix.
            let found = episodes(&rule, &track, f64::NEG_INFINITY);
            if found.iter().any(|one| one.fix_time > rows[39].0) {
                all.push((rule.kind(), count - 40));
                break;
            }
        }
    }
    all
}

#[test]
fn a_ship_that_carries_a_drifter_is_told_by_the_third_fix_and_when_3_h_are_full() {
    for platform in [Platform::Drifter, Platform::Float, Platform::Mooring] {
        for interval_s in INTERVALS {
            // Two legs at least.
            let full = ((3.0 * 3600.0 / interval_s).ceil() as usize).max(2);
            for knots in [7.0, 12.0, 16.0, 20.0] {
                let rows = then_north(interval_s, carried(knots, interval_s, 24));
                let found = raised(&rows, platform);
                let text = format!("{platform} {knots} kn, T {interval_s} s: {found:?}");
                let [(Kind::Outside, outside), (Kind::PickedUp, picked_up)] = found[..] else {
                    panic!("{text}");
                };
                assert!(outside <= 3, "{text}");
                assert_eq!(picked_up, full, "{text}");
                // The whole way is in, and it is the way of a ship.
                let track = assembled(&rows, platform);
                assert_eq!(track.summary().fail, 0, "{text}");
                assert!(
                    (0..track.len()).all(|index| !track.is_jump(index)),
                    "{text}"
                );
                let way = knots * KNOT_M_S * interval_s * 24.0;
                assert!((track.summary().length_m - way).abs() < 1500.0, "{text}");
                let under_way = track.fixes().filter(|fix| fix.reason == Reason::UnderWay);
                assert!(under_way.count() >= 22, "{text}");
            }
        }
    }
}

#[test]
fn a_ship_is_told_where_each_position_is_sent_twice() {
    for knots in [4.0, 6.0, 12.0] {
        let hourly = then_north(3600.0, carried(knots, 3600.0, 8));
        let again = |row: &Row| [*row, (row.0 + 1800.0, row.1, row.2)];
        let rows: Vec<Row> = hourly.iter().flat_map(again).collect();
        let track = assembled(&rows, Platform::Drifter);
        assert_eq!(track.summary().fail, 0, "{knots} kn");
        let found = episodes(&Rule::PickedUp, &track, f64::NEG_INFINITY);
        let [told] = &found[..] else {
            panic!("{knots} kn: {found:?}");
        };
        // Three hours from the last fix that stood still on.
        assert_eq!(told.at, hourly[42].0, "{knots} kn");
    }
}

#[test]
fn a_drifter_that_is_flown_200_km_is_outside_by_the_third_fix_and_until_then_texts_say_so() {
    for interval_s in INTERVALS {
        let rows = then_north(interval_s, [200_000.0, 200_020.0, 200_040.0, 200_000.0]);
        assert_eq!(raised(&rows, Platform::Drifter), [(Kind::Outside, 3)]);
        let newer = |count: usize| {
            let track = assembled(&rows[..count], Platform::Drifter);
            track
                .newer()
                .map(|newer| (newer.failed, newer.failed_m.unwrap().round()))
        };
        let expected = [None, Some((1, 200_000.0)), Some((2, 200_020.0)), None];
        let found = [40, 41, 42, 43].map(newer);
        for (found, expected) in found.into_iter().zip(expected) {
            let near =
                |(a, b): ((usize, f64), (usize, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 50.0;
            assert!(
                found.is_none() == expected.is_none() && found.zip(expected).is_none_or(near),
                "{found:?} {expected:?}"
            );
        }
        // The flight is a jump, which counts for no length.
        let track = assembled(&rows, Platform::Drifter);
        assert_eq!(track.fix(40).unwrap().reason, Reason::Jump);
        assert!(track.summary().length_m < 2500.0);
    }
}

#[test]
fn a_glider_is_never_under_way() {
    for interval_s in INTERVALS {
        for knots in [5.0, 7.0, 12.0] {
            let rows = then_north(interval_s, carried(knots, interval_s, 12));
            let track = assembled(&rows, Platform::Glider);
            let is_under_way = |fix: Fix| fix.reason == Reason::UnderWay;
            assert!(
                !track.fixes().any(is_under_way),
                "{knots} kn, T {interval_s} s"
            );
        }
    }
}

#[test]
fn one_or_two_spikes_at_the_end_stay_failed_and_so_does_noise() {
    for interval_s in INTERVALS {
        // Back and forth, 2,000 km away each time in another direction.
        for count in 1..10 {
            let noise = (0..count).map(|n| 2_000_000.0 * if n % 2 == 0 { 1.0 } else { -1.5 });
            let rows = then_north(interval_s, noise);
            let track = assembled(&rows, Platform::Drifter);
            assert_eq!(track.latest().unwrap().index, 39, "{count} T {interval_s}");
            assert_eq!(track.newer().map(|newer| newer.failed), Some(count));
        }
    }
}

#[test]
fn a_block_between_two_data_gaps_is_taken_in_where_it_is_consistent() {
    // Every ten minutes, a day of silence, nine fixes far off, a day of silence, and on.
    let rows = |count: u32, step: f64| -> Vec<Row> {
        let part = |from: f64, latitude: f64, count: u32, step: f64| {
            (0..count).map(move |n| {
                let n = f64::from(n);
                (from + 600.0 * n, latitude + step * n, 5.0)
            })
        };
        let parts = part(0.0, 60.0, 40, 0.001)
            .chain(part(110_000.0, 70.0, count, step))
            .chain(part(220_000.0, 60.5, 40, 0.001));
        parts.collect()
    };
    let failed = |count, step| {
        let track = assembled(&rows(count, step), Platform::Drifter);
        (40..40 + count as usize)
            .filter(|&index| track.flags()[index] == Flag::Fail)
            .count()
    };
    assert_eq!(failed(9, 0.001), 0);
    assert_eq!(failed(4, 0.001), 4);
    assert_eq!(failed(9, 1.0), 9);
    let track = assembled(&rows(9, 0.001), Platform::Drifter);
    assert!(track.is_jump(40) && track.is_jump(49));
}

#[test]
fn a_drifter_aboard_a_ship_is_under_way_and_one_that_turns_is_not() {
    let mut rows = drift(60);
    for (along, row) in (1..).zip(&mut rows[20..30]) {
        row.2 += 0.02 * f64::from(along);
    }
    for row in &mut rows[30..] {
        row.2 += 0.2;
    }
    // 1.1 km in 300 s: 3.7 m/s.
    for (n, row) in rows.iter_mut().enumerate() {
        row.0 = 300.0 * n as f64;
    }
    let track = assembled(&rows, Platform::Drifter);
    let found = flagged(&track);
    assert!(
        found
            .iter()
            .all(|one| (one.1, one.2) == (Flag::Suspect, Reason::UnderWay))
    );
    assert_eq!(
        found.iter().map(|one| one.0).collect::<Vec<_>>(),
        (20..29).collect::<Vec<_>>()
    );
    assert!(
        track
            .reason_text(22)
            .starts_with("under way: 3.7 m/s, limit 2.1 m/s"),
        "{}",
        track.reason_text(22)
    );
    assert_eq!(flagged(&assembled(&rows, Platform::Vessel)), []);
}
