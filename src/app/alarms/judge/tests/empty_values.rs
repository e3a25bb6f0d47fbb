//! Empty values of a field with a limit, between those that are numbers.

use super::*;
use crate::track::field::{FieldRows, FieldTable, FieldValue};
use crate::track::{FieldLimitChange, Records, Side, Transmission};

/// Takes in and judges an answer with hourly fixes up to this hour, each with the value of the
/// battery that `value` gives its hour.
pub(super) fn hourly(
    archive: &mut Archive,
    hours: u32,
    value: impl Fn(u32) -> FieldValue<'static>,
) {
    let now = START + f64::from(hours) * HOUR + 60.0;
    let (mut transmissions, mut table) = (Vec::new(), FieldTable::default());
    for row in 0..=hours {
        let at = START + f64::from(row) * HOUR;
        transmissions.push(Transmission::new(at, 60.0, 5.0).unwrap());
        table.begin();
        table.add(row, "battery", value(row), |_| true).unwrap();
    }
    let records = Records {
        transmissions: transmissions.into(),
        fields: FieldRows::new(table),
        ..Records::default()
    };
    let answer = Answer {
        records: Arc::new(records),
        ..Answer::new(200, "https://service.example", now)
    };
    archive.ingest(UUID, &answer).unwrap();
    judge(archive, UUID, &AtHand::default(), now).unwrap();
}

/// A field that only each tenth record has a number of, the others being null or empty.
#[test]
fn empty_values_between_numbers_that_come_as_usual_are_no_doubt_until_the_numbers_stay_away() {
    for empty in [FieldValue::Null, FieldValue::Text("")] {
        let mut entry = entry(Platform::Mooring);
        let change = FieldLimitChange::parse(Side::Below, "battery=11 V").unwrap();
        change.apply(&mut entry.limits.fields);
        let mut archive = watching(&entry, START);
        let mut raised = Vec::new();
        for hours in 40..=120 {
            hourly(&mut archive, hours, |row| {
                if row % 10 == 0 && row <= 80 {
                    FieldValue::Number(12.0)
                } else {
                    empty
                }
            });
            let mut standing = standing(&archive).into_iter();
            raised.extend((standing.any(|(kind, _)| kind == Kind::Unjudged)).then_some(hours));
        }
        // The numbers of hours 90, 100 and 110 are missing.
        let first = raised.first().copied();
        assert!(
            first.is_some_and(|hours| (100..=120).contains(&hours)),
            "{empty:?}: {raised:?}"
        );
    }
}
