//! Received requests, which tests compare with the interface.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use axum::http::request::Parts;
use axum::http::{Version, header};

/// Most requests stored.
const MOST_REQUESTS: usize = 1_000;

/// The credentials of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credentials {
    /// It has no `Authorization` header.
    Missing,
    /// It has one or several, but not with the service's token.
    Wrong,
    /// It has the service's token.
    Right,
}

/// The endpoint that received a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The base URL.
    Base,
    /// The sandbox URL.
    Sandbox,
}

/// A received request, without the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The endpoint that received it.
    pub origin: Origin,
    /// The HTTP method.
    pub method: String,
    /// The request target as sent: path and query, still encoded.
    pub target: String,
    /// Whether it used HTTP/1.1.
    pub is_http_1_1: bool,
    /// The headers in their order, names in lower case, without
    /// `Authorization`.
    pub headers: Vec<(String, String)>,
    /// Its credentials.
    pub credentials: Credentials,
    /// The body.
    pub body: Vec<u8>,
}

impl Seen {
    /// A request from its head and body.
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

    /// The first value of a header; the name is in lower case.
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
