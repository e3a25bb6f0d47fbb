//! A real Secret Service on a separate bus: unlocked, locked, stopped or
//! missing.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use super::home::Home;
use super::run::Run;

/// A session bus that starts no service by itself.
pub(crate) struct Bus {
    daemon: Child,
    pub address: String,
    keyring: Option<Child>,
}

/// The keyring's password.
const PASSWORD: &[u8] = b"fairway";

impl Bus {
    /// A bus without a keyring.
    pub(crate) fn alone(home: &Home) -> Bus {
        let settings = home.write(
            ".bus.conf",
            format!("<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" \
             \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n\
             <busconfig><type>session</type><listen>unix:dir={}</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
             <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>\n", home.path().display()),
        );
        let mut daemon = Command::new("dbus-daemon")
            .arg(format!("--config-file={}", settings.display()))
            .args(["--nofork", "--print-address"])
            .env_clear()
            .envs(home.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon is missing: tests/run installs it");
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        Bus {
            daemon,
            address: address.trim().to_owned(),
            keyring: None,
        }
    }

    /// A bus with an unlocked keyring.
    pub(crate) fn unlocked(home: &Home) -> Bus {
        let mut bus = Bus::alone(home);
        bus.start_keyring(home, true);
        bus
    }

    /// A bus with a locked keyring, and without a prompter that could ask for
    /// its password.
    pub(crate) fn locked(home: &Home) -> Bus {
        let mut bus = Bus::unlocked(home);
        bus.stop_keyring();
        bus.start_keyring(home, false);
        bus
    }

    /// Starts the keyring; without `unlock` it is in the state after a login
    /// without password.
    pub(crate) fn start_keyring(&mut self, home: &Home, unlock: bool) {
        std::fs::create_dir_all(home.file(".run")).unwrap();
        let mut command = Command::new("gnome-keyring-daemon");
        command
            .args(["--foreground", "--components=secrets"])
            .env_clear()
            .envs(home.environment())
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if unlock {
            command.arg("--unlock");
        }
        let mut daemon = command
            .spawn()
            .expect("gnome-keyring-daemon is missing: tests/run installs it");
        let mut stdin = daemon.stdin.take().unwrap();
        stdin.write_all(PASSWORD).unwrap();
        drop(stdin);
        self.keyring = Some(daemon);
        let login = login_file(home);
        let ready = super::until(super::PATIENCE, || {
            let named = Run::program(
                home,
                "dbus-send",
                [
                    "--session",
                    "--print-reply",
                    "--dest=org.freedesktop.DBus",
                    "/org/freedesktop/DBus",
                    "org.freedesktop.DBus.NameHasOwner",
                    "string:org.freedesktop.secrets",
                ],
            );
            let answer = named.env("DBUS_SESSION_BUS_ADDRESS", &self.address).go();
            (answer.stdout.contains("boolean true") && login.exists()).then_some(())
        });
        assert!(ready.is_some(), "the keyring does not come up");
    }

    pub(crate) fn stop_keyring(&mut self) {
        if let Some(mut daemon) = self.keyring.take() {
            daemon.kill().ok();
            daemon.wait().ok();
        }
    }

    /// Sends the keyring's daemon a signal; `STOP` makes it hang.
    pub(crate) fn signal_keyring(&self, signal: Signal) {
        super::signal(self.keyring.as_ref().unwrap().id(), signal);
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.stop_keyring();
        self.daemon.kill().ok();
        self.daemon.wait().ok();
    }
}

/// The file in which the keyring stores its secrets.
pub(crate) fn login_file(home: &Home) -> PathBuf {
    home.file(".local/share/keyrings/login.keyring")
}

#[test]
fn a_secret_is_kept_open_and_refused_locked() {
    needs!("keyring");
    let home = Home::new();
    let secret = |bus: &Bus, line: &str| {
        Run::shell(&home, line)
            .env("DBUS_SESSION_BUS_ADDRESS", &bus.address)
            .go()
    };
    let mut bus = Bus::unlocked(&home);
    let stored = secret(
        &bus,
        "printf SECRET | secret-tool store --label=x service harness",
    );
    assert_eq!(stored.status, 0, "{stored:?}");
    assert_eq!(
        secret(&bus, "secret-tool lookup service harness").stdout,
        "SECRET"
    );
    bus.stop_keyring();
    bus.start_keyring(&home, false);
    let locked = secret(&bus, "timeout 10 secret-tool lookup service harness");
    assert_eq!(locked.stdout, "", "{locked:?}");
    assert_ne!(locked.status, 124, "it hangs");
}
