//! GPX and KML.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::fault::ReadError;
use super::names::{ChosenColumns, Role, roles};
use super::tracks::{Cell, FileTracks, Tracks};
use crate::track::field::FieldValue;

/// An element with its text, its attributes and the elements in it.
#[derive(Debug, Default)]
pub(super) struct Element {
    /// Its name without a prefix.
    pub(super) name: String,
    attributes: Vec<(String, String)>,
    pub(super) text: String,
    pub(super) children: Vec<Element>,
    line: u64,
}

impl Element {
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim())
    }

    /// The elements below it that have no others in them, with their names.
    fn leaves<'a>(&'a self, found: &mut Vec<(&'a str, &'a str)>) {
        for child in &self.children {
            if !child.children.is_empty() {
                child.leaves(found);
            } else if !child.text.trim().is_empty() {
                found.push((&child.name, child.text.trim()));
            }
        }
    }
}

/// Takes the elements of a file.
pub(super) trait Elements {
    /// Takes the first element, the root.
    fn begin(&mut self, root: &Element);

    /// Takes an element that has ended; `open` are those that it is in, the innermost last.
    ///
    /// # Errors
    /// If it is not what it must be.
    fn close(&mut self, element: Element, open: &mut [Element]) -> Result<(), ReadError>;
}

/// Reads GPX or KML, one point after the other: only the element that is being read
/// is held.
///
/// # Errors
/// If it is neither, is cut off, or has no point with a time.
pub(super) fn read(text: &str, chosen: &ChosenColumns) -> Result<FileTracks, ReadError> {
    let mut points = Points {
        chosen,
        tracks: Tracks::default(),
        is_own: text.contains("<Data name=\"qc_flag\">"),
        has_track: has_track(text),
    };
    walk(text, &mut points)?;
    points.tracks.finish()
}

/// `true` if a text has a track, next to which points are places and not fixes.
pub(super) fn has_track(text: &str) -> bool {
    ["<trkpt", "<gx:coord", ":coord>"]
        .iter()
        .any(|tag| text.contains(tag))
}

/// Passes the elements of GPX or KML on.
///
/// # Errors
/// If it is neither, or is cut off, and those of `elements`.
pub(super) fn walk(text: &str, elements: &mut impl Elements) -> Result<(), ReadError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut is_known = false;
    let mut lines = Lines {
        text,
        place: 0,
        line: 1,
    };
    loop {
        let place = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        let event = reader.read_event().map_err(|error| ReadError::Line {
            line: lines.at(place),
            why: format!("it is no XML: {error}"),
        })?;
        match event {
            Event::Start(start) | Event::Empty(start) if !is_known => {
                let root = element(&start, 1);
                if !matches!(root.name.as_str(), "gpx" | "kml") {
                    return Err(other_xml(&root.name));
                }
                elements.begin(&root);
                is_known = true;
            }
            Event::Start(start) => open.push(element(&start, lines.at(place))),
            Event::Empty(start) => {
                let element = element(&start, lines.at(place));
                elements.close(element, &mut open)?;
            }
            Event::Text(text) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&text.decode().unwrap_or_default());
                }
            }
            Event::CData(text) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(element) = open.last_mut() {
                    let name = reference.decode().unwrap_or_default();
                    let whole = format!("&{name};");
                    let meant = quick_xml::escape::unescape(&whole);
                    element.text.push_str(meant.as_deref().unwrap_or(&whole));
                }
            }
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    elements.close(element, &mut open)?;
                }
            }
            Event::Eof if !open.is_empty() => {
                return Err(ReadError::Line {
                    line: lines.at(text.len()),
                    why: "the file ends in the middle of an element".to_owned(),
                });
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Counts lines up to an offset.
struct Lines<'a> {
    text: &'a str,
    place: usize,
    line: u64,
}

impl Lines<'_> {
    fn at(&mut self, place: usize) -> u64 {
        let passed = self
            .text
            .as_bytes()
            .get(self.place..place)
            .unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.place = self.place.max(place);
        self.line
    }
}

fn element(start: &BytesStart<'_>, line: u64) -> Element {
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let attributes = start.attributes().flatten().map(|attribute| {
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .unwrap_or_default()
            .into_owned();
        (name(attribute.key.local_name().as_ref()), value)
    });
    Element {
        name: name(start.local_name().as_ref()),
        attributes: attributes.collect(),
        line,
        ..Element::default()
    }
}

/// XML of other programs.
fn other_xml(root: &str) -> ReadError {
    if root == "TrainingCenterDatabase" {
        return ReadError::Kind {
            kind: "a TCX file",
            remedy: "`gpsbabel -i gtrnctr -f IN.tcx -o gpx -F OUT.gpx` makes a GPX file of it",
        };
    }
    let root = crate::text::excerpt(root, 40);
    ReadError::Nothing(format!(
        "it is XML with the root '{root}': GPX and KML are read"
    ))
}

/// The points of a file.
struct Points<'a> {
    chosen: &'a ChosenColumns,
    tracks: Tracks,
    /// Written by driftline: its failed fixes are points next to the track.
    is_own: bool,
    /// It has a track, next to which points are places and not fixes.
    has_track: bool,
}

impl Elements for Points<'_> {
    fn begin(&mut self, root: &Element) {
        let creator = root.attribute("creator").unwrap_or_default();
        self.is_own |= creator.starts_with("driftline");
    }

    /// A point becomes a row, others stay in the element that they are in as long as a
    /// point is made of them.
    fn close(&mut self, element: Element, open: &mut [Element]) -> Result<(), ReadError> {
        match element.name.as_str() {
            "trkpt" => self.gpx_point(&element),
            "wpt" if !self.has_track || self.is_own => self.gpx_point(&element),
            // A point of a route is a plan.
            "wpt" | "rtept" => Ok(()),
            "Track" => self.kml_track(&element),
            "Placemark" => self.kml_placemark(&element),
            _ => {
                // Elements that no point is made of are let go.
                let is_container = |name: &str| {
                    matches!(
                        name,
                        "trk" | "trkseg" | "Document" | "Folder" | "MultiTrack"
                    )
                };
                if let Some(parent) = open.last_mut()
                    && !is_container(&parent.name)
                {
                    parent.children.push(element);
                }
                Ok(())
            }
        }
    }
}

impl Points<'_> {
    fn gpx_point(&mut self, point: &Element) -> Result<(), ReadError> {
        let Some(time) = point.text_of("time") else {
            self.tracks.untimed += 1;
            return Ok(());
        };
        let mut leaves = Vec::new();
        point.leaves(&mut leaves);
        leaves.retain(|(name, _)| *name != "time" && !(self.is_own && *name == "cmt"));
        let place = (
            point.attribute("lat").unwrap_or_default(),
            point.attribute("lon").unwrap_or_default(),
        );
        self.fix(point.line, time, place, &leaves)
    }

    /// Times and positions of a gx:Track, which are two lists.
    fn kml_track(&mut self, track: &Element) -> Result<(), ReadError> {
        let texts = |name: &'static str| {
            track
                .children
                .iter()
                .filter(move |child| child.name == name)
        };
        self.tracks.untimed += texts("coord").count().saturating_sub(texts("when").count());
        for when in texts("when").skip(texts("coord").count()) {
            let why = "it has a time and no position".to_owned();
            let written = || when.text.trim().to_owned();
            self.tracks.fault(when.line, why, written);
        }
        for (when, coordinates) in texts("when").zip(texts("coord")) {
            let mut numbers = coordinates.text.split_whitespace();
            let longitude = numbers.next().unwrap_or_default();
            let latitude = numbers.next().unwrap_or_default();
            self.fix(when.line, when.text.trim(), (latitude, longitude), &[])?;
        }
        Ok(())
    }

    fn kml_placemark(&mut self, placemark: &Element) -> Result<(), ReadError> {
        let line = placemark.child("LineString");
        let places = line.and_then(|line| line.text_of("coordinates"));
        self.tracks.untimed_vertices +=
            places.map_or(0, |places| places.split_whitespace().count());
        let point = placemark
            .child("Point")
            .and_then(|point| point.text_of("coordinates"));
        let Some(point) = point.filter(|_| !self.has_track || self.is_own) else {
            return Ok(());
        };
        let mut numbers = point.split(',').map(str::trim);
        let (longitude, latitude) = (
            numbers.next().unwrap_or_default(),
            numbers.next().unwrap_or_default(),
        );
        let mut data = Vec::new();
        if let Some(extended) = placemark.child("ExtendedData") {
            data_of(extended, &mut data);
        }
        let time = placemark
            .child("TimeStamp")
            .and_then(|stamp| stamp.text_of("when"));
        let time = time.or_else(|| self.time_among(&data));
        let Some(time) = time else {
            self.tracks.untimed += usize::from(!self.is_own);
            return Ok(());
        };
        let data: Vec<(&str, &str)> = data.into_iter().filter(|_| !self.is_own).collect();
        self.fix(placemark.line, time, (latitude, longitude), &data)
    }

    /// The time among named data.
    fn time_among<'a>(&self, data: &[(&str, &'a str)]) -> Option<&'a str> {
        let names: Vec<&str> = data.iter().map(|(name, _)| *name).collect();
        let roles = roles(&names, self.chosen).ok()?;
        let place = roles
            .iter()
            .position(|role| matches!(role, Role::Time | Role::Date))?;
        data.get(place).map(|(_, value)| *value)
    }

    fn fix(
        &mut self,
        line: u64,
        time: &str,
        (latitude, longitude): (&str, &str),
        fields: &[(&str, &str)],
    ) -> Result<(), ReadError> {
        let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
        // Time and position of the point itself count; a deployment may be among the data.
        let of_fields = roles(&names, &ChosenColumns::default())
            .unwrap_or_else(|_| vec![Role::Field; names.len()]);
        let mut cells = vec![
            Cell {
                name: "time",
                role: Role::Time,
                value: FieldValue::Text(time),
            },
            Cell {
                name: "latitude",
                role: Role::Latitude,
                value: FieldValue::Text(latitude),
            },
            Cell {
                name: "longitude",
                role: Role::Longitude,
                value: FieldValue::Text(longitude),
            },
        ];
        for ((name, written), role) in fields.iter().zip(of_fields) {
            if matches!(role, Role::Field | Role::Id)
                && !cells.iter().any(|cell| cell.name == *name)
            {
                cells.push(Cell {
                    name,
                    role,
                    value: super::delimited::field_value(written),
                });
            }
        }
        self.tracks
            .add(line, &cells, || format!("{time} {latitude} {longitude}"));
        Ok(())
    }
}

/// Names and values of extended data.
fn data_of<'a>(element: &'a Element, found: &mut Vec<(&'a str, &'a str)>) {
    for child in &element.children {
        match (child.name.as_str(), child.attribute("name")) {
            ("Data", Some(name)) => found.extend(child.text_of("value").map(|value| (name, value))),
            ("SimpleData", Some(name)) => found.push((name, child.text.trim())),
            _ => data_of(child, found),
        }
    }
}
