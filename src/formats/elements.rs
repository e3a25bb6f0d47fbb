//! Finds the elements of a JSON array while it downloads, by quotes and brackets only: a
//! parser reads each element. The buffer has at most one element.

use serde_json::error::Category;

use crate::text;

/// Bytes of an element that are buffered. A larger element cannot be a record and is not
/// parsed.
pub(crate) const LARGEST: usize = 4 << 20;
/// Bytes of a larger element that are buffered, to quote it.
const QUOTED: usize = 4 << 10;

/// A complete element.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Element<'a> {
    /// Its text.
    Text(&'a [u8]),
    /// The beginning of an element that is larger than [`LARGEST`].
    TooLarge(&'a [u8]),
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
    /// The beginning of an element whose end has not been received.
    buffer: Vec<u8>,
    is_too_large: bool,
}

impl Elements {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Opened,
            depth: 0,
            quote: Quote::None,
            buffer: Vec::new(),
            is_too_large: false,
        }
    }

    /// Scans the next piece of the array, and passes every element that ends in it to `read`;
    /// returns the text after the array.
    pub(crate) fn take_array<'a>(
        &mut self,
        piece: &'a [u8],
        read: &mut impl FnMut(Element<'_>),
    ) -> &'a [u8] {
        let mut rest = piece;
        while let Some((&byte, after)) = rest.split_first() {
            match self.state {
                State::Wrong(_) => return &[],
                State::Closed => return rest,
                State::Scalar | State::Nested => match self.end_in(rest) {
                    Some(end) => {
                        let (element, after) = rest.split_at(end);
                        self.end(element, read);
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
                    }
                }
            }
        }
        &[]
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

    /// Passes the element that ends with these bytes to `read`.
    fn end(&mut self, bytes: &[u8], read: &mut impl FnMut(Element<'_>)) {
        self.state = State::Element;
        if self.buffer.is_empty() && bytes.len() <= LARGEST {
            return read(Element::Text(bytes));
        }
        self.buffer_bytes(bytes);
        read(if self.is_too_large {
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
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > LARGEST {
            self.is_too_large = true;
            self.buffer.truncate(QUOTED);
            self.buffer.shrink_to_fit();
        }
    }
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

    fn elements(body: &[u8], size: usize) -> (Vec<String>, Option<ArrayFault>) {
        let (mut scan, mut found) = (Elements::new(), Vec::new());
        for piece in body.chunks(size) {
            scan.take_array(piece, &mut |element| {
                found.push(match element {
                    Element::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    Element::TooLarge(_) => "too large".to_owned(),
                });
            });
            let most = LARGEST + size;
            assert!(scan.buffer.len() <= LARGEST && scan.buffer.capacity() <= 2 * most);
        }
        (found, scan.fault())
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
    }

    #[test]
    fn of_an_element_that_is_too_large_the_beginning_is_held() {
        let body = format!("{{\"note\":\"{}\"}},7]", "x".repeat(2 * LARGEST));
        for size in [10_007, 1 << 20, body.len()] {
            let (found, fault) = elements(body.as_bytes(), size);
            assert_eq!((found.join(" ").as_str(), fault), ("too large 7", None));
        }
    }
}
