//! Alarms of a clock that was ahead.

use super::*;

const YEAR: f64 = 365.0 * 24.0 * HOUR;

#[test]
fn an_alarm_of_a_clock_that_was_ahead_is_brought_to_now_and_ends_after_its_start() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0; 6], 5.1);
    // A maximum age by which it is overdue for good, raised a year ahead.
    let mut entry = moored();
    entry.limits.max_age_s = Some(YEAR);
    archive.watch(&entry, START).unwrap();
    let ahead = START + YEAR + 6.0 * HOUR;
    confirmed(&mut archive, ahead);
    let alarm = archive.active_alarms().unwrap().remove(0);
    assert!(alarm.raised_at > START + 0.9 * YEAR, "{alarm:?}");
    assert_eq!(told(&mut archive, ahead).len(), 1);
    // The clock is right, and the age is over the limit that is set now.
    let now = START + 30.0 * HOUR;
    entry.limits.max_age_s = Some(HOUR);
    archive.watch(&entry, now).unwrap();
    confirmed(&mut archive, now);
    let standing = archive.active_alarms().unwrap().remove(0);
    assert_eq!((&standing.id, standing.raised_at), (&alarm.id, now));
    assert!(standing.seen_at <= now && standing.notified_at == Some(now));
    // It is reminded of a day later, and not in a year.
    assert_eq!(told(&mut archive, now + 24.0 * HOUR).len(), 1);

    // One that ends at once does so not before it was raised.
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0; 6], 5.1);
    confirmed(&mut archive, START + YEAR);
    assert_eq!(archive.active_alarms().unwrap().len(), 1);
    received(&mut archive, &[0.0; 7], 6.1);
    let ended = archive.alarms().unwrap().remove(0);
    let now = START + 6.1 * HOUR;
    assert!(ended.raised_at <= now, "{ended:?}");
    let cleared_at = ended.cleared_at.unwrap();
    assert!((ended.raised_at..=now).contains(&cleared_at), "{ended:?}");
}

#[test]
fn an_alarm_of_a_service_and_of_a_fix_ahead_are_not_to_come() {
    let service = "http://127.0.0.1:1";
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    let failed = |archive: &mut Archive, at: f64| {
        archive
            .unreached(service, "refused", UUID, at, Refusal::Unreached, at)
            .unwrap();
        archive.active_alarms().unwrap().remove(0)
    };
    let first = failed(&mut archive, START + YEAR);
    let second = failed(&mut archive, START);
    assert_eq!((&second.id, second.raised_at), (&first.id, START));
    failed(&mut archive, START + YEAR);
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    failed(&mut archive, START + YEAR);
    received(&mut archive, &[0.0; 2], 1.1);
    let ended = archive.alarms().unwrap().remove(0);
    assert!(ended.cleared_at >= Some(ended.raised_at), "{ended:?}");
    assert!(ended.raised_at <= START + 1.1 * HOUR, "{ended:?}");

    // Fixes half an hour ahead of the clock.
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 2.5);
    assert_eq!(archive.alarms().unwrap(), []);
    received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 3.1);
    let alarm = archive.active_alarms().unwrap().remove(0);
    assert_eq!(alarm.raised_at, START + 3.0 * HOUR);
    let back = [0.0, 0.0, 230.0, 240.0, 0.0, 0.0];
    received(&mut archive, &back, 4.5);
    assert_eq!(archive.active_alarms().unwrap().len(), 1);
    received(&mut archive, &back, 5.1);
    let ended = archive.alarms().unwrap().remove(0);
    assert_eq!(ended.cleared_at, Some(START + 5.0 * HOUR));
}

#[test]
fn fixes_that_arrive_before_the_time_of_one_ahead_of_the_clock_are_judged() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    let received = |archive: &mut Archive, metres: &[f64], hours: f64| {
        let mut fixes = fixes(metres);
        fixes.push((START + 20.0 * HOUR, 60.0, 5.0));
        let answer = answer(&records(fixes), START + HOUR * hours);
        taken_in(archive, UUID, &answer);
        archive.alarms().unwrap()
    };
    // The last of them is good, and dated 17 hours ahead.
    let good = [0.0, 5.0, 3.0, 4.0];
    assert_eq!(received(&mut archive, &good, 3.1), []);
    let left = [&good[..], &[230.0, 240.0]].concat();
    let raised = received(&mut archive, &left, 5.1);
    assert_eq!(kinds(&raised), [(Kind::Outside, false)]);
    assert_eq!(raised[0].fix_time, Some(START + 5.0 * HOUR));
    // Each is judged once, also the one that is ahead.
    let back = [&left[..], &[2.0, 6.0]].concat();
    let ended = received(&mut archive, &back, 7.1);
    assert_eq!(kinds(&ended), [(Kind::Outside, true)]);
    assert_eq!(received(&mut archive, &back, 8.1), ended);
}

#[test]
fn a_fix_ahead_of_the_clock_raises_when_its_time_has_come_and_is_told_once() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    // Left and came back, all of it ahead of the clock.
    let metres = [0.0, 5.0, 900.0, 2.0, 6.0];
    let mut raised = 0;
    for (hours, expected) in [
        (1.1, &[][..]),
        (1.6, &[]),
        (2.6, &[(Kind::Outside, false)]),
        (3.6, &[(Kind::Outside, false)]),
        (4.6, &[(Kind::Outside, true)]),
        (5.6, &[(Kind::Outside, true)]),
    ] {
        received(&mut archive, &metres, hours);
        let mut all = archive.alarms().unwrap();
        // What was received before its time says nothing of the hours since.
        all.retain(|alarm| alarm.kind != Kind::Overdue);
        assert_eq!(kinds(&all), expected, "{hours}");
        let told = told(&mut archive, START + hours * HOUR);
        let is_raised = |(event, _): &&(AlarmEvent, String)| *event == AlarmEvent::Raised;
        let raised_here = told.iter().filter(is_raised);
        let outside = raised_here.filter(|(_, id)| all.iter().any(|alarm| alarm.id == *id));
        raised += outside.count();
    }
    assert_eq!(raised, 1);
}

#[test]
fn programs_whose_clocks_are_a_day_apart_remind_of_an_alarm_once() {
    let mut archive = Archive::in_memory().unwrap();
    if archive.connection.dialect().late_fetches == 0 {
        // Those that share a file have one clock.
        return;
    }
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 3.1);
    let now = START + 4.0 * HOUR;
    assert_eq!(told(&mut archive, now).len(), 1);
    let mut reminders = 0;
    for round in 1..20 {
        let moment = now + 4.0 * f64::from(round);
        reminders += told(&mut archive, moment + 24.0 * HOUR).len();
        reminders += told(&mut archive, moment).len();
    }
    assert_eq!(reminders, 1);
}
