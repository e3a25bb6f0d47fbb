//! A GeoJSON FeatureCollection (RFC 7946), written feature by feature.

use std::io::{self, Write};

use serde::Serialize;

use crate::text::json::JsonWriter;

/// A geometry. A position is longitude and latitude.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "coordinates")]
pub(super) enum Geometry {
    Point([f64; 2]),
    LineString(Vec<[f64; 2]>),
    MultiLineString(Vec<Vec<[f64; 2]>>),
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

    /// Writes a feature, with a JSON object as its properties.
    pub(super) fn feature(
        &mut self,
        bbox: Option<[f64; 4]>,
        geometry: Option<&Geometry>,
        properties: &[u8],
    ) -> io::Result<()> {
        if !self.is_empty {
            self.out.write_all(b",")?;
        }
        self.is_empty = false;
        self.out.write_all(br#"{"type":"Feature","#)?;
        if let Some(bbox) = bbox {
            self.out.write_all(br#""bbox":"#)?;
            serde_json::to_writer(&mut self.out, &bbox)?;
            self.out.write_all(b",")?;
        }
        self.out.write_all(br#""geometry":"#)?;
        serde_json::to_writer(&mut self.out, &geometry)?;
        self.out.write_all(br#","properties":"#)?;
        self.out.write_all(properties)?;
        self.out.write_all(b"}")
    }

    /// Writes the end of the collection.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(b"]}")
    }
}
