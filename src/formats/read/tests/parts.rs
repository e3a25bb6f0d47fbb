//! Times whose parts are in columns of their own.

use super::*;
use crate::track::field::FieldValue;
use crate::track::time::rfc3339;

/// The times of the fixes of a table, and why its first invalid record is one.
fn times(text: &str) -> (Vec<String>, Option<String>) {
    let found = tracks(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let records = &found.tracks[0].records;
    let times = records.transmissions.iter();
    let invalid = records.unusable.first();
    (
        times.map(|fix| rfc3339(fix.time_stamp)).collect(),
        invalid.map(|known| known.fault.to_string()),
    )
}

#[test]
fn year_month_day_and_what_follows_are_joined_by_their_names_in_any_order() {
    for (names, row, expected) in [
        (
            "year,month,day,hour,minute,second",
            "2026,11,20,5,30,7.5",
            "2026-11-20T05:30:07.5Z",
        ),
        (
            "ss,mm,dd,yyyy,hh,mm",
            "7,11,20,2026,5,30",
            "2026-11-20T05:30:07Z",
        ),
        ("Day,Month,Year", "20,11,2026", "2026-11-20T00:00:00Z"),
        ("Year,Month,Day", "2026,11,20.25", "2026-11-20T06:00:00Z"),
        ("YY,MM,DD,hh,mm", "26,11,20,24,00", "2026-11-21T00:00:00Z"),
        ("YY,MM,DD,hh,mm", "69,1,2,3,4", "2069-01-02T03:04:00Z"),
        ("YY,MM,DD,hh,mm", "70,1,2,3,4", "1970-01-02T03:04:00Z"),
        ("Year,DOY,Hour", "2026,324,12.5", "2026-11-20T12:30:00Z"),
        ("DOY,Year", "324.75,2026", "2026-11-20T18:00:00Z"),
        (
            "BuoyID,Year,Hour,Min,DOY",
            "7,2026,12,30,324.5208",
            "2026-11-20T12:30:00Z",
        ),
        (
            "UTC_Year,UTC_Month,UTC_Day,UTC_Hour",
            "2026,11,20,5",
            "2026-11-20T05:00:00Z",
        ),
        (
            "year,month,day,hour (UTC+2)",
            "2026,11,20,5",
            "2026-11-20T03:00:00Z",
        ),
        // A time of day of its own.
        (
            "Year,Month,Day,Time",
            "2026,11,20,05:30:07",
            "2026-11-20T05:30:07Z",
        ),
        (
            "Year,Month,Day,Time",
            "2026,11,20,30",
            "2026-11-20T00:30:00Z",
        ),
        (
            "Year,DOY,UTC time",
            "2026,324,05:30",
            "2026-11-20T05:30:00Z",
        ),
        (
            "Date,Hour,Minute",
            "2026-11-20,5,30",
            "2026-11-20T05:30:00Z",
        ),
        ("YYYY,MM,DD,hhmm", "2026,11,20,530", "2026-11-20T05:30:00Z"),
        ("yyyymmdd,hhmm", "20261120,0530", "2026-11-20T05:30:00Z"),
        // The whole time counts where there is one.
        (
            "time,year,month,day",
            "2026-11-20T05:30:00Z,1999,1,2",
            "2026-11-20T05:30:00Z",
        ),
        (
            "timestamp,year,month,day",
            "1795152600,1999,1,2",
            "2026-11-20T05:30:00Z",
        ),
        (
            "Date,Hour",
            "2026-11-20T05:30:00Z,7",
            "2026-11-20T05:30:00Z",
        ),
    ] {
        let text = format!("{names},lat,lon\n{row},60,5\n");
        assert_eq!(times(&text), (vec![expected.to_owned()], None), "{text}");
    }
    let json = r#"[{"year":2026,"month":11,"day":20,"hour":5,"lat":60,"lon":5}]"#;
    assert_eq!(times(json).0, ["2026-11-20T05:00:00Z"]);
}

#[test]
fn a_part_that_lacks_or_is_none_makes_the_row_invalid() {
    for (row, why) in [
        ("2026,11,20,,30", "time_stamp is missing"),
        ("2026,11,20,5,NA", "time_stamp is missing"),
        ("2026,11,20,25,30", "25 is no part of a time of day"),
        ("2026,11,20,5,60", "60 is no part of a time of day"),
        ("2026,13,20,5,30", "'2026-13-20 00:00' is no time"),
        ("2026,11,x,5,30", "'2026-11-NaN 00:00' is no time"),
    ] {
        let text =
            format!("year,month,day,hour,minute,lat,lon\n2026,11,20,5,30,60,5\n{row},60,5\n");
        let (_, invalid) = times(&text);
        assert!(
            invalid.is_some_and(|fault| fault.starts_with(why)),
            "{text}"
        );
    }
    // Without all parts of a date there is no time, and two for one part are named.
    for names in ["year,month", "month,day,hour", "year,day,hour"] {
        let text = format!("{names},lat,lon\n2026,11,5,60,5\n");
        assert!(
            refused(&text).starts_with("no column is the time:"),
            "{text}"
        );
    }
    let text = "year,month,day,hour,hh,lat,lon\n2026,11,20,5,6,60,5\n";
    let why = refused(text);
    assert!(
        why.contains("'hour' and 'hh' could both be the time"),
        "{why}"
    );
    // They stay fields where there is another time.
    let text = "time,min,minute,lat,lon\n2026-11-20T05:30:00Z,1,2,60.5,5.5\n";
    let records = &tracks(text).unwrap().tracks[0].records;
    assert_eq!(records.fields.columns().count(), 2);
}

#[test]
fn a_column_of_dates_without_a_name_belongs_to_the_time_of_day_beside_it() {
    for (names, row) in [
        (",GMT", "11/20/2026,23:03:11"),
        ("UTC,", "23:03:11,2026-11-20"),
        ("time,", "23:03:11.0,20 Nov 2026"),
        (",,GMT,,Local", "b1,11/20/2026,23:03:11,11/20/2026,16:03:11"),
        ("Date,", "2026/11/20,11:03:11 PM"),
        ("timestamp,", "2026-11-20T23:03:11Z,07:00:00"),
        ("time,name", "2026-11-20 23:03:11,2026-11-19"),
    ] {
        let text = format!("{names},lat,lon\n{row},60,5\n");
        let expected = (vec!["2026-11-20T23:03:11Z".to_owned()], None);
        assert_eq!(times(&text), expected, "{text}");
    }
    // A name says that it is another date.
    let why = refused("LMT date,GMT,lat,lon\n11/20/2026,23:03:11,60,5\n");
    assert!(why.starts_with("line 2: '23:03:11' is no time:"), "{why}");
}

#[test]
fn the_only_column_of_dates_with_times_is_the_time_where_no_name_is() {
    for (name, cell) in [
        ("t", "2026-11-20 05:30:07+00"),
        ("ais_pos_timestamp", "20/11/2026 05:30:07"),
        ("Zeitpunkt", "20-Nov-2026 05:30:07"),
        ("", "2026-11-20T05:30:07Z"),
        ("fix", "11/20/2026 5:30:07 AM"),
    ] {
        let found = tracks(&format!("n,{name},lat,lon\n7,{cell},60,5\n")).unwrap();
        let [fix] = found.tracks[0].records.transmissions[..] else {
            panic!("{name}");
        };
        assert_eq!(rfc3339(fix.time_stamp), "2026-11-20T05:30:07Z", "{name}");
        let said = format!("'{name}' is taken as the time, as its cells are");
        assert_eq!(found.notes.first(), Some(&said));
    }
    for (names, cells) in [
        ("begin,end", "2026-11-20 05:30,2026-11-20 06:30"),
        ("t,u", "05:30:07,7"),
        ("t,u", "2026-11-20,7"),
        ("t,u", "20261120053007,1795152607"),
    ] {
        let why = refused(&format!("{names},lat,lon\n{cells},60,5\n"));
        assert!(why.starts_with("no column is the time: "), "{why}");
        assert!(why.ends_with("choose with --time-column"), "{why}");
    }
}

#[test]
fn a_local_date_and_time_of_day_are_a_time_with_their_offset_alone() {
    for (names, row) in [
        (
            "Lcl Date, Lcl Time, UTCOfst",
            "2026-11-20, 05:30:07,  +00:00",
        ),
        ("Lcl Date,Lcl Time,UTCOfst", "2026-11-19,23:30:07,-06:00"),
        (
            "local_date,local_time,utc_offset",
            "20 Nov 2026,11:00:07,+5:30",
        ),
        ("Time local,Date local,UTC offset", "07:30:07,2026-11-20,+2"),
        (
            "Local Time,Local Date,UTC,UTC offset",
            "7,8,2026-11-20 05:30:07,+2",
        ),
    ] {
        let text = format!("{names},lat,lon\n{row},60,5\n");
        let expected = (vec!["2026-11-20T05:30:07Z".to_owned()], None);
        assert_eq!(times(&text), expected, "{text}");
    }
    let why = refused("Lcl Date,Lcl Time,lat,lon\n2026-11-20,05:30:07,60,5\n");
    assert!(why.starts_with("no column is the time: "), "{why}");
}

#[test]
fn the_zone_beside_a_time_is_that_of_times_without_one() {
    let local = "2026-11-20 06:30:07";
    for (names, row, expected) in [
        (
            "Date & Time [Local],Date & Time [GMT]",
            format!("{local},2026-11-20 05:30:07"),
            Ok("05:30:07"),
        ),
        ("time,tz", format!("{local},+01:00"), Ok("05:30:07")),
        ("time,Time Zone", format!("{local},-5"), Ok("11:30:07")),
        (
            "timezone,date,time",
            "5.5,20/11/2026,11:00:07".to_owned(),
            Ok("05:30:07"),
        ),
        (
            "utc_offset,year,month,day,time",
            "-0330,2026,11,20,0200".to_owned(),
            Ok("05:30:00"),
        ),
        (
            "timestamp,tz",
            "20261120063007,2".to_owned(),
            Ok("04:30:07"),
        ),
        ("time,tz", format!("{local},UTC"), Ok("06:30:07")),
        ("time,tzid", format!("{local},Europe/Oslo"), Ok("05:30:07")),
        // Of a time that has its zone, or that counts seconds, it is a field.
        ("time,tz", format!("{local}Z,Europe/Oslo"), Ok("06:30:07")),
        ("time (UTC),tz", format!("{local},+02:00"), Ok("06:30:07")),
        ("time,tz", "1795152607,+02:00".to_owned(), Ok("05:30:07")),
        ("time,tz", format!("{local},CET"), Err("'CET' is no offset")),
        (
            "time,tz",
            format!("{local},-300"),
            Err("'-300' is no offset"),
        ),
        (
            "time,tz",
            "2026-10-25 02:30,Europe/Oslo".to_owned(),
            Err("twice or never"),
        ),
    ] {
        let text = format!("{names},lat,lon\n{row},60,5\n");
        match expected {
            Ok(expected) => assert_eq!(
                times(&text).0,
                [format!("2026-11-20T{expected}Z")],
                "{text}"
            ),
            Err(why) => assert!(refused(&text).contains(why), "{text}"),
        }
    }
    let found = tracks("time,tz,lat,lon\n2026-11-20 06:30,+01:00,60,5\n").unwrap();
    assert_eq!(
        found.notes,
        ["times without a zone are taken as of the zone in 'tz'"]
    );
    let mut fields = found.tracks[0].records.fields.of_fix(0);
    assert_eq!(fields.next(), Some(("tz", FieldValue::Text("+01:00"))));
}

#[test]
fn a_time_without_a_zone_has_the_only_one_of_the_column_or_is_invalid() {
    let table = |zones: &[&str]| {
        let row = |(hour, zone): (usize, &&str)| format!("2026-11-20 {hour:02}:30,{zone},60,5\n");
        let rows: String = zones.iter().enumerate().map(row).collect();
        let found = tracks(&format!("time,utc_offset,lat,lon\n{rows}")).unwrap();
        let records = &found.tracks[0].records;
        let times = records.transmissions.iter().map(|fix| fix.time_stamp);
        let faults = records
            .unusable
            .iter()
            .map(|record| record.fault.to_string());
        (
            times.collect::<Vec<_>>(),
            faults.collect::<Vec<_>>(),
            found.notes,
        )
    };
    let whole = table(&["+02:00"; 4]);
    let of_zone = ["times without a zone are taken as of the zone in 'utc_offset'"];
    assert_eq!(whole.2, of_zone);
    let whole = (whole.0, whole.1);
    for blank in ["", "NaN", "NA"] {
        let table = |zones: &[&str]| {
            let (times, faults, notes) = table(zones);
            assert_eq!(notes[0], of_zone[0]);
            (times, faults)
        };
        assert_eq!(
            table(&["+02:00", "+02:00", blank, "+02:00"]),
            whole,
            "{blank}"
        );
        assert_eq!(table(&[blank, "+02:00", blank, "+02:00"]), whole, "{blank}");
        let (times, faults) = table(&[blank, "+02:00", "+02:00", "+01:00"]);
        let why = "it has no zone in 'utc_offset', where others have several";
        assert_eq!((times.len(), faults), (3, vec![why.to_owned()]), "{blank}");
    }
    let (times, _, notes) = table(&["", ""]);
    assert_eq!(times[0] - whole.0[0], 7200.0);
    assert_eq!(notes, ["times without a zone are taken as UTC"]);
}

#[test]
fn digits_of_a_time_of_day_may_lack_the_first_zeros() {
    for (cells, expected) in [
        (["935", "5", "1200"], ["09:35:00", "00:05:00", "12:00:00"]),
        (
            ["5", "93500", "100000"],
            ["00:00:05", "09:35:00", "10:00:00"],
        ),
        (
            ["0005", "930", "2359"],
            ["00:05:00", "09:30:00", "23:59:00"],
        ),
        (
            ["093000", "000930", "0"],
            ["09:30:00", "00:09:30", "00:00:00"],
        ),
        (["935.0", "1260.0", "10"], ["09:35:00", "00:10:00", ""]),
    ] {
        let [first, second, third] = cells;
        let text = format!(
            "date,time,lat,lon\n2026-11-20,{first},60,5\n2026-11-20,{second},60,5\n2026-11-20,{third},60,5\n"
        );
        let expected = expected.iter().filter(|time| !time.is_empty());
        let expected: Vec<String> = expected.map(|time| format!("2026-11-20T{time}Z")).collect();
        assert_eq!(times(&text).0, expected, "{text}");
    }
    let json = r#"[{"date":"2026-11-20","time":935,"lat":60,"lon":5}]"#;
    assert_eq!(times(json).0, ["2026-11-20T09:35:00Z"]);
}

#[test]
fn dates_of_six_digits_are_read_where_the_logger_is_known_and_name_the_patterns_else() {
    let columbus = "INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT\n";
    for (row, expected) in [
        ("1,T,250724,173418,60.5N,5.5W,38", "2025-07-24T17:34:18Z"),
        (
            "2419  ,T,090204,063821,31.769598N,035.208829E,787  ",
            "2009-02-04T06:38:21Z",
        ),
        ("1,T,000101,000000,60.5S,5.5W,38", "2000-01-01T00:00:00Z"),
        (
            "1,T,2025-07-24,17:34:18,60.5N,5.5W,38",
            "2025-07-24T17:34:18Z",
        ),
    ] {
        let (times, invalid) = times(&format!("{columbus}{row}\n"));
        assert_eq!((times, invalid), (vec![expected.to_owned()], None), "{row}");
    }
    for date in ["250724", "240725", "311299"] {
        let why = refused(&format!("date,time,lat,lon\n{date},173418,60,5\n"));
        let patterns = "such as '%y%m%d %H%M%S' or '%d%m%y %H%M%S'";
        assert!(why.contains(date) && why.ends_with(patterns), "{why}");
    }
}

#[test]
fn the_records_of_a_recording_of_owntracks_are_read() {
    let record = |tail: &str| format!("{{\"tst\":1795152607,\"lat\":60,\"lon\":5{tail}}}");
    for (before, tail) in [
        ("2026-11-20T05:30:07Z\t*                 \t", ""),
        (
            "2026-11-20T05:30:07Z\towntracks/a/b\t",
            ",\"tid\":\"a\\tb\"",
        ),
        (
            "1795152607\t*\t",
            "}\r\n2026-11-20T05:30:08Z\t-\t{\"tst\":\"1\"",
        ),
    ] {
        let text = format!("{before}{}\n", record(tail));
        assert_eq!(times(&text).0, ["2026-11-20T05:30:07Z"], "{text}");
    }
}
