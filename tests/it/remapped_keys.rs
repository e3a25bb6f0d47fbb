//! Keys that the settings give to actions.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::wire::Responder;
use crate::exit_status::{TOKEN, TRACK, UUID};

/// The dashboard on a track, with these lines in its settings.
fn dashboard(home: &Home, service: &Responder, lines: &str) -> Terminal {
    let base = service.base_url();
    home.write(
        ".config/driftline/config.toml",
        format!("base_url = \"{base}\"\n{lines}"),
    );
    let setting = Setting::default().env("DRIFTLINE_TOKEN", TOKEN);
    Terminal::driftline(home, &[UUID], setting)
}

#[test]
fn footer_and_help_show_the_keys_of_the_settings_and_they_act() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let keys = "[keys]\n\"track.measure\" = [\"Q\"]\n\"all.quit\" = [\"f10\"]\n";
    let mut terminal = dashboard(&home, &service, keys);
    terminal.shows("Q measure");
    terminal.keys("Q");
    terminal.shows("mark to cursor");
    terminal.keys("q");
    terminal.shows("q: no action");
    // F10, as a terminal sends it.
    terminal.keys("\x1b[21~");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn keys_that_clash_end_the_start_with_their_line() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let mut terminal = dashboard(&home, &service, "[keys]\n\"track.measure\" = [\"j\"]\n");
    assert_eq!(terminal.end(), 2);
    let screen = terminal.screen();
    let said = "config.toml:3:1: j is a key of track.measure and of table.down";
    assert!(screen.replace('\n', "").contains(said), "{screen}");
}
