//! The raw server for tests of the whole program: parsed requests, and short
//! names for replies.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

use super::http::{self, request_length};

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub method: String,
    /// The request target as sent: path and query.
    pub target: String,
    /// Names in lower case, in the order sent.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The only header of that name; `None` if there is none or more than one.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(header, _)| header == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// Parses the complete requests in `bytes` in sequence; ignores an
    /// incomplete one at the end.
    pub(crate) fn read_all(mut bytes: &[u8]) -> Vec<Request> {
        let mut found = Vec::new();
        while let Some((request, length)) = Request::read(bytes) {
            found.push(request);
            bytes = &bytes[length..];
        }
        found
    }

    fn read(bytes: &[u8]) -> Option<(Request, usize)> {
        let length = request_length(bytes)?;
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        let text = std::str::from_utf8(&bytes[..head]).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let request = Request {
            method,
            target,
            headers,
            body: bytes[head..length].to_vec(),
        };
        Some((request, length))
    }
}

/// How the server replies to a request.
pub(crate) type Act = http::Reply;

impl Act {
    /// A complete, valid response.
    pub(crate) fn json(status: u16, body: &str) -> Act {
        Act::typed(status, "application/json", body)
    }

    pub(crate) fn typed(status: u16, kind: &str, body: &str) -> Act {
        Act::with(status, &[("Content-Type", kind)], body)
    }

    pub(crate) fn with(status: u16, headers: &[(&str, &str)], body: &str) -> Act {
        let lines = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        Act::http(
            &format!("{status} Said"),
            &lines.collect::<String>(),
            body.as_bytes(),
        )
    }

    /// No byte, with the connection left open.
    pub(crate) fn silence() -> Act {
        Act::ThenSilence(Vec::new())
    }

    /// Closes without sending.
    pub(crate) fn hang_up() -> Act {
        Act::Drop
    }
}

/// A listener on loopback. Its open connections are closed when the test ends.
pub(crate) struct Responder {
    pub address: SocketAddr,
    raw: http::Responder,
}

impl Responder {
    /// `act` returns the reply to each request, given its number from 0. Bytes
    /// that are not an HTTP request get no reply.
    pub(crate) fn new(act: impl Fn(&Request, usize) -> Act + Send + Sync + 'static) -> Responder {
        let raw = http::Responder::start(move |number, bytes| match Request::read(bytes) {
            Some((request, _)) => act(&request, number),
            None => Act::silence(),
        });
        Responder {
            address: raw.address,
            raw,
        }
    }

    /// Sends the same valid response to every request.
    pub(crate) fn json(status: u16, body: &str) -> Responder {
        let body = body.to_owned();
        Responder::new(move |_, _| Act::json(status, &body))
    }

    pub(crate) fn silent() -> Responder {
        Responder::new(|_, _| Act::silence())
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, byte for byte.
    pub(crate) fn sent(&self) -> Vec<String> {
        let requests = self.raw.requests();
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        requests.iter().map(text).collect()
    }

    /// Every complete request so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let requests = self.raw.requests();
        requests
            .iter()
            .flat_map(|bytes| Request::read_all(bytes))
            .collect()
    }
}

/// A loopback address on which nothing listens. Its port is below those that the system gives
/// to listeners of other tests.
pub(crate) fn nobody() -> String {
    static NEXT: AtomicU16 = AtomicU16::new(20_000);
    loop {
        let port = NEXT.fetch_add(1, Ordering::Relaxed);
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)) {
            return format!("http://{}", listener.local_addr().unwrap());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

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
            _ => Act::ThenSilence(b"HTTP/1.1 2".to_vec()),
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
}
