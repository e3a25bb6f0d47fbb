//! The answer to a request for a deployment, read during its download.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::Content;
use super::cells::Cells;
use super::fault::AnswerFault;
use super::record::Record;
use super::shaped::{Lines, Reader, Taker, take_item};
use super::track::TrackTaker;
use crate::formats::elements::{ArrayFault, Element, LARGEST, is_blank, too_large};
use crate::formats::items::Items;
use crate::mapping::{AnswerFormat, AnswerShape};
use crate::text;
use crate::track::RecordFault;
use crate::track::field::FieldChoice;

/// Reads the answer to a request for a deployment piece by piece: an array of JSON, lines of
/// JSON and a table of cells record by record, any other format as a whole.
#[derive(Debug)]
pub(in crate::service) struct TrackReader {
    shape: AnswerShape,
    taker: TrackTaker,
    form: Form,
    /// The text that is not read yet.
    text: Vec<u8>,
}

/// How an answer is read.
#[derive(Debug)]
enum Form {
    /// Too little of it is known.
    Unknown,
    /// JSON that is an array of records, or has one in it.
    Within(Items),
    Lines(Lines),
    /// A table, and why it is none.
    Cells(Box<Cells>, Result<(), AnswerFault>),
    Whole,
}

impl TrackReader {
    /// A reader that keeps the fields that were `asked` for, or all, and the `limited` ones
    /// however many others there are.
    pub(super) fn new(
        shape: &AnswerShape,
        id: &str,
        asked: Option<&FieldChoice>,
        limited: &[String],
    ) -> Self {
        Self {
            shape: shape.clone(),
            taker: TrackTaker::new(shape, id, asked, limited),
            form: Form::Unknown,
            text: Vec::new(),
        }
    }

    /// A reader of an answer that is not read before its end.
    pub(super) fn as_a_whole(shape: &AnswerShape) -> Self {
        Self {
            form: Form::Whole,
            ..Self::new(shape, "", None, &[])
        }
    }

    /// The number of records so far.
    pub(in crate::service) fn count(&self) -> usize {
        match &self.form {
            Form::Lines(lines) => lines.whole,
            Form::Cells(cells, _) => cells.count,
            _ => self.taker.count(),
        }
    }

    /// The whole text, if nothing of it is read before its end.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        matches!(self.form, Form::Unknown | Form::Whole).then_some(&self.text)
    }

    /// The bytes of memory that it takes, about.
    pub(in crate::service) fn held(&self) -> usize {
        let around = match &self.form {
            Form::Within(items) => items.held(),
            Form::Cells(cells, _) => cells.held(),
            _ => 0,
        };
        self.text.len() + around + self.taker.held()
    }

    /// Reads the next piece.
    pub(in crate::service) fn take(&mut self, piece: &[u8]) {
        let shape = &self.shape;
        match &mut self.form {
            Form::Unknown => {
                self.text.extend_from_slice(piece);
                let form = match find_form(&self.text, shape) {
                    None if self.text.len() < UNREADABLE => return,
                    form => form,
                };
                let begun = std::mem::take(&mut self.text);
                let (form, read) = form.unwrap_or((Form::Whole, 0));
                self.form = form;
                self.take(begun.get(read..).unwrap_or_default());
            }
            Form::Whole => {
                let room = match shape.is_strict {
                    // It is described, not read.
                    true => UNREADABLE.saturating_sub(self.text.len()),
                    false => usize::MAX,
                };
                let held = piece.get(..room).unwrap_or(piece);
                self.text.extend_from_slice(held);
            }
            Form::Within(items) => {
                let rest = items.take(piece, &mut |element| self.taker.read(element));
                if !rest.iter().all(|byte| is_blank(*byte)) {
                    self.taker.fault.get_or_insert_with(ArrayFault::after);
                }
            }
            Form::Lines(lines) => {
                let end = piece.iter().rposition(|byte| *byte == b'\n');
                let (whole, rest) = piece.split_at(end.map_or(0, |end| end + 1));
                if !whole.is_empty() {
                    self.text.extend_from_slice(whole);
                    let text = String::from_utf8_lossy(&self.text);
                    for line in text.split_inclusive('\n') {
                        // A whole line is not cut.
                        let _ = lines.take(line, &mut self.taker);
                    }
                    self.text.clear();
                }
                // Of a line that is too large one byte more than it may have.
                let room = (LARGEST + 1).saturating_sub(self.text.len());
                self.text
                    .extend_from_slice(rest.get(..room).unwrap_or(rest));
            }
            Form::Cells(cells, outcome) => {
                if outcome.is_ok() {
                    let mut reader = Reader {
                        shape,
                        taker: &mut self.taker,
                    };
                    *outcome = reader.take_cells(cells, piece);
                }
            }
        }
    }

    /// The records of the whole answer.
    ///
    /// # Errors
    /// [`AnswerFault`] says why it has none.
    pub(super) fn finish(mut self) -> Result<Content, AnswerFault> {
        let count = self.taker.count();
        let mut reader = Reader {
            shape: &self.shape,
            taker: &mut self.taker,
        };
        // Bytes that are not UTF-8 affect only their record.
        let text = String::from_utf8_lossy(text::without_byte_order_mark(&self.text));
        let shape = &self.shape;
        let mut is_open = shape.has_cells() && !text.is_empty() && !text.ends_with(['\n', '\r']);
        let mut stray = None;
        let form = match self.form {
            Form::Unknown if shape.format == AnswerFormat::Ndjson => Form::Lines(Lines::new(shape)),
            form => form,
        };
        let no_json = |fault: ArrayFault| {
            if fault.is_cut {
                AnswerFault::Cut { whole: count }
            } else {
                let records = text::counted(count, "record", "records");
                let why = fault.why;
                AnswerFault::Unlike(format!("the answer is no JSON after {records}: {why}"))
            }
        };
        if let Some(fault) = reader.taker.fault.take() {
            return Err(no_json(fault));
        }
        let next = match form {
            Form::Unknown | Form::Whole => reader.read(&text)?,
            Form::Lines(mut lines) => {
                lines.take(&text, reader.taker)?;
                stray = lines.stray(reader.taker);
                lines.finish()?
            }
            Form::Cells(cells, outcome) => {
                outcome?;
                is_open = cells.is_open();
                reader.end_cells(*cells)?;
                None
            }
            Form::Within(items) => {
                let around = items.around().map_err(no_json)?;
                let next = reader.json(&String::from_utf8_lossy(&around));
                next.map_err(|fault| match fault {
                    AnswerFault::Cut { .. } => AnswerFault::Cut { whole: count },
                    fault => fault,
                })?
            }
        };
        if self.taker.is_full() {
            return Err(AnswerFault::TooMuch);
        }
        Ok(Content {
            next,
            stray,
            is_open,
            ..self.taker.content()
        })
    }
}

/// A line of more bytes is no error instead of a record.
const LARGEST_ERROR: usize = 65_536;

/// Most bytes that are held of an answer to report what it is instead of an array of records.
const UNREADABLE: usize = 1 << 20;

/// How an answer that begins like this is read, and how many bytes of it are not needed for
/// that; `None` while that is not known.
fn find_form(start: &[u8], shape: &AnswerShape) -> Option<(Form, usize)> {
    let mark = text::BYTE_ORDER_MARK;
    if start.len() < mark.len() && mark.starts_with(start) {
        return None;
    }
    let rest = text::without_byte_order_mark(start);
    let mark = start.len() - rest.len();
    let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
    let [first, second, ..] = rest.get(blanks..)? else {
        return None;
    };
    // UTF-16 and web pages are named as such.
    let is_utf16 = matches!(first, 0 | 0xfe | 0xff) || blanks == 0 && *second == 0;
    if is_utf16 || *first == b'<' {
        return Some((Form::Whole, 0));
    }
    Some(match (shape.format, &shape.items, first) {
        (AnswerFormat::Ndjson, ..) => {
            // The only line may be an error instead of a record.
            let is_more = rest.trim_ascii().contains(&b'\n') || rest.len() > LARGEST_ERROR;
            (Form::Lines(is_more.then(|| Lines::new(shape))?), mark)
        }
        // An error over several lines instead of a table.
        (AnswerFormat::Csv, _, b'{') => (Form::Whole, 0),
        (AnswerFormat::Csv, ..) => {
            let (mut read, all) = (rest, rest.len());
            // A line of names is whole once there is another line.
            let lines = rest.split_inclusive(|byte| matches!(byte, b'\n' | b'\r'));
            let is_remark = |line: &&[u8]| line.starts_with(b"#");
            lines.skip_while(is_remark).nth(1)?;
            let cells = Cells::new(&mut read);
            (
                Form::Cells(Box::new(cells), Ok(())),
                mark + all - read.len(),
            )
        }
        // The names of cells may come after the cells.
        (AnswerFormat::Json, ..) if shape.columns.is_some() => (Form::Whole, 0),
        (AnswerFormat::Json, None, b'[') => (Form::Within(Items::at("")), mark),
        (AnswerFormat::Json, Some(items), b'[' | b'{') => (Form::Within(Items::at(items)), mark),
        _ => (Form::Whole, 0),
    })
}

impl TrackTaker {
    /// Reads a complete element.
    fn read(&mut self, element: Element<'_>) {
        match element {
            _ if self.fault.is_some() => {}
            Element::Text(bytes) => {
                // `from_utf8_lossy` alone looks for pieces also where all is UTF-8, and is slower.
                let json = std::str::from_utf8(bytes)
                    .map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
                if self.take_fix(&json) {
                    return;
                }
                // An invalid record affects only itself, invalid JSON the whole answer.
                match serde_json::from_str::<&RawValue>(&json) {
                    Ok(_) => take_item(self, &json, &[]),
                    Err(error) => self.fault = Some(ArrayFault::new(&error)),
                }
            }
            Element::TooLarge(beginning) => {
                let beginning = String::from_utf8_lossy(beginning);
                let fault = Some(RecordFault::Other(too_large().into()));
                let record = Record {
                    fault,
                    ..Record::from_json(&beginning)
                };
                self.record(&record, &beginning);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_the_interface() -> TrackReader {
        TrackReader::new(&AnswerShape::default(), "", None, &[])
    }

    #[test]
    fn of_a_large_array_no_text_is_held() {
        let record = r#"{"time_stamp":1790000000.5,"latitude":80.123456,"longitude":-10.5}"#;
        let body = format!("[{}{record}]", format!("{record},\n").repeat(30_000));
        let mut reader = of_the_interface();
        for piece in body.as_bytes().chunks(50_000) {
            reader.take(piece);
            assert!(reader.text.is_empty());
        }
        assert_eq!(reader.count(), 30_001);
        let records = reader.finish().unwrap().records;
        assert_eq!(records.transmissions.len(), 30_001);
    }

    #[test]
    fn an_object_over_several_lines_instead_of_a_table_is_read_as_a_whole() {
        let shape = AnswerShape {
            format: AnswerFormat::Csv,
            ..AnswerShape::default()
        };
        for (body, is_whole) in [
            ("{\n  \"error\": 3,\n  \"message\": \"down\"\n}\n", true),
            ("time_stamp,latitude,longitude\n1,2,3\n", false),
        ] {
            let mut reader = TrackReader::new(&shape, "", None, &[]);
            reader.take(body.as_bytes());
            assert_eq!(reader.whole().is_some(), is_whole, "{body}");
        }
    }

    #[test]
    fn of_what_is_no_array_of_the_interface_a_part_is_held() {
        for start in ["{\"a\":\"", " ", "<html>", "7"] {
            let body = format!("{start}{}[]", " ".repeat(3 * UNREADABLE));
            let mut reader = of_the_interface();
            for piece in body.as_bytes().chunks(50_000) {
                reader.take(piece);
                assert!(reader.text.len() < UNREADABLE + 50_000, "{start}");
            }
            assert!(reader.whole().is_some(), "{start}");
        }
    }
}
