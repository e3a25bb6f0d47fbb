//! Downloads a response body in chunks, with limits on size, idle time and data
//! rate.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::{
    Response,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING},
};
use tokio::time::Instant;

use super::answer::{AnswerFault, AnswerReader, Content};
use super::causes::chain;
use super::connection::Connection;
use super::gzip::{GzipFault, Unpacking};
use super::reading;
use super::recording::ProgressSink;
use crate::exchange::Progress;

/// Lowest accepted data rate, bytes per second. At a lower rate a response of
/// usual size does not finish in reasonable time.
const TOO_SLOW: f64 = 10.0;

/// Period over which the data rate is averaged.
const RATE_WINDOW: Duration = Duration::from_secs(60);

/// Shortest interval between two progress reports.
const REPORT_EVERY: Duration = Duration::from_millis(50);

/// Why a body was not read to its end.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BodyFault {
    /// The body exceeds this many bytes.
    TooLarge(u64),
    /// No data for the idle timeout; bytes received, and expected if known.
    Silent(u64, Option<u64>),
    /// The data rate was this many bytes per second, which is too slow.
    Slow(f64),
    /// The connection broke; bytes received, and the cause.
    Broken(u64, String),
    /// The body does not match its declared compression.
    Undecodable(String),
    /// The parser stopped: the program is ending, or else by an internal fault.
    Unread {
        /// `true` if the program is ending.
        is_ending: bool,
    },
}

/// Why a table without a length is not taken at first, and the note on it if it is.
const OPEN: &str = "the response has no length, and its last row no line end: if the connection broke, the last number of that row is cut";

/// The limits of the reading of a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The most bytes after decompression.
    pub(super) bytes: u64,
    /// The longest time in which no byte is received.
    pub(super) silence: Duration,
    /// The bytes after which the body of the attempt before broke off: one without a length
    /// that ends there again in the middle of a row is what the service sends.
    pub(super) broke_at: Option<u64>,
}

impl Limits {
    pub(super) fn new(connection: &Connection) -> Self {
        Self {
            bytes: connection.max_response,
            silence: connection.timeout,
            broke_at: None,
        }
    }
}

/// Reads the body of `response` within the limits.
pub(super) async fn read_all(response: Response, limits: Limits) -> Result<Vec<u8>, BodyFault> {
    let mut body = Vec::new();
    let mut pieces = Pieces::new(response, limits)?;
    while let Some(piece) = pieces.next().await? {
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// Reads a body of records and parses it with `records` on another task during the
/// download. Reports progress to `progress`. Returns the number of bytes
/// received, and the content.
pub(super) async fn read_records(
    response: Response,
    limits: Limits,
    records: AnswerReader,
    progress: Option<&ProgressSink>,
) -> Result<(u64, Result<Content, AnswerFault>), BodyFault> {
    let elements = Arc::new(AtomicU64::new(0));
    let (send, reading) = reading::begin(records, Arc::clone(&elements));
    let framed = is_framed(&response);
    let mut pieces = Pieces::new(response, limits)?;
    let mut last_report = None::<Instant>;
    let mut report = |bytes: u64, total: Option<u64>, now: Option<Instant>| {
        let Some(sink) = progress else { return };
        if let (Some(now), Some(last)) = (now, last_report)
            && now.duration_since(last) < REPORT_EVERY
        {
            return;
        }
        last_report = now;
        sink(Progress {
            bytes,
            records: elements.load(Ordering::Relaxed),
            total,
            ..Progress::default()
        });
    };
    while let Some(piece) = pieces.next().await? {
        let waits = Instant::now();
        // A parser that has ended is detected when it is joined below.
        if send.send(piece).await.is_err() {
            break;
        }
        pieces.pace.pause(waits.elapsed());
        report(pieces.bytes, pieces.total, Some(Instant::now()));
    }
    drop(send);
    let finished = reading::finish(reading, pieces.bytes).await;
    let content = finished.map_err(|error| BodyFault::Unread {
        is_ending: error.is_cancelled(),
    })?;
    report(pieces.bytes, pieces.total, None);
    match content {
        // Without a length or chunks, only the end of the connection marks the
        // end of the body. A truncated array then means a broken connection.
        Err(AnswerFault::Cut { .. }) if !framed => {
            let why = "it ends in the middle of an array".to_owned();
            Err(BodyFault::Broken(pieces.bytes, why))
        }
        // A row cut in its last cell looks like a whole one. The end of gzip is its own.
        Ok(mut content) if !framed && pieces.unpacking.is_none() && content.is_open => {
            if limits.broke_at != Some(pieces.bytes) {
                return Err(BodyFault::Broken(pieces.bytes, OPEN.to_owned()));
            }
            content.notes.push(OPEN.to_owned());
            Ok((pieces.bytes, Ok(content)))
        }
        content => Ok((pieces.bytes, content)),
    }
}

/// `true` if the response has a length or chunks, so that its end can be
/// verified.
fn is_framed(response: &Response) -> bool {
    let headers = response.headers();
    headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING)
}

/// The chunks of a body, decompressed and checked against the limits.
struct Pieces {
    response: Response,
    /// The decompressor of a body in gzip.
    unpacking: Option<Unpacking>,
    limits: Limits,
    bytes: u64,
    total: Option<u64>,
    pace: Pace,
}

impl Pieces {
    fn new(response: Response, limits: Limits) -> Result<Self, BodyFault> {
        let unpacking = unpacking(&response)?;
        // The length of a compressed body is not that of its content.
        let total = response.content_length().filter(|_| unpacking.is_none());
        if total.is_some_and(|total| total > limits.bytes) {
            return Err(BodyFault::TooLarge(limits.bytes));
        }
        Ok(Self {
            response,
            unpacking,
            limits,
            bytes: 0,
            total,
            pace: Pace::new(Instant::now()),
        })
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, BodyFault> {
        let Some(piece) = self.unpacked().await? else {
            return Ok(None);
        };
        self.bytes += piece.len() as u64;
        if self.bytes > self.limits.bytes {
            return Err(BodyFault::TooLarge(self.limits.bytes));
        }
        // A service may send blanks between records for ever.
        let is_blank = piece.iter().all(u8::is_ascii_whitespace);
        let data = if is_blank { 0 } else { piece.len() };
        match self.pace.too_slow(data, Instant::now()) {
            Some(rate) => Err(BodyFault::Slow(rate)),
            None => Ok(Some(piece)),
        }
    }

    /// The next piece, decompressed.
    async fn unpacked(&mut self) -> Result<Option<Vec<u8>>, BodyFault> {
        loop {
            if let Some(unpacking) = &mut self.unpacking
                && let Some(piece) = unpacking
                    .next()
                    .map_err(|fault| packed(fault, self.bytes))?
            {
                return Ok(Some(piece));
            }
            let next = tokio::time::timeout(self.limits.silence, self.response.chunk()).await;
            let received = match next {
                Ok(Ok(chunk)) => chunk.map(Vec::from),
                Ok(Err(error)) => {
                    let why = chain(error.source()).pop().unwrap_or_default();
                    return Err(BodyFault::Broken(self.bytes, why));
                }
                Err(_) => return Err(BodyFault::Silent(self.bytes, self.total)),
            };
            let Some(unpacking) = &mut self.unpacking else {
                return Ok(received);
            };
            let done = match received {
                Some(chunk) => unpacking.take(chunk).map(|()| None),
                None => unpacking.end().map(Some),
            };
            if let Some(rest) = done.map_err(|fault| packed(fault, self.bytes))? {
                return Ok(rest);
            }
        }
    }
}

/// A fault of a compressed body, after this many bytes of it.
fn packed(fault: GzipFault, so_far: u64) -> BodyFault {
    match fault {
        GzipFault::Cut => BodyFault::Broken(so_far, "the packed answer ends too early".to_owned()),
        GzipFault::Wrong(why) => BodyFault::Undecodable(crate::text::excerpt(&why, 160)),
    }
}

/// The names of compressions (RFC 9110, section 8.4.1, and the registry of content codings)
/// besides gzip.
const OTHER_CODINGS: [&str; 6] = ["br", "zstd", "deflate", "compress", "x-compress", "dcb"];

/// The decompressor of a body, by its header. What names no compression is none: some services
/// put the charset there.
fn unpacking(response: &Response) -> Result<Option<Unpacking>, BodyFault> {
    let Some(name) = response.headers().get(CONTENT_ENCODING) else {
        return Ok(None);
    };
    let name = name.as_bytes().trim_ascii();
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    if is("gzip") || is("x-gzip") {
        return Ok(Some(Unpacking::new()));
    }
    match OTHER_CODINGS.into_iter().find(|known| is(known)) {
        None => Ok(None),
        Some(name) => Err(BodyFault::Undecodable(format!(
            "it is packed as {name}, and gzip was asked for"
        ))),
    }
}

/// Measures the data rate, one period after the other.
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

    /// Leaves out a time in which nothing could be received.
    fn pause(&mut self, time: Duration) {
        self.since += time;
    }

    /// Counts `bytes` received at `now`. Returns the rate if a period has ended
    /// and its rate was too low.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::service::{Reply, Responder, client, token};

    #[test]
    fn answers_that_never_end_hold_no_thread_that_waits_for_disks() {
        let part = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n[{\"time_stamp\":1,";
        let service = Responder::start(move |_, _| Reply::ThenSilence(part.to_vec()));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let done = runtime.block_on(async {
            for _ in 0..4 {
                let (client, _) =
                    client(&service.address, &service.address, Duration::from_secs(20));
                tokio::spawn(async move {
                    let (token, none) = (token(), Default::default());
                    let id = Default::default();
                    let asked = client.deployment_data(&token, &id, &none, None);
                    asked.await.map(drop)
                });
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert_eq!(service.requests().len(), 4);
            let other = tokio::task::spawn_blocking(|| 7);
            tokio::time::timeout(Duration::from_secs(2), other).await
        });
        runtime.shutdown_background();
        assert_eq!(done.unwrap().unwrap(), 7);
    }

    #[test]
    fn a_parser_that_panics_is_no_end_of_the_program() {
        let told = crate::service::transport::body_error(
            &BodyFault::Unread { is_ending: false },
            "the track",
            Duration::from_secs(1),
        );
        assert!(told.reason.contains("internal fault"), "{told:?}");
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
