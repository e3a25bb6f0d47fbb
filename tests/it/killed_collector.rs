//! A collector with a program that it tells of alarms, killed at random moments.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;
use serde_json::Value;

use crate::alarms::told;
use crate::driver::chance::{Chance, rounds};
use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::wire::{Act, Responder};
use crate::exit_status::{UUID, with_token};

/// Seconds between two fixes: all of them within the day in which an alarm is told.
fn step(rounds: usize) -> usize {
    (70_000 / (2 * rounds + 8)).clamp(1, 60)
}

/// Fixes of which two more come each round: two outside, two inside, in turn.
fn body(count: usize, began: u64, step: usize) -> String {
    let fixes: Vec<String> = (0..count)
        .map(|number| {
            let time = began + (number * step) as u64;
            let north = if number >= 8 && number / 2 % 2 == 0 {
                0.005
            } else {
                0.0
            };
            format!(
                "{{\"time_stamp\":{time},\"latitude\":{},\"longitude\":5}}",
                60.0 + north
            )
        })
        .collect();
    format!("[{}]", fixes.join(","))
}

fn alarms(home: &Home) -> Vec<Value> {
    let answer = Run::driftline(home, ["alarms", "--all", "--json"]).ends_with(0);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn a_collector_killed_at_any_moment_loses_no_transition_and_tells_none_without_its_record() {
    let (home, rounds) = (Home::new(), rounds(60, 1000));
    let chance = Chance::new("killed collector");
    let hook = "on_alarm = [\"sh\", \"-c\", \"cat >> told; sleep 0.02\"]\n";
    home.write(".config/driftline/config.toml", hook);
    let add = [
        "deployments",
        "add",
        UUID,
        "--inside",
        "60,5,200",
        "--max-age",
        "3000d",
    ];
    Run::driftline(&home, add).ends_with(0);
    // Its limits were set before the first fix.
    let archive = home.file(".local/share/driftline/archive.db");
    let archive = rusqlite::Connection::open(archive).unwrap();
    archive
        .execute_batch("UPDATE deployment SET added_at = 0; UPDATE alarm_rule SET since = 0;")
        .unwrap();
    drop(archive);
    let step = step(rounds);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let began = now - ((2 * rounds + 8) * step) as u64;
    let round = Arc::new(AtomicUsize::new(0));
    let current = Arc::clone(&round);
    let service = Responder::new(move |_, _| {
        let count = 8 + 2 * (current.load(Ordering::SeqCst) + 1);
        Act::json(200, &body(count, began, step))
    });
    let base = service.base_url();
    let (mut killed, mut ended) = (0, 0);
    for number in 0..rounds {
        round.store(number, Ordering::SeqCst);
        home.let_a_day_pass();
        let running = with_token(&home, &base, &["collect", "--once"]).start();
        // From almost at once to after the end; each tenth is left alone, so that not
        // everything is told at the end.
        if number % 10 != 9 {
            std::thread::sleep(Duration::from_micros(chance.below(200_000) as u64));
            running.signal(Signal::KILL);
        }
        match running.end().status {
            0 => ended += 1,
            _ => killed += 1,
        }
        if number % 10 == 9 {
            let recorded: HashSet<String> = alarms(&home)
                .iter()
                .map(|one| one["id"].to_string())
                .collect();
            for one in told(&home) {
                assert!(
                    recorded.contains(&one["id"].to_string()),
                    "round {number}: {one}"
                );
            }
        }
    }
    // A loop in which all or none came to its end would prove nothing.
    assert!(killed > 0 && ended > 0, "{killed} killed, {ended} ended");
    // Left alone it tells what is still to be told.
    for _ in 0..2 {
        home.let_a_day_pass();
        with_token(&home, &base, &["collect", "--once"]).ends_with(0);
    }
    Run::driftline(&home, ["archive", "check"]).ends_with(0);
    let (alarms, told) = (alarms(&home), told(&home));
    assert_eq!(alarms.len(), rounds.div_ceil(2));
    let events = |id: &Value, event: &str| {
        let is_it = |one: &&Value| one["id"] == *id && one["event"] == event;
        told.iter().filter(is_it).count()
    };
    let mut twice = 0;
    for alarm in &alarms {
        let id = &alarm["id"];
        assert_eq!(alarm["kind"], "outside", "{alarm}");
        assert!(events(id, "raised") > 0, "raised and not told: {alarm}");
        let is_cleared = !alarm["cleared_at"].is_null();
        assert_eq!(events(id, "cleared") > 0, is_cleared, "{alarm}");
        twice += events(id, "raised") + events(id, "cleared") - 1 - usize::from(is_cleared);
    }
    println!(
        "{rounds} rounds: {killed} killed, {ended} ended; {} alarms, {} transitions told, {twice} of them once more",
        alarms.len(),
        told.len()
    );
}
