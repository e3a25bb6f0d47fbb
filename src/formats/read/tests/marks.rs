//! Sources that say more of their positions: that one is none, or the class of an Argos location.

use super::*;
use crate::track::quality::Reason;

/// The numbers of the fixes that are marked as invalid by their source, and how many there are.
fn marked(text: &str) -> (Vec<usize>, usize) {
    let found = tracks(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(found.tracks.len(), 1, "{text}");
    let track = of(&found.tracks[0].records);
    let is_marked = |fix: &crate::track::Fix| fix.reason == Reason::MarkedInvalid;
    let marked = track.fixes().enumerate().filter(|(_, fix)| is_marked(fix));
    let marked = marked.map(|(at, fix)| {
        assert_eq!(fix.flag, crate::track::quality::Flag::Fail);
        at
    });
    (marked.collect(), track.len())
}

/// A table of hourly fixes with these values in a column of this name.
fn table(name: &str, values: &[&str]) -> String {
    let row = |(hour, value): (usize, &&str)| {
        format!("2026-11-20T{hour:02}:00:00Z,60.{hour},5,{value}\n")
    };
    let rows: String = values.iter().enumerate().map(row).collect();
    format!("time,lat,lon,{name}\n{rows}")
}

#[test]
fn a_fix_that_its_source_marks_as_invalid_fails_with_that_reason() {
    for (name, values) in [
        ("valid", ["true", "true", "false", "true"]),
        ("Valid", ["1", "", "0", "1"]),
        (
            "VALID",
            ["SPS", "DGPS", "No fix", "Estimated (dead reckoning)"],
        ),
        ("visible", ["TRUE", "TRUE", "FALSE", "TRUE"]),
        ("FIX", ["3d", "dgps", "none", "2d"]),
        ("manually-marked-outlier", ["", "false", "true", ""]),
        ("manually.marked.outlier", ["", "FALSE", "TRUE", "FALSE"]),
        ("Valid GPS Fix", ["True", "True", "False", "True"]),
        ("gps_valid", ["yes", "y", "no", "yes"]),
        ("valid", ["A", "A", "V", "A"]),
        ("Fix Status", ["3D-V Fix", "2D Fix", "No Fix", "3D-V Fix"]),
        ("fix_quality", ["1", "2", "0", "1"]),
        ("valid", ["WAHR", "WAHR", "FALSCH", "WAHR"]),
        ("valid", ["VRAI", "VRAI", "FAUX", "VRAI"]),
        ("outlier", ["FALSO", "FALSO", "VERDADERO", "FALSO"]),
        ("outlier", ["false", "false", "true", "false"]),
        ("POSITION_QC", ["1", "2", "4", "1"]),
    ] {
        assert_eq!(marked(&table(name, &values)), (vec![2], 4), "{name}");
    }
    // Values that are neither, and names that say something else.
    for (name, values) in [
        (
            "valid",
            ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"],
        ),
        ("valid", ["7", "8", "9", "10"]),
        ("validated_by", ["no", "no", "no", "no"]),
        ("outlier_score", ["1", "1", "1", "1"]),
        ("invalid", ["1", "1", "1", "1"]),
    ] {
        assert_eq!(marked(&table(name, &values)), (vec![], 4), "{name}");
    }
    // It stays a field, and what takes turns in it is no instrument.
    let text = table("VALID", &["SPS", "No fix", "SPS", "No fix"]);
    let found = tracks(&text).unwrap();
    assert_eq!(found.notes, Vec::<String>::new());
    let fields = found.tracks[0].records.fields.of_fix(0);
    assert_eq!(
        fields.collect::<Vec<_>>(),
        [("VALID", FieldValue::Text("SPS"))]
    );
}

#[test]
fn every_format_may_have_such_a_mark() {
    let json = |valid: &str, hour: u32| {
        format!(
            r#"{{"fixTime":"2026-11-20T{hour:02}:00:00Z","latitude":60.{hour},"longitude":5,"valid":{valid}}}"#
        )
    };
    let records = [
        json("true", 0),
        json("false", 1),
        json("true", 2),
        json("true", 3),
    ];
    assert_eq!(marked(&format!("[{}]", records.join(","))), (vec![1], 4));
    assert_eq!(marked(&records.join("\n")), (vec![1], 4));
    let feature = |valid: &str, hour: u32| {
        format!(
            r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[5,60.{hour}]}},"properties":{{"time":"2026-11-20T{hour:02}:00:00Z","visible":{valid}}}}}"#
        )
    };
    let features = [feature("true", 0), feature("false", 1), feature("true", 2)].join(",");
    let collection = format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#);
    assert_eq!(marked(&collection), (vec![1], 3));
    let placemark = |valid: &str, hour: u32| {
        format!(
            "<Placemark><TimeStamp><when>2026-11-20T{hour:02}:00:00Z</when></TimeStamp><ExtendedData>\
            <Data name=\"Valid GPS Fix\"><value>{valid}</value></Data></ExtendedData>\
            <Point><coordinates>5,60.{hour}</coordinates></Point></Placemark>"
        )
    };
    let placemarks = [
        placemark("True", 0),
        placemark("False", 1),
        placemark("True", 2),
    ]
    .concat();
    assert_eq!(
        marked(&format!("<kml><Document>{placemarks}</Document></kml>")),
        (vec![1], 3)
    );
    // (0, 0) says less than the mark.
    let nowhere = "<coordinates>0,0</coordinates>";
    let placemarks = placemarks.replace("<coordinates>5,60.1</coordinates>", nowhere);
    assert_eq!(
        marked(&format!("<kml><Document>{placemarks}</Document></kml>")),
        (vec![1], 3)
    );
}

#[test]
fn the_arrays_of_a_track_of_kml_are_data_of_its_fixes() {
    let array = |name: &str, values: [&str; 3]| {
        let values = values.map(|value| format!("<gx:value>{value}</gx:value>"));
        let values = values.concat();
        format!("<gx:SimpleArrayData name=\"{name}\">{values}</gx:SimpleArrayData>")
    };
    let arrays = array("valid", ["true", "false", "true"]) + &array("sst", ["1.5", "2", "3"]);
    let fixes: String = (0..3)
        .map(|hour| {
            format!("<when>2026-11-20T{hour:02}:00:00Z</when><gx:coord>5 60.{hour} 0</gx:coord>")
        })
        .collect();
    let kml = format!(
        "<kml><Placemark><gx:Track>{fixes}<ExtendedData><SchemaData schemaUrl=\"#s\">{arrays}\
        </SchemaData></ExtendedData></gx:Track></Placemark></kml>"
    );
    assert_eq!(marked(&kml), (vec![1], 3));
    let records = &tracks(&kml).unwrap().tracks[0].records;
    let values = (0..3).map(|fix| records.fields.of_fix(fix).collect::<Vec<_>>());
    for (values, expected) in values.zip([1.5, 2.0, 3.0]) {
        assert!(
            values.contains(&("sst", FieldValue::Number(expected))),
            "{values:?}"
        );
    }
}

#[test]
fn a_mark_counts_whatever_other_data_could_be_one_thing() {
    for two in [
        ["Time UTC", "Time"],
        ["time", "timestamp"],
        ["Latitude", "Lat"],
        ["lon", "lng"],
        ["IMEI", "imei"],
    ] {
        for (mark, bad) in [("Valid GPS Fix", "False"), ("POSITION_QC", "4")] {
            let placemark = |(hour, value): (usize, &str)| {
                let data = [two[0], two[1], mark].map(|name| {
                    let value = if name == mark { value } else { "7" };
                    format!("<Data name=\"{name}\"><value>{value}</value></Data>")
                });
                format!(
                    "<Placemark><TimeStamp><when>2026-11-20T{hour:02}:00:00Z</when></TimeStamp>\
                    <ExtendedData>{}</ExtendedData><Point><coordinates>5,60.{hour}</coordinates></Point></Placemark>",
                    data.concat()
                )
            };
            let placemarks = ["1", bad, "1"].into_iter().enumerate().map(placemark);
            let kml = format!("<kml>{}</kml>", placemarks.collect::<String>());
            assert_eq!(marked(&kml), (vec![1], 3), "{two:?} {mark}");
        }
    }
}

#[test]
fn the_mark_comes_back_from_the_files_that_have_fields() {
    let found = tracks(&table("valid", &["true", "true", "false", "true"])).unwrap();
    let track = of(&found.tracks[0].records);
    for format in READ.into_iter().filter(|format| format.has_fields()) {
        let back = read_back(format, &track);
        let back = of(&back.tracks[0].records);
        assert_eq!(
            back.fix(2).unwrap().reason,
            Reason::MarkedInvalid,
            "{format}"
        );
        assert_eq!(judged(&back), judged(&track), "{format}");
    }
    // A field of driftline's own files is as the service sent it, whatever its name.
    let text = "time,time_stamp,latitude,longitude,distance_m,speed_m_s,course_deg,gap_s,qc_flag,qc_reason,valid\n\
        2026-11-20T00:00:00Z,1795132800,60,5,,,,,2,single fix,false\n";
    assert_eq!(marked(text), (vec![], 1));
}

/// The fields and the notes of a table with these classes.
fn classes(name: &str, values: &[&str]) -> (Vec<String>, Vec<String>) {
    let found = tracks(&table(name, values)).unwrap();
    let columns = found.tracks[0].records.fields.columns();
    let names = columns.map(|column| column.name().to_owned()).collect();
    (names, found.notes)
}

#[test]
fn the_argos_class_is_known_by_the_names_of_vendors() {
    for (name, values) in [
        ("Quality", ["3", "B", "1", "0", "A"]),
        ("Loc. quality", ["3", "2", "1", "0", "3"]),
        ("Location Quality", ["3", "A", "", "0", "3"]),
        ("LocationQuality", ["G", "G", "G", "G", "G"]),
        ("Loc. class", ["3", "2", "1", "0", "3"]),
        ("loc_class", ["A", "A", "B", "B", "A"]),
        ("argosLC", ["2", "B", "B", "0", "Z"]),
        ("Argos class", ["2", "1", "", "0", "3"]),
        ("class", ["1", "Z", "Z", "1", "1"]),
        ("quality", ["Z", "A", "B", "Z", "A"]),
    ] {
        let (names, notes) = classes(name, &values);
        assert_eq!(names, [name, "argos_lc"]);
        assert_eq!(
            notes,
            [format!("'{name}' is taken as the class of Argos locations")]
        );
    }
    for none in ["-", "NA", " ", "null"] {
        let (names, _) = classes("Loc. quality", &["B", "3", "Z", none, "2"]);
        assert_eq!(names, ["Loc. quality", "argos_lc"], "{none}");
    }
    for (name, values) in [
        // Every cell is to be a class, and those of common names not only numbers or letters.
        ("Quality", ["3", "2", "1", "0", "3"]),
        ("Quality", ["A", "B", "A", "B", "A"]),
        ("Quality", ["3", "B", "good", "0", "A"]),
        ("class", ["1", "2", "B2", "1", "1"]),
        ("Loc. quality", ["3", "2", "9", "0", "3"]),
        ("Loc. quality", ["", "", "", "", ""]),
        ("lc", ["3", "B", "1", "0", "A"]),
        ("grade", ["3", "B", "1", "0", "A"]),
    ] {
        let (names, notes) = classes(name, &values);
        assert!(!names.contains(&"argos_lc".to_owned()), "{name}");
        assert_eq!(
            notes.iter().filter(|note| note.contains("Argos")).count(),
            0
        );
    }
}

#[test]
fn one_class_has_the_same_flags_under_every_name() {
    let values = ["3", "3", "B", "1", "Z", "A", "1", "2", "B", "3"];
    let judged_as = |name: &str| {
        let found = tracks(&table(name, &values)).unwrap();
        judged(&of(&found.tracks[0].records))
    };
    let expected = judged_as("lc");
    assert!(expected.iter().any(|(.., flag)| *flag == 4), "{expected:?}");
    for name in [
        "Quality",
        "Loc. quality",
        "Location Quality",
        "loc_class",
        "class",
    ] {
        assert_eq!(judged_as(name), expected, "{name}");
    }
}
