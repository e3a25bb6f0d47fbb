//! Work on the threads that wait for disks, and work that is not left half done.

use tokio::task::{JoinError, spawn_blocking};

use crate::failure::{Failure, FailureKind};

/// Runs work that waits for a disk, a pipe or a process, or that computes for long,
/// on a thread that does no other; returns what it returns. Dropping the future does
/// not end work that has begun.
///
/// # Errors
/// If the work panics; [`FailureKind::Interrupted`] if the program ends before it began.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    spawn_blocking(work).await.map_err(|error| fault(&error))
}

/// Runs work to its end once it has begun, even if the future is dropped.
///
/// # Errors
/// As [`blocking`].
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Failure> {
    tokio::spawn(work).await.map_err(|error| fault(&error))
}

fn fault(error: &JoinError) -> Failure {
    if error.is_cancelled() {
        Failure::new(FailureKind::Interrupted, "the program is ending", "")
    } else {
        let reason = "an internal fault: a task panicked";
        Failure::other(reason).with_hint("Please report it.")
    }
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
    async fn work_that_has_begun_ends_though_nobody_waits_for_it() {
        let (release, released) = tokio::sync::oneshot::channel::<()>();
        let (ended, mut end) = tokio::sync::mpsc::unbounded_channel();
        let work = to_its_end(async move {
            let _ = released.await;
            ended.send(7).unwrap();
        });
        let begun = tokio::time::timeout(std::time::Duration::ZERO, work).await;
        assert!(begun.is_err());
        release.send(()).unwrap();
        assert_eq!(end.recv().await, Some(7));
    }

    #[tokio::test]
    async fn work_that_panics_is_told() {
        let failure = blocking(|| -> u8 { panic!("of the work") }).await;
        assert_eq!(failure.unwrap_err().kind, FailureKind::Other);
    }
}
