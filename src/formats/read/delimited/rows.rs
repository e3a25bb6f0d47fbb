//! The rows of a table, cut from its text piece by piece.

use csv::StringRecord;
use csv_core::ReadRecordResult::{End, InputEmpty, OutputEndsFull, OutputFull, Record};

use crate::formats::elements::{LARGEST, too_large};
use crate::text;

/// Bytes of a row for which there is room at first.
const USUAL: usize = 1024;
/// Bytes of a row that is too large that are held, to quote it.
const QUOTED: usize = 4 << 10;
/// The most cells of a row.
const MOST_CELLS: usize = 64 << 10;

/// A row of a table.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) cells: StringRecord,
    /// The line of the text that it begins in, from 1 on.
    pub(crate) line: u64,
    /// `true` if it has bytes that are not UTF-8; these are replaced.
    pub(crate) is_garbled: bool,
    /// `true` if it is larger than [`LARGEST`] or has more cells than [`MOST_CELLS`]: its only
    /// cell is its beginning.
    pub(crate) is_too_large: bool,
    /// `true` if the text ends before its line does.
    pub(crate) is_cut: bool,
}

impl Row {
    /// Why the cells of a row under so many names cannot be those of a record, if that is so.
    pub(crate) fn fault(&self, names: usize, delimiter: u8) -> Option<String> {
        match self.is_too_large {
            true => Some(format!(
                "it is {} or has more than {} cells: a quote may not be closed",
                too_large(),
                text::count(MOST_CELLS)
            )),
            false => unclosed(&self.cells, names, delimiter),
        }
    }
}

/// Why a row of a table with so many names is no record: a quote that is not closed makes the
/// lines up to the next quote a part of its cell. `None` if no cell has a line of as many cells,
/// and the row has no more cells than names.
fn unclosed(row: &StringRecord, names: usize, delimiter: u8) -> Option<String> {
    if !row.as_slice().contains('\n') {
        return None;
    }
    let is_row = |line: &str| line.split(char::from(delimiter)).count() >= names;
    let has_row = |cell: &str| cell.lines().skip(1).any(is_row);
    if row.len() <= names && !row.iter().any(has_row) {
        return None;
    }
    let further = |cell: &str| cell.lines().count().saturating_sub(1);
    let lines = text::counted(row.iter().map(further).sum(), "line", "lines");
    Some(format!(
        "a quote is not closed: it swallows the {lines} after it"
    ))
}

/// A cutter of rows.
///
/// The reader of the crate `csv` holds a row however large it is, and reads from a source, where an
/// answer comes in pieces.
#[derive(Debug)]
pub(crate) struct Rows {
    cutter: csv_core::Reader,
    /// The cells of the row so far, without delimiters, and the ends of the whole ones; both
    /// have room for more.
    text: Vec<u8>,
    length: usize,
    ends: Vec<usize>,
    count: usize,
    /// The line of the row, or of what comes before it.
    line: u64,
    has_begun: bool,
    is_too_large: bool,
}

impl Rows {
    /// A cutter of a table whose cells this character parts.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self {
            cutter: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            text: vec![0; USUAL],
            length: 0,
            ends: vec![0; 32],
            count: 0,
            line: 1,
            has_begun: false,
            is_too_large: false,
        }
    }

    /// The number of bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        self.text.len()
    }

    /// Takes a row from the start of a piece of the text, and puts it in `row`; returns `false`
    /// if the piece ends before the row.
    pub(crate) fn take(&mut self, piece: &mut &[u8], row: &mut Row) -> bool {
        while !piece.is_empty() {
            if self.step(piece) {
                self.put(row);
                return true;
            }
        }
        false
    }

    /// Puts the last row in `row`, once the text has ended; returns `false` if there is none.
    pub(crate) fn end(&mut self, row: &mut Row) -> bool {
        let has_more = self.step(&mut [].as_slice());
        if has_more {
            self.put(row);
            row.is_cut = true;
        }
        has_more
    }

    /// Takes as much of a piece as there is room for; an empty one is the end of the text.
    /// Returns `true` at the end of a row.
    fn step(&mut self, piece: &mut &[u8]) -> bool {
        if !self.has_begun {
            // The cutter passes over blank lines, and over the LF after a CR.
            let blank = piece
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'));
            self.has_begun = blank.clone().count() < piece.len();
            self.line += blank.filter(|byte| **byte == b'\n').count() as u64;
        }
        loop {
            let text = self.text.get_mut(self.length..).unwrap_or_default();
            let ends = self.ends.get_mut(self.count..).unwrap_or_default();
            let (result, taken, written, ended) = self.cutter.read_record(piece, text, ends);
            *piece = piece.get(taken..).unwrap_or_default();
            self.length += written;
            self.count += ended;
            match result {
                Record => return true,
                InputEmpty | End => return false,
                OutputFull if self.text.len() < LARGEST => {
                    self.text.resize(2 * self.text.len(), 0);
                }
                OutputEndsFull if self.ends.len() < MOST_CELLS => {
                    self.ends.resize(2 * self.ends.len(), 0);
                }
                OutputFull | OutputEndsFull => {
                    self.is_too_large = true;
                    (self.length, self.count) = (self.length.min(QUOTED), 0);
                }
            }
        }
    }

    fn put(&mut self, row: &mut Row) {
        row.cells.clear();
        row.line = self.line;
        row.is_too_large = self.is_too_large;
        row.is_garbled = false;
        row.is_cut = false;
        let whole = [self.length.min(QUOTED)];
        let ends = match self.is_too_large {
            true => &whole,
            false => self.ends.get(..self.count).unwrap_or_default(),
        };
        let mut start = 0;
        for end in ends {
            let cell = self.text.get(start..*end).unwrap_or_default();
            match str::from_utf8(cell) {
                Ok(cell) => row.cells.push_field(cell),
                Err(_) => {
                    row.is_garbled = true;
                    row.cells.push_field(&String::from_utf8_lossy(cell));
                }
            }
            start = *end;
        }
        (self.length, self.count) = (0, 0);
        self.is_too_large = false;
        self.line = self.cutter.line();
        self.has_begun = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The rows of a text that comes in pieces of this size, with their lines.
    fn cut(text: &[u8], size: usize) -> Vec<(Vec<String>, u64)> {
        let (mut rows, mut row, mut found) = (Rows::new(b','), Row::default(), Vec::new());
        let copy = |row: &Row| {
            let cells = row.cells.iter().map(str::to_owned);
            (cells.collect::<Vec<_>>(), row.line)
        };
        for mut piece in text.chunks(size) {
            while rows.take(&mut piece, &mut row) {
                found.push(copy(&row));
            }
        }
        while rows.end(&mut row) {
            found.push(copy(&row));
        }
        found
    }

    proptest! {
        #[test]
        fn in_any_pieces_the_rows_are_those_of_the_reader_of_csv(
            text in "[ab,\"\n\r\u{e9}]{0,60}",
            size in 1usize..20,
        ) {
            let mut oracle = csv::ReaderBuilder::new();
            let mut oracle = oracle.flexible(true).has_headers(false).from_reader(text.as_bytes());
            let oracle: Vec<(Vec<String>, u64)> = oracle
                .records()
                .map(Result::unwrap)
                .map(|row| {
                    let place = row.position().unwrap().byte() as usize;
                    let blank = text[place..].bytes().take_while(|byte| b"\r\n".contains(byte));
                    let before = &text[..place + blank.count()];
                    let line = 1 + before.matches('\n').count() as u64;
                    (row.iter().map(str::to_owned).collect(), line)
                })
                .collect();
            prop_assert_eq!(cut(text.as_bytes(), size), oracle);
        }
    }

    #[test]
    fn of_a_row_that_is_too_large_the_beginning_is_held_and_the_next_one_is_read() {
        for large in [
            format!("1,\"{}\"", "\n".repeat(2 * LARGEST)),
            format!("1,{}", "x".repeat(3 * LARGEST)),
            ",".repeat(2 * LARGEST + 1),
        ] {
            let text = format!("a,b\n{large}\n3,4\n");
            let (mut rows, mut row) = (Rows::new(b','), Row::default());
            let (mut from, mut seen) = (text.as_bytes(), Vec::new());
            while rows.take(&mut from, &mut row) || rows.end(&mut row) {
                assert!(rows.held() <= LARGEST);
                seen.push((row.is_too_large, row.cells.as_slice().len().min(QUOTED)));
            }
            let last = (false, 2);
            assert!(
                seen.starts_with(&[last]) && seen.ends_with(&[last]),
                "{seen:?}"
            );
            assert!(matches!(seen[..], [_, (true, ..=QUOTED), _]), "{seen:?}");
        }
    }
}
