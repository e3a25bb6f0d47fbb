//! The threads of an archive: a single one for a file, which has a single lock, and for a
//! server as many as there may be connections. Only they use an open archive. At intervals
//! they look whether another program has written to it: a timer of the runtime would wake
//! four threads for each look.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};
use std::{fmt, io};

use super::memory::Memory;
use crate::archive::{Archive, ArchiveError, BUSY};

/// The longest wait for work in progress when the program ends, for a disk that does not
/// respond.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Interval at which another program's changes are looked for.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(5);

/// After a wait timed out, the next calls within this time wait only [`SHORT_TIMEOUT`]: a
/// command makes several.
const AFTER_TIMEOUT: Duration = Duration::from_secs(10);
/// The lock timeout of these calls.
const SHORT_TIMEOUT: Duration = Duration::from_millis(100);

/// What a thread has of the archive.
#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) archive: Option<Archive>,
    /// The identity of the log of the file while the archive is open.
    pub(super) log: Option<(u64, u64)>,
    pub(super) memory: Memory,
    /// `true` if the user was warned that the file is gone.
    pub(super) is_loss_said: bool,
    /// When the last wait for another process timed out.
    timed_out: Option<Instant>,
}

impl Slot {
    /// Longest wait now for another process that has locked the archive.
    pub(super) fn lock_timeout(&self) -> Duration {
        match self.timed_out {
            Some(since) if since.elapsed() < AFTER_TIMEOUT => SHORT_TIMEOUT,
            _ => BUSY,
        }
    }

    /// Notes whether a wait for another process timed out.
    pub(super) fn noted<T>(&mut self, done: Result<T, ArchiveError>) -> Result<T, ArchiveError> {
        self.timed_out = match done {
            Err(ArchiveError::Busy) => Some(Instant::now()),
            _ => None,
        };
        done
    }

    /// `true` once after the file is gone: the user is to be warned.
    pub(super) fn is_loss_news(&mut self) -> bool {
        !std::mem::replace(&mut self.is_loss_said, true)
    }
}

/// Work on the archive of a thread, which may open and close it.
type Work = Box<dyn FnOnce(&mut Slot) + Send>;

/// Looks for changes in the archive of a thread; returns the time until the next look.
pub(super) type Look = Box<dyn Fn(&mut Slot) -> Duration + Send + Sync>;

/// The threads of an archive, and their queue of work.
pub(super) struct Pool {
    threads: Mutex<Threads>,
    /// Threads at once, at most.
    most: usize,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({})", self.most)
    }
}

struct Threads {
    work: Option<Sender<Work>>,
    waiting: Arc<Mutex<Queue>>,
    look: Arc<OnceLock<Look>>,
    started: usize,
    /// Threads that have nothing to do, less the waiting work.
    idle: Arc<AtomicUsize>,
    /// Each thread has the other end until it ends.
    running: Sender<()>,
    ended: Receiver<()>,
}

/// The work that waits.
struct Queue {
    work: Receiver<Work>,
    /// The time of the next look.
    look_at: Instant,
}

impl Queue {
    /// The next work; a time-out if it is time for a look.
    fn next(&mut self, looks: bool) -> Result<Work, RecvTimeoutError> {
        if !looks {
            return Ok(self.work.recv()?);
        }
        let wait = self.look_at.saturating_duration_since(Instant::now());
        self.work.recv_timeout(wait).inspect_err(|_| {
            self.look_at = Instant::now() + LOOK_EVERY;
        })
    }
}

impl Pool {
    pub(super) fn new(most: usize) -> Self {
        let (work, waiting) = channel();
        let waiting = Queue {
            work: waiting,
            look_at: Instant::now() + LOOK_EVERY,
        };
        let (running, ended) = channel();
        Self {
            threads: Mutex::new(Threads {
                work: Some(work),
                waiting: Arc::new(Mutex::new(waiting)),
                look: Arc::default(),
                started: 0,
                idle: Arc::default(),
                running,
                ended,
            }),
            most,
        }
    }

    /// Does work on a thread that has the archive, in the order in which it is submitted.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn submit(&self, work: Work) -> io::Result<()> {
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

    /// From now on, looks at intervals.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(super) fn look(&self, look: Look) -> io::Result<()> {
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = threads.look.set(look);
        drop(threads);
        // A thread that waits without an end begins to look after it.
        self.submit(Box::new(|_| ()))
    }
}

impl Threads {
    fn start(&mut self) -> io::Result<()> {
        let waiting = Arc::clone(&self.waiting);
        let look = Arc::clone(&self.look);
        let idle = Arc::clone(&self.idle);
        let running = self.running.clone();
        Builder::new().name("archive".to_owned()).spawn(move || {
            let mut slot = Slot::default();
            loop {
                idle.fetch_add(1, Ordering::AcqRel);
                let next = match waiting.lock() {
                    Ok(mut queue) => queue.next(look.get().is_some()),
                    Err(_) => Err(RecvTimeoutError::Disconnected),
                };
                idle.fetch_sub(1, Ordering::AcqRel);
                match (next, look.get()) {
                    (Ok(work), _) => work(&mut slot),
                    (Err(RecvTimeoutError::Timeout), Some(look)) => {
                        let wait = look(&mut slot);
                        if let Ok(mut queue) = waiting.lock() {
                            queue.look_at = Instant::now() + wait;
                        }
                    }
                    (Err(_), _) => break,
                }
            }
            // The connection ends before the thread counts as ended.
            drop(slot);
            drop(running);
        })?;
        self.started += 1;
        Ok(())
    }
}

impl Drop for Pool {
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
