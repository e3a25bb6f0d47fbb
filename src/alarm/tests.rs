//! Real tracks replayed fix by fix, as they came.

mod cost;
mod replay;

use serde::Deserialize;
use uuid::Uuid;

use super::{Alarm, Cause, Change, Episode, Kind, Rule, Silence, changes, episodes, rules};
use crate::geo::{Inside, Units, geodesic};
use crate::testing::track::{Numbers, records};
use crate::testing::{chance::rounds, recorded};
use crate::track::{Platform, Records, Track, TrackOptions};
use crate::watch::Deployment;

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

/// The episodes of a rule in a whole track.
fn stood(fixes: &[Numbers], platform: Platform, rule: &Rule) -> Vec<Episode> {
    episodes(rule, &judged(fixes, platform), f64::NEG_INFINITY)
}

/// The track as it was judged when its last fix came.
fn judged(fixes: &[Numbers], platform: Platform) -> Track {
    let now = fixes.last().unwrap().0;
    let options = TrackOptions::new(platform, now);
    Track::new(&records(fixes.iter().copied()), &options)
}

/// The episodes of the rules of a platform in a whole track.
fn at_once(fixes: &[Numbers], platform: Platform) -> Vec<(Kind, Episode)> {
    let track = judged(fixes, platform);
    let found = |rule: &Rule| episodes(rule, &track, f64::NEG_INFINITY);
    let all = rules(&entry(platform), 0.0).into_iter();
    all.flat_map(|rule| {
        found(&rule)
            .into_iter()
            .map(move |episode| (rule.kind(), episode))
    })
    .collect()
}

#[test]
fn a_mooring_that_breaks_loose_raises_one_alarm_whatever_its_circle() {
    for name in ["spotter_davis_0161", "spotter_davis_0173"] {
        let fixes = numbers(name);
        // The centre as a user would set it: the median of the first 48 h.
        let end = fixes[0].0 + 48.0 * 3600.0;
        let early: Vec<&Numbers> = fixes.iter().filter(|fix| fix.0 <= end).collect();
        let median = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let latitude = median(early.iter().map(|fix| fix.1).collect());
        let longitude = median(early.iter().map(|fix| fix.2).collect());
        for radius in &[15, 10, 20][..rounds(1, 3)] {
            let circle = format!("{latitude},{longitude},{radius}");
            let circle = Inside::from_stored(&circle).unwrap();
            let found = stood(&fixes, Platform::Mooring, &Rule::Outside(circle));
            assert_eq!(found.len(), 1, "{name}, {radius} m: {found:#?}");
            assert_eq!(found[0].until, None, "{name}, {radius} m");
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
        petrel.iter().any(|(kind, _)| *kind == Kind::PickedUp),
        "{petrel:#?}"
    );
    let frozen = at_once(&numbers("moored_casey_17328"), Platform::Drifter);
    let [
        (
            Kind::Stationary,
            Episode {
                value,
                limit,
                text,
                until: None,
                ..
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
    let [(Kind::Stationary, Episode { at, value, .. })] = &found[..] else {
        panic!("{found:#?}");
    };
    assert_eq!((*at, *value), (1.8e9 + 72.0 * hour, 0.0));
    // The first fix elsewhere ends it.
    let mut on: Vec<Numbers> = fixes.clone();
    on.push((1.8e9 + 74.0 * hour, 80.13, 10.0));
    let found = stood(&on, Platform::Drifter, &Rule::Stationary);
    assert!(found.len() == 1 && found[0].until.is_some(), "{found:#?}");
    // No other rule counts what repeats.
    let circle = Rule::Outside(Inside::from_stored("80,10,1000").unwrap());
    let of_circle = |fixes: &[Numbers]| stood(fixes, Platform::Drifter, &circle).len();
    assert_eq!(of_circle(&fixes[..24]), of_circle(&fixes));
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
    let [(Kind::Stationary, Episode { value, .. })] = &found[..] else {
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
        (
            Kind::PickedUp,
            Episode {
                at, until: Some(_), ..
            },
        ),
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
    let start = crate::testing::at(latitude, longitude);
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
        let found = stood(&fixes[from..to], Platform::Drifter, &Rule::PickedUp);
        assert_eq!(found.len(), 1, "{name}: {found:#?}");
    }
}

fn known(id: &str, raised_at: f64, fix_time: f64, cleared_at: Option<f64>) -> Alarm {
    Alarm {
        fix_time: Some(fix_time),
        cleared_at,
        ..crate::testing::dashboard::alarm(id, None, Kind::Outside, raised_at, 0.0)
    }
}

const HOUR: f64 = 3600.0;

#[test]
fn a_silence_is_overdue_once_and_a_fix_clears_it() {
    let last = 1.8e9;
    let silence = Silence {
        last_fix: Some(last),
        interval_s: Some(HOUR),
        answered_at: Some(2e9),
        ..Silence::default()
    };
    let raised_at = last + 3.0 * HOUR;
    let stands = [known("a", raised_at, last, None)];
    let of = |silence: &Silence, stands: &[Alarm], now| silence.changes(None, stands, now);
    assert_eq!(of(&silence, &[], raised_at), []);
    let found = of(&silence, &[], last + 3.5 * HOUR);
    let [Change::Raised(one)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        (one.at, one.value, one.limit),
        (raised_at, 12_600.0, 10_800.0)
    );
    assert_eq!(one.cause, Some(Cause::default()));
    // Nothing new, and a clock that was set back by a day: it stays open.
    for now in [last + 9.0 * HOUR, last - 80_000.0] {
        assert_eq!(of(&silence, &stands, now), [], "{now}");
    }
    let ended = |at: f64| Change::Ended {
        id: "a".to_owned(),
        at,
        why: None,
    };
    // It was raised by a clock that was ahead, and is right again.
    let right = last + 1800.0;
    assert_eq!(of(&silence, &stands, right), [ended(right)]);
    // A fix that is itself too old does not clear it; a new one does.
    let later = |hours: f64| Silence {
        last_fix: Some(last + hours * HOUR),
        ..silence.clone()
    };
    let still = of(&later(1.0), &stands, last + 20.0 * HOUR);
    assert!(matches!(&still[..], [Change::Still { .. }]), "{still:?}");
    let new = last + 4.0 * HOUR;
    assert_eq!(of(&later(4.0), &stands, new + 60.0), [ended(new)]);
    // A longer maximum age clears it, too.
    let changed = Silence {
        is_changed: true,
        ..silence.clone()
    };
    let now = last + 4.0 * HOUR;
    assert_eq!(changed.changes(Some(86_400.0), &stands, now), [ended(now)]);
    // Without an interval nothing is overdue, but for a limit.
    let unknown = Silence {
        interval_s: None,
        ..silence.clone()
    };
    assert_eq!(of(&unknown, &[], 2e9), []);
    assert_eq!(unknown.changes(Some(60.0), &[], 2e9).len(), 1);
    // While the service gives no usable answer, nothing is raised, and nothing ends.
    let unreachable = Silence {
        is_unreachable: true,
        ..silence
    };
    assert_eq!(of(&unreachable, &[], last + 9.0 * HOUR), []);
    assert_eq!(of(&unreachable, &stands, last + 9.0 * HOUR), []);
}

#[test]
fn what_never_had_a_fix_is_overdue_from_when_it_was_added_on() {
    let added = 1.8e9;
    let silence = Silence {
        added_at: added,
        ..Silence::default()
    };
    let limit = Some(2.0 * HOUR);
    assert_eq!(silence.changes(limit, &[], added + HOUR), []);
    assert_eq!(silence.changes(None, &[], added + 1e7), []);
    let found = silence.changes(limit, &[], added + 3.0 * HOUR);
    let [Change::Raised(one)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(one.at, added + 2.0 * HOUR);
    let cause = one.cause.as_ref().unwrap().text(Units::Si);
    assert_eq!(cause, "it never sent a fix; never a usable answer");
    // Fixes before its time window do not count, and are not denied.
    let in_window = Silence {
        window_from: Some(added),
        added_at: added - 9.0 * HOUR,
        ..silence.clone()
    };
    let found = in_window.changes(limit, &[], added + 3.0 * HOUR);
    let [Change::Raised(one)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(one.at, added + 2.0 * HOUR);
    let words = "no fix since its time window began 2027-01-15T08:00:00Z; never a usable answer";
    assert_eq!(one.cause.as_ref().unwrap().text(Units::Si), words);
    // A limit that is set later raises it from then on.
    let late = Silence {
        since: added + 2.5 * HOUR,
        answered_at: Some(added),
        failure: Some("404 Not Found".to_owned()),
        ..silence
    };
    let found = late.changes(limit, &[], added + 3.0 * HOUR);
    let [Change::Raised(one)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(one.at, added + 2.5 * HOUR);
    let why = "it never sent a fix; no usable answer since 2027-01-15T08:00:00Z: 404 Not Found";
    assert_eq!(one.cause.as_ref().unwrap().text(Units::Si), why);
}

/// Fixes an hour apart, this many metres east of the centre.
fn hourly(metres: &[f64]) -> Vec<Numbers> {
    let east = |(hour, east): (u32, &f64)| (HOUR * f64::from(hour), 0.5, 5.0 + east / 111_320.0);
    (0u32..).zip(metres).map(east).collect()
}

#[test]
fn a_circle_is_left_by_two_fixes_or_one_far_off_and_entered_by_two_within_the_band() {
    let found = |metres: &[f64]| {
        let rule = Rule::Outside(Inside::from_stored("0.5,5,100").unwrap());
        let found = stood(&hourly(metres), Platform::Vessel, &rule).into_iter();
        let times = found.flat_map(|one| [Some((true, one.at)), one.until.map(|at| (false, at))]);
        let hours = times
            .flatten()
            .map(|(is_raised, at)| (is_raised, at / HOUR));
        hours.collect::<Vec<_>>()
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
fn a_limit_counts_from_when_it_was_set() {
    let fixes = hourly(&[0.0, 200.0, 200.0, 0.0, 0.0, 90.0, 90.0]);
    let track = Track::new(&records(fixes), &TrackOptions::new(Platform::Vessel, 1e5));
    let rule = |radius| Rule::Outside(Inside::from_stored(&format!("0.5,5,{radius}")).unwrap());
    let of = |radius, since| {
        let found = episodes(&rule(radius), &track, since).into_iter();
        found.map(|one| (one.at, one.until)).collect::<Vec<_>>()
    };
    let left = (2.0 * HOUR, Some(4.0 * HOUR));
    assert_eq!(of(100, f64::NEG_INFINITY), [left]);
    // An open episode begins then, and an episode that had ended by then does not count.
    assert_eq!(of(100, 2.5 * HOUR), [(2.5 * HOUR, left.1)]);
    assert_eq!(of(100, 4.0 * HOUR), []);
    // With the last fix in the circle nothing stands, though one alone does not clear.
    assert_eq!(of(100, 3.0 * HOUR), []);
    assert_eq!(of(50, 1e5), [(1e5, None)]);
}

#[test]
fn one_alarm_is_known_of_each_episode_and_the_one_that_stands_goes_on() {
    let episode = |from: f64, until: Option<f64>| Episode {
        at: from,
        fix_time: from,
        value: 2.0,
        limit: 1.0,
        text: "outside".to_owned(),
        cause: None,
        until,
    };
    let ended = |id: &str, at: f64| Change::Ended {
        id: id.to_owned(),
        at,
        why: None,
    };
    let (past, now) = (episode(3.0, Some(5.0)), episode(8.0, None));
    let both = vec![past.clone(), now.clone()];
    let raised = |one: &Episode| Change::Raised(one.clone());
    assert_eq!(
        changes(both.clone(), &[], 9.0),
        [raised(&past), raised(&now)]
    );
    // Known already, also where fixes that came late moved its beginning.
    let known_of_past = known("a", 4.0, 4.0, Some(5.0));
    assert_eq!(
        changes(
            vec![past.clone()],
            std::slice::from_ref(&known_of_past),
            9.0
        ),
        []
    );
    let open = known("b", 8.5, 8.5, None);
    let still = Change::Still {
        id: "b".to_owned(),
        episode: now.clone(),
    };
    let found = changes(both.clone(), &[known_of_past.clone(), open.clone()], 9.0);
    assert_eq!(found, std::slice::from_ref(&still));
    // Fixes that came late have an earlier episode: that is an alarm, too.
    let found = changes(both.clone(), std::slice::from_ref(&open), 9.0);
    assert_eq!(found, [raised(&past), still]);
    // It has ended by a fix; and by fixes that do not raise it any more.
    let over = vec![past.clone(), episode(8.0, Some(8.8))];
    let all = [known_of_past.clone(), open.clone()];
    assert_eq!(changes(over, &all, 9.0), [ended("b", 8.8)]);
    let found = changes(vec![past.clone()], &all, 9.0);
    assert!(
        matches!(
            &found[..],
            [Change::Ended {
                at: 9.0,
                why: Some(_),
                ..
            }]
        ),
        "{found:?}"
    );
    // Nobody looked while an alarm ended and the next two were raised: each is its own.
    let first = known("a", 3.0, 3.0, None);
    let between = episode(6.0, Some(7.0));
    let three = vec![past.clone(), between.clone(), now.clone()];
    let found = changes(three, &[first], 9.0);
    assert_eq!(found, [ended("a", 5.0), raised(&between), raised(&now)]);
    // An alarm that ended too early, because fixes arrived late, is raised again as a new one.
    let early = known("b", 8.0, 8.0, Some(8.4));
    let found = changes(vec![now], &[early], 9.0);
    assert!(
        matches!(&found[..], [Change::Raised(one)] if one.at == 8.4),
        "{found:?}"
    );
}

#[test]
fn what_is_recovered_has_no_rules_and_no_records_raise_nothing() {
    let mut recovered = entry(Platform::Drifter);
    recovered.state = crate::track::DeclaredState::Recovered;
    assert_eq!(rules(&recovered, 0.0), []);
    let track = Track::new(
        &Records::default(),
        &TrackOptions::new(Platform::Drifter, 1e9),
    );
    for rule in rules(&entry(Platform::Drifter), 0.0) {
        assert_eq!(episodes(&rule, &track, 0.0), []);
    }
}
