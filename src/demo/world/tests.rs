//! Checks of the simulation against physics and the service's rules.

use std::time::Instant;

use serde_json::Value;

use super::{Clock, World};
use crate::geo::{Inside, geodesic};
use crate::testing::chance::rounds;
use crate::track::{
    Fix, Flag, InvalidRecord, Platform, Reason, RecordFault, Records, State, Track, TrackOptions,
    Transmission,
};
use crate::watch::Deployment;

/// 2026-11-20T22:46:05Z, an arbitrary time.
const NOW: f64 = 1_795_214_765.0;
const DAY: f64 = 86_400.0;
const SEEDS: [u64; 4] = [7, 0, 1, u64::MAX];

fn body(world: &World, deployment: &Deployment, now: f64) -> Vec<Value> {
    let body = world.body(deployment.id.uuid, now).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// Parses records by the service's rules, without [`crate::service`].
fn records(body: &[Value]) -> Records {
    let mut records = Records::default();
    for (index, record) in body.iter().enumerate() {
        let number = |name: &str| record.get(name).and_then(Value::as_f64);
        let sound = match (
            number("time_stamp"),
            number("latitude"),
            number("longitude"),
        ) {
            (Some(time), Some(latitude), Some(longitude)) => {
                Transmission::new(time, latitude, longitude)
            }
            _ => Err(RecordFault::Other("no number".into())),
        };
        match sound {
            Ok(transmission) => records.transmissions.push(transmission),
            Err(fault) => records.unusable.push(InvalidRecord {
                index,
                line: None,
                fault,
                excerpt: record.to_string(),
            }),
        }
    }
    records
}

fn named(world: &World, label: &str) -> Deployment {
    let mut all = world.deployments().into_iter();
    all.find(|entry| entry.name().contains(label)).unwrap()
}

fn track(seed: u64, label: &str, now: f64) -> Track {
    let world = World::simulated(seed, now.min(NOW));
    let deployment = named(&world, label);
    let records = records(&body(&world, &deployment, now));
    Track::new(&records, &TrackOptions::new(deployment.platform, now))
}

fn all_labels() -> Vec<(String, Platform)> {
    let all = World::simulated(7, NOW).deployments();
    all.into_iter()
        .map(|entry| (entry.name(), entry.platform))
        .collect()
}

/// (mean, maximum) speed of the legs between included fixes, m/s.
fn speeds(track: &Track) -> (f64, f64) {
    let summary = track.summary();
    let time = summary.last.unwrap() - summary.first.unwrap();
    (summary.length_m / time, summary.max_speed_m_s.unwrap())
}

fn distance(a: Fix, b: Fix) -> f64 {
    geodesic::inverse(a.position, b.position).distance_m
}

#[test]
fn one_seed_and_day_is_one_world_and_another_seed_another() {
    // Started at another hour of the same day, the past is the same.
    let (one, later) = (
        World::simulated(7, NOW),
        World::simulated(7, NOW - 0.4 * DAY),
    );
    let other = World::simulated(8, NOW);
    for deployment in one.deployments() {
        let told = body(&one, &deployment, NOW);
        assert_eq!(told, body(&one, &deployment, NOW));
        assert_ne!(
            told,
            body(&other, &deployment, NOW),
            "{}",
            deployment.name()
        );
        // What moves while the user watches begins with the start.
        let is_live = ["launch", "Wave buoy"]
            .iter()
            .any(|name| deployment.name().contains(name));
        if !is_live {
            assert_eq!(
                told,
                body(&later, &deployment, NOW),
                "{}",
                deployment.name()
            );
        }
    }
    assert_eq!(one.deployments(), other.deployments());
}

#[test]
fn a_track_only_grows_and_never_reaches_beyond_the_present() {
    let world = World::simulated(7, NOW);
    for deployment in world.deployments() {
        let mut before = body(&world, &deployment, NOW);
        let newest_first = deployment.name().contains("Scotia");
        for minutes in [1.0, 11.0, 90.0, 300.0, 10_000.0] {
            let now = NOW + 60.0 * minutes;
            let after = body(&world, &deployment, now);
            let kept = if newest_first {
                after.ends_with(&before)
            } else {
                after.starts_with(&before)
            };
            assert!(kept, "{} at {minutes}", deployment.name());
            let times = records(&after).transmissions;
            assert!(times.iter().all(|one| one.time_stamp <= now));
            before = after;
        }
        let silent = deployment.name().contains("Drake");
        let grown = before.len() > body(&world, &deployment, NOW).len();
        assert_ne!(grown, silent, "{}", deployment.name());
    }
}

#[test]
fn a_person_who_watches_for_half_a_minute_sees_something_move() {
    let (then, now) = (track(7, "launch", NOW), track(7, "launch", NOW + 30.0));
    let moved = distance(then.latest().unwrap(), now.latest().unwrap());
    assert_eq!(now.len(), then.len() + 2);
    assert!((20.0..200.0).contains(&moved), "{moved}");
    // Near the Devon coast, so that the map shows land.
    let box_ = now.summary().bbox.unwrap();
    assert!(box_.south > 50.1 && box_.north < 50.27 && box_.west > -4.3 && box_.east < -4.1);
}

#[test]
fn the_ice_drifter_stays_above_85_north_and_passes_the_pole() {
    let pole = crate::testing::at(90.0, 0.0);
    for seed in SEEDS {
        let track = track(seed, "Ice", NOW);
        let nearest = track
            .included_fixes()
            .map(|fix| geodesic::inverse(pole, fix.position).distance_m)
            .fold(f64::MAX, f64::min);
        assert!(nearest < 20_000.0, "seed {seed}: {nearest}");
        assert!(track.summary().bbox.unwrap().south > 85.0);
        let (mean, highest) = speeds(&track);
        assert!((0.06..0.3).contains(&mean), "seed {seed}: {mean}");
        assert!((0.15..0.6).contains(&highest), "seed {seed}: {highest}");
    }
}

#[test]
fn the_ice_drifter_turns_at_the_inertial_period_after_a_storm() {
    // Without the half-day mean, the motion rotates more clockwise than
    // anticlockwise.
    let (mut clockwise, mut all) = (0, 0);
    let track = track(7, "Ice", NOW);
    let fixes: Vec<Fix> = track.included_fixes().collect();
    let plane = |fix: &Fix| {
        let south = (90.0 - fix.position.latitude) * 111_694.0;
        let (sin, cos) = fix.position.longitude.to_radians().sin_cos();
        (south * cos, south * sin)
    };
    for window in fixes.windows(25) {
        if window[24].time_stamp - window[0].time_stamp > 24.2 * 3600.0 {
            continue;
        }
        let residual = |at: usize| {
            let mean = |from: usize, pick: fn((f64, f64)) -> f64| {
                (from..from + 12)
                    .map(|n| pick(plane(&window[n])))
                    .sum::<f64>()
                    / 12.0
            };
            let here = plane(&window[at]);
            (
                here.0 - mean(at - 6, |p| p.0),
                here.1 - mean(at - 6, |p| p.1),
            )
        };
        let (a, b) = (residual(9), residual(12));
        all += 1;
        clockwise += usize::from(a.0 * b.1 - a.1 * b.0 < 0.0);
    }
    assert!(all > 700, "{all}");
    assert!(clockwise * 10 > all * 7, "{clockwise} of {all}");
}

#[test]
fn the_ocean_drifter_goes_to_and_fro_over_the_antimeridian() {
    for seed in SEEDS {
        let track = track(seed, "date line", NOW);
        assert!(track.summary().bbox.unwrap().crosses_antimeridian());
        let fixes: Vec<Fix> = track.included_fixes().collect();
        let crossings = fixes
            .windows(2)
            .filter(|pair| (pair[0].position.longitude - pair[1].position.longitude).abs() > 180.0)
            .count();
        assert!(crossings >= 1, "seed {seed}");
        let (mean, highest) = speeds(&track);
        assert!((0.25..0.7).contains(&mean), "seed {seed}: {mean}");
        assert!((0.5..1.3).contains(&highest), "seed {seed}: {highest}");
    }
}

#[test]
fn two_drifters_are_released_two_nautical_miles_apart_and_part() {
    for seed in SEEDS {
        let [silent, other] = ["Drake", "Scotia"].map(|label| track(seed, label, NOW));
        let first = |track: &Track| track.included_fixes().next().unwrap();
        let [from, to] = [&silent, &other].map(first);
        assert_eq!(from.time_stamp, to.time_stamp);
        let apart = distance(from, to) / 1852.0;
        assert!((1.9..2.1).contains(&apart), "seed {seed}: {apart}");
        let last = silent.latest().unwrap();
        let then = other.latest_at(last.time_stamp).unwrap();
        let apart = distance(last, then) / 1852.0;
        assert!((20.0..130.0).contains(&apart), "seed {seed}: {apart}");
    }
}

#[test]
fn health_tells_the_silent_one_from_the_others_at_every_hour_of_the_day() {
    for (label, platform) in all_labels() {
        for half_hour in (0..48).step_by(rounds(2, 1)) {
            let now = (NOW / DAY).floor() * DAY + 1800.0 * f64::from(half_hour) + 60.0;
            let state = track(7, &label, now).health(now).state;
            if label.contains("Drake") {
                assert_eq!(state, State::Lost);
            } else if platform == Platform::Tag {
                // An animal surfaces irregularly.
                assert!(matches!(state, State::OnTime | State::Late), "{state:?}");
            } else {
                assert_eq!(state, State::OnTime, "{label}, half hour {half_hour}");
            }
        }
    }
}

#[test]
fn the_quality_tests_flag_what_was_planted_and_nothing_else() {
    for seed in SEEDS {
        // label, spikes, fixes at (0, 0), second positions, duplicates, invalid
        // records
        for (label, planted) in [
            ("launch", [1, 0, 0, 1, 0]),
            ("Ice", [1, 0, 1, 0, 2]),
            ("date line", [1, 0, 1, 2, 1]),
            ("Scotia", [0, 1, 0, 1, 1]),
            ("Glider", [0, 0, 0, 0, 2]),
            ("Drake", [0, 1, 0, 0, 2]),
            ("Float", [0, 0, 0, 0, 0]),
            ("seal", [1, 1, 0, 1, 1]),
        ] {
            let track = track(seed, label, NOW);
            let count = |reason: Reason, flag: Flag| {
                let all = track.fixes();
                all.filter(|fix| (fix.reason, fix.flag) == (reason, flag))
                    .count()
            };
            let found = [
                count(Reason::Speed, Flag::Fail),
                count(Reason::NullIsland, Flag::Fail),
                // Both positions of one time are flagged.
                count(Reason::TimeConflict, Flag::Suspect) / 2,
                track.summary().repeats,
                track.unusable().len(),
            ];
            assert_eq!(found, planted, "{label}, seed {seed}");
            let flagged = track
                .flags()
                .iter()
                .filter(|flag| **flag != Flag::Pass)
                .count();
            assert_eq!(
                flagged,
                found[0] + found[1] + 2 * found[2],
                "{label}, seed {seed}"
            );
        }
    }
}

#[test]
fn the_spikes_are_the_fixes_that_fail() {
    // A flagged fix is far from both neighbours: the spike is flagged, not the
    // fix next to it.
    for label in ["launch", "Ice", "date line", "seal"] {
        let track = track(7, label, NOW);
        let spike = track
            .fixes()
            .find(|fix| fix.reason == Reason::Speed)
            .unwrap();
        let beside = |index| distance(spike, track.fix(index).unwrap());
        let apart = beside(spike.index - 1).min(beside(spike.index + 1));
        assert!(apart > 4_000.0, "{label}: {apart}");
    }
}

#[test]
fn between_them_they_have_gaps_every_kind_of_bad_record_and_both_longitudes() {
    let world = World::simulated(7, NOW);
    let mut all = String::new();
    let mut gaps = 0;
    for deployment in world.deployments() {
        let text = String::from_utf8(world.body(deployment.id.uuid, NOW).unwrap()).unwrap();
        all.push_str(&text);
        let track = track(7, &deployment.name(), NOW);
        gaps += track
            .included_fixes()
            .filter(|fix| {
                let leg = track.leg(fix.index);
                leg.is_some_and(|leg| track.is_gap(leg.duration_s))
            })
            .count();
    }
    assert!(gaps >= 6, "{gaps}");
    for kind in [
        "\"latitude\":null",
        "\"longitude\":null",
        "\"time_stamp\":null",
        "\"latitude\":\"",
        "\"longitude\":\"",
        "\"latitude\":0,\"longitude\":0",
        "\"longitude\":18",
        "\"longitude\":-17",
    ] {
        assert!(all.contains(kind), "{kind}");
    }
    let east = body(&world, &named(&world, "Float"), NOW);
    assert!(
        east.iter()
            .all(|one| one["longitude"].as_f64().unwrap() > 180.0)
    );
}

#[test]
fn a_world_that_has_run_for_years_still_answers_fast_and_in_bounds() {
    let world = World::simulated(7, NOW);
    let launch = named(&world, "launch");
    let start = Instant::now();
    let years = world
        .body(launch.id.uuid, NOW + 10.0 * 365.0 * DAY)
        .unwrap();
    assert!(years.len() < 12_000_000, "{}", years.len());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn the_wave_buoy_breaks_loose_while_the_user_watches_and_is_towed_back() {
    for seed in SEEDS {
        let world = World::simulated(seed, NOW);
        let buoy = named(&world, "Wave buoy");
        let Some(Inside::Circle(circle)) = buoy.limits.inside else {
            panic!("it has no watch circle");
        };
        let at = |seconds: f64| {
            let records = records(&body(&world, &buoy, NOW + seconds));
            let track = Track::new(
                &records,
                &TrackOptions::new(Platform::Mooring, NOW + seconds),
            );
            // While a ship tows it, its fixes are suspect.
            let is_real = |fix: &Fix| fix.flag == Flag::Pass || fix.reason == Reason::UnderWay;
            assert!(track.included_fixes().all(|fix| is_real(&fix)), "{seed}");
            let distances: Vec<f64> = track
                .included_fixes()
                .map(|fix| circle.distance_m(fix.position))
                .collect();
            distances
        };
        // Moored, then out of its circle within 90 s, with two fixes.
        assert!(at(30.0).iter().all(|away| *away < 40.0), "{seed}");
        let out = at(90.0);
        assert!(
            out.iter().rev().take(2).all(|away| *away > circle.radius_m),
            "{seed}"
        );
        // Back after some minutes, well within it, and for good.
        let back = at(400.0);
        assert!(back.iter().rev().take(2).all(|away| *away < 40.0), "{seed}");
        assert!(
            at(9000.0).iter().rev().take(500).all(|away| *away < 40.0),
            "{seed}"
        );
    }
}

impl Clock {
    /// A stopped clock.
    pub(in crate::demo) fn stopped(at: f64) -> Self {
        Self {
            start: at,
            began: None,
        }
    }
}
