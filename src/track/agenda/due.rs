//! The order of what waits, and what keeps many from coming together.

use std::cmp::Ordering;

use uuid::Uuid;

/// A deployment that waits, ordered by when it is due.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    /// UNIX seconds.
    pub at: f64,
    /// Its place on the agenda.
    pub place: u64,
    /// The deployment.
    pub uuid: Uuid,
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_time = self.at.total_cmp(&other.at);
        by_time.then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Due {}

/// A number from 0 to 1 that is the deployment's own.
pub(super) fn own_part(uuid: Uuid) -> f64 {
    let sum = uuid
        .as_bytes()
        .iter()
        .fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    f64::from(sum) / 255.0
}
