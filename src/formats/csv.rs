//! Comma-separated values, quoted by RFC 4180, with LF line ends as shell tools
//! expect. Numbers parse back to the same value; a text cell never starts a
//! formula, and holds no character that a terminal acts on.

use std::borrow::Cow;
use std::io::{self, Write};

use super::columns::{Value, columns, names, rows};
use super::fields;
use crate::track::Track;
use crate::track::field::{FieldColumn, FieldValue};
use crate::track::time::Stamps;

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
    stamps: Stamps,
    numbers: Numbers,
}

impl<'a> CsvWriter<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            line: Vec::with_capacity(256),
            stamps: Stamps::default(),
            numbers: Numbers::default(),
        }
    }

    /// Adds the value of a column.
    pub(super) fn value(&mut self, value: &Value<'_>) {
        // Neither a time nor a number needs quotes.
        match value {
            Value::Missing => {}
            Value::Time(time) => {
                let time = self.stamps.rfc3339(*time);
                self.line.extend_from_slice(time.as_bytes());
            }
            Value::Number(number) => {
                let number = self.numbers.shortest(*number);
                self.line.extend_from_slice(number.as_bytes());
            }
            Value::Flag(flag) => self.line.push(b'0' + flag.code()),
            Value::Truth(is) => self.line.extend_from_slice(truth(*is).as_bytes()),
            Value::Text(text) if text.is_empty() => {}
            Value::Text(text) => push_text(&mut self.line, text),
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
        if let Some(value) = column
            .zip(record)
            .and_then(|(column, record)| column.value(record))
        {
            self.field_value(value);
        }
        self.line.push(b',');
    }

    fn field_value(&mut self, value: FieldValue<'_>) {
        match value {
            FieldValue::Null => {}
            FieldValue::Truth(is) => self.line.extend_from_slice(truth(is).as_bytes()),
            FieldValue::Number(number) => {
                let number = self.numbers.shortest(number + 0.0);
                self.line.extend_from_slice(number.as_bytes());
            }
            FieldValue::Digits(digits) => self.line.extend_from_slice(digits.as_bytes()),
            FieldValue::Text(text) => push_text(&mut self.line, text),
        }
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

fn truth(is: bool) -> &'static str {
    if is { "true" } else { "false" }
}

/// Adds a text of the service or the user as a cell. It starts no formula and contains no
/// terminal controls; an empty text is quoted.
pub(crate) fn push_text(row: &mut Vec<u8>, value: &str) {
    if is_plain(value) {
        row.extend_from_slice(value.as_bytes());
        return;
    }
    let value = harmless(value);
    push_quoted(row, &without_controls(&value));
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

/// `true` if a text is a cell without changes, as most are: a fast test.
fn is_plain(value: &str) -> bool {
    let bytes = value.as_bytes();
    // A space at either end needs quotes.
    let has_plain_ends = matches!(
        (bytes.first(), bytes.last()),
        (Some(b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9'), Some(b'!'..))
    );
    let is_other = |byte: &u8| !(b' '..=b'~').contains(byte) || *byte == b'"' || *byte == b',';
    has_plain_ends && !bytes.iter().fold(false, |any, byte| any | is_other(byte))
}

/// A text in which control characters but tabs and line ends are written as
/// JSON writes them: `\u001b`.
fn without_controls(value: &str) -> Cow<'_, str> {
    let acts = |one: char| one.is_control() && !matches!(one, '\t' | '\n' | '\r');
    if !value.contains(acts) {
        return Cow::Borrowed(value);
    }
    let mut plain = String::with_capacity(value.len() + 8);
    for one in value.chars() {
        if acts(one) {
            plain.push_str(&format!("\\u{:04x}", u32::from(one)))
        } else {
            plain.push(one)
        }
    }
    Cow::Owned(plain)
}

/// Formats numbers in a reused buffer.
#[derive(Default)]
struct Numbers {
    float: zmij::Buffer,
    integer: itoa::Buffer,
    plain: String,
}

impl Numbers {
    /// The shortest decimal that parses back to the same value, integers
    /// without a decimal point, never with an exponent.
    fn shortest(&mut self, value: f64) -> &str {
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // `as` saturates
        let whole = value as i64;
        let is_whole = value == (value as i64) as f64;
        // Up to here every integer is exact and fits; negative zero would lose
        // its sign.
        if is_whole && value.abs() < 9e15 && (value != 0.0 || value.is_sign_positive()) {
            return self.integer.format(whole);
        }
        // Within these bounds it is printed without an exponent.
        if (1e-4..1e15).contains(&value.abs()) {
            return self.float.format_finite(value);
        }
        self.plain = value.to_string();
        &self.plain
    }
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
        fn a_number_is_the_shortest_that_reads_back_the_same(bits in proptest::num::u64::ANY, small in -1e4f64..1e4) {
            let mut numbers = Numbers::default();
            for value in [f64::from_bits(bits), small, small.round(), small * 1e-6, small * 1e12] {
                // If two decimals are equally short and near, either is
                // correct.
                let (ours, known) = (numbers.shortest(value), value.to_string());
                proptest::prop_assert_eq!(ours.len(), known.len());
                if value.is_finite() {
                    proptest::prop_assert_eq!(ours.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()));
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn a_text_that_is_plain_needs_no_quotes(text in ".{0,6}|[ -~]{0,40}") {
            let mut cell = Vec::new();
            push_text(&mut cell, &text);
            if is_plain(&text) {
                let mut writer = csv::Writer::from_writer(Vec::new());
                writer.write_record([&text])?;
                let expected = [text.as_bytes(), b"\n"].concat();
                proptest::prop_assert_eq!(writer.into_inner().unwrap(), expected);
                proptest::prop_assert_eq!(harmless(&text), &*text);
                proptest::prop_assert_eq!(without_controls(&text), &*text);
            }
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
