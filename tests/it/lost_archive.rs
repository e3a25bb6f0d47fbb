//! An archive that is damaged, emptied or removed, under a program that runs or before one begins:
//! no watch list vanishes behind it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::UUID;

fn driftline(home: &Home, base: &str, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments).at(base)
}

fn run(home: &Home, base: &str, arguments: &[&str]) -> Answer {
    driftline(home, base, arguments).go()
}

fn archive(home: &Home) -> PathBuf {
    home.file(".local/share/driftline/archive.db")
}

/// What a lost archive is to leave: a deployment with a limit that its battery breaks.
fn with_a_limit() -> (Home, Responder) {
    let body = r#"[{"time_stamp":1790000000,"latitude":60,"longitude":5,"battery":9},
        {"time_stamp":1790003600,"latitude":60.001,"longitude":5,"battery":9}]"#;
    let service = Responder::json(200, body);
    (watching(&service), service)
}

fn watching(service: &Responder) -> Home {
    let home = Home::new();
    let hook = format!("cat >> '{}'", home.file("told").display());
    let settings = format!("refresh = \"2s\"\non_alarm = [\"sh\", \"-c\", {hook:?}]\n");
    home.write(".config/driftline/config.toml", settings);
    let add = ["deployments", "add", UUID, "--label", "ice 7"];
    run(&home, &service.base_url(), &add).ends_with(0);
    home
}

/// Overwrites an archive from its second page on: nothing can be read back.
fn overwrite(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[4096..].fill(0xa5);
    // In place: the running program has this file open.
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.write_all(&bytes).unwrap();
}

fn asides(home: &Home) -> Vec<PathBuf> {
    let folder = archive(home).parent().unwrap().to_owned();
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let is_aside = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.contains(".damaged-") && !name.ends_with("-wal")
    };
    files.filter(is_aside).collect()
}

/// The words about a loss, and what does it to the archive at a path.
type Loss = (&'static str, fn(&Path));

/// Ways to lose an archive that a program has open.
const LOSSES: [Loss; 5] = [
    // A person repairs it before the program finds the damage, and its list cannot be read.
    ("without its whole watch list", |path| {
        let other = Home::new();
        let nobody = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e401";
        for deed in ["add", "remove"] {
            Run::driftline(&other, ["deployments", deed, nobody])
                .go()
                .ends_with(0);
        }
        for log in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{log}", path.display()));
        }
        std::fs::rename(path, path.with_extension("old")).unwrap();
        std::fs::rename(archive(&other), path).unwrap();
    }),
    ("the archive was damaged", overwrite),
    ("the archive was damaged", |path| {
        let file = std::fs::OpenOptions::new().write(true).open(path);
        file.unwrap().set_len(100).unwrap();
    }),
    ("was removed while driftline ran", |path| {
        let folder = path.parent().unwrap();
        std::fs::rename(folder, folder.with_extension("old")).unwrap();
    }),
    ("the archive was damaged", |path| {
        for log in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{log}", path.display()));
        }
        std::fs::File::create(path).map(drop).unwrap();
    }),
];

/// Waits until the list has the deployment again.
fn is_listed_again(home: &Home, base: &str) {
    until(3 * PATIENCE, || {
        let list = run(home, base, &["deployments", "list"]);
        list.stdout.contains("ice 7").then_some(())
    })
    .expect("its list is gone");
}

/// Waits until so many more requests have come.
fn asks_for(service: &Responder, more: usize) {
    let before = service.requests().len();
    let has_asked = || (service.requests().len() >= before + more).then_some(());
    until(3 * PATIENCE, has_asked).expect("it asks no more");
}

#[test]
fn a_collector_whose_archive_is_lost_goes_on_with_its_list_and_says_so() {
    for (words, lose) in LOSSES {
        let (home, service) = with_a_limit();
        let base = service.base_url();
        let collector = driftline(&home, &base, &["collect"]).start();
        let asked = |more| asks_for(&service, more);
        asked(2);
        lose(&archive(&home));
        is_listed_again(&home, &base);
        asked(2);
        // A limit that is set now is judged, and told.
        let set = ["deployments", "set", UUID, "--below", "battery=11"];
        run(&home, &base, &set).ends_with(0);
        let is_told = || home.file("told").exists().then_some(());
        until(3 * PATIENCE, is_told).expect("it tells nothing");
        collector.signal(rustix::process::Signal::TERM);
        let said = collector.end().ends_with(0).stderr;
        // Whatever else finds it gone first, such as a notification, says so for itself.
        let parts = [" warning ", words, "1 deployment, "];
        let mut lines = said.lines();
        let line = lines.find(|line| parts.iter().all(|part| line.contains(part)));
        let line = line.unwrap_or_else(|| panic!("{said}"));
        let aside = asides(&home);
        let is_named = |path: &PathBuf| line.contains(path.to_str().unwrap());
        assert!(aside.iter().all(is_named), "{line}");
        assert_eq!(aside.is_empty(), !words.contains("damaged"), "{aside:?}");
    }
}

#[test]
fn an_alarm_that_comes_and_goes_while_the_archive_is_away_is_told_once_each() {
    for is_folder in [true, false] {
        let fixes = Arc::new(AtomicUsize::new(1));
        let until_now = Arc::clone(&fixes);
        let began = Arc::new(AtomicI64::new(0));
        let first = Arc::clone(&began);
        let service = Responder::new(move |_, _| {
            let times = first.load(Ordering::SeqCst)..;
            let records = times.zip([13, 9, 9, 13, 13]).map(|(at, battery)| {
                format!(r#"{{"time_stamp":{at},"latitude":60,"longitude":5,"battery":{battery}}}"#)
            });
            let known: Vec<String> = records.take(until_now.load(Ordering::SeqCst)).collect();
            Act::json(200, &format!("[{}]", known.join(",")))
        });
        let home = watching(&service);
        let base = service.base_url();
        let limits = ["--below", "battery=11", "--max-age", "1d"];
        let set = [&["deployments", "set", UUID][..], &limits].concat();
        run(&home, &base, &set).ends_with(0);
        began.store(jiff::Timestamp::now().as_second(), Ordering::SeqCst);
        let collector = driftline(&home, &base, &["collect"]).start();
        let asked = |more| asks_for(&service, more);
        asked(2);
        let folder = archive(&home).parent().unwrap().to_owned();
        let away = folder.with_extension("away");
        std::fs::rename(&folder, &away).unwrap();
        if is_folder {
            std::fs::create_dir_all(archive(&home)).unwrap();
        }
        let told = || {
            let told = std::fs::read_to_string(home.file("told")).unwrap_or_default();
            let events = ["raised", "cleared"].map(|event| format!("\"event\":\"{event}\""));
            events.map(|event| told.matches(&event).count())
        };
        for (count, expected) in [(3, [1, 0]), (5, [1, 1])] {
            asked(2);
            fixes.store(count, Ordering::SeqCst);
            let is_told = || (told() == expected).then_some(());
            until(3 * PATIENCE, is_told).unwrap_or_else(|| panic!("{is_folder} {:?}", told()));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::rename(&away, &folder).unwrap();
        let is_stored = || {
            let alarms = run(&home, &base, &["alarms", "--all", "--json"]).stdout;
            alarms.contains("cleared").then_some(())
        };
        until(3 * PATIENCE, is_stored).expect("it is not judged again");
        asked(5);
        assert_eq!(told(), [1, 1], "{is_folder}");
        collector.signal(rustix::process::Signal::TERM);
        let said = collector.end().ends_with(0).stderr;
        let words = if is_folder {
            "no regular file"
        } else {
            "was removed"
        };
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_dashboard_whose_archive_is_lost_keeps_its_list_and_its_plant_log_and_says_so() {
    for (words, lose) in LOSSES {
        let (home, service) = with_a_limit();
        let base = service.base_url();
        let create = [
            "plants", "create", "--id", "7", "--name", "oak", "--tag", "t",
        ];
        run(&home, &base, &create).ends_with(0);
        let mut terminal =
            Terminal::driftline(&home, &[], Setting::size(140, 40).at(base.as_str()));
        terminal.shows("ice 7");
        terminal.shows("60.001");
        lose(&archive(&home));
        is_listed_again(&home, &base);
        terminal.shows(&words[..20]);
        let screen = terminal.shows("ice 7");
        assert!(!screen.contains("No deployment"), "{screen}");
        run(&home, &base, &["plants", "list"])
            .ends_with(0)
            .prints("oak");
        terminal.quits();
    }
}

#[test]
fn no_command_but_a_repair_replaces_an_archive_whose_list_cannot_be_read() {
    let (home, service) = with_a_limit();
    let base = service.base_url();
    let create = [
        "plants", "create", "--id", "7", "--name", "oak", "--tag", "t",
    ];
    run(&home, &base, &create).ends_with(0);
    let posts = |service: &Responder| {
        let requests = service.requests();
        let sends = |one: &&crate::driver::wire::Request| one.method != "GET";
        requests.iter().filter(sends).count()
    };
    assert_eq!(posts(&service), 1);
    home.write("plants.csv", "id,name,tag\n9,fir,t\n");
    let path = archive(&home);
    overwrite(&path);
    let damaged = std::fs::read(&path).unwrap();
    let import = home.file("plants.csv").display().to_string();
    for arguments in [
        &[
            "plants", "create", "--id", "8", "--name", "elm", "--tag", "t",
        ][..],
        &["plants", "delete", "7", "--yes"],
        &["deployments", "add", UUID],
        &["alarms", "ack", "x"],
        &["collect", "--once"],
        // Nobody would notice that it watches nothing.
        &["collect"],
    ] {
        let answer = run(&home, &base, arguments).ends_with(1);
        answer.says("damaged");
        answer.says("archive check");
    }
    let imported = run(&home, &base, &["plants", "import", &import]);
    assert_eq!(imported.status, 1, "{imported:#?}");
    let check = run(&home, &base, &["check", "--all"]);
    assert_eq!(check.status, 3, "{check:#?}");
    check.prints("damaged");
    run(&home, &base, &["track", UUID]).ends_with(0);
    assert_eq!(posts(&service), 1);
    assert!(std::fs::read(&path).unwrap() == damaged);
    assert_eq!(asides(&home), [""; 0].map(PathBuf::from));
    // Who asks for a repair gets it, and an empty list is no list without deployments then.
    run(&home, &base, &["archive", "check"]).ends_with(1);
    let aside = asides(&home).pop().unwrap().display().to_string();
    let once = run(&home, &base, &["collect", "--once"]).ends_with(1);
    once.says(&aside);
    let check = run(&home, &base, &["check", "--all"]);
    assert_eq!(check.status, 3, "{check:#?}");
    check.prints(&aside);
    run(&home, &base, &["deployments", "add", UUID]).ends_with(0);
    run(&home, &base, &["collect", "--once"]).ends_with(0);
}

/// SQLite takes the log beside an empty file for one of another file, and deletes it.
#[test]
fn no_reader_takes_an_emptied_archive_for_a_new_one_nor_deletes_what_its_log_still_has() {
    let (home, service) = with_a_limit();
    let base = service.base_url();
    let running = driftline(&home, &base, &["collect"]).start();
    let log = archive(&home).with_file_name("archive.db-wal");
    let has_log = || (std::fs::metadata(&log).ok()?.len() > 0).then_some(());
    until(3 * PATIENCE, has_log).expect("nothing is stored");
    running.signal(rustix::process::Signal::KILL);
    running.end();
    let file = std::fs::OpenOptions::new().write(true).open(archive(&home));
    file.unwrap().set_len(0).unwrap();
    let left = std::fs::read(&log).unwrap();
    for (arguments, status) in [
        (&["check", "--all"][..], 3),
        (&["deployments", "list"], 1),
        (&["archive", "info"], 1),
        (&["alarms"], 1),
        (&["plants", "list"], 1),
        (&["latest"], 1),
    ] {
        let answer = run(&home, &base, arguments);
        assert_eq!(answer.status, status, "{answer:#?}");
        answer.says("archive.db is empty");
        assert_eq!(std::fs::read(&log).unwrap(), left, "{arguments:?}");
    }
}

#[test]
fn a_repair_without_the_watch_list_says_that_nothing_is_fetched() {
    let (home, service) = with_a_limit();
    let base = service.base_url();
    run(&home, &base, &["collect", "--once"]);
    overwrite(&archive(&home));
    let repaired = run(&home, &base, &["archive", "check"]).ends_with(1);
    let words = "Nothing is on its watch list, so nothing is fetched";
    repaired.says(words);
    assert_eq!(asides(&home).len(), 1);
}
