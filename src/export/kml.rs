//! KML 2.2: the track in time as a gx:Track, and its line.

use std::collections::HashMap;
use std::io::Write;

use kml::types::Element;
use kml::{Kml, KmlDocument, KmlVersion, KmlWriter};

use super::error::ExportError;
use super::format::Format;
use super::gpx::xml_text;
use super::lines::parts;
use super::subject::Subject;
use crate::track::{Track, time};

pub(super) fn write(
    subject: &Subject<'_>,
    track: &Track,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let attrs = HashMap::from([
        (
            "xmlns".to_owned(),
            "http://www.opengis.net/kml/2.2".to_owned(),
        ),
        (
            "xmlns:gx".to_owned(),
            "http://www.google.com/kml/ext/2.2".to_owned(),
        ),
    ]);
    let tracks: Vec<Element> = parts(track, true, false)
        .iter()
        .map(|part| {
            let fixes: Vec<_> = part
                .iter()
                .filter_map(|vertex| track.fix(vertex.fix?))
                .collect();
            let when = fixes
                .iter()
                .map(|fix| element("when", &time::rfc3339(fix.time_stamp)));
            let coord = fixes.iter().map(|fix| {
                element(
                    "gx:coord",
                    &format!("{} {} 0", fix.position.longitude, fix.position.latitude),
                )
            });
            let mode = element("altitudeMode", "clampToGround");
            parent(
                "gx:Track",
                std::iter::once(mode).chain(when).chain(coord).collect(),
            )
        })
        .collect();
    let mut members = vec![element("name", subject.name())];
    members.push(element(
        "description",
        &format!("Deployment {}", subject.deployment),
    ));
    if !tracks.is_empty() {
        let mut multi = vec![element("gx:interpolate", "0")];
        multi.extend(tracks);
        members.push(parent("gx:MultiTrack", multi));
    }
    let placemark = parent("Placemark", members);
    let document = Kml::KmlDocument(KmlDocument {
        version: KmlVersion::V22,
        attrs,
        elements: vec![Kml::Document {
            attrs: HashMap::new(),
            elements: std::iter::once(placemark)
                .chain(outside(track))
                .map(Kml::Element)
                .collect(),
        }],
    });
    out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
    KmlWriter::<_, f64>::from_writer(out)
        .write(&document)
        .map_err(|error| ExportError::Unfit {
            format: Format::Kml,
            reason: error.to_string(),
        })
}

/// A point for each excluded fix, with its time and reason.
fn outside(track: &Track) -> impl Iterator<Item = Element> + '_ {
    track
        .fixes()
        .filter(|fix| !track.is_included(fix.index))
        .map(|fix| {
            let why = format!("{}: {}", fix.flag.word(), track.reason_text(fix.index));
            let place = format!("{},{}", fix.position.longitude, fix.position.latitude);
            let when = element("when", &time::rfc3339(fix.time_stamp));
            parent(
                "Placemark",
                vec![
                    element("name", fix.flag.word()),
                    element("description", &why),
                    parent("TimeStamp", vec![when]),
                    parent("Point", vec![element("coordinates", &place)]),
                ],
            )
        })
}

fn element(name: &str, content: &str) -> Element {
    Element {
        name: name.to_owned(),
        content: Some(xml_text(content)),
        ..Element::default()
    }
}

fn parent(name: &str, children: Vec<Element>) -> Element {
    Element {
        name: name.to_owned(),
        children,
        ..Element::default()
    }
}
