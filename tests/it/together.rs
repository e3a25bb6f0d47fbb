//! Several deployments of the demo on one map, in a real terminal.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TOKEN, TRACK, UUID};

#[test]
fn marked_deployments_are_on_one_map_and_the_list_has_their_letters() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &["demo"], Setting::size(120, 40));
    // The seal may be late at this time of the day.
    terminal.shows("1 lost");
    terminal.hides("loading");
    terminal.keys("j ");
    terminal.shows("with A, Elephant seal, Kerguelen");
    terminal.keys("j ");
    terminal.shows("opens A and B on one map");
    let list = terminal.screen();
    let row = |name: &str| {
        list.lines()
            .rfind(|line| line.contains(name) && line.contains("ago"))
    };
    assert!(
        row("Float, South").is_some_and(|line| line.contains("B ●")),
        "{list}"
    );
    terminal.keys("2");
    terminal.shows("A ━ Elephant seal");
    terminal.shows("B ━ Float, South Pacific");
    // The next table is of the other one, and the legend stays.
    terminal.keys(">");
    terminal.shows("Elephant seal, Kerguelen · Summary");
    terminal.shows("B ━ Float, South Pacific");
    // Unmarked, each is alone again.
    terminal.keys("1");
    terminal.hides("Elephant seal, Kerguelen · Summary");
    // Esc first ends a message or a request in progress, if there is one.
    let unmarked = (0..3).find_map(|_| {
        terminal.keys("\u{1b}");
        until(PATIENCE / 10, || {
            terminal.screen().contains("2 unmarked").then_some(())
        })
    });
    assert!(unmarked.is_some(), "{}", terminal.screen());
    terminal.keys("2");
    terminal.shows("Elephant seal, Kerguelen · Summary");
    terminal.hides("B ━ Float");
}

#[test]
fn the_next_run_has_the_same_marks() {
    const OTHER: &str = "0b0e5c1e-7f0a-4b7e-9d55-5a3f7c1d2e4f";
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    const FILE: &str = ".config/driftline/config.toml";
    let base = service.base_url();
    let before = format!("base_url = \"{base}\" # by Ann\n");
    home.write(FILE, &before);
    for (uuid, label) in [(OTHER, "Ann"), (UUID, "Bob")] {
        let words = ["deployments", "add", uuid, "--label", label];
        Run::driftline(&home, words).go().ends_with(0);
    }
    let start = || {
        let setting = Setting::size(120, 40).env("DRIFTLINE_TOKEN", TOKEN);
        Terminal::driftline(&home, &[], setting)
    };
    let mut terminal = start();
    terminal.shows("Bob");
    terminal.hides("loading");
    terminal.keys("j ");
    terminal.shows("with A, Bob");
    terminal.keys("k ");
    terminal.shows("opens A and B on one map");
    // The message of the mark is not covered by one about the file.
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    let after = format!("{before}marked = [\"{UUID}\", \"{OTHER}\"]\n");
    assert_eq!(std::fs::read_to_string(home.file(FILE)).unwrap(), after);
    let mut terminal = start();
    terminal.shows("Bob");
    terminal.hides("loading");
    terminal.keys("2");
    terminal.shows("B ━ Ann");
    terminal.shows("A ━ Bob");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
