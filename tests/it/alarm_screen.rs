//! Alarms in the dashboard: shown, told by the terminal, acknowledged and snoozed,
//! also beside other programs, and where there is no archive.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::alarms::{LEFT, alarms, fixes, hook, told, uuid, watching};
use crate::driver::home::{Home, holds};
use crate::driver::pty::{ENTER, Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::with_token;

/// Where the mooring is: within its circle, outside, within again.
const MOORED: usize = 0;
const OUTSIDE: usize = 1;
const BACK: usize = 2;

/// A service with a mooring that is where the number says.
fn service() -> (Responder, Arc<AtomicUsize>) {
    let place = Arc::new(AtomicUsize::new(MOORED));
    let bodies = [fixes(&LEFT[..4], 7500.0), fixes(&LEFT, 300.0), returned()];
    let now = Arc::clone(&place);
    let service = Responder::new(move |_, _| Act::json(200, &bodies[now.load(Ordering::SeqCst)]));
    (service, place)
}

/// The fixes of a mooring that has left, and two within its circle after them, all behind
/// the clock.
fn returned() -> String {
    let left = fixes(&LEFT, 300.0);
    let inside = fixes(&[1.0], 200.0);
    let again = fixes(&[2.0], 100.0);
    format!("{left}{inside}{again}").replace("][", ",")
}

fn dashboard(home: &Home, service: &Responder, setting: Setting) -> Terminal {
    let setting = setting.at(service.base_url());
    Terminal::driftline(home, &[], setting)
}

/// How often the terminal was written some bytes.
fn count(terminal: &Terminal, needle: &str) -> usize {
    let bytes = terminal.bytes();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.matches(needle).count()
}

fn state(home: &Home) -> Value {
    alarms(home, &["--all"])[0]["state"].clone()
}

/// The sequence of OSC 777 with the title that the tests look for.
const OSC_777: &str = "\x1b]777;notify;driftline: mooring 0: outside;";

#[test]
fn two_dashboards_show_tell_and_acknowledge_the_same_alarm() {
    let settings = format!("notify = \"osc777\"\n{}", hook("told", ""));
    let home = watching(1, &settings);
    let (service, place) = service();
    let mut one = dashboard(&home, &service, Setting::default());
    one.shows("late");
    // Its answer is stored: what is asked for from now on is another answer.
    one.shows("was due");
    let mut two = dashboard(&home, &service, Setting::size(80, 24));
    two.shows("mooring 0");
    assert_eq!(alarms(&home, &[]), [Value::Null; 0]);
    place.store(OUTSIDE, Ordering::SeqCst);
    one.keys("r");
    for terminal in [&one, &two] {
        // In the list and in the header. The status is not said to be well alone.
        terminal.shows("outside");
        terminal.wait("the count", |screen| {
            screen.contains("⚑ 1 alarm") || screen.contains("⚑1")
        });
        until(PATIENCE, || (count(terminal, OSC_777) == 1).then_some(())).unwrap();
    }
    one.shows("●⚑  outside");
    one.keys("3");
    one.shows("⚑ 1 alarm");
    one.keys("1");
    // Acknowledged in one, known in the other within the time of its looks.
    two.keys("A");
    two.shows("not acknowledged");
    one.keys("A");
    one.shows("a acknowledge");
    one.keys("a");
    one.shows("outside acknowledged");
    let since = Instant::now();
    two.shows("acknowledged 2");
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
    assert_eq!(state(&home), "acknowledged");
    // Taken back, and snoozed by the other one.
    one.keys("U");
    one.shows("undone: mooring 0: outside as before");
    assert_eq!(state(&home), "raised");
    two.shows("⚑ 1 alarm");
    two.keys("s");
    two.shows("e.g. 6h, 2d");
    two.keys("2d");
    two.keys(ENTER);
    two.shows("snoozed until");
    assert_eq!(state(&home), "snoozed");
    one.shows("⚐ 1 snoozed");
    // What a command says of it counts, too.
    let id = alarms(&home, &[])[0]["id"].as_str().unwrap().to_owned();
    Run::driftline(&home, ["ack", &id]).ends_with(0);
    one.shows("⚐ 1 acknowledged");
    two.shows("acknowledged 2");
    // It ends with the fixes that are back.
    place.store(BACK, Ordering::SeqCst);
    one.keys("A");
    one.keys("r");
    one.shows("alarm cleared: mooring 0: outside");
    two.shows("✓ mooring 0 ");
    two.keys(ENTER);
    two.shows("60.000");
    // The program was told once for all of them.
    until(PATIENCE, || (told(&home).len() == 2).then_some(())).unwrap();
    for terminal in [&mut one, &mut two] {
        terminal.quits();
        // Told once by each terminal, whatever was said of it since.
        assert_eq!(count(terminal, OSC_777), 1);
    }
    let events: Vec<Value> = told(&home).iter().map(|one| one["event"].clone()).collect();
    assert_eq!(events, ["raised", "cleared"]);
}

#[test]
fn of_two_dashboards_and_a_collector_one_tells() {
    let home = watching(1, &format!("refresh = \"1s\"\n{}", hook("told", "")));
    let (service, place) = service();
    let mut one = dashboard(&home, &service, Setting::default());
    let mut two = dashboard(&home, &service, Setting::default());
    let collector = with_token(&home, &service.base_url(), &["collect"]).start();
    one.shows("late");
    two.shows("late");
    place.store(OUTSIDE, Ordering::SeqCst);
    one.keys("r");
    two.keys("r");
    one.shows("⚑ outside");
    two.shows("⚑ outside");
    until(PATIENCE, || (!told(&home).is_empty()).then_some(())).unwrap();
    // Another may tell within the moment that each waits.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(told(&home).len(), 1, "{:?}", told(&home));
    for terminal in [&mut one, &mut two] {
        terminal.quits();
    }
    collector.signal(rustix::process::Signal::TERM);
    assert_eq!(collector.end().status, 0);
    assert_eq!(told(&home).len(), 1);
}

#[test]
fn the_bell_rings_where_nothing_is_known_of_the_terminal_and_off_is_silent() {
    for (notify, bell, osc) in [("auto", 1, 0), ("osc777", 0, 1), ("off", 0, 0)] {
        let home = watching(1, &format!("notify = \"{notify}\"\n"));
        let (service, place) = service();
        place.store(OUTSIDE, Ordering::SeqCst);
        let setting = Setting::default().env("TERM", "xterm-256color");
        let mut terminal = dashboard(&home, &service, setting);
        terminal.shows("⚑ outside");
        terminal.quits();
        assert_eq!(count(&terminal, OSC_777), osc, "{notify}");
        // The bell alone: other sequences of the dashboard do not end with it.
        assert_eq!(count(&terminal, "\x07"), bell, "{notify}");
    }
    let home = watching(1, "notify = \"loud\"\n");
    let answer = Run::driftline(&home, ["config", "show"]).go();
    assert_eq!(answer.status, 2);
    answer.says("notify must be one of auto, osc777, osc9, osc99, bell, off");
}

#[test]
fn a_name_with_control_characters_does_not_reach_the_terminal_in_a_notification() {
    let home = watching(1, "notify = \"osc9\"\n");
    let label = "north;\u{1b}]52;c;eA==\u{7}buoy";
    Run::driftline(&home, ["deployments", "add", &uuid(0), "--label", label]).ends_with(0);
    let (service, place) = service();
    place.store(OUTSIDE, Ordering::SeqCst);
    let mut terminal = dashboard(&home, &service, Setting::default());
    terminal.shows("⚑ outside");
    terminal.quits();
    assert_eq!(count(&terminal, "\x1b]9;driftline: north,"), 1);
    assert!(!holds(&terminal.bytes(), "\x1b]52"));
    assert_eq!(count(&terminal, "\x07"), 0);
}

#[test]
fn without_a_terminal_an_alarm_is_a_line_and_no_control_sequence() {
    let home = watching(1, "notify = \"osc777\"\n");
    let (service, place) = service();
    place.store(OUTSIDE, Ordering::SeqCst);
    let running = with_token(&home, &service.base_url(), &["--plain"]).start();
    // Its lines come with the first fetch.
    until(PATIENCE, || (!alarms(&home, &[]).is_empty()).then_some(())).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    running.signal(rustix::process::Signal::TERM);
    let answer = running.end();
    answer.prints("Alarm: outside its watch circle: now ");
    assert!(!answer.stdout.contains('\x1b'), "{answer:#?}");
    assert!(!answer.stdout.contains("message: alarm"), "{answer:#?}");
}

#[test]
fn what_stands_for_longer_than_a_day_is_told_once() {
    let home = watching(1, "notify = \"osc777\"\n");
    let old = fixes(&LEFT, 200_000.0);
    let service = Responder::new(move |_, _| Act::json(200, &old));
    let mut terminal = dashboard(&home, &service, Setting::default());
    // It is overdue since, too.
    terminal.shows("⚑ 2 alarms");
    let told = until(PATIENCE, || {
        (count(&terminal, "\x1b]777") > 0).then_some(())
    });
    assert!(told.is_some());
    terminal.quits();
    assert_eq!(count(&terminal, "\x1b]777"), 1);
}

#[test]
fn without_an_archive_alarms_are_judged_and_acknowledged_in_memory() {
    let home = Home::new();
    // A silence of 4 hours where a fix came each hour.
    let body = fixes(&[0.0; 6], 14_400.0);
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let deployment = format!(
        "[[deployment]]\nuuid = \"{}\"\nlabel = \"mooring 0\"\n",
        uuid(0)
    );
    home.write(
        ".config/driftline/config.toml",
        format!("notify = \"osc777\"\n{deployment}"),
    );
    home.write(
        "occupied",
        "a file where the folder of the archive would be",
    );
    let archive = home.file("occupied/archive.db");
    let setting = Setting::default().env("DRIFTLINE_ARCHIVE", archive);
    let mut terminal = dashboard(&home, &service, setting);
    terminal.shows("⚑ overdue");
    until(PATIENCE, || {
        (count(&terminal, "\x1b]777") == 1).then_some(())
    })
    .unwrap();
    terminal.keys("A");
    terminal.shows("not acknowledged");
    terminal.keys("a");
    terminal.shows("⚐ 1 acknowledged");
    terminal.shows("in this dashboard only");
    terminal.keys("U");
    terminal.shows("⚑ raised");
    terminal.keys("s");
    terminal.shows("e.g. 6h, 2d");
    terminal.keys("6h");
    terminal.keys(ENTER);
    terminal.shows("⚐ snoozed");
    // The next answer does not raise it anew.
    terminal.keys("A");
    terminal.keys("r");
    terminal.keys("A");
    terminal.shows("⚐ snoozed");
    terminal.keys("A");
    terminal.quits();
    assert_eq!(count(&terminal, "\x1b]777"), 1);
}

#[test]
fn a_program_that_cannot_be_told_is_in_activity_and_the_dashboard_goes_on() {
    for (hook, words) in [
        ("[\"/no/such/program\"]", "could not be started"),
        ("[\"./plain\"]", "could not be started"),
        ("[\"sh\", \"-c\", \"exit 1\"]", "failed: exit status: 1"),
        (
            "[\"sh\", \"-c\", \"head -c 1000000000 /dev/zero; exit 3\"]",
            "failed: exit status: 3",
        ),
        (
            "[\"sh\", \"-c\", \"cat > told\"]",
            "notified: raised: mooring 0, outside",
        ),
    ] {
        let home = watching(1, &format!("on_alarm = {hook}\n"));
        let plain = home.write("plain", "no program");
        std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o644)).unwrap();
        let (service, place) = service();
        place.store(OUTSIDE, Ordering::SeqCst);
        let mut terminal = dashboard(&home, &service, Setting::default());
        terminal.shows("⚑ outside");
        terminal.keys("4");
        terminal.wait(hook, |screen| {
            screen
                .lines()
                .any(|line| line.contains("RUN") && line.contains("on_alarm"))
        });
        terminal.keys("g");
        terminal.shows(words);
        terminal.quits();
    }
}

#[test]
fn a_program_that_never_ends_does_not_hold_up_the_end_of_the_dashboard() {
    let home = watching(1, &hook("told", "; sleep 300"));
    let (service, place) = service();
    place.store(OUTSIDE, Ordering::SeqCst);
    let mut terminal = dashboard(&home, &service, Setting::default());
    until(PATIENCE, || (told(&home).len() == 1).then_some(())).unwrap();
    let since = Instant::now();
    terminal.quits();
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
}

#[test]
fn a_removal_ends_the_alarm_and_one_that_is_undone_is_judged_anew() {
    let home = watching(1, &hook("told", ""));
    let (service, place) = service();
    place.store(OUTSIDE, Ordering::SeqCst);
    let mut terminal = dashboard(&home, &service, Setting::default());
    terminal.shows("⚑ outside");
    let is_told = |count| until(PATIENCE, || (told(&home).len() == count).then_some(()));
    is_told(1).unwrap();
    let before = alarms(&home, &[])[0]["id"].as_str().unwrap().to_owned();
    terminal.keys("D");
    terminal.shows("Remove deployment");
    std::thread::sleep(Duration::from_millis(1500));
    terminal.keys("y");
    terminal.shows("removed from the list");
    until(PATIENCE, || alarms(&home, &[]).is_empty().then_some(())).unwrap();
    is_told(2).unwrap();
    terminal.keys("U");
    terminal.shows("is on the list again");
    terminal.shows("⚑ outside");
    is_told(3).unwrap();
    assert_ne!(alarms(&home, &[])[0]["id"].as_str(), Some(before.as_str()));
    terminal.quits();
}

#[test]
fn limits_that_are_set_raise_their_alarm_at_once() {
    let home = watching(1, &hook("told", ""));
    let (service, _) = service();
    let mut terminal = dashboard(&home, &service, Setting::default());
    terminal.shows("late");
    terminal.keys("e");
    terminal.shows("maximum age");
    terminal.keys("\t\t\t\t");
    terminal.shows("Alarm if the last fix is older");
    terminal.keys("1h");
    terminal.keys(ENTER);
    terminal.shows("⚑ overdue");
    // Its program is told at once, not with the next response.
    let is_told = until(PATIENCE, || (!told(&home).is_empty()).then_some(()));
    assert!(is_told.is_some());
    assert_eq!(told(&home)[0]["kind"], "overdue");
    terminal.keys("U");
    terminal.hides("⚑ overdue");
    terminal.quits();
    assert_eq!(state(&home), "cleared");
}

#[test]
fn a_service_that_cannot_be_reached_is_one_alarm_of_the_dashboard() {
    let home = watching(3, "notify = \"osc777\"\n");
    let service = Responder::new(|_, _| Act::hang_up());
    let setting = Setting::default();
    let mut terminal = dashboard(&home, &service, setting);
    terminal.shows("⚑ 1 alarm");
    terminal.keys("A");
    terminal.shows("the service");
    terminal.shows("cannot be reached");
    terminal.keys("A");
    terminal.quits();
    let list = alarms(&home, &[]);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0]["kind"], "unreachable");
    assert_eq!(
        count(&terminal, "\x1b]777;notify;driftline: the service fails;"),
        1
    );
}
