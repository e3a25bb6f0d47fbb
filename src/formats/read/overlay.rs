//! Lines, areas and named points of GeoJSON, GPX and KML, which a map shows below the
//! tracks.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::fault::ReadError;
use super::json::place;
use super::names::{ChosenColumns, have_time};
use super::xml::{self, Element, Elements};
use crate::formats::elements::message;
use crate::geo::Position;
use crate::geo::area::other_system;
use crate::geo::projection::wrap;
use crate::map::{MOST_POINTS, Overlay, Place, Way};
use crate::text;

/// The longest part of an edge of GeoJSON, degrees. It is straight in degrees (RFC 7946,
/// 3.1.1); a great circle differs from so short a part by 0.2 km at most.
const STEP_DEG: f64 = 1.0;

/// Reads an overlay; the second value says what was left out, for a person. `name` is that
/// of a ship in a file that names none.
///
/// # Errors
/// If it is none of these formats, is cut off, or has nothing to show.
pub(crate) fn overlay(bytes: &[u8], name: &str) -> Result<(Overlay, Option<String>), ReadError> {
    let bytes = text::without_byte_order_mark(bytes);
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let mut shapes = Shapes::default();
    let has_tracks = match first {
        Some(b'{') => {
            shapes.json(bytes)?;
            true
        }
        Some(b'<') => {
            let text = String::from_utf8_lossy(bytes);
            xml::walk(&text, &mut shapes)?;
            xml::has_track(&text)
        }
        _ => {
            return Err(ReadError::Nothing(
                "an overlay is GeoJSON, GPX or KML".to_owned(),
            ));
        }
    };
    let tracks = if has_tracks {
        super::read(bytes, &ChosenColumns::default()).ok()
    } else {
        None
    };
    let mut ways = Vec::new();
    for track in tracks.into_iter().flat_map(|found| found.tracks) {
        let fixes = track.records.transmissions.iter().filter_map(|fix| {
            let position = on_earth(fix.position.latitude, fix.position.longitude)?;
            Some((fix.time_stamp, position))
        });
        let fixes: Vec<(f64, Position)> = fixes.collect();
        shapes.count(fixes.len())?;
        let name = track.id.unwrap_or_else(|| name.to_owned());
        ways.push(Way::new(name, fixes));
    }
    shapes.finish(ways)
}

/// A position on the Earth; none where the numbers are something else, such as metres.
fn on_earth(latitude: f64, longitude: f64) -> Option<Position> {
    let is_one = latitude.abs() <= 90.0 && longitude.abs() <= 360.0;
    is_one.then(|| Position {
        latitude,
        longitude: wrap(longitude),
    })
}

/// The shapes read so far.
#[derive(Default)]
struct Shapes {
    lines: Vec<Vec<Position>>,
    /// The line that is being read.
    line: Vec<Position>,
    places: Vec<Place>,
    points: usize,
    /// The kinds of things that are not drawn.
    left_out: BTreeSet<&'static str>,
    /// The coordinate reference system that an old GeoJSON file names, if it is another
    /// than the current format (RFC 7946, 4).
    other_system: Option<String>,
}

const OFF_EARTH: &str = "positions off the Earth";
const NO_POSITION: &str = "points without a position";
const NO_NAME: &str = "points without a name";
const NO_GEOMETRY: &str = "features without a geometry";
/// Elements of KML that are not drawn.
const NOT_DRAWN: [&str; 5] = [
    "NetworkLink",
    "GroundOverlay",
    "ScreenOverlay",
    "PhotoOverlay",
    "Model",
];

impl Shapes {
    fn leave_out(&mut self, what: &'static str) {
        self.left_out.insert(what);
    }

    fn count(&mut self, more: usize) -> Result<(), ReadError> {
        self.points += more;
        if self.points > MOST_POINTS {
            return Err(ReadError::Nothing(format!(
                "it has more than {} points: simplify it",
                text::count(MOST_POINTS)
            )));
        }
        Ok(())
    }

    /// Adds a point to the line; one off the Earth ends it.
    fn point(&mut self, latitude: f64, longitude: f64) -> Result<(), ReadError> {
        self.count(1)?;
        match on_earth(latitude, longitude) {
            Some(position) => self.line.push(position),
            None => {
                self.leave_out(OFF_EARTH);
                self.end_line();
            }
        }
        Ok(())
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.lines.push(line);
        }
    }

    fn place(&mut self, name: &str, latitude: f64, longitude: f64) -> Result<(), ReadError> {
        self.count(1)?;
        let name = text::excerpt(name.trim(), 60);
        match on_earth(latitude, longitude) {
            None => self.leave_out(OFF_EARTH),
            Some(_) if name.is_empty() => self.leave_out(NO_NAME),
            Some(position) => self.places.push(Place { name, position }),
        }
        Ok(())
    }

    fn finish(self, ways: Vec<Way>) -> Result<(Overlay, Option<String>), ReadError> {
        let mut notes: Vec<String> = Vec::new();
        if !self.left_out.is_empty() {
            let kinds: Vec<&str> = self.left_out.iter().copied().collect();
            notes.push(format!("left out: {}", kinds.join(", ")));
        }
        if let Some(system) = &self.other_system {
            notes.push(format!(
                "it names the coordinate system {system}, which is not read: its numbers are taken as degrees of longitude and latitude"
            ));
        }
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        if self.lines.is_empty() && self.places.is_empty() && ways.is_empty() {
            let mut why = "there is no line, area or named point in it".to_owned();
            if self.left_out.contains(OFF_EARTH) {
                why += ": degrees of longitude and latitude are needed (EPSG:4326)";
            }
            if let Some(note) = note {
                why += &format!("; {note}");
            }
            return Err(ReadError::Nothing(why));
        }
        Ok((Overlay::new(self.lines, self.places, ways), note))
    }

    fn json(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let object: Value = serde_json::from_slice(bytes).map_err(|error| ReadError::Line {
            line: error.line() as u64,
            why: format!("it is no GeoJSON: {}", message(&error)),
        })?;
        self.other_system = object.get("crs").and_then(other_system);
        self.object(&object, "")
    }

    fn object(&mut self, object: &Value, name: &str) -> Result<(), ReadError> {
        let list = |member: &str| object.get(member).and_then(Value::as_array);
        let kind = |object: &Value| {
            object
                .get("type")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let own_kind = kind(object).unwrap_or_default();
        for feature in list("features").into_iter().flatten() {
            self.object(feature, "")?;
        }
        match object
            .get("geometry")
            .filter(|geometry| !geometry.is_null())
        {
            None if own_kind == "Feature" => self.leave_out(NO_GEOMETRY),
            None => {}
            Some(geometry) => {
                let properties = object.get("properties").and_then(Value::as_object);
                // A point with a time is a fix, which the tracks have.
                let is_fix =
                    kind(geometry).as_deref() == Some("Point") && properties.is_some_and(has_time);
                let mut members = properties.into_iter().flatten();
                let named = members
                    .find(|(member, _)| member.eq_ignore_ascii_case("name"))
                    .and_then(|(_, name)| name.as_str());
                if !is_fix {
                    self.object(geometry, named.unwrap_or_default())?;
                }
            }
        }
        for geometry in list("geometries").into_iter().flatten() {
            self.object(geometry, name)?;
        }
        match object.get("coordinates") {
            Some(coordinates) if own_kind == "Point" => {
                self.positions(std::slice::from_ref(coordinates), Some(name))
            }
            Some(Value::Array(all)) => {
                self.positions(all, own_kind.ends_with("Point").then_some(name))
            }
            _ => Ok(()),
        }
    }

    /// Adds nested lists of positions: points with the name, if there is one, else a line for
    /// each innermost list.
    fn positions(&mut self, list: &[Value], name: Option<&str>) -> Result<(), ReadError> {
        let mut before = None;
        for item in list {
            match (place(item), name) {
                ([Some(longitude), Some(latitude)], Some(name)) => {
                    self.place(name, latitude, longitude)?;
                }
                ([Some(longitude), Some(latitude)], None) => {
                    let at = Position {
                        latitude,
                        longitude,
                    };
                    if let Some(from) = before.replace(at) {
                        self.straight(from, at)?;
                    }
                    self.point(latitude, longitude)?;
                }
                ([Some(_), None], _) => {
                    let words = "it is no GeoJSON: a position has one number";
                    return Err(ReadError::Nothing(words.to_owned()));
                }
                _ => self.positions(item.as_array().map_or(&[], Vec::as_slice), name)?,
            }
        }
        self.end_line();
        Ok(())
    }

    /// Adds points between two, on the line that is straight in degrees.
    fn straight(&mut self, from: Position, to: Position) -> Result<(), ReadError> {
        let is_off = |at: Position| on_earth(at.latitude, at.longitude).is_none();
        if is_off(from) || is_off(to) {
            return Ok(());
        }
        // Over the antimeridian rather than around the Earth.
        let east = wrap(to.longitude - from.longitude);
        let north = to.latitude - from.latitude;
        // At most 180.
        let parts = (east.abs().max(north.abs()) / STEP_DEG).ceil() as u16;
        for part in 1..parts {
            let share = f64::from(part) / f64::from(parts);
            self.point(from.latitude + share * north, from.longitude + share * east)?;
        }
        Ok(())
    }
}

/// `true` if one of the properties is a time.
fn has_time(properties: &Map<String, Value>) -> bool {
    let set = properties.iter().filter(|(_, value)| !value.is_null());
    let names: Vec<&str> = set.map(|(name, _)| name.as_str()).collect();
    have_time(&names, &ChosenColumns::default())
}

/// Longitude and latitude of a text of KML: `longitude,latitude[,height]`.
fn of_kml(written: &str) -> Option<(f64, f64)> {
    let mut numbers = written.split(',').map(|number| number.trim().parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

impl Elements for Shapes {
    fn close(&mut self, element: Element, open: &mut [Element]) -> Result<(), ReadError> {
        let of_gpx = |element: &Element| {
            let number = |name: &str| element.attribute(name)?.trim().parse::<f64>().ok();
            Some((number("lat")?, number("lon")?))
        };
        match element.name.as_str() {
            "trkpt" | "rtept" => match of_gpx(&element) {
                Some((latitude, longitude)) => self.point(latitude, longitude)?,
                None => self.leave_out(NO_POSITION),
            },
            "trkseg" | "rte" => self.end_line(),
            "wpt" => match of_gpx(&element) {
                Some((latitude, longitude)) => self.place(
                    element.child_text("name").unwrap_or_default(),
                    latitude,
                    longitude,
                )?,
                None => self.leave_out(NO_POSITION),
            },
            "LineString" | "LinearRing" => {
                let places = element.child_text("coordinates").unwrap_or_default();
                // Written by hand, there are blanks behind the commas.
                let places = places
                    .split(',')
                    .map(str::trim_start)
                    .collect::<Vec<_>>()
                    .join(",");
                for place in places.split_whitespace() {
                    match of_kml(place) {
                        Some((longitude, latitude)) => self.point(latitude, longitude)?,
                        None => self.leave_out(NO_POSITION),
                    }
                }
                self.end_line();
            }
            "Placemark" => {
                let name = element.child_text("name").unwrap_or_default();
                let points = element
                    .children
                    .iter()
                    .filter(|child| child.name == "Point");
                for point in points {
                    match point.child_text("coordinates").and_then(of_kml) {
                        Some((longitude, latitude)) => self.place(name, latitude, longitude)?,
                        None => self.leave_out(NO_POSITION),
                    }
                }
            }
            "MultiGeometry" => {
                if let Some(parent) = open.last_mut() {
                    parent.children.extend(element.children);
                }
            }
            "name" | "coordinates" | "Point" => {
                if let Some(parent) = open.last_mut() {
                    parent.children.push(element);
                }
            }
            other => {
                if let Some(what) = NOT_DRAWN.iter().find(|name| **name == other) {
                    self.leave_out(what);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Overlay, Option<String>) {
        overlay(text.as_bytes(), "ship").unwrap()
    }

    fn fault(text: &str) -> String {
        overlay(text.as_bytes(), "ship").unwrap_err().to_string()
    }

    #[test]
    fn lines_areas_and_named_points_of_geojson_are_read_and_straight_edges_cut() {
        let mut shapes = Shapes::default();
        let text = r#"{"type":"FeatureCollection","features":[
            {"type":"Feature","properties":{"Name":"Troll"},"geometry":{"type":"Point","coordinates":[2.5,-72,1270]}},
            {"type":"Feature","properties":null,"geometry":{"type":"LineString","coordinates":[[179,10],[-179,10]]}},
            {"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}},
            {"type":"Feature","properties":{},"geometry":null}]}"#;
        shapes.json(text.as_bytes()).unwrap();
        assert_eq!(shapes.places[0].name, "Troll");
        assert_eq!(
            shapes.places[0].position,
            Position {
                latitude: -72.0,
                longitude: 2.5
            }
        );
        let line: Vec<f64> = shapes.lines[0].iter().map(|at| at.longitude).collect();
        assert_eq!(line.len(), 3);
        assert!((line[1].abs() - 180.0).abs() < 1e-9, "{line:?}");
        assert_eq!(shapes.lines[1].len(), 4);
    }

    #[test]
    fn a_line_with_times_is_a_ship_that_moves() {
        let text = r#"{"type":"Feature","properties":{"coordTimes":["2026-01-01T00:00:00Z","2026-01-01T02:00:00Z"]},
            "geometry":{"type":"LineString","coordinates":[[10,80],[10,82]]}}"#;
        let (overlay, _) = read(text);
        assert_eq!(overlay.ways[0].name, "ship");
        let at = overlay.ways[0].at(1_767_229_200.0).unwrap();
        assert!((at.latitude - 81.0).abs() < 1e-6, "{at:?}");
    }

    #[test]
    fn gpx_and_kml_have_places_routes_and_ships() {
        let gpx = r#"<gpx><wpt lat="78.2" lon="15.6"><name>Longyearbyen &amp; port</name><time>2020-01-01T00:00:00Z</time></wpt>
            <rte><rtept lat="78" lon="15"/><rtept lat="79" lon="10"/></rte></gpx>"#;
        let (overlay, _) = read(gpx);
        assert_eq!(overlay.places[0].name, "Longyearbyen & port");
        assert!(overlay.ways.is_empty());
        let kml = "<kml><Document><Placemark><name>Station</name><Point><coordinates>2.5,-72,0</coordinates></Point></Placemark>\
            <Placemark><name>Zone</name><Polygon><outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>";
        let mut shapes = Shapes::default();
        xml::walk(kml, &mut shapes).unwrap();
        assert_eq!(shapes.places[0].name, "Station");
        assert_eq!(shapes.lines[0].len(), 4);
    }

    #[test]
    fn blanks_behind_commas_are_read_and_points_without_a_position_named() {
        let kml = r#"<kml><Placemark><LineString><coordinates>29, 74.5, 0 30, 74.6, 0
            x,1</coordinates></LineString></Placemark></kml>"#;
        let (_, note) = read(kml);
        assert_eq!(note.as_deref(), Some("left out: points without a position"));
        let gpx = r#"<gpx><wpt lat="1" lon="xyz"><name>a</name></wpt>
            <wpt lat="1" lon="2"><name>b</name></wpt></gpx>"#;
        let note = read(gpx).1;
        assert_eq!(note.as_deref(), Some("left out: points without a position"));
    }

    #[test]
    fn what_is_not_drawn_is_named() {
        let json = r#"{"type":"FeatureCollection",
            "crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3413"}},"features":[
            {"type":"Feature","properties":{},"geometry":null},
            {"type":"Feature","properties":{},"geometry":null},
            {"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,2]}},
            {"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}}]}"#;
        assert_eq!(
            read(json).1.as_deref(),
            Some(
                "left out: features without a geometry, points without a name; it names the coordinate system urn:ogc:def:crs:EPSG::3413, which is not read: its numbers are taken as degrees of longitude and latitude"
            )
        );
        let same = json.replace("EPSG::3413", "OGC:1.3:CRS84");
        assert!(!read(&same).1.unwrap().contains("system"));
        let kml = "<kml><Document><NetworkLink><name>live</name></NetworkLink><GroundOverlay><name>ice</name></GroundOverlay>\
            <GroundOverlay/><Placemark><name>Two</name><MultiGeometry><Point><coordinates>1,2</coordinates></Point>\
            <Point><coordinates>3,4</coordinates></Point></MultiGeometry></Placemark></Document></kml>";
        let (overlay, note) = read(kml);
        assert_eq!(overlay.places.len(), 2);
        assert_eq!(
            note.as_deref(),
            Some("left out: GroundOverlay, NetworkLink")
        );
        let none = fault("<kml><NetworkLink/></kml>");
        assert!(
            none.ends_with("named point in it; left out: NetworkLink"),
            "{none}"
        );
    }

    #[test]
    fn positions_off_the_earth_are_left_out_and_named_and_other_files_refused() {
        let utm = r#"{"type":"LineString","coordinates":[[500000,7000000],[500100,7000000]]}"#;
        assert_eq!(
            fault(utm),
            "there is no line, area or named point in it: degrees of longitude and latitude are needed (EPSG:4326); left out: positions off the Earth"
        );
        let some = r#"{"type":"LineString","coordinates":[[1,2],[1,3],[1,200],[1,4],[1,5]]}"#;
        let (_, note) = read(some);
        assert_eq!(note.as_deref(), Some("left out: positions off the Earth"));
        assert_eq!(fault("a,b\n1,2\n"), "an overlay is GeoJSON, GPX or KML");
        assert_eq!(
            fault(r#"{"type":"FeatureCollection","features":[]}"#),
            "there is no line, area or named point in it"
        );
        assert_eq!(fault(""), "an overlay is GeoJSON, GPX or KML");
        assert!(
            fault(r#"{"type":"LineString","coordinates":[[1],[2]]}"#)
                .starts_with("it is no GeoJSON")
        );
    }
}
