//! JSON: the records of a service as one array or a line each, driftline's own files, and
//! GeoJSON.

use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::fault::{NO_UTF8, ReadError};
use super::names::{ChosenColumns, Role, lacking, roles};
use super::tracks::{Cell, FileTracks, Tracks};
use crate::formats::each_member;
use crate::formats::elements::{Element, ReadElement};
use crate::formats::items::{Items, ReadItems};
use crate::text;
use crate::track::field::FieldValue;

/// Reads a JSON text: a value, or one a line. Records are read one by one.
///
/// # Errors
/// If it is no JSON, or has no fix.
pub(super) fn read(
    mut from: impl BufRead,
    chosen: &ChosenColumns,
) -> Result<FileTracks, ReadError> {
    let mut reader = Reader {
        chosen,
        known: Known::default(),
        tracks: Tracks::default(),
        line: 1,
        array: None,
        fault: None,
        has_named_lines: false,
        lacking: None,
    };
    let mut items = Items::at(&PLACES, usize::MAX);
    loop {
        let piece = from.fill_buf()?;
        // Line by line, so that a fault is named by its line.
        let end = piece.iter().position(|byte| *byte == b'\n');
        let line = piece
            .get(..end.map_or(piece.len(), |end| end + 1))
            .unwrap_or_default();
        let used = line.len() - items.take(line, &mut reader).len();
        if let Some(fault) = reader.fault.take() {
            return Err(fault);
        }
        if items.is_wrong() || items.is_whole() || line.is_empty() {
            from.consume(used);
            break;
        }
        reader.line += u64::from(end.is_some());
        from.consume(used);
    }
    let around = items.around().map_err(|fault| reader.no_json(&fault.why))?;
    let first = reader.text(&around)?;
    let first_line = reader.line;
    let may_be_line = reader.array.is_none() && !first.trim().contains('\n');
    let (mut bytes, mut has_more) = (Vec::new(), false);
    while from.read_until(b'\n', &mut bytes)? > 0 {
        let line = reader.text(&bytes)?;
        if !line.trim().is_empty() {
            if !may_be_line || reader.line == first_line {
                return Err(reader.no_json("trailing characters"));
            }
            if !std::mem::replace(&mut has_more, true) {
                reader.line(first_line, first)?;
            }
            reader.line(reader.line, line)?;
        }
        reader.line += 1;
        bytes.clear();
    }
    if !has_more {
        reader.value(first)?;
    }
    if reader.has_named_lines {
        reader.tracks.drop_single_id();
    }
    let lacking = reader.lacking;
    reader.tracks.finish().map_err(|error| match error {
        ReadError::Line { .. } => lacking.unwrap_or(error),
        error => error,
    })
}

/// The paths of arrays of records: of a service, in driftline's own files, and in GeoJSON.
const PLACES: [&str; 3] = ["", "/fixes", "/features"];
/// The index of the last.
const FEATURES: usize = 2;

struct Reader<'a> {
    chosen: &'a ChosenColumns,
    known: Known,
    tracks: Tracks,
    /// The line that is being read.
    line: u64,
    /// The index of the path whose array is read.
    array: Option<usize>,
    fault: Option<ReadError>,
    /// Some line has a name.
    has_named_lines: bool,
    /// The fault of the members of the first record, if they lack something.
    lacking: Option<ReadError>,
}

impl ReadItems for Reader<'_> {
    fn begins(&mut self, place: usize, around: &[u8]) -> bool {
        // Another object may have features of its own.
        let kind = b"\"FeatureCollection\"";
        let is_read = place != FEATURES || around.windows(kind.len()).any(|part| part == kind);
        if is_read {
            self.array = Some(place);
        }
        is_read
    }
}

impl ReadElement for Reader<'_> {
    fn read_usual(&mut self, _: &str) -> Option<usize> {
        None
    }

    fn read(&mut self, element: Element<'_>) {
        // No element is too large.
        let (Element::Text(bytes) | Element::TooLarge(bytes)) = element;
        if self.fault.is_none() {
            self.fault = self.element(bytes).err();
        }
    }
}

/// The names of the last record, and what they are.
#[derive(Default)]
struct Known {
    names: Vec<String>,
    roles: Vec<Role>,
}

impl Reader<'_> {
    /// Reads an element of an array of records.
    fn element(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let json = self.text(bytes)?;
        let lines = json.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let begin = self.line - lines;
        serde_json::from_str::<&RawValue>(json).map_err(|error| ReadError::Line {
            line: begin + error.line() as u64 - 1,
            why: format!("it is no JSON: {}", words(&error)),
        })?;
        if self.array == Some(FEATURES) {
            self.feature(begin, json)
        } else {
            self.record(begin, json, &[])
        }
    }

    /// Bytes as the text that they are.
    fn text<'t>(&self, bytes: &'t [u8]) -> Result<&'t str, ReadError> {
        std::str::from_utf8(bytes).map_err(|_| ReadError::Line {
            line: self.line,
            why: NO_UTF8.to_owned(),
        })
    }

    fn no_json(&self, why: &str) -> ReadError {
        ReadError::Line {
            line: self.line,
            why: format!("it is no JSON: {why}"),
        }
    }

    /// Reads what a file is beside the arrays of records.
    fn value(&mut self, json: &str) -> Result<(), ReadError> {
        serde_json::from_str::<&RawValue>(json).map_err(|error| ReadError::Line {
            line: error.line() as u64,
            why: format!("it is no JSON: {}", words(&error)),
        })?;
        if self.array.is_some() {
            return Ok(());
        }
        let mut members: Vec<(String, &str)> = Vec::new();
        each_member(json, |name, value| {
            members.push((name.to_owned(), value.get()))
        })
        .map_err(|error| self.no_json(&words(&error)))?;
        let of = |name: &str| {
            let mut members = members.iter();
            members.find_map(|(known, json)| (known == name).then_some(*json))
        };
        match of("type") {
            Some("\"FeatureCollection\"") => {
                for feature in elements(of("features").unwrap_or("[]"))? {
                    self.feature(1, feature.get())?;
                }
                Ok(())
            }
            Some("\"Feature\"") => self.feature(1, json),
            _ => self.record(1, json, &[]),
        }
    }

    /// Reads a line of a file that has a value each.
    fn line(&mut self, number: u64, line: &str) -> Result<(), ReadError> {
        if line.contains("\"Feature\"") && line.contains("\"geometry\"") {
            self.feature(number, line)
        } else {
            self.record(number, line, &[])
        }
    }

    /// Reads a record; `more` are numbers that it has besides its members.
    fn record(&mut self, number: u64, json: &str, more: &[(&str, f64)]) -> Result<(), ReadError> {
        let mut values: Vec<(String, Member<'_>)> = Vec::new();
        let (mut is_own, mut twice) = (false, None);
        let read = each_member(json, |name, value| {
            is_own |= name == "qc_flag";
            if values.iter().any(|(known, _)| known == name) {
                twice = Some(format!("{} twice", text::excerpt(name, 40)));
            }
            values.push((name.to_owned(), Member::of(value.get())));
        });
        let broken = read.map_err(|error| format!("it is no record: {}", words(&error)));
        if let Some(why) = broken.err().or(twice) {
            self.tracks.fault(number, why, || json.to_owned());
            return Ok(());
        }
        // Driftline's own records have their fields in a member.
        if is_own && let Some(place) = values.iter().position(|(name, _)| name == "fields") {
            let (_, fields) = values.remove(place);
            // It is an object, or stays out.
            let _ = each_member(fields.json(), |name, value| {
                values.push((name.to_owned(), Member::of(value.get())));
            });
        }
        for (name, number) in more {
            values.retain(|(known, _)| known != name);
            values.push(((*name).to_owned(), Member::Number(*number)));
        }
        if !self
            .known
            .names
            .iter()
            .eq(values.iter().map(|(name, _)| name))
        {
            let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
            self.known.roles = match roles(&names, self.chosen) {
                Ok(roles) => roles,
                // The members are known from the records before.
                Err(error) if !self.known.names.is_empty() => {
                    let why = error.to_string();
                    self.tracks.fault(number, why, || json.to_owned());
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            if self.known.names.is_empty() {
                self.lacking = lacking(&names, &self.known.roles);
            }
            self.known.names = names.into_iter().map(str::to_owned).collect();
        }
        let cells = values
            .iter()
            .zip(&self.known.roles)
            .filter(|(_, role)| **role != Role::Derived);
        let cells: Vec<Cell<'_>> = cells
            .map(|((name, member), role)| Cell {
                name,
                role: *role,
                value: member.value(),
            })
            .collect();
        self.tracks.add(number, &cells, || json.to_owned());
        Ok(())
    }

    /// Reads a feature of GeoJSON: a point with a time, or a line with a time for each
    /// of its paths.
    fn feature(&mut self, number: u64, json: &str) -> Result<(), ReadError> {
        let Ok(feature) = serde_json::from_str::<Feature<'_>>(json) else {
            self.tracks
                .fault(number, "it is no feature".to_owned(), || json.to_owned());
            return Ok(());
        };
        let properties = feature.properties.map_or("{}", RawValue::get);
        let properties = if properties == "null" {
            "{}"
        } else {
            properties
        };
        let Some(geometry) = feature.geometry else {
            // A summary has no time; a report without a position has.
            if self.has_time(properties) {
                let why = "its geometry is null".to_owned();
                self.tracks.fault(number, why, || json.to_owned());
            }
            return Ok(());
        };
        match geometry.kind.as_str() {
            "Point" => {
                let [Some(longitude), Some(latitude)] = place(&geometry.coordinates) else {
                    self.tracks
                        .fault(number, "its point has no position".to_owned(), || {
                            json.to_owned()
                        });
                    return Ok(());
                };
                let has_time = |properties: &str| self.has_time(properties);
                if has_time(properties) {
                    self.record(
                        number,
                        properties,
                        &[("longitude", longitude), ("latitude", latitude)],
                    )
                } else {
                    self.tracks.untimed += 1;
                    Ok(())
                }
            }
            "LineString" => {
                let (times, id) = (times(properties), name(properties));
                self.places(number, &geometry.coordinates, times.as_ref(), id.as_ref())
            }
            "MultiLineString" => {
                let times = times(properties);
                let parts = geometry
                    .coordinates
                    .as_array()
                    .map_or(&[][..], Vec::as_slice);
                let id = name(properties);
                for (place, part) in parts.iter().enumerate() {
                    let times = times.as_ref().and_then(|times| times.get(place));
                    self.places(number, part, times, id.as_ref())?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads the places of a line. Lines of several names are several deployments.
    fn places(
        &mut self,
        number: u64,
        places: &Value,
        times: Option<&Value>,
        id: Option<&Value>,
    ) -> Result<(), ReadError> {
        self.has_named_lines |= id.is_some();
        let places = places.as_array().map_or(&[][..], Vec::as_slice);
        let Some(times) = times.and_then(Value::as_array) else {
            self.tracks.untimed_vertices += places.len();
            return Ok(());
        };
        self.tracks.untimed += places.len().saturating_sub(times.len());
        for (at, time) in places.iter().zip(times) {
            let [Some(longitude), Some(latitude)] = place(at) else {
                self.tracks
                    .fault(number, "a place has no position".to_owned(), || {
                        at.to_string()
                    });
                continue;
            };
            let mut record = serde_json::json!({ "time": time });
            if let Some(id) = id {
                record["id"] = id.clone();
            }
            let record = record.to_string();
            self.record(
                number,
                &record,
                &[("longitude", longitude), ("latitude", latitude)],
            )?;
        }
        Ok(())
    }

    fn has_time(&self, properties: &str) -> bool {
        let mut names: Vec<String> = Vec::new();
        let read = each_member(properties, |name, value| {
            if value.get() != "null" {
                names.push(name.to_owned());
            }
        });
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let is_time = |role: &Role| matches!(role, Role::Time | Role::Date);
        // Two that could be the time are named when the record is read.
        read.is_ok() && roles(&names, self.chosen).map_or(true, |roles| roles.iter().any(is_time))
    }
}

#[derive(Deserialize)]
struct Feature<'a> {
    #[serde(borrow)]
    properties: Option<&'a RawValue>,
    geometry: Option<Geometry>,
}

#[derive(Deserialize)]
struct Geometry {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    coordinates: Value,
}

/// Longitude and latitude of a position.
fn place(coordinates: &Value) -> [Option<f64>; 2] {
    let number = |at: usize| coordinates.get(at).and_then(Value::as_f64);
    [number(0), number(1)]
}

/// The name of a line.
fn name(properties: &str) -> Option<Value> {
    let mut properties: Value = serde_json::from_str(properties).ok()?;
    let name = properties.get_mut("name").map(Value::take)?;
    let is_name = name.as_str().is_some_and(|name| !name.trim().is_empty());
    is_name.then_some(name)
}

/// The times of the positions of a line, under the names that programs give them.
fn times(properties: &str) -> Option<Value> {
    let mut properties: Value = serde_json::from_str(properties).ok()?;
    ["/coordTimes", "/coordinateProperties/times", "/times"]
        .iter()
        .find_map(|pointer| properties.pointer_mut(pointer).map(Value::take))
}

pub(super) fn elements(json: &str) -> Result<Vec<&RawValue>, ReadError> {
    serde_json::from_str(json).map_err(|error| ReadError::Line {
        line: error.line() as u64,
        why: format!("it is no JSON: {}", words(&error)),
    })
}

/// A parser's message without its position.
pub(super) fn words(error: &serde_json::Error) -> String {
    let mut words = error.to_string();
    if let Some(end) = words.find(" at line ") {
        words.truncate(end);
    }
    words
}

/// The value of a member.
#[derive(Debug, Clone)]
pub(super) enum Member<'a> {
    /// A text without its escapes.
    Text(String),
    Number(f64),
    /// Any other, as its JSON.
    Json(&'a str),
}

impl<'a> Member<'a> {
    pub(super) fn of(json: &'a str) -> Self {
        if json.starts_with('"')
            && let Ok(text) = serde_json::from_str(json)
        {
            return Self::Text(text);
        }
        Self::Json(json)
    }

    pub(super) fn json(&self) -> &'a str {
        match self {
            Self::Json(json) => json,
            Self::Text(_) | Self::Number(_) => "",
        }
    }

    pub(super) fn value(&self) -> FieldValue<'_> {
        match self {
            Self::Text(text) => FieldValue::Text(text),
            Self::Number(number) => FieldValue::Number(*number),
            Self::Json("null") => FieldValue::Null,
            Self::Json("true") => FieldValue::Truth(true),
            Self::Json("false") => FieldValue::Truth(false),
            Self::Json(json) if json.starts_with(['{', '[', '"']) => FieldValue::Text(json),
            Self::Json(json) => FieldValue::from_number(json),
        }
    }
}
