//! A dashboard at rest: how often it wakes, and what it writes to the terminal.
#![cfg(target_os = "linux")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::wire::Responder;
use crate::exit_status::{TRACK, UUID};

/// How often the threads of a process went to sleep, each since it began.
fn sleeps(process: u32) -> Vec<(String, u64)> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let count = |thread: std::fs::DirEntry| {
        let status = std::fs::read_to_string(thread.path().join("status")).unwrap();
        let count = status.lines().find_map(|line| {
            let count = line.strip_prefix("voluntary_ctxt_switches:")?;
            count.trim().parse().ok()
        });
        (thread.file_name().into_string().unwrap(), count.unwrap())
    };
    threads.map(|thread| count(thread.unwrap())).collect()
}

#[test]
fn an_idle_dashboard_sleeps_and_sees_another_program_all_the_same() {
    let (home, service) = (Home::new(), Responder::json(200, TRACK));
    let deployments = |label: &str| {
        Run::driftline(&home, ["deployments", "add", UUID, "--label", label]).ends_with(0);
    };
    deployments("ice seven");
    let terminal = Terminal::driftline(&home, &[], Setting::default().at(service.base_url()));
    terminal.shows("85.51");
    // The archive is looked at twice for what the dashboard itself has written.
    std::thread::sleep(Duration::from_secs(13));
    // The clock of the header is written once a minute: none ends while it is watched.
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let rest = 60 - since_epoch.as_secs() % 60;
    if rest < 20 {
        std::thread::sleep(Duration::from_secs(rest + 2));
    }
    let (before, written) = (sleeps(terminal.id()), terminal.bytes().len());
    std::thread::sleep(Duration::from_secs(12));
    let after = sleeps(terminal.id());
    let all = |counts: &[(String, u64)]| counts.iter().map(|(_, count)| count).sum::<u64>();
    // A frame each second, for which two threads wake some times, two or three looks at the
    // archive, and little else.
    let woken = all(&after) - all(&before);
    assert!(woken <= 12 * 10 + 8, "{before:?} {after:?}");
    let more = terminal.bytes().split_off(written);
    assert_eq!(String::from_utf8_lossy(&more), "");
    deployments("ice nine");
    terminal.shows("ice nine");
}
