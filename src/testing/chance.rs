//! Random numbers for tests, and how many rounds a run tries.

use std::sync::Mutex;

use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// `usual`, or `long` in `tests/run --long`.
pub(crate) fn rounds(usual: usize, long: usize) -> usize {
    match std::env::var_os("DRIFTLINE_LONG") {
        Some(_) => long,
        None => usual,
    }
}

/// Random numbers: the same in each run, unless `DRIFTLINE_SEED` is another number.
pub(crate) struct Chance(Mutex<TestRng>);

impl Chance {
    /// The numbers of the test `name`, by whose first letters they are its own.
    pub(crate) fn new(name: &str) -> Self {
        let seed = std::env::var("DRIFTLINE_SEED").map_or(1, |seed| {
            seed.parse::<u64>()
                .expect("DRIFTLINE_SEED is a whole number")
        });
        let seed = seed.to_le_bytes().into_iter().chain(name.bytes());
        let seed: Vec<u8> = seed.chain(std::iter::repeat(0)).take(32).collect();
        Self(Mutex::new(TestRng::from_seed(RngAlgorithm::ChaCha, &seed)))
    }

    /// A number below `limit`.
    pub(crate) fn below(&self, limit: usize) -> usize {
        self.0.lock().unwrap().random_range(0..limit.max(1))
    }
}
