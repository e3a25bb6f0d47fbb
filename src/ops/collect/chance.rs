//! Chance, so that programs that began together do not ask together.

use std::hash::{BuildHasher, RandomState};

/// A number from 0 up to 1 that differs each time.
pub(super) fn chance() -> f64 {
    #[allow(clippy::cast_precision_loss)] // 53 bits
    let number = (RandomState::new().hash_one(0u8) >> 11) as f64;
    number / (1u64 << 53) as f64
}
