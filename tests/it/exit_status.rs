//! The exit statuses of the contract, each shown by the program itself, with
//! nothing on standard output where the run failed.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::until;
use crate::driver::wire::{Act, Responder, nobody};

pub(crate) const UUID: &str = "0b5bf6e6-6d0c-4d53-9d9c-9b6f8f5a1c01";
pub(crate) const TOKEN: &str = "tok-7Qx!fairway~2";

/// Two good records an hour apart, near the pole.
pub(crate) const TRACK: &str = r#"[{"time_stamp":1700000000,"latitude":85.5,"longitude":10.25},
    {"time_stamp":1700003600,"latitude":85.51,"longitude":10.5}]"#;

/// A track of five fixes an hour apart: its reporting interval is known.
pub(crate) const HOURLY_TRACK: &str = r#"[{"time_stamp":1700000000,"latitude":85.5,"longitude":10.25},
    {"time_stamp":1700003600,"latitude":85.51,"longitude":10.3},
    {"time_stamp":1700007200,"latitude":85.52,"longitude":10.35},
    {"time_stamp":1700010800,"latitude":85.53,"longitude":10.4},
    {"time_stamp":1700014400,"latitude":85.54,"longitude":10.45}]"#;

/// The program with a token, talking to `base_url`.
pub(crate) fn with_token(home: &Home, base_url: &str, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments).at(base_url)
}

/// A run with the service and the token of the tests.
pub(crate) fn start(home: &Home, service: &Responder, arguments: &[&str]) -> Run {
    with_token(home, &service.base_url(), arguments)
}

pub(crate) fn run(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    start(home, service, arguments).go()
}

fn track(base_url: &str, more: &[&str]) -> Answer {
    let home = Home::new();
    let arguments = [&["track", UUID, "--timeout", "1s"], more].concat();
    with_token(&home, base_url, &arguments).go()
}

/// `track` answered with `act` each time.
fn answered(act: impl Fn() -> Act + Send + Sync + 'static) -> Answer {
    let service = Responder::new(move |_, _| act());
    track(&service.base_url(), &[])
}

#[test]
fn a_track_that_came_is_0() {
    let service = Responder::json(200, TRACK);
    let answer = track(&service.base_url(), &[]).ends_with(0);
    let mut lines = answer.stdout.lines();
    assert_eq!(
        lines.next().unwrap(),
        "time,time_stamp,latitude,longitude,distance_m,speed_m_s,course_deg,gap_s,qc_flag,qc_reason"
    );
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("2023-11-14T22:13:20Z,1700000000,85.5,10.25,")
    );
    assert_eq!(lines.count(), 1);
}

#[test]
fn no_fixes_is_0_with_the_header_alone() {
    for (status, body) in [(200, "[]"), (204, "")] {
        let service = Responder::json(status, body);
        let answer = track(&service.base_url(), &[]).ends_with(0);
        assert_eq!(answer.stdout.lines().count(), 1, "{answer:#?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_1() {
    let service = Responder::json(200, TRACK);
    track(
        &service.base_url(),
        &["--output", "no/such/folder/track.csv"],
    )
    .ends_with(1);
}

#[test]
fn offline_without_a_copy_is_1_and_asks_nobody() {
    let service = Responder::json(200, TRACK);
    track(&service.base_url(), &["--offline"]).ends_with(1);
    assert!(service.requests().is_empty());
}

#[test]
fn bad_usage_is_2_and_sends_nothing() {
    let service = Responder::json(200, TRACK);
    let base = service.base_url();
    for arguments in [
        &["track", "not-a-uuid"][..],
        &["track"],
        &["track", UUID, "--format", "docx"],
        &["track", UUID, "--timeout", "0"],
        &["track", UUID, "--timeout", "-1s"],
        &["track", UUID, "--since", "someday"],
        &["track", UUID, "--no-such-flag"],
        &["track", UUID, "--base-url", "ftp://127.0.0.1/"],
        &["track", UUID, "--base-url", "no scheme"],
        &["latest", "--base-url", "no scheme"],
        &["alarms", "--sandbox-url", "no scheme"],
        &["deployments", "add", UUID, "--base-url", "htps://a.example"],
        &["track", UUID, "--base-url", "http://user:pw@127.0.0.1/"],
        &["track", UUID, "--base-url", "http://127.0.0.1/?key=1"],
        &["track", UUID, "--base-url", "http://192.0.2.1/"],
        &["no-such-command"],
        &["plants", "delete", "..", "--yes"],
        &["plants", "delete", "", "--yes"],
        &["plants", "delete", "a\tb", "--yes"],
        &[
            "plants", "create", "--id", "1.5", "--name", "n", "--tag", "t",
        ],
        &["plants", "create", "--id", "1", "--name", "n"],
    ] {
        let home = Home::new();
        let answer = with_token(&home, &base, arguments).go();
        assert_eq!(answer.status, 2, "{arguments:?} {answer:#?}");
        assert_eq!(answer.stdout, "", "{arguments:?}");
        assert!(!answer.stderr.contains("pw@"), "{answer:#?}");
    }
    assert!(service.requests().is_empty());
}

#[test]
fn a_config_that_does_not_parse_is_2_and_says_where() {
    let home = Home::new();
    home.write(".config/driftline/config.toml", "base_url = \n");
    with_token(&home, &nobody(), &["track", UUID])
        .ends_with(2)
        .says("config.toml");
}

#[test]
fn no_token_is_3_and_sends_nothing() {
    for variable in [None, Some("")] {
        let home = Home::new();
        let service = Responder::json(200, TRACK);
        let mut run =
            Run::driftline(&home, ["track", UUID]).env("DRIFTLINE_BASE_URL", service.base_url());
        if let Some(value) = variable {
            run = run.env("DRIFTLINE_TOKEN", value);
        }
        run.ends_with(3).says("DRIFTLINE_TOKEN");
        assert!(service.requests().is_empty());
    }
}

#[test]
fn a_refused_token_is_3() {
    for status in [401, 403] {
        answered(move || Act::json(status, r#"{"error":7,"message":"who are you"}"#)).ends_with(3);
    }
}

#[test]
fn an_error_of_the_service_is_4_with_its_own_words() {
    for status in [200, 400, 404] {
        let answer =
            answered(move || Act::json(status, r#"{"error":4711,"message":"no such mooring"}"#));
        let answer = answer.ends_with(4);
        answer.says("no such mooring");
        answer.says("4711");
    }
    answered(|| Act::typed(400, "text/html", "<html><title>Oops</title></html>")).ends_with(4);
}

#[test]
fn a_service_out_of_reach_is_5() {
    track(&nobody(), &[]).ends_with(5);
    answered(Act::silence).ends_with(5);
    answered(Act::hang_up).ends_with(5);
    answered(|| Act::Reset).ends_with(5);
}

#[test]
fn a_body_that_breaks_off_is_5() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let cut = format!("{head}Content-Length: 5000\r\n\r\n{TRACK}");
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n5\r\n[{{\"ti");
    let stalled = format!("{head}Content-Length: 5000\r\n\r\n[");
    answered(move || Act::Send(cut.clone().into_bytes())).ends_with(5);
    answered(move || Act::Send(chunked.clone().into_bytes())).ends_with(5);
    answered(move || Act::ThenSilence(stalled.clone().into_bytes())).ends_with(5);
}

#[test]
fn a_redirect_to_another_origin_is_5_and_carries_nothing_there() {
    let elsewhere = Responder::json(200, TRACK);
    let target = format!("{}/public/deployment/data/{UUID}", elsewhere.base_url());
    let service = Responder::new(move |_, _| Act::with(302, &[("Location", &target)], ""));
    track(&service.base_url(), &[])
        .ends_with(5)
        .says(&elsewhere.base_url());
    assert!(elsewhere.requests().is_empty());
}

#[test]
fn a_redirect_within_the_origin_is_followed_five_times() {
    for (hops, status) in [(5, 0), (6, 5)] {
        let service = Responder::new(move |_, number| match number {
            last if last == hops => Act::json(200, TRACK),
            _ => Act::with(307, &[("Location", "/moved")], ""),
        });
        let answer = track(&service.base_url(), &[]);
        assert_eq!(answer.status, status, "{answer:#?}");
        let requests = service.requests();
        assert!(
            requests
                .iter()
                .all(|request| request.header("authorization").is_some())
        );
    }
}

#[test]
fn an_answer_that_makes_no_sense_is_6() {
    for body in [
        r#"{"fixes":[]}"#,
        "null",
        "7",
        "",
        "[] []",
        "<html><title>Please sign in</title></html>",
        "[{\"time_stamp\":1,",
    ] {
        let said = body.to_owned();
        let answer = answered(move || Act::json(200, &said));
        assert_eq!(answer.status, 6, "{body:?}: {answer:#?}");
        answer.ends_with(6);
    }
}

#[test]
fn one_bad_record_spoils_that_record_alone() {
    let body = r#"[{"time_stamp":1700000000,"latitude":1,"longitude":2},[1,2,3],null,
        {"time_stamp":1e999,"latitude":1,"longitude":2},
        {"time_stamp":1,"time_stamp":2,"latitude":1,"longitude":2},
        {"time_stamp":1700003600,"latitude":91,"longitude":2}]"#;
    let service = Responder::json(200, body);
    let answer = track(&service.base_url(), &["--format", "json"]).ends_with(0);
    let written: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(written["fixes"].as_array().unwrap().len(), 1, "{written:#}");
    assert_eq!(
        written["unusable"].as_array().unwrap().len(),
        5,
        "{written:#}"
    );
    assert_eq!(written["summary"]["unusable"], json!(5));
}

const CREATE: &[&str] = &[
    "plants",
    "create",
    "--id",
    "42",
    "--name",
    "Boje",
    "--tag",
    "ice",
    "--timeout",
    "1s",
];
const DELETE: &[&str] = &["plants", "delete", "42", "--yes", "--timeout", "1s"];

#[test]
fn a_create_sent_and_unanswered_is_7_and_never_sent_again() {
    let acts: [fn() -> Act; 5] = [
        Act::hang_up,
        Act::silence,
        || Act::Reset,
        || Act::json(502, ""),
        || Act::json(504, "gateway"),
    ];
    for act in acts {
        let home = Home::new();
        let service = Responder::new(move |_, _| act());
        let base = service.base_url();
        with_token(&home, &base, CREATE).ends_with(7);
        assert_eq!(service.requests().len(), 1);
    }
}

#[test]
fn a_create_that_never_left_is_5() {
    let home = Home::new();
    with_token(&home, &nobody(), CREATE).ends_with(5);
}

#[test]
fn a_create_the_service_refused_is_4() {
    for status in [400, 409, 503] {
        let home = Home::new();
        let service = Responder::json(status, r#"{"error":9,"message":"the store is full"}"#);
        with_token(&home, &service.base_url(), CREATE)
            .ends_with(4)
            .says("the store is full");
        assert_eq!(service.requests().len(), 1);
    }
}

#[test]
fn a_create_is_never_redirected() {
    for status in [301, 302, 303, 307, 308] {
        let home = Home::new();
        let service = Responder::new(move |_, _| Act::with(status, &[("Location", "/moved")], ""));
        with_token(&home, &service.base_url(), CREATE).ends_with(4);
        with_token(&home, &service.base_url(), DELETE).ends_with(4);
        assert_eq!(service.requests().len(), 2);
    }
}

#[test]
fn a_lost_answer_to_a_delete_is_asked_for_once_more() {
    for (second, status) in [(204, 0), (404, 0), (0, 7)] {
        let home = Home::new();
        let service = Responder::new(move |_, number| match (number, second) {
            (0, _) | (_, 0) => Act::hang_up(),
            (_, status) => Act::json(status, ""),
        });
        let answer = with_token(&home, &service.base_url(), DELETE).go();
        assert_eq!(answer.status, status, "{second}: {answer:#?}");
        assert_eq!(service.requests().len(), 2);
    }
}

#[test]
fn an_error_is_an_object_too_where_json_was_asked_for() {
    let home = Home::new();
    let service = Responder::json(400, r#"{"error":9,"message":"the store is full"}"#);
    let arguments = [CREATE, &["--json"]].concat();
    let answer = with_token(&home, &service.base_url(), &arguments).ends_with(4);
    let object = answer
        .stderr
        .lines()
        .find_map(|line| serde_json::from_str::<Value>(line).ok())
        .unwrap_or_else(|| panic!("no object: {answer:#?}"));
    let error = &object["error"];
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("the store is full"),
        "{error}"
    );
    for name in ["kind", "code", "status"] {
        assert!(!error[name].is_null(), "{name} is missing: {error}");
    }
}

#[test]
fn an_interruption_has_its_signal_in_the_status() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let home = Home::new();
        let service = Responder::silent();
        let running = with_token(&home, &service.base_url(), &["track", UUID]).start();
        until(crate::driver::PATIENCE, || {
            (!service.requests().is_empty()).then_some(())
        })
        .unwrap();
        running.signal(signal);
        let answer = running.end();
        assert_eq!(
            (answer.status, answer.stdout.as_str()),
            (status, ""),
            "{answer:#?}"
        );
    }
}

#[test]
fn the_version_and_the_help_are_data() {
    let home = Home::new();
    let version = Run::driftline(&home, ["--version"]).ends_with(0);
    assert_eq!(
        version.stdout.trim(),
        concat!("driftline ", env!("CARGO_PKG_VERSION"))
    );
    for command in [
        "track",
        "plants",
        "auth",
        "check",
        "deployments",
        "demo",
        "config",
    ] {
        let help = Run::driftline(&home, [command, "--help"]).ends_with(0);
        assert!(help.stdout.contains("--base-url"), "{command}");
        assert!(!help.stdout.contains("--token"), "{command}");
    }
}

#[test]
fn a_check_of_all_is_3_where_the_service_is_none_though_nothing_is_due() {
    let now = crate::alarms::unix_now().floor();
    let fixes: Vec<String> = (1..9)
        .map(|hour| {
            format!(
                r#"{{"time_stamp":{},"latitude":50,"longitude":5}}"#,
                now - 3600.0 * f64::from(hour)
            )
        })
        .collect();
    let service = Responder::json(200, &format!("[{}]", fixes.join(",")));
    let home = Home::new();
    let base = service.base_url();
    for arguments in [
        &["deployments", "add", UUID][..],
        &["track", UUID],
        &["check", "--all"],
    ] {
        with_token(&home, &base, arguments).ends_with(0);
    }
    for unusable in ["zzz", "http://user:pw@127.0.0.1/", "htps://a.example", ""] {
        let check = Run::driftline(&home, ["check", "--all"]);
        let check = match unusable {
            "" => check,
            url => check.env("DRIFTLINE_BASE_URL", url),
        };
        let check = check.go();
        assert_eq!(check.status, 3, "{check:#?}");
        assert!(
            check.stdout.starts_with("DRIFTLINE UNKNOWN - "),
            "{check:#?}"
        );
    }
    assert_eq!(service.requests().len(), 1);
}

#[test]
fn bad_usage_of_check_is_3_wherever_the_settings_stand() {
    let home = Home::new();
    for arguments in [&["check"][..], &["--profile", "x", "check", "--no-such"]] {
        let answer = Run::driftline(&home, arguments).go();
        assert_eq!(answer.status, 3, "{answer:#?}");
        assert!(answer.stdout.starts_with("DRIFTLINE UNKNOWN - "));
        assert_eq!(answer.stdout.lines().count(), 1);
    }
    Run::driftline(&home, ["check", "--help"]).ends_with(0);
}
