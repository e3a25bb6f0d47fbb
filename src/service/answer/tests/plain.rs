//! Records that are read by the names of their members alone.

use super::*;
use crate::mapping::AnswerShape;
use crate::track::field::{FieldChoice, FieldValue};

const FIX: &str = r#"{"time_stamp":1,"latitude":2,"longitude":3}"#;

fn of_the_interface(body: &str) -> Records {
    let mut reader = TrackReader::new(&AnswerShape::default(), "", None, &[]);
    reader.take(body.as_bytes());
    reader.finish().unwrap().records
}

fn faults(records: &Records) -> Vec<String> {
    let faults = records
        .unusable
        .iter()
        .map(|record| record.fault.to_string());
    faults.collect()
}

#[test]
fn a_text_is_a_number_by_a_mapping_and_not_of_the_interface() {
    let body = format!(r#"[{FIX},{{"time_stamp":" 2","latitude":"2,5","longitude":3}},{FIX}]"#);
    let mapped = read("", &body).unwrap().records;
    let times = mapped.transmissions.iter().map(|fix| fix.time_stamp);
    assert_eq!(times.collect::<Vec<_>>(), [1.0, 2.0, 1.0]);
    assert_eq!(mapped.transmissions[1].position.latitude, 2.5);
    let strict = of_the_interface(&body);
    assert_eq!(faults(&strict), ["time_stamp is a string"]);
    assert_eq!(strict.transmissions.len(), 2);
}

#[test]
fn what_is_no_number_has_the_same_words_of_the_interface_and_by_a_mapping() {
    for (record, words) in [
        (
            r#"{"time_stamp":1e999,"latitude":2,"longitude":3}"#,
            "time_stamp: number out of range",
        ),
        (
            r#"{"time_stamp":[1],"latitude":2,"longitude":3}"#,
            "time_stamp is an array",
        ),
        (
            r#"{"time_stamp":true,"latitude":2,"longitude":3}"#,
            "time_stamp is a truth value",
        ),
        (
            r#"{"time_stamp":1,"latitude":{},"longitude":3}"#,
            "latitude is an object",
        ),
        (
            r#"{"time_stamp":1,"latitude":2,"longitude":null}"#,
            "longitude is null",
        ),
        (
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"longitude":3}"#,
            "longitude twice",
        ),
        (
            r#"{"time_stamp":1,"x":[],"latitude":2,"longitude":3,"x":1}"#,
            "x twice",
        ),
        (
            r#"{"\ud800":1,"time_stamp":1,"latitude":2,"longitude":3}"#,
            "unexpected end of hex escape",
        ),
        ("[1,2,3]", "not a record but an array"),
        ("null", "not a record but null"),
    ] {
        let body = format!("[{FIX},{record},{FIX}]");
        for records in [of_the_interface(&body), read("", &body).unwrap().records] {
            assert_eq!(faults(&records), [words], "{record}");
            assert_eq!(records.transmissions.len(), 2);
        }
    }
}

#[test]
fn a_limited_field_is_kept_after_all_that_there_is_room_for() {
    use crate::track::field::MOST_FIELDS;
    let many: String = (0..=MOST_FIELDS).map(|n| format!("\"f{n}\":1,")).collect();
    let body = format!(r#"[{{{many}"limited":7,"time_stamp":1,"latitude":2,"longitude":3}}]"#);
    for shape in [AnswerShape::default(), mapped("time_format = 'iso'").answer] {
        let mut reader = TrackReader::new(&shape, "", None, &["limited".to_owned()]);
        let body = if shape.is_strict {
            body.clone()
        } else {
            body.replace(
                "\"time_stamp\":1",
                "\"time_stamp\":\"2022-12-11T00:29:39Z\"",
            )
        };
        reader.take(body.as_bytes());
        let fields = reader.finish().unwrap().records.fields;
        assert!(fields.columns().any(|column| column.name() == "limited"));
    }
}

#[test]
fn nothing_may_follow_an_answer() {
    for (table, body) in [("", "[]"), ("items = '/data'", "{\"data\":[]}")] {
        assert!(read(table, &format!("{body} \n")).is_ok());
        for more in ["x", " 7", "\n[]"] {
            let fault = read(table, &format!("{body}{more}")).unwrap_err();
            let words = "the answer is no JSON after 0 records: trailing characters";
            assert_eq!(fault, AnswerFault::Unlike(words.to_owned()));
        }
    }
}

#[test]
fn of_a_record_with_very_many_members_few_are_held_to_find_its_fault() {
    let many: String = (0..70_000).map(|n| format!("\"f{n}\":1,")).collect();
    for (latitude, words) in [("2", None), ("null", Some("more than 65,536 members"))] {
        let body =
            format!(r#"[{{"time_stamp":7,{many}"latitude":{latitude},"longitude":3}},{FIX}]"#);
        let records = of_the_interface(&body);
        assert_eq!(faults(&records), Vec::from_iter(words));
        assert_eq!(records.count(), 2);
        let times = records.invalid_times.iter().map(|record| record.time_stamp);
        assert!(times.eq(words.map(|_| 7.0)));
    }
}

#[test]
fn a_position_that_its_service_calls_invalid_is_marked() {
    use crate::track::quality::MARKED_INVALID;
    let marks = |table: &str, body: &str| -> Vec<bool> {
        let records = read(table, body).unwrap().records;
        let is_marked = |fix| {
            let mut fields = records.fields.of_fix(fix);
            fields.any(|field| field == (MARKED_INVALID, FieldValue::Truth(true)))
        };
        (0..records.transmissions.len()).map(is_marked).collect()
    };
    let record = |hour: u32, valid: &str| {
        format!(
            r#"{{"time_stamp":{hour},"latitude":60,"longitude":5,"state":{{"fix":{valid}}},"ok":{valid}}}"#
        )
    };
    let all = ["true", "false", "null", "0", "\"no\"", "7"];
    let body = all.iter().zip(0..).map(|(valid, hour)| record(hour, valid));
    let body = format!("[{}]", body.collect::<Vec<_>>().join(","));
    let expected = [false, true, false, true, true, false];
    for table in ["valid = 'ok'", "valid = '/state/fix'"] {
        assert_eq!(marks(table, &body), expected, "{table}");
    }
    // Without the member of the table it is a field, whatever its name.
    let named = body.replace("\"ok\"", "\"valid\"");
    assert_eq!(marks("", &named), [false; 6]);
    let csv = "format = 'csv'\nvalid = 'visible'";
    let rows =
        "time_stamp,latitude,longitude,visible\n1,60,5,true\n2,60,5,false\n3,60,5,\n4,60,5,FALSE\n";
    assert_eq!(marks(csv, rows), [false, true, false, true]);
    // Whatever fields are asked for.
    let mut reader = TrackReader::new(
        &mapped("valid = 'ok'").answer,
        "x",
        Some(&FieldChoice::new(Vec::new())),
        &[],
    );
    reader.take(body.as_bytes());
    let records = reader.finish().unwrap().records;
    let names: Vec<&str> = records
        .fields
        .columns()
        .map(|column| column.name())
        .collect();
    assert_eq!(names, [MARKED_INVALID]);
}
