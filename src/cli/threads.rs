//! The threads of the program, and its end where the system gives it too few.

use std::io;
use std::panic;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::failure::{Failure, FailureKind};

/// Bytes of the stack that the program runs on.
const STACK: usize = 8 << 20;
/// Threads that carry tasks on. Asked for by number, so that neither the machine
/// nor `TOKIO_WORKER_THREADS` decides.
const WORKERS: usize = 2;
/// Threads for what waits for a disk, at most.
const BLOCKING: usize = 8;
/// The threads of them that are started at once and stay: with these alone everything
/// goes on, slower.
const BLOCKING_KEPT: usize = 3;
/// How long threads that were started may take to run.
const START: Duration = Duration::from_secs(5);
/// How long the start of all threads may take.
const ALL_START: Duration = Duration::from_secs(15);
/// How long an idle thread is kept: as long as the program runs.
const KEEP: Duration = Duration::from_secs(365 * 86_400);

/// Runs `program` on a thread of its own: the first one's stack is as small as
/// whoever started the program makes it. The program drops what it is given once
/// its threads run; where it cannot, it is given up.
pub(super) fn run_on_own(
    program: impl FnOnce(Sender<()>) -> u8 + Send + 'static,
) -> Result<JoinHandle<u8>, Failure> {
    let (starting, started): (Sender<()>, Receiver<()>) = channel();
    let running = Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(move || program(starting))
        .map_err(|error| too_few(&error.to_string()))?;
    match started.recv_timeout(ALL_START) {
        Err(RecvTimeoutError::Timeout) => Err(too_few("they do not start")),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => Ok(running),
    }
}

/// The runtime with its threads running.
///
/// # Errors
/// [`FailureKind::Other`] where the system gives too few threads or files.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    // tokio tells in a panic that a thread was refused.
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
        .thread_keep_alive(KEEP)
        .enable_all()
        .build()?;
    if let Err(error) = runtime.block_on(start_blocking()) {
        runtime.shutdown_background();
        return Err(error);
    }
    Ok(runtime)
}

/// Starts the threads that wait for disks: a task that none of them takes would
/// wait for ever.
async fn start_blocking() -> io::Result<()> {
    let (here, mut came) = tokio::sync::mpsc::unbounded_channel();
    let mut held = Vec::new();
    for _ in 0..BLOCKING_KEPT {
        let (release, wait) = channel::<()>();
        held.push(release);
        let here = here.clone();
        tokio::task::spawn_blocking(move || {
            let _ = here.send(());
            // Until all of them run, so that each has a thread.
            let _ = wait.recv();
        });
    }
    for _ in 0..BLOCKING_KEPT {
        timeout(START, came.recv())
            .await
            .map_err(|_| io::Error::other("they do not start"))?;
    }
    Ok(())
}

fn too_few(why: &str) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("the program cannot start its threads: {why}"),
        "Raise the limits on processes, open files and memory, or end other programs.",
    )
}
