//! The thread that looks whether another program has written to the archive. A
//! timer of the runtime would wake four threads for each look.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::dashboard::event::Event;
use crate::failure::{Failure, FailureKind};
use crate::ops::store::Store;

/// Interval at which another program's changes are looked for.
const EVERY: Duration = Duration::from_secs(5);

/// The thread; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct WatchThread {
    _stop: Sender<()>,
}

impl WatchThread {
    /// Starts the thread, which sends its findings as events; `None` if no other program
    /// can write to the archive.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(super) fn start(
        store: &Store,
        send: impl Fn(Event) + Send + 'static,
    ) -> Result<Option<Self>, Failure> {
        let Some(mut watch) = store.watch() else {
            return Ok(None);
        };
        let (stop, stopped) = channel();
        let looks = move || {
            while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if watch.may_be_written() {
                    send(Event::ArchiveWritten);
                }
            }
        };
        // Nothing waits for it: a disk that does not respond must not delay the end.
        thread::Builder::new()
            .name("archive".to_owned())
            .spawn(looks)
            .map_err(|error| {
                Failure::new(
                    FailureKind::Other,
                    format!("the thread that watches the archive cannot be started: {error}"),
                    "Raise the limit on processes, or end other programs.",
                )
            })?;
        Ok(Some(Self { _stop: stop }))
    }
}
