//! What people type: identifiers, addresses, times and settings that are odd,
//! taken as they are meant or refused before anything is sent.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TRACK, UUID};

/// A service that is well: it has a track, and takes each plant.
pub(crate) fn service() -> Responder {
    Responder::new(|request, _| match request.method.as_str() {
        "GET" => Act::json(200, TRACK),
        _ => Act::json(200, &String::from_utf8_lossy(&request.body)),
    })
}

pub(crate) fn run(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments).at(service.base_url()).go()
}

#[test]
fn an_identifier_is_one_segment_as_typed_or_refused_before_anything_is_sent() {
    let (home, service) = (Home::new(), service());
    let long = "x".repeat(1025);
    for id in [
        ".", "..", "", "a\tb", "a\n", "\x1b[2J", "\x7f", "\u{9b}", &long,
    ] {
        run(&home, &service, &["plants", "delete", id, "--yes"]).ends_with(2);
    }
    assert!(service.requests().is_empty());
    let taken = [
        ("a/b", "a%2Fb"),
        ("../x", "..%2Fx"),
        ("%2F", "%252F"),
        ("%2e%2e", "%252e%252e"),
        ("?", "%3F"),
        ("#", "%23"),
        ("\\", "%5C"),
        ("a b", "a%20b"),
        ("北", "%E5%8C%97"),
        ("e\u{301}", "e%CC%81"),
        ("\u{e9}", "%C3%A9"),
    ];
    for (id, _) in taken {
        run(&home, &service, &["plants", "delete", id, "--yes"]).ends_with(0);
    }
    let asked: Vec<String> = service
        .requests()
        .iter()
        .map(|one| one.target.clone())
        .collect();
    for ((id, segment), target) in taken.iter().zip(&asked) {
        assert_eq!(target, &format!("/plants/{segment}"), "{id}");
    }
}

#[test]
fn a_new_plants_number_is_sent_exactly_or_refused() {
    let (home, service) = (Home::new(), service());
    let create = |id: &str| {
        let id = format!("--id={id}");
        run(
            &home,
            &service,
            &["plants", "create", &id, "--name", "a", "--tag", "b"],
        )
    };
    for id in [
        "9223372036854775808",
        "1.5",
        "1e3",
        "0x10",
        "",
        "x",
        "+7",
        "٣",
    ] {
        create(id).ends_with(2);
    }
    assert!(service.requests().is_empty());
    for id in [
        "9223372036854775807",
        "-9223372036854775808",
        "-1",
        "0",
        "9007199254740993",
    ] {
        create(id).ends_with(0);
        let sent = String::from_utf8(service.requests().pop().unwrap().body).unwrap();
        assert!(
            sent.contains(&format!("\"id\":{id},")) || sent.contains(&format!("\"id\":{id}}}")),
            "{sent}"
        );
    }
}

#[test]
fn a_deployment_is_named_in_any_form_of_a_uuid_and_in_none_that_only_looks_like_one() {
    let (home, service) = (Home::new(), service());
    let plain = "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01";
    for form in [
        plain,
        "0B5BF6E6-6D0C-4D53-9D9C-9B6F8F5A1C01",
        "0b5bf6e66d0c4d539d9c9b6f8f5a1c01",
        "{0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01}",
        "urn:uuid:0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01",
    ] {
        run(&home, &service, &["track", form]).ends_with(0);
        let asked = service.requests().pop().unwrap().target;
        assert!(asked.ends_with(plain), "{asked}");
    }
    let before = service.requests().len();
    for form in [
        "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c0",
        "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5\u{430}1c01",
        "x",
        "",
    ] {
        run(&home, &service, &["track", form]).ends_with(2);
    }
    assert_eq!(service.requests().len(), before);
}

#[test]
fn spans_and_moments_are_understood_or_refused() {
    let (home, service) = (Home::new(), service());
    for timeout in [
        "0", "5", "0s", "0.5s", "500ms", "1e30s", "-1s", "NaN", "inf", "5x", "", " ", "s",
    ] {
        run(&home, &service, &["track", UUID, "--timeout", timeout]).ends_with(2);
    }
    for timeout in ["5s", "1m", "1min", "1h", "1 h 30 min"] {
        run(&home, &service, &["track", UUID, "--timeout", timeout]).ends_with(0);
    }
    for since in ["yesterday", "2026-13-01", "2026-02-30", "", "12:00"] {
        run(&home, &service, &["track", UUID, "--since", since]).ends_with(2);
    }
    // The wrong way round, or far away: nothing lies between.
    for (since, until) in [
        ("2030-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ("9999999999999", "9999999999999"),
    ] {
        let answer = run(
            &home,
            &service,
            &[
                "track", UUID, "--format", "csv", "--since", since, "--until", until,
            ],
        );
        assert!(
            answer.status == 2 || answer.stdout.lines().count() == 1,
            "{answer:#?}"
        );
    }
}

#[test]
fn an_address_is_taken_only_where_a_token_may_go() {
    let (home, service) = (Home::new(), service());
    let port = service.address.port();
    for address in [
        "ftp://x",
        "file:///x",
        "http:///",
        "http://a b",
        "http://256.256.256.256",
        "service",
        "http://h?x=1",
        "http://h#f",
        "http://example.com",
        "http://0.0.0.0:1",
        "http://localhost.evil.example",
        "http://127.0.0.1.nip.io",
        "https://",
        "http://10.0.0.1",
        "http://[::]:1",
    ] {
        run(
            &home,
            &service,
            &["track", UUID, "--base-url", address, "--timeout", "2s"],
        )
        .ends_with(2);
    }
    let answer = run(
        &home,
        &service,
        &["track", UUID, "--base-url", "https://u:pw0rd@h"],
    )
    .ends_with(2);
    assert!(!answer.stderr.contains("pw0rd"), "{answer:#?}");
    assert!(service.requests().is_empty());
    for host in [
        "127.1",
        "0x7f000001",
        "LOCALHOST",
        "[::ffff:127.0.0.1]",
        "127.0.0.1",
    ] {
        run(
            &home,
            &service,
            &[
                "track",
                UUID,
                "--base-url",
                &format!("http://{host}:{port}/"),
            ],
        )
        .ends_with(0);
    }
}

#[test]
fn arguments_and_variables_that_are_no_text_are_no_panic() {
    let (home, service) = (Home::new(), service());
    let rubbish = || OsString::from_vec(b"a\xffb".to_vec());
    for variable in [
        "DRIFTLINE_TOKEN",
        "DRIFTLINE_BASE_URL",
        "DRIFTLINE_SANDBOX_URL",
        "DRIFTLINE_PROFILE",
    ] {
        let answer = Run::driftline(&home, ["track", UUID])
            .at(service.base_url())
            .env(variable, rubbish())
            .go();
        answer.ends_with(2);
    }
    for before in [
        &["track"][..],
        &["track", UUID, "--format"],
        &["--profile"],
        &["plants", "delete"],
    ] {
        let mut arguments: Vec<OsString> = before.iter().map(OsString::from).collect();
        arguments.push(rubbish());
        let answer = Run::driftline(&home, arguments).at(service.base_url()).go();
        answer.ends_with(2);
    }
    assert!(service.requests().is_empty());
}

#[test]
fn settings_that_are_no_settings_are_refused_without_waiting_or_quoting() {
    let (home, service) = (Home::new(), service());
    let folder = home.file("folder");
    std::fs::create_dir(&folder).unwrap();
    let pipe = home.file("pipe");
    Run::program(&home, "mkfifo", [&pipe]).ends_with(0);
    let large = home.write("large", vec![b'#'; 10 << 20]);
    let binary = home.write("binary", b"\xff\xfe\x00");
    let wrong = home.write("wrong", "\nunits = \"s3cret\"\n");
    let token = home.write("token", "token = \"s3cret\"\n");
    for path in [
        &folder,
        &pipe,
        &large,
        &binary,
        &wrong,
        &token,
        &home.file("nowhere"),
    ] {
        let answer = run(
            &home,
            &service,
            &["--config", path.to_str().unwrap(), "track", UUID],
        )
        .ends_with(2);
        assert!(!answer.stderr.contains("s3cret"), "{answer:#?}");
        assert!(answer.took.as_secs() < 5, "{answer:#?}");
    }
    assert!(service.requests().is_empty());
    for (name, content) in [("empty", ""), ("marked", "\u{feff}units = \"si\"\r\n")] {
        let path = home.write(name, content);
        run(
            &home,
            &service,
            &["--config", path.to_str().unwrap(), "track", UUID],
        )
        .ends_with(0);
    }
    // Others could write it: read, and said.
    let open = home.write("open", "units = \"si\"\n");
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
    run(
        &home,
        &service,
        &["--config", open.to_str().unwrap(), "track", UUID],
    )
    .ends_with(0)
    .says("chmod");
}

#[test]
fn a_deployment_is_named_by_label_or_by_the_beginning_of_its_id_in_every_command() {
    let (home, service) = (Home::new(), service());
    let other = &format!("{}ff", &UUID[..34]);
    run(
        &home,
        &service,
        &["deployments", "add", UUID, "--label", "Buoy 7"],
    )
    .ends_with(0);
    let csv = run(&home, &service, &["track", UUID]).ends_with(0).stdout;
    let prefix = &UUID[..6];
    for name in ["buoy 7", "BUOY 7", prefix, &prefix.to_uppercase()] {
        assert_eq!(
            run(&home, &service, &["track", name]).ends_with(0).stdout,
            csv
        );
        let checked = run(&home, &service, &["check", name]).stdout;
        assert!(checked.starts_with("DRIFTLINE"), "{checked}");
        let set = ["deployments", "set", name, "--notes", "n"];
        run(&home, &service, &set).ends_with(0);
        let picture = home.file("a.svg");
        let map = ["map", name, "--output", picture.to_str().unwrap()];
        run(&home, &service, &map).ends_with(0);
    }
    run(
        &home,
        &service,
        &["deployments", "add", other, "--label", "buoy 7"],
    )
    .ends_with(0);
    let asked = service.requests().len();
    for several in ["buoy 7", prefix] {
        let told = run(&home, &service, &["track", several])
            .ends_with(2)
            .stderr;
        assert!(told.contains(UUID) && told.contains(other), "{told}");
    }
    for none in ["buoy 9", &UUID[..3], "ffff"] {
        let told = run(&home, &service, &["track", none]).ends_with(2).stderr;
        assert!(
            told.contains("is no deployment of the watch list"),
            "{told}"
        );
    }
    assert_eq!(service.requests().len(), asked);
    let both = ["deployments", "rm", UUID, other];
    run(&home, &service, &both).ends_with(0);
    assert_eq!(
        run(&home, &service, &["deployments", "ls"])
            .ends_with(0)
            .stdout,
        ""
    );
}

#[test]
fn a_mistyped_command_is_told_those_that_are_near() {
    let (home, service) = (Home::new(), service());
    for (line, near) in [
        (
            &["list"][..],
            &["driftline deployments list", "driftline plants list"][..],
        ),
        (
            &["list", "--json"],
            &["driftline deployments list", "driftline plants list"],
        ),
        (&["traks", UUID], &["driftline track"]),
        (&["ls"], &["driftline deployments list"]),
    ] {
        let told = run(&home, &service, line).ends_with(2).stderr;
        assert!(
            near.iter().all(|near| told.contains(&format!("`{near}`"))),
            "{told}"
        );
        assert!(!told.contains("UUID"), "{told}");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn the_watch_list_moves_by_export_and_import() {
    let home = Home::new();
    let area = home.write(
        "area.geojson",
        r#"{"type":"Polygon","coordinates":[[[0,60],[10,60],[10,70],[0,70],[0,60]]]}"#,
    );
    let second = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1ab";
    let deployments = |home: &Home, arguments: &[&str]| {
        Run::driftline(home, [&["deployments"], arguments].concat()).go()
    };
    for (uuid, flags) in [
        (
            UUID,
            &[
                "--label",
                "=1+1, \"north\"",
                "--group=-a",
                "--platform",
                "drifter",
                "--max-age",
                "1d12h",
                "--inside=-57.92,2.11,2km",
                "--below",
                "battery=11.5 V",
                "--below",
                "temp=-2",
                "--above",
                "temp=30",
                "--max-speed",
                "10kn",
                "--from",
                "2026-01-02",
                "--until",
                "2027-01-02",
                "--state",
                "lost",
                "--notes",
                "seen by 'ship'",
            ][..],
        ),
        (second, &["--inside", area.to_str().unwrap()]),
    ] {
        deployments(&home, &[&["add", uuid], flags].concat()).ends_with(0);
    }
    let listed = |home: &Home| deployments(home, &["list", "--json"]).ends_with(0).stdout;
    let table = deployments(&home, &["export"]).ends_with(0).stdout;
    assert!(!table.contains(",=1") && !table.contains("\"=1"), "{table}");
    let file = home.file("list.csv");
    let told = deployments(&home, &["export", file.to_str().unwrap()])
        .ends_with(0)
        .stderr;
    assert!(told.starts_with("2 deployments to "), "{told}");
    // An archive that is away, as on a disk that is not mounted, is not an empty list.
    let gone = home.file("gone.db").display().to_string();
    let refused = deployments(
        &home,
        &["export", file.to_str().unwrap(), "--archive", &gone],
    );
    assert!(
        refused
            .ends_with(1)
            .stderr
            .contains("there is no archive at")
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), table);
    let other = Home::new();
    let import = ["deployments", "import", "-"];
    Run::driftline(&other, import)
        .stdin(table.as_str())
        .ends_with(0);
    assert_eq!(listed(&other), listed(&home));
    let again = Run::driftline(&other, import)
        .stdin(table.as_str())
        .ends_with(0)
        .stderr;
    assert!(again.contains("0 added, 0 changed, 2 unchanged"), "{again}");
}

#[test]
fn a_number_without_a_unit_is_no_duration_and_a_range_ends_after_it_begins() {
    let (home, service) = (Home::new(), service());
    for line in [
        &["track", UUID, "--timeout", "30"][..],
        &["deployments", "add", UUID, "--max-age", "12"],
        &["deployments", "add", UUID, "--max-age", "1.5h"],
        &["alarms", "snooze", "abc", "12"],
        &[
            "track",
            UUID,
            "--since",
            "2026-02-01",
            "--until",
            "2026-01-01",
        ],
    ] {
        let told = run(&home, &service, line).ends_with(2).stderr;
        assert!(
            told.contains("1d12h") || told.contains("--until is before --since"),
            "{told}"
        );
    }
    assert!(service.requests().is_empty());
    let add = ["deployments", "add", UUID, "--max-age", "1 d 12 h"];
    let told = run(&home, &service, &add).ends_with(0).stderr;
    assert!(told.contains("max age 1 d 12 h"), "{told}");
}
