//! Lost clocks of any number of fixes, and fixes ahead of the clock.

use super::*;
use crate::geo::Units;

const DAY_S: f64 = 86_400.0;
const ROLLOVER_S: f64 = 7168.0 * DAY_S;
/// 2026-03-01, and the present half a year later.
const START: f64 = 1_772_323_200.0;
const LATER: f64 = START + 180.0 * DAY_S;

/// Fixes each hour from a time on, along one line.
fn hourly(from: f64, count: u32) -> Vec<Row> {
    (0..count)
        .map(|n| {
            (
                from + 3600.0 * f64::from(n),
                60.0 + 0.001 * f64::from(n),
                5.0,
            )
        })
        .collect()
}

fn seen(rows: &[Row], now: f64) -> Track {
    let records = Records {
        transmissions: fixes(rows).into(),
        ..Records::default()
    };
    Track::new(&records, &TrackOptions::new(Platform::Drifter, now))
}

/// The years of the fixes that failed, and how many did.
fn lost(rows: &[Row], now: f64) -> (usize, Vec<i64>) {
    let track = seen(rows, now);
    let failed = track.fixes().filter(|fix| fix.flag == Flag::Fail);
    let mut years: Vec<i64> = failed
        .map(|fix| 1970 + (fix.time_stamp / DAY_S / 365.2425) as i64)
        .collect();
    let count = years.len();
    years.dedup();
    (count, years)
}

#[test]
fn a_clock_that_began_anew_is_lost_whatever_the_number_of_its_fixes() {
    for start in [0.0, 315_964_800.0, 935_280_000.0, 946_684_800.0] {
        for count in [1, 6, 60, 600] {
            let rows = [hourly(start + 60.0, count), hourly(START, 60)].concat();
            let track = seen(&rows, LATER);
            let failed = track.summary().fail;
            assert_eq!(failed, count as usize, "{start} {count}");
            assert_eq!(track.summary().first, Some(START));
            assert!(
                track
                    .reason_text(0)
                    .starts_with("lost clock: up to 60 d after ")
            );
            assert_eq!(track.interval_s(), Some(3600.0));
        }
        // It goes on for longer: a deployment of that year, but of fewer fixes.
        let long = [hourly(start, 24 * 61 + 1), hourly(START, 24 * 62)].concat();
        assert_eq!(lost(&long, LATER).0, 24 * 61 + 1);
        let more = [hourly(start, 24 * 62), hourly(START, 60)].concat();
        assert_eq!(lost(&more, LATER).1, [2026]);
        assert_eq!(lost(&more, START + 20.0 * DAY_S).0, 0);
    }
}

#[test]
fn weeks_that_are_counted_anew_are_named_with_their_number() {
    for rollovers in [1.0, 2.0] {
        let early = |row: &Row| (row.0 - rollovers * ROLLOVER_S, row.1, row.2);
        let all = hourly(START, 60);
        let moved = |is_early: fn(usize) -> bool| -> Vec<Row> {
            let rows = all.iter().enumerate();
            rows.map(|(n, row)| if is_early(n) { early(row) } else { *row })
                .collect()
        };
        // Some in between, and all from one on: the last ones are early.
        for (is_early, count) in [
            ((|n| n % 10 == 5) as fn(usize) -> bool, 6),
            (|n| n >= 35, 25),
            (|n| n >= 2, 58),
            (|n| n < 50, 50),
        ] {
            let rows = moved(is_early);
            let track = seen(&rows, LATER);
            assert_eq!(track.summary().fail, count);
            let weeks = 1024.0 * rollovers;
            let are = format!(
                "lost clock: {weeks} weeks early (GPS week rollover), as {count} fixes are"
            );
            assert_eq!(track.reason_text(0), are);
            let newer = track.newer().and_then(|newer| newer.text(Units::Metric));
            let named = format!("{count} fixes are dated {weeks} weeks early (GPS week rollover)");
            assert_eq!(newer, Some(named));
        }
        // None tells it but the answer.
        let track = seen(&moved(|_| true), START + 61.0 * 3600.0);
        assert_eq!(track.summary().fail, 0);
        let newer = track.newer().and_then(|newer| newer.text(Units::Metric));
        let named = format!(
            "all dates may be {} weeks early (GPS week rollover)",
            1024.0 * rollovers
        );
        assert_eq!(newer, Some(named));
        assert_eq!(seen(&moved(|_| true), LATER).newer(), None);
    }
    // A deployment of other years is none.
    let rows = [
        hourly(START - ROLLOVER_S - 400.0 * DAY_S, 60),
        hourly(START, 50),
    ]
    .concat();
    assert_eq!(lost(&rows, START + 10.0 * DAY_S).0, 0);
    let reason = seen(&rows, LATER).reason_text(60).into_owned();
    assert!(
        reason.starts_with("lost clock: 20.7 years from"),
        "{reason}"
    );
}

#[test]
fn what_reaches_into_the_last_days_before_the_answer_is_never_lost() {
    let rows = [hourly(START - 8.0 * 365.25 * DAY_S, 100), hourly(START, 3)].concat();
    for (days, failed) in [(1.0, 0), (29.0, 0), (31.0, 3)] {
        assert_eq!(lost(&rows, START + days * DAY_S).0, failed, "{days}");
    }
    // The day of the answer counts, however long ago it is.
    let records = Records {
        transmissions: fixes(&rows).into(),
        received: Some(START + DAY_S),
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, LATER));
    assert_eq!(track.summary().fail, 0);
    let again = track.reassembled(&TrackOptions::new(Platform::Generic, LATER));
    assert_eq!(again.summary().fail, 0);
}

#[test]
fn a_fix_ahead_of_the_clock_waits_for_its_time_and_judges_none() {
    // The ninth of twelve is stamped 8.5 h ahead.
    let mut rows: Vec<Row> = (0..12)
        .map(|n| {
            (
                START + 1800.0 * f64::from(n),
                -43.5 - 0.014 * f64::from(n),
                147.3,
            )
        })
        .collect();
    let now = rows[11].0 + 1800.0;
    rows[9].0 = now + 8.5 * 3600.0;
    let track = seen(&rows, now);
    let flags: Vec<u8> = track.flags().iter().map(|flag| flag.code()).collect();
    assert_eq!(flags, [[1; 11].as_slice(), &[2]].concat());
    assert_eq!(track.reason_text(11), "ahead of the clock: 8.5 h");
    assert_eq!(track.latest().unwrap().index, 10);
    assert_eq!(track.summary().last, Some(rows[11].0));
    assert_eq!(track.health(now).state, State::OnTime);
    assert_eq!(track.interval_s(), Some(1800.0));
    // Its time has come.
    let come = seen(&rows, rows[9].0);
    assert_eq!(come.latest().unwrap().index, 11);
    assert_ne!(come.fix(11).unwrap().reason, Reason::Ahead);
    let far = seen(&rows, rows[9].0 - 1.01 * DAY_S);
    assert_eq!(far.fix(11).unwrap().reason, Reason::Future);
}

/// The lost fixes by the words of the rule, every group held against every other.
fn plainly_lost(rows: &[Row], received: f64) -> Vec<usize> {
    let year = 365.25 * DAY_S;
    let part = |left: &[usize], years: f64| -> Vec<Vec<usize>> {
        let parts = left.chunk_by(|&a, &b| rows[b].0 - rows[a].0 <= years * year);
        parts.map(<[usize]>::to_vec).collect()
    };
    let span = |group: &[usize]| (rows[group[0]].0, rows[group[group.len() - 1]].0);
    let is_recent = |group: &[usize]| span(group).1 >= received - 30.0 * DAY_S;
    let all: Vec<usize> = (0..rows.len()).collect();
    let groups = part(&all, 1.0);
    let after = |group: &[usize]| {
        let (began, ended) = span(group);
        let is_after = |start: &f64| began >= start - 60.0 && ended <= start + 60.0 * DAY_S;
        [0.0, 315_964_800.0, 935_280_000.0, 946_684_800.0]
            .iter()
            .any(is_after)
    };
    if groups.len() < 2 {
        return Vec::new();
    }
    let mut left: Vec<Vec<usize>> = (groups.iter())
        .filter(|group| is_recent(group) || !after(group))
        .cloned()
        .collect();
    if left.is_empty() {
        left.extend(groups.iter().max_by_key(|group| group.len()).cloned());
    }
    let times = left.iter().flatten().rev().map(|&i| rows[i].0);
    let t = crate::track::interval::Intervals::new(times).interval_s();
    let margin = DAY_S.max(3.0 * t.unwrap_or(0.0));
    let is_early = |group: &Vec<usize>| {
        let (began, ended) = span(group);
        let meets = |other: &Vec<usize>, times: u32| {
            let by = f64::from(times) * ROLLOVER_S;
            let (first, last) = span(other);
            began + by <= last + margin && ended + by >= first - margin
        };
        let gps = began >= 315_964_740.0;
        gps && !is_recent(group) && left.iter().any(|other| (1..9).any(|n| meets(other, n)))
    };
    let left: Vec<usize> = (left.iter().filter(|group| !is_early(group)).flatten())
        .copied()
        .collect();
    let parts = part(&left, 5.0);
    let most = parts.iter().max_by_key(|part| part.len());
    let kept: Vec<usize> = (parts.iter())
        .filter(|part| {
            Some(*part) == most || part.iter().any(|&i| rows[i].0 >= received - 30.0 * DAY_S)
        })
        .flatten()
        .copied()
        .collect();
    all.into_iter().filter(|i| !kept.contains(i)).collect()
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(300))]
    #[test]
    fn lost_clocks_are_those_of_the_rule_in_whatever_order_fixes_come(
        groups in proptest::collection::vec((0usize..9, -800i32..800, 1u32..40), 1..6),
        answered in 0i32..200,
        seed: usize,
    ) {
        // Near the starts of clocks, near the present and whole rollovers before it, and elsewhere.
        let near = [0.0, 315_964_800.0, 935_280_000.0, 946_684_800.0, START, START - ROLLOVER_S,
            START - 2.0 * ROLLOVER_S, START - 9.0 * 366.0 * DAY_S, START];
        let now = START + 100.0 * DAY_S;
        let mut rows: Vec<Row> = groups.iter()
            .flat_map(|(place, hours, count)| {
                hourly(near[*place] + 3600.0 * f64::from(*hours) * if *place % 2 == 0 { 0.05 } else { 1.0 }, *count)
            })
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        rows.dedup_by_key(|row| row.0);
        let received = now - DAY_S * f64::from(answered);
        let lost = |rows: &[Row]| -> Vec<usize> {
            let records = Records {
                transmissions: fixes(rows).into(),
                received: Some(received),
                ..Records::default()
            };
            let track = Track::new(&records, &TrackOptions::new(Platform::Vessel, now));
            let is_lost = |fix: &Fix| matches!(fix.reason, Reason::LostClock | Reason::ClockStart | Reason::WeekRollover);
            track.fixes().filter(is_lost).map(|fix| fix.index).collect()
        };
        let quick = lost(&rows);
        proptest::prop_assert_eq!(&quick, &plainly_lost(&rows, received));
        let mut mixed = rows.clone();
        mixed.sort_by_key(|row| row.0.to_bits().wrapping_mul(seed as u64 | 1));
        proptest::prop_assert_eq!(quick, lost(&mixed));
    }
}
