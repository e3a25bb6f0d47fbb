//! A raw HTTP server over a real socket. It records requests and sends
//! arbitrary bytes, including invalid responses.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How the server handles a connection after a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends these bytes and closes.
    Send(Vec<u8>),
    /// Sends these bytes and takes the next request on the same connection.
    Keep(Vec<u8>),
    /// Sends these bytes and leaves the connection open.
    ThenSilence(Vec<u8>),
    /// Sends the first bytes, then each of the second ones by itself at this
    /// interval, and closes.
    Drip(Vec<u8>, Vec<u8>, Duration),
    /// Closes without sending.
    Drop,
    /// Closes with a reset.
    Reset,
}

impl Reply {
    /// A well-formed response that closes the connection: a status with its
    /// phrase, header lines that each end in CR LF, and a body with its length.
    pub(crate) fn http(status: &str, headers: &str, body: &[u8]) -> Reply {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        Reply::Send([head.as_bytes(), body].concat())
    }
}

/// The length in bytes of the request at the start of `bytes`, if it is
/// complete.
pub(crate) fn request_length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let body = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(Some(0), |length| length.trim().parse().ok())?;
    (bytes.len() >= head + body).then_some(head + body)
}

/// A listener on loopback with one thread per connection.
pub(crate) struct Responder {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Responder {
    /// Sends `reply(n, request)` to the n-th request, counted from 0. A TLS
    /// hello counts as a request.
    pub(crate) fn start(reply: impl Fn(usize, &[u8]) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, reply) = (Arc::clone(&requests), Arc::new(reply));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (log, reply) = (Arc::clone(&log), Arc::clone(&reply));
                std::thread::spawn(move || serve(stream, &log, &*reply));
            }
        });
        Self { address, requests }
    }

    /// Every request so far, head and body.
    pub(crate) fn requests(&self) -> Vec<Vec<u8>> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<Vec<u8>>>, reply: &dyn Fn(usize, &[u8]) -> Reply) {
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    while let Some(request) = receive(&mut stream) {
        let number = {
            let mut log = log.lock().unwrap();
            log.push(request.clone());
            log.len() - 1
        };
        match reply(number, &request) {
            Reply::Keep(bytes) => match stream.write_all(&bytes) {
                Ok(()) => {}
                Err(_) => return,
            },
            last => return end(stream, last),
        }
    }
}

/// The next request on a connection, or a TLS hello; none where the client has ended it.
fn receive(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let (mut request, mut piece) = (Vec::new(), [0; 65536]);
    let length = loop {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => request.extend_from_slice(&piece[..count]),
            _ => return None,
        }
        if request.first() == Some(&0x16) {
            break request.len();
        }
        if let Some(length) = request_length(&request) {
            break length;
        }
    };
    request.truncate(length);
    Some(request)
}

/// Sends the last reply on a connection.
fn end(mut stream: TcpStream, reply: Reply) {
    let mut piece = [0; 65536];
    match reply {
        Reply::Send(bytes) | Reply::Keep(bytes) => {
            stream.write_all(&bytes).ok();
            stream.shutdown(Shutdown::Write).ok();
            // Closing with unread bytes would reset the connection.
            let _ = stream.read(&mut piece);
        }
        Reply::ThenSilence(bytes) => {
            stream.write_all(&bytes).ok();
            // Until the client closes.
            while matches!(stream.read(&mut piece), Ok(count) if count > 0) {}
        }
        Reply::Drip(bytes, slowly, apart) => {
            stream.write_all(&bytes).ok();
            for byte in slowly {
                std::thread::sleep(apart);
                if stream.write_all(&[byte]).is_err() {
                    return;
                }
            }
        }
        Reply::Drop => {}
        Reply::Reset => reset(&stream),
    }
}

/// Makes closing `stream` send a reset.
pub(crate) fn reset(stream: &TcpStream) {
    rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO)).unwrap();
}
