//! A keyring in every bad mood: killed, damaged, ambiguous, holding what is no
//! token, and slow. Each is a message, and each has its own.

use std::time::Duration;

use rustix::process::Signal;

use crate::driver::home::Home;
use crate::driver::keyring::{Bus, login_file};
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::{TOKEN, TRACK, UUID};

const NOTHING: [&str; 0] = [];

/// A home whose keyring holds the token for a service.
struct LoggedIn {
    home: Home,
    bus: Bus,
    service: Responder,
}

impl LoggedIn {
    fn new() -> LoggedIn {
        LoggedIn::at(Responder::json(200, TRACK))
    }

    fn at(service: Responder) -> LoggedIn {
        let home = Home::new();
        let bus = Bus::unlocked(&home);
        let all = LoggedIn { home, bus, service };
        all.run(&["auth", "login"]).stdin(TOKEN).ends_with(0);
        all
    }

    fn run(&self, arguments: &[&str]) -> Run {
        Run::driftline(&self.home, arguments)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus.address)
            .env("DRIFTLINE_BASE_URL", self.service.base_url())
    }

    fn track(&self) -> Answer {
        self.run(&["track", UUID]).go()
    }

    fn shell(&self, line: &str) -> Answer {
        let run = Run::shell(&self.home, line).env("DBUS_SESSION_BUS_ADDRESS", &self.bus.address);
        let answer = run
            .env("ACCOUNT", format!("default {}", self.service.base_url()))
            .go();
        assert_eq!(answer.status, 0, "{answer:#?}");
        answer
    }

    fn dashboard(&self) -> Terminal {
        let setting = Setting::default()
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus.address)
            .env("DRIFTLINE_BASE_URL", self.service.base_url());
        Terminal::driftline(&self.home, &[UUID], setting)
    }

    fn asked(&self) -> usize {
        self.service.requests().len()
    }
}

#[test]
fn one_that_was_killed_leaves_a_dashboard_its_token_and_tells_the_next_process_what_is_wrong() {
    needs!("keyring");
    let mut all = LoggedIn::new();
    let mut terminal = all.dashboard();
    terminal.shows("UTC");
    until(PATIENCE, || (all.asked() > 0).then_some(())).unwrap();
    let before = all.asked();
    all.bus.stop_keyring();
    std::thread::sleep(Duration::from_millis(300));
    terminal.keys("r");
    until(PATIENCE, || (all.asked() > before).then_some(())).unwrap();
    let requests = all.service.requests();
    let bearer = requests.last().unwrap().header("authorization");
    assert_eq!(bearer, Some(format!("Bearer {TOKEN}").as_str()));
    terminal.quits();
    assert_eq!(terminal.insane(), NOTHING);
    let asked = all.asked();
    let answer = all.track().ends_with(3);
    assert!(answer.took < SOON, "{answer:#?}");
    assert_eq!(all.asked(), asked);
    // It comes back, and so does the token.
    all.bus.start_keyring(&all.home, true);
    all.track().ends_with(0);
}

#[test]
fn a_damaged_file_reads_as_no_entry_and_the_message_says_what_may_be_the_matter() {
    needs!("keyring");
    let mut all = LoggedIn::new();
    all.bus.stop_keyring();
    let file = login_file(&all.home);
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..40]).unwrap();
    all.bus.start_keyring(&all.home, false);
    let answer = all.track().ends_with(3);
    assert!(answer.took < SOON, "{answer:#?}");
    answer.says("secret-tool search");
    answer.says("DRIFTLINE_TOKEN");
    assert_eq!(std::fs::read(&file).unwrap(), whole[..40], "left as it is");
}

#[test]
fn of_two_entries_none_is_guessed_and_a_logout_removes_both() {
    needs!("keyring");
    let all = LoggedIn::new();
    all.shell(
        "printf other | secret-tool store --label=b service driftline username \"$ACCOUNT\" by hand",
    );
    let asked = all.asked();
    let answer = all.track().ends_with(3);
    answer.says("2 entries");
    answer.says("auth logout");
    assert!(!answer.stderr.contains("other"), "{answer:#?}");
    assert_eq!(all.asked(), asked);
    all.run(&["auth", "logout"]).ends_with(0);
    let left = Run::shell(&all.home, "secret-tool search --all service driftline")
        .env("DBUS_SESSION_BUS_ADDRESS", &all.bus.address)
        .go();
    assert!(!left.stdout.contains("secret"), "{left:#?}");
}

#[test]
fn an_entry_that_is_no_token_is_named_and_never_shown() {
    needs!("keyring");
    for secret in ["\\377\\376zzz", "two words zzz", "zzz\\tzzz", ""] {
        let all = LoggedIn::new();
        all.shell(&format!(
            "printf '{secret}' | secret-tool store --label=x service driftline username \"$ACCOUNT\""
        ));
        let asked = all.asked();
        for arguments in [&["track", UUID][..], &["plants", "delete", "7", "--yes"]] {
            let answer = all.run(arguments).ends_with(3);
            // A port may hold any figures, those of a byte among them.
            let said = answer.stderr.replace(&all.service.base_url(), "BASE");
            assert!(!said.contains("zzz"), "{secret:?} {answer:#?}");
            assert!(!said.contains("255"), "{secret:?} {said}");
            assert!(said.contains("auth log"), "{secret:?} {answer:#?}");
        }
        assert_eq!(all.asked(), asked, "{secret:?}");
    }
}

#[test]
fn a_logout_without_an_entry_is_done_and_says_what_is_still_set() {
    needs!("keyring");
    let all = LoggedIn::new();
    all.run(&["auth", "logout"]).ends_with(0);
    let again = all
        .run(&["auth", "logout"])
        .env("DRIFTLINE_TOKEN", TOKEN)
        .ends_with(0);
    again.says("No token was stored");
    again.says("DRIFTLINE_TOKEN is still set");
}

#[test]
fn one_that_takes_long_is_told_within_three_seconds_and_waited_for_up_to_five() {
    needs!("keyring");
    let all = LoggedIn::new();
    all.bus.signal_keyring(Signal::STOP);
    let terminal = all.dashboard();
    terminal.shows("keyring has not answered");
    assert!(terminal.age() < SOON, "{:?}", terminal.age());
    drop(terminal);
    // One that answers after three seconds is in time.
    let patient = all.run(&["track", UUID]).start();
    std::thread::sleep(Duration::from_secs(3));
    all.bus.signal_keyring(Signal::CONT);
    patient.end().ends_with(0).says("keyring has not answered");
}

#[test]
fn a_failed_login_leaves_the_token_that_was_there() {
    needs!("keyring");
    let all = LoggedIn::new();
    all.bus.signal_keyring(Signal::STOP);
    let answer = all
        .run(&["auth", "login"])
        .stdin("another-one")
        .ends_with(3);
    answer.says("nothing was stored");
    assert!(!answer.stderr.contains("another-one"), "{answer:#?}");
    all.bus.signal_keyring(Signal::CONT);
    all.track().ends_with(0);
    let requests = all.service.requests();
    let bearer = requests.last().unwrap().header("authorization");
    assert_eq!(bearer, Some(format!("Bearer {TOKEN}").as_str()));
}

#[test]
fn a_refused_token_stops_the_asking_and_one_logged_in_elsewhere_is_found_at_r() {
    needs!("keyring");
    let service = Responder::new(|request, _| match request.header("authorization") {
        Some("Bearer new-one") => Act::json(200, TRACK),
        _ => Act::json(401, r#"{"error":1,"message":"token revoked"}"#),
    });
    let all = LoggedIn::at(service);
    all.home
        .write(".config/driftline/config.toml", "refresh = \"1s\"\n");
    let mut terminal = all.dashboard();
    terminal.shows("401");
    let refused = all.asked();
    std::thread::sleep(Duration::from_secs(4));
    assert!(all.asked() <= refused + 1, "{} requests", all.asked());
    all.run(&["auth", "login"]).stdin("new-one\n").ends_with(0);
    terminal.keys("\x1b");
    std::thread::sleep(Duration::from_millis(200));
    terminal.keys("r");
    terminal.shows("UTC");
    terminal.quits();
    assert_eq!(terminal.insane(), NOTHING);
}
