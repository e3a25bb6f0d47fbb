//! The answer to a read: a JSON array, understood record by record, so that a
//! bad record spoils itself and never its neighbours.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::members::{Key, each_member};
use super::wire::ErrorRead;
use crate::{
    text,
    track::{InvalidRecord, JsonKind, Member, RecordFault, Records, Transmission},
};

/// Characters of a body or record that are shown.
const SHOWN: usize = 200;

/// Why a body that came whole holds no records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotRecordArray {
    /// There is nothing in it.
    Empty,
    /// It is written in UTF-16.
    Utf16,
    /// It is a web page, with this title.
    WebPage(Option<String>),
    /// It is an Error object.
    Error(ErrorRead),
    /// It is JSON of another kind.
    NotAnArray {
        /// What it is: "an object with the keys a, b".
        what: String,
        /// Its first 200 characters, made harmless.
        excerpt: String,
    },
    /// It begins as an array and is not JSON to its end.
    Malformed {
        /// How many records came whole before the fault.
        whole: usize,
        /// What is wrong, in the parser's words.
        why: String,
        /// Whether it is sound as far as it goes, and only ends too early.
        cut: bool,
        /// Its first 200 characters, made harmless.
        excerpt: String,
    },
}

impl NotRecordArray {
    /// Whether it is an array that ends in its middle.
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
            } => write!(
                f,
                "the answer is no complete JSON array; it goes wrong after {whole} whole records ({why}): {excerpt}"
            ),
        }
    }
}

/// Understands a whole body.
///
/// # Errors
/// [`NotRecordArray`] says what it is instead. A body that breaks off is never
/// taken for a shorter one: a JSON array is whole only with its last bracket.
pub(crate) fn parse(body: &[u8]) -> Result<Records, NotRecordArray> {
    let body = text::without_byte_order_mark(body);
    if matches!(
        body,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..]
    ) {
        return Err(NotRecordArray::Utf16);
    }
    // Bytes that are not UTF-8 may stand inside a string, where they spoil at
    // most their record; the mark put in their place is no JSON elsewhere.
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

/// The title of a web page, made harmless, at most 80 characters; none where
/// there is none or the text is no page.
pub(crate) fn page_title(page: &str) -> Option<String> {
    let head: String = page.chars().take(20_000).collect();
    let lower = head.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower.get(open..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    let title = head.get(start..end)?.split_whitespace().collect::<Vec<_>>();
    (!title.is_empty()).then(|| text::excerpt(&title.join(" "), 80))
}

/// What a JSON text that is no array is, in words.
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

/// Why a text that begins as an array is none to its end.
#[derive(Debug)]
pub(super) struct ArrayFault {
    /// What is wrong, in the parser's words.
    pub(super) why: Cow<'static, str>,
    /// Whether it is sound as far as it goes, and only ends too early.
    pub(super) cut: bool,
}

impl From<&serde_json::Error> for ArrayFault {
    fn from(error: &serde_json::Error) -> Self {
        Self {
            why: parsers_words(error).into(),
            cut: error.classify() == Category::Eof,
        }
    }
}

/// Elements that have been read so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    records: Records,
    count: usize,
    /// Why an element is no JSON: the body is none then.
    broken: Option<ArrayFault>,
}

impl Reading {
    /// How many elements have been read.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Takes in a record that was read already.
    pub(super) fn plain(&mut self, transmission: Transmission) {
        if self.broken.is_none() {
            self.records.transmissions.push(transmission);
            self.count += 1;
        }
    }

    /// Reads an element. After one that is no JSON nothing counts.
    pub(super) fn read(&mut self, element: &[u8]) {
        if self.broken.is_none() {
            // Bytes that are not UTF-8 may stand inside a string, where they
            // spoil at most their record.
            self.element(&String::from_utf8_lossy(element));
        }
    }

    fn element(&mut self, element: &str) {
        match transmission(element) {
            Ok(transmission) => self.records.transmissions.push(transmission),
            Err(fault) => {
                // Whether it is JSON at all is asked only of one that failed.
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

    /// Takes in an element that is too large to be read, by how it begins.
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

    /// The records, once the body came to its end; `fault` is that of the array
    /// itself.
    pub(super) fn end(
        self,
        fault: Option<ArrayFault>,
        head: &[u8],
    ) -> Result<Records, NotRecordArray> {
        let Some(fault) = self.broken.or(fault) else {
            return Ok(self.records);
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
        // The raw text of an element is found without recursion and without
        // reading its numbers: nothing in it can fail but its own grammar.
        while let Some(element) = elements.next_element::<&RawValue>()? {
            self.element(element.get());
        }
        Ok(())
    }
}

/// One record by itself.
fn transmission(text: &str) -> Result<Transmission, RecordFault> {
    if !text.starts_with('{') {
        return Err(RecordFault::NotRecord(kind_of_value(text)));
    }
    let mut members = Members::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    if let Err(error) = reader
        .deserialize_map(MembersVisitor(&mut members))
        .and_then(|()| reader.end())
    {
        return Err(match members.twice {
            Some(member) => RecordFault::Twice(member),
            None => RecordFault::Other(text::excerpt(&parsers_words(&error), 120).into()),
        });
    }
    Transmission::new(
        number(Member::TimeStamp, members.time_stamp)?,
        number(Member::Latitude, members.latitude)?,
        number(Member::Longitude, members.longitude)?,
    )
}

/// A parser's message without the place inside the record, which says nothing
/// to a reader.
fn parsers_words(error: &serde_json::Error) -> String {
    let mut message = error.to_string();
    if let Some(end) = message.find(" at line ") {
        message.truncate(end);
    }
    message
}

/// The three members of a record, as raw text.
#[derive(Default)]
struct Members<'a> {
    time_stamp: Option<&'a RawValue>,
    latitude: Option<&'a RawValue>,
    longitude: Option<&'a RawValue>,
    /// The member that stands there twice, where reading ended for that.
    twice: Option<Member>,
}

struct MembersVisitor<'a, 'de>(&'a mut Members<'de>);

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
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            // Which of two is meant cannot be known, so neither is taken.
            if place.replace(map.next_value()?).is_some() {
                self.0.twice = Some(member);
                return Err(A::Error::custom("a member twice"));
            }
        }
        Ok(())
    }
}

/// A member as a finite number.
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

/// What a JSON value is, by its first character.
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
