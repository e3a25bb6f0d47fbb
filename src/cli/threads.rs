//! The threads of the program, and its end where the system gives it too few.

// `#[tokio::main]` would be two lines, and does not meet a limit on processes (`ulimit -u`, a
// container): tokio panics where a thread is refused at its start, and waits for ever, without a
// word, for a blocking thread that is refused later. Hence the hook that is exchanged while the
// runtime is built, the blocking threads that are started in advance, and the idle time of a year:
// a thread that ended may not come back.

use std::io;
use std::panic;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::failure::Failure;

/// Bytes of the stack that the program runs on.
const STACK: usize = 8 << 20;
/// Threads that run tasks.
// A fixed number, so that neither the machine nor `TOKIO_WORKER_THREADS` decides.
const WORKERS: usize = 2;
/// The most threads that wait for a disk.
const BLOCKING: usize = 8;
/// The number of these that are started at once: work waits for other work, and with fewer threads
/// it could wait for ever.
const BLOCKING_AT_ONCE: usize = 3;
/// The time in which all threads have to run: tokio waits for ever for a thread that the
/// system has refused.
const START: Duration = Duration::from_secs(10);
/// The time after which an idle thread ends: never, because a new one may be refused.
const IDLE: Duration = Duration::from_secs(365 * 86_400);

/// Runs `program` on a thread of its own: the stack of the first thread is as small as the
/// parent process makes it. The program drops its argument once its threads run; one that does
/// not in time is given up.
///
/// # Errors
/// `FailureKind::Other` if the system gives too few threads.
pub(super) fn run_on_own(
    program: impl FnOnce(Sender<()>) -> u8 + Send + 'static,
) -> Result<JoinHandle<u8>, Failure> {
    let (starting, started): (Sender<()>, Receiver<()>) = channel();
    let running = Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(move || program(starting))
        .map_err(|error| too_few(&error.to_string()))?;
    match started.recv_timeout(START) {
        Err(RecvTimeoutError::Timeout) => Err(too_few("they do not start")),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => Ok(running),
    }
}

/// The runtime with its threads running.
///
/// # Errors
/// `FailureKind::Other` where the system gives too few threads or files.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    // tokio panics if the system refuses a thread.
    let report = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let made = panic::catch_unwind(build);
    panic::set_hook(report);
    match made {
        Ok(Ok(runtime)) => Ok(runtime),
        Ok(Err(error)) => Err(too_few(&error.to_string())),
        Err(_) => Err(too_few("the system refused a thread or an open file")),
    }
}

fn build() -> io::Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(BLOCKING)
        .thread_keep_alive(IDLE)
        .enable_all()
        .build()?;
    runtime.block_on(start_blocking());
    Ok(runtime)
}

/// Starts the first threads that wait for disks.
async fn start_blocking() {
    // Until all of them run, so that each has a thread.
    let all_run = Arc::new(Barrier::new(BLOCKING_AT_ONCE));
    let mut started = JoinSet::new();
    for _ in 0..BLOCKING_AT_ONCE {
        let all_run = Arc::clone(&all_run);
        started.spawn_blocking(move || all_run.wait());
    }
    started.join_all().await;
}

fn too_few(why: &str) -> Failure {
    Failure::other(format!("the program cannot start its threads: {why}"))
        .with_hint("Raise the limits on processes, open files and memory, or end other programs.")
}
