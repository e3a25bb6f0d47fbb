//! Alarms from the answer of a service to the program that is told of them, and
//! the collector that fetches without a terminal.

use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;
use serde_json::Value;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::{run, with_token};

pub(crate) fn uuid(number: usize) -> String {
    format!("5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e2{number:02x}")
}

pub(crate) fn unix_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
}

/// Hourly fixes, so many metres north of 60 N 5 E, the last so many seconds ago.
pub(crate) fn fixes(metres: &[f64], age_s: f64) -> String {
    let last = (unix_now() - age_s).floor();
    let fixes: Vec<String> = metres
        .iter()
        .rev()
        .zip(0u32..)
        .map(|(north, back)| {
            let time = last - 3600.0 * f64::from(back);
            let latitude = 60.0 + north / 111_320.0;
            format!("{{\"time_stamp\":{time},\"latitude\":{latitude},\"longitude\":5.0}}")
        })
        .collect();
    format!("[{}]", fixes.join(","))
}

pub(crate) const LEFT: [f64; 6] = [0.0, 1.0, 0.0, 2.0, 240.0, 250.0];

/// A home with so many watched moorings and a program that is told of alarms.
pub(crate) fn watching(count: usize, hook: &str) -> Home {
    let home = Home::new();
    for number in 0..count {
        let label = format!("mooring {number}");
        let uuid = uuid(number);
        let circle = ["--inside", "60,5,200", "--platform", "mooring"];
        let add = ["deployments", "add", &uuid, "--label", &label];
        Run::driftline(&home, [&add[..], &circle].concat()).ends_with(0);
    }
    home.write(".config/driftline/config.toml", hook);
    home
}

/// A setting with a program that adds what it is told to the file `told`.
pub(crate) fn hook(home_file: &str, more: &str) -> String {
    format!("on_alarm = [\"sh\", \"-c\", \"cat >> {home_file}{more}\"]\n")
}

pub(crate) fn told(home: &Home) -> Vec<Value> {
    let text = std::fs::read_to_string(home.file("told")).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(crate) fn alarms(home: &Home, more: &[&str]) -> Vec<Value> {
    let arguments = [&["alarms", "--json"], more].concat();
    let answer = Run::driftline(home, arguments).ends_with(0);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn an_alarm_is_raised_told_acknowledged_snoozed_and_cleared() {
    let home = watching(1, &hook("told", ""));
    let back = Arc::new(AtomicBool::new(false));
    let (left, returned) = (fixes(&LEFT, 7500.0), {
        let more = [&LEFT[..], &[1.0, 2.0]].concat();
        fixes(&more, 300.0)
    });
    let is_back = Arc::clone(&back);
    let service = Responder::new(move |_, _| match is_back.load(Ordering::SeqCst) {
        true => Act::json(200, &returned),
        false => Act::json(200, &left),
    });
    assert_eq!(alarms(&home, &[]), [Value::Null; 0]);
    let answer = run(&home, &service, &["collect", "--once"]).ends_with(0);
    answer.says("fetched deployment=");
    answer.says("label=\"mooring 0\" new=6");
    let list = alarms(&home, &[]);
    assert_eq!(list.len(), 1);
    let alarm = &list[0];
    let names = [
        "id",
        "deployment",
        "label",
        "kind",
        "state",
        "raised_at",
        "acknowledged_at",
        "snoozed_until",
        "cleared_at",
        "fix_time",
        "value",
        "limit",
        "text",
    ];
    let members: Vec<&String> = alarm.as_object().unwrap().keys().collect();
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    assert_eq!(members, sorted);
    assert_eq!(
        (&alarm["kind"], &alarm["state"]),
        (&"outside".into(), &"raised".into())
    );
    assert_eq!(alarm["deployment"], uuid(0));
    assert_eq!(alarm["limit"], 200.0);
    let mut first = told(&home).remove(0);
    assert_eq!(first["event"], "raised");
    first.as_object_mut().unwrap().remove("event");
    assert_eq!(&first, alarm);
    // Once, whoever looks next.
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    run(&home, &service, &["track", &uuid(0)]).ends_with(0);
    assert_eq!(told(&home).len(), 1);
    let id = alarm["id"].as_str().unwrap();
    let state = || alarms(&home, &[])[0]["state"].clone();
    Run::driftline(&home, ["snooze", id, "12h"]).ends_with(0);
    assert_eq!(state(), "snoozed");
    assert!(alarms(&home, &[])[0]["snoozed_until"].is_string());
    Run::driftline(&home, ["ack", id]).ends_with(0);
    assert_eq!(state(), "acknowledged");
    // The same as words after `alarms`.
    Run::driftline(&home, ["alarms", "snooze", id, "1h"]).ends_with(0);
    assert_eq!(state(), "snoozed");
    Run::driftline(&home, ["alarms", "ack", id]).ends_with(0);
    assert_eq!(state(), "acknowledged");
    Run::driftline(&home, ["ack", "zzzzzz"]).ends_with(1);
    Run::driftline(&home, ["ack", "../x"]).ends_with(2);
    Run::driftline(&home, ["snooze", id, "soon"]).ends_with(2);
    let table = Run::driftline(&home, ["alarms"]).ends_with(0).stdout;
    assert!(table.contains(id) && table.contains("mooring 0"), "{table}");
    // `track` judges and tells as well.
    back.store(true, Ordering::SeqCst);
    run(&home, &service, &["track", &uuid(0)]).ends_with(0);
    assert_eq!(alarms(&home, &[]), [Value::Null; 0]);
    let all = alarms(&home, &["--all"]);
    assert_eq!((all.len(), &all[0]["state"]), (1, &"cleared".into()));
    let events: Vec<Value> = told(&home).iter().map(|one| one["event"].clone()).collect();
    assert_eq!(events, ["raised", "cleared"]);
    assert_eq!(told(&home)[1]["id"], id);
}

#[test]
fn alarms_are_listed_as_they_were_raised_and_in_whole_seconds() {
    let home = watching(2, "");
    let moved = Arc::new(AtomicBool::new(false));
    let (left, farther) = (fixes(&LEFT, 3900.0), {
        let more = [&LEFT[..], &[3200.0]].concat();
        fixes(&more, 300.0)
    });
    let silent = fixes(&[0.0; 6], 4.0 * 3600.0);
    let has_moved = Arc::clone(&moved);
    let service = Responder::new(move |request, _| {
        let body = match request.target.contains(&uuid(1)) {
            true => &silent,
            false if has_moved.load(Ordering::SeqCst) => &farther,
            false => &left,
        };
        Act::json(200, body)
    });
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    moved.store(true, Ordering::SeqCst);
    home.let_a_day_pass();
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    let listed = Run::driftline(&home, ["alarms"]).ends_with(0).stdout;
    let line = |word: &str| listed.lines().find(|line| line.contains(word));
    let outside = line("outside").unwrap();
    let raised = "mooring 0: outside its watch circle at 2";
    assert!(outside.contains(raised), "{listed}");
    let far = " m from the centre, limit 200 m";
    assert!(outside.contains(far), "{listed}");
    let overdue = line("overdue").unwrap();
    assert!(overdue.contains("no fix for 4 h, limit 3 h"), "{listed}");
    // Both as they were raised, for programs.
    let list = alarms(&home, &[]);
    let of_kind = |kind: &str| list.iter().find(|one| one["kind"] == kind).unwrap();
    let value = of_kind("outside")["value"].as_f64().unwrap();
    assert!(value < 260.0, "{list:#?}");
    for one in &list {
        let id = one["id"].as_str().unwrap();
        Run::driftline(&home, ["snooze", id, "2s"]).ends_with(0);
        Run::driftline(&home, ["ack", id]).ends_with(0);
    }
    let listed = Run::driftline(&home, ["alarms"]).ends_with(0).stdout;
    for one in alarms(&home, &[]) {
        for name in ["raised_at", "acknowledged_at"] {
            let at = one[name].as_str().unwrap();
            assert!(at.len() == 20 && listed.contains(at), "{at}: {listed}");
        }
    }
}

#[test]
fn of_several_programs_at_once_one_tells() {
    let home = watching(3, &hook("told", ""));
    let left = fixes(&LEFT, 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    let running: Vec<_> = (0..4)
        .map(|_| with_token(&home, &service.base_url(), &["collect", "--once"]).start())
        .collect();
    for one in running {
        one.end().ends_with(0);
    }
    let mut ids: Vec<String> = told(&home)
        .iter()
        .map(|one| one["id"].to_string())
        .collect();
    ids.sort();
    assert_eq!(ids.len(), 3, "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

#[test]
fn killed_while_it_tells_it_tells_once_more_with_the_same_id() {
    let home = watching(1, &hook("told", "; kill -9 $PPID"));
    let left = fixes(&LEFT, 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    let killed = run(&home, &service, &["collect", "--once"]);
    assert_eq!(killed.status, 137, "{killed:#?}");
    until(PATIENCE, || (told(&home).len() == 1).then_some(())).unwrap();
    home.write(".config/driftline/config.toml", hook("told", ""));
    // Its claim ends by itself.
    let again = || {
        run(&home, &service, &["collect", "--once"]).ends_with(0);
        (told(&home).len() > 1).then_some(())
    };
    until(PATIENCE, again).unwrap();
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    let all = told(&home);
    assert_eq!(all.len(), 2, "{all:#?}");
    assert_eq!(all[0]["id"], all[1]["id"]);
    assert_eq!(alarms(&home, &["--all"]).len(), 1);
}

#[test]
fn many_that_go_overdue_in_one_round_are_told_as_one() {
    let home = watching(6, &hook("told", ""));
    let silent = fixes(&[0.0; 6], 5.0 * 3600.0);
    let on_time = fixes(&[0.0; 6], 600.0);
    let service = Responder::new(move |request, _| {
        let is_last = (4..6).any(|number| request.target.contains(&uuid(number)));
        Act::json(200, if is_last { &on_time } else { &silent })
    });
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    assert_eq!(alarms(&home, &[]).len(), 4);
    let all = told(&home);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(
        (&all[0]["kind"], &all[0]["event"]),
        (&"overdue".into(), &"raised".into())
    );
    assert_eq!(all[0]["alarms"].as_array().unwrap().len(), 4);
    assert!(
        all[0]["text"]
            .as_str()
            .unwrap()
            .starts_with("4 of 6 deployments")
    );
    // The message has an id of its own, which acknowledges all that it told of.
    let id = all[0]["id"].as_str().unwrap();
    assert!(alarms(&home, &[]).iter().all(|one| one["id"] != id));
    let said = Run::driftline(&home, ["ack", id]).ends_with(0).stderr;
    assert!(
        said.contains("is a message of 4 alarms; acknowledged: "),
        "{said}"
    );
    for one in alarms(&home, &[]) {
        assert_eq!(one["state"], "acknowledged", "{one:#?}");
        assert!(said.contains(one["id"].as_str().unwrap()), "{said}");
    }
}

#[test]
fn a_service_that_is_down_is_one_alarm_and_is_not_asked_by_all() {
    let home = watching(6, &hook("told", ""));
    let (well, body) = (Arc::new(AtomicBool::new(false)), fixes(&[0.0; 6], 600.0));
    let is_well = Arc::clone(&well);
    let service = Responder::new(move |_, _| match is_well.load(Ordering::SeqCst) {
        true => Act::json(200, &body),
        false => Act::hang_up(),
    });
    let short = ["collect", "--once", "--timeout", "1s"];
    for _ in 0..2 {
        assert_eq!(run(&home, &service, &short).status, 5);
    }
    let list = alarms(&home, &[]);
    assert_eq!(list.len(), 1, "{list:#?}");
    assert_eq!(list[0]["kind"], "unreachable");
    assert!(list[0]["deployment"].is_null());
    assert_eq!(told(&home).len(), 1);
    let asked: std::collections::BTreeSet<String> = service
        .requests()
        .into_iter()
        .map(|one| one.target)
        .collect();
    // Two at once, one more that had begun by then, and one that tries the service for all; the
    // next round tries it by another.
    assert!(asked.len() <= 5, "{asked:?}");
    well.store(true, Ordering::SeqCst);
    run(&home, &service, &["collect", "--once"]).ends_with(0);
    assert_eq!(alarms(&home, &[]), [Value::Null; 0]);
    let events: Vec<Value> = told(&home).iter().map(|one| one["event"].clone()).collect();
    assert_eq!(events, ["raised", "cleared"]);
}

#[test]
fn no_more_than_two_requests_are_made_to_one_service_at_once() {
    use std::sync::atomic::AtomicUsize;
    let home = watching(9, "");
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (busy, peak) = (Arc::clone(&now), Arc::clone(&most));
    let body = fixes(&[0.0; 6], 600.0);
    let service = Responder::new(move |_, _| {
        let count = busy.fetch_add(1, Ordering::SeqCst) + 1;
        peak.fetch_max(count, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(100));
        busy.fetch_sub(1, Ordering::SeqCst);
        Act::json(200, &body)
    });
    run(&home, &service, &["collect", "--once", "--workers", "8"]).ends_with(0);
    assert_eq!(service.requests().len(), 9);
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[test]
fn the_collector_is_ready_and_alive_and_ends_with_0() {
    let home = watching(2, "refresh = \"1s\"\n");
    let body = fixes(&[0.0], 600.0);
    let service = Responder::new(move |_, _| Act::json(200, &body));
    let path = home.file("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    for (signal, count) in [(Signal::TERM, 3), (Signal::INT, 4)] {
        let running = with_token(&home, &service.base_url(), &["collect"])
            .env("NOTIFY_SOCKET", &path)
            .env("WATCHDOG_USEC", "400000")
            .start();
        let mut said = Vec::new();
        let mut piece = [0; 100];
        while said.len() < 4 {
            let length = socket.recv(&mut piece).unwrap();
            said.push(String::from_utf8_lossy(&piece[..length]).into_owned());
        }
        assert_eq!(
            (said[0].as_str(), said[2].as_str()),
            ("READY=1", "WATCHDOG=1")
        );
        let asked = || (service.requests().len() >= count).then_some(());
        until(PATIENCE, asked).unwrap();
        running.signal(signal);
        let answer = running.end();
        assert_eq!(answer.status, 0, "{answer:#?}");
        assert_eq!(answer.stdout, "");
        while let Ok(length) = socket.recv(&mut piece) {
            if piece[..length] == *b"STOPPING=1" {
                break;
            }
        }
    }
}

#[test]
fn the_dashboard_tells_and_no_program_holds_it_up() {
    let home = watching(1, &hook("told", "; sleep 300"));
    let left = fixes(&LEFT, 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    let mut terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    terminal.shows("mooring 0");
    until(PATIENCE, || (told(&home).len() == 1).then_some(())).unwrap();
    // While it runs, every key does what it does.
    terminal.keys("?");
    terminal.shows("quit");
    terminal.keys("\x1b");
    // It is ended after 10 s, and that is said.
    terminal.shows("on_alarm");
    terminal.quits();
    assert_eq!(told(&home).len(), 1);
}

#[test]
fn a_line_of_log_a_fetch_is_one_that_journald_and_people_read() {
    let home = watching(2, "");
    let body = fixes(&[0.0; 6], 600.0);
    let service = Responder::new(move |request, _| match request.target.contains(&uuid(1)) {
        true => Act::json(404, "{\"error\":404,\"message\":\"no \\\"such\\\"\\none\"}"),
        false => Act::json(200, &body),
    });
    let lines = |journal: bool| {
        let run = with_token(&home, &service.base_url(), &["collect", "--once"]);
        let run = match journal {
            true => run.env("JOURNAL_STREAM", "8:1"),
            false => run,
        };
        let answer = run.go();
        assert_eq!(
            (answer.status, answer.stdout.as_str()),
            (4, ""),
            "{answer:?}"
        );
        let mut lines: Vec<String> = answer.stderr.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let journal = lines(true);
    assert_eq!(journal.len(), 2, "{journal:?}");
    let failed = format!(
        "<4>failed deployment={} label=\"mooring 1\" kind=service reason=\"",
        uuid(1)
    );
    assert!(journal[0].starts_with(&failed), "{journal:?}");
    let fetched = format!(
        "<6>fetched deployment={} label=\"mooring 0\" new=6 ",
        uuid(0)
    );
    assert!(journal[1].starts_with(&fetched), "{journal:?}");
    for line in lines(false) {
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.ends_with('Z') && time.len() == 20, "{line}");
        assert!(rest.contains(" next=20"), "{line}");
    }
}
