//! The last included fix of each deployment of a list: a row, a feature, a
//! placemark or a waypoint each.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use super::columns::{Column, Row, Value, columns, names};
use super::csv::CsvWriter;
use super::fields::{self, FieldsObject};
use super::format::{ExportError, Format};
use super::geojson::{FeatureCollection, Geometry};
use super::gpx::{GpxWriter, PointText};
use super::json::object::ObjectWriter;
use super::kml::{data, place};
use super::subject::Subject;
use super::xml::XmlWriter;
use crate::geo::{Notation, units};
use crate::text;
use crate::track::field::{FieldChoice, FieldColumn};
use crate::track::{Fix, Platform, Track, ahead_s, time};

/// A deployment with its track, if there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LatestOf<'a> {
    /// The deployment with its label and the times.
    pub subject: Subject<'a>,
    pub platform: Platform,
    pub track: Option<&'a Track>,
    /// The time as of which its silence is judged, UNIX seconds, if that is not now.
    pub judged_at: Option<f64>,
    /// The fields that are written; `None` for all.
    pub choice: Option<&'a FieldChoice>,
}

impl<'a> LatestOf<'a> {
    fn last(&self) -> Option<Fix> {
        self.track.and_then(Track::latest)
    }

    /// Now by the later of both clocks, UNIX seconds.
    fn now(&self) -> f64 {
        let now = self.subject.now;
        self.track.map_or(now, |track| track.clock().as_kept(now))
    }

    /// The columns of the fields that are written.
    fn field_columns(&self) -> impl Iterator<Item = &'a FieldColumn> {
        let track = self.track;
        let choice = self.choice;
        let columns = track.into_iter().flat_map(|track| track.fields().columns());
        columns.filter(move |column| choice.is_none_or(|choice| choice.takes(column.name())))
    }
}

/// The data of a deployment that the formats write.
struct Line<'a> {
    of: &'a LatestOf<'a>,
    row: Option<Row<'a>>,
    /// Seconds since the last fix; negative if it is ahead of the clock.
    age_s: Option<f64>,
    health: &'static str,
}

/// The columns of the deployment. Those of the fix follow the first two.
const OF_DEPLOYMENT: [&str; 5] = ["deployment", "label", "age_s", "health", "platform"];

/// What a file has in its columns: `of_deployment` in those of the deployment, and between them
/// what `of_fix` makes of those of the fix. A column that only some files have is the last.
fn in_order<T>(
    of_deployment: [T; 5],
    columns: &[&'static Column],
    of_fix: impl Fn(&'static Column) -> T,
) -> Vec<T> {
    let (always, rest): (Vec<&Column>, Vec<&Column>) =
        columns.iter().partition(|column| column.is_of_every_file());
    let mut all = Vec::from(of_deployment);
    all.splice(2..2, always.into_iter().map(&of_fix));
    all.extend(rest.into_iter().map(of_fix));
    all
}

/// The columns of the fixes in the file.
fn shown_columns(lines: &[Line<'_>]) -> Vec<&'static Column> {
    columns(lines.iter().filter_map(|line| line.row.clone()))
}

impl<'a> Line<'a> {
    fn new(of: &'a LatestOf<'a>) -> Self {
        let fix = of.last();
        let as_of = of.judged_at.unwrap_or(of.subject.now);
        let health = of.track.map(|track| track.health(as_of));
        let now = of.now();
        Self {
            of,
            row: of.track.zip(fix).map(|(track, fix)| Row::new(track, fix)),
            age_s: fix.map(|fix| match ahead_s(fix.time_stamp, now) {
                Some(ahead) => -ahead,
                None => (now - fix.time_stamp).max(0.0),
            }),
            health: health.map_or("unknown", |health| health.state.word()),
        }
    }

    fn fix(&self) -> Option<&Fix> {
        self.row.as_ref().map(|row| &row.fix)
    }

    fn name(&self) -> &str {
        self.of.subject.name()
    }

    /// Its values in the columns of the file.
    fn values(&self, columns: &[&'static Column]) -> Vec<Value<'_>> {
        let subject = &self.of.subject;
        let of_deployment = [
            Value::Text(subject.deployment.into()),
            subject
                .label
                .map_or(Value::Missing, |label| Value::Text(label.into())),
            self.age_s.into(),
            Value::Text(self.health.into()),
            Value::Text(self.of.platform.name().into()),
        ];
        in_order(of_deployment, columns, |column| {
            let row = self.row.as_ref();
            row.map_or(Value::Missing, |row| (column.value)(row))
        })
    }

    /// The status and the age: "on time, last fix 2 min ago".
    fn about(&self) -> String {
        let age = |fix: &Fix| {
            let age = time::age(fix.time_stamp, self.of.now());
            format!("last fix {age}")
        };
        let fix = self.fix().map_or_else(|| "no fix".to_owned(), age);
        format!("{}, {fix}", self.health)
    }
}

/// Writes the last included fix of each deployment. It does not flush `out`; the
/// caller does.
///
/// # Errors
/// When writing to `out` fails, and for a format that is not one of [`Format::LATEST`].
pub(crate) fn write_latest(
    format: Format,
    list: &[LatestOf<'_>],
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let lines: Vec<Line<'_>> = list.iter().map(Line::new).collect();
    Ok(match format {
        Format::Table => table(&lines, out),
        Format::Csv => csv(&lines, out),
        Format::Json => json(&lines, out),
        Format::Geojson => geojson(&lines, out),
        Format::Kml => kml(&lines, out),
        Format::Gpx => gpx(&lines, out),
        Format::Ndjson | Format::Netcdf | Format::Parquet => {
            let reason = "it is of one deployment".to_owned();
            return Err(ExportError::Unfit { format, reason });
        }
    }?)
}

fn table(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let notation = lines.first().map(|line| line.of.subject.notation);
    let Notation { units, coordinates } = notation.unwrap_or_default();
    let heading = [
        "deployment",
        "status",
        "time UTC",
        "latitude",
        "longitude",
        "speed",
        "course",
        "age",
    ];
    let rows = lines.iter().map(|line| {
        let fix = line.fix();
        let leg = line.row.as_ref().and_then(Row::leg);
        let speed = leg.and_then(|leg| leg.speed_m_s);
        let course = leg.and_then(|leg| leg.course_deg);
        let of_fix = [
            fix.map(|fix| time::table(fix.time_stamp, None)),
            fix.map(|fix| coordinates.latitude(fix.position.latitude)),
            fix.map(|fix| coordinates.longitude(fix.position.longitude)),
            speed.map(|speed| units.speed(speed)),
            course.map(units::course),
            fix.map(|fix| time::age(fix.time_stamp, line.of.now())),
        ];
        let name = text::excerpt(line.name(), 36);
        let mut row = vec![name, line.health.to_owned()];
        row.extend(of_fix.map(|shown| shown.unwrap_or_else(|| "-".to_owned())));
        row
    });
    out.write_all(text::table(&heading, rows, &[3, 4, 5, 6]).as_bytes())
}

fn csv(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = CsvWriter::new(out);
    let columns = shown_columns(lines);
    let fields = field_names(lines);
    for name in in_order(OF_DEPLOYMENT, &columns, |column| column.name) {
        csv.text(name);
    }
    let taken = OF_DEPLOYMENT.into_iter().chain(names());
    for name in fields::distinct(fields.iter().copied(), taken) {
        csv.text(&name);
    }
    csv.end_line()?;
    for line in lines {
        for value in line.values(&columns) {
            csv.value(&value);
        }
        let record = (line.row.as_ref()).and_then(|row| row.track.fields().row(row.fix.index));
        let columns = line.of.field_columns();
        let known: HashMap<&str, &FieldColumn> =
            columns.map(|column| (column.name(), column)).collect();
        for name in &fields {
            csv.field(known.get(name).copied(), record);
        }
        csv.end_line()?;
    }
    Ok(())
}

/// The names of all fields, in the order of their first appearance.
fn field_names<'a>(lines: &[Line<'a>]) -> Vec<&'a str> {
    let mut known = HashSet::new();
    let columns = lines.iter().flat_map(|line| line.of.field_columns());
    let names = columns.map(FieldColumn::name);
    names.filter(|name| known.insert(*name)).collect()
}

/// The object of each deployment.
fn objects(
    lines: &[Line<'_>],
    mut write: impl FnMut(&Line<'_>, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let columns = shown_columns(lines);
    let names = in_order(OF_DEPLOYMENT, &columns, |column| column.name);
    let mut object = ObjectWriter::default();
    for line in lines {
        let fields = line.row.as_ref().map(|row| FieldsObject {
            track: row.track,
            fix: row.fix.index,
            choice: line.of.choice,
        });
        let members = names.iter().copied().zip(line.values(&columns));
        write(line, object.object(members, fields.as_ref())?)?;
    }
    Ok(())
}

fn json(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"[")?;
    let mut before: &[u8] = b"";
    objects(lines, |_, object| {
        out.write_all(std::mem::replace(&mut before, b","))?;
        out.write_all(object)
    })?;
    out.write_all(b"]\n")
}

fn geojson(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut collection = FeatureCollection::new(out, None)?;
    objects(lines, |line, object| {
        let position = line.fix().map(|fix| fix.position);
        let point = position.map(|at| Geometry::Point([at.longitude, at.latitude]));
        collection.feature(None, point.as_ref(), object)
    })?;
    collection.finish()
}

fn kml(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut xml = XmlWriter::new(out)?;
    xml.open("kml", &[("xmlns", &"http://www.opengis.net/kml/2.2")])?;
    xml.open("Document", &[])?;
    xml.element("name", "Last fixes")?;
    for line in lines {
        xml.open("Placemark", &[])?;
        xml.element("name", line.name())?;
        xml.element("description", &line.about())?;
        if let Some(fix) = line.fix() {
            xml.open("TimeStamp", &[])?;
            xml.element("when", &time::rfc3339(fix.time_stamp))?;
            xml.close()?;
        }
        xml.open("ExtendedData", &[])?;
        data(&mut xml, "deployment", line.of.subject.deployment)?;
        data(&mut xml, "health", line.health)?;
        if let Some(row) = &line.row {
            data(&mut xml, "qc_flag", &row.fix.flag.code().to_string())?;
            let reason = row.track.reason_text(row.fix.index);
            data(&mut xml, "qc_reason", &reason)?;
        }
        xml.close()?;
        if let Some(fix) = line.fix() {
            place(&mut xml, fix.position.longitude, fix.position.latitude)?;
        }
        xml.close()?;
    }
    xml.finish()
}

/// A deployment without a fix has no waypoint, which needs a position.
fn gpx(lines: &[Line<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut gpx = GpxWriter::new(out)?;
    let now = lines.first().map_or(f64::NAN, |line| line.of.subject.now);
    gpx.metadata("Last fixes", None, now)?;
    for line in lines {
        if let Some(row) = &line.row {
            let text = PointText {
                name: line.name(),
                about: &line.about(),
                source: line.of.subject.deployment,
            };
            gpx.point("wpt", row.track, &row.fix, Some(&text))?;
        }
    }
    gpx.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::track;

    fn written(format: Format, list: &[LatestOf<'_>]) -> String {
        let mut out = Vec::new();
        write_latest(format, list, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_fields_of_the_last_fix_are_written_as_they_are_chosen() {
        use crate::testing::fields::ice_buoy;
        use crate::track::TrackOptions;

        let buoy = Track::new(
            &ice_buoy(0.0, 30, 2),
            &TrackOptions::new(Platform::Generic, 2e9),
        );
        let plain = track(&[(1e9, 1.0, 2.0)]);
        let list_of = |choice: Option<&str>, format: Format| {
            let choice: Option<FieldChoice> = choice.map(|names| names.parse().unwrap());
            let line = |track| LatestOf {
                judged_at: None,
                subject: Subject {
                    deployment: "a-1",
                    label: None,
                    fetched_at: 1e9,
                    now: 1e9,
                    notation: Default::default(),
                },
                platform: Platform::Generic,
                track: Some(track),
                choice: choice.as_ref(),
            };
            written(format, &[line(&plain), line(&buoy)])
        };
        let csv = |choice| list_of(choice, Format::Csv);
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
        let json = list_of(Some("battery_voltage"), Format::Json);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(json[0].get("fields").is_none());
        assert_eq!(json[1]["fields"].as_object().unwrap().len(), 1);
        assert_eq!(json[1]["fields"]["battery_voltage"].to_string(), cells[2]);
    }

    #[test]
    fn no_cell_of_csv_holds_what_a_terminal_acts_on() {
        use crate::testing::fields::with_texts;
        use crate::track::TrackOptions;

        let hostile = "x\u{1b}]52;c;eA==\u{7}\u{7f}\u{9b}6n\u{0}, \"y\"";
        let records = with_texts([(1e9, 1.0, 2.0)], hostile, |_| hostile.to_owned());
        let track = Track::new(&records, &TrackOptions::new(Platform::Tag, 1e10));
        let of = LatestOf {
            judged_at: None,
            subject: Subject {
                label: Some(hostile),
                ..crate::formats::tests::subject()
            },
            platform: Platform::Tag,
            track: Some(&track),
            choice: None,
        };
        let csv = written(Format::Csv, &[of]);
        assert!(
            !csv.chars().any(|one| one.is_control() && one != '\n'),
            "{csv:?}"
        );
        let safe = r#""x\u001b]52;c;eA==\u0007\u007f\u009b6n\u0000, ""y""""#;
        // The label, the name of the field and its value.
        assert_eq!(csv.matches(safe).count(), 3, "{csv}");
    }

    #[test]
    fn every_deployment_has_its_row_and_none_without_a_fix_is_left_out() {
        let good = track(&[(1e9 - 7200.0, 1.0, 179.9), (1e9 - 3600.0, 1.01, 180.0)]);
        let none = track(&[]);
        let of = |deployment, label, track| LatestOf {
            judged_at: None,
            subject: Subject {
                deployment,
                label,
                fetched_at: 1e9,
                now: 1e9,
                notation: Default::default(),
            },
            platform: Platform::Tag,
            track,
            choice: None,
        };
        let list = [
            of("a-1", Some("=cmd, \"x\"\n<b>"), Some(&good)),
            of("b-2", None, Some(&none)),
            of("c-3", Some("|"), None),
        ];
        let csv_text = written(Format::Csv, &list);
        let mut reader = csv::Reader::from_reader(csv_text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 3);
        assert_eq!(&rows[0][1], "'=cmd, \"x\"\n<b>");
        assert_eq!((&rows[0][3], &rows[0][5]), ("999996400", "180"));
        assert_eq!(&rows[1][2], "");
        let json: serde_json::Value = serde_json::from_str(&written(Format::Json, &list)).unwrap();
        assert_eq!(json.as_array().unwrap().len(), 3);
        assert_eq!(json[0]["latitude"], 1.01);
        assert_eq!(json[0]["age_s"], 3600);
        assert!(json[2]["time"].is_null() && json[2]["health"] == "unknown");
        // A last fix ahead of the clock has an age below 0, and says so in words.
        let ahead = track(&[(1e9 - 3600.0, 1.0, 2.0), (1e9 + 7200.0, 1.01, 2.0)]);
        let ahead = [of("d-4", None, Some(&ahead))];
        let json = written(Format::Json, &ahead);
        assert!(json.contains("\"age_s\":-7200,"), "{json}");
        assert!(written(Format::Csv, &ahead).contains(",-7200,"));
        assert!(written(Format::Kml, &ahead).contains("in 2 h: clock?"));
        let geo: serde_json::Value =
            serde_json::from_str(&written(Format::Geojson, &list)).unwrap();
        assert_eq!(geo["features"][0]["geometry"]["coordinates"][1], 1.01);
        assert!(geo["features"][1]["geometry"].is_null());
        let kml = written(Format::Kml, &list);
        assert_eq!(kml.matches("<Placemark>").count(), 3);
        assert_eq!(kml.matches("<Point>").count(), 1);
        let read = gpx::read(written(Format::Gpx, &list).as_bytes()).unwrap();
        assert_eq!(read.waypoints.len(), 1);
        assert_eq!(read.waypoints[0].point().x(), -180.0);
        let table = written(Format::Table, &list);
        assert_eq!(table.lines().count(), 4, "{table}");
    }

    #[test]
    fn an_instrument_that_nobody_has_asked_since_is_as_it_was_then() {
        let fixes: Vec<_> = (0..9)
            .map(|n| (1e9 + 15.0 * f64::from(n), 1.0, 2.0))
            .collect();
        let track = track(&fixes);
        let of = |judged_at| LatestOf {
            judged_at,
            subject: Subject {
                now: 1e9 + 180.0,
                ..crate::formats::tests::subject()
            },
            platform: Platform::Mooring,
            track: Some(&track),
            choice: None,
        };
        for (judged_at, health) in [(None, "overdue"), (Some(1e9 + 125.0), "on time")] {
            let json = written(Format::Json, &[of(judged_at)]);
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(json[0]["health"], health);
            assert_eq!(json[0]["age_s"], 60);
        }
    }
}
