//! Settings that are chosen on the screen and written into the file.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::TRACK;
use crate::remapped_keys::{dashboard, started};

const FILE: &str = ".config/driftline/config.toml";
/// The key F2, as a terminal sends it.
const F2: &str = "\x1bOQ";
const RIGHT: &str = "\x1b[C";

/// The line of the selected setting, `NAME = VALUE (ORIGIN)`; empty while it is
/// being drawn.
fn chosen(screen: &str) -> String {
    let line = screen.lines().find(|line| line.contains(" = "));
    let line = line.unwrap_or_default().trim_matches(['┃', ' ']);
    line.split_inclusive(')')
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn read(home: &Home) -> String {
    std::fs::read_to_string(home.file(FILE)).unwrap()
}

#[test]
fn a_setting_counts_at_once_and_is_in_the_file_after_its_key() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let base = service.base_url();
    let before =
        format!("# the ship\nbase_url = \"{base}\" # by Ann\n\n[keys]\n\"all.pause\" = [\"f9\"]\n");
    home.write(FILE, &before);
    let mut terminal = started(&home);
    terminal.shows("fixes 2");
    terminal.keys(F2);
    terminal.shows("units = nautical (default)");
    terminal.keys(RIGHT);
    terminal.shows("units = metric (this session)");
    // Nothing is written before its key.
    assert_eq!(read(&home), before);
    terminal.keys("w");
    terminal.shows("units written into the settings file");
    terminal.keys("\r");
    terminal.shows("km/h");
    terminal.quits();
    let after = before.replace("Ann\n", "Ann\nunits = \"metric\"\n");
    assert_eq!(read(&home), after);
    // The next start has it.
    let mut terminal = started(&home);
    terminal.shows("km/h");
    terminal.quits();
    let shown = Run::driftline(&home, ["config", "show"]).go();
    let shown = shown.ends_with(0).stdout;
    let line = shown.lines().find(|line| line.starts_with("units "));
    assert!(line.is_some_and(|line| line.contains("metric") && line.ends_with("config.toml:3")));
}

#[test]
fn the_columns_that_are_shown_are_written_and_the_next_start_has_them() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let mut terminal = dashboard(&home, &service, "");
    terminal.shows("fixes 2");
    terminal.keys(",");
    terminal.shows("[x] flag");
    terminal.keys(" w");
    terminal.shows("columns track written");
    terminal.keys("\r");
    terminal.quits();
    let text = read(&home);
    let columns = "[columns]\ntrack = [\"time\", \"position\", \"SOG COG\", \"leg\", \"interval\", \"reason\"]\n";
    assert!(text.ends_with(columns), "{text}");
}

#[test]
fn the_terminal_gets_theme_and_mouse_at_once() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let mut terminal = dashboard(&home, &service, "");
    terminal.shows("fixes 2");
    terminal.keys(F2);
    let mut shown = chosen(&terminal.shows("units = nautical (default)"));
    while shown != "mouse = true (default)" {
        terminal.keys("j");
        let screen = terminal.wait("another setting", |screen| {
            let now = chosen(screen);
            now.ends_with(')') && now != shown
        });
        shown = chosen(&screen);
    }
    terminal.keys(RIGHT);
    terminal.shows("mouse = false (this session)");
    // The bytes that ask the terminal to keep its mouse.
    let left = b"\x1b[?1000l";
    assert!(terminal.bytes().windows(left.len()).any(|at| at == left));
    terminal.keys("\r");
    terminal.quits();
}

#[test]
fn the_demo_writes_no_settings() {
    let home = Home::new();
    let mut terminal = Terminal::driftline(&home, &["demo"], Setting::default());
    terminal.shows("connected");
    terminal.keys(F2);
    terminal.shows("units = nautical");
    terminal.keys(RIGHT);
    terminal.keys("w");
    terminal.shows("no settings file is written here");
    terminal.keys("\r");
    terminal.quits();
    assert!(!home.file(FILE).exists());
}
