//! A field that is sent much less often than fixes is judged as any other.

use super::*;

#[test]
fn a_field_that_is_sent_every_two_weeks_is_judged_by_two_values_in_a_row() {
    // A fix an hour; more of them between two values than are read by themselves.
    const BETWEEN: usize = 14 * 24;
    let mut archive = Archive::in_memory().unwrap();
    let mut entry = Deployment::new(UUID);
    let limit = FieldLimitChange::parse(Side::Below, "battery=11.5 V").unwrap();
    limit.apply(&mut entry.limits.fields);
    archive.watch(&entry, START).unwrap();
    let mut volts = Vec::new();
    let mut found = Vec::new();
    for value in [12.0, 11.2, 11.1, 11.0, 12.1, 12.2, 12.0, 11.4] {
        volts.push(Some(value));
        volts.extend([None; BETWEEN - 1]);
        // The value itself comes in a response of its own.
        for count in [volts.len() + 1 - BETWEEN, volts.len()] {
            let hours = f64::from(u32::try_from(count).unwrap());
            let answer = answer(&with_battery(&volts[..count]), START + HOUR * hours);
            taken_in(&mut archive, UUID, &answer);
        }
        found.push(kinds(&archive.active_alarms().unwrap()));
    }
    let stands = vec![(Kind::Below, false)];
    let none = Vec::new();
    // Two values below it, and two above it by 2 %.
    let expected = [&none, &none, &stands, &stands, &stands, &none, &none, &none];
    assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    let all = archive.alarms().unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].text, "battery 11.1 V, below the limit 11.5 V");
}
