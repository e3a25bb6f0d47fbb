//! The body of an answer, taken in piece by piece: bounded in size, in silence
//! and in slowness.

use std::{error::Error as _, time::Duration};

use reqwest::Response;
use tokio::time::Instant;

use super::{
    exchange::{Progress, ProgressSink},
    transport::chain,
};

/// Below this rate, in bytes a second, an answer will not be finished.
const TOO_SLOW: f64 = 10.0;

/// Over this long the rate is averaged.
const RATE_WINDOW: Duration = Duration::from_secs(60);

/// How often progress is told at most.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// Why a body was not taken in whole.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyFault {
    /// More than this many bytes came.
    TooLarge(u64),
    /// Nothing came for the time-out, after so many bytes of so many.
    Silent(u64, Option<u64>),
    /// It came at so many bytes a second.
    Slow(f64),
    /// The connection broke, after so many bytes.
    Broken(u64, String),
    /// It came, and is not compressed the way it says.
    Undecodable(String),
}

/// Takes in the body of `response`, at most `most` bytes after decompression;
/// `progress` is told how far it has come.
pub async fn take_in(
    mut response: Response,
    most: u64,
    attempt: u32,
    progress: Option<&ProgressSink>,
) -> Result<Vec<u8>, BodyFault> {
    let total = response.content_length();
    if total.is_some_and(|total| total > most) {
        return Err(BodyFault::TooLarge(most));
    }
    let mut body = Vec::new();
    let mut records = RecordCounter::default();
    let mut pace = Pace::new(Instant::now());
    let mut told = None::<Instant>;
    let mut tell = |body: &Vec<u8>, records: u64, now: Option<Instant>| {
        let Some(sink) = progress else { return };
        if let (Some(now), Some(last)) = (now, told)
            && now.duration_since(last) < TELL_EVERY
        {
            return;
        }
        told = now;
        sink(Progress {
            bytes: body.len() as u64,
            records,
            total,
            attempt,
        });
    };
    loop {
        let piece = match response.chunk().await {
            Ok(Some(piece)) => piece,
            Ok(None) => break,
            Err(error) => return Err(fault(&error, body.len() as u64, total)),
        };
        if body.len() as u64 + piece.len() as u64 > most {
            return Err(BodyFault::TooLarge(most));
        }
        body.extend_from_slice(&piece);
        if progress.is_some() {
            records.see(&piece);
        }
        let now = Instant::now();
        if let Some(rate) = pace.too_slow(piece.len(), now) {
            return Err(BodyFault::Slow(rate));
        }
        tell(&body, records.whole, Some(now));
    }
    tell(&body, records.whole, None);
    Ok(body)
}

/// Why reading stopped. Only what the decompressor says of bytes that came is
/// about the answer; all else is about the connection.
fn fault(error: &reqwest::Error, so_far: u64, total: Option<u64>) -> BodyFault {
    if error.is_timeout() {
        return BodyFault::Silent(so_far, total);
    }
    let links = chain(error.source());
    let connection = links
        .iter()
        .any(|link| link.contains("reading a body from connection"));
    let cut = error_kind(error).is_some_and(|kind| kind == std::io::ErrorKind::UnexpectedEof);
    let why = links.last().cloned().unwrap_or_default();
    if connection || cut || links.is_empty() {
        BodyFault::Broken(so_far, why)
    } else {
        BodyFault::Undecodable(why)
    }
}

/// The first kind of an input error among the causes.
fn error_kind(error: &reqwest::Error) -> Option<std::io::ErrorKind> {
    let mut link = error.source();
    while let Some(error) = link {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return Some(error.kind());
        }
        link = error.source();
    }
    None
}

/// The rate of arrival, window by window.
struct Pace {
    since: Instant,
    bytes: usize,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self {
            since: now,
            bytes: 0,
        }
    }

    /// Counts `bytes` that came at `now`; the rate if a window has passed and
    /// it was too low in it.
    fn too_slow(&mut self, bytes: usize, now: Instant) -> Option<f64> {
        self.bytes += bytes;
        let passed = now.duration_since(self.since);
        if passed < RATE_WINDOW {
            return None;
        }
        let rate = self.bytes as f64 / passed.as_secs_f64();
        *self = Self::new(now);
        (rate < TOO_SLOW).then_some(rate)
    }
}

/// Counts the elements of a JSON array while it arrives, for the eye alone.
#[derive(Default)]
struct RecordCounter {
    whole: u64,
    depth: u32,
    in_text: bool,
    escaped: bool,
}

impl RecordCounter {
    fn see(&mut self, piece: &[u8]) {
        for byte in piece {
            if self.in_text {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_text = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'[' | b'{' => self.depth = self.depth.saturating_add(1),
                b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.whole += u64::from(self.depth == 1);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_across_pieces() {
        let body = br#"[{"a":"}\"]"},{"b":[1,{}]},{}]"#;
        for size in 1..body.len() {
            let mut counter = RecordCounter::default();
            for piece in body.chunks(size) {
                counter.see(piece);
            }
            assert_eq!(counter.whole, 3, "in pieces of {size}");
        }
    }

    #[test]
    fn a_trickle_is_found_out_and_a_satellite_is_not() {
        let start = Instant::now();
        let run = |bytes_a_second: usize| {
            let mut pace = Pace::new(start);
            (1..=180).find_map(|second| {
                pace.too_slow(bytes_a_second, start + Duration::from_secs(second))
            })
        };
        assert_eq!(run(9), Some(9.0));
        assert_eq!(run(300), None);
    }
}
