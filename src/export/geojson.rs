//! GeoJSON (RFC 7946): the track as one feature, cut at data gaps, jumps and the
//! antimeridian, and a point for each fix.

use std::io::{self, Write};

use geojson::{Feature, FeatureWriter, Geometry, GeometryValue, JsonObject, JsonValue};

use super::json::SummaryObject;
use super::lines::{Vertex, parts};
use super::row::rows;
use super::subject::Subject;
use crate::geo::BoundingBox;
use crate::text::json::JsonWriter;
use crate::track::Track;

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let broken = |error: geojson::Error| io::Error::other(error.to_string());
    let mut writer = FeatureWriter::from_writer(JsonWriter::new(out));
    // Around all points in the file, failed fixes included.
    if let Some(bbox) = BoundingBox::around(track.fixes().map(|fix| fix.position)) {
        writer
            .write_foreign_member("bbox", &bbox.corners())
            .map_err(broken)?;
    }
    writer
        .write_feature(&line(subject, track)?)
        .map_err(broken)?;
    for row in rows(track) {
        let point = Geometry::new(GeometryValue::Point {
            coordinates: vec![row.longitude, row.latitude].into(),
        });
        let properties = serde_json::to_value(&row)?;
        writer
            .write_feature(&feature(Some(point), properties, None))
            .map_err(broken)?;
    }
    writer.finish().map_err(broken)?;
    Ok(())
}

/// The track line with its summary. A part without two positions, such as a fix
/// between two data gaps, is not a line; without any line there is no geometry.
fn line(subject: &Subject<'_>, track: &Track) -> io::Result<Feature> {
    let place = |vertex: &Vertex| vec![vertex.longitude, vertex.latitude].into();
    let mut lines: Vec<Vec<geojson::Position>> = parts(track)
        .iter()
        .filter(|part| has_extent(part))
        .map(|part| part.iter().map(place).collect())
        .collect();
    let geometry = match lines.len() {
        0 => None,
        1 => lines
            .pop()
            .map(|coordinates| GeometryValue::LineString { coordinates }),
        _ => Some(GeometryValue::MultiLineString { coordinates: lines }),
    };
    let mut properties = serde_json::to_value(SummaryObject::new(track, subject.now))?;
    if let Some(members) = properties.as_object_mut() {
        members.insert("deployment".to_owned(), subject.deployment.into());
        members.insert("label".to_owned(), subject.label.into());
        members.insert("platform".to_owned(), track.platform().name().into());
        members.remove("bbox");
    }
    let bbox = track.summary().bbox.map(|bbox| bbox.corners().to_vec());
    Ok(feature(geometry.map(Geometry::new), properties, bbox))
}

/// Whether a part has two different positions; otherwise it is not a line.
fn has_extent(part: &[Vertex]) -> bool {
    let place = |vertex: &Vertex| (vertex.longitude, vertex.latitude);
    part.iter()
        .skip(1)
        .any(|vertex| part.first().map(place) != Some(place(vertex)))
}

pub(super) fn feature(
    geometry: Option<Geometry>,
    properties: JsonValue,
    bbox: Option<Vec<f64>>,
) -> Feature {
    let properties: Option<JsonObject> = match properties {
        JsonValue::Object(members) => Some(members),
        _ => None,
    };
    Feature {
        bbox,
        geometry,
        id: None,
        properties,
        foreign_members: None,
    }
}
