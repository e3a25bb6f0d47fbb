//! Compressed, truncated and bomb bodies.

use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};
use hyper::body::{Body, Frame, SizeHint};

/// A body as gzip (RFC 1952); `None` if it is too small to gain from it.
pub(super) fn gzip(body: &[u8]) -> Option<Vec<u8>> {
    const WORTH_IT: usize = 1024;
    if body.len() < WORTH_IT {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok()
}

/// Whether an `Accept-Encoding` accepts gzip (RFC 9110, section 12.5.3).
pub(super) fn takes_gzip(accept_encoding: &str) -> bool {
    let weight = |wanted: &str| {
        accept_encoding.split(',').find_map(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            if !parts.next()?.eq_ignore_ascii_case(wanted) {
                return None;
            }
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            Some(weight.map_or(1.0, |weight| weight.parse().unwrap_or(0.0)))
        })
    };
    weight("gzip").or_else(|| weight("*")).unwrap_or(0.0_f32) > 0.0
}

/// An empty JSON array of about `size` bytes, mostly blanks, as gzip of about a
/// thousandth of that size; `None` if compression fails.
pub(super) fn bomb(size: u64) -> Option<Vec<u8>> {
    const BLOCK: usize = 1 << 20;
    /// Header of a gzip member: deflate, no name, no time, unknown system.
    const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let blanks = vec![b' '; BLOCK];
    let mut packer = Compress::new(Compression::best(), false);
    let mut packed = HEAD.to_vec();
    let mut crc = Crc::new();
    packed.extend(flushed(&mut packer, b"[")?);
    crc.update(b"[");
    // After a full flush a block refers to no earlier data, so all blocks are
    // equal.
    let block = flushed(&mut packer, &blanks)?;
    let mut one = Crc::new();
    one.update(&blanks);
    for _ in 0..size / (BLOCK as u64) {
        packed.extend_from_slice(&block);
        crc.combine(&one);
    }
    let mut end = Vec::with_capacity(64);
    packer
        .compress_vec(b"]", &mut end, FlushCompress::Finish)
        .ok()?;
    crc.update(b"]");
    packed.extend(end);
    packed.extend(crc.sum().to_le_bytes());
    packed.extend(crc.amount().to_le_bytes());
    Some(packed)
}

fn flushed(packer: &mut Compress, plain: &[u8]) -> Option<Vec<u8>> {
    // With spare room: the flush is complete only if room is left.
    let mut packed = Vec::with_capacity(plain.len() + 64);
    packer
        .compress_vec(plain, &mut packed, FlushCompress::Full)
        .ok()?;
    Some(packed)
}

/// A truncated body.
#[derive(Debug)]
pub(super) struct CutBody {
    first: Option<Bytes>,
    told: Option<u64>,
    pause: Pin<Box<tokio::time::Sleep>>,
}

impl CutBody {
    /// The first `after` bytes of `whole`. The response has its length unless
    /// it is chunked.
    pub(super) fn new(whole: &Bytes, after: usize, chunked: bool) -> Self {
        /// Pause in which written bytes are sent before the connection closes.
        const PAUSE: Duration = Duration::from_millis(30);
        Self {
            first: Some(whole.slice(..after.min(whole.len()))),
            told: (!chunked).then_some(whole.len() as u64),
            pause: Box::pin(tokio::time::sleep(PAUSE)),
        }
    }
}

impl Body for CutBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(first) = self.first.take().filter(|first| !first.is_empty()) {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.pause
            .as_mut()
            .poll(context)
            .map(|()| Some(Err(std::io::Error::other("the body breaks off on purpose"))))
    }

    fn size_hint(&self) -> SizeHint {
        self.told
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn gzip_is_taken_where_it_is_offered_and_not_refused() {
        for (header, takes) in [
            ("gzip", true),
            ("br;q=1.0, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("br", false),
            ("*", true),
            ("gzip; q=0, *", false),
            ("x-gzip-like", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(header), takes, "{header}");
        }
    }

    #[test]
    fn a_bomb_is_small_and_bursts_into_sound_json() {
        let packed = bomb(8 << 20).unwrap();
        assert!(packed.len() < 20_000, "{}", packed.len());
        let mut plain = String::new();
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_string(&mut plain)
            .unwrap();
        assert_eq!(plain.len(), (8 << 20) + 2);
        let array: Vec<u8> = serde_json::from_str(&plain).unwrap();
        assert!(array.is_empty());
    }
}
