//! Valid and invalid records, as services send them.

use crate::formats::elements::LARGEST;
use crate::service::answer::*;
use crate::testing::json_rules;
use crate::testing::json_rules::{Case, Verdict};
use crate::track::Records;

/// The records of a body that comes in one piece.
fn whole(body: &[u8]) -> Result<Records, AnswerFault> {
    parse(body, body.len())
}

const GOOD: &str = r#"{"time_stamp":1.5,"latitude":80.25,"longitude":-10}"#;

fn only_reason(record: &str) -> String {
    let body = format!("[{GOOD},{record},{GOOD}]");
    let records = whole(body.as_bytes()).unwrap();
    assert_eq!(records.transmissions.len(), 2, "neighbours of {record}");
    assert_eq!(records.unusable.len(), 1, "{record}");
    assert_eq!(records.unusable[0].index, 1);
    records.unusable[0].fault.to_string()
}

#[test]
fn a_good_record_gives_its_three_numbers() {
    let records = whole(format!("\u{feff} [{GOOD}] \n").as_bytes()).unwrap();
    let fix = records.transmissions[0];
    assert_eq!(fix.time_stamp, 1.5);
    assert_eq!(
        (fix.position.latitude, fix.position.longitude),
        (80.25, -10.0)
    );
    assert_eq!(whole(b"[]").unwrap(), Records::default());
}

#[test]
fn a_bad_record_spoils_itself_alone_and_says_why() {
    for (record, reason) in [
        (
            r#"{"time_stamp":1e999,"latitude":0,"longitude":0}"#,
            "time_stamp: number out of range",
        ),
        (
            r#"{"time_stamp":-1e999,"latitude":0,"longitude":0}"#,
            "time_stamp: number out of range",
        ),
        (
            r#"{"time_stamp":1,"time_stamp":1,"latitude":0,"longitude":0}"#,
            "time_stamp twice",
        ),
        (
            r#"{"time_stamp":1,"latitude":null,"longitude":0}"#,
            "latitude is null",
        ),
        (r#"{"time_stamp":1,"latitude":0}"#, "longitude is missing"),
        (
            r#"{"time_stamp":"1","latitude":0,"longitude":0}"#,
            "time_stamp is a string",
        ),
        (
            r#"{"time_stamp":true,"latitude":0,"longitude":0}"#,
            "time_stamp is a truth value",
        ),
        (
            r#"{"time_stamp":1,"latitude":[0],"longitude":0}"#,
            "latitude is an array",
        ),
        (
            r#"{"time_stamp":1,"latitude":{},"longitude":0}"#,
            "latitude is an object",
        ),
        (
            r#"{"time_stamp":1,"Latitude":1,"longitude":0}"#,
            "latitude is missing",
        ),
        ("[1,2,3]", "not a record but an array"),
        ("null", "not a record but null"),
        ("7", "not a record but a number"),
        (r#""x""#, "not a record but a string"),
        ("{}", "time_stamp is missing"),
    ] {
        assert_eq!(only_reason(record), reason, "{record}");
    }
    assert!(only_reason(r#"{"time_stamp":1,"latitude":91,"longitude":0}"#).contains("91"));
    assert!(only_reason(r#"{"time_stamp":1,"latitude":0,"longitude":540}"#).contains("540"));
    assert!(only_reason(r#"{"\ud800":1,"time_stamp":1,"latitude":0,"longitude":0}"#).len() > 3);
}

/// The fields of every record of a body, as text.
fn fields(records: &Records) -> Vec<String> {
    let of = |index| {
        let all = records.fields.of_fix(index);
        let all: Vec<String> = all
            .map(|(name, value)| format!("{name}={value:?}"))
            .collect();
        all.join(" ")
    };
    (0..records.transmissions.len()).map(of).collect()
}

#[test]
fn what_a_record_holds_besides_is_kept() {
    for (extra, kept) in [
        ("1.5", "x=Number(1.5)"),
        ("-0", "x=Number(-0.0)"),
        ("9007199254740993", r#"x=Digits("9007199254740993")"#),
        ("1e999", r#"x=Text("1e999")"#),
        ("null", "x=Null"),
        ("true", "x=Truth(true)"),
        ("false", "x=Truth(false)"),
        (r#""a b""#, r#"x=Text("a b")"#),
        (r#""\u00e5\n""#, "x=Text(\"å\\n\")"),
        (r#""\ud800""#, r#"x=Text("\"\\ud800\"")"#),
        ("[[[]]]", r#"x=Text("[[[]]]")"#),
        (
            r#"{"a":{"a":1, "a":2}}"#,
            r#"x=Text("{\"a\":{\"a\":1, \"a\":2}}")"#,
        ),
    ] {
        for name in ["x", r"\u0078"] {
            let body = format!(
                r#"[{{"time_stamp":1,"{name}" : {extra} ,"latitude":2,"longitude":3}},{GOOD}]"#
            );
            for records in [
                whole(body.as_bytes()).unwrap(),
                parse(body.as_bytes(), 5).unwrap(),
                parse(body.as_bytes(), 500).unwrap(),
            ] {
                assert_eq!(fields(&records), [kept, ""], "{extra}");
            }
        }
    }
    let escaped = br#"[{"time\u005fstamp":1,"latitude":2,"longitude":3}]"#;
    assert_eq!(whole(escaped).unwrap().transmissions.len(), 1);
}

#[test]
fn a_field_twice_spoils_its_record_and_leaves_nothing_of_it() {
    for extra in ["1", "[]", "null", "\"a\""] {
        let record = format!(
            r#"{{"y":1,"x":{extra},"time_stamp":1,"latitude":2,"longitude":3,"x":{extra}}}"#
        );
        assert_eq!(only_reason(&record), "x twice");
        let body = format!("[{GOOD},{record},{GOOD}]");
        for records in [
            whole(body.as_bytes()).unwrap(),
            parse(body.as_bytes(), 500).unwrap(),
        ] {
            assert!(records.fields.is_empty());
        }
    }
    // Nor does a record that cannot be used.
    let body = br#"[{"x":1},{"x":2,"time_stamp":1,"latitude":2,"longitude":3},{"z":1}]"#;
    let records = parse(body, 100).unwrap();
    assert_eq!(fields(&records), ["x=Number(2.0)"]);
    assert_eq!(records.fields.columns().count(), 1);
}

#[test]
fn of_the_fields_those_that_are_asked_for_are_kept() {
    let body = br#"[{"a":1,"time_stamp":1,"b":[2],"c":3,"latitude":2,"longitude":3}]"#;
    let kept = |asked: &[&str]| {
        let asked = FieldChoice::new(asked.iter().map(ToString::to_string).collect());
        let mut reader = AnswerReader::new(None, Some(&asked), &[]);
        reader.body.take(body);
        fields(&reader.finish().unwrap().records).concat()
    };
    assert_eq!(kept(&["c", "b"]), r#"b=Text("[2]") c=Number(3.0)"#);
    assert_eq!(kept(&[]), "");
}

#[test]
fn a_value_beyond_the_bound_is_told_and_not_kept() {
    use crate::track::field::LONGEST_VALUE;
    for (length, kept) in [(LONGEST_VALUE, 1), (LONGEST_VALUE + 1, 0), (1 << 20, 0)] {
        for character in ["x", "å"] {
            let long = character.repeat(length / character.len());
            let long = format!("{long}{}", "y".repeat(length % character.len()));
            let body = format!(r#"[{{"a":"{long}","time_stamp":1,"latitude":2,"longitude":3}}]"#);
            for size in [1000, body.len()] {
                let records = parse(body.as_bytes(), size).unwrap();
                assert_eq!(records.transmissions.len(), 1);
                assert_eq!(records.fields.of_fix(0).count(), kept, "{length}");
                assert_eq!(records.fields.note().is_none(), kept == 1);
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_spoil_at_most_their_record() {
    let mut body = format!("[{GOOD},").into_bytes();
    body.extend_from_slice(b"{\"note\":\"\xff\",\"time_stamp\":1,\"latitude\":2,\"longitude\":3},");
    body.extend_from_slice(b"{\"time_stamp\":\"\xff\",\"latitude\":2,\"longitude\":3}]");
    let records = whole(&body).unwrap();
    assert_eq!(records.transmissions.len(), 2);
    assert_eq!(
        records.unusable[0].fault.to_string(),
        "time_stamp is a string"
    );
    assert!(matches!(whole(b"[\xff]"), Err(AnswerFault::Unlike(_))));
}

#[test]
fn every_cut_of_an_array_is_refused() {
    let body = format!("[{GOOD},{GOOD},{GOOD}]");
    for end in 0..body.len() {
        assert!(whole(&body.as_bytes()[..end]).is_err(), "cut at {end}");
    }
    let cut = whole(&body.as_bytes()[..body.len() - 10]);
    assert_eq!(cut, Err(AnswerFault::Cut { whole: 2 }));
}

#[test]
fn what_is_no_array_is_named_and_shown_harmless() {
    let words = |body: &[u8]| whole(body).unwrap_err().to_string();
    assert!(words(b"{\"a\":1,\"b\":\"\x1b\"}").contains("no JSON"));
    assert!(words(br#"{"a":1,"b":2}"#).contains("an object with the keys a, b, not an array"));
    assert!(words(b"\"a\x7f\"").contains("^?"));
    assert!(words(b"null").contains("null"));
    assert!(words(b" \n").contains("empty"));
    assert!(words(b"\xff\xfe[\0]\0").contains("UTF-16"));
    assert!(words(b"[\0]\0").contains("UTF-16"));
    assert!(words(b"[] []").contains("no JSON after 0 records: trailing characters"));
    assert!(words(b"[]\0").contains("UTF-16") || words(b"[]\0").contains("no JSON after"));
    let long = format!("\"{}\"", "x".repeat(1000));
    assert!(words(long.as_bytes()).chars().count() < 300);
    assert_eq!(
        whole(b"<!doctype html><TITLE lang=en>Please sign in\n to the WiFi</title>"),
        Err(AnswerFault::WebPage(Some(
            "Please sign in to the WiFi".to_owned()
        )))
    );
    assert!(matches!(
        whole(br#"{"error":7,"message":"no such deployment"}"#),
        Err(AnswerFault::Error(ErrorRead { error: Some(7), .. }))
    ));
}

#[test]
fn deep_nesting_neither_overflows_nor_hangs() {
    let deep = 1_000_000;
    assert!(whole("[".repeat(deep).as_bytes()).is_err());
    let balanced = "[".repeat(deep) + &"]".repeat(deep);
    assert_eq!(whole(balanced.as_bytes()).unwrap().unusable.len(), 1);
    let members = r#"[{"a":"#.to_owned() + &"[".repeat(deep) + &"]".repeat(deep) + "}]";
    assert_eq!(whole(members.as_bytes()).unwrap().unusable.len(), 1);
    assert!(whole((r#"{"a":"#.repeat(deep)).as_bytes()).is_err());
}

/// Checks that both parsers, whole and in chunks, accept a body of the Read
/// kind and reject one of the Refuse kind.
fn is_kept((verdict, rule, body): &Case) {
    let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
    let answer = whole(body);
    match verdict {
        Verdict::Read => {
            let json: serde_json::Value = serde_json::from_slice(body).unwrap();
            assert_eq!(
                answer.is_ok(),
                json.is_array(),
                "{rule}: {shown}: {answer:?}"
            );
            if let (Ok(records), Some(elements)) = (&answer, json.as_array()) {
                let count = records.transmissions.len() + records.unusable.len();
                assert_eq!(count, elements.len(), "{rule}: {shown}");
            }
        }
        Verdict::Refuse => assert!(answer.is_err(), "{rule}: {shown} was read"),
        Verdict::Either => {}
    }
    for size in [1, 7] {
        let pieces = parse(body, size);
        assert_eq!(pieces.is_ok(), answer.is_ok(), "{rule}: {shown} in pieces");
    }
}

#[test]
fn every_rule_of_json_is_kept() {
    let cases = json_rules::cases();
    let count = |wanted| {
        cases
            .iter()
            .filter(|(verdict, ..)| *verdict == wanted)
            .count()
    };
    assert!(count(Verdict::Read) >= 200 && count(Verdict::Refuse) >= 600);
    cases.iter().for_each(is_kept);
    // Also checks the JSONTestSuite, if it is stored next to the project.
    let suite = json_rules::test_suite();
    assert!(suite.is_empty() || suite.len() >= 300, "{}", suite.len());
    suite.iter().for_each(is_kept);
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_answered(body: Vec<u8>) {
        let _ = whole(&body);
    }

    #[test]
    fn every_element_is_counted_once(
        elements in proptest::collection::vec(
            proptest::sample::select(vec![GOOD, "null", "{}", "[1,2,3]", "1e999", "\"a,b]\""]),
            0..20,
        )
    ) {
        let records = whole(format!("[{}]", elements.join(",")).as_bytes()).unwrap();
        proptest::prop_assert_eq!(
            records.transmissions.len() + records.unusable.len(),
            elements.len()
        );
    }
}

/// Checks that the size of the pieces makes no difference.
fn same(body: &[u8]) {
    let expected = whole(body);
    for size in [1, 2, 3, 7, 64] {
        let shown = String::from_utf8_lossy(body);
        assert_eq!(parse(body, size), expected, "{shown:?} in pieces of {size}");
    }
}

#[test]
fn every_kind_of_body_reads_the_same_in_any_pieces() {
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
    same(format!("[{GOOD},{GOOD} , null,{{\"time_stamp\":1e999}},{GOOD}]").as_bytes());
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
fn an_element_that_is_too_large_is_unusable_and_spoils_no_other() {
    let lists = format!("[{}1]", "1,".repeat(LARGEST));
    let keys = format!("{{{}\"b\":1}}", "\"a\":{},".repeat(LARGEST / 7));
    let deep = format!("{}{}", "[".repeat(LARGEST), "]".repeat(LARGEST));
    for large in [lists, keys, deep, "1".repeat(LARGEST + 1)] {
        let body = format!("[{GOOD},{large},{GOOD}]");
        let records = parse(body.as_bytes(), 10_007).unwrap();
        assert_eq!(records.transmissions.len(), 2);
        assert_eq!(records.unusable[0].fault.to_string(), "larger than 4.2 MB");
    }
}

#[test]
fn the_time_of_a_record_that_cannot_be_used_is_read_wherever_it_stands() {
    let many: String = (0..40)
        .map(|n| format!("\"field_{n}\":\"{n:0>30}\","))
        .collect();
    let larger = format!("\"a\":[{}1]", "1,".repeat(LARGEST));
    for (record, lacks_position) in [
        (
            format!("{{{many}\"time_stamp\":7,\"latitude\":null}}"),
            true,
        ),
        ("{\"time_stamp\":7,\"latitude\":1}".to_owned(), true),
        (
            "{\"time_stamp\":7,\"latitude\":91,\"longitude\":2}".to_owned(),
            false,
        ),
        (format!("{{\"time_stamp\":7,{larger}}}"), false),
    ] {
        let records = whole(format!("[{record}]").as_bytes()).unwrap();
        let shown = text::excerpt(&record, 60);
        assert_eq!(records.unusable_count(), 1, "{shown}");
        let found = records.invalid_times.iter();
        let found: Vec<_> = found
            .map(|record| (record.time_stamp, record.lacks_position))
            .collect();
        assert_eq!(found, [(7.0, lacks_position)], "{shown}");
    }
}

#[test]
fn the_times_of_records_that_are_only_counted_are_kept() {
    let record = |time: u32| format!("{{\"time_stamp\":{time},\"latitude\":null}}");
    let body: Vec<String> = (0..1500).map(record).collect();
    let records = parse(format!("[{}]", body.join(",")).as_bytes(), 8192).unwrap();
    assert_eq!(records.unusable.len(), 1000);
    assert_eq!(records.invalid_times.len(), 1500);
    assert_eq!(records.invalid_times[1499].time_stamp, 1499.0);
}

#[test]
fn of_millions_of_unusable_elements_all_are_counted_and_few_kept() {
    for (element, reason) in [
        ("0", "not a record but a number"),
        ("{}", "time_stamp is missing"),
    ] {
        let body = format!("[{}{element}]", format!("{element},").repeat(200_000));
        let records = parse(body.as_bytes(), 8192).unwrap();
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
