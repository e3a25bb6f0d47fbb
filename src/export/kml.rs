//! KML 2.2: the track in time as gx:Tracks, cut at data gaps, jumps and the
//! antimeridian, and a folder of points for each flag that is not "pass".

use std::collections::HashMap;
use std::io::Write;

use kml::types::Element;
use kml::{Kml, KmlDocument, KmlVersion, KmlWriter};

use super::error::ExportError;
use super::format::Format;
use super::gpx::xml_text;
use super::lines::parts;
use super::method::description;
use super::subject::Subject;
use crate::track::{Fix, Flag, Track, time};

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
    let tracks: Vec<Element> = parts(track, false)
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
    members.push(element("styleUrl", "#track"));
    if !tracks.is_empty() {
        let mut multi = vec![element("gx:interpolate", "0")];
        multi.extend(tracks);
        members.push(parent("gx:MultiTrack", multi));
    }
    let about = format!("Deployment {}. {}", subject.deployment, description(track));
    let head = [
        element("name", subject.name()),
        element("description", &about),
    ];
    let elements = head
        .into_iter()
        .chain(styles())
        .chain([parent("Placemark", members)])
        .chain(FLAGGED.iter().filter_map(|flagged| folder(track, flagged)));
    let document = Kml::KmlDocument(KmlDocument {
        version: KmlVersion::V22,
        attrs,
        elements: vec![Kml::Document {
            attrs: HashMap::new(),
            elements: elements.map(Kml::Element).collect(),
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

/// A style of points and lines: its id, the colour as alpha, blue, green and
/// red, and the sizes of icon and label. Thousands of labels would hide the map.
struct PointStyle {
    id: &'static str,
    colour: &'static str,
    icon: &'static str,
    label: &'static str,
}

const STYLES: [PointStyle; 4] = [
    PointStyle {
        id: "track",
        colour: "ffd0801f",
        icon: "0.8",
        label: "1",
    },
    PointStyle {
        id: "suspect",
        colour: "ff00a5ff",
        icon: "0.7",
        label: "0",
    },
    PointStyle {
        id: "failed",
        colour: "ff2020e0",
        icon: "0.7",
        label: "0",
    },
    PointStyle {
        id: "not_evaluated",
        colour: "ffa0a0a0",
        icon: "0.7",
        label: "0",
    },
];

fn styles() -> impl Iterator<Item = Element> {
    STYLES.iter().map(|style| {
        let colour = || element("color", style.colour);
        let mut tag = parent(
            "Style",
            vec![
                parent("IconStyle", vec![colour(), element("scale", style.icon)]),
                parent("LabelStyle", vec![element("scale", style.label)]),
                parent("LineStyle", vec![colour(), element("width", "2")]),
            ],
        );
        tag.attrs.insert("id".to_owned(), style.id.to_owned());
        tag
    })
}

/// The fixes with a flag that is not "pass", in a folder of their own.
struct Flagged {
    flag: Flag,
    folder: &'static str,
    style: &'static str,
}

const FLAGGED: [Flagged; 3] = [
    Flagged {
        flag: Flag::Suspect,
        folder: "Suspect fixes",
        style: "#suspect",
    },
    Flagged {
        flag: Flag::Fail,
        folder: "Failed fixes",
        style: "#failed",
    },
    Flagged {
        flag: Flag::NotEvaluated,
        folder: "Fixes not evaluated",
        style: "#not_evaluated",
    },
];

/// The folder of a flag, with a point for each fix; none without fixes.
fn folder(track: &Track, flagged: &Flagged) -> Option<Element> {
    let points: Vec<Element> = track
        .fixes()
        .filter(|fix| fix.flag == flagged.flag)
        .map(|fix| point(track, &fix, flagged.style))
        .collect();
    (!points.is_empty()).then(|| {
        let name = element("name", flagged.folder);
        parent("Folder", std::iter::once(name).chain(points).collect())
    })
}

/// A fix with its time, flag and reason.
fn point(track: &Track, fix: &Fix, style: &str) -> Element {
    let reason = track.reason_text(fix.index);
    let place = format!("{},{}", fix.position.longitude, fix.position.latitude);
    let when = element("when", &time::rfc3339(fix.time_stamp));
    parent(
        "Placemark",
        vec![
            element("name", fix.flag.word()),
            element("description", &format!("{}: {reason}", fix.flag.word())),
            parent("TimeStamp", vec![when]),
            element("styleUrl", style),
            parent(
                "ExtendedData",
                vec![
                    data("qc_flag", &fix.flag.code().to_string()),
                    data("qc_reason", &reason),
                ],
            ),
            parent("Point", vec![element("coordinates", &place)]),
        ],
    )
}

/// An untyped value with its name.
pub(super) fn data(name: &str, value: &str) -> Element {
    let mut tag = parent("Data", vec![element("value", value)]);
    tag.attrs.insert("name".to_owned(), name.to_owned());
    tag
}

pub(super) fn element(name: &str, content: &str) -> Element {
    Element {
        name: name.to_owned(),
        content: Some(xml_text(content)),
        ..Element::default()
    }
}

pub(super) fn parent(name: &str, children: Vec<Element>) -> Element {
    Element {
        name: name.to_owned(),
        children,
        ..Element::default()
    }
}
