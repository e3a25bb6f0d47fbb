//! Comma-separated values, quoted by RFC 4180, with LF line ends as shell tools
//! expect. Numbers parse back to the same value; a text cell never starts a
//! formula, and holds no character that a terminal acts on.

use std::borrow::Cow;
use std::io::{self, Write};

use super::columns::{Value, columns, names, rows};
use super::fields::{self, ValueText};
use crate::plant::is_whole_number;
use crate::plant::state::Named;
use crate::track::Track;
use crate::track::field::{FieldColumn, FieldValue};

pub(super) fn write(track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = CsvWriter::new(out);
    let columns = columns(rows(track));
    for column in &columns {
        csv.text(column.name);
    }
    for name in fields::distinct(track.fields().columns().map(FieldColumn::name), names()) {
        csv.text(&name);
    }
    csv.end_line()?;
    let field_columns: Vec<&FieldColumn> = track.fields().columns().collect();
    for row in rows(track) {
        for column in &columns {
            csv.value(&(column.value)(&row));
        }
        let record = track.fields().row(row.fix.index);
        for column in &field_columns {
            csv.field(Some(column), record);
        }
        csv.end_line()?;
    }
    Ok(())
}

/// Writes every CSV file, cell by cell, each line at once.
pub(super) struct CsvWriter<'a> {
    out: &'a mut dyn Write,
    /// The line so far, each cell with a comma after it.
    line: Vec<u8>,
    values: ValueText,
}

impl<'a> CsvWriter<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            line: Vec::with_capacity(256),
            values: ValueText::default(),
        }
    }

    /// Adds the value of a column.
    pub(super) fn value(&mut self, value: &Value<'_>) {
        // Neither a time nor a number needs quotes.
        match value {
            Value::Text(text) if !text.is_empty() => push_text(&mut self.line, text),
            other => self
                .line
                .extend_from_slice(self.values.format(other).as_bytes()),
        }
        self.line.push(b',');
    }

    /// Adds a text of a service or a user.
    pub(super) fn text(&mut self, text: &str) {
        push_text(&mut self.line, text);
        self.line.push(b',');
    }

    /// Adds the value that a field has in a record, if it has one.
    pub(super) fn field(&mut self, column: Option<&FieldColumn>, record: Option<u32>) {
        let pair = column.zip(record);
        match pair.and_then(|(column, record)| column.value(record)) {
            None => {}
            Some(FieldValue::Text(text)) => push_text(&mut self.line, text),
            Some(FieldValue::Number(number)) => {
                let number = self.values.number(number + 0.0);
                self.line.extend_from_slice(number.as_bytes());
            }
            Some(other) => {
                let text = fields::as_text(other).unwrap_or_default();
                self.line.extend_from_slice(text.as_bytes());
            }
        }
        self.line.push(b',');
    }

    /// Ends the line, which has a cell at least.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
        self.line.pop();
        self.line.push(b'\n');
        self.out.write_all(&self.line)?;
        self.line.clear();
        Ok(())
    }
}

/// Adds a text of the service or the user as a cell. It starts no formula and contains no
/// terminal controls; an empty text is quoted.
pub(crate) fn push_text(row: &mut Vec<u8>, value: &str) {
    let value = harmless(value);
    push_quoted(row, &without_controls(&value));
}

/// Plants as a table that an import reads: id, name and tag of those that have a name.
pub(crate) fn plants<'a>(plants: impl Iterator<Item = (&'a str, &'a Named)>) -> Vec<u8> {
    let mut table = b"id,name,tag\n".to_vec();
    for (id, named) in plants {
        push_line(&mut table, [id, &named.name, &named.tag]);
    }
    table
}

/// Adds a line of texts and whole numbers, of which a negative one is no formula.
pub(crate) fn push_line<Cell: AsRef<str>>(
    table: &mut Vec<u8>,
    cells: impl IntoIterator<Item = Cell>,
) {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            table.push(b',');
        }
        match cell.as_ref() {
            "" => {}
            cell if is_whole_number(cell) => push_quoted(table, cell),
            cell => push_text(table, cell),
        }
    }
    table.push(b'\n');
}

/// The text of a cell without the apostrophe that keeps it from being a formula.
pub(crate) fn without_apostrophe(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if matches!(harmless(text), Cow::Owned(_)) => text,
        _ => cell,
    }
}

/// Adds a cell, in quotation marks if needed.
pub(crate) fn push_quoted(row: &mut Vec<u8>, value: &str) {
    let is_quoted = value.is_empty()
        || value.starts_with(' ')
        || value.ends_with(' ')
        || value.contains([',', '"', '\n', '\r']);
    if !is_quoted {
        row.extend_from_slice(value.as_bytes());
        return;
    }
    row.push(b'"');
    for byte in value.bytes() {
        if byte == b'"' {
            row.push(b'"');
        }
        row.push(byte);
    }
    row.push(b'"');
}

/// A text in which control characters but tabs and line ends are written as
/// JSON writes them: `\u001b`.
fn without_controls(value: &str) -> Cow<'_, str> {
    let acts = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n' | '\r');
    if !value.contains(acts) {
        return Cow::Borrowed(value);
    }
    let mut plain = String::with_capacity(value.len() + 8);
    for letter in value.chars() {
        if acts(letter) {
            plain.push_str(&format!("\\u{:04x}", u32::from(letter)))
        } else {
            plain.push(letter)
        }
    }
    Cow::Owned(plain)
}

/// Text that spreadsheets do not read as a formula (OWASP, CSV injection).
fn harmless(value: &str) -> Cow<'_, str> {
    // A text with an apostrophe there already gets one more, to be read back as it is.
    let value_itself = value.trim_start_matches('\'');
    if value_itself.starts_with(['=', '+', '-', '@', '\t', '\r', '\0']) {
        Cow::Owned(format!("'{value}"))
    } else {
        Cow::Borrowed(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::track;

    #[test]
    fn numbers_read_back_the_same() {
        let track = track(&[
            (
                1_493_025_850.0,
                76.382_598_876_953_12,
                22.868_707_656_860_35,
            ),
            (-2_147_483_647.793, -0.1, -179.999_999_999),
        ]);
        let mut out = Vec::new();
        write(&track, &mut out).unwrap();
        let mut reader = csv::Reader::from_reader(out.as_slice());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(&rows[1][1], "1493025850");
        for (row, fix) in rows.iter().zip(track.fixes()) {
            assert_eq!(
                row[1].parse::<f64>().unwrap().to_bits(),
                fix.time_stamp.to_bits()
            );
            assert_eq!(
                row[2].parse::<f64>().unwrap().to_bits(),
                fix.position.latitude.to_bits()
            );
            assert_eq!(
                row[3].parse::<f64>().unwrap().to_bits(),
                fix.position.longitude.to_bits()
            );
        }
        assert_eq!(&rows[0][4], "");
    }

    proptest::proptest! {
        #[test]
        fn a_cell_reads_back_as_its_harmless_text(text in ".{0,6}|[ -~]{0,40}") {
            let mut row = b"a,".to_vec();
            push_text(&mut row, &text);
            let harmless = harmless(&text);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row.as_slice());
            let record = reader.records().next().unwrap()?;
            proptest::prop_assert_eq!(&record[1], &*without_controls(&harmless));
        }
    }

    #[test]
    fn text_never_starts_a_formula() {
        for start in ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1"] {
            assert!(harmless(start).starts_with('\''));
        }
        assert_eq!(harmless("two positions"), "two positions");
    }
}
