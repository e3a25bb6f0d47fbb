//! How often frames are drawn.

use std::time::{Duration, Instant};

/// The time between two frames of a flood of events.
const FRAME: Duration = Duration::from_millis(16);
/// The number of frames that may follow each other at once after a pause: data that
/// arrive soon after a frame, as the rows at the start, do not wait for the next one.
const AT_ONCE: u32 = 3;

/// When the next frame may be drawn: on average at most one every 16 ms, three at
/// once after a rest.
#[derive(Debug)]
pub(super) struct Pace {
    /// When all frames drawn so far have had their 16 ms.
    paid: Instant,
}

impl Pace {
    /// A first frame was drawn at `now`.
    pub(super) fn new(now: Instant) -> Self {
        Self { paid: now + FRAME }
    }

    /// The wait before the next frame at `now`; `None` if it can be drawn at once.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        let owed = self.paid.saturating_duration_since(now);
        let rest = owed.saturating_sub(FRAME * (AT_ONCE - 1));
        (!rest.is_zero()).then_some(rest)
    }

    /// A frame was drawn at `now`.
    pub(super) fn drawn(&mut self, now: Instant) {
        self.paid = self.paid.max(now) + FRAME;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_frames_are_drawn_at_once_and_a_flood_has_one_every_16_ms() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        for _ in 1..AT_ONCE {
            assert_eq!(pace.wait(start), None);
            pace.drawn(start);
        }
        let (mut now, mut frames) = (start, 0);
        while now < start + Duration::from_secs(1) {
            match pace.wait(now) {
                Some(rest) => now += rest,
                None => {
                    pace.drawn(now);
                    frames += 1;
                }
            }
        }
        assert!((61..=63).contains(&frames), "{frames}");
        // After a rest there are three again, and not more.
        now += Duration::from_secs(60);
        for _ in 0..AT_ONCE {
            assert_eq!(pace.wait(now), None);
            pace.drawn(now);
        }
        assert!(pace.wait(now).is_some());
    }
}
