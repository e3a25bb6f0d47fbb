//! Features of GeoJSON.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Member, Position, Reader};
use crate::formats::each_member;
use crate::formats::read::cell::{Cell, NUMBERED};
use crate::formats::read::fault::{ReadError, unpaired};
use crate::formats::read::names::{Given, IdRank, Role, have_time, roles_beside};
use crate::formats::read::times::LIKELY_FROM;
use crate::track::field::FieldValue;

impl Reader<'_> {
    /// Reads a feature of GeoJSON: a point with a time, or a line with a time for each
    /// of its paths.
    pub(super) fn feature(&mut self, number: u64, json: &str) -> Result<(), ReadError> {
        self.chosen
            .refuse(&["--latitude-column", "--longitude-column"], "GeoJSON")?;
        let Ok(feature) = serde_json::from_str::<Feature<'_>>(json) else {
            self.tracks
                .fault(number, "it is no feature".to_owned(), || json.to_owned());
            return Ok(());
        };
        let properties = match feature.properties.map(RawValue::get) {
            None | Some("null") => "{}",
            Some(properties) => properties,
        };
        let Some(geometry) = feature.temporal.or(feature.geometry) else {
            // A summary has no time; a report without a position has.
            if self.has_time(properties) {
                let why = "its geometry is null".to_owned();
                self.tracks.fault(number, why, || json.to_owned());
            }
            return Ok(());
        };
        self.features += 1;
        let feature_id = feature.id.map(RawValue::get).unwrap_or_default();
        let properties = Properties {
            json: properties,
            feature_id: Member::new(feature_id),
        };
        self.geometry(number, json, &properties, &geometry)
    }

    /// Reads a geometry of a feature with these properties.
    fn geometry(
        &mut self,
        number: u64,
        json: &str,
        properties: &Properties<'_>,
        geometry: &Value,
    ) -> Result<(), ReadError> {
        let coordinates = geometry.get("coordinates").unwrap_or(&Value::Null);
        let parts = coordinates.as_array().map_or(&[][..], Vec::as_slice);
        let written = geometry.get("datetimes").cloned();
        let times = written.or_else(|| self::times(properties.json));
        let kind = geometry.get("type").and_then(Value::as_str);
        match (kind.unwrap_or_default(), parts) {
            ("Point", _) => self.point(number, json, properties, coordinates),
            ("MultiPoint", [only]) if times.is_none() => self.point(number, json, properties, only),
            // Several have one time, or none.
            ("MultiPoint", _) if times.is_none() => {
                self.tracks.untimed += parts.len();
                Ok(())
            }
            ("LineString" | "MultiPoint" | "MovingPoint", _) => {
                let id = self.id(properties);
                self.places(number, coordinates, times.as_ref(), &id)
            }
            ("MultiLineString", _) => {
                let id = self.id(properties);
                for (place, part) in parts.iter().enumerate() {
                    let own =
                        (times.as_ref()).map(|times| times.get(place).unwrap_or(&Value::Null));
                    self.places(number, part, own, &id)?;
                }
                Ok(())
            }
            ("GeometryCollection", _) => {
                let parts = geometry.get("geometries").and_then(Value::as_array);
                for part in parts.into_iter().flatten() {
                    self.geometry(number, json, properties, part)?;
                }
                Ok(())
            }
            _ => {
                self.tracks.shapes += 1;
                Ok(())
            }
        }
    }

    /// Reads a point at these coordinates.
    fn point(
        &mut self,
        number: u64,
        json: &str,
        properties: &Properties<'_>,
        coordinates: &Value,
    ) -> Result<(), ReadError> {
        let [Some(longitude), Some(latitude)] = place(coordinates) else {
            let why = "its point has no position".to_owned();
            self.tracks.fault(number, why, || json.to_owned());
            return Ok(());
        };
        if self.has_time(properties.json) {
            let position = Position {
                longitude,
                latitude,
                feature_id: &properties.feature_id,
            };
            self.record(number, properties.json, Some(&position))
        } else {
            self.tracks.untimed += 1;
            Ok(())
        }
    }

    /// Reads the places of a line. Lines of several ids or names are several deployments.
    fn places(
        &mut self,
        number: u64,
        places: &Value,
        times: Option<&Value>,
        id: &(IdRank, String),
    ) -> Result<(), ReadError> {
        let places = places.as_array().map_or(&[][..], Vec::as_slice);
        let fourth = times.is_none().then(|| fourth(places)).flatten();
        let Some(times) = times.or(fourth.as_ref()) else {
            self.tracks.untimed_vertices += places.len();
            return Ok(());
        };
        let of_time = ["--time-column"];
        self.chosen.refuse(&of_time, "a line of GeoJSON")?;
        let times = times.as_array().map_or(&[][..], Vec::as_slice);
        if times.len() != places.len() {
            let why = unpaired(times.len(), places.len());
            self.tracks.fault(number, why, || "coordTimes".to_owned());
            return Ok(());
        }
        let (rank, id) = id;
        for (at, time) in places.iter().zip(times) {
            let [Some(longitude), Some(latitude)] = place(at) else {
                let why = "a place has no position".to_owned();
                self.tracks.fault(number, why, || at.to_string());
                continue;
            };
            let cell = |name, role, value| Cell { name, role, value };
            let cells = [
                cell("time", Role::Time, value(time)),
                cell("latitude", Role::Latitude, FieldValue::Number(latitude)),
                cell("longitude", Role::Longitude, FieldValue::Number(longitude)),
                cell("", Role::Id(*rank), FieldValue::Text(id)),
            ];
            self.tracks
                .add(number, &cells, || format!("{time} {latitude} {longitude}"));
        }
        Ok(())
    }

    /// The id of the deployment of a line, else its name, the id of its feature, or the number of
    /// that: of as many records as it has places.
    fn id(&self, properties: &Properties<'_>) -> (IdRank, String) {
        let mut members: Vec<(String, Member<'_>)> = Vec::new();
        // What is no object has none.
        let _ = each_member(properties.json, |name, value| {
            members.push((name.to_owned(), Member::new(value.get())));
        });
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
        let roles = roles_beside(Given::Fix, &names, self.chosen).unwrap_or_default();
        let ids = members
            .iter()
            .zip(roles)
            .filter_map(|((_, member), role)| match role {
                Role::Id(rank) => Some((rank, member.id()?)),
                _ => None,
            });
        if let Some((rank, id)) = ids.min_by_key(|(rank, _)| *rank) {
            let is_chosen = rank == IdRank::Chosen;
            return (if is_chosen { rank } else { IdRank::OfTrack }, id);
        }
        let named = members
            .iter()
            .find(|(name, _)| name == "name")
            .and_then(|(_, name)| name.id());
        let id = named.or_else(|| properties.feature_id.id());
        let number = || format!("{NUMBERED}line {}", self.features);
        (IdRank::OfTrack, id.unwrap_or_else(number))
    }

    fn has_time(&self, properties: &str) -> bool {
        let mut names: Vec<String> = Vec::new();
        let read = each_member(properties, |name, value| {
            if value.get() != "null" {
                names.push(name.to_owned());
            }
        });
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        read.is_ok() && have_time(&names, self.chosen)
    }
}

/// The properties of a feature, with its id.
struct Properties<'a> {
    json: &'a str,
    feature_id: Member<'a>,
}

#[derive(Deserialize)]
struct Feature<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    properties: Option<&'a RawValue>,
    geometry: Option<Value>,
    /// The geometry of OGC Moving Features JSON (19-045r3, 7.2).
    #[serde(rename = "temporalGeometry")]
    temporal: Option<Value>,
}

/// Longitude and latitude of a position.
pub(in crate::formats::read) fn place(coordinates: &Value) -> [Option<f64>; 2] {
    let number = |at: usize| coordinates.get(at).and_then(Value::as_f64);
    [number(0), number(1)]
}

/// The fourth coordinates of places, if all of them are UNIX times: in some files the time is one.
fn fourth(places: &[Value]) -> Option<Value> {
    let is_time = |time: &&Value| time.as_f64().is_some_and(|time| time >= LIKELY_FROM);
    let times: Option<Vec<Value>> = places
        .iter()
        .map(|at| at.get(3).filter(is_time).cloned())
        .collect();
    times.filter(|times| !times.is_empty()).map(Value::Array)
}

/// A time.
fn value(json: &Value) -> FieldValue<'_> {
    match json {
        Value::String(text) => FieldValue::Text(text),
        Value::Bool(is) => FieldValue::Truth(*is),
        json => json.as_f64().map_or(FieldValue::Null, FieldValue::Number),
    }
}

/// The times of the positions of a line, under the names that programs give them.
fn times(properties: &str) -> Option<Value> {
    let mut properties: Value = serde_json::from_str(properties).ok()?;
    const NAMES: [&str; 4] = [
        "/coordTimes",
        "/coordinateProperties/times",
        "/times",
        // The trajectories of OGC Moving Features JSON.
        "/datetimes",
    ];
    NAMES
        .iter()
        .find_map(|pointer| properties.pointer_mut(pointer).map(Value::take))
}
