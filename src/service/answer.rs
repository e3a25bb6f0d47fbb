//! Reads responses during their download, from bytes to records or to a list of deployments: the
//! array of the interface and any other shape by one path.

mod cells;
mod fault;
mod fix;
mod list;
mod reader;
mod record;
mod shaped;
#[cfg(test)]
mod tests;
mod track;

pub(crate) use fault::{AnswerFault, page_title};

use std::borrow::Cow;
use std::sync::Arc;

use super::http_client::JSON;
use super::wire::ErrorRead;
use crate::mapping::{AnswerFormat, AnswerShape, List, Service};
use crate::text;
use crate::track::Records;
use crate::track::field::FieldChoice;
use crate::watch::answer::Unmet;
use crate::watch::listed::DeploymentList;
use fault::{no_text, not_records};
use list::listed;
use reader::TrackReader;

/// The content of a response.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) records: Records,
    pub(super) listed: DeploymentList,
    /// The URL of the next page, if the body has one.
    pub(super) next: Option<String>,
    /// Sentences for the user about the response.
    pub(super) notes: Vec<String>,
    /// The number of records of other deployments.
    pub(super) others: usize,
    /// The records that the filter of the mapping left out.
    pub(super) unmet: Unmet,
    /// The last line, if it is an object with an error or a message and nothing of a fix.
    pub(super) stray: Option<String>,
    /// `true` if the last row of a table has no line end.
    pub(super) is_open: bool,
}

impl Content {
    /// The number of records or deployments, with its noun.
    pub(super) fn counted(&self) -> String {
        match self.listed.deployments.len() {
            0 => text::counted(self.records.count(), "record", "records"),
            count => text::counted(count, "deployment", "deployments"),
        }
    }
}

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

/// Reads a response piece by piece: a track, or a list of deployments, which is read as a whole.
#[derive(Debug)]
pub(super) struct AnswerReader {
    pub(super) body: Box<TrackReader>,
    /// The service, if it has a mapping.
    service: Option<Arc<Service>>,
    list: Option<Box<List>>,
}

impl AnswerReader {
    /// A reader that stores the fields that were `asked` for, or all, and the `limited`
    /// ones however many others there are.
    pub(super) fn new(
        mapped: Option<Mapped>,
        asked: Option<&FieldChoice>,
        limited: &[String],
    ) -> Self {
        let interface = AnswerShape::default();
        let track =
            |shape: &AnswerShape, id: &str| Box::new(TrackReader::new(shape, id, asked, limited));
        let (body, service, list) = match mapped {
            None => (track(&interface, ""), None, None),
            Some(Mapped { service, wanted }) => match wanted {
                Wanted::Track(id) => (track(&service.mapping.answer, &id), Some(service), None),
                Wanted::List(list) => {
                    let body = TrackReader::as_a_whole(&list.answer);
                    (Box::new(body), Some(service), Some(list))
                }
            },
        };
        Self {
            body,
            service,
            list,
        }
    }

    /// The content of the complete body.
    ///
    /// # Errors
    /// [`AnswerFault`] describes a body without records.
    pub(super) fn finish(self) -> Result<Content, AnswerFault> {
        let Some(list) = self.list else {
            return finished_track(*self.body, self.service.as_deref());
        };
        let body = self.body.whole().unwrap_or_default();
        look_for_text(body, list.answer.format)?;
        let (listed, next) = listed(&written(body), &list)?;
        Ok(Content {
            listed,
            next,
            ..Content::default()
        })
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
}

/// The track of a response that was read to its end.
fn finished_track(track: TrackReader, service: Option<&Service>) -> Result<Content, AnswerFault> {
    let mut error = None;
    if let Some(body) = track.whole() {
        // The interface has nothing else than an array, which is not read as a whole.
        let Some(service) = service else {
            return Err(not_records(body));
        };
        let shape = &service.mapping.answer;
        let first = first_byte(body);
        // A command that prints nothing has no records, whatever its format.
        if first.is_none() && !service.mapping.command.is_empty() {
            return Ok(Content::default());
        }
        look_for_text(body, shape.format)?;
        // The only object may be an error instead of a record.
        if first == Some(b'{') && shape.items.is_none() {
            error = ErrorRead::from_body(body);
        }
    }
    let read = match (track.finish(), &error) {
        // An error where a table is due is no table.
        (Err(_), Some(error)) => return Err(AnswerFault::Error(error.clone())),
        (read, _) => read?,
    };
    // A service that fails after it has begun to answer often writes its error at the end.
    let stray = read
        .stray
        .as_deref()
        .map(str::as_bytes)
        .map(ErrorRead::explained)
        .filter(|read| *read != ErrorRead::default());
    let error = error.filter(|_| read.records.transmissions.is_empty());
    match error.or(stray) {
        Some(error) => Err(AnswerFault::Error(error)),
        None => Ok(read),
    }
}

/// The first byte that is no blank.
fn first_byte(body: &[u8]) -> Option<u8> {
    let mut bytes = text::without_byte_order_mark(body).iter().copied();
    bytes.find(|byte| !byte.is_ascii_whitespace())
}

/// Fails if a body is a web page, in UTF-16, or empty where JSON has to be.
fn look_for_text(body: &[u8], format: AnswerFormat) -> Result<(), AnswerFault> {
    match no_text(body) {
        None => Ok(()),
        Some(AnswerFault::Empty) if format != AnswerFormat::Json => Ok(()),
        Some(found) => Err(found),
    }
}

/// A body as text. Bytes that are not UTF-8 affect only their record.
fn written(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text::without_byte_order_mark(body))
}

/// Parses a body of the interface that comes in pieces of this size.
///
/// # Errors
/// [`AnswerFault`] describes a body without records.
#[cfg(any(test, feature = "bench"))]
pub(crate) fn parse(body: &[u8], size: usize) -> Result<crate::track::Records, AnswerFault> {
    let mut reader = AnswerReader::new(None, None, &[]);
    for piece in body.chunks(size.max(1)) {
        reader.body.take(piece);
    }
    reader.finish().map(|content| content.records)
}
