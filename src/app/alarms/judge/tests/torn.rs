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

/// What is carried off faster than its limit: every fix fails until it is so far from the others
/// that none of them is held against it, and the gaps between those that pass grow.
#[test]
fn what_is_carried_off_faster_than_its_limit_never_stands_without_an_alarm() {
    let leaves = 30;
    for (hours, kmh, limit_kmh, until) in [(1.0, 70.0, 60.0, 56), (2.0, 32.0, 20.0, 100)] {
        let mut entry = entry(Platform::Generic);
        entry.limits.inside = Inside::from_stored("60,5,5000");
        entry.limits.max_speed_m_s = Some(limit_kmh / 3.6);
        let mut archive = watching(&entry, START);
        let fix = |index: u32| {
            let gone = f64::from(index.saturating_sub(leaves));
            at(hours * f64::from(index), -1000.0 * kmh * hours * gone)
        };
        let mut told = None;
        for last in 20..until {
            let fixes: Vec<Numbers> = (0..=last).map(fix).collect();
            let now = START + HOUR * hours * f64::from(last) + 60.0;
            take_in(&mut archive, &fixes, now);
            judge_list(
                &mut archive,
                std::slice::from_ref(&entry),
                &Asked::default(),
                now,
            )
            .unwrap();
            let stand: Vec<Kind> = standing(&archive).iter().map(|(kind, _)| *kind).collect();
            let about = format!("{kmh} km/h, fix {last}: {stand:?}");
            assert_eq!(stand.is_empty(), last < leaves + 3, "{about}");
            let is_outside = stand.contains(&Kind::Outside);
            if is_outside {
                told.get_or_insert(last);
            }
            // None comes back.
            assert_eq!(is_outside, told.is_some(), "{about}");
        }
        assert!(told.is_some_and(|last| last < leaves + 18), "{told:?}");
    }
}
