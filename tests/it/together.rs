//! Several deployments of the demo on one map, in a real terminal.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};

#[test]
fn marked_deployments_are_on_one_map_and_the_list_has_their_letters() {
    let home = Home::new();
    let terminal = Terminal::driftline(&home, &["demo"], Setting::size(120, 40));
    // The seal may be late at this time of the day.
    terminal.shows("1 lost");
    terminal.hides("loading");
    terminal.keys("j ");
    terminal.shows("A Elephant seal, Kerguelen marked");
    terminal.keys("j ");
    terminal.shows("2 shows 2 on one map");
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
    terminal.shows("Summary · Elephant seal");
    terminal.shows("B ━ Float, South Pacific");
    // Unmarked, each is alone again.
    terminal.keys("1");
    terminal.shows("Deployments");
    terminal.keys("\u{1b}");
    terminal.shows("2 unmarked");
    terminal.keys("2");
    terminal.shows("Summary · Elephant seal");
    terminal.hides("B ━ Float");
}
