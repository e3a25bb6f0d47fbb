//! Detects and reports reads that are so slow that other reads should not wait for them,
//! also if no data arrives at all.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{MissedTickBehavior, interval};

use super::recording::ProgressSink;
use crate::exchange::Progress;

/// Below this rate, in bytes a second, a read is slow.
const SLOW: u64 = 1000;

/// Seconds over which the rate is measured.
const WINDOW_S: u64 = 10;

/// The progress of a read, and its bytes at the end of each of the last seconds.
#[derive(Default)]
struct Watch {
    last: Progress,
    /// Bytes of earlier attempts.
    before: u64,
    /// Bytes at the end of each second, the oldest first.
    seconds: VecDeque<u64>,
}

impl Watch {
    /// Updates the progress, and adds `is_slow`.
    fn progress(&mut self, now: Progress) -> Progress {
        if now.bytes < self.last.bytes {
            self.before += self.last.bytes;
        }
        self.last = Progress {
            is_slow: self.last.is_slow,
            ..now
        };
        self.last
    }

    /// Counts a second. Returns the progress if `is_slow` changed.
    fn second(&mut self) -> Option<Progress> {
        let bytes = self.before + self.last.bytes;
        self.seconds.push_back(bytes);
        if (self.seconds.len() as u64) <= WINDOW_S {
            return None;
        }
        let received = bytes - self.seconds.pop_front().unwrap_or_default();
        let is_slow = received < SLOW * WINDOW_S;
        let changed = is_slow != self.last.is_slow;
        self.last.is_slow = is_slow;
        changed.then_some(self.last)
    }
}

/// Locks the watch, also after a panic of a sink.
fn lock(watch: &Mutex<Watch>) -> MutexGuard<'_, Watch> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a read that reports its progress to `sink`, and reports there also when it
/// becomes slow or fast again.
pub(super) async fn watched<R: Future>(
    sink: Option<ProgressSink>,
    read: impl FnOnce(Option<ProgressSink>) -> R,
) -> R::Output {
    let Some(sink) = sink else {
        return read(None).await;
    };
    let watch = Arc::new(Mutex::new(Watch::default()));
    let seen = Arc::clone(&watch);
    let report = Arc::clone(&sink);

    let mut read = std::pin::pin!(read(Some(Arc::new(move |progress| {
        let progress = lock(&seen).progress(progress);
        report(progress);
    }))));
    let mut seconds = interval(Duration::from_secs(1));
    // After a suspended minute one second has passed, not sixty.
    seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            done = &mut read => return done,
            _ = seconds.tick() => {
                let changed = lock(&watch).second();
                if let Some(progress) = changed {
                    sink(progress);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds at which a read that receives this many bytes in each second is
    /// reported to be slow, or not slow again. `None` begins a new attempt.
    fn changes(seconds: impl IntoIterator<Item = Option<u64>>) -> Vec<(usize, bool)> {
        let (mut watch, mut bytes) = (Watch::default(), 0);
        let mut found = Vec::new();
        for (second, came) in seconds.into_iter().enumerate() {
            match came {
                Some(came) => bytes += came,
                None => bytes = 0,
            }
            let shown = watch.progress(Progress {
                bytes,
                ..Progress::default()
            });
            assert_eq!(shown.is_slow, watch.last.is_slow);
            found.extend(watch.second().map(|progress| (second, progress.is_slow)));
        }
        found
    }

    #[test]
    fn a_read_is_slow_after_ten_seconds_below_a_kilobyte_and_may_be_fast_again() {
        let at = |rate, seconds| std::iter::repeat_n(Some(rate), seconds);
        assert_eq!(changes(at(0, 60)), [(10, true)]);
        assert_eq!(changes(at(999, 60)), [(10, true)]);
        assert_eq!(changes(at(1000, 60)), []);
        let mended = at(30, 20).chain(at(50_000, 20));
        assert_eq!(changes(mended), [(10, true), (20, false)]);
        let dying = at(2000, 20).chain(at(0, 20));
        assert_eq!(changes(dying), [(25, true)]);
        // A second try that begins again does not take back what came.
        let twice = at(2000, 8).chain([None]).chain(at(2000, 8));
        assert_eq!(changes(twice), []);
    }
}
