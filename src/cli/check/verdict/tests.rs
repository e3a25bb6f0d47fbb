use super::*;
use crate::testing::dashboard::alarm;
use crate::track::DeclaredState;

#[test]
fn an_alarm_that_stands_is_named_and_critical() {
    let (now, uuid) = (1.8e9, Uuid::nil());
    let found = || Verdict::new(0, "x: on time");
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
        let verdict = found().with_alarms(&[of(kind)], &[], uuid, Units::Nautical);
        assert_eq!(verdict.status, 2);
        let begin = format!("x: on time, {words}");
        assert!(verdict.text.starts_with(&begin), "{}", verdict.text);
    }
    let ended = Alarm {
        cleared_at: Some(now),
        ..of(Kind::PickedUp)
    };
    assert_eq!(
        found()
            .with_alarms(&[ended], &[], uuid, Units::Nautical)
            .text,
        "x: on time"
    );
    // A critical text has them already; a last fix within the limit may not clear one yet.
    let raised = [of(Kind::Overdue), of(Kind::Outside)];
    let critical = Verdict {
        status: 2,
        ..found()
    };
    assert_eq!(
        critical
            .with_alarms(&raised, &[], uuid, Units::Nautical)
            .text,
        "x: on time"
    );
    let inside = found().with_alarms(&raised[1..], &[], uuid, Units::Nautical);
    assert_eq!(inside.status, 2);
    let begin = "x: on time, outside its watch circle at 2027-01-15T07:44:00Z: ";
    assert!(inside.text.starts_with(begin), "{}", inside.text);
    assert!(
        inside.text.ends_with("; not cleared yet"),
        "{}",
        inside.text
    );
    // Its limit is another one here.
    let other = found().with_alarms(&raised[1..], &[Kind::Outside], uuid, Units::Nautical);
    assert_eq!((other.status, other.text), (0, inside.text));
}

#[test]
fn a_limit_that_is_not_judged_is_unknown_unless_another_alarm_stands() {
    let (now, uuid) = (1.8e9, Uuid::nil());
    let unjudged = Alarm {
        text: "the watch circle cannot be judged: why".to_owned(),
        ..alarm("a", Some(uuid), Kind::Unjudged, now, 900.0)
    };
    let known = Alarm {
        acknowledged_at: Some(now),
        ..alarm("b", Some(uuid), Kind::PickedUp, now, 900.0)
    };
    let found = |alarms: &[Alarm]| {
        Verdict::new(0, "x: on time").with_alarms(alarms, &[], uuid, Units::Nautical)
    };
    let alone = found(std::slice::from_ref(&unjudged));
    assert_eq!(alone.status, 3);
    assert_eq!(
        alone.text,
        "x: on time, the watch circle cannot be judged: why"
    );
    assert_eq!(found(&[unjudged, known]).status, 2);
}

#[test]
fn the_silence_and_place_that_are_known_stand_beside_what_could_not_be_asked_for() {
    let (now, uuid) = (1.8e9, Uuid::nil());
    let unknown = Verdict::unknown("x: the service answered 404 Not Found");
    let overdue = alarm("a", Some(uuid), Kind::Overdue, now, 900.0);
    let found = unknown.with_alarms(&[overdue], &[], uuid, Units::Nautical);
    assert_eq!(found.status, 3);
    let words = "x: the service answered 404 Not Found, overdue: no fix for longer than ";
    assert!(found.text.starts_with(words), "{}", found.text);
}

#[test]
fn what_is_not_critical_is_unknown_where_the_alarms_cannot_be_read() {
    let failure = Failure::new(crate::failure::FailureKind::Other, "the disk failed", "");
    for (status, expected) in [(0, 3), (1, 3), (2, 2), (3, 3)] {
        let verdict = Verdict {
            status,
            ..Verdict::new(0, "buoy: as it is")
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
    assert_eq!(entry.settled(1.8e9), None);
    let words = "its time window ended 2027-01-15T08:00:00Z";
    assert_eq!(entry.settled(1.8e9 + 1.0).as_deref(), Some(words));
    entry.state = DeclaredState::Lost;
    assert_eq!(entry.settled(0.0).as_deref(), Some("declared lost"));
}
