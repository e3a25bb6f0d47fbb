//! The dashboard inside tmux: what is copied reaches the terminal around it, or
//! the message says what to set.

use std::process::Command;

use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::pty::{Setting, Terminal};
use crate::driver::until;
use crate::driver::wire::Responder;
use crate::exit_status::{TRACK, UUID};

/// A tmux server of its own, which ends with the test.
struct Tmux<'a>(&'a Home);

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let socket = self.0.file("tmux");
        Command::new("tmux")
            .args(["-S", socket.to_str().unwrap(), "kill-server"])
            .output()
            .ok();
    }
}

#[test]
fn inside_tmux_a_copy_reaches_the_terminal_or_it_is_said_what_to_set() {
    needs!("tmux");
    // The position of the first row, 85.51000°N 010.50000°E, as OSC 52 carries it.
    let coded = "ODUuNTEwMDDCsE4gMDEwLjUwMDAwwrBF";
    for (option, reaches) in [("on", true), ("external", false)] {
        let (home, service) = (Home::new(), Responder::json(200, TRACK));
        let tmux = Tmux(&home);
        let socket = home.file("tmux");
        let settings = home.write("tmux.conf", format!("set -g set-clipboard {option}\n"));
        let setting = Setting::default().at(service.base_url());
        let command = format!("{DRIFTLINE} {UUID}");
        let arguments = [
            "-S",
            socket.to_str().unwrap(),
            "-f",
            settings.to_str().unwrap(),
            "new-session",
            &command,
        ];
        let terminal = Terminal::program(&home, "tmux", &arguments, setting);
        terminal.shows("85.51");
        terminal.keys("1");
        terminal.shows("by status");
        terminal.keys("y");
        terminal.shows("set -g set-clipboard on");
        let reached = until(std::time::Duration::from_secs(3), || {
            let bytes = terminal.bytes();
            crate::driver::home::holds(&bytes, coded).then_some(())
        });
        assert_eq!(reached.is_some(), reaches, "set-clipboard {option}");
        // It is said once.
        terminal.keys("4");
        terminal.keys("1");
        terminal.keys("y");
        terminal.wait("another copy", |screen| {
            screen.contains("copied ") && !screen.contains("set-clipboard")
        });
        terminal.keys("q");
        drop(tmux);
    }
}
