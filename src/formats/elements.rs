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

/// Tells what is within a string from what is not.
#[derive(Debug, Default)]
pub(crate) struct Quotes {
    is_open: bool,
    is_escaped: bool,
}

impl Quotes {
    /// `true` if the next byte is a part of a string, with the quotes around it.
    pub(crate) fn hold(&mut self, byte: u8) -> bool {
        let was_open = self.is_open;
        match byte {
            _ if std::mem::take(&mut self.is_escaped) => {}
            b'\\' => self.is_escaped = was_open,
            b'"' => self.is_open = !was_open,
            _ => {}
        }
        was_open || self.is_open
    }

    /// The place of the next byte that is more than a part of a value.
    fn next_sign(&self, bytes: &[u8]) -> Option<usize> {
        // Plain searches: to look at the state for each byte took a sixth of the time of a large
        // answer.
        match (self.is_escaped, self.is_open) {
            (true, _) => (!bytes.is_empty()).then_some(0),
            (_, true) => bytes.iter().position(|byte| matches!(byte, b'"' | b'\\')),
            (_, false) => (bytes.iter())
                .position(|byte| matches!(byte, b'"' | b',' | b'[' | b']' | b'{' | b'}')),
        }
    }

    /// `true` within a string.
    pub(crate) fn are_open(&self) -> bool {
        self.is_open
    }
}

/// The scan of an array, from the byte after its opening bracket.
#[derive(Debug, Default)]
pub(crate) struct Elements {
    /// Objects and arrays that are open in the element.
    depth: usize,
    quotes: Quotes,
    /// The beginning of an element whose end has not been received.
    buffer: Vec<u8>,
    is_too_large: bool,
    has_comma: bool,
    is_closed: bool,
    /// An element was empty.
    is_wrong: bool,
}

impl Elements {
    /// Scans the next piece of the array, and passes every element that ends in it to `read`;
    /// returns the text after the array.
    pub(crate) fn take_array<'a>(
        &mut self,
        mut piece: &'a [u8],
        read: &mut impl FnMut(Element<'_>),
    ) -> &'a [u8] {
        while !self.is_closed {
            if self.is_wrong {
                return &[];
            }
            let Some(end) = self.end_in(piece) else {
                self.buffer_bytes(piece);
                return &[];
            };
            let (element, rest) = piece.split_at(end);
            let (end, after) = rest.split_first().unwrap_or((&b',', &[]));
            self.end(element, *end, read);
            piece = after;
        }
        piece
    }

    /// `true` once the array has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The fault of the array after its last byte, if it has one.
    pub(crate) fn fault(&self) -> Option<ArrayFault> {
        let why = match self.is_wrong {
            true => "expected value",
            false => "EOF while parsing a list",
        };
        (!self.is_closed).then(|| ArrayFault {
            why: why.to_owned(),
            is_cut: !self.is_wrong,
        })
    }

    /// The place of the byte that ends the element, if it is one of these.
    fn end_in(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut place = 0;
        loop {
            let rest = bytes.get(place..)?;
            place += self.quotes.next_sign(rest)?;
            if self.ends_at(*bytes.get(place)?) {
                return Some(place);
            }
            place += 1;
        }
    }

    /// `true` if a byte of the array ends its element.
    fn ends_at(&mut self, byte: u8) -> bool {
        match byte {
            byte if self.quotes.hold(byte) => {}
            b',' | b']' if self.depth == 0 => return true,
            b'{' | b'[' => self.depth += 1,
            // What closes nothing is for the parser to find.
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        false
    }

    /// Passes the element that ends with these bytes to `read`; `end` is the byte after it.
    fn end(&mut self, bytes: &[u8], end: u8, read: &mut impl FnMut(Element<'_>)) {
        let is_whole = self.buffer.is_empty() && bytes.len() <= LARGEST;
        if !is_whole {
            self.buffer_bytes(bytes);
        }
        let text = without_blanks(if is_whole { bytes } else { &self.buffer });
        if self.is_too_large {
            read(Element::TooLarge(text));
        } else if !text.is_empty() {
            read(Element::Text(text));
        } else {
            // An array may be empty, an element may not.
            self.is_wrong = self.has_comma || end == b',';
        }
        self.is_closed = end == b']' && !self.is_wrong;
        self.has_comma = true;
        self.is_too_large = false;
        self.buffer.clear();
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

fn without_blanks(text: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !is_blank(*byte);
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |end| end + 1);
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(body: &[u8], size: usize) -> (Vec<String>, Option<ArrayFault>) {
        let (mut scan, mut found) = (Elements::default(), Vec::new());
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
