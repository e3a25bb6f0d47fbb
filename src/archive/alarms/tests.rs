//! Alarms that are judged when a response is stored, and told once.

mod claims;
mod clock;
mod corrected;
mod retry;
#[cfg(feature = "postgres")]
mod shared;
mod sparse;
mod together;
mod window;

use std::collections::HashSet;

use claims::claim;
use uuid::Uuid;

use crate::alarm::{Alarm, AlarmEvent, AlarmReply, AlarmState, Kind};
use crate::app::alarms::judge::AtHand;
use crate::app::alarms::judge::tests::judge;
use crate::archive::Archive;
use crate::archive::tests::{answer, unchanged};
use crate::failure::refusal::Refusal;
use crate::geo::{Area, Inside};
use crate::testing::track::{Numbers, records};
use crate::track::field::{FieldRows, FieldTable, FieldValue};
use crate::track::{DeclaredState, FieldLimitChange, Platform, Records, Side};
use crate::watch::{Answer, Deployment, Limits};

const UUID: Uuid = Uuid::from_u128(7);
const START: f64 = 1.8e9;
const HOUR: f64 = 3600.0;

fn moored() -> Deployment {
    Deployment {
        label: Some("mooring".to_owned()),
        platform: Platform::Mooring,
        limits: Limits {
            inside: Inside::from_stored("60,5,200"),
            ..Limits::default()
        },
        ..Deployment::new(UUID)
    }
}

/// Hourly fixes, this many metres north of the centre.
fn fixes(metres: &[f64]) -> Vec<Numbers> {
    (0u32..)
        .zip(metres)
        .map(|(hour, north)| {
            (
                START + HOUR * f64::from(hour),
                60.0 + north / 111_320.0,
                5.0,
            )
        })
        .collect()
}

fn received(archive: &mut Archive, metres: &[f64], hours: f64) {
    let answer = answer(&records(fixes(metres)), START + HOUR * hours);
    taken_in(archive, UUID, &answer);
}

/// Stores an answer and holds the deployment to its rules, as intake does.
fn taken_in(archive: &mut Archive, uuid: Uuid, answer: &Answer) {
    archive.ingest(uuid, answer).unwrap();
    judge(archive, uuid, &AtHand::default(), answer.received_at).unwrap();
}

/// Confirms what is stored and holds the deployment to its rules.
fn confirmed(archive: &mut Archive, at: f64) {
    archive.confirm(UUID, &unchanged(at, at)).unwrap();
    judged(archive, at);
}

fn judged(archive: &mut Archive, at: f64) {
    judge(archive, UUID, &AtHand::default(), at).unwrap();
}

/// The kinds of alarms, and whether they have ended.
fn kinds(alarms: &[Alarm]) -> Vec<(Kind, bool)> {
    alarms
        .iter()
        .map(|one| (one.kind, one.cleared_at.is_some()))
        .collect()
}

fn told(archive: &mut Archive, now: f64) -> Vec<(AlarmEvent, String)> {
    let claimed = claim(archive, None, now);
    let numbers: Vec<i64> = claimed.iter().map(|one| one.number).collect();
    archive.notified(&numbers, now).unwrap();
    claimed
        .into_iter()
        .map(|one| (one.event, one.alarm.id))
        .collect()
}

#[test]
fn a_response_that_is_stored_is_judged_once_and_what_follows_is_told_once() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 5.0, 0.0, 0.0], 3.1);
    assert_eq!(archive.alarms().unwrap(), []);
    let left = [0.0, 5.0, 0.0, 0.0, 230.0, 240.0];
    received(&mut archive, &left, 5.1);
    received(&mut archive, &left, 5.2);
    confirmed(&mut archive, START + 5.3 * HOUR);
    let alarms = archive.active_alarms().unwrap();
    assert_eq!(kinds(&alarms), [(Kind::Outside, false)]);
    let alarm = &alarms[0];
    let of = (alarm.uuid(), alarm.label.as_deref());
    assert_eq!(of, (Some(UUID), Some("mooring")));
    assert_eq!(
        (alarm.raised_at, alarm.limit),
        (START + 5.0 * HOUR, Some(200.0))
    );
    assert_eq!(alarm.id.len(), 6);
    let now = START + 5.5 * HOUR;
    let raised = [(AlarmEvent::Raised, alarm.id.clone())];
    assert_eq!(told(&mut archive, now), raised);
    assert_eq!(told(&mut archive, now), []);
    // Back within the band.
    let back = [0.0, 5.0, 0.0, 0.0, 230.0, 240.0, 10.0, 10.0];
    received(&mut archive, &back, 7.1);
    assert_eq!(archive.active_alarms().unwrap(), []);
    assert_eq!(kinds(&archive.alarms().unwrap()), [(Kind::Outside, true)]);
    let cleared = [(AlarmEvent::Cleared, alarm.id.clone())];
    assert_eq!(told(&mut archive, now), cleared);
    // Left once more: a new alarm with an id of its own.
    let again = [0.0, 5.0, 0.0, 0.0, 230.0, 240.0, 10.0, 10.0, 700.0];
    received(&mut archive, &again, 8.1);
    let second = archive.active_alarms().unwrap();
    assert_ne!(second[0].id, alarm.id);
}

#[test]
fn what_is_silent_is_overdue_by_an_answer_that_brings_nothing() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0; 6], 5.1);
    confirmed(&mut archive, START + 7.9 * HOUR);
    assert_eq!(archive.alarms().unwrap(), []);
    for hours in [8.1, 8.2, 12.0] {
        confirmed(&mut archive, START + hours * HOUR);
        let found = kinds(&archive.alarms().unwrap());
        assert_eq!(found, [(Kind::Overdue, false)]);
    }
    // A clock that was set back by a day changes nothing.
    let back = START - 16.0 * HOUR;
    confirmed(&mut archive, back);
    assert_eq!(told(&mut archive, back).len(), 1);
    assert_eq!(told(&mut archive, START + 7.0 * HOUR), []);
    received(&mut archive, &[0.0; 14], 13.1);
    let found = kinds(&archive.alarms().unwrap());
    assert_eq!(found, [(Kind::Overdue, true)]);
    let told = told(&mut archive, START + 13.2 * HOUR);
    assert_eq!(told[0].0, AlarmEvent::Cleared);
}

#[test]
fn what_stands_is_told_once_however_long_before_it_was_seen_it_happened() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 0.0, 230.0, 240.0], 100.0);
    let found = kinds(&archive.alarms().unwrap());
    assert_eq!(found, [(Kind::Overdue, false), (Kind::Outside, false)]);
    assert_eq!(told(&mut archive, START + 101.0 * HOUR).len(), 2);
    confirmed(&mut archive, START + 102.0 * HOUR);
    assert_eq!(told(&mut archive, START + 103.0 * HOUR), []);
}

#[test]
fn an_alarm_ends_with_its_rule_and_with_the_watch() {
    for end in ["recovered", "no circle", "unwatched"] {
        let mut archive = Archive::in_memory().unwrap();
        archive.watch(&moored(), START).unwrap();
        received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 3.1);
        assert_eq!(archive.active_alarms().unwrap().len(), 1);
        let mut entry = moored();
        match end {
            "recovered" => entry.state = DeclaredState::Recovered,
            "no circle" => entry.limits.inside = None,
            _ => assert!(archive.unwatch(UUID).unwrap()),
        }
        if end != "unwatched" {
            let now = START + 4.0 * HOUR;
            archive.change(Some(&moored()), &entry, true, now).unwrap();
        }
        assert_eq!(archive.active_alarms().unwrap(), [], "{end}");
        received(&mut archive, &[0.0, 0.0, 230.0, 240.0, 700.0], 4.1);
        assert_eq!(archive.alarms().unwrap().len(), 1, "{end}");
    }
}

#[test]
fn a_deployment_of_the_settings_is_judged_and_one_that_is_not_watched_is_not() {
    let mut archive = Archive::in_memory().unwrap();
    received(&mut archive, &[0.0; 4], 12.0);
    assert_eq!(archive.alarms().unwrap(), []);
    archive.watch_also(vec![moored()]);
    confirmed(&mut archive, START + 12.1 * HOUR);
    let alarms = archive.alarms().unwrap();
    assert_eq!(kinds(&alarms), [(Kind::Overdue, false)]);
    assert_eq!(alarms[0].label.as_deref(), Some("mooring"));
}

/// Records with the voltage of a battery, hourly.
fn with_battery(volts: &[Option<f64>]) -> Records {
    let mut table = FieldTable::default();
    for (row, volts) in (0..).zip(volts) {
        table.begin();
        if let Some(volts) = volts {
            let value = FieldValue::Number(*volts);
            table.add(row, "battery", value, |_| true).unwrap();
        }
    }
    Records {
        fields: FieldRows::new(table),
        ..records(fixes(&vec![0.0; volts.len()]))
    }
}

#[test]
fn limits_of_fields_are_judged_by_the_stored_fields_each_on_its_own() {
    let mut archive = Archive::in_memory().unwrap();
    let mut entry = Deployment::new(UUID);
    for (side, typed) in [(Side::Below, "battery=11.5 V"), (Side::Above, "battery=14")] {
        let change = FieldLimitChange::parse(side, typed).unwrap();
        change.apply(&mut entry.limits.fields);
    }
    archive.watch(&entry, START).unwrap();
    let store = |archive: &mut Archive, volts: &[Option<f64>]| {
        let hours = f64::from(u32::try_from(volts.len()).unwrap());
        let answer = answer(&with_battery(volts), START + HOUR * hours);
        taken_in(archive, UUID, &answer);
    };
    let mut volts = vec![Some(12.0), Some(11.4), None, Some(11.6)];
    store(&mut archive, &volts);
    assert_eq!(archive.alarms().unwrap(), []);
    // A fix without the field is passed over.
    volts.extend([Some(11.4), None, Some(11.2)]);
    store(&mut archive, &volts);
    let alarms = archive.active_alarms().unwrap();
    assert_eq!(kinds(&alarms), [(Kind::Below, false)]);
    assert_eq!(alarms[0].text, "battery 11.2 V, below the limit 11.5 V");
    assert_eq!((alarms[0].value, alarms[0].limit), (Some(11.2), Some(11.5)));
    assert_eq!(alarms[0].fix_time, Some(START + 6.0 * HOUR));
    // 11.7 V is over the limit, and not by 2 %; then it is too high.
    volts.extend([Some(11.7), Some(11.7), Some(14.1), Some(14.2)]);
    store(&mut archive, &volts);
    let mut all = kinds(&archive.alarms().unwrap());
    all.sort_by_key(|(kind, _)| kind.name());
    assert_eq!(all, [(Kind::Above, false), (Kind::Below, true)]);
    // What the service confirms is judged by what is stored; another limit, too.
    confirmed(&mut archive, START + 12.0 * HOUR);
    assert_eq!(archive.alarms().unwrap().len(), 2);
    let change = FieldLimitChange::parse(Side::Above, "battery=15").unwrap();
    change.apply(&mut entry.limits.fields);
    archive.watch(&entry, START + 12.0 * HOUR).unwrap();
    confirmed(&mut archive, START + 12.1 * HOUR);
    assert_eq!(archive.active_alarms().unwrap(), []);
    // Without its limit an alarm ends.
    volts.extend([Some(9.0), Some(9.0)]);
    store(&mut archive, &volts);
    assert_eq!(archive.active_alarms().unwrap().len(), 1);
    FieldLimitChange::ClearAll(Side::Below).apply(&mut entry.limits.fields);
    archive.watch(&entry, START + 14.0 * HOUR).unwrap();
    assert_eq!(archive.active_alarms().unwrap(), []);
    assert_eq!(archive.watched().unwrap(), [entry]);
}

#[test]
fn an_area_is_judged_as_outside() {
    let mut archive = Archive::in_memory().unwrap();
    let mut entry = moored();
    // Some 1.1 km by 0.6 km about the mooring, with the cut of a hole in the north.
    let area = r#"{"type":"Polygon","coordinates":[
        [[4.99,59.995],[5.01,59.995],[5.01,60.005],[4.99,60.005]],
        [[4.999,60.003],[5.001,60.003],[5.001,60.004],[4.999,60.004]]]}"#;
    let area = Area::from_geojson(area.as_bytes(), None, Some("bay")).unwrap();
    entry.limits.inside = Some(Inside::Area(area));
    archive.watch(&entry, START).unwrap();
    // The edge is 557 m north, the hole 334 to 445 m.
    received(&mut archive, &[0.0, 300.0, 550.0, 700.0, 500.0], 4.1);
    assert_eq!(archive.alarms().unwrap(), []);
    received(
        &mut archive,
        &[0.0, 300.0, 550.0, 700.0, 500.0, 600.0, 620.0],
        6.1,
    );
    let alarms = archive.active_alarms().unwrap();
    assert_eq!(kinds(&alarms), [(Kind::Outside, false)]);
    assert!(
        alarms[0].text.starts_with("outside its area bay: 6"),
        "{}",
        alarms[0].text
    );
    assert_eq!(alarms[0].limit, Some(0.0));
    let back = [
        0.0, 300.0, 550.0, 700.0, 500.0, 600.0, 620.0, 400.0, 550.0, 200.0, 100.0,
    ];
    received(&mut archive, &back[..10], 9.1);
    assert_eq!(archive.active_alarms().unwrap().len(), 1);
    received(&mut archive, &back, 10.1);
    assert_eq!(archive.active_alarms().unwrap(), []);
    assert_eq!(archive.watched().unwrap(), [entry]);
}

#[test]
fn a_service_that_cannot_be_reached_is_one_alarm_until_it_answers() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    let service = "http://127.0.0.1:1";
    let unreached = |archive: &mut Archive, uuid, at| {
        archive
            .unreached(service, "refused", uuid, at, Refusal::Unreached, at)
            .unwrap();
        archive.active_alarms().unwrap().len()
    };
    // Of one that is not watched nothing is known.
    assert_eq!(unreached(&mut archive, Uuid::nil(), START), 0);
    assert_eq!(unreached(&mut archive, moored().id.uuid, START), 1);
    assert_eq!(unreached(&mut archive, moored().id.uuid, START + 60.0), 1);
    received(&mut archive, &[0.0; 2], 1.1);
    assert_eq!(archive.active_alarms().unwrap(), []);
    // Those that fail while another is answered fail alone, until no other is left.
    let others = [77, 78].map(Uuid::from_u128);
    for other in others {
        archive.watch(&Deployment::new(other), START).unwrap();
    }
    assert_eq!(unreached(&mut archive, others[0], START + 80.0), 0);
    received(&mut archive, &[0.0; 3], 2.1);
    assert_eq!(unreached(&mut archive, others[1], START + 90.0), 0);
    received(&mut archive, &[0.0; 4], 3.1);
    for at in [100.0, 130.0, 160.0] {
        assert_eq!(unreached(&mut archive, others[0], START + at), 0);
        assert_eq!(unreached(&mut archive, others[1], START + at), 0);
    }
    assert_eq!(unreached(&mut archive, moored().id.uuid, START + 170.0), 1);
    let alarms = archive.active_alarms().unwrap();
    assert_eq!(kinds(&alarms), [(Kind::Unreachable, false)]);
    assert_eq!(alarms[0].deployment, None);
    received(&mut archive, &[0.0; 5], 4.1);
    assert_eq!(archive.active_alarms().unwrap(), []);
    let told = told(&mut archive, START);
    let events: Vec<AlarmEvent> = told.into_iter().map(|(event, _)| event).collect();
    let once = [AlarmEvent::Raised, AlarmEvent::Cleared];
    assert_eq!(events, [once, once].concat());
}

#[test]
fn a_user_acknowledges_or_snoozes_and_is_reminded_else() {
    const DAY: f64 = 24.0 * HOUR;
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 230.0, 240.0], 3.1);
    let id = archive.active_alarms().unwrap()[0].id.clone();
    let now = START + 4.0 * HOUR;
    assert_eq!(told(&mut archive, now).len(), 1);
    assert_eq!(told(&mut archive, now + 23.0 * HOUR), []);
    let day = now + DAY;
    let reminder = [(AlarmEvent::Reminder, id.clone())];
    assert_eq!(told(&mut archive, day), reminder);
    assert_eq!(told(&mut archive, day), []);
    let mut reply = |id: &str, reply| archive.reply(id, reply, day).unwrap();
    assert_eq!(reply("none", AlarmReply::SnoozedUntil(day)), []);
    let until = day + 9.0 * DAY;
    assert_eq!(reply(&id, AlarmReply::SnoozedUntil(until)).len(), 1);
    let state = |archive: &Archive| archive.active_alarms().unwrap()[0].state(day);
    assert_eq!(state(&archive), AlarmState::Snoozed);
    assert_eq!(told(&mut archive, day + 8.0 * DAY), []);
    assert_eq!(told(&mut archive, until).len(), 1);
    let known = archive.reply(&id, AlarmReply::Acknowledged, day);
    assert_eq!(known.unwrap().len(), 1);
    assert_eq!(state(&archive), AlarmState::Acknowledged);
    assert_eq!(told(&mut archive, day + 90.0 * DAY), []);
    assert!(archive.check().unwrap().is_empty());
    archive
        .connection
        .execute("UPDATE alarm SET kind = 'x'", ())
        .unwrap();
    assert_eq!(archive.alarms().unwrap(), []);
}

#[test]
fn what_ended_longer_than_a_day_before_it_was_seen_is_recorded_and_not_told() {
    let away = [0.0, 0.0, 0.0, 240.0, 250.0, 240.0];
    let back = [&away[..], &[0.0, 0.0]].concat();
    let outside = |told: &[(AlarmEvent, String)], archive: &Archive| {
        let alarms = archive.alarms().unwrap();
        let is_outside = |id: &String| {
            alarms
                .iter()
                .any(|one| one.kind == Kind::Outside && one.id == *id)
        };
        told.iter().filter(|(_, id)| is_outside(id)).count()
    };
    // In the first answer, and after one that was stored long before.
    let later = 5.0 * 24.0;
    for first in [0, 3] {
        let mut archive = Archive::in_memory().unwrap();
        archive.watch(&moored(), START).unwrap();
        if first > 0 {
            received(&mut archive, &back[..first], 2.1);
        }
        received(&mut archive, &back, later);
        let told = told(&mut archive, START + later * HOUR);
        assert_eq!(outside(&told, &archive), 0);
        let of = (archive.alarms().unwrap().into_iter()).filter(|one| one.kind == Kind::Outside);
        assert_eq!(of.count(), 1);
    }
    // Within a day it is told.
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &away[..3], 2.1);
    received(&mut archive, &away, 5.1);
    let told_at_once = told(&mut archive, START + 5.1 * HOUR);
    assert_eq!(outside(&told_at_once, &archive), 1);
}

#[test]
fn a_circle_that_moves_ends_the_alarm_that_stands_and_what_was_said_of_it() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0, 0.0, 240.0, 250.0], 3.1);
    let before = archive.active_alarms().unwrap().remove(0);
    let reply = AlarmReply::Acknowledged;
    archive.reply(&before.id, reply, START).unwrap();
    let mut entry = moored();
    entry.limits.inside = Inside::from_stored("60,5,100");
    archive.watch(&entry, START).unwrap();
    received(&mut archive, &[0.0, 0.0, 240.0, 250.0], 3.2);
    let standing = archive.active_alarms().unwrap();
    let after = &standing[0];
    assert_ne!(after.id, before.id);
    assert_eq!((after.limit, after.acknowledged_at), (Some(100.0), None));
    assert_eq!(after.raised_at, START + 3.2 * HOUR);
    assert!(after.text.contains("100 m"), "{}", after.text);
    let all = archive.alarms().unwrap();
    let ended = all.iter().find(|alarm| alarm.id == before.id).unwrap();
    assert_eq!(ended.ended.as_deref(), Some("its limit is another now"));
    // And so it stays.
    received(&mut archive, &[0.0, 0.0, 240.0, 250.0], 3.3);
    assert_eq!(archive.active_alarms().unwrap(), standing);
}

#[test]
fn what_was_said_of_an_alarm_is_taken_back_unless_it_has_changed_since() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    let left = [0.0, 5.0, 0.0, 0.0, 230.0, 240.0];
    received(&mut archive, &left, 5.1);
    let now = START + 6.0 * HOUR;
    let before = archive.active_alarms().unwrap().remove(0);
    archive
        .reply(&before.id, AlarmReply::Acknowledged, now)
        .unwrap();
    let after = archive.active_alarms().unwrap().remove(0);
    assert_eq!(after.state(now), AlarmState::Acknowledged);
    assert!(archive.undo_reply(&before, &after).unwrap());
    assert_eq!(archive.active_alarms().unwrap().remove(0), before);
    // Done once; and not where another has said something else since.
    assert!(!archive.undo_reply(&before, &after).unwrap());
    archive
        .reply(&before.id, AlarmReply::Acknowledged, now)
        .unwrap();
    archive
        .reply(&before.id, AlarmReply::SnoozedUntil(now + HOUR), now)
        .unwrap();
    assert!(!archive.undo_reply(&before, &after).unwrap());
    // Nor where it has ended: that is found among the recent ones.
    let snoozed = archive.active_alarms().unwrap().remove(0);
    received(&mut archive, &[&left[..], &[0.0, 0.0]].concat(), 7.1);
    assert!(!archive.undo_reply(&before, &snoozed).unwrap());
    assert_eq!(archive.recent_alarms(now).unwrap().len(), 1);
    assert_eq!(archive.recent_alarms(now + 9.0 * HOUR).unwrap(), []);
}

#[test]
fn a_limit_that_is_set_is_judged_without_a_new_response() {
    let mut archive = Archive::in_memory().unwrap();
    let mut entry = moored();
    entry.limits.inside = None;
    archive.watch(&entry, START).unwrap();
    // Nothing is stored yet.
    judged(&mut archive, START);
    received(&mut archive, &[0.0, 5.0, 0.0, 0.0, 230.0, 240.0], 5.1);
    assert_eq!(archive.alarms().unwrap(), []);
    archive.watch(&moored(), START).unwrap();
    judged(&mut archive, START + 5.2 * HOUR);
    assert_eq!(kinds(&archive.alarms().unwrap()), [(Kind::Outside, false)]);
    archive.watch(&entry, START).unwrap();
    judged(&mut archive, START + 5.3 * HOUR);
    assert_eq!(kinds(&archive.alarms().unwrap()), [(Kind::Outside, true)]);
}
