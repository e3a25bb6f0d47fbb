//! The first start without a service: a form for its address, a token and a
//! deployment instead of an error.

use crate::driver::home::Home;
use crate::driver::keyring::Bus;
use crate::driver::pty::{BACKSPACE, ENTER, ESC, Setting, TAB, Terminal};
use crate::driver::run::Run;
use crate::driver::service::Service;

const CTRL_C: &str = "\x03";

fn settings(home: &Home) -> Option<String> {
    std::fs::read_to_string(home.file(".config/driftline/config.toml")).ok()
}

fn leave(mut terminal: Terminal, key: &str) {
    terminal.keys(key);
    assert_eq!(terminal.end(), 0);
    assert_eq!(terminal.insane(), [""; 0]);
}

#[test]
fn the_first_start_asks_for_the_service_and_opens_its_deployment() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let service = Service::start();
    let (uuid, label) = service.deployments.first().unwrap();
    let setting = || Setting::default().env("DBUS_SESSION_BUS_ADDRESS", &bus.address);
    let terminal = Terminal::driftline(&home, &[], setting());
    terminal.shows("first start");
    terminal.keys("service.example");
    terminal.keys(ENTER);
    // A field is checked when it is left.
    terminal.shows("it starts with neither");
    terminal.keys("\x15");
    terminal.keys(&service.base_url);
    terminal.keys(ENTER);
    terminal.hides("it starts with neither");
    terminal.keys(&service.token);
    terminal.keys(TAB);
    terminal.keys(uuid);
    // A letter is text, and Esc does not close the form.
    terminal.keys("q");
    terminal.shows(&format!("{uuid}q"));
    terminal.keys(BACKSPACE);
    terminal.keys(ESC);
    terminal.hides(&format!("{uuid}q"));
    assert_eq!(settings(&home), None);
    terminal.keys(ENTER);
    // The track of the deployment is open, from the service.
    terminal.shows("COG");
    terminal.shows(&uuid[..8]);
    assert!(!terminal.screen().contains(&service.token));
    leave(terminal, "q");
    let text = settings(&home).unwrap();
    assert_eq!(text, format!("base_url = \"{}\"\n", service.base_url));
    assert_eq!(
        home.files_holding(&service.token),
        [""; 0].map(std::path::PathBuf::from)
    );
    // The next start has service, token and watch list.
    let terminal = Terminal::driftline(&home, &[], setting());
    terminal.shows(&uuid[..8]);
    terminal.shows("ago");
    assert!(!terminal.screen().contains("first start"), "{label}");
    leave(terminal, "q");
}

#[test]
fn a_token_that_no_keyring_takes_is_used_by_this_session_and_that_is_said() {
    let home = Home::new();
    let service = Service::start();
    let uuid = &service.deployments.first().unwrap().0;
    let terminal = Terminal::driftline(&home, &[], Setting::default());
    terminal.shows("first start");
    terminal.keys(&format!("{}{ENTER}", service.base_url));
    terminal.keys(&format!("{}{ENTER}", service.token));
    terminal.keys(&format!("{uuid}{ENTER}"));
    terminal.shows("set DRIFTLINE_TOKEN before the next start: the token could not be stored");
    terminal.shows("UTC");
    leave(terminal, "q");
    assert_eq!(
        home.files_holding(&service.token),
        [""; 0].map(std::path::PathBuf::from)
    );
}

#[test]
fn demo_as_address_opens_the_demo_and_stores_nothing() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &[], Setting::size(80, 24));
    terminal.shows("first start");
    terminal.keys(&format!("demo{ENTER}"));
    terminal.shows("Drifter, Drake");
    leave(terminal, "q");
    assert_eq!(settings(&home), None);
}

#[test]
fn ctrl_c_leaves_the_form_and_without_a_terminal_the_missing_service_is_2() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &[], Setting::size(60, 16));
    terminal.shows("first start");
    leave(terminal, CTRL_C);
    assert_eq!(settings(&home), None);
    let check = Run::driftline(&home, ["track", "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa"]).go();
    assert_eq!(check.status, 2, "{check:?}");
}
