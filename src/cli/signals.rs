//! The signals that end a command.

/// The exit status of the signal that ends a command.
#[cfg(unix)]
pub(super) async fn signal() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = |kind, status| async move {
        match signal(kind) {
            Ok(mut signals) => {
                signals.recv().await;
                status
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        status = wait(SignalKind::interrupt(), 130) => status,
        status = wait(SignalKind::terminate(), 143) => status,
        status = wait(SignalKind::hangup(), 129) => status,
    }
}

#[cfg(not(unix))]
pub(super) async fn signal() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 130,
        Err(_) => std::future::pending().await,
    }
}
