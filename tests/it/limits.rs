//! What the system refuses (threads, open files, room in a file) and the signals
//! by which it or a person ends a program.

use std::time::Duration;

use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::Responder;
use crate::exit_status::{TRACK, UUID};

const NOTHING: [&str; 0] = [];

/// Runs the program under a limit of the shell, as nobody where the tests run as
/// root: no limit on processes holds for root.
fn limited(home: &Home, service: &Responder, limit: &str, arguments: &str) -> Answer {
    let line = format!("ulimit {limit}; exec \"$DRIFTLINE\" {arguments}");
    let mut words = vec!["--norc", "-c", &line];
    let root = rustix::process::getuid().is_root();
    if root {
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "bash"];
        words.splice(0..0, nobody);
    }
    Run::program(home, if root { "setpriv" } else { "bash" }, words)
        .env("DRIFTLINE", DRIFTLINE)
        .at(service.base_url())
        .go()
}

#[track_caller]
fn is_no_panic(answer: &Answer, limit: &str) {
    assert!(answer.status < 10, "{limit}: {answer:#?}");
    assert!(!answer.stderr.contains("panicked"), "{limit}: {answer:#?}");
    assert!(
        answer.took < Duration::from_secs(30),
        "{limit}: {answer:#?}"
    );
}

#[test]
fn whatever_is_refused_to_it_the_program_says_so_and_check_is_unknown() {
    needs!("setpriv");
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let mut refused = 0;
    let limits = (1..=14)
        .map(|count| format!("-u {count}"))
        .chain((4..=14).map(|count| format!("-n {count}")));
    for limit in limits {
        let check = limited(&home, &service, &limit, &format!("check {UUID}"));
        is_no_panic(&check, &limit);
        // The last fix is years old.
        assert!([2, 3].contains(&check.status), "{limit}: {check:#?}");
        assert!(
            check.stdout.starts_with("DRIFTLINE "),
            "{limit}: {check:#?}"
        );
        let track = limited(&home, &service, &limit, &format!("track {UUID}"));
        is_no_panic(&track, &limit);
        assert!([0, 1, 5].contains(&track.status), "{limit}: {track:#?}");
        refused += i32::from(track.status != 0);
    }
    assert!(refused > 4, "the limits do not hold: {refused}");
}

#[test]
fn neither_the_machine_nor_the_environment_decides_on_the_number_of_threads() {
    let (home, service) = (Home::new(), Responder::silent());
    for workers in ["0", "64", "x"] {
        let running = Run::driftline(&home, ["track", UUID])
            .at(service.base_url())
            .env("TOKIO_WORKER_THREADS", workers)
            .start();
        std::thread::sleep(Duration::from_millis(1500));
        let threads = std::fs::read_dir(format!("/proc/{}/task", running.id())).unwrap();
        let count = threads.count();
        assert!((5..=12).contains(&count), "{workers}: {count} threads");
        running.signal(rustix::process::Signal::TERM);
        assert_eq!(running.end().status, 143);
    }
}

#[test]
fn a_panic_is_1_and_in_check_3_whether_it_can_be_reported_or_not() {
    let home = Home::new();
    for (command, status) in [("config path", 1), ("check x", 3), ("track x", 1)] {
        for error in ["2>&2", "2>/dev/full", "2>&-"] {
            let answer = Run::shell(&home, &format!("\"$DRIFTLINE\" {command} {error}"))
                .env("DRIFTLINE_TEST_PANIC", "command")
                .go();
            assert_eq!(answer.status, status, "{command} {error}: {answer:#?}");
            assert_eq!(answer.stderr.contains("panicked"), error == "2>&2");
        }
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_not_the_end() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let line = format!("ulimit -f 0; exec \"$DRIFTLINE\" track {UUID} --format csv --output x.csv");
    let run = |line: &str| Run::shell(&home, line).at(service.base_url()).go();
    run(&line).ends_with(1).says("File too large");
    assert!(!home.file("x.csv").exists());
    // The dashboard goes on with an archive that takes nothing.
    let setting = Setting::default()
        .env("DRIFTLINE", DRIFTLINE)
        .at(service.base_url());
    let script = "ulimit -f 4; exec \"$DRIFTLINE\" 0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01";
    let mut terminal = Terminal::program(&home, "bash", &["--norc", "-c", script], setting);
    terminal.shows("UTC");
    std::thread::sleep(Duration::from_secs(1));
    assert!(terminal.alternate(), "{}", terminal.screen());
    terminal.quits();
    assert_eq!(terminal.insane(), NOTHING);
}

#[test]
fn every_signal_that_ends_it_gives_the_terminal_back_first() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let setting = || Setting::default().at(service.base_url());
    let send = |terminal: &Terminal, number: i32| {
        let line = format!("kill -{number} {}", terminal.id());
        Run::shell(&home, &line).ends_with(0);
    };
    // QUIT, TRAP, ABRT, USR1, USR2, ALRM, XCPU, VTALRM, PROF, IO, PWR, SYS and
    // two real-time ones, by their numbers on Linux.
    for number in [3, 5, 6, 10, 12, 14, 24, 26, 27, 29, 30, 31, 34, 64] {
        let mut terminal = Terminal::driftline(&home, &[], setting());
        terminal.shows("UTC");
        send(&terminal, number);
        assert_eq!(terminal.end(), 128 + number);
        assert_eq!(terminal.insane(), NOTHING, "signal {number}");
    }
    // The prompt for a token has no echo, which comes back, too.
    for number in [3, 10, 14] {
        let mut terminal = Terminal::driftline(&home, &["auth", "login"], setting());
        terminal.shows("Token:");
        std::thread::sleep(Duration::from_millis(200));
        send(&terminal, number);
        assert_eq!(terminal.end(), 128 + number);
        assert_eq!(terminal.insane(), NOTHING, "signal {number}");
    }
}
