//! A raw service for tests: bytes in, bytes out, over a real socket. It can
//! send what no well-behaved server would.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use super::{Client, Connection};
use crate::auth::Token;
use crate::exchange::Exchange;

/// What the responder does with a connection after a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends these bytes and closes.
    Send(Vec<u8>),
    /// Sends these bytes and keeps silent.
    ThenSilence(Vec<u8>),
    /// Closes without a word.
    Drop,
}

/// A reply of well-formed HTTP that closes the connection.
pub(crate) fn http(status: &str, headers: &str, body: &[u8]) -> Reply {
    let mut bytes = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    Reply::Send(bytes)
}

pub(crate) struct Responder {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Responder {
    /// Serves `reply(n, request)` to the n-th request, counted from 0.
    pub(crate) fn start(reply: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, reply) = (requests.clone(), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (log, reply) = (log.clone(), reply.clone());
                thread::spawn(move || serve(stream.unwrap(), &log, &*reply));
            }
        });
        Self { address, requests }
    }

    /// Every request so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, log: &Mutex<Vec<String>>, reply: &dyn Fn(usize, &str) -> Reply) {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).unwrap_or(0);
        request.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase()
                        .strip_prefix("content-length: ")
                        .map(str::to_owned)
                })
                .map_or(0, |length| length.parse().unwrap());
            body.len() >= length
        });
        // A TLS hello is no request, and gets an answer all the same.
        let hello = request.first() == Some(&0x16);
        if whole || hello || count == 0 {
            break;
        }
    }
    if request.is_empty() {
        return;
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    let number = {
        let mut log = log.lock().unwrap();
        log.push(text.clone());
        log.len() - 1
    };
    match reply(number, &text) {
        Reply::Send(bytes) => {
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(Shutdown::Write);
            // Closing with bytes unread would reset what was just sent.
            let _ = stream.read(&mut piece);
        }
        Reply::ThenSilence(bytes) => {
            let _ = stream.write_all(&bytes);
            thread::sleep(Duration::from_secs(600));
        }
        Reply::Drop => {}
    }
}

pub(crate) fn token() -> Token {
    Token::new("SECRET-TOKEN".to_owned()).unwrap()
}

/// A client of `base` and `sandbox`, and everything it observed.
pub(crate) fn client(
    base: &str,
    sandbox: &str,
    timeout: Duration,
) -> (Client, Arc<Mutex<Vec<Exchange>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    let client = Client::new(Connection {
        base: base.parse().unwrap(),
        sandbox: sandbox.parse().unwrap(),
        allow_insecure_http: false,
        timeout,
        max_response: 1 << 20,
        extra_roots: Vec::new(),
        observer: Some(Arc::new(move |exchange| {
            sink.lock().unwrap().push(exchange)
        })),
    });
    (client, seen)
}
