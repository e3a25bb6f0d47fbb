//! The reading of whole answers, on threads that wait for nothing else, within a limit of time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinError;

use super::answer::{AnswerFault, AnswerReader, Content};

/// The longest time in which an answer is read once it is here.
// A million records take two seconds, and a hundred on a slow machine; what takes longer would go
// on for hours.
pub(super) const LONGEST: Duration = Duration::from_secs(300);

/// The most bytes of a small answer.
const SMALL: u64 = 4 << 20;

/// The places for answers of a size.
// A reading takes as long as its answer is large, so that small answers never wait for large
// ones, and both leave threads to all other work.
struct Places {
    small: Semaphore,
    large: Semaphore,
}

static PLACES: Places = Places {
    small: Semaphore::const_new(2),
    large: Semaphore::const_new(2),
};

/// Why an answer was not read.
#[derive(Debug)]
pub(super) enum Unread {
    /// It took longer than [`LONGEST`].
    TooLong,
    /// Its thread stopped.
    Stopped(JoinError),
}

/// Tells a reading that nobody waits for it any more.
struct GiveUpOnDrop(Arc<AtomicBool>);

impl Drop for GiveUpOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The content of an answer of so many bytes. Dropping the future ends the reading.
///
/// # Errors
/// [`Unread`] if that takes too long, or the program is ending.
pub(super) async fn finished(
    answer: AnswerReader,
    bytes: u64,
) -> Result<Result<Content, AnswerFault>, Unread> {
    within(LONGEST, bytes, move |given_up| answer.finish(given_up)).await
}

/// The result of `read` for so many bytes, if that takes no longer than `longest`; `read` ends
/// soon after its argument is set.
async fn within<T: Send + 'static>(
    longest: Duration,
    bytes: u64,
    read: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<T, Unread> {
    let places = match bytes {
        ..=SMALL => &PLACES.small,
        _ => &PLACES.large,
    };
    // It is never closed. The place is taken until the reading ends.
    let place = places.acquire().await.ok();
    let given_up = GiveUpOnDrop(Arc::default());
    let is_given_up = Arc::clone(&given_up.0);
    let reading = tokio::task::spawn_blocking(move || {
        let _place = place;
        read(&is_given_up)
    });
    match tokio::time::timeout(longest, reading).await {
        Ok(read) => read.map_err(Unread::Stopped),
        Err(_) => Err(Unread::TooLong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads until it is given up.
    fn endless(given_up: &AtomicBool) {
        while !given_up.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn an_endless_reading_is_given_up_and_leaves_its_place() {
        // More of them than there are places.
        for _ in 0..5 {
            let read = within(Duration::from_millis(5), 2 * SMALL, endless).await;
            assert!(matches!(read, Err(Unread::TooLong)), "{read:?}");
        }
        assert!(matches!(within(LONGEST, 2 * SMALL, |_| 7).await, Ok(7)));
    }

    #[tokio::test]
    async fn a_hundred_endless_readings_of_large_answers_hold_up_no_small_one() {
        let endless = (0..100).map(|_| tokio::spawn(within(LONGEST, 2 * SMALL, endless)));
        let endless: Vec<_> = endless.collect();
        tokio::task::yield_now().await;
        for number in 0..10 {
            let read = within(LONGEST, 1000, move |_| number).await;
            assert!(matches!(read, Ok(same) if same == number));
        }
        assert!(endless.iter().all(|reading| !reading.is_finished()));
        endless.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
