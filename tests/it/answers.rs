//! Answers at their worst, through the binary: heads that no server sends, and
//! bodies that are not what they call themselves.

use crate::driver::home::Home;
use crate::driver::run::Answer;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TRACK, UUID, with_token};
use crate::links::{run, track};
use crate::mapped;

#[test]
fn heads_that_no_server_sends_have_their_status() {
    let home = Home::new();
    let body = TRACK;
    let length = body.len();
    let head = |lines: &str| {
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{lines}\r\n{body}").into_bytes()
    };
    for (name, bytes, statuses) in [
        (
            "one length twice",
            head(&format!(
                "Content-Length: {length}\r\nContent-Length: {length}\r\n"
            )),
            &[0][..],
        ),
        (
            "two lengths",
            head(&format!(
                "Content-Length: {length}\r\nContent-Length: 3\r\n"
            )),
            &[5],
        ),
        (
            "a length below nought",
            head("Content-Length: -1\r\n"),
            &[5],
        ),
        (
            "a length too large",
            head("Content-Length: 99999999999999999999\r\n"),
            &[5],
        ),
        (
            "a length that lies",
            head("Content-Length: 100000\r\n"),
            &[5],
        ),
        (
            "a head of a megabyte",
            head(&format!("X: {}\r\n", "x".repeat(1 << 20))),
            &[5],
        ),
        ("two hundred headers", head(&"X: 1\r\n".repeat(200)), &[5]),
        ("nought in a header", head("X: \0\r\n"), &[5]),
        ("no version", b"200 OK\r\n\r\n[]".to_vec(), &[5]),
        ("HTTP/0.9", TRACK.as_bytes().to_vec(), &[5]),
        ("TLS", b"\x15\x03\x03\x00\x02\x02\x28".to_vec(), &[5]),
        ("status 1000", b"HTTP/1.1 1000 Many\r\n\r\n".to_vec(), &[5]),
        ("status 99", b"HTTP/1.1 99 Few\r\n\r\n".to_vec(), &[4, 5, 6]),
        (
            "101 unasked",
            b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n".to_vec(),
            &[5, 6],
        ),
        (
            "103, then 200",
            [
                b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(),
                head(&format!("Content-Length: {length}\r\n")),
            ]
            .concat(),
            &[0],
        ),
        (
            "206 unasked",
            format!("HTTP/1.1 206 Part\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes(),
            &[6],
        ),
        (
            "205",
            b"HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n".to_vec(),
            &[0, 6],
        ),
        (
            "brotli, which was not asked for",
            head("Content-Encoding: br\r\n"),
            &[6],
        ),
        (
            "compressed by nobody knows",
            head("Content-Encoding: zzz\r\n"),
            &[0, 6],
        ),
    ] {
        let service = Responder::new(move |_, _| Act::Send(bytes.clone()));
        let answer = track(&home, &service.base_url());
        assert!(statuses.contains(&answer.status), "{name}: {answer:#?}");
        if answer.status != 0 {
            assert_eq!(answer.stdout, "", "{name}");
        }
    }
}

#[test]
fn an_answer_is_judged_by_what_it_is_whatever_it_calls_itself() {
    let home = Home::new();
    for kind in [
        "text/html",
        "text/plain",
        "application/json; charset=latin1",
        "x",
        "",
    ] {
        let service = Responder::new(move |_, _| Act::typed(200, kind, TRACK));
        track(&home, &service.base_url()).ends_with(0);
    }
    for (status, kind, body, code) in [
        (511, "text/html", "<title>Sign in</title>", 4),
        (
            200,
            "text/html",
            "<html><title>Please sign in\u{1b}[2J</title>",
            6,
        ),
        (502, "text/html", "<h1>Bad</h1>", 4),
        (200, "application/json", "", 6),
        (200, "application/json", " \r\n", 6),
        (200, "application/json", "[] []", 6),
        (200, "application/json", "{\"a\":1,\"b\":2}", 6),
        (
            500,
            "application/json",
            r#"{"error":1099511627776,"message":null}"#,
            4,
        ),
        (500, "application/json", r#"{"error":"7"}"#, 4),
        (400, "application/json", r#"[{"error":7}]"#, 4),
    ] {
        let service = Responder::new(move |_, _| Act::typed(status, kind, body));
        let answer = track(&home, &service.base_url()).ends_with(code);
        assert!(!answer.stderr.contains('\u{1b}'), "{answer:#?}");
    }
    let long = format!(r#"{{"error":1,"message":"{}"}}"#, "m".repeat(10 << 20));
    let service = Responder::new(move |_, _| Act::json(400, &long));
    let answer = track(&home, &service.base_url()).ends_with(4);
    assert!(answer.stderr.len() < 2000, "{} bytes", answer.stderr.len());
}

#[test]
fn a_hundred_megabytes_in_a_field_nobody_asked_for_and_an_endless_body_have_bounds() {
    let home = Home::new();
    home.write(
        ".config/driftline/config.toml",
        "max_response = 3_000_000\n",
    );
    let field = "y".repeat(2_000_000);
    let body = format!(r#"[{{"time_stamp":1,"latitude":2,"longitude":3,"note":"{field}"}}]"#);
    let service = Responder::new(move |_, _| Act::json(200, &body));
    track(&home, &service.base_url()).ends_with(0);
    let endless = format!("[{}", "{},".repeat(2_000_000));
    let service = Responder::new(move |_, _| {
        Act::Send(
            [
                &b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"[..],
                endless.as_bytes(),
            ]
            .concat(),
        )
    });
    track(&home, &service.base_url())
        .ends_with(6)
        .says("max_response");
}

#[test]
fn a_service_whose_clock_is_wrong_is_noted() {
    let home = Home::new();
    let service =
        Responder::new(|_, _| Act::with(200, &[("Date", "Sun, 06 Nov 1994 08:49:37 GMT")], TRACK));
    track(&home, &service.base_url()).ends_with(0).says("clock");
}

#[test]
fn a_check_meets_every_fault_with_3_and_one_line_that_starts_no_figures() {
    let acts: [fn() -> Act; 10] = [
        Act::hang_up,
        || Act::json(400, r#"{"error":1,"message":"a|b"}"#),
        || Act::json(200, "{}"),
        || Act::Reset,
        || Act::json(401, "{}"),
        || Act::json(500, r#"{"error":1,"message":"a|b|c\nd"}"#),
        || Act::json(200, "nonsense"),
        || Act::with(302, &[("Location", "http://127.0.0.1:9/")], ""),
        || Act::Send(b"SSH-2.0-x\r\n".to_vec()),
        || Act::json(200, "[]"),
    ];
    for act in acts {
        let home = Home::new();
        let service = Responder::new(move |_, _| act());
        let answer = run(
            &home,
            &service.base_url(),
            &["check", UUID, "--timeout", "1s"],
        )
        .go();
        assert_eq!(answer.status, 3, "{answer:#?}");
        assert_eq!(answer.stdout.lines().count(), 1, "{answer:#?}");
        let words = answer.stdout.split('|').next().unwrap();
        assert!(words.contains("UNKNOWN"), "{answer:#?}");
    }
}

#[test]
fn check_and_track_say_the_same_of_a_deployment_whose_records_were_withdrawn() {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let record = |hours: u64| {
        let time = now - 600 - hours * 3600;
        format!(r#"{{"time_stamp":{time},"latitude":60.{hours},"longitude":1}}"#)
    };
    let all = format!("[{},{},{}]", record(2), record(1), record(0));
    let service = Responder::new(move |_, number| match number {
        0 => Act::json(200, &all),
        _ => Act::json(200, "[]"),
    });
    let home = Home::new();
    let run = |arguments: &[&str]| with_token(&home, &service.base_url(), arguments).go();
    run(&["deployments", "add", UUID, "--max-age", "2h"]).ends_with(0);
    let rows = |answer: &Answer| answer.stdout.lines().count();
    let csv = ["track", UUID, "--format", "csv"];
    assert_eq!(rows(&run(&csv).ends_with(0)), 4);
    // Both go by the fixes that were withdrawn, and `track` says so.
    let track = run(&csv).ends_with(0);
    assert_eq!(rows(&track), 4);
    track.says("absent");
    let check = run(&["check", UUID]).ends_with(0);
    check.prints("fixes=3");
    // Of a deployment that never had one, it says that.
    let other = "6f9619ff-8b86-4011-842d-00c04fc964ff";
    let check = run(&["check", other]);
    assert_eq!(check.status, 3, "{check:#?}");
    check.prints("no fixes yet");
}

#[test]
fn a_value_that_is_missing_is_missing_whatever_else_is_wrong() {
    let records = r#"[{"time":"2022-12-01T00:00:00Z","lat":55.5,"lon":16.0},
        {"lat":55.5,"lon":16.0}, {"time":"","lat":55.5,"lon":16.0},
        {"time":"2022-12-01T01:00:00Z","lat":"north","lon":null},
        {"time":"2022-12-01T02:00:00Z","lat":"north","lon":16.0}]"#;
    let service = Responder::json(200, records);
    let home = mapped::home(&service.base_url(), mapped::DATASETTE);
    let answer = mapped::go(&home, &["track", "SMILLA-77", "--format", "json"]).ends_with(0);
    let track: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let unusable = track["unusable"].as_array().unwrap();
    let flags: Vec<&serde_json::Value> = unusable.iter().map(|record| &record["qc_flag"]).collect();
    assert_eq!(flags, [9, 9, 9, 4], "{track:#}");
}

#[test]
fn an_empty_list_with_404_is_an_answer_without_fixes() {
    let service = Responder::json(404, " []\n");
    let home = mapped::home(&service.base_url(), "kind = \"argovis\"");
    let track = mapped::go(&home, &["track", "4903654", "--format", "csv"]).ends_with(0);
    assert_eq!(track.stdout.lines().count(), 1, "{track:#?}");
}
