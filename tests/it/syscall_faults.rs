//! One system call after the other fails, or is the last: what a full disk, a
//! broken one, or a power cut can do to an export, a fetch and a create.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::driver::chance::{Chance, rounds};
use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::UUID;

/// Calls that touch a disk or the wire.
const CALLS: [&str; 16] = [
    "openat",
    "write",
    "pwrite64",
    "read",
    "pread64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "rename",
    "unlink",
    "mkdir",
    "fcntl",
    "connect",
    "sendto",
    "writev",
    "statx",
];

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Harm {
    Error(&'static str),
    Kill,
}

/// A way to hurt a run: the call, its number, what happens to it.
type Hurt = (String, usize, Harm);

fn traced(home: &Home, service: &Responder, options: &[&str], arguments: &[&str]) -> Run {
    let all: Vec<&str> = ["-f", "-qq", "-o", "/dev/null"]
        .iter()
        .chain(options)
        .chain(&["--", DRIFTLINE])
        .chain(arguments)
        .copied()
        .collect();
    Run::program(home, "strace", all).at(service.base_url())
}

/// How often each call is made, by the thread that makes it most.
fn counted(home: &Home, service: &Responder, arguments: &[&str]) -> Vec<(String, usize)> {
    let trace = home.file("trace");
    let calls = format!("trace={}", CALLS.join(","));
    let all: Vec<&str> = [
        "-f",
        "-qq",
        "-e",
        &calls,
        "-o",
        trace.to_str().unwrap(),
        "--",
        DRIFTLINE,
    ]
    .iter()
    .chain(arguments)
    .copied()
    .collect();
    let answer = Run::program(home, "strace", all)
        .at(service.base_url())
        .go();
    assert_eq!(answer.status, 0, "{answer:#?}");
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in fs::read_to_string(&trace).unwrap().lines() {
        let mut words = line.splitn(2, ' ');
        let (Some(thread), Some(rest)) = (words.next(), words.next()) else {
            continue;
        };
        let Some((call, _)) = rest.trim_start().split_once('(') else {
            continue;
        };
        *counts
            .entry((call.to_owned(), thread.to_owned()))
            .or_default() += 1;
    }
    fs::remove_file(trace).unwrap();
    let mut most: BTreeMap<String, usize> = BTreeMap::new();
    for ((call, _), count) in counts {
        let known = most.entry(call).or_default();
        *known = count.max(*known);
    }
    most.retain(|call, _| CALLS.contains(&call.as_str()));
    most.into_iter().collect()
}

/// An even sample of the ways to hurt a run, or every way in a long run.
fn hurts(counts: &[(String, usize)]) -> Vec<Hurt> {
    let mut all = Vec::new();
    for (call, count) in counts {
        for number in 1..=*count {
            let errors: &[&str] = match call.as_str() {
                "openat" | "mkdir" | "rename" | "unlink" | "statx" => &["EACCES", "EIO"],
                "read" | "pread64" => &["EIO", "EINTR"],
                "connect" => &["ECONNREFUSED"],
                "sendto" | "writev" => &["EPIPE"],
                "fcntl" => &["EIO"],
                // A write wakes sleeping threads too, and those never fail
                // outside of a test; a full disk is tried with /dev/full and a
                // file system of a few kilobytes.
                "write" => &[],
                _ => &["ENOSPC", "EIO"],
            };
            all.extend(
                errors
                    .iter()
                    .map(|error| (call.clone(), number, Harm::Error(error))),
            );
            all.push((call.clone(), number, Harm::Kill));
        }
    }
    let step = all.len().div_ceil(rounds(48, usize::MAX));
    let chance = Chance::new("system calls");
    let any = |part: &[Hurt]| part[chance.below(part.len())].clone();
    all.chunks(step).map(any).collect()
}

fn hurt(
    home: &Home,
    service: &Responder,
    (call, number, harm): &Hurt,
    arguments: &[&str],
) -> Answer {
    let what = match harm {
        Harm::Error(error) => format!("inject={call}:error={error}:when={number}"),
        Harm::Kill => format!("inject={call}:signal=KILL:when={number}"),
    };
    traced(
        home,
        service,
        &["-e", &format!("trace={call}"), "-e", &what],
        arguments,
    )
    .go()
}

fn service() -> Responder {
    let records: Vec<String> = (0..300)
        .map(|n| {
            format!(
                r#"{{"time_stamp":{},"latitude":{},"longitude":5.5}}"#,
                1_700_000_000 + 600 * n,
                60.0 + 0.001 * f64::from(n)
            )
        })
        .collect();
    let whole = format!("[{}]", records.join(","));
    Responder::new(move |request, _| match request.method.as_str() {
        "GET" => Act::json(200, &whole),
        _ => Act::json(200, &String::from_utf8_lossy(&request.body)),
    })
}

/// No run is a panic, whatever was done to it.
#[track_caller]
fn no_panic(answer: &Answer, hurt: &Hurt) {
    assert!(
        !answer.stderr.contains("panicked") && answer.status != 101,
        "{hurt:?} {answer:#?}"
    );
}

fn left_beside(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "track.csv")
        .collect();
    names.sort();
    names
}

#[test]
fn an_export_is_whole_or_was_never_there_whichever_call_fails_or_is_the_last() {
    needs!("strace");
    let (home, service) = (Home::new(), service());
    let folder = home.file("out");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("track.csv");
    let name = file.to_str().unwrap().to_owned();
    let arguments = ["track", UUID, "--format", "csv", "--output", &name];
    let counts = counted(&home, &service, &arguments);
    let whole = fs::read(&file).unwrap();
    assert!(whole.len() > 10_000);
    let all = hurts(&counts);
    assert!(all.len() >= 30, "{counts:?}");
    let (mut failed, mut killed) = (0, 0);
    for one in &all {
        fs::write(&file, "what was there").unwrap();
        let answer = hurt(&home, &service, one, &arguments);
        no_panic(&answer, one);
        let now = fs::read(&file).unwrap();
        let was_killed = answer.status == 137;
        if answer.status == 0 {
            assert_eq!(now, whole, "{one:?} {answer:#?}");
        } else {
            assert!(
                now == whole || now == b"what was there",
                "{one:?} {answer:#?}"
            );
            (failed, killed) = (failed + 1, killed + usize::from(was_killed));
        }
        let left = left_beside(&folder);
        let unlinking = one.0 == "unlink";
        assert!(
            left.len() <= usize::from(was_killed || unlinking),
            "{one:?} left {left:?} {answer:#?}"
        );
        for name in left {
            assert!(name.starts_with('.'), "{name}");
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    println!(
        "{} runs: {failed} failed, {killed} of them killed",
        all.len()
    );
    assert!(failed > 5 && killed > 5);
}

#[test]
fn a_fetch_into_the_archive_loses_nothing_that_was_reported_whichever_call_fails_or_is_the_last() {
    needs!("strace");
    let (home, service) = (Home::new(), service());
    Run::driftline(&home, ["deployments", "add", UUID]).ends_with(0);
    let arguments = ["track", UUID, "--format", "csv"];
    let counts = counted(&home, &service, &arguments);
    let all = hurts(&counts);
    let whole = 301;
    for (turn, one) in all.iter().enumerate() {
        let answer = hurt(&home, &service, one, &arguments);
        no_panic(&answer, one);
        if answer.status == 0 {
            assert_eq!(answer.stdout.lines().count(), whole, "{one:?} {answer:#?}");
        }
        // What the first run kept is there, whatever this one met.
        let kept = traced_not(
            &home,
            &service,
            &["track", UUID, "--format", "csv", "--offline"],
        );
        assert_eq!(kept.status, 0, "{one:?} {kept:#?}");
        assert_eq!(kept.stdout.lines().count(), whole, "{one:?}");
        if turn % 8 == 0 {
            Run::driftline(&home, ["archive", "check"]).ends_with(0);
        }
    }
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
    println!("{} runs", all.len());
}

fn traced_not(home: &Home, service: &Responder, arguments: &[&str]) -> Answer {
    Run::driftline(home, arguments).at(service.base_url()).go()
}

#[test]
fn a_create_is_sent_once_and_stands_in_the_plant_log_whichever_call_fails_or_is_the_last() {
    needs!("strace");
    let (home, service) = (Home::new(), service());
    let create = |id: &str| {
        [
            "plants", "create", "--id", id, "--name", "rose", "--tag", "red",
        ]
        .map(str::to_owned)
    };
    let first = create("1");
    let counts = counted(&home, &service, &first.each_ref().map(String::as_str));
    let all = hurts(&counts);
    let mut statuses = BTreeMap::new();
    for (turn, one) in all.iter().enumerate() {
        let id = (100 + turn).to_string();
        let arguments = create(&id);
        let answer = hurt(
            &home,
            &service,
            one,
            &arguments.each_ref().map(String::as_str),
        );
        no_panic(&answer, one);
        statuses.insert(id, (answer.status, one.clone(), answer.stderr));
        if turn % 8 == 0 {
            Run::driftline(&home, ["archive", "check"]).ends_with(0);
        }
    }
    let sent: Vec<String> = service
        .requests()
        .iter()
        .filter(|request| request.method == "POST")
        .map(|request| serde_json::from_slice::<Value>(&request.body).unwrap()["id"].to_string())
        .collect();
    let listed = Run::driftline(&home, ["plants", "list", "--json"]).ends_with(0);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let state = |id: &str| {
        listed.as_array().unwrap().iter().find_map(|row| {
            (serde_json::to_string(&row["id"]).unwrap() == id)
                .then(|| row["state"].as_str().unwrap().to_owned())
        })
    };
    for (id, (status, one, said)) in &statuses {
        let times = sent.iter().filter(|other| *other == id).count();
        assert!(times <= 1, "plant {id} was sent {times} times: {one:?}");
        let state = state(id);
        if times == 1 {
            assert!(
                matches!(state.as_deref(), Some("exists" | "unknown")),
                "plant {id} was sent and is {state:?}: {one:?} {status} {said}"
            );
        } else {
            assert_ne!(
                state.as_deref(),
                Some("exists"),
                "plant {id} was never sent: {one:?}"
            );
        }
        if *status == 0 && !said.contains("will call it unknown") {
            assert_eq!(
                state.as_deref(),
                Some("exists"),
                "plant {id}: {one:?} {said}"
            );
        }
    }
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
    println!("{} runs, {} sent", all.len(), sent.len());
    assert!(sent.len() > 5);
}
