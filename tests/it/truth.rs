//! What is told is so: imports that meet each other, a plant log that is asked
//! again, numbers that come from the archive, edits on the way to the disk,
//! files that are somebody else's.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TRACK, UUID, run, start};

/// Takes every create after a moment.
fn service() -> Responder {
    Responder::new(|request, _| match request.method.as_str() {
        "GET" => Act::json(200, TRACK),
        _ => {
            std::thread::sleep(Duration::from_millis(30));
            Act::json(200, &String::from_utf8_lossy(&request.body))
        }
    })
}

fn posts(service: &Responder) -> usize {
    let requests = service.requests();
    requests.iter().filter(|one| one.method == "POST").count()
}

#[test]
fn two_imports_of_one_file_at_once_create_each_plant_once() {
    let (home, service) = (Home::new(), service());
    let rows: String = (0..20).map(|id| format!("{id},n,t\n")).collect();
    let table = home.write("plants.csv", format!("id,name,tag\n{rows}"));
    let import = ["plants", "import", table.to_str().unwrap()];
    let both = [
        start(&home, &service, &import).start(),
        start(&home, &service, &import).start(),
    ];
    for one in both {
        // One that meets a create of the other under way does not know its end.
        let status = one.end().status;
        assert!([0, 7].contains(&status), "{status}");
    }
    assert_eq!(posts(&service), 20);
    run(&home, &service, &import).ends_with(0);
    assert_eq!(posts(&service), 20);
}

#[test]
fn an_import_says_in_its_status_what_it_could_not_do() {
    let home = Home::new();
    let service = Responder::new(|request, number| match (request.method.as_str(), number) {
        ("DELETE", _) => Act::json(409, r#"{"error":3,"message":"it is in use"}"#),
        (_, 2) => Act::hang_up(),
        _ => Act::json(200, &String::from_utf8_lossy(&request.body)),
    });
    let import = |rows: &str| {
        let table = home.write("plants.csv", format!("id,name,tag\n{rows}"));
        run(
            &home,
            &service,
            &["plants", "import", table.to_str().unwrap()],
        )
    };
    import("1,n,t\n").ends_with(0);
    // A refused delete leaves what was created: it is not sent again.
    run(&home, &service, &["plants", "delete", "1", "--yes"]).ends_with(4);
    import("1,n,t\n").ends_with(0).prints("1  exists");
    let renamed = import("1,other,t\n");
    assert_eq!(renamed.status, 4, "{renamed:#?}");
    renamed.says("it exists as n (t)");
    // The third request is cut: sent, and unanswered.
    assert_eq!(import("2,n,t\n").status, 7);
    let unknown = import("2,n,t\n3,n,t\n");
    assert_eq!(unknown.status, 7, "{unknown:#?}");
    assert!(!unknown.stdout.contains("3  created"), "{unknown:#?}");
    assert_eq!(posts(&service), 2);
    // What a person found out lets it go on.
    let resolve = ["plants", "resolve", "2", "exists"];
    run(&home, &service, &resolve).ends_with(0);
    let resolved = import("2,n,t\n3,n,t\n").ends_with(0);
    resolved.prints("2  exists");
    resolved.prints("3  created");
    assert_eq!(posts(&service), 3);
    let twice = import("4,n,t\n4,m,t\n");
    assert_eq!(twice.status, 1, "{twice:#?}");
    twice.says("is twice in the file");
    assert_eq!(posts(&service), 3, "judged before anything is sent");
    let same = import("5,n,t\n5,n,t\n").ends_with(0);
    assert_eq!(same.stdout, "5  created\n5  exists\n", "{same:#?}");
    assert_eq!(posts(&service), 4);
}

#[test]
fn an_import_that_stops_says_how_many_plants_it_has_not_sent() {
    let home = Home::new();
    let service = Responder::new(|request, number| match number {
        0 => Act::json(200, &String::from_utf8_lossy(&request.body)),
        _ => Act::json(401, r#"{"error":1,"message":"token expired"}"#),
    });
    let table = home.write("plants.csv", "id,name,tag\n1,n,t\n2,n,t\n3,n,t\n4,n,t\n");
    let import = ["plants", "import", table.to_str().unwrap()];
    let stopped = run(&home, &service, &import);
    assert_eq!(stopped.status, 3, "{stopped:#?}");
    let counted = "1 created, 1 refused, 2 not sent";
    stopped.says(counted);
}

#[test]
fn an_odd_echo_of_an_import_is_told() {
    let home = Home::new();
    let service = Responder::json(200, r#"{"id":1,"name":"another","tag":"t"}"#);
    let table = home.write("plants.csv", "id,name,tag\n1,n,t\n");
    run(
        &home,
        &service,
        &["plants", "import", table.to_str().unwrap()],
    )
    .ends_with(0)
    .says("echoes another");
}

#[test]
fn an_interrupted_create_says_what_it_leaves() {
    let (home, service) = (Home::new(), Responder::silent());
    let create = ["plants", "create", "--id", "7", "--name", "n", "--tag", "t"];
    let creating = start(&home, &service, &create).start();
    until(PATIENCE, || (posts(&service) == 1).then_some(())).unwrap();
    creating.signal(rustix::process::Signal::INT);
    let answer = creating.end();
    assert_eq!(answer.status, 130);
    answer.says("may or may not");
}

#[test]
fn the_archive_gives_the_same_numbers_as_the_answer() {
    let home = Home::new();
    let body = r#"[{"time_stamp":1000,"latitude":80,"longitude":10},
        {"time_stamp":1600,"latitude":80,"longitude":10.02},
        {"time_stamp":1600,"latitude":80,"longitude":10.01},
        {"time_stamp":2200,"latitude":80,"longitude":10.03},
        {"time_stamp":2200,"latitude":80,"longitude":10.03}]"#;
    let service = Responder::new(move |request, _| {
        if request.header("if-none-match").is_some() {
            return Act::Send(b"HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n".to_vec());
        }
        Act::with(200, &[("ETag", "\"1\"")], body)
    });
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    let told = |more: &[&str]| -> Value {
        let arguments = [&["track", UUID, "--format", "json"], more].concat();
        let answer = run(&home, &service, &arguments).ends_with(0);
        let mut told: Value = serde_json::from_str(&answer.stdout).unwrap();
        told.as_object_mut().unwrap().remove("fetched_at");
        // It ages.
        told["summary"].as_object_mut().unwrap().remove("health");
        told
    };
    let first = told(&[]);
    assert_eq!(first["summary"]["repeats"], 1);
    assert_eq!(told(&[]), first, "after a 304");
    assert_eq!(told(&["--offline"]), first, "from the archive");
}

#[test]
fn a_check_believes_what_a_person_overruled() {
    let home = Home::new();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let at = |ago: u64, longitude: f64| {
        format!(
            r#"{{"time_stamp":{},"latitude":54,"longitude":{longitude}}}"#,
            now - ago
        )
    };
    let before = [3000, 2400, 1800, 1200, 600].map(|ago| at(ago, 8.0));
    let body = format!("[{},{}]", before.join(","), at(5, 8.05));
    let service = Responder::json(200, &body);
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    run(&home, &service, &["track", UUID]).ends_with(0);
    let check = || run(&home, &service, &["check", UUID, "--inside", "54,8,500"]);
    assert_eq!(check().status, 2);
    let path = home.file(".local/share/driftline/archive.db");
    rusqlite::Connection::open(path)
        .unwrap()
        .execute(
            "INSERT INTO override SELECT deployment, time, latitude, longitude, 4
             FROM transmission ORDER BY time DESC LIMIT 1",
            [],
        )
        .unwrap();
    let answer = check();
    assert_eq!(answer.status, 0, "{answer:#?}");
}

#[test]
fn a_note_typed_and_left_at_once_is_kept() {
    let (home, service) = (Home::new(), service());
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    for turn in 0..5 {
        let mut terminal =
            Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
        terminal.shows(&UUID[..8]);
        terminal.keys("e");
        terminal.shows("Edit");
        // The last field of the form.
        terminal.keys(&format!("\x1b[Z {turn}\rq"));
        assert_eq!(terminal.end(), 0);
        let listed = run(&home, &service, &["deployments", "list", "--json"]).ends_with(0);
        let turns: String = (0..=turn).map(|one| format!(" {one}")).collect();
        let kept: Value = serde_json::from_str(&listed.stdout).unwrap();
        let notes = kept[0]["notes"].as_str().unwrap_or_default();
        assert_eq!(notes.trim(), turns.trim(), "{listed:#?}");
    }
}

#[test]
fn a_file_that_is_somebody_elses_is_neither_renamed_nor_made_private() {
    let (home, service) = (Home::new(), service());
    let binary: Vec<u8> = (0..9000_u32)
        .flat_map(|one| (one * 77).to_le_bytes())
        .collect();
    let mut database = std::fs::read({
        let path = home.file("other.db");
        let other = rusqlite::Connection::open(&path).unwrap();
        other
            .execute_batch("CREATE TABLE mail (words TEXT); INSERT INTO mail VALUES ('hello');")
            .unwrap();
        path
    })
    .unwrap();
    // Damaged, too.
    database[4096 + 8..4096 + 40].fill(0xa5);
    for (name, bytes) in [
        ("aliases.db", binary),
        ("other.db", database),
        ("letter.txt", b"dear reader, ".repeat(900)),
    ] {
        let path = home.write(name, &bytes);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
        let archive = path.to_str().unwrap();
        for arguments in [
            &["plants", "create", "--id", "1", "--name", "n", "--tag", "t"][..],
            &["archive", "check"],
            &["deployments", "add", UUID],
        ] {
            let arguments = [arguments, &["--archive", archive]].concat();
            let answer = run(&home, &service, &arguments);
            assert_eq!(answer.status, 1, "{name} {answer:#?}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o664, "{name}");
        let beside = std::fs::read_dir(home.path()).unwrap();
        let strangers = beside
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|other| other.starts_with(name) && other != name);
        assert_eq!(strangers.collect::<Vec<_>>(), [""; 0], "{name}");
    }
    assert_eq!(posts(&service), 0);
}

#[test]
fn an_entry_of_the_configuration_keeps_its_label_when_a_limit_is_set() {
    let (home, service) = (Home::new(), service());
    home.write(
        ".config/driftline/config.toml",
        format!("[[deployment]]\nuuid = \"{UUID}\"\nlabel = \"buoy 7\"\nplatform = \"drifter\"\n"),
    );
    run(
        &home,
        &service,
        &["deployments", "add", UUID, "--max-age", "1h"],
    )
    .ends_with(0);
    let listed = run(&home, &service, &["deployments", "list", "--json"]).ends_with(0);
    listed.prints("buoy 7");
    listed.prints("drifter");
}

#[test]
fn bad_usage_of_another_command_is_no_check() {
    let home = Home::new();
    for arguments in [
        &["archive", "check", "--bogus"][..],
        &["plants", "create", "--name", "check", "--bogus"],
    ] {
        Run::driftline(&home, arguments).ends_with(2);
    }
}

#[test]
fn the_last_moment_that_is_a_date_is_written_as_one_and_the_next_is_unusable() {
    let home = Home::new();
    let body = r#"[{"time_stamp":253402207200,"latitude":1,"longitude":2},
        {"time_stamp":253402300799,"latitude":1,"longitude":2}]"#;
    let service = Responder::json(200, body);
    for format in ["csv", "json", "gpx", "kml", "geojson"] {
        let answer = run(&home, &service, &["track", UUID, "--format", format]).ends_with(0);
        answer.prints("9999-12-30T22:00:00");
        assert!(!answer.stdout.contains("9999-12-31"), "{answer:#?}");
    }
}

#[test]
fn a_bare_number_is_a_time_stamp() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let all = run(&home, &service, &["track", UUID, "--format", "ndjson"]).ends_with(0);
    let stamps: Vec<f64> = all
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["time_stamp"]
                .as_f64()
                .unwrap()
        })
        .collect();
    let last = stamps.last().unwrap().to_string();
    let since = run(
        &home,
        &service,
        &["track", UUID, "--format", "ndjson", "--since", &last],
    );
    assert_eq!(since.ends_with(0).stdout.lines().count(), 1);
}

#[test]
fn a_limit_whose_last_three_values_are_no_numbers_is_unknown_and_says_what_they_are() {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let body = |last: &str, count: usize| {
        let records = (0..8).map(|number: usize| {
            let battery = if number < 8 - count { "12.5" } else { last };
            let time = now - 600 * (8 - number as u64);
            format!(
                r#"{{"time_stamp":{time},"latitude":54,"longitude":8.00{number},"battery":{battery}}}"#
            )
        });
        format!("[{}]", records.collect::<Vec<_>>().join(","))
    };
    for (last, held) in [
        ("null", "it holds null"),
        (r#""low""#, r#"it holds the text "low""#),
        ("true", "it holds true"),
    ] {
        for (count, status) in [(3, 3), (2, 0)] {
            let home = Home::new();
            let service = Responder::json(200, &body(last, count));
            let add = ["deployments", "add", UUID, "--below", "battery=11"];
            run(&home, &service, &add).ends_with(0);
            let check = run(&home, &service, &["check", UUID]);
            assert_eq!(check.status, status, "{last} {count}: {check:#?}");
            assert_eq!(check.stdout.contains(held), count == 3, "{check:#?}");
        }
    }
}
