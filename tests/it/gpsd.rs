//! The own ship on the retrieval card, by a real gpsd that is fed with sentences.

use std::net::{TcpListener, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::driver::home::Home;
use crate::driver::pty::{Setting, Terminal};
use crate::driver::wire::Responder;
use crate::r#where::{fixes, listed, minute, serving};

/// A gpsd that ends with the test.
pub(crate) struct Gpsd(Child);

impl Gpsd {
    pub(crate) fn start(port: u16, feed: u16) -> Self {
        let (port, feed) = (port.to_string(), format!("udp://127.0.0.1:{feed}"));
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
        let child = Command::new("gpsd")
            .args(["-N", "-n", "-S", &port, &feed])
            .env("PATH", path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Gpsd {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Sends a receiver's sentences of a ship at 78.2° N 15.5° E, at 11.6 kn, until the test
/// ends.
pub(crate) struct Receiver {
    is_on: Arc<AtomicBool>,
    sender: Option<JoinHandle<()>>,
}

impl Receiver {
    pub(crate) fn on(feed: u16) -> Self {
        let is_on = Arc::new(AtomicBool::new(true));
        let on = Arc::clone(&is_on);
        let sender = thread::spawn(move || {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            while on.load(Ordering::SeqCst) {
                let now = jiff::Timestamp::now();
                let [time, date] = ["%H%M%S.00", "%d%m%y"].map(|form| now.strftime(form));
                let sentences = [
                    format!("GPGGA,{time},7812.0000,N,01530.0000,E,1,08,0.9,20.0,M,30.0,M,,"),
                    format!("GPRMC,{time},A,7812.0000,N,01530.0000,E,11.6,022.2,{date},,,A"),
                ];
                for sentence in sentences {
                    let sum = sentence.bytes().fold(0, |sum, byte| sum ^ byte);
                    let line = format!("${sentence}*{sum:02X}\r\n");
                    // Nobody listens while gpsd is away.
                    socket.send_to(line.as_bytes(), ("127.0.0.1", feed)).ok();
                }
                thread::sleep(Duration::from_millis(250));
            }
        });
        Self {
            is_on,
            sender: Some(sender),
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.is_on.store(false, Ordering::SeqCst);
        self.sender.take().map(JoinHandle::join);
    }
}

/// Two ports that the system gives to no other test while nobody listens there.
pub(crate) fn free_ports() -> (u16, u16) {
    let first = u16::try_from(std::process::id() % 10_000).unwrap();
    let is_free = |port: &u16| {
        let address = ("127.0.0.1", *port);
        TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok()
    };
    let mut free = (20_000 + first..32_000).filter(is_free);
    (free.next().unwrap(), free.next().unwrap())
}

/// The list of a drifter, which opens with the position of a ship.
fn dashboard(home: &Home, service: &Responder, gpsd: &str) -> Terminal {
    home.write(
        ".config/driftline/config.toml",
        format!("gpsd = \"{gpsd}\"\n"),
    );
    listed(home);
    let terminal = Terminal::driftline(home, &[], Setting::default().at(service.base_url()));
    terminal.wait("both tracks", |screen| {
        screen.matches("on time").count() > 2
    });
    terminal
}

fn service() -> Responder {
    let end = minute();
    serving(fixes(end, 20, 0, 0.0), fixes(end, 20, 0, 0.1))
}

#[test]
fn the_ship_of_gpsd_is_on_the_card_and_comes_back_after_a_loss() {
    needs!("gpsd");
    let (home, (port, feed)) = (Home::new(), free_ports());
    let receiver = Receiver::on(feed);
    let gpsd = Gpsd::start(port, feed);
    let service = service();
    let terminal = dashboard(&home, &service, &format!("127.0.0.1:{port}"));
    terminal.keys("W");
    terminal.shows("78.20000°N 015.50000°E, 11.60 kn, by gpsd");
    terminal.shows("bearing");
    terminal.shows("meets it");
    drop(gpsd);
    // The last position stays, and only the card says that gpsd is away.
    terminal.shows("78.20000°N 015.50000°E, 11.60 kn, by gpsd");
    terminal.wait("the loss", |screen| {
        screen.contains("has ended") || screen.contains("cannot be reached")
    });
    let _gpsd = Gpsd::start(port, feed);
    terminal.wait("the ship again", |screen| {
        screen.contains("by gpsd")
            && !screen.contains("has ended")
            && !screen.contains("cannot be reached")
    });
    drop(receiver);
}

#[test]
fn what_is_no_gpsd_is_named_on_the_card_and_nowhere_else() {
    let home = Home::new();
    let garbage = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = garbage.local_addr().unwrap().to_string();
    thread::spawn(move || {
        use std::io::Write;
        for connection in garbage.incoming() {
            // The first line of another kind of server.
            connection
                .unwrap()
                .write_all(b"220 mail.example ESMTP\r\n")
                .ok();
        }
    });
    let service = service();
    let terminal = dashboard(&home, &service, &address);
    assert!(!terminal.screen().contains("gpsd"));
    terminal.keys("W");
    terminal.shows("is no gpsd: 220 mail.example");
}
