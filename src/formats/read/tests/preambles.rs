//! What is above the names of a table, cells that blanks part, and degrees and minutes in one
//! number.

use super::columns::first;
use super::*;

const FIX: (f64, f64, f64) = (1_795_152_600.0, 60.5, -5.25);
const ROW: &str = "2026-11-20T05:30:00Z,60.5,-5.25\n";

#[test]
fn lines_above_the_names_are_passed_over_and_counted() {
    for (above, lines) in [
        ("Drifter 12 of the Fram Strait\n", "1 line"),
        (
            "Created: 2026-11-20\nPI: A. Nobody, Somewhere\n\n",
            "2 lines",
        ),
        ("\"Title, with a comma\"\n# a remark\nserial,7\n", "3 lines"),
        ("Latitude: see below, time, too\n", "1 line"),
    ] {
        let text = format!("{above}time,lat,lon\n{ROW}yesterday,60,5\n");
        assert_eq!(first(&text), Ok(FIX), "{text}");
        let found = tracks(&text).unwrap();
        let note = format!("{lines} above the names of the columns are passed over");
        assert_eq!(found.notes, [note], "{text}");
        // The lines are those of the file.
        let line = found.tracks[0].records.unusable[0].line;
        assert_eq!(line, Some(above.lines().count() as u64 + 3), "{text}");
    }
    let quiet = tracks(&format!("\n\ntime,lat,lon\n{ROW}")).unwrap();
    assert_eq!(quiet.notes, Vec::<String>::new());
    // A line within quotes has no names.
    let text = format!("\"a note\ntime,lat,lon\",time,lat,lon\nx,{ROW}");
    assert_eq!(first(&text), Ok(FIX));
    // Beyond the first two hundred lines there are none, and what is said is about the first line.
    let far = format!("{}time,lat,lon\n{ROW}", "title\n".repeat(201));
    for text in [far.as_str(), "title\nmore\n", "title\nmore"] {
        let why = refused(text);
        assert!(why.ends_with("the columns are title; choose with --time-column, --latitude-column, --longitude-column"), "{why}");
    }
    // The row of the units may follow remarks.
    let text = format!("title\ntime,lat,lon\n# remark\nUTC,degrees,degrees\n{ROW}");
    let found = tracks(&text).unwrap();
    assert_eq!(found.tracks[0].records.unusable_count(), 0);
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
}

#[test]
fn remarks_may_begin_with_a_percent_sign_or_be_long_and_bars_may_part_cells() {
    let names = "time,lat,lon\n";
    let long = format!(
        "/* DATA DESCRIPTION:\n{}*/\n",
        "Event(s):\tx, y\n".repeat(300)
    );
    let bars = ROW.replace(',', " | ");
    let boxed = format!(
        "+---+---+---+\n| time | lat | lon |\n|---|:--|---|\n| {} |\n",
        bars.trim()
    );
    for text in [
        format!("% program : x\n% when\n{names}{ROW}"),
        format!("% a remark\n%time,lat,lon\n{ROW}% remark\n"),
        format!("{long}{names}{ROW}"),
        format!("{long}# more\n{names}{ROW}"),
        format!("time|lat|lon\n{}", ROW.replace(',', "|")),
        format!(" time | lat | lon \n---+---+---\n {bars}"),
        boxed,
    ] {
        assert_eq!(first(&text), Ok(FIX), "{text}");
        let records = &tracks(&text).unwrap().tracks[0].records;
        assert_eq!(records.unusable_count(), 0, "{text}");
    }
}

#[test]
fn a_zone_in_the_lines_above_is_that_of_times_without_one() {
    let table = |above: &str, name: &str, time: &str| {
        let text = format!("Name:CatLog\n{above}\n\n{name},lat,lon\n{time},60.5,-5.25\n");
        let found = tracks(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let fix = &found.tracks[0].records.transmissions[0];
        (fix.time_stamp - FIX.0, found.notes[1..].join("; "))
    };
    let local = "2026-11-20 05:30:00";
    let said = |name: &str| format!("times without a zone are taken as of the zone in '{name}'");
    for (above, zone_s) in [
        ("Time Zone:UTC+01:00", 3600.0),
        ("Time zone,GMT-2,,", -7200.0),
        ("# UTC offset = +5.5", 19_800.0),
        ("\"tz\";\"Europe/Oslo\"", 3600.0),
    ] {
        let (moved, notes) = table(above, "time", local);
        assert_eq!(moved, -zone_s, "{above}");
        assert_eq!(notes.matches("times without a zone").count(), 1, "{notes}");
    }
    let above = "Time Zone:UTC+01:00";
    assert_eq!(table(above, "time", local).1, said("Time Zone"));
    // What is nearer to the time counts.
    assert_eq!(table(above, "time (UTC)", local).0, 0.0);
    assert_eq!(
        table(above, "time", &format!("{local}Z")),
        (0.0, String::new())
    );
    let (moved, notes) = table("Time Zone:CET", "time", local);
    assert!(
        moved == 0.0 && notes.contains("the zone 'CET' above"),
        "{notes}"
    );
}

#[test]
fn the_line_that_looks_like_names_is_the_one_that_lacks_them() {
    let above = "Report of a collar\nModel,TGW-4\nHeaders Row,4\n";
    let known = "Acquisition Time,GPS Fix Time,GPS Latitude,GPS Longitude\n";
    let row = "2026.11.20 05:30:00,2026.11.20 05:30:00,60.5,-5.25\n";
    assert_eq!(first(&format!("{above}{known}{row}")), Ok(FIX));
    for (names, lacks) in [
        (
            "when,Breite,Laenge,Temp",
            "line 4: no column is the time, the latitude, the longitude",
        ),
        (
            "time,Breite,Laenge,\"Temp\"",
            "line 4: no column is the latitude, the longitude",
        ),
        ("time,lat,x1,x2", "line 4: no column is the longitude"),
        (
            "when,Breite,Laenge",
            "line 4: no column is the time, the latitude, the longitude",
        ),
    ] {
        // A spreadsheet fills the lines above up.
        let above = match names.matches(',').count() {
            2 => above.replace('\n', ",,\n"),
            _ => above.to_owned(),
        };
        let row = match names.matches(',').count() {
            2 => "12,60.5,-5.25",
            _ => "12,60.5,-5.25,7",
        };
        let why = refused(&format!("{above}{names}\n{row}\n"));
        assert!(
            why.starts_with(lacks) && why.contains(&names.replace(',', ", ").replace('"', "")),
            "{why}"
        );
    }
    let chosen = ChosenColumns {
        time: Some("nope".to_owned()),
        ..ChosenColumns::default()
    };
    let why = read(format!("{above}{known}{row}").as_bytes(), &chosen).unwrap_err();
    assert!(
        why.to_string().contains("the columns are Acquisition Time"),
        "{why}"
    );
    // Numbers without names have no line that looks like these.
    let why = refused("76.6 0 128.4\n.81 0 111.2\n8.7 0 21.7\n");
    assert!(!why.starts_with("line 2"), "{why}");
    // Names alone may have no line end.
    for text in [
        "time,lat,lon",
        "title\ntime,lat,lon",
        "title\ntime,lat,lon\n",
    ] {
        assert_eq!(refused(text), "there is no fix in it");
    }
}

#[test]
fn the_rows_of_units_and_of_bytes_of_a_slocum_are_no_fixes() {
    let names = "dbd_label: DBD_ASC\nm_present_time m_gps_lat m_gps_lon m_depth \n";
    let row = "1795152600 6030.0 -515.0 0.5 \n";
    for below in [
        "timestamp lat lon m \n8 8 8 4 \n",
        "timestamp lat lon m \n",
        "",
    ] {
        let text = format!("{names}{below}{row}");
        assert_eq!(first(&text), Ok(FIX), "{text}");
        let records = &tracks(&text).unwrap().tracks[0].records;
        assert_eq!(
            (records.transmissions.len(), records.unusable_count()),
            (1, 0)
        );
    }
}

#[test]
fn blanks_part_cells_where_they_part_each_row_alike() {
    let row = "2026 11 20 05 30   60.5   -5.25  7.0\n";
    for names in [
        "#YY  MM DD hh mm LAT LON WSPD\n#yr  mo dy hr mn deg deg m/s\n",
        "YY  MM DD hh mm LAT LON WSPD\nyr  mo dy hr mn deg deg m/s\n",
        "Buoy 41 of the bay\nYY  MM DD hh mm LAT LON WSPD\n",
        "# YY MM DD hh mm LAT LON WSPD\n",
    ] {
        let text = format!("{names}{row}2026 11 20 06 30 60.5 7.0\n");
        assert_eq!(first(&text), Ok(FIX), "{text}");
        let records = &tracks(&text).unwrap().tracks[0].records;
        let fault = &records.unusable[0].fault;
        assert_eq!(fault.to_string(), "it has 7 cells under 8 names");
    }
    // A remark of words above a table is none of its names.
    let text = format!("# time lat lon\ntime,lat,lon\n{ROW}");
    assert_eq!(first(&text), Ok(FIX));
    assert!(refused("time lat lon\n2026-11-20 05:30 60.5 -5.25\n").contains("no column is"));
}

#[test]
fn degrees_and_minutes_in_one_number_are_read_where_a_name_or_a_unit_says_so() {
    for names in [
        "m_present_time,m_gps_lat,m_gps_lon\n",
        "m_present_time,m_lat,m_lon\ntimestamp,lat,lon\n",
        "time,lat (DDMM.mmm),lon (DDDMM.mmm)\n",
        "time,lat [ddmm.mmmm],lon [dddmm.mmmm]\n",
        "time,lat (NMEA),lon (nmea)\n",
        "time,lat,lon\nUTC,degrees minutes,degrees minutes\n",
        "time,lat (deg min),lon (degrees decimal minutes)\n",
    ] {
        let text = format!("{names}1795152600,6030.0,-515.000\n");
        assert_eq!(first(&text), Ok(FIX), "{text}");
        let note = tracks(&text).unwrap().notes.join("; ");
        assert_eq!(
            note.matches("as DDMM.mmm, degrees and minutes").count(),
            2,
            "{note}"
        );
    }
    let names = "time,lat (ddmm.mmm),lon (ddmm.mmm)\n";
    for (latitude, longitude) in [
        ("6030N", "00515.00W"),
        ("\"6030,0\"", "W 515"),
        ("60 30", "-5 15.0"),
        ("60\u{b0}30'N", "5\u{b0}15'W"),
    ] {
        let text = format!("{names}1795152600,{latitude},{longitude}\n");
        assert_eq!(first(&text), Ok(FIX), "{text}");
    }
    let json = r#"[{"m_present_time":1795152600,"m_gps_lat":6030,"m_gps_lon":-515}]"#;
    assert_eq!(first(json), Ok(FIX));
    // Of Slocum's own degrees a unit says so.
    let text = "m_present_time,m_gps_lat (degrees),m_gps_lon (degrees)\n1795152600,60.5,-5.25\n";
    assert_eq!(first(text), Ok(FIX));
    let why = refused(&format!("{names}1795152600,6075,515\n"));
    assert_eq!(
        why,
        "line 2: latitude 6075 has 60 minutes or more: it is no DDMM.mmm"
    );
    // Nothing says so.
    for row in ["6030.0,515", "60.5,18130.5"] {
        let why = refused(&format!("time,lat,lon\n1795152600,{row}\n"));
        assert!(
            why.ends_with("; NMEA's DDMM.mmm is read below a name with '(ddmm.mmm)' behind it"),
            "{why}"
        );
    }
    // Neither do metres.
    for latitude in ["95", "5460839.1"] {
        let why = refused(&format!("time,lat,lon\n1795152600,{latitude},5\n"));
        assert_eq!(
            why,
            format!("line 2: latitude {latitude} is outside -90 to 90")
        );
    }
}
