//! Rounds in which a part of the list fails.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::{STAYED, TOLD, alarms, fixes, fixes_of_age, lines, run, uuid, watching};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, process_state, until};
use crate::exit_status::with_token;

#[test]
fn those_that_fail_before_another_is_answered_are_judged_in_the_same_round() {
    let home = Arc::new(watching(4, TOLD));
    for number in 0..4 {
        let limit = ["deployments", "set", &uuid(number), "--max-age", "5s"];
        Run::driftline(&home, limit).ends_with(0);
    }
    let is_broken = Arc::new(AtomicBool::new(false));
    let good = fixes_of_age(&STAYED, 0.0);
    let service = Responder::new({
        let (home, is_broken) = (Arc::clone(&home), Arc::clone(&is_broken));
        let first = OnceLock::new();
        move |request, _| {
            if is_broken.load(Ordering::SeqCst) {
                if first.get_or_init(|| request.target.clone()) != &request.target {
                    return Act::hang_up();
                }
                // Answered once the service counts as failing by the others.
                let fails = |alarm: &Value| alarm["kind"] == "unreachable";
                until(PATIENCE, || alarms(&home).iter().any(fails).then_some(()));
            }
            Act::json(200, &good)
        }
    });
    let round = ["collect", "--once"];
    run(&home, &service, &round).ends_with(0);
    std::thread::sleep(Duration::from_secs(5));
    is_broken.store(true, Ordering::SeqCst);
    home.let_a_day_pass();
    run(&home, &service, &round).ends_with(5);
    let kinds = alarms(&home);
    let kinds = kinds.iter().map(|alarm| alarm["kind"].as_str().unwrap());
    assert_eq!(Vec::from_iter(kinds), ["overdue"; 4]);
}

#[test]
fn deployments_that_fail_among_good_ones_raise_nothing() {
    let refused = |status| Act::json(status, "{\"error\":403,\"message\":\"no\"}");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let broken_off = Act::Send(format!("{head}Content-Length: 999\r\n\r\n[").into_bytes());
    let failures = [refused(400), refused(403), refused(404), broken_off];
    for (failure, status) in failures.into_iter().zip([4, 3, 4, 5]) {
        let home = watching(4, TOLD);
        let good = fixes(&STAYED);
        let service = Responder::new(move |request, _| {
            if [1, 2]
                .iter()
                .any(|number| request.target.contains(&uuid(*number)))
            {
                failure.clone()
            } else {
                Act::json(200, &good)
            }
        });
        for _ in 0..2 {
            assert_eq!(run(&home, &service, &["collect", "--once"]).status, status);
        }
        assert_eq!(alarms(&home), [Value::Null; 0]);
        assert_eq!(lines(&home, "told").len(), 0);
    }
}

#[test]
fn a_round_that_waits_for_one_keeps_no_other_from_a_running_collector() {
    let settings = ".config/driftline/config.toml";
    let home = watching(2, "refresh = \"4s\"\n");
    let good = fixes(&[0.0; 2]);
    let service = Responder::new(move |request, _| {
        if request.target.contains(&uuid(0)) {
            Act::json(200, &good)
        } else {
            Act::silence()
        }
    });
    let asked = |number: usize| {
        let requests = service.requests().into_iter();
        requests
            .filter(|request| request.target.contains(&uuid(number)))
            .count()
    };
    let more = |number: usize, than: usize| {
        until(PATIENCE, || (asked(number) > than).then_some(())).unwrap();
    };
    let url = service.base_url();
    let collector = with_token(&home, &url, &["collect"]).start();
    more(0, 0);
    // For the round it is due by then, and not for the collector.
    std::thread::sleep(Duration::from_secs(2));
    home.write(settings, "refresh = \"1s\"\ntimeout = \"40s\"\n");
    let round = with_token(&home, &url, &["collect", "--once"]).start();
    more(1, 1);
    std::thread::sleep(Duration::from_secs(1));
    more(0, asked(0));
    let state = process_state(round.id());
    assert!(state.is_some_and(|state| state != 'Z'), "{state:?}");
    collector.signal(Signal::TERM);
    collector.end();
    round.signal(Signal::TERM);
    round.end();
}
