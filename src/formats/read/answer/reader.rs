//! The answer to a request for a deployment, read during its download.

use serde_json::value::RawValue;

use super::track::TrackTaker;
use super::{AnswerFault, Lines, MappedAnswer, Reader, Taker, take_item};
use crate::formats::elements::{ArrayFault, Element, LARGEST, ReadElement, too_large};
use crate::formats::items::{Items, ReadItems};
use crate::mapping::{AnswerFormat, AnswerShape};
use crate::text;
use crate::track::field::FieldChoice;

/// Reads the answer to a request for a deployment piece by piece: an array of JSON and lines
/// of JSON record by record, any other format as a whole.
#[derive(Debug)]
pub(crate) struct TrackReader {
    records: Taken,
    form: Form,
    /// The text that is not read yet.
    text: Vec<u8>,
}

/// The records so far.
#[derive(Debug)]
struct Taken {
    taker: TrackTaker,
    count: usize,
    /// Why an element is no JSON; the whole answer is then invalid.
    fault: Option<ArrayFault>,
}

/// How an answer is read.
#[derive(Debug)]
enum Form {
    /// Too little of it is known.
    Unknown,
    Array(Items),
    Lines(Lines),
    Whole,
}

impl TrackReader {
    /// A reader that keeps the fields that were `asked` for, or all.
    pub(crate) fn new(shape: &AnswerShape, id: &str, asked: Option<&FieldChoice>) -> Self {
        Self {
            records: Taken {
                taker: TrackTaker::new(shape, id, asked),
                count: 0,
                fault: None,
            },
            form: Form::Unknown,
            text: Vec::new(),
        }
    }

    /// The number of records so far.
    pub(crate) fn count(&self) -> usize {
        match &self.form {
            Form::Lines(lines) => lines.whole,
            _ => self.records.count,
        }
    }

    /// The whole text, if nothing of it is read before its end.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        matches!(self.form, Form::Unknown | Form::Whole).then_some(&self.text)
    }

    /// Reads the next piece.
    pub(crate) fn take(&mut self, piece: &[u8]) {
        match &mut self.form {
            Form::Unknown => {
                self.text.extend_from_slice(piece);
                if let Some(form) = form_of(&self.text, &self.records.taker.fixes.shape) {
                    self.form = form;
                    if self.whole().is_none() {
                        let begun = std::mem::take(&mut self.text);
                        self.take(text::without_byte_order_mark(&begun));
                    }
                }
            }
            Form::Whole => self.text.extend_from_slice(piece),
            Form::Array(array) => {
                let rest = array.take(piece, &mut self.records);
                self.text.extend_from_slice(rest);
            }
            Form::Lines(lines) => {
                let end = piece.iter().rposition(|byte| *byte == b'\n');
                let (whole, rest) = piece.split_at(end.map_or(0, |end| end + 1));
                if !whole.is_empty() {
                    self.text.extend_from_slice(whole);
                    let text = String::from_utf8_lossy(&self.text);
                    for line in text.split_inclusive('\n') {
                        // A whole line is not cut.
                        let _ = lines.take(line, &mut self.records.taker);
                    }
                    self.text.clear();
                }
                self.text.extend_from_slice(rest);
            }
        }
    }

    /// The records of the whole answer.
    ///
    /// # Errors
    /// [`AnswerFault`] says why it has none.
    pub(crate) fn finish(mut self) -> Result<MappedAnswer, AnswerFault> {
        let shape = self.records.taker.fixes.shape.clone();
        let count = self.records.count;
        let mut reader = Reader {
            shape: &shape,
            taker: &mut self.records.taker,
        };
        // Bytes that are not UTF-8 affect only their record.
        let text = String::from_utf8_lossy(text::without_byte_order_mark(&self.text));
        let is_open = shape.has_cells() && !text.is_empty() && !text.ends_with(['\n', '\r']);
        let mut stray = None;
        let form = match self.form {
            Form::Unknown if shape.format == AnswerFormat::Ndjson => Form::Lines(Lines::of(&shape)),
            form => form,
        };
        let next = match form {
            Form::Unknown | Form::Whole => reader.read(&text)?,
            Form::Lines(mut lines) => {
                lines.take(&text, reader.taker)?;
                stray = lines.stray(reader.taker);
                lines.finish()?
            }
            Form::Array(array) => {
                let around = array.around();
                let around = match self.records.fault {
                    Some(fault) => Err(fault),
                    None => around,
                };
                let around = around.map_err(|fault| match fault {
                    ArrayFault { is_cut: true, .. } => AnswerFault::Cut(count),
                    fault => AnswerFault::Unlike(format!("the answer is no JSON: {}", fault.why)),
                })?;
                let next = reader.json(&(String::from_utf8_lossy(&around) + text));
                next.map_err(|fault| match fault {
                    AnswerFault::Cut(_) => AnswerFault::Cut(count),
                    fault => fault,
                })?
            }
        };
        Ok(MappedAnswer {
            next,
            stray,
            is_open,
            ..self.records.taker.answer()
        })
    }
}

/// A line of more bytes is no error instead of a record.
const LARGEST_ERROR: usize = 65_536;

/// How an answer that begins like this is read; `None` while that is not known.
fn form_of(start: &[u8], shape: &AnswerShape) -> Option<Form> {
    let mark = text::BYTE_ORDER_MARK;
    if start.len() < mark.len() && mark.starts_with(start) {
        return None;
    }
    let rest = text::without_byte_order_mark(start);
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    let [first, second, ..] = rest.get(blanks.count()..)? else {
        return None;
    };
    // UTF-16 and web pages are named as such.
    if *second == 0 || matches!(first, 0 | 0xfe | 0xff | b'<') {
        return Some(Form::Whole);
    }
    let is_known = match &shape.items {
        None => *first == b'[',
        Some(_) => matches!(first, b'[' | b'{'),
    };
    Some(match shape.format {
        AnswerFormat::Ndjson => {
            // The only line may be an error instead of a record.
            let is_more = rest.trim_ascii().contains(&b'\n') || rest.len() > LARGEST_ERROR;
            Form::Lines(is_more.then(|| Lines::of(shape))?)
        }
        // The names of cells may come after the cells.
        AnswerFormat::Json if is_known && shape.columns.is_none() => {
            let items = shape.items.as_deref().unwrap_or_default();
            Form::Array(Items::at(&[items], LARGEST))
        }
        _ => Form::Whole,
    })
}

impl ReadElement for Taken {
    fn read_usual(&mut self, _: &str) -> Option<usize> {
        None
    }

    fn read(&mut self, element: Element<'_>) {
        self.count += 1;
        match element {
            _ if self.fault.is_some() => {}
            Element::Text(bytes) => {
                let json = String::from_utf8_lossy(bytes);
                match serde_json::from_str::<&RawValue>(&json) {
                    Ok(_) => take_item(&mut self.taker, &json, &[]),
                    Err(error) => self.fault = Some(ArrayFault::of(&error)),
                }
            }
            Element::TooLarge(beginning) => {
                let beginning = String::from_utf8_lossy(beginning);
                self.taker.fault(too_large(), &beginning);
            }
        }
    }
}

impl ReadItems for Taken {
    fn begins(&mut self, _place: usize, _around: &[u8]) -> bool {
        true
    }
}
