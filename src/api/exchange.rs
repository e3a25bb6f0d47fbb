//! What happened on the wire, one entry a try, for the eyes of a person.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use reqwest::Url;

use crate::auth::Token;

/// One request and what came of it. Holds no token.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// When it was sent, UNIX seconds.
    pub started_at: f64,
    /// `GET`, `POST` or `DELETE`.
    pub method: &'static str,
    /// Where to, without query, made harmless.
    pub address: String,
    /// The status that came, if one did.
    pub status: Option<u16>,
    /// From sending to the last byte, or to the fault.
    pub duration: Duration,
    /// Bytes of the answer's body, decompressed.
    pub bytes: u64,
    /// How it ended: "OK", "the connection was reset; again in 0.8 s".
    pub outcome: String,
    /// Which try of how many: (1, 3).
    pub attempt: (u32, u32),
}

/// Told of every exchange when it has ended.
pub type Observer = Arc<dyn Fn(Exchange) + Send + Sync>;

/// How far a fetch has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Bytes of the body so far, decompressed.
    pub bytes: u64,
    /// Records that have come whole so far.
    pub records: u64,
    /// Bytes to come in all, where the service said so and sends plain.
    pub total: Option<u64>,
    /// Which try this is, counted from 1.
    pub attempt: u32,
}

/// Told now and then how far a fetch has come.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.method, self.address)?;
        if let Some(status) = self.status {
            write!(f, "{status}, ")?;
        }
        write!(
            f,
            "{}, {} bytes in {:.3} s",
            self.outcome,
            self.bytes,
            self.duration.as_secs_f64()
        )?;
        match self.attempt {
            (_, 0 | 1) => Ok(()),
            (attempt, of) => write!(f, " (try {attempt} of {of})"),
        }
    }
}

/// An exchange while it happens: told to the observer when it has ended, also
/// when its future was dropped.
pub(super) struct Recording {
    observer: Option<Observer>,
    /// Kept out of what is told.
    token: Token,
    exchange: Exchange,
    started: Instant,
}

impl Recording {
    pub(super) fn start(
        observer: Option<Observer>,
        token: Token,
        method: &'static str,
        url: &Url,
        attempt: (u32, u32),
    ) -> Self {
        let address = format!("{}{}", url.origin().ascii_serialization(), url.path());
        Self {
            observer,
            token,
            exchange: Exchange {
                started_at: SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .map_or(0.0, |since| since.as_secs_f64()),
                method,
                address: crate::text::excerpt(&address, 300),
                status: None,
                duration: Duration::ZERO,
                bytes: 0,
                outcome: "cancelled".to_owned(),
                attempt,
            },
            started: Instant::now(),
        }
    }

    pub(super) fn status(&mut self, status: u16) {
        self.exchange.status = Some(status);
    }

    pub(super) fn bytes(&mut self, bytes: usize) {
        self.exchange.bytes = bytes as u64;
    }

    /// How it ended so far, and how long it took; waits are not part of it.
    pub(super) fn outcome(&mut self, outcome: impl Into<String>) {
        self.exchange.outcome = outcome.into();
        self.exchange.duration = self.started.elapsed();
    }

    /// Adds that it is tried again after `wait`.
    pub(super) fn again_in(&mut self, wait: Duration) {
        self.exchange
            .outcome
            .push_str(&format!("; again in {:.1} s", wait.as_secs_f64()));
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if self.exchange.duration.is_zero() {
            self.exchange.duration = self.started.elapsed();
        }
        if let Some(observer) = &self.observer {
            let mut exchange = self.exchange.clone();
            exchange.address = self.token.withheld_from(exchange.address);
            exchange.outcome = self.token.withheld_from(exchange.outcome);
            observer(exchange);
        }
    }
}
