//! What goes wrong with the real backend, in minutes and hours of a clock that runs faster:
//! its database is away, its token is changed and changed back, it refuses or breaks one
//! deployment. Nothing is off for longer than it must be, and the user is notified.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::alarms::told;
use crate::driver::PATIENCE;
use crate::driver::backend::{Access, Asked, Backend, Instrument};
use crate::driver::clock::Clock;
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Run, Running};
use crate::driver::until;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::TOKEN;

/// Times as fast as the computer's clock.
const RATE: u32 = 30;
/// Seconds by that clock that a request may take on a busy machine.
const SLACK_S: f64 = 90.0;
const COUNT: usize = 8;
/// Seconds between two fixes of a deployment.
const INTERVAL_S: f64 = 120.0;

fn uuid(number: usize) -> String {
    format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e4{number:02x}")
}

/// A backend with deployments that report, and a home where they are watched.
fn watching(clock: Clock) -> (Home, Backend) {
    let (home, backend) = (Home::new(), Backend::start(clock, TOKEN));
    let mut settings =
        String::from("on_alarm = [\"sh\", \"-c\", \"cat >> told\"]\ntimeout = \"1h\"\n");
    for number in 0..COUNT {
        let uuid = uuid(number);
        backend.put(&uuid, Instrument::reporting(INTERVAL_S, 20, clock.now()));
        settings.push_str(&format!(
            "[[deployment]]\nuuid = \"{uuid}\"\nlabel = \"buoy {number}\"\n"
        ));
    }
    home.write(".config/driftline/config.toml", settings);
    (home, backend)
}

fn run(home: &Home, backend: &Backend, clock: Clock, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments)
        .at(backend.base_url())
        .clock(clock)
}

fn collecting(home: &Home, backend: &Backend, clock: Clock) -> Running {
    let running = run(home, backend, clock, &["collect"]).start();
    all_are_answered_after(backend, 0.0);
    running
}

/// The first usable answer of each deployment after a time.
fn first_answers(backend: &Backend, after: f64) -> BTreeMap<String, f64> {
    let mut first = BTreeMap::new();
    for one in backend.asked() {
        if one.at > after && one.status == 200 {
            first.entry(one.uuid).or_insert(one.at);
        }
    }
    first
}

/// Waits until all deployments are answered after a time; returns when they were first.
#[track_caller]
fn all_are_answered_after(backend: &Backend, after: f64) -> Vec<f64> {
    let all = until(PATIENCE, || {
        let first = first_answers(backend, after);
        (first.len() == COUNT).then(|| first.into_values().collect())
    });
    all.unwrap_or_else(|| panic!("{:#?}", backend.asked()))
}

/// The alarms that stand, by their kinds.
fn alarms(home: &Home, clock: Clock) -> Vec<Value> {
    // The seconds in which its threads have to start are some milliseconds by this clock.
    let answer = until(PATIENCE, || {
        let answer = Run::driftline(home, ["alarms", "--json"]).clock(clock).go();
        (answer.status == 0).then_some(answer)
    });
    serde_json::from_str(&answer.unwrap().stdout).unwrap()
}

fn between(asked: &[Asked], from: f64, to: f64) -> Vec<Asked> {
    let within = asked.iter().filter(|one| one.at > from && one.at <= to);
    within.cloned().collect()
}

/// Ten minutes of a collector while all are refused that were readable.
fn all_are_refused(refuse: impl Fn(&Backend, bool)) {
    let clock = Clock::times(RATE);
    let (home, backend) = watching(clock);
    let collector = collecting(&home, &backend, clock);
    let from = clock.now();
    refuse(&backend, true);
    clock.wait_until(from + 600.0);
    let standing = alarms(&home, clock);
    refuse(&backend, false);
    let back = clock.now();
    let first = all_are_answered_after(&backend, back);
    let asked = backend.asked();

    // What was begun before two were refused, and then one a minute.
    let refused = between(&asked, from, back);
    assert!(refused.iter().all(|one| one.status == 403), "{refused:#?}");
    let begun = refused.first().unwrap().at;
    let tries: Vec<f64> = refused.iter().map(|one| one.at - begun).collect();
    assert!(tries.len() <= COUNT + 10, "{tries:?}");
    let later: Vec<f64> = tries.into_iter().filter(|at| *at > 60.0).collect();
    assert!(later.len() >= 6, "{later:?}");
    for pair in later.windows(2) {
        let wait = pair[1] - pair[0];
        // One that arrives late is followed the sooner.
        assert!(wait > 30.0 && wait < 60.0 + SLACK_S, "{later:?}");
    }
    // One alarm, and nothing that is called overdue for it.
    assert_eq!(standing.len(), 1, "{standing:#?}");
    assert_eq!(standing[0]["kind"], "unreachable");
    assert!(standing[0]["text"].as_str().unwrap().contains("403"));
    // The next try is answered, and then all are asked for.
    let soonest = first.iter().copied().fold(f64::INFINITY, f64::min);
    let latest = first.iter().copied().fold(0.0, f64::max);
    assert!(soonest - back < 60.0 + SLACK_S, "{}", soonest - back);
    assert!(latest - soonest < SLACK_S, "{first:?}");
    let events = until(PATIENCE, || {
        let told = told(&home);
        let mut events: Vec<Value> = told.iter().map(|one| one["event"].clone()).collect();
        // After a program that took too long it is run once more.
        events.dedup();
        assert!(
            told.iter().all(|one| one["kind"] == "unreachable"),
            "{told:#?}"
        );
        (events.len() == 2).then_some(events)
    });
    assert_eq!(events.unwrap(), ["raised", "cleared"]);
    collector.signal(Signal::TERM);
    collector.end().ends_with(0);
}

#[test]
fn a_database_that_is_away_is_one_alarm_and_one_request_a_minute_until_it_is_back() {
    needs!("faketime");
    all_are_refused(|backend, is_away| backend.set_database(!is_away));
}

#[test]
fn a_key_that_is_changed_and_changed_back_is_one_alarm_and_is_tried_each_minute() {
    needs!("faketime");
    all_are_refused(|backend, is_changed| {
        backend.set_token(if is_changed { "another-key" } else { TOKEN });
    });
}

#[test]
fn the_dashboard_says_that_all_are_refused_and_goes_on_without_a_key() {
    needs!("faketime");
    let clock = Clock::times(RATE);
    let (home, backend) = watching(clock);
    let mut terminal = Terminal::driftline(
        &home,
        &[],
        Setting::default().at(backend.base_url()).clock(clock),
    );
    terminal.shows("connected");
    all_are_answered_after(&backend, 0.0);
    let from = clock.now();
    backend.set_database(false);
    terminal.shows("service refuses (403)");
    while clock.now() < from + 600.0 {
        let screen = terminal.screen();
        assert!(!screen.contains("connected"), "{screen}");
        assert!(!screen.contains("Enter: test"), "{screen}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let standing = alarms(&home, clock);
    assert_eq!(standing.len(), 1, "{standing:#?}");
    assert_eq!(standing[0]["kind"], "unreachable");
    backend.set_database(true);
    let back = clock.now();
    let first = all_are_answered_after(&backend, back);
    let latest = first.iter().copied().fold(0.0, f64::max);
    assert!(latest - back < 60.0 + 2.0 * SLACK_S, "{}", latest - back);
    terminal.shows("connected");
    let ended = until(PATIENCE, || alarms(&home, clock).is_empty().then_some(()));
    assert!(ended.is_some(), "{}", terminal.screen());
    terminal.quits();
}

#[test]
fn one_that_is_refused_or_broken_is_asked_again_within_its_waits_and_overdue_is_notified() {
    needs!("faketime");
    let clock = Clock::times(2 * RATE);
    let (home, backend) = watching(clock);
    let collector = collecting(&home, &backend, clock);
    let from = clock.now();
    let (refused, broken) = (uuid(1), uuid(3));
    backend.set_access(&refused, Access::Forbidden);
    backend.set_access(&broken, Access::Broken);
    clock.wait_until(from + 1500.0);
    let standing = alarms(&home, clock);
    let asked = backend.asked();
    for (number, status) in [(1, 403), (3, 500)] {
        let of_this = asked.iter().filter(|one| one.uuid == uuid(number));
        let mut failed: Vec<f64> = of_this
            .filter(|one| one.status == status)
            .map(|one| one.at)
            .collect();
        // A 500 is tried again at once.
        failed.dedup_by(|next, before| *next - *before < 30.0);
        // The fifth wait of a refusal is an hour.
        assert!(failed.len() >= 4, "{status} {failed:?}");
        for (pair, wait) in failed.windows(2).zip([60.0, 120.0, 240.0, 480.0]) {
            let waited = pair[1] - pair[0];
            assert!(
                waited > wait - 2.0 && waited < 1.1 * wait + SLACK_S,
                "{status} {failed:?}"
            );
        }
        let mut alarms = standing.iter();
        let alarm = alarms.find(|one| one["deployment"] == uuid(number).as_str());
        let alarm = alarm.unwrap_or_else(|| panic!("{status} {standing:#?}"));
        assert_eq!(alarm["kind"], "overdue");
        let text = alarm["text"].as_str().unwrap();
        let why = text.contains("no usable answer since") && text.contains(&status.to_string());
        assert!(why, "{text}");
    }
    assert_eq!(standing.len(), 2, "{standing:#?}");
    // The others are asked for as each fix is due.
    for number in (0..COUNT).filter(|number| ![1, 3].contains(number)) {
        let of_this = asked.iter().filter(|one| one.uuid == uuid(number));
        let times: Vec<f64> = of_this.map(|one| one.at).collect();
        for pair in times.windows(2) {
            let wait = pair[1] - pair[0];
            assert!(wait < INTERVAL_S + 60.0 + SLACK_S, "{number} {times:?}");
        }
    }
    let both = until(PATIENCE, || {
        let told = told(&home);
        let of = |uuid: &str| told.iter().any(|one| one["deployment"] == uuid);
        (of(&refused) && of(&broken)).then_some(told)
    });
    let both = both.unwrap_or_else(|| panic!("{:#?}", told(&home)));
    assert!(both.iter().all(|one| one["event"] == "raised"), "{both:#?}");
    collector.signal(Signal::TERM);
    collector.end().ends_with(0);
}

/// A home with a deployment whose last fix will be over its maximum age in a minute, and a
/// service that answers each later request for it with `act`.
fn with_an_old_fix(act: impl Fn() -> Act + Send + Sync + 'static) -> (Home, Responder) {
    let service = Responder::new(move |_, number| match number {
        0 => Act::json(200, &crate::alarms::fixes(&[0.0; 6], 1800.0)),
        _ => act(),
    });
    let home = Home::new();
    let add = ["deployments", "add", &uuid(0), "--max-age", "31min"];
    Run::driftline(&home, add).ends_with(0);
    let track = ["track", &uuid(0)];
    crate::exit_status::with_token(&home, &service.base_url(), &track).go();
    home.let_a_day_pass();
    (home, service)
}

#[test]
fn a_round_ends_and_judges_by_the_clock_while_an_answer_has_no_end() {
    needs!("faketime");
    let clock = Clock::times(240);
    let pages = AtomicUsize::new(0);
    let page = move || {
        // The hour ends before the 10,000 pages that an answer may have.
        std::thread::sleep(Duration::from_millis(3));
        let number = pages.fetch_add(1, Ordering::Relaxed);
        let next = format!("</{number}>; rel=\"next\"");
        let record = format!(r#"[{{"time_stamp":{number},"latitude":60,"longitude":5}}]"#);
        Act::with(
            200,
            &[("Content-Type", "application/json"), ("Link", &next)],
            &record,
        )
    };
    let (home, service) = with_an_old_fix(page);
    // At this rate the usual 30 s of silence are an eighth of a second, which a busy machine
    // takes for one page.
    let round = Run::driftline(&home, ["collect", "--once", "--timeout", "20min"])
        .at(service.base_url())
        .clock(clock)
        .start();
    let raised = until(PATIENCE, || alarms(&home, clock).pop());
    assert_eq!(raised.unwrap()["kind"], "overdue");
    let answer = round.end();
    answer.says("alarm raised");
    answer.says("no whole answer came in 1 h");
    answer.ends_with(5);
}

#[test]
fn blanks_between_records_are_no_answer() {
    needs!("faketime");
    let drip = || {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[".to_vec();
        Act::Drip(head, vec![b' '; 60_000], Duration::from_millis(1))
    };
    let clock = Clock::times(RATE);
    let (home, service) = with_an_old_fix(drip);
    let began = std::time::Instant::now();
    let answer = Run::driftline(&home, ["collect", "--once"])
        .at(service.base_url())
        .clock(clock)
        .go();
    assert!(began.elapsed() < Duration::from_secs(40), "{answer:#?}");
    answer.ends_with(5);
}
