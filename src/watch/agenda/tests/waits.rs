//! Requests that come sooner or later than T says.

use super::*;
use crate::failure::refusal::Unanswered;
use crate::track::Burst;

#[test]
fn the_rest_of_a_burst_is_asked_for_before_the_next_one_and_costs_few_requests() {
    // A fix each ten minutes in a session, and a session a day.
    let burst = Burst {
        interval_s: 600.0,
        longest_s: 3000.0,
    };
    let last = NOW - 100.0;
    let mut asked = vec![NOW];
    while asked.len() < 8 {
        let at = asked[asked.len() - 1];
        let answer = LastAnswer {
            burst: Some(burst),
            ..answer(at, at - last, DAY)
        };
        asked.push(answer.next(REFRESH).at);
    }
    let ages: Vec<f64> = asked.iter().map(|at| at - last).collect();
    assert_eq!(ages[..5], [100.0, 600.0, 1200.0, 2400.0, 4800.0]);
    // Then nothing more comes before the next session.
    assert_eq!(ages[5], DAY);
    // A fix that is asked for when it is due is late by half of its age at most.
    assert!(
        ages[..5]
            .windows(2)
            .all(|pair| pair[1] - pair[0] <= 600.0_f64.max(pair[0]))
    );
}

#[test]
fn a_wait_that_the_service_asked_another_program_for_is_kept() {
    let mut agenda = Agenda::new(REFRESH);
    for number in [1, 2] {
        agenda.put(uuid(number), Some(answer(NOW - 600.0, H, 600.0)), NOW);
    }
    let failure = LastFailure {
        at: NOW,
        state: Unanswered::NoUse,
        again_at: NOW + 1800.0,
    };
    agenda.failed_before(&HashMap::from([(uuid(1), failure)]), NOW);
    assert_eq!(agenda.due(NOW + 60.0, 9, None), [uuid(2)]);
    assert_eq!(agenda.due(NOW + 1799.0, 9, None), Vec::<Uuid>::new());
    // Its last answer says nothing of the time since: it may be silent.
    assert_eq!(agenda.judged_at(uuid(1), NOW + 1799.0), NOW + 1799.0);
    assert_eq!(agenda.due(NOW + 1801.0, 9, None), [uuid(1)]);
    // Of a service that fails none is tried before.
    let mut agenda = Agenda::new(REFRESH);
    agenda.put(uuid(1), None, NOW);
    agenda.failed_before(&HashMap::from([(uuid(1), failure)]), NOW);
    assert_eq!(agenda.probes_since(NOW + 60.0), 0);
    assert_eq!(agenda.probes_since(NOW + 1801.0), 1);
}

#[test]
fn a_program_gives_way_to_the_one_that_asked_last() {
    let mut agenda = Agenda::new(REFRESH);
    agenda.put(uuid(1), Some(answer(NOW - 600.0, 0.0, H)), NOW);
    let due = |agenda: &Agenda| agenda.next(uuid(1)).unwrap().at;
    // What is stored is no news.
    let before = due(&agenda);
    agenda.answered_to_another(uuid(1), answer(NOW - 600.0, 0.0, H));
    assert_eq!(due(&agenda), before);
    let other = answer(NOW, 0.0, H);
    agenda.answered_to_another(uuid(1), other);
    assert_eq!(due(&agenda), other.next(REFRESH).at + GIVES_WAY_S);
    let own = answer(NOW + H, 0.0, H);
    assert_eq!(agenda.answered(uuid(1), own).at, own.next(REFRESH).at);
}
