//! Two instruments under one id, or a receiver that fails again and again: that the circle is not
//! judged is told within hours.

use super::*;

#[test]
fn where_every_second_or_third_fix_is_far_off_it_is_told_soon() {
    let chance = Chance::new("torn");
    for round in 0..rounds(24, 300) {
        let interval_s = [600.0, HOUR, 3.0 * HOUR][chance.below(3)];
        // Farther than a mooring goes in an interval, at 3 m/s.
        let far_m = [3.0, 10.0, 100.0][chance.below(3)] * 3.0 * interval_s;
        let every = 2 + u32::try_from(chance.below(2)).unwrap();
        let torn_from = 30;
        let entry = entry(Platform::Mooring);
        let mut archive = watching(&entry, START - DAY);
        let mut fixes: Vec<Numbers> = Vec::new();
        let mut first = None;
        for index in 0..torn_from + 60 {
            let is_far = index >= torn_from && index % every == 0;
            let near_m = f64::from(index * 7919 % 13);
            let north_m = if is_far { far_m } else { near_m };
            let hour = f64::from(index) * interval_s / HOUR;
            fixes.push(at(hour, north_m));
            let now = START + hour * HOUR + 60.0;
            take_in(&mut archive, &fixes, now);
            if first.is_none() && !standing(&archive).is_empty() {
                first = Some(index);
            }
        }
        let about = format!("round {round}: T {interval_s}, {far_m} m, each {every}");
        assert!(
            first.is_some_and(|first| first <= torn_from + 14),
            "{about}"
        );
        assert!(!standing(&archive).is_empty(), "{about}");
    }
}
