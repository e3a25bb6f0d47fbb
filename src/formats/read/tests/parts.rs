//! Times whose parts are in columns of their own.

use super::*;
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
