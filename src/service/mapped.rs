//! Responses while they download: of the usual service, and of services of another shape.

use std::sync::Arc;

use super::elements::{ArrayFault, Element, Elements, ReadElement, too_large};
use super::http_client::JSON;
use super::not_records::{NotRecordArray, not_records};
use super::records::{ArrayStart, RecordReader, array_start};
use super::wire::ErrorRead;
use crate::formats::read::{AnswerFault, ItemReader, MappedAnswer, answer, listed};
use crate::mapping::{AnswerFormat, List, Service};
use crate::text;
use crate::track::Records;
use crate::track::field::FieldChoice;
use crate::track::listed::ListedDeployment;

/// What is asked of a service of another shape.
#[derive(Debug, Clone)]
pub(super) struct Mapped {
    pub(super) service: Arc<Service>,
    pub(super) wanted: Wanted,
}

/// What is wanted of a service of another shape.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// The track of what the service calls so.
    Track(String),
    /// The deployments that it has.
    List(Box<List>),
}

/// What an answer has.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) records: Records,
    /// The deployments of a list.
    pub(super) listed: Vec<ListedDeployment>,
    /// The address of the next page, where the body has it.
    pub(super) next: Option<String>,
    /// Sentences for a person about the answer.
    pub(super) notes: Vec<String>,
}

impl Taken {
    /// What the answer for a track has.
    fn of_track(read: MappedAnswer) -> Self {
        let mut notes = Vec::from_iter(read.note);
        if read.others > 0 {
            let records = text::counted(read.others, "record", "records");
            notes.push(format!("{records} of other deployments left out"));
        }
        Self {
            records: read.records,
            next: read.next,
            notes,
            ..Self::default()
        }
    }

    /// What it has of what was wanted, in words.
    pub(super) fn counted(&self) -> String {
        match self.listed.len() {
            0 => text::counted(self.records.count(), "record", "records"),
            count => text::counted(count, "deployment", "deployments"),
        }
    }
}

/// Reads an answer piece by piece.
#[derive(Debug)]
pub(super) enum AnswerReader {
    /// The usual array, record by record.
    Array(Box<RecordReader>),
    /// An answer by a mapping.
    Mapped(Box<MappedReader>),
}

/// Reads an answer by a mapping: an array record by record, any other as a whole.
#[derive(Debug)]
pub(super) struct MappedReader {
    mapped: Mapped,
    asked: Option<FieldChoice>,
    /// All of the body, or of an array as much as shows that it is one.
    body: Vec<u8>,
    /// The array, once the body has begun as one.
    array: Option<Elements>,
    items: Option<Items>,
}

/// The records of an array so far.
#[derive(Debug)]
struct Items {
    reader: ItemReader,
    count: usize,
    /// Why an element is no JSON; the whole body is then none.
    fault: Option<ArrayFault>,
}

impl ReadElement for Items {
    fn read_usual(&mut self, _: &str) -> Option<usize> {
        None
    }

    fn read(&mut self, element: Element<'_>) {
        self.count += 1;
        match element {
            _ if self.fault.is_some() => {}
            Element::Text(bytes) => {
                let read = self.reader.read(&String::from_utf8_lossy(bytes));
                self.fault = read.err().map(|error| ArrayFault::of(&error));
            }
            Element::TooLarge(beginning) => {
                let beginning = String::from_utf8_lossy(beginning);
                self.reader.unusable(too_large(), &beginning);
            }
        }
    }
}

impl MappedReader {
    fn take(&mut self, piece: &[u8]) {
        let Some(items) = &mut self.items else {
            return self.body.extend_from_slice(piece);
        };
        if let Some(array) = &mut self.array {
            return array.take(piece, items);
        }
        self.body.extend_from_slice(piece);
        match array_start(&self.body) {
            Some(ArrayStart::At(start)) => {
                let mut array = Elements::new();
                array.take(self.body.get(start..).unwrap_or_default(), items);
                self.array = Some(array);
            }
            Some(ArrayStart::NoArray) => self.items = None,
            None => {}
        }
    }

    fn finish(self) -> Result<Taken, NotRecordArray> {
        let (Some(array), Some(items)) = (self.array, self.items) else {
            return self.mapped.taken(&self.body, self.asked.as_ref());
        };
        match items.fault.or_else(|| array.fault()) {
            None => Ok(Taken::of_track(items.reader.finish())),
            Some(fault) if fault.is_cut => Err(NotRecordArray::Cut { whole: items.count }),
            Some(fault) => {
                let why = format!("the answer is no JSON: {}", fault.why);
                Err(NotRecordArray::Unlike(why))
            }
        }
    }
}

impl AnswerReader {
    /// A reader that keeps of the fields those that were `asked` for, or all, and the
    /// `limited` ones however many others there are.
    pub(super) fn new(
        mapped: Option<Mapped>,
        asked: Option<&FieldChoice>,
        limited: &[String],
    ) -> Self {
        match mapped {
            None => {
                let records = RecordReader::new(asked);
                Self::Array(Box::new(records.keeping(limited)))
            }
            Some(mapped) => {
                let shape = &mapped.service.mapping.answer;
                let reader = match &mapped.wanted {
                    Wanted::Track(id) => ItemReader::new(shape, id, asked),
                    Wanted::List(_) => None,
                };
                Self::Mapped(Box::new(MappedReader {
                    items: reader.map(|reader| Items {
                        reader,
                        count: 0,
                        fault: None,
                    }),
                    mapped,
                    asked: asked.cloned(),
                    body: Vec::new(),
                    array: None,
                }))
            }
        }
    }

    /// The number of complete records so far, if that is known.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Array(records) => records.count(),
            Self::Mapped(mapped) => mapped.items.as_ref().map_or(0, |items| items.count),
        }
    }

    /// Takes the next piece.
    pub(super) fn take(&mut self, piece: &[u8]) {
        match self {
            Self::Array(records) => records.take(piece),
            Self::Mapped(mapped) => mapped.take(piece),
        }
    }

    /// What the complete body has.
    ///
    /// # Errors
    /// [`NotRecordArray`] describes a body without records.
    pub(super) fn finish(self) -> Result<Taken, NotRecordArray> {
        match self {
            Self::Array(records) => {
                let records = records.finish()?;
                Ok(Taken {
                    records,
                    ..Taken::default()
                })
            }
            Self::Mapped(mapped) => mapped.finish(),
        }
    }
}

impl Mapped {
    /// The media types of its answer.
    pub(super) fn accepted(&self) -> &'static str {
        match self.service.mapping.answer.format {
            AnswerFormat::Json => JSON,
            AnswerFormat::Ndjson | AnswerFormat::Csv | AnswerFormat::Table => "*/*",
        }
    }

    /// What a complete body has.
    pub(super) fn taken(
        &self,
        body: &[u8],
        asked: Option<&FieldChoice>,
    ) -> Result<Taken, NotRecordArray> {
        let shape = &self.service.mapping.answer;
        let written = text::without_byte_order_mark(body);
        let is_utf16 = matches!(body, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        let first = written.iter().find(|byte| !byte.is_ascii_whitespace());
        let is_empty_json = first.is_none() && shape.format == AnswerFormat::Json;
        // Nothing is none of the records of a command, whatever its format.
        let is_of_command = !self.service.mapping.command.is_empty();
        if is_empty_json && is_of_command {
            return Ok(Taken::default());
        }
        if is_utf16 || first == Some(&b'<') || is_empty_json {
            return Err(not_records(body));
        }
        // Bytes that are not UTF-8 spoil their record alone.
        let written = String::from_utf8_lossy(written);
        let id = match &self.wanted {
            Wanted::Track(id) => id,
            Wanted::List(list) => {
                let (listed, next) = listed(&written, list).map_err(fault)?;
                return Ok(Taken {
                    listed,
                    next,
                    ..Taken::default()
                });
            }
        };
        let read = answer(&written, shape, id, asked).map_err(fault)?;
        // An error in place of the only record.
        if read.records.transmissions.is_empty()
            && first == Some(&b'{')
            && shape.items.is_none()
            && let Some(error) = ErrorRead::from_body(body)
        {
            return Err(NotRecordArray::Error(error));
        }
        Ok(Taken::of_track(read))
    }
}

fn fault(fault: AnswerFault) -> NotRecordArray {
    match fault {
        AnswerFault::Unlike(words) => NotRecordArray::Unlike(words),
        AnswerFault::Cut(whole) => NotRecordArray::Cut { whole },
        AnswerFault::Said(words) => NotRecordArray::Error(ErrorRead {
            error: None,
            message: Some(words),
        }),
    }
}
