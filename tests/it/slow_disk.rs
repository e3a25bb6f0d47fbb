//! A disk on which every sync takes long: no key waits for it, and the end is
//! bounded.

use std::time::{Duration, Instant};

use crate::driver::SOON;
use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TRACK, UUID};

/// How long each sync takes.
const SYNC: Duration = Duration::from_secs(2);
/// A key acts within this, with the tracer and other tests on the machine.
const AT_ONCE: Duration = Duration::from_secs(1);

#[test]
fn no_key_waits_for_a_slow_disk_and_the_end_is_bounded() {
    needs!("strace");
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    Run::driftline(&home, ["deployments", "add", UUID, "--label", "ice seven"]).ends_with(0);
    let setting = Setting::default().at(service.base_url());
    let slow = format!("inject=fsync,fdatasync:delay_enter={}", SYNC.as_micros());
    let trace = home.file("trace");
    let arguments = [
        "-f",
        "-qq",
        "-o",
        trace.to_str().unwrap(),
        "-e",
        "trace=fsync,fdatasync",
        "-e",
        &slow,
        "--",
        DRIFTLINE,
    ];
    let mut terminal = Terminal::program(&home, "strace", &arguments, setting);
    // The answer is stored meanwhile.
    terminal.shows("ice seven");
    terminal.shows("85.51");
    let acts = |key: &str, shown: &str| {
        let start = Instant::now();
        terminal.keys(key);
        terminal.shows(shown);
        let took = start.elapsed();
        assert!(took < AT_ONCE, "{key}: {took:?}");
    };
    for (letter, platform) in [
        ("d", "platform drifter"),
        ("f", "platform float"),
        ("g", "platform glider"),
    ] {
        acts(&format!("e\t\t{letter}\r"), platform);
        acts("4", "GET");
        acts("1", "ice seven");
        acts("?", "┏ Keys: ");
        terminal.keys("\x1b");
        terminal.hides("┏ Keys: ");
    }
    let synced = until(PATIENCE, || {
        let trace = std::fs::read_to_string(&trace).unwrap_or_default();
        (trace.matches("fsync").count() + trace.matches("fdatasync").count() > 1).then_some(())
    });
    assert!(synced.is_some(), "nothing was slow");
    terminal.keys("e\t\tm\r");
    terminal.shows("platform mooring");
    let start = Instant::now();
    terminal.keys("q");
    let status = terminal.end();
    let took = start.elapsed();
    // What is stored is waited for 5 s; what is not is said with 1.
    assert!(took < SOON, "{took:?}");
    assert!(matches!(status, 0 | 1), "{status}");
    let screen = terminal.screen();
    assert!(
        status == 0 || screen.contains("the archive did not store"),
        "{screen}"
    );
}
