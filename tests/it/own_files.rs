//! driftline's own files and the files that it is given: no output replaces the
//! archive, a missing folder is no first use, and a pipe keeps no signal waiting.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;

use crate::driver::SOON;
use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{HOURLY_TRACK, with_token};

const UUID: &str = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e401";

fn fixes(ages_s: &[f64]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = now.as_secs_f64().floor();
    let fixes: Vec<String> = ages_s
        .iter()
        .map(|age| {
            let time = now - age;
            format!("{{\"time_stamp\":{time},\"latitude\":60.5,\"longitude\":-5.25}}")
        })
        .collect();
    format!("[{}]", fixes.join(","))
}

const HOURLY: [f64; 5] = [15_000.0, 11_400.0, 7800.0, 4200.0, 600.0];

fn watching() -> Home {
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    home
}

#[test]
fn no_output_replaces_a_file_of_driftline_by_any_path() {
    let home = watching();
    home.write(".config/driftline/config.toml", "units = \"metric\"\n");
    let archive = home.file(".local/share/driftline/archive.db");
    let (link, hard) = (home.file("link.csv"), home.file("hard.csv"));
    std::os::unix::fs::symlink(&archive, &link).unwrap();
    std::fs::hard_link(&archive, &hard).unwrap();
    let body = fixes(&HOURLY);
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let before = std::fs::read(&archive).unwrap();
    let named = |suffix: &str| format!("{}{suffix}", archive.display());
    let config = home.file(".config/driftline/config.toml");
    let places = [
        named(""),
        named("-wal"),
        named("-shm"),
        named("-journal"),
        ".local/share/../share/driftline/archive.db".to_owned(),
        link.display().to_string(),
        hard.display().to_string(),
        config.display().to_string(),
    ];
    for place in &places {
        for command in [
            &["track", UUID, "-o"][..],
            &["latest", "-o"],
            &["map", UUID, "--output"],
        ] {
            let arguments = [command, &[place]].concat();
            let answer = with_token(&home, &service.base_url(), &arguments).go();
            answer.ends_with(2).says("driftline's own");
        }
    }
    assert_eq!(std::fs::read(&archive).unwrap(), before);
    assert_eq!(
        std::fs::read_to_string(&config).unwrap(),
        "units = \"metric\"\n"
    );
    assert!(service.requests().is_empty());
    with_token(
        &home,
        &service.base_url(),
        &["track", UUID, "-f", "csv", "-o", "other.db"],
    )
    .ends_with(0);
}

#[test]
fn an_archive_whose_folder_is_missing_is_said_and_not_made() {
    let home = watching();
    let body = fixes(&HOURLY);
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let missing = home.file("unmounted/archive.db");
    let run = |arguments: &[&str]| {
        with_token(&home, &service.base_url(), arguments)
            .env("DRIFTLINE_ARCHIVE", &missing)
            .go()
    };
    let check = run(&["check", UUID]);
    assert_eq!(check.status, 3, "{check:#?}");
    check.prints("its folder does not exist");
    for arguments in [
        &["alarms"][..],
        &["ack", "abcdef"],
        &["snooze", "abcdef", "1h"],
        &["collect", "--once"],
    ] {
        let answer = run(arguments).ends_with(1);
        answer.says("there is no archive");
    }
    assert!(!home.file("unmounted").exists());
    // A file that is missing in a folder is a first use; nothing is made of it.
    let first = home.file("first.db");
    for (arguments, status) in [(&["alarms"][..], 0), (&["ack", "abcdef"], 1)] {
        let answer = Run::driftline(&home, arguments)
            .env("DRIFTLINE_ARCHIVE", &first)
            .go();
        assert_eq!(answer.status, status, "{answer:#?}");
    }
    assert!(!first.exists());
}

fn pipe(home: &Home, name: &str) {
    Run::program(home, "mkfifo", [name]).ends_with(0);
}

#[test]
fn an_import_from_a_pipe_waits_and_every_signal_ends_it() {
    let home = Home::new();
    pipe(&home, "fifo");
    for (command, signal, status) in [
        (&["deployments", "import", "fifo"][..], Signal::TERM, 143),
        (&["deployments", "import", "fifo"], Signal::INT, 130),
        (
            &["plants", "import", "--dry-run", "fifo"],
            Signal::TERM,
            143,
        ),
        (&["plants", "import", "--dry-run", "fifo"], Signal::INT, 130),
    ] {
        let running = Run::driftline(&home, command).start();
        std::thread::sleep(Duration::from_millis(3500));
        let began = Instant::now();
        running.signal(signal);
        let answer = running.end();
        assert_eq!(answer.status, status, "{command:?}: {answer:#?}");
        assert!(began.elapsed() < SOON, "{answer:#?}");
    }
    let line = format!("printf 'uuid\\n{UUID}\\n'");
    for command in [
        format!("$DRIFTLINE deployments import <({line})"),
        format!("{line} | $DRIFTLINE deployments import /dev/stdin"),
        format!("({line} > fifo) & $DRIFTLINE deployments import fifo"),
    ] {
        Run::shell(&home, &command).ends_with(0).says("1 ");
    }
    Run::driftline(&home, ["deployments", "list"])
        .go()
        .prints(UUID);
}

#[test]
fn a_last_fix_that_is_no_longer_sent_is_said_by_latest_and_check() {
    let home = watching();
    let (all, fewer) = (fixes(&HOURLY), fixes(&HOURLY[..4]));
    let whole = Responder::new(move |_, _| Act::json(200, &all));
    let run = |service: &Responder, arguments: &[&str]| {
        with_token(&home, &service.base_url(), arguments).ends_with(0)
    };
    let before = run(&whole, &["latest"]);
    assert!(!before.stdout.contains("absent"), "{before:#?}");
    drop(whole);
    let cut = Responder::new(move |_, _| Act::json(200, &fewer));
    let base = cut.base_url();
    // The same service by its name: a deployment is of one service.
    let archive = home.file(".local/share/driftline/archive.db");
    rusqlite::Connection::open(archive)
        .unwrap()
        .execute("UPDATE fetch SET source = ?1", [base.trim_end_matches('/')])
        .unwrap();
    // `latest` asks for what is due only; `track` asks at once.
    run(&cut, &["track", UUID]);
    let csv = run(&cut, &["latest"]).stdout;
    let mut rows = csv.lines();
    assert!(
        rows.next()
            .unwrap()
            .ends_with(",absent_from_latest_response"),
        "{csv}"
    );
    assert!(rows.next().unwrap().ends_with(",true"), "{csv}");
    let json = run(&cut, &["latest", "--format", "json"]).stdout;
    assert!(
        json.contains("\"absent_from_latest_response\":true"),
        "{json}"
    );
    let json = run(&cut, &["latest", "--format", "geojson"]).stdout;
    assert!(
        json.contains("\"absent_from_latest_response\":true"),
        "{json}"
    );
    let check = run(&cut, &["check", UUID]).stdout;
    assert!(check.contains("(not in the latest response)"), "{check}");
}

#[test]
fn an_export_is_refused_where_it_cannot_be_written() {
    let home = Home::new();
    home.write("file", "mine");
    for place in ["/dev/null", "ftp://host/folder", "file"] {
        let answer = Run::driftline(&home, ["archive", "export", place]).go();
        answer.ends_with(2);
    }
    assert_eq!(std::fs::read(home.file("file")).unwrap(), b"mine");
    assert!(!home.file("ftp:").exists());
}

#[test]
fn a_text_file_is_said_to_be_no_archive_and_stays_as_it_was() {
    let home = Home::new();
    let letter = "this is a letter, and no archive. ".repeat(300);
    let path = home.write("letter.db", &letter);
    let check = Run::driftline(
        &home,
        ["archive", "check", "--archive", path.to_str().unwrap()],
    );
    let check = check.ends_with(1);
    let words = "letter.db is no archive of driftline; it was left as it is";
    check.says(words);
    check.says("Name another file with --archive");
    assert!(!check.stderr.contains("archive check"), "{check:#?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), letter);
}

#[test]
fn an_empty_archive_is_refused_by_every_command_until_it_is_mended() {
    let home = Home::new();
    let service = Responder::new(|_, _| Act::json(200, HOURLY_TRACK));
    let path = home.write("empty.db", "");
    let go = |arguments: &[&str]| {
        let named = ["--archive", path.to_str().unwrap()];
        with_token(
            &home,
            &service.base_url(),
            &[arguments, &named[..]].concat(),
        )
        .go()
    };
    let create = ["plants", "create", "--id", "7", "--name", "n", "--tag", "t"];
    for arguments in [
        &create[..],
        &["deployments", "add", UUID],
        &["deployments", "list"],
        &["collect", "--once"],
        &["alarms"],
    ] {
        go(arguments).ends_with(1).says("is empty");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0, "{arguments:?}");
    }
    assert!(service.requests().is_empty());
    go(&["archive", "check"]).ends_with(1);
    go(&["deployments", "add", UUID]).ends_with(0);
}
