//! What reading an answer costs: as much as it is long, never its square.

use super::*;
use crate::testing::cpu_time::{self, grows_as_its_length};

#[test]
fn every_answer_is_read_in_proportion_to_its_length() {
    /// The text of an answer of so many parts.
    type Text = fn(usize) -> String;
    let answers: [(&str, &str, Text); 4] = [
        (
            "csv, one name",
            "format = 'csv'\ntime = 'time'\nlatitude = 'lat'\nlongitude = 'lon'",
            |n| {
                format!(
                    "time,lat,lon{}\n1790000000,60,5{}\n",
                    ",".repeat(n),
                    ",1".repeat(n)
                )
            },
        ),
        (
            "table, one name",
            "format = 'table'\ntime = 'time'\nlatitude = 'lat'\nlongitude = 'lon'",
            |n| {
                format!(
                    "time lat lon{}\n1790000000 60 5{}\n",
                    " a".repeat(n),
                    " 1".repeat(n)
                )
            },
        ),
        (
            "cells, one name",
            "columns = '/c'\nitems = '/r'\ntime = 'time'\nlatitude = 'lat'\nlongitude = 'lon'",
            |n| {
                let names = ",\"a\"".repeat(n);
                let cells = ",1".repeat(n);
                format!("{{\"c\":[\"time\",\"lat\",\"lon\"{names}],\"r\":[[1,60,5{cells}]]}}")
            },
        ),
        ("equal records", "", |n| {
            let record = r#"{"time_stamp":1,"latitude":2,"longitude":3,"b":4}"#;
            format!("[{record}{}]", format!(",{record}").repeat(n))
        }),
    ];
    for (name, table, text) in answers {
        let mapping = Mapping::read(&table.parse().unwrap()).unwrap();
        grows_as_its_length(name, 1000, |count| {
            let text = text(count);
            cpu_time::spent_on(|| {
                let mut reader = TrackReader::new(&mapping.answer, "x", None, &[]);
                reader.take(text.as_bytes());
                let records = reader.finish().unwrap().records;
                assert_ne!(records.count(), 0);
            })
        });
    }
}
