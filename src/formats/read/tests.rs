mod arrays;
mod beside;
mod columns;
mod coordinates;
mod cost;
mod instruments;
mod left_out;
mod marks;
mod packed;
mod parts;
mod preambles;
mod rows;
mod times;

use super::*;
use crate::formats::{Format, Subject, write};
use crate::testing::chance::rounds;
use crate::testing::recorded;
use crate::track::field::FieldValue;
use crate::track::{Platform, Records, Track, TrackOptions};

fn tracks(text: &str) -> Result<FileTracks, ReadError> {
    read(text.as_bytes(), &ChosenColumns::default())
}

fn refused(text: &str) -> String {
    tracks(text).unwrap_err().to_string()
}

/// The formats that are read.
const READ: [Format; 7] = [
    Format::Csv,
    Format::Json,
    Format::Ndjson,
    Format::Geojson,
    Format::Gpx,
    Format::Kml,
    Format::Netcdf,
];

fn written(format: Format, track: &Track) -> Vec<u8> {
    let subject = Subject {
        deployment: "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa",
        label: Some("buoy 7"),
        fetched_at: 2e9,
        notation: Default::default(),
        now: 2e9,
    };
    let mut out = Vec::new();
    write(format, &subject, track, &mut out).unwrap();
    out
}

/// What is read of a track that is written.
fn read_back(format: Format, track: &Track) -> FileTracks {
    let bytes = written(format, track);
    let back = read(bytes.as_slice(), &ChosenColumns::default());
    back.unwrap_or_else(|error| panic!("{format}: {error}"))
}

/// The fixes with their flags.
fn judged(track: &Track) -> Vec<(i64, f64, f64, u8)> {
    let fix = |fix: crate::track::Fix| {
        let micros = (fix.time_stamp * 1e6).round() as i64;
        (
            micros,
            fix.position.latitude,
            fix.position.longitude,
            fix.flag as u8,
        )
    };
    let mut all: Vec<_> = track.fixes().map(fix).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all
}

fn of(records: &Records) -> Track {
    Track::new(records, &TrackOptions::new(Platform::Drifter, 2e9))
}

#[test]
fn every_track_of_the_project_comes_back_from_every_format_with_its_flags() {
    for name in recorded::names().into_iter().step_by(rounds(3, 1)) {
        let track = of(&crate::testing::track::recorded(&name));
        let expected = judged(&track);
        for format in READ {
            let back = read_back(format, &track);
            assert_eq!(back.notes, Vec::<String>::new(), "{name} {format}");
            assert_eq!(back.tracks.len(), 1, "{name} {format}");
            assert_eq!(
                judged(&of(&back.tracks[0].records)),
                expected,
                "{name} {format}"
            );
        }
    }
}

/// The files of `tests/data/files` that other programs wrote of one track.
const OTHERS: [&str; 15] = [
    "in.csv",
    "ogr-wkt.csv",
    "ogr-xy.csv",
    "ogr-yx.csv",
    "ogr-xyz.tsv",
    "in.unicsv",
    "gpsbabel-unicsv.csv",
    "ogr-fromcsv.geojson",
    "ogr-points.geojson",
    "ogr-points.geojsonl",
    "gpsbabel-1.0-speed.gpx",
    "gpsbabel-1.1.gpx",
    "ogr-fromcsv.gpx",
    "gpsbabel-track.kml",
    "ogr.kml",
];

fn of_another(name: &str) -> FileTracks {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/files");
    let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    tracks(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn files_of_gdal_and_gpsbabel_have_the_twelve_fixes_of_the_snow_petrel() {
    let expected = judged(&of(&of_another(OTHERS[0]).tracks[0].records));
    assert_eq!(expected.len(), 12);
    for name in OTHERS {
        let found = judged(&of(&of_another(name).tracks[0].records));
        assert_eq!(found.len(), 12, "{name}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.0, expected.0, "{name}");
            // Some keep five or six decimals.
            assert!((found.1 - expected.1).abs() < 1e-5, "{name}");
            assert!((found.2 - expected.2).abs() < 1e-5, "{name}");
        }
    }
}

#[test]
fn fields_come_back_from_files_that_have_them() {
    // Texts with an apostrophe, and a name that is none of a variable of NetCDF.
    let text = "time,latitude,longitude,battery,note,ok,code,Sea Ice: Skin\n\
        2026-11-23T00:00:00Z,60.5,5,12.5,\"'=a, \"\"b\"\"\",true,007,-1.5\n\
        2026-11-23T01:00:00Z,60.6,5,,''x,false,1e400,\n";
    let fields = |records: &Records| -> Vec<String> {
        let of = |fix| {
            records
                .fields
                .of_fix(fix)
                .map(|(name, value)| format!("{name}={value:?}"))
        };
        (0..2).flat_map(of).collect()
    };
    let read_csv = tracks(text).unwrap();
    let records = &read_csv.tracks[0].records;
    assert_eq!(
        fields(records),
        [
            "battery=Number(12.5)",
            "note=Text(\"=a, \\\"b\\\"\")",
            "ok=Truth(true)",
            "code=Text(\"007\")",
            "Sea Ice: Skin=Number(-1.5)",
            "note=Text(\"''x\")",
            "ok=Truth(false)",
            "code=Text(\"1e400\")"
        ]
    );
    for format in READ.into_iter().filter(|format| format.has_fields()) {
        let back = read_back(format, &of(records));
        assert_eq!(fields(&back.tracks[0].records), fields(records), "{format}");
    }
    let value = FieldValue::Number(12.5);
    assert_eq!(records.fields.of_fix(0).next(), Some(("battery", value)));
}

#[test]
fn a_column_of_ids_makes_a_deployment_each() {
    let text = "individual-local-identifier,timestamp,location-lat,location-long\n\
        O_1,2026-11-23 00:00:00.000,53,6\nO_2,2026-11-23 00:00:00.000,54,6\nO_1,2026-11-23 01:00:00.000,53.1,6\n";
    let read = tracks(text).unwrap();
    let found: Vec<_> = read
        .tracks
        .iter()
        .map(|track| (track.id.as_deref(), track.records.transmissions.len()))
        .collect();
    assert_eq!(found, [(Some("O_1"), 2), (Some("O_2"), 1)]);
    assert_eq!(read.notes, ["times without a zone are taken as UTC"]);
}

#[test]
fn each_track_of_gpx_and_kml_is_a_deployment() {
    let point = |hour: u32| {
        format!("<trkpt lat=\"60\" lon=\"{hour}\"><time>2026-11-23T0{hour}:00:00Z</time></trkpt>")
    };
    let segment = |hours: &[u32]| {
        let points: String = hours.iter().map(|hour| point(*hour)).collect();
        format!("<trkseg>{points}</trkseg>")
    };
    let placemark = |name: &str, hour: u32| {
        format!(
            "<Placemark>{name}<gx:MultiTrack><gx:Track><when>2026-11-23T0{hour}:00:00Z</when>\
             <gx:coord>{hour} 60 0</gx:coord></gx:Track></gx:MultiTrack></Placemark>"
        )
    };
    let found = |text: &str| {
        let tracks = tracks(text).unwrap().tracks.into_iter();
        let found = tracks.map(|track| (track.id, track.records.transmissions.len()));
        found.collect::<Vec<_>>()
    };
    let trk = |name: &str, segments: &str| format!("<trk>{name}<desc>x</desc>{segments}</trk>");
    let named = |name: &str| format!("<name>{name}</name>");
    let id = |name: &str| Some(name.to_owned());
    // Two instruments, of which one has two parts, and the last no name.
    let text = [
        trk(&named(" Buoy A "), &(segment(&[0, 1]) + &segment(&[3]))),
        trk(&named("Buoy B"), &segment(&[0, 2])),
        trk(&named("Buoy A"), &segment(&[4])),
        trk("", &segment(&[5])),
    ];
    assert_eq!(
        found(&format!("<gpx>{}</gpx>", text.concat())),
        [(id("Buoy A"), 4), (id("Buoy B"), 2), (id("track 4"), 1)]
    );
    let kml = [placemark(&named("Buoy A"), 0), placemark("", 1)];
    assert_eq!(
        found(&format!("<kml><Document>{}</Document></kml>", kml.concat())),
        [(id("Buoy A"), 1), (id("track 2"), 1)]
    );
    // The deployment of a single track is called as the file is.
    let untimed = trk(
        &named("plan"),
        "<trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg>",
    );
    let one = format!("<gpx>{untimed}{}</gpx>", text[0]);
    assert_eq!(found(&one), [(None, 3)]);
    assert_eq!(found(&format!("<kml>{}</kml>", kml[0])), [(None, 1)]);
}

#[test]
fn a_feature_with_a_time_and_without_a_geometry_is_an_invalid_record() {
    let point = r#"{"type":"Feature","geometry":{"type":"Point","coordinates":[5,60]},"properties":{"time":"2026-11-23T00:00:00Z"}}"#;
    let lost = r#"{"type":"Feature","geometry":null,"properties":{"time":"2026-11-23T01:00:00Z"}}"#;
    let summary = r#"{"type":"Feature","geometry":null,"properties":{"fixes":1}}"#;
    let text = format!(r#"{{"type":"FeatureCollection","features":[{summary},{point},{lost}]}}"#);
    let records = &tracks(&text).unwrap().tracks[0].records;
    assert_eq!(records.transmissions.len(), 1);
    let faults: Vec<String> = (records.unusable.iter())
        .map(|record| record.fault.to_string())
        .collect();
    assert_eq!(faults, ["its geometry is null"]);
}

#[test]
fn a_member_that_is_there_twice_spoils_its_record_alone() {
    let text = r#"[{"time_stamp":1,"latitude":1,"longitude":1,"latitude":2},{"time_stamp":2,"latitude":1,"longitude":1}]"#;
    let records = &tracks(text).unwrap().tracks[0].records;
    assert_eq!(records.unusable[0].fault.to_string(), "latitude twice");
    assert_eq!(records.transmissions.len(), 1);
}

#[test]
fn lines_of_geojson_have_the_times_of_their_places() {
    let of = |member: &str| {
        format!(
            r#"{{"type":"Feature","geometry":{{"type":"LineString","coordinates":[[5,60],[6,61]]}},"properties":{{{member}}}}}"#
        )
    };
    let timed = of(r#""coordTimes":["2026-11-23T00:00:00Z","2026-11-23T01:00:00Z"]"#);
    assert_eq!(
        tracks(&timed).unwrap().tracks[0]
            .records
            .transmissions
            .len(),
        2
    );
    assert_eq!(
        refused(&of("")),
        "none of 2 points has a time: a track needs one for each"
    );
    // The fourth coordinate may be the time, in seconds or milliseconds; another is none.
    for (fourth, fixes) in [
        (["1795392000", "1795395600"], 2),
        (["1795392000000", "1795395600000"], 2),
        (["1795392000", "null"], 0),
        (["7", "8"], 0),
    ] {
        let [first, second] = fourth;
        let text = of("").replace("[5,60]", &format!("[5,60,0,{first}]"));
        let text = text.replace("[6,61]", &format!("[6,61,0,{second}]"));
        let found = tracks(&text).map(|found| {
            let times = found.tracks[0].records.transmissions.iter();
            times.map(|fix| fix.time_stamp).collect::<Vec<_>>()
        });
        let expected = [1_795_392_000.0, 1_795_395_600.0];
        assert_eq!(found.unwrap_or_default(), expected[..fixes], "{text}");
    }
    // Lines of several names are several instruments.
    let named = |name: &str| {
        let times = r#""coordTimes":["2026-11-23T00:00:00Z","2026-11-23T01:00:00Z"]"#;
        of(&format!(r#"{times},"name":"{name}""#))
    };
    let lines = |names: &[&str]| {
        let lines: Vec<String> = names.iter().map(|name| named(name)).collect();
        let text = format!(
            r#"{{"type":"FeatureCollection","features":[{}]}}"#,
            lines.join(",")
        );
        let found = tracks(&text).unwrap().tracks;
        let ids = found.into_iter().map(|track| track.id);
        ids.map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    assert_eq!(lines(&["A", "B", "A"]), ["A", "B"]);
    assert_eq!(lines(&["A", "A"]), [""]);
}

#[test]
fn timed_points_next_to_a_track_are_counted() {
    let gpx = "<gpx><wpt lat=\"1\" lon=\"2\"><time>2026-11-23T00:00:00Z</time></wpt>\
        <wpt lat=\"1\" lon=\"2\"><name>harbour</name></wpt><trk><trkseg>\
        <trkpt lat=\"1\" lon=\"2\"><time>2026-11-23T00:00:00Z</time></trkpt></trkseg></trk></gpx>";
    let kml = "<kml><Placemark><gx:Track><when>2026-11-23T00:00:00Z</when>\
        <gx:coord>2 1 0</gx:coord></gx:Track></Placemark><Placemark><TimeStamp>\
        <when>2026-11-23T01:00:00Z</when></TimeStamp><Point><coordinates>2,1</coordinates></Point>\
        </Placemark></kml>";
    for text in [gpx, kml] {
        let found = tracks(text).unwrap();
        assert_eq!(found.tracks[0].records.transmissions.len(), 1);
        assert_eq!(found.notes, ["1 point next to the track left out"]);
    }
}

#[test]
fn a_time_of_kml_that_is_a_year_or_a_month_is_its_first_day() {
    for (when, first) in [
        ("2026", "2026-01-01"),
        ("2026-11", "2026-11-01"),
        ("2026-11-23", "2026-11-23"),
    ] {
        let kml = format!(
            "<kml><Placemark><gx:Track><when>{when}</when><gx:coord>2 1 0</gx:coord>\
            </gx:Track></Placemark></kml>"
        );
        let found = tracks(&kml).unwrap();
        let time = found.tracks[0].records.transmissions[0].time_stamp;
        assert_eq!(time, crate::track::time::parse(first, 0.0).unwrap());
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place_and_what_was_expected() {
    for (text, words) in [
        ("", "it is empty"),
        ("  \n", "it is empty"),
        (
            "time,lat\n1,2\n",
            "no column is the longitude: the columns are time, lat; choose with --longitude-column",
        ),
        ("time,lat,lon\n", "there is no fix in it"),
        (
            "time,lat,lon\n23.11.26,60,5\n",
            "line 2: '23.11.26' is no time: 2026-11-23T14:05:00Z or UNIX seconds are expected, or --time-format with the pattern, such as '%d.%m.%y %H:%M'",
        ),
        (
            "time,lat,lon\n1790000000,60 north,5\n",
            "line 2: latitude '60 north' is no number: degrees are expected",
        ),
        (
            "1790000000,60,5\n1790000060,60,5\n",
            "line 1: names of columns such as time, latitude and longitude are expected: 1790000000, 60, 5",
        ),
        ("\u{7f}ELF\0\0", "it is no text"),
        (
            "PAR1\u{15}\0",
            "this is a Parquet file, which driftline does not read; `duckdb -c \"COPY (FROM 'IN.parquet') TO 'OUT.csv'\"` makes a CSV file of it",
        ),
        (
            "\u{1e}{\"type\":\"Feature\"}\n",
            "this is a GeoJSON text sequence, which driftline does not read; `tr -d '\\036' <IN >OUT` makes one object a line of it",
        ),
        (
            "{\n  \"timelineObjects\": [{\"placeVisit\": {}}]}",
            "this is a timeline of Google, which driftline does not read; `gpsbabel -i googletakeout -f IN.json -o gpx -F OUT.gpx` (1.9 and later) makes a GPX file of it",
        ),
        (
            "t\0i\0m\0e\0,\0",
            "this is a text in UTF-16 without a mark, which driftline does not read; save it as UTF-8",
        ),
        (
            "<kml><LineString><coordinates>1,2 3,4</coordinates></LineString></kml>",
            "there is no fix in it",
        ),
        (
            "<kml><Placemark><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark></kml>",
            "none of 2 points has a time: a track needs one for each",
        ),
        (
            "device_id,DeviceID,time,lat,lon\n1,2,1790000000,60,5\n",
            "the columns 'device_id' and 'DeviceID' could both be the deployment: choose one with --id-column",
        ),
        (
            "{\"a\":",
            "line 1: it is no JSON: EOF while parsing a value",
        ),
        (
            "[{\"time\":1790000000,\"at\":{\"lat\":1}}]",
            "no column is the latitude, the longitude: the columns are time, at; choose with --latitude-column, --longitude-column",
        ),
        (
            "{\"type\":\"FeatureCollection\",\"features\":[],\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"urn:ogc:def:crs:EPSG::3413\"}}}",
            "its coordinates are in urn:ogc:def:crs:EPSG::3413: longitude and latitude (WGS 84) are expected; ogr2ogr -t_srs EPSG:4326 converts it",
        ),
        (
            "<html><body>Sign in</body></html>",
            "it is XML with the root 'html': GPX and KML are read",
        ),
        (
            "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>",
            "line 1: the file ends in the middle of an element",
        ),
        (
            "$GPGGA,1\n",
            "this is a file of NMEA sentences, which driftline does not read; `gpsbabel -i nmea -f IN.nmea -o gpx -F OUT.gpx` makes a GPX file of it",
        ),
    ] {
        assert_eq!(refused(text), words, "{text}");
    }
}

/// The ids of the tracks with the numbers of their fixes, and the notes.
fn found(text: &str, chosen: &ChosenColumns) -> (Vec<(String, usize)>, Vec<String>) {
    let read = read(text.as_bytes(), chosen).unwrap_or_else(|error| panic!("{error}: {text}"));
    let tracks = read.tracks.into_iter();
    let tracks = tracks.map(|track| {
        let id = track.id.unwrap_or_default();
        (id, track.records.transmissions.len())
    });
    (tracks.collect(), read.notes)
}

/// Rows of a column with this name: a table, JSON, lines of it, GeoJSON and KML.
fn in_each_format(name: &str, values: &[&str]) -> Vec<String> {
    let rows = || (0..values.len()).zip(values);
    let time = |hour: usize| format!("2026-11-{:02}T{:02}:00:00Z", 1 + hour / 24, hour % 24);
    let of = |row: &dyn Fn(String, usize, &str) -> String| -> Vec<String> {
        rows()
            .map(|(hour, value)| row(time(hour), hour, value))
            .collect()
    };
    let csv = of(&|time, hour, value| format!("{value},{time},60,{hour}\n"));
    let json = of(&|time, hour, value| {
        format!(r#"{{"{name}":"{value}","time":"{time}","latitude":60,"longitude":{hour}}}"#)
    });
    let features = of(&|time, hour, value| {
        format!(
            r#"{{"type":"Feature","properties":{{"{name}":"{value}","time":"{time}"}},"geometry":{{"type":"Point","coordinates":[{hour},60]}}}}"#
        )
    });
    let placemarks = of(&|time, hour, value| {
        format!(
            "<Placemark><TimeStamp><when>{time}</when></TimeStamp><ExtendedData><Data name=\"{name}\">\
             <value>{value}</value></Data></ExtendedData><Point><coordinates>{hour},60</coordinates></Point></Placemark>"
        )
    });
    vec![
        format!("{name},time,latitude,longitude\n{}", csv.concat()),
        format!("[{}]", json.join(",")),
        json.join("\n"),
        format!(
            r#"{{"type":"FeatureCollection","features":[{}]}}"#,
            features.join(",")
        ),
        format!("<kml>{}</kml>", placemarks.concat()),
    ]
}

#[test]
fn two_instruments_are_never_one_track_without_a_word() {
    let ids: Vec<&str> = "Instrument,Device,DeployID,Ptt,PTT,MMSI,device_id,deviceId,Device ID,drifter,buoy,BuoyID,\
        buoy-id,wmo,imei,individual-id,animal.id,individual.local.identifier,tag_id,spotterId,Platform Code"
        .split(',')
        .collect();
    let others = "name,label,station,asset,vessel,animal,track_id,unit_id,ARGOS_ID,tid".split(',');
    let values = ["K1", "K2"].repeat(6);
    for name in ids.iter().copied().chain(others) {
        for text in in_each_format(name, &values) {
            let (tracks, notes) = found(&text, &ChosenColumns::default());
            let is_split = tracks == [("K1".to_owned(), 6), ("K2".to_owned(), 6)];
            let is_told = notes
                .iter()
                .any(|note| note.contains(&format!("--id-column '{name}'")));
            assert!(
                is_split || is_told && tracks.len() == 1,
                "{text}: {tracks:?} {notes:?}"
            );
            assert_eq!(
                is_split,
                ids.contains(&name) && name != "individual-id" || name == "animal.id"
            );
            // The flag does what the note says, in every format.
            let column = |id| ChosenColumns {
                id,
                ..ChosenColumns::default()
            };
            let chosen = column(IdChoice::Column(name.to_owned()));
            assert_eq!(found(&text, &chosen).0.len(), 2, "{text}");
            assert_eq!(
                found(&text, &column(IdChoice::None)),
                (vec![(String::new(), 12)], vec![])
            );
        }
    }
}

/// A table of two instruments that drift far from each other, `minute` minutes from fix to fix, with
/// a further column.
fn of_two(minute: impl Fn(u32) -> u32, name: &str, cell: impl Fn(u32) -> String) -> String {
    let row = |number: u32| {
        let (hour, minute, cell) = (minute(number) / 60, minute(number) % 60, cell(number));
        let latitude = 60.0 + 10.0 * f64::from(number % 2) + f64::from(number) / 1000.0;
        format!("2026-11-23T{hour:02}:{minute:02}:00Z,{latitude},5,{cell}\n")
    };
    let rows: String = (0..40).map(row).collect();
    format!("time,lat,lon,{name}\n{rows}")
}

#[test]
fn numbers_that_part_the_track_may_be_ids_and_those_that_are_measured_are_none() {
    let notes = |text: &str| found(text, &ChosenColumns::default()).1;
    let is_named = |text: &str| {
        let notes = notes(text);
        notes.iter().any(|note| note.contains("--id-column 'unit'"))
    };
    let each = |number: u32| number * 10;
    assert!(is_named(
        &of_two(each, "unit", |number| (number % 2).to_string())
    ));
    // It changes as often, but not with the position.
    assert!(!is_named(
        &of_two(each, "unit", |number| (number / 2 % 2).to_string())
    ));
    let with_fraction = |number: u32| format!("17.{}", number + 1);
    assert!(is_named(&of_two(each, "unit", |number| with_fraction(
        number % 2
    ))));
    assert!(!is_named(&of_two(each, "unit", |number| with_fraction(
        number / 2 % 2
    ))));
}

#[test]
fn bursts_of_two_instruments_are_named_however_long_they_are() {
    for burst in [5, 15, 40] {
        for (name, apart) in [("uid", 0.0001), ("buoy_name", 0.0001), ("remark", 0.5)] {
            let row = |number: u32| {
                let which = number / burst % 2;
                let latitude = 60.0 + f64::from(number) * 1e-5 + f64::from(which) * apart;
                let (hour, minute) = (number / 6, number % 6 * 10);
                let day = hour / 24 + 1;
                let hour = hour % 24;
                format!("2026-03-{day:02}T{hour:02}:{minute:02}:00Z,K{which},{latitude:.5},5\n")
            };
            let rows: String = (0..4 * burst).map(row).collect();
            let text = format!("time,{name},lat,lon\n{rows}");
            let (_, notes) = found(&text, &ChosenColumns::default());
            let named = format!("--id-column '{name}'");
            assert!(
                notes.join("; ").contains(&named),
                "{burst} {name}: {notes:?}"
            );
        }
    }
    // A state that changes now and then parts no track.
    let state = |number: u32| ["on", "off"][number as usize / 15 % 2].to_owned();
    let text = of_two(|number| number * 10, "state", state);
    let (_, notes) = found(&text, &ChosenColumns::default());
    assert!(!notes.join("; ").contains("'state'"), "{notes:?}");
}

#[test]
fn two_positions_at_nearly_every_time_are_named_if_no_column_parts_them() {
    let text = |minute: fn(u32) -> u32| of_two(minute, "sst", |number| format!("{number}.5"));
    let notes = |text: &str| found(text, &ChosenColumns::default()).1.join("\n");
    let named = "40 fixes share their time with another over 50 m away";
    let shared = text(|number| number / 2 * 10);
    assert!(notes(&shared).contains(named), "{}", notes(&shared));
    // One time is shared, as by one instrument that reports twice.
    let single = text(|number| number.max(1) * 10);
    assert!(!notes(&single).contains("share their time"));
}

proptest::proptest! {
    #[test]
    fn numbers_of_rows_are_no_deployments_and_ids_are(
        ids in proptest::collection::vec(0u32..4, 5..30), first in 0u32..99_999
    ) {
        let running: Vec<String> = (first..).take(ids.len()).map(|number| number.to_string()).collect();
        let running: Vec<&str> = running.iter().map(String::as_str).collect();
        for name in ["id", "device", "uuid"] {
            for text in in_each_format(name, &running) {
                let (tracks, _) = found(&text, &ChosenColumns::default());
                proptest::prop_assert_eq!(&tracks, &[(String::new(), ids.len())]);
            }
        }
        // Behind a column that numbers the rows the next one counts; each row stays with its id.
        let rows = || running.iter().zip(&ids);
        let rows: Vec<String> = rows().map(|(number, id)| format!("{number},b{id},{number},{id},5\n")).collect();
        let table = format!("id,buoy,time,lat,lon\n{}", rows.concat());
        let read = tracks(&table).unwrap();
        let mut count = 0;
        for track in read.tracks {
            let id = track.id.unwrap();
            count += track.records.transmissions.len();
            for fix in track.records.transmissions.iter() {
                proptest::prop_assert_eq!(&format!("b{}", fix.position.latitude), &id);
            }
        }
        proptest::prop_assert_eq!(count, ids.len());
    }

    #[test]
    fn invalid_rows_stay_with_their_deployments(
        rows in proptest::collection::vec((0u32..3, proptest::bool::ANY), 6..40)
    ) {
        let row = |(number, (id, is_valid)): (usize, &(u32, bool))| {
            format!("b{id},{},{},5\n", 1_700_000_000 + number, if *is_valid { "60" } else { "" })
        };
        let text: String = rows.iter().enumerate().map(row).collect();
        let Ok(read) = tracks(&format!("buoy,time,lat,lon\n{text}")) else {
            return Ok(());
        };
        for track in read.tracks {
            let id = track.id.unwrap_or_default();
            let of_id = rows.iter().filter(|(known, _)| format!("b{known}") == id);
            let valid = of_id.clone().filter(|(_, is_valid)| *is_valid).count();
            let invalid = of_id.count() - valid;
            proptest::prop_assert_eq!(track.records.transmissions.len(), valid);
            proptest::prop_assert_eq!(track.records.unusable_count(), invalid);
            proptest::prop_assert_eq!(track.records.invalid_times.len(), invalid);
        }
    }
}

#[test]
fn a_flag_that_a_format_has_no_use_for_is_refused() {
    let time = "2026-11-23T00:00:00Z";
    let gpx = format!("<gpx><wpt lat=\"1\" lon=\"2\"><time>{time}</time></wpt></gpx>");
    let kml = format!(
        "<kml><Placemark><TimeStamp><when>{time}</when></TimeStamp><Point><coordinates>2,1</coordinates></Point></Placemark></kml>"
    );
    let geojson = format!(
        r#"{{"type":"Feature","properties":{{"time":"{time}"}},"geometry":{{"type":"Point","coordinates":[2,1]}}}}"#
    );
    let column = "x".to_owned();
    let mut named: [ChosenColumns; 4] = Default::default();
    named[0].time = Some(column.clone());
    named[1].latitude = Some(column.clone());
    named[2].longitude = Some(column.clone());
    named[3].id = IdChoice::Column(column);
    let records = crate::testing::track::records([(1e9, 1.0, 2.0)]);
    let netcdf = written(Format::Netcdf, &of(&records));
    let csv = format!("time,lat,lon\n{time},1,2\n");
    for text in [
        gpx.as_bytes(),
        kml.as_bytes(),
        geojson.as_bytes(),
        &netcdf,
        csv.as_bytes(),
    ] {
        assert!(read(text, &ChosenColumns::default()).is_ok());
        for chosen in &named {
            assert!(read(text, chosen).is_err(), "{chosen:?}");
        }
    }
}

#[test]
fn a_row_whose_line_has_no_end_is_kept_on_the_screen_and_not_stored() {
    let chosen = ChosenColumns {
        unended: UnendedRow::LeftOut,
        ..ChosenColumns::default()
    };
    for mark in [",", ";", "\t"] {
        let row = |time: &str, end: &str| [time, "54.1", "18.55221"].join(mark) + end;
        let names = ["time", "lat", "lon"].join(mark);
        let whole = format!(
            "{names}\n{}{}",
            row("2026-11-23T00:00:00Z", "\n"),
            row("2026-11-23T01:00:00Z", "\r\n")
        );
        assert_eq!(found(&whole, &chosen), (vec![(String::new(), 2)], vec![]));
        // Wherever it is cut.
        for cut in 2..8 {
            let text = &whole[..whole.len() - cut];
            let note =
                "line 3 is left out: it has no line end, and what is lost of it may be digits";
            assert_eq!(
                found(text, &chosen),
                (vec![(String::new(), 1)], vec![note.to_owned()])
            );
            assert_eq!(
                found(text, &ChosenColumns::default()).0,
                [(String::new(), 2)]
            );
        }
    }
}

#[test]
fn elements_nested_without_end_are_refused_where_they_are_too_deep() {
    for root in ["gpx", "kml"] {
        for depth in [127, 129, 200_000] {
            let text = format!(
                "<{root}>\n{}{}</{root}>",
                "<a>".repeat(depth),
                "</a>".repeat(depth)
            );
            let why = match depth {
                127 => "there is no fix in it",
                _ => "line 2: elements are nested deeper than 128",
            };
            assert_eq!(refused(&text), why);
            assert!(overlay(text.as_bytes(), "x").is_err());
        }
    }
}

#[test]
fn a_number_of_an_own_file_is_in_seconds_however_large_it_is() {
    // Of the years 1966, 1973, 5138, 9000 and 9999.
    let times = [-1e8, 1e8, 1.1e11, 2.218e11, 253_402_207_200.0];
    let records = crate::testing::track::records(times.map(|time| (time, 60.0, 5.0)));
    let options = TrackOptions::new(Platform::Drifter, 2.6e11);
    let track = Track::new(&records, &options);
    for format in READ {
        let back = read_back(format, &track);
        // KML has the last fix as a point, too.
        let back = Track::new(&back.tracks[0].records, &options);
        let back = back.fixes().map(|fix| fix.time_stamp);
        assert_eq!(back.collect::<Vec<_>>(), times, "{format}");
    }
    // Of another program they are milliseconds.
    let other = tracks("time,lat,lon\n1670718579000,60,5\n").unwrap();
    assert_eq!(
        other.tracks[0].records.transmissions[0].time_stamp,
        1_670_718_579.0
    );
}

#[test]
fn many_rows_are_read_one_after_the_other() {
    struct Rows(u32, Vec<u8>);
    impl Read for Rows {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.1.is_empty() && self.0 < 100_000 {
                if self.0 == 0 {
                    self.1.extend_from_slice(b"time_stamp,latitude,longitude\n");
                }
                for _ in 0..100 {
                    self.0 += 1;
                    let row = format!(
                        "{},60.{:05},5.5\n",
                        1_700_000_000 + self.0 * 60,
                        self.0 % 99_999
                    );
                    self.1.extend_from_slice(row.as_bytes());
                }
            }
            let count = buffer.len().min(self.1.len());
            buffer[..count].copy_from_slice(&self.1[..count]);
            self.1.drain(..count);
            Ok(count)
        }
    }
    let rows = std::io::BufReader::new(Rows(0, Vec::new()));
    let read = read(rows, &ChosenColumns::default()).unwrap();
    assert_eq!(read.tracks[0].records.transmissions.len(), 100_000);
}

proptest::proptest! {
    #[test]
    fn whatever_is_in_a_file_is_read_or_refused(text in ".{0,200}", kind in 0usize..5) {
        let begin = ["time,lat,lon\n", "[{", "<gpx>", "<kml>", "{\"type\":\"Feature\""][kind];
        let _ = tracks(&format!("{begin}{text}"));
    }
}
