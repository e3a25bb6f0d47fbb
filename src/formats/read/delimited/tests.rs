//! Tables of text: what stands above and below the names, and numbers as people write them.

use crate::formats::read::{ChosenColumns, FileTracks, ReadError, read};
use crate::track::field::FieldValue;

fn tracks(text: &str) -> Result<FileTracks, ReadError> {
    read(text.as_bytes(), &ChosenColumns::default())
}

#[test]
fn units_below_the_names_a_mark_and_rows_that_are_short_do_no_harm() {
    let text = "\u{feff}time,latitude,longitude,sst\nUTC,degrees_north,degrees_east,degree_C\n\
        2026-11-23T00:00:00Z,60,5,1\n2026-11-23T01:00:00Z,61\n2026-11-23T02:00:00Z,62,5\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    assert_eq!(
        (records.transmissions.len(), records.unusable_count()),
        (2, 1)
    );
    assert_eq!(
        records.unusable[0].fault.to_string(),
        "longitude is missing"
    );
    let invalid = records.invalid_times[0];
    assert_eq!(
        (invalid.time_stamp, invalid.lacks_position),
        (1_795_395_600.0, true)
    );
}

#[test]
fn units_in_a_heading_or_below_it_say_how_a_number_is_read() {
    let position = |names: &str, row: &str| {
        let read = tracks(&format!("{names}\n{row}\n"));
        let read = read.map_err(|error| error.to_string())?;
        let fix = read.tracks[0].records.transmissions[0];
        Ok::<_, String>((
            fix.time_stamp,
            fix.position.latitude,
            fix.position.longitude,
        ))
    };
    let names = "time (days since 1950-01-01),lat (degrees_south),lon [deg W]";
    let read = Ok((1_788_069_600.0, -60.0, -5.0));
    assert_eq!(position(names, "28000.25,60,5"), read);
    let units = "time,lat,lon\ndays since 1950-01-01T00:00:00Z,degrees_south,degrees_west";
    assert_eq!(position(units, "28000.25,60,5"), read);
    // A sign is to the south and to the west, too.
    assert_eq!(position(names, "28000.25,-60,-5"), read);
    for names in ["time,lat (N),lon (\u{b0}E)", "time,lat (WGS84),lon (deg)"] {
        let signed = Ok((1_790_000_000.0, -60.0, -5.0));
        assert_eq!(position(names, "1790000000,-60,-5"), signed, "{names}");
    }
    for (names, fault) in [
        (
            "time,lat (gon),lon",
            "'lat (gon)' is not in degrees: degrees",
        ),
        ("time,y (m),x (m)", "'y (m)' is not in degrees: degrees"),
        ("time (months since 1950-01-01),lat,lon", "no count of time"),
    ] {
        let fault_read = position(names, "1790000000,1,1").unwrap_err();
        assert!(fault_read.contains(fault), "{fault_read}");
    }
}

#[test]
fn a_quote_that_is_not_closed_is_a_fault_and_lines_within_quotes_are_not() {
    let read = |last: &str| {
        let text = format!("time,lat,lon,note\n1790000000,60,5,a\n1790003600,60,5,{last}");
        tracks(&text).unwrap().tracks.remove(0).records
    };
    let open = read("\"wet\n1790007200,60,5,b\n1790010800,60,5,c\n");
    assert_eq!(open.transmissions.len(), 1);
    assert_eq!(
        open.unusable[0].fault.to_string(),
        "a quote is not closed: it swallows the 2 lines after it"
    );
    // The next quote closes it: the rows between are its cell, and that is reported, too.
    let closed = read("\"wet\n1790007200,60,5,b\n1790010800,60,5,\"cold\n1790014400,60,5,d\n");
    assert_eq!(closed.transmissions.len(), 2);
    assert_eq!(
        closed.unusable[0].fault.to_string(),
        "a quote is not closed: it swallows the 2 lines after it"
    );
    let quoted = read("\"wet\n\"1790007200\",\"60\",\"5\",\"b\"\n");
    assert_eq!(quoted.transmissions.len(), 1);
    assert_eq!(
        read("\"wet\nand cold, but\nwell\"\n").transmissions.len(),
        2
    );
    assert_eq!(read("5\" ring\n").transmissions.len(), 2);
}

#[test]
fn fields_with_one_name_are_numbered() {
    let text = "time,lat,lon,temp,temp,,\n1790000000,60,5,1,2,3,4\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    let names: Vec<&str> = records.fields.of_fix(0).map(|(name, _)| name).collect();
    assert_eq!(names, ["temp", "temp 2", "", " 2"]);
}

#[test]
fn lines_above_the_names_are_passed_over() {
    let row = "1790000000;60,5;5";
    for head in [
        "sep=;\r\ntime;lat;lon",
        "SEP=;\ntime;lat;lon",
        "# buoy 7, at 60,5\n# by hand\ntime;lat;lon",
        "# buoy 7\n#time;lat;lon",
        "# buoy 7\nsep=;\n# time ; lat ; lon",
    ] {
        let read = tracks(&format!("{head}\n{row}\n")).unwrap();
        let records = &read.tracks[0].records;
        let fix = records.transmissions[0];
        assert_eq!(
            (fix.position.latitude, records.transmissions.len()),
            (60.5, 1),
            "{head}"
        );
    }
    // Below the names it is a row, which is counted and named by its line.
    let below = tracks("# a\ntime,lat,lon\n#1,2,3\n").unwrap_err();
    assert!(
        below.to_string().starts_with("line 3: '#1' is no time"),
        "{below}"
    );
}

#[test]
fn a_decimal_comma_is_read_where_cells_are_parted_otherwise() {
    let text = "time;lat;lon;sst;note\n2026-11-23T00:00:00Z;60,5;5,25;-1,5;1,2,3\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    let fix = records.transmissions[0];
    assert_eq!(
        (fix.position.latitude, fix.position.longitude),
        (60.5, 5.25)
    );
    let fields: Vec<_> = records.fields.of_fix(0).collect();
    let expected = [
        ("sst", FieldValue::Number(-1.5)),
        ("note", FieldValue::Text("1,2,3")),
    ];
    assert_eq!(fields, expected);
    // Whatever the order of the rows, of which some have whole degrees.
    let rows = ["1790000000;60;5;-1,5", "1790000060;60,5;5;2,25"];
    for order in [[0, 1], [1, 0]] {
        let text = format!(
            "time;lat;lon;sst\n{}\n",
            order.map(|row| rows[row]).join("\n")
        );
        let fields = &tracks(&text).unwrap().tracks[0].records.fields;
        let sst = order.map(|fix| fields.of_fix(fix).next().unwrap().1);
        assert_eq!(sst, [-1.5, 2.25].map(FieldValue::Number), "{text}");
    }
    // Between commas it parts a number, and all behind it is in a wrong column.
    let text = "time,lat,lon,\n1790000000,60,5,5,25\n1790000060,60,5,,\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    let fault = records.unusable[0].fault.to_string();
    assert_eq!(fault, "it has 5 cells under 4 names");
    assert_eq!(records.transmissions.len(), 1);
    // Degrees with a point are whole: a text behind them may have commas.
    let text = "time,lat,lon,note\n1790000000,60.5,5.25,calm, later fog\n1790000060,60.5,5.25,x\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    assert_eq!(
        (records.transmissions.len(), records.unusable.len()),
        (2, 0)
    );
}

#[test]
fn positions_may_have_minutes_and_seconds() {
    let text = "time,lat,lon\n1790000000,54°10.8'N,7 53.4 W\n\
        1790000060,\"54°10'48\"\"S\",7.5E\n";
    let read = tracks(text).unwrap();
    let positions = read.tracks[0].records.transmissions.iter();
    let positions = positions.map(|fix| (fix.position.latitude, fix.position.longitude));
    assert_eq!(
        positions.collect::<Vec<_>>(),
        [(54.18, -7.89), (-54.18, 7.5)]
    );
}

#[test]
fn numbers_that_are_no_unix_seconds_are_named() {
    let read = tracks("date,lat,lon\n44275,60,5\n44276.5,60,5\n").unwrap();
    let note = "times that are numbers are taken as UNIX time: the latest is 1970-01-01T12:17:56Z; \
        --time-format reads others, such as excel for days of a spreadsheet";
    assert_eq!(read.notes, [note]);
}

#[test]
fn a_quote_in_the_line_of_names_that_is_not_closed_is_named() {
    let rows = "2024-01-01T00:00:00Z,10,20,1\n2024-01-01T01:00:00Z,10,20,\"x\n\
        2024-01-01T02:00:00Z,10,20,3\n";
    let fault = tracks(&format!("time,lat,lon,\"v\n{rows}")).unwrap_err();
    assert!(
        fault.to_string().contains("a quote is not closed"),
        "{fault}"
    );
}

#[test]
fn sides_that_contradict_each_other_are_no_position() {
    for text in [
        "time,lat (S),lon (W)\n1790000000,10N,20E\n",
        "time,lat,N/S,lon,E/W\n1790000000,10N,S,20 W,E\n",
        "time,lat,lon\nUTC,degrees_south,degrees_east\n1790000000,10 30 N,20\n",
    ] {
        let fault = tracks(text).unwrap_err().to_string();
        assert!(
            fault.contains("latitude is north and south at once"),
            "{fault}"
        );
    }
    let read = tracks("time,lat (S),lon,E/W\n1790000000,10S,20 W,W\n").unwrap();
    let position = read.tracks[0].records.transmissions[0].position;
    assert_eq!((position.latitude, position.longitude), (-10.0, -20.0));
}

#[test]
fn remarks_above_and_among_the_rows_are_no_rows() {
    let text = "# made by a program\n# y\ntime,lat,lon\n1790000000,10,20\n# end\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    assert_eq!(
        (records.transmissions.len(), records.unusable_count()),
        (1, 0)
    );
}

#[test]
fn times_without_colons_are_no_midnight_and_the_name_of_a_zone_decides() {
    let time = |row: &str| {
        let read = tracks(&format!("time,lat,lon\n{row},10,20\n")).unwrap();
        let time = read.tracks[0].records.transmissions[0].time_stamp;
        (time, read.notes.join("; "))
    };
    let (utc, note) = time("20240201T100000");
    assert_eq!((utc, note.contains("midnight")), (1_706_781_600.0, false));
    // Berlin is an hour ahead of UTC in February, India 5.5 h all the year.
    for (row, ahead_s) in [
        ("2024-02-01T10:00:00[Europe/Berlin]", 3600.0),
        ("2024-02-01T10:00:00[+05:30]", 19_800.0),
    ] {
        assert_eq!(time(row), (utc - ahead_s, String::new()), "{row}");
    }
    let unknown = tracks("time,lat,lon\n2024-02-01T10:00:00[Nowhere/Else],10,20\n");
    assert!(unknown.unwrap_err().to_string().contains("is no time"));
    // A date and a time of day as one number.
    assert_eq!(time("202402011000").0, utc);
}

#[test]
fn fields_of_a_table_of_driftline_may_have_the_name_of_any_column() {
    let names = "time,time_stamp,latitude,longitude,distance_m,speed_m_s,course_deg,gap_s,\
        qc_flag,qc_reason,date,lat,id,field_qc_flag,platform_code";
    let row = "2024-02-01T10:00:00Z,1706781600,10,20,,,,,1,,x,7,a,8,9";
    let again = row
        .replace(",a,", ",b,")
        .replace("1706781600", "1706781601");
    let read = tracks(&format!("{names}\n{row}\n{again}\n")).unwrap();
    assert_eq!(read.tracks.len(), 1);
    let fields = &read.tracks[0].records.fields;
    let names: Vec<&str> = fields.columns().map(|column| column.name()).collect();
    assert_eq!(names, ["date", "lat", "id", "qc_flag", "platform_code"]);
}
