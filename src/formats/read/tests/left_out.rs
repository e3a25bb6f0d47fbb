//! What is left out of a file is reported, and nothing is guessed.

use super::*;
use crate::track::InvalidRecord;

fn notes(text: &str) -> Vec<String> {
    tracks(text).unwrap().notes
}

/// The number of fixes, and the faults of the invalid records, of the first track.
fn read_as(text: &str) -> (usize, Vec<String>) {
    let records = &tracks(text).unwrap().tracks[0].records;
    let faults = records.unusable.iter();
    let faults = faults.map(|record| record.fault.to_string()).collect();
    (records.transmissions.len(), faults)
}

fn features(all: &[&str]) -> String {
    let all: Vec<String> = all
        .iter()
        .map(|feature| format!(r#"{{"type":"Feature",{feature}}}"#))
        .collect();
    let all = all.join(",");
    format!(r#"{{"type":"FeatureCollection","features":[{all}]}}"#)
}

#[test]
fn an_invalid_record_of_a_file_is_named_by_its_line() {
    let fix = |latitude: &str| {
        format!("{{\"time\":\"2026-11-23T00:00:00Z\",\"latitude\":{latitude},\"longitude\":5}}")
    };
    let (good, bad) = (fix("60"), fix("null"));
    for (text, line) in [
        (
            "# made by x\n\ntime,lat,lon\n1790000000,60,5\n\n1790000600,,5\n".to_owned(),
            6,
        ),
        (
            "time\tlat\tlon\r\n1790000000\t60\t5\r\n1790000600\t99\t5\r\n".to_owned(),
            3,
        ),
        (
            "id,time,lat,lon\na,1790000000,60,5\nb,1790000000,,5\n".to_owned(),
            3,
        ),
        (format!("{good}\n{bad}\n"), 2),
        (format!("[{good},\r\n{good},\r\n{bad}]"), 3),
    ] {
        let read = tracks(&text).unwrap();
        let records = read.tracks.iter().flat_map(|track| &track.records.unusable);
        let places: Vec<String> = records.map(InvalidRecord::place).collect();
        assert_eq!(places, [format!("line {line}")], "{text}");
    }
}

const POINT: &str = r#""properties":{"time":"2026-11-23T00:00:00Z"},"geometry":{"type":"Point","coordinates":[5,60]}"#;

#[test]
fn a_zone_in_a_heading_or_below_it_is_that_of_its_times() {
    let of = |text: &str| {
        let found = tracks(text).unwrap();
        (
            found.tracks[0].records.transmissions[0].time_stamp,
            found.notes,
        )
    };
    let utc = 1_795_392_000.0; // 2026-11-23T00:00:00Z
    let heading = "times without a zone are taken as UTC+02, by the heading";
    for text in [
        "time (UTC+2),lat,lon\n2026-11-23 02:00:00,60,5\n",
        "time,lat,lon\nUTC+2,deg,deg\n2026-11-23 02:00:00,60,5\n",
        "Date,Time (GMT+02:00),lat,lon\n2026-11-23,02:00:00,60,5\n",
        r#"[{"time (UTC+2)":"2026-11-23 02:00:00","lat":60,"lon":5}]"#,
        "<kml><Placemark><ExtendedData><Data name=\"time (UTC+2)\"><value>2026-11-23 02:00:00</value>\
         </Data></ExtendedData><Point><coordinates>5,60</coordinates></Point></Placemark></kml>",
    ] {
        let (time, notes) = of(text);
        assert_eq!(time, utc, "{text}");
        assert!(notes[0].starts_with(heading), "{notes:?}");
    }
    let (time, notes) = of("time,lat,lon\nCEST,deg,deg\n2026-11-23 00:00:00,60,5\n");
    assert_eq!(time, utc);
    assert!(
        notes[0].contains("'time (CEST)' has no offset"),
        "{notes:?}"
    );
}

#[test]
fn the_invalid_records_of_an_own_file_come_back() {
    let mut records = Records::default();
    records
        .transmissions
        .push(crate::track::Transmission::new(1e9, 1.0, 2.0).unwrap());
    for index in 0..1001 {
        let fault = crate::track::RecordFault::Missing(crate::track::Member::Latitude);
        records.add_unusable(index, fault.into(), || "{\"x\":1}".to_owned());
    }
    let written = String::from_utf8(written(Format::Json, &of(&records))).unwrap();
    let again = &tracks(&written).unwrap().tracks[0].records;
    // A file has the words of a fault.
    let listed = |records: &Records| -> Vec<(usize, String, String)> {
        let listed = records.unusable.iter();
        listed
            .map(|record| {
                (
                    record.index,
                    record.fault.to_string(),
                    record.excerpt.clone(),
                )
            })
            .collect()
    };
    assert!(listed(again) == listed(&records));
    assert_eq!(again.unusable_count(), 1001);
}

#[test]
fn netcdf_has_its_invalid_records_and_the_numbers_before_they_were_packed() {
    let mut records = Records::default();
    let fix = crate::track::Transmission::new(1e9, 1.0, 2.0).unwrap();
    records.transmissions.push(fix);
    for index in 0..3 {
        let fault = crate::track::RecordFault::Missing(crate::track::Member::Latitude);
        records.add_unusable(index, fault.into(), String::new);
    }
    let written = written(Format::Netcdf, &of(&records));
    let found = read(written.as_slice(), &ChosenColumns::default()).unwrap();
    let again = &found.tracks[0].records;
    assert_eq!(again.unusable_count(), 3);
    assert_eq!(again.unusable[0].fault.to_string(), "latitude is missing");

    let mut set = netcdf3::DataSet::new();
    set.add_fixed_dim("obs", 4).unwrap();
    set.add_var_f64("time", &["obs"]).unwrap();
    for name in ["lat", "lon"] {
        set.add_var_i16(name, &["obs"]).unwrap();
        set.add_var_attr_f64(name, "scale_factor", vec![0.01])
            .unwrap();
        set.add_var_attr_f64(name, "add_offset", vec![10.0])
            .unwrap();
        set.add_var_attr_f64(name, "missing_value", vec![-1.0])
            .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed.nc");
    let mut file = netcdf3::FileWriter::open(&path).unwrap();
    file.set_def(&set, netcdf3::Version::Classic, 0).unwrap();
    file.write_var_f64("time", &[1e9, 2e9, 3e9, 4e9]).unwrap();
    file.write_var_i16("lat", &[5000, -1, -500, 0]).unwrap();
    file.write_var_i16("lon", &[-1000, 0, 0, 0]).unwrap();
    file.close().unwrap();
    let packed = std::fs::read(path).unwrap();
    let found = read(packed.as_slice(), &ChosenColumns::default()).unwrap();
    let records = &found.tracks[0].records;
    let positions = records.transmissions.iter().map(|fix| fix.position);
    let positions = positions.map(|at| (at.latitude, at.longitude));
    let unpacked = [(60.0, 0.0), (5.0, 10.0), (10.0, 10.0)];
    assert_eq!(positions.collect::<Vec<_>>(), unpacked);
    assert_eq!(records.unusable_count(), 1);
}

#[test]
fn every_shape_of_geojson_is_read_or_counted() {
    let times = r#""coordTimes":["2026-11-23T01:00:00Z","2026-11-23T02:00:00Z"]"#;
    let two = r#""type":"MultiPoint","coordinates":[[5,60],[6,61]]"#;
    let timed = format!(r#""properties":{{{times}}},"geometry":{{{two}}}"#);
    assert_eq!(read_as(&features(&[POINT, &timed])), (3, vec![]));
    let untimed = format!(r#""properties":{{"time":"2026-11-23T01:00:00Z"}},"geometry":{{{two}}}"#);
    assert_eq!(
        notes(&features(&[POINT, &untimed])),
        ["2 points without a time left out"]
    );
    let one = POINT
        .replace("Point", "MultiPoint")
        .replace("[5,60]", "[[5,60]]");
    let point = r#"{"type":"Point","coordinates":[5,60]}"#;
    let collection = format!(
        r#""properties":{{"time":"2026-11-23T03:00:00Z"}},"geometry":{{"type":"GeometryCollection","geometries":[{point},{{"type":"Polygon","coordinates":[]}}]}}"#
    );
    let text = features(&[&one, &collection]);
    assert_eq!(read_as(&text), (2, vec![]));
    assert_eq!(
        notes(&text),
        ["1 shape other than points and lines left out"]
    );
    let parts = r#""properties":{"coordTimes":[["2026-11-23T01:00:00Z"]]},"geometry":{"type":"MultiLineString","coordinates":[[[5,60]],[[6,61],[7,62]]]}"#;
    let (fixes, faults) = read_as(&features(&[parts]));
    assert_eq!(fixes, 1);
    assert!(faults[0].contains("0 times and 2 positions"), "{faults:?}");
}

#[test]
fn lines_of_geojson_with_ids_are_a_deployment_each() {
    let line = |id: &str| {
        format!(
            r#""properties":{{"id":{id},"name":"x","times":["2026-11-23T01:00:00Z"]}},"geometry":{{"type":"LineString","coordinates":[[5,60]]}}"#
        )
    };
    let text = features(&[&line("7"), &line("\"b\"")]);
    let ids = tracks(&text)
        .unwrap()
        .tracks
        .into_iter()
        .map(|track| track.id);
    assert_eq!(ids.map(Option::unwrap).collect::<Vec<_>>(), ["7", "b"]);
}

#[test]
fn times_and_positions_of_unequal_number_are_not_paired() {
    let when = |hour: u32| format!("<when>2026-11-23T0{hour}:00:00Z</when>");
    let coord = "<gx:coord>5 60 0</gx:coord>";
    let kml = |times: u32, positions: usize| {
        let times: String = (0..times).map(when).collect();
        let track = |inner: &str| format!("<Placemark><gx:Track>{inner}</gx:Track></Placemark>");
        let whole = track(&(when(9) + coord));
        let other = track(&(times + &coord.repeat(positions)));
        format!("<kml><Document>{whole}{other}</Document></kml>")
    };
    let line = |times: usize| {
        let times = vec![r#""2026-11-23T01:00:00Z""#; times].join(",");
        let line = format!(
            r#""properties":{{"coordTimes":[{times}]}},"geometry":{{"type":"LineString","coordinates":[[5,60],[6,61]]}}"#
        );
        features(&[POINT, &line])
    };
    for (text, said) in [
        (kml(3, 2), "3 times and 2 positions"),
        (kml(1, 2), "1 time and 2 positions"),
        (line(1), "1 time and 2 positions"),
        (line(3), "3 times and 2 positions"),
    ] {
        let found = tracks(&text).unwrap();
        let fixes = found
            .tracks
            .iter()
            .map(|track| track.records.transmissions.len());
        assert_eq!(fixes.sum::<usize>(), 1, "{text}");
        let faults = found
            .tracks
            .iter()
            .flat_map(|track| &track.records.unusable);
        let faults: Vec<String> = faults.map(|record| record.fault.to_string()).collect();
        let said = faults
            .iter()
            .chain(&found.notes)
            .any(|one| one.contains(said) || one.contains("1 record of no known deployment"));
        assert!(said, "{faults:?} {:?}", found.notes);
    }
}

#[test]
fn a_route_is_a_track_if_it_has_times_and_is_counted_if_not() {
    let route = |time: &str| {
        let point = format!("<rtept lat=\"60\" lon=\"5\">{time}</rtept>");
        format!("<rte><name>R</name>{}</rte>", point.repeat(2))
    };
    let time = "<time>2026-11-23T00:00:00Z</time>";
    let gpx = |inner: &str| format!("<gpx>{inner}</gpx>");
    assert_eq!(read_as(&gpx(&route(time))), (2, vec![]));
    assert_eq!(
        refused(&gpx(&route(""))),
        "it has only a route, of 2 points: a route is a plan, and a track (trk) has times"
    );
    for other in [
        format!("<trk><trkseg><trkpt lat=\"60\" lon=\"5\">{time}</trkpt></trkseg></trk>"),
        format!("<wpt lat=\"60\" lon=\"5\">{time}</wpt>"),
    ] {
        let text = gpx(&(other + &route(time)));
        assert_eq!(read_as(&text), (1, vec![]));
        assert_eq!(notes(&text), ["2 points of a route left out"]);
    }
}

#[test]
fn a_track_without_a_name_does_not_join_one_that_is_named_by_its_number() {
    let track = |name: &str, hour: u32| {
        format!(
            "<trk>{name}<trkseg><trkpt lat=\"60\" lon=\"5\"><time>2026-11-23T0{hour}:00:00Z</time></trkpt></trkseg></trk>"
        )
    };
    let text = format!(
        "<gpx>{}{}</gpx>",
        track("<name>track 2</name>", 0),
        track("", 1)
    );
    let ids = tracks(&text)
        .unwrap()
        .tracks
        .into_iter()
        .map(|track| track.id);
    assert_eq!(
        ids.map(Option::unwrap).collect::<Vec<_>>(),
        ["track 2", "track 2 without a name"]
    );
}

#[test]
fn a_placemark_has_the_begin_of_its_span_and_the_point_within_its_geometry() {
    let placemark = |time: &str, point: &str| format!("<Placemark>{time}{point}</Placemark>");
    let point = "<Point><coordinates>5,60</coordinates></Point>";
    let span = "<TimeSpan><begin>2026-11-23T00:00:00Z</begin></TimeSpan>";
    let multi = format!("<MultiGeometry>{point}</MultiGeometry>");
    let text = placemark(span, point) + &placemark(span, &multi);
    assert_eq!(read_as(&format!("<kml>{text}</kml>")), (2, vec![]));
    let two = placemark(
        span,
        &format!("<MultiGeometry>{point}{point}</MultiGeometry>"),
    );
    assert_eq!(
        notes(&format!("<kml>{text}{two}</kml>")),
        ["2 points without a time left out"]
    );
}

#[test]
fn the_side_in_a_column_of_its_own_is_the_sign_of_the_degrees() {
    for (names, written, expected) in [
        ("lat,N/S,lon,E/W", "54.1,S,7.1,W", (-54.1, -7.1)),
        ("lat,N/S,lon,E/W", "54.1,N,7.1,E", (54.1, 7.1)),
        ("lat,lat_dir,lon,lon_dir", "-54.1,s,7.1,e", (-54.1, 7.1)),
        (
            "lat,N_S,lon,Long hemisphere",
            "54.1,South,7.1,west",
            (-54.1, -7.1),
        ),
        ("lat,N/S Indicator,lon,EW", "54.1,S,7.1,W", (-54.1, -7.1)),
        ("lat,wind,lon,dir", "54.1,S,7.1,W", (54.1, 7.1)),
        ("lat,ns,lon,ew", "54.1,9,7.1,8", (54.1, 7.1)),
    ] {
        let text = format!("time,{names}\n2026-11-23T00:00:00Z,{written}\n");
        let records = &tracks(&text).unwrap().tracks[0].records;
        let at = records.transmissions[0].position;
        assert_eq!((at.latitude, at.longitude), expected, "{text}");
    }
}

#[test]
fn a_position_with_its_signs_has_no_other_side() {
    let properties = r#""properties":{"time":"2026-11-23T00:00:00Z","lat_dir":"S"}"#;
    let point = format!(r#"{properties},"geometry":{{"type":"Point","coordinates":[5,60]}}"#);
    let found = tracks(&features(&[&point])).unwrap();
    let records = &found.tracks[0].records;
    assert_eq!(records.transmissions[0].position.latitude, 60.0);
    assert_eq!(records.fields.columns().count(), 1);
}

#[test]
fn the_position_of_a_feature_is_its_geometry_whatever_its_properties_are_called() {
    for names in [
        "lat lon",
        "Lat Long",
        "location-lat location-long",
        "Lat latitude",
        "x wkt",
    ] {
        let [first, second] = [0, 1].map(|at| names.split(' ').nth(at).unwrap_or_default());
        let properties = format!(
            r#""properties":{{"time":"2026-11-23T00:00:00Z","{first}":1.5,"{second}":2.5}}"#
        );
        let point = format!(r#"{properties},"geometry":{{"type":"Point","coordinates":[5,60]}}"#);
        let found = tracks(&features(&[&point])).unwrap();
        let records = &found.tracks[0].records;
        let at = records.transmissions[0].position;
        assert_eq!((at.latitude, at.longitude), (60.0, 5.0), "{names}");
        let mut fields = records.fields.of_fix(0);
        assert_eq!(fields.next(), Some((first, FieldValue::Number(1.5))));
    }
}

#[test]
fn a_side_that_is_none_is_no_sign() {
    let table = "time,lat,N/S,lon\n2026-11-23T00:00:00Z,54.1,Q,7\n2026-11-23T01:00:00Z,54.1,N,7\n";
    let fault = "'Q' is neither north nor south".to_owned();
    assert_eq!(read_as(table), (1, vec![fault]));
}

#[test]
fn tables_that_were_joined_have_the_columns_of_their_own_names() {
    let table =
        "time,lat,lon\n2026-11-23T00:00:00Z,54,7\ntime,lon,lat\n2026-11-23T01:00:00Z,8,55\n";
    let again = "the names of the columns are there again, in line 3: tables were joined";
    assert_eq!(read_as(table).0, 2);
    assert_eq!(notes(table), [again]);
    let records = &tracks(table).unwrap().tracks[0].records;
    let at = records.transmissions[1].position;
    assert_eq!((at.latitude, at.longitude), (55.0, 8.0));
}

#[test]
fn tables_that_were_joined_may_have_other_names_or_are_not_read_on() {
    let joined = |names: &str, row: &str| {
        format!("time,lat,lon\n2026-11-23T00:00:00Z,54,7\n{names}\n{row}\n{row}\n")
    };
    for (names, row) in [
        ("datetime,longitude,latitude", "2026-11-23T01:00:00Z,8,55"),
        ("time (UTC+2),lon,lat", "2026-11-23 03:00:00,8,55"),
        ("lng,Lat.,timestamp,sst", "8,55,2026-11-23T01:00:00Z,1"),
    ] {
        let found = tracks(&joined(names, row)).unwrap();
        let records = &found.tracks[0].records;
        assert_eq!(records.unusable_count(), 0, "{names}");
        let fix = &records.transmissions[1];
        let at = fix.position;
        assert_eq!((at.latitude, at.longitude), (55.0, 8.0), "{names}");
        assert_eq!(fix.time_stamp - records.transmissions[0].time_stamp, 3600.0);
    }
    for (names, why) in [
        ("datetime,longitude,Breite", "no column is the latitude"),
        ("lon,lat,latitude,time", "could both be the latitude"),
    ] {
        let found = tracks(&joined(names, "2026-11-23T01:00:00Z,8,55")).unwrap();
        let records = &found.tracks[0].records;
        assert_eq!(
            (records.transmissions.len(), records.unusable_count()),
            (1, 2)
        );
        let said = records.unusable[0].fault.to_string();
        assert!(
            said.starts_with("it is below the names of line 3: ") && said.contains(why),
            "{said}"
        );
    }
}

#[test]
fn the_fields_of_an_own_record_are_fields_whatever_their_names() {
    let fix = r#"{"time":"2026-11-23T00:00:00Z","time_stamp":1795392000,"latitude":54,"longitude":7,
        "qc_flag":1,"fields":{"N/S":"S","id":"a","Lat":1,"date":"noon"}}"#;
    let other = fix.replace("\"a\"", "\"b\"").replace("5392000", "5395600");
    let text = format!(r#"{{"fixes":[{fix},{other}]}}"#);
    let found = tracks(&text).unwrap();
    let [track] = &found.tracks[..] else {
        panic!("{:?}", found.notes);
    };
    let at = track.records.transmissions[0].position;
    assert_eq!((at.latitude, at.longitude), (54.0, 7.0));
    let names = track.records.fields.columns().map(|column| column.name());
    assert_eq!(names.collect::<Vec<_>>(), ["N/S", "id", "Lat", "date"]);
}

#[test]
fn the_last_row_of_a_table_is_cut_if_it_is_short_and_its_line_has_no_end() {
    let table = "time,lat,lon,note\n2026-11-23T00:00:00Z,60,5,x\n2026-11-23T01:00:00Z,60,5";
    assert_eq!(read_as(table), (1, vec!["the file ends in it".to_owned()]));
    assert_eq!(read_as(&format!("{table}\n")), (2, vec![]));
    // Every row lacks the last field.
    assert_eq!(read_as(&table.replace(",x", "")), (2, vec![]));
}

#[test]
fn a_line_has_its_number_whatever_the_ends_of_lines() {
    for (text, line) in [
        ("time,lat,lon\nyesterday,60,5\n", 2),
        ("# by hand\ntime,lat,lon\nyesterday,60,5\n", 3),
        ("sep=,\n# a\n# b\ntime,lat,lon\nyesterday,60,5\n", 5),
        ("time,lat,lon,note\nyesterday,60,5,\"two\nlines\"\n", 2),
    ] {
        for end in ["\n", "\r\n", "\r", "\r\r\n"] {
            let why = refused(&text.replace('\n', end));
            assert!(
                why.starts_with(&format!("line {line}: 'yesterday'")),
                "{why}"
            );
        }
    }
    let good = "time,lat,lon\n1790000000,60,5\n\n1790000060,95,5\n";
    for end in ["\n", "\r\n"] {
        let records = read_as(&good.replace('\n', end));
        assert_eq!(
            records,
            (1, vec!["latitude 95 is outside -90 to 90".to_owned()])
        );
    }
}
