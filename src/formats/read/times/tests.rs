//! The times of a file.

use super::*;

fn read(written: &str) -> Option<f64> {
    Clock::default()
        .time(Time::Whole(FieldValue::Text(written)), "")
        .ok()
}

#[test]
fn times_of_other_programs_are_read_to_the_same_second() {
    // 2022-12-11T00:29:39Z by `date -u +%s`.
    let expected = Some(1_670_718_579.0);
    for written in [
        "2022-12-11T00:29:39Z",
        "2022-12-11 00:29:39",
        "2022/12/11 00:29:39+00",
        "2022-12-11T01:29:39+01:00",
        "2022-12-11 00:29:39 UTC",
        "2022-12-11 00:29:39.000",
        "1670718579",
        "1670718579000",
    ] {
        assert_eq!(read(written), expected, "{written}");
    }
    let parts = Time::Parts(FieldValue::Text("2022/12/11"), FieldValue::Text("00:29:39"));
    assert_eq!(Clock::default().time(parts, "").ok(), expected);
}

/// The time that a file has, with the sentence about it.
fn of_file(written: &str) -> Option<f64> {
    let mut clock = Clock::new(Notation::Any, None);
    clock.time(Time::Whole(FieldValue::Text(written)), "").ok()
}

#[test]
fn a_file_may_have_its_times_in_any_way_that_is_one_time() {
    // By `date -u -d … +%s`.
    for (unix, all) in [
        (
            1_119_052_285.0, // 2005-06-17T23:51:25Z
            &[
                "23:51:25 17-Jun-2005",
                "17-Jun-2005 23:51:25",
                "23:51:25 17-JUNE-2005",
                "17/Jun/2005 23:51:25",
                "17 Jun 2005, 11:51:25 PM",
                "Jun 17, 2005 23:51:25",
                "Fri Jun 17 23:51:25 2005",
                "Fri, 17 Jun 2005 23:51:25 +0000",
                "2005-Jun-17 23:51:25",
                "2005.06.17 23:51:25",
                "2005-6-17T23:51:25Z",
                "2005-06-17 23:51:25 GMT",
                "2005/06/17 23:51:25 UTC",
                "2005-168T23:51:25Z",
                "2005-168 23:51:25",
                "2005/168T23:51:25",
                "20050617235125",
                "20050617T235125",
                "20050617 235125",
                "2005-06-18T01:51:25+02:00",
                "2005-6-18 1:51:25 +0200",
                "17/06/2005 23:51:25",
                "6/17/2005 11:51:25 pm",
                "17.6.2005 23:51:25",
            ][..],
        ),
        (
            1_119_052_800.0, // 2005-06-18T00:00:00Z
            &[
                "2005-06-17T24:00:00Z",
                "2005-06-17 24:00",
                "20050617240000",
                "17-Jun-2005 24:00:00",
                "18-Jun-2005",
                "2005.06.18",
                "2005-169",
                "18/Jun/2005 12:00 AM",
            ],
        ),
        (
            1_483_228_799.5, // the last half second of 2016
            &[
                "2016-12-31T23:59:59.5Z",
                "31-Dec-2016 23:59:59.5",
                "2016-366T23:59:59.50",
            ],
        ),
        // A leap second has no number of its own, nor has a second that was rounded up.
        (
            1_483_228_800.0,
            &[
                "2016-12-31T23:59:60Z",
                "2016-12-31 23:59:60",
                "31-Dec-2016 23:59:60",
            ],
        ),
        (
            1_483_228_860.0,
            &["2017-01-01T00:00:60Z", "2017-01-01T03:00:60+03:00"],
        ),
    ] {
        for written in all {
            assert_eq!(of_file(written), Some(unix), "{written}");
        }
    }
}

#[test]
fn what_is_no_time_in_any_way_is_none() {
    for written in [
        "17-Jun-05 23:51",
        "11/12/22 00:29",
        "2005-366",
        "2005-000",
        "31/02/2021",
        "32/01/2021",
        "2021-02-29 10:00",
        "10:00",
        "17-Juni-2005",
        "24:00:01 17-Jun-2005",
        "13:00 PM 17-Jun-2005",
        "10:60 17-Jun-2005",
        "10:00 10:00 17-Jun-2005",
        "17-Jun-2005 10:00 CEST",
        "2021-01-02-03",
        "20211301",
    ] {
        let time = of_file(written).filter(|time| *time > 1e8);
        assert_eq!(time, None, "{written}");
    }
}

#[test]
fn what_could_be_two_times_is_none() {
    for written in [
        "",
        "11/12/2022 00:29:39",
        "2022-12-11 02:30 PM",
        "yesterday",
        "2022-13-01",
        "NaN",
    ] {
        assert_eq!(read(written), None, "{written}");
    }
}

#[test]
fn a_time_without_a_zone_is_utc_and_that_is_noted() {
    let mut clock = Clock::default();
    let time = |written| Time::Whole(FieldValue::Text(written));
    clock.time(time("2022-12-11T00:29:39Z"), "time").unwrap();
    assert_eq!(clock.note(), None);
    clock.time(time("2022-12-11T00:29:39"), "time").unwrap();
    assert!(clock.note().unwrap().contains("UTC"));
}

/// Against `cftime` 1.6 (`num2date`).
#[test]
fn numbers_below_a_count_since_a_date_are_the_times_that_cf_says() {
    let read = |number: f64, heading: &str| {
        let time = Time::Whole(FieldValue::Number(number));
        Clock::default().time(time, heading).ok()
    };
    for (heading, number, time) in [
        (
            "time (seconds since 2000-01-01T00:00:00Z)",
            8.4e8,
            1_786_684_800.0,
        ),
        (
            "time [days since 1950-01-01 00:00:00 UTC]",
            28_000.25,
            1_788_069_600.0,
        ),
        (
            "time (days since 1950-1-1)",
            27_740.000_011_574_074,
            1_765_584_001.0,
        ),
        ("t (hours since 1900-01-01 00:00:0)", 0.0, -2_208_988_800.0),
        ("t (Hours since 1970-01-01T00:00:00+01:00)", 1.5, 1800.0),
        ("t (minutes since 1970-01-01)", 2.0, 120.0),
        ("t (milliseconds since 1970-01-01)", 1500.0, 1.5),
        ("seconds since 1970-01-01", 0.123_456_7, 0.123_456_7),
        ("t (months since 1950-01-01)", 2.0, f64::NAN),
        ("t (days since deployment)", 2.0, f64::NAN),
    ] {
        let expected = Some(time).filter(|time| time.is_finite());
        assert_eq!(read(number, heading), expected, "{heading}");
    }
    // A time that is written out needs no count.
    let mut clock = Clock::default();
    let written = Time::Whole(FieldValue::Text("1970-01-01T00:00:07Z"));
    assert_eq!(
        clock.time(written, "t (days since 1950-01-01)").ok(),
        Some(7.0)
    );
}

#[test]
fn a_date_without_a_time_of_day_is_midnight_and_that_is_noted() {
    let mut clock = Clock::default();
    let midnight = clock.time(Time::Whole(FieldValue::Text("2022-12-11")), "date");
    assert_eq!(midnight.unwrap() % 86_400.0, 0.0);
    assert!(clock.note().unwrap().contains("midnight"));
}

#[test]
fn the_offset_in_a_heading_is_that_of_times_without_a_zone() {
    let read = |written: &str, heading: &str| {
        let mut clock = Clock::default();
        let time = clock.time(Time::Whole(FieldValue::Text(written)), heading);
        (time.unwrap(), clock.note().unwrap_or_default())
    };
    let utc = read("2022-12-11 00:29:39", "time").0;
    for (heading, hours, said) in [
        (
            "time (UTC+2)",
            2.0,
            "taken as UTC+02, by the heading 'time (UTC+2)'",
        ),
        ("time [GMT-03:30]", -3.5, "taken as UTC-03:30"),
        ("Time (+0545)", 5.75, "taken as UTC+05:45"),
        ("time_gmt+1", 1.0, "taken as UTC+01"),
        ("time (UTC)", 0.0, "taken as UTC"),
        ("time [Z]", 0.0, "taken as UTC"),
        ("GMT time", 0.0, "taken as UTC"),
        ("time (utc, ISO 8601)", 0.0, "taken as UTC"),
        ("timestamp [CEST]", 0.0, "'timestamp [CEST]' has no offset"),
        ("Local time", 0.0, "'Local time' has no offset"),
        ("time (GMT Summer Time)", 0.0, "has no offset"),
        ("time (UTC-5/-4)", 0.0, "has no offset"),
    ] {
        let (time, note) = read("2022-12-11 00:29:39", heading);
        assert_eq!(utc - time, hours * 3600.0, "{heading}");
        assert!(note.contains(said), "{heading}: {note}");
        assert_eq!(
            note.contains("heading"),
            hours != 0.0 || said.contains("no offset")
        );
        // A time with a zone of its own, or a number, needs none.
        for written in ["2022-12-11T00:29:39Z", "1670718579"] {
            assert_eq!(read(written, heading), (utc, String::new()), "{heading}");
        }
    }
}
