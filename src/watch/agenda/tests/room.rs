//! How many are asked at once where others hang or fail.

use super::*;

#[test]
fn a_hundred_that_hang_hold_up_the_next_for_less_than_a_minute() {
    let (hanging, good) = (100, uuid(100));
    let mut agenda = Agenda::new(REFRESH);
    for number in 0..=hanging {
        agenda.put(uuid(number), None, NOW);
    }
    let asked_after = (0..600).map(f64::from).find(|second| {
        let now = NOW + second;
        let room = agenda.room(now, 2);
        agenda.due(now, room, None).contains(&good)
    });
    assert!(asked_after.unwrap() < 60.0, "{asked_after:?}");
}

#[test]
fn where_nothing_was_ever_answered_those_that_fail_first_do_not_keep_the_others_for_long() {
    let (bad, good) = (40, uuid(40));
    let asked_after = |status: u16| {
        let mut agenda = Agenda::new(REFRESH);
        for number in 0..=bad {
            agenda.put(uuid(number), None, NOW);
        }
        let mut tries = Vec::new();
        for minute in (0..60).map(f64::from) {
            let now = NOW + 60.0 * minute;
            let due = agenda.due(now, 2, None);
            if due.contains(&good) {
                return (minute, tries);
            }
            tries.push(due.len());
            for uuid in due {
                agenda.failed(uuid, &failure(status), now + 1.0);
            }
        }
        panic!("{tries:?}")
    };
    let (minutes, tries) = asked_after(500);
    assert!(minutes <= 6.0, "{minutes}: {tries:?}");
    // A service that is away is not asked for all.
    let (minutes, tries) = asked_after(0);
    assert!(
        minutes > 30.0 && tries[1..].iter().all(|count| *count <= 1),
        "{tries:?}"
    );
}
