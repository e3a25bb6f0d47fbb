//! A service that repeats the token it was sent: in every place of an answer,
//! for tokens of every length, of which nothing is left on a pipe, in the
//! archive, in the log or on a screen.

use std::sync::Arc;

use crate::driver::chance::rounds;
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::UUID;

/// A token of so many characters in which no eight repeat.
fn token(length: usize) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ length as u64;
    let mut sign = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(SIGNS[usize::try_from(state >> 33).unwrap() % SIGNS.len()])
    };
    (0..length).map(|_| sign()).collect()
}

/// Every place of an answer that a token can stand in, `@` for it, and `#` for
/// a hundred characters.
const PLACES: [(u16, &str, &str); 26] = [
    (200, "", r#"[{"time_stamp":null,"tag":"@"}]"#),
    (200, "", r#"[{"@":1}]"#),
    (200, "", r#"[{"time_stamp":"@"}]"#),
    (200, "", r#"["@"]"#),
    (
        200,
        "",
        r#"["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx@"]"#,
    ),
    (200, "", r#"[["@@"]]"#),
    (200, "", r#"[{"a":1,@}]"#),
    (200, "", "[@]"),
    (200, "", "@"),
    (200, "", r#"{"@":"@","b":1}"#),
    (200, "", r#""@""#),
    (200, "", "<html><title>Sign in, @</title>"),
    (200, "ETag: \"@\"\r\nLast-Modified: @\r\n", "[]"),
    (302, "Location: https://@.example/\r\n", ""),
    (302, "Location: /@\r\n", ""),
    (302, "Location: https://u:@@host.example/@\r\n", ""),
    (400, "", r#"{"error":7,"message":"bad header: Bearer @"}"#),
    (400, "", r#"{"error":"@"}"#),
    (
        401,
        "WWW-Authenticate: Bearer realm=\"@\"\r\n",
        r#"{"detail":"@ has expired"}"#,
    ),
    (403, "", r#"{"title":"x@"}"#),
    (404, "", r#""no such thing as @""#),
    (404, "", "Authorization: Bearer @"),
    (
        500,
        "",
        "<title>Error at /data, HTTP_AUTHORIZATION=@</title>",
    ),
    (503, "Retry-After: @\r\n", r#"{"error_description":"@@@"}"#),
    (400, "", "{\"error\":7,\"message\":\"####@\"}"),
    (200, "", r#"{"name":"@","tag":"x @"}"#),
];

/// Answers with the place of `number`, the token in it.
fn repeating(place: usize, token: &str) -> Responder {
    let (status, headers, body) = PLACES[place];
    let (headers, body) = (headers.replace('@', token), body.replace('@', token));
    let body = body.replace('#', &"x".repeat(120));
    Responder::new(move |_, _| Act::http(&format!("{status} Said"), &headers, body.as_bytes()))
}

/// The first run of eight characters of `token` that `bytes` hold.
fn run_in(bytes: &[u8], token: &str) -> Option<String> {
    let runs: std::collections::HashSet<&[u8]> = token.as_bytes().windows(8).collect();
    let found = bytes.windows(8).find(|window| runs.contains(window))?;
    Some(String::from_utf8_lossy(found).into_owned())
}

fn files(home: &Home) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let (mut folders, mut found) = (vec![home.path().to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => folders.push(entry.path()),
                kind if kind.is_file() => {
                    found.push((entry.path(), std::fs::read(entry.path()).unwrap()));
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn no_run_of_a_token_is_repeated_whatever_its_length_and_wherever_it_stands() {
    std::thread::scope(|scope| {
        for &length in &[20, 4096, 63, 203][..rounds(2, 4)] {
            scope.spawn(move || {
                let token: Arc<str> = token(length).into();
                let home = Home::new();
                let mut withheld = 0;
                for (place, shown) in PLACES.iter().enumerate() {
                    let service = repeating(place, &token);
                    for arguments in [
                        &["deployments", "add", UUID][..],
                        &["track", UUID, "-v", "--timeout", "1s", "--format", "json"],
                        &[
                            "plants",
                            "create",
                            "--id",
                            "1",
                            "--name",
                            "n",
                            "--tag",
                            "t",
                            "--json",
                            "--timeout",
                            "1s",
                        ],
                        &["plants", "delete", "1", "--yes", "--timeout", "1s"],
                    ] {
                        let answer = Run::driftline(&home, arguments)
                            .env("DRIFTLINE_TOKEN", &*token)
                            .env("DRIFTLINE_BASE_URL", service.base_url())
                            .env("DRIFTLINE_LOG", "trace")
                            .go();
                        let said = [answer.stdout.as_bytes(), answer.stderr.as_bytes()].concat();
                        withheld += String::from_utf8_lossy(&said).matches("[token]").count();
                        assert_eq!(
                            run_in(&said, &token),
                            None,
                            "{length}: {shown:?}, {arguments:?}"
                        );
                    }
                    for (path, bytes) in files(&home) {
                        let run = run_in(&bytes, &token);
                        assert_eq!(run, None, "{length}: {shown:?}, {path:?}");
                    }
                }
                assert!(withheld > PLACES.len(), "{length}: {withheld}");
            });
        }
    });
}

#[test]
fn no_run_of_a_token_is_repeated_on_a_screen() {
    let token = token(203);
    for place in [0, 1, 4, 11, 16, 24] {
        let home = Home::new();
        let service = repeating(place, &token);
        let setting = Setting::default()
            .env("DRIFTLINE_TOKEN", &token)
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .env("DRIFTLINE_LOG", "trace");
        let terminal = Terminal::driftline(&home, &[UUID], setting);
        terminal.shows("UTC");
        for tab in ["1", "2", "4"] {
            terminal.keys(tab);
            std::thread::sleep(std::time::Duration::from_millis(400));
        }
        assert_eq!(
            run_in(&terminal.bytes(), &token),
            None,
            "{:?}",
            PLACES[place]
        );
        for (path, bytes) in files(&home) {
            assert_eq!(
                run_in(&bytes, &token),
                None,
                "{:?}, {path:?}",
                PLACES[place]
            );
        }
    }
}
