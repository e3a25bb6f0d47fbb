//! What stands next to the degrees and the times of a file: sides, minutes, texts with commas, units.

use super::columns::first;
use super::*;
use crate::track::time::parse;

#[test]
fn the_sides_of_degrees_are_in_columns_of_any_such_name_or_of_none() {
    let time = parse("2026-11-20T00:00:00Z", 0.0).unwrap();
    for (names, is_said) in [
        ("lat,hemi_ns,lon,hemi_ew", false),
        ("lat,GPSLatitudeRef,lon,GPSLongitudeRef", false),
        ("lat,NSInd,lon,EWInd", false),
        ("lat,lat_hemisphere,lon,lon_hemisphere", false),
        ("lat,hemi,lon,hemi2", true),
        ("lat,hemisphere,lon,hemisphere", true),
        ("lat,,lon,", true),
        // A letter of a side in one column, and of one in another, are the sides.
        ("lat,Lat Hem,lon,Lon Hem", true),
        ("lat,N or S,lon,E or W", true),
        ("lat,dir1,lon,dir2", true),
    ] {
        let row = "2026-11-20T00:00:00Z,60.5,S,5.5,W\n";
        let text = format!("time,{names}\n{}", row.repeat(4));
        assert_eq!(first(&text), Ok((time, -60.5, -5.5)), "{names}");
        let notes = tracks(&text).unwrap().notes.join("; ");
        assert_eq!(notes.contains("side of the equator"), is_said, "{notes}");
    }
    // Letters that say something else, and degrees with a sign.
    for text in [
        "time,lat,wind,lon\n2026-11-20T00:00:00Z,60.5,S,5.5\n",
        "time,lat,hemi,lon\n2026-11-20T00:00:00Z,60.5,S,5.5\n2026-11-20T01:00:00Z,-1,S,5.5\n",
        "time,lat,hemi,lon\n2026-11-20T00:00:00Z,60.5,S,5.5\n2026-11-20T01:00:00Z,1,good,5.5\n",
    ] {
        assert_eq!(first(text), Ok((time, 60.5, 5.5)), "{text}");
    }
}

#[test]
fn a_side_that_ends_the_name_of_degrees_is_theirs() {
    let text = "time,lat,Longitude W\n2026-11-20T00:00:00Z,60.5,5.5\n";
    let chosen = ChosenColumns {
        longitude: Some("Longitude W".to_owned()),
        ..ChosenColumns::default()
    };
    let read = read(text.as_bytes(), &chosen).unwrap();
    assert_eq!(
        read.tracks[0].records.transmissions[0].position.longitude,
        -5.5
    );
}

#[test]
fn the_half_of_the_day_is_in_a_column_of_its_own() {
    let noon = parse("2026-11-20T12:00:00Z", 0.0).unwrap();
    for (names, rows) in [
        (
            "Date,Time,AM/PM",
            "2026-11-20,9:00:00,AM 2026-11-20,12:00:00,PM 2026-11-20,1:30:00,pm 2026-11-20,12:30:00,AM",
        ),
        (
            "Date,Hour,Minute,AMPM",
            "2026-11-20,9,0,a.m. 2026-11-20,12,0,p.m. 2026-11-20,1,30,PM 2026-11-20,12,30,AM",
        ),
        (
            "timestamp,meridiem",
            "2026-11-20T09:00:00,AM 2026-11-20T12:00:00,PM 2026-11-20T01:30:00,PM 2026-11-20T12:30:00,AM",
        ),
    ] {
        let rows: String = rows.split(' ').map(|row| format!("{row},60,5\n")).collect();
        let file = tracks(&format!("{names},lat,lon\n{rows}")).unwrap();
        let times = file.tracks[0].records.transmissions.iter();
        let hours: Vec<f64> = times.map(|fix| (fix.time_stamp - noon) / 3600.0).collect();
        assert_eq!(hours, [-3.0, 0.0, 1.5, -11.5], "{names}");
        assert!(!file.notes.join(" ").contains("take turns"), "{names}");
    }
}

#[test]
fn minutes_in_a_column_of_their_own_are_refused_and_the_least_of_a_box_is_none() {
    for (names, last) in [
        ("lat,lat_min,lon,lon_min", "54,10,8,0"),
        ("latitude,minutes,longitude,minutes", "54,,8,"),
        ("LAT,LATM,LON,LONM", "54,60.0,8,NaN"),
        ("lat,lat_mm,lon,lon_mm", "54.25,0,8.5,0"),
    ] {
        let row = "2026-11-20T00:00:00Z,54,30.5,8,15\n";
        let text = format!("time,{names}\n{row}{row}{row}2026-11-20T01:00:00Z,{last}\n");
        let why = first(&text).unwrap_err();
        assert!(
            why.contains("whole degrees") && why.contains("54 30.5"),
            "{why}"
        );
    }
    let joined = "time,lat,lon\n2026-11-20T00:00:00Z,54 30.6,8 15\n";
    assert_eq!(first(joined).unwrap().1, 54.51);
    let bounds = "time,lat,lat_min,lon\n2026-11-20T00:00:00Z,54.5,54.1,8\n";
    assert_eq!(first(bounds).unwrap().1, 54.5);
}

#[test]
fn a_comma_in_a_text_moves_no_row_to_the_columns_beside() {
    let text = "time,note,lat,lon\n2026-11-20T00:00:00Z,off Malta,10.0,10.3\n\
                2026-11-20T01:00:00Z,buoy near piers 10, 10.1,10.2,10.3\n\
                2026-11-20T02:00:00Z,near piers 9, 11,10.2,10.3\n\
                2026-11-20T03:00:00Z,off Malta,10.1,10.3\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    assert_eq!(
        (records.transmissions.len(), records.unusable.len()),
        (2, 2)
    );
    // Where each row has a cell more, its name is missing.
    let unnamed = "time,lat,lon\n2026-11-20T00:00:00Z,1.5,2.5,x\n2026-11-20T01:00:00Z,1.5,2.5,y\n";
    assert_eq!(
        tracks(unnamed).unwrap().tracks[0]
            .records
            .transmissions
            .len(),
        2
    );
}

#[test]
fn a_unit_of_time_that_is_not_understood_is_named() {
    let note = |heading: &str| {
        let text = format!("{heading},lat,lon\n1456790418,1,2\n");
        tracks(&text).unwrap().notes.join("; ")
    };
    for heading in [
        "time (GPS seconds)",
        "time (ticks)",
        "time (min)",
        "time (GPS)",
    ] {
        assert!(note(heading).contains("is not known"), "{heading}");
    }
    for heading in [
        "time",
        "time (s)",
        "time [UNIX]",
        "time (unix ms)",
        "time (UTC)",
    ] {
        assert_eq!(note(heading), "", "{heading}");
    }
    for heading in [
        "time (Seconds Since 2016-1-1 0:0:0.0 +0000)",
        "time (seconds since 2016-01-01 00:00:00 UTC)",
    ] {
        let text = format!("{heading},lat,lon\n60,1,2\n");
        let time = parse("2016-01-01T00:01:00Z", 0.0).unwrap();
        assert_eq!(first(&text).map(|(time, _, _)| time), Ok(time), "{heading}");
    }
    let zoned = "time (hours since 2016-01-01 00:00:00 +02:00),lat,lon\n2,1,2\n";
    assert_eq!(
        first(zoned).unwrap().0,
        parse("2016-01-01T00:00:00Z", 0.0).unwrap()
    );
}

#[test]
fn both_degrees_of_one_column_are_in_the_order_that_its_cells_show() {
    for (name, cells, expected, order) in [
        (
            "Position",
            ["60.5,-5.25", "60.6,5"],
            (60.5, -5.25),
            "latitude, longitude",
        ),
        (
            "location",
            ["(10.5, 60.2)", "110.5;60.3"],
            (60.2, 10.5),
            "longitude, latitude, as '110.5;60.3' shows",
        ),
        (
            "GPS",
            ["60.5 10", "60.5 170"],
            (60.5, 10.0),
            "latitude, longitude, as '60.5 170' shows",
        ),
        (
            "Coordinates",
            ["60.5N 5.25W", "61N 5W"],
            (60.5, -5.25),
            "latitude, longitude, as '60.5N 5.25W' shows",
        ),
    ] {
        let [first, second] = cells;
        let text = format!(
            "time,{name}\n1790000000,\"{first}\"\n1790000060,\"x\"\n1790000120,\"{second}\"\n"
        );
        let found = tracks(&text).unwrap();
        let at = found.tracks[0].records.transmissions[0].position;
        assert_eq!((at.latitude, at.longitude), expected, "{text}");
        let note = format!("two numbers in one column are taken as {order}");
        assert_eq!(found.notes, [note], "{text}");
    }
    // A cell in the other order is no fix.
    let text = "time,location\n1790000000,\"60,170\"\n1790000060,\"170,60\"\n";
    assert_eq!(tracks(text).unwrap().tracks[0].records.unusable_count(), 1);
    // UNIX time next to the same in words, as Flightradar24 writes them.
    let text =
        "Timestamp,UTC,Callsign,Position\n1606742400,2020-11-30T13:20:00Z,A,\"60.5,-5.25\"\n";
    assert_eq!(first(text), Ok((1_606_742_400.0, 60.5, -5.25)));
}

#[test]
fn a_mark_of_no_fix_turns_no_positions_round() {
    let table = |cells: &[&str]| {
        let row = |(at, cell): (usize, &&str)| format!("17900{at:05},\"{cell}\"\n");
        let rows: String = cells.iter().enumerate().map(row).collect();
        tracks(&format!("time,Position\n{rows}"))
    };
    for mark in ["91.0, 0.0", "180, 90", "91, 181", "181 91"] {
        for at in [0, 1, 2] {
            let mut cells = vec!["54.18, 7.90"; 2];
            cells.insert(at, mark);
            let found = table(&cells).unwrap();
            let records = &found.tracks[0].records;
            let at = records.transmissions[0].position;
            assert_eq!((at.latitude, at.longitude), (54.18, 7.9), "{mark}");
            assert_eq!(records.unusable_count(), 1, "{mark}");
        }
    }
    // What one of many shows may be no fix; a mark next to others of its kind is a longitude.
    let mut cells = vec!["54.18, 7.90"; 20];
    cells[7] = "120.0, 0.0";
    let why = table(&cells).unwrap_err().to_string();
    assert!(
        why.contains("'120.0, 0.0' has the longitude first, or is no fix"),
        "{why}"
    );
    cells[9] = "95.5, 7.5";
    let found = table(&cells).unwrap();
    assert_eq!(
        found.tracks[0].records.transmissions[0].position.longitude,
        54.18
    );
    let found = table(&["91.0, 7.5", "90.5, 7.5"]).unwrap();
    assert_eq!(found.tracks[0].records.transmissions.len(), 2);
}
