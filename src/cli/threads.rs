//! The threads of the program.

use std::panic;
use std::sync::{Arc, Barrier};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout;

use crate::failure::{Failure, FailureKind};

/// Bytes of the stack that the program runs on.
const STACK: usize = 8 << 20;
/// Threads that run tasks. A fixed number, so that neither the machine nor
/// `TOKIO_WORKER_THREADS` decides.
const WORKERS: usize = 2;
/// The most threads that wait for a disk.
const BLOCKING: usize = 8;
/// Those of them that are started at once: work waits for other work, and with fewer threads
/// it could wait for ever.
const BLOCKING_AT_ONCE: usize = 3;
/// The time in which they have to start.
const START: Duration = Duration::from_secs(5);
/// The time after which an idle thread ends: never, because a new one may be refused.
const IDLE: Duration = Duration::from_secs(365 * 86_400);

/// Runs `program` on a thread of its own: the stack of the first thread is as small as the
/// parent process makes it.
pub(super) fn run_on_own(
    program: impl FnOnce() -> u8 + Send + 'static,
) -> Result<JoinHandle<u8>, Failure> {
    let main = Builder::new().name("main".to_owned()).stack_size(STACK);
    main.spawn(program)
        .map_err(|error| too_few(&error.to_string()))
}

/// The runtime, with the threads that it needs.
///
/// # Errors
/// [`FailureKind::Other`] if the system refuses a thread or an open file.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    // tokio panics if the system refuses a thread.
    let report = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let made = panic::catch_unwind(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .max_blocking_threads(BLOCKING)
            .thread_keep_alive(IDLE)
            .enable_all()
            .build()?;
        match runtime.block_on(async { timeout(START, start_blocking()).await }) {
            Ok(Ok(())) => Ok(runtime),
            failed => {
                runtime.shutdown_background();
                Err(failed.map_or_else(Into::into, |_| refused()))
            }
        }
    });
    panic::set_hook(report);
    let made = made.unwrap_or_else(|_| Err(refused()));
    made.map_err(|error| too_few(&error.to_string()))
}

/// Starts the first threads that wait for disks. Each waits for the others, so that none does
/// the work of two.
async fn start_blocking() -> Result<(), JoinError> {
    let all = Arc::new(Barrier::new(BLOCKING_AT_ONCE));
    let start = |_| {
        let all = Arc::clone(&all);
        spawn_blocking(move || {
            all.wait();
        })
    };
    let started: Vec<_> = (0..BLOCKING_AT_ONCE).map(start).collect();
    for thread in started {
        thread.await?;
    }
    Ok(())
}

fn refused() -> std::io::Error {
    std::io::Error::other("the system refused a thread or an open file")
}

fn too_few(why: &str) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("the program cannot start its threads: {why}"),
        "Raise the limits on processes, open files and memory, or end other programs.",
    )
}
