//! The memory of answers that are being read: all share a budget, so that many large ones at
//! once, or some that never end, take no more than a few.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use super::reading::LONGEST;

/// The bytes of a place in the budget.
// An answer takes a place for each whole one that it holds, so that most answers take none.
const PLACE: u64 = 1 << 20;

/// The budget of all answers: the largest one and half of another.
static ALL: Budget = Budget::new(768, PLACE, LONGEST);

/// Memory for answers.
#[derive(Debug)]
struct Budget {
    places: Semaphore,
    /// The bytes of a place.
    place: u64,
    /// The answers that wait for places.
    waiting: AtomicUsize,
    /// How long an answer may have places that another waits for.
    longest: Duration,
}

impl Budget {
    const fn new(places: usize, place: u64, longest: Duration) -> Self {
        Self {
            places: Semaphore::const_new(places),
            place,
            waiting: AtomicUsize::new(0),
            longest,
        }
    }
}

/// The memory of the answer to a fetch, with all its pages. It is free again when the last clone
/// is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    budget: &'static Budget,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    places: Option<SemaphorePermit<'static>>,
    since: Option<Instant>,
    /// The bytes of the pages before.
    before: u64,
    /// The bytes of all pages.
    bytes: u64,
}

/// Others have waited long enough for the memory of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outwaited;

impl Default for Room {
    fn default() -> Self {
        Self {
            budget: &ALL,
            taken: Arc::default(),
        }
    }
}

/// Counts an answer that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Room {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes room for so many bytes of the page that is being read, and waits until there is
    /// some.
    ///
    /// # Errors
    /// [`Outwaited`] if another answer waits for room, and this one has had some for too long:
    /// it is slow without end, or both wait for each other.
    pub(super) async fn hold(&self, bytes: u64) -> Result<(), Outwaited> {
        let now = Instant::now();
        let (wanted, left) = {
            let mut taken = self.taken();
            taken.bytes = taken.before + bytes;
            let permit = taken.places.as_ref();
            let places = permit.map_or(0, SemaphorePermit::num_permits);
            let whole = usize::try_from(taken.bytes / self.budget.place).unwrap_or(usize::MAX);
            if whole == 0 {
                return Ok(());
            }
            let since = *taken.since.get_or_insert(now);
            let left = self.budget.longest.saturating_sub(now - since);
            (whole.saturating_sub(places), left)
        };
        let is_waited_for = self.budget.waiting.load(Ordering::Relaxed) > 0;
        if left.is_zero() && is_waited_for {
            return Err(Outwaited);
        }
        if wanted == 0 {
            return Ok(());
        }
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let more = match self.budget.places.try_acquire_many(wanted) {
            Ok(more) => more,
            Err(_) => {
                self.budget.waiting.fetch_add(1, Ordering::Relaxed);
                let _waiting = Waiting(&self.budget.waiting);
                let more = timeout(left, self.budget.places.acquire_many(wanted)).await;
                // The budget is never closed.
                more.map_err(|_| Outwaited)?.map_err(|_| Outwaited)?
            }
        };
        let mut taken = self.taken();
        match &mut taken.places {
            Some(places) => places.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// Keeps the room of the page that was read, while the next one is read.
    pub(super) fn next_page(&self) {
        let mut taken = self.taken();
        taken.before = taken.bytes;
    }
}

/// The rooms of two answers that have 1 MB together.
#[cfg(test)]
pub(super) fn narrow() -> [Room; 2] {
    static NARROW: Budget = Budget::new(1000, 1000, LONGEST);
    [(), ()].map(|()| Room {
        budget: &NARROW,
        ..Room::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(budget: &'static Budget) -> Room {
        Room {
            budget,
            ..Room::default()
        }
    }

    #[tokio::test]
    async fn an_answer_waits_for_the_room_of_others_and_small_ones_never() {
        static BUDGET: Budget = Budget::new(10, PLACE, Duration::from_secs(300));
        let (large, other, small) = (room(&BUDGET), room(&BUDGET), room(&BUDGET));
        large.hold(8 * PLACE).await.unwrap();
        let waits = tokio::spawn(async move { other.hold(5 * PLACE).await });
        tokio::task::yield_now().await;
        small.hold(PLACE - 1).await.unwrap();
        assert!(!waits.is_finished());
        drop(large);
        assert_eq!(waits.await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn an_answer_that_goes_on_gives_way_only_if_another_waits() {
        static BUDGET: Budget = Budget::new(10, PLACE, Duration::ZERO);
        let endless = room(&BUDGET);
        endless.hold(8 * PLACE).await.unwrap();
        endless.hold(9 * PLACE).await.unwrap();
        BUDGET.waiting.fetch_add(1, Ordering::Relaxed);
        let _another = Waiting(&BUDGET.waiting);
        assert_eq!(endless.hold(9 * PLACE).await, Err(Outwaited));
    }

    #[tokio::test]
    async fn of_two_that_wait_for_each_other_the_first_gives_way() {
        static BUDGET: Budget = Budget::new(10, PLACE, Duration::from_millis(10));
        let (early, late) = (room(&BUDGET), room(&BUDGET));
        early.hold(5 * PLACE).await.unwrap();
        late.hold(5 * PLACE).await.unwrap();
        assert_eq!(early.hold(7 * PLACE).await, Err(Outwaited));
        drop(early);
        assert_eq!(late.hold(7 * PLACE).await, Ok(()));
    }

    #[tokio::test]
    async fn the_pages_of_an_answer_are_held_together() {
        static BUDGET: Budget = Budget::new(10, PLACE, Duration::from_secs(300));
        let pages = room(&BUDGET);
        for page in 1..=3 {
            pages.hold(3 * PLACE).await.unwrap();
            pages.next_page();
            assert_eq!(BUDGET.places.available_permits(), 10 - 3 * page);
        }
        drop(pages);
        assert_eq!(BUDGET.places.available_permits(), 10);
    }
}
