//! Tables of another service: their names, units and remarks mean what they mean in a file.

use super::*;

const CSV: &str = "format = 'csv'\nauth = 'none'\ntime = 'time'\ntime_format = 'iso'\n\
    latitude = 'lat'\nlongitude = 'lon'";

fn positions(table: &str, body: &str) -> Vec<(f64, f64)> {
    let read = read(table, body).unwrap();
    let fixes = read.records.transmissions.iter();
    fixes
        .map(|fix| (fix.position.latitude, fix.position.longitude))
        .collect()
}

fn fault(table: &str, body: &str) -> String {
    match read(table, body) {
        Err(AnswerFault::Unlike(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_quote_in_the_line_of_names_that_is_not_closed_is_no_empty_track() {
    let rows = "2026-01-01T00:00:00Z,10,20,1\n2026-01-01T01:00:00Z,10,20,2\n";
    let why = fault(CSV, &format!("time,lat,lon,\"v\n{rows}"));
    assert!(
        why.contains("in the line of names a quote is not closed: it swallows the 2 lines"),
        "{why}"
    );
    let closed = fault(
        CSV,
        &format!("time,lat,lon,\"v\n{rows}2026-01-01T02:00:00Z,10,20,\"x\n"),
    );
    assert!(closed.contains("swallows"), "{closed}");
    // A name may have two lines.
    let names = format!("time,lat,lon,\"temperature\n(degC)\"\n{rows}");
    assert_eq!(positions(CSV, &names).len(), 2);
}

#[test]
fn a_row_with_more_cells_than_names_is_no_record() {
    let table = CSV.replace("csv", "table");
    let body = "time lat lon\n2026-01-01T00:00:00Z 7 10 20\n2026-01-01T01:00:00Z 10 20\n";
    let records = read(&table, body).unwrap().records;
    assert_eq!(
        records.unusable[0].fault.to_string(),
        "it has 4 cells under 3 names"
    );
    assert_eq!(records.transmissions.len(), 1);
    let json = "auth = 'none'\nitems = '/rows'\ncolumns = '/names'";
    let body = r#"{"names":["time_stamp","latitude","longitude"],"rows":[[1,7,10,20],[2,10,20]]}"#;
    let records = read(json, body).unwrap().records;
    assert_eq!(
        (records.transmissions.len(), records.unusable.len()),
        (1, 1)
    );
}

#[test]
fn units_and_sides_of_columns_are_those_of_a_file() {
    let below = "time,lat,lon\nUTC,degrees_south,degrees_west\n2026-01-01T00:00:00Z,10,20\n";
    assert_eq!(positions(CSV, below), [(-10.0, -20.0)]);
    let named = CSV
        .replace("'lat'", "'lat (S)'")
        .replace("'lon'", "'lon (W)'");
    let body = "time,lat (S),lon (W)\n2026-01-01T00:00:00Z,10,20\n";
    assert_eq!(positions(&named, body), [(-10.0, -20.0)]);
    let radians = "time,lat,lon\nUTC,rad,rad\n2026-01-01T00:00:00Z,0.5,1\n";
    assert_eq!(
        positions(CSV, radians),
        [(0.5_f64.to_degrees(), 1_f64.to_degrees())]
    );
    let metres = "time,lat,lon\nUTC,m,m\n2026-01-01T00:00:00Z,0.5,1\n";
    let records = read(CSV, metres).unwrap().records;
    assert_eq!(
        records.unusable[0].fault.to_string(),
        "'lat (m)' is not in degrees: degrees are expected"
    );
    let zone = "time,lat,lon\nUTC+2,,\n2026-01-01T02:00:00,10,20\n";
    let read = read(CSV, zone).unwrap();
    assert_eq!(read.records.transmissions[0].time_stamp, 1_767_225_600.0);
    // So is the unit in the name of a member of JSON.
    let json = "auth = 'none'\nlatitude = 'lat (S)'";
    let body = r#"[{"time_stamp":7,"lat (S)":10,"longitude":20}]"#;
    assert_eq!(positions(json, body), [(-10.0, 20.0)]);
}

#[test]
fn two_columns_of_one_name_are_two_fields_and_never_one_position() {
    let why = fault(CSV, "time,lat,lon,lat\n2026-01-01T00:00:00Z,10,20,50\n");
    assert!(
        why.contains("two columns of the answer have the name lat"),
        "{why}"
    );
    let body = "time,lat,lon,v,v\n2026-01-01T00:00:00Z,10,20,1,2\n";
    let fields = read(CSV, body).unwrap().records.fields;
    let names: Vec<String> = fields
        .columns()
        .map(|column| column.name().to_owned())
        .collect();
    assert_eq!(names, ["v", "v 2"]);
}

#[test]
fn remarks_among_the_rows_are_no_records() {
    let body = "# made by a program\n# x\ntime,lat,lon\n2026-01-01T00:00:00Z,10,20\n# end\n";
    let read = read(CSV, body).unwrap().records;
    assert_eq!((read.transmissions.len(), read.unusable_count()), (1, 0));
}

#[test]
fn a_record_without_its_time_names_the_member_of_the_mapping() {
    let table = "auth = 'none'\ntime = 'at'";
    let records = read(table, r#"[{"latitude":10,"longitude":20}]"#)
        .unwrap()
        .records;
    assert_eq!(records.unusable[0].fault.to_string(), "it has no at");
}
