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

#[test]
fn what_is_carried_off_faster_than_its_limit_never_stands_without_an_alarm() {
    let mut entry = entry(Platform::Generic);
    entry.limits.inside = Inside::from_stored("60,5,5000");
    let mut archive = watching(&entry, START);
    // At 70 km/h, over the 60 km/h of its platform: every fix fails until it is so far from the
    // others that none of them is held against it.
    let fix = |hour: u32| {
        at(
            f64::from(hour),
            70_000.0 * f64::from(hour.saturating_sub(30)),
        )
    };
    let mut told = None;
    for hour in 20..56 {
        let fixes: Vec<Numbers> = (0..=hour).map(fix).collect();
        let now = START + HOUR * f64::from(hour) + 60.0;
        take_in(&mut archive, &fixes, now);
        judge_list(
            &mut archive,
            std::slice::from_ref(&entry),
            &Asked::default(),
            now,
        )
        .unwrap();
        let stand: Vec<Kind> = standing(&archive).iter().map(|(kind, _)| *kind).collect();
        assert_eq!(stand.is_empty(), hour < 33, "{hour}: {stand:?}");
        if stand.contains(&Kind::Outside) {
            told.get_or_insert(hour);
        }
    }
    assert!(told.is_some_and(|hour| hour < 48), "{told:?}");
}
