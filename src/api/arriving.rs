//! A JSON array understood while it arrives: its elements are told apart byte by
//! byte and read in batches on another thread, so that neither the body nor
//! more than a few batches are ever held.

use super::records::{NotRecords, Reading, parse};

/// Bytes of a batch at least; it ends with an element.
const BATCH: usize = 256 << 10;
/// So much of an answer that is no array is kept, to say what it is.
const KEPT: usize = 1 << 20;
/// So much of an array is kept, to show where it goes wrong.
const HEAD: usize = 4 << 10;

/// Elements one after the other, and where each begins and ends.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    bounds: Vec<(usize, usize)>,
}

impl Batch {
    /// The texts of its elements.
    pub(super) fn elements(&self) -> impl Iterator<Item = &[u8]> {
        self.bounds
            .iter()
            .filter_map(|&(from, to)| self.bytes.get(from..to))
    }
}

/// Where in the text the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first character that tells what this is.
    Start,
    /// In something that is no array.
    Other,
    /// After the opening bracket.
    Opened,
    /// After a comma.
    Comma,
    /// In a number, a word or what else is no string and no container.
    Scalar,
    /// In a string that is an element, or in one within a container of so many
    /// levels; whether the next character is escaped.
    Text { depth: u32, escaped: bool },
    /// In an object or array, this many levels deep.
    Container { depth: u32 },
    /// After an element.
    Element,
    /// After the closing bracket.
    Closed,
    /// After something that cannot stand where it stood.
    Wrong(&'static str),
}

/// A body on its way.
#[derive(Debug)]
pub(super) struct Arriving {
    place: Place,
    head: Vec<u8>,
    batch: Batch,
    /// Where the element under way begins in the batch.
    from: usize,
    elements: u64,
}

impl Default for Arriving {
    fn default() -> Self {
        Self {
            place: Place::Start,
            head: Vec::new(),
            batch: Batch::default(),
            from: 0,
            elements: 0,
        }
    }
}

impl Arriving {
    /// Elements that have come whole so far.
    pub(super) fn elements(&self) -> u64 {
        self.elements
    }

    /// Takes in a piece; a batch is given to `full` when there is one.
    pub(super) fn take(&mut self, piece: &[u8], mut full: impl FnMut(Batch)) {
        if self.place == Place::Start {
            // What this is can be told only by its first bytes together.
            self.head.extend_from_slice(piece);
            let Some(start) = array_start(&self.head) else {
                return;
            };
            self.place = match start {
                Begins::Array(_) => Place::Opened,
                Begins::Other => Place::Other,
            };
            let Begins::Array(from) = start else {
                return;
            };
            let rest = self.head.get(from..).unwrap_or_default().to_vec();
            self.head.truncate(HEAD);
            self.walk_in_parts(&rest, &mut full);
            return;
        }
        if self.place == Place::Other {
            let room = KEPT.saturating_sub(self.head.len());
            self.head
                .extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
            return;
        }
        let room = HEAD.saturating_sub(self.head.len());
        if room > 0 {
            self.head
                .extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
        }
        self.walk_in_parts(piece, &mut full);
    }

    /// A large piece is walked in parts, so that a batch stays small.
    fn walk_in_parts(&mut self, piece: &[u8], full: &mut impl FnMut(Batch)) {
        for part in piece.chunks(BATCH) {
            self.walk(part);
            self.flush(full);
        }
    }

    fn flush(&mut self, full: &mut impl FnMut(Batch)) {
        if self.batch.bytes.len() < BATCH || self.batch.bounds.is_empty() {
            return;
        }
        // The element under way goes on in the next batch.
        let begun = self
            .batch
            .bytes
            .split_off(self.from.min(self.batch.bytes.len()));
        let mut next = Batch {
            bytes: Vec::with_capacity(BATCH + (BATCH >> 2)),
            bounds: Vec::with_capacity(self.batch.bounds.len() + 16),
        };
        next.bytes.extend_from_slice(&begun);
        self.from = 0;
        full(std::mem::replace(&mut self.batch, next));
    }

    fn walk(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Wrong(_) | Place::Start | Place::Other => return,
                Place::Text { .. } | Place::Container { .. } | Place::Scalar => {
                    let end = self.within(bytes, at);
                    self.batch
                        .bytes
                        .extend_from_slice(bytes.get(at..end).unwrap_or_default());
                    at = end;
                    if self.place == Place::Element {
                        self.batch.bounds.push((self.from, self.batch.bytes.len()));
                        self.from = self.batch.bytes.len();
                        self.elements += 1;
                    }
                    continue;
                }
                place => self.place = between(place, byte),
            }
            if matches!(
                self.place,
                Place::Text { .. } | Place::Container { .. } | Place::Scalar
            ) {
                // The first byte of an element.
                self.from = self.batch.bytes.len();
                self.batch.bytes.push(byte);
            }
            at += 1;
        }
    }

    /// Goes on within an element from `at`; the answer is where it, or the piece,
    /// ends.
    fn within(&mut self, bytes: &[u8], at: usize) -> usize {
        let mut end = at;
        while let Some(&byte) = bytes.get(end) {
            match &mut self.place {
                Place::Text { depth, escaped } => match byte {
                    _ if *escaped => *escaped = false,
                    b'\\' => *escaped = true,
                    b'"' if *depth == 0 => {
                        self.place = Place::Element;
                        return end + 1;
                    }
                    b'"' => self.place = Place::Container { depth: *depth },
                    _ => {}
                },
                Place::Container { depth } => match byte {
                    b'"' => {
                        self.place = Place::Text {
                            depth: *depth,
                            escaped: false,
                        };
                    }
                    b'{' | b'[' => *depth = depth.saturating_add(1),
                    b'}' | b']' => {
                        *depth -= 1;
                        if *depth == 0 {
                            self.place = Place::Element;
                            return end + 1;
                        }
                    }
                    _ => {}
                },
                // A number or word: what ends it is no part of it.
                _ => {
                    if b",]} \t\n\r{[:\"".contains(&byte) {
                        self.place = Place::Element;
                        return end;
                    }
                }
            }
            end += 1;
        }
        end
    }

    /// The last batch, once the body has come whole.
    pub(super) fn rest(&mut self) -> Batch {
        if self.place == Place::Scalar {
            // Nothing can follow: the array is not closed.
            self.place = Place::Wrong("EOF while parsing a list");
        }
        std::mem::take(&mut self.batch)
    }

    /// What the body is, with what was read of its elements.
    pub(super) fn whole(self, reading: Reading) -> Result<crate::track::Records, NotRecords> {
        let why = match self.place {
            Place::Start | Place::Other => return parse(&self.head),
            Place::Closed => "",
            Place::Wrong(why) => why,
            Place::Text { depth: 0, .. } => "EOF while parsing a string",
            Place::Text { .. } | Place::Container { .. } => "EOF while parsing an object",
            _ => "EOF while parsing a list",
        };
        reading.end(why, &self.head)
    }
}

/// What a body begins as.
enum Begins {
    /// An array, whose bracket stands before this place.
    Array(usize),
    /// Anything else.
    Other,
}

/// What a body begins as; none where too little of it has come.
fn array_start(head: &[u8]) -> Option<Begins> {
    let mark = b"\xef\xbb\xbf";
    if head.len() < mark.len() && mark.starts_with(head) {
        return None;
    }
    let after = if head.starts_with(mark) {
        mark.len()
    } else {
        0
    };
    let rest = head.get(after..).unwrap_or_default();
    let blank = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count();
    match (rest.get(blank), rest.get(blank + 1)) {
        // A second byte of 0 is UTF-16.
        (Some(b'['), Some(0)) => Some(Begins::Other),
        (Some(b'['), Some(_)) => Some(Begins::Array(after + blank + 1)),
        (Some(b'['), None) => None,
        (Some(_), _) => Some(Begins::Other),
        // A body of blanks alone is kept no longer than any other.
        (None, _) if head.len() > KEPT => Some(Begins::Other),
        (None, _) => None,
    }
}

/// The place after a byte between elements.
fn between(place: Place, byte: u8) -> Place {
    if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
        return place;
    }
    match (place, byte) {
        (Place::Opened, b']') | (Place::Element, b']') => Place::Closed,
        (Place::Element, b',') => Place::Comma,
        (Place::Element, _) => Place::Wrong("expected `,` or `]`"),
        (Place::Closed, _) => Place::Wrong("trailing characters"),
        (Place::Comma, b']') => Place::Wrong("trailing comma"),
        (_, b'"') => Place::Text {
            depth: 0,
            escaped: false,
        },
        (_, b'{' | b'[') => Place::Container { depth: 1 },
        (_, b',' | b'}' | b':') => Place::Wrong("expected value"),
        _ => Place::Scalar,
    }
}

/// Reads a whole body at once, as it would be read while it arrives.
#[cfg(test)]
pub(super) fn read_in_pieces(
    body: &[u8],
    size: usize,
) -> Result<crate::track::Records, NotRecords> {
    let mut arriving = Arriving::default();
    let mut reading = Reading::default();
    for piece in body.chunks(size.max(1)) {
        arriving.take(piece, |batch| reading.read(&batch));
    }
    let rest = arriving.rest();
    reading.read(&rest);
    arriving.whole(reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both ways of reading say, without the words of where it goes wrong.
    fn same(body: &[u8]) {
        let kind = |read: Result<crate::track::Records, NotRecords>| match read {
            Ok(records) => format!("{records:?}"),
            Err(NotRecords::Malformed { excerpt, .. }) => {
                format!("malformed: {excerpt}")
            }
            Err(other) => format!("{other:?}"),
        };
        let expected = kind(parse(body));
        for size in [1, 2, 3, 7, 64, body.len().max(1)] {
            assert_eq!(
                kind(read_in_pieces(body, size)),
                expected,
                "{:?} in pieces of {size}",
                String::from_utf8_lossy(body)
            );
        }
    }

    #[test]
    fn every_kind_of_body_reads_as_it_does_when_it_is_held_whole() {
        const ONE: &str = r#"{"time_stamp":1,"latitude":2,"longitude":3}"#;
        for body in [
            "",
            " ",
            "[",
            "[]",
            " [ ] ",
            "[1,",
            "[1",
            "[1]x",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[{]",
            "[}",
            "{}",
            "null",
            "<html><title>x</title>",
            "\u{feff}[]",
            "[\"]\",\"\\\"\",[[]],{\"a\":\"}\"}]",
            "[nul]",
            "[1e999,-0,0x1]",
            "[\"a",
            "[{\"a\":1",
            "[[1,2],3]]",
            "{\"error\":1,\"message\":\"m\"}",
            "[\"\\",
            "[tru e]",
            "]",
            "[:]",
        ] {
            same(body.as_bytes());
        }
        same(format!("[{ONE},{ONE} , null,{{\"time_stamp\":1e999}},{ONE}]").as_bytes());
        same(b"[\x00");
        same(b"[\xff]");
        same(b"[\"\xff\"]");
        same(b"\xef\xbb");
        same(b"\xff\xfe[\x00");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_read_the_same_in_pieces(body in proptest::collection::vec(proptest::sample::select(b"[]{}\",:\\ 10e-.ntf\xffax".to_vec()), 0..60)) {
            same(&body);
            same(&[b"[", &body[..]].concat());
        }
    }

    #[test]
    fn a_large_body_comes_in_batches_and_none_is_lost() {
        let record = r#"{"time_stamp":1790000000.5,"latitude":80.123456,"longitude":-10.5},"#;
        let body = format!(
            "[{}{}]",
            record.repeat(30_000),
            record.trim_end_matches(',')
        );
        let mut arriving = Arriving::default();
        let (mut reading, mut batches, mut largest) = (Reading::default(), 0, 0);
        for piece in body.as_bytes().chunks(5_000_000) {
            arriving.take(piece, |batch| {
                batches += 1;
                largest = largest.max(batch.bytes.len());
                reading.read(&batch);
            });
        }
        let rest = arriving.rest();
        reading.read(&rest);
        assert_eq!(arriving.elements(), 30_001);
        assert_eq!(arriving.whole(reading).unwrap().transmissions.len(), 30_001);
        assert!(batches >= 4 && largest < 3 * BATCH, "{batches} {largest}");
    }
}
