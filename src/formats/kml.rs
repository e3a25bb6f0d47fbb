//! KML 2.2: the track in time as gx:Tracks, cut at data gaps, jumps and the
//! antimeridian, and a folder of points for each flag that is not "pass".

use std::io::{self, Write};

use super::lines::segments;
use super::subject::{Subject, description};
use super::xml::XmlWriter;
use crate::track::time::Stamps;
use crate::track::{Fix, Flag, Track};

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let mut xml = XmlWriter::new(out)?;
    let mut stamps = Stamps::default();
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
    for style in &STYLES {
        style.write(&mut xml)?;
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
                xml.element("when", stamps.rfc3339(fix.time_stamp))?;
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
    for flagged in &FLAGGED {
        folder(&mut xml, &mut stamps, track, flagged)?;
    }
    xml.finish()
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

impl PointStyle {
    fn write(&self, xml: &mut XmlWriter<'_>) -> io::Result<()> {
        xml.open("Style", &[("id", &self.id)])?;
        xml.open("IconStyle", &[])?;
        xml.element("color", self.colour)?;
        xml.element("scale", self.icon)?;
        xml.close()?;
        xml.open("LabelStyle", &[])?;
        xml.element("scale", self.label)?;
        xml.close()?;
        xml.open("LineStyle", &[])?;
        xml.element("color", self.colour)?;
        xml.element("width", "2")?;
        xml.close()?;
        xml.close()
    }
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

/// Writes the folder of a flag, with a point for each fix; nothing without fixes.
fn folder(
    xml: &mut XmlWriter<'_>,
    stamps: &mut Stamps,
    track: &Track,
    flagged: &Flagged,
) -> io::Result<()> {
    let mut fixes = track
        .fixes()
        .filter(|fix| fix.flag == flagged.flag)
        .peekable();
    if fixes.peek().is_none() {
        return Ok(());
    }
    xml.open("Folder", &[])?;
    xml.element("name", flagged.folder)?;
    for fix in fixes {
        point(
            xml,
            stamps.rfc3339(fix.time_stamp),
            track,
            &fix,
            flagged.style,
        )?;
    }
    xml.close()
}

/// Writes a fix with its time, flag and reason.
fn point(
    xml: &mut XmlWriter<'_>,
    time: &str,
    track: &Track,
    fix: &Fix,
    style: &str,
) -> io::Result<()> {
    let reason = track.reason_text(fix.index);
    xml.open("Placemark", &[])?;
    xml.element("name", fix.flag.word())?;
    let about = format!("{}: {reason}", fix.flag.word());
    xml.element("description", &about)?;
    xml.open("TimeStamp", &[])?;
    xml.element("when", time)?;
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
