//! Failed notifications are retried, in order: while the alarm stands and nobody knows of it, else until
//! they are a day old.

use super::*;

/// A mooring that has left its circle; returns the time at which it is told.
fn left(archive: &mut Archive) -> f64 {
    archive.watch(&moored(), START).unwrap();
    received(archive, &[0.0, 0.0, 230.0, 240.0], 3.1);
    START + 3.2 * HOUR
}

/// Claims at `now`, fails to tell what was claimed; returns its ids and the wait.
fn fails(archive: &mut Archive, now: f64) -> (Vec<String>, Option<f64>) {
    let claimed = claim(archive, None, now);
    let numbers: Vec<i64> = claimed.iter().map(|one| one.number).collect();
    let wait = archive.not_notified(&numbers, now).unwrap();
    (claimed.into_iter().map(|one| one.alarm.id).collect(), wait)
}

#[test]
fn what_could_not_be_told_is_told_again_later_with_the_same_id() {
    let mut archive = Archive::in_memory().unwrap();
    let mut now = left(&mut archive);
    let id = archive.active_alarms().unwrap().remove(0).id;
    for wait in [60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 3600.0, 3600.0] {
        let failed = fails(&mut archive, now);
        assert_eq!(failed, (vec![id.clone()], Some(wait)));
        assert_eq!(claim(&mut archive, None, now + wait - 1.0), []);
        now += wait;
    }
    // Nobody is reminded of what was not told.
    let raised = [(AlarmEvent::Raised, id)];
    assert_eq!(told(&mut archive, now), raised);
    assert_eq!(told(&mut archive, now + 23.0 * HOUR), []);
}

#[test]
fn what_stands_is_told_however_long_that_failed_unless_somebody_knows() {
    let mut archive = Archive::in_memory().unwrap();
    let mut now = left(&mut archive);
    let id = archive.active_alarms().unwrap().remove(0).id;
    let end = now + 72.0 * HOUR;
    while now < end {
        let (ids, wait) = fails(&mut archive, now);
        assert_eq!(ids, [id.as_str()]);
        now += wait.unwrap();
    }
    let raised = [(AlarmEvent::Raised, id)];
    assert_eq!(told(&mut archive, now), raised);

    // Also where no program has run for days after a failure.
    let mut archive = Archive::in_memory().unwrap();
    let now = left(&mut archive);
    assert_eq!(fails(&mut archive, now).1, Some(60.0));
    let late = told(&mut archive, now + 50.0 * HOUR);
    assert_eq!(late[0].0, AlarmEvent::Raised);

    let mut archive = Archive::in_memory().unwrap();
    let now = left(&mut archive);
    let (ids, _) = fails(&mut archive, now);
    archive
        .reply(&ids[0], AlarmReply::Acknowledged, now + HOUR)
        .unwrap();
    assert_eq!(told(&mut archive, now + 25.0 * HOUR), []);
}

#[test]
fn what_has_ended_and_could_not_be_told_for_a_day_is_given_up() {
    let mut archive = Archive::in_memory().unwrap();
    let began = left(&mut archive);
    fails(&mut archive, began);
    let back = [0.0, 0.0, 230.0, 240.0, 10.0, 10.0];
    received(&mut archive, &back, 5.1);
    for hours in 2..30 {
        fails(&mut archive, began + f64::from(hours) * HOUR);
    }
    assert_eq!(told(&mut archive, began + 31.0 * HOUR), []);
}

#[test]
fn a_round_tells_once_what_failed_before_it() {
    let mut archive = Archive::in_memory().unwrap();
    let now = left(&mut archive);
    let round = |archive: &mut Archive, began: f64, now: f64| claim(archive, Some(began), now);
    let first = round(&mut archive, now - 1.0, now);
    assert_eq!(first.len(), 1);
    archive.not_notified(&[first[0].number], now).unwrap();
    // Not again in the same round, however long it lasts.
    assert_eq!(round(&mut archive, now - 1.0, now + 10.0), []);
    assert_eq!(round(&mut archive, now - 1.0, now + HOUR), []);
    // The next one does not wait.
    assert_eq!(round(&mut archive, now + 5.0, now + 6.0), first);
}

#[test]
fn what_happened_to_an_alarm_is_told_in_order() {
    let mut archive = Archive::in_memory().unwrap();
    let now = left(&mut archive);
    let (ids, _) = fails(&mut archive, now);
    let back = [0.0, 0.0, 230.0, 240.0, 10.0, 10.0];
    received(&mut archive, &back, 5.1);
    // It ends before its start could be told; that waits for the start.
    assert_eq!(claim(&mut archive, None, now + 30.0), []);
    let later = now + 2.0 * HOUR;
    let events = [AlarmEvent::Raised, AlarmEvent::Cleared].map(|event| (event, ids[0].clone()));
    let claimed = archive.to_notify(None, later).unwrap().transitions;
    assert_eq!(claimed.len(), 2);
    assert!(archive.claim(&[claimed[0].number], None, later).unwrap());
    archive.not_notified(&[claimed[0].number], later).unwrap();
    assert_eq!(claim(&mut archive, None, later + 119.0), []);
    assert_eq!(told(&mut archive, later + 120.0), events);
}

#[test]
fn a_reminder_that_could_not_be_told_is_not_told_to_whoever_knows() {
    let mut archive = Archive::in_memory().unwrap();
    let now = left(&mut archive);
    assert_eq!(told(&mut archive, now).len(), 1);
    let day = now + 24.0 * HOUR;
    let (ids, wait) = fails(&mut archive, day);
    assert_eq!((ids.len(), wait), (1, Some(60.0)));
    archive
        .reply(&ids[0], AlarmReply::Acknowledged, day)
        .unwrap();
    assert_eq!(told(&mut archive, day + 60.0), []);
}
