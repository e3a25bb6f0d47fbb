//! Signals, and how the program ends on one even when its main thread cannot.

#[cfg(unix)]
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::input::LoopEvent;
#[cfg(unix)]
use super::raw;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

/// Maximum time for an orderly end of the loop; after that the program ends at
/// once.
#[cfg(unix)]
const GRACE: Duration = Duration::from_millis(800);

/// Maximum time until all threads have stopped after a stop signal: 50 ms were too few on
/// a machine with more to do than it has cores. The time while stopped counts.
#[cfg(unix)]
const SETTLE: Duration = Duration::from_millis(500);

/// The signals that end a program that does not handle them, each with the exit
/// status it leads to. Signals of a fault of the program itself (SIGSEGV, SIGBUS,
/// SIGFPE, SIGILL) are not among them: nothing can continue after one.
#[cfg(unix)]
pub(crate) fn ending_signals() -> Vec<(SignalKind, u8)> {
    use rustix::process::Signal;
    let named = [
        Signal::TERM,
        Signal::HUP,
        Signal::INT,
        Signal::QUIT,
        Signal::USR1,
        Signal::USR2,
        Signal::ALARM,
        Signal::VTALARM,
        Signal::PROF,
        Signal::XCPU,
        Signal::TRAP,
        Signal::ABORT,
        Signal::SYS,
    ];
    let numbers = named.into_iter().map(Signal::as_raw);
    // The last are the real-time signals.
    #[cfg(target_os = "linux")]
    let numbers = numbers
        .chain([Signal::IO, Signal::POWER, Signal::STKFLT].map(Signal::as_raw))
        .chain(34..=64);
    numbers
        .filter_map(|number| {
            let status = u8::try_from(128 + number).ok()?;
            Some((SignalKind::from_raw(number), status))
        })
        .collect()
}

/// Turns signals into loop events. A second signal ends the program at once; so does a
/// main thread that is blocked in a write to a terminal that no longer reads.
#[cfg(unix)]
pub(super) fn listen(events: UnboundedSender<LoopEvent>) -> std::io::Result<()> {
    for (kind, status) in ending_signals() {
        // A C library may keep one for itself.
        let Ok(mut signals) = signal(kind) else {
            continue;
        };
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
            raw::give_back_modes();
            std::process::exit(i32::from(status));
        });
    }
    // Only keys wake the thread that reads them.
    let mut resizes = signal(SignalKind::window_change())?;
    let sizes = events.clone();
    tokio::spawn(async move {
        while resizes.recv().await.is_some() {
            if sizes.send(LoopEvent::Event(raw::resized())).is_err() {
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
