//! Times of whole columns: what one row does not tell, the others do.

mod digits;

use super::*;
use crate::mapping::TimeFormat;
use crate::track::time::{parse, rfc3339};

/// The times of the fixes of a table with these times, and the sentences about them.
fn times_with(
    times: &[&str],
    chosen: &ChosenColumns,
) -> Result<(Vec<String>, Vec<String>), String> {
    let rows: String = times.iter().map(|time| format!("{time};60;5\n")).collect();
    let text = format!("time;lat;lon\n{rows}");
    let found = read(text.as_bytes(), chosen).map_err(|error| error.to_string())?;
    let records = &found.tracks[0].records;
    let times = records.transmissions.iter();
    let times = times.map(|fix| rfc3339(fix.time_stamp).replace(":00Z", "Z"));
    Ok((times.collect(), found.notes))
}

fn times(times: &[&str]) -> Result<(Vec<String>, Vec<String>), String> {
    times_with(times, &ChosenColumns::default())
}

#[test]
fn a_time_of_another_pattern_is_refused_and_the_flag_reads_it() {
    for (time, pattern, expected) in [
        ("8/17/16 22:48", "%m/%d/%y %H:%M", "2016-08-17T22:48Z"),
        (
            "13/01/05 17:46:00",
            "%d/%m/%y %H:%M:%S",
            "2005-01-13T17:46Z",
        ),
        ("17.8.16 10:48 PM", "%d.%m.%y %I:%M %p", "2016-08-17T22:48Z"),
        ("6-18-03", "%m-%d-%y", "2003-06-18T00:00Z"),
    ] {
        let why = times(&[time]).unwrap_err();
        assert!(why.contains("--time-format with the pattern"), "{why}");
        let chosen = ChosenColumns {
            time_format: TimeFormat::read(pattern),
            ..ChosenColumns::default()
        };
        assert_eq!(times_with(&[time], &chosen).unwrap().0, [expected]);
    }
    for time in ["yesterday", "06/05/03 1:00"] {
        let why = times(&[time]).unwrap_err();
        assert!(why.ends_with("such as '%d.%m.%y %H:%M'"), "{why}");
    }
}

#[test]
fn a_blank_may_follow_the_letter_between_date_and_time_of_day() {
    let rows = [
        "2016-08-27T 01:30:00.00Z",
        "2016-08-27T 02:30",
        "2016-08-27t 03:30:00Z",
    ];
    let hours = ["01", "02", "03"].map(|hour| format!("2016-08-27T{hour}:30Z"));
    assert_eq!(times(&rows).unwrap().0, hours);
}

#[test]
fn the_order_of_day_and_month_is_that_of_the_whole_column() {
    let utc = "times without a zone are taken as UTC";
    for (rows, expected, order) in [
        (
            ["03/04/2021 10:00", "20/03/2021 00:22"],
            ["2021-04-03T10:00Z", "2021-03-20T00:22Z"],
            "day/month",
        ),
        (
            ["20/03/2021 00:22", "03/04/2021 10:00"],
            ["2021-03-20T00:22Z", "2021-04-03T10:00Z"],
            "day/month",
        ),
        (
            ["03/04/2021 10:00", "03/20/2021 00:22"],
            ["2021-03-04T10:00Z", "2021-03-20T00:22Z"],
            "month/day",
        ),
        (
            ["7/27/2021 1:44 PM", "8/1/2021 1:44 AM"],
            ["2021-07-27T13:44Z", "2021-08-01T01:44Z"],
            "month/day",
        ),
        (
            ["1.2.2021 10:00", "13.2.2021 10:00"],
            ["2021-02-01T10:00Z", "2021-02-13T10:00Z"],
            "day/month",
        ),
        (
            ["01-02-2021 10:00", "01-31-2021 10:00"],
            ["2021-01-02T10:00Z", "2021-01-31T10:00Z"],
            "month/day",
        ),
    ] {
        let (found, notes) = times(&rows).unwrap();
        assert_eq!(found, expected, "{rows:?}");
        let by = rows
            .iter()
            .find(|row| {
                ["20", "27", "13", "31"].iter().any(|day| {
                    row.contains(&format!("{day}/"))
                        || row.contains(&format!("{day}."))
                        || row.contains(&format!("{day}-"))
                })
            })
            .unwrap();
        assert_eq!(
            notes,
            [format!(
                "{utc}; dates are taken as {order}/year, as '{by}' shows"
            )]
        );
    }
    // Nothing is to be decided: day and month are the same.
    let (_, notes) = times(&["05/05/2021 00:22", "06/06/2021 00:22"]).unwrap();
    assert_eq!(notes, [utc]);
}

#[test]
fn dates_of_which_nothing_shows_the_order_are_refused_with_both_readings() {
    for (rows, readings) in [
        (
            ["03/04/2021 10:00", "05/06/2021 10:00"],
            "'03/04/2021 10:00' is 2021-04-03 or 2021-03-04",
        ),
        (
            ["1.2.2021", "12.12.2021"],
            "'1.2.2021' is 2021-02-01 or 2021-01-02",
        ),
        (
            ["10:00:05 1-2-2021", "2021-02-01T00:00:00Z"],
            "'10:00:05 1-2-2021' is 2021-02-01 or 2021-01-02",
        ),
    ] {
        let why = times(&rows).unwrap_err();
        let flag = "choose with --time-format, such as '%d/%m/%Y %H:%M:%S'";
        assert!(why.contains(readings) && why.contains(flag), "{why}");
    }
}

#[test]
fn a_row_of_the_other_order_is_invalid() {
    let rows = ["20/03/2021 00:22", "03/21/2021 00:22", "22/03/2021 00:22"];
    assert_eq!(
        times(&rows).unwrap().0,
        ["2021-03-20T00:22Z", "2021-03-22T00:22Z"]
    );
}

#[test]
fn the_times_of_invalid_rows_follow_the_order_too() {
    let text =
        "id,time,lat,lon\na,03/04/2021,60,5\na,04/04/2021,,5\nb,05/04/2021,,5\nb,03/20/2021,60,5\n";
    let found = tracks(text).unwrap();
    let invalid: Vec<_> = (found.tracks.iter())
        .map(|track| track.records.invalid_times[0].time_stamp)
        .collect();
    let expected = ["2021-04-04", "2021-05-04"].map(|time| parse(time, 0.0).unwrap());
    assert_eq!(invalid, expected);
    let first = found.tracks[0].records.transmissions[0].time_stamp;
    assert_eq!(first, parse("2021-03-04", 0.0).unwrap());
}

#[test]
fn digits_throughout_a_column_that_make_dates_are_dates() {
    for (rows, expected) in [
        (
            ["20221201", "20221202"],
            ["2022-12-01T00:00Z", "2022-12-02T00:00Z"],
        ),
        (
            ["202212011030", "202212020000"],
            ["2022-12-01T10:30Z", "2022-12-02T00:00Z"],
        ),
        (
            ["20250724173418", "20250724183400"],
            ["2025-07-24T17:34:18Z", "2025-07-24T18:34Z"],
        ),
        // One that is no date makes all of them UNIX time.
        (
            ["20221201", "20221301"],
            ["1970-08-23T01:00:01Z", "1970-08-23T01:01:41Z"],
        ),
        (
            ["20221301", "20221201"],
            ["1970-08-23T01:01:41Z", "1970-08-23T01:00:01Z"],
        ),
        (
            ["1669852800", "1669939200"],
            ["2022-12-01T00:00Z", "2022-12-02T00:00Z"],
        ),
        (
            ["1669852800000", "1669939200000"],
            ["2022-12-01T00:00Z", "2022-12-02T00:00Z"],
        ),
        // No date of these: a year before 1950, and UNIX time in milliseconds.
        (
            ["19491201", "19491202"],
            ["1970-08-14T14:13:21Z", "1970-08-14T14:13:22Z"],
        ),
        (
            ["946684800000", "946684860000"],
            ["2000-01-01T00:00Z", "2000-01-01T00:01Z"],
        ),
    ] {
        assert_eq!(times(&rows).unwrap().0, expected, "{rows:?}");
    }
    // Fourteen digits are never the year 2611.
    assert_eq!(
        times(&["0", "20250724173418"]).unwrap().0,
        ["1970-01-01T00:00Z", "2025-07-24T17:34:18Z"]
    );
    let (_, notes) = times(&["20221201", "20221202"]).unwrap();
    assert_eq!(
        notes,
        [
            "times without a zone are taken as UTC; dates without a time of day are taken as midnight"
        ]
    );
    let zoned = tracks("time (UTC+2),lat,lon\n202212011030,60,5\n").unwrap();
    let time = zoned.tracks[0].records.transmissions[0].time_stamp;
    assert_eq!(time, parse("2022-12-01T08:30:00Z", 0.0).unwrap());
    // Of JSON, whose numbers have no digits of their own.
    let json = tracks(r#"[{"time":20250724173418,"lat":60,"lon":5}]"#).unwrap();
    let time = json.tracks[0].records.transmissions[0].time_stamp;
    assert_eq!(time, parse("2025-07-24T17:34:18Z", 0.0).unwrap());
}

#[test]
fn a_format_that_is_given_reads_every_time() {
    let read = |format: &str, rows: &[&str]| {
        let chosen = ChosenColumns {
            time_format: TimeFormat::read(format),
            ..ChosenColumns::default()
        };
        times_with(rows, &chosen)
    };
    for (format, row, expected) in [
        ("%d/%m/%Y %H:%M", "03/04/2021 10:00", "2021-04-03T10:00Z"),
        ("%m/%d/%Y %H:%M", "03/04/2021 10:00", "2021-03-04T10:00Z"),
        ("%y%m%d %H%M%S", "250724 173418", "2025-07-24T17:34:18Z"),
        ("excel", "44275.0153", "2021-03-20T00:22:01.92Z"),
        ("unix_ms", "20221201", "1970-01-01T05:37:01.201Z"),
        ("unix", "20221201", "1970-08-23T01:00:01Z"),
        ("year_doy", "2022 345.5", "2022-12-11T12:00Z"),
        ("iso", "2022-12-11 12:00", "2022-12-11T12:00Z"),
    ] {
        let (found, _) = read(format, &[row]).unwrap();
        assert_eq!(found, [expected], "{format}");
    }
    let why = read("%d.%m.%Y", &["2021-03-04"]).unwrap_err();
    assert_eq!(
        why,
        "line 2: '2021-03-04' is no time of --time-format '%d.%m.%Y'"
    );
    let json = r#"[{"time":44275,"lat":60,"lon":5}]"#;
    let chosen = ChosenColumns {
        time_format: Some(TimeFormat::Excel),
        ..ChosenColumns::default()
    };
    let found = super::read(json.as_bytes(), &chosen).unwrap();
    let time = found.tracks[0].records.transmissions[0].time_stamp;
    assert_eq!(time, parse("2021-03-20", 0.0).unwrap());
    for text in [
        "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-11-23T00:00:00Z</time></trkpt></trkseg></trk></gpx>",
        "<kml><Placemark><gx:Track><when>2026-11-23T00:00:00Z</when><gx:coord>2 1</gx:coord></gx:Track></Placemark></kml>",
        "CDF\u{1}",
    ] {
        let refused = super::read(text.as_bytes(), &chosen).unwrap_err();
        assert!(
            refused.to_string().contains("--time-format has no use for"),
            "{refused}"
        );
    }
}

#[test]
fn a_line_of_geojson_has_no_column_of_times() {
    let times = r#""2026-11-23T00:00:00Z","2026-11-23T01:00:00Z""#;
    let line = r#""coordinates":[[5,60],[5,61]]"#;
    let own = format!(r#""properties":{{"coordTimes":[{times}]}}"#);
    let fourth = r#""coordinates":[[5,60,0,1795392000],[5,61,0,1795395600]]"#;
    let chosen = ChosenColumns {
        time: Some("seen".to_owned()),
        ..ChosenColumns::default()
    };
    for feature in [
        format!(r#"{{"type":"Feature","geometry":{{"type":"LineString",{line}}},{own}}}"#),
        format!(r#"{{"type":"Feature","geometry":{{"type":"MultiPoint",{line}}},{own}}}"#),
        format!(r#"{{"type":"Feature","geometry":{{"type":"LineString",{fourth}}}}}"#),
        format!(
            r#"{{"type":"Feature","temporalGeometry":{{"type":"MovingPoint",{line},"datetimes":[{times}]}}}}"#
        ),
    ] {
        assert!(tracks(&feature).is_ok(), "{feature}");
        let refused = super::read(feature.as_bytes(), &chosen).unwrap_err();
        let why = "--time-column has no use for a line of GeoJSON";
        assert_eq!(refused.to_string(), why);
    }
    // A line without times may lie next to points with them.
    let text = format!(
        r#"{{"type":"FeatureCollection","features":[{{"type":"Feature","geometry":{{"type":"LineString",{line}}}}},{{"type":"Feature","geometry":{{"type":"Point","coordinates":[5,60]}},"properties":{{"seen":1795392000}}}}]}}"#
    );
    let found = super::read(text.as_bytes(), &chosen).unwrap();
    assert_eq!(found.tracks[0].records.transmissions.len(), 1);
}

#[test]
fn date_and_time_of_day_may_be_two_columns() {
    for (names, row) in [
        ("date,time", "2022-12-11,00:29:39"),
        ("Date,Time (UTC)", "11-Dec-2022,00:29:39"),
        ("UTC_date,UTC_time", "20221211,002939"),
        ("GPS Date,GPS Time", "2022.12.11,00:29:39"),
        ("DATE,TIME", "13/12/2022,00:29:39"),
    ] {
        let found = tracks(&format!("{names},lat,lon\n{row},60,5\n"));
        let found = found.unwrap_or_else(|error| panic!("{names}: {error}"));
        let time = found.tracks[0].records.transmissions[0].time_stamp;
        let day = if row.starts_with("13") { "13" } else { "11" };
        let expected = parse(&format!("2022-12-{day}T00:29:39Z"), 0.0).unwrap();
        assert_eq!(time, expected, "{names}");
    }
    // Chosen by name, both at once.
    let text = "Lcl Date,Lcl Time,lat,lon\n2022-12-11,00:29:39,60,5\n";
    for name in ["Lcl Date,Lcl Time", "lcl date, lcl time"] {
        let chosen = ChosenColumns {
            time: Some(name.to_owned()),
            ..ChosenColumns::default()
        };
        let found = super::read(text.as_bytes(), &chosen).unwrap();
        let time = found.tracks[0].records.transmissions[0].time_stamp;
        assert_eq!(time, parse("2022-12-11T00:29:39Z", 0.0).unwrap());
    }
    let chosen = ChosenColumns {
        time: Some("Lcl Date,Nope".to_owned()),
        ..ChosenColumns::default()
    };
    let refused = super::read(text.as_bytes(), &chosen)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("no column 'Lcl Date,Nope'"), "{refused}");
}

#[test]
fn a_time_by_utc_is_taken_before_one_that_may_be_local() {
    let local = "2024-07-01 12:00:00";
    let utc = "2024-07-01 10:00:00";
    let read = |names: &str, cells: &[&str]| -> Result<String, String> {
        let text = format!("{names},lat,lon\n{},54.5,8.4\n", cells.join(","));
        let found = tracks(&text).map_err(|error| error.to_string())?;
        Ok(rfc3339(found.tracks[0].records.transmissions[0].time_stamp))
    };
    for names in [
        "time,datetime_utc",
        "timestamp,timestamp_utc",
        "date_time,UTC Date Time",
        "DateTime,GMT DateTime",
        "time (local),time utc date",
    ] {
        for (names, cells) in [
            (names.to_owned(), [local, utc]),
            (
                names
                    .rsplit_once(',')
                    .map(|(a, b)| format!("{b},{a}"))
                    .unwrap(),
                [utc, local],
            ),
        ] {
            let time = read(&names, &cells);
            assert_eq!(time.as_deref(), Ok("2024-07-01T10:00:00Z"), "{names}");
        }
    }
    let parts = ["2024-07-01", "12:00", "2024-07-01", "10:00"];
    let time = read("Date,Time,UTC Date,UTC Time", &parts);
    assert_eq!(time.as_deref(), Ok("2024-07-01T10:00:00Z"));
    // What may be a date or a time of day alone is for the user to choose.
    for (names, cells) in [
        ("time,time_utc", &[local, utc][..]),
        ("date_time,UTC", &[local, utc]),
        ("date,time,utc_time", &["2024-07-01", "12:00", "10:00"]),
    ] {
        let why = read(names, cells).unwrap_err();
        assert!(why.contains("--time-column"), "{names}: {why}");
    }
    // A heading with its zone says itself what it is.
    let time = read("time (UTC),utc_time", &[utc, "10:00"]);
    assert_eq!(time.as_deref(), Ok("2024-07-01T10:00:00Z"));
}

#[test]
fn parts_of_a_second_are_known_by_their_size_or_by_the_heading() {
    let expected = ["2025-12-01T10:42:36Z"];
    for time in [
        "1764585756",
        "1764585756000",
        "1764585756000000",
        "1764585756000000000",
        "1764585756,0",
        "1,764585756E9",
    ] {
        assert_eq!(times(&[time]).unwrap().0, expected, "{time}");
    }
    for (unit, parts) in [
        ("s", 1.0),
        ("ms", 1e3),
        ("us", 1e6),
        ("\u{b5}s", 1e6),
        ("ns", 1e9),
    ] {
        let text = format!("time ({unit});lat;lon\n{};60;5\n", 27_028.0);
        let found = tracks(&text).unwrap();
        let time = found.tracks[0].records.transmissions[0].time_stamp;
        assert_eq!(time, 27_028.0 / parts, "{unit}");
    }
}
