//! Which cells of a row are of which column, and which rows are none.

use super::columns::first;
use super::*;
use crate::track::field::FieldValue;

const TIME: &str = "2026-11-20T05:30:00Z";

/// The fixes of a table, and the faults of its other rows.
fn rows(text: &str) -> (Vec<(f64, f64)>, Vec<String>) {
    let found = tracks(text).unwrap();
    let records = &found.tracks[0].records;
    let positions = records.transmissions.iter().map(|fix| fix.position);
    let faults = records.unusable.iter();
    (
        positions
            .map(|position| (position.latitude, position.longitude))
            .collect(),
        faults.map(|record| record.fault.to_string()).collect(),
    )
}

#[test]
fn a_last_row_without_a_line_end_makes_no_deployment_of_a_file_that_may_grow() {
    let rows = format!("{TIME},60,5,b-12\n{TIME},61,5,b-12\n{TIME},62,5,c-1\n");
    let chosen = ChosenColumns {
        unended: UnendedRow::OfKnownDeployment,
        ..ChosenColumns::default()
    };
    for (names, last, kept) in [
        ("time,lat,lon,buoy", format!("{TIME},63,5,b-1"), 3),
        ("time,lat,lon,buoy", format!("{TIME},63,5,d-1"), 3),
        ("time,lat,lon,buoy", format!("{TIME},63,5,b-12"), 4),
        ("time,lat,lon,buoy", format!("{TIME},63,5,b-1\n"), 4),
        // What is no id may be cut.
        ("time,lat,lon,note", format!("{TIME},63,5,b-1"), 4),
    ] {
        let text = format!("{names}\n{rows}{last}");
        let found = read(text.as_bytes(), &chosen).unwrap();
        let fixes = |track: &FileTrack| track.records.transmissions.len();
        assert_eq!(
            found.tracks.iter().map(fixes).sum::<usize>(),
            kept,
            "{text}"
        );
        let is_said = found
            .notes
            .iter()
            .any(|note| note.starts_with("line 5 is left out"));
        assert_eq!(is_said, kept == 3, "{text}");
        assert_eq!(
            tracks(&text)
                .unwrap()
                .tracks
                .iter()
                .map(fixes)
                .sum::<usize>(),
            4
        );
    }
}

#[test]
fn a_cell_too_many_moves_no_number_to_the_column_beside_in_the_first_row_either() {
    for delimiter in [",", ";", "\t"] {
        let [names, long, row] = [
            "time|place|lat|lon".to_owned(),
            format!("{TIME}|Kiel| 12|54.1|8.4"),
            format!("{TIME}|Kiel|54.1|8.4"),
        ]
        .map(|line| line.replace('|', delimiter));
        for order in [[&long, &row], [&row, &long]] {
            let text = format!("{names}\n{}\n{}\n", order[0], order[1]);
            let (fixes, faults) = rows(&text);
            assert_eq!(fixes, [(54.1, 8.4)], "{text}");
            assert_eq!(faults, ["it has 5 cells under 4 names"], "{text}");
        }
        assert!(refused(&format!("{names}\n{long}\n")).contains("5 cells under 4 names"));
    }
    // Two numbers behind the fix: either may have the comma.
    let text = format!("time,lat,lon,sst,bat\n{TIME},54.1,8.4,12,5,3\n{TIME},54.2,8.4,12,5\n");
    assert_eq!(rows(&text).1, ["it has 6 cells under 5 names"]);
    // Cells without a text are none.
    assert_eq!(
        rows(&format!("time,lat,lon\n{TIME},54.1,8.4,,\n")).1.len(),
        0
    );
}

#[test]
fn the_only_text_behind_the_fix_keeps_its_commas() {
    let text = format!("time,lat,lon,note\n{TIME},54.1,8.4,calm, later fog\n");
    let found = tracks(&text).unwrap();
    let fields: Vec<_> = found.tracks[0].records.fields.of_fix(0).collect();
    assert_eq!(fields, [("note", FieldValue::Text("calm, later fog"))]);
}

#[test]
fn the_names_of_rows_that_r_writes_are_a_column_of_their_own() {
    let text = "\"lat\",\"lon\",\"time\"\n\"1\",54.5,8.4,\"2024-01-01T00:00:00Z\"\n\
        \"2\",54.6,8.5,\"2024-01-01T01:00:00Z\"\n";
    assert_eq!(rows(text), (vec![(54.5, 8.4), (54.6, 8.5)], Vec::new()));
    let text = format!("time\tlat\tlon\tsst\n1\t{TIME}\t54.5\t8.4\t3\n");
    assert_eq!(rows(&text).0, [(54.5, 8.4)]);
    // Of names that are no numbers the rows are refused.
    let text = format!("lat,lon,sst,time\na,54.5,8.4,3,{TIME}\n");
    assert!(refused(&text).contains("5 cells under 4 names"));
}

#[test]
fn a_first_row_without_a_fix_is_counted_and_units_are_not() {
    let row = format!("{TIME},54.5,8.4,12.5\n");
    for (first, count) in [
        ("-,-,-,12.5", 1),
        (",,,12.5", 1),
        ("NA,NA,NA,12.5", 1),
        ("NA,NA,NA,NA", 1),
        ("null,,,3", 1),
        ("waiting,no fix,no fix,12.5", 1),
        ("UTC,degrees_north,degrees_east,degC", 0),
        (",,,degC", 0),
        ("UTC,deg,deg,1e-3", 0),
        ("s,,,1", 0),
    ] {
        let (fixes, faults) = rows(&format!("time,lat,lon,sst\n{first}\n{row}"));
        assert_eq!((fixes.len(), faults.len()), (1, count), "{first}");
    }
}

#[test]
fn names_that_come_again_and_empty_rows_are_no_records() {
    let row = format!("{TIME},54.5,8.4\n");
    for again in [
        "time,lat,lon\n",
        "Time,LAT,Lon\n",
        "time,lat,lon\nUTC,deg,deg\n",
        ",,\n",
        " , ,\n",
    ] {
        let (fixes, faults) = rows(&format!("time,lat,lon\nUTC,deg,deg\n{row}{again}{row}"));
        assert_eq!((fixes.len(), faults.len()), (2, 0), "{again}");
    }
    // Where only the cells tell which column is the time.
    let row = format!("{TIME},54.5,8.4,7\n");
    let text = format!("when,lat,lon,deviceId\n{row}when,lat,lon,deviceId\n{row}");
    assert_eq!(tracks(&text).unwrap().tracks.len(), 1);
    assert_eq!(first(&text).unwrap().1, 54.5);
}
