//! Several people and several collectors on one archive on a server.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;

use crate::driver::chance::rounds;
use crate::driver::database::{SERVER, new_database};
use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::wire::{Act, Request, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::UUID;

/// Hourly fixes up to ten minutes ago.
pub(super) fn body() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let last = now.as_secs() - 600;
    let fixes: Vec<String> = (0..8)
        .rev()
        .map(|back| {
            let time = last - 3600 * back;
            format!("{{\"time_stamp\":{time},\"latitude\":60.5,\"longitude\":-5.25}}")
        })
        .collect();
    format!("[{}]", fixes.join(","))
}

pub(super) fn uuid(number: usize) -> String {
    format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e{number:03}")
}

/// A run on an archive with PgBouncer between.
pub(super) fn run(database: &str, base: &str, arguments: &[&str]) -> (Home, Run) {
    let home = Home::new();
    let run = Run::driftline(&home, arguments)
        .at(base)
        .env("DRIFTLINE_ARCHIVE", SERVER.url(database, true));
    (home, run)
}

pub(super) fn listed(database: &str, base: &str, count: usize) {
    let (home, import) = run(database, base, &["deployments", "import", "list.csv"]);
    let rows: Vec<String> = (0..count).map(uuid).collect();
    home.write("list.csv", format!("uuid\n{}\n", rows.join("\n")));
    import.ends_with(0);
}

/// How often each deployment was asked for.
pub(super) fn asked(requests: &[Request]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for request in requests {
        let uuid = request.target.split('/').find(|part| part.len() == 36);
        let uuid = uuid.unwrap_or(&request.target).to_owned();
        *counts.entry(uuid).or_insert(0) += 1;
    }
    counts
}

#[test]
fn what_one_person_stores_another_reads_and_the_commands_are_those_of_a_file() {
    needs!("postgres");
    let (database, body) = (new_database(), body());
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let base = service.base_url();
    let go = |arguments: &[&str]| {
        let (_home, run) = run(&database, &base, arguments);
        run.go()
    };
    let info = go(&["archive", "info"]).ends_with(0);
    info.prints("not created yet");
    go(&["deployments", "add", UUID, "--label", "ours"]).ends_with(0);
    go(&["track", UUID]).ends_with(0);
    go(&["track", UUID, "--offline"])
        .ends_with(0)
        .prints("-5.25");
    go(&["deployments", "list"]).ends_with(0).prints("ours");
    let info = go(&["archive", "info"]).ends_with(0);
    info.prints("postgres://driftline@");
    let row = info
        .stdout
        .lines()
        .find(|line| line.starts_with("transmissions"));
    assert!(row.is_some_and(|row| row.ends_with(" 8")), "{info:#?}");
    assert_eq!(go(&["archive", "check"]).ends_with(0).stdout, "ok\n");
    go(&["archive", "vacuum"]).ends_with(0);
}

#[test]
fn two_collectors_ask_for_each_deployment_once_in_its_interval() {
    needs!("postgres");
    let (database, body) = (new_database(), body());
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let base = service.base_url();
    listed(&database, &base, 24);
    let both: Vec<_> = (0..2)
        .map(|_| {
            let (home, run) = run(&database, &base, &["collect"]);
            (home, run.start())
        })
        .collect();
    let all = until(Duration::from_secs(60), || {
        (asked(&service.requests()).len() >= 24).then_some(())
    });
    assert!(all.is_some(), "{:?}", asked(&service.requests()));
    std::thread::sleep(Duration::from_secs(3));
    for (_home, one) in both {
        one.signal(Signal::TERM);
        one.end().ends_with(0);
    }
    // A collector that is started anew finds nothing due.
    let (_home, again) = run(&database, &base, &["collect", "--once"]);
    again.ends_with(0);
    let counts = asked(&service.requests());
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
}

#[test]
fn what_a_killed_collector_had_is_asked_for_by_another_within_a_minute() {
    needs!("postgres");
    let (database, body) = (new_database(), body());
    // The first request of all is never answered.
    let service = Responder::new(move |_, number| match number {
        0 => Act::silence(),
        _ => Act::json(200, &body),
    });
    let base = service.base_url();
    listed(&database, &base, 1);
    let collect = ["collect", "--timeout", "10m"];
    let (_first_home, first) = run(&database, &base, &collect);
    let first = first.start();
    let count = || service.requests().len();
    assert!(until(PATIENCE, || (count() == 1).then_some(())).is_some());
    let (_second_home, second) = run(&database, &base, &collect);
    let second = second.start();
    // The second waits as long as the first runs: in a long run, beyond the end of its
    // first lease.
    std::thread::sleep(Duration::from_secs(rounds(5, 50) as u64));
    assert_eq!(count(), 1);
    first.signal(Signal::KILL);
    assert!(until(Duration::from_secs(120), || (count() > 1).then_some(())).is_some());
    std::thread::sleep(Duration::from_secs(1));
    second.signal(Signal::TERM);
    second.end().ends_with(0);
    let (_home, offline) = run(&database, &base, &["track", &uuid(0), "--offline"]);
    assert!(offline.ends_with(0).stdout.contains("-5.25"));
    drop(first);
}

#[test]
fn an_archive_goes_to_a_server_and_back_whole() {
    needs!("postgres");
    let (home, body) = (Home::new(), body());
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let local = |arguments: &[&str]| Run::driftline(&home, arguments).at(service.base_url()).go();
    let limits = ["--label", "ours", "--max-age", "2h"];
    local(&[&["deployments", "add", UUID][..], &limits].concat()).ends_with(0);
    local(&["track", UUID]).ends_with(0);
    let own = home.file(".local/share/driftline/archive.db");
    let (own, back) = (own.to_str().unwrap(), home.file("back.db"));
    let back = back.to_str().unwrap();
    let server = SERVER.url(&new_database(), true);
    let copied = local(&["archive", "copy", own, &server]).ends_with(0);
    copied.prints("transmissions                8\n");
    let again = local(&["archive", "copy", own, &server]);
    assert!(
        again.status == 1 && again.stderr.contains("not empty"),
        "{again:#?}"
    );
    assert_eq!(
        local(&["archive", "copy", &server, back])
            .ends_with(0)
            .stdout,
        copied.stdout
    );
    for archive in [&server, back] {
        assert_eq!(
            local(&["archive", "check", "--archive", archive])
                .ends_with(0)
                .stdout,
            "ok\n"
        );
    }
    // Of a track the archived part alone is compared: the file has no other.
    let track = |archive: &str| {
        let track = [
            "track",
            UUID,
            "--offline",
            "--format",
            "csv",
            "--archive",
            archive,
        ];
        local(&track).ends_with(0).stdout
    };
    assert_eq!(track(own), track(&server));
    assert_eq!(track(own), track(back));
    // What is written next has numbers of its own.
    local(&["track", UUID, "--archive", &server]).ends_with(0);
    local(&["archive", "check", "--archive", &server]).ends_with(0);
    let missing = local(&["archive", "copy", "nothing.db", back]);
    assert_eq!(missing.status, 1, "{missing:#?}");
    assert!(!home.file("nothing.db").exists());
}
