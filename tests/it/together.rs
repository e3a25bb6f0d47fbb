//! Several deployments of the demo on one map, in a real terminal.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::{PATIENCE, until};

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
            .rfind(|line| line.contains(name) && line.starts_with('┃'))
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
