//! Finds the array at a path in a JSON text that comes piece by piece. Its elements are read one
//! by one; the text around it is kept.

use super::elements::{ArrayFault, Element, Elements, Quotes};

/// The most objects and arrays around an array that is found.
const DEEPEST: usize = 64;

/// A scan of a JSON text for the array at a path.
#[derive(Debug)]
pub(crate) struct Items {
    /// The names and the numbers on the way there.
    path: Vec<String>,
    /// The text with this array empty.
    around: Vec<u8>,
    /// The objects and arrays that are open, and the number of those further within.
    open: Vec<Open>,
    further: usize,
    quotes: Quotes,
    /// The index in `around` at which the last string begins.
    string: usize,
    /// The array that is being read.
    array: Option<Elements>,
    /// `true` once the outermost object or array has ended.
    is_whole: bool,
}

/// An object or an array that is open.
#[derive(Debug)]
enum Open {
    /// The object, and the member that is being read; `None` before its name.
    Object(Option<String>),
    /// The array, and the index of its element.
    Array(usize),
}

impl Items {
    /// The bytes of the text around that are held.
    pub(crate) fn held(&self) -> usize {
        self.around.len()
    }

    /// A scan for the array at this JSON pointer (RFC 6901).
    pub(crate) fn at(pointer: &str) -> Self {
        let part = |part: &str| part.replace("~1", "/").replace("~0", "~");
        Self {
            path: pointer.split('/').skip(1).map(part).collect(),
            around: Vec::new(),
            open: Vec::new(),
            further: 0,
            quotes: Quotes::default(),
            string: 0,
            array: None,
            is_whole: false,
        }
    }

    /// Scans the next piece up to the end of the outermost object or array; returns the text
    /// after it.
    pub(crate) fn take<'a>(
        &mut self,
        mut piece: &'a [u8],
        read: &mut impl FnMut(Element<'_>),
    ) -> &'a [u8] {
        while let Some((byte, after)) = piece.split_first() {
            if let Some(elements) = &mut self.array {
                piece = elements.take_array(piece, read);
                if elements.is_closed() {
                    self.array = None;
                    self.end(b']');
                }
                continue;
            }
            if self.is_whole {
                break;
            }
            piece = after;
            self.byte(*byte);
            if *byte == b'[' && !self.quotes.are_open() && self.is_found() {
                self.array = Some(Elements::default());
            }
        }
        piece
    }

    /// Scans a byte of the text around the arrays.
    fn byte(&mut self, byte: u8) {
        let was_open = self.quotes.are_open();
        if self.quotes.hold(byte) {
            if !was_open {
                self.string = self.around.len();
            }
            self.around.push(byte);
            if !self.quotes.are_open() {
                self.end_string();
            }
            return;
        }
        if matches!(byte, b'}' | b']') {
            return self.end(byte);
        }
        self.around.push(byte);
        let is_full = self.open.len() > DEEPEST;
        match (byte, self.open.last_mut()) {
            (b'{' | b'[', _) if is_full => self.further += 1,
            (b'{', _) => self.open.push(Open::Object(None)),
            (b'[', _) => self.open.push(Open::Array(0)),
            _ if self.further > 0 => {}
            (b',', Some(Open::Object(name))) => *name = None,
            (b',', Some(Open::Array(index))) => *index += 1,
            _ => {}
        }
    }

    fn end_string(&mut self) {
        if self.further == 0
            && let Some(Open::Object(name @ None)) = self.open.last_mut()
        {
            let written = self.around.get(self.string..).unwrap_or_default();
            *name = serde_json::from_slice(written).ok();
        }
    }

    /// Ends the innermost object or array with its bracket.
    fn end(&mut self, bracket: u8) {
        self.around.push(bracket);
        match self.further.checked_sub(1) {
            Some(further) => self.further = further,
            None => {
                self.open.pop();
                self.is_whole = self.open.is_empty();
            }
        }
    }

    /// `true` if the array that has begun is at the path.
    fn is_found(&self) -> bool {
        let is_part = |(open, part): (&Open, &String)| match open {
            Open::Object(name) => name.as_ref() == Some(part),
            Open::Array(index) => part.parse() == Ok(*index),
        };
        let way = self.open.split_last().filter(|_| self.further == 0);
        way.is_some_and(|(_, way)| {
            way.len() == self.path.len() && way.iter().zip(&self.path).all(is_part)
        })
    }

    /// The text with the array empty.
    ///
    /// # Errors
    /// The fault of the array.
    pub(crate) fn around(self) -> Result<Vec<u8>, ArrayFault> {
        let fault = self.array.and_then(|elements| elements.fault());
        fault.map_or(Ok(self.around), Err)
    }
}
