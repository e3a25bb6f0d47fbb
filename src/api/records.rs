//! The response to a read: a JSON array, parsed record by record, so that an
//! invalid record does not affect the others.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::members::{Key, each_member};
use super::plain::{self, NotPlain};
use super::record_fields::RecordFields;
use super::wire::ErrorRead;
use crate::track::field::FieldChoice;
use crate::{
    text,
    track::{InvalidRecord, JsonKind, Member, RecordFault, Records, Transmission},
};

/// Most characters of a body or record that a message quotes.
const SHOWN: usize = 200;

/// Why a complete body is not an array of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotRecordArray {
    /// The body is empty.
    Empty,
    /// The body is UTF-16.
    Utf16,
    /// The body is a web page with this title.
    WebPage(Option<String>),
    /// The body is an Error object.
    Error(ErrorRead),
    /// The body is JSON, but not an array.
    NotAnArray {
        /// Description of the JSON: "an object with the keys a, b".
        what: String,
        /// The first 200 characters, sanitized.
        excerpt: String,
    },
    /// The body starts as an array, but is not valid JSON.
    Malformed {
        /// Number of complete records before the error.
        whole: usize,
        /// The parser's message.
        why: String,
        /// Whether the body is valid up to its end, but truncated.
        cut: bool,
        /// The first 200 characters, sanitized.
        excerpt: String,
    },
}

impl NotRecordArray {
    /// Whether the body is a truncated array.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self, Self::Malformed { cut: true, .. })
    }
}

impl fmt::Display for NotRecordArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the answer is empty where an array of records should be"),
            Self::Utf16 => f.write_str("the answer is written in UTF-16, not UTF-8"),
            Self::WebPage(Some(title)) => {
                write!(f, "got a web page, not JSON: its title is {title:?}")
            }
            Self::WebPage(None) => f.write_str("got a web page, not JSON"),
            Self::Error(_) => f.write_str("the answer is an Error object"),
            Self::NotAnArray { what, excerpt } => {
                write!(
                    f,
                    "the answer is {what}, not an array of records: {excerpt}"
                )
            }
            Self::Malformed {
                whole,
                why,
                excerpt,
                ..
            } => {
                let records = if *whole == 1 { "record" } else { "records" };
                write!(
                    f,
                    "the answer is not a complete JSON array; the fault is after {whole} whole {records} ({why}): {excerpt}"
                )
            }
        }
    }
}

/// Parses a complete body.
///
/// # Errors
/// [`NotRecordArray`] describes the body. A truncated body is never accepted as
/// a shorter one: a JSON array is complete only with its closing bracket.
pub(crate) fn parse(body: &[u8]) -> Result<Records, NotRecordArray> {
    let body = text::without_byte_order_mark(body);
    if matches!(
        body,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..]
    ) {
        return Err(NotRecordArray::Utf16);
    }
    // Bytes that are not UTF-8 inside a string invalidate only their record.
    // Elsewhere the replacement character is not valid JSON.
    let text = String::from_utf8_lossy(body);
    let start = text.trim_start_matches([' ', '\t', '\n', '\r']);
    match start.chars().next() {
        None => Err(NotRecordArray::Empty),
        Some('[') => {
            let mut reader = serde_json::Deserializer::from_str(start);
            let mut reading = Reading::default();
            let read = reader
                .deserialize_seq(&mut reading)
                .and_then(|()| reader.end());
            reading.end(read.err().map(|error| ArrayFault::from(&error)), body)
        }
        Some('<') => Err(NotRecordArray::WebPage(page_title(&text))),
        Some(_) => match ErrorRead::from_body(text.as_bytes()) {
            Some(error) => Err(NotRecordArray::Error(error)),
            None => Err(NotRecordArray::NotAnArray {
                what: kind_of(start),
                excerpt: text::excerpt(&text, SHOWN),
            }),
        },
    }
}

/// The title of a web page, sanitized, at most 80 characters; `None` if the
/// text is not a page or has no title.
pub(crate) fn page_title(page: &str) -> Option<String> {
    let head: String = page.chars().take(20_000).collect();
    let lower = head.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower.get(open..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    let title = head.get(start..end)?.split_whitespace().collect::<Vec<_>>();
    (!title.is_empty()).then(|| text::excerpt(&title.join(" "), 80))
}

/// Describes JSON that is not an array, for a message.
fn kind_of(json: &str) -> String {
    let mut keys = Vec::new();
    let object = each_member(json, |key, _| {
        if keys.len() < 5 {
            keys.push(text::excerpt(key, 30));
        }
    });
    match object {
        Some(()) => match keys.len() {
            0 => "an empty object".to_owned(),
            1 => format!("an object with the key {}", keys.join("")),
            _ => format!("an object with the keys {}", keys.join(", ")),
        },
        None if serde_json::from_str::<IgnoredAny>(json).is_ok() => kind_of_value(json).to_string(),
        None => "no JSON".to_owned(),
    }
}

/// Why a text that starts as an array is not a valid array.
#[derive(Debug)]
pub(super) struct ArrayFault {
    /// The parser's message.
    pub(super) why: Cow<'static, str>,
    /// Whether the text is valid up to its end, but truncated.
    pub(super) cut: bool,
}

impl From<&serde_json::Error> for ArrayFault {
    fn from(error: &serde_json::Error) -> Self {
        Self {
            why: parser_message(error).into(),
            cut: error.classify() == Category::Eof,
        }
    }
}

/// The elements parsed so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    records: Records,
    fields: RecordFields,
    count: usize,
    /// Why an element is not JSON; the whole body is then invalid.
    broken: Option<ArrayFault>,
}

impl Reading {
    /// A body of which only these fields are kept.
    pub(super) fn of_fields(asked: Option<&FieldChoice>) -> Self {
        Self {
            fields: RecordFields::asked(asked),
            ..Self::default()
        }
    }

    /// The number of elements parsed.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Parses the record at the start of `text` on the fast path; returns its
    /// length in bytes.
    ///
    /// # Errors
    /// [`NotPlain`] where it is left to [`Reading::read`].
    pub(super) fn plain(&mut self, text: &str) -> Result<usize, NotPlain> {
        self.fields.begin(self.records.transmissions.len());
        let read = plain::record(text, &mut self.fields);
        let (transmission, length) = read.inspect_err(|_| self.fields.undo())?;
        if self.broken.is_none() {
            self.records.transmissions.push(transmission);
            self.count += 1;
        }
        Ok(length)
    }

    /// Parses an element. After one that is not JSON, further elements are
    /// ignored.
    pub(super) fn read(&mut self, element: &[u8]) {
        if self.broken.is_none() {
            // Bytes that are not UTF-8 inside a string invalidate only their
            // record.
            self.element(&String::from_utf8_lossy(element));
        }
    }

    fn element(&mut self, element: &str) {
        self.fields.begin(self.records.transmissions.len());
        match transmission(element, &mut self.fields) {
            Ok(transmission) => self.records.transmissions.push(transmission),
            Err(fault) => {
                self.fields.undo();
                // Only after an error: tells an invalid record from invalid
                // JSON.
                if let Err(error) = serde_json::from_str::<&RawValue>(element) {
                    self.broken = Some(ArrayFault::from(&error));
                    return;
                }
                let index = self.count;
                self.records.add_unusable(|| InvalidRecord {
                    index,
                    fault,
                    excerpt: text::excerpt(element, SHOWN),
                });
            }
        }
        self.count += 1;
    }

    /// Adds an element that is too large to be parsed, with its beginning.
    pub(super) fn too_large(&mut self, beginning: &[u8], most: u64) {
        if self.broken.is_some() {
            return;
        }
        let index = self.count;
        self.records.add_unusable(|| InvalidRecord {
            index,
            fault: RecordFault::Other(format!("larger than {}", text::bytes(most)).into()),
            excerpt: text::excerpt(&String::from_utf8_lossy(beginning), SHOWN),
        });
        self.count += 1;
    }

    /// The records of the complete body; `fault` is the error of the array
    /// itself.
    pub(super) fn end(
        self,
        fault: Option<ArrayFault>,
        head: &[u8],
    ) -> Result<Records, NotRecordArray> {
        let Some(fault) = self.broken.or(fault) else {
            return Ok(Records {
                fields: self.fields.finish(),
                ..self.records
            });
        };
        Err(NotRecordArray::Malformed {
            cut: fault.cut,
            whole: self.count,
            why: text::excerpt(&fault.why, 120),
            excerpt: text::excerpt(&String::from_utf8_lossy(head), SHOWN),
        })
    }
}

impl<'de> Visitor<'de> for &mut Reading {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        // Extracting the raw text of an element neither recurses nor parses
        // numbers: only a syntax error can fail here.
        while let Some(element) = elements.next_element::<&RawValue>()? {
            self.element(element.get());
        }
        Ok(())
    }
}

/// Parses one record; its fields go to `fields`.
fn transmission(text: &str, fields: &mut RecordFields) -> Result<Transmission, RecordFault> {
    if !text.starts_with('{') {
        return Err(RecordFault::NotRecord(kind_of_value(text)));
    }
    let mut members = Members::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    if let Err(error) = reader
        .deserialize_map(MembersVisitor(&mut members, fields))
        .and_then(|()| reader.end())
    {
        return Err(match members.twice {
            Some(fault) => fault,
            None => RecordFault::Other(text::excerpt(&parser_message(&error), 120).into()),
        });
    }
    Transmission::new(
        number(Member::TimeStamp, members.time_stamp)?,
        number(Member::Latitude, members.latitude)?,
        number(Member::Longitude, members.longitude)?,
    )
}

/// A parser's message without its position, which counts from the start of the
/// record and does not help the user.
fn parser_message(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    if let Some(end) = message.find(" at line ") {
        message.truncate(end);
    }
    message
}

/// The three members of a record, as raw JSON.
#[derive(Default)]
struct Members<'a> {
    time_stamp: Option<&'a RawValue>,
    latitude: Option<&'a RawValue>,
    longitude: Option<&'a RawValue>,
    /// The duplicate member at which parsing stopped.
    twice: Option<RecordFault>,
}

struct MembersVisitor<'a, 'de>(&'a mut Members<'de>, &'a mut RecordFields);

impl<'de> Visitor<'de> for MembersVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let (member, place) = match &*key.0 {
                "time_stamp" => (Member::TimeStamp, &mut self.0.time_stamp),
                "latitude" => (Member::Latitude, &mut self.0.latitude),
                "longitude" => (Member::Longitude, &mut self.0.longitude),
                name => {
                    if let Err(twice) = self.1.add_json(name, map.next_value()?) {
                        self.0.twice = Some(twice);
                        return Err(A::Error::custom("a field twice"));
                    }
                    continue;
                }
            };
            // It is unknown which of two values is meant, so the record is
            // invalid.
            if place.replace(map.next_value()?).is_some() {
                self.0.twice = Some(RecordFault::Twice(member));
                return Err(A::Error::custom("a member twice"));
            }
        }
        Ok(())
    }
}

/// Parses a member as a finite number.
fn number(member: Member, raw: Option<&RawValue>) -> Result<f64, RecordFault> {
    let Some(raw) = raw else {
        return Err(RecordFault::Missing(member));
    };
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(RecordFault::NotFinite(member)),
        },
        _ => Err(RecordFault::NotNumber(member, kind_of_value(text))),
    }
}

/// The kind of a JSON value, from its first character.
fn kind_of_value(json: &str) -> JsonKind {
    match json.as_bytes().first() {
        Some(b'n') => JsonKind::Null,
        Some(b't' | b'f') => JsonKind::Boolean,
        Some(b'"') => JsonKind::Text,
        Some(b'[') => JsonKind::Array,
        Some(b'{') => JsonKind::Object,
        _ => JsonKind::Number,
    }
}

#[cfg(test)]
mod tests;
