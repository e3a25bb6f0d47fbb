//! A table's text with a bound on its lines: one without an end would fill the
//! memory before anything of it could be judged.

use std::io::{self, Read};

/// Bytes that a line may have, including the lines over which a quoted field continues.
const LONGEST_LINE: usize = 64 << 10;

/// A line is longer than a table may have.
#[derive(Debug, thiserror::Error)]
#[error("line {line} is longer than 64 kB")]
pub(super) struct LongLine {
    /// The line, counted from 1.
    pub(super) line: u64,
}

/// The state of the reading in a line (RFC 4180).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    FieldStart,
    Plain,
    Quoted,
    /// Behind a quote within quotes: the end of the field, or the first of two.
    AfterQuote,
}

/// A reader that fails at a line that is too long.
#[derive(Debug)]
pub(crate) struct Bounded<R> {
    inner: R,
    place: Place,
    /// Bytes of this line so far.
    length: usize,
    /// The line in which this one began, and the lines so far; from 1.
    began: u64,
    line: u64,
}

impl<R> Bounded<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self {
            inner,
            place: Place::FieldStart,
            length: 0,
            began: 1,
            line: 1,
        }
    }

    fn take(&mut self, byte: u8) -> io::Result<()> {
        self.length += 1;
        if self.length > LONGEST_LINE {
            let long = LongLine { line: self.began };
            return Err(io::Error::new(io::ErrorKind::InvalidData, long));
        }
        if byte == b'\n' {
            self.line += 1;
        }
        self.place = match (self.place, byte) {
            (Place::Quoted, b'"') => Place::AfterQuote,
            (Place::Quoted, _) => Place::Quoted,
            (Place::FieldStart | Place::AfterQuote, b'"') => Place::Quoted,
            (_, b',') => Place::FieldStart,
            (_, b'\n' | b'\r') => {
                self.length = 0;
                self.began = self.line;
                Place::FieldStart
            }
            _ => Place::Plain,
        };
        Ok(())
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let read = buffer.get(..count).unwrap_or_default();
        read.iter().try_for_each(|byte| self.take(*byte))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<usize, String> {
        let mut all = Vec::new();
        let read = Bounded::new(text.as_bytes()).read_to_end(&mut all);
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn a_line_is_bounded_and_a_file_is_not() {
        let most = format!("{}\n", "a".repeat(LONGEST_LINE - 1)).repeat(3);
        assert_eq!(read(&most), Ok(most.len()));
        let over = format!("id\n{}\n", "a".repeat(LONGEST_LINE + 1));
        assert_eq!(read(&over).unwrap_err(), "line 2 is longer than 64 kB");
        // A quote that is never closed makes all the rest one field.
        let open = format!("id\n\"{}", "a\n".repeat(LONGEST_LINE));
        assert_eq!(read(&open).unwrap_err(), "line 2 is longer than 64 kB");
        // One in the middle of a field opens nothing, and two are one.
        let inches = "7,5\" pot,\"a \"\"b\"\"\"\n".repeat(LONGEST_LINE);
        assert_eq!(read(&inches), Ok(inches.len()));
    }
}
