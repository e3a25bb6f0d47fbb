//! What a hasty or a stuttering hand does to the questions of the dashboard:
//! keys that come too soon, too often or too many at once.

use std::time::Duration;

use crate::driver::home::Home;
use crate::driver::pty::{ENTER, Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::TRACK;

fn sent(service: &Responder, method: &str) -> usize {
    let requests = service.requests();
    requests.iter().filter(|one| one.method == method).count()
}

fn open(home: &Home, service: &Responder) -> Terminal {
    let terminal = Terminal::driftline(home, &[], Setting::default().at(service.base_url()));
    terminal.shows("UTC");
    terminal.keys("3");
    terminal
}

fn create(home: &Home, service: &Responder) -> i32 {
    let arguments = [
        "plants", "create", "--id", "7", "--name", "rose", "--tag", "t",
    ];
    Run::driftline(home, arguments)
        .at(service.base_url())
        .go()
        .status
}

/// Types plant 7 into the form, and answers the question that follows.
fn create_again(terminal: &Terminal, answer: &str) {
    terminal.keys("n");
    terminal.shows("New plant");
    terminal.keys("7\trose\tt\r");
    // A question counts once it could be read.
    std::thread::sleep(Duration::from_millis(700));
    terminal.keys(answer);
    std::thread::sleep(Duration::from_millis(300));
}

#[test]
fn an_unknown_create_is_sent_again_once_however_often_it_is_asked_for() {
    let home = Home::new();
    let service = Responder::new(|request, number| match (request.method.as_str(), number) {
        ("GET", _) => Act::json(200, TRACK),
        (_, 0) => Act::hang_up(),
        _ => Act::silence(),
    });
    assert_eq!(create(&home, &service), 7);
    let before = sent(&service, "POST");
    let terminal = open(&home, &service);
    terminal.shows("unknown");
    // Enter shows what was requested, however often, and sends nothing.
    terminal.keys("\r\r\r\r");
    create_again(&terminal, "y");
    create_again(&terminal, "y");
    assert_eq!(sent(&service, "POST"), before + 1, "{}", terminal.screen());
}

#[test]
fn a_create_of_a_plant_that_may_exist_is_a_question_in_which_enter_sends_nothing() {
    let home = Home::new();
    let service = Responder::new(|request, number| match (request.method.as_str(), number) {
        ("GET", _) => Act::json(200, TRACK),
        (_, 0) => Act::hang_up(),
        _ => Act::json(200, &String::from_utf8_lossy(&request.body)),
    });
    assert_eq!(create(&home, &service), 7);
    let before = sent(&service, "POST");
    let terminal = open(&home, &service);
    terminal.shows("unknown");
    create_again(&terminal, "\r");
    assert_eq!(sent(&service, "POST"), before, "{}", terminal.screen());
    create_again(&terminal, "y");
    terminal.shows("✓ exists");
    assert_eq!(sent(&service, "POST"), before + 1, "{}", terminal.screen());
}

#[test]
fn a_delete_counts_only_once_its_question_was_on_the_screen() {
    let home = Home::new();
    let service = Responder::new(|request, _| match request.method.as_str() {
        "GET" => Act::json(200, TRACK),
        _ => Act::json(200, &String::from_utf8_lossy(&request.body)),
    });
    assert_eq!(create(&home, &service), 0);
    let terminal = open(&home, &service);
    terminal.shows("rose");
    for _ in 0..4 {
        // All at once: a busy machine makes no pause between them.
        terminal.keys("Dy\t\r");
        terminal.shows("Delete plant");
        terminal.keys("\x1b");
        terminal.hides("Delete plant");
    }
    assert_eq!(sent(&service, "DELETE"), 0, "{}", terminal.screen());
    terminal.keys("D");
    terminal.shows("Delete plant");
    terminal.keys("y");
    until(PATIENCE, || (sent(&service, "DELETE") == 1).then_some(())).expect("no delete");
}

#[test]
fn a_token_that_is_too_long_is_refused_wherever_it_is_given_and_never_cut() {
    let home = Home::new();
    let service = Responder::new(|request, _| match request.header("authorization") {
        Some(_) => Act::json(200, TRACK),
        None => Act::json(401, "{}"),
    });
    let long = "x".repeat(4097);
    for paste in [
        format!("\x1b[200~{long}\x1b[201~"),
        // A terminal without bracketed paste.
        long.clone(),
    ] {
        let setting = Setting::default().env("DRIFTLINE_BASE_URL", service.base_url());
        let terminal = Terminal::driftline(&home, &[crate::exit_status::UUID], setting);
        terminal.shows("Token");
        std::thread::sleep(Duration::from_millis(200));
        terminal.keys(&paste);
        terminal.shows("4097 characters");
        terminal.keys(ENTER);
        std::thread::sleep(Duration::from_millis(300));
        terminal.shows("4097 characters");
        assert!(
            service.requests().is_empty(),
            "{:?}",
            service.requests().len()
        );
    }
    let login = |input: &str| {
        Run::driftline(&home, ["auth", "login"])
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .stdin(input)
            .go()
    };
    login(&"x".repeat(64 * 1024 + 1))
        .ends_with(2)
        .says("64 KiB");
    assert!(service.requests().is_empty());
    // On a terminal a line has its own bound, behind which the system cuts.
    let setting = Setting::default().env("DRIFTLINE_BASE_URL", service.base_url());
    let mut terminal = Terminal::driftline(&home, &["auth", "login"], setting);
    terminal.shows("Token:");
    std::thread::sleep(Duration::from_millis(200));
    terminal.keys(&"x".repeat(5000));
    terminal.keys(ENTER);
    terminal.shows("this is not a token");
    assert_eq!(terminal.end(), 2);
    assert!(service.requests().is_empty());
}
