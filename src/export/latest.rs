//! The last included fix of each deployment of a list: a row, a feature, a
//! placemark or a waypoint each.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use super::csv::text as cell;
use super::error::ExportError;
use super::features::{FeatureCollection, Geometry, by_name};
use super::fields;
use super::format::Format;
use super::gpx::{GpxWriter, PointText};
use super::kml::{data, place};
use super::last_fields::LastFields;
use super::number::Number;
use super::row::{ABSENT, COLUMNS, Row};
use super::subject::Subject;
use super::xml::{Layout, XmlWriter};
use crate::geo::{CoordinateFormat, units};
use crate::text;
use crate::text::json::JsonWriter;
use crate::track::{Fix, Platform, Track, ahead_s, time};

/// A format of the last fixes, in the order shown to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum LatestFormat {
    /// Aligned columns for a terminal.
    Table,
    /// Comma-separated values (RFC 4180).
    Csv,
    /// A JSON array with an object for each deployment.
    Json,
    /// GeoJSON (RFC 7946).
    Geojson,
    /// KML 2.2.
    Kml,
    /// GPX 1.1.
    Gpx,
}

impl LatestFormat {
    /// Whether it has the fields of the records.
    pub(crate) fn has_fields(self) -> bool {
        matches!(self, Self::Csv | Self::Json | Self::Geojson)
    }

    /// The format of a file name extension.
    pub(crate) fn from_extension(extension: &str) -> Option<Self> {
        match Format::from_extension(extension)? {
            Format::Table => Some(Self::Table),
            Format::Csv => Some(Self::Csv),
            Format::Json => Some(Self::Json),
            Format::Geojson => Some(Self::Geojson),
            Format::Kml => Some(Self::Kml),
            Format::Gpx => Some(Self::Gpx),
            Format::Ndjson | Format::Netcdf | Format::Parquet => None,
        }
    }
}

/// A deployment with its track; without one where nothing could be had.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LatestOf<'a> {
    /// The deployment with its label and the times.
    pub subject: Subject<'a>,
    /// Its platform.
    pub platform: Platform,
    /// Its track.
    pub track: Option<&'a Track>,
    /// The fields of its last fix that are written.
    pub fields: &'a LastFields,
}

impl LatestOf<'_> {
    fn last(&self) -> Option<Fix> {
        self.track.and_then(Track::latest)
    }

    /// Whether the last fix is absent from the latest response.
    fn is_absent(&self) -> bool {
        let last = self.track.zip(self.last());
        last.is_some_and(|(track, fix)| track.is_absent_from_latest(fix.index))
    }
}

/// What the formats write of a deployment.
struct Line<'a> {
    of: &'a LatestOf<'a>,
    fix: Option<Fix>,
    row: Option<Row<'a>>,
    /// Seconds since the last fix; below 0 where that is ahead of the clock.
    age_s: Option<f64>,
    health: &'static str,
    /// Whether the file has a column for fixes that the service no longer sends.
    has_absent: bool,
}

impl<'a> Line<'a> {
    fn new(of: &'a LatestOf<'a>, has_absent: bool) -> Self {
        let fix = of.last();
        let row = of
            .track
            .zip(fix)
            .map(|(track, fix)| Row::new(track, &fix, has_absent));
        let health = of.track.map(|track| track.health(of.subject.now));
        Self {
            of,
            fix,
            row,
            age_s: fix.and_then(|fix| match ahead_s(fix.time_stamp, of.subject.now) {
                Some(ahead) => Some(-ahead),
                None => health.and_then(|health| health.age_s),
            }),
            health: health.map_or("unknown", |health| health.state.word()),
            has_absent,
        }
    }

    fn name(&self) -> &str {
        self.of.subject.name()
    }

    /// The status and the age: "on time, last fix 2 min ago".
    fn about(&self) -> String {
        let fix = self.fix.map_or_else(
            || "no fix".to_owned(),
            |fix| {
                format!(
                    "last fix {}",
                    time::age(fix.time_stamp, self.of.subject.now)
                )
            },
        );
        format!("{}, {fix}", self.health)
    }
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("deployment", self.of.subject.deployment)?;
        map.serialize_entry("label", &self.of.subject.label)?;
        map.serialize_entry("platform", self.of.platform.name())?;
        map.serialize_entry("health", self.health)?;
        map.serialize_entry("age_s", &self.age_s.map(Number))?;
        match &self.row {
            Some(row) => row.columns(&mut map)?,
            None => {
                for column in COLUMNS {
                    map.serialize_entry(column, &())?;
                }
                if self.has_absent {
                    map.serialize_entry(ABSENT, &())?;
                }
            }
        }
        if !self.of.fields.is_empty() {
            map.serialize_entry("fields", self.of.fields)?;
        }
        map.end()
    }
}

/// Writes the last included fix of each deployment. It does not flush `out`; the
/// caller does.
///
/// # Errors
/// When writing to `out` fails.
pub(crate) fn write_latest(
    format: LatestFormat,
    list: &[LatestOf<'_>],
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let has_absent = list.iter().any(LatestOf::is_absent);
    let lines: Vec<Line<'_>> = list.iter().map(|of| Line::new(of, has_absent)).collect();
    match format {
        LatestFormat::Table => table(&lines, out),
        LatestFormat::Csv => csv(&lines, out),
        LatestFormat::Json => json(&lines, out),
        LatestFormat::Geojson => Ok(geojson(&lines, out)?),
        LatestFormat::Kml => Ok(kml(&lines, out)?),
        LatestFormat::Gpx => Ok(gpx(&lines, out)?),
    }
}

fn table(lines: &[Line<'_>], out: &mut dyn Write) -> Result<(), ExportError> {
    let name = |line: &Line<'_>| text::excerpt(line.name(), 36);
    let width = lines.iter().map(|line| text::width(&name(line))).max();
    let width = width.unwrap_or(0).max("deployment".len());
    writeln!(
        out,
        "deployment{:pad$}  {:<9}  {:<19}  {:>10}  {:>11}  {:>9}  {:>6}  age",
        "",
        "status",
        "time UTC",
        "latitude",
        "longitude",
        "speed m/s",
        "course",
        pad = width - "deployment".len(),
    )?;
    for line in lines {
        let format = CoordinateFormat::Dd;
        let row = line.row.as_ref();
        let or_dash = |shown: Option<String>| shown.unwrap_or_else(|| "-".to_owned());
        let name = name(line);
        let shown = format!(
            "{name}{:pad$}  {:<9}  {:<19}  {:>10}  {:>11}  {:>9}  {:>6}  {}",
            "",
            line.health,
            or_dash(row.map(|row| time::table(row.time_stamp, None))),
            or_dash(row.map(|row| format.latitude(row.latitude))),
            or_dash(row.map(|row| format.longitude(row.longitude))),
            or_dash(
                row.and_then(|row| row.speed_m_s)
                    .map(|speed| format!("{speed:.3}"))
            ),
            or_dash(row.and_then(|row| row.course_deg).map(units::course)),
            or_dash(
                line.fix
                    .map(|fix| time::age(fix.time_stamp, line.of.subject.now))
            ),
            pad = width.saturating_sub(text::width(&name)),
        );
        writeln!(out, "{}", shown.trim_end())?;
    }
    Ok(())
}

fn csv(lines: &[Line<'_>], out: &mut dyn Write) -> Result<(), ExportError> {
    let mut writer = csv::Writer::from_writer(out);
    let failed = |error: csv::Error| ExportError::Io(error.into());
    let head = ["deployment", "label"].into_iter().chain(COLUMNS);
    let has_absent = lines.iter().any(|line| line.has_absent);
    let head = head.chain(["age_s", "health", "platform"]);
    let ours: Vec<&str> = head.clone().chain([ABSENT]).collect();
    let fields = field_names(lines);
    let names = fields::distinct(fields.iter().copied(), &ours);
    let names = names.iter().map(|name| cell(name));
    let head = head.chain(has_absent.then_some(ABSENT)).map(Cow::Borrowed);
    writer
        .write_record(head.chain(names).map(Cow::into_owned))
        .map_err(failed)?;
    for line in lines {
        let row = line.row.as_ref();
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let label = cell(line.of.subject.label.unwrap_or_default());
        let cells = [
            line.of.subject.deployment.to_owned(),
            label.into_owned(),
            row.map_or_else(String::new, |row| row.time.clone()),
            number(row.map(|row| row.time_stamp)),
            number(row.map(|row| row.latitude)),
            number(row.map(|row| row.longitude)),
            number(row.and_then(|row| row.distance_m)),
            number(row.and_then(|row| row.speed_m_s)),
            number(row.and_then(|row| row.course_deg)),
            number(row.and_then(|row| row.gap_s)),
            row.map_or_else(String::new, |row| row.flag.code().to_string()),
            row.map_or_else(String::new, |row| cell(&row.reason).into_owned()),
            number(line.age_s),
            line.health.to_owned(),
            line.of.platform.name().to_owned(),
        ];
        let absent = row.and_then(|row| row.absent);
        let absent = absent.map_or_else(String::new, |absent| absent.to_string());
        let cells = cells.into_iter().chain(has_absent.then_some(absent));
        let fields = fields.iter().map(|name| match line.of.fields.cell(name) {
            (text, true) => cell(text).into_owned(),
            (number, false) => number.to_owned(),
        });
        writer.write_record(cells.chain(fields)).map_err(failed)?;
    }
    writer.flush()?;
    Ok(())
}

/// The names of all fields, in the order of their first appearance.
fn field_names<'a>(lines: &'a [Line<'_>]) -> Vec<&'a str> {
    let mut known = HashSet::new();
    let names = lines.iter().flat_map(|line| line.of.fields.names());
    names.filter(|name| known.insert(*name)).collect()
}

fn json(lines: &[Line<'_>], out: &mut dyn Write) -> Result<(), ExportError> {
    let mut writer = JsonWriter::new(&mut *out);
    serde_json::to_writer(&mut writer, lines).map_err(|error| ExportError::Io(error.into()))?;
    out.write_all(b"\n")?;
    Ok(())
}

fn geojson(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut collection = FeatureCollection::new(out, None)?;
    for line in lines {
        let row = line.row.as_ref();
        let point = row.map(|row| Geometry::Point([row.longitude, row.latitude]));
        let properties = by_name(&serde_json::to_vec(line)?)?;
        collection.feature(None, point.as_ref(), &properties)?;
    }
    collection.finish()
}

fn kml(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut xml = XmlWriter::new(out, Layout::Packed);
    xml.open("kml", &[("xmlns", &"http://www.opengis.net/kml/2.2")])?;
    xml.open("Document", &[])?;
    xml.element("name", "Last fixes")?;
    for line in lines {
        xml.open("Placemark", &[])?;
        xml.element("name", line.name())?;
        xml.element("description", &line.about())?;
        if let Some(row) = &line.row {
            xml.open("TimeStamp", &[])?;
            xml.element("when", &row.time)?;
            xml.close()?;
        }
        xml.open("ExtendedData", &[])?;
        data(&mut xml, "deployment", line.of.subject.deployment)?;
        data(&mut xml, "health", line.health)?;
        if let Some(row) = &line.row {
            data(&mut xml, "qc_flag", &row.flag.code().to_string())?;
            data(&mut xml, "qc_reason", &row.reason)?;
        }
        xml.close()?;
        if let Some(row) = &line.row {
            place(&mut xml, row.longitude, row.latitude)?;
        }
        xml.close()?;
    }
    xml.finish()
}

/// A deployment without a fix has no waypoint: GPX knows none without a place.
fn gpx(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut gpx = GpxWriter::new(out)?;
    let now = lines.first().map_or(f64::NAN, |line| line.of.subject.now);
    gpx.metadata("Last fixes", None, now)?;
    for line in lines {
        if let (Some(track), Some(fix)) = (line.of.track, &line.fix) {
            let text = PointText {
                name: line.name(),
                about: &line.about(),
                source: line.of.subject.deployment,
            };
            gpx.point("wpt", track, fix, Some(&text))?;
        }
    }
    gpx.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::track;

    fn written(format: LatestFormat, list: &[LatestOf<'_>]) -> String {
        let mut out = Vec::new();
        write_latest(format, list, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_fields_of_the_last_fix_are_written_as_they_are_chosen() {
        use crate::testing::fields::ice_buoy;
        use crate::track::TrackOptions;

        let buoy = Track::of(
            &ice_buoy(0.0, 30, 2),
            &TrackOptions::new(Platform::Generic, 2e9),
        );
        let plain = track(&[(1e9, 1.0, 2.0)]);
        let list_of = |choice: Option<&str>, format: LatestFormat| {
            let choice = choice.map(|names| names.parse().unwrap());
            let of = |track| LastFields::of(track, choice.as_ref());
            let (first, second) = (of(&plain), of(&buoy));
            let line = |track, fields| LatestOf {
                subject: Subject {
                    deployment: "a-1",
                    label: None,
                    fetched_at: 1e9,
                    now: 1e9,
                },
                platform: Platform::Generic,
                track: Some(track),
                fields,
            };
            written(format, &[line(&plain, &first), line(&buoy, &second)])
        };
        let csv = |choice| list_of(choice, LatestFormat::Csv);
        let head = |csv: &str| csv.lines().next().unwrap().to_owned();
        let without = head(&csv(Some("none")));
        assert!(without.ends_with(",age_s,health,platform"), "{without}");
        assert_eq!(
            head(&csv(Some("battery_voltage"))),
            format!("{without},battery_voltage")
        );
        // One that the last record lacks has its column all the same.
        let lacking = csv(Some("air_temp"));
        assert!(
            lacking
                .lines()
                .all(|line| line.ends_with(",air_temp") || line.ends_with(','))
        );
        let all = head(&csv(None));
        assert!(all.len() > without.len() + 20, "{all}");
        let rows = csv(Some("battery_voltage"));
        let cells: Vec<&str> = rows
            .lines()
            .map(|line| line.rsplit(',').next().unwrap())
            .collect();
        assert_eq!(cells[1], "");
        assert!(cells[2].parse::<f64>().is_ok(), "{rows}");
        let json = list_of(Some("battery_voltage"), LatestFormat::Json);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(json[0].get("fields").is_none());
        assert_eq!(json[1]["fields"].as_object().unwrap().len(), 1);
        assert_eq!(json[1]["fields"]["battery_voltage"].to_string(), cells[2]);
    }

    #[test]
    fn every_deployment_has_its_row_and_none_without_a_fix_is_left_out() {
        let good = track(&[(1e9 - 7200.0, 1.0, 179.9), (1e9 - 3600.0, 1.01, 180.0)]);
        let none = track(&[]);
        let no_fields = LastFields::default();
        let of = |deployment, label, track| LatestOf {
            subject: Subject {
                deployment,
                label,
                fetched_at: 1e9,
                now: 1e9,
            },
            platform: Platform::Tag,
            track,
            fields: &no_fields,
        };
        let list = [
            of("a-1", Some("=cmd, \"x\"\n<b>"), Some(&good)),
            of("b-2", None, Some(&none)),
            of("c-3", Some("|"), None),
        ];
        let csv_text = written(LatestFormat::Csv, &list);
        let mut reader = csv::Reader::from_reader(csv_text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 3);
        assert_eq!(&rows[0][1], "'=cmd, \"x\"\n<b>");
        assert_eq!((&rows[0][3], &rows[0][5]), ("999996400", "180"));
        assert_eq!(&rows[1][2], "");
        let json: serde_json::Value =
            serde_json::from_str(&written(LatestFormat::Json, &list)).unwrap();
        assert_eq!(json.as_array().unwrap().len(), 3);
        assert_eq!(json[0]["latitude"], 1.01);
        assert_eq!(json[0]["age_s"], 3600);
        assert!(json[2]["time"].is_null() && json[2]["health"] == "unknown");
        // A last fix ahead of the clock has an age below 0, and says so in words.
        let ahead = track(&[(1e9 - 3600.0, 1.0, 2.0), (1e9 + 7200.0, 1.01, 2.0)]);
        let ahead = [of("d-4", None, Some(&ahead))];
        let json = written(LatestFormat::Json, &ahead);
        assert!(json.contains("\"age_s\":-7200,"), "{json}");
        assert!(written(LatestFormat::Csv, &ahead).contains(",-7200,"));
        assert!(written(LatestFormat::Kml, &ahead).contains("in 2 h: clock?"));
        let geo: serde_json::Value =
            serde_json::from_str(&written(LatestFormat::Geojson, &list)).unwrap();
        assert_eq!(geo["features"][0]["geometry"]["coordinates"][1], 1.01);
        assert!(geo["features"][1]["geometry"].is_null());
        let kml = written(LatestFormat::Kml, &list);
        assert_eq!(kml.matches("<Placemark>").count(), 3);
        assert_eq!(kml.matches("<Point>").count(), 1);
        let read = gpx::read(written(LatestFormat::Gpx, &list).as_bytes()).unwrap();
        assert_eq!(read.waypoints.len(), 1);
        assert_eq!(read.waypoints[0].point().x(), -180.0);
        let table = written(LatestFormat::Table, &list);
        assert_eq!(table.lines().count(), 4, "{table}");
    }
}
