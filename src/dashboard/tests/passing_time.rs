//! Changes by the time alone: the order of the list, and its filter.

use super::schedule::reporting;
use super::*;
use crate::alarm::{Alarm, Kind};
use crate::testing::dashboard::alarm;

fn rows(model: &Dashboard) -> Vec<String> {
    model
        .tabs
        .deployments
        .shown(&model.shared.deployments)
        .map(|one| one.name())
        .collect()
}

/// Goes on to `seconds` after [`NOW`], and to the frame that follows.
fn later(model: &mut Dashboard, seconds: f64) {
    send(model, Event::Now(NOW + seconds));
    model.before_frame();
}

/// Two instruments on time while nothing is asked for: `buoy 0` reports daily,
/// `buoy 1` every ten minutes, the last time at [`NOW`].
fn silent() -> Dashboard {
    let mut model = model(2);
    fetched_at_start(&mut model, |one| {
        let interval_s = if one == uuid(1) { 600.0 } else { 86_400.0 };
        Ok(reporting(interval_s, NOW, NOW))
    });
    press(&mut model, KeyCode::Char('p'));
    model.before_frame();
    assert_eq!(rows(&model), ["buoy 0", "buoy 1"]);
    model
}

#[test]
fn an_instrument_that_becomes_overdue_moves_up_without_any_answer() {
    let mut model = silent();
    later(&mut model, 890.0);
    assert_eq!(rows(&model), ["buoy 0", "buoy 1"]);
    later(&mut model, 901.0);
    assert_eq!(rows(&model), ["buoy 1", "buoy 0"], "late");
    later(&mut model, 1801.0);
    // Sorted when a status changes, not each second.
    let sorted = model.tabs.deployments.sorted;
    for second in 1802..1900 {
        later(&mut model, f64::from(second));
    }
    assert_eq!(model.tabs.deployments.sorted, sorted);
}

#[test]
fn a_filter_of_a_status_gains_what_comes_to_have_it() {
    let mut model = silent();
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "status:overdue");
    press(&mut model, KeyCode::Enter);
    assert!(rows(&model).is_empty());
    later(&mut model, 1801.0);
    assert_eq!(rows(&model), ["buoy 1"]);
}

#[test]
fn an_alarm_whose_snooze_ends_moves_up() {
    let mut model = silent();
    let of = |id: &str, number| alarm(id, Some(uuid(number)), Kind::Outside, NOW, 60.0);
    let known = Alarm {
        acknowledged_at: Some(NOW),
        ..of("known", 0)
    };
    let snoozed = Alarm {
        snoozed_until: Some(NOW + 100.0),
        ..of("snoozed", 1)
    };
    send(&mut model, Event::Alarms(vec![known, snoozed]));
    later(&mut model, 99.0);
    assert_eq!(rows(&model), ["buoy 0", "buoy 1"]);
    later(&mut model, 100.0);
    assert_eq!(rows(&model), ["buoy 1", "buoy 0"]);
}

/// The deployments that are judged by the clock after this many seconds.
fn judged(model: &mut Dashboard, seconds: f64) -> Vec<uuid::Uuid> {
    let effects = send(model, Event::Now(NOW + seconds));
    let lists = effects.into_iter().filter_map(|effect| match effect {
        Effect::JudgeByClock { list, .. } => Some(list),
        _ => None,
    });
    lists.flatten().map(|entry| entry.id.uuid).collect()
}

#[test]
fn a_paused_dashboard_judges_what_is_silent_and_what_is_not_judged() {
    let mut model = silent();
    assert!(judged(&mut model, 1700.0).is_empty());
    // Overdue, although nobody asks.
    assert_eq!(judged(&mut model, 1801.0), [uuid(1)]);
    // Once a minute.
    assert!(judged(&mut model, 1830.0).is_empty());
    let limit = "the watch circle cannot be judged: why".to_owned();
    send(&mut model, Event::Unjudged(vec![(uuid(0), limit)]));
    assert_eq!(judged(&mut model, 1900.0), [uuid(0), uuid(1)]);
}
