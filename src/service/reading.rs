//! The reading of answers: on a task while they are received, and at their end on threads that
//! wait for nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{Instant, timeout};

use super::answer::{AnswerFault, AnswerReader, Content};
use crate::formats::read::gathered::MOST_BYTES;

/// Pieces that wait for their reading.
// More would only use memory.
const WAITING: usize = 4;

/// An answer that takes more memory than this is large, bytes. Tests have smaller ones.
const LARGE: usize = if cfg!(test) { 1 << 18 } else { 64 << 20 };
/// The large answers that are received at once: many, or some that never end, take no more memory
/// than two.
static LARGE_ANSWERS: Semaphore = Semaphore::const_new(2);
/// Those that wait for one of them to end.
static LARGE_WAITING: AtomicUsize = AtomicUsize::new(0);
/// How long a large answer waits, and may go on while another waits.
const LONGEST: Duration = Duration::from_secs(300);

/// The most bytes of an answer whose end is read soon.
const SMALL: u64 = 4 << 20;
/// The ends of answers that are read at once. That takes as long as an answer is large, so that
/// small answers never wait for large ones, and both leave threads to all other work.
static SMALL_ENDS: Semaphore = Semaphore::const_new(2);
static LARGE_ENDS: Semaphore = Semaphore::const_new(2);

/// An answer whose pieces are read on a task of its own.
pub(super) type Reading = JoinHandle<Result<AnswerReader, AnswerFault>>;

/// Reads the pieces that are sent, and counts the records so far.
pub(super) fn begin(
    mut records: AnswerReader,
    count: Arc<AtomicU64>,
) -> (Sender<Vec<u8>>, Reading) {
    let (send, mut pieces) = channel::<Vec<u8>>(WAITING);
    // A task and not a blocking thread: a few responses that never end would occupy all
    // threads for disks. A piece takes well under 1 ms.
    let reading = tokio::spawn(async move {
        let mut place = None;
        while let Some(piece) = pieces.recv().await {
            records.body.take(&piece);
            count.store(records.body.count() as u64, Ordering::Relaxed);
            let held = records.body.held();
            if held > MOST_BYTES {
                return Err(AnswerFault::TooMuch);
            }
            match &place {
                None if held > LARGE => {
                    LARGE_WAITING.fetch_add(1, Ordering::Relaxed);
                    // It is never closed.
                    let taken = timeout(LONGEST, LARGE_ANSWERS.acquire()).await;
                    LARGE_WAITING.fetch_sub(1, Ordering::Relaxed);
                    place = Some((taken.map_err(|_| AnswerFault::Crowded)?, Instant::now()));
                }
                Some((_, since))
                    if since.elapsed() > LONGEST && LARGE_WAITING.load(Ordering::Relaxed) > 0 =>
                {
                    return Err(AnswerFault::Crowded);
                }
                _ => {}
            }
        }
        Ok(records)
    });
    (send, reading)
}

/// The content of an answer of so many bytes, all of whose pieces were sent.
///
/// # Errors
/// If the program is ending, or by an internal fault.
pub(super) async fn finish(
    reading: Reading,
    bytes: u64,
) -> Result<Result<Content, AnswerFault>, JoinError> {
    let answer = match reading.await? {
        Ok(answer) => answer,
        Err(fault) => return Ok(Err(fault)),
    };
    let places = match bytes {
        ..=SMALL => &SMALL_ENDS,
        _ => &LARGE_ENDS,
    };
    // The place is taken until the reading ends.
    let place = places.acquire().await.ok();
    tokio::task::spawn_blocking(move || {
        let _place = place;
        answer.finish()
    })
    .await
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The places of large answers, taken.
    pub(in crate::service) async fn occupied() -> tokio::sync::SemaphorePermit<'static> {
        LARGE_ANSWERS.acquire_many(2).await.unwrap()
    }

    #[tokio::test]
    async fn large_answers_hold_up_no_small_one() {
        let _large = (occupied().await, LARGE_ENDS.acquire_many(2).await.unwrap());
        let (send, reading) = begin(AnswerReader::new(None, None, &[]), Arc::default());
        send.send(b"[]".to_vec()).await.unwrap();
        drop(send);
        assert!(finish(reading, 2).await.unwrap().is_ok());
    }
}
