//! The body of an answer, taken in piece by piece: bounded in size, in silence
//! and in slowness.

use std::{
    error::Error as _,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::{
    Response,
    header::{CONTENT_LENGTH, TRANSFER_ENCODING},
};
use tokio::{
    sync::mpsc::{Receiver, channel},
    time::Instant,
};

use super::{causes::chain, recording::ProgressSink, records::NotRecordArray, stream::Arriving};
use crate::{exchange::Progress, track::Records};

/// Below this rate, in bytes a second, an answer will not be finished.
const TOO_SLOW: f64 = 10.0;

/// Over this long the rate is averaged.
const RATE_WINDOW: Duration = Duration::from_secs(60);

/// How often progress is told at most.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// Why a body was not taken in whole.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BodyFault {
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
    /// Reading it was given up: the program is ending.
    Unread,
}

/// Pieces that wait to be read: more would only take room.
const WAITING: usize = 4;

/// Takes in the body of `response`, at most `most` bytes after decompression.
pub(super) async fn take_in(response: Response, most: u64) -> Result<Vec<u8>, BodyFault> {
    let mut body = Vec::new();
    let mut pieces = Pieces::new(response, most)?;
    while let Some(piece) = pieces.next().await? {
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// Takes in a body of records as [`take_in`] does, and reads them on another
/// thread while they arrive; `progress` is told how far it has come. The answer
/// is the bytes that came, and what they hold.
pub(super) async fn take_in_records(
    response: Response,
    most: u64,
    attempt: u32,
    progress: Option<&ProgressSink>,
) -> Result<(u64, Result<Records, NotRecordArray>), BodyFault> {
    let (send, waiting) = channel(WAITING);
    let elements = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&elements);
    let reader = tokio::task::spawn_blocking(move || read(waiting, &count));
    let framed = is_framed(&response);
    let mut pieces = Pieces::new(response, most)?;
    let mut told = None::<Instant>;
    let mut tell = |bytes: u64, total: Option<u64>, now: Option<Instant>| {
        let Some(sink) = progress else { return };
        if let (Some(now), Some(last)) = (now, told)
            && now.duration_since(last) < TELL_EVERY
        {
            return;
        }
        told = now;
        sink(Progress {
            bytes,
            records: elements.load(Ordering::Relaxed),
            total,
            attempt,
            ..Progress::default()
        });
    };
    while let Some(piece) = pieces.next().await? {
        // A reader that is gone is found out below.
        let _ = send.send(piece).await;
        tell(pieces.bytes, pieces.total, Some(Instant::now()));
    }
    drop(send);
    let Ok(arriving) = reader.await else {
        return Err(BodyFault::Unread);
    };
    tell(pieces.bytes, pieces.total, None);
    // What is no array is looked at as a whole.
    let understood = tokio::task::spawn_blocking(move || arriving.whole()).await;
    match understood {
        // Where nothing but its end tells how long an answer is, one that ends
        // in its middle was broken off.
        Ok(Err(records)) if !framed && records.is_cut() => {
            let why = "it ends in the middle of an array".to_owned();
            Err(BodyFault::Broken(pieces.bytes, why))
        }
        Ok(records) => Ok((pieces.bytes, records)),
        Err(_) => Err(BodyFault::Unread),
    }
}

/// Whether an answer tells where it ends by more than the connection's end.
fn is_framed(response: &Response) -> bool {
    let headers = response.headers();
    headers.contains_key(CONTENT_LENGTH)
        || headers.contains_key(TRANSFER_ENCODING)
        || response.content_length().is_some()
}

/// Reads pieces to the last, and counts the elements in them.
fn read<Piece: Deref<Target = [u8]>>(mut pieces: Receiver<Piece>, count: &AtomicU64) -> Arriving {
    let mut arriving = Arriving::default();
    while let Some(piece) = pieces.blocking_recv() {
        arriving.take(&piece);
        count.store(arriving.elements() as u64, Ordering::Relaxed);
    }
    arriving
}

/// The pieces of a body as they come, within the bounds.
struct Pieces {
    response: Response,
    most: u64,
    bytes: u64,
    total: Option<u64>,
    pace: Pace,
}

impl Pieces {
    fn new(response: Response, most: u64) -> Result<Self, BodyFault> {
        let total = response.content_length();
        if total.is_some_and(|total| total > most) {
            return Err(BodyFault::TooLarge(most));
        }
        Ok(Self {
            response,
            most,
            bytes: 0,
            total,
            pace: Pace::new(Instant::now()),
        })
    }

    async fn next(&mut self) -> Result<Option<impl Deref<Target = [u8]> + use<>>, BodyFault> {
        let piece = match self.response.chunk().await {
            Ok(Some(piece)) => piece,
            Ok(None) => return Ok(None),
            Err(error) => return Err(fault(&error, self.bytes, self.total)),
        };
        self.bytes += piece.len() as u64;
        if self.bytes > self.most {
            return Err(BodyFault::TooLarge(self.most));
        }
        match self.pace.too_slow(piece.len(), Instant::now()) {
            Some(rate) => Err(BodyFault::Slow(rate)),
            None => Ok(Some(piece)),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
