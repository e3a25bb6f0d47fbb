//! The dashboard as lines.

use crate::alarm::Kind;
use crate::dashboard::plain::{Printed, changes};
use crate::dashboard::tests::screens::*;
use crate::testing::dashboard::alarm;

fn at(model: &mut Dashboard, seconds: f64, told: &mut Printed) -> Vec<String> {
    update(model, Event::Now(NOW + seconds));
    changes(model, told)
}

/// A response to the next fetch of the first deployment, asked for by `r`.
fn answer(model: &mut Dashboard, outcome: Result<LoadedTrack, Failure>) {
    let asked = update(model, Event::Key(Key::char('r')));
    let request = asked.iter().find_map(|effect| match effect {
        Effect::Update(Fetch {
            request,
            of: crate::watch::FetchRequest { deployment, .. },
            ..
        }) if *deployment == Uuid::from_u128(0).into() => Some(*request),
        _ => None,
    });
    let answer = updated((request.unwrap(), Uuid::from_u128(0)), outcome);
    update(model, answer);
    model.messages.notice = None;
}

#[test]
fn each_change_is_one_line_and_an_age_is_none() {
    let (mut model, mut told) = (model(), Printed::default());
    let first = at(&mut model, 0.0, &mut told);
    assert_eq!(first.len(), 3);
    assert_eq!(
        first[0],
        "2026-09-21 14:13:20 UTC  ice 7: on time. Last fix 2026-09-21 13:53:20 UTC, 84.42854°N \
         021.16669°E, 0.17 kn 113°T."
    );
    // What a person or a service named never reaches a terminal as a command.
    assert!(first.iter().all(|line| !line.contains(char::is_control)));
    assert_eq!(at(&mut model, 60.0, &mut told), [""; 0]);
    // Hourly: late from 1.5 hours on, overdue from 3 on.
    for (after, word) in [(4300.0, "late"), (9700.0, "overdue")] {
        let lines = at(&mut model, after, &mut told);
        let of_it: Vec<_> = lines.iter().filter(|line| line.contains("ice 7")).collect();
        assert_eq!(of_it.len(), 1, "{lines:?}");
        assert!(of_it[0].contains(&format!("ice 7: {word}. ")), "{lines:?}");
    }
}

#[test]
fn nothing_is_said_of_other_deployments_than_the_one_that_was_asked_for() {
    let mut model = model();
    let mut told = Printed::new(Some(Uuid::from_u128(1)));
    let first = at(&mut model, 0.0, &mut told);
    assert_eq!(first.len(), 1, "{first:?}");
    assert!(first[0].contains("Fiji"), "{first:?}");
}

#[test]
fn a_failure_its_end_an_alarm_and_a_message_are_changes() {
    let (mut model, mut told) = (model(), Printed::default());
    at(&mut model, 0.0, &mut told);
    let failed = Failure::new(FailureKind::Unreachable, "the service was not reached", "");
    for _ in 0..2 {
        answer(&mut model, Err(failed.clone()));
    }
    let lines = changes(&model, &mut told);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let end = "Refresh failed: the service was not reached.";
    assert!(lines[0].ends_with(end), "{lines:?}");
    // The same failure again is no change; neither is its age.
    answer(&mut model, Err(failed));
    assert_eq!(changes(&model, &mut told), [""; 0]);

    let arrival = LoadedTrack {
        track: track(84.2, 20.0, 60, 1200.0),
        options: Box::new(TrackOptions::new(Platform::Drifter, NOW)),
        fetched_at: NOW,
    };
    answer(&mut model, Ok(arrival));
    let lines = changes(&model, &mut told);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(!lines[0].contains("failed"), "{lines:?}");

    let uuid = model.deployments.list[0].deployment.id.uuid;
    let mut raised = alarm("0k3", Some(uuid), Kind::Outside, NOW, -1.0);
    update(&mut model, Event::Alarms(vec![raised.clone()]));
    let lines = changes(&model, &mut told);
    let end = "Alarm: outside its watch circle at 14:12: 240 m from the centre, limit 200 m.";
    assert!(lines[0].ends_with(end), "{lines:?}");
    // The message of the same alarm is not printed besides.
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(at(&mut model, 30.0, &mut told), [""; 0]);
    raised.acknowledged_at = Some(NOW + 31.0);
    update(&mut model, Event::Alarms(vec![raised]));
    let lines = changes(&model, &mut told);
    assert!(
        lines[0].ends_with("limit 200 m (acknowledged)."),
        "{lines:?}"
    );
    // An alarm that is about no deployment has no other line.
    let service = alarm("0k4", None, Kind::Unreachable, NOW, -40.0);
    update(&mut model, Event::Alarms(vec![service]));
    let lines = changes(&model, &mut told);
    assert!(
        lines
            .iter()
            .any(|line| line.contains("message: A alarms  the service fails")),
        "{lines:?}"
    );

    let warning = Failure::new(FailureKind::Other, "the archive is full", "");
    update(&mut model, Event::Warning(warning));
    let lines = changes(&model, &mut told);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("UTC  message: the archive is full"));
    // That it ends after a while is none.
    assert_eq!(at(&mut model, 50.0, &mut told), [""; 0]);
}

#[test]
fn a_last_fix_is_told_with_its_first_numbers() {
    let mut model = model();
    let mut told = Printed::default();
    at(&mut model, 0.0, &mut told);
    let loaded = crate::testing::dashboard::loaded(
        crate::testing::fields::ice_buoy(NOW - 36_000.0, 10, 20),
        NOW,
    );
    answer(&mut model, Ok(loaded));
    let lines = at(&mut model, 1.0, &mut told);
    let of_it: Vec<_> = lines.iter().filter(|line| line.contains("ice 7")).collect();
    let values = ". air_temp -29.51 \u{b0}C, battery_voltage 13.39 V, sensor_count 80.";
    assert!(of_it[0].ends_with(values), "{lines:?}");
}

#[test]
fn what_the_archive_knows_is_said_only_where_the_service_does_not_answer() {
    let stored = |model: &mut Dashboard, number| {
        let loaded = LoadedTrack {
            track: track(84.2, 20.0, 60, 9e5),
            options: Box::new(TrackOptions::new(Platform::Drifter, NOW)),
            fetched_at: NOW - 9e5,
        };
        let event = Event::Stored {
            deployment: Uuid::from_u128(number),
            overrides: Default::default(),
            loaded: Some(loaded),
        };
        update(model, event);
    };
    let watched = |number| Deployment {
        label: Some(format!("buoy {number}")),
        platform: Platform::Drifter,
        ..Deployment::new(Uuid::from_u128(number))
    };
    let mut model = opened(vec![watched(0), watched(1), watched(2)], NOW);
    model
        .deployments
        .agenda
        .later(Uuid::from_u128(2), NOW + 600.0);
    let mut told = Printed::default();
    for number in [0, 1, 2] {
        stored(&mut model, number);
    }
    let asked = update(&mut model, Event::Now(NOW));
    // Nobody waits for an answer of what is not due.
    let lines = changes(&model, &mut told);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("buoy 2: lost."), "{lines:?}");
    // The one that answers begins with its present state.
    let request = asked.iter().find_map(|effect| match effect {
        Effect::Update(Fetch {
            request,
            of: crate::watch::FetchRequest { deployment, .. },
            ..
        }) if *deployment == Uuid::from_u128(0).into() => Some(*request),
        _ => None,
    });
    let outcome = Ok(LoadedTrack {
        track: track(84.2, 20.0, 60, 1200.0),
        options: Box::new(TrackOptions::new(Platform::Drifter, NOW)),
        fetched_at: NOW,
    });
    let answer = updated((request.unwrap(), Uuid::from_u128(0)), outcome);
    update(&mut model, answer);
    let lines = changes(&model, &mut told);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("buoy 0: on time."), "{lines:?}");
    // Of the other one is said where its data are from.
    let lines = at(&mut model, 11.0, &mut told);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let words = "buoy 1: no answer yet, in the archive lost.";
    assert!(lines[0].contains(words), "{lines:?}");
}

#[test]
fn an_alarm_is_said_without_the_last_fix_again() {
    let (mut model, mut told) = (model(), Printed::default());
    at(&mut model, 0.0, &mut told);
    let uuid = model.deployments.list[0].deployment.id.uuid;
    let raised = alarm("0k3", Some(uuid), Kind::Outside, NOW, -1.0);
    update(&mut model, Event::Alarms(vec![raised]));
    model.messages.notice = None;
    let lines = changes(&model, &mut told);
    assert!(
        lines[0].contains("ice 7: on time. Alarm: outside"),
        "{lines:?}"
    );
    update(&mut model, Event::Alarms(Vec::new()));
    model.messages.notice = None;
    let lines = changes(&model, &mut told);
    assert!(lines[0].ends_with("ice 7: on time. No alarm."), "{lines:?}");
}

#[test]
fn a_limit_that_is_not_judged_is_said_once_and_its_end_too() {
    let (mut model, mut told) = (model(), Printed::default());
    at(&mut model, 0.0, &mut told);
    let uuid = Uuid::from_u128(0);
    let why = "the limit battery below 11 V cannot be judged: it holds null";
    update(&mut model, Event::Unjudged(vec![(uuid, why.to_owned())]));
    let lines = changes(&model, &mut told);
    let said = format!("ice 7: on time. No alarm. Not judged: {why}.");
    assert!(lines.len() == 1 && lines[0].ends_with(&said), "{lines:?}");
    assert_eq!(changes(&model, &mut told), [""; 0]);
    // As an alarm of its own it is not said twice.
    let unjudged = crate::alarm::Alarm {
        text: why.to_owned(),
        ..alarm("a", Some(uuid), Kind::Unjudged, NOW, 60.0)
    };
    update(&mut model, Event::Alarms(vec![unjudged]));
    let lines = changes(&model, &mut told);
    let said = format!("ice 7: on time. Alarm: {why}.");
    assert!(lines.len() == 1 && lines[0].ends_with(&said), "{lines:?}");
    update(&mut model, Event::Alarms(Vec::new()));
    update(&mut model, Event::Unjudged(Vec::new()));
    let lines = changes(&model, &mut told);
    assert!(
        lines.len() == 1 && lines[0].ends_with("ice 7: on time. No alarm."),
        "{lines:?}"
    );
}
