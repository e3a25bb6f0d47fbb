//! What came over the wire, for tests to hold against the interface.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use axum::http::request::Parts;
use axum::http::{Version, header};

/// The most requests that are remembered.
const MOST_REQUESTS: usize = 1_000;

/// What a request said of its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// There was no `Authorization`.
    Missing,
    /// There was one, or several, that is not the service's token.
    Wrong,
    /// It was the service's token.
    Right,
}

/// Which of the two addresses a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The base address.
    Base,
    /// The sandbox.
    Sandbox,
}

/// A request as it came. The token is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Where it came to.
    pub origin: Origin,
    /// The method.
    pub method: String,
    /// The target as it stood on the wire: path and query, still encoded.
    pub target: String,
    /// Whether it was HTTP/1.1.
    pub is_http_1_1: bool,
    /// The headers in their order, names in lower case; without
    /// `Authorization`.
    pub headers: Vec<(String, String)>,
    /// What it said of its token.
    pub credentials: Credentials,
    /// The body.
    pub body: Vec<u8>,
}

impl Seen {
    /// A request from its head and its body.
    pub(super) fn new(origin: Origin, head: &Parts, credentials: Credentials, body: &[u8]) -> Self {
        let headers = head
            .headers
            .iter()
            .filter(|(name, _)| *name != header::AUTHORIZATION)
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes());
                (name.as_str().to_owned(), value.into_owned())
            });
        Self {
            origin,
            method: head.method.to_string(),
            target: head.uri.to_string(),
            is_http_1_1: head.version == Version::HTTP_11,
            headers: headers.collect(),
            credentials,
            body: body.to_vec(),
        }
    }

    /// The value of a header, named in lower case; the first of several.
    #[cfg(test)]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The latest requests, oldest first.
#[derive(Debug, Default)]
pub(super) struct Log(Mutex<VecDeque<Seen>>);

impl Log {
    pub(super) fn note(&self, seen: Seen) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() >= MOST_REQUESTS {
            log.pop_front();
        }
        log.push_back(seen);
    }

    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<Seen> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.iter().cloned().collect()
    }
}
