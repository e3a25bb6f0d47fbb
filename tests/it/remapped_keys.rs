//! Keys that the settings give to actions.

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::{TOKEN, TRACK, UUID};

/// The dashboard on a track, with these lines in its settings.
pub(crate) fn dashboard(home: &Home, service: &Responder, lines: &str) -> Terminal {
    let base = service.base_url();
    home.write(
        ".config/driftline/config.toml",
        format!("base_url = \"{base}\"\n{lines}"),
    );
    started(home)
}

/// The dashboard on a track, with the settings of the home.
pub(crate) fn started(home: &Home) -> Terminal {
    let setting = Setting::default().env("DRIFTLINE_TOKEN", TOKEN);
    Terminal::driftline(home, &[UUID], setting)
}

#[test]
fn footer_and_help_show_the_keys_of_the_settings_and_they_act() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let keys = "[keys]\n\"track.measure\" = [\"Q\"]\n\"all.quit\" = [\"f10\"]\n";
    let mut terminal = dashboard(&home, &service, keys);
    // Before a fix is shown there is none to measure from.
    terminal.shows("fixes 2");
    // The footer is that of the pane with the focus: after map, timeline and summary the table.
    terminal.keys("www");
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
fn the_mouse_is_taken_unless_the_settings_leave_it_to_the_terminal() {
    // The bytes that ask the terminal to report presses of the mouse.
    let takes = |lines: &str| {
        let (home, service) = (Home::new(), Responder::json(200, TRACK));
        let mut terminal = dashboard(&home, &service, lines);
        terminal.shows("fixes 2");
        terminal.quits();
        let asked = b"\x1b[?1000h";
        terminal.bytes().windows(asked.len()).any(|at| at == asked)
    };
    assert!(takes(""));
    assert!(!takes("mouse = false\n"));
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

#[test]
fn config_show_refuses_what_the_dashboard_would_refuse() {
    let home = Home::new();
    let show = |lines: &str| {
        home.write(".config/driftline/config.toml", lines);
        Run::driftline(&home, ["config", "show"]).go()
    };
    for (lines, said) in [
        (
            "[keys]\n\"track.measure\" = [\"j\"]\n",
            ":2:1: j is a key of track.measure and of table.down",
        ),
        ("[keys]\n\"all.quit\" = []\n", ":2:1: all.quit needs a key"),
        (
            "[keys]\n\"all.units\" = [\"ctrl-i\"]\n",
            ":2:1: Ctrl-I cannot be set: a terminal sends the same",
        ),
        (
            "[columns]\ntrack = [\"postion\"]\n",
            ":2:1: no column is named 'postion': did you mean 'position'?",
        ),
    ] {
        let errors = show(lines).ends_with(2).stderr;
        assert!(errors.contains(said), "{errors}");
    }
    let shown = show("[keys]\n\"all.units\" = [\"f9\"]\n[columns]\nplants = [\"id\", \"name\"]\n");
    let text = shown.ends_with(0).stdout;
    assert!(text.contains("keys all.units       f9"), "{text}");
    assert!(text.contains("columns plants       id, name"), "{text}");
}
