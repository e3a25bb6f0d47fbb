//! Real tracks against values that another library computed.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::*;
use crate::testing::track::recorded;

/// After every track in the data.
const NOW: f64 = 1_790_000_000.0;

#[derive(Deserialize)]
struct Expected {
    records: usize,
    fixes: usize,
    unusable: usize,
    repeats: usize,
    fail: usize,
    suspect: usize,
    first: f64,
    last: f64,
    length_m: f64,
    displacement_m: f64,
    max_speed_m_s: f64,
    longest_gap_s: f64,
    bbox: [f64; 4],
}

#[test]
fn every_real_track_agrees_with_the_reference() {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/reference.json"
    ));
    let reference: BTreeMap<String, BTreeMap<String, Expected>> =
        serde_json::from_str(text).unwrap();
    let (mut wrong, mut same) = (Vec::new(), Vec::new());
    for (platform, tracks) in &reference {
        let platform: Platform = platform.parse().unwrap();
        for (name, expected) in tracks {
            let records = recorded(name);
            assert_eq!(records.transmissions.len(), expected.records, "{name}");
            let track = Track::new(&records, &TrackOptions::new(platform, NOW));
            let s = track.summary();
            let mut check = |what: &str, got: f64, wanted: f64, tolerance: f64| {
                if (got - wanted).abs() > tolerance {
                    wrong.push(format!(
                        "{platform} {name}: {what} is {got}, expected {wanted}"
                    ));
                }
            };
            for (what, got, wanted) in [
                ("fixes", s.fixes, expected.fixes),
                ("unusable", s.unusable, expected.unusable),
                ("repeats", s.repeats, expected.repeats),
            ] {
                check(what, got as f64, wanted as f64, 0.0);
            }
            // It was computed by the first, second and third of the tests alone:
            // what the others flag besides changes all that follows.
            if (s.fail, s.suspect) != (expected.fail, expected.suspect) {
                continue;
            }
            same.push(name);
            check("first", s.first.unwrap(), expected.first, 0.0);
            check("last", s.last.unwrap(), expected.last, 0.0);
            // The reference counts the way between two fixes of one time.
            let length = if expected.first < expected.last {
                expected.length_m
            } else {
                0.0
            };
            check("length", s.length_m, length, 1e-6 * length + 2e-3);
            check(
                "displacement",
                s.displacement_m,
                expected.displacement_m,
                1e-6 * expected.displacement_m + 2e-3,
            );
            check(
                "max speed",
                s.max_speed_m_s.unwrap(),
                expected.max_speed_m_s,
                1e-6 * expected.max_speed_m_s + 2e-6,
            );
            check(
                "longest gap",
                s.longest_gap_s.unwrap(),
                expected.longest_gap_s,
                1e-6,
            );
            for (got, wanted) in s.bbox.unwrap().corners().into_iter().zip(expected.bbox) {
                check("bbox", got, wanted, 0.0);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(reference.values().all(|tracks| tracks.len() >= 20));
    assert!(same.len() >= 20, "{same:?}");
}

#[test]
fn a_fix_ahead_of_the_clock_is_no_last_fix_in_whatever_order_fixes_came() {
    let now = 1.8e9;
    let fixes = [-3.0, -2.0, -1.0, 0.0, 0.5, 20.0].map(|hours| (now + 3600.0 * hours, 60.0, 5.0));
    let last = |fixes: &[crate::testing::track::Numbers], now: f64| {
        let track = crate::testing::track::track(Platform::Mooring, now, fixes.iter().copied());
        let health = track.health(now);
        (track.latest().map(|fix| fix.time_stamp), health.state)
    };
    for turn in 0..fixes.len() {
        let mut mixed = fixes;
        mixed.rotate_left(turn);
        assert_eq!(last(&mixed, now), (Some(now), State::OnTime));
        let later = now + 19.0 * 3600.0;
        let lost_count = last(&mixed, later);
        assert_eq!(lost_count, (Some(now + 1800.0), State::Overdue));
        let come = now + 20.0 * 3600.0;
        assert_eq!(last(&mixed, come), (Some(come), State::OnTime));
        mixed.reverse();
        assert_eq!(last(&mixed, now), (Some(now), State::OnTime));
    }
    assert_eq!(last(&fixes[5..], now), (None, State::Unknown));
}
