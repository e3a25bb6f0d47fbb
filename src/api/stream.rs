//! Parses a JSON array of records while it downloads. A usual record is parsed
//! in place in one pass; any other element is first collected byte by byte.
//! Memory holds neither the whole body nor more than one element.

use super::plain;
use super::records::{ArrayFault, NotRecordArray, Reading, parse};
use crate::text;

/// Most bytes stored of a body that is not an array, to describe it.
const KEPT: usize = 1 << 20;
/// Most bytes stored of an array, to quote it in an error.
const HEAD: usize = 4 << 10;

/// Parser state: what the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first significant character.
    Start,
    /// In a body that is not an array.
    Other,
    /// After the opening bracket.
    Opened,
    /// After a comma.
    Comma,
    /// In a number or a literal.
    Scalar,
    /// In a string, `depth` containers deep (0: the element itself); `escaped`:
    /// after a backslash.
    Text { depth: u32, escaped: bool },
    /// In an object or array, this many levels deep.
    Container { depth: u32 },
    /// After an element.
    Element,
    /// After the closing bracket.
    Closed,
    /// After a syntax error.
    Wrong(&'static str),
}

/// A body during its download.
#[derive(Debug)]
pub(super) struct ArrayStream {
    place: Place,
    head: Vec<u8>,
    /// The incomplete or unusual element that is being collected.
    element: Vec<u8>,
    reading: Reading,
}

impl Default for ArrayStream {
    fn default() -> Self {
        Self {
            place: Place::Start,
            head: Vec::new(),
            element: Vec::new(),
            reading: Reading::default(),
        }
    }
}

impl ArrayStream {
    /// The number of complete elements so far.
    pub(super) fn elements(&self) -> usize {
        self.reading.count()
    }

    /// Parses the next chunk.
    pub(super) fn take(&mut self, piece: &[u8]) {
        if self.place == Place::Start {
            // The kind of the body is known only from its first bytes together.
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
            self.walk(&rest);
            return;
        }
        let most = if self.place == Place::Other {
            KEPT
        } else {
            HEAD
        };
        let room = most.saturating_sub(self.head.len());
        if room > 0 {
            self.head
                .extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
        }
        self.walk(piece);
    }

    fn walk(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Wrong(_) | Place::Start | Place::Other => return,
                Place::Text { .. } | Place::Container { .. } | Place::Scalar => {
                    let end = self.within(bytes, at);
                    self.element
                        .extend_from_slice(bytes.get(at..end).unwrap_or_default());
                    at = end;
                    if self.place == Place::Element {
                        self.reading.read(&self.element);
                        self.element.clear();
                    }
                    continue;
                }
                Place::Opened | Place::Comma if byte == b'{' => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    if let Some((transmission, length)) = plain::record(rest) {
                        self.reading.plain(transmission);
                        self.place = Place::Element;
                        at += length;
                        continue;
                    }
                    self.place = Place::Container { depth: 1 };
                }
                place => self.place = between(place, byte),
            }
            if matches!(
                self.place,
                Place::Text { .. } | Place::Container { .. } | Place::Scalar
            ) {
                // The first byte of an element.
                self.element.push(byte);
            }
            at += 1;
        }
    }

    /// Continues an element from `at`. Returns the index at which the element
    /// or the chunk ends.
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
                // The byte that ends a number or literal is not a part of it.
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

    /// The content of the body after its last byte.
    pub(super) fn whole(self) -> Result<crate::track::Records, NotRecordArray> {
        let (why, cut) = match self.place {
            Place::Start | Place::Other => return parse(&self.head),
            Place::Closed => return self.reading.end(None, &self.head),
            Place::Wrong(why) => (why, false),
            Place::Text { depth: 0, .. } => ("EOF while parsing a string", true),
            Place::Text { .. } | Place::Container { .. } => ("EOF while parsing an object", true),
            _ => ("EOF while parsing a list", true),
        };
        let why = why.into();
        self.reading.end(Some(ArrayFault { why, cut }), &self.head)
    }
}

/// The kind of a body, from its first bytes.
enum Begins {
    /// An array; the index after its opening bracket.
    Array(usize),
    /// Anything else.
    Other,
}

/// The kind of a body; `None` if too few bytes have been received.
fn array_start(head: &[u8]) -> Option<Begins> {
    let mark = text::BYTE_ORDER_MARK;
    if head.len() < mark.len() && mark.starts_with(head) {
        return None;
    }
    let rest = text::without_byte_order_mark(head);
    let after = head.len() - rest.len();
    let blank = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count();
    match (rest.get(blank), rest.get(blank + 1)) {
        // A zero as second byte means UTF-16.
        (Some(b'['), Some(0)) => Some(Begins::Other),
        (Some(b'['), Some(_)) => Some(Begins::Array(after + blank + 1)),
        (Some(b'['), None) => None,
        (Some(_), _) => Some(Begins::Other),
        // A body of blanks is not stored beyond the limit either.
        (None, _) if head.len() > KEPT => Some(Begins::Other),
        (None, _) => None,
    }
}

/// The state after a byte between elements.
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

/// Parses a body in chunks of this size, as during a download.
///
/// # Errors
/// As [`parse`].
#[cfg(any(test, feature = "bench"))]
pub(crate) fn read_in_pieces(
    body: &[u8],
    size: usize,
) -> Result<crate::track::Records, NotRecordArray> {
    let mut array = ArrayStream::default();
    for piece in body.chunks(size.max(1)) {
        array.take(piece);
    }
    array.whole()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that both parsers agree, except on the position in messages.
    fn same(body: &[u8]) {
        let kind = |read: Result<crate::track::Records, NotRecordArray>| match read {
            Ok(records) => format!("{records:?}"),
            Err(NotRecordArray::Malformed { excerpt, .. }) => {
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
    fn of_a_large_body_no_more_than_an_element_is_held() {
        let record = r#"{"time_stamp":1790000000.5,"latitude":80.123456,"longitude":-10.5},"#;
        let odd = r#"{"time_stamp":1790000000.5,"latitude":80.123456,"longitude":-10.5,"x":[]},"#;
        let body = format!(
            "[{}{}]",
            [record, odd].concat().repeat(15_000),
            record.trim_end_matches(',')
        );
        let mut array = ArrayStream::default();
        for piece in body.as_bytes().chunks(50_000) {
            array.take(piece);
            assert!(array.element.capacity() < 1000 && array.head.len() <= HEAD + 50_000);
        }
        assert_eq!(array.elements(), 30_001);
        assert_eq!(array.whole().unwrap().transmissions.len(), 30_001);
    }

    proptest::proptest! {
        #[test]
        fn records_nearly_plain_read_the_same_in_pieces(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "{", "}", "[", "]", ",", ":", " ", "\"time_stamp\"", "\"latitude\"", "\"longitude\"", "\"x\"",
                "1", "-2.5", "1e3", "01", "null", "\"a\"", "\"\\n\"",
                r#"{"time_stamp":1,"latitude":2,"longitude":3}"#,
                r#"{"time_stamp":1,"latitude":2,"x":7,"longitude":3}"#,
            ]), 0..14)
        ) {
            same(parts.concat().as_bytes());
            same(format!("[{}]", parts.concat()).as_bytes());
        }
    }
}
