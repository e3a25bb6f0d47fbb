//! KML 2.2: the track in time as gx:Tracks, cut at data gaps, jumps and the
//! antimeridian, and a folder of points for each flag that is not "pass".

use std::io::{self, Write};

use super::lines::segments;
use super::subject::{Subject, description};
use super::xml::XmlWriter;
use crate::track::time::rfc3339;
use crate::track::{Fix, Flag, Track};

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let mut xml = XmlWriter::new(out)?;
    xml.open(
        "kml",
        &[
            ("xmlns", &"http://www.opengis.net/kml/2.2"),
            ("xmlns:gx", &"http://www.google.com/kml/ext/2.2"),
        ],
    )?;
    xml.open("Document", &[])?;
    xml.element("name", subject.name())?;
    let about = format!("Deployment {}. {}", subject.deployment, description(track));
    xml.element("description", &about)?;
    for look in STYLES {
        style(&mut xml, look)?;
    }
    xml.open("Placemark", &[])?;
    xml.element("name", subject.name())?;
    xml.element("styleUrl", "#track")?;
    let segments = segments(track, |longitude| longitude);
    if !segments.is_empty() {
        xml.open("gx:MultiTrack", &[])?;
        xml.element("gx:interpolate", "0")?;
        for segment in segments {
            xml.open("gx:Track", &[])?;
            xml.element("altitudeMode", "clampToGround")?;
            for fix in segment.fixes(track) {
                xml.element("when", &rfc3339(fix.time_stamp))?;
            }
            for fix in segment.fixes(track) {
                let place = format!("{} {} 0", fix.position.longitude, fix.position.latitude);
                xml.element("gx:coord", &place)?;
            }
            xml.close()?;
        }
        xml.close()?;
    }
    xml.close()?;
    for (flag, name, style) in FLAGGED {
        let mut fixes = track.fixes().filter(|fix| fix.flag == flag).peekable();
        if fixes.peek().is_none() {
            continue;
        }
        xml.open("Folder", &[])?;
        xml.element("name", name)?;
        for fix in fixes {
            point(&mut xml, track, &fix, style)?;
        }
        xml.close()?;
    }
    xml.finish()
}

/// The styles of points and lines: the id, the colour as alpha, blue, green and red, and the sizes
/// of icon and label.
// Thousands of labels would hide the map.
const STYLES: [[&str; 4]; 4] = [
    ["track", "ffd0801f", "0.8", "1"],
    ["suspect", "ff00a5ff", "0.7", "0"],
    ["failed", "ff2020e0", "0.7", "0"],
    ["not_evaluated", "ffa0a0a0", "0.7", "0"],
];

fn style(xml: &mut XmlWriter<'_>, [id, colour, icon, label]: [&str; 4]) -> io::Result<()> {
    xml.open("Style", &[("id", &id)])?;
    xml.open("IconStyle", &[])?;
    xml.element("color", colour)?;
    xml.element("scale", icon)?;
    xml.close()?;
    xml.open("LabelStyle", &[])?;
    xml.element("scale", label)?;
    xml.close()?;
    xml.open("LineStyle", &[])?;
    xml.element("color", colour)?;
    xml.element("width", "2")?;
    xml.close()?;
    xml.close()
}

/// The flags that are not "pass", each with its folder and the style of its points.
const FLAGGED: [(Flag, &str, &str); 3] = [
    (Flag::Suspect, "Suspect fixes", "#suspect"),
    (Flag::Fail, "Failed fixes", "#failed"),
    (Flag::NotEvaluated, "Fixes not evaluated", "#not_evaluated"),
];

/// Writes a fix with its time, flag and reason.
fn point(xml: &mut XmlWriter<'_>, track: &Track, fix: &Fix, style: &str) -> io::Result<()> {
    let reason = track.reason_text(fix.index);
    xml.open("Placemark", &[])?;
    xml.element("name", fix.flag.word())?;
    let about = format!("{}: {reason}", fix.flag.word());
    xml.element("description", &about)?;
    xml.open("TimeStamp", &[])?;
    xml.element("when", &rfc3339(fix.time_stamp))?;
    xml.close()?;
    xml.element("styleUrl", style)?;
    xml.open("ExtendedData", &[])?;
    data(xml, "qc_flag", &fix.flag.code().to_string())?;
    data(xml, "qc_reason", &reason)?;
    xml.close()?;
    place(xml, fix.position.longitude, fix.position.latitude)?;
    xml.close()
}

/// Writes an untyped value with its name.
pub(super) fn data(xml: &mut XmlWriter<'_>, name: &str, value: &str) -> io::Result<()> {
    xml.open("Data", &[("name", &name)])?;
    xml.element("value", value)?;
    xml.close()
}

/// Writes a point.
pub(super) fn place(xml: &mut XmlWriter<'_>, longitude: f64, latitude: f64) -> io::Result<()> {
    xml.open("Point", &[])?;
    xml.element("coordinates", &format!("{longitude},{latitude}"))?;
    xml.close()
}
