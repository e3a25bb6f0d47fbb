//! What people type: identifiers, addresses, times and settings that are odd,
//! taken as they are meant or refused before anything is sent.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TOKEN, TRACK, UUID};

fn service() -> Responder {
    Responder::new(|request, _| match request.method.as_str() {
        "GET" => Act::json(200, TRACK),
        _ => Act::json(200, &String::from_utf8_lossy(&request.body)),
    })
}

fn run(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments)
        .env("DRIFTLINE_TOKEN", TOKEN)
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .go()
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
    for timeout in ["0", "0s", "1e30s", "-1s", "NaN", "inf", "5x", "", " ", "s"] {
        run(&home, &service, &["track", UUID, "--timeout", timeout]).ends_with(2);
    }
    for timeout in ["5", "5s", "1m", "0.5s", "500ms", "1h"] {
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
            .env("DRIFTLINE_TOKEN", TOKEN)
            .env("DRIFTLINE_BASE_URL", service.base_url())
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
        let answer = Run::driftline(&home, arguments)
            .env("DRIFTLINE_TOKEN", TOKEN)
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .go();
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
    Run::program(&home, "mkfifo", [&pipe]).go().ends_with(0);
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
    let answer = run(
        &home,
        &service,
        &["--config", open.to_str().unwrap(), "track", UUID],
    )
    .ends_with(0);
    assert!(answer.stderr.contains("chmod"), "{answer:#?}");
}
