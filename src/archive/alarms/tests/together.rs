//! Alarms that are told in one message are acknowledged and snoozed by its id.

use super::*;

/// The id of the message.
const MESSAGE: &str = "mfirst";
const NOW: f64 = START + 9.5 * HOUR;

/// Four moorings that are overdue, told in one message; returns their ids.
fn told_as_one(archive: &mut Archive) -> Vec<String> {
    for number in 0..4 {
        let uuid = Uuid::from_u128(number);
        let entry = Deployment {
            id: uuid.into(),
            ..moored()
        };
        archive.watch(&entry, START).unwrap();
        let answer = answer(&records(fixes(&[0.0; 6])), START + 9.0 * HOUR);
        taken_in(archive, uuid, &answer);
    }
    let claimed = claim(archive, None, NOW);
    let numbers: Vec<i64> = claimed.iter().map(|one| one.number).collect();
    let ids: Vec<String> = claimed.into_iter().map(|one| one.alarm.id).collect();
    for _ in 0..2 {
        // Also where it is told once more.
        archive.notified_together(MESSAGE, &numbers, NOW).unwrap();
    }
    archive.notified(&numbers, NOW).unwrap();
    ids
}

fn all_of(alarms: &[Alarm]) -> HashSet<String> {
    alarms.iter().map(|one| one.id.clone()).collect()
}

#[test]
fn the_id_of_a_message_of_many_alarms_acknowledges_all_of_them() {
    acknowledges_all(Archive::in_memory().unwrap());
}

#[cfg(feature = "postgres")]
#[test]
fn on_a_server_the_id_of_a_message_acknowledges_all_of_its_alarms() {
    needs!("postgres");
    use crate::archive::BUSY;
    use crate::testing::database::{SERVER, new_database};
    use crate::testing::postgres::place;
    let place = place(&SERVER.url(&new_database(), true));
    acknowledges_all(Archive::open_at(&place, BUSY).unwrap());
}

fn acknowledges_all(mut archive: Archive) {
    let ids = told_as_one(&mut archive);
    // The id of each of them is of that alone.
    let before = archive
        .reply(&ids[2], AlarmReply::Acknowledged, NOW)
        .unwrap();
    assert_eq!(all_of(&before), HashSet::from([ids[2].clone()]));
    let before = archive
        .reply(MESSAGE, AlarmReply::Acknowledged, NOW + 1.0)
        .unwrap();
    assert_eq!(before.len(), 4);
    assert_eq!(all_of(&before), ids.iter().cloned().collect());
    let known = before.iter().filter(|one| one.acknowledged_at.is_some());
    assert_eq!(known.count(), 1);
    let after = archive.active_alarms().unwrap();
    let state = |one: &Alarm| one.state(NOW + 2.0);
    assert!(
        after
            .iter()
            .all(|one| state(one) == AlarmState::Acknowledged)
    );
    assert_eq!(told(&mut archive, NOW + 30.0 * HOUR), []);
    assert_eq!(
        archive
            .reply("none", AlarmReply::Acknowledged, NOW)
            .unwrap(),
        []
    );
    // The end of a window is in the text of each, and ends all.
    for number in 0..4 {
        let mut entry = Deployment {
            id: Uuid::from_u128(number).into(),
            ..moored()
        };
        entry.window.until = Some(NOW);
        archive.watch(&entry, NOW + 60.0).unwrap();
    }
    let ended = archive.alarms().unwrap();
    assert!(ended.iter().all(|one| one.cleared_at.is_some()));
    let why = |one: &Alarm| one.ended.clone().unwrap_or_default();
    let is_by_window = |one: &Alarm| why(one).starts_with("its time window ended ");
    assert!(ended.iter().all(is_by_window), "{ended:#?}");
}

#[test]
fn the_id_of_a_message_of_many_alarms_snoozes_those_that_nobody_knows_of() {
    let mut archive = Archive::in_memory().unwrap();
    let ids = told_as_one(&mut archive);
    archive
        .reply(&ids[1], AlarmReply::Acknowledged, NOW)
        .unwrap();
    let until = NOW + 48.0 * HOUR;
    let before = archive
        .reply(MESSAGE, AlarmReply::SnoozedUntil(until), NOW)
        .unwrap();
    assert_eq!(before.len(), 4);
    for one in archive.active_alarms().unwrap() {
        let expected = if one.id == ids[1] {
            (AlarmState::Acknowledged, None)
        } else {
            (AlarmState::Snoozed, Some(until))
        };
        assert_eq!((one.state(NOW), one.snoozed_until), expected);
    }
}
