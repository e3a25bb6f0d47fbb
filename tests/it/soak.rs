//! The long watch: a dashboard driven by random keys against a service that
//! misbehaves at random, on real tracks.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::driver::chance::{Chance, rounds};
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::recorded;
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::TOKEN;

const TRACKS: [&str; 4] = [
    "argos_akbs_59974",
    "spotter_laptev_1386",
    "hurdat2_john_1994",
    "moored_casey_17328",
];

fn uuid(number: usize) -> String {
    format!("5b6ac2a0-43c5-4d30-9f1b-00000000000{number}")
}

fn seconds() -> u64 {
    rounds(15, 900) as u64
}

/// What the service does: mostly what it should.
fn misbehave(chance: &Chance, honest: &str) -> Act {
    let cut = |text: &str, at: usize| {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
            honest.len()
        );
        let end = at.min(text.len());
        Act::Send([head.as_bytes(), &text.as_bytes()[..end]].concat())
    };
    match chance.below(30) {
        0 => Act::Reset,
        1 => Act::hang_up(),
        2 => cut(honest, chance.below(honest.len().max(1))),
        3 => Act::ThenSilence(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[".to_vec()),
        4 => Act::json(500, r#"{"error":7,"message":"\u001b[31mno\u202e"}"#),
        5 => Act::with(429, &[("Retry-After", "1")], "slow down"),
        6 => Act::typed(502, "text/html", "<title>Bad gateway</title>"),
        7 => Act::json(200, r#"{"error":9,"message":"not now"}"#),
        8 => Act::json(200, "[{\"time_stamp\":1e999},null,7,[[[]]]]"),
        9 => Act::with(200, &[("Content-Encoding", "gzip")], "no gzip"),
        10 => Act::json(204, ""),
        11 => Act::with(302, &[("Location", "http://127.0.0.1:9/")], ""),
        12 => Act::Send(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()),
        _ => Act::json(200, honest),
    }
}

/// Resident memory of a process, kB.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

fn open_files(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).map_or(0, |all| all.count())
}

#[test]
fn a_dashboard_at_random_against_a_service_at_random_lives_loses_and_leaks_nothing() {
    let home = Home::new();
    let bodies: HashMap<String, String> = TRACKS
        .iter()
        .enumerate()
        .map(|(number, name)| {
            let body = String::from_utf8(recorded::track(name)).unwrap();
            (uuid(number), body)
        })
        .collect();
    let chance = Arc::new(Chance::new("soak"));
    let created = Arc::new(Mutex::new(Vec::<String>::new()));
    let (dice, made) = (Arc::clone(&chance), Arc::clone(&created));
    let service = Responder::new(move |request, _| match request.method.as_str() {
        "POST" => {
            let sent: Value = serde_json::from_slice(&request.body).unwrap();
            made.lock().unwrap().push(sent["id"].to_string());
            match dice.below(4) {
                0 => Act::hang_up(),
                1 => Act::json(503, r#"{"error":1,"message":"full"}"#),
                _ => Act::json(200, &sent.to_string()),
            }
        }
        "DELETE" => match dice.below(3) {
            0 => Act::hang_up(),
            1 => Act::json(404, r#"{"error":2,"message":"no such plant"}"#),
            _ => Act::json(200, "{}"),
        },
        _ => {
            let name = request.target.rsplit('/').next().unwrap_or_default();
            let honest = bodies.get(name).map_or("[]", String::as_str);
            misbehave(&dice, honest)
        }
    });
    for (number, name) in TRACKS.iter().enumerate() {
        let id = uuid(number);
        Run::driftline(&home, ["deployments", "add", &id, "--label", name]).ends_with(0);
    }
    home.write(
        ".config/driftline/config.toml",
        "refresh = \"2s\"\ntimeout = \"2s\"\n",
    );
    let open = || {
        let terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
        terminal.shows("UTC");
        terminal
    };
    let mut terminal = open();
    let (mut opened, mut plants) = (Instant::now(), 1000);
    let mut early: Option<(u64, usize)> = None;
    let mut looked = Instant::now();
    let end = Instant::now() + Duration::from_secs(seconds());
    let warm = Duration::from_secs(seconds() / 3);
    while Instant::now() < end {
        let keys = match chance.below(60) {
            0 => {
                // A plant, typed whole; its number is never typed again.
                plants += 1;
                format!("\x1b\x1b3n{plants}\trose\tred\r")
            }
            1 => "\x1b\x1b3D".to_owned(),
            2 => "y".to_owned(),
            3 => "\x1b\x1b2".to_owned(),
            4 => "\x1b\x1b1".to_owned(),
            5 => {
                terminal.resize(
                    u16::try_from(1 + chance.below(220)).unwrap(),
                    u16::try_from(1 + chance.below(70)).unwrap(),
                );
                String::new()
            }
            6 => {
                terminal.resize(160, 48);
                String::new()
            }
            7 => format!(
                "\x1b[200~{}\x1b[201~",
                "paste\r\n\x07y".repeat(chance.below(40))
            ),
            8 => format!(
                "\x1b[<{};{};{}M",
                chance.below(70),
                1 + chance.below(200),
                1 + chance.below(60)
            ),
            // Asked for by hand, too: a service like this one is asked less and
            // less by itself.
            10 => "\x1b\x1b1r".to_owned(),
            11 => "\x1b\x1b1jr2".to_owned(),
            12 => "\x1b\x1b2r".to_owned(),
            9 => "\x1b[I\x1b[O\x1bOP\x1b[25~".to_owned(),
            _ => {
                let all = b"jkgG+-0HJKLf[]{} xuctzCmMRoXwsSr/p?:a12345\t\x04\x15\x1b\x1b\x1b\r";
                char::from(all[chance.below(all.len())]).to_string()
            }
        };
        if !keys.is_empty() {
            terminal.keys(&keys);
        }
        std::thread::sleep(Duration::from_millis(20 + chance.below(60) as u64));
        if terminal.process_state().is_none_or(|state| state == 'Z') {
            // Somebody chose to quit from the palette.
            assert_eq!(terminal.end(), 0, "{}", terminal.screen());
            assert_eq!(terminal.insane(), [""; 0]);
            terminal = open();
            (opened, early) = (Instant::now(), None);
        }
        if looked.elapsed() > Duration::from_secs(600) {
            looked = Instant::now();
            println!("{} kB", resident(terminal.id()));
        }
        if early.is_none() && opened.elapsed() > warm {
            early = Some((resident(terminal.id()), open_files(terminal.id())));
        }
    }
    let screen = terminal.screen();
    for sign in ["panicked", "internal fault"] {
        assert!(!screen.contains(sign), "{screen}");
    }
    if let Some((memory, files)) = early {
        let (now, files_now) = (resident(terminal.id()), open_files(terminal.id()));
        println!(
            "{} s: {memory} kB, later {now} kB; {files} files open, later {files_now}",
            seconds()
        );
        assert!(
            now < memory + memory / 2 + 30_000,
            "{memory} kB became {now} kB"
        );
        assert!(files_now <= files + 12, "{files} files became {files_now}");
    }
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.end(), 143);
    assert_eq!(terminal.insane(), [""; 0]);
    let bytes = terminal.bytes();
    assert!(!crate::driver::home::holds(&bytes, TOKEN));
    drop(terminal);
    // Whatever reached the service stands in the plant log, each create in a line of
    // its own: one that a person (the palette knows how) asked for again has two.
    let created = created.lock().unwrap().clone();
    let listed = Run::driftline(&home, ["plants", "log", "--json"]).ends_with(0);
    let log: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    for id in &created {
        let sent = created.iter().filter(|other| *other == id).count();
        let lines = log
            .iter()
            .filter(|line| {
                line["operation"] == "create" && serde_json::to_string(&line["id"]).unwrap() == *id
            })
            .count();
        assert!(
            sent <= lines,
            "plant {id} was sent {sent} times and stands in {lines} lines"
        );
    }
    println!(
        "{} creates, {} requests",
        created.len(),
        service.requests().len()
    );
    assert!(!listed.stdout.contains("\"sending\""), "{}", listed.stdout);
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
    assert_eq!(home.files_holding(TOKEN), Vec::<std::path::PathBuf>::new());
}
