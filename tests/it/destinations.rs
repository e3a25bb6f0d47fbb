//! Where a track is written: what is told beside it, a pipe without a reader,
//! and what the dashboard refuses.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;

use crate::driver::home::Home;
use crate::driver::pty::{ENTER, ESC, Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TRACK, UUID, with_token};

fn mkfifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn unusable_records_are_told_beside_every_format_wherever_it_goes() {
    const BODY: &str = r#"[{"time_stamp":1700000000,"latitude":85.5,"longitude":10.25},
        {"time_stamp":1700003600,"latitude":null,"longitude":10.5},
        {"time_stamp":1700003700,"latitude":91,"longitude":10.5},
        {"time_stamp":1700007200,"latitude":85.6,"longitude":10.75}]"#;
    const TOLD: &str = "2 records are invalid; the first is record 1: latitude is null";
    let (home, service) = (Home::new(), Responder::json(200, BODY));
    let base = service.base_url();
    with_token(&home, &base, &["deployments", "add", UUID]).ends_with(0);
    let formats = [
        "table", "csv", "json", "ndjson", "geojson", "gpx", "kml", "netcdf",
    ];
    let file = home.file("track");
    let file = file.to_str().unwrap();
    for offline in [false, true] {
        for format in formats {
            for output in ["-", file] {
                let mut arguments = vec!["track", UUID, "--format", format, "--output", output];
                arguments.extend(offline.then_some("--offline"));
                let answer = with_token(&home, &base, &arguments).ends_with(0);
                assert!(answer.stderr.contains(TOLD), "{arguments:?}: {answer:#?}");
                // A window cuts fixes, not the count.
                arguments.extend(["--since", "1700007000"]);
                let answer = with_token(&home, &base, &arguments).ends_with(0);
                assert!(answer.stderr.contains(TOLD), "{arguments:?}: {answer:#?}");
            }
        }
        for picture in ["chart.svg", "chart.png"] {
            let picture = home.file(picture);
            let mut arguments = vec!["map", UUID, "--output", picture.to_str().unwrap()];
            arguments.extend(offline.then_some("--offline"));
            let answer = with_token(&home, &base, &arguments).ends_with(0);
            assert!(answer.stderr.contains(TOLD), "{arguments:?}: {answer:#?}");
        }
    }
    let (home, good) = (Home::new(), Responder::json(200, TRACK));
    let answer = with_token(&home, &good.base_url(), &["track", UUID]).go();
    assert_eq!(answer.ends_with(0).stderr, "");
}

#[test]
fn an_extension_that_no_format_has_is_refused_unless_a_format_is_named() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let base = service.base_url();
    with_token(&home, &base, &["deployments", "add", UUID]).ends_with(0);
    let written = |arguments: &[&str], name: &str| {
        let file = home.file(&format!("{}-{name}", arguments[0]));
        let output = ["--output", file.to_str().unwrap()];
        let answer = with_token(&home, &base, &[arguments, &output].concat()).go();
        (answer, std::fs::read_to_string(file).unwrap_or_default())
    };
    for command in [&["track", UUID][..], &["latest"]] {
        let (answer, file) = written(command, "track.gjson");
        let told = answer.ends_with(2).stderr;
        assert!(
            told.contains("no format has the extension .gjson"),
            "{told}"
        );
        assert_eq!(file, "");
        for flag in ["--format", "-f"] {
            let named = [command, &[flag, "geojson"]].concat();
            let (answer, file) = written(&named, "track.gjson");
            let told = answer.ends_with(0).stderr;
            assert!(told.is_empty() && file.starts_with('{'), "{told}{file}");
        }
        let (answer, file) = written(command, "track");
        assert_eq!(answer.ends_with(0).stderr, "");
        assert!(file.contains("time_stamp"), "{file}");
    }
}

#[test]
fn a_pipe_without_a_reader_is_waited_for_and_a_signal_ends_the_wait() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let pipe = home.file("pipe.svg");
    mkfifo(&pipe);
    let pipe = pipe.to_str().unwrap();
    let started = |command: &str| {
        let before = service.requests().len();
        let command = command.replace("track", "track --format csv");
        let line = format!("exec \"$DRIFTLINE\" {command} {UUID} --output {pipe}");
        let running = Run::shell(&home, &line).at(service.base_url()).start();
        let asked = || (service.requests().len() > before).then_some(());
        until(PATIENCE, asked).unwrap();
        // Time to open the pipe: a signal before that ends it as well.
        std::thread::sleep(Duration::from_millis(500));
        running
    };
    for command in ["track", "map"] {
        for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
            let running = started(command);
            running.signal(signal);
            let answer = running.end();
            assert_eq!(answer.status, status, "{answer:#?}");
            assert!(answer.took < Duration::from_secs(20), "{answer:#?}");
        }
    }
    let running = started("track");
    let read = std::fs::read_to_string(pipe).unwrap();
    running.end().ends_with(0);
    assert_eq!(read.lines().count(), 3, "{read}");
}

#[test]
fn the_dashboard_exports_neither_to_standard_output_nor_into_a_pipe() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let pipe = home.file("pipe");
    mkfifo(&pipe);
    let terminal = Terminal::driftline(&home, &[UUID], Setting::default().at(service.base_url()));
    terminal.shows("85.51");
    for (path, told) in [
        ("-", "standard output is the dashboard's own"),
        (pipe.to_str().unwrap(), "is a pipe"),
    ] {
        terminal.keys("E");
        terminal.shows(".csv");
        terminal.keys("\x15");
        terminal.keys(path);
        terminal.keys(ENTER);
        terminal.shows(told);
        terminal.keys(ESC);
        terminal.hides(told);
    }
    // Nothing waits behind it.
    terminal.keys("q");
    let mut terminal = terminal;
    assert_eq!(terminal.end(), 0);
}

#[test]
fn the_size_of_an_archive_is_that_of_the_file_and_its_log() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let setting = Setting::default().at(service.base_url());
    with_token(&home, &service.base_url(), &["deployments", "add", UUID]).ends_with(0);
    // A dashboard that stays open keeps its log.
    let terminal = Terminal::driftline(&home, &[UUID], setting);
    terminal.shows("85.51");
    let archive = home.file(".local/share/driftline/archive.db");
    let link = home.file("link.db");
    std::os::unix::fs::symlink(&archive, &link).unwrap();
    let length = |name: &str| {
        let path = archive.with_file_name(name);
        std::fs::metadata(path).map_or(0, |file| file.len())
    };
    let stored = until(PATIENCE, || (length("archive.db-wal") > 0).then_some(()));
    assert!(stored.is_some(), "{}", terminal.screen());
    for path in [&archive, &link] {
        let told = until(PATIENCE, || {
            let info = ["archive", "info", "--archive", path.to_str().unwrap()];
            let answer = Run::driftline(&home, info).ends_with(0);
            let size = length("archive.db") + length("archive.db-wal");
            let line = format!("{:<28} {size}\n", "size in bytes");
            answer.stdout.contains(&line).then_some(())
        });
        assert!(told.is_some(), "{path:?}");
    }
}

#[test]
fn an_archive_at_a_url_of_another_kind_is_refused_and_no_file_is_made() {
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let own = home.file(".local/share/driftline/archive.db");
    let own = own.to_str().unwrap();
    for url in ["postgre://sea:hunter2@db.example/drift", "s3://bucket/x.db"] {
        let copy = Run::driftline(&home, ["archive", "copy", own, url]).go();
        let list = Run::driftline(&home, ["--archive", url, "deployments", "list"]).go();
        let named = Run::driftline(&home, ["config", "show"]);
        let shown = named.env("DRIFTLINE_ARCHIVE", url).go();
        for answer in [&copy, &list] {
            assert_eq!(answer.status, 2, "{answer:?}");
            answer.says("postgres://");
        }
        for answer in [copy, list, shown] {
            let words = answer.stdout + &answer.stderr;
            assert!(!words.contains("hunter2"), "{words}");
        }
    }
    for folder in ["postgre:", "s3:"] {
        assert!(!home.path().join(folder).exists());
    }
}
