//! Alarms: what is announced, and what the user says of one.

use super::*;
use crate::alarm::{Alarm, AlarmState, Kind};
use crate::geo::Units;
use crate::testing::dashboard::alarm;

/// An alarm of a deployment, first seen one second after the dashboard opened.
fn new(id: &str, number: u128, kind: Kind) -> Alarm {
    alarm(id, Some(uuid(number)), kind, NOW, -1.0)
}

fn announced(effects: &[Effect]) -> Vec<Announcement> {
    let one = |effect: &'_ Effect| match effect {
        Effect::Announce(announcement) => Some(announcement.clone()),
        _ => None,
    };
    effects.iter().filter_map(one).collect()
}

fn read(model: &mut Dashboard, alarms: &[Alarm]) -> Vec<Effect> {
    send(model, Event::Alarms(alarms.to_vec()))
}

#[test]
fn an_alarm_is_announced_once_by_each_dashboard_and_what_stood_before_is_not() {
    let mut model = model(2);
    let before = alarm("old", Some(uuid(1)), Kind::Overdue, NOW, 600.0);
    assert!(announced(&read(&mut model, std::slice::from_ref(&before))).is_empty());
    let raised = new("new", 0, Kind::Outside);
    let effects = read(&mut model, &[raised.clone(), before.clone()]);
    let told = announced(&effects);
    assert_eq!(told.len(), 1, "{effects:?}");
    assert_eq!(told[0].title, "driftline: buoy 0: outside");
    // In the units that are shown, as everywhere.
    let words = "outside its watch circle: 240 m from the centre, limit 200 m";
    assert_eq!(told[0].body, words);
    assert!(
        said(&model).starts_with(&format!("A alarms  buoy 0: {words}")),
        "{}",
        said(&model)
    );
    let far = Alarm {
        value: Some(1852.0),
        ..raised.clone()
    };
    for (units, body) in [
        (Units::Nautical, "1.00 nm from the centre, limit 200 m"),
        (Units::Metric, "1.85 km from the centre, limit 200 m"),
    ] {
        let mut other = self::model(2);
        other.settings.units = units;
        let told = announced(&read(&mut other, std::slice::from_ref(&far)));
        assert!(told[0].body.contains(body), "{told:?}");
    }
    // Read again, it is not new.
    assert!(announced(&read(&mut model, &[raised.clone(), before.clone()])).is_empty());
    // What another program acknowledged at once is not announced.
    let known = Alarm {
        acknowledged_at: Some(NOW + 2.0),
        ..new("known", 1, Kind::PickedUp)
    };
    assert!(announced(&read(&mut model, &[known, raised, before])).is_empty());
}

#[test]
fn what_stands_is_announced_however_long_before_it_was_seen_it_happened() {
    let mut model = model(1);
    let old = Alarm {
        raised_at: NOW - 86_500.0,
        ..new("old", 0, Kind::Overdue)
    };
    assert_eq!(announced(&read(&mut model, &[old])).len(), 1);
    assert_eq!(model.alarms.count(AlarmState::Raised, NOW), 1);
    assert!(model.deployments.get(uuid(0)).unwrap().has_raised(NOW));
}

#[test]
fn many_at_once_are_announced_as_one() {
    let mut model = model(8);
    let all: Vec<Alarm> = (0..8)
        .map(|number| new(&format!("id{number}"), number, Kind::Overdue))
        .collect();
    let effects = read(&mut model, &all);
    let told = announced(&effects);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].title, "driftline: 8 alarms");
    assert!(told[0].body.ends_with(", 3 more"), "{}", told[0].body);
}

#[test]
fn the_end_of_a_snooze_is_announced_without_a_new_reading() {
    let mut model = model(1);
    let mut one = new("one", 0, Kind::Outside);
    read(&mut model, std::slice::from_ref(&one));
    one.snoozed_until = Some(NOW + 100.0);
    assert!(announced(&read(&mut model, std::slice::from_ref(&one))).is_empty());
    assert!(announced(&send(&mut model, Event::Now(NOW + 99.0))).is_empty());
    assert_eq!(
        announced(&send(&mut model, Event::Now(NOW + 100.0))).len(),
        1
    );
    assert!(announced(&send(&mut model, Event::Now(NOW + 101.0))).is_empty());
}

#[test]
fn a_snooze_that_is_taken_back_announces_nothing() {
    let mut model = model(1);
    let mut one = new("one", 0, Kind::Outside);
    assert_eq!(
        announced(&read(&mut model, std::slice::from_ref(&one))).len(),
        1
    );
    one.snoozed_until = Some(NOW + 100.0);
    read(&mut model, std::slice::from_ref(&one));
    one.snoozed_until = None;
    assert!(announced(&read(&mut model, std::slice::from_ref(&one))).is_empty());
}

#[test]
fn an_end_is_said_and_the_row_is_quiet_again() {
    let mut model = model(1);
    let mut one = new("one", 0, Kind::Outside);
    read(&mut model, std::slice::from_ref(&one));
    one.cleared_at = Some(NOW + 50.0);
    assert!(announced(&read(&mut model, std::slice::from_ref(&one))).is_empty());
    assert_eq!(said(&model), "alarm cleared: buoy 0: outside");
    assert!(model.deployments.get(uuid(0)).unwrap().alarm(NOW).is_none());
    // It stays in the list of alarms.
    assert_eq!(model.alarms.list.len(), 1);
}

#[test]
fn the_end_of_an_alarm_by_a_removal_does_not_cover_the_message_of_the_removal() {
    let mut model = model(1);
    let mut one = new("one", 0, Kind::Outside);
    read(&mut model, std::slice::from_ref(&one));
    press(&mut model, KeyCode::Char('D'));
    // The question is read for a second.
    seen(&mut model);
    send(&mut model, Event::Now(NOW + 1.0));
    press(&mut model, KeyCode::Char('y'));
    let removed = said(&model).to_owned();
    assert!(removed.contains("removed from the list"), "{removed}");
    one.cleared_at = Some(NOW + 1.0);
    read(&mut model, std::slice::from_ref(&one));
    assert_eq!(said(&model), removed);
}

#[test]
fn the_list_opens_on_the_alarm_of_the_selected_deployment() {
    let mut model = model(3);
    let (one, two) = (new("one", 0, Kind::Outside), new("two", 1, Kind::Overdue));
    read(&mut model, &[one, two]);
    for (number, id) in [(1, "two"), (0, "one"), (2, "one")] {
        model.tabs.deployments.select(uuid(number));
        press(&mut model, KeyCode::Char('A'));
        let effects = press(&mut model, KeyCode::Char('a'));
        let expected = Effect::ReplyToAlarm {
            id: id.to_owned(),
            reply: AlarmReply::Acknowledged,
        };
        assert_eq!(effects, [expected]);
        press(&mut model, KeyCode::Esc);
    }
}

#[test]
fn an_alarm_is_acknowledged_snoozed_and_that_taken_back() {
    let mut model = model(2);
    let (one, two) = (new("one", 0, Kind::Outside), new("two", 1, Kind::Overdue));
    read(&mut model, &[one.clone(), two]);
    press(&mut model, KeyCode::Char('A'));
    let effects = press(&mut model, KeyCode::Char('a'));
    let say = |reply| Effect::ReplyToAlarm {
        id: "one".to_owned(),
        reply,
    };
    assert_eq!(effects, [say(AlarmReply::Acknowledged)]);
    let after = Alarm {
        acknowledged_at: Some(NOW + 5.0),
        ..one.clone()
    };
    let pair = Box::new((one.clone(), after.clone()));
    let stored = |reply, pair| Event::AlarmReplied {
        reply,
        outcome: Ok(Some(pair)),
        held: false,
    };
    send(&mut model, stored(AlarmReply::Acknowledged, pair.clone()));
    assert_eq!(said(&model), "U undo  buoy 0: outside acknowledged");
    // On any tab, also where U means something else without the list.
    model.screen.tab = TabId::Plants;
    let effects = press(&mut model, KeyCode::Char('U'));
    let [Effect::Undo(change)] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let outcome = Ok(true);
    send(
        &mut model,
        Event::Undone {
            change: change.clone(),
            outcome,
        },
    );
    assert_eq!(said(&model), "undone: buoy 0: outside as before");

    press(&mut model, KeyCode::Char('s'));
    for _ in 0..4 {
        press(&mut model, KeyCode::Backspace);
    }
    type_text(&mut model, "soon");
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    let Some(Dialog::Prompt(prompt)) = model.dialogs.last() else {
        panic!("{:?}", model.dialogs);
    };
    assert!(!prompt.field.error.is_empty());
    for _ in 0..4 {
        press(&mut model, KeyCode::Backspace);
    }
    type_text(&mut model, "2d");
    let effects = press(&mut model, KeyCode::Enter);
    assert_eq!(effects, [say(AlarmReply::SnoozedUntil(NOW + 172_800.0))]);
    assert!(matches!(model.dialogs.last(), Some(Dialog::Alarms(_))));
}

#[test]
fn what_another_program_said_first_is_told() {
    let mut model = model(1);
    let one = new("one", 0, Kind::Outside);
    let ended = Alarm {
        cleared_at: Some(NOW),
        ..one.clone()
    };
    for (outcome, words) in [
        (Ok(None), "the archive has no such alarm any more"),
        (
            Ok(Some(Box::new((one.clone(), one.clone())))),
            "buoy 0: outside was acknowledged before",
        ),
        (
            Ok(Some(Box::new((ended.clone(), ended)))),
            "buoy 0: outside has ended meanwhile",
        ),
        (
            Err(failure(FailureKind::Other)),
            "not stored: it failed. Try again.",
        ),
    ] {
        let said_of = AlarmReply::Acknowledged;
        send(
            &mut model,
            Event::AlarmReplied {
                reply: said_of,
                outcome,
                held: false,
            },
        );
        assert_eq!(
            said(&model).trim_end_matches('.'),
            words.trim_end_matches('.')
        );
        assert_eq!(press(&mut model, KeyCode::Char('U')), vec![]);
    }
}

#[test]
fn the_cursor_stays_on_its_alarm_and_enter_opens_its_track() {
    let mut model = model(3);
    let first = new("first", 0, Kind::Outside);
    let second = Alarm {
        raised_at: NOW - 60.0,
        ..new("second", 1, Kind::Overdue)
    };
    read(&mut model, &[first.clone(), second.clone()]);
    press(&mut model, KeyCode::Char('A'));
    press(&mut model, KeyCode::Char('j'));
    // A newer one comes in above.
    let third = Alarm {
        raised_at: NOW + 5.0,
        ..new("third", 2, Kind::PickedUp)
    };
    read(&mut model, &[third, first, second]);
    let Some(Dialog::Alarms(list)) = model.dialogs.last() else {
        panic!("{:?}", model.dialogs);
    };
    assert_eq!(
        (list.table.cursor, &list.chosen(&model).unwrap().id[..]),
        (2, "second")
    );
    press(&mut model, KeyCode::Enter);
    assert!(model.dialogs.is_empty());
    assert_eq!(
        (model.screen.tab, model.deployments.open),
        (TabId::Track, Some(uuid(1)))
    );
}

#[test]
fn an_alarm_without_a_track_opens_none_and_one_that_has_ended_is_not_acknowledged() {
    let mut model = model(1);
    let service = alarm("service", None, Kind::Unreachable, NOW, -1.0);
    let ended = Alarm {
        cleared_at: Some(NOW),
        ..new("ended", 0, Kind::Outside)
    };
    read(&mut model, &[ended, service]);
    press(&mut model, KeyCode::Char('A'));
    press(&mut model, KeyCode::Enter);
    assert_eq!(said(&model), "this alarm is about the service");
    press(&mut model, KeyCode::Char('G'));
    assert_eq!(press(&mut model, KeyCode::Char('a')), []);
    assert_eq!(said(&model), "this alarm has ended");
    assert_eq!(press(&mut model, KeyCode::Char('s')), []);
    assert_eq!(model.dialogs.len(), 1);
    press(&mut model, KeyCode::Char('A'));
    assert!(model.dialogs.is_empty());
}

#[test]
fn a_snooze_is_of_the_alarm_that_was_chosen_or_of_none() {
    let mut model = model(2);
    let (first, second) = (
        new("first", 0, Kind::Outside),
        new("second", 1, Kind::Overdue),
    );
    read(&mut model, &[first, second.clone()]);
    press(&mut model, KeyCode::Char('A'));
    type_text(&mut model, "s1h");
    // Another program removes the first one meanwhile.
    read(&mut model, &[second]);
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    assert_eq!(said(&model), "there is no alarm");
}

#[test]
fn the_most_urgent_alarm_stands_for_a_deployment() {
    let mut model = model(1);
    let known = Alarm {
        acknowledged_at: Some(NOW),
        ..new("known", 0, Kind::Outside)
    };
    let late = new("late", 0, Kind::Overdue);
    let gone = Alarm {
        raised_at: NOW - 100.0,
        ..new("gone", 0, Kind::PickedUp)
    };
    read(&mut model, &[known.clone(), late.clone(), gone]);
    let of = |model: &Dashboard| {
        let one = model.deployments.get(uuid(0)).unwrap();
        let (alarm, state) = one.alarm(NOW).unwrap();
        (alarm.id.clone(), state)
    };
    assert_eq!(of(&model), ("gone".to_owned(), AlarmState::Raised));
    read(&mut model, &[known.clone(), late]);
    assert_eq!(of(&model), ("late".to_owned(), AlarmState::Raised));
    read(&mut model, &[known]);
    assert_eq!(of(&model), ("known".to_owned(), AlarmState::Acknowledged));
    assert!(!model.deployments.get(uuid(0)).unwrap().has_raised(NOW));
}

#[test]
fn the_worst_alarm_is_the_first_of_the_list() {
    let mut model = model(3);
    let at = |id, kind, age| alarm(id, Some(uuid(0)), kind, NOW, age);
    let known = Alarm {
        acknowledged_at: Some(NOW - 1.0),
        ..at("known", Kind::Outside, 5.0)
    };
    let ended = Alarm {
        cleared_at: Some(NOW - 1.0),
        ..at("ended", Kind::Outside, 3.0)
    };
    let silent = at("silent", Kind::Overdue, 20.0);
    let loose = at("loose", Kind::PickedUp, 600.0);
    let left = at("left", Kind::Outside, 60.0);
    read(&mut model, &[ended, known, silent, loose, left]);
    let ids: Vec<&str> = model
        .alarms
        .list
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    assert_eq!(ids, ["left", "loose", "silent", "known", "ended"]);
}

#[test]
fn a_message_of_alarms_waits_until_what_an_action_did_has_been_read() {
    let mut model = model(2);
    press(&mut model, KeyCode::Char('u'));
    let answer = said(&model).to_owned();
    assert!(!answer.is_empty());
    let raised = new("new", 0, Kind::Outside);
    // The terminal is told at once.
    assert_eq!(
        announced(&read(&mut model, std::slice::from_ref(&raised))).len(),
        1
    );
    assert_eq!(said(&model), answer);
    // A message that only informs does not take the place of the warning that waits.
    let cleared = Alarm {
        cleared_at: Some(NOW + 1.0),
        ..new("other", 1, Kind::Overdue)
    };
    let stood = new("other", 1, Kind::Overdue);
    read(&mut model, &[raised.clone(), stood]);
    read(&mut model, &[raised, cleared]);
    assert_eq!(said(&model), answer);
    send(&mut model, Event::Now(NOW + 4.0));
    assert!(said(&model).starts_with("A alarms  b"), "{}", said(&model));
    // It is shown as long as one that did not wait.
    send(&mut model, Event::Now(NOW + 23.0));
    assert!(said(&model).starts_with("A alarms  b"), "{}", said(&model));
    send(&mut model, Event::Now(NOW + 24.1));
    assert_eq!(said(&model), "");
}

#[test]
fn an_alarm_is_told_after_twelve_seconds_whatever_else_is_said() {
    let mut model = model(2);
    press(&mut model, KeyCode::Char('u'));
    read(&mut model, &[new("new", 0, Kind::Outside)]);
    // A person who goes on has a message of each action.
    for second in 1..12 {
        send(&mut model, Event::Now(NOW + f64::from(second)));
        press(&mut model, KeyCode::Char('u'));
        assert!(said(&model).starts_with("units"), "{}", said(&model));
    }
    send(&mut model, Event::Now(NOW + 12.0));
    assert!(said(&model).starts_with("A alarms  b"), "{}", said(&model));
}

#[test]
fn an_alarm_waits_for_esc_behind_a_warning_that_stays_until_then() {
    let mut model = model(2);
    let lasting = "the archive is read only";
    send(&mut model, Event::ArchiveLost(lasting.to_owned()));
    read(&mut model, &[new("new", 0, Kind::Outside)]);
    send(&mut model, Event::Now(NOW + 20.0));
    assert_eq!(said(&model), lasting);
    let mut later = model.clone();
    press(&mut model, KeyCode::Esc);
    assert!(said(&model).starts_with("A alarms  b"), "{}", said(&model));
    press(&mut model, KeyCode::Esc);
    assert_eq!(said(&model), "");
    // Much later it is no news.
    send(&mut later, Event::Now(NOW + 30.0));
    press(&mut later, KeyCode::Esc);
    assert_eq!(said(&later), "");
}

#[test]
fn the_first_keys_of_the_demo_are_read_for_twelve_seconds_before_an_alarm() {
    let mut model = model(1);
    model.service.source = TrackSource::Demo;
    send(&mut model, Event::Started);
    let hint = said(&model).to_owned();
    let raised = new("new", 0, Kind::Outside);
    read(&mut model, &[]);
    read(&mut model, std::slice::from_ref(&raised));
    send(&mut model, Event::Now(NOW + 11.0));
    assert_eq!(said(&model), hint);
    let mut later = model.clone();
    send(&mut later, Event::Now(NOW + 13.0));
    assert!(said(&later).starts_with("A alarms  "), "{}", said(&later));
    // A key ends the hint.
    press(&mut model, KeyCode::Down);
    assert!(said(&model).starts_with("A alarms  "), "{}", said(&model));
}

#[test]
fn a_dialog_does_not_repeat_the_message_of_an_alarm() {
    let mut model = model(1);
    read(&mut model, &[]);
    read(&mut model, &[new("new", 0, Kind::Outside)]);
    assert!(said(&model).starts_with("A alarms  "), "{}", said(&model));
    assert!(model.message_of_action().is_none());
    press(&mut model, KeyCode::Char('u'));
    assert!(model.message_of_action().is_some());
}
