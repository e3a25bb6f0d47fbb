//! The threads of an archive: a single one for a file, which has a single lock, and for a
//! server as many as there may be connections. Only they use an open archive.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use crate::archive::Archive;

/// The longest wait for work in progress when the program ends, for a disk that does not
/// respond.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Work on the archive of a thread, which may open and close it.
type Work = Box<dyn FnOnce(&mut Option<Archive>) + Send>;

/// The threads of an archive, and their queue of work.
#[derive(Debug)]
pub(super) struct Door {
    threads: Mutex<Threads>,
    /// Threads at once, at most.
    most: usize,
}

#[derive(Debug)]
struct Threads {
    work: Option<Sender<Work>>,
    waiting: Arc<Mutex<Receiver<Work>>>,
    started: usize,
    /// Threads that have nothing to do, less the waiting work.
    idle: Arc<AtomicUsize>,
    /// Each thread has the other end until it ends.
    running: Sender<()>,
    ended: Receiver<()>,
}

impl Door {
    pub(super) fn new(most: usize) -> Self {
        let (work, waiting) = channel();
        let (running, ended) = channel();
        Self {
            threads: Mutex::new(Threads {
                work: Some(work),
                waiting: Arc::new(Mutex::new(waiting)),
                started: 0,
                idle: Arc::default(),
                running,
                ended,
            }),
            most,
        }
    }

    /// Does work on a thread that has the archive, in the order in which it is handed in.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn hand_in(&self, work: Work) -> io::Result<()> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.started < self.most && threads.idle.load(Ordering::Acquire) == 0 {
            match threads.start() {
                Err(error) if threads.started == 0 => return Err(error),
                _ => {}
            }
        }
        // Without a receiver the threads have ended by a fault: the work is dropped, and its
        // caller gets an error.
        let _ = threads.work.as_ref().map(|queue| queue.send(work));
        Ok(())
    }
}

impl Threads {
    fn start(&mut self) -> io::Result<()> {
        let waiting = Arc::clone(&self.waiting);
        let idle = Arc::clone(&self.idle);
        let running = self.running.clone();
        Builder::new().name("archive".to_owned()).spawn(move || {
            let mut opened = None;
            loop {
                idle.fetch_add(1, Ordering::AcqRel);
                let next = waiting.lock().map_or(None, |queue| queue.recv().ok());
                idle.fetch_sub(1, Ordering::AcqRel);
                match next {
                    Some(work) => work(&mut opened),
                    None => break,
                }
            }
            // The connection ends before the thread counts as ended.
            drop(opened);
            drop(running);
        })?;
        self.started += 1;
        Ok(())
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        let threads = self
            .threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        threads.work = None;
        // Its own end of the channel, so that the last thread closes it.
        threads.running = channel().0;
        let _ = threads.ended.recv_timeout(LAST_WAIT);
    }
}
