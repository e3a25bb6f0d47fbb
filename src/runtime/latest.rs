//! Work of which only what was asked for last counts.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

/// What was asked for last of each work on a whole track.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) rows: Latest,
    pub(super) matches: Latest,
    /// By deployment.
    pub(super) flags: HashMap<Uuid, Latest>,
}

/// Counts how often one kind of work was asked for.
#[derive(Debug, Default)]
pub(super) struct Latest(Arc<AtomicU64>);

impl Latest {
    /// Asks for the work once more; returns whether that is still what was asked
    /// for last.
    pub(super) fn begin(&self) -> impl Fn() -> bool + Send + 'static + use<> {
        let latest = Arc::clone(&self.0);
        let number = latest.fetch_add(1, Ordering::Relaxed) + 1;
        move || latest.load(Ordering::Relaxed) == number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for_last_counts() {
        let latest = Latest::default();
        let first = latest.begin();
        assert!(first());
        let second = latest.begin();
        assert!(!first() && second());
    }
}
