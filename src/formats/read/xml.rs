//! GPX and KML.

mod placemarks;

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use placemarks::folder;

use super::cell::{Cell, NUMBERED};
use super::fault::{Lines, ReadError, unpaired};
use super::names::{ChosenColumns, Given, IdRank, Role, roles_beside};
use super::tracks::{FileTracks, Tracks};
use crate::track::field::FieldValue;

/// The most elements that are open at a time, as of JSON: an element is dropped with those in it,
/// one within the other, and deeper ones would use up the stack.
const MOST_OPEN: usize = 128;

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

    pub(super) fn child_text(&self, name: &str) -> Option<&str> {
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
    ///
    /// # Errors
    /// If it is not what it must be.
    fn begin(&mut self, _root: &Element) -> Result<(), ReadError> {
        Ok(())
    }

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
        of_data: ChosenColumns {
            id: chosen.id.clone(),
            ..ChosenColumns::default()
        },
        tracks: Tracks::new(chosen),
        is_own: text.contains("<Data name=\"qc_flag\">"),
        has_track: has_track(text),
        has_waypoints: text.contains("<wpt"),
        has_folders: text.matches("<Folder").nth(1).is_some(),
        tracks_before: 0,
    };
    walk(text, &mut points)?;
    points.tracks.is_own = points.is_own;
    points.tracks.finish()
}

/// `true` if a text has a track, next to which points are waypoints and not fixes.
pub(super) fn has_track(text: &str) -> bool {
    ["<trkpt", "<gx:coord", ":coord>", "<coord>"]
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
    let mut lines = Lines::new(text.as_bytes());
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
                elements.begin(&root)?;
                is_known = true;
            }
            Event::Start(_) if open.len() >= MOST_OPEN => {
                return Err(ReadError::Line {
                    line: lines.at(place),
                    why: format!("elements are nested deeper than {MOST_OPEN}"),
                });
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

fn element(start: &BytesStart<'_>, line: u64) -> Element {
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // To look for an attribute that is there twice takes the square of their number.
    let mut all = start.attributes();
    let attributes = all.with_checks(false).flatten().map(|attribute| {
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
        return ReadError::of_kind(
            "a TCX file",
            "`gpsbabel -i gtrnctr -f IN.tcx -o gpx -F OUT.gpx` makes a GPX file of it",
        );
    }
    let root = crate::text::excerpt(root, 40);
    ReadError::Nothing(format!(
        "it is XML with the root '{root}': GPX and KML are read"
    ))
}

/// The points of a file.
struct Points<'a> {
    chosen: &'a ChosenColumns,
    /// The part of it that is data of a point, which has its time and position itself.
    of_data: ChosenColumns,
    tracks: Tracks,
    /// Written by driftline: its failed fixes are points next to the track.
    is_own: bool,
    /// It has a track, next to which points are waypoints and not fixes.
    has_track: bool,
    has_waypoints: bool,
    /// It has several folders, which may be of an instrument each.
    has_folders: bool,
    /// The number of tracks that have ended.
    tracks_before: usize,
}

impl Elements for Points<'_> {
    fn begin(&mut self, root: &Element) -> Result<(), ReadError> {
        let creator = root.attribute("creator").unwrap_or_default();
        self.is_own |= creator.starts_with("driftline");
        let of_position = ["--latitude-column", "--longitude-column"];
        self.chosen.refuse(&of_position, "GPX and KML")?;
        if root.name == "gpx" || self.has_track {
            self.chosen
                .refuse(&["--time-column", "--time-format"], "a track of GPX or KML")?;
        }
        Ok(())
    }

    /// A point becomes a row, others stay in the element that they are in as long as a
    /// point is made of them.
    fn close(&mut self, element: Element, open: &mut [Element]) -> Result<(), ReadError> {
        match element.name.as_str() {
            "trkpt" => self.gpx_point(&element, open),
            "wpt" if !self.has_track || self.is_own => self.gpx_point(&element, open),
            "wpt" => self.tracks.waypoints += usize::from(element.child("time").is_some()),
            // Some programs write a track as a route.
            "rtept"
                if !self.has_track && !self.has_waypoints && element.child("time").is_some() =>
            {
                self.gpx_point(&element, open);
            }
            "rtept" => self.tracks.planned += 1,
            "trk" | "rte" => self.tracks_before += 1,
            "Track" => self.kml_track(&element, open),
            "Placemark" => {
                self.tracks_before += 1;
                let folder = self.has_folders.then(|| folder(open));
                self.kml_placemark(&element, folder.as_deref());
            }
            _ => {
                // Elements that no point is made of are let go.
                let is_kept = |parent: &str| match parent {
                    "trk" | "rte" => element.name == "name",
                    "Folder" | "Document" => element.name == "name",
                    "trkseg" | "MultiTrack" => false,
                    _ => true,
                };
                if let Some(parent) = open.last_mut()
                    && is_kept(&parent.name)
                {
                    parent.children.push(element);
                }
            }
        }
        Ok(())
    }
}

impl Points<'_> {
    /// The deployment of the points of the track among the open elements: the name of the
    /// track, or its number. What driftline has written is of one deployment.
    fn deployment(&self, open: &[Element]) -> Option<String> {
        let names = ["trk", "rte", "Placemark"];
        let is_track = |element: &&Element| names.contains(&element.name.as_str());
        let track = open.iter().find(is_track).filter(|_| !self.is_own)?;
        let name = track.child_text("name").filter(|name| !name.is_empty());
        let number = || format!("{NUMBERED}track {}", self.tracks_before + 1);
        Some(name.map_or_else(number, str::to_owned))
    }

    fn gpx_point(&mut self, point: &Element, open: &[Element]) {
        let Some(time) = point.child_text("time") else {
            self.tracks.untimed += 1;
            return;
        };
        let mut fields = Vec::new();
        point.leaves(&mut fields);
        fields.retain(|(name, _)| *name != "time" && !(self.is_own && *name == "cmt"));
        self.fix(Point {
            line: point.line,
            heading: "time",
            time,
            latitude: point.attribute("lat").unwrap_or_default(),
            longitude: point.attribute("lon").unwrap_or_default(),
            deployment: self.deployment(open),
            fields,
        });
    }

    /// Times and positions of a gx:Track, which are two lists.
    fn kml_track(&mut self, track: &Element, open: &[Element]) {
        let deployment = self.deployment(open);
        let texts = |name: &'static str| {
            let named = move |child: &&Element| child.name == name;
            track.children.iter().filter(named)
        };
        let times = texts("when").count();
        let places = texts("coord").count();
        if times != places {
            let why = unpaired(times, places);
            self.tracks.fault(track.line, why, || "gx:Track".to_owned());
            return;
        }
        let arrays = arrays(track);
        for (at, (when, place)) in texts("when").zip(texts("coord")).enumerate() {
            let mut numbers = place.text.split_whitespace();
            let value = |(name, values): &(_, Vec<_>)| Some((*name, *values.get(at)?));
            self.fix(Point {
                line: when.line,
                heading: "when",
                time: when.text.trim(),
                longitude: numbers.next().unwrap_or_default(),
                latitude: numbers.next().unwrap_or_default(),
                deployment: deployment.clone(),
                fields: arrays.iter().filter_map(value).collect(),
            });
        }
    }

    fn fix(&mut self, point: Point<'_>) {
        let names: Vec<&str> = point.fields.iter().map(|(name, _)| *name).collect();
        // Time and position of the point itself count; a deployment may be among the data.
        let of_fields = roles_beside(Given::Fix, &names, &self.of_data).unwrap_or_default();
        let text = |name, role, written| Cell {
            name,
            role,
            value: FieldValue::Text(written),
        };
        let time = &whole_date(point.time);
        let latitude = point.latitude;
        let longitude = point.longitude;
        let mut cells = vec![
            text(point.heading, Role::Time, time),
            text("latitude", Role::Latitude, latitude),
            text("longitude", Role::Longitude, longitude),
        ];
        for ((name, written), role) in point.fields.iter().zip(of_fields) {
            // The position has its signs.
            let role = match role {
                role if role.is_field() => Role::OwnField,
                role if role.is_mark() || matches!(role, Role::Id(_)) => role,
                _ => continue,
            };
            if cells.iter().any(|cell| cell.name == *name) {
                continue;
            }
            cells.extend(role.with_field().map(|role| Cell {
                name,
                role,
                value: match role {
                    Role::OwnField => super::delimited::field_value(written),
                    _ => FieldValue::Text(written),
                },
            }));
        }
        // An id of its own counts before the name of its track.
        let deployment = point.deployment.as_deref();
        cells.extend(deployment.map(|name| text("", Role::Id(IdRank::OfTrack), name)));
        let written = || format!("{time} {latitude} {longitude}");
        self.tracks.add(point.line, &cells, written);
    }
}

/// A point with a time.
struct Point<'a> {
    line: u64,
    /// The name of its time.
    heading: &'a str,
    time: &'a str,
    latitude: &'a str,
    longitude: &'a str,
    deployment: Option<String>,
    /// Its other data, with their names.
    fields: Vec<(&'a str, &'a str)>,
}

/// The arrays of data of a gx:Track, with a value for each of its times.
fn arrays(track: &Element) -> Vec<(&str, Vec<&str>)> {
    let data = track.child("ExtendedData").map(|data| &data.children);
    let schemas = data.into_iter().flatten();
    let named = schemas
        .flat_map(|schema| &schema.children)
        .filter_map(|array| Some((array.attribute("name")?, &array.children)));
    named
        .map(|(name, values)| (name, values.iter().map(|value| value.text.trim()).collect()))
        .collect()
}

/// A time of XML Schema that is a year or a month alone, as the first day of it: alone it would
/// be a number.
fn whole_date(written: &str) -> Cow<'_, str> {
    let is_of = |digits: &str, count: usize| {
        digits.len() == count && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match written.split_once('-') {
        None if is_of(written, 4) => Cow::Owned(format!("{written}-01-01")),
        Some((year, month)) if is_of(year, 4) && is_of(month, 2) => {
            Cow::Owned(format!("{written}-01"))
        }
        _ => Cow::Borrowed(written),
    }
}
