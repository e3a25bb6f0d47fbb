//! The archive under the real program: killed at random moments, damaged,
//! shared, out of the service's reach, and taken elsewhere.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::driver::chance::{Chance, rounds};
use crate::driver::home::Home;
use crate::driver::run::Run;
#[cfg(feature = "parquet")]
use crate::driver::service::Service;
use crate::driver::wire::{Act, Request, Responder, nobody};
use crate::exit_status::UUID;
#[cfg(feature = "parquet")]
use crate::exports::python;

fn run(home: &Home, base: &str, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments).at(base)
}

fn body(fixes: usize) -> String {
    let records: Vec<String> = (0..fixes)
        .map(|n| {
            format!(
                r#"{{"time_stamp":{},"latitude":{},"longitude":5}}"#,
                1_790_000_000 + 60 * n,
                60.0 + 0.0001 * n as f64
            )
        })
        .collect();
    format!("[{}]", records.join(","))
}

/// The identifiers of plants that a service was asked to create, and how often.
fn creates(requests: &[Request]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for request in requests.iter().filter(|request| request.method == "POST") {
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        *counts.entry(body["id"].to_string()).or_insert(0) += 1;
    }
    counts
}

/// (identifier, state) of every plant of the log.
fn plants(home: &Home) -> Vec<(String, String)> {
    let answer = Run::driftline(home, ["plants", "list", "--json"]).ends_with(0);
    let rows: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let state = row["state"].as_str().unwrap().to_owned();
            (row["id"].to_string(), state)
        })
        .collect()
}

#[test]
fn a_command_that_reads_leaves_no_file_beside_the_archive() {
    let home = Home::new();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let archive = home.file(".local/share/driftline/archive.db");
    let files = || -> Vec<String> {
        let folder = std::fs::read_dir(archive.parent().unwrap()).unwrap();
        let mut names: Vec<String> = folder
            .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let before = files();
    assert!(!before.iter().any(|name| name.contains('-')), "{before:?}");
    let address = nobody();
    for arguments in [
        &["deployments", "list"][..],
        &[
            "deployments",
            "remove",
            "11111111-2222-4333-8444-555555555555",
        ],
        &["config", "show"],
        &["alarms"],
        &["alarms", "ack", "nothing"],
        &["plants", "list"],
        &["archive", "check"],
        &["latest", "--offline"],
        &["track", UUID, "--offline"],
        &["track", UUID],
        &["check", UUID],
    ] {
        run(&home, &address, arguments).go();
        assert_eq!(files(), before, "{arguments:?}");
    }
    // What another program has open stays.
    let reader = rusqlite::Connection::open(&archive).unwrap();
    let count = "SELECT count(*) FROM deployment";
    let _: i64 = reader.query_row(count, [], |row| row.get(0)).unwrap();
    Run::driftline(&home, ["deployments", "list"]).ends_with(0);
    let _: i64 = reader.query_row(count, [], |row| row.get(0)).unwrap();
    assert_ne!(files(), before);
}

#[test]
fn killed_at_random_moments_it_loses_nothing_that_it_reported_and_creates_nothing_twice() {
    let home = Home::new();
    let whole = body(400);
    let fixes = AtomicUsize::new(0);
    let service = Responder::new(move |request, number| {
        // Now and then the answer takes a while.
        std::thread::sleep(Duration::from_millis([0, 3, 12][number % 3]));
        if request.method == "POST" {
            return Act::json(200, &String::from_utf8_lossy(&request.body));
        }
        // A track that grows.
        let count = fixes.fetch_add(10, Ordering::Relaxed).min(390) + 10;
        let end = whole.match_indices('}').nth(count - 1).unwrap().0;
        Act::json(200, &format!("{}]", &whole[..=end]))
    });
    let base = service.base_url();
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let csv = home.write(
        "plants.csv",
        "id,name,tag\n".to_owned()
            + &(1000..1040)
                .map(|id| format!("{id},rose {id},red\n"))
                .collect::<String>(),
    );
    let (mut reported, mut seen) = (Vec::new(), 0);
    let chance = Chance::new("kills");
    let mut length = Duration::ZERO;
    for round in 0..rounds(60, 1000) {
        let id = (5000 + round).to_string();
        let arguments: Vec<&str> = match round % 3 {
            0 => vec![
                "plants", "create", "--id", &id, "--name", "rose", "--tag", "red",
            ],
            1 => vec!["track", UUID, "--format", "csv"],
            _ => vec!["plants", "import", csv.to_str().unwrap()],
        };
        let (running, started) = (run(&home, &base, &arguments).start(), Instant::now());
        // Each tenth is left alone, and says how long the others would take: they are
        // killed from almost at once to after the end.
        if round % 10 > 0 {
            std::thread::sleep(length * chance.below(120) as u32 / 100);
            running.signal(Signal::KILL);
        }
        let answer = running.end();
        if round % 10 == 0 {
            length = started.elapsed();
        }
        match round % 3 {
            0 if answer.status == 0 => reported.push(id),
            1 if answer.status == 0 => seen = answer.stdout.lines().count() - 1,
            _ => {}
        }
        if round % 3 == 1 {
            // What was once shown is never fewer.
            let kept = run(
                &home,
                &base,
                &["track", UUID, "--format", "csv", "--offline"],
            )
            .go();
            let kept = if kept.status == 0 {
                kept.stdout.lines().count() - 1
            } else {
                0
            };
            assert!(kept >= seen, "round {round}: {kept} of {seen} fixes");
        }
        Run::driftline(&home, ["archive", "check"]).ends_with(0);
    }
    // A loop in which nothing ever came to its end would prove nothing.
    assert!(seen > 0 && !reported.is_empty(), "{seen} {reported:?}");
    // The import is run until it is through; what a kill left unknown it says.
    let through = run(
        &home,
        &base,
        &["plants", "import", "--keep-going", csv.to_str().unwrap()],
    )
    .go();
    let expected = if through.stdout.contains("unknown") {
        7
    } else {
        0
    };
    assert_eq!(through.status, expected, "{through:#?}");
    let counts = creates(&service.requests());
    for (id, count) in &counts {
        assert_eq!(*count, 1, "plant {id} was created {count} times");
    }
    let plants = plants(&home);
    for id in counts.keys() {
        assert!(
            plants.iter().any(|(known, _)| known == id),
            "plant {id} is in no log"
        );
    }
    for id in &reported {
        let done = plants
            .iter()
            .any(|(known, state)| known == id && state == "exists");
        assert!(
            done,
            "plant {id} was reported and does not exist: {plants:?}"
        );
    }
    for id in 1000..1040 {
        let id = id.to_string();
        let found = plants.iter().find(|(known, _)| *known == id);
        let state = found.map(|(_, state)| state.as_str());
        assert!(
            matches!(state, Some("exists" | "unknown")),
            "plant {id}: {state:?}"
        );
    }
}

#[test]
fn a_damaged_archive_is_set_aside_and_the_track_comes_all_the_same() {
    let home = Home::new();
    let service = Responder::json(200, &body(30));
    let base = service.base_url();
    Run::driftline(&home, ["deployments", "add", UUID, "--label", "ice 7"]).ends_with(0);
    run(&home, &base, &["track", UUID]).ends_with(0);
    let place = Run::driftline(&home, ["config", "show"]).go().stdout;
    let path = place
        .lines()
        .find(|line| line.contains("archive.db"))
        .and_then(|line| {
            line.split_whitespace()
                .find(|word| word.ends_with("archive.db"))
        })
        .unwrap()
        .to_owned();
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 4096;
    bytes[last..].fill(0x5a);
    std::fs::write(&path, &bytes).unwrap();
    let answer = run(&home, &base, &["track", UUID, "--format", "csv"]).go();
    assert_eq!(
        (answer.status, answer.stdout.lines().count()),
        (0, 31),
        "{answer:?}"
    );
    let check = Run::driftline(&home, ["archive", "check"]).go();
    let told = format!("{}{}", answer.stderr, check.stderr);
    assert!(
        told.contains("damaged-") && told.contains("the damaged file is now"),
        "{told}"
    );
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
    let folder = std::path::Path::new(&path).parent().unwrap();
    let aside = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        // An empty write-ahead log may lie beside it.
        .find(|path| {
            let name = path.to_string_lossy();
            name.contains("damaged-") && !name.ends_with("-wal")
        })
        .unwrap();
    assert!(std::fs::read(aside).unwrap() == bytes);
    // What could be read is there: the list and the fixes.
    Run::driftline(&home, ["deployments", "list"])
        .ends_with(0)
        .prints("ice 7");
    let offline = run(
        &home,
        &base,
        &["track", UUID, "--format", "csv", "--offline"],
    )
    .go();
    assert_eq!(offline.stdout.lines().count(), 31, "{offline:?}");
}

#[test]
fn what_is_known_is_not_sent_again_and_nothing_is_lost_by_it() {
    let home = Home::new();
    let body = body(5);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let service = Responder::new(move |request, _| {
        let known = request.header("if-none-match").map(str::to_owned);
        let unchanged = known.as_deref() == Some("\"one\"");
        seen.lock().unwrap().push(known);
        if unchanged {
            Act::with(304, &[("ETag", "\"one\"")], "")
        } else {
            Act::with(
                200,
                &[("ETag", "\"one\""), ("Content-Type", "application/json")],
                &body,
            )
        }
    });
    let base = service.base_url();
    // Of what is not watched nothing is kept, so nothing is known.
    let csv = |home: &Home| {
        run(home, &base, &["track", UUID, "--format", "csv"])
            .ends_with(0)
            .stdout
    };
    let first = csv(&home);
    assert_eq!(csv(&home), first);
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    assert_eq!(csv(&home), first);
    assert_eq!(csv(&home), first);
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked, [None, None, None, Some("\"one\"".to_owned())]);
    assert_eq!(first.lines().count(), 6);
}

#[test]
fn with_the_service_gone_the_copy_is_shown_and_the_reason_told() {
    let home = Home::new();
    let service = Responder::json(200, &body(8));
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    run(&home, &service.base_url(), &["track", UUID]).ends_with(0);
    let gone = nobody();
    run(&home, &gone, &["track", UUID]).ends_with(5);
    let offline = run(
        &home,
        &gone,
        &["track", UUID, "--offline", "--format", "csv"],
    )
    .ends_with(0);
    assert_eq!(offline.stdout.lines().count(), 9);
}

#[test]
fn limits_on_the_watch_list_are_what_a_check_holds_the_deployment_to() {
    let home = Home::new();
    let service = Responder::json(200, &body(8));
    let base = service.base_url();
    let add = |arguments: &[&str]| {
        let all: Vec<&str> = ["deployments", "add", UUID]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        Run::driftline(&home, all).ends_with(0);
    };
    let check = || run(&home, &base, &["check", UUID]).go();
    add(&["--max-age", "3000d", "--label", "buoy 7"]);
    let answer = check();
    assert_eq!(
        (answer.status, answer.stdout.contains("buoy 7")),
        (0, true),
        "{answer:?}"
    );
    add(&["--inside", "0,0,5km"]);
    let answer = check();
    assert_eq!(answer.status, 2, "{answer:?}");
    answer.prints("outside the watch circle");
    // A flag counts more, and what was not said before stays.
    let inside = run(&home, &base, &["check", UUID, "--inside", "60,5,500km"]).go();
    assert_eq!(
        (inside.status, inside.stdout.contains("buoy 7")),
        (0, true),
        "{inside:?}"
    );
    add(&["--inside", "none"]);
    assert_eq!(check().status, 0);
}

#[test]
#[cfg(feature = "parquet")]
fn the_archive_as_a_folder_is_one_table_to_duckdb_and_to_arrow() {
    needs!("python-packages");
    let service = Service::start();
    let home = Home::new();
    for (uuid, label) in &service.deployments {
        Run::driftline(&home, ["deployments", "add", uuid, "--label", label]).ends_with(0);
        Run::driftline(&home, ["track", uuid, "--output", "/dev/null"])
            .env("DRIFTLINE_BASE_URL", &service.base_url)
            .env("DRIFTLINE_TOKEN", &service.token)
            .ends_with(0);
    }
    let folder = home.file("out");
    Run::driftline(&home, ["archive", "export", folder.to_str().unwrap()]).ends_with(0);
    let script = "
import duckdb, pyarrow.dataset, sys
folder = sys.argv[1]
rows = duckdb.sql(f\"SELECT deployment, count(*), min(latitude) FROM read_parquet('{folder}/**/*.parquet', hive_partitioning=true) GROUP BY 1\").fetchall()
table = pyarrow.dataset.dataset(folder, partitioning='hive').to_table(columns=['deployment', 'latitude'])
assert sum(row[1] for row in rows) == table.num_rows > 1000, rows
print('\\n'.join(sorted(str(row[0]) for row in rows)))
";
    let answer =
        Run::program(&home, python(), ["-c", script, folder.to_str().unwrap()]).ends_with(0);
    let mut expected: Vec<&str> = service
        .deployments
        .iter()
        .map(|(uuid, _)| uuid.as_str())
        .collect();
    expected.sort_unstable();
    assert_eq!(answer.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
#[cfg(not(feature = "parquet"))]
fn without_parquet_an_export_says_so_before_anything_is_done() {
    let home = Home::new();
    Run::driftline(&home, ["archive", "export", "out"])
        .ends_with(2)
        .says("--features parquet");
    assert!(!home.file("out").exists());
}

#[test]
fn a_check_keeps_what_it_fetched_of_a_watched_deployment_and_of_no_other() {
    let home = Home::new();
    let service = Responder::json(200, &body(8));
    let base = service.base_url();
    let offline = ["track", UUID, "--offline", "--format", "csv"];
    run(&home, &base, &["check", UUID, "--max-age", "3000d"]).ends_with(0);
    run(&home, &base, &offline).ends_with(1);
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    run(&home, &base, &["check", UUID, "--max-age", "3000d"]).ends_with(0);
    let kept = run(&home, &base, &offline).ends_with(0);
    assert_eq!(kept.stdout.lines().count(), 9, "{kept:?}");
}

#[test]
fn an_archive_that_was_named_and_is_not_there_is_told_and_not_made_in_silence() {
    let (home, service) = (Home::new(), Responder::json(200, &body(3)));
    let base = service.base_url();
    let gone = home.file("volume/archvie.db");
    let (folder, gone) = (home.file("volume"), gone.display().to_string());
    std::fs::create_dir(folder).unwrap();
    for command in ["check", "vacuum"] {
        let answer = run(&home, &base, &["--archive", &gone, "archive", command]).go();
        assert_eq!(
            (answer.status, answer.stdout.as_str()),
            (1, ""),
            "{answer:#?}"
        );
        answer.says("there is no archive at");
        answer.says(&gone);
    }
    assert!(!std::path::Path::new(&gone).exists());
    // A new one is made by the collector, which says so, once.
    let collected = || {
        let answer = run(&home, &base, &["--archive", &gone, "collect", "--once"]).go();
        answer.ends_with(0).stderr.matches("new archive=").count()
    };
    assert_eq!((collected(), collected()), (1, 0));
    // The usual archive of a new user need not be there.
    let answer = run(&home, &base, &["archive", "check"]).ends_with(0);
    assert_eq!(answer.stdout, "ok\n");
}
