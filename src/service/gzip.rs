//! Decompresses a body in gzip during its download: any number of members one after the
//! other, as RFC 1952 allows and some services send.

// Not reqwest's: it takes the length of the body away, by which a last row
// without its line end is distinguished from one that was cut; and whatever the decoder says, a body that
// breaks off is requested again, and one with a wrong checksum is not.

use std::io::Write;

use flate2::write::MultiGzDecoder;

/// Bytes that are decompressed at once, to at most a thousand times as many.
const AT_ONCE: usize = 4 << 10;

/// The first bytes of gzip.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Why a body cannot be decompressed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GzipFault {
    /// It ends too early.
    Cut,
    /// It is not gzip, or something else follows it, or its checksum is wrong.
    Wrong(String),
}

/// The decompression of a body.
pub(super) struct Unpacking {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// The last piece received; from `at` on it is not decompressed yet.
    packed: Vec<u8>,
    at: usize,
    /// Bytes received, counted up to the length of `MAGIC`.
    begun: usize,
    /// The last bytes received.
    last: [u8; 4],
    /// The number of bytes after decompression.
    length: usize,
}

impl Unpacking {
    pub(super) fn new() -> Self {
        Self {
            decoder: MultiGzDecoder::new(Vec::new()),
            packed: Vec::new(),
            at: 0,
            begun: 0,
            last: [0; 4],
            length: 0,
        }
    }

    /// Accepts a piece, once the last piece is decompressed.
    pub(super) fn take(&mut self, piece: Vec<u8>) -> Result<(), GzipFault> {
        let unseen = MAGIC.get(self.begun..).unwrap_or_default();
        if unseen.iter().zip(&piece).any(|(magic, byte)| magic != byte) {
            return Err(GzipFault::Wrong("it does not begin as gzip".to_owned()));
        }
        self.begun = (self.begun + piece.len()).min(MAGIC.len());
        for byte in piece.iter().skip(piece.len().saturating_sub(4)) {
            let [_, b, c, d] = self.last;
            self.last = [b, c, d, *byte];
        }
        (self.packed, self.at) = (piece, 0);
        Ok(())
    }

    /// The next bytes of the last piece; `None` if all of it is decompressed.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, GzipFault> {
        while self.at < self.packed.len() {
            let end = self.packed.len().min(self.at + AT_ONCE);
            let piece = self.packed.get(self.at..end).unwrap_or_default();
            let written = self.decoder.write(piece);
            match written.map_err(|error| GzipFault::Wrong(error.to_string()))? {
                0 => return Err(GzipFault::Wrong("something follows its end".to_owned())),
                count => self.at += count,
            }
            if let Some(bytes) = self.unpacked() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// The last bytes, after the end of the body.
    pub(super) fn end(&mut self) -> Result<Option<Vec<u8>>, GzipFault> {
        if self.begun > 0 {
            // The data was valid so far: only the end and the checksum are checked here.
            let ended = self.decoder.try_finish();
            let rest = self.unpacked();
            return match ended {
                Ok(()) => Ok(rest),
                Err(error) if self.has_length_at_end() => Err(GzipFault::Wrong(error.to_string())),
                Err(_) => Err(GzipFault::Cut),
            };
        }
        Ok(None)
    }

    /// `true` if the last bytes are the decompressed length, as in a complete body of a single
    /// member (RFC 1952, section 2.3.1). The decoder does not distinguish a cut body from a
    /// wrong checksum.
    fn has_length_at_end(&self) -> bool {
        let length = u32::from_le_bytes(self.last);
        self.length > 0 && self.length & 0xffff_ffff == length as usize
    }

    fn unpacked(&mut self) -> Option<Vec<u8>> {
        let bytes = std::mem::take(self.decoder.get_mut());
        self.length = self.length.wrapping_add(bytes.len());
        (!bytes.is_empty()).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(body: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(body).unwrap();
        packer.finish().unwrap()
    }

    /// Unpacks a body that comes in pieces of this size.
    fn unpack(packed: &[u8], size: usize) -> Result<Vec<u8>, GzipFault> {
        let (mut unpacking, mut body) = (Unpacking::new(), Vec::new());
        for piece in packed.chunks(size) {
            unpacking.take(piece.to_vec())?;
            while let Some(bytes) = unpacking.next()? {
                assert!(bytes.len() <= 2000 * AT_ONCE);
                body.extend(bytes);
            }
        }
        body.extend(unpacking.end()?.unwrap_or_default());
        Ok(body)
    }

    #[test]
    fn any_number_of_members_is_one_body_in_any_pieces() {
        let long = vec![b'x'; 1_000_000];
        for bodies in [
            &[&b"[1,"[..], b"2]"][..],
            &[b"", b"", b"[]"],
            &[&long, b"y"],
            &[],
        ] {
            let packed: Vec<u8> = bodies.iter().flat_map(|body| member(body)).collect();
            for size in [1, 7, packed.len().max(1)] {
                assert!(unpack(&packed, size) == Ok(bodies.concat()), "{size}");
            }
        }
    }

    #[test]
    fn a_body_that_came_whole_with_another_checksum_is_wrong_and_not_cut() {
        let sound = member(b"[1,2]");
        // The checksum is in the last eight bytes, before the length.
        for at in [5, 8] {
            let mut packed = sound.clone();
            let index = packed.len() - at;
            packed[index] ^= 1;
            for size in [1, packed.len()] {
                let read = unpack(&packed, size);
                assert!(matches!(read, Err(GzipFault::Wrong(_))), "{at}: {read:?}");
            }
        }
    }

    #[test]
    fn every_cut_is_told_from_what_is_no_gzip() {
        let packed = [member(b"[1,"), member(b"2]")].concat();
        let first = member(b"[1,").len();
        for end in (1..packed.len()).filter(|end| *end != first) {
            for size in [1, packed.len()] {
                let cut = unpack(&packed[..end], size);
                assert_eq!(cut, Err(GzipFault::Cut), "{end}");
            }
        }
        for wrong in [&b"[]"[..], b"[", b"\x1fx", b"\x1f\x8bxxxxxxxxxxxxxxxx"] {
            let read = unpack(wrong, wrong.len());
            assert!(matches!(read, Err(GzipFault::Wrong(_))), "{wrong:?}");
        }
        let followed = [packed, b"<html>garbage".to_vec()].concat();
        assert!(unpack(&followed, 7).is_err());
    }
}
