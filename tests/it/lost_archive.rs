//! An archive that is damaged, emptied or removed, under a program that runs or before one begins:
//! no watch list vanishes behind it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::{TOKEN, UUID};

fn driftline(home: &Home, base: &str, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments)
        .env("DRIFTLINE_BASE_URL", base)
        .env("DRIFTLINE_TOKEN", TOKEN)
}

fn run(home: &Home, base: &str, arguments: &[&str]) -> Answer {
    driftline(home, base, arguments).go()
}

fn archive(home: &Home) -> PathBuf {
    home.file(".local/share/driftline/archive.db")
}

/// A deployment whose battery is below its limit once that is said.
fn with_a_limit() -> (Home, Responder, Arc<AtomicBool>) {
    let home = Home::new();
    let hook = format!("cat >> '{}'", home.file("told").display());
    let settings = format!("refresh = \"2s\"\non_alarm = [\"sh\", \"-c\", {hook:?}]\n");
    home.write(".config/driftline/config.toml", settings);
    let is_low = Arc::new(AtomicBool::new(false));
    let low = Arc::clone(&is_low);
    let service = Responder::new(move |_, _| {
        let volts = if low.load(Ordering::SeqCst) { 9 } else { 12 };
        let fix = |time: u32, north: f64| {
            format!(
                "{{\"time_stamp\":{time},\"latitude\":{north},\"longitude\":5,\"battery\":{volts}}}"
            )
        };
        let fixes = [fix(1_790_000_000, 60.0), fix(1_790_003_600, 60.001)];
        Act::json(200, &format!("[{}]", fixes.join(",")))
    });
    let add = [
        "deployments",
        "add",
        UUID,
        "--label",
        "ice 7",
        "--below",
        "battery=11",
    ];
    run(&home, &service.base_url(), &add).ends_with(0);
    (home, service, is_low)
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
const LOSSES: [Loss; 4] = [
    ("damaged", overwrite),
    ("damaged", |path| {
        let file = std::fs::OpenOptions::new().write(true).open(path);
        file.unwrap().set_len(100).unwrap();
    }),
    ("was removed while driftline ran", |path| {
        let folder = path.parent().unwrap();
        std::fs::rename(folder, folder.with_extension("old")).unwrap();
    }),
    ("was emptied while driftline ran", |path| {
        for log in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{log}", path.display()));
        }
        std::fs::File::create(path).map(drop).unwrap();
    }),
];

#[test]
fn a_collector_whose_archive_is_lost_goes_on_with_its_list_and_says_so() {
    for (words, lose) in LOSSES {
        let (home, service, is_low) = with_a_limit();
        let base = service.base_url();
        let collector = driftline(&home, &base, &["collect"]).start();
        let asked = |more: usize| {
            let before = service.requests().len();
            let has_asked = || (service.requests().len() >= before + more).then_some(());
            until(PATIENCE, has_asked).expect("it asks no more");
        };
        asked(2);
        lose(&archive(&home));
        is_low.store(true, Ordering::SeqCst);
        asked(2);
        // What cannot be stored is judged, and told.
        let is_told = || home.file("told").exists().then_some(());
        until(PATIENCE, is_told).expect("it tells nothing");
        collector.signal(rustix::process::Signal::TERM);
        let said = collector.end().ends_with(0).stderr;
        let is_warning = |line: &&str| line.contains(" warning ") && line.contains(words);
        assert!(said.lines().any(|line| is_warning(&line)), "{said}");
    }
}

#[test]
fn a_dashboard_whose_archive_is_lost_keeps_its_list_and_says_so() {
    for (words, lose) in LOSSES {
        let (home, service, _) = with_a_limit();
        let setting = Setting::size(400, 40)
            .env("DRIFTLINE_BASE_URL", service.base_url().as_str())
            .env("DRIFTLINE_TOKEN", TOKEN);
        let mut terminal = Terminal::driftline(&home, &[], setting);
        terminal.shows("ice 7");
        terminal.shows("60.001");
        lose(&archive(&home));
        terminal.shows(words);
        let screen = terminal.shows("ice 7");
        assert!(!screen.contains("No deployment"), "{screen}");
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn no_command_but_a_repair_replaces_an_archive_whose_list_cannot_be_read() {
    let (home, service, _) = with_a_limit();
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
        assert!(answer.stderr.contains("damaged"), "{answer:#?}");
        assert!(answer.stderr.contains("archive check"), "{answer:#?}");
    }
    let imported = run(&home, &base, &["plants", "import", &import]);
    assert_eq!(imported.status, 1, "{imported:#?}");
    let check = run(&home, &base, &["check", "--all"]);
    assert_eq!(check.status, 3, "{check:#?}");
    assert!(check.stdout.contains("damaged"), "{check:#?}");
    run(&home, &base, &["track", UUID]).ends_with(0);
    assert_eq!(posts(&service), 1);
    assert!(std::fs::read(&path).unwrap() == damaged);
    assert_eq!(asides(&home), [""; 0].map(PathBuf::from));
    // Who asks for a repair gets it, and an empty list is no list without deployments then.
    run(&home, &base, &["archive", "check"]).ends_with(1);
    let aside = asides(&home).pop().unwrap().display().to_string();
    let once = run(&home, &base, &["collect", "--once"]).ends_with(1);
    assert!(once.stderr.contains(&aside), "{once:#?}");
    let check = run(&home, &base, &["check", "--all"]);
    assert_eq!(check.status, 3, "{check:#?}");
    assert!(check.stdout.contains(&aside), "{check:#?}");
    run(&home, &base, &["deployments", "add", UUID]).ends_with(0);
    run(&home, &base, &["collect", "--once"]).ends_with(0);
}
