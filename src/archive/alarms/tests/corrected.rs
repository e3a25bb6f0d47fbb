//! Fixes that the service corrects after they were judged.

use super::*;

/// The texts of the alarms that stand, and the number of all that ever were.
fn standing(archive: &Archive) -> (Vec<Kind>, usize) {
    let stand = archive.active_alarms().unwrap();
    let all = archive.alarms().unwrap().len();
    (stand.iter().map(|one| one.kind).collect(), all)
}

fn events(archive: &mut Archive, hours: f64) -> Vec<AlarmEvent> {
    let told = told(archive, START + HOUR * hours);
    told.into_iter().map(|(event, _)| event).collect()
}

#[test]
fn a_position_that_the_service_corrects_raises_and_ends_as_a_new_one_does() {
    let home = [0.0; 12];
    let last_four: Vec<f64> = (0..12)
        .map(|place| f64::from(u8::from(place >= 8)) * 900.0)
        .collect();
    for away in [&[111_000.0; 12][..], &last_four] {
        let north = away[11];
        let is_of = |alarm: &Alarm, north: f64| (alarm.value.unwrap() / north - 1.0).abs() < 0.01;
        let mut archive = Archive::in_memory().unwrap();
        archive.watch(&moored(), START).unwrap();
        received(&mut archive, &home, 11.1);
        assert_eq!(standing(&archive), (vec![], 0));
        received(&mut archive, away, 11.2);
        assert_eq!(standing(&archive), (vec![Kind::Outside], 1));
        let raised = archive.active_alarms().unwrap().remove(0);
        assert!(is_of(&raised, north), "{raised:?}");
        assert_eq!(events(&mut archive, 11.2), [AlarmEvent::Raised]);
        // The same once more, confirmed, and with a later fix: one alarm, told once.
        received(&mut archive, away, 11.3);
        confirmed(&mut archive, START + 11.4 * HOUR);
        received(&mut archive, &[away, &[north]].concat(), 12.1);
        assert_eq!(standing(&archive), (vec![Kind::Outside], 1));
        assert_eq!(events(&mut archive, 12.1), []);
        // Another correction that leaves it outside.
        let nearer: Vec<f64> = away.iter().map(|north| north / 2.0).collect();
        received(&mut archive, &[&nearer[..], &[north / 2.0]].concat(), 12.2);
        assert_eq!(standing(&archive), (vec![Kind::Outside], 1));
        let same = archive.active_alarms().unwrap().remove(0);
        assert!(is_of(&same, north / 2.0), "{same:?}");
        assert_eq!(same.id, raised.id);
        assert_eq!(events(&mut archive, 12.2), []);
        // The first positions count again.
        received(&mut archive, &[0.0; 13], 12.3);
        assert_eq!(standing(&archive), (vec![], 1));
        let ended = archive.alarms().unwrap().remove(0);
        let why = "the fixes as they are now do not raise it";
        assert_eq!(ended.ended.as_deref(), Some(why));
        assert_eq!(ended.cleared_at, Some(START + 12.3 * HOUR));
        assert_eq!(events(&mut archive, 12.3), [AlarmEvent::Cleared]);
        received(&mut archive, &[0.0; 14], 13.1);
        assert_eq!(standing(&archive), (vec![], 1));
        assert_eq!(events(&mut archive, 13.1), []);
        // Outside once more: a new alarm.
        received(&mut archive, &[&[0.0; 12][..], &[900.0; 2]].concat(), 13.2);
        assert_eq!(standing(&archive), (vec![Kind::Outside], 2));
        assert_eq!(events(&mut archive, 13.2), [AlarmEvent::Raised]);
    }
}

#[test]
fn what_a_correction_leaves_as_it_was_is_not_told_again() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    // It left and came back, and left.
    let first = [0.0, 0.0, 230.0, 240.0, 0.0, 0.0, 0.0, 0.0, 230.0, 240.0];
    received(&mut archive, &first[..6], 5.1);
    received(&mut archive, &first, 9.1);
    assert_eq!(standing(&archive), (vec![Kind::Outside], 2));
    assert_eq!(events(&mut archive, 9.1).len(), 3);
    let before = archive.alarms().unwrap();
    // Another position within the circle, and another outside of it.
    let mut corrected = first;
    (corrected[1], corrected[3]) = (5.0, 250.0);
    received(&mut archive, &corrected, 9.2);
    assert_eq!(archive.alarms().unwrap(), before);
    assert_eq!(events(&mut archive, 9.2), []);
    // It had left between, too: the alarm that stands goes on standing.
    corrected[6] = 700.0;
    received(&mut archive, &corrected, 9.3);
    assert_eq!(standing(&archive), (vec![Kind::Outside], 2));
    assert_eq!(events(&mut archive, 9.3), []);
    // A correction of the first two, and fixes inside that come with it, end it.
    (corrected[0], corrected[1], corrected[6]) = (2.0, 2.0, 0.0);
    received(&mut archive, &[&corrected[..], &[0.0, 0.0]].concat(), 11.1);
    assert_eq!(standing(&archive), (vec![], 2));
    let ended = archive.alarms().unwrap();
    assert_eq!(ended[0].cleared_at, Some(START + 11.0 * HOUR));
    assert_eq!(events(&mut archive, 11.1), [AlarmEvent::Cleared]);
}

#[test]
fn an_excursion_of_the_past_that_a_correction_brings_is_told_once() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    received(&mut archive, &[0.0; 10], 9.1);
    let mut corrected = [0.0; 10];
    (corrected[3], corrected[4]) = (230.0, 240.0);
    for hours in [9.2, 9.3] {
        received(&mut archive, &corrected, hours);
        assert_eq!(standing(&archive), (vec![], 1));
    }
    let once = [AlarmEvent::Raised, AlarmEvent::Cleared];
    assert_eq!(events(&mut archive, 9.3), once);
    // Another correction of it: the same excursion.
    corrected[2] = 235.0;
    received(&mut archive, &corrected, 9.4);
    assert_eq!(standing(&archive), (vec![], 1));
    assert_eq!(events(&mut archive, 9.4), []);
}

#[test]
fn an_excursion_that_comes_late_is_told_once_as_one_that_came_in_time() {
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&moored(), START).unwrap();
    let all = fixes(&[0.0, 0.0, 0.0, 700.0, 700.0, 0.0, 0.0, 0.0]);
    let early: Vec<Numbers> = [0, 1, 2, 5, 6, 7].map(|place| all[place]).to_vec();
    for (sent, hours, count) in [(early, 7.1, 0), (all.clone(), 7.2, 1), (all, 7.3, 1)] {
        let answer = answer(&records(sent), START + HOUR * hours);
        taken_in(&mut archive, UUID, &answer);
        assert_eq!(standing(&archive), (vec![], count));
    }
    let once = [AlarmEvent::Raised, AlarmEvent::Cleared];
    assert_eq!(events(&mut archive, 7.3), once);
}

#[test]
fn a_value_of_a_field_that_the_service_corrects_or_sends_later_is_judged() {
    let mut archive = Archive::in_memory().unwrap();
    let mut entry = Deployment::new(UUID);
    let limit = FieldLimitChange::parse(Side::Below, "battery=11.5 V").unwrap();
    limit.apply(&mut entry.limits.fields);
    archive.watch(&entry, START).unwrap();
    let store = |archive: &mut Archive, volts: &[Option<f64>], hours: f64| {
        let answer = answer(&with_battery(volts), START + HOUR * hours);
        taken_in(archive, UUID, &answer);
        standing(archive)
    };
    let good = [Some(12.0); 6];
    assert_eq!(store(&mut archive, &good, 5.1), (vec![], 0));
    let mut low = good;
    (low[3], low[4], low[5]) = (Some(11.0), Some(10.9), Some(10.8));
    assert_eq!(store(&mut archive, &low, 5.2), (vec![Kind::Below], 1));
    assert_eq!(events(&mut archive, 5.2), [AlarmEvent::Raised]);
    assert_eq!(store(&mut archive, &low, 5.3), (vec![Kind::Below], 1));
    assert_eq!(store(&mut archive, &good, 5.4), (vec![], 1));
    assert_eq!(events(&mut archive, 5.4), [AlarmEvent::Cleared]);
    // Values that the first answers did not have.
    let mut archive = Archive::in_memory().unwrap();
    archive.watch(&entry, START).unwrap();
    let none = [Some(12.0), Some(12.0), None, None, None];
    assert_eq!(store(&mut archive, &none, 4.1), (vec![], 0));
    assert_eq!(store(&mut archive, &low[..5], 4.2), (vec![Kind::Below], 1));
    assert_eq!(events(&mut archive, 4.2), [AlarmEvent::Raised]);
}
