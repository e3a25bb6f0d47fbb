//! Signals, and how the program ends on one even when its main thread cannot.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::loop_event::LoopEvent;
use super::terminal;
#[cfg(unix)]
use crate::app::Event;

/// Maximum time for an orderly end of the loop; after that the program ends at
/// once.
const GRACE: Duration = Duration::from_millis(800);

/// Maximum time until all threads have stopped after a stop signal.
#[cfg(unix)]
const SETTLE: Duration = Duration::from_millis(50);

/// Turns signals into loop events. A second signal ends the program at once; so
/// does a main thread that is blocked in a write to a terminal that reads no
/// more.
#[cfg(unix)]
pub(super) fn listen(events: UnboundedSender<LoopEvent>) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    for (kind, status) in [
        (SignalKind::terminate(), 143),
        (SignalKind::hangup(), 129),
        (SignalKind::interrupt(), 130),
        (SignalKind::quit(), 131),
    ] {
        let mut signals = signal(kind)?;
        let events = events.clone();
        tokio::spawn(async move {
            if signals.recv().await.is_none() {
                return;
            }
            let _ = events.send(LoopEvent::Signal(status));
            tokio::select! {
                () = tokio::time::sleep(GRACE) => {}
                _ = signals.recv() => {}
            }
            terminal::give_back_modes();
            std::process::exit(i32::from(status));
        });
    }
    // The thread that reads keys is woken only by keys.
    let mut resizes = signal(SignalKind::window_change())?;
    let told = events.clone();
    tokio::spawn(async move {
        while resizes.recv().await.is_some() {
            let (width, height, cell_aspect) = terminal::size();
            let resized = Event::Resized {
                width,
                height,
                cell_aspect,
            };
            if told.send(LoopEvent::Event(resized)).is_err() {
                return;
            }
        }
    });
    let mut stops = signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?;
    tokio::spawn(async move {
        while stops.recv().await.is_some() {
            if events.send(LoopEvent::Stop).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// On other systems the terminal sends Ctrl-C as a key.
#[cfg(not(unix))]
pub(super) fn listen(_events: UnboundedSender<LoopEvent>) -> std::io::Result<()> {
    Ok(())
}

/// Stops the process group until the shell continues it. Returns false if no
/// shell could continue it: the program leads its session.
#[cfg(unix)]
pub(super) fn stop() -> bool {
    use rustix::process::{Signal, getpid, getsid, kill_current_process_group};
    if getsid(None).is_ok_and(|session| session == getpid()) {
        return false;
    }
    // The whole group, as the terminal's own Ctrl-Z does it.
    let stopped = kill_current_process_group(Signal::STOP).is_ok();
    // Another thread may receive the signal: this one must not take the
    // terminal back before all threads have stopped.
    std::thread::sleep(SETTLE);
    stopped
}

/// Other systems have no job control: nothing is stopped.
#[cfg(not(unix))]
pub(super) fn stop() -> bool {
    false
}
