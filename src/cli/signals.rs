//! The signals that end a command.

/// The exit status of the signal that ends a command.
#[cfg(unix)]
pub(super) async fn signal() -> u8 {
    use std::future::poll_fn;
    use std::task::Poll;
    use tokio::signal::unix::signal;
    let mut ending: Vec<_> = crate::terminal::ending_signals()
        .into_iter()
        .filter_map(|(kind, status)| Some((signal(kind).ok()?, status)))
        .collect();
    poll_fn(|context| {
        let came = ending
            .iter_mut()
            .find_map(|(signals, status)| signals.poll_recv(context).is_ready().then_some(*status));
        came.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

#[cfg(not(unix))]
pub(super) async fn signal() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 130,
        Err(_) => std::future::pending().await,
    }
}

/// Lets a write beyond the limit on the size of files (`ulimit -f`) fail with an
/// error instead of ending the program: a signal that is handled ends nothing.
#[cfg(unix)]
pub(super) fn outlive_file_limit() {
    use tokio::signal::unix::{SignalKind, signal};
    // Handled from here on, whether anybody waits for it or not.
    let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
}

#[cfg(not(unix))]
pub(super) fn outlive_file_limit() {}
