//! The lines above the rows of a table: remarks, a title, and the names of the columns.

use std::io::{self, BufRead, Read};

use super::{delimiter, has_no_digit_at};
use crate::formats::read::names::{ChosenColumns, lacking, roles};

/// The most lines above the names, and their bytes.
const MOST_ABOVE: u64 = 200;
const MOST_BYTES_ABOVE: u64 = 64 << 10;

/// The lines above the rows.
pub(crate) struct Head {
    /// The number of lines above that of the names.
    pub(super) lines: u64,
    /// The names, if they were read with the lines above.
    pub(crate) names: Vec<u8>,
    /// A blank is any number of them.
    pub(crate) delimiter: u8,
    /// The number of lines above the names that are neither blank nor remarks.
    pub(super) passed_over: usize,
}

impl Head {
    /// Reads the lines of remarks, which begin with `#`, and that with which spreadsheets
    /// name the separator. The last remark is the line of names if it has them, or the one before
    /// it, above the units.
    pub(crate) fn read(from: &mut impl BufRead, chosen: &ChosenColumns) -> io::Result<Self> {
        let mut head = Self {
            lines: 0,
            names: Vec::new(),
            delimiter: b',',
            passed_over: 0,
        };
        let mut before = Vec::new();
        let mut last = Vec::new();
        let mut separator = None;
        loop {
            let next = from.fill_buf()?;
            let names_separator = next
                .get(..4)
                .is_some_and(|start| start.eq_ignore_ascii_case(b"sep="));
            if !names_separator && next.first() != Some(&b'#') {
                break;
            }
            before = std::mem::take(&mut last);
            from.read_until(b'\n', &mut last)?;
            head.lines += 1;
            if names_separator {
                separator = last.get(4).copied();
            }
        }
        let parting = |line: &[u8]| separator.unwrap_or_else(|| delimiter(line));
        let below = from.fill_buf()?;
        let units = [before.as_slice(), &last].concat();
        for (count, names) in [(1, &last), (2, &units)] {
            let names = String::from_utf8_lossy(names).replacen('#', "", 1);
            let parted_by = parted_by(&names, parting(names.as_bytes()), below, chosen);
            let Some(delimiter) = parted_by else {
                continue;
            };
            let is_units =
                |line: &str| line.contains(char::from(delimiter)) && has_no_digit_at([line].iter());
            if names.lines().skip(1).all(is_units) {
                head.lines -= count;
                head.delimiter = delimiter;
                head.names = names.into_bytes();
                return Ok(head);
            }
        }
        head.delimiter = parting(below);
        Ok(head)
    }

    /// Passes over the lines of a title, of remarks and of settings above the line of names: the
    /// first of the next lines that has them, else the one that looks most like it.
    pub(super) fn find_names(
        &mut self,
        from: &mut impl BufRead,
        chosen: &ChosenColumns,
    ) -> io::Result<()> {
        let mut from = from.by_ref().take(MOST_BYTES_ABOVE);
        let mut has_quote = false;
        let (mut passed_over, mut most) = (0, 1);
        let mut found = None;
        let has_names = !self.names.is_empty();
        for line in (0..MOST_ABOVE).take_while(|_| !has_names) {
            let begin = self.names.len();
            from.read_until(b'\n', &mut self.names)?;
            let written = self.names.get(begin..).unwrap_or_default();
            if written.is_empty() {
                break;
            }
            let names = String::from_utf8_lossy(written);
            let below = from.fill_buf()?;
            let delimiter = delimiter(written);
            // A line within a cell in quotes is no line of names.
            let parted_by = parted_by(&names, delimiter, below, chosen).filter(|_| !has_quote);
            let columns = cells(&names, delimiter);
            let count = columns.len();
            let is_name = |cell: &&str| cell.starts_with(|first: char| !first.is_ascii_digit());
            let are_names = columns.iter().all(is_name);
            let is_row = || {
                let below = String::from_utf8_lossy(below);
                let below = cells(&below, delimiter);
                below.len() == count && !below.iter().all(|cell| cell.is_empty() || is_name(cell))
            };
            let is_likely = line > 0 && !has_quote && count > most && are_names && is_row();
            if parted_by.is_some() || is_likely {
                let delimiter = parted_by.unwrap_or(delimiter);
                found = Some((line, begin, delimiter, passed_over));
            }
            if parted_by.is_some() {
                break;
            }
            most = most.max(if are_names { count } else { 0 });
            has_quote ^= names.matches('"').count() % 2 == 1;
            passed_over += usize::from(!names.trim().is_empty());
        }
        if let Some((lines, begin, delimiter, passed_over)) = found {
            self.lines += lines;
            self.delimiter = delimiter;
            self.passed_over = passed_over;
            self.names.drain(..begin);
        }
        Ok(())
    }
}

/// The cells of the first line of a text.
fn cells(text: &str, delimiter: u8) -> Vec<&str> {
    let cells = text
        .lines()
        .next()
        .unwrap_or_default()
        .split(char::from(delimiter));
    cells.map(|cell| cell.trim().trim_matches('"')).collect()
}

/// What parts a line whose cells name a time and a position: the `delimiter`, or blanks if they
/// part the line `below` into as many cells; `None` of another line.
fn parted_by(text: &str, delimiter: u8, below: &[u8], chosen: &ChosenColumns) -> Option<u8> {
    let has_names = |columns: &[&str]| {
        roles(columns, chosen).is_ok_and(|roles| lacking(columns, &roles).is_none())
    };
    let line = text.lines().next()?;
    let cells = cells(line, delimiter);
    if cells.len() > 1 {
        return has_names(&cells).then_some(delimiter);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let below = below.split(|byte| *byte == b'\n').next()?;
    let of_below = below.split(u8::is_ascii_whitespace);
    let is_table = of_below.filter(|word| !word.is_empty()).count() == words.len();
    (is_table && has_names(&words)).then_some(b' ')
}
