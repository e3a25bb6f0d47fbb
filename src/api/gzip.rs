//! A body packed with gzip, unpacked while it comes: any number of members one
//! after the other, as RFC 1952 allows and some services send.

use std::io::Write;

use flate2::write::MultiGzDecoder;

/// So much is unpacked at once: it becomes a thousand times as much at most.
const AT_ONCE: usize = 4 << 10;

/// How a packed body begins.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Why a body cannot be unpacked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GzipFault {
    /// It ends too early, or its last bytes are not those that were sent.
    Cut,
    /// It is not packed with gzip, or not to its end.
    Wrong(String),
}

/// A body on its way.
pub(super) struct Unpacking {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// What came and is not unpacked yet, from this place on.
    packed: Vec<u8>,
    at: usize,
    /// Bytes that came, as far as they tell how it begins.
    begun: usize,
}

impl Unpacking {
    pub(super) fn new() -> Self {
        Self {
            decoder: MultiGzDecoder::new(Vec::new()),
            packed: Vec::new(),
            at: 0,
            begun: 0,
        }
    }

    /// Takes in a piece, once the last one is unpacked.
    pub(super) fn take(&mut self, piece: Vec<u8>) -> Result<(), GzipFault> {
        let unseen = MAGIC.get(self.begun..).unwrap_or_default();
        if unseen.iter().zip(&piece).any(|(magic, byte)| magic != byte) {
            return Err(GzipFault::Wrong("it does not begin as gzip".to_owned()));
        }
        self.begun = (self.begun + piece.len()).min(MAGIC.len());
        (self.packed, self.at) = (piece, 0);
        Ok(())
    }

    /// The next bytes of what was received; none if all of it is unpacked.
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

    /// What is left once the body has come to its end.
    pub(super) fn end(&mut self) -> Result<Option<Vec<u8>>, GzipFault> {
        if self.begun > 0 {
            // What came was sound as far as it went: only its end and its
            // checksum are looked at here.
            self.decoder.try_finish().map_err(|_| GzipFault::Cut)?;
        }
        Ok(self.unpacked())
    }

    fn unpacked(&mut self) -> Option<Vec<u8>> {
        let bytes = std::mem::take(self.decoder.get_mut());
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
