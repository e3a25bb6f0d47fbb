use super::*;

/// Checks that both parsers agree, except on the position in messages.
fn same(body: &[u8]) {
    let kind = |read: Result<crate::track::Records, NotRecordArray>| match read {
        Ok(records) => format!("{records:?}"),
        Err(NotRecordArray::Malformed { excerpt, .. }) => {
            format!("malformed: {excerpt}")
        }
        Err(other) => format!("{other:?}"),
    };
    let expected = kind(parse(body));
    for size in [1, 2, 3, 7, 64, body.len().max(1)] {
        assert_eq!(
            kind(read_in_pieces(body, size)),
            expected,
            "{:?} in pieces of {size}",
            String::from_utf8_lossy(body)
        );
    }
}

#[test]
fn every_kind_of_body_reads_as_it_does_when_it_is_held_whole() {
    const ONE: &str = r#"{"time_stamp":1,"latitude":2,"longitude":3}"#;
    for body in [
        "",
        " ",
        "[",
        "[]",
        " [ ] ",
        "[1,",
        "[1",
        "[1]x",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[{]",
        "[}",
        "{}",
        "null",
        "<html><title>x</title>",
        "\u{feff}[]",
        "[\"]\",\"\\\"\",[[]],{\"a\":\"}\"}]",
        "[nul]",
        "[1e999,-0,0x1]",
        "[\"a",
        "[{\"a\":1",
        "[[1,2],3]]",
        "{\"error\":1,\"message\":\"m\"}",
        "[\"\\",
        "[tru e]",
        "]",
        "[:]",
    ] {
        same(body.as_bytes());
    }
    same(format!("[{ONE},{ONE} , null,{{\"time_stamp\":1e999}},{ONE}]").as_bytes());
    same(b"[\x00");
    same(b"[\xff]");
    same(b"[\"\xff\"]");
    same(b"\xef\xbb");
    same(b"\xff\xfe[\x00");
}

proptest::proptest! {
    #[test]
    fn any_bytes_read_the_same_in_pieces(body in proptest::collection::vec(proptest::sample::select(b"[]{}\",:\\ 10e-.ntf\xffax".to_vec()), 0..60)) {
        same(&body);
        same(&[b"[", &body[..]].concat());
    }
}

#[test]
fn of_a_large_body_no_more_than_an_element_is_held() {
    let record = r#"{"time_stamp":1790000000.5,"latitude":80.123456,"longitude":-10.5},"#;
    let odd = r#"{"time_stamp":1790000000.5,"latitude":80.123456,"longitude":-10.5,"x":[]},"#;
    let body = format!(
        "[{}{}]",
        [record, odd].concat().repeat(15_000),
        record.trim_end_matches(',')
    );
    let mut array = ArrayStream::default();
    for piece in body.as_bytes().chunks(50_000) {
        array.take(piece);
        assert!(array.element.held.capacity() < 1000 && array.head.len() <= HEAD + 50_000);
    }
    assert_eq!(array.elements(), 30_001);
    assert_eq!(array.whole().unwrap().transmissions.len(), 30_001);
}

#[test]
fn a_long_string_is_passed_over_and_its_record_is_read() {
    // Whole at every length, whatever stands where it is cut.
    for part in [
        "y",
        "\\u00e9",
        "\\\\",
        "\\\"",
        "\u{e4}",
        "\u{1f6a2}",
        "a\\n",
    ] {
        for more in 0..7 {
            let long = format!("{}{}", "x".repeat(more), part.repeat(2 * LONGEST_TEXT));
            let body = format!(
                r#"[{{"note":"{long}","time_stamp":1,"latitude":2,"longitude":3}},"{long}",7]"#
            );
            let mut array = ArrayStream::default();
            for piece in body.as_bytes().chunks(10_007) {
                array.take(piece);
                assert!(array.element.held.len() < LONGEST_TEXT + 200);
            }
            let records = array.whole().unwrap();
            assert_eq!(records.transmissions.len(), 1, "{part}");
            assert_eq!(records.unusable_count(), 2, "{part}");
        }
    }
}

#[test]
fn an_element_that_is_too_large_is_unusable_and_spoils_no_other() {
    const ONE: &str = r#"{"time_stamp":1,"latitude":2,"longitude":3}"#;
    let lists = format!("[{}1]", "1,".repeat(LARGEST));
    let keys = format!("{{{}\"b\":1}}", "\"a\":{},".repeat(LARGEST / 7));
    let deep = format!("{}{}", "[".repeat(LARGEST), "]".repeat(LARGEST));
    for large in [lists, keys, deep, "1".repeat(LARGEST + 1)] {
        let body = format!("[{ONE},{large},{ONE}]");
        let mut array = ArrayStream::default();
        for piece in body.as_bytes().chunks(10_007) {
            array.take(piece);
            assert!(array.element.held.capacity() <= 3 * LARGEST);
        }
        let records = array.whole().unwrap();
        assert_eq!(records.transmissions.len(), 2);
        assert_eq!(records.unusable[0].fault.to_string(), "larger than 4.2 MB");
    }
}

#[test]
fn of_millions_of_unusable_elements_all_are_counted_and_few_kept() {
    for (element, reason) in [
        ("0", "not a record but a number"),
        ("{}", "time_stamp is missing"),
    ] {
        let body = format!("[{}{element}]", format!("{element},").repeat(200_000));
        let records = read_in_pieces(body.as_bytes(), 8192).unwrap();
        assert_eq!(records.unusable.len(), 1000);
        assert_eq!(records.unusable_count(), 200_001);
        assert_eq!(records.unusable[0].fault.to_string(), reason);
    }
}

proptest::proptest! {
    #[test]
    fn records_nearly_plain_read_the_same_in_pieces(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "{", "}", "[", "]", ",", ":", " ", "\"time_stamp\"", "\"latitude\"", "\"longitude\"", "\"x\"",
            "1", "-2.5", "1e3", "01", "null", "\"a\"", "\"\\n\"",
            r#"{"time_stamp":1,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":1,"latitude":2,"x":7,"longitude":3}"#,
        ]), 0..14)
    ) {
        same(parts.concat().as_bytes());
        same(format!("[{}]", parts.concat()).as_bytes());
    }
}
