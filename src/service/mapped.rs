//! Answers of services of another shape while they download, beside those of the usual one.

use std::sync::Arc;

use super::http_client::JSON;
use super::not_records::{NotRecordArray, not_records};
use super::records::{NumberNames, RecordReader};
use super::wire::ErrorRead;
use crate::formats::read::{AnswerFault, answer, listed};
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
    /// An answer by a mapping, as a whole.
    Mapped {
        mapped: Mapped,
        asked: Option<FieldChoice>,
        body: Vec<u8>,
    },
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
                let records = RecordReader::new(NumberNames::default(), asked);
                Self::Array(Box::new(records.keeping(limited)))
            }
            Some(mapped) => {
                let asked = asked.cloned();
                Self::Mapped {
                    mapped,
                    asked,
                    body: Vec::new(),
                }
            }
        }
    }

    /// The number of complete records so far, where that is known.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Array(records) => records.count(),
            Self::Mapped { .. } => 0,
        }
    }

    /// Takes the next piece.
    pub(super) fn take(&mut self, piece: &[u8]) {
        match self {
            Self::Array(records) => records.take(piece),
            Self::Mapped { body, .. } => body.extend_from_slice(piece),
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
            Self::Mapped {
                mapped,
                asked,
                body,
            } => mapped.taken(&body, asked.as_ref()),
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
        let mut notes = Vec::from_iter(read.note);
        if read.others > 0 {
            let records = text::counted(read.others, "record", "records");
            notes.push(format!("{records} of other deployments left out"));
        }
        Ok(Taken {
            records: read.records,
            next: read.next,
            notes,
            ..Taken::default()
        })
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
