//! The collector where something is in its way: a deployment that is to be left
//! alone, an archive that cannot be written, programs that hang, a service that
//! gives no usable answer.

mod rounds;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;

use crate::alarms::{LEFT, fixes as fixes_of_age};
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder, nobody};
use crate::driver::{PATIENCE, SOON, process_state, until};
use crate::exit_status::{run, with_token};

fn uuid(number: usize) -> String {
    format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e3{number:02x}")
}

/// As [`fixes_of_age`], the last ten minutes ago.
fn fixes(metres: &[f64]) -> String {
    fixes_of_age(metres, 600.0)
}

const STAYED: [f64; 6] = [0.0; 6];

/// A home with so many watched moorings.
fn watching(count: usize, settings: &str) -> Home {
    let home = Home::new();
    for number in 0..count {
        let uuid = uuid(number);
        let circle = ["--inside", "60,5,200", "--platform", "mooring"];
        let add = ["deployments", "add", &uuid];
        Run::driftline(&home, [&add[..], &circle].concat()).ends_with(0);
    }
    home.write(".config/driftline/config.toml", settings);
    home
}

fn lines(home: &Home, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(home.file(name)).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn alarms(home: &Home) -> Vec<Value> {
    let answer = Run::driftline(home, ["alarms", "--json"]).ends_with(0);
    serde_json::from_str(&answer.stdout).unwrap()
}

const TOLD: &str = "on_alarm = [\"sh\", \"-c\", \"cat >> told\"]\n";

#[test]
fn one_that_asks_to_be_left_alone_holds_up_no_other() {
    for (status, wait) in [(429, "86400"), (503, "99999999999999")] {
        let home = watching(4, "");
        let body = fixes(&STAYED);
        let service = Responder::new(move |request, _| match request.target.contains(&uuid(0)) {
            true => Act::with(status, &[("Retry-After", wait)], "{}"),
            false => Act::json(200, &body),
        });
        for workers in ["1", "2"] {
            home.let_a_day_pass();
            let answer = run(
                &home,
                &service,
                &["collect", "--once", "--workers", workers],
            );
            assert_eq!(answer.status, 4, "{answer:#?}");
            let count = |word: &str| answer.stderr.matches(word).count();
            assert_eq!(
                (count(" fetched "), count(" failed ")),
                (3, 1),
                "{answer:#?}"
            );
            assert!(!answer.stderr.contains("invalid"), "{answer:#?}");
        }
    }
}

#[test]
fn answers_that_break_off_hold_up_no_other_deployment() {
    // Three of five, the first ones, as behind a proxy that cuts long answers.
    let home = watching(5, "");
    let body = fixes(&STAYED);
    let service = Responder::new(move |request, _| {
        let is_cut = (0..3).any(|number| request.target.contains(&uuid(number)));
        match is_cut {
            true => Act::Send(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n[{\"time_"
                    .to_vec(),
            ),
            false => Act::json(200, &body),
        }
    });
    for workers in ["1", "4"] {
        home.let_a_day_pass();
        let answer = run(
            &home,
            &service,
            &["collect", "--once", "--workers", workers],
        );
        assert_eq!(answer.status, 5, "{answer:#?}");
        let count = |word: &str| answer.stderr.matches(word).count();
        assert_eq!(
            (count(" fetched "), count(" failed "), count(" left out ")),
            (2, 3, 0),
            "{answer:#?}"
        );
    }
}

#[test]
fn those_that_a_round_leaves_out_are_named() {
    let home = watching(4, "");
    let arguments = ["collect", "--once", "--workers", "1", "--timeout", "1s"];
    let answer = with_token(&home, &nobody(), &arguments).go();
    assert_eq!(answer.status, 5, "{answer:#?}");
    for number in 0..4 {
        answer.says(&uuid(number));
    }
    assert_eq!(
        answer.stderr.matches(" left out ").count(),
        1,
        "{answer:#?}"
    );
}

/// The status that a service answers with, for the ids of a text with blanks between them,
/// or for all; else it has fixes.
struct Refusing(Arc<std::sync::Mutex<(u16, String)>>);

impl Refusing {
    fn service() -> (Self, Responder) {
        let refused = Arc::new(std::sync::Mutex::new((200, String::new())));
        let (now, body) = (Arc::clone(&refused), fixes(&STAYED));
        let service = Responder::new(move |request, _| {
            let (status, of) = now.lock().unwrap().clone();
            let mut ids = of.split(' ');
            match status != 200 && ids.any(|id| request.target.contains(id)) {
                true => Act::json(status, "{\"error\":1,\"message\":\"no access\"}"),
                false => Act::json(200, &body),
            }
        });
        (Self(refused), service)
    }

    fn refuse(&self, status: u16, of: &str) {
        *self.0.lock().unwrap() = (status, of.to_owned());
    }
}

#[test]
fn a_service_that_refuses_all_that_was_readable_is_one_alarm_until_it_answers() {
    for status in [401, 403, 404, 500] {
        let home = watching(4, TOLD);
        let (refusing, service) = Refusing::service();
        let round = ["collect", "--once", "--workers", "1"];
        run(&home, &service, &round).ends_with(0);
        // Its database is away, or the key was changed.
        refusing.refuse(status, "");
        home.let_a_day_pass();
        let before = service.requests().len();
        let answer = run(&home, &service, &round);
        assert_ne!(answer.status, 0, "{answer:#?}");
        let kinds: Vec<Value> = alarms(&home)
            .iter()
            .map(|one| one["kind"].clone())
            .collect();
        assert_eq!(kinds, ["unreachable"], "{status} {answer:#?}");
        let told_kinds: Vec<Value> = lines(&home, "told")
            .iter()
            .map(|one| one["kind"].clone())
            .collect();
        assert_eq!(told_kinds, ["unreachable"], "{status}");
        let asked: BTreeSet<String> = service
            .requests()
            .into_iter()
            .skip(before)
            .map(|one| one.target)
            .collect();
        // Two, and one more that tries the service for all.
        assert_eq!(asked.len(), 3, "{status} {asked:?}");
        // The key is changed back: all are asked for.
        refusing.refuse(200, "");
        let answer = run(&home, &service, &round).ends_with(0);
        assert_eq!(answer.stderr.matches(" fetched ").count(), 4, "{answer:#?}");
        assert_eq!(alarms(&home), [Value::Null; 0], "{status}");
    }
}

#[test]
fn three_that_are_withdrawn_of_ten_keep_no_round_from_the_others() {
    for status in [403, 404, 500] {
        let home = watching(10, TOLD);
        let (refusing, service) = Refusing::service();
        let round = ["collect", "--once", "--workers", "1"];
        run(&home, &service, &round).ends_with(0);
        refusing.refuse(status, &[uuid(3), uuid(7), uuid(8)].join(" "));
        for _ in 0..3 {
            home.let_a_day_pass();
            let answer = run(&home, &service, &round);
            assert_ne!(answer.status, 0, "{answer:#?}");
            assert_eq!(answer.stderr.matches(" fetched ").count(), 7, "{answer:#?}");
            assert_eq!(
                answer.stderr.matches(" left out ").count(),
                0,
                "{answer:#?}"
            );
        }
    }
}

#[test]
fn one_that_is_refused_holds_up_no_other_and_is_overdue_by_the_clock() {
    for status in [403, 404, 500] {
        let home = watching(4, TOLD);
        let (refusing, service) = Refusing::service();
        let round = ["collect", "--once"];
        run(&home, &service, &round).ends_with(0);
        let limit = ["deployments", "set", &uuid(0), "--max-age", "11min"];
        Run::driftline(&home, limit).ends_with(0);
        refusing.refuse(status, &uuid(0));
        home.let_a_day_pass();
        let answer = run(&home, &service, &round);
        assert_ne!(answer.status, 0, "{answer:#?}");
        assert_eq!(answer.stderr.matches(" fetched ").count(), 3, "{answer:#?}");
        assert_eq!(alarms(&home), [Value::Null; 0], "{status}");
        // Time goes by: its last fix is older than it may be, whatever is answered.
        let age = ["deployments", "set", &uuid(0), "--max-age", "9min"];
        Run::driftline(&home, age).ends_with(0);
        home.let_a_day_pass();
        run(&home, &service, &round);
        let all = alarms(&home);
        assert_eq!(all.len(), 1, "{status} {all:#?}");
        assert_eq!(all[0]["kind"], "overdue");
        assert!(!lines(&home, "told").is_empty(), "{status}");
        // Headless, one request says why.
        let checked = run(&home, &service, &["check", &uuid(0)]);
        assert_eq!(checked.status, 3, "{checked:#?}");
    }
}

#[test]
fn what_cannot_be_stored_is_an_error_and_is_judged_when_it_can() {
    let home = watching(1, TOLD);
    let before = fixes_of_age(&LEFT[..4], 600.0 + 2.0 * 3600.0);
    let left = fixes(&LEFT);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let service = Responder::new(move |_, _| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Act::json(200, &before),
        _ => Act::json(200, &left),
    });
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    home.let_a_day_pass();
    let archive = home.file(".local/share/driftline/archive.db");
    let other = rusqlite::Connection::open(archive).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = run(&home, &service, &["collect", "--once"]);
    assert_eq!(answer.status, 1, "{answer:#?}");
    answer.says(" error deployment=");
    answer.says("not stored");
    // A limit that the answer exceeds may be unknown.
    let check = ["check", &uuid(0), "--inside", "60,5,20km"];
    let checked = run(&home, &service, &check);
    assert_eq!(checked.status, 3, "{checked:#?}");
    checked.prints("not stored");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(lines(&home, "told").len(), 1);
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    // The next program does not know that of it was notified.
    let told = lines(&home, "told");
    assert_eq!((told.len(), &told[1]["id"]), (2, &told[0]["id"]));
}

/// A program that is told and hangs: its process and that of its child.
const HANGS: &str = "on_alarm = [\"sh\", \"-c\", \"cat > /dev/null; sleep 300 & echo $! >> children; wait\"]\nrefresh = \"1s\"\n";

fn children(home: &Home) -> Vec<u32> {
    let text = std::fs::read_to_string(home.file("children")).unwrap_or_default();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

fn is_gone(process: u32) -> bool {
    let gone = || matches!(process_state(process), None | Some('Z')).then_some(());
    until(PATIENCE, gone).is_some()
}

#[test]
fn a_program_that_hangs_stops_neither_fetching_nor_the_end() {
    let home = watching(6, HANGS);
    // One is asked for each second: of a single fix no interval follows.
    Run::driftline(&home, ["deployments", "add", &uuid(9)]).ends_with(0);
    let (left, single) = (fixes(&LEFT), fixes(&[0.0]));
    let service = Responder::new(move |request, _| {
        Act::json(
            200,
            if request.target.contains(&uuid(9)) {
                &single
            } else {
                &left
            },
        )
    });
    let running = with_token(&home, &service.base_url(), &["collect"]).start();
    until(PATIENCE, || children(&home).first().copied()).unwrap();
    let before = service.requests().len();
    let more = || (service.requests().len() >= before + 4).then_some(());
    until(PATIENCE, more).unwrap();
    running.signal(Signal::TERM);
    let began = Instant::now();
    let answer = running.end().ends_with(0);
    assert!(began.elapsed() < SOON, "{answer:#?}");
    assert!(answer.stderr.contains("collecting deployments=7 "));
    assert!(answer.stderr.ends_with(" ended reason=\"a signal\"\n"));
    let begun = children(&home);
    assert!(begun.len() <= 6, "one for each deployment: {begun:?}");
    assert!(begun.into_iter().all(is_gone));
    // What was not told waits for the next start.
    home.write(".config/driftline/config.toml", TOLD);
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    let ids: BTreeSet<String> = lines(&home, "told")
        .iter()
        .map(|one| one["id"].to_string())
        .collect();
    assert!(ids.len() >= 4, "{ids:?}");
}

#[test]
fn a_track_that_is_interrupted_while_it_tells_leaves_no_program_and_tells_later() {
    let home = watching(1, HANGS);
    let left = fixes(&LEFT);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    let running = with_token(&home, &service.base_url(), &["track", &uuid(0)]).start();
    let child = until(PATIENCE, || children(&home).first().copied()).unwrap();
    let began = Instant::now();
    running.signal(Signal::INT);
    assert_eq!(running.end().status, 130);
    assert!(began.elapsed() < SOON);
    assert!(is_gone(child));
    home.write(".config/driftline/config.toml", TOLD);
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    assert_eq!(lines(&home, "told").len(), 1);
}

#[test]
fn a_collector_ends_with_zero_where_it_is_told_to_end_and_with_the_signal_where_its_terminal_goes()
{
    let left = fixes(&LEFT);
    let service = Responder::new(move |_, number| match number {
        ..3 => Act::json(200, &left),
        _ => Act::silence(),
    });
    let once = &["collect", "--once"][..];
    for (arguments, signal, status) in [
        (&["collect"][..], Signal::TERM, 0),
        (&["collect"], Signal::INT, 0),
        (&["collect"], Signal::HUP, 129),
        // A round that was not finished.
        (once, Signal::TERM, 143),
        (once, Signal::INT, 130),
    ] {
        let home = watching(1, TOLD);
        let before = service.requests().len();
        let running = with_token(&home, &service.base_url(), arguments).start();
        let asked = || (service.requests().len() > before).then_some(());
        until(PATIENCE, asked).unwrap();
        running.signal(signal);
        running.end().ends_with(status);
    }
}

#[test]
fn a_service_without_a_usable_answer_is_one_alarm_until_it_has_one() {
    let answers = [
        (
            401,
            "{\"error\":401,\"message\":\"no\"}",
            "refuses the token (401)",
        ),
        (
            403,
            "{\"error\":403,\"message\":\"no\"}",
            "refuses what was asked for",
        ),
        (500, "{\"error\":500,\"message\":\"no\"}", "500"),
        (
            200,
            "<html><title>Log in</title></html>",
            "answers without records",
        ),
        (0, "[", "gives no whole answer: the connection broke"),
    ];
    for (status, body, said) in answers {
        let home = watching(3, TOLD);
        let good = fixes(&STAYED);
        let bad = Responder::new(move |_, _| match status {
            0 => Act::Send(
                format!("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{body}").into_bytes(),
            ),
            status => Act::json(status, body),
        });
        for _ in 0..2 {
            let answer = run(&home, &bad, &["collect", "--once", "--timeout", "1s"]);
            assert_ne!(answer.status, 0, "{answer:#?}");
        }
        let list = alarms(&home);
        assert_eq!(list.len(), 1, "{status}: {list:#?}");
        assert_eq!(list[0]["kind"], "unreachable");
        let text = list[0]["text"].as_str().unwrap();
        assert!(text.contains(said), "{text}");
        assert_eq!(lines(&home, "told").len(), 1);
        // Answered elsewhere: nobody asks the other address any more.
        let well = Responder::new(move |_, _| Act::json(200, &good));
        run(&home, &well, &["collect", "--once"]).ends_with(0);
        assert_eq!(alarms(&home), [Value::Null; 0], "{status}");
        let events: Vec<Value> = (lines(&home, "told").iter())
            .map(|one| one["event"].clone())
            .collect();
        assert_eq!(events, ["raised", "cleared"]);
    }
}

#[test]
fn a_dashboard_that_is_left_while_it_tells_leaves_no_program_and_tells_later() {
    let home = watching(1, HANGS);
    let left = fixes(&LEFT);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    let mut terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    let child = until(PATIENCE, || children(&home).first().copied()).unwrap();
    terminal.quits();
    assert!(is_gone(child));
    home.write(".config/driftline/config.toml", TOLD);
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    assert_eq!(lines(&home, "told").len(), 1);
}

#[test]
fn records_that_cannot_be_used_are_said_once_a_deployment_and_change() {
    let home = watching(1, "refresh = \"1s\"\n");
    let (good, bad) = (
        fixes(&STAYED),
        "{\"time_stamp\":1,\"latitude\":\"x\",\"longitude\":2}",
    );
    let with =
        |count: usize| good.replacen('[', &format!("[{}", format!("{bad},").repeat(count)), 1);
    let (one, two) = (with(1), with(2));
    let service = Responder::new(move |_, number| match number {
        0..2 => Act::json(200, &one),
        _ => Act::json(200, &two),
    });
    let mut said = Vec::new();
    for _ in 0..3 {
        home.let_a_day_pass();
        said.push(run(&home, &service, &["collect", "--once"]).stderr);
    }
    assert!(
        said[0].contains("1 record is invalid: record 0: "),
        "{said:#?}"
    );
    assert!(
        said[2].contains("2 records are invalid; the first is record 0"),
        "{said:#?}"
    );
}
