//! Work on the threads that wait for disks.

use std::fmt;

use tokio::task::{JoinError, spawn_blocking};

use crate::failure::{Failure, FailureKind};

/// Why work has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It panicked.
    Fault,
    /// The runtime ended before the work began.
    Ending,
}

impl fmt::Display for Stopped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Fault => "a task panicked",
            Self::Ending => "the program is ending",
        })
    }
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        Self::new(
            FailureKind::Other,
            format!("an internal fault: {stopped}"),
            "",
        )
    }
}

impl From<JoinError> for Stopped {
    fn from(error: JoinError) -> Self {
        if error.is_cancelled() {
            Self::Ending
        } else {
            Self::Fault
        }
    }
}

/// Runs work that waits for a disk, a pipe or a process, or that computes for long,
/// on a thread that does no other; returns what it returns. Dropping the future does
/// not end work that has begun.
///
/// # Errors
/// If the work panics, or the program ends before it began.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    Ok(spawn_blocking(work).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_gives_back_what_it_returns() {
        assert_eq!(blocking(|| 7).await, Ok(7));
        let words = blocking(|| Err::<(), _>("no room".to_owned())).await;
        assert_eq!(words, Ok(Err("no room".to_owned())));
    }

    #[tokio::test]
    async fn work_that_panics_is_told() {
        assert_eq!(
            blocking(|| -> u8 { panic!("of the work") }).await,
            Err(Stopped::Fault)
        );
    }
}
