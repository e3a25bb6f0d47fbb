//! A sign that an export is to stop, for what reads the archive on another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{Failure, FailureKind};

/// The flag that stops an export. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for it.
    pub(super) fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Ends what is being done where it is asked for.
    ///
    /// # Errors
    /// [`FailureKind::Interrupted`] then.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.0.load(Ordering::Relaxed) {
            Err(interrupted())
        } else {
            Ok(())
        }
    }
}

/// The failure of an export that was asked to stop.
pub(super) fn interrupted() -> Failure {
    Failure::new(
        FailureKind::Interrupted,
        "the export was interrupted",
        "Files of the table are complete or as they were: export again.",
    )
}
