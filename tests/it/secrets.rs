//! Where a token must not be: in any shape, in any file, screen or error, in a
//! core, in another process, or in memory once it is logged out.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;

use crate::driver::home::{DRIFTLINE, Home, holds};
use crate::driver::keyring::Bus;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TRACK, UUID};

/// Long, and like nothing else.
const SECRET: &str = "drift/secret+token=0123456789~ZYXWVUTSRQ";

/// The shapes that a token could hide in: as it is, reversed, in hexadecimal,
/// Base64 (three alignments), percent-encoded, as JSON, as UTF-16, in Rust's
/// debug form of bytes.
fn shapes() -> Vec<(String, Vec<u8>)> {
    let bytes = SECRET.as_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = bytes
        .iter()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(*byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect();
    let mut shapes = vec![
        ("plain".to_owned(), bytes.to_vec()),
        ("reversed".to_owned(), bytes.iter().rev().copied().collect()),
        ("hexadecimal".to_owned(), hex.clone().into_bytes()),
        ("HEXADECIMAL".to_owned(), hex.to_uppercase().into_bytes()),
        ("percent".to_owned(), percent.into_bytes()),
        ("json".to_owned(), SECRET.replace('/', "\\/").into_bytes()),
        (
            "utf-16".to_owned(),
            SECRET.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        (
            "debug".to_owned(),
            format!("{:?}", &bytes[..12])
                .trim_matches(['[', ']'])
                .as_bytes()
                .to_vec(),
        ),
    ];
    for skip in 0..3 {
        // The first group of an alignment mixes with what stands before it.
        let text = base64(&bytes[skip..]);
        shapes.push((
            format!("base64 from {skip}"),
            text.as_bytes()[..24].to_vec(),
        ));
    }
    shapes
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bytes
        .chunks(3)
        .flat_map(|three| {
            let number = three
                .iter()
                .fold(0u32, |sum, byte| sum << 8 | u32::from(*byte))
                << (8 * (3 - three.len()));
            [18, 12, 6, 0].map(|shift| char::from(DIGITS[(number >> shift & 63) as usize]))
        })
        .collect()
}

fn found_in(bytes: &[u8]) -> Vec<String> {
    shapes()
        .into_iter()
        .filter(|(_, shape)| bytes.windows(shape.len()).any(|window| window == shape))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn the_search_finds_each_shape() {
    for (name, shape) in shapes() {
        let hay = [b"before ", &shape[..], b" after"].concat();
        assert!(found_in(&hay).contains(&name), "{name}");
    }
    assert!(found_in(b"nothing of the kind").is_empty());
    assert_eq!(base64(b"Man"), "TWFu");
}

fn every_file(home: &Home) -> Vec<(String, Vec<u8>)> {
    let (mut folders, mut found) = (vec![home.path().to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push((
                    entry.path().display().to_string(),
                    fs::read(entry.path()).unwrap(),
                ));
            }
        }
    }
    found
}

/// A process's memory that can be written to, as root reads it.
fn memory(process: u32) -> Vec<u8> {
    use std::io::{Read, Seek, SeekFrom};
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let Ok(mut file) = fs::File::open(format!("/proc/{process}/mem")) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let range = line.split(' ').next().unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let (from, to) = (
            u64::from_str_radix(from, 16).unwrap(),
            u64::from_str_radix(to, 16).unwrap(),
        );
        if to - from > 256 << 20 || file.seek(SeekFrom::Start(from)).is_err() {
            continue;
        }
        let mut part = vec![0; usize::try_from(to - from).unwrap()];
        if file.read_exact(&mut part).is_ok() {
            all.extend_from_slice(&part);
        }
    }
    all
}

#[test]
fn a_token_is_in_no_shape_in_anything_that_was_written() {
    let home = Home::new();
    let acts: [fn() -> Act; 6] = [
        || Act::json(200, TRACK),
        || Act::json(401, r#"{"error":1,"message":"no"}"#),
        || Act::json(500, "x"),
        || Act::hang_up(),
        || Act::with(302, &[("Location", "http://127.0.0.1:9/")], ""),
        || Act::typed(200, "text/html", "<title>Sign in</title>"),
    ];
    for act in acts {
        let service = Responder::new(move |_, _| act());
        for arguments in [
            &[
                "track",
                UUID,
                "-v",
                "--timeout",
                "1s",
                "--output",
                "out.json",
                "--format",
                "json",
            ][..],
            &["deployments", "add", UUID],
            &["track", UUID, "-v", "--timeout", "1s"],
            &["check", UUID, "--timeout", "1s"],
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
            &["auth", "status"],
            &["config", "show"],
            &["archive", "info"],
            &["auth", "login", SECRET],
        ] {
            let answer = Run::driftline(&home, arguments)
                .env("DRIFTLINE_TOKEN", SECRET)
                .env("DRIFTLINE_BASE_URL", service.base_url())
                .env("DRIFTLINE_LOG", "trace")
                .env("RUST_LOG", "trace")
                .env("RUST_BACKTRACE", "full")
                .go();
            let said = [answer.stdout.as_bytes(), answer.stderr.as_bytes()].concat();
            assert_eq!(found_in(&said), [""; 0], "{arguments:?} {answer:#?}");
        }
    }
    // A panic in view, start and worker, each with a token in use.
    for place in ["view", "start", "worker"] {
        let service = Responder::json(200, TRACK);
        let setting = Setting::default()
            .env("DRIFTLINE_TOKEN", SECRET)
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .env("DRIFTLINE_LOG", "trace")
            .env("RUST_BACKTRACE", "full")
            .env("DRIFTLINE_TEST_PANIC", place);
        let terminal = Terminal::driftline(&home, &[UUID], setting);
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(found_in(&terminal.bytes()), [""; 0], "{place}");
    }
    for (path, bytes) in every_file(&home) {
        assert_eq!(found_in(&bytes), [""; 0], "{path}");
    }
}

/// A service that sends what it was sent as a field of each record: as a value,
/// within a text, within an object, and as a name.
#[test]
fn a_token_that_a_record_repeats_is_in_no_file() {
    let record = |time: u32| {
        let header = format!("Bearer {SECRET}");
        serde_json::json!({
            "time_stamp": time, "latitude": 60.5, "longitude": 2, "battery": 12.5,
            "echo": SECRET, "header": header, SECRET: 1, "request": { "authorization": header },
            "state": if time == 0 { "all is well" } else { "drift" },
        })
    };
    let body = serde_json::json!([record(0), record(3600)]).to_string();
    let service = Responder::json(200, &body);
    let home = Home::new();
    let run = |arguments: &[&str]| {
        let seen = Run::driftline(&home, arguments)
            .env("DRIFTLINE_TOKEN", SECRET)
            .env("DRIFTLINE_BASE_URL", service.base_url())
            .ends_with(0);
        let said = [seen.stdout.as_bytes(), seen.stderr.as_bytes()].concat();
        assert_eq!(found_in(&said), [""; 0], "{arguments:?} {seen:#?}");
        seen
    };
    run(&["deployments", "add", UUID]);
    for format in ["csv", "json", "ndjson", "geojson"] {
        let seen = run(&["track", UUID, "--format", format]).stdout;
        assert!(seen.contains("Bearer [token]"), "{seen}");
        assert!(
            seen.contains("all is well") && seen.contains("drift"),
            "{seen}"
        );
    }
    run(&["track", UUID, "--format", "netcdf", "--output", "track.nc"]);
    assert!(run(&["track", UUID, "--offline"]).stdout.contains("12.5"));
    for (path, bytes) in every_file(&home) {
        assert_eq!(found_in(&bytes), [""; 0], "{path}");
    }
}

#[test]
fn a_token_is_in_no_argument_and_no_other_process_is_started() {
    needs!("strace");
    let home = Home::new();
    let service = Responder::silent();
    let running = Run::program(
        &home,
        "strace",
        [
            "-f",
            "-qq",
            "-e",
            "trace=execve",
            "-s",
            "4096",
            "-o",
            "calls",
            "--",
            DRIFTLINE,
            "track",
            UUID,
            "--timeout",
            "2s",
        ],
    )
    .env("DRIFTLINE_TOKEN", SECRET)
    .env("DRIFTLINE_BASE_URL", service.base_url())
    .start();
    crate::driver::until(crate::driver::PATIENCE, || {
        (!service.requests().is_empty()).then_some(())
    })
    .unwrap();
    // Its own process alone: another test may be running with this token as an argument.
    let children = format!("/proc/{0}/task/{0}/children", running.id());
    let children = fs::read_to_string(children).unwrap();
    let line = fs::read(format!("/proc/{}/cmdline", children.trim())).unwrap();
    assert!(holds(&line, UUID), "{children}");
    assert!(!holds(&line, SECRET));
    running.end();
    let calls = fs::read_to_string(home.file("calls")).unwrap();
    assert_eq!(calls.lines().count(), 1, "{calls}");
    assert!(!calls.contains(SECRET), "{calls}");
}

#[test]
fn no_core_is_left_and_no_other_process_of_the_user_looks_in() {
    let home = Home::new();
    let service = Responder::silent();
    let running = Run::shell(&home, "ulimit -c unlimited; exec \"$DRIFTLINE\" track 5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa --timeout 20s")
        .env("DRIFTLINE_TOKEN", SECRET)
        .env("DRIFTLINE_BASE_URL", service.base_url())
        .start();
    crate::driver::until(crate::driver::PATIENCE, || {
        (!service.requests().is_empty()).then_some(())
    })
    .unwrap();
    let limits = fs::read_to_string(format!("/proc/{}/limits", running.id())).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap();
    assert!(core.split_whitespace().nth(4) == Some("0"), "{core}");
    // What is not dumpable belongs to root: its memory is closed to the user.
    let owner = std::os::unix::fs::MetadataExt::uid(
        &fs::metadata(format!("/proc/{}/mem", running.id())).unwrap(),
    );
    assert_eq!(owner, 0);
    running.signal(Signal::ABORT);
    assert_eq!(running.end().status, 134);
    assert!(
        every_file(&home)
            .iter()
            .all(|(path, _)| !path.contains("core"))
    );
}

#[test]
fn a_login_and_a_logout_leave_the_token_in_the_keyring_alone_and_then_nowhere() {
    needs!("keyring");
    let home = Home::new();
    let bus = Bus::unlocked(&home);
    let service = Responder::json(200, TRACK);
    let run = |arguments: &[&str]| {
        Run::driftline(&home, arguments)
            .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
            .env("DRIFTLINE_BASE_URL", service.base_url())
    };
    run(&["auth", "login"])
        .stdin(format!("{SECRET}\n"))
        .ends_with(0);
    run(&["track", UUID]).ends_with(0);
    // In the memory of a dashboard: what driftline's own copies left.
    let setting = Setting::default()
        .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
        .env("DRIFTLINE_BASE_URL", service.base_url());
    let mut terminal = Terminal::driftline(&home, &[UUID], setting);
    terminal.shows("UTC");
    terminal.keys("2");
    terminal.shows("COG");
    let image = memory(terminal.id());
    println!(
        "in the memory of a running dashboard: {:?} of {} kB",
        found_in(&image),
        image.len() >> 10
    );
    assert_eq!(found_in(&terminal.bytes()), [""; 0]);
    terminal.quits();
    run(&["auth", "logout"]).ends_with(0);
    let after = run(&["track", UUID]).go();
    assert_eq!(after.status, 3, "{after:#?}");
    for (path, bytes) in every_file(&home) {
        // The keyring's own file is its own affair; it is encrypted.
        assert_eq!(found_in(&bytes), [""; 0], "{path}");
    }
}
