//! The archive in a state that hides what was set: whatever decides by it says
//! so, and what can be read is not lost with what cannot.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rustix::process::Signal;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::untyped::change_untyped;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::{HOURLY_TRACK, TOKEN, TRACK, UUID};

fn run(home: &Home, base: &str, arguments: &[&str]) -> Run {
    Run::driftline(home, arguments).at(base)
}

fn archive(home: &Home) -> PathBuf {
    home.file(".local/share/driftline/archive.db")
}

fn mkfifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

/// A home whose watch list holds the deployment to an age and a circle that its
/// track breaks.
fn limited() -> Home {
    let home = Home::new();
    let limits = ["--max-age", "1h", "--inside", "0,0,1km"];
    let named = ["deployments", "add", UUID, "--label", "buoy seven"];
    Run::driftline(&home, named.iter().chain(&limits).copied()).ends_with(0);
    home
}

fn statements(path: &Path, statements: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(statements).unwrap();
}

/// Replaces bytes that stand in the file once.
fn replace(path: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    let place = bytes.windows(from.len()).position(|some| some == from);
    let place = place.expect("the bytes to be replaced");
    bytes[place..place + to.len()].copy_from_slice(to);
    std::fs::write(path, bytes).unwrap();
}

fn replace_all(path: &Path, from: &[u8], to: &[u8]) {
    while std::fs::read(path)
        .unwrap()
        .windows(from.len())
        .any(|some| some == from)
    {
        replace(path, from, to);
    }
}

/// What is done to the file of an archive.
type Damage = fn(&Path);

/// What hides the limits, by name.
const HIDDEN: [(&str, Damage); 9] = [
    ("damaged", |path| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[..4096].fill(0x5a);
        std::fs::write(path, bytes).unwrap();
    }),
    ("cut", |path| {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..5000]).unwrap();
    }),
    ("newer", |path| statements(path, "PRAGMA user_version = 99")),
    ("earlier", |path| {
        statements(path, "PRAGMA user_version = 1")
    }),
    ("a pipe", |path| {
        std::fs::remove_file(path).unwrap();
        mkfifo(path);
    }),
    ("a text for a number", |path| {
        change_untyped(path, "UPDATE deployment SET max_age = 'soon'");
    }),
    ("no circle", |path| {
        statements(path, "UPDATE deployment SET inside = 'round'");
    }),
    ("a bit of the label, no UTF-8", |path| {
        replace(path, b"buoy seven", &[b'b' | 0x80]);
    }),
    ("a bit of the UUID", |path| {
        // Other tables have it too.
        replace_all(path, UUID.as_bytes(), b"z")
    }),
];

fn is_unknown(answer: &Answer, name: &str) {
    assert_eq!(answer.status, 3, "{name}: {answer:#?}");
    assert_eq!(answer.stdout.lines().count(), 1, "{name}: {answer:#?}");
    assert!(answer.stdout.contains("UNKNOWN"), "{name}: {answer:#?}");
    assert!(answer.took < SOON, "{name}: {answer:#?}");
}

#[test]
fn a_check_that_cannot_read_its_limits_is_3_and_says_why() {
    let service = Responder::json(200, TRACK);
    let check = |home: &Home| run(home, &service.base_url(), &["check", UUID]).go();
    assert_eq!(check(&limited()).status, 2);
    for (name, hide) in HIDDEN {
        let home = limited();
        hide(&archive(&home));
        is_unknown(&check(&home), name);
        // That there is no alarm is not said without a word of those that are not known.
        let alarms = run(&home, &service.base_url(), &["alarms"]).go();
        let is_said = alarms.stderr.lines().count() > 1;
        assert!(is_said || alarms.status == 1, "{name}: {alarms:#?}");
    }
}

#[test]
fn a_collector_whose_archive_is_of_another_version_ends_and_says_so() {
    let service = Responder::json(200, TRACK);
    for (name, version) in [("newer", 99), ("earlier", 1)] {
        let home = limited();
        statements(&archive(&home), &format!("PRAGMA user_version = {version}"));
        // Without a watch list it would watch nothing for ever.
        let answer = run(&home, &service.base_url(), &["collect"]).ends_with(1);
        assert!(answer.stderr.contains(name), "{answer:#?}");
        assert!(service.requests().is_empty());
    }
}

#[test]
fn an_archive_that_another_process_holds_is_told_within_five_seconds() {
    let service = Responder::json(200, TRACK);
    let home = limited();
    let holder = Connection::open(archive(&home)).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
        .unwrap();
    let base = service.base_url();
    is_unknown(&run(&home, &base, &["check", UUID]).go(), "held");
    for (arguments, status) in [
        (&["track", UUID][..], 0),
        (&["archive", "check"], 1),
        (&["deployments", "list"], 1),
        (&["deployments", "remove", UUID], 1),
        (
            &["plants", "create", "--id", "7", "--name", "a", "--tag", "b"],
            1,
        ),
    ] {
        let answer = run(&home, &base, arguments).go();
        assert_eq!(answer.status, status, "{arguments:?} {answer:#?}");
        assert!(answer.took < SOON, "{arguments:?} {answer:#?}");
        assert!(
            answer.stderr.contains("another driftline"),
            "{arguments:?} {answer:#?}"
        );
    }
    let posts = service.requests();
    assert!(posts.iter().all(|request| request.method == "GET"));
    drop(holder);
}

#[test]
fn a_collector_says_that_it_has_the_list_again() {
    let service = Responder::json(200, TRACK);
    let home = limited();
    let holder = Connection::open(archive(&home)).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
        .unwrap();
    let running = run(&home, &service.base_url(), &["collect"]).start();
    // Longer than the first reading of the list waits: on a busy machine it may end just in time.
    std::thread::sleep(Duration::from_secs(7));
    drop(holder);
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    running.signal(Signal::TERM);
    let answer = running.end().ends_with(0);
    let begun = answer.stderr.find("collecting deployments=1 ");
    let warned = answer.stderr.find("locked by another driftline");
    assert!(begun.is_some() && warned < begun, "{answer:#?}");
}

#[test]
fn a_track_says_that_platform_and_overrides_are_not_known() {
    let service = Responder::json(200, TRACK);
    for (name, hide) in HIDDEN {
        let home = limited();
        hide(&archive(&home));
        let answer = run(&home, &service.base_url(), &["track", UUID]).go();
        assert_eq!(answer.status, 0, "{name}: {answer:#?}");
        assert!(
            answer
                .stderr
                .contains("platform, limits and flags set by hand"),
            "{name}: {answer:#?}"
        );
    }
    // Sound, it says nothing of the kind.
    let answer = run(&limited(), &service.base_url(), &["track", UUID]).go();
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
}

#[test]
fn the_settings_deployments_are_shown_where_the_archive_cannot_be_read() {
    for (name, hide) in &HIDDEN[..4] {
        let home = limited();
        let service = Responder::json(200, TRACK);
        home.write(
            ".config/driftline/config.toml",
            format!(
                "base_url = \"{}\"\n[[deployment]]\nuuid = \"{UUID}\"\nlabel = \"from the file\"\n",
                service.base_url()
            ),
        );
        hide(&archive(&home));
        let setting = Setting::default().env("DRIFTLINE_TOKEN", TOKEN);
        let mut terminal = Terminal::driftline(&home, &[], setting);
        terminal.shows("from the file");
        terminal.keys("q");
        assert_eq!(terminal.end(), 0, "{name}");
    }
}

#[test]
fn behind_a_link_the_log_of_the_target_is_taken_over_and_the_link_stays() {
    let home = Home::new();
    let target = home.file("disk/driftline.db");
    std::fs::create_dir_all(target.parent().unwrap()).unwrap();
    std::fs::create_dir_all(archive(&home).parent().unwrap()).unwrap();
    // The archive was moved to another disk.
    let add = ["deployments", "add", UUID];
    Run::driftline(&home, add).ends_with(0);
    std::fs::rename(archive(&home), &target).unwrap();
    symlink("../../../disk/driftline.db", archive(&home)).unwrap();
    let service =
        Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)));
    // A reader that stays keeps the last lines in the log.
    let create = |id: usize| {
        let id = id.to_string();
        let arguments = ["plants", "create", "--id", &id, "--name", "a", "--tag", "b"];
        run(&home, &service.base_url(), &arguments).ends_with(0);
    };
    create(1);
    assert!(target.is_file());
    let reader = Connection::open(&target).unwrap();
    let read = || -> i64 {
        let count = "SELECT count(*) FROM plant_log";
        reader.query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(read(), 1);
    (2..8).for_each(create);
    // Both as a crash leaves them.
    let wal = home.file("disk/driftline.db-wal");
    let (log, mut bytes) = (
        std::fs::read(&wal).unwrap(),
        std::fs::read(&target).unwrap(),
    );
    assert!(log.len() > 6 * 4096);
    drop(reader);
    let last = bytes.len() - 4096;
    bytes[last..].fill(0xa5);
    std::fs::write(&target, bytes).unwrap();
    std::fs::write(&wal, log).unwrap();
    let check = Run::driftline(&home, ["archive", "check"]).go();
    let list = Run::driftline(&home, ["plants", "list"]).ends_with(0);
    // A heading and a line each.
    assert_eq!(list.stdout.lines().count(), 8, "{check:#?} {list:#?}");
    assert!(archive(&home).is_symlink());
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
}

#[test]
fn text_that_is_not_utf8_leaves_the_rest_and_is_found_and_mended() {
    let home = limited();
    let service =
        Responder::new(|request, _| Act::json(200, &String::from_utf8_lossy(&request.body)));
    for (id, name) in [("1", "rose"), ("2", "kelp"), ("3", "fern")] {
        let arguments = ["plants", "create", "--id", id, "--name", name, "--tag", ""];
        run(&home, &service.base_url(), &arguments).ends_with(0);
    }
    let other = UUID.replace('5', "6");
    Run::driftline(&home, ["deployments", "add", &other, "--label", "mark two"]).ends_with(0);
    let sound = Run::driftline(&home, ["archive", "check"]).go();
    assert_eq!(
        (sound.status, sound.stdout.as_str()),
        (0, "ok\n"),
        "{sound:?}"
    );
    replace(&archive(&home), b"kelp", &[b'k' | 0x80]);
    replace(
        &archive(&home),
        b"mark two",
        &[b'm', b'a', b'r', b'k' | 0x80],
    );
    let lines = |arguments: [&str; 2]| {
        let answer = Run::driftline(&home, arguments).ends_with(0);
        answer.stdout.lines().count()
    };
    let both = || (lines(["plants", "list"]), lines(["deployments", "list"]));
    // Each with a heading.
    assert_eq!(both(), (4, 3));
    let check = Run::driftline(&home, ["archive", "check"]).ends_with(1);
    for part in [&other, "the damaged file is now"] {
        assert!(check.stderr.contains(part), "{part}: {check:#?}");
    }
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
    assert_eq!(both(), (4, 3));
}

#[test]
fn of_two_edits_at_once_none_is_lost() {
    let home = Home::new();
    for round in 0..15 {
        let (age, note) = (format!("{}h", round + 1), format!("note {round}"));
        let edits = [
            ["deployments", "add", UUID, "--max-age", &age],
            ["deployments", "add", UUID, "--notes", &note],
        ];
        let running = edits.map(|edit| Run::driftline(&home, edit).start());
        for edit in running {
            assert_eq!(edit.end().status, 0);
        }
        let list = Run::driftline(&home, ["deployments", "list", "--json"]).go();
        let list: serde_json::Value = serde_json::from_str(&list.stdout).unwrap();
        let hours = list[0]["max_age_s"].as_f64().unwrap() / 3600.0;
        let kept = (hours, list[0]["notes"].as_str().unwrap());
        assert_eq!(kept, (f64::from(round + 1), note.as_str()));
    }
}

#[test]
fn a_line_of_a_program_that_was_killed_is_unknown_at_once() {
    let home = Home::new();
    let service = Responder::silent();
    let arguments = ["plants", "create", "--id", "7", "--name", "a", "--tag", "b"];
    let running = run(&home, &service.base_url(), &arguments).start();
    let listed = || Run::driftline(&home, ["plants", "list"]).go().stdout;
    let shown = crate::driver::until(crate::driver::PATIENCE, || {
        listed().contains("sending").then_some(())
    });
    assert!(shown.is_some(), "{}", listed());
    running.signal(rustix::process::Signal::KILL);
    running.end();
    assert!(listed().contains("unknown"), "{}", listed());
    // What it left beside the archive goes with the next request.
    let locks = || {
        let folder = std::fs::read_dir(archive(&home).parent().unwrap()).unwrap();
        let names = folder.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("-sending-")).count()
    };
    assert_eq!(locks(), 1);
    let next = ["plants", "create", "--id", "8", "--name", "a", "--tag", "b"];
    let service = Responder::json(201, "");
    run(&home, &service.base_url(), &next).ends_with(0);
    assert_eq!(locks(), 0);
    let listed = listed();
    assert!(
        listed.contains("unknown") && listed.contains("exists"),
        "{listed}"
    );
}

#[test]
fn of_many_refreshes_the_last_and_a_daily_sum_are_left() {
    let home = limited();
    let service = Responder::json(200, TRACK);
    for _ in 0..12 {
        run(&home, &service.base_url(), &["track", UUID]).ends_with(0);
    }
    let connection = Connection::open(archive(&home)).unwrap();
    let (rows, fetches): (i64, i64) = connection
        .query_row("SELECT count(*), sum(fetches) FROM fetch", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    // Two where midnight was between.
    assert!(rows <= 3, "{rows}");
    assert_eq!(fetches, 12);
    let info = Run::driftline(&home, ["archive", "info"]).ends_with(0);
    let fetches = format!("{:<28} 12", "fetches");
    info.prints(&fetches);
}

#[test]
fn a_pipe_as_archive_or_log_ends_with_a_message_and_a_log_is_private() {
    let home = limited();
    std::fs::remove_file(archive(&home)).unwrap();
    mkfifo(&archive(&home));
    let check = Run::driftline(&home, ["archive", "check"]).ends_with(1);
    assert!(check.took < SOON, "{check:#?}");
    check.says("no regular file");
    let service = Responder::json(200, TRACK);
    let track = |home: &Home| {
        run(home, &service.base_url(), &["track", UUID])
            .env("DRIFTLINE_LOG", "debug")
            .ends_with(0)
    };
    let home = Home::new();
    let log = home.write(".local/state/driftline/driftline.log", "before\n");
    std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o666)).unwrap();
    track(&home);
    let mode = std::fs::metadata(&log).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    assert!(std::fs::read_to_string(&log).unwrap().lines().count() > 1);
    std::fs::remove_file(&log).unwrap();
    mkfifo(&log);
    let answer = track(&home);
    answer.says("no log is written");
    assert!(answer.took < SOON, "{answer:#?}");
}

#[test]
fn a_link_whose_target_is_away_is_told_by_every_command_and_no_archive_is_made() {
    // The folder, one above it, and the file are on a disk that is not mounted.
    for link in ["driftline", "", "driftline/archive.db"] {
        let home = limited();
        let service = Responder::new(|_, _| Act::json(200, TRACK));
        let share = home.file(".local/share");
        let link = match link {
            "" => share.clone(),
            name => share.join(name),
        };
        let away = home.file("disk/of the archive");
        let target = away.join("x");
        std::fs::create_dir(home.file("disk")).unwrap();
        std::fs::rename(&link, home.file("unmounted")).unwrap();
        symlink(&target, &link).unwrap();
        let said = |words: &str| {
            let (link, target) = (link.display(), target.display());
            let named = format!("{link} is a symbolic link to {target}, which does not exist");
            words.contains(&named) && words.contains("disk is mounted")
        };
        for arguments in [
            &["check", UUID][..],
            &["check", "--all"],
            &["alarms"],
            &["deployments", "list"],
            &["deployments", "add", UUID],
            &["archive", "check"],
            &["archive", "info"],
            &["collect", "--once"],
        ] {
            let answer = run(&home, &service.base_url(), arguments).go();
            let (status, words) = match arguments[0] {
                "check" => (3, &answer.stdout),
                _ => (1, &answer.stderr),
            };
            assert_eq!(answer.status, status, "{arguments:?} {answer:#?}");
            assert!(said(words), "{arguments:?} {answer:#?}");
            assert!(!answer.stderr.contains("new archive"), "{answer:#?}");
        }
        assert!(!away.exists());
        // The disk is back.
        std::fs::create_dir(&away).unwrap();
        std::fs::rename(home.file("unmounted"), &target).unwrap();
        let check = run(&home, &service.base_url(), &["check", UUID]).go();
        assert_eq!(check.status, 2, "{check:#?}");
    }
}

#[test]
fn check_gives_no_verdict_without_an_archive_that_was_named() {
    let home = limited();
    let service = Responder::new(|_, _| Act::json(200, HOURLY_TRACK));
    let mistyped = home.file("archvie.db").display().to_string();
    for of in [UUID, "--all"] {
        let arguments = ["check", of, "--archive", &mistyped];
        let check = run(&home, &service.base_url(), &arguments).go();
        assert_eq!(check.status, 3, "{check:#?}");
        let why = format!("DRIFTLINE UNKNOWN - there is no archive at {mistyped}");
        assert!(check.stdout.starts_with(&why), "{check:#?}");
    }
    assert!(service.requests().is_empty());
    assert!(!Path::new(&mistyped).exists());
    // The settings file names it and lists what is watched: the first check makes it.
    home.write(
        ".config/driftline/config.toml",
        format!("archive = {mistyped:?}\n[[deployment]]\nuuid = \"{UUID}\"\n"),
    );
    let check = run(&home, &service.base_url(), &["check", UUID]).go();
    assert_ne!(check.status, 3, "{check:#?}");
}
