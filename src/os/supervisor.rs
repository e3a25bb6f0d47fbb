//! Notifies systemd, if it started the program, that it is ready, and that it is
//! alive (sd_notify(3)).

use std::time::Duration;

/// The service manager that started the program.
#[derive(Debug, Default)]
pub(crate) struct Supervisor {
    #[cfg(unix)]
    socket: Option<(
        std::os::unix::net::UnixDatagram,
        std::os::unix::net::SocketAddr,
    )>,
    alive_every: Option<Duration>,
}

impl Supervisor {
    /// The service manager that the environment names.
    pub(crate) fn from_environment() -> Self {
        let microseconds = std::env::var("WATCHDOG_USEC").ok();
        // Half of its timeout.
        let alive_every = microseconds
            .and_then(|typed| typed.parse::<u64>().ok())
            .map(|wait| Duration::from_micros(wait / 2));
        Self {
            #[cfg(unix)]
            socket: std::env::var_os("NOTIFY_SOCKET").and_then(|name| connected(&name)),
            alive_every: alive_every.filter(|wait| !wait.is_zero()),
        }
    }

    /// How often it wants to hear of the program, at least.
    pub(crate) fn alive_every(&self) -> Option<Duration> {
        self.alive_every
    }

    /// Says that the program is ready.
    pub(crate) fn ready(&self) {
        self.send("READY=1");
    }

    /// Says that the program is alive.
    pub(crate) fn alive(&self) {
        if self.alive_every.is_some() {
            self.send("WATCHDOG=1");
        }
    }

    /// Says that the program is ending.
    pub(crate) fn stopping(&self) {
        self.send("STOPPING=1");
    }

    fn send(&self, state: &str) {
        #[cfg(unix)]
        if let Some((socket, to)) = &self.socket {
            // The program runs without a manager that listens.
            let _ = socket.send_to_addr(state.as_bytes(), to);
        }
        #[cfg(not(unix))]
        let _ = state;
    }
}

/// A socket to a name, which is a path or, with a leading `@`, abstract.
#[cfg(unix)]
fn connected(
    name: &std::ffi::OsStr,
) -> Option<(
    std::os::unix::net::UnixDatagram,
    std::os::unix::net::SocketAddr,
)> {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    let address = match name.as_bytes() {
        #[cfg(target_os = "linux")]
        [b'@', rest @ ..] => {
            use std::os::linux::net::SocketAddrExt;
            SocketAddr::from_abstract_name(rest).ok()?
        }
        [b'/', ..] => SocketAddr::from_pathname(name).ok()?,
        _ => return None,
    };
    let socket = UnixDatagram::unbound().ok()?;
    // A manager whose queue is full must not block the program.
    socket.set_nonblocking(true).ok()?;
    Some((socket, address))
}
