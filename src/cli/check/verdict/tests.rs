//! The result of the check of a deployment.

use super::*;
use crate::geo::Position;
use crate::testing::dashboard::alarm;
use crate::track::{Records, Transmission};

fn track(ages_s: &[f64], now: f64) -> Track {
    let transmissions = ages_s
        .iter()
        .map(|age| Transmission {
            time_stamp: now - age,
            position: Position::new(57.92, 2.11).unwrap(),
        })
        .collect();
    Track::assemble(
        Records {
            transmissions,
            ..Records::default()
        },
        &TrackOptions::new(Platform::Mooring, now),
    )
}

fn one_line(
    name: &str,
    track: &Track,
    max_age: Option<f64>,
    inside: Option<Inside>,
    now: f64,
) -> (u8, String) {
    let verdict = verdict(
        name,
        track,
        (max_age, inside.as_ref()),
        Notation::default(),
        now,
    );
    (verdict.status, verdict.line())
}

#[test]
fn a_fix_ahead_of_the_clock_is_no_sign_of_life_and_hides_no_breach() {
    let now = 1e9;
    for ahead in [600.0, 3500.0, 7200.0, 80_000.0] {
        for (last, status) in [(0.0, 0), (6000.0, 1), (20_000.0, 2)] {
            let ages = [last + 10_800.0, last + 7200.0, last + 3600.0, last, -ahead];
            let (found, line) = one_line("buoy", &track(&ages, now), None, None, now);
            assert_eq!(found, status, "{line}");
            let is_said = line.contains("ahead of this computer's clock");
            assert_eq!(is_said, ahead > 3600.0, "{line}");
        }
        let (found, line) = one_line("buoy", &track(&[-ahead], now), None, None, now);
        assert_eq!(found, 3, "{line}");
    }
    let circle = Inside::from_stored("58,2,200");
    let away = track(&[10_800.0, 7200.0, 3600.0, 0.0, -80_000.0], now);
    let (found, line) = one_line("buoy", &away, None, circle, now);
    assert_eq!(found, 2, "{line}");
}

#[test]
fn the_state_is_the_exit_status_and_stands_in_one_line() {
    let now = 1e9;
    for (last, status, word) in [
        (600.0, 0, "OK"),
        (6000.0, 1, "WARNING"),
        (20_000.0, 2, "CRITICAL"),
    ] {
        let track = track(
            &[10_800.0, 7200.0, 3600.0, 0.0].map(|more| last + more),
            now,
        );
        let (got, line) = one_line("buoy | 7\n", &track, None, None, now);
        assert_eq!(got, status, "{line}");
        assert!(
            line.starts_with(&format!("DRIFTLINE {word} - buoy / 7^J: ")),
            "{line}"
        );
        assert!(
            line.contains(&format!("| age={last:.0}s;5400;10800;0")),
            "{line}"
        );
    }
    let (status, line) = one_line("x", &track(&[], now), None, None, now);
    assert_eq!(
        (status, line.as_str()),
        (3, "DRIFTLINE UNKNOWN - x: no fixes yet")
    );
    for ages in [&[5.0][..], &[7200.0, 3600.0, 5.0]] {
        let few = track(ages, now);
        let (status, line) = one_line("x", &few, None, None, now);
        assert_eq!(status, 3);
        assert!(line.contains("no reporting interval is known"), "{line}");
        // Its age limit decides, where it has one.
        assert_eq!(one_line("x", &few, Some(600.0), None, now).0, 0);
        assert_eq!(one_line("x", &few, Some(1.0), None, now).0, 2);
    }
}

#[test]
fn what_never_sent_is_overdue_by_its_maximum_age_from_when_it_was_added() {
    let now = 1e9;
    let failed = track(&[-400_000.0], now);
    for (never, why) in [
        (&track(&[], now), "no fixes yet"),
        (
            &failed,
            "the newest fix is 4 d 15 h ahead of this computer's clock",
        ),
    ] {
        assert!(never_sent("x", never, (3600.0, now - 3600.0), now).is_none());
        let found = never_sent("x", never, (3600.0, now - 7200.0), now).unwrap();
        assert_eq!(found.status, 2);
        let words = format!("x: no fix for 2 h, over its maximum age, {why}");
        assert_eq!(found.text, words);
        assert_eq!(found.figures, [("age", "7200s;;3600;0".to_owned())]);
    }
    let sent = track(&[5.0], now);
    assert!(never_sent("x", &sent, (3600.0, now - 7200.0), now).is_none());
}

#[test]
fn fixes_that_all_lie_outside_the_time_window_are_told_as_such() {
    let now = 1e9;
    let transmissions = [7200.0, 3600.0].map(|age| Transmission {
        time_stamp: now - age,
        position: Position::new(57.92, 2.11).unwrap(),
    });
    let mut options = TrackOptions::new(Platform::Mooring, now);
    options.window.from = Some(now - 60.0);
    let records = Records {
        transmissions: transmissions.to_vec(),
        ..Records::default()
    };
    let track = Track::assemble(records, &options);
    let (status, line) = one_line("x", &track, None, None, now);
    assert_eq!(status, 3);
    let told = "x: no fix in its time window (from, until)";
    assert!(line.ends_with(told), "{line}");
}

#[test]
fn outside_does_not_hide_that_nothing_is_heard_of_it() {
    let now = 1e9;
    let circle = || Inside::from_stored("58,2,200");
    for (last, why) in [
        (600.0, "x: outside the watch circle, last fix"),
        (6000.0, "x: outside the watch circle, and late, last fix"),
        (
            20_000.0,
            "x: outside the watch circle, and overdue, last fix",
        ),
        (500_000.0, "x: outside the watch circle, and lost, last fix"),
    ] {
        let track = track(
            &[10_800.0, 7200.0, 3600.0, 0.0].map(|more| last + more),
            now,
        );
        let (status, line) = one_line("x", &track, None, circle(), now);
        assert_eq!(status, 2, "{line}");
        assert!(line.contains(why), "{line}");
    }
    let track = track(&[12_000.0, 9000.0, 6000.0, 3000.0], now);
    let (_, line) = one_line("x", &track, Some(600.0), circle(), now);
    assert!(
        line.contains("circle, and last fix over its maximum age"),
        "{line}"
    );
}

#[test]
fn the_value_that_raised_an_alarm_is_followed_by_the_last_one() {
    use crate::track::FieldLimitChange;
    use crate::track::Side;
    use crate::track::field::{FieldRows, FieldTable, FieldValue};
    let now = 1.8e9;
    let mut table = FieldTable::default();
    for (row, volts) in [11.3, 11.2, 11.1, 11.6].into_iter().enumerate() {
        table.begin();
        let row = u32::try_from(row).unwrap();
        let value = FieldValue::Number(volts);
        table.add(row, "battery", value, |_| true).unwrap();
    }
    let position = Position::new(57.92, 2.11).unwrap();
    let fix = |age: f64| Transmission {
        time_stamp: now - age,
        position,
    };
    let records = Records {
        transmissions: [11_400.0, 7800.0, 4200.0, 600.0].map(fix).to_vec(),
        fields: FieldRows::new(table),
        ..Records::default()
    };
    let track = Track::assemble(records, &TrackOptions::new(Platform::Mooring, now));
    let mut limits = Vec::new();
    let change = FieldLimitChange::parse(Side::Below, "battery=11.5 V").unwrap();
    change.apply(&mut limits);
    let uuid = Uuid::from_u128(7);
    let raised = alarm("a", Some(uuid), Kind::Below, now, 4200.0);
    let raised = Alarm {
        field: "battery".to_owned(),
        fix_time: Some(now - 4200.0),
        text: "battery 11.1 V, below the limit 11.5 V".to_owned(),
        ..raised
    };
    let verdict = verdict("x", &track, (None, None), Notation::default(), now)
        .with_limits(None, &limits, &track);
    let verdict = verdict.with_alarms(&[raised], uuid, Units::Nautical);
    assert_eq!(verdict.status, 2);
    let words = "battery 11.1 V, below the limit 11.5 V at 2027-01-15T06:50:00Z; now 11.6 V at 2027-01-15T07:50:00Z";
    assert!(verdict.text.ends_with(words), "{}", verdict.text);
}

#[test]
fn one_that_is_picked_up_or_stationary_is_named_and_its_status_stays() {
    let (now, uuid) = (1.8e9, Uuid::nil());
    let found = || Verdict::settled("x", "on time");
    let of = |kind| alarm("a", Some(uuid), kind, now, 900.0);
    for (kind, words) in [
        (
            Kind::PickedUp,
            "picked up at 2027-01-15T07:44:00Z: straight on at 7.97 kn, limit 2.92 kn",
        ),
        (
            Kind::Stationary,
            "stationary at 2027-01-15T07:44:00Z: within ",
        ),
    ] {
        let verdict = found().with_alarms(&[of(kind)], uuid, Units::Nautical);
        assert_eq!(verdict.status, 0);
        let begin = format!("x: on time, {words}");
        assert!(verdict.text.starts_with(&begin), "{}", verdict.text);
    }
    let ended = Alarm {
        cleared_at: Some(now),
        ..of(Kind::PickedUp)
    };
    assert_eq!(
        found().with_alarms(&[ended], uuid, Units::Nautical).text,
        "x: on time"
    );
    // These follow from the last fix.
    let told = [of(Kind::Overdue), of(Kind::Outside)];
    assert_eq!(
        found().with_alarms(&told, uuid, Units::Nautical).text,
        "x: on time"
    );
}

#[test]
fn what_is_not_critical_is_unknown_where_the_alarms_cannot_be_read() {
    let failure = Failure::new(crate::failure::FailureKind::Other, "the disk failed", "");
    for (status, expected) in [(0, 3), (1, 3), (2, 2), (3, 3)] {
        let verdict = Verdict {
            status,
            ..Verdict::settled("buoy", "as it is")
        };
        let verdict = verdict.without_alarms("buoy", &failure);
        assert_eq!(verdict.status, expected);
        let why = "buoy: its alarms are unknown: the disk failed";
        assert_eq!(verdict.text == why, status < 2, "{}", verdict.text);
    }
}

#[test]
fn nothing_is_expected_after_the_end_of_the_time_window() {
    let mut entry = Deployment::new(Uuid::nil());
    entry.window.until = Some(1.8e9);
    assert_eq!(settled(&entry, 1.8e9), None);
    let words = "its time window ended 2027-01-15T08:00:00Z";
    assert_eq!(settled(&entry, 1.8e9 + 1.0).as_deref(), Some(words));
    entry.state = DeclaredState::Lost;
    assert_eq!(settled(&entry, 0.0).as_deref(), Some("declared lost"));
}

#[test]
fn a_limit_of_its_own_and_a_circle_decide() {
    let now = 1e9;
    let track = track(&[11_400.0, 7800.0, 4200.0, 600.0], now);
    assert_eq!(one_line("x", &track, Some(300.0), None, now).0, 2);
    assert_eq!(one_line("x", &track, Some(900.0), None, now).0, 0);
    let circle = |typed: &str| Some(place_to_stay(typed).unwrap());
    assert_eq!(
        one_line("x", &track, None, circle("57.92,2.11,10"), now).0,
        0
    );
    assert_eq!(
        one_line("x", &track, None, circle("57.93,2.11,1km"), now).0,
        2
    );
    assert_eq!(
        one_line("x", &track, None, circle("57.93,2.11,1nm"), now).0,
        0
    );
}

#[test]
fn a_fix_that_is_days_ahead_of_the_clock_is_named() {
    let now = 1e9;
    let ages = [10_800.0, 7200.0, 3600.0, 600.0, -3.0 * 86_400.0];
    let (status, line) = one_line("x", &track(&ages, now), None, None, now);
    assert_eq!(status, 0);
    let words = ", the newest fix is 3 d ahead of this computer's clock";
    assert!(line.contains(words), "{line}");
}

#[test]
fn what_was_last_seen_outside_by_a_good_fix_is_critical_whatever_suspect_fixes_say() {
    let now = 1.8e9;
    let fix = |hours_ago: u32, north_m: f64| Transmission {
        time_stamp: now - 60.0 - 3600.0 * f64::from(hours_ago),
        position: Position::new(60.0 + north_m / 111_320.0, 5.0).unwrap(),
    };
    // It drifts out of its circle, and then a receiver repeats a position within.
    let drifting = (0..8u32).map(|count| fix(20 - count, 800.0 * f64::from(count)));
    let stuck = (0..12u32).rev().map(|count| fix(count, 1000.0));
    let records = Records {
        transmissions: drifting.chain(stuck).collect(),
        ..Records::default()
    };
    let track = Track::assemble(records, &TrackOptions::new(Platform::Drifter, now));
    let circle = Inside::from_stored("60,5,3000").unwrap();
    let found = verdict("x", &track, (None, Some(&circle)), Notation::default(), now);
    let found = found.with_limits(Some(&circle), &[], &track);
    assert_eq!(found.status, 2, "{}", found.text);
    let words = "the watch circle cannot be judged: 13 newer fixes are suspect (spike) since ";
    assert!(found.text.contains(words), "{}", found.text);
    // Within its circle all along it is unknown.
    let circle = Inside::from_stored("60,5,9000").unwrap();
    let found = verdict("x", &track, (None, Some(&circle)), Notation::default(), now);
    assert_eq!(found.status, 0, "{}", found.text);
    let found = found.with_limits(Some(&circle), &[], &track);
    assert_eq!(found.status, 3, "{}", found.text);
}
