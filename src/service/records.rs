//! The response to a read: a JSON array, parsed record by record while it
//! downloads, so that an invalid record does not affect the others.

use serde_json::value::RawValue;

use super::not_records::{NotRecordArray, SHOWN, not_records};
use super::usual::usual_members;
use crate::formats::elements::{ArrayFault, Element, Elements, ReadElement, message, too_large};
use crate::formats::{each_member, json_kind};
use crate::text;
use crate::track::field::{
    FieldChoice, FieldRows, FieldTable, FieldValue, LONGEST_VALUE, SecondValue,
};
use crate::track::{Member, RecordFault, Records, Transmission, Unusable};

/// Most bytes buffered of a body that is not an array, to describe it.
const UNREADABLE: usize = 1 << 20;
/// Most bytes buffered of an array, to quote it in an error.
const HEAD: usize = 4 << 10;

/// Reads a body of records during its download.
#[derive(Debug)]
pub(crate) struct RecordReader {
    /// The beginning of the body.
    head: Vec<u8>,
    body: Body,
    parsed: Parsed,
}

/// The kind of a body, from its first bytes.
#[derive(Debug)]
enum Body {
    Unknown,
    Array(Elements),
    Other,
}

impl RecordReader {
    /// A reader that stores the fields that were `asked` for, or all, and the `limited`
    /// ones however many others there are.
    pub(crate) fn new(asked: Option<&FieldChoice>, limited: &[String]) -> Self {
        Self {
            head: Vec::new(),
            body: Body::Unknown,
            parsed: Parsed {
                asked: asked.cloned(),
                records: Records::default(),
                fields: FieldTable::default().keeping(limited),
                fault: None,
            },
        }
    }

    /// The number of complete elements so far.
    pub(crate) fn count(&self) -> usize {
        self.parsed.records.count()
    }

    /// Parses the next piece.
    pub(crate) fn take(&mut self, mut piece: &[u8]) {
        let known = self.head.len();
        let most = match self.body {
            Body::Array(_) => HEAD,
            Body::Unknown | Body::Other => UNREADABLE,
        };
        let room = most.saturating_sub(known).min(piece.len());
        self.head
            .extend_from_slice(piece.get(..room).unwrap_or_default());
        if let Body::Unknown = self.body {
            let start = array_start(&self.head);
            self.body = match start {
                None if self.head.len() < UNREADABLE => return,
                None | Some(ArrayStart::NoArray) => Body::Other,
                Some(ArrayStart::At(start)) => {
                    piece = piece.get(start - known..).unwrap_or_default();
                    self.head.truncate(HEAD);
                    Body::Array(Elements::new())
                }
            };
        }
        if let Body::Array(elements) = &mut self.body {
            elements.take(piece, &mut self.parsed);
        }
    }

    /// The records of the complete body.
    ///
    /// # Errors
    /// [`NotRecordArray`] describes the body. A truncated body is never accepted as
    /// a shorter one: a JSON array is complete only with its closing bracket.
    pub(crate) fn finish(self) -> Result<Records, NotRecordArray> {
        let Body::Array(elements) = &self.body else {
            return Err(not_records(&self.head));
        };
        let Some(fault) = self.parsed.fault.or_else(|| elements.fault()) else {
            return Ok(Records {
                fields: FieldRows::new(self.parsed.fields),
                ..self.parsed.records
            });
        };
        Err(NotRecordArray::Malformed {
            cut: fault.is_cut,
            whole: self.parsed.records.count(),
            why: text::excerpt(&fault.why, 120),
            excerpt: text::excerpt(&String::from_utf8_lossy(&self.head), SHOWN),
        })
    }
}

/// The beginning of a body of which enough is known.
enum ArrayStart {
    /// An array; the index after its opening bracket.
    At(usize),
    NoArray,
}

/// The start of the array in a body, if it has one; `None` while too few
/// bytes of it came.
fn array_start(head: &[u8]) -> Option<ArrayStart> {
    let mark = text::BYTE_ORDER_MARK;
    if head.len() < mark.len() && mark.starts_with(head) {
        return None;
    }
    let rest = text::without_byte_order_mark(head);
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let blanks = rest.iter().take_while(is_blank).count();
    match rest.get(blanks..)? {
        [] | [b'['] => None,
        // UTF-16.
        [b'[', 0, ..] if blanks == 0 => Some(ArrayStart::NoArray),
        [b'[', ..] => Some(ArrayStart::At(head.len() - rest.len() + blanks + 1)),
        _ => Some(ArrayStart::NoArray),
    }
}

/// The elements parsed so far.
#[derive(Debug)]
struct Parsed {
    /// The fields to store, or all: a service may send more than was requested.
    asked: Option<FieldChoice>,
    records: Records,
    fields: FieldTable,
    /// Why an element is not JSON; the whole body is then invalid.
    fault: Option<ArrayFault>,
}

impl ReadElement for Parsed {
    fn read_usual(&mut self, text: &str) -> Option<usize> {
        if self.fault.is_some() {
            return None;
        }
        self.fields.begin();
        let mut members = Members::default();
        let read = usual_members(text, |name, json| self.add_member(&mut members, name, json));
        // The fault of an invalid record is found in its whole text, by `read`.
        let transmission = read.and_then(|length| Some((members.transmission().ok()?, length)));
        let Some((transmission, length)) = transmission else {
            self.fields.undo();
            return None;
        };
        self.records.transmissions.push(transmission);
        Some(length)
    }

    /// Parses an element. After an element that is not JSON, further elements are
    /// ignored.
    fn read(&mut self, element: Element<'_>) {
        if self.fault.is_some() {
            return;
        }
        match element {
            // Bytes that are not UTF-8 inside a string invalidate only their
            // record. Elsewhere the replacement character is not valid JSON.
            Element::Text(bytes) => self.add_text(&String::from_utf8_lossy(bytes)),
            Element::TooLarge(beginning) => {
                let beginning = String::from_utf8_lossy(beginning);
                self.fields.begin();
                let read = self.transmission(&beginning);
                self.fields.undo();
                let unusable = Unusable {
                    time_stamp: read.err().and_then(|read| read.time_stamp),
                    fault: RecordFault::Other(too_large().into()),
                };
                self.add_unusable(unusable, &beginning);
            }
        }
    }
}

impl Parsed {
    fn add_text(&mut self, element: &str) {
        self.fields.begin();
        match self.transmission(element) {
            Ok(transmission) => self.records.transmissions.push(transmission),
            Err(unusable) => {
                self.fields.undo();
                // An invalid record affects only itself, invalid JSON the whole body.
                match serde_json::from_str::<&RawValue>(element) {
                    Ok(_) => self.add_unusable(unusable, element),
                    Err(error) => self.fault = Some(ArrayFault::of(&error)),
                }
            }
        }
    }

    fn add_unusable(&mut self, unusable: Unusable, element: &str) {
        let (index, excerpt) = (self.records.count(), || text::excerpt(element, SHOWN));
        self.records.add_unusable(index, unusable, excerpt);
    }

    /// Parses one record; its fields are those of the next transmission.
    fn transmission(&mut self, element: &str) -> Result<Transmission, Unusable> {
        if !element.starts_with('{') {
            return Err(RecordFault::NotRecord(json_kind(element)).into());
        }
        let mut members = Members::default();
        let read = each_member(element, |name, value| {
            self.add_member(&mut members, name, value.get());
        });
        if let Err(error) = read {
            let why = || text::excerpt(&message(&error), 120);
            (members.fault).get_or_insert_with(|| RecordFault::Other(why().into()));
        }
        members.transmission()
    }

    fn add_member<'a>(&mut self, members: &mut Members<'a>, name: &str, json: &'a str) {
        let fault = match name.parse::<Member>() {
            Ok(member) => {
                let known = members.numbers.get_mut(member as usize);
                let twice = known.and_then(|number| number.replace(json));
                twice.map(|_| RecordFault::twice(name))
            }
            Err(_) => {
                let added = self.add_field(name, json);
                added.err().map(|SecondValue| RecordFault::twice(name))
            }
        };
        // It is unknown which of two values is meant, so the record is invalid.
        if let Some(fault) = fault {
            members.fault.get_or_insert(fault);
        }
    }

    fn add_field(&mut self, name: &str, json: &str) -> Result<(), SecondValue> {
        let row = u32::try_from(self.records.transmissions.len()).unwrap_or(u32::MAX);
        let decoded: String;
        let value = match json.as_bytes().first() {
            Some(b'n') => FieldValue::Null,
            Some(b't') => FieldValue::Truth(true),
            Some(b'f') => FieldValue::Truth(false),
            // A longer string is cut while it downloads: only its length is reported.
            Some(b'"') if json.len() <= LONGEST_VALUE + 2 => {
                match json.get(1..json.len() - 1) {
                    Some(text) if !text.contains('\\') => FieldValue::Text(text),
                    _ => match serde_json::from_str(json) {
                        Ok(text) => {
                            decoded = text;
                            FieldValue::Text(&decoded)
                        }
                        // A string with half a surrogate pair is not text: the JSON is
                        // stored.
                        Err(_) => FieldValue::Text(json),
                    },
                }
            }
            Some(b'"' | b'{' | b'[') => FieldValue::Text(json),
            _ => FieldValue::from_number(json),
        };
        let asked = self.asked.as_ref();
        let is_asked = |name: &str| asked.is_none_or(|asked| asked.takes(name));
        self.fields.add(row, name, value, is_asked)
    }
}

/// The members of a record that are read.
#[derive(Default)]
struct Members<'a> {
    /// The JSON of each number, in the order of [`Member`].
    numbers: [Option<&'a str>; 3],
    /// The first member that the record has twice.
    fault: Option<RecordFault>,
}

impl Members<'_> {
    fn transmission(self) -> Result<Transmission, Unusable> {
        let [time_stamp, latitude, longitude] = self.numbers;
        let time_stamp = number(Member::TimeStamp, time_stamp);
        if let Some(fault) = self.fault {
            let time_stamp = time_stamp.ok();
            return Err(Unusable { time_stamp, fault });
        }
        let time_stamp = time_stamp?;
        let read = || {
            let latitude = number(Member::Latitude, latitude)?;
            let longitude = number(Member::Longitude, longitude)?;
            Transmission::new(time_stamp, latitude, longitude)
        };
        read().map_err(|fault| fault.at(time_stamp))
    }
}

/// A member as a finite number.
fn number(member: Member, json: Option<&str>) -> Result<f64, RecordFault> {
    let json = json.ok_or(RecordFault::Missing(member))?;
    match json.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => match json.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(RecordFault::NotFinite(member)),
        },
        _ => Err(RecordFault::NotNumber(member, json_kind(json))),
    }
}

/// Parses a body that comes in pieces of this size.
///
/// # Errors
/// As [`RecordReader::finish`].
#[cfg(any(test, feature = "bench"))]
pub(crate) fn parse(body: &[u8], size: usize) -> Result<Records, NotRecordArray> {
    let mut reader = RecordReader::new(None, &[]);
    for piece in body.chunks(size.max(1)) {
        reader.take(piece);
    }
    reader.finish()
}

#[cfg(test)]
mod tests;
