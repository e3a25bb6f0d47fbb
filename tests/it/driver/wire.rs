//! A service of raw bytes: it writes down what it is sent, byte by byte, and
//! answers what no well-behaved server could be made to answer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it came over the wire.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// The target as written: path and query.
    pub target: String,
    /// Names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The only header of that name; none or several is `None`.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(header, _)| header == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// Reads the whole requests in `bytes`, one after the other; a part of one
    /// at the end is left.
    pub fn read_all(mut bytes: &[u8]) -> Vec<Request> {
        let mut found = Vec::new();
        while let Some((request, length)) = Request::read(bytes) {
            found.push(request);
            bytes = &bytes[length..];
        }
        found
    }

    fn read(bytes: &[u8]) -> Option<(Request, usize)> {
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        let text = std::str::from_utf8(&bytes[..head]).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name == "content-length")
            .map_or(Some(0), |(_, value)| value.parse::<usize>().ok())?;
        let body = bytes.get(head..head + length)?.to_vec();
        let request = Request {
            method,
            target,
            headers,
            body,
        };
        Some((request, head + length))
    }
}

/// What the service does with a request.
pub enum Act {
    /// Writes these bytes and closes.
    Answer(Vec<u8>),
    /// Writes these bytes and says no more, the connection open.
    Stall(Vec<u8>),
    /// Closes with a reset.
    Reset,
}

impl Act {
    /// A whole, honest answer.
    pub fn json(status: u16, body: &str) -> Act {
        Act::typed(status, "application/json", body)
    }

    pub fn typed(status: u16, kind: &str, body: &str) -> Act {
        Act::with(status, &[("Content-Type", kind)], body)
    }

    pub fn with(status: u16, headers: &[(&str, &str)], body: &str) -> Act {
        let mut head = format!("HTTP/1.1 {status} Said\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!(
            "Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        Act::Answer(head.into_bytes())
    }

    /// Never a byte.
    pub fn silence() -> Act {
        Act::Stall(Vec::new())
    }

    /// Closes without a byte.
    pub fn hang_up() -> Act {
        Act::Answer(Vec::new())
    }
}

/// A listener on loopback. What it holds open is closed when the test ends.
pub struct Responder {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Responder {
    /// `act` is asked for each request, with its number from 0.
    pub fn new(act: impl Fn(&Request, usize) -> Act + Send + Sync + 'static) -> Responder {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, act) = (Arc::clone(&requests), Arc::new(act));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                let (seen, act) = (Arc::clone(&seen), Arc::clone(&act));
                std::thread::spawn(move || serve(stream, &seen, act.as_ref()));
            }
        });
        Responder { address, requests }
    }

    /// The same honest answer to everything.
    pub fn json(status: u16, body: &str) -> Responder {
        let body = body.to_owned();
        Responder::new(move |_, _| Act::json(status, &body))
    }

    pub fn silent() -> Responder {
        Responder::new(|_, _| Act::silence())
    }

    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every whole request so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Request>>,
    act: &(impl Fn(&Request, usize) -> Act + ?Sized),
) {
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 65536];
    let request = loop {
        if let Some((request, _)) = Request::read(&bytes) {
            break request;
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    match act(&request, number) {
        Act::Answer(bytes) => {
            stream.write_all(&bytes).ok();
        }
        Act::Stall(bytes) => {
            stream.write_all(&bytes).ok();
            // Until the other side gives up.
            while matches!(stream.read(&mut buffer), Ok(count) if count > 0) {}
        }
        Act::Reset => reset(&stream),
    }
}

/// Makes the closing of `stream` a reset.
pub fn reset(stream: &TcpStream) {
    rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO)).unwrap();
}

/// An address of loopback on which nothing listens.
pub fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn requests_on_one_connection_are_told_apart() {
    let bytes = b"POST /plants HTTP/1.1\r\nContent-Length: 2\r\nHost: a\r\n\r\n{}GET /x HTTP/1.1\r\nA: 1\r\nA: 2\r\n\r\nDELETE";
    let requests = Request::read_all(bytes);
    assert_eq!(requests.len(), 2);
    assert_eq!(
        (requests[0].method.as_str(), requests[0].body.as_slice()),
        ("POST", &b"{}"[..])
    );
    assert_eq!(requests[0].header("host"), Some("a"));
    assert_eq!(
        (requests[1].target.as_str(), requests[1].header("a")),
        ("/x", None)
    );
}

#[test]
fn a_responder_answers_resets_and_stalls() {
    let responder = Responder::new(|_, number| match number {
        0 => Act::json(200, "[]"),
        1 => Act::Reset,
        _ => Act::Stall(b"HTTP/1.1 2".to_vec()),
    });
    let ask = || {
        let mut stream = TcpStream::connect(responder.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        let end = stream
            .read_to_end(&mut answer)
            .map_err(|error| error.kind());
        (String::from_utf8(answer).unwrap(), end.map(drop))
    };
    let (first, second, third) = (ask(), ask(), ask());
    assert!(
        first.0.ends_with("\r\n\r\n[]") && first.1.is_ok(),
        "{first:?}"
    );
    assert_eq!(second.1, Err(std::io::ErrorKind::ConnectionReset));
    assert_eq!(
        third,
        ("HTTP/1.1 2".to_owned(), Err(std::io::ErrorKind::WouldBlock))
    );
    assert_eq!(responder.requests().len(), 3);
}
