//! Power that goes: the writes of real runs are recorded, and the disk is made
//! as it could be after a cut at any sync, at a report and where a request
//! leaves. What was reported must be there, and what is there must be sound.
//!
//! What was synced is on the disk; of the rest nothing, all, or some whole and
//! half writes. A file has its name once it is synced, as with ext4, XFS and
//! Btrfs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::driver::chance::{Chance, rounds};
use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{TRACK, UUID};

/// A write that is not synced yet.
#[derive(Clone)]
enum Write {
    At(usize, Vec<u8>),
    Length(usize),
}

/// A file, on the disk and as the programs see it.
#[derive(Clone, Default)]
struct File {
    disk: Option<Vec<u8>>,
    seen: Option<Vec<u8>>,
    /// What was written since the last sync.
    unsynced: Vec<Write>,
    /// Whether it is another file than the one of that name on the disk.
    is_new: bool,
    /// Whether it got its name from another one since the folder was synced.
    is_renamed: bool,
}

/// Which of the writes that were not synced reach the disk.
#[derive(Clone, Copy, Debug)]
enum Rest {
    None,
    All,
    Some,
}

impl File {
    fn write(&mut self, write: Write) {
        apply(self.seen.get_or_insert_default(), &write);
        self.unsynced.push(write);
    }

    fn sync(&mut self) {
        self.disk.clone_from(&self.seen);
        self.unsynced.clear();
        self.is_new = false;
        self.is_renamed = false;
    }

    /// The file under a new name, which is on the disk once the folder is synced.
    fn renamed(&mut self) -> Self {
        self.unsynced.clear();
        Self {
            seen: self.seen.take(),
            is_new: true,
            is_renamed: true,
            ..Self::default()
        }
    }

    fn after(&self, rest: Rest) -> Option<Vec<u8>> {
        match rest {
            Rest::None => self.disk.clone(),
            Rest::All => self.seen.clone(),
            Rest::Some if self.seen.is_none() || self.is_renamed => self.disk.clone(),
            Rest::Some => {
                let before = self.disk.clone().filter(|_| !self.is_new);
                let mut bytes = before.unwrap_or_default();
                for (number, write) in self.unsynced.iter().enumerate() {
                    match write {
                        // Every third is lost, every third torn at a sector.
                        Write::At(..) if number % 3 == 0 => {}
                        Write::At(at, data) if number % 3 == 1 => {
                            let torn = data[..data.len().min(512)].to_vec();
                            apply(&mut bytes, &Write::At(*at, torn));
                        }
                        whole => apply(&mut bytes, whole),
                    }
                }
                Some(bytes)
            }
        }
    }
}

fn apply(bytes: &mut Vec<u8>, write: &Write) {
    match write {
        Write::At(at, data) => {
            let end = at + data.len();
            bytes.resize(bytes.len().max(end), 0);
            bytes[*at..end].copy_from_slice(data);
        }
        Write::Length(length) => bytes.resize(*length, 0),
    }
}

/// What must be there after a cut.
#[derive(Clone, Default)]
struct Promised {
    /// Runs that have reported success.
    runs: usize,
    /// Whether the create of the run under way has left.
    is_sent: bool,
}

/// The disk at one moment.
#[derive(Clone)]
struct Cut {
    files: BTreeMap<String, File>,
    promised: Promised,
}

/// The bytes of a text as strace writes it, `\x41\x42`.
fn bytes(hex: &str) -> Vec<u8> {
    hex.split("\\x")
        .skip(1)
        .map(|two| u8::from_str_radix(&two[..2], 16).unwrap())
        .collect()
}

fn between<'a>(line: &'a str, open: &str, close: &str) -> Option<&'a str> {
    Some(line.split_once(open)?.1.split_once(close)?.0)
}

/// Lines of a trace in the order in which the calls ended, each whole.
fn whole_lines(trace: &str) -> Vec<String> {
    let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
    let mut whole = Vec::new();
    for line in trace.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim_start();
        if let Some(first) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, first);
        } else if let Some((_, last)) = rest.split_once(" resumed>") {
            let first = begun.remove(thread).unwrap_or_default();
            whole.push(format!("{first}{last}"));
        } else {
            whole.push(rest.to_owned());
        }
    }
    whole
}

/// Plays the trace of a run on the disk; adds a cut before and after each sync,
/// before each request that changes something, and after each report.
fn play(trace: &str, folder: &Path, now: &mut Cut, cuts: &mut Vec<Cut>) {
    for line in whole_lines(trace) {
        let Some((call, arguments)) = line.split_once('(') else {
            continue;
        };
        if line.contains(" = -1 ") {
            continue;
        }
        let quoted = between(arguments, "\"", "\"").map(bytes);
        if matches!(call, "write" | "writev" | "sendto") {
            let data = quoted.unwrap_or_default();
            if arguments.starts_with("1<") || arguments.starts_with("2<") {
                now.promised.runs += 1;
                now.promised.is_sent = false;
                cuts.push(now.clone());
            } else if data.starts_with(b"POST ") {
                now.promised.is_sent = true;
                cuts.push(now.clone());
            }
            continue;
        }
        let path = if call == "unlink" {
            quoted.clone().unwrap_or_default()
        } else if call == "openat" {
            let Some((_, opened)) = arguments.rsplit_once(" = ") else {
                continue;
            };
            between(opened, "<", ">").map(bytes).unwrap_or_default()
        } else {
            between(arguments, "<", ">").map(bytes).unwrap_or_default()
        };
        let path = PathBuf::from(String::from_utf8_lossy(&path).into_owned());
        let is_sync = matches!(call, "fsync" | "fdatasync");
        if is_sync && path == folder {
            cuts.push(now.clone());
            let files = now.files.values_mut();
            let names = files.filter(|file| file.seen.is_none() || file.is_renamed);
            names.for_each(File::sync);
            cuts.push(now.clone());
            continue;
        }
        if call == "renameat2" {
            let mut names = arguments.split('"').skip(1).step_by(2).map(|name| {
                let path = PathBuf::from(String::from_utf8_lossy(&bytes(name)).into_owned());
                assert_eq!(path.parent(), Some(folder));
                path.file_name().unwrap().to_string_lossy().into_owned()
            });
            let (from, to) = (names.next().unwrap(), names.next().unwrap());
            let file = now.files.get_mut(&from).unwrap().renamed();
            now.files.insert(to, file);
            cuts.push(now.clone());
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The index of the log is made anew from the log.
        if path.parent() != Some(folder) || name.ends_with("-shm") {
            continue;
        }
        if is_sync {
            cuts.push(now.clone());
        }
        let file = now.files.entry(name.into_owned()).or_default();
        match call {
            "openat" if arguments.contains("O_CREAT") && file.seen.is_none() => {
                (file.seen, file.is_new) = (Some(Vec::new()), true);
                file.unsynced.clear();
            }
            "pwrite64" => {
                let numbers = arguments.rsplit_once(") = ").unwrap().0;
                let at = numbers.rsplit_once(", ").unwrap().1.parse().unwrap();
                file.write(Write::At(at, quoted.unwrap()));
            }
            "ftruncate" => {
                let numbers = arguments.rsplit_once(')').unwrap().0;
                let length = numbers.rsplit_once(", ").unwrap().1.parse().unwrap();
                file.write(Write::Length(length));
            }
            "unlink" => {
                file.seen = None;
                file.unsynced.clear();
            }
            "fsync" | "fdatasync" => file.sync(),
            _ => {}
        }
        if is_sync {
            cuts.push(now.clone());
        }
    }
}

fn run(home: &Home, service: &Responder, program: &str, arguments: &[&str]) -> Answer {
    Run::program(home, program, arguments)
        .at(service.base_url())
        .go()
}

#[test]
fn what_was_reported_is_there_after_a_power_cut_at_any_moment() {
    needs!("strace");
    let service = Responder::new(|request, _| match request.method.as_str() {
        "POST" => Act::json(201, &String::from_utf8_lossy(&request.body)),
        _ => Act::json(200, TRACK),
    });
    let home = Home::new();
    let folder = home.file(".local/share/driftline");
    let plant = |id: &'static str| {
        vec![
            "plants", "create", "--id", id, "--name", "rose", "--tag", "red",
        ]
    };
    let runs = [
        vec!["deployments", "add", UUID, "--label", "ice seven"],
        plant("41"),
        vec!["track", UUID, "--format", "csv"],
        plant("42"),
        plant("43"),
    ];
    let mut now = Cut {
        files: BTreeMap::new(),
        promised: Promised::default(),
    };
    let mut cuts = Vec::new();
    let trace = home.file("trace");
    for (number, arguments) in runs.iter().enumerate() {
        let calls =
            "trace=openat,pwrite64,write,writev,sendto,fsync,fdatasync,ftruncate,unlink,renameat2";
        let options = ["-f", "-qq", "-y", "-xx", "-s", "1000000", "-e", calls, "-o"];
        let all: Vec<&str> = options
            .into_iter()
            .chain([trace.to_str().unwrap(), "--", DRIFTLINE])
            .chain(arguments.iter().copied())
            .collect();
        let answer = run(&home, &service, "strace", &all).ends_with(0);
        assert!(!(answer.stdout + &answer.stderr).is_empty(), "no report");
        let recorded = fs::read_to_string(&trace).unwrap();
        play(&recorded, &folder, &mut now, &mut cuts);
        // Of several lines the first is the report.
        now.promised = Promised {
            runs: number + 1,
            is_sent: false,
        };
        cuts.push(now.clone());
    }
    // What was played is what is there.
    let archive = fs::read(folder.join("archive.db")).unwrap();
    assert!(now.files["archive.db"].seen.as_ref() == Some(&archive));
    let step = cuts.len().div_ceil(rounds(30, usize::MAX));
    let chance = Chance::new("cuts");
    let mut tried = 0;
    for (number, part) in cuts.chunks(step).enumerate() {
        let place = chance.below(part.len());
        let (number, cut) = (number * step + place, &part[place]);
        for rest in [Rest::None, Rest::All, Rest::Some] {
            check(&service, cut, rest, number, &runs);
            tried += 1;
        }
    }
    println!("{tried} disks of {} cuts were sound", cuts.len());
}

/// Starts on the disk that a cut has left.
fn check(service: &Responder, cut: &Cut, rest: Rest, number: usize, runs: &[Vec<&str>]) {
    let home = Home::new();
    for (name, file) in &cut.files {
        if let Some(bytes) = file.after(rest) {
            home.write(&format!(".local/share/driftline/{name}"), bytes);
        }
    }
    let at = format!("cut {number}, of the rest {rest:?}");
    let go = |arguments: &[&str]| {
        let answer = run(&home, service, DRIFTLINE, arguments);
        assert_eq!(answer.status, 0, "{at}: {answer:#?}");
        answer.stdout
    };
    assert_eq!(go(&["archive", "check"]), "ok\n", "{at}");
    let listed = go(&["deployments", "list"]);
    let plants = go(&["plants", "list", "--json"]);
    let plants: Vec<Value> = serde_json::from_str(&plants).unwrap();
    let outcome = |id: &str| {
        let of = plants
            .iter()
            .find(|plant| serde_json::to_string(&plant["id"]).unwrap() == id);
        of.map(|line| line["state"].as_str().unwrap_or_default().to_owned())
    };
    let Promised {
        runs: done,
        is_sent,
    } = cut.promised;
    for (place, arguments) in runs.iter().enumerate().take(done + usize::from(is_sent)) {
        let is_reported = place < done;
        match arguments[..] {
            ["deployments", ..] => assert!(listed.contains("ice seven"), "{at}: {listed}"),
            ["track", ..] => {
                let track = go(&["track", UUID, "--offline", "--format", "csv"]);
                assert_eq!(track.lines().count(), 3, "{at}: {track}");
            }
            _ => {
                let there = outcome(arguments[3]);
                assert!(there.is_some(), "{at}: {arguments:?}: {plants:?}");
                if is_reported {
                    assert_eq!(there.as_deref(), Some("exists"), "{at}: {plants:?}");
                }
            }
        }
    }
}

#[test]
fn what_a_recovery_sets_aside_and_makes_is_on_the_disk_before_it_takes_the_place() {
    needs!("strace");
    let home = Home::new();
    let add = ["deployments", "add", UUID, "--label", "ice seven"];
    Run::driftline(&home, add).ends_with(0);
    let folder = home.file(".local/share/driftline");
    let archive = folder.join("archive.db");
    let mut bytes = fs::read(&archive).unwrap();
    bytes[..4096].fill(0x5a);
    fs::write(&archive, bytes).unwrap();
    fs::write(folder.join("archive.db-wal"), [0x5a; 4096]).unwrap();
    let trace = home.file("trace");
    let calls = "trace=fsync,fdatasync,unlink,rename";
    let options = ["-f", "-qq", "-y", "-s", "1000", "-e", calls, "-o"];
    let program = [trace.to_str().unwrap(), "--", DRIFTLINE, "archive", "check"];
    Run::program(&home, "strace", [&options[..], &program].concat())
        .go()
        .says("the damaged file is now");
    let calls = whole_lines(&fs::read_to_string(&trace).unwrap());
    let folder = folder.to_str().unwrap();
    // The number of the next call after another, by its name and what it names.
    let next = |after: usize, call: &str, named: &str| {
        let is_it = |line: &String| line.starts_with(call) && line.contains(named);
        let found = calls.iter().skip(after).position(is_it);
        found.map(|at| after + at + 1).unwrap_or_else(|| {
            panic!("no {call} of {named} after {after}: {calls:#?}");
        })
    };
    let log = next(0, "unlink", &format!("\"{folder}/archive.db-wal\""));
    let place = next(log, "rename", &format!(", \"{folder}/archive.db\""));
    let names = format!("<{folder}>");
    let aside = format!("<{folder}/archive.db.damaged-");
    assert!(next(next(0, "fsync", &aside), "fsync", &names) < log);
    let damaged = format!("<{folder}/archive.db>");
    assert!(next(next(0, "fsync", &damaged), "fsync", &names) < log);
    assert!(next(log, "fsync", &names) < place);
    assert!(next(log, "fsync", "/archive.db>") < place);
    next(place, "fsync", &names);
}
