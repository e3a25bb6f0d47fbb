//! JSON: the records of a service as one array or a line each, driftline's own files, and
//! GeoJSON.

use std::borrow::Cow;
use std::collections::HashMap;

mod features;
mod rows;

pub(super) use features::place;
use rows::names_of_columns;

use serde_json::Value;
use serde_json::value::RawValue;

use super::cell::Cell;
use super::fault::{Lines, NO_UTF8, ReadError};
use super::names::{ChosenColumns, Given, IdRank, Role, lacking, roles_beside};
use super::tracks::{FileTracks, Tracks};
use crate::formats::elements::message;
use crate::formats::{each_element, each_member};
use crate::geo::area::other_system;
use crate::text;
use crate::track::field::FieldValue;

/// Reads a JSON text: a value, or one a line. Records are read one by one.
///
/// # Errors
/// If it is no JSON, or has no fix.
pub(super) fn read(bytes: &[u8], chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ReadError::Line {
        line: Lines::new(bytes).at(error.valid_up_to()),
        why: NO_UTF8.to_owned(),
    })?;
    let mut reader = Reader {
        chosen,
        text,
        lines: Lines::new(bytes),
        known: Known::default(),
        tracks: Tracks::new(chosen),
        features: 0,
        columns: Vec::new(),
        lacking: None,
    };
    let mut written = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = written.next().filter(|line| line.ends_with(['}', ']']));
    // One that is no JSON is no reason to refuse the others.
    let are_lines = first.zip(written.next()).is_some_and(|(first, next)| {
        next.starts_with(['{', '[']) || serde_json::from_str::<&RawValue>(first).is_ok()
    });
    if are_lines {
        for (number, line) in (1..).zip(text.lines()) {
            if !line.trim().is_empty() {
                reader.line(number, line)?;
            }
        }
    } else {
        reader.value(text)?;
    }
    let lacking = reader.lacking;
    reader.tracks.finish().map_err(|error| match error {
        ReadError::Line { .. } => lacking.unwrap_or(error),
        error => error,
    })
}

/// Members of which a record of driftline has one besides its `qc_flag`, which others have, too.
const OWN_MEMBERS: [&str; 2] = ["qc_reason", "fields"];

struct Reader<'a> {
    chosen: &'a ChosenColumns,
    text: &'a str,
    lines: Lines<'a>,
    known: Known,
    tracks: Tracks,
    /// The number of features so far.
    features: usize,
    /// The names of the columns of rows that are arrays, in JSON.
    columns: Vec<String>,
    /// The fault of the members of the first record, if they lack something.
    lacking: Option<ReadError>,
}

/// The members of an object.
type Members<'a> = HashMap<String, &'a RawValue>;

/// Reads an element of an array, which begins in a line.
type ReadElement<'a> = fn(&mut Reader<'a>, u64, &str) -> Result<(), ReadError>;

/// The names of the last record, and what they are besides what is given.
#[derive(Default)]
struct Known {
    given: Given,
    names: Vec<String>,
    roles: Vec<Role>,
}

/// The fault of a text that is no JSON.
fn no_json(error: &serde_json::Error) -> ReadError {
    ReadError::Line {
        line: error.line() as u64,
        why: format!("it is no JSON: {}", message(error)),
    }
}

impl<'a> Reader<'a> {
    /// Reads a file that is one value: an array of records, or an object that has one, as those of
    /// driftline, of GeoJSON, of ERDDAP and of pandas have, or is one.
    fn value(&mut self, json: &'a str) -> Result<(), ReadError> {
        if json.trim_start().starts_with('[') {
            return self.elements(json, Self::item);
        }
        let members: Members<'_> = serde_json::from_str(json).map_err(|error| no_json(&error))?;
        let value = |name: &str| serde_json::from_str::<Value>(members.get(name)?.get()).ok();
        if let Some(system) = value("crs").as_ref().and_then(other_system) {
            return Err(ReadError::Nothing(format!(
                "its coordinates are in {system}: longitude and latitude (WGS 84) are expected; ogr2ogr -t_srs EPSG:4326 converts it"
            )));
        }
        let table = members.get("table").map(|table| table.get());
        let table: Members<'_> = table
            .and_then(|table| serde_json::from_str(table).ok())
            .unwrap_or_default();
        let written = table.get("columnNames").or(members.get("columns"));
        let names = written.and_then(|json| names_of_columns(json.get()));
        let rows = table.get("rows").or(members.get("data"));
        let array = |member: Option<&&'a RawValue>| {
            let json = member.map(|member| member.get());
            json.filter(|json| json.starts_with('['))
        };
        let kind = members.get("type").map_or("", |kind| kind.get());
        if let Some(fixes) = array(members.get("fixes")) {
            self.elements(fixes, Self::item)?;
            self.unusable(value("unusable"), value("summary"));
            Ok(())
        } else if kind == "\"FeatureCollection\"" {
            let features = array(members.get("features"));
            self.elements(features.unwrap_or("[]"), Self::feature)
        } else if let (Some(names), Some(rows)) = (names, array(rows)) {
            self.columns = names;
            self.elements(rows, Self::item)
        } else if kind == "\"Feature\"" {
            self.feature(1, json)
        } else {
            self.record(1, json, None)
        }
    }

    /// Reads the elements of an array of the text.
    fn elements(&mut self, json: &'a str, read: ReadElement<'a>) -> Result<(), ReadError> {
        let mut outcome = Ok(());
        let ended = each_element(json, |element| {
            if outcome.is_ok() {
                let json = element.get();
                // A part of the text.
                let place = json.as_ptr() as usize - self.text.as_ptr() as usize;
                let line = self.lines.at(place);
                outcome = read(self, line, json);
            }
        });
        outcome?;
        ended.map_err(|error| no_json(&error))
    }

    /// Takes the invalid records that a file of driftline lists next to its fixes.
    fn unusable(&mut self, unusable: Option<Value>, summary: Option<Value>) {
        let Some(Value::Array(all)) = unusable else {
            return;
        };
        let count = |value: &Value| usize::try_from(value.as_u64()?).ok();
        for record in &all {
            let text = |name: &str| record.get(name).and_then(Value::as_str);
            let why = text("reason").unwrap_or("invalid in the file");
            let index = record.get("index").and_then(count);
            self.tracks
                .unusable(index, why, text("record").unwrap_or_default());
        }
        // It has the first of them, and counts all.
        let counted = summary.and_then(|summary| count(summary.get("unusable")?));
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

    /// Reads a record, which may have a `position` of its own besides its members.
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
        // Those of the record before are different.
        let is_alike = self
            .known
            .names
            .iter()
            .eq(values.iter().map(|(name, _)| name));
        let name = Some(&values)
            .filter(|_| !is_alike)
            .and_then(|values| twice(values));
        let twice = name.map(|name| format!("{} twice", text::excerpt(name, 40)));
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
        let degrees = position.into_iter().flat_map(|at| {
            let longitude = ("longitude", Role::Longitude, at.longitude);
            [longitude, ("latitude", Role::Latitude, at.latitude)]
        });
        let given = match position {
            Some(_) => Given::Position,
            None => Given::Nothing,
        };
        for (name, ..) in degrees.clone() {
            values.retain(|(known, _)| known != name);
        }
        let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
        if self.known.given != given || !self.known.names.iter().eq(&names) {
            self.known.roles = match roles_beside(given, &names, self.chosen) {
                Ok(roles) => roles,
                // The members are known from the records before.
                Err(error) if !self.known.names.is_empty() => {
                    let why = error.to_string();
                    self.tracks.fault(number, why, || json.to_owned());
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            if self.known.names.is_empty() && given == Given::Nothing {
                self.lacking = lacking(&names, &self.known.roles);
            }
            self.known.given = given;
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
            .chain(degrees.map(|(name, role, degrees)| {
                let value = FieldValue::Number(degrees);
                Cell { name, role, value }
            }))
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
            Self::Text(_) => "",
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
            Self::Json(_) => "",
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
