//! While the archive cannot be written, each round of another program judges what comes on what
//! the archive has: an alarm is the same one in each round, and that which is raised when the
//! archive can be written again.

use super::*;
use crate::testing::fields::with_fields;
use crate::track::{FieldLimitChange, Side};

/// The answer with the fixes of these hours, in which the battery is low from an hour on.
fn answer(hours: std::ops::RangeInclusive<u32>, low_from: u32) -> Answer {
    let low = |record: usize| {
        hours
            .clone()
            .nth(record)
            .is_some_and(|hour| hour >= low_from)
    };
    let fixes = hours.clone().map(|hour| at(f64::from(hour), 0.0));
    let volts = |_: usize, record: usize| Some(if low(record) { 10.0 } else { 12.0 });
    let records = with_fields(fixes, &["battery".to_owned()], volts);
    let received_at = START + f64::from(*hours.end()) * HOUR + 60.0;
    Answer {
        records: Arc::new(records),
        ..Answer::new(200, "https://service.example", received_at)
    }
}

#[test]
fn an_alarm_that_cannot_be_stored_is_the_same_in_each_round() {
    let chance = Chance::new("taken over");
    for round in 0..rounds(20, 600) {
        let mut entry = entry(Platform::Mooring);
        let change = FieldLimitChange::parse(Side::Below, "battery=11 V").unwrap();
        change.apply(&mut entry.limits.fields);
        let stored = 30 + u32::try_from(chance.below(20)).unwrap();
        let window = [10, 30, 100][chance.below(3)];
        // In every second service all values of the answer change, those that are stored, too.
        let low_from = [0, stored + u32::try_from(chance.below(3)).unwrap()][chance.below(2)];
        let mut archive = watching(&entry, START);
        let judged = |archive: &mut Archive, answer: &Answer| {
            archive.ingest(UUID, answer).unwrap();
            judge(archive, UUID, &AtHand::default(), answer.received_at).unwrap();
        };
        judged(&mut archive, &answer(0..=stored, u32::MAX));
        let ids = |archive: &Archive| -> Vec<String> {
            let all = archive.active_alarms().unwrap().into_iter();
            all.map(|alarm| alarm.id).collect()
        };
        let mut seen: Vec<String> = Vec::new();
        for hour in stored + 1..stored + 9 {
            let new = answer(hour.saturating_sub(window)..=hour, low_from);
            let mut held = Archive::in_memory().unwrap();
            held.watch_also(vec![entry.clone()]);
            let known = archive.to_take_over(UUID).unwrap().unwrap();
            held.take_over(&UUID.into(), known, "https://service.example")
                .unwrap();
            judged(&mut held, &new);
            let ids = ids(&held);
            assert!(
                seen.is_empty() || ids == seen,
                "round {round}: {ids:?}, {seen:?}"
            );
            seen = ids;
        }
        assert_eq!(seen.len(), 1, "round {round}");
        if low_from > 0 {
            let hour = stored + 9;
            judged(
                &mut archive,
                &answer(hour.saturating_sub(window)..=hour, low_from),
            );
            assert_eq!(ids(&archive), seen, "round {round}");
        }
    }
}
