//! A raw server for tests of requests: requests as text, and a client with all
//! that it observed.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use super::http;
use crate::exchange::Exchange;
use crate::service::{Client, Connection};
use crate::token::Token;

pub(crate) type Reply = http::Reply;

/// As [`Reply::http`].
pub(crate) fn http(status: &str, headers: &str, body: &[u8]) -> Reply {
    Reply::http(status, headers, body)
}

pub(crate) struct Responder {
    /// The base URL: `http://127.0.0.1:PORT`.
    pub(crate) address: String,
    raw: http::Responder,
}

impl Responder {
    /// Sends `reply(n, request)` to the n-th request, counted from 0.
    pub(crate) fn start(reply: impl Fn(usize, &str) -> Reply + Send + Sync + 'static) -> Self {
        let raw = http::Responder::start(move |number, request| {
            reply(number, &String::from_utf8_lossy(request))
        });
        Self {
            address: format!("http://{}", raw.address),
            raw,
        }
    }

    /// Every request so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.raw.requests().into_iter();
        requests
            .map(|request| String::from_utf8_lossy(&request).into_owned())
            .collect()
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
        observer: Some(Arc::new(move |exchange: Exchange| {
            if !exchange.is_under_way() {
                sink.lock().unwrap().push(exchange);
            }
        })),
        ..connection(base, sandbox, timeout)
    });
    (client, seen)
}

/// Where such a client talks to; its exchanges are not reported.
pub(crate) fn connection(base: &str, sandbox: &str, timeout: Duration) -> Connection {
    Connection {
        timeout,
        max_response: 1 << 20,
        ..Connection::new(base.parse().unwrap(), sandbox.parse().unwrap())
    }
}
