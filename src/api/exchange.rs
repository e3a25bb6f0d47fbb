//! What happened on the wire, one entry a try, for the eyes of a person.

use std::{fmt, sync::Arc, time::Duration};

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
