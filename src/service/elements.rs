//! The elements of a JSON array while it downloads, found by quotes and brackets
//! alone: what is between them, a parser reads. Memory holds no more than one
//! element, and of that no long string.

use serde_json::error::Category;

use crate::text;
use crate::track::field::LONGEST_VALUE;

/// So much of an array is scanned at once. No string within it is a long one.
const PART: usize = 64 << 10;
/// Bytes of a string in memory: a little more than is stored of a string, so that a cut
/// string is seen to be too long.
const LONGEST_TEXT: usize = LONGEST_VALUE + 16;
/// Bytes of an element in memory, its long strings cut: a larger element is no record, and
/// is not read.
pub(super) const LARGEST: usize = 4 << 20;
/// Bytes in memory of a larger element, to quote it.
const QUOTED: usize = 4 << 10;

/// A complete element.
#[derive(Debug, Clone, Copy)]
pub(super) enum Element<'a> {
    /// Its text, long strings cut.
    Text(&'a [u8]),
    /// The beginning of an element that is larger than [`LARGEST`].
    TooLarge(&'a [u8]),
}

/// A reader of elements.
pub(super) trait ReadElement {
    /// Reads the element at the start of `text`, if it is a usual one that ends there,
    /// and returns its length.
    fn read_usual(&mut self, text: &str) -> Option<usize>;

    /// Reads a complete element.
    fn read(&mut self, element: Element<'_>);
}

/// Why an array is not a whole one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArrayFault {
    /// The words of a parser.
    pub(super) why: String,
    /// The text is valid up to its end, and ends too early.
    pub(super) is_cut: bool,
}

impl ArrayFault {
    /// The fault of an array with an element that is no JSON.
    pub(super) fn of(error: &serde_json::Error) -> Self {
        Self {
            why: message(error),
            is_cut: error.classify() == Category::Eof,
        }
    }
}

/// A parser's message without its position, which counts from the start of the
/// record and does not help the user.
pub(super) fn message(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    if let Some(end) = message.find(" at line ") {
        message.truncate(end);
    }
    message
}

/// Why an element that is larger than [`LARGEST`] is not read.
pub(super) fn too_large() -> String {
    format!("larger than {}", text::bytes(LARGEST as u64))
}

/// The part of the text that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The array, after its opening bracket.
    Opened,
    /// The array, after a comma.
    Comma,
    /// The array, after an element.
    Element,
    /// An element that is a number or a literal.
    Scalar,
    /// An element that is a string, an object or an array.
    Nested,
    /// The text after the array.
    Closed,
    /// The text after an error of syntax.
    Wrong(&'static str),
}

/// The string that the next byte of an element belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Open,
    /// After a backslash.
    Escape,
}

/// The scan of an array, from the byte after its opening bracket.
#[derive(Debug)]
pub(super) struct Elements {
    place: Place,
    /// Objects and arrays that are open in the element.
    depth: usize,
    quote: Quote,
    /// The index in `held` at which its last string begins.
    string: usize,
    /// The beginning of an element that has not come to its end.
    held: Vec<u8>,
    is_too_large: bool,
}

impl Elements {
    pub(super) fn new() -> Self {
        Self {
            place: Place::Opened,
            depth: 0,
            quote: Quote::None,
            string: 0,
            held: Vec::new(),
            is_too_large: false,
        }
    }

    /// Scans the next piece of the array and has every element read that ends in it.
    pub(super) fn take(&mut self, piece: &[u8], reader: &mut impl ReadElement) {
        for part in piece.chunks(PART) {
            let text = text_at_start(part);
            let mut rest = part;
            while let Some((&byte, after)) = rest.split_first() {
                match self.place {
                    Place::Wrong(_) => return,
                    Place::Scalar | Place::Nested => match self.end_in(rest) {
                        Some(end) => {
                            let (element, after) = rest.split_at(end);
                            self.end(element, reader);
                            rest = after;
                        }
                        None => {
                            self.hold(rest);
                            break;
                        }
                    },
                    place => {
                        self.place = after_byte(place, byte);
                        if !matches!(self.place, Place::Scalar | Place::Nested) {
                            rest = after;
                        } else if let Some(text) = text.get(part.len() - rest.len()..)
                            && let Some(length) = reader.read_usual(text)
                        {
                            self.place = Place::Element;
                            rest = rest.get(length..).unwrap_or_default();
                        }
                    }
                }
            }
        }
    }

    /// The fault of the array after its last byte, if it has one.
    pub(super) fn fault(&self) -> Option<ArrayFault> {
        let (why, is_cut) = match self.place {
            Place::Closed => return None,
            Place::Wrong(why) => (why, false),
            Place::Nested if self.depth == 0 => ("EOF while parsing a string", true),
            Place::Nested => ("EOF while parsing a record", true),
            _ => ("EOF while parsing a list", true),
        };
        let why = why.to_owned();
        Some(ArrayFault { why, is_cut })
    }

    /// The index after the element, if it ends in these bytes.
    fn end_in(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.place == Place::Scalar {
            return bytes
                .iter()
                .position(|byte| b",]} \t\n\r{[:\"".contains(byte));
        }
        for (at, byte) in bytes.iter().enumerate() {
            match (self.quote, *byte) {
                (Quote::None, b'"') => {
                    self.quote = Quote::Open;
                    self.string = self.held.len() + at;
                    continue;
                }
                (Quote::None, b'{' | b'[') => self.depth += 1,
                (Quote::None, b'}' | b']') => self.depth -= 1,
                (Quote::Open, b'"') => self.quote = Quote::None,
                (Quote::Open, b'\\') => {
                    self.quote = Quote::Escape;
                    continue;
                }
                (Quote::Escape, _) => {
                    self.quote = Quote::Open;
                    continue;
                }
                _ => continue,
            }
            if self.depth == 0 && self.quote == Quote::None {
                return Some(at + 1);
            }
        }
        None
    }

    /// Has the element read whose last bytes these are.
    fn end(&mut self, bytes: &[u8], reader: &mut impl ReadElement) {
        self.place = Place::Element;
        if self.held.is_empty() {
            return reader.read(Element::Text(bytes));
        }
        self.hold(bytes);
        reader.read(if self.is_too_large {
            Element::TooLarge(&self.held)
        } else {
            Element::Text(&self.held)
        });
        self.held.clear();
        self.is_too_large = false;
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.is_too_large {
            return;
        }
        let known = self.held.len();
        self.held.extend_from_slice(bytes);
        let most = self.string + LONGEST_TEXT;
        if self.quote != Quote::None && self.held.len() >= most {
            self.held.truncate(most);
            if known < most {
                // Only its length is reported. So the escapes in it do not matter, but none
                // may be cut in two.
                let string = self.held.get_mut(self.string + 1..).unwrap_or_default();
                for byte in string {
                    if matches!(byte, b'"' | b'\\') {
                        *byte = b' ';
                    }
                }
            }
            if self.quote == Quote::Escape {
                self.held.push(b'\\');
            }
        }
        if self.held.len() > LARGEST {
            self.is_too_large = true;
            self.held.truncate(QUOTED);
            self.held.shrink_to_fit();
        }
    }
}

/// The longest part from the start that is UTF-8.
fn text_at_start(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_else(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        std::str::from_utf8(valid).unwrap_or_default()
    })
}

/// The place after a byte between elements, or at that byte if an element begins there.
fn after_byte(place: Place, byte: u8) -> Place {
    match (place, byte) {
        (place, b' ' | b'\t' | b'\n' | b'\r') => place,
        (Place::Opened | Place::Element, b']') => Place::Closed,
        (Place::Element, b',') => Place::Comma,
        (Place::Element, _) => Place::Wrong("expected `,` or `]`"),
        (Place::Closed, _) => Place::Wrong("trailing characters"),
        (Place::Comma, b']') => Place::Wrong("trailing comma"),
        (_, b'"' | b'{' | b'[') => Place::Nested,
        (_, b',' | b'}' | b':') => Place::Wrong("expected value"),
        _ => Place::Scalar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Found(Vec<String>);

    impl ReadElement for Found {
        fn read_usual(&mut self, text: &str) -> Option<usize> {
            let usual = text.strip_prefix("{}")?;
            self.0.push("usual".to_owned());
            Some(text.len() - usual.len())
        }

        fn read(&mut self, element: Element<'_>) {
            self.0.push(match element {
                Element::Text(text) => String::from_utf8_lossy(text).into_owned(),
                Element::TooLarge(_) => "too large".to_owned(),
            });
        }
    }

    fn elements(body: &[u8], size: usize) -> (Vec<String>, Option<ArrayFault>) {
        let (mut scan, mut found) = (Elements::new(), Found::default());
        for piece in body.chunks(size) {
            scan.take(piece, &mut found);
            let most = LARGEST.max(2 * LONGEST_TEXT) + PART;
            assert!(scan.held.len() <= most && scan.held.capacity() <= 2 * most);
        }
        (found.0, scan.fault())
    }

    #[test]
    fn elements_are_found_whatever_the_pieces() {
        let all = [
            "1",
            "\"a,]\\\"\"",
            "{\"a\":[\"}\"]}",
            "[[],{}]",
            "nul",
            "-",
            "{]",
            "\"\\\\\"",
        ];
        let body = format!("{} ]\n", all.join(" ,\t"));
        for size in [1, 2, 3, 7, body.len()] {
            assert_eq!(
                elements(body.as_bytes(), size),
                (all.map(str::to_owned).to_vec(), None)
            );
        }
        let (usual, fault) = elements(b"{} , {},{\"\xff\":1}]", 100);
        assert_eq!(
            (usual.join(" ").as_str(), fault),
            ("usual usual {\"\u{fffd}\":1}", None)
        );
    }

    #[test]
    fn of_a_long_string_a_part_is_held_that_is_one() {
        for part in [
            "y",
            "\\u00e9",
            "\\\\",
            "\\\"",
            "\u{e4}",
            "\u{1f6a2}",
            "a\\n",
        ] {
            for more in 0..7 {
                let long = format!("{}{}", "x".repeat(more), part.repeat(2 * LONGEST_TEXT));
                let body = format!("{{\"note\":\"{long}\",\"b\":2}},\"{long}\",7]");
                for size in [97, 10_007, PART, body.len()] {
                    let (found, fault) = elements(body.as_bytes(), size);
                    let [record, text, seven] = found.as_slice() else {
                        panic!("{part}: {}", found.len());
                    };
                    assert_eq!((seven.as_str(), fault), ("7", None));
                    let record: serde_json::Value = serde_json::from_str(record).unwrap();
                    assert!(record["note"].as_str().unwrap().len() > LONGEST_VALUE);
                    assert_eq!(record["b"], 2);
                    assert!(serde_json::from_str::<String>(text).is_ok());
                    assert!(text.len() < 2 * LONGEST_TEXT + PART);
                }
            }
        }
    }
}
