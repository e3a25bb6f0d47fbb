//! The rows of a small table that a person wrote.

use std::io::{ErrorKind, Read};

use csv::StringRecord;

use crate::failure::Failure;
use crate::formats::read::delimiter;
use crate::os::files::read_at_most;

/// The largest table, bytes: a file without an end must not fill the memory.
const LARGEST: u64 = 64 << 20;

/// A table with its heading.
pub(crate) struct Sheet {
    pub heading: StringRecord,
    /// The other lines, each with its number, or why it cannot be read.
    pub rows: Vec<(usize, Result<StringRecord, String>)>,
}

/// Reads a table, whose first line that is not blank is its heading.
///
/// # Errors
/// [`FailureKind::Usage`](crate::failure::FailureKind::Usage) if it is too large, or its heading
/// cannot be read.
pub(crate) fn sheet(table: impl Read) -> Result<Sheet, Failure> {
    let table = read_at_most(table, LARGEST).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => Failure::usage(error.to_string()),
        _ => Failure::other(error.to_string()),
    })?;
    let mut rows = rows(&table);
    let heading = match rows.next() {
        Some((number, heading)) => {
            heading.map_err(|fault| Failure::usage(format!("line {number}: {fault}")))?
        }
        None => StringRecord::new(),
    };
    let width = heading.len();
    let of_width = |row: StringRecord| match row.len() {
        count if count == width => Ok(row),
        count => Err(format!("it has {count} cells, the header {width}")),
    };
    let rows = rows.map(|(number, row)| (number, row.and_then(of_width)));
    Ok(Sheet {
        rows: rows.collect(),
        heading,
    })
}

/// The cells of each line that is not blank, or why they cannot be read, with the number of the
/// line from 1 on. Lines end with LF, CR and LF, or CR alone; the cells are separated as those of
/// the first line are.
// A line at a time: a quote that is never closed costs its own line only.
fn rows(table: &[u8]) -> impl Iterator<Item = (usize, Result<StringRecord, String>)> + '_ {
    let delimiter = delimiter(table);
    let lines = (1..).zip(lines(table));
    let written = lines.filter(|(_, line)| !line.is_empty());
    written.map(move |(number, line)| (number, cells(line, delimiter)))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            rest = None;
            return Some(bytes);
        };
        let (line, after) = bytes.split_at(end);
        rest = after.strip_prefix(b"\r\n").or_else(|| after.get(1..));
        Some(line)
    })
}

fn cells(line: &[u8], delimiter: u8) -> Result<StringRecord, String> {
    if line.iter().filter(|byte| **byte == b'"').count() % 2 == 1 {
        return Err("a quote is not closed on this line".to_owned());
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .from_reader(line);
    let mut record = StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(_) => Ok(record),
        Err(error) if matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) => {
            Err("it is not UTF-8 text".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_any_line_end() {
        let found = |text: &'static str| lines(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(found("a\nb\r\nc\rd"), [b"a", b"b", b"c", b"d"]);
        assert_eq!(found("\r\n\r"), [b""; 3]);
    }

    #[test]
    fn a_fault_costs_its_own_line_and_each_line_has_its_number() {
        for end in ["\n", "\r\n", "\r"] {
            let table = ["id;name", "", "1;a,b", "2;\"c", "3;\"c;d\"", ""].join(end);
            let found: Vec<(usize, Option<Vec<String>>)> = rows(table.as_bytes())
                .map(|(number, row)| (number, row.ok().map(|row| row.deserialize(None).unwrap())))
                .collect();
            let row = |cells: [&str; 2]| Some(cells.map(str::to_owned).to_vec());
            assert_eq!(
                found,
                [
                    (1, row(["id", "name"])),
                    (3, row(["1", "a,b"])),
                    (4, None),
                    (5, row(["3", "c;d"])),
                ],
                "{end:?}"
            );
        }
        let (_, row) = rows(b"id,\xff").next().unwrap();
        assert_eq!(row, Err("it is not UTF-8 text".to_owned()));
    }
}
