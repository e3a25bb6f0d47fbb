use uuid::Uuid;

use super::*;
use crate::alarm::{Alarm, Kind};
use crate::geo::{Position, Units};
use crate::testing::dashboard::alarm;
use crate::track::{Platform, Records, ServiceClock, TrackOptions, Transmission};

fn track(ages_s: &[f64], now: f64) -> Track {
    let transmissions = ages_s
        .iter()
        .map(|age| Transmission {
            time_stamp: now - age,
            position: Position::new(57.92, 2.11).unwrap(),
        })
        .collect();
    Track::new(
        &Records {
            transmissions,
            ..Records::default()
        },
        &TrackOptions::new(Platform::Mooring, now),
    )
}

fn seen<'a>(track: &'a Track, inside: Option<&'a Inside>, now: f64) -> Seen<'a> {
    Seen {
        track,
        max_age_s: None,
        inside,
        notation: Notation::default(),
        here: now,
        now: track.clock().later(now),
        as_of: track.clock().later(now),
    }
}

fn one_line(
    name: &str,
    track: &Track,
    max_age_s: Option<f64>,
    inside: Option<Inside>,
    now: f64,
) -> (u8, String) {
    let verdict = Seen {
        max_age_s,
        ..seen(track, inside.as_ref(), now)
    };
    let verdict = verdict.verdict(name);
    (verdict.status, verdict.line())
}

#[test]
fn a_last_fix_that_was_reported_twice_has_its_speed() {
    let now = 1e9;
    let fixes = (0..20).flat_map(|n| {
        let time = now - 600.0 * f64::from(20 - n);
        let latitude = 54.0 + 0.001 * f64::from(n);
        [(time, latitude, 8.0), (time, latitude + 1e-5, 8.0)]
    });
    let twice = crate::testing::track::track(Platform::Drifter, now, fixes);
    let (found, line) = one_line("buoy", &twice, None, None, now);
    assert!(found == 0 && line.contains("speed=0.18"), "{line}");
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
    let late = |track| Seen {
        max_age_s: Some(3600.0),
        ..seen(track, None, now)
    };
    let (nothing, failed) = (track(&[], now), track(&[-400_000.0], now));
    for (never, why) in [
        (&nothing, "no fixes yet"),
        (
            &failed,
            "the newest fix is 4 d 15 h ahead of this computer's clock",
        ),
    ] {
        assert!(late(never).never_sent("x", now - 3600.0).is_none());
        let found = late(never).never_sent("x", now - 7200.0).unwrap();
        assert_eq!(found.status, 2);
        let words = format!("x: no fix for 2 h, over its maximum age of 1 h, {why}");
        assert_eq!(found.text, words);
        assert_eq!(found.figures, [("age", "7200s;;3600;0".to_owned())]);
    }
    let sent = track(&[5.0], now);
    assert!(late(&sent).never_sent("x", now - 7200.0).is_none());
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
        transmissions: transmissions.to_vec().into(),
        ..Records::default()
    };
    let track = Track::new(&records, &options);
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
        (
            6000.0,
            "x: outside the watch circle, and late (limit 3 h), last fix",
        ),
        (
            20_000.0,
            "x: outside the watch circle, and overdue (limit 3 h), last fix",
        ),
        (
            500_000.0,
            "x: outside the watch circle, and lost (limit 3 h), last fix",
        ),
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
        line.contains("circle, and last fix over its maximum age of 10 min,"),
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
        transmissions: [11_400.0, 7800.0, 4200.0, 600.0]
            .map(fix)
            .into_iter()
            .collect(),
        fields: FieldRows::new(table),
        ..Records::default()
    };
    let track = Track::new(&records, &TrackOptions::new(Platform::Mooring, now));
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
    let verdict = seen(&track, None, now)
        .verdict("x")
        .with_limits(None, &limits, &track);
    let verdict = verdict.with_alarms(std::slice::from_ref(&raised), &[], uuid, Units::Nautical);
    assert_eq!(verdict.status, 2);
    let words = "battery 11.1 V, below the limit 11.5 V at 2027-01-15T06:50:00Z; now 11.6 V at 2027-01-15T07:50:00Z";
    assert!(verdict.text.ends_with(words), "{}", verdict.text);
    // A limit that cannot be judged does not hide it.
    let change = FieldLimitChange::parse(Side::Below, "nosuch=3").unwrap();
    change.apply(&mut limits);
    let verdict = seen(&track, None, now)
        .verdict("x")
        .with_limits(None, &limits, &track);
    assert_eq!(verdict.status, 3, "{}", verdict.text);
    let verdict = verdict.with_alarms(&[raised], &[], uuid, Units::Nautical);
    assert_eq!(verdict.status, 2, "{}", verdict.text);
    for words in ["nosuch", words] {
        assert!(verdict.text.contains(words), "{}", verdict.text);
    }
}

#[test]
fn a_limit_of_its_own_and_a_circle_decide() {
    let now = 1e9;
    let track = track(&[11_400.0, 7800.0, 4200.0, 600.0], now);
    assert_eq!(one_line("x", &track, Some(300.0), None, now).0, 2);
    assert_eq!(one_line("x", &track, Some(900.0), None, now).0, 0);
    let circle = |typed: &str| crate::settings::inside::parse(typed, "".as_ref()).ok();
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
    let track = Track::new(&records, &TrackOptions::new(Platform::Drifter, now));
    let circle = Inside::from_stored("60,5,3000").unwrap();
    let found = seen(&track, Some(&circle), now).verdict("x");
    let found = found.with_limits(Some(&circle), &[], &track);
    assert_eq!(found.status, 2, "{}", found.text);
    let words = "the watch circle cannot be judged: 13 newer fixes are suspect (spike) since ";
    assert!(found.text.contains(words), "{}", found.text);
    // Within its circle all along it is unknown.
    let circle = Inside::from_stored("60,5,9000").unwrap();
    let found = seen(&track, Some(&circle), now).verdict("x");
    assert_eq!(found.status, 0, "{}", found.text);
    let found = found.with_limits(Some(&circle), &[], &track);
    assert_eq!(found.status, 3, "{}", found.text);
}

#[test]
fn a_clock_that_differs_from_that_of_the_service_is_said_and_makes_no_silence_well() {
    let now = 1e9;
    let of = |ages: &[f64], ahead_s: f64, max_age_s: Option<f64>| {
        let options = TrackOptions::new(Platform::Mooring, now);
        let options = options.by_clock(ServiceClock::new(Some(ahead_s), now), now);
        let track = track(ages, now).reassembled(&options);
        let seen = Seen {
            max_age_s,
            ..seen(&track, None, now)
        };
        let found = seen.verdict("x");
        (found.status, found.line())
    };
    let hourly = [10_800.0, 7200.0, 3600.0, 0.0];
    let words = ", the service's clock is 3 h ahead of this computer's";
    // Nothing came in the three hours that the clock is behind.
    let (status, line) = of(&hourly, 10_800.0 + 60.0, None);
    assert_eq!(status, 2, "{line}");
    assert!(
        line.contains("x: overdue (limit 3 h), last fix 3 h"),
        "{line}"
    );
    assert!(of(&hourly, 10_800.0, None).1.contains(words));
    // It reports all the time, by fixes that are ahead of the clock, or days ahead.
    for days in [0.0, 3.0] {
        let behind = 86_400.0 * days + 10_800.0;
        let count = 3 + if days > 0.0 { 75 } else { 3 };
        let came: Vec<f64> = (0..=count)
            .map(|hour| 10_800.0 - 3600.0 * f64::from(hour))
            .collect();
        let (status, line) = of(&came, behind, None);
        assert_eq!(status, 0, "{line}");
        assert!(line.contains("ahead of this computer's"), "{line}");
    }
    let (status, line) = of(&hourly, 10_800.0, Some(7200.0));
    assert_eq!(status, 2, "{line}");
    assert!(
        line.contains("last fix over its maximum age of 2 h, last fix 3 h"),
        "{line}"
    );
    // A clock that is ahead takes nothing for well.
    let old = hourly.map(|age| age + 40_000.0);
    let (status, line) = of(&old, -40_000.0, None);
    assert_eq!(status, 2, "{line}");
    assert!(line.contains("the service's clock is 11 h 6 min behind this computer's"));
    let (status, line) = of(&hourly, 50.0, None);
    assert_eq!(status, 0);
    assert!(!line.contains("clock"), "{line}");
    let (status, line) = of(&[], 10_800.0, None);
    assert_eq!(status, 3);
    assert!(line.ends_with(&format!("x: no fixes yet{words}")), "{line}");
}

#[test]
fn what_was_not_asked_for_since_is_told_as_of_its_last_answer() {
    let now = 1e9;
    let ages: Vec<f64> = (0..20)
        .map(|n| 3600.0 + 600.0 * f64::from(19 - n))
        .collect();
    let track = track(&ages, now);
    let line = |asked_before_s: f64| {
        let seen = Seen {
            as_of: now - asked_before_s,
            ..seen(&track, None, now)
        };
        let verdict = seen.verdict("buoy");
        (verdict.status, verdict.line())
    };
    let (status, words) = line(3000.0);
    assert_eq!(status, 0);
    assert!(
        words.contains("on time as of the last answer 50 min ago, last fix 1 h ago"),
        "{words}"
    );
    let (status, words) = line(0.0);
    assert_eq!(status, 2);
    assert!(!words.contains("as of"), "{words}");
}
