//! The lines above the rows of a table: remarks, a title, and the names of the columns.

use super::delimiter;
use crate::formats::read::names::{ChosenColumns, lacking, roles};

/// The most lines above the names, and their bytes.
const MOST_ABOVE: u64 = 200;
const MOST_BYTES_ABOVE: usize = 64 << 10;

/// The lines above the rows.
pub(crate) struct Head {
    /// The number of lines above that of the names.
    pub(super) lines: u64,
    /// A blank is any number of them.
    pub(crate) delimiter: u8,
    /// The number of lines above the names that are neither blank nor remarks.
    pub(super) passed_over: usize,
    /// `true` if a remark has the names.
    is_remark: bool,
}

impl Head {
    /// Reads the lines of remarks, which begin with `#` or `%`, or those of one within `/*` and
    /// `*/` (PANGAEA), however many, and that with which spreadsheets
    /// name the separator; `text` begins below them then. The last remark is the line of names if
    /// it has them, or the one before it, above the units: then `text` begins with the names.
    pub(crate) fn read(text: &mut &[u8], chosen: &ChosenColumns) -> Self {
        let (mut before, mut last) = (&[][..], &[][..]);
        let (mut lines, mut separator) = (0, None);
        let comment = text
            .starts_with(b"/*")
            .then(|| text.windows(2).position(|end| end == b"*/"));
        let mut passed_over = 0;
        if let Some(end) = comment.flatten() {
            let below = first_line(&text[end..]).1;
            let above = &text[..text.len() - below.len()];
            passed_over = above.iter().filter(|byte| **byte == b'\n').count();
            lines = passed_over as u64;
            *text = below;
        }
        loop {
            let start = text.get(..4).unwrap_or_default();
            let names_separator = start.eq_ignore_ascii_case(b"sep=");
            if !names_separator && !text.starts_with(b"#") && !text.starts_with(b"%") {
                break;
            }
            if names_separator {
                separator = text.get(4).copied();
            }
            (before, last) = (last, *text);
            *text = first_line(text).1;
            lines += 1;
        }
        let parting = |line: &[u8]| separator.unwrap_or_else(|| delimiter(line));
        for (count, remark) in [(1, last), (2, before)] {
            let Some((b'#' | b'%', names)) = remark.split_first() else {
                continue;
            };
            let Some(delimiter) = parted_by(names, parting(names), text, chosen) else {
                continue;
            };
            let (_, units) = first_line(&names[..names.len() - text.len()]);
            if units.is_empty()
                || units.contains(&delimiter) && !units.iter().any(u8::is_ascii_digit)
            {
                *text = names;
                return Self {
                    lines: lines - count,
                    delimiter,
                    passed_over,
                    is_remark: true,
                };
            }
        }
        Self {
            lines,
            delimiter: parting(text),
            passed_over,
            is_remark: false,
        }
    }

    /// Passes over the lines of a title, of remarks and of settings above the line of names: the
    /// first of the next lines that has them, else the one that looks most like it. `text` begins
    /// with it then.
    pub(super) fn find_names(&mut self, text: &mut &[u8], chosen: &ChosenColumns) {
        if self.is_remark {
            return;
        }
        let (mut has_quote, mut passed_over, mut most) = (false, self.passed_over, 1);
        let (begin, mut rest, above) = (self.lines, *text, text.len());
        for line in 0..MOST_ABOVE {
            if rest.is_empty() || above - rest.len() > MOST_BYTES_ABOVE {
                break;
            }
            let (line_of_names, below) = first_line(rest);
            let names = beginning(line_of_names);
            let delimiter = delimiter(names);
            // A line within a cell in quotes is no line of names.
            let parted_by = parted_by(names, delimiter, below, chosen).filter(|_| !has_quote);
            let written = String::from_utf8_lossy(names);
            let columns = cells(&written, delimiter);
            let count = columns.len();
            let is_name = |cell: &&str| cell.starts_with(|first: char| !first.is_ascii_digit());
            let are_names = columns.iter().all(is_name);
            let is_row = || {
                let line = String::from_utf8_lossy(beginning(first_line(below).0));
                let below = cells(&line, delimiter);
                below.len() == count && !below.iter().all(|cell| cell.is_empty() || is_name(cell))
            };
            let is_likely = line > 0 && !has_quote && count > most && are_names && is_row();
            if parted_by.is_some() || is_likely {
                *text = rest;
                self.lines = begin + line;
                self.delimiter = parted_by.unwrap_or(delimiter);
                self.passed_over = passed_over;
            }
            if parted_by.is_some() {
                break;
            }
            most = most.max(if are_names { count } else { 0 });
            has_quote ^= written.matches('"').count() % 2 == 1;
            passed_over += usize::from(!written.trim().is_empty());
            rest = below;
        }
    }
}

/// The first line of a text, and the text below it.
fn first_line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n');
    match end {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[]),
    }
}

/// As much of a line as names are looked for in: it may be as long as the file.
fn beginning(line: &[u8]) -> &[u8] {
    line.get(..MOST_BYTES_ABOVE).unwrap_or(line)
}

/// The cells of a line.
fn cells(line: &str, delimiter: u8) -> Vec<&str> {
    let cells = line.split(char::from(delimiter));
    cells.map(|cell| cell.trim().trim_matches('"')).collect()
}

/// What parts the first line of a text, whose cells name a time and a position: the `delimiter`, or
/// blanks if they part the line `below` into as many cells; `None` of another line.
fn parted_by(text: &[u8], delimiter: u8, below: &[u8], chosen: &ChosenColumns) -> Option<u8> {
    let has_names = |columns: &[&str]| {
        roles(columns, chosen).is_ok_and(|roles| lacking(columns, &roles).is_none())
    };
    let line = String::from_utf8_lossy(beginning(first_line(text).0));
    let cells = cells(&line, delimiter);
    if cells.len() > 1 {
        return has_names(&cells).then_some(delimiter);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let of_below = beginning(first_line(below).0).split(u8::is_ascii_whitespace);
    let is_table = of_below.filter(|word| !word.is_empty()).count() == words.len();
    (is_table && has_names(&words)).then_some(b' ')
}
