//! Reads responses during their download: the usual array of records, or by a mapping.

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

/// A request to a service with a mapping.
#[derive(Debug, Clone)]
pub(super) struct Mapped {
    pub(super) service: Arc<Service>,
    pub(super) wanted: Wanted,
}

/// The data that is requested from a service with a mapping.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    /// The track of the deployment with this id.
    Track(String),
    /// The list of its deployments.
    List(Box<List>),
}

/// The content of a response.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) records: Records,
    /// The deployments of a list.
    pub(super) listed: Vec<ListedDeployment>,
    /// The URL of the next page, if the body has one.
    pub(super) next: Option<String>,
    /// Sentences for the user about the response.
    pub(super) notes: Vec<String>,
}

impl Content {
    /// The content of a response with a track.
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

    /// The number of records or deployments, with its noun.
    pub(super) fn counted(&self) -> String {
        match self.listed.len() {
            0 => text::counted(self.records.count(), "record", "records"),
            count => text::counted(count, "deployment", "deployments"),
        }
    }
}

/// Reads a response piece by piece.
#[derive(Debug)]
pub(super) enum AnswerReader {
    /// The array of the interface, record by record.
    Array(Box<RecordReader>),
    /// A response by a mapping.
    Mapped(Box<MappedReader>),
}

/// Reads a response by a mapping: an array record by record, any other format as a whole.
#[derive(Debug)]
pub(super) struct MappedReader {
    mapped: Mapped,
    asked: Option<FieldChoice>,
    /// The whole body, or the beginning of an array.
    body: Vec<u8>,
    /// The array, once its beginning has been read.
    array: Option<Elements>,
    items: Option<Items>,
}

/// The records of an array so far.
#[derive(Debug)]
struct Items {
    reader: ItemReader,
    count: usize,
    /// Why an element is not JSON; the whole body is then invalid.
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

    fn finish(self) -> Result<Content, NotRecordArray> {
        let (Some(array), Some(items)) = (self.array, self.items) else {
            return self.mapped.content(&self.body, self.asked.as_ref());
        };
        match items.fault.or_else(|| array.fault()) {
            None => Ok(Content::of_track(items.reader.finish())),
            Some(fault) if fault.is_cut => Err(NotRecordArray::Cut { whole: items.count }),
            Some(fault) => {
                let why = format!("the answer is no JSON: {}", fault.why);
                Err(NotRecordArray::Unlike(why))
            }
        }
    }
}

impl AnswerReader {
    /// A reader that stores the fields that were `asked` for, or all, and the `limited`
    /// ones however many others there are.
    pub(super) fn new(
        mapped: Option<Mapped>,
        asked: Option<&FieldChoice>,
        limited: &[String],
    ) -> Self {
        match mapped {
            None => Self::Array(Box::new(RecordReader::new(asked, limited))),
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

    /// The number of complete records so far; 0 for a mapping.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Array(records) => records.count(),
            Self::Mapped(mapped) => mapped.items.as_ref().map_or(0, |items| items.count),
        }
    }

    /// Reads the next piece.
    pub(super) fn take(&mut self, piece: &[u8]) {
        match self {
            Self::Array(records) => records.take(piece),
            Self::Mapped(mapped) => mapped.take(piece),
        }
    }

    /// The content of the complete body.
    ///
    /// # Errors
    /// [`NotRecordArray`] describes a body without records.
    pub(super) fn finish(self) -> Result<Content, NotRecordArray> {
        match self {
            Self::Array(records) => {
                let records = records.finish()?;
                Ok(Content {
                    records,
                    ..Content::default()
                })
            }
            Self::Mapped(mapped) => mapped.finish(),
        }
    }
}

impl Mapped {
    /// The media types that it accepts.
    pub(super) fn accepted(&self) -> &'static str {
        match self.service.mapping.answer.format {
            AnswerFormat::Json => JSON,
            AnswerFormat::Ndjson | AnswerFormat::Csv | AnswerFormat::Table => "*/*",
        }
    }

    /// The content of a complete body.
    pub(super) fn content(
        &self,
        body: &[u8],
        asked: Option<&FieldChoice>,
    ) -> Result<Content, NotRecordArray> {
        let shape = &self.service.mapping.answer;
        let written = text::without_byte_order_mark(body);
        let is_utf16 = matches!(body, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        let first = written.iter().find(|byte| !byte.is_ascii_whitespace());
        let is_empty_json = first.is_none() && shape.format == AnswerFormat::Json;
        // A command that prints nothing has no records, whatever its format.
        let is_of_command = !self.service.mapping.command.is_empty();
        if is_empty_json && is_of_command {
            return Ok(Content::default());
        }
        if is_utf16 || first == Some(&b'<') || is_empty_json {
            return Err(not_records(body));
        }
        // Bytes that are not UTF-8 affect only their record.
        let written = String::from_utf8_lossy(written);
        let id = match &self.wanted {
            Wanted::Track(id) => id,
            Wanted::List(list) => {
                let page = listed(&written, list).map_err(fault)?;
                return Ok(Content {
                    listed: page.deployments,
                    next: page.next,
                    notes: Vec::from_iter(page.note),
                    ..Content::default()
                });
            }
        };
        let read = answer(&written, shape, id, asked).map_err(fault)?;
        // The only object may be an error instead of a record.
        if read.records.transmissions.is_empty()
            && first == Some(&b'{')
            && shape.items.is_none()
            && let Some(error) = ErrorRead::from_body(body)
        {
            return Err(NotRecordArray::Error(error));
        }
        Ok(Content::of_track(read))
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
