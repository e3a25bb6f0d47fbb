//! `--plain`: the dashboard as lines, without a terminal.

use std::time::Duration;

use rustix::process::Signal;

use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TRACK, UUID};

fn plain(home: &Home, service: &Responder) -> Run {
    Run::driftline(home, ["--plain", UUID]).at(service.base_url())
}

#[test]
fn lines_go_to_a_pipe_and_a_signal_ends_them_with_its_status() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let (home, service) = (Home::new(), Responder::json(200, TRACK));
        let running = plain(&home, &service).start();
        let asked = until(PATIENCE, || (!service.requests().is_empty()).then_some(()));
        assert!(asked.is_some());
        // For the answer to be read and told.
        std::thread::sleep(Duration::from_millis(1500));
        running.signal(signal);
        let answer = running.end();
        assert_eq!(answer.status, status, "{answer:#?}");
        let lines: Vec<_> = answer.stdout.lines().collect();
        assert_eq!(lines.len(), 1, "{answer:#?}");
        assert!(lines[0].contains(&format!("UTC  {UUID}: ")), "{answer:#?}");
        assert!(lines[0].contains("Last fix "), "{answer:#?}");
        assert!(!answer.stdout.contains('\u{1b}'), "{answer:#?}");
        assert_eq!(answer.stderr, "");
    }
}

#[test]
fn the_dashboard_without_a_terminal_names_the_option_that_needs_none() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let answer = Run::driftline(&home, [UUID])
        .at(service.base_url())
        .ends_with(2);
    answer.says("`driftline --plain`");
    assert_eq!(answer.stdout, "");
    assert!(service.requests().is_empty());
}

#[test]
fn a_reader_that_has_read_enough_ends_them_with_0() {
    let line = "\"$DRIFTLINE\" demo --plain | head -n 1; exit ${PIPESTATUS[0]}";
    let answer = Run::shell(&Home::new(), line).ends_with(0);
    assert_eq!(answer.stdout.lines().count(), 1, "{answer:#?}");
    assert_eq!(answer.stderr, "");
}

#[test]
fn without_a_service_or_a_valid_token_nothing_is_waited_for() {
    let home = Home::new();
    let answer = Run::driftline(&home, ["--plain"]).ends_with(2);
    answer.says("base_url");
    let refusing = Responder::json(401, r#"{"error":401,"message":"token expired"}"#);
    let answer = plain(&home, &refusing).go();
    assert_eq!(answer.status, 3, "{answer:#?}");
    answer.says("token expired");
    answer.prints("Refresh failed");
    let answer = Run::driftline(&home, ["--plain", "config", "path"]).go();
    assert_eq!(answer.status, 2);
}

#[test]
fn columns_of_the_settings_that_do_not_exist_are_told_with_their_line() {
    let service = Responder::json(200, TRACK);
    for (lines, said) in [
        (
            "[columns]\ntrack = [\"tiem\"]\n",
            "config.toml:2:1: no column is named 'tiem': did you mean 'time'?",
        ),
        (
            "[columns]\ndeploymets = [\"status\"]\n",
            "config.toml:2:1: unknown setting 'deploymets': did you mean 'deployments'?",
        ),
        (
            "[columns]\ntrack = \"time\"\n",
            "config.toml:2:1: a list of columns is needed",
        ),
    ] {
        let home = Home::new();
        home.write(".config/driftline/config.toml", lines);
        plain(&home, &service).ends_with(2).says(said);
    }
}
