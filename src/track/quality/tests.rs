//! The tests one by one, and a plain reading of their rules compared with the quick
//! one.

use proptest::prelude::*;
use strum::VariantArray;

use super::*;
use crate::geo::{Position, geodesic};
use crate::testing::cpu_time;
use crate::track::{Fix, Platform, Records, State, Track};

mod carried;
mod clocks;
mod labelled;
mod plain;
mod twins;

/// A fix: seconds, latitude, longitude.
type Row = (f64, f64, f64);

/// After every time in these tests.
const NOW: f64 = 1e9;

fn fixes(rows: &[Row]) -> Vec<Transmission> {
    rows.iter()
        .map(|&(time_stamp, latitude, longitude)| Transmission {
            time_stamp,
            position: crate::testing::at(latitude, longitude),
        })
        .collect()
}

fn assembled(rows: &[Row], platform: Platform) -> Track {
    let records = Records {
        transmissions: fixes(rows).into(),
        ..Records::default()
    };
    Track::new(&records, &TrackOptions::new(platform, NOW))
}

/// A drifter's track: ten minutes between fixes, 0.11 km north each.
fn drift(count: u32) -> Vec<Row> {
    (0..count)
        .map(|n| (600.0 * f64::from(n), 60.0 + 0.001 * f64::from(n), 5.0))
        .collect()
}

fn flagged(track: &Track) -> Vec<(usize, Flag, Reason)> {
    track
        .fixes()
        .filter(|fix| fix.flag != Flag::Pass)
        .map(|fix| (fix.index, fix.flag, fix.reason))
        .collect()
}

/// The verdict of the fast tests, in the form of the plain ones.
fn quickly(fixes: &[Transmission], platform: Platform) -> plain::Read {
    let verdict = judge(fixes, &[], &[], NOW, &TrackOptions::new(platform, NOW));
    plain::Read {
        flags: verdict.flags.into_iter().map(Flag::code).collect(),
        reasons: verdict.reasons,
        jumps: verdict.jumps,
    }
}

#[test]
fn one_far_fix_fails_and_its_neighbours_do_not() {
    let mut rows = drift(40);
    rows[20].2 = 7.0;
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(flagged(&track), [(20, Flag::Fail, Reason::Speed)]);
    let text = track.reason_text(20);
    assert_eq!(text, "112 km in 600 s: 186 m/s, limit 4.2 m/s");
}

#[test]
fn a_position_that_the_service_corrected_fails_and_the_corrected_one_is_believed() {
    // The archive has forty fixes east of Greenwich; the response has the last
    // twelve of them, now west of it.
    let old = fixes(&drift(40));
    let mut sent = old[28..].to_vec();
    for fix in &mut sent {
        fix.position.longitude = -fix.position.longitude;
    }
    let records = Records {
        transmissions: [old.clone(), sent].concat().into(),
        unsent: old.clone(),
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, NOW));
    let mut east = track.fixes().filter(|fix| fix.position.longitude > 0.0);
    assert!(east.all(|fix| fix.reason == Reason::Replaced));
    let latest = track.latest().unwrap();
    assert!((latest.position.longitude + 5.0).abs() < 1e-9, "{latest:?}");
    // Nor does the archive outvote the response.
    let west = |fix: &Fix| fix.position.longitude < 0.0;
    let passed = track
        .fixes()
        .filter(|fix| west(fix) && fix.flag == Flag::Pass);
    assert_eq!(passed.count(), 12);
    let text = track.reason_text(27);
    assert!(
        text.starts_with("older than the service's correction: 55"),
        "{text}"
    );
    let text = track.reason_text(track.len() - 2);
    assert!(
        text.starts_with("replaced by the service, by a position 55"),
        "{text}"
    );
}

#[test]
fn a_leg_of_sixteen_kilometres_in_258_seconds_names_speed_and_limit() {
    let mut rows = drift(40);
    for (n, row) in rows.iter_mut().enumerate() {
        row.0 = 258.0 * n as f64;
    }
    rows[20].1 += 0.1481;
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(
        track.reason_text(20),
        "16.6 km in 258 s: 64.4 m/s, limit 4.2 m/s"
    );
}

#[test]
fn of_two_alone_the_later_fails_and_the_other_is_not_evaluated() {
    let track = assembled(&[(0.0, 0.0, 1.0), (60.0, 5.0, 1.0)], Platform::Float);
    assert_eq!(track.flags(), [Flag::NotEvaluated, Flag::Fail]);
}

#[test]
fn a_run_of_one_position_stands_until_its_last_fix_and_shares_its_verdict() {
    // Away for three fixes, and then back.
    let mut rows = drift(30);
    for row in &mut rows[10..13] {
        (row.1, row.2) = (61.0, 10.0);
    }
    let track = assembled(&rows, Platform::Drifter);
    let far: Vec<usize> = flagged(&track).iter().map(|one| one.0).collect();
    assert_eq!(far, [10, 11, 12]);
    // Parked for a day, then 30 km in the next ten minutes: the time since the
    // run began would allow it.
    let mut rows: Vec<Row> = (0..30).map(|n| (600.0 * f64::from(n), 60.0, 5.0)).collect();
    rows.push((600.0 * 30.0, 60.27, 5.0));
    let track = assembled(&rows, Platform::Generic);
    assert_eq!(flagged(&track), [(30, Flag::Fail, Reason::Speed)]);
}

#[test]
fn where_the_track_tells_which_of_two_belongs_the_other_fails() {
    let mut rows = drift(20);
    rows.insert(11, (rows[10].0, 60.5, 5.0));
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(flagged(&track), [(11, Flag::Fail, Reason::WrongOfTwo)]);
    assert!(
        track
            .reason_text(11)
            .starts_with("two positions at one time: 54.7 km in 600 s"),
        "{}",
        track.reason_text(11)
    );
    // Two hundred metres apart, both can be.
    let mut rows = drift(20);
    rows.insert(11, (rows[10].0, rows[10].1 + 0.002, 5.0));
    let track = assembled(&rows, Platform::Vessel);
    assert_eq!(
        flagged(&track),
        [
            (10, Flag::Suspect, Reason::TimeConflict),
            (11, Flag::Suspect, Reason::TimeConflict)
        ]
    );
    assert_eq!(
        track.reason_text(10),
        "two positions at one time: 223 m apart, limit 50 m"
    );
}

#[test]
fn a_fix_that_shares_its_time_with_null_island_passes() {
    let mut rows = drift(20);
    rows.insert(11, (rows[10].0, 0.0, 0.0));
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(flagged(&track), [(11, Flag::Fail, Reason::NullIsland)]);
}

#[test]
fn a_lasting_move_fails_nothing_and_is_a_jump() {
    // A flown buoy: the whole window on either side is over the limit.
    let mut rows = drift(60);
    for row in &mut rows[30..] {
        (row.1, row.2) = (row.1 - 10.0, -20.0);
    }
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(flagged(&track), [(30, Flag::Suspect, Reason::Jump)]);
    assert!(track.is_jump(30) && track.is_break(30) && !track.is_jump(31));
    assert!(
        track
            .reason_text(30)
            .starts_with("jump: 1929 km in 600 s: "),
        "{}",
        track.reason_text(30)
    );
    let summary = track.summary();
    assert!(summary.length_m < 7_000.0, "{}", summary.length_m);
    assert!(summary.max_speed_m_s.unwrap() < 0.2);
    // A part of it has the jump at the same fix; a part that begins after it has none.
    let part = track.window(Some(rows[25].0), Some(rows[35].0));
    assert!(part.is_jump(5) && part.reason_text(5).starts_with("jump: 1929 km"));
    let behind = track.window(Some(rows[30].0), None);
    assert!(!behind.is_jump(0) && (0..30).all(|index| !behind.is_jump(index)));
}

#[test]
fn a_few_fixes_elsewhere_are_no_lasting_move() {
    let mut rows = drift(60);
    for row in &mut rows[30..39] {
        row.2 += 3.0;
    }
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(
        flagged(&track).iter().map(|one| one.0).collect::<Vec<_>>(),
        (30..39).collect::<Vec<_>>()
    );
    assert!((0..60).all(|index| !track.is_jump(index)));
}

#[test]
fn a_spike_within_the_speed_limit_is_suspect_and_its_neighbours_are_not() {
    // Four kilometres out and back within an hour each way.
    let mut rows = drift(60);
    for row in &mut rows {
        row.0 *= 6.0;
    }
    rows[30].2 += 0.08;
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(flagged(&track), [(30, Flag::Suspect, Reason::Spike)]);
    assert_eq!(
        track.reason_text(30),
        "spike: 4.4 km off the track, limit 200 m"
    );
    // It is one of many for a tag that goes out and back all the time.
    for n in (1..60).step_by(2) {
        rows[n].2 = 5.08;
    }
    assert_eq!(flagged(&assembled(&rows, Platform::Tag)), []);
}

#[test]
fn a_stuck_receiver_is_suspect_where_the_platform_moves() {
    let mut rows = drift(60);
    for n in 30..37 {
        (rows[n].1, rows[n].2) = (rows[30].1, rows[30].2);
    }
    let track = assembled(&rows, Platform::Drifter);
    let found = flagged(&track);
    assert_eq!(
        found.iter().map(|one| one.0).collect::<Vec<_>>(),
        (30..37).collect::<Vec<_>>()
    );
    assert!(found.iter().all(|one| one.2 == Reason::Stuck));
    assert_eq!(
        track.reason_text(33),
        "stuck: 7 times the same position in 1 h, limit 5 times"
    );
    assert_eq!(flagged(&assembled(&rows, Platform::Mooring)), []);
    // Four are not enough, nor are many within a moment.
    let mut few = drift(60);
    for n in 30..34 {
        (few[n].1, few[n].2) = (few[30].1, few[30].2);
    }
    assert_eq!(flagged(&assembled(&few, Platform::Drifter)), []);
    let mut burst = drift(30);
    let at = burst[20];
    for n in 1..8 {
        burst.insert(20 + n, (at.0 + n as f64, at.1, at.2));
    }
    assert_eq!(flagged(&assembled(&burst, Platform::Drifter)), []);
}

#[test]
fn records_that_come_more_often_than_positions_are_not_stuck() {
    // All records of a burst have one position, or those of sensors that of the hour.
    for (records, step_s) in [(6, 10.0), (6, 600.0), (40, 90.0)] {
        let held = |rows: &[Row]| -> Vec<Row> {
            let sent = |row: &Row| {
                (0..records)
                    .map(|n| (row.0 + step_s * f64::from(n), row.1, row.2))
                    .collect::<Vec<_>>()
            };
            rows.iter().flat_map(sent).collect()
        };
        let mut hourly = drift(60);
        hourly.iter_mut().for_each(|row| row.0 *= 6.0);
        assert_eq!(flagged(&assembled(&held(&hourly), Platform::Drifter)), []);
        // Three hours and more are.
        for n in 30..36 {
            (hourly[n].1, hourly[n].2) = (hourly[30].1, hourly[30].2);
        }
        let stuck = flagged(&assembled(&held(&hourly), Platform::Drifter));
        assert_eq!(
            stuck.len(),
            6 * records as usize,
            "{records} each {step_s} s"
        );
        assert!(stuck.iter().all(|(_, _, reason)| *reason == Reason::Stuck));
    }
}

#[test]
fn a_fix_far_off_with_a_slow_way_back_is_no_lasting_move() {
    // It is over the limit to the fix before it alone.
    let mut rows = drift(40);
    rows.iter_mut().for_each(|row| row.0 *= 6.0);
    rows[20].0 -= 1800.0;
    rows[20].2 += 1.0;
    let track = assembled(&rows, Platform::Generic);
    assert_eq!(flagged(&track), [(20, Flag::Fail, Reason::Speed)]);
}

#[test]
fn the_last_fix_before_a_jump_is_no_spike() {
    // The way there goes back over the track.
    let mut rows = drift(40);
    rows.iter_mut().for_each(|row| row.0 *= 6.0);
    for (n, row) in (0_u32..).zip(&mut rows) {
        row.1 += 0.01 * f64::from(n) - if n >= 20 { 10.0 } else { 0.0 };
    }
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(flagged(&track), [(20, Flag::Suspect, Reason::Jump)]);
}

#[test]
fn a_lost_clock_fails_and_the_rest_is_judged_without_it() {
    const YEAR: f64 = 365.25 * 86_400.0;
    let at = |years: f64, count: u32| -> Vec<Row> {
        let mut rows = drift(count);
        rows.iter_mut().for_each(|row| row.0 += years * YEAR);
        rows
    };
    let lost = |parts: &[(f64, u32)]| -> Vec<usize> {
        let rows: Vec<Row> = parts
            .iter()
            .flat_map(|(years, count)| at(*years, *count))
            .collect();
        let found = flagged(&assembled(&rows, Platform::Drifter));
        let lost = found.iter().filter(|one| one.1 == Flag::Fail);
        lost.map(|one| one.0).collect()
    };
    let all = |range: std::ops::Range<usize>| range.collect::<Vec<_>>();
    // Where clocks begin, whatever the number; others if they are fewer.
    assert_eq!(lost(&[(0.0, 30), (25.0, 20)]), all(0..30));
    assert_eq!(lost(&[(1.0, 1), (25.0, 20)]), [0]);
    assert_eq!(lost(&[(1.0, 19), (25.0, 20)]), all(0..19));
    assert_eq!(lost(&[(1.0, 20), (25.0, 20)]), all(0..20));
    assert_eq!(lost(&[(1.0, 21), (25.0, 20)]), all(21..41));
    // A clock that was started twice, and a clock that is ahead of all others.
    assert_eq!(lost(&[(1.0, 1), (12.0, 1), (25.0, 20)]), [0, 1]);
    assert_eq!(lost(&[(1.0, 20), (25.0, 5)]), all(20..25));
    assert_eq!(lost(&[(1.0, 1), (3.0, 1), (25.0, 3)]), [0, 1]);
    assert!(lost(&[(1.0, 3), (5.8, 20)]).is_empty());
    // Without any other there is nothing that it contradicts.
    assert!(lost(&[(0.0, 30)]).is_empty());
    assert_eq!(lost(&[(0.0, 3), (10.05, 3)]), all(0..3));

    let rows: Vec<Row> = [at(1.0, 1), at(26.0, 1)].concat();
    let track = assembled(&rows, Platform::Drifter);
    assert_eq!(track.flags(), [Flag::Fail, Flag::NotEvaluated]);
    assert_eq!(
        track.reason_text(0),
        "lost clock: 25 years from all other fixes, limit 5"
    );
    assert_eq!(track.health(rows[1].0 + 600.0).state, State::Unknown);
    let track = assembled(&[at(0.0, 1), at(25.0, 20)].concat(), Platform::Drifter);
    assert_eq!(track.interval_s(), Some(600.0));
}

#[test]
fn a_single_fix_is_not_evaluated() {
    let track = assembled(&[(0.0, 60.0, 5.0), (600.0, 0.0, 0.0)], Platform::Drifter);
    assert_eq!(track.flags(), [Flag::NotEvaluated, Flag::Fail]);
    assert_eq!(track.reason_text(0), "single fix");
}

#[test]
fn another_limit_counts_instead_of_the_platforms() {
    let mut rows = drift(40);
    rows[20].2 = 5.24;
    let records = || Records {
        transmissions: fixes(&rows).into(),
        ..Records::default()
    };
    let mut options = TrackOptions::new(Platform::Vessel, NOW);
    assert_eq!(Track::new(&records(), &options).flags()[20], Flag::Fail);
    options.max_speed_m_s = Some(50.0);
    let track = Track::new(&records(), &options);
    assert_eq!(track.speed_limit_m_s(), 50.0);
    assert_eq!(track.flags()[20], Flag::Suspect);
    options.max_speed_m_s = Some(f64::NAN);
    assert_eq!(options.speed_limit_m_s(), 60.0 / 3.6);
}

proptest! {
    #[test]
    fn at_the_limit_of_speed_the_ellipsoid_decides(latitude in -89.0..89.0f64, course in -180.0..180.0f64, interval_s in 600.0..200_000.0f64, off in -0.005..0.005f64) {
        let start = Position::new(latitude, 20.0).unwrap();
        let allowed_m = 1110.0 + 60.0 / 3.6 * (interval_s + 36.0);
        let end = geodesic::direct(start, course, allowed_m * (1.0 + off));
        let rows = [(0.0, latitude, 20.0), (interval_s, end.latitude, end.longitude)];
        let flag = assembled(&rows, Platform::Generic).flags()[1];
        prop_assert_eq!(flag == Flag::Fail, off > 0.0);
    }
}

#[test]
fn a_fix_that_a_user_takes_in_is_drawn_as_a_jump() {
    let mut rows = drift(40);
    rows[20].2 = 25.0;
    let mut options = TrackOptions::new(Platform::Drifter, NOW);
    let far = fixes(&rows)[20];
    options
        .overrules
        .set(far.time_stamp, far.position, Flag::Pass);
    let records = Records {
        transmissions: fixes(&rows).into(),
        ..Records::default()
    };
    let track = Track::new(&records, &options);
    assert_eq!(
        (track.flags()[20], track.fix(20).unwrap().reason),
        (Flag::Pass, Reason::Overridden)
    );
    assert!(track.is_jump(20) && track.is_jump(21));
    assert_eq!(flagged(&track), [(21, Flag::Suspect, Reason::Jump)]);
}

/// The fix of a number in a track.
type RowOf = fn(u32) -> Row;

/// Tracks that would take longest if a test looked at every pair of fixes.
const WORST: [(&str, RowOf); 8] = [
    ("one place", |n| (10.0 * f64::from(n), 60.0, 5.0)),
    ("two places", |n| {
        (10.0 * f64::from(n), 60.0 + 9.0 * f64::from(n % 2), 5.0)
    }),
    ("anywhere", |n| {
        (
            10.0 * f64::from(n),
            f64::from(n % 120 * 79 % 120) - 60.0,
            f64::from(n % 360 * 97 % 360) - 180.0,
        )
    }),
    ("one time", |n| {
        let (row, column) = (f64::from(n / 447), f64::from(n % 447));
        (0.0, column / 5.0, row / 5.0 + 0.1)
    }),
    ("two positions at every time", |n| {
        let time = 900.0 * f64::from(n / 2);
        (time, 60.0 + 1e-4 * f64::from(n % 2), 5.0)
    }),
    ("too fast everywhere", |n| {
        (900.0 * f64::from(n), f64::from(n % 900) / 5.0 - 90.0, 5.0)
    }),
    ("each fix a year from all others", |n| {
        let years = f64::from(n % 8000) - 7960.0;
        (4e7 * years + 600.0 * f64::from(n / 8000), 60.0, 5.0)
    }),
    ("a spike at every turn", |n| {
        (900.0 * f64::from(n), 60.0 + 0.02 * f64::from(n % 2), 5.0)
    }),
];

#[test]
fn the_worst_tracks_take_no_longer_than_their_length() {
    const FEW: u32 = 10_000;
    for (name, row) in WORST {
        let seconds = |many: u32| {
            let mut track = fixes(&(0..many).map(row).collect::<Vec<Row>>());
            track.sort_by(|a, b| a.time_stamp.total_cmp(&b.time_stamp));
            let options = TrackOptions::new(Platform::Drifter, 1e11);
            cpu_time::spent_on(|| judge(&track, &[], &[], options.now, &options))
        };
        let (few, many) = (seconds(FEW), seconds(8 * FEW));
        // Eight times the fixes, 64 times the pairs.
        assert!(many < 20.0 * few, "{name}: {few} s, {many} s");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(400))]
    #[test]
    fn the_quick_reading_is_the_plain_one(
        steps in proptest::collection::vec((0u32..2000, -0.03f64..0.03, -0.03f64..0.03, 0u8..24), 1..90),
        platform in 0usize..7,
        step in 0usize..4,
        near_pole in proptest::bool::ANY,
        seed: usize,
    ) {
        let platform = Platform::VARIANTS[platform];
        let mut time = 0.0;
        let mut latitude = if near_pole { 88.5 } else { 70.0 };
        let mut longitude = 179.9;
        let mut rows: Vec<Row> = Vec::new();
        let wrap = |longitude: f64| (longitude + 180.0).rem_euclid(360.0) - 180.0;
        for (dt, north, east, kind) in steps {
            let dt = match step {
                0 => dt % 70,
                1 => dt / 60 * 60,
                // Bursts.
                2 if kind % 4 > 0 => dt % 50,
                _ => dt,
            };
            time += match kind {
                // Two positions at one time, and a data gap.
                0 | 8 | 9 => 0.0,
                1 => 48_000.0,
                _ => f64::from(dt),
            };
            match kind {
                2 => rows.push((time, latitude - 1.0, 175.0)),
                3 | 4 => rows.push((time, latitude, wrap(longitude))),
                5 => rows.push((time, latitude + 0.02, wrap(longitude))),
                6 => rows.push((time, 0.0, 0.0)),
                8 => rows.push((time, latitude + north / 100.0, wrap(longitude + east / 100.0))),
                7 => {
                    // A lasting move.
                    latitude -= 2.0;
                    rows.push((time, latitude, wrap(longitude)));
                }
                _ => {
                    latitude = (latitude + north).min(89.9);
                    longitude = wrap(longitude + east);
                    rows.push((time, latitude, longitude));
                }
            }
        }
        rows.dedup();
        let fixes = fixes(&rows);
        let (quick, plain) = (quickly(&fixes, platform), plain::read(&fixes, platform));
        if order_by_position(&fixes).is_none() {
            proptest::prop_assert_eq!(quick, plain);
        }
        // Whatever the order in which they arrive.
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|index| index.wrapping_add(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let shuffled: Vec<Row> = order.into_iter().map(|index| rows[index]).collect();
        let found = |rows: &[Row]| {
            let track = assembled(rows, platform);
            let mut fixes: Vec<_> = track
                .fixes()
                .map(|fix| {
                    let at = [fix.time_stamp, fix.position.latitude, fix.position.longitude];
                    let reason = track.reason_text(fix.index).into_owned();
                    (at.map(f64::to_bits), fix.flag.code(), reason)
                })
                .collect();
            fixes.sort();
            let latest = track.latest().map(|fix| (fix.time_stamp, fix.position));
            (fixes, latest, track.health(time + 600.0), track.newer())
        };
        proptest::prop_assert_eq!(found(&rows), found(&shuffled));
    }
}
