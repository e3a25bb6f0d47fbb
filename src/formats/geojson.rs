//! GeoJSON (RFC 7946): the track as one feature, cut at data gaps, jumps and the
//! antimeridian, and a point for each fix.

use std::io::{self, Write};

use serde::Serialize;

use super::json::object::Objects;
use super::json::summary;
use super::lines::{Vertex, parts};
use super::subject::Subject;
use crate::geo::BoundingBox;
use crate::text::json;
use crate::track::Track;

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    // Around all points in the file, failed fixes included.
    let around_all = BoundingBox::around(track.fixes().map(|fix| fix.position));
    let mut collection = FeatureCollection::new(out, around_all.map(|bbox| bbox.corners()))?;
    let bbox = track.summary().bbox.map(|bbox| bbox.corners());
    collection.feature(bbox, line(track).as_ref(), &about(subject, track)?)?;
    let mut objects = Objects::new(track);
    for fix in track.fixes() {
        let point = Geometry::Point([fix.position.longitude, fix.position.latitude]);
        collection.feature(None, Some(&point), objects.object(fix)?)?;
    }
    collection.finish()
}

/// The track line. A part without two different positions, such as a fix between
/// two data gaps, is not a line. A track that never moves is one all the same,
/// with two or more equal positions (RFC 7946, section 3.1.4); without two fixes
/// in a row there is no geometry.
fn line(track: &Track) -> Option<Geometry> {
    let mut parts = parts(track);
    parts.retain(|part| part.len() > 1);
    if parts.iter().any(|part| has_extent(part)) {
        parts.retain(|part| has_extent(part));
    }
    match parts.len() {
        0 | 1 => parts.pop().map(Geometry::LineString),
        _ => Some(Geometry::MultiLineString(parts)),
    }
}

/// The description of the track in the file, as a JSON object.
fn about(subject: &Subject<'_>, track: &Track) -> io::Result<Vec<u8>> {
    let mut about = serde_json::to_value(summary(track, subject.now))?;
    if let Some(members) = about.as_object_mut() {
        members.insert("deployment".to_owned(), subject.deployment.into());
        members.insert("label".to_owned(), subject.label.into());
        members.insert("platform".to_owned(), track.platform().name().into());
        members.remove("bbox");
    }
    let mut object = Vec::new();
    json::write(&mut object, &about)?;
    Ok(object)
}

/// `true` if a part has two different positions.
fn has_extent(part: &[Vertex]) -> bool {
    part.iter().any(|vertex| part.first() != Some(vertex))
}

/// A geometry. A position is longitude and latitude.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "coordinates")]
pub(super) enum Geometry {
    Point(Vertex),
    LineString(Vec<Vertex>),
    MultiLineString(Vec<Vec<Vertex>>),
}

/// Writes a FeatureCollection.
pub(super) struct FeatureCollection<'a> {
    out: &'a mut dyn Write,
    is_empty: bool,
}

impl<'a> FeatureCollection<'a> {
    /// A collection with the box around all its features, if there is one.
    pub(super) fn new(out: &'a mut dyn Write, bbox: Option<[f64; 4]>) -> io::Result<Self> {
        out.write_all(br#"{ "type": "FeatureCollection", "#)?;
        if let Some(bbox) = bbox {
            out.write_all(br#""bbox": "#)?;
            json::write(&mut *out, &bbox)?;
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
            json::write(&mut *self.out, &bbox)?;
            self.out.write_all(b",")?;
        }
        self.out.write_all(br#""geometry":"#)?;
        json::write(&mut *self.out, &geometry)?;
        self.out.write_all(br#","properties":"#)?;
        self.out.write_all(properties)?;
        self.out.write_all(b"}")
    }

    /// Writes the end of the collection.
    pub(super) fn finish(self) -> io::Result<()> {
        self.out.write_all(b"]}")
    }
}
