//! What tests leave to chance, and how much of it a run tries.

use std::sync::atomic::{AtomicU64, Ordering};

/// `usual`, or `long` in `tests/run --long`.
pub(crate) fn rounds(usual: usize, long: usize) -> usize {
    match std::env::var_os("DRIFTLINE_LONG") {
        Some(_) => long,
        None => usual,
    }
}

/// Random numbers by xorshift64 (Marsaglia, J. Stat. Software 8, 2003): the same in
/// each run, unless `DRIFTLINE_SEED` is another number.
pub(crate) struct Chance(AtomicU64);

impl Chance {
    /// The numbers of the test `name`.
    pub(crate) fn new(name: &str) -> Self {
        let seed = std::env::var("DRIFTLINE_SEED").map_or(1, |seed| {
            seed.parse::<u64>()
                .expect("DRIFTLINE_SEED is a whole number")
        });
        // FNV-1a: each test has numbers of its own, and none begins at nought.
        let mixed = seed
            .to_le_bytes()
            .iter()
            .chain(name.as_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Self(AtomicU64::new(mixed | 1))
    }

    /// A number below `limit`.
    pub(crate) fn below(&self, limit: usize) -> usize {
        let step = |mut state: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^ (state << 17)
        };
        let update = |state| Some(step(state));
        let state = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        usize::try_from(state.unwrap_or_default() % (limit.max(1) as u64)).unwrap()
    }
}
