//! Tracks from records: sorted, folded, flagged and summed up.

use super::*;
use crate::geo::Units;
use crate::testing::track::{Numbers, records, times_of, track as track_of};
use crate::track::{DeclaredState, Platform, Reason, State, Window};
use crate::watch::Deployment;

fn assemble(fixes: impl IntoIterator<Item = Numbers>) -> Track {
    track_of(Platform::Drifter, 1e9, fixes)
}

#[test]
fn ten_thousand_positions_of_one_time_are_folded_as_two_are() {
    let track = assemble((0..20_000).map(|n| (100.0, 10.0 + f64::from(n % 10_000) / 1e4, 5.0)));
    assert_eq!((track.len(), track.summary().repeats), (10_000, 10_000));
    assert!((0..track.len()).all(|index| track.times_sent(index) == 2));
    let part = track.window(Some(200.0), None);
    assert_eq!((part.len(), part.summary().repeats), (0, 0));
}

#[test]
fn repeats_are_folded_also_when_another_position_lies_between() {
    let track = assemble([
        (10.0, 1.0, 2.0),
        (0.0, 1.0, 2.0),
        (10.0, 1.0, 2.001),
        (10.0, 1.0, 2.0),
    ]);
    assert_eq!((track.len(), track.summary().repeats), (3, 1));
    assert_eq!(track.flags(), [Flag::Pass, Flag::Suspect, Flag::Suspect]);
    assert_eq!(track.fix(1).unwrap().reason, Reason::TimeConflict);
}

#[test]
fn null_island_and_the_future_fail_and_stay_out_of_the_line() {
    let track = assemble([
        (0.0, 60.0, 2.0),
        (600.0, 0.0, 0.0),
        (1200.0, 60.001, 2.0),
        (2e9, 60.0, 2.0),
    ]);
    assert_eq!(
        track.flags(),
        [Flag::Pass, Flag::Fail, Flag::Pass, Flag::Fail]
    );
    assert_eq!(track.leg(2).unwrap().from, 0);
    assert!(track.leg(1).is_none());
    assert_eq!(track.latest().unwrap().index, 2);
    assert!((track.summary().length_m - 111.4).abs() < 0.1);
}

#[test]
fn a_persons_flag_counts_more_than_the_tests() {
    let mut assembly = TrackOptions::new(Platform::Generic, 1e9);
    assembly
        .overrules
        .set(600.0, crate::testing::at(0.0, 0.0), Flag::Pass);
    let records = records([(0.0, 60.0, 2.0), (600.0, 0.0, 0.0)]);
    let track = Track::new(&records, &assembly);
    assert_eq!(
        (track.flags()[1], track.fix(1).unwrap().reason),
        (Flag::Pass, Reason::Overridden)
    );
    assert!(track.leg(1).is_some());
    let again = track.reassembled(&TrackOptions::new(Platform::Generic, 1e9));
    assert_eq!(again.flags()[1], Flag::Fail);
}

#[test]
fn a_window_keeps_flags_and_sums_up_anew() {
    let track = assemble((0..10).map(|n| (600.0 * f64::from(n), 60.0 + 0.001 * f64::from(n), 2.0)));
    let window = track.window(Some(1200.0), Some(2400.0));
    assert_eq!(times_of(&window), [1200.0, 1800.0, 2400.0]);
    assert_eq!(window.summary().fixes, 3);
    assert!(window.leg(0).is_none() && window.leg(1).is_some());
    assert!(track.window(Some(5e8), None).is_empty());
    assert!(track.window(Some(2400.0), Some(1200.0)).is_empty());
}

#[test]
fn completeness_is_what_came_over_what_was_expected() {
    let track = assemble([0.0, 600.0, 1200.0, 1800.0, 3600.0].map(|t| (t, 60.0, 2.0)));
    assert_eq!(track.summary().median_interval_s, Some(600.0));
    assert_eq!(track.summary().completeness, Some(5.0 / 7.0));
    assert_eq!(track.summary().longest_gap_s, Some(1800.0));
    assert!(track.is_gap(7201.0) && !track.is_gap(7200.0));
}

#[test]
fn a_gap_is_longer_than_three_intervals_and_than_two_hours_or_thirty_intervals() {
    for (interval, longest) in [(10.0, 300.0), (600.0, 7200.0), (86_400.0, 259_200.0)] {
        let track = assemble((0..5).map(|n| (interval * f64::from(n), 60.0, 2.0)));
        assert_eq!(track.interval_s(), Some(interval));
        assert!(track.is_gap(longest + 1.0) && !track.is_gap(longest));
    }
}

#[test]
fn an_interval_is_known_from_three_gaps_on_and_up_to_45_days() {
    let every = |interval: f64, count: u32| {
        assemble((0..count).map(|n| (interval * f64::from(n), 60.0, 2.0)))
    };
    for (interval, count, known) in [
        (600.0, 2, false),
        (600.0, 3, false),
        (600.0, 4, true),
        (45.0 * 86_400.0, 4, true),
        (46.0 * 86_400.0, 4, false),
    ] {
        let track = every(interval, count);
        assert_eq!(track.interval_s(), known.then_some(interval));
        let now = interval * f64::from(count);
        let state = track.health(now).state;
        assert_eq!(state == State::Unknown, !known, "{interval} {count}");
        // The line is whole, whether there is a T or not.
        assert!((1..track.len()).all(|index| !track.is_break(index)));
    }
}

#[test]
fn nothing_and_one_fix_make_sense() {
    let nothing = assemble([]);
    assert_eq!(
        (
            nothing.summary().first,
            nothing.summary().bbox,
            nothing.interval_s()
        ),
        (None, None, None)
    );
    let one = assemble([(0.0, 60.0, 2.0)]);
    assert_eq!(one.health(10.0).state, crate::track::State::Unknown);
    assert_eq!(
        (one.summary().length_m, one.summary().max_speed_m_s),
        (0.0, None)
    );
}

proptest::proptest! {
    #[test]
    fn assembly_keeps_every_fix_in_order_and_never_panics(
        records in proptest::collection::vec((0u32..50, -90i8..=90, -180i16..=180), 0..60),
    ) {
        let fixes = records.iter().map(|&(t, lat, lon)| (f64::from(t) * 600.0, lat.into(), lon.into()));
        let track = assemble(fixes);
        proptest::prop_assert_eq!(track.len() + track.summary().repeats, records.len());
        proptest::prop_assert!(times_of(&track).is_sorted());
        let legs: f64 = (0..track.len())
            .filter(|index| !track.is_jump(*index))
            .filter_map(|index| track.leg(index))
            .map(|leg| leg.distance_m).sum();
        proptest::prop_assert!((legs - track.summary().length_m).abs() <= 1e-6 * legs.max(1.0));
    }
}

#[test]
fn repeats_and_fixes_between_fill_no_hole() {
    let at = |time_stamp: f64| Transmission {
        time_stamp,
        position: crate::testing::at(80.0, 10.0 + time_stamp * 1e-6),
    };
    // 100 expected times, 20 of them empty, and 25 fixes between others.
    let mut transmissions: Vec<Transmission> = (0..100)
        .filter(|hour| !(40..60).contains(hour))
        .map(|hour| at(3600.0 * f64::from(hour)))
        .collect();
    transmissions.extend((0..25).map(|hour| at(3600.0 * f64::from(hour) + 60.0)));
    let records = Records {
        transmissions: transmissions.into(),
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, 4e5));
    let summary = track.summary();
    assert_eq!(summary.median_interval_s, Some(3600.0));
    assert_eq!(summary.completeness, Some(0.8));
}

#[test]
fn fixes_outside_the_window_stay_and_count_for_nothing() {
    // In the harbour, flown out at 300 m/s, two days in the water, aboard again.
    let harbour = (0..10).map(|n| (600.0 * f64::from(n), 60.0, 2.0));
    let water = (0..288).map(|n| (9000.0 + 600.0 * f64::from(n), 70.0, 0.001 * f64::from(n)));
    let aboard = (0..10).map(|n| (181_800.0 + 600.0 * f64::from(n), 0.0, 0.0));
    let records = || records(harbour.clone().chain(water.clone()).chain(aboard.clone()));
    let bounded = TrackOptions {
        window: Window {
            from: Some(9000.0),
            until: Some(181_200.0),
        },
        ..TrackOptions::new(Platform::Drifter, 1e9)
    };
    let track = Track::new(&records(), &bounded);
    assert_eq!((track.len(), track.included_fixes().count()), (308, 288));
    for index in (0..10).chain(298..308) {
        let fix = track.fix(index).unwrap();
        assert_eq!(
            (fix.flag, fix.reason),
            (Flag::NotEvaluated, Reason::Outside)
        );
        assert!(track.leg(index).is_none() && !track.is_inside(index));
    }
    // As if they were not there, but that they are.
    let alone = track_of(Platform::Drifter, 1e9, water.clone());
    let (summary, expected) = (track.summary(), alone.summary());
    assert_eq!((summary.fixes, expected.fixes), (308, 288));
    assert_eq!(summary.length_m, expected.length_m);
    assert_eq!(summary.first, Some(9000.0));
    assert_eq!((summary.suspect, summary.fail), (0, 0));
    assert_eq!(
        (summary.bbox, summary.completeness),
        (expected.bbox, expected.completeness)
    );
    let health = alone.health(182_000.0);
    let health = health.in_window(&bounded.window, 182_000.0);
    assert_eq!(track.health(182_000.0), health);
    assert_eq!(track.latest().unwrap().time_stamp, 181_200.0);
    let part = track.window(Some(6000.0), Some(10_000.0));
    assert_eq!(part.included_fixes().count(), 2);
    // Without the window the flight and the deck are part of it.
    let whole = track.reassembled(&TrackOptions::new(Platform::Drifter, 1e9));
    assert!(whole.summary().fail + whole.summary().suspect > 0);
    assert_eq!(whole.reassembled(&bounded), track);
}

#[test]
fn a_window_keeps_numbers_and_jumps_with_their_fixes() {
    let fix = |n: u32, latitude| (600.0 * f64::from(n), latitude, 0.001 * f64::from(n));
    let moved = (0..80).map(|n| fix(n, if n < 50 { 60.0 } else { 70.0 }));
    let whole = track_of(Platform::Drifter, 1e9, moved.clone());
    assert_eq!(whole.fix(50).unwrap().reason, Reason::Jump);
    let options = TrackOptions {
        window: Window {
            from: Some(12_000.0),
            until: None,
        },
        ..TrackOptions::new(Platform::Drifter, 1e9)
    };
    let track = Track::new(&records(moved), &options);
    assert!(track.is_jump(50) && !track.is_jump(30));
    assert_eq!(track.reason_text(50), whole.reason_text(50));
}

#[test]
fn the_speed_limit_that_is_set_counts_and_the_reason_names_it() {
    let fixes = [0.0, 1.0, 2.0, 4.0].map(|n| (3600.0 * n, 60.0 + 0.2 * n, 0.0));
    let with = |max_speed_m_s| {
        let options = TrackOptions {
            max_speed_m_s,
            ..TrackOptions::new(Platform::Generic, 1e9)
        };
        Track::new(&records(fixes), &options)
    };
    let (by_platform, set) = (with(None), with(Some(5.0)));
    assert_eq!(by_platform.summary().fail, 0);
    assert!(set.summary().fail > 0);
    let failed = set.fixes().find(|fix| fix.flag == Flag::Fail).unwrap();
    assert!(set.reason_text(failed.index).ends_with("limit 5 m/s"));
    assert_eq!(set.limit_text(Units::Si), "limit 5 m/s, set");
    assert_eq!(
        by_platform.limit_text(Units::Nautical),
        "limit 32.4 kn, generic"
    );
    let drifter = track_of(Platform::Drifter, 1e9, fixes);
    assert_eq!(drifter.limit_text(Units::Nautical), "limit 8.1 kn, drifter");
}

#[test]
fn what_is_declared_recovered_or_lost_is_never_late() {
    let fixes = (0..5).map(|n| (600.0 * f64::from(n), 60.0, 0.0));
    for (declared, state) in [
        (DeclaredState::Active, State::Lost),
        (DeclaredState::Recovered, State::Recovered),
        (DeclaredState::Lost, State::DeclaredLost),
    ] {
        let options = TrackOptions {
            declared,
            ..TrackOptions::new(Platform::Drifter, 1e9)
        };
        let health = Track::new(&records(fixes.clone()), &options).health(1e9);
        assert_eq!(health.state, state);
        assert_eq!(health.interval_s, Some(600.0));
    }
}

#[test]
fn what_is_older_than_its_maximum_age_is_overdue_in_every_list_and_file() {
    let fixes = (0..5).map(|n| (7200.0 * f64::from(n), 60.0, 0.0));
    let now = 4.0 * 7200.0 + 4000.0;
    for (max_age_s, state) in [(None, State::OnTime), (Some(3600.0), State::Overdue)] {
        let mut entry = Deployment::new(uuid::Uuid::nil());
        entry.limits.max_age_s = max_age_s;
        let track = Track::new(&records(fixes.clone()), &entry.options(now));
        assert_eq!(track.health(now).state, state);
        assert_eq!(track.window(Some(0.0), None).health(now).state, state);
    }
}

#[test]
fn fields_stay_with_their_fixes_and_of_repeats_the_last_record_counts() {
    use crate::track::field::{FieldRows, FieldTable, FieldValue};
    let times = [40.0, 10.0, 30.0, 10.0, 20.0, 30.0];
    let mut records = crate::testing::track::records(times.map(|time| (time, 1.0 + time, 2.0)));
    let mut table = FieldTable::default();
    for (row, number) in (0..6).zip([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) {
        table.begin();
        // One record has none.
        if row != 4 {
            let value = FieldValue::Number(number);
            table.add(row, "x", value, |_| true).unwrap();
        }
    }
    records.fields = FieldRows::new(table);
    let options = TrackOptions::new(Platform::Generic, 1e9);
    let track = Track::new(&records, &options);
    let numbers = |track: &Track| -> Vec<Option<f64>> {
        let of = |fix| track.fields().of_fix(fix).next();
        (0..track.len())
            .map(|fix| of(fix).and_then(|(_, value)| value.number()))
            .collect()
    };
    assert_eq!(numbers(&track), [Some(3.0), None, Some(5.0), Some(0.0)]);
    let part = track.window(Some(15.0), Some(30.0));
    assert_eq!(numbers(&part), [None, Some(5.0)]);
    assert_eq!(numbers(&part.reassembled(&options)), [None, Some(5.0)]);
    let last = part.window(Some(25.0), None);
    assert_eq!(numbers(&last), [Some(5.0)]);
}

#[test]
fn repeats_have_the_fields_of_all_their_records() {
    use crate::track::field::{FieldRows, FieldTable, FieldValue};
    let (text, digits) = (FieldValue::Text, FieldValue::Digits);
    let number = FieldValue::Number;
    // A gateway sends the fields of one message in several records; the last one
    // of the response has none, and the two ends of the 180th meridian are one.
    type Sent<'a> = (f64, f64, &'a [(&'a str, FieldValue<'a>)]);
    let sent: [Sent<'_>; 8] = [
        (20.0, 180.0, &[("a", number(1.5)), ("t", text("old"))]),
        (10.0, 3.0, &[("a", number(2.0))]),
        (20.0, 7.0, &[("a", number(9.0))]),
        (20.0, -180.0, &[("b", number(-3.0)), ("t", text("new"))]),
        (20.0, 180.0, &[("n", digits("12345678901234567890"))]),
        (10.0, 3.0, &[("b", FieldValue::Truth(true))]),
        (30.0, 4.0, &[("a", FieldValue::Null)]),
        (30.0, 4.0, &[]),
    ];
    let fixes = sent.map(|(time, longitude, _)| (time, 1.0, longitude));
    let mut records = crate::testing::track::records(fixes);
    let mut table = FieldTable::default();
    for (row, (.., fields)) in (0..).zip(sent) {
        table.begin();
        for (name, value) in fields {
            table.add(row, name, *value, |_| true).unwrap();
        }
    }
    records.fields = FieldRows::new(table);
    let track = Track::new(&records, &TrackOptions::new(Platform::Generic, 1e9));
    let fields = |fix: usize| track.fields().of_fix(fix).collect::<Vec<_>>();
    let times = [0, 1, 2, 3].map(|fix| track.times_sent(fix));
    assert_eq!((track.len(), times), (4, [2, 3, 1, 2]));
    assert_eq!(
        fields(0),
        [("a", number(2.0)), ("b", FieldValue::Truth(true))]
    );
    let merged = [
        ("a", number(1.5)),
        ("t", text("new")),
        ("b", number(-3.0)),
        ("n", digits("12345678901234567890")),
    ];
    assert_eq!(fields(1), merged);
    assert_eq!(fields(2), [("a", number(9.0))]);
    assert_eq!(fields(3), [("a", FieldValue::Null)]);
}

#[test]
fn a_part_of_a_track_has_the_reporting_status_of_the_whole() {
    let fixes = (0u32..20).map(|n| (3600.0 * f64::from(n), 60.0 + 0.001 * f64::from(n), 5.0));
    let whole = assemble(fixes);
    let now = 19.5 * 3600.0;
    let part = whole.window(Some(3600.0), Some(2.0 * 3600.0));
    assert_eq!(part.len(), 2);
    assert_eq!(part.health(now), whole.health(now));
    let again = part.window(None, Some(3600.0)).without_failed();
    assert_eq!(again.health(now), whole.health(now));
}
