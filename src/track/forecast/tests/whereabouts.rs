//! The own ship, and what the card and `where` say of an answer.

use super::*;
use crate::geo::{CoordinateFormat, Notation};
use crate::track::{DeclaredState, Flag};
use crate::watch::{Deployment, Fact, Whereabouts};

#[test]
fn the_own_ship_is_read_as_a_person_types_it() {
    let at = position(81.5, -20.25);
    let of = |typed: &str| Ship::parse(typed);
    let ship = |speed_m_s| {
        Some(Ship {
            position: at,
            speed_m_s,
        })
    };
    let ten_knots = Some(18_520.0 / 3600.0);
    assert_eq!(of("81.5,-20.25"), ship(None));
    assert_eq!(of(" 81.5, -20.25 "), ship(None));
    for typed in [
        "81.5,-20.25 10kn",
        "81.5 -20.25 10kn",
        "81.5, -20.25, 10kn",
        "81°30.0′N 020°15.0′W 10kn",
        "81 30 N 20 15 W, 10kn",
        "81 30 N 20 15 W 10 kn",
        "81.5N 20.25W, 18.52 km/h",
    ] {
        assert_eq!(of(typed), ship(ten_knots), "{typed}");
    }
    for typed in [
        "",
        "10kn",
        "81.5",
        "81.5,-20.25 10",
        "91,0 10kn",
        "81.5,-20.25 0kn",
    ] {
        assert_eq!(of(typed), None, "{typed}");
    }
}

#[test]
fn what_is_known_is_said_with_the_drift_the_next_report_and_the_way_that_led_there() {
    let track = drifter(meander(position(80.0, 10.0), 40 * 24, 0.3));
    let last = track.latest().unwrap();
    let now = last.time_stamp + 5.0 * HOUR;
    let known = Whereabouts::new(
        Deployment::new(Uuid::nil()),
        Arc::new(track.clone()),
        Vec::new(),
        Moment::new(now, now),
    );
    let found = known.found.as_ref().unwrap();
    // The mean drift is the displacement of the last hours, by another way to it.
    for drift in &known.drifts {
        let start = track
            .as_known_at(last.time_stamp - drift.over_s)
            .latest()
            .unwrap();
        let (distance_m, back_deg) = geodesic::leg(last.position, start.position);
        assert!(
            (drift.speed_m_s - distance_m / drift.over_s).abs() < 1e-3,
            "{drift:?}"
        );
        let course_deg = (back_deg + 180.0).rem_euclid(360.0);
        assert!((drift.course_deg - course_deg).abs() < 0.1, "{drift:?}");
    }
    assert_eq!(known.drifts.len(), 2);
    let way = known.way();
    assert_eq!(way.first(), Some(&last.position));
    assert!(geodesic::length_m(*way.last().unwrap(), found.position) < 1.0);
    let facts = known.facts(Notation::default(), &[CoordinateFormat::Dd], None);
    let next = facts.iter().find(|(label, _)| *label == "next report");
    assert!(next.unwrap().1.ends_with("4 h ago"), "{facts:?}");
}

fn whereabouts(track: &Track, now: f64) -> Whereabouts {
    let deployment = Deployment::new(Uuid::nil());
    Whereabouts::new(
        deployment,
        Arc::new(track.clone()),
        Vec::new(),
        Moment::new(now, now),
    )
}

/// Hourly fixes north over the North Pole: 84 hours to it, and 12 beyond.
fn over_the_pole() -> Vec<Numbers> {
    let fixes = (0..97).map(|hour| {
        let t = f64::from(hour);
        let along = 89.0 + t / 84.0;
        let beyond = (180.0 - along, 190.0 - 360.0);
        let (latitude, longitude) = if along > 90.0 { beyond } else { (along, 10.0) };
        (START + t * HOUR, latitude, longitude)
    });
    fixes.collect()
}

#[test]
fn a_suspect_last_fix_is_called_suspect_with_the_last_that_passed() {
    // A receiver that repeats its position.
    let mut fixes = meander(position(75.0, 10.0), 100, 0.0);
    let passed = *fixes.last().unwrap();
    let stuck = |hour| (passed.0 + f64::from(hour) * HOUR, passed.1 + 0.01, passed.2);
    fixes.extend((1..=6).map(stuck));
    let track = drifter(fixes);
    let last = track.fix(track.len() - 1).unwrap();
    assert_eq!(last.flag, Flag::Suspect, "{last:?}");
    let known = whereabouts(&track, last.time_stamp + HOUR);
    assert!(known.is_doubtful());
    // The contract starts from the last included fix.
    assert_eq!(known.fix.unwrap().index, last.index);
    let note = known.note(None, Notation::default()).unwrap();
    let is_told = note.starts_with("the last fix is suspect: stuck: 6 times the same position");
    assert!(is_told, "{note}");
    assert!(note.contains("; the last that passed is at 74."), "{note}");
    let facts = known.facts(Notation::default(), &[CoordinateFormat::Dd], None);
    assert!(
        facts.iter().all(|(label, _)| *label != "last good fix"),
        "{facts:?}"
    );
    assert!(facts.contains(&("note", note)), "{facts:?}");
    let good = whereabouts(&track, passed.0);
    assert!(!good.is_doubtful() && good.note(None, Notation::default()).is_none());
}

#[test]
fn fixes_that_failed_are_counted_where_there_is_no_forecast() {
    let fixes = (0..12).map(|hour| {
        // Every second one is a world away.
        let latitude = if hour % 2 == 0 { 75.0 } else { -40.0 };
        (START + f64::from(hour) * HOUR, latitude, 10.0)
    });
    let track = drifter(fixes.collect());
    let failed = track.fixes().filter(|fix| fix.flag == Flag::Fail);
    let failed = failed.count();
    let known = whereabouts(&track, START + 12.0 * HOUR);
    let note = known.note(None, Notation::default()).unwrap();
    let good = 12 - failed;
    assert!(
        failed > 0 && known.found == Err(NoForecast::OnePlace(good)),
        "{note}"
    );
    assert!(
        note.contains(&format!("all {good} good fixes have one position")),
        "{note}"
    );
    assert!(
        note.contains(&format!("; {failed} other fixes failed or left out")),
        "{note}"
    );
}

#[test]
fn from_a_pole_and_from_its_own_position_there_is_no_bearing_in_degrees() {
    let track = drifter(over_the_pole());
    let last = track.latest().unwrap();
    let known = whereabouts(&track, last.time_stamp + HOUR);
    let at = known.found.as_ref().unwrap().position;
    let ship = |latitude, longitude| Ship {
        position: position(latitude, longitude),
        speed_m_s: Some(5.0),
    };
    let bearing = |ship| known.course(ship).unwrap().bearing;
    for longitude in [0.0, 77.0, -180.0] {
        assert_eq!(bearing(ship(90.0, longitude)), Bearing::South(at));
        assert_eq!(bearing(ship(-90.0, longitude)), Bearing::North(at));
    }
    let words = bearing(ship(90.0, 0.0)).text(Notation::default());
    assert!(words.starts_with("due south along 170.00000°W"), "{words}");
    assert_eq!(bearing(ship(at.latitude, at.longitude)), Bearing::Here);
    // A mile before the pole there is one.
    assert!(
        bearing(ship(89.98, 10.0))
            .degrees()
            .is_some_and(|degrees| degrees.min(360.0 - degrees) < 1.0)
    );
    // It has gone over the pole, and goes south now.
    let [.., day] = known.drifts.as_slice() else {
        panic!()
    };
    assert!((day.course_deg - 180.0).abs() < 0.01, "{day:?}");
}

#[test]
fn the_circle_of_a_meeting_is_that_of_its_time_and_not_of_now() {
    let track = drifter(meander(position(80.0, 10.0), 40 * 24, 0.3));
    let last = track.latest().unwrap();
    let known = whereabouts(&track, last.time_stamp + HOUR);
    let ship = Ship {
        position: position(79.0, 10.0),
        speed_m_s: Some(5.0),
    };
    let meeting = known.course(ship).unwrap().intercept.unwrap();
    // Asked for that time, the answer is the same.
    let moment = Moment {
        at: meeting.at,
        known_until: known.moment.known_until,
    };
    let then = forecast(&track, &[], moment).unwrap();
    for (known_m, then_m) in [(meeting.r90_m, then.r90_m), (meeting.r50_m, then.r50_m)] {
        assert!((known_m.unwrap() - then_m).abs() < 1.0, "{meeting:?}");
    }
    assert!(geodesic::length_m(meeting.position, then.position) < 1.0);
    assert!(then.r90_m > 2.0 * known.found.unwrap().r90_m, "{then:?}");
}

#[test]
fn the_card_of_what_was_recovered_says_so_and_expects_no_report() {
    let track = drifter(meander(position(80.0, 10.0), 40 * 24, 0.3));
    let now = track.latest().unwrap().time_stamp + 5.0 * HOUR;
    let facts = |state| {
        let mut deployment = Deployment::new(Uuid::nil());
        deployment.state = state;
        let known = Whereabouts::new(
            deployment,
            Arc::new(track.clone()),
            Vec::new(),
            Moment::new(now, now),
        );
        known.facts(Notation::default(), &[CoordinateFormat::Dd], None)
    };
    let labels = |facts: &[Fact]| -> Vec<&str> { facts.iter().map(|(label, _)| *label).collect() };
    let recovered = facts(DeclaredState::Recovered);
    let note = ("note", "recovered: no report is expected".to_owned());
    assert!(recovered.contains(&note), "{recovered:?}");
    assert!(!labels(&recovered).contains(&"next report"));
    let active = labels(&facts(DeclaredState::Active)).concat();
    assert!(active.contains("next report") && !active.contains("note"));
}
