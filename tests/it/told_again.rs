//! What the program of `on_alarm` could not be told, it is told later.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::alarms::{LEFT, alarms, fixes, hook, told, uuid, watching};
use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::{Answer, Run};
use crate::driver::wire::{Act, Responder};
use crate::driver::{PATIENCE, until};
use crate::exit_status::with_token;

fn collect(home: &Home, service: &Responder) -> Answer {
    with_token(home, &service.base_url(), &["collect", "--once"]).go()
}

fn ids(lines: &[Value]) -> Vec<String> {
    let mut ids: Vec<String> = lines.iter().map(|one| one["id"].to_string()).collect();
    ids.sort();
    ids
}

#[test]
fn what_a_program_could_not_be_told_it_is_told_when_it_can_be_once() {
    let failing = "on_alarm = [\"sh\", \"-c\", \"cat >> tried; kill -9 $$\"]\n";
    let home = watching(3, failing);
    let left = fixes(&LEFT, 300.0);
    let service = Responder::new(move |_, _| Act::json(200, &left));
    let failed = collect(&home, &service).ends_with(1);
    // Each of the three alarms, with the reason.
    failed.says("signal: 9");
    for number in 0..3 {
        let name = format!("not sent: raised: mooring {number}, outside");
        assert_eq!(failed.stderr.matches(&name).count(), 1, "{failed:#?}");
    }
    let tried = std::fs::read_to_string(home.file("tried")).unwrap();
    assert_eq!(tried.lines().count(), 3);
    home.write(".config/driftline/config.toml", hook("told", ""));
    for _ in 0..2 {
        collect(&home, &service).ends_with(0);
    }
    let tried: Vec<Value> = tried
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(ids(&told(&home)), ids(&tried));
    assert!(told(&home).iter().all(|one| one["event"] == "raised"));
}

#[test]
fn a_program_that_cannot_be_told_is_said_and_nothing_is_lost() {
    for (hook, said) in [
        (
            "on_alarm = [\"/no/such/program\"]\n",
            "could not be started",
        ),
        ("on_alarm = [\"false\"]\n", "exit status: 1"),
        ("on_alarm = [\"./plain\"]\n", "could not be started"),
        (
            "on_alarm = [\"sh\", \"-c\", \"head -c 1000000000 /dev/zero\"]\n",
            "label=",
        ),
    ] {
        let home = watching(1, hook);
        let plain = home.write("plain", "no program");
        std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o600)).unwrap();
        let left = fixes(&LEFT, 300.0);
        let service = Responder::new(move |_, _| Act::json(200, &left));
        let answer = collect(&home, &service);
        assert!(answer.stderr.contains(said), "{hook}: {answer:#?}");
        assert_eq!(alarms(&home, &[]).len(), 1, "{hook}");
        let of = |answer: &Answer| answer.stderr.matches("the program of on_alarm").count();
        let failures = of(&answer);
        assert!(failures <= 1, "{answer:#?}");
        // Nobody was told: cron is, and the list says so.
        let status = i32::from(failures == 1);
        let answer = answer.ends_with(status);
        let listed = Run::driftline(&home, ["alarms"]).ends_with(0).stdout;
        let untold = listed.contains("; on_alarm is not notified yet");
        assert_eq!(untold, failures == 1, "{answer:#?} {listed}");
        // The next run tries once more; a command waits.
        let track = with_token(&home, &service.base_url(), &["track", &uuid(0)]).ends_with(0);
        assert_eq!(of(&track), 0, "{hook}: {track:#?}");
        let again = collect(&home, &service).ends_with(status);
        assert_eq!(of(&again), failures, "{hook}: {again:#?}");
    }
}

#[test]
fn a_full_disk_hides_no_alarm_and_of_each_is_notified_once() {
    let home = watching(2, &hook("told", ""));
    let (stayed, left) = (fixes(&LEFT[..4], 2.0 * 3600.0 + 300.0), fixes(&LEFT, 300.0));
    // The first has left its circle before the disk is full, the second after.
    let first = uuid(0);
    let is_full = Arc::new(AtomicBool::new(false));
    let full = Arc::clone(&is_full);
    let service = Responder::new(move |request, _| {
        let has_left = request.target.contains(&first) || full.load(Ordering::SeqCst);
        Act::json(200, if has_left { &left } else { &stayed })
    });
    collect(&home, &service).ends_with(0);
    let before = told(&home);
    assert_eq!(before.len(), 1, "{before:?}");
    home.let_a_day_pass();
    is_full.store(true, Ordering::SeqCst);
    let archive = home.file(".local/share/driftline/archive.db");
    let other = rusqlite::Connection::open(archive).unwrap();
    let full = ["fetch", "deployment"].map(|table| {
        ["INSERT", "UPDATE"].map(|event| {
            format!(
                "CREATE TRIGGER full_{event}_{table} BEFORE {event} ON {table}
                 BEGIN SELECT RAISE(ABORT, 'no room'); END;"
            )
        })
    });
    other.execute_batch(&full.concat().concat()).unwrap();
    let mut terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    terminal.shows("mooring 1");
    terminal.keys("r");
    let has_two = || (told(&home).len() == 2).then_some(());
    assert!(until(PATIENCE, has_two).is_some(), "{}", terminal.screen());
    assert_eq!(alarms(&home, &[]).len(), 1);
    let room = ["fetch", "deployment"].map(|table| {
        ["INSERT", "UPDATE"].map(|event| format!("DROP TRIGGER full_{event}_{table};"))
    });
    other.execute_batch(&room.concat().concat()).unwrap();
    terminal.keys("r");
    let stored = || alarms(&home, &[]);
    let is_stored = || (stored().len() == 2).then_some(());
    assert!(
        until(PATIENCE, is_stored).is_some(),
        "{}",
        terminal.screen()
    );
    let pending = || {
        let count = "SELECT count(*) FROM alarm_event WHERE to_notify = 1";
        other
            .query_row(count, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert!(until(PATIENCE, || (pending() == 0).then_some(())).is_some());
    terminal.quits();
    // No other program has anything to notify of.
    collect(&home, &service);
    assert_eq!(ids(&stored()), ids(&told(&home)));
}
