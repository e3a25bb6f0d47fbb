//! Parses a JSON array of records while it downloads. A usual record is parsed
//! in place in one pass; any other element is first collected byte by byte.
//! Memory holds neither the whole body nor more than one element.

use super::plain::NotPlain;
use super::records::{ArrayFault, NotRecordArray, Reading, parse};
use crate::text;
use crate::track::field::{FieldChoice, LONGEST_VALUE};

/// Most bytes stored of a body that is not an array, to describe it.
const KEPT: usize = 1 << 20;
/// Most bytes stored of an array, to quote it in an error.
const HEAD: usize = 4 << 10;
/// So much of a string within an element is held: a little more than is kept of
/// it, so that one that was cut is seen to be too long.
const LONGEST_TEXT: usize = LONGEST_VALUE + 16;
/// So much of an element is held, its long strings cut: a larger one is no
/// record, and is not read.
const LARGEST: usize = 4 << 20;

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
    element: Element,
    /// The incomplete string within it.
    string: LongString,
    reading: Reading,
}

/// An incomplete element, as far as it is held.
#[derive(Debug, Default)]
struct Element {
    held: Vec<u8>,
    /// Whether more was received than is held.
    is_too_large: bool,
    /// Whether a chunk ended within a record that was usual so far.
    is_cut: bool,
}

impl Element {
    fn push(&mut self, bytes: &[u8]) {
        if self.is_too_large {
            return;
        }
        self.held.extend_from_slice(bytes);
        if self.held.len() > LARGEST {
            self.is_too_large = true;
            self.held.truncate(HEAD);
            self.held.shrink_to_fit();
        }
    }

    /// Parses a complete element.
    fn end(&mut self, reading: &mut Reading) {
        let cut = self.is_cut.then(|| std::str::from_utf8(&self.held));
        if self.is_too_large {
            reading.too_large(&self.held, LARGEST as u64);
        } else if !matches!(cut, Some(Ok(text)) if reading.plain(text).is_ok()) {
            reading.read(&self.held);
        }
        self.held.clear();
        (self.is_too_large, self.is_cut) = (false, false);
    }
}

/// An incomplete string within an element.
#[derive(Debug, Default)]
struct LongString {
    bytes: usize,
    /// Bytes since the backslash of its last escape.
    since_escape: usize,
    /// Whether the rest of it is skipped.
    is_cut: bool,
}

impl LongString {
    /// Whether it is too long, and what is held of it would be whole: neither
    /// an escape (of six bytes at most) nor a character is cut in two.
    fn may_be_cut_before(&self, byte: u8, starts_escape: bool) -> bool {
        self.bytes >= LONGEST_TEXT
            && (starts_escape || (self.since_escape >= 5 && byte & 0xc0 != 0x80))
    }
}

impl Default for ArrayStream {
    fn default() -> Self {
        Self {
            place: Place::Start,
            head: Vec::new(),
            element: Element::default(),
            string: LongString::default(),
            reading: Reading::default(),
        }
    }
}

impl ArrayStream {
    /// A body of which only these fields are kept.
    pub(super) fn of_fields(asked: Option<&FieldChoice>) -> Self {
        Self {
            reading: Reading::of_fields(asked),
            ..Self::default()
        }
    }

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
        // A part that is known to be UTF-8, and where it begins.
        let (mut from, mut text) = (0, "");
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Wrong(_) | Place::Start | Place::Other => return,
                Place::Text { .. } | Place::Container { .. } | Place::Scalar => {
                    at = self.within(bytes, at);
                    if self.place == Place::Element {
                        self.element.end(&mut self.reading);
                    }
                    continue;
                }
                Place::Opened | Place::Comma if byte == b'{' => {
                    if at >= from + text.len() {
                        from = at;
                        text = text_at_start(bytes.get(at..).unwrap_or_default());
                    }
                    match self
                        .reading
                        .plain(text.get(at - from..).unwrap_or_default())
                    {
                        Ok(length) => {
                            self.place = Place::Element;
                            at += length;
                            continue;
                        }
                        Err(why) => self.element.is_cut = why == NotPlain::Cut,
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
                self.element.push(&[byte]);
            }
            at += 1;
        }
    }

    /// Continues an element from `at` and holds what is needed of it. Returns
    /// the index at which the element or the chunk ends.
    fn within(&mut self, bytes: &[u8], at: usize) -> usize {
        let mut end = at;
        // From here on it is held; nowhere in the rest of a long string.
        let mut from = (!self.string.is_cut).then_some(at);
        while let Some(&byte) = bytes.get(end) {
            let mut ends_with_it = false;
            match &mut self.place {
                Place::Text { depth, escaped } => {
                    let closes = byte == b'"' && !*escaped;
                    if closes {
                        self.string = LongString::default();
                        from.get_or_insert(end);
                        ends_with_it = *depth == 0;
                        self.place = match *depth {
                            0 => Place::Element,
                            depth => Place::Container { depth },
                        };
                    } else {
                        let starts_escape = byte == b'\\' && !*escaped;
                        if let Some(begin) = from
                            && self.string.may_be_cut_before(byte, starts_escape)
                        {
                            self.element.push(bytes.get(begin..end).unwrap_or_default());
                            self.string.is_cut = true;
                            from = None;
                        }
                        self.string.bytes += 1;
                        self.string.since_escape += 1;
                        if starts_escape {
                            self.string.since_escape = 0;
                        }
                        *escaped = starts_escape;
                    }
                }
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
                            ends_with_it = true;
                        }
                    }
                    _ => {}
                },
                // The byte that ends a number or literal is not a part of it.
                _ => {
                    if b",]} \t\n\r{[:\"".contains(&byte) {
                        self.place = Place::Element;
                        break;
                    }
                }
            }
            end += 1;
            if ends_with_it {
                break;
            }
        }
        if let Some(begin) = from {
            self.element.push(bytes.get(begin..end).unwrap_or_default());
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
            Place::Text { .. } | Place::Container { .. } => ("EOF while parsing a record", true),
            _ => ("EOF while parsing a list", true),
        };
        let why = why.into();
        self.reading.end(Some(ArrayFault { why, cut }), &self.head)
    }
}

/// The longest part from the start that is UTF-8.
fn text_at_start(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        std::str::from_utf8(valid).unwrap_or_default()
    })
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
mod tests;
