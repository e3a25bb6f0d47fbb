//! Real tracks replayed fix by fix, as they came.

mod replay;

use serde::Deserialize;
use uuid::Uuid;

use super::{Found, Kind, Rule, Seen, judge, rules};
use crate::geo::{Inside, Position, geodesic};
use crate::testing::chance::rounds;
use crate::testing::recorded;
use crate::testing::track::{Numbers, records};
use crate::track::{Deployment, Platform, Records, Track, TrackOptions};

#[derive(Deserialize)]
struct Row {
    time_stamp: f64,
    latitude: f64,
    longitude: f64,
}

fn numbers(name: &str) -> Vec<Numbers> {
    let rows: Vec<Row> = serde_json::from_slice(&recorded::track(name)).unwrap();
    let mut numbers: Vec<Numbers> = rows
        .into_iter()
        .map(|row| (row.time_stamp, row.latitude, row.longitude))
        .collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    numbers
}

fn entry(platform: Platform) -> Deployment {
    Deployment {
        platform,
        ..Deployment::new(Uuid::nil())
    }
}

/// What one rule finds of a track that comes `step` fixes at a time.
fn replayed(fixes: &[Numbers], platform: Platform, rule: &Rule, step: usize) -> Vec<Found> {
    let mut seen = Seen::default();
    let mut all = Vec::new();
    let mut count = 0;
    while count < fixes.len() {
        count = (count + step).min(fixes.len());
        // Quality control looks a few days back; a shorter track is judged
        // sooner.
        let recent = &fixes[count.saturating_sub(200)..count];
        let now = recent.last().unwrap().0;
        let track = Track::assemble(
            records(recent.iter().copied()),
            &TrackOptions::new(platform, now),
        );
        let (found, progress) = judge(rule, &seen, &track, now);
        seen.progress = Some(progress);
        for one in &found {
            match one {
                Found::Raised { at, fix_time, .. } => {
                    (seen.open, seen.open_fix) = (Some(*at), Some(*fix_time));
                }
                Found::Cleared { .. } | Found::Ended { .. } => seen.open = None,
                Found::Still { .. } => {}
            }
        }
        all.extend(found);
    }
    all
}

fn raised(found: &[Found]) -> usize {
    found
        .iter()
        .filter(|one| matches!(one, Found::Raised { .. }))
        .count()
}

/// All that the rules of a platform find in a whole track at its end.
fn at_once(fixes: &[Numbers], platform: Platform) -> Vec<(Kind, Found)> {
    let now = fixes.last().unwrap().0;
    let track = Track::assemble(
        records(fixes.iter().copied()),
        &TrackOptions::new(platform, now),
    );
    rules(&entry(platform), 0.0)
        .iter()
        .flat_map(|rule| {
            let (found, _) = judge(rule, &Seen::default(), &track, now);
            found.into_iter().map(|one| (rule.kind(), one))
        })
        .collect()
}

#[test]
fn a_mooring_that_breaks_loose_raises_one_alarm_whatever_its_circle() {
    for name in ["spotter_davis_0161", "spotter_davis_0173"] {
        let fixes = numbers(name);
        // The centre as a user would set it: the median of the first 48 h.
        let first = fixes[0].0;
        let early: Vec<&Numbers> = fixes
            .iter()
            .filter(|fix| fix.0 <= first + 48.0 * 3600.0)
            .collect();
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let latitude = median(early.iter().map(|fix| fix.1).collect());
        let longitude = median(early.iter().map(|fix| fix.2).collect());
        for radius in &[15, 10, 20][..rounds(1, 3)] {
            let circle = format!("{latitude},{longitude},{radius}");
            let circle = Inside::from_stored(&circle).unwrap();
            let found = replayed(&fixes, Platform::Mooring, &Rule::Outside(circle), 1);
            assert_eq!(raised(&found), 1, "{name}, {radius} m: {found:#?}");
            assert_eq!(found.len(), 1, "{name}, {radius} m");
        }
    }
}

#[test]
fn nothing_is_raised_of_real_tracks_where_nothing_happened() {
    for (name, platform) in [
        ("argo_5903248", Platform::Float),
        ("drifter_spitsbergen_2017_4610", Platform::Drifter),
        ("glider_voto_smilla77", Platform::Glider),
        ("moored_casey_17328", Platform::Mooring),
        ("omb_barents_200906", Platform::Drifter),
        ("omb_greenland_seal3", Platform::Drifter),
        ("spotter_davis_0161", Platform::Mooring),
        ("spotter_davis_0173", Platform::Mooring),
        ("spotter_laptev_1386", Platform::Drifter),
    ] {
        let found = at_once(&numbers(name), platform);
        assert_eq!(found, [], "{name} as {platform}");
    }
}

#[test]
fn what_flies_is_picked_up_and_what_is_frozen_in_is_stationary() {
    let petrel = at_once(&numbers("gps_snow_petrel"), Platform::Drifter);
    assert!(
        petrel.iter().any(|(kind, found)| {
            *kind == Kind::PickedUp && matches!(found, Found::Raised { .. })
        }),
        "{petrel:#?}"
    );
    let frozen = at_once(&numbers("moored_casey_17328"), Platform::Drifter);
    let [
        (
            Kind::Stationary,
            Found::Raised {
                value, limit, text, ..
            },
        ),
    ] = &frozen[..]
    else {
        panic!("{frozen:#?}");
    };
    assert!(
        *value < 100.0 && *limit == 100.0 && text.contains("48 h"),
        "{text}"
    );
}

#[test]
fn a_drifter_whose_receiver_repeats_one_position_is_stationary() {
    let hour = 3600.0;
    // A day of drift, then the same numbers again and again.
    let fixes: Vec<Numbers> = (0..24 + 50)
        .map(|n| {
            (
                1.8e9 + f64::from(n) * hour,
                80.0 + 0.005 * f64::from(n.min(24)),
                10.0,
            )
        })
        .collect();
    let found = at_once(&fixes, Platform::Drifter);
    let [(Kind::Stationary, Found::Raised { at, value, .. })] = &found[..] else {
        panic!("{found:#?}");
    };
    assert_eq!((*at, *value), (1.8e9 + 72.0 * hour, 0.0));
    // Fix by fix it is one alarm, which the first fix elsewhere ends.
    let mut on: Vec<Numbers> = fixes.clone();
    on.push((1.8e9 + 74.0 * hour, 80.13, 10.0));
    let found = replayed(&on, Platform::Drifter, &Rule::Stationary, 1);
    let [Found::Raised { .. }, Found::Cleared { .. }] = &found[..] else {
        panic!("{found:#?}");
    };
    // No other rule counts what repeats.
    let circle = Rule::Outside(Inside::from_stored("80,10,1000").unwrap());
    let of_circle = |fixes: &[Numbers]| replayed(fixes, Platform::Drifter, &circle, 100);
    assert_eq!(raised(&of_circle(&fixes[..24])), raised(&of_circle(&fixes)));
}

#[test]
fn the_median_of_an_even_number_of_fixes_is_between_the_middle_two() {
    // Metres north of the first one, in 48 h.
    let north = [0.0, 1.0, 2.0, 120.0, 121.0, 122.0];
    let hours = [0.0, 10.0, 20.0, 30.0, 40.0, 48.0];
    let fixes: Vec<Numbers> = (north.iter().zip(hours))
        .map(|(m, hour)| (1.8e9 + hour * 3600.0, 50.0 + m / 111_229.0, 10.0))
        .collect();
    let found = at_once(&fixes, Platform::Drifter);
    let [(Kind::Stationary, Found::Raised { value, .. })] = &found[..] else {
        panic!("{found:#?}");
    };
    assert!((value - 61.0).abs() < 0.5, "{value}");
}

#[test]
fn a_drifter_that_was_switched_on_aboard_is_picked_up_on_its_way_out_alone() {
    // Its first hours are the way of the ship to the ice, at 8 to 9 knots.
    let fixes = numbers("drifter_spitsbergen_2018");
    let found = at_once(&fixes, Platform::Drifter);
    let [
        (Kind::PickedUp, Found::Raised { at, .. }),
        (Kind::PickedUp, Found::Cleared { .. }),
    ] = &found[..]
    else {
        panic!("{found:#?}");
    };
    assert!(at - fixes[0].0 < 5.0 * 3600.0, "{found:#?}");
}

/// Puts 8 h at 8 knots into the middle of a track, a fix each half hour; the rest
/// goes on from there. Returns where.
fn splice_ship(fixes: &mut Vec<Numbers>) -> usize {
    let middle = fixes.len() / 2;
    let (began, latitude, longitude) = fixes[middle];
    let speed_m_s = 8.0 * 1852.0 / 3600.0;
    let start = Position {
        latitude,
        longitude,
    };
    let aboard: Vec<Numbers> = (1..=16)
        .map(|half_hours: i32| {
            let seconds = 1800.0 * f64::from(half_hours);
            let to = geodesic::direct(start, 180.0, speed_m_s * seconds);
            (began + seconds, to.latitude, to.longitude)
        })
        .collect();
    let (ended, south, _) = aboard[15];
    let rest: Vec<Numbers> = fixes
        .split_off(middle + 1)
        .into_iter()
        .map(|fix| (fix.0 + ended - began, fix.1 + south - latitude, fix.2))
        .collect();
    fixes.extend(aboard);
    fixes.extend(rest);
    middle
}

#[test]
fn every_drifter_with_8_hours_at_8_knots_is_picked_up_once() {
    for name in [
        "drifter_spitsbergen_2017_4610",
        "drifter_spitsbergen_2018",
        "omb_barents_200906",
        "omb_greenland_seal3",
        "spotter_laptev_1386",
    ] {
        let mut fixes = numbers(name);
        let middle = splice_ship(&mut fixes);
        let from = middle.saturating_sub(100);
        let to = (middle + 300).min(fixes.len());
        let found = replayed(&fixes[from..to], Platform::Drifter, &Rule::PickedUp, 1);
        assert_eq!(raised(&found), 1, "{name}: {found:#?}");
    }
}

#[test]
fn a_silence_is_overdue_once_and_a_fix_clears_it() {
    let hourly: Vec<Numbers> = (0..30)
        .map(|hour: i32| (3600.0 * f64::from(hour), 60.0 + 0.01 * f64::from(hour), 5.0))
        .collect();
    let at = |fixes: &[Numbers], seen: &Seen, now: f64, rule: &Rule| {
        let options = TrackOptions::new(Platform::Generic, now);
        let track = Track::assemble(records(fixes.iter().copied()), &options);
        judge(rule, seen, &track, now)
    };
    let rule = &Rule::Overdue(None);
    let last = hourly[19].0;
    let none = at(&hourly[..20], &Seen::default(), last + 3.0 * 3600.0, rule);
    assert_eq!(none.0, []);
    let (found, progress) = at(&hourly[..20], &Seen::default(), last + 3.5 * 3600.0, rule);
    let [
        Found::Raised {
            at: raised_at,
            value,
            limit,
            text,
            ..
        },
    ] = &found[..]
    else {
        panic!("{found:?}");
    };
    assert_eq!(
        (*raised_at, *value, *limit),
        (last + 10_800.0, 12_600.0, 10_800.0)
    );
    assert_eq!(text, "no fix for 3 h 30 min, limit 3 h");
    let seen = Seen {
        progress: Some(progress),
        open: Some(*raised_at),
        open_fix: Some(last),
    };
    // Nothing new, and a clock that was set back by a day: it stands.
    for now in [last + 9.0 * 3600.0, last - 80_000.0] {
        assert_eq!(at(&hourly[..20], &seen, now, rule).0, [], "{now}");
    }
    // It was raised by a clock that was ahead, and is right again.
    let right = last + 1800.0;
    let (found, _) = at(&hourly[..20], &seen, right, rule);
    assert_eq!(found, [Found::Cleared { at: right }]);
    // A fix that is itself too old does not clear it; a new one does.
    assert_eq!(at(&hourly[..21], &seen, last + 20.0 * 3600.0, rule).0, []);
    let (found, _) = at(&hourly[..24], &seen, last + 4.2 * 3600.0, rule);
    assert_eq!(found, [Found::Cleared { at: hourly[23].0 }]);
    // A longer maximum age clears it, too.
    let (found, _) = at(
        &hourly[..20],
        &seen,
        last + 4.0 * 3600.0,
        &Rule::Overdue(Some(86_400.0)),
    );
    assert_eq!(
        found,
        [Found::Cleared {
            at: last + 4.0 * 3600.0
        }]
    );
    // Without a fix or an interval nothing is overdue.
    assert_eq!(at(&hourly[..1], &Seen::default(), 1e9, rule).0, []);
    assert_eq!(
        at(&[], &Seen::default(), 1e9, &Rule::Overdue(Some(1.0))).0,
        []
    );
}

#[test]
fn a_circle_is_left_by_two_fixes_or_one_far_off_and_entered_by_two_within_the_band() {
    // Metres east of the centre, a fix each hour.
    let found = |metres: &[f64]| {
        let fixes: Vec<Numbers> = (0u32..)
            .zip(metres)
            .map(|(hour, east)| (3600.0 * f64::from(hour), 0.5, 5.0 + east / 111_320.0))
            .collect();
        let rule = Rule::Outside(Inside::from_stored("0.5,5,100").unwrap());
        let one = replayed(&fixes, Platform::Vessel, &rule, 1);
        let many = replayed(&fixes, Platform::Vessel, &rule, 1000);
        assert_eq!(one, many);
        one.into_iter()
            .map(|found| match found {
                Found::Raised { at, .. } => (true, at / 3600.0),
                Found::Cleared { at } => (false, at / 3600.0),
                Found::Still { .. } | Found::Ended { .. } => unreachable!(),
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&[0.0, 110.0, 10.0, 120.0, 0.0]), []);
    assert_eq!(found(&[0.0, 110.0, 110.0, 120.0]), [(true, 2.0)]);
    assert_eq!(found(&[0.0, 10.0, 20.0, 310.0]), [(true, 3.0)]);
    // Back within the circle is not enough: 80 m is the edge of the band.
    let back = [
        0.0, 110.0, 110.0, 90.0, 85.0, 70.0, 90.0, 75.0, 75.0, 110.0, 120.0,
    ];
    assert_eq!(found(&back), [(true, 2.0), (false, 8.0), (true, 10.0)]);
}

#[test]
fn another_circle_counts_for_what_stands_and_the_past_is_not_raised_again() {
    let fixes: Vec<Numbers> = [0.0, 200.0, 200.0, 0.0, 0.0, 90.0, 90.0]
        .iter()
        .zip(0u32..)
        .map(|(east, hour)| (3600.0 * f64::from(hour), 0.5, 5.0 + east / 111_320.0))
        .collect();
    let options = TrackOptions::new(Platform::Vessel, 1e5);
    let track = Track::assemble(records(fixes), &options);
    let rule = |radius| Rule::Outside(Inside::from_stored(&format!("0.5,5,{radius}")).unwrap());
    let (found, progress) = judge(&rule(100), &Seen::default(), &track, 1e5);
    assert_eq!(found.len(), 2);
    let seen = Seen {
        progress: Some(progress),
        ..Seen::default()
    };
    assert_eq!(judge(&rule(100), &seen, &track, 1e5).0, []);
    let (found, progress) = judge(&rule(50), &seen, &track, 1e5);
    assert_eq!(raised(&found), 1);
    assert_eq!(found.len(), 1);
    let seen = Seen {
        progress: Some(progress),
        open: Some(6.0 * 3600.0),
        open_fix: Some(6.0 * 3600.0),
    };
    // It stands by another circle, too: with the present limit.
    let (found, _) = judge(&rule(60), &seen, &track, 1e5);
    assert!(
        matches!(&found[..], [Found::Still { limit, .. }] if *limit == 60.0),
        "{found:?}"
    );
    assert_eq!(
        judge(&rule(150), &seen, &track, 1e5).0,
        [Found::Cleared { at: 1e5 }]
    );
}

#[test]
fn what_is_recovered_has_no_rules_and_no_records_raise_nothing() {
    let mut recovered = entry(Platform::Drifter);
    recovered.state = crate::track::DeclaredState::Recovered;
    assert_eq!(rules(&recovered, 0.0), []);
    let track = Track::assemble(
        Records::default(),
        &TrackOptions::new(Platform::Drifter, 1e9),
    );
    for rule in rules(&entry(Platform::Drifter), 0.0) {
        assert_eq!(judge(&rule, &Seen::default(), &track, 1e9).0, []);
    }
}
