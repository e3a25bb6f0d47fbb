//! GPX 1.1: longitudes in [-180, 180), a new segment at the antimeridian and
//! after a data gap or a jump.

use std::io::{self, Write};

use super::lines::segments;
use super::subject::{Subject, description};
use super::xml::XmlWriter;
use crate::track::time::rfc3339;
use crate::track::{Fix, Track};

pub(super) fn write(subject: &Subject<'_>, track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let mut gpx = GpxWriter::new(out)?;
    let about = description(track);
    gpx.metadata(subject.name(), Some(&about), subject.fetched_at)?;
    // Excluded fixes are separate waypoints.
    let excluded = track.fixes().filter(|fix| !track.is_included(fix.index));
    for fix in excluded {
        gpx.point("wpt", track, &fix, None)?;
    }
    gpx.xml.open("trk", &[])?;
    gpx.xml.element("name", subject.name())?;
    gpx.xml.element("src", subject.deployment)?;
    for segment in segments(track, longitude) {
        gpx.xml.open("trkseg", &[])?;
        for fix in segment.fixes(track) {
            gpx.point("trkpt", track, &fix, None)?;
        }
        gpx.xml.close()?;
    }
    gpx.finish()
}

/// The longitude of a fix as GPX has it: below 180.
fn longitude(of_fix: f64) -> f64 {
    if of_fix >= 180.0 { -180.0 } else { of_fix }
}

/// The texts of a waypoint besides position and time.
pub(super) struct PointText<'a> {
    pub(super) name: &'a str,
    pub(super) about: &'a str,
    pub(super) source: &'a str,
}

/// Writes a GPX file.
pub(super) struct GpxWriter<'a> {
    xml: XmlWriter<'a>,
}

impl<'a> GpxWriter<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> io::Result<Self> {
        let mut xml = XmlWriter::new(out)?;
        xml.open(
            "gpx",
            &[
                ("version", &"1.1"),
                ("xmlns", &"http://www.topografix.com/GPX/1/1"),
                ("creator", &concat!("driftline ", env!("CARGO_PKG_VERSION"))),
            ],
        )?;
        Ok(Self { xml })
    }

    /// Writes what the file is, and when it was made (UNIX seconds).
    pub(super) fn metadata(
        &mut self,
        name: &str,
        about: Option<&str>,
        made_at: f64,
    ) -> io::Result<()> {
        self.xml.open("metadata", &[])?;
        self.xml.element("name", name)?;
        if let Some(about) = about {
            self.xml.element("desc", about)?;
        }
        self.time(made_at)?;
        self.xml.close()
    }

    /// Writes a fix as a point, an element named `tag`.
    pub(super) fn point(
        &mut self,
        tag: &'static str,
        track: &Track,
        fix: &Fix,
        text: Option<&PointText<'_>>,
    ) -> io::Result<()> {
        // An `f64` near zero prints with more decimals than XML readers accept.
        // Twelve decimals are a tenth of a micrometre.
        let decimals = |degrees: f64| {
            if degrees.abs() < 1e-6 {
                (degrees * 1e12).round() / 1e12
            } else {
                degrees
            }
        };
        let latitude = decimals(fix.position.latitude);
        let longitude = decimals(longitude(fix.position.longitude));
        self.xml
            .open(tag, &[("lat", &latitude), ("lon", &longitude)])?;
        self.time(fix.time_stamp)?;
        if let Some(text) = text {
            self.xml.element("name", text.name)?;
        }
        let reason = track.reason_text(fix.index);
        if !reason.is_empty() {
            let comment = format!("{}: {reason}", fix.flag.word());
            self.xml.element("cmt", &comment)?;
        }
        if let Some(text) = text {
            self.xml.element("desc", text.about)?;
            self.xml.element("src", text.source)?;
        }
        self.xml.close()
    }

    /// Writes a time to the microsecond; nothing where the calendar ends before.
    fn time(&mut self, time_stamp: f64) -> io::Result<()> {
        let written = rfc3339(time_stamp);
        let Some(time) = written.strip_suffix('Z') else {
            return Ok(());
        };
        // Nine digits of a second.
        let (second, fraction) = time.split_once('.').unwrap_or((time, ""));
        self.xml
            .element("time", &format!("{second}.{fraction:0<9}Z"))
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.xml.finish()
    }
}
