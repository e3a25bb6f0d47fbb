//! Times of digits, which the whole column decides.

use super::*;

/// The times since midnight of 2024-10-13 of a table with these times of day, hours, and its notes.
fn of_day(heading: &str, cells: &[&str]) -> (Vec<f64>, Vec<String>) {
    let row = |cell: &&str| format!("2024-10-13,{cell},60,5\n");
    let rows: String = cells.iter().map(row).collect();
    let found = tracks(&format!("date,{heading},lat,lon\n{rows}")).unwrap();
    let midnight = parse("2024-10-13", 0.0).unwrap();
    let fixes = found.tracks[0].records.transmissions.iter();
    let hours = fixes.map(|fix| (fix.time_stamp - midnight) / 3600.0);
    (hours.collect(), found.notes)
}

#[test]
fn the_whole_column_shows_what_times_of_day_of_digits_are() {
    let half = 1.0 / 120.0;
    for (cells, hours) in [
        // Hours of the day.
        (
            &["0", "6", "12", "18", "24"][..],
            &[0.0, 6.0, 12.0, 18.0, 24.0][..],
        ),
        (&["0.0", "6.0", "12.0"], &[0.0, 6.0, 12.0]),
        (&["18", "06", "00"], &[18.0, 6.0, 0.0]),
        (&["6", "7", "99", "-1", "8"], &[6.0, 7.0, 8.0]),
        // Hours and minutes, and with seconds.
        (&["0", "600", "1200", "1800"], &[0.0, 6.0, 12.0, 18.0]),
        (&["0006", "0012"], &[0.1, 0.2]),
        (&["0", "30", "100"], &[0.0, 0.5, 1.0]),
        (&["30", "60000", "123000"], &[half, 6.0, 12.5]),
        (&["0", "1800", "7200", "930"], &[0.0, 18.0, 9.5]),
        // Seconds.
        (
            &["0", "7200", "14400", "21600", "28800"],
            &[0.0, 2.0, 4.0, 6.0, 8.0],
        ),
        (&["28800", "25200", "3600", "1800"], &[8.0, 7.0, 1.0, 0.5]),
    ] {
        assert_eq!(of_day("time", cells).0, hours, "{cells:?}");
        let last = cells.iter().rev().copied().collect::<Vec<_>>();
        let mut turned = of_day("time", &last).0;
        turned.reverse();
        assert_eq!(turned, hours, "{last:?}");
    }
    let text = "date,time,lat,lon\n".to_owned();
    let rows = ["0", "6", "12", "1330"].map(|cell| format!("2024-10-13,{cell},60,5\n"));
    let why = refused(&(text + &rows.concat()));
    let both = "'6' is an hour, or minutes past midnight as beside '1330'";
    assert!(why.contains(both), "{why}");
    // A bad cell does not decide for all others.
    for (cell, bad) in [("2100", "2575"), ("210000", "7200"), ("21", "1330")] {
        let mut cells = vec![cell; 20];
        cells[3] = bad;
        let (hours, _) = of_day("time", &cells);
        let right = hours.iter().filter(|hours| **hours == 21.0);
        assert_eq!(right.count(), 19, "{bad}");
    }
    let noted = |cells: &[&str]| of_day("time", cells).1.join("");
    let said = noted(&["0", "6"]);
    assert!(
        said.contains("times of day such as '6' are taken as hours"),
        "{said}"
    );
    let said = noted(&["21600", "7200"]);
    assert!(
        said.contains("as seconds since midnight, as '7200' shows"),
        "{said}"
    );
    assert!(!noted(&["0", "0"]).contains("times of day"));
}

#[test]
fn the_unit_of_times_of_day_is_that_of_their_heading() {
    for (heading, cells, hours) in [
        ("time (h)", ["6", "12.5"], [6.0, 12.5]),
        ("Time [hours]", ["0.25", "24"], [0.25, 24.0]),
        ("time (s)", ["21600", "43201.8"], [6.0, 12.0005]),
        ("time [seconds of day]", ["900", "86400"], [0.25, 24.0]),
        ("time (min)", ["360", "720"], [6.0, 12.0]),
        ("time (sec)", ["12:30", "3600"], [12.5, 1.0]),
    ] {
        let (found, notes) = of_day(heading, &cells);
        for (found, right) in found.iter().zip(hours) {
            assert!((found - right).abs() < 1e-9, "{heading}: {found}");
        }
        assert_eq!(
            notes,
            ["times without a zone are taken as UTC"],
            "{heading}"
        );
    }
    // Also of a date of several columns; what is beyond a day is no time of it.
    let text = "year,month,day,time (h),lat,lon\n2024,10,13,6,60,5\n2024,10,13,25,60,5\n";
    let found = tracks(text).unwrap();
    let records = &found.tracks[0].records;
    assert_eq!(
        records.transmissions[0].time_stamp,
        parse("2024-10-13T06:00:00Z", 0.0).unwrap()
    );
    assert_eq!(records.unusable_count(), 1);
}

#[test]
fn a_mark_of_no_time_among_dates_of_digits_is_one_invalid_row() {
    let dates = ["20241013", "20241014", "20241015", "20241016"];
    let minutes = dates.map(|date| format!("{date}0600"));
    let expected = |hour: &str| {
        let days = ["13", "14", "15", "16"];
        days.map(|day| format!("2024-10-{day}T{hour}Z"))
    };
    for mark in [
        "0",
        "00000000",
        "000000000000",
        "99999999",
        "20241301",
        "-1",
    ] {
        for at in [0, 2, 4] {
            let mut rows = dates.to_vec();
            rows.insert(at, mark);
            let (found, notes) = times(&rows).unwrap();
            assert_eq!(found, expected("00:00"), "{mark}");
            assert!(!notes.concat().contains("UNIX"), "{notes:?}");
            let mut rows: Vec<&str> = minutes.iter().map(String::as_str).collect();
            rows.insert(at, mark);
            assert_eq!(times(&rows).unwrap().0, expected("06:00"), "{mark}");
        }
    }
}

#[test]
fn numbers_in_a_unit_that_is_longer_than_seconds_are_no_unix_time() {
    for (heading, unit) in [
        ("time (days)", "days"),
        ("Time [hours]", "hours"),
        ("time (min)", "minutes"),
        ("time (h)", "hours"),
    ] {
        let why = refused(&format!("{heading},lat,lon\n45000.5,60,5\n45001.5,60,5\n"));
        let words = format!("'{heading}' is no UNIX time, but {unit} since a moment");
        assert!(why.contains(&words), "{why}");
    }
    for (heading, cell, seconds) in [
        ("time (s)", "45000", 45_000.0),
        ("time (days)", "20241013", 1_728_777_600.0),
        ("time (h)", "2024-10-13 00:00", 1_728_777_600.0),
    ] {
        let found = tracks(&format!("{heading},lat,lon\n{cell},60,5\n")).unwrap();
        assert_eq!(
            found.tracks[0].records.transmissions[0].time_stamp, seconds,
            "{heading}"
        );
    }
}
