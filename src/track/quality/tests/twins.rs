//! Fixes that were reported twice and more at one time.

use super::*;
use crate::alarm::{Rule, episodes};
use crate::geo::geodesic;
use crate::track::field::{FieldRows, FieldTable, FieldValue};

/// The rows and each of them again, so many metres east.
fn twice(rows: &[Row], metres: f64) -> Vec<Row> {
    let again = |row: &Row| {
        let from = crate::testing::at(row.1, row.2);
        let to = geodesic::direct(from, 90.0, metres);
        (row.0, to.latitude, to.longitude)
    };
    rows.iter().flat_map(|row| [*row, again(row)]).collect()
}

/// Rows of no round times.
fn odd(mut rows: Vec<Row>) -> Vec<Row> {
    rows.iter_mut().for_each(|row| row.0 += 0.5);
    rows
}

#[test]
fn two_positions_within_the_error_of_a_receiver_are_one_fix() {
    let rows = odd(drift(40));
    for metres in [1e-6, 1e-4, 2.0, 49.0] {
        let track = assembled(&twice(&rows, metres), Platform::Drifter);
        assert_eq!(track.len(), 80);
        assert_eq!(flagged(&track), [], "{metres} m");
        assert_eq!(track.interval_s(), Some(600.0));
        let legs = (0..80).filter_map(|index| track.leg(index));
        assert_eq!(legs.clone().count(), 39);
        let sum: f64 = legs.map(|leg| leg.distance_m).sum();
        assert!((track.summary().length_m - sum).abs() < 1e-6);
    }
    for metres in [51.0, 300.0] {
        let track = assembled(&twice(&rows, metres), Platform::Drifter);
        assert!(track.fixes().all(|fix| fix.reason == Reason::TimeConflict));
    }
}

#[test]
fn the_tests_see_one_fix_where_two_were_reported() {
    // Ten minutes at 3 m/s: a ship carries it.
    let carried: Vec<Row> = (0..40)
        .map(|n| (600.5 * f64::from(n), 60.0 + 0.0162 * f64::from(n), 5.0))
        .collect();
    let mut spike = odd(drift(40));
    spike.iter_mut().for_each(|row| row.0 *= 6.0);
    spike[20].2 += 0.08;
    let mut fast = odd(drift(40));
    fast[20].2 = 7.0;
    let mut stuck = odd(drift(40));
    (20..27).for_each(|n| (stuck[n].1, stuck[n].2) = (stuck[20].1, stuck[20].2));
    for rows in [carried, spike, fast, stuck] {
        let one = assembled(&rows, Platform::Drifter);
        assert!(!flagged(&one).is_empty());
        let both = assembled(&twice(&rows, 2.0), Platform::Drifter);
        let verdict = |track: &Track, index: usize| {
            let fix = track.fix(index).unwrap();
            (fix.flag, fix.reason, track.reason_text(index).into_owned())
        };
        for index in 0..rows.len() {
            let expected = verdict(&one, index);
            assert_eq!(verdict(&both, 2 * index), expected);
            assert_eq!(verdict(&both, 2 * index + 1), expected);
        }
    }
}

#[test]
fn a_drifter_that_is_carried_off_is_told_of_where_each_fix_is_reported_twice() {
    // Half-hourly: still for three days, and then a ship carries it at 3 m/s.
    let rows: Vec<Row> = (0..200)
        .map(|n| {
            let carried = f64::from((n - 144).max(0)) * 1800.0 * 3.0 / 111_200.0;
            let latitude = 54.0 + carried + 2e-4 * f64::from(n.min(144));
            (1800.0 * f64::from(n), latitude, 8.0)
        })
        .collect();
    let told = |rows: &[Row]| {
        let track = assembled(rows, Platform::Drifter);
        let found = episodes(&Rule::PickedUp, &track, f64::NEG_INFINITY);
        found.first().map(|episode| episode.fix_time)
    };
    assert!(told(&rows).is_some());
    for metres in [1e-4, 2.0, 40.0] {
        assert_eq!(told(&twice(&rows, metres)), told(&rows), "{metres}");
    }
}

#[test]
fn of_three_each_is_held_against_the_median_position() {
    let mut rows = odd(drift(40));
    let at = rows[20];
    rows.splice(20..21, [at, (at.0, at.1 + 0.0001, 5.0), (at.0, at.1, 5.01)]);
    let found = flagged(&assembled(&rows, Platform::Drifter));
    assert_eq!(found, [(22, Flag::Suspect, Reason::TimeConflict)]);
    rows[22].2 = 8.0;
    let found = flagged(&assembled(&rows, Platform::Drifter));
    assert_eq!(found, [(22, Flag::Fail, Reason::WrongOfTwo)]);
    // Two that agree fail where the third belongs.
    (rows[20].2, rows[21].2, rows[22].2) = (8.0, 8.0, 5.0);
    let found = flagged(&assembled(&rows, Platform::Drifter));
    let failed = |index| (index, Flag::Fail, Reason::WrongOfTwo);
    assert_eq!(found, [failed(20), failed(21)]);
}

#[test]
fn where_times_are_rounded_the_way_in_a_step_is_allowed() {
    let daily = |share: u32| -> Vec<Row> {
        (0..40_u32)
            .flat_map(|day| {
                let time = 86_400.0 * f64::from(day);
                let latitude = 60.0 + 0.1 * f64::from(day);
                let both = day.is_multiple_of(share);
                let second = both.then_some((time, latitude + 0.06, 5.0));
                [(time, latitude, 5.0)].into_iter().chain(second)
            })
            .collect()
    };
    let conflicts = |rows: &[Row]| flagged(&assembled(rows, Platform::Drifter)).len();
    assert_eq!(conflicts(&daily(1)), 0);
    assert_eq!(conflicts(&daily(4)), 0);
    // Less than a tenth share their time.
    assert_eq!(conflicts(&daily(30)), 4);
    let odd: Vec<Row> = daily(1)
        .iter()
        .map(|row| (row.0 + 1.0, row.1, row.2))
        .collect();
    assert_eq!(conflicts(&odd), 80);
}

#[test]
fn argos_locations_are_one_within_the_error_of_their_class() {
    let of = |metres: f64, class: &str| {
        let rows = twice(&odd(drift(30)), metres);
        let mut table = FieldTable::default();
        for (row, _) in (0..).zip(&rows) {
            table.begin();
            table
                .add(row, "lc", FieldValue::Text(class), |_| true)
                .unwrap();
        }
        let records = Records {
            transmissions: fixes(&rows).into(),
            fields: FieldRows::new(table),
            ..Records::default()
        };
        let track = Track::new(&records, &TrackOptions::new(Platform::Tag, NOW));
        flagged(&track).len()
    };
    for (class, within) in [
        ("G", 90.0),
        ("3", 240.0),
        ("2", 490.0),
        ("1", 1490.0),
        ("B", 9900.0),
    ] {
        assert_eq!(of(within, class), 0, "{class}");
        assert_eq!(of(within * 1.2, class), 60, "{class}");
    }
}

#[test]
fn digits_that_vary_from_response_to_response_replace_nothing() {
    let rows = odd(drift(40));
    let mut all = rows.clone();
    let mut unsent = Vec::new();
    for answer in 1..6 {
        let noise = 1e-12 * f64::from(answer);
        unsent = all.clone();
        all.extend(rows.iter().map(|row| (row.0, row.1 + noise, row.2)));
    }
    let records = Records {
        transmissions: fixes(&all).into(),
        unsent: fixes(&unsent),
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, NOW));
    assert_eq!((track.len(), flagged(&track).len()), (240, 0));
    let latest = track.latest().unwrap().index;
    assert!(!track.is_absent_from_latest(latest));
    // A correction is one, with digits that vary or not.
    let corrected: Vec<Row> = rows
        .iter()
        .map(|row| (row.0, row.1 + 0.01, row.2))
        .collect();
    let records = Records {
        transmissions: fixes(&[all.clone(), corrected].concat()).into(),
        unsent: fixes(&all),
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, NOW));
    let passed = track.fixes().filter(|fix| fix.flag == Flag::Pass);
    assert_eq!(passed.count(), 40);
    assert!(
        track
            .fixes()
            .all(|fix| fix.flag == Flag::Pass || fix.reason == Reason::Replaced)
    );
}

#[test]
fn a_flag_by_hand_is_of_one_of_the_two_alone() {
    let rows = twice(&odd(drift(40)), 2.0);
    let mut options = TrackOptions::new(Platform::Drifter, NOW);
    for (index, flag) in [(20, Flag::Fail), (31, Flag::Suspect)] {
        let fix = fixes(&rows)[index];
        options.overrules.set(fix.time_stamp, fix.position, flag);
    }
    let records = Records {
        transmissions: fixes(&rows).into(),
        ..Records::default()
    };
    let by_hand = |flag| Some((flag, Reason::Overridden));
    let track = Track::new(&records, &options);
    for index in 0..80 {
        let fix = track.fix(index).unwrap();
        let expected = match index {
            20 => by_hand(Flag::Fail),
            31 => by_hand(Flag::Suspect),
            _ => Some((Flag::Pass, Reason::None)),
        };
        assert_eq!(Some((fix.flag, fix.reason)), expected, "{index}");
    }
}
