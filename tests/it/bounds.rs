//! What a service can cost its reader: memory by what is kept, and time by
//! what is waited for.

use std::io::Write as _;
use std::time::Duration;

use crate::driver::chance::rounds;
use crate::driver::home::Home;
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TRACK, UUID};

/// The peak that any answer of 40 MiB of elements may cost, in kilobytes.
const MOST_KB: usize = 100_000;

/// An answer of 200 whose packed body is these bytes.
fn packed(body: Vec<u8>) -> Act {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    Act::Send([head.as_bytes(), &body].concat())
}

fn gzip(begins: &str, repeated: &str, size: usize, ends: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(begins.as_bytes()).unwrap();
    let block = repeated.repeat(1 + (1 << 16) / repeated.len());
    for _ in 0..size / block.len() {
        packer.write_all(block.as_bytes()).unwrap();
    }
    packer.write_all(ends.as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// Runs to the end; the answer is also the most memory it had, in kilobytes.
fn with_peak(run: Run) -> (Answer, usize) {
    let running = run.start();
    let status = format!("/proc/{}/status", running.id());
    let peak = std::thread::spawn(move || {
        let mut peak = 0;
        loop {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            // One that has ended has none.
            let Some(line) = line else { return peak };
            let kilobytes = line.trim().trim_end_matches(" kB");
            peak = kilobytes.parse().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    });
    (running.end(), peak.join().unwrap())
}

#[test]
fn mebibytes_of_elements_cost_little_memory_and_all_are_counted() {
    let home = Home::new();
    for (begins, repeated, ends) in [
        ("[0", ",0", "]"),
        ("[{}", ",{}", "]"),
        ("[[]", ",[]", "]"),
        ("[\"\"", ",\"\"", "]"),
        ("[null", ",null", "]"),
        (
            "[{}",
            ",{\"time_stamp\":null,\"latitude\":\"\\u0000\"}",
            "]",
        ),
        // One element alone, in each of its shapes.
        ("[[0", ",0", "]]"),
        ("[[[]", ",{}", "]]"),
        ("[{\"a\":0", ",\"a\":{}", "}]"),
        ("[{\"a\":[0", ",{\"b\":0}", "]}]"),
        ("[{\"a\":\"", "\\u0000y", "\"}]"),
        ("[1", "1", "]"),
        // What is no array, and what explains a refusal.
        ("{\"a\":[0", ",{\"b\":0}", "]}"),
        ("<title>", "<b>", "</title>"),
    ] {
        // The whole size where elements are many, and the smallest; a fourth of
        // it is more than enough of what is no element.
        let size = match repeated {
            ",0" | ",{}" if begins.len() < 4 => rounds(8, 40) << 20,
            _ => rounds(2, 10) << 20,
        };
        let body = gzip(begins, repeated, size, ends);
        let elements = 1
            + (size / (repeated.len() * (1 + (1 << 16) / repeated.len())))
                * (1 + (1 << 16) / repeated.len());
        let service = Responder::new(move |_, _| packed(body.clone()));
        let run = Run::driftline(
            &home,
            ["track", UUID, "--format", "json", "--timeout", "10m"],
        )
        .at(service.base_url());
        let (answer, peak) = with_peak(run);
        println!("{begins}{repeated}…: {peak} kB, {:?}", answer.took);
        assert!(peak < MOST_KB, "{begins}{repeated}…: {peak} kB");
        assert!(peak > 1000, "nothing was measured");
        if !begins.starts_with('[') {
            answer.ends_with(6);
            continue;
        }
        let answer = answer.ends_with(0);
        let file: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let listed = file["unusable"].as_array().unwrap().len();
        let counted = file["summary"]["unusable"].as_u64().unwrap();
        if begins.starts_with("[[0")
            || repeated.starts_with(",\"a\"")
            || ends.len() > 1
            || begins == "[1"
        {
            assert_eq!((listed, counted), (1, 1), "{begins}{repeated}…");
        } else {
            assert_eq!(
                (listed, counted),
                (1000, elements as u64),
                "{begins}{repeated}…"
            );
        }
    }
}

#[test]
fn an_endless_answer_is_stopped_at_the_cap_in_little_memory() {
    let home = Home::new();
    let settings = "max_response = 30_000_000\n";
    home.write(".config/driftline/config.toml", settings);
    for (begins, repeated) in [("[", "{},"), ("[[", "[["), ("{\"", "y"), ("", " ")] {
        let body = gzip(begins, repeated, 40 << 20, "");
        let service = Responder::new(move |_, _| packed(body.clone()));
        let run = Run::driftline(&home, ["track", UUID, "--timeout", "10m"]).at(service.base_url());
        let (answer, peak) = with_peak(run);
        println!("{begins}{repeated}…: {peak} kB, {:?}", answer.took);
        assert!(peak < MOST_KB, "{begins}{repeated}…: {peak} kB");
        answer.ends_with(6).says("max_response");
    }
}

/// An answer whose body comes at forty bytes a second, for minutes.
fn dripping(status: &str) -> Act {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: 100000\r\n\r\n[");
    Act::Drip(
        head.into_bytes(),
        vec![b' '; 10_000],
        Duration::from_millis(25),
    )
}

#[test]
fn an_answer_that_drips_is_waited_for_no_longer_than_it_counts() {
    let go = |status: &'static str, arguments: &[&str]| {
        let home = Home::new();
        let service = Responder::new(move |_, _| dripping(status));
        let answer = Run::driftline(&home, arguments).at(service.base_url()).go();
        (answer, service.requests().len())
    };
    let create = ["plants", "create", "--id", "1", "--name", "n", "--tag", "t"];
    for (status, arguments, code, seconds) in [
        ("201 Created", &create[..], 0, 5.0),
        ("400 Bad Request", &create[..], 4, 5.0),
        ("200 OK", &["plants", "delete", "1", "--yes"], 0, 5.0),
        ("401 Unauthorized", &["track", UUID], 3, 5.0),
        ("401 Unauthorized", &["check", UUID], 3, 5.0),
        ("200 OK", &["check", UUID, "--deadline", "3s"], 3, 3.0),
    ] {
        let (answer, requests) = go(status, arguments);
        assert_eq!(answer.status, code, "{arguments:?} {answer:#?}");
        assert_eq!(requests, 1, "{arguments:?}");
        let took = answer.took.as_secs_f64();
        assert!(
            (seconds - 0.1..seconds + 10.0).contains(&took),
            "{arguments:?}: {took}"
        );
        if arguments.contains(&"--deadline") {
            answer.prints("UNKNOWN - no verdict within 3 s");
        }
    }
    let (answer, requests) = go("200 OK", &["check", UUID, "--deadline", "0s"]);
    assert_eq!((answer.status, requests), (3, 0), "{answer:#?}");
    Run::driftline(&Home::new(), ["check", "--help"])
        .go()
        .prints("[default: 60s]");
}

#[test]
fn a_packed_answer_of_several_members_is_read() {
    let home = Home::new();
    let (start, rest) = TRACK.split_at(TRACK.len() / 2);
    let members = [start, "", rest].map(|part| gzip(part, " ", 0, ""));
    let service = Responder::new(move |_, _| packed(members.concat()));
    let run = |service: &Responder| {
        Run::driftline(&home, ["track", UUID, "--format", "csv"])
            .at(service.base_url())
            .ends_with(0)
            .stdout
    };
    let plain = Responder::json(200, TRACK);
    assert_eq!(run(&service), run(&plain));
}
