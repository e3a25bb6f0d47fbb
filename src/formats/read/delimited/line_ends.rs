//! The ends of lines, which are one character from here on: whatever they are, a line has its
//! number. Zeros are blanks: some loggers fill their cells up with them, and some disks a file
//! when the power was lost.

use std::io::{self, Read};

/// Reads a text whose lines end with CR and LF, or with CR, as one whose lines end with LF.
pub(super) struct LineEnds<R> {
    from: R,
    /// The last byte that was passed on.
    pub(super) last: u8,
    /// The CRs right before what is read next.
    held: usize,
    /// The bytes that were read and not passed on yet, from this place on.
    ready: Vec<u8>,
    place: usize,
}

impl<R> LineEnds<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            last: b'\n',
            held: 0,
            ready: Vec::new(),
            place: 0,
        }
    }

    /// Takes what was read: some programs write two CRs before the LF.
    fn take(&mut self, read: &[u8]) {
        self.ready.clear();
        self.place = 0;
        for byte in read {
            match byte {
                b'\r' => self.held += 1,
                b'\n' => {
                    self.held = 0;
                    self.ready.push(b'\n');
                }
                0 => {
                    self.end_lines();
                    self.ready.push(b' ');
                }
                byte => {
                    self.end_lines();
                    self.ready.push(*byte);
                }
            }
        }
    }

    fn passed_on(&mut self, buffer: &[u8], count: usize) -> usize {
        let passed = buffer.get(..count).unwrap_or_default();
        self.last = passed.last().copied().unwrap_or(self.last);
        count
    }

    fn end_lines(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.ready.extend(std::iter::repeat_n(b'\n', held));
    }
}

impl<R: Read> Read for LineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.ready.get(self.place..).unwrap_or_default();
            if !ready.is_empty() || buffer.is_empty() {
                let count = ready.read(buffer)?;
                self.place += count;
                return Ok(self.passed_on(buffer, count));
            }
            let count = self.from.read(buffer)?;
            let read = buffer.get(..count).unwrap_or_default();
            let is_plain = !read.contains(&b'\r') && !read.contains(&0);
            if self.held == 0 && is_plain {
                return Ok(self.passed_on(buffer, count));
            }
            self.take(read);
            if count == 0 {
                self.end_lines();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_a_line_is_one_character_in_any_pieces() {
        for (text, expected) in [
            ("a\nb\n", "a\nb\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\rb\r", "a\nb\n"),
            ("a\r\r\nb\r\r\n", "a\nb\n"),
            ("a\r\n\r\nb", "a\n\nb"),
            ("a\r\rb", "a\n\nb"),
            ("\r\n", "\n"),
            ("", ""),
            ("a\0\0,b\0\r\n\0c", "a  ,b \n c"),
        ] {
            for piece in 1..=text.len().max(1) {
                let pieces = text.as_bytes().chunks(piece);
                let from = pieces.fold(Box::new(io::empty()) as Box<dyn Read>, |before, piece| {
                    Box::new(before.chain(piece))
                });
                let mut read = Vec::new();
                LineEnds::new(from).read_to_end(&mut read).unwrap();
                assert_eq!(
                    String::from_utf8(read).unwrap(),
                    expected,
                    "{text:?} {piece}"
                );
            }
        }
    }
}
