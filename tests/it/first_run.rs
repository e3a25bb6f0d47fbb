//! The first start without a service: a form for its address instead of an error.

use crate::driver::home::Home;
use crate::driver::pty::{BACKSPACE, ENTER, ESC, Setting, Terminal};
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
fn the_first_start_asks_for_the_service_and_opens_the_list() {
    let home = Home::new();
    let service = Service::start();
    let terminal = Terminal::driftline(&home, &[], Setting::default());
    terminal.shows("first start");
    terminal.keys("service.example");
    terminal.keys(ENTER);
    terminal.shows("it starts with neither");
    terminal.keys("\x15");
    terminal.keys(&service.base_url);
    // A letter is text, and Esc does not close the form.
    terminal.keys("q");
    terminal.shows(&format!("{}q", service.base_url));
    terminal.keys(BACKSPACE);
    terminal.keys(ESC);
    terminal.hides(&format!("{}q", service.base_url));
    assert_eq!(settings(&home), None);
    terminal.keys(ENTER);
    terminal.shows("No deployment is watched yet");
    leave(terminal, "q");
    let text = settings(&home).unwrap();
    assert_eq!(text, format!("base_url = \"{}\"\n", service.base_url));
    // The next start has the service.
    let terminal = Terminal::driftline(&home, &[], Setting::default());
    terminal.shows("No deployment is watched yet");
    assert!(!terminal.screen().contains("first start"));
    leave(terminal, "q");
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
