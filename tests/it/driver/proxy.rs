//! A TCP proxy in front of a real service that simulates a bad link: it records
//! the traffic and cuts, stalls, resets or slows it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::http::reset;
use super::wire::Request;

/// Faults of the link. Counts are bytes of one connection in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// Closes after this many bytes of the response.
    CutAnswer(usize),
    /// Resets after this many bytes of the response.
    ResetAnswer(usize),
    /// Passes at most this many bytes of the response, and stays open.
    StallAnswer(usize),
    /// Closes after this many bytes of the request.
    CutRequest(usize),
    /// Delays each chunk of the response by this time.
    Late(Duration),
}

/// A proxy on loopback.
pub(crate) struct Proxy {
    pub address: SocketAddr,
    fault: Arc<Mutex<Fault>>,
    /// The bytes of each connection towards the service.
    sent: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Proxy {
    pub(crate) fn to(service: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let fault = Arc::new(Mutex::new(Fault::None));
        let sent = Arc::new(Mutex::new(Vec::new()));
        let (fault_now, sent_here) = (Arc::clone(&fault), Arc::clone(&sent));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { return };
                let Ok(server) = TcpStream::connect(service) else {
                    continue;
                };
                let fault = *fault_now.lock().unwrap();
                let number = {
                    let mut sent = sent_here.lock().unwrap();
                    sent.push(Vec::new());
                    sent.len() - 1
                };
                join(client, server, fault, number, &sent_here);
            }
        });
        Proxy {
            address,
            fault,
            sent,
        }
    }

    /// Sets the fault for the following connections.
    pub(crate) fn set(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every complete request that has passed, by connection.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let sent = self.sent.lock().unwrap();
        sent.iter()
            .flat_map(|bytes| Request::read_all(bytes))
            .collect()
    }
}

fn join(
    client: TcpStream,
    server: TcpStream,
    fault: Fault,
    number: usize,
    sent: &Arc<Mutex<Vec<Vec<u8>>>>,
) {
    let (up_from, up_to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let sent = Arc::clone(sent);
    std::thread::spawn(move || {
        let limit = match fault {
            Fault::CutRequest(limit) => Some(limit),
            _ => None,
        };
        pass(up_from, up_to, limit, None, |bytes| {
            sent.lock().unwrap()[number].extend_from_slice(bytes);
        });
    });
    std::thread::spawn(move || {
        // Whatever the fault, the service has responded when it occurs.
        server.peek(&mut [0]).ok();
        let (limit, late) = match fault {
            Fault::CutAnswer(limit) => (Some(limit), None),
            Fault::Late(late) => (None, Some(late)),
            _ => (None, None),
        };
        match fault {
            Fault::ResetAnswer(limit) => cut_short(server, client, limit),
            Fault::StallAnswer(limit) => stall(server, client, limit),
            _ => {
                let end = client.try_clone().unwrap();
                pass(server, client, limit, late, |_| {});
                end.shutdown(Shutdown::Both).ok();
            }
        }
    });
}

/// Passes bytes on until the end or `limit`; then closes both.
fn pass(
    mut from: TcpStream,
    mut to: TcpStream,
    limit: Option<usize>,
    late: Option<Duration>,
    mut seen: impl FnMut(&[u8]),
) {
    let mut buffer = [0; 65536];
    let mut left = limit.unwrap_or(usize::MAX);
    while left > 0 {
        let Ok(count) = from.read(&mut buffer) else {
            break;
        };
        if count == 0 {
            // The other direction may still send data.
            to.shutdown(Shutdown::Write).ok();
            return;
        }
        let count = count.min(left);
        left -= count;
        seen(&buffer[..count]);
        if let Some(late) = late {
            std::thread::sleep(late);
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    from.shutdown(Shutdown::Both).ok();
    to.shutdown(Shutdown::Both).ok();
}

/// Passes `limit` bytes, then resets the client's connection.
fn cut_short(mut from: TcpStream, mut to: TcpStream, limit: usize) {
    let mut start = vec![0; limit];
    if from.read_exact(&mut start).is_ok() {
        to.write_all(&start).ok();
    }
    reset(&to);
    // Ends the other direction, which also owns the connection: closing the
    // last handle sends the reset.
    to.shutdown(Shutdown::Read).ok();
}

/// Passes `limit` bytes, then discards the rest until the service closes, and
/// leaves the client's connection open.
fn stall(mut from: TcpStream, mut to: TcpStream, limit: usize) {
    let mut buffer = [0; 65536];
    let mut left = limit;
    while let Ok(count) = from.read(&mut buffer) {
        if count == 0 {
            break;
        }
        let passing = count.min(left);
        left -= passing;
        if to.write_all(&buffer[..passing]).is_err() {
            return;
        }
    }
    // The client closes its end; that direction is read by the other thread.
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_link_passes_cuts_resets_stalls_and_writes_down() {
    use super::wire::Responder;
    let service = Responder::json(200, "[1,2,3,4]");
    let proxy = Proxy::to(service.address);
    let ask = |fault| {
        // An answer that stalls is waited for in vain.
        let patience = match fault {
            Fault::StallAnswer(_) => Duration::from_secs(3),
            _ => super::PATIENCE,
        };
        proxy.set(fault);
        let mut stream = TcpStream::connect(proxy.address).unwrap();
        stream.set_read_timeout(Some(patience)).unwrap();
        stream.write_all(b"GET /track HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        let end = stream
            .read_to_end(&mut answer)
            .map_err(|error| error.kind());
        (answer.len(), end.map(drop))
    };
    let (whole, end) = ask(Fault::None);
    assert!(whole > 40 && end.is_ok(), "{whole} {end:?}");
    assert_eq!(ask(Fault::CutAnswer(17)), (17, Ok(())));
    assert_eq!(
        ask(Fault::StallAnswer(17)),
        (17, Err(std::io::ErrorKind::WouldBlock))
    );
    assert_eq!(
        ask(Fault::ResetAnswer(0)).1,
        Err(std::io::ErrorKind::ConnectionReset)
    );
    assert_eq!(proxy.requests()[0].target, "/track");
    assert_eq!(service.requests().len(), 4);
    assert_eq!(ask(Fault::CutRequest(5)).0, 0);
    assert_eq!(service.requests().len(), 4);
}
