//! Placemarks of KML that are a fix each.

use super::{Element, Point, Points};
use crate::formats::read::names::{Given, Role, roles_beside};

impl Points<'_> {
    /// Reads a Placemark with a time and a point. Its name and that of its `folder` are data of it.
    pub(super) fn kml_placemark(&mut self, placemark: &Element, folder: Option<&str>) {
        let line = placemark.child("LineString");
        let places = line.and_then(|line| line.child_text("coordinates"));
        self.tracks.untimed_vertices +=
            places.map_or(0, |places| places.split_whitespace().count());
        let mut points = Vec::new();
        points_of(placemark, &mut points);
        let [point] = points.as_slice() else {
            // Several have one time.
            self.tracks.untimed += points.len();
            return;
        };
        let mut numbers = point.split(',').map(str::trim);
        let mut data = Vec::new();
        if let Some(extended) = placemark.child("ExtendedData") {
            data_of(extended, &mut data);
        }
        let of = |name, part| Some(("when", placemark.child(name)?.child_text(part)?));
        let own = || of("TimeStamp", "when").or_else(|| of("TimeSpan", "begin"));
        let time = match self.chosen.time {
            Some(_) => self.time_among(&data),
            None => own().or_else(|| self.time_among(&data)),
        };
        if self.has_track && !self.is_own {
            self.tracks.waypoints += usize::from(time.is_some());
            return;
        }
        let Some((heading, time)) = time else {
            self.tracks.untimed += usize::from(!self.is_own);
            return;
        };
        let name = placemark.child_text("name").map(|name| ("name", name));
        data.extend(
            name.into_iter()
                .chain(folder.map(|folder| ("Folder", folder))),
        );
        data.retain(|(_, written)| !self.is_own && !written.is_empty());
        self.fix(Point {
            line: placemark.line,
            heading,
            time,
            longitude: numbers.next().unwrap_or_default(),
            latitude: numbers.next().unwrap_or_default(),
            deployment: None,
            fields: data,
        });
    }

    /// The time among named data, with its name.
    fn time_among<'a>(&self, data: &[(&'a str, &'a str)]) -> Option<(&'a str, &'a str)> {
        let names: Vec<&str> = data.iter().map(|(name, _)| *name).collect();
        let roles = roles_beside(Given::Position, &names, self.chosen).ok()?;
        let place = roles
            .iter()
            .position(|role| matches!(role, Role::Time | Role::Date))?;
        data.get(place).copied()
    }
}

/// The names of the folders among the open elements, the outermost first.
pub(super) fn folder(open: &[Element]) -> String {
    let folders = open.iter().filter(|element| element.name == "Folder");
    let names: Vec<&str> = folders
        .filter_map(|folder| folder.child_text("name"))
        .collect();
    names.join("/")
}

/// The positions of the points in an element.
fn points_of<'a>(element: &'a Element, found: &mut Vec<&'a str>) {
    for child in &element.children {
        match child.name.as_str() {
            "Point" => found.extend(child.child_text("coordinates")),
            "MultiGeometry" => points_of(child, found),
            _ => {}
        }
    }
}

/// Names and values of extended data.
fn data_of<'a>(element: &'a Element, found: &mut Vec<(&'a str, &'a str)>) {
    for child in &element.children {
        match (child.name.as_str(), child.attribute("name")) {
            ("Data", Some(name)) => {
                found.extend(child.child_text("value").map(|value| (name, value)))
            }
            ("SimpleData", Some(name)) => found.push((name, child.text.trim())),
            _ => data_of(child, found),
        }
    }
}
