//! Finds the elements of a JSON array while it downloads, by quotes and brackets only: a
//! parser reads each element. The buffer has at most one element, with long strings cut.

use serde_json::error::Category;

use crate::text;
use crate::track::field::LONGEST_VALUE;

/// Bytes of an array that are scanned at once. A string within them is never too long.
const PART: usize = 64 << 10;
/// Bytes of a string that are buffered: a few more than a stored value may have, so that a
/// cut string is still recognised as too long.
const LONGEST_TEXT: usize = LONGEST_VALUE + 16;
/// Bytes of an element that are buffered, its long strings cut. A larger element cannot be
/// a record and is not parsed.
pub(crate) const LARGEST: usize = 4 << 20;
/// Bytes of a larger element that are buffered, to quote it.
const QUOTED: usize = 4 << 10;

/// A complete element.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Element<'a> {
    /// Its text, long strings cut.
    Text(&'a [u8]),
    /// The beginning of an element that is larger than [`LARGEST`].
    TooLarge(&'a [u8]),
}

/// A reader of elements.
pub(crate) trait ReadElement {
    /// Reads the element at the start of `text` if it is a usual record that ends within
    /// it, and returns its length.
    fn read_usual(&mut self, text: &str) -> Option<usize>;

    /// Reads a complete element.
    fn read(&mut self, element: Element<'_>);
}

/// Why an array is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayFault {
    /// The message, in the words of `serde_json`.
    pub(crate) why: String,
    /// `true` if the text is valid so far, and ends too early.
    pub(crate) is_cut: bool,
}

impl ArrayFault {
    /// The fault of an array with an element that is no JSON.
    pub(crate) fn new(error: &serde_json::Error) -> Self {
        Self {
            why: message(error),
            is_cut: error.classify() == Category::Eof,
        }
    }

    /// The fault of JSON after whose end there is more.
    pub(crate) fn after() -> Self {
        Self {
            why: "trailing characters".to_owned(),
            is_cut: false,
        }
    }
}

/// A parser's message without its position, which counts from the start of the
/// record and does not help the user.
pub(crate) fn message(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    if let Some(end) = message.find(" at line ") {
        message.truncate(end);
    }
    message
}

/// Why an element that is larger than [`LARGEST`] is not read.
pub(crate) fn too_large() -> String {
    format!("larger than {}", text::bytes(LARGEST as u64))
}

/// The part of the text that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
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
pub(crate) struct Elements {
    state: State,
    /// Objects and arrays that are open in the element.
    depth: usize,
    quote: Quote,
    /// The index in `buffer` at which the last string begins.
    string: usize,
    /// The beginning of an element whose end has not been received.
    buffer: Vec<u8>,
    is_too_large: bool,
    /// Bytes of an element that are buffered.
    largest: usize,
}

impl Elements {
    /// A scan that reads no element larger than so many bytes.
    pub(crate) fn up_to(largest: usize) -> Self {
        Self {
            largest,
            state: State::Opened,
            depth: 0,
            quote: Quote::None,
            string: 0,
            buffer: Vec::new(),
            is_too_large: false,
        }
    }

    /// Scans the next piece of the array, and passes every element that ends in it to `reader`;
    /// returns the text after the array.
    pub(crate) fn take_array<'a>(
        &mut self,
        piece: &'a [u8],
        reader: &mut impl ReadElement,
    ) -> &'a [u8] {
        let mut before = 0;
        for part in piece.chunks(PART) {
            let text = text_at_start(part);
            let mut rest = part;
            before += part.len();
            while let Some((&byte, after)) = rest.split_first() {
                match self.state {
                    State::Wrong(_) => return &[],
                    State::Closed => return piece.get(before - rest.len()..).unwrap_or_default(),
                    State::Scalar | State::Nested => match self.end_in(rest) {
                        Some(end) => {
                            let (element, after) = rest.split_at(end);
                            self.end(element, reader);
                            rest = after;
                        }
                        None => {
                            self.buffer_bytes(rest);
                            break;
                        }
                    },
                    state => {
                        self.state = after_byte(state, byte);
                        if !matches!(self.state, State::Scalar | State::Nested) {
                            rest = after;
                        } else if let Some(text) = text.get(part.len() - rest.len()..)
                            && let Some(length) = reader.read_usual(text)
                        {
                            self.state = State::Element;
                            rest = rest.get(length..).unwrap_or_default();
                        }
                    }
                }
            }
        }
        &[]
    }

    /// `true` after an error of syntax.
    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self.state, State::Wrong(_))
    }

    /// `true` once the array has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// The fault of the array after its last byte, if it has one.
    pub(crate) fn fault(&self) -> Option<ArrayFault> {
        let (why, is_cut) = match self.state {
            State::Closed => return None,
            State::Wrong(why) => (why, false),
            State::Nested if self.depth == 0 => ("EOF while parsing a string", true),
            State::Nested => ("EOF while parsing a record", true),
            _ => ("EOF while parsing a list", true),
        };
        let why = why.to_owned();
        Some(ArrayFault { why, is_cut })
    }

    /// The index after the element, if it ends in these bytes.
    fn end_in(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.state == State::Scalar {
            return bytes
                .iter()
                .position(|byte| b",]} \t\n\r{[:\"".contains(byte));
        }
        for (at, byte) in bytes.iter().enumerate() {
            match (self.quote, *byte) {
                (Quote::None, b'"') => {
                    self.quote = Quote::Open;
                    self.string = self.buffer.len() + at;
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

    /// Passes the element that ends with these bytes to `reader`.
    fn end(&mut self, bytes: &[u8], reader: &mut impl ReadElement) {
        self.state = State::Element;
        if self.buffer.is_empty() {
            return reader.read(Element::Text(bytes));
        }
        self.buffer_bytes(bytes);
        reader.read(if self.is_too_large {
            Element::TooLarge(&self.buffer)
        } else {
            Element::Text(&self.buffer)
        });
        self.buffer.clear();
        self.is_too_large = false;
    }

    fn buffer_bytes(&mut self, bytes: &[u8]) {
        if self.is_too_large {
            return;
        }
        let known = self.buffer.len();
        self.buffer.extend_from_slice(bytes);
        let most = self.string + LONGEST_TEXT;
        if self.quote != Quote::None && self.buffer.len() >= most {
            self.buffer.truncate(most);
            if known < most {
                // Only the length of this string is reported, so its escapes may be
                // replaced. They must be: no escape may be cut in two.
                let string = self.buffer.get_mut(self.string + 1..).unwrap_or_default();
                for byte in string {
                    if matches!(byte, b'"' | b'\\') {
                        *byte = b' ';
                    }
                }
            }
            if self.quote == Quote::Escape {
                self.buffer.push(b'\\');
            }
        }
        if self.buffer.len() > self.largest {
            self.is_too_large = true;
            self.buffer.truncate(QUOTED);
            self.buffer.shrink_to_fit();
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

/// `true` for a byte that JSON has between values.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The state after a byte between elements, or at that byte if it begins an element.
fn after_byte(state: State, byte: u8) -> State {
    match (state, byte) {
        (state, byte) if is_blank(byte) => state,
        (State::Opened | State::Element, b']') => State::Closed,
        (State::Element, b',') => State::Comma,
        (State::Element, _) => State::Wrong("expected `,` or `]`"),
        (State::Comma, b']') => State::Wrong("trailing comma"),
        (_, b'"' | b'{' | b'[') => State::Nested,
        (_, b',' | b'}' | b':') => State::Wrong("expected value"),
        _ => State::Scalar,
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
        let (mut scan, mut found) = (Elements::up_to(LARGEST), Found::default());
        for piece in body.chunks(size) {
            scan.take_array(piece, &mut found);
            let most = LARGEST.max(2 * LONGEST_TEXT) + PART;
            assert!(scan.buffer.len() <= most && scan.buffer.capacity() <= 2 * most);
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
