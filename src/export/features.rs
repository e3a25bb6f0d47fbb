//! A GeoJSON FeatureCollection (RFC 7946), written feature by feature.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::text::json::JsonWriter;

/// A geometry. A position is longitude and latitude.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "coordinates")]
pub(super) enum Geometry {
    Point([f64; 2]),
    LineString(Vec<[f64; 2]>),
    MultiLineString(Vec<Vec<[f64; 2]>>),
}

#[derive(Serialize)]
struct Feature<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bbox: Option<[f64; 4]>,
    geometry: Option<Geometry>,
    properties: BTreeMap<&'a str, &'a RawValue>,
}

/// Writes a FeatureCollection.
pub(super) struct FeatureCollection<'a> {
    out: JsonWriter<&'a mut dyn Write>,
    is_empty: bool,
}

impl<'a> FeatureCollection<'a> {
    /// A collection with the box around all its features, if there is one.
    pub(super) fn new(out: &'a mut dyn Write, bbox: Option<[f64; 4]>) -> io::Result<Self> {
        let mut out = JsonWriter::new(out);
        out.write_all(br#"{ "type": "FeatureCollection", "#)?;
        if let Some(bbox) = bbox {
            out.write_all(br#""bbox": "#)?;
            serde_json::to_writer(&mut out, &bbox)?;
            out.write_all(b", ")?;
        }
        out.write_all(br#""features": ["#)?;
        let is_empty = true;
        Ok(Self { out, is_empty })
    }

    /// Writes a feature. `properties` is a JSON object, whose members come in the
    /// order of their names, with their values as they are: a number keeps all its
    /// digits.
    pub(super) fn feature(
        &mut self,
        bbox: Option<[f64; 4]>,
        geometry: Option<Geometry>,
        properties: &[u8],
    ) -> io::Result<()> {
        if !self.is_empty {
            self.out.write_all(b",")?;
        }
        self.is_empty = false;
        let feature = Feature {
            kind: "Feature",
            bbox,
            geometry,
            properties: serde_json::from_slice(properties)?,
        };
        Ok(serde_json::to_writer(&mut self.out, &feature)?)
    }

    /// Writes the end of the collection.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(b"]}")
    }
}
