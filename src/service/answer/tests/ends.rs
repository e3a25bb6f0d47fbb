//! How answers end, and how tables begin.

use super::*;

#[test]
fn an_answer_that_ends_with_a_text_is_no_shorter_one() {
    let json = "{\"time_stamp\":1,\"latitude\":2,\"longitude\":3}\n";
    let csv = "time_stamp,latitude,longitude,note\n1,2,3,a\n";
    let table = csv.replace(',', " ");
    for (format, whole) in [("ndjson", json), ("csv", csv), ("table", &table)] {
        let format = format!("format = '{format}'");
        for end in ["ERROR: database connection lost", "Timeout"] {
            let fault = read(&format, &format!("{whole}{end}\n")).unwrap_err();
            let AnswerFault::Unlike(words) = fault else {
                panic!("{format}: {fault:?}");
            };
            assert!(words.contains(&format!("after 1 record: {end}")), "{words}");
        }
        // Elsewhere it is a record that cannot be used, as is a row without its last field.
        let rows = whole.trim_start_matches(|letter| letter != '\n');
        let last = if rows.trim().is_empty() {
            whole
        } else {
            rows.trim_start()
        };
        let records = read(&format, &format!("{whole}Timeout\n{last}"))
            .unwrap()
            .records;
        assert_eq!(
            (records.transmissions.len(), records.unusable.len()),
            (2, 1),
            "{format}"
        );
    }
    // A row with a time is a record, if only half of it is there.
    let half = read("format = 'csv'", &format!("{csv}4\n"))
        .unwrap()
        .records;
    assert_eq!((half.transmissions.len(), half.unusable.len()), (1, 1));
    let short = read("format = 'csv'", &format!("{csv}4,5,6\n"))
        .unwrap()
        .records;
    assert_eq!(short.transmissions.len(), 2);
}

#[test]
fn a_table_may_have_remarks_and_its_separator_above_the_names() {
    for head in ["# made by a gateway\n# of two\n", "sep=;\n", "#x\nSEP=;\n"] {
        let body = format!("{head}time_stamp;latitude;longitude\n1;2;3\n4;5;6\n");
        let records = read("format = 'csv'", &body).unwrap().records;
        assert_eq!(records.transmissions.len(), 2, "{head}");
    }
}

#[test]
fn half_an_answer_is_no_shorter_one() {
    for (table, body, whole) in [
        ("", "[{\"time_stamp\":1,\"lat", 0),
        ("format = 'ndjson'", "{\"time_stamp\":1}\n{\"time_st", 1),
        (
            "format = 'csv'",
            "time_stamp,latitude,longitude\n1,2,3\n4,5",
            1,
        ),
        (
            "format = 'csv'",
            "time_stamp,latitude,longitude,note\n1,2,3,a\n4,5,6,\"open\n7,8,9,b\n",
            1,
        ),
        (
            "format = 'table'",
            "time_stamp latitude longitude\n1 2 3\n4 5",
            1,
        ),
    ] {
        assert_eq!(
            read(table, body).unwrap_err(),
            AnswerFault::Cut { whole },
            "{table}"
        );
    }
    for format in ["ndjson", "csv", "table"] {
        let none = read(&format!("format = '{format}'"), "").unwrap();
        assert_eq!(none.records.count(), 0, "{format}");
    }
}

proptest::proptest! {
    #[test]
    fn an_answer_is_the_same_in_any_pieces(
        rows in proptest::collection::vec("[0-9\",ab\n#]{0,12}", 0..8),
        size in 1usize..40,
        kind in 0usize..3,
    ) {
        let (format, names) = [
            ("csv", "time_stamp,latitude,longitude\n"),
            ("table", "time_stamp latitude longitude\n"),
            ("ndjson", "{\"time_stamp\":1,\"latitude\":2,\"longitude\":3}\n"),
        ][kind];
        let body = format!("{names}1,2,3\n4 5 6\n{}", rows.join("\n"));
        let table = format!("format = '{format}'");
        let content = |body: &str, size| {
            in_pieces(&table, body, size).map(|content| {
                let Content { records, stray, is_open, .. } = content;
                let faults = records.unusable.iter().map(|record| record.fault.to_string());
                (records.transmissions, faults.collect::<Vec<_>>(), stray, is_open)
            })
        };
        proptest::prop_assert_eq!(content(&body, size), content(&body, body.len()));
    }
}

#[test]
fn a_line_or_row_that_is_too_large_is_one_invalid_record() {
    let large = "x".repeat(5 << 20);
    for (format, body) in [
        (
            "csv",
            format!("time_stamp,latitude,longitude,note\n1,2,3,a\n4,5,6,{large}\n7,8,9,b\n"),
        ),
        (
            "csv",
            format!("time_stamp,latitude,longitude,note\n1,2,3,a\n4,5,6,\"{large}\n\"\n7,8,9,b\n"),
        ),
        (
            "ndjson",
            [("1", "a"), ("2", large.as_str()), ("3", "b")]
                .map(|(time, note)| {
                    format!("{{\"time_stamp\":{time},\"latitude\":2,\"longitude\":3,\"n\":\"{note}\"}}\n")
                })
                .concat(),
        ),
    ] {
        let records = in_pieces(&format!("format = '{format}'"), &body, 1 << 16).unwrap().records;
        let faults: Vec<_> = records.unusable.iter().map(|record| record.fault.to_string()).collect();
        assert_eq!(records.transmissions.len(), 2, "{format}: {faults:?}");
        assert!(matches!(&faults[..], [fault] if fault.contains("larger than 4.2 MB")), "{faults:?}");
    }
}
