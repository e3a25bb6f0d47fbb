//! A dashboard's life: kills, pauses, second signals, other dashboards, an
//! archive that goes away, a service that is down for long, a thousand
//! deployments.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::driver::home::Home;
use crate::driver::pty::{CTRL_Z, Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::{TOKEN, TRACK, UUID, with_token};
use crate::typed::service;

const NOTHING: [&str; 0] = [];

fn setting(service: &Responder) -> Setting {
    Setting::default().at(service.base_url())
}

fn run(home: &Home, service: &Responder, arguments: &[&str]) -> Run {
    with_token(home, &service.base_url(), arguments)
}

fn ids(home: &Home) -> String {
    let listed = Run::driftline(home, ["deployments", "list"]).go();
    listed.ends_with(0).stdout
}

#[test]
fn a_second_signal_ends_a_leave_that_waits_for_a_create() {
    let (home, service) = (Home::new(), Responder::silent());
    let mut terminal = Terminal::driftline(&home, &[], setting(&service));
    terminal.shows("UTC");
    terminal.keys("3n");
    terminal.shows("name");
    terminal.keys("7\tn\tt\r");
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    let started = Instant::now();
    terminal.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(50));
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.end(), 143);
    assert!(started.elapsed() < SOON);
    assert_eq!(terminal.insane(), NOTHING);
    Run::driftline(&home, ["plants", "list"])
        .ends_with(0)
        .prints("unknown");
}

#[test]
fn what_a_dashboard_asks_stands_in_the_log_where_one_is_wanted() {
    let (home, service) = (Home::new(), service());
    let setting = setting(&service).env("DRIFTLINE_LOG", "debug");
    let mut terminal = Terminal::driftline(&home, &[UUID], setting);
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    terminal.shows("ago");
    terminal.quits();
    let log = std::fs::read_to_string(home.file(".local/state/driftline/driftline.log")).unwrap();
    assert!(log.contains("GET http://127.0.0.1"), "{log}");
    assert!(!log.contains(TOKEN), "{log}");
}

#[test]
fn after_a_kill_the_next_start_is_clean() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    for _ in 0..3 {
        let terminal = Terminal::driftline(&home, &[UUID], setting(&service));
        terminal.shows("UTC");
        terminal.keys("a");
        terminal.signal(Signal::KILL);
    }
    let mut terminal = Terminal::driftline(&home, &[], setting(&service));
    let screen = terminal.shows(&UUID[..8]);
    assert!(!screen.contains("damaged"), "{screen}");
    terminal.quits();
    run(&home, &service, &["archive", "check"]).ends_with(0);
}

#[test]
fn in_the_background_it_stays_silent_and_comes_back_with_fg() {
    let home = Home::new();
    let setting = Setting::default()
        .env("PS1", "$ ")
        .env("DRIFTLINE", crate::driver::home::DRIFTLINE);
    let mut shell = Terminal::program(&home, "bash", &["--norc", "--noprofile", "-i"], setting);
    shell.keys("\"$DRIFTLINE\" demo\r");
    shell.shows("Deployments");
    shell.keys(CTRL_Z);
    shell.shows("Stopped");
    shell.keys("bg\r");
    std::thread::sleep(Duration::from_millis(500));
    assert!(!shell.alternate(), "{}", shell.screen());
    shell.keys("clear; echo sti\"\"ll here\r");
    shell.shows("still here");
    shell.keys("fg\r");
    until(PATIENCE, || shell.alternate().then_some(())).expect("fg does not bring it back");
    shell.shows("Deployments");
    shell.keys("q");
    until(PATIENCE, || (!shell.alternate()).then_some(())).expect("it does not quit");
    shell.keys("exit 0\r");
    assert_eq!(shell.end(), 0);
}

#[test]
fn after_a_long_sleep_it_refreshes_once_and_not_as_often_as_it_missed() {
    // One fix tells no interval: it is asked for every refresh.
    let one = r#"[{"time_stamp":1700000000,"latitude":85.5,"longitude":10.25}]"#;
    let (home, service) = (Home::new(), Responder::json(200, one));
    home.write(".config/driftline/config.toml", "refresh = \"2s\"\n");
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    let terminal = Terminal::driftline(&home, &[], setting(&service));
    terminal.shows("ago");
    terminal.signal(Signal::STOP);
    let before = service.requests().len();
    std::thread::sleep(Duration::from_secs(9));
    terminal.signal(Signal::CONT);
    until(PATIENCE, || {
        (service.requests().len() > before).then_some(())
    })
    .expect("it asks again");
    std::thread::sleep(Duration::from_millis(1500));
    let after = service.requests().len();
    assert!((1..=2).contains(&(after - before)), "{before} {after}");
}

#[test]
fn fifty_deployments_of_a_service_that_is_down_are_asked_for_less_and_less() {
    let (home, service) = (Home::new(), Responder::json(503, ""));
    home.write(
        ".config/driftline/config.toml",
        (0..50).fold("refresh = \"1s\"\n".to_owned(), |all, place| {
            all + &format!(
                "[[deployment]]\nuuid = \"5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1{place:02}\"\n"
            )
        }),
    );
    let terminal = Terminal::driftline(&home, &[], setting(&service));
    terminal.shows("the service answered");
    std::thread::sleep(Duration::from_secs(20));
    let times = service.requests().len();
    // Three tries each at first, and then later and later: never once a second.
    assert!(times < 50 * 12, "{times} requests in 20 s");
    let before = service.requests().len();
    terminal.keys("r");
    until(PATIENCE, || {
        (service.requests().len() > before).then_some(())
    })
    .expect("r asks now");
}

#[test]
fn two_dashboards_share_an_archive_and_a_third_process_changes_it() {
    let (home, service) = (Home::new(), service());
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    let mut terminals = [
        Terminal::driftline(&home, &[UUID], setting(&service)),
        Terminal::driftline(&home, &[UUID], setting(&service)),
    ];
    for terminal in &terminals {
        terminal.shows("UTC");
    }
    for turn in 0..10 {
        for terminal in &terminals {
            terminal.keys("r");
        }
        let id = turn.to_string();
        let create = ["plants", "create", "--id", &id, "--name", "n", "--tag", "t"];
        run(&home, &service, &create).ends_with(0);
    }
    for terminal in &mut terminals {
        let screen = terminal.screen();
        assert!(!screen.contains("locked"), "{screen}");
        terminal.quits();
    }
    let listed = run(&home, &service, &["plants", "list"]).ends_with(0);
    assert_eq!(listed.stdout.matches("exists").count(), 10, "{listed:#?}");
}

#[test]
fn an_archive_deleted_under_a_dashboard_is_told_and_made_again_from_its_memory() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    let mut terminal = Terminal::driftline(&home, &[UUID], setting(&service));
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    terminal.shows("UTC");
    std::thread::sleep(Duration::from_millis(300));
    for file in std::fs::read_dir(home.file(".local/share/driftline")).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    terminal.keys("r");
    terminal.wait("a word of the archive", |screen| {
        screen.contains("archive")
            && (screen.contains("gone") || screen.contains("removed") || screen.contains("deleted"))
    });
    // The warning stays until Esc.
    terminal.keys("1");
    std::thread::sleep(Duration::from_millis(700));
    terminal.shows("was removed while driftline ran");
    terminal.quits();
    run(&home, &service, &["deployments", "list"])
        .go()
        .prints(UUID);
}

#[test]
fn an_archive_copied_while_it_is_open_opens_with_its_journal_beside_it() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    run(&home, &service, &["deployments", "add", UUID]).ends_with(0);
    let terminal = Terminal::driftline(&home, &[UUID], setting(&service));
    terminal.shows("UTC");
    let create = ["plants", "create", "--id", "1", "--name", "n", "--tag", "t"];
    run(&home, &service, &create).ends_with(0);
    let copy = home.file("copy");
    std::fs::create_dir(&copy).unwrap();
    for file in std::fs::read_dir(home.file(".local/share/driftline")).unwrap() {
        let file = file.unwrap();
        // The shared memory of a running program is no part of a copy.
        if !file.file_name().to_string_lossy().ends_with("-shm") {
            std::fs::copy(file.path(), copy.join(file.file_name())).unwrap();
        }
    }
    drop(terminal);
    let path = copy.join("archive.db").display().to_string();
    run(&home, &service, &["plants", "list", "--archive", &path])
        .ends_with(0)
        .prints("exists");
    run(&home, &service, &["archive", "check", "--archive", &path]).ends_with(0);
}

#[test]
fn ten_thousand_deployments_stand_in_the_list_at_once() {
    let (home, service) = (Home::new(), Responder::silent());
    let label = "a line\\nand another";
    home.write(
        ".config/driftline/config.toml",
        (0..10_000).fold(String::new(), |all, place| {
            all + &format!(
                "[[deployment]]\nuuid = \"5b6ac2a0-43c5-4d30-9f1b-3c06a7f{place:05}\"\nlabel = \"{label} {place}\"\n"
            )
        }),
    );
    let mut terminal = Terminal::driftline(&home, &[], setting(&service));
    terminal.shows("a line");
    terminal.keys("G");
    terminal.shows("another 9999");
    assert!(service.requests().len() <= 4, "at most four at once");
    terminal.quits();
    assert_eq!(terminal.insane(), NOTHING);
    // A heading, and a line each.
    assert_eq!(ids(&home).lines().count(), 10_001);
}

#[test]
fn a_clock_that_is_behind_the_fixes_makes_no_age_below_nought() {
    let home = Home::new();
    let ahead = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        + 7200;
    let body = format!(
        r#"[{{"time_stamp":{},"latitude":1,"longitude":2}},{{"time_stamp":{ahead},"latitude":1,"longitude":2.01}}]"#,
        ahead - 10_800
    );
    let service = Responder::json(200, &body);
    let mut terminal = Terminal::driftline(&home, &[UUID], setting(&service));
    until(PATIENCE, || (!service.requests().is_empty()).then_some(())).unwrap();
    // The last fix is the one that has come.
    for tab in ["1", "2"] {
        terminal.keys(tab);
        let screen = terminal.shows("1 h");
        assert!(
            !screen.contains("-2 h") && !screen.contains("−2 h"),
            "{screen}"
        );
        assert!(!screen.contains("in 1 h 59 min"), "{screen}");
    }
    terminal.quits();
}

#[test]
fn in_a_plain_locale_only_plain_characters_are_drawn() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    for (name, value) in [
        ("LC_ALL", "C"),
        ("LC_ALL", "POSIX"),
        ("LC_CTYPE", "de_DE.ISO-8859-1"),
    ] {
        let setting = setting(&service).env(name, value).env("LANG", "C");
        let mut terminal = Terminal::driftline(&home, &[UUID], setting);
        terminal.shows("UTC");
        terminal.keys("1");
        terminal.shows("Deployments");
        let screen = terminal.screen();
        let strange = screen.chars().find(|one| !one.is_ascii());
        assert_eq!(strange, None, "{name}={value}\n{screen}");
        terminal.quits();
    }
}
