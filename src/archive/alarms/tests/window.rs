//! A deployment whose time window has ended raises nothing, and its alarms end.

use super::*;

#[test]
fn the_end_of_the_time_window_ends_every_alarm_with_the_reason_and_raises_none() {
    let mut archive = Archive::in_memory().unwrap();
    let mut entry = moored();
    entry.window.until = Some(START + 7.0 * HOUR);
    archive.watch(&entry, START).unwrap();
    let left = [0.0, 5.0, 230.0, 240.0];
    received(&mut archive, &left, 3.1);
    received(&mut archive, &left, 6.9);
    let standing = kinds(&archive.active_alarms().unwrap());
    assert_eq!(standing.len(), 2, "{standing:?}");
    assert_eq!(told(&mut archive, START + 6.9 * HOUR).len(), 2);
    // No fix has come: the response alone ends them.
    confirmed(&mut archive, START + 7.1 * HOUR);
    assert_eq!(archive.active_alarms().unwrap(), []);
    let ended = archive.alarms().unwrap();
    assert_eq!(ended.len(), 2);
    for one in &ended {
        let reason = "its time window ended 2027-01-15T15:00:00Z";
        assert_eq!(one.ended.as_deref(), Some(reason));
    }
    let events: Vec<AlarmEvent> = told(&mut archive, START + 7.2 * HOUR)
        .into_iter()
        .map(|(event, _)| event)
        .collect();
    assert_eq!(events, [AlarmEvent::Cleared; 2]);
    // Whatever comes later, nothing is raised.
    received(&mut archive, &[&left[..], &[900.0, 900.0]].concat(), 40.0);
    assert_eq!(archive.alarms().unwrap(), ended);
}

#[test]
fn a_window_that_is_set_to_have_ended_ends_the_alarms_at_once() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 5.0, 230.0, 240.0], 3.1);
    let mut entry = moored();
    entry.window.until = Some(START + 3.0 * HOUR);
    let now = START + 4.0 * HOUR;
    archive.change(Some(&moored()), &entry, true, now).unwrap();
    assert_eq!(archive.active_alarms().unwrap(), []);
    let ended = archive.alarms().unwrap().remove(0);
    assert_eq!(ended.cleared_at, Some(now));
    let why = ended.ended.unwrap();
    assert!(why.starts_with("its time window ended"), "{why}");
    // Without an end it is judged again.
    archive.change(Some(&entry), &moored(), true, now).unwrap();
    judged(&mut archive, now);
    assert_eq!(archive.active_alarms().unwrap().len(), 1);
}
