//! JSON: the records of a service as one array or a line each, driftline's own files, and
//! GeoJSON.

use std::borrow::Cow;

mod features;
mod rows;

pub(super) use features::place;

use serde_json::Value;
use serde_json::value::RawValue;

use super::cell::Cell;
use super::fault::{NO_UTF8, ReadError};
use super::names::{ChosenColumns, IdRank, Role, lacking, roles};
use super::tracks::{FileTracks, Tracks};
use crate::formats::elements::{Element, ReadElements, message};
use crate::formats::items::Items;
use crate::formats::{each_element, each_member};
use crate::geo::area::other_system;
use crate::text;
use crate::track::field::FieldValue;

/// Reads a JSON text: a value, or one a line. Records are read one by one.
///
/// # Errors
/// If it is no JSON, or has no fix.
pub(super) fn read(bytes: &[u8], chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    let mut reader = Reader {
        chosen,
        known: Known::default(),
        tracks: Tracks::new(chosen),
        features: 0,
        line: 1,
        array: None,
        columns: Vec::new(),
        is_collection: false,
        looked_at: 0,
        fault: None,
        lacking: None,
    };
    let mut items = Items::at(&PLACES, usize::MAX);
    let lines = |bytes| <[u8]>::split_inclusive(bytes, |byte| *byte == b'\n');
    let mut rest = bytes;
    // Line by line, so that a fault is named by its line.
    for line in lines(bytes) {
        let used = line.len() - items.take(line, &mut reader).len();
        rest = rest.get(used..).unwrap_or_default();
        if let Some(fault) = reader.fault.take() {
            return Err(fault);
        }
        if items.is_wrong() || items.is_whole() {
            break;
        }
        reader.line += u64::from(line.ends_with(b"\n"));
    }
    let around = items.around().map_err(|fault| reader.no_json(&fault.why))?;
    let first = reader.text(&around)?;
    let first_line = reader.line;
    let are_names = !reader.columns.is_empty() && reader.tracks.is_empty();
    let may_be_line = (reader.array.is_none() || are_names) && !first.trim().contains('\n');
    let mut has_more = false;
    for line in lines(rest) {
        let line = reader.text(line)?;
        if !line.trim().is_empty() {
            if !may_be_line || reader.line == first_line {
                return Err(reader.no_json("trailing characters"));
            }
            if !std::mem::replace(&mut has_more, true) && !are_names {
                reader.line(first_line, first)?;
            }
            reader.line(reader.line, line)?;
        }
        reader.line += 1;
    }
    if !has_more {
        reader.value(first)?;
    }
    let lacking = reader.lacking;
    reader.tracks.finish().map_err(|error| match error {
        ReadError::Line { .. } => lacking.unwrap_or(error),
        error => error,
    })
}

/// Members of which a record of driftline has one beside its `qc_flag`, which others have, too.
const OWN_MEMBERS: [&str; 2] = ["qc_reason", "fields"];

/// The paths of arrays of records of a service, of driftline, of GeoJSON, and of rows of tables.
const PLACES: [&str; 5] = ["", "/fixes", "/features", "/table/rows", "/data"];
/// The index of the features.
const FEATURES: usize = 2;

struct Reader<'a> {
    chosen: &'a ChosenColumns,
    known: Known,
    tracks: Tracks,
    /// The number of features so far.
    features: usize,
    /// The line that is being read.
    line: u64,
    /// The index of the path whose array is read.
    array: Option<usize>,
    /// The names of the columns of rows that are arrays, in JSON.
    columns: Vec<String>,
    /// The text around the arrays names a collection of features, as far as it was looked at.
    is_collection: bool,
    looked_at: usize,
    fault: Option<ReadError>,
    /// The fault of the members of the first record, if they lack something.
    lacking: Option<ReadError>,
}

impl ReadElements for Reader<'_> {
    fn begins(&mut self, place: usize, around: &[u8]) -> bool {
        // Another object may have features of its own.
        let kind = b"\"FeatureCollection\"";
        if place == FEATURES && !self.is_collection {
            // The text before was looked at when an array before began.
            let from = self.looked_at.saturating_sub(kind.len());
            let mut new = around.get(from..).unwrap_or_default().windows(kind.len());
            self.is_collection = new.any(|part| part == kind);
            self.looked_at = around.len();
        }
        let mut is_read = place != FEATURES || self.is_collection;
        if let Some(columns) = rows::columns(place, around) {
            is_read = !columns.is_empty();
            self.columns = columns;
        }
        if is_read {
            self.array = Some(place);
        }
        is_read
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
        let known = self.tracks.invalid_count();
        if self.array == Some(FEATURES) {
            self.feature(begin, json)?;
        } else {
            self.item(begin, json)?;
        }
        // What was read is JSON.
        if self.tracks.invalid_count() > known {
            serde_json::from_str::<&RawValue>(json).map_err(|error| ReadError::Line {
                line: begin + error.line() as u64 - 1,
                why: format!("it is no JSON: {}", message(&error)),
            })?;
        }
        Ok(())
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
            why: format!("it is no JSON: {}", message(&error)),
        })?;
        let whole: Value = serde_json::from_str(json).unwrap_or_default();
        if let Some(system) = whole.get("crs").and_then(other_system) {
            return Err(ReadError::Nothing(format!(
                "its coordinates are in {system}: longitude and latitude (WGS 84) are expected; ogr2ogr -t_srs EPSG:4326 converts it"
            )));
        }
        if self.array.is_some() {
            self.unusable(&whole);
            return Ok(());
        }
        let mut members: Vec<(String, &str)> = Vec::new();
        each_member(json, |name, value| {
            members.push((name.to_owned(), value.get()))
        })
        .map_err(|error| self.no_json(&message(&error)))?;
        let of = |name: &str| {
            let mut members = members.iter();
            members.find_map(|(known, json)| (known == name).then_some(*json))
        };
        match of("type") {
            Some("\"FeatureCollection\"") => {
                let mut outcome = Ok(());
                each_element(of("features").unwrap_or("[]"), |feature| {
                    if outcome.is_ok() {
                        outcome = self.feature(1, feature.get());
                    }
                })
                .map_err(|error| self.no_json(&message(&error)))?;
                outcome
            }
            Some("\"Feature\"") => self.feature(1, json),
            _ => self.record(1, json, None),
        }
    }

    /// Takes the invalid records that a file of driftline lists next to its fixes.
    fn unusable(&mut self, whole: &Value) {
        let Some(all) = whole.get("unusable").and_then(Value::as_array) else {
            return;
        };
        let count = |value: &Value| usize::try_from(value.as_u64()?).ok();
        for record in all {
            let text = |name: &str| record.get(name).and_then(Value::as_str);
            let why = text("reason").unwrap_or("invalid in the file");
            let index = record.get("index").and_then(count);
            self.tracks
                .unusable(index, why, text("record").unwrap_or_default());
        }
        // It has the first of them, and counts all.
        let counted = whole.pointer("/summary/unusable").and_then(count);
        let unkept = counted.unwrap_or_default().saturating_sub(all.len());
        self.tracks.unkept(unkept);
    }

    /// Reads a line of a file that has a value each.
    fn line(&mut self, number: u64, line: &str) -> Result<(), ReadError> {
        let geometries = ["\"geometry\"", "\"temporalGeometry\""];
        let has_geometry = geometries.iter().any(|name| line.contains(name));
        if line.contains("\"Feature\"") && has_geometry {
            self.feature(number, line)
        } else {
            self.item(number, line.trim_start())
        }
    }

    /// Reads a record, which may have a `position` of its own beside its members.
    fn record(
        &mut self,
        number: u64,
        json: &str,
        position: Option<&Position<'_>>,
    ) -> Result<(), ReadError> {
        let mut values: Vec<(String, Member<'_>)> = Vec::new();
        let (mut has_flag, mut has_own) = (false, false);
        let read = each_member(json, |name, value| {
            has_flag |= name == "qc_flag";
            has_own |= OWN_MEMBERS.contains(&name);
            values.push((name.to_owned(), Member::new(value.get())));
        });
        let twice = twice(&values).map(|name| format!("{} twice", text::excerpt(name, 40)));
        let broken = read.map_err(|error| format!("it is no record: {}", message(&error)));
        if let Some(why) = broken.err().or(twice) {
            self.tracks.fault(number, why, || json.to_owned());
            return Ok(());
        }
        let is_own = has_flag && has_own;
        self.tracks.is_own = is_own;
        // Driftline's own records have their fields in a member: whatever their names, they
        // are no time, position or id.
        let mut fields: Vec<(String, Member<'_>)> = Vec::new();
        if is_own && let Some(place) = values.iter().position(|(name, _)| name == "fields") {
            let (_, own) = values.remove(place);
            // It is an object, or stays out.
            let _ = each_member(own.json(), |name, value| {
                fields.push((name.to_owned(), Member::new(value.get())));
            });
        }
        for (name, number) in position.into_iter().flat_map(Position::members) {
            values.retain(|(known, _)| known != name);
            values.push((name.to_owned(), Member::Number(number)));
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
        // A position of its own has its signs.
        let is_signed = position.is_some();
        let role_of = |role: Role| match role.is_field() && is_signed {
            true => Role::OwnField,
            false => role,
        };
        let cells = cells.flat_map(|((name, member), role)| {
            let roles = role_of(*role).with_field();
            roles.map(move |role| (name.as_str(), member, role))
        });
        let fields = fields
            .iter()
            .map(|(name, member)| (name.as_str(), member, Role::OwnField));
        let of_feature = position
            .map(|position| position.feature_id)
            .map(|id| ("", id, Role::Id(IdRank::OfFeature)));
        let cells: Vec<Cell<'_>> = cells
            .chain(fields)
            .chain(of_feature)
            .map(|(name, member, role)| Cell {
                name,
                role,
                value: member.value_as(role),
            })
            .collect();
        self.tracks.add(number, &cells, || json.to_owned());
        Ok(())
    }
}

/// The position of a feature with a point, and the id of that.
struct Position<'a> {
    longitude: f64,
    latitude: f64,
    feature_id: &'a Member<'a>,
}

impl Position<'_> {
    fn members(&self) -> [(&'static str, f64); 2] {
        [("longitude", self.longitude), ("latitude", self.latitude)]
    }
}

/// A name that two members have.
fn twice<'v>(values: &'v [(String, Member<'_>)]) -> Option<&'v str> {
    let mut names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let mut pairs = names.windows(2);
    pairs.find_map(|pair| (pair.first() == pair.last()).then(|| pair.first().copied())?)
}

/// The value of a member.
#[derive(Debug, Clone)]
pub(crate) enum Member<'a> {
    /// A text without its escapes.
    Text(Cow<'a, str>),
    Number(f64),
    /// Any other, as its JSON.
    Json(&'a str),
}

impl<'a> Member<'a> {
    pub(crate) fn new(json: &'a str) -> Self {
        if !json.starts_with('"') {
            return Self::Json(json);
        }
        match json.get(1..json.len() - 1) {
            Some(text) if !text.contains('\\') => Self::Text(Cow::Borrowed(text)),
            // Half a surrogate pair is no text.
            _ => serde_json::from_str(json)
                .map_or(Self::Json(json), |text| Self::Text(Cow::Owned(text))),
        }
    }

    pub(super) fn json(&self) -> &'a str {
        match self {
            Self::Json(json) => json,
            Self::Text(_) | Self::Number(_) => "",
        }
    }

    fn id(&self) -> Option<String> {
        let text = match self {
            Self::Text(text) => text.trim(),
            Self::Json(json)
                if json.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) =>
            {
                json
            }
            Self::Json(_) | Self::Number(_) => "",
        };
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The value in a column of this role: an id is the text as it is written.
    fn value_as(&self, role: Role) -> FieldValue<'_> {
        match (role, self.value(), self) {
            (Role::Id(_), FieldValue::Number(_), Self::Json(json)) => FieldValue::Digits(json),
            (_, value, _) => value,
        }
    }

    pub(crate) fn value(&self) -> FieldValue<'_> {
        match self {
            Self::Text(text) => FieldValue::Text(text),
            Self::Number(number) => FieldValue::Number(*number),
            Self::Json(json) => json_value(json),
        }
    }
}

/// The value that JSON without escapes is; of an object or an array its text.
fn json_value(json: &str) -> FieldValue<'_> {
    match json {
        "null" => FieldValue::Null,
        "true" => FieldValue::Truth(true),
        "false" => FieldValue::Truth(false),
        json if json.starts_with(['{', '[', '"']) => FieldValue::Text(json),
        json => FieldValue::from_number(json),
    }
}
