//! Drives the built program as its users do: at a terminal, in scripts with
//! pipes, with a faulty service, and with a locked or hanging keyring.

pub(crate) mod backend;
#[path = "../../src/testing/chance.rs"]
pub(crate) mod chance;
pub(crate) mod clock;
#[path = "../../src/testing/code_blocks.rs"]
pub(crate) mod code_blocks;
#[cfg(feature = "postgres")]
#[path = "../../src/testing/database.rs"]
pub(crate) mod database;
pub(crate) mod home;
#[path = "../../src/testing/http.rs"]
pub(crate) mod http;
pub(crate) mod keyring;
pub(crate) mod proxy;
pub(crate) mod pty;
#[path = "../../src/testing/recorded.rs"]
pub(crate) mod recorded;
pub(crate) mod run;
pub(crate) mod service;
pub(crate) mod tls;
#[path = "../../src/testing/untyped.rs"]
pub(crate) mod untyped;
pub(crate) mod wire;

use std::time::{Duration, Instant};

/// Longest wait for an expected event.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Longer than driftline takes to do what it does at once, or to give up a disk or a keyring, on
/// a busy machine too; shorter than the 30 s after which it gives up a request, and than a
/// program that hangs.
pub(crate) const SOON: Duration = Duration::from_secs(25);

/// Calls `question` until it returns a value or `patience` is over.
pub(crate) fn until<T>(patience: Duration, mut question: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let asked = Instant::now();
        if let Some(answer) = question() {
            return Some(answer);
        }
        if start.elapsed() > patience {
            return None;
        }
        // A question that runs a program is asked less often.
        std::thread::sleep(asked.elapsed().max(Duration::from_millis(5)) * 2);
    }
}

/// Sends `signal` to the process.
pub(crate) fn signal(process: u32, signal: rustix::process::Signal) {
    let process = i32::try_from(process).ok();
    let process = process.and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(process, signal).unwrap();
}

/// The kernel's one-letter state of a process; `None` if it does not exist.
pub(crate) fn process_state(process: u32) -> Option<char> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may contain anything, including a parenthesis.
    status.rsplit(") ").next()?.chars().next()
}
