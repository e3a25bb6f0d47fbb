mod mixtures;
mod room;
mod waits;

use super::*;
use crate::failure::{FailureKind, ServiceError};
use crate::track::ServiceClock;

const H: f64 = 3600.0;
const DAY: f64 = 24.0 * H;
const REFRESH: f64 = 60.0;
const NOW: f64 = 1.8e9;

fn uuid(number: u128) -> Uuid {
    // Their own parts are 0.
    Uuid::from_u128((number << 8) | ((256 - number) % 256))
}

/// An answer at `at` for a deployment with its last fix `age` before, and an interval.
fn answer(at: f64, age: f64, t: f64) -> LastAnswer {
    LastAnswer {
        clock: ServiceClock::default(),
        at,
        first_at: NOW - 900.0 * DAY,
        last_fix: Some(at - age),
        interval_s: Some(t),
        gaps: 20,
        burst: None,
        max_age_s: None,
        newer: None,
        idle: Idle::default(),
    }
}

#[test]
fn what_is_due_by_the_clock_of_the_service_is_asked_for() {
    // Two days old by a clock that is three days behind that of the service.
    let mut behind = answer(NOW, -DAY, 4.0 * H);
    assert!(behind.next(REFRESH).at - NOW > 3.0 * H);
    behind.clock = ServiceClock::new(Some(3.0 * DAY), NOW);
    assert_eq!(behind.next(REFRESH).at - NOW, wait(2.0 * DAY, 4.0 * H).0);
    // Lost only by a service whose clock is wrong for once: it is on time, and asked for as that.
    let mut ahead = answer(NOW, H, 4.0 * H);
    for days in [3.0, 400.0] {
        ahead.clock = ServiceClock::new(Some(days * DAY), NOW);
        assert_eq!(ahead.next(REFRESH).at - NOW, 3.0 * H);
    }
}

#[test]
fn a_maximum_age_below_t_is_asked_at_before_it_is_exceeded_and_hourly_after_it() {
    let limited = |age: f64| {
        let limited = LastAnswer {
            max_age_s: Some(3.0 * H),
            ..answer(NOW, age, 12.0 * H)
        };
        (limited.next(REFRESH).at - NOW) / H
    };
    assert_eq!([0.0, 2.0 * H].map(limited), [3.0, 1.0]);
    assert_eq!([3.0 * H, 5.0 * H, 11.0 * H].map(limited), [1.0; 3]);
    // Then as by T alone.
    assert_eq!(limited(13.0 * H), 12.0 / 20.0);

    let uuid = Uuid::from_u128(1);
    let mut agenda = Agenda::new(REFRESH);
    agenda.put(uuid, Some(answer(NOW, 0.0, 12.0 * H)), NOW);
    let next = |agenda: &Agenda| agenda.next(uuid).map(|next| ((next.at - NOW) / H).floor());
    assert_eq!(next(&agenda), Some(12.0));
    agenda.limit_age(uuid, Some(3.0 * H));
    assert_eq!(next(&agenda), Some(3.0));
    agenda.limit_age(uuid, None);
    assert_eq!(next(&agenda), Some(12.0));
}

fn wait(age: f64, t: f64) -> (f64, Why) {
    let next = answer(NOW, age, t).next(REFRESH);
    (next.at - NOW, next.why.unwrap())
}

fn failure(status: u16) -> Failure {
    let kind = match status {
        0 => FailureKind::Unreachable,
        401 => FailureKind::NotAuthenticated,
        403 => FailureKind::Forbidden,
        _ => FailureKind::Service,
    };
    let service = ServiceError {
        status,
        ..ServiceError::default()
    };
    Failure {
        service: (status > 0).then(|| Box::new(service)),
        ..Failure::new(kind, "", "")
    }
}

/// An agenda of so many deployments that report every four hours and were answered at
/// [`NOW`], an hour after their last fix.
fn answered(count: u128) -> Agenda {
    let mut agenda = Agenda::new(REFRESH);
    for number in 0..count {
        agenda.put(uuid(number), None, NOW);
        agenda.begin(uuid(number), NOW);
        agenda.answered(uuid(number), answer(NOW, H, 4.0 * H));
    }
    agenda
}

#[test]
fn the_next_request_is_when_the_next_fix_is_due_and_then_the_waits_grow_with_the_delay() {
    let t = 4.0 * H;
    assert_eq!(wait(3.0 * H, t), (H, Why::Expected));
    // Also if the clock of the instrument is ahead, and if it is due in a moment.
    assert_eq!(wait(-0.5 * H, t).0, t);
    assert_eq!(wait(t - 10.0, t).0, REFRESH);
    for (age, expected) in [
        (1.1 * t, t / 20.0),
        (1.6 * t, t / 10.0),
        (3.1 * t, H),
        (11.0 * t, H),
        (2.0 * DAY + 0.9 * DAY, H),
        (2.0 * DAY + 1.1 * DAY, 6.0 * H),
        (2.0 * DAY + 29.0 * DAY, 6.0 * H),
        (2.0 * DAY + 31.0 * DAY, DAY),
        (3.0 * 365.0 * DAY, DAY),
    ] {
        assert_eq!(wait(age, t), (expected, Why::Every(expected)), "{age}");
    }
    assert_eq!(wait(3.5 * H, H).0, 900.0);
    // Days apart: at least hourly once it is overdue, and no wait is longer than a day.
    assert_eq!(wait(31.0 * DAY, 10.0 * DAY).0, H);
    assert_eq!(wait(0.0, 10.0 * DAY), (DAY, Why::Every(DAY)));
}

#[test]
fn an_interval_counts_from_three_gaps_on_and_waits_of_more_than_an_hour_from_five_on() {
    let of = |gaps: usize, age: f64, t: f64| {
        let one = LastAnswer {
            gaps,
            ..answer(NOW, age, t)
        };
        one.next(REFRESH).at - NOW
    };
    // One record of a lost clock before a good one.
    assert_eq!(of(1, 0.0, 46.0 * 365.0 * DAY), REFRESH);
    assert_eq!(of(2, 0.0, 4.0 * H), REFRESH);
    assert_eq!(of(3, 0.0, 4.0 * H), H);
    assert_eq!(of(4, 400.0 * DAY, 4.0 * H), H);
    assert_eq!(of(5, 0.0, 4.0 * H), 4.0 * H);
    // A longer shortest wait counts, too.
    let slow = answer(NOW, 100.0 * DAY, H).next(30.0 * H);
    assert_eq!(slow.at, NOW + 30.0 * H);
    for (age, t) in [(5.0, 15.0), (20.0, 15.0), (40.0, 15.0), (1e4, 15.0)] {
        assert_eq!(wait(age, t).0, REFRESH, "{age}");
    }
}

#[test]
fn what_never_had_a_fix_is_asked_for_after_waits_that_double_up_to_an_hour() {
    let mut agenda = Agenda::new(REFRESH);
    agenda.put(uuid(0), None, NOW);
    let mut asked = Vec::new();
    for second in 0..20_000 {
        let now = NOW + f64::from(second);
        for one in agenda.due(now, 4, None) {
            asked.push(second);
            let empty = LastAnswer {
                at: now,
                first_at: now,
                ..LastAnswer::default()
            };
            agenda.answered(one, empty);
        }
    }
    assert_eq!(
        asked,
        [
            0, 60, 180, 420, 900, 1860, 3780, 7380, 10_980, 14_580, 18_180
        ]
    );
}

#[test]
fn a_day_of_a_buoy_costs_its_fixes_and_a_few_requests_more() {
    let t = 4.0 * H;
    let mut agenda = answered(1);
    let mut count = 0;
    for second in 0..86_400 {
        let now = NOW + f64::from(second);
        for one in agenda.due(now, 4, None) {
            count += 1;
            let age = (now - NOW + H) % t;
            agenda.answered(one, answer(now, age, t));
        }
    }
    assert!((6..=7).contains(&count), "{count}");
}

#[test]
fn large_answers_that_bring_nothing_new_take_a_fiftieth_of_the_time_and_100_mb_a_day() {
    let costly = |at: f64, bytes: u64, took_s: f64| LastAnswer {
        idle: Idle {
            bytes,
            took_s,
            bytes_of_day: bytes,
        },
        ..answer(at, 31.0, 15.0)
    };
    let mut agenda = Agenda::new(REFRESH);
    agenda.put(uuid(0), None, NOW);
    let wait = |agenda: &mut Agenda, at: f64, bytes: u64, took_s: f64| {
        let next = agenda.answered(uuid(0), costly(at, bytes, took_s));
        (next.at - at, matches!(next.why, Some(Why::Costly(_))))
    };
    // The first 10 MB of a day are free, but for the time that they take.
    assert_eq!(wait(&mut agenda, NOW, 1_000_000, 1.0), (REFRESH, false));
    assert_eq!(
        wait(&mut agenda, NOW + 100.0, 1_000_000, 10.0),
        (490.0, true)
    );
    assert_eq!(wait(&mut agenda, NOW + 600.0, 8_000_000, 1.0), (H, true));
    assert_eq!(
        wait(&mut agenda, NOW + 4200.0, 1_000_000, 1.0),
        (864.0, true)
    );
    // A day later they are free again.
    assert_eq!(
        wait(&mut agenda, NOW + 2.0 * DAY, 1_000_000, 1.0),
        (REFRESH, false)
    );
    // A thousand minutes of 1.2 MB: at most 110 MB.
    let mut agenda = Agenda::new(REFRESH);
    agenda.put(uuid(0), None, NOW);
    let mut bytes = 0;
    for second in 0..86_400 {
        let now = NOW + f64::from(second);
        for one in agenda.due(now, 1, None) {
            bytes += 1_200_000;
            agenda.answered(one, costly(now, 1_200_000, 0.1));
        }
    }
    assert!(bytes < 112_000_000, "{bytes}");
}

#[test]
fn what_is_due_follows_from_the_last_answer_also_of_another_run() {
    let mut agenda = Agenda::new(REFRESH);
    agenda.put(uuid(0), Some(answer(NOW - H, 0.0, 4.0 * H)), NOW);
    agenda.put(uuid(1), Some(answer(NOW - 5.0 * H, 0.0, 4.0 * H)), NOW);
    // A stored time ahead of the clock is due, and what was never asked for.
    agenda.put(
        uuid(2),
        Some(answer(NOW + 10.0 * 365.0 * DAY, 0.0, 4.0 * H)),
        NOW,
    );
    agenda.put(uuid(3), None, NOW);
    assert_eq!(
        agenda.due(NOW, 9, Some(uuid(3))),
        [uuid(3), uuid(1), uuid(2)]
    );
    assert_eq!(agenda.due(NOW + 3.0 * H, 9, None), [uuid(0)]);
}

#[test]
fn what_was_answered_while_the_clock_was_ahead_is_due_when_it_is_set_back() {
    let mut agenda = answered(2);
    let ahead = NOW + 10.0 * 365.0 * DAY;
    assert_eq!(agenda.due(ahead, 1, None), [uuid(0)]);
    agenda.answered(uuid(0), answer(ahead, 0.0, 4.0 * H));
    // The other one is due as it was.
    assert_eq!(agenda.due(NOW + 60.0, 9, None), [uuid(0)]);
    assert_eq!(agenda.due(NOW + 3.0 * H, 9, None), [uuid(1)]);
}

#[test]
fn a_request_under_way_while_the_computer_was_suspended_has_brought_nothing_yet() {
    let mut agenda = answered(2);
    agenda.ask(uuid(1), NOW);
    assert_eq!(agenda.due(NOW, 1, None), [uuid(1)]);
    let night = NOW + 8.0 * H;
    assert!(!agenda.is_settled(uuid(1), REFRESH, night));
    agenda.due(night, 1, None);
    assert!(agenda.is_settled(uuid(1), REFRESH, night + REFRESH));
}

#[test]
fn one_whose_requests_fail_by_long_waits_is_settled_soon_after_each() {
    let mut agenda = answered(2);
    let mut now = NOW;
    for _ in 0..6 {
        agenda.begin(uuid(1), now);
        assert!(!agenda.is_settled(uuid(1), 60.0, now + 50.0));
        agenda.due(now + 55.0, 0, None);
        // It is asked for again before anybody looks.
        agenda.failed(uuid(1), &failure(0), now + 55.0);
        agenda.begin(uuid(1), now + 56.0);
        assert!(agenda.is_settled(uuid(1), 60.0, now + 80.0));
        now += 300.0;
        agenda.due(now, 0, None);
    }
    // An answer is waited for as any other.
    agenda.answered(uuid(1), answer(now, 0.0, 4.0 * H));
    agenda.begin(uuid(1), now + 1.0);
    assert!(!agenda.is_settled(uuid(1), 60.0, now + 2.0));
}

#[test]
fn there_is_room_for_so_many_and_the_one_that_is_open_comes_first() {
    let mut agenda = Agenda::new(REFRESH);
    for number in 0..4 {
        agenda.put(
            uuid(number),
            None,
            NOW - f64::from(u32::try_from(number).unwrap()),
        );
    }
    assert_eq!(agenda.due(NOW, 2, Some(uuid(0))), [uuid(0), uuid(3)]);
    assert_eq!((agenda.room(NOW, 2), agenda.room(NOW, 3)), (0, 1));
    assert_eq!(agenda.room(NOW + 6.0, 2), 3);
    assert_eq!(agenda.due(NOW, 9, Some(uuid(0))), [uuid(2), uuid(1)]);
    assert_eq!(agenda.soonest(), None);
    agenda.later(uuid(1), NOW + 40.0);
    assert_eq!(agenda.soonest(), Some(NOW + 40.0));
    agenda.remove(uuid(1));
    assert!(agenda.due(NOW + DAY, 9, None).is_empty());
}

#[test]
fn a_person_who_asks_does_not_wait_for_anything() {
    let mut agenda = answered(3);
    agenda.ask(uuid(1), NOW);
    assert_eq!(agenda.asked_for(NOW, 9), [uuid(1)]);
    assert!(agenda.is_asked_for(uuid(1)) && !agenda.is_asked_for(uuid(2)));
    for number in 0..2 {
        agenda.begin(uuid(number), NOW + H);
        agenda.failed(uuid(number), &failure(403), NOW + H);
    }
    assert!(agenda.is_down());
    agenda.ask(uuid(0), NOW + H + 2.0);
    assert_eq!(agenda.due(NOW + H + 2.0, 9, None), [uuid(0)]);
}

#[test]
fn the_refusal_of_one_that_was_readable_is_asked_again_as_any_failure_is() {
    let mut agenda = answered(3);
    let (mut waits, mut now) = (Vec::new(), NOW);
    for _ in 0..6 {
        let next = agenda.failed(uuid(0), &failure(404), now).at;
        waits.push(next - now);
        now = next;
        // The others are answered between.
        agenda.answered(uuid(1), answer(now, H, 4.0 * H));
    }
    assert_eq!(waits, [60.0, 120.0, 240.0, 480.0, H, H]);
    assert!(!agenda.service().fails());
    // A deployment that was never readable: the others are requested as before.
    agenda.put(uuid(9), None, now);
    assert_eq!(agenda.failed(uuid(9), &failure(403), now).at, now + H);
    let mut waits = [503, 503, 503].map(|status| {
        let next = agenda.failed(uuid(1), &failure(status), now).at;
        next - now
    });
    assert_eq!(waits, [60.0, 120.0, 240.0]);
    agenda.answered(uuid(2), answer(now, H, 4.0 * H));
    waits = [0, 0, 0].map(|_| agenda.failed(uuid(2), &failure(0), now).at - now);
    assert_eq!(waits, [60.0, 120.0, 240.0]);
}

#[test]
fn what_is_refused_alone_is_asked_again_within_an_hour_however_long_it_is_refused() {
    for number in 0..64u128 {
        let refused = Uuid::from_u128(number);
        let mut agenda = answered(3);
        agenda.put(refused, Some(answer(NOW, H, 4.0 * H)), NOW);
        let mut now = NOW;
        for status in [403, 404, 500, 401, 403, 403, 500, 500, 500, 403] {
            let next = agenda.failed(refused, &failure(status), now).at;
            assert!(next - now <= H, "{number} {}", next - now);
            now = next;
            agenda.answered(uuid(1), answer(now, H, 4.0 * H));
            assert!(agenda.due(now, 9, None).contains(&refused));
        }
        // It can be read again: it is asked for as its fixes are due.
        let next = agenda.answered(refused, answer(now, H, 4.0 * H)).at;
        assert!(next - now <= 3.0 * H);
    }
}

#[test]
fn retry_after_is_heeded_up_to_an_hour() {
    for (said, expected) in [(1800, 1800.0), (86_400, H), (u64::MAX, H)] {
        let mut agenda = answered(2);
        let mut refused = failure(503);
        if let Some(service) = &mut refused.service {
            service.retry_after_s = Some(said);
        }
        assert_eq!(agenda.failed(uuid(0), &refused, NOW).at, NOW + expected);
        // Also by what tries a service that fails.
        agenda.failed(uuid(1), &refused, NOW);
        assert!(agenda.due(NOW + expected - 1.0, 9, None).is_empty());
        assert_eq!(agenda.due(NOW + expected, 9, None).len(), 1);
    }
}

/// The real backend while its database is away for 47 seconds: 403 to everybody. Returns
/// when each request was made, and what for.
fn outage(agenda: &mut Agenda, count: u128, status: u16, until: f64) -> Vec<(f64, Uuid)> {
    let mut asked = Vec::new();
    for second in 0..1200 {
        let now = NOW + 3.0 * H + f64::from(second);
        for one in agenda.due(now, 4, None) {
            asked.push((now - NOW - 3.0 * H, one));
            if f64::from(second) < until {
                let _ = agenda.failed(one, &failure(status), now);
            } else {
                let _ = agenda.answered(one, answer(now, 0.0, 4.0 * H));
            }
        }
    }
    assert_eq!(agenda.entries.len(), usize::try_from(count).unwrap());
    asked
}

#[test]
fn two_refusals_in_a_row_are_the_service_which_is_tried_each_minute_until_one_is_answered() {
    for status in [403, 401, 404, 500, 0] {
        let mut agenda = answered(6);
        let asked = outage(&mut agenda, 6, status, 47.0);
        let times: Vec<f64> = asked.iter().map(|(at, _)| *at).collect();
        // Four at once, then nobody until the first try, which is answered; then the
        // others at once.
        assert_eq!(times[..4], [0.0; 4], "{status}");
        assert_eq!(times[4], 60.0, "{status}");
        assert!(
            times[5..].iter().all(|at| *at <= 62.0),
            "{status} {times:?}"
        );
        let mut all: Vec<Uuid> = asked[4..].iter().map(|(_, one)| *one).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6, "{status}");
        assert!(!agenda.service().fails());
    }
    // Ten minutes: one try a minute, each for another deployment.
    let mut agenda = answered(6);
    let asked = outage(&mut agenda, 6, 403, 601.0);
    let tries: Vec<f64> = asked[4..].iter().map(|(at, _)| *at).take(11).collect();
    assert_eq!(
        tries,
        (1..12)
            .map(|minute| 60.0 * f64::from(minute))
            .collect::<Vec<_>>()
    );
    let tried: std::collections::HashSet<Uuid> = asked[4..10].iter().map(|(_, one)| *one).collect();
    assert!(tried.len() >= 5, "{tried:?}");
}

#[test]
fn the_only_deployment_that_is_refused_is_the_service_too() {
    let mut agenda = answered(1);
    let asked = outage(&mut agenda, 1, 403, 47.0);
    let times: Vec<f64> = asked.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [0.0, 60.0]);
}

#[test]
fn two_that_are_refused_for_good_do_not_hold_up_the_others() {
    let mut agenda = answered(5);
    let mut asked = [0; 5];
    for second in 0..4 * 3600 {
        let now = NOW + 3.0 * H + f64::from(second);
        for one in agenda.due(now, 4, None) {
            let place = (0..5).find(|number| uuid(*number) == one).unwrap();
            asked[usize::try_from(place).unwrap()] += 1;
            if place < 2 {
                let _ = agenda.failed(one, &failure(403), now);
            } else {
                let _ = agenda.answered(one, answer(now, 0.0, 600.0));
            }
        }
    }
    // Every ten minutes, and a little more often while fixes are awaited.
    assert!(asked[2..].iter().all(|count| *count >= 20), "{asked:?}");
    assert!(
        asked[..2].iter().all(|count| (4..=12).contains(count)),
        "{asked:?}"
    );
}

#[test]
fn a_token_that_is_changed_has_what_failed_asked_for_at_once() {
    let mut agenda = answered(3);
    for number in 0..3 {
        agenda.failed(uuid(number), &failure(401), NOW);
    }
    assert!(agenda.is_down());
    agenda.forget_failures(NOW + 5.0);
    assert_eq!(agenda.due(NOW + 5.0, 9, None).len(), 3);
}
