//! Columns of vendors, and the variables of NetCDF files of others.

use super::*;
use crate::track::time::parse;

/// Time, latitude and longitude of the first fix.
pub(super) fn first(text: &str) -> Result<(f64, f64, f64), String> {
    let found = tracks(text).map_err(|error| error.to_string())?;
    let fix = found.tracks[0].records.transmissions[0];
    Ok((
        fix.time_stamp,
        fix.position.latitude,
        fix.position.longitude,
    ))
}

#[test]
fn the_names_of_vendors_are_known() {
    let time = parse("2026-11-20T00:00:00Z", 0.0).unwrap();
    for names in [
        "UTC_datetime,Latitude,Longitude",
        "eventDate,decimalLatitude,decimalLongitude",
        "fixTime,latitude,longitude",
        "timestamp,location.lat,location.long",
        "timestamp,location_lat,location_long",
        "tst,lat,lon",
        "Loc. date,Latitude,Longitude",
        "LocTime,Latitude,Longitude",
        "Date/Time,LATITUDE N/S,LONGITUDE E/W",
        "Date Time (UTC),Lat.,Long.",
        "UTC datetime,decimal latitude,decimal longitude",
        "BaseDateTime,LAT,LON",
        "UTC,LAT,LON",
        "acquisitiontime,latitude,longitude",
        "\"TIME,D\",\"LATITUDE,N,12,7\",\"LONGITUDE,N,12,7\"",
    ] {
        let row = "2026-11-20T00:00:00Z,60.5,5.5";
        assert_eq!(
            first(&format!("{names}\n{row}\n")),
            Ok((time, 60.5, 5.5)),
            "{names}"
        );
    }
    let sides = "time,LATITUDE N/S,LONGITUDE E/W\n2026-11-20T00:00:00Z,60.5S,5.5W\n";
    assert_eq!(first(sides), Ok((time, -60.5, -5.5)));
    // Of two names for one thing the usual one counts, and two of these are named.
    let both = "eventDate,time,lat,lon\nx,2026-11-20T00:00:00Z,60.5,5.5\n";
    assert_eq!(first(both), Ok((time, 60.5, 5.5)));
    let two = first("time,lat,location.lat,lon\n2026-11-20T00:00:00Z,60.5,1,5.5\n").unwrap_err();
    assert!(
        two.contains("'lat' and 'location.lat' could both be the latitude"),
        "{two}"
    );
}

#[test]
fn a_bracket_that_is_not_understood_is_named_and_every_other_is_understood() {
    let time = parse("2026-03-01T00:00:00Z", 0.0).unwrap();
    for names in [
        "time,\"latitude[unit=\"\"degrees_south\"\"]\",\"longitude[unit=\"\"degrees_west\"\"]\"",
        "time,latitude (positive south),longitude (dec deg W)",
        "time,lat (+S),lon (+W)",
        "time,lat (deg S),lon (\u{b0}W)",
    ] {
        let text = format!("{names}\n2026-03-01T00:00:00Z,40.0,105.0\n");
        assert_eq!(first(&text), Ok((time, -40.0, -105.0)), "{names}");
        assert_eq!(tracks(&text).unwrap().notes, Vec::<String>::new());
    }
    let text = "time,lat (1e7),lon (1e7)\n2026-03-01T00:00:00Z,400000001,-1050000001\n";
    assert_eq!(first(text), Ok((time, 40.000_000_1, -105.000_000_1)));
    let text = "time,lat (EPSG:3413),lon (E?)\n2026-03-01T00:00:00Z,40,105\n";
    let said = "is not known: its numbers are taken as degrees";
    let notes = tracks(text).unwrap().notes;
    assert_eq!(notes, [format!("the unit of 'lat (EPSG:3413)' {said}")]);
    let json = r#"[{"time":"2026-03-01T00:00:00Z","lat (S)":40,"lon (furlongs)":105}]"#;
    assert_eq!(first(json), Ok((time, -40.0, 105.0)));
    assert_eq!(
        tracks(json).unwrap().notes,
        [format!("the unit of 'lon (furlongs)' {said}")]
    );
}

#[test]
fn both_degrees_of_one_column_are_in_the_order_of_its_name() {
    let time = parse("2026-11-20T00:00:00Z", 0.0).unwrap();
    let table =
        |name: &str, cell: &str| format!("time;{name};note\n2026-11-20T00:00:00Z;\"{cell}\";x\n");
    for (name, cell) in [
        ("Approx Lat/Lng", "60.5,-5.25"),
        ("latlon", "60.5 -5.25"),
        ("Lat, Long", "60.5, -5.25"),
        ("Position (latitude, longitude)", "60.5N; 5.25W"),
        ("lon_lat", "-5.25, 60.5"),
        ("LngLat", "5°15'W 60°30'N"),
        ("geometry", "POINT (-5.25 60.5)"),
        ("latlon", "60.5 N 5.25 W"),
        ("position", "60 30N 5 15W"),
        ("location", "(60.5N5.25W)"),
    ] {
        assert_eq!(first(&table(name, cell)), Ok((time, 60.5, -5.25)), "{name}");
    }
    let json = r#"[{"time":"2026-11-20T00:00:00Z","latLng":"60.5,-5.25"}]"#;
    assert_eq!(first(json), Ok((time, 60.5, -5.25)));
    // A latitude of its own is the latitude.
    let text = "time,latlon,lat,lon\n2026-11-20T00:00:00Z,1,60.5,-5.25\n";
    assert_eq!(first(text), Ok((time, 60.5, -5.25)));
    for (name, cell, why) in [
        ("latlng", "60.5", "'60.5' is no latitude and longitude"),
        ("latlng", "1,2,3", "'1,2,3' is no latitude and longitude"),
        ("lonlat", "5,", "'5,' is no longitude and latitude"),
        (
            "wkt",
            "60.5,-5.25",
            "'60.5,-5.25' is no POINT (longitude latitude): a heading such as 'latlon' or 'lonlat' \
             says which of two numbers is first",
        ),
        (
            "location",
            "Oslo, harbour",
            "'Oslo, harbour' is no latitude and longitude, and no POINT (longitude latitude)",
        ),
        ("latlng", "91,5", "latitude 91 is outside -90 to 90"),
        (
            "latlng",
            "5,x",
            "longitude 'x' is no number: degrees are expected",
        ),
    ] {
        let said = first(&table(name, cell)).unwrap_err();
        assert_eq!(said, format!("line 2: {why}"));
    }
    // A name that has the letters and no degrees.
    let said = first("time,relation\n2026-11-20T00:00:00Z,1\n").unwrap_err();
    assert!(said.contains("no column is the latitude"), "{said}");
}

#[test]
fn zeros_that_fill_up_cells_or_a_file_are_blanks() {
    let names = "time,lat,lon,note";
    let [first, second] = ["2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z"];
    for (text, fixes, invalid) in [
        (
            format!("{names}\r\n{first},60.5\0,5\0\0,\0\0\r\n{second},60,5\0,x\0\r\n"),
            2,
            0,
        ),
        // The disk lost what was written when the power failed, and the logger went on.
        (
            format!("{names}\n{first},60.5,5,\n\0\0\0\0\0{second},60,5,x\n"),
            2,
            0,
        ),
        (
            format!("{names}\n{first},60.5,5,\n{second},60,5,x\n\0\0\0\0"),
            2,
            1,
        ),
    ] {
        let found = tracks(&text).unwrap();
        let records = &found.tracks[0].records;
        assert_eq!(
            (records.transmissions.len(), records.unusable_count()),
            (fixes, invalid),
            "{text:?}"
        );
        let note = records.fields.of_fix(1).find(|(name, _)| *name == "note");
        assert!(note.is_none_or(|(_, value)| value == FieldValue::Text("x")));
    }
    for text in ["a,b\0\n", "one word\n\0\0", "\u{1}\u{2},\u{3}\n\0"] {
        assert_eq!(refused(text), "it is no text", "{text:?}");
    }
}

#[test]
fn what_says_that_there_is_no_value_is_missing() {
    for none in ["NA", "na", "NaN", "N/A", "null", "None", " NA "] {
        for row in [
            format!("{none},60,5"),
            format!("2026-11-20T01:00:00Z,{none},5"),
            format!("2026-11-20T01:00:00Z,60,{none}"),
        ] {
            let text = format!("time,lat,lon\n2026-11-20T00:00:00Z,60,5\n{row}\n");
            let records = &tracks(&text).unwrap().tracks[0].records;
            let fault = records.unusable[0].fault.to_string();
            assert!(fault.ends_with(" is null"), "{text}: {fault}");
        }
    }
}

/// A variable: its name, dimensions, attributes and values.
pub(super) type Variable<'a> = (&'a str, &'a [&'a str], &'a [(&'a str, &'a str)], Values<'a>);

#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    Numbers(&'a [f64]),
    Whole(&'a [i32]),
    Text(&'a str),
}

/// A file in NetCDF classic, by the crate that writes them.
pub(super) fn netcdf(dimensions: &[(&str, usize)], variables: &[Variable<'_>]) -> Vec<u8> {
    let mut set = netcdf3::DataSet::new();
    for (name, length) in dimensions {
        set.add_fixed_dim(*name, *length).unwrap();
    }
    for (name, dimensions, attributes, values) in variables {
        match values {
            Values::Numbers(_) => set.add_var_f64(name, dimensions).unwrap(),
            Values::Whole(_) => set.add_var_i32(name, dimensions).unwrap(),
            Values::Text(_) => set.add_var_u8(name, dimensions).unwrap(),
        }
        for (attribute, value) in *attributes {
            if let Ok(number) = value.parse::<f64>() {
                set.add_var_attr_f64(name, attribute, vec![number]).unwrap();
            } else {
                set.add_var_attr_string(name, attribute, *value).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.nc");
    let mut file = netcdf3::FileWriter::open(&path).unwrap();
    file.set_def(&set, netcdf3::Version::Classic, 0).unwrap();
    for (name, _, _, values) in variables {
        match values {
            Values::Numbers(numbers) => file.write_var_f64(name, numbers).unwrap(),
            Values::Whole(numbers) => file.write_var_i32(name, numbers).unwrap(),
            Values::Text(text) => file.write_var_u8(name, text.as_bytes()).unwrap(),
        }
    }
    file.close().unwrap();
    std::fs::read(path).unwrap()
}

/// The ids of the tracks of a file, with the latitudes of each.
pub(super) fn by_id(bytes: &[u8]) -> Vec<(Option<String>, Vec<f64>)> {
    let found = read(bytes, &ChosenColumns::default()).unwrap();
    let latitudes = |records: &Records| {
        let fixes = records.transmissions.iter();
        fixes.map(|fix| fix.position.latitude).collect()
    };
    let tracks = found.tracks.into_iter();
    tracks
        .map(|track| (track.id.clone(), latitudes(&track.records)))
        .collect()
}

use Values::{Numbers, Text, Whole};

const SINCE_1950: &[(&str, &str)] = &[
    ("units", "days since 1950-01-01 00:00:00 UTC"),
    ("_FillValue", "999999"),
];

#[test]
fn the_profiles_of_argo_are_a_track() {
    let bytes = netcdf(
        &[("N_PROF", 3), ("STRING8", 8)],
        &[
            (
                "PLATFORM_NUMBER",
                &["N_PROF", "STRING8"],
                &[],
                Text("6902746 6902746 6902746 "),
            ),
            (
                "JULD",
                &["N_PROF"],
                SINCE_1950,
                Numbers(&[28_000.25, 28_010.25, 999_999.0]),
            ),
            (
                "JULD_LOCATION",
                &["N_PROF"],
                SINCE_1950,
                Numbers(&[1.0, 2.0, 3.0]),
            ),
            (
                "LATITUDE",
                &["N_PROF"],
                &[("units", "degree_north")],
                Numbers(&[60.0, 61.0, 62.0]),
            ),
            (
                "LONGITUDE",
                &["N_PROF"],
                &[("units", "degree_east")],
                Numbers(&[-5.0, -6.0, -7.0]),
            ),
            ("POSITION_QC", &["N_PROF"], &[], Text("119")),
        ],
    );
    let found = read(bytes.as_slice(), &ChosenColumns::default()).unwrap();
    assert_eq!(
        (found.tracks.len(), found.notes.len()),
        (1, 0),
        "{:?}",
        found.notes
    );
    let track = &found.tracks[0];
    let records = &track.records;
    assert_eq!(track.id.as_deref(), Some("6902746"));
    assert_eq!(
        (records.transmissions.len(), records.unusable_count()),
        (2, 1)
    );
    // By `cftime` 1.6 (`num2date`).
    assert_eq!(records.transmissions[0].time_stamp, 1_788_069_600.0);
    assert_eq!(records.transmissions[1].position.longitude, -6.0);
    let fields = records
        .fields
        .of_fix(0)
        .find(|(name, _)| *name == "POSITION_QC");
    assert_eq!(fields, Some(("POSITION_QC", FieldValue::Number(1.0))));
}

#[test]
fn each_representation_of_trajectories_is_a_track_each() {
    let hours: &[(&str, &str)] = &[("units", "hours since 2026-11-20")];
    let degrees: &[(&str, &str)] = &[("standard_name", "latitude"), ("units", "degrees_north")];
    let east: &[(&str, &str)] = &[("standard_name", "longitude")];
    let id: &[(&str, &str)] = &[("cf_role", "trajectory_id")];
    let expected = [("A", vec![60.0, 61.0, 62.0]), ("B", vec![70.0, 71.0])];
    let expected = expected.map(|(id, latitudes)| (Some(id.to_owned()), latitudes));
    let numbered = [
        ("track 1", vec![60.0, 61.0, 62.0]),
        ("track 2", vec![70.0, 71.0]),
    ];
    let numbered = numbered.map(|(id, latitudes)| (Some(id.to_owned()), latitudes));
    let in_row = [60.0, 61.0, 62.0, 70.0, 71.0];
    let times = [0.0, 1.0, 2.0, 0.0, 1.0];
    // Contiguous: a variable counts the fixes of each.
    let counted: &[(&str, &str)] = &[("sample_dimension", "obs")];
    let mut variables: Vec<Variable<'_>> = vec![
        ("time", &["obs"], hours, Numbers(&times)),
        ("y", &["obs"], degrees, Numbers(&in_row)),
        ("x", &["obs"], east, Numbers(&[5.0; 5])),
        ("rowSize", &["trajectory"], counted, Whole(&[3, 2])),
    ];
    let dimensions = [("trajectory", 2), ("obs", 5)];
    assert_eq!(by_id(&netcdf(&dimensions, &variables)), numbered);
    // Some name their own dimension; a count of something else is none of fixes.
    let own: &[(&str, &str)] = &[("sample_dimension", "trajectory")];
    variables[3] = ("rowsize", &["trajectory"], own, Whole(&[3, 2]));
    assert_eq!(by_id(&netcdf(&dimensions, &variables)), numbered);
    variables[3] = ("waves", &["trajectory"], own, Whole(&[3, 4]));
    assert_eq!(by_id(&netcdf(&dimensions, &variables)).len(), 1);
    variables[3] = ("rowSize", &["trajectory"], counted, Whole(&[3, 2]));
    variables.push(("name", &["trajectory"], id, Text("AB")));
    assert_eq!(by_id(&netcdf(&dimensions, &variables)), expected);
    // Indexed: a variable has the trajectory of each fix.
    let index: &[(&str, &str)] = &[("instance_dimension", "trajectory")];
    variables[3] = ("index", &["obs"], index, Whole(&[0, 0, 0, 1, 1]));
    assert_eq!(by_id(&netcdf(&dimensions, &variables)), expected);
    // Each fix has its id.
    variables[3] = ("trajectory", &["obs"], &[], Whole(&[7, 7, 7, 9, 9]));
    variables.pop();
    let ids = numbered.clone().into_iter().zip(["7", "9"]);
    let ids = ids.map(|((_, latitudes), id)| (Some(id.to_owned()), latitudes));
    assert_eq!(
        by_id(&netcdf(&dimensions, &variables)),
        ids.collect::<Vec<_>>()
    );
    // An array, filled up to the longest.
    let fill: &[(&str, &str)] = &[("standard_name", "latitude"), ("_FillValue", "-999")];
    let fill_x: &[(&str, &str)] = &[("standard_name", "longitude"), ("_FillValue", "-999")];
    let fill_time: &[(&str, &str)] = &[("units", "hours since 2026-11-20"), ("_FillValue", "-999")];
    let array: [Variable<'_>; 3] = [
        (
            "y",
            &["trajectory", "obs"],
            fill,
            Numbers(&[60.0, 61.0, 62.0, 70.0, 71.0, -999.0]),
        ),
        (
            "x",
            &["trajectory", "obs"],
            fill_x,
            Numbers(&[5.0, 5.0, 5.0, 5.0, 5.0, -999.0]),
        ),
        (
            "time",
            &["trajectory", "obs"],
            fill_time,
            Numbers(&[0.0, 1.0, 2.0, 0.0, 1.0, -999.0]),
        ),
    ];
    let dimensions = [("trajectory", 2), ("obs", 3)];
    assert_eq!(by_id(&netcdf(&dimensions, &array)), numbered);
    let [y, x, _] = array;
    let shared: [Variable<'_>; 4] = [
        y,
        x,
        ("time", &["obs"], hours, Numbers(&[0.0, 1.0, 2.0])),
        ("trajectory", &["trajectory"], &[], Text("AB")),
    ];
    let found = by_id(&netcdf(&dimensions, &shared));
    assert_eq!(found, expected);
    // A single track has the name of the file.
    let variables: [Variable<'_>; 3] = [
        ("time", &["time"], hours, Numbers(&[0.0, 1.0])),
        ("lat", &["time"], &[], Numbers(&[60.0, 61.0])),
        ("lon", &["time"], &[], Numbers(&[5.0, 5.0])),
    ];
    assert_eq!(
        by_id(&netcdf(&[("time", 2)], &variables)),
        [(None, vec![60.0, 61.0])]
    );
    // The times of samples are none of positions.
    let [time, lat, lon] = variables;
    let samples: Variable<'_> = ("time", &["sample"], hours, Numbers(&[7.0, 8.0, 9.0]));
    for name in ["position_time", "positionTime"] {
        let (_, dimensions, attributes, values) = time;
        let time: Variable<'_> = (name, dimensions, attributes, values);
        let bytes = netcdf(&[("time", 2), ("sample", 3)], &[samples, time, lat, lon]);
        let found = read(bytes.as_slice(), &ChosenColumns::default()).unwrap();
        let fix = found.tracks[0].records.transmissions[1];
        let expected = parse("2026-11-20T01:00:00Z", 0.0).unwrap();
        assert_eq!((fix.time_stamp, fix.position.latitude), (expected, 61.0));
    }
    // Or an id of its own.
    for (name, attributes) in [("PLATFORM_NUMBER", &[][..]), ("trajectory", &[]), ("x", id)] {
        let id: Variable<'_> = (name, &["length"], attributes, Text("A77 "));
        let dimensions = [("time", 2), ("length", 4)];
        assert_eq!(
            by_id(&netcdf(&dimensions, &[time, lat, lon, id])),
            [(Some("A77".to_owned()), vec![60.0, 61.0])]
        );
    }
}

#[test]
fn what_is_no_track_in_netcdf_is_refused() {
    let refuse =
        |bytes: &[u8], chosen: &ChosenColumns| read(bytes, chosen).unwrap_err().to_string();
    let hours: &[(&str, &str)] = &[("units", "days since 2026-11-20"), ("calendar", "360_day")];
    let variables: [Variable<'_>; 3] = [
        ("time", &["time"], hours, Numbers(&[0.0, 1.0])),
        ("lat", &["time"], &[], Numbers(&[60.0, 61.0])),
        ("lon", &["time"], &[], Numbers(&[5.0, 5.0])),
    ];
    let other_calendar = netcdf(&[("time", 2)], &variables);
    let why = refuse(&other_calendar, &ChosenColumns::default());
    assert!(why.contains("of the calendar '360_day'"), "{why}");
    // A grid: its times are not those of its positions.
    let grid: [Variable<'_>; 3] = [
        ("time", &["time"], &[], Numbers(&[0.0, 1.0])),
        ("lat", &["y", "x"], &[], Numbers(&[60.0, 61.0, 62.0, 63.0])),
        ("lon", &["y", "x"], &[], Numbers(&[5.0, 5.0, 6.0, 6.0])),
    ];
    let grid = netcdf(&[("time", 2), ("y", 2), ("x", 2)], &grid);
    assert_eq!(
        refuse(&grid, &ChosenColumns::default()),
        "'lat' has 4 values along other dimensions than the 2 times: one for each is expected, or one \
         for all"
    );
    let chosen = ChosenColumns {
        id: IdChoice::Column("nope".to_owned()),
        ..ChosenColumns::default()
    };
    let [_, lat, lon] = variables;
    let plain: [Variable<'_>; 3] = [("time", &["time"], &[], Numbers(&[1e9, 1.1e9])), lat, lon];
    let why = refuse(&netcdf(&[("time", 2)], &plain), &chosen);
    assert!(why.contains("no column 'nope'"), "{why}");
}
