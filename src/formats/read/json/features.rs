//! Features of GeoJSON.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Reader;
use crate::formats::each_member;
use crate::formats::read::fault::{ReadError, unpaired};
use crate::formats::read::names::{IdRank, Role, have_time, roles};
use crate::formats::read::times::LIKELY_FROM;
use crate::formats::read::tracks::Cell;
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
        self.geometry(number, json, properties, &geometry)
    }

    /// Reads a geometry of a feature with these properties.
    fn geometry(
        &mut self,
        number: u64,
        json: &str,
        properties: &str,
        geometry: &Geometry,
    ) -> Result<(), ReadError> {
        let coordinates = &geometry.coordinates;
        let parts = coordinates.as_array().map_or(&[][..], Vec::as_slice);
        let times = times(properties);
        match (geometry.kind.as_str(), parts) {
            ("Point", _) => self.point(number, json, properties, coordinates),
            ("MultiPoint", [only]) if times.is_none() => self.point(number, json, properties, only),
            // Several have one time, or none.
            ("MultiPoint", _) if times.is_none() => {
                self.tracks.untimed += parts.len();
                Ok(())
            }
            ("LineString" | "MultiPoint", _) => {
                let id = self.id(properties);
                self.places(number, coordinates, times.as_ref(), id.as_ref());
                Ok(())
            }
            ("MultiLineString", _) => {
                let id = self.id(properties);
                for (place, part) in parts.iter().enumerate() {
                    let times = times.as_ref();
                    let times = times.map(|times| times.get(place).unwrap_or(&Value::Null));
                    self.places(number, part, times, id.as_ref());
                }
                Ok(())
            }
            ("GeometryCollection", _) => {
                for part in &geometry.geometries {
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
        properties: &str,
        coordinates: &Value,
    ) -> Result<(), ReadError> {
        let [Some(longitude), Some(latitude)] = place(coordinates) else {
            let why = "its point has no position".to_owned();
            self.tracks.fault(number, why, || json.to_owned());
            return Ok(());
        };
        if self.has_time(properties) {
            let position = [("longitude", longitude), ("latitude", latitude)];
            self.record(number, properties, &position)
        } else {
            self.tracks.untimed += 1;
            Ok(())
        }
    }

    /// Reads the places of a line. Lines of several names are several deployments.
    fn places(
        &mut self,
        number: u64,
        places: &Value,
        times: Option<&Value>,
        id: Option<&(IdRank, Value)>,
    ) {
        let places = places.as_array().map_or(&[][..], Vec::as_slice);
        let fourth = times.is_none().then(|| fourth(places)).flatten();
        let Some(times) = times.or(fourth.as_ref()) else {
            self.tracks.untimed_vertices += places.len();
            return;
        };
        let times = times.as_array().map_or(&[][..], Vec::as_slice);
        if times.len() != places.len() {
            let why = unpaired(times.len(), places.len());
            self.tracks.fault(number, why, || "coordTimes".to_owned());
            return;
        }
        for (at, time) in places.iter().zip(times) {
            let [Some(longitude), Some(latitude)] = place(at) else {
                let why = "a place has no position".to_owned();
                self.tracks.fault(number, why, || at.to_string());
                continue;
            };
            let cell = |name, role, value| Cell { name, role, value };
            let mut cells = vec![
                cell("time", Role::Time, value(time)),
                cell("latitude", Role::Latitude, FieldValue::Number(latitude)),
                cell("longitude", Role::Longitude, FieldValue::Number(longitude)),
            ];
            cells.extend(id.map(|(rank, id)| cell("", Role::Id(*rank), value(id))));
            self.tracks
                .add(number, &cells, || format!("{time} {latitude} {longitude}"));
        }
    }

    /// The id of the deployment of a line, or its name: of as many records as it has places.
    fn id(&self, properties: &str) -> Option<(IdRank, Value)> {
        let properties: Value = serde_json::from_str(properties).ok()?;
        let members = properties.as_object()?;
        let names: Vec<&str> = members.keys().map(String::as_str).collect();
        let roles = roles(&names, self.chosen).unwrap_or_default();
        let ids = names
            .iter()
            .zip(roles)
            .filter_map(|(name, role)| match role {
                Role::Id(rank) => Some((rank, members.get(*name)?)),
                _ => None,
            });
        let is_id = |(_, id): &(IdRank, &Value)| {
            id.is_number() || id.as_str().is_some_and(|text| !text.trim().is_empty())
        };
        let id = ids.filter(is_id).min_by_key(|(rank, _)| *rank);
        let name = || {
            Some((
                IdRank::OfTrack,
                members.get("name").filter(|name| name.is_string())?,
            ))
        };
        let (rank, id) = id.or_else(|| name().filter(is_id))?;
        let is_chosen = rank == IdRank::Chosen;
        Some((if is_chosen { rank } else { IdRank::OfTrack }, id.clone()))
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
    #[serde(default)]
    geometries: Vec<Geometry>,
}

/// Longitude and latitude of a position.
pub(in crate::formats::read) fn place(coordinates: &Value) -> [Option<f64>; 2] {
    let number = |at: usize| coordinates.get(at).and_then(Value::as_f64);
    [number(0), number(1)]
}

/// The fourth coordinates of places, if all of them are UNIX times: in some files the time is one.
fn fourth(places: &[Value]) -> Option<Value> {
    let is_time = |time: &&Value| time.as_f64().is_some_and(|time| time >= LIKELY_FROM);
    let times = places.iter().map(|at| at.get(3).filter(is_time).cloned());
    let times: Option<Vec<Value>> = times.collect();
    times.filter(|times| !times.is_empty()).map(Value::Array)
}

/// A time or an id.
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
    ["/coordTimes", "/coordinateProperties/times", "/times"]
        .iter()
        .find_map(|pointer| properties.pointer_mut(pointer).map(Value::take))
}
