//! Rows of JSON that are arrays below names, as ERDDAP and pandas write them.

use super::columns::first;
use super::*;

const FIX: (f64, f64, f64) = (1_795_152_600.0, 60.5, -5.25);

#[test]
fn rows_of_values_are_read_below_the_names_before_them() {
    let names = r#"["time","latitude","longitude","sst"]"#;
    let rows = [
        r#"["2026-11-20T05:30:00Z",60.5,-5.25,null]"#,
        r#"["2026-11-20T06:30:00Z",60.6,-5.25,7.5]"#,
    ];
    let comma = rows.join(", ");
    let types = r#""columnTypes":["String","double","double","float"]"#;
    for text in [
        format!(r#"{{"table":{{"columnNames":{names},{types},"rows":[{comma}]}}}}"#),
        format!(
            "{{\n \"table\" : {{\n\"columnNames\" : {names},\n\"rows\": [\n{comma}\n]\n}}\n}}\n"
        ),
        format!(r#"{{"columns":{names},"index":[0,1],"data":[{comma}]}}"#),
        format!("{names}\n{}\n", rows.join("\n")),
        format!("{names}\n{}", rows.join("\r\n")),
        format!("[{names},{comma}]"),
    ] {
        assert_eq!(first(&text), Ok(FIX), "{text}");
        let records = &tracks(&text).unwrap().tracks[0].records;
        assert_eq!(
            (records.transmissions.len(), records.unusable_count()),
            (2, 0)
        );
        let fields: Vec<_> = records.fields.of_fix(1).collect();
        assert_eq!(fields, [("sst", FieldValue::Number(7.5))], "{text}");
        // A row that is shorter or longer is of none of them.
        let short = text.replace(",null]", "]");
        let records = &tracks(&short).unwrap().tracks[0].records;
        let fault = records.unusable[0].fault.to_string();
        assert_eq!(fault, "it has 3 cells under 4 names", "{short}");
    }
}

#[test]
fn rows_without_names_and_names_without_rows_are_refused() {
    let row = r#"["2026-11-20T05:30:00Z",60.5,-5.25]"#;
    for (text, why) in [
        (
            format!("[{row},{row}]"),
            "line 1: its values have no names: a row of them before it is expected",
        ),
        (
            format!(r#"{{"table":{{"rows":[{row}]}}}}"#),
            "no column is the time",
        ),
        (
            format!("[\"when\",\"lat\",\"lon\"]\n{row}\n"),
            "no column is the time: the columns are when, lat, lon",
        ),
        (
            r#"["time","lat","lon"]"#.to_owned(),
            "line 1: it is no record",
        ),
        (
            format!(r#"["time","lat","lon"]{row}"#),
            "line 1: it is no JSON",
        ),
    ] {
        assert!(
            refused(&text).starts_with(why),
            "{text}: {}",
            refused(&text)
        );
    }
}
