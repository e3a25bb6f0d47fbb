use super::*;
use crate::alarm::Unanswered;
use crate::geo::Position;
use crate::testing::dashboard::alarm;

const NOW: f64 = 1.8e9;

#[test]
fn an_age_is_counted_now_and_a_distance_is_that_of_the_last_fix() {
    let position = |north_m: f64| Position::new(60.0 + north_m / 111_415.0, 5.0).unwrap();
    // Raised a minute after the fix with an age of 3 h 30 min, limit 3 h.
    let overdue = alarm("a", None, Kind::Overdue, NOW, 900.0);
    let overdue = Alarm {
        fix_time: Some(NOW - 14_400.0),
        limit: Some(10_800.0),
        ..overdue
    };
    let silent = |age_s| {
        Some(Measured::Silent {
            age_s,
            limit_s: 10_800.0,
        })
    };
    assert_eq!(overdue.current(None, None, NOW), silent(14_400.0));
    assert_eq!(overdue.current(None, None, NOW + 60.0), silent(14_460.0));
    // A fix that has come meanwhile.
    let come = Some((NOW, position(0.0)));
    assert_eq!(overdue.current(come, None, NOW + 60.0), None);

    let circle = Inside::from_stored("60,5,200").unwrap();
    let outside = Alarm {
        fix_time: Some(NOW - 900.0),
        ..alarm("b", None, Kind::Outside, NOW, 900.0)
    };
    for (time, north_m, expected) in [
        (NOW - 60.0, 3200.0, Some(3200.0)),
        (NOW - 60.0, 190.0, Some(190.0)),
        // Older than the fix that raised it, which has failed since.
        (NOW - 1800.0, 3200.0, None),
    ] {
        let found = outside.current(Some((time, position(north_m))), Some(&circle), NOW);
        let found = found.map(|found| match &found {
            Measured::Outside { .. } => found.numbers().0.round(),
            other => panic!("{other:?}"),
        });
        assert_eq!(found, expected);
    }
    let ended = Alarm {
        cleared_at: Some(NOW),
        ..outside
    };
    let last = Some((NOW - 60.0, position(3200.0)));
    assert_eq!(ended.current(last, Some(&circle), NOW), None);
}

#[test]
fn each_kind_has_its_words_at_each_length_of_now_and_of_its_start() {
    use Length::{Full, Line, Sentence, Short};
    let all = [Short, Line, Sentence, Full];
    let of = |kind| alarm("a", Some(uuid::Uuid::nil()), kind, NOW, 900.0);
    let check = |alarm: &Alarm, now: Option<Measured>, expected: [&str; 4]| {
        let words = alarm.words(now).at("12:00".to_owned());
        let written = all.map(|length| words.write(length, Units::Metric));
        assert_eq!(written, expected, "{}", alarm.kind);
    };
    let nine_days = Measured::Silent {
        age_s: 9.0 * 86_400.0,
        limit_s: 32_400.0,
    };
    let overdue = Alarm {
        cause: Some(Cause {
            unanswered: Some(Unanswered {
                since: Some(NOW),
                why: Some("404".to_owned()),
            }),
            ..Cause::default()
        }),
        ..of(Kind::Overdue)
    };
    let full =
        "overdue: no fix for 9 d, limit 9 h; no usable answer since 2027-01-15T08:00:00Z: 404";
    check(
        &overdue,
        Some(nine_days),
        [
            "overdue",
            "overdue: limit 9 h",
            "overdue for 9 d, limit 9 h",
            full,
        ],
    );
    let past = "overdue: no fix for longer than 3 h";
    let with_cause = format!("{past}; no usable answer since 2027-01-15T08:00:00Z: 404");
    let short = "overdue: limit 3 h";
    check(&overdue, None, ["overdue", short, past, &with_cause]);
    let circle = |from_centre_m| {
        Some(Measured::Outside {
            over_m: from_centre_m - 200.0,
            edge: Edge::Circle(200.0),
        })
    };
    let now = "outside its watch circle: now 312 m from the centre, limit 200 m";
    check(
        &of(Kind::Outside),
        circle(312.0),
        ["outside by 112 m", "outside: 112 m beyond circle", now, now],
    );
    let again = "inside its watch circle again: 190 m from the centre, limit 200 m";
    check(
        &of(Kind::Outside),
        circle(190.0),
        [
            "inside again",
            "outside: inside again by 10 m",
            again,
            again,
        ],
    );
    let start = "outside its watch circle at 12:00: 240 m from the centre, limit 200 m";
    check(
        &of(Kind::Outside),
        None,
        [
            "was outside by 40 m",
            "outside: was 240 m from the centre at 12:00, limit 200 m",
            start,
            start,
        ],
    );
    let area = Measured::Outside {
        over_m: 1500.0,
        edge: Edge::Area("area bay".to_owned()),
    };
    assert_eq!(area.text(), "outside its area bay: 1500 m beyond its edge");
    let now = "outside its area bay: now 1.50 km beyond its edge";
    check(
        &of(Kind::Outside),
        Some(area),
        [
            "outside by 1.50 km",
            "outside: 1.50 km beyond edge",
            now,
            now,
        ],
    );
    let start = "picked up at 12:00: straight on at 14.76 km/h, limit 5.40 km/h";
    check(
        &of(Kind::PickedUp),
        None,
        [
            "picked up, was 14.76 km/h",
            "picked up: was 14.76 km/h at 12:00, limit 5.40 km/h",
            start,
            start,
        ],
    );
    let battery = Alarm {
        text: "battery 11.3 V, below the limit 11.5 V".to_owned(),
        field: "battery".to_owned(),
        ..of(Kind::Below)
    };
    let start = "battery 11.3 V, below the limit 11.5 V at 12:00";
    check(&battery, None, ["below battery", start, start, start]);
    let unreachable = Alarm {
        text: "it cannot be reached".to_owned(),
        ..alarm("a", None, Kind::Unreachable, NOW, 900.0)
    };
    let text = "it cannot be reached";
    let words = unreachable.words(None);
    let written = all.map(|length| words.write(length, Units::Metric));
    let line = format!("fails: {text}");
    assert_eq!(written, ["fails", &line, text, text]);
}

#[test]
fn a_span_and_its_limit_that_differ_read_differently() {
    let of = |pair: (String, String)| format!("{}, limit {}", pair.0, pair.1);
    for (value, limit, words) in [
        (252.0, 240.0, "4 min 12 s, limit 4 min"),
        (240.3, 240.0, "4 min 1 s, limit 4 min"),
        (3899.0, 600.0, "1 h 4 min, limit 10 min"),
        (110.0, 90.0, "1 min 50 s, limit 1 min 30 s"),
        (250.0, 90.0, "4 min, limit 1 min 30 s"),
        (90_061.0, 90_000.0, "1 d 1 h 1 min 1 s, limit 1 d 1 h"),
        (240.0, 240.0, "4 min, limit 4 min"),
        (810_000.0, 33_053.0, "9 d 9 h, limit 9 h 10 min"),
    ] {
        assert_eq!(of(spans(value, limit)), words);
    }
}
