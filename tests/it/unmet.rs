//! What an answer lacks, and where it ends, is reported.

use crate::driver::wire::{Act, Responder};
use crate::mapped::{go, home};

const FIX: &str = r#"{"time_stamp":1669852800,"latitude":55.5,"longitude":16.5,"class":"SKY"}"#;
const ROWS: &str = "time_stamp,latitude,longitude\n1669852800,55.5,16.5\n1669856400,55.5,16.5";

#[test]
fn a_filter_that_no_record_meets_is_said_with_their_number() {
    let service = Responder::json(200, &format!("[{FIX},{FIX}]"));
    let members = "where = { class = \"TPV\", mode = 3 }";
    let home = home(&service.base_url(), members);
    let track = go(&home, &["track", "a"]).ends_with(0);
    let said = "2 records, none with class = \"TPV\" and mode = 3";
    track.says(said);
    // What others lack is no news where one has it.
    let service = Responder::json(200, &format!("[{FIX},{}]", FIX.replace("SKY", "TPV")));
    let home = self::home(&service.base_url(), "where = { class = \"TPV\" }");
    let track = go(&home, &["track", "a"]).ends_with(0);
    assert!(!track.stderr.contains("none with"), "{track:#?}");
}

#[test]
fn a_table_without_a_length_or_a_last_line_end_may_be_cut_and_that_is_noted() {
    let send = |headers: &str, body: &str| {
        let answer = format!("HTTP/1.1 200 OK\r\n{headers}Connection: close\r\n\r\n{body}");
        let service = Responder::new(move |_, _| Act::Send(answer.clone().into_bytes()));
        let home = home(&service.base_url(), "format = \"csv\"");
        go(&home, &["track", "a"])
    };
    let length = format!("Content-Length: {}\r\n", ROWS.len());
    for (headers, body, is_noted) in [
        ("", ROWS.to_owned(), true),
        ("", format!("{ROWS}\n"), false),
        (&length, ROWS.to_owned(), false),
    ] {
        let track = send(headers, &body).ends_with(0);
        assert_eq!(track.stdout.lines().count(), 3, "{track:#?}");
        let said = "the last number of that row is cut";
        assert_eq!(track.stderr.contains(said), is_noted, "{track:#?}");
    }
    // A row that lacks a cell is cut.
    send("", ROWS.trim_end_matches(",16.5")).ends_with(5);
}

#[test]
fn an_error_in_the_last_line_is_that_of_the_service() {
    for (format, error) in [
        ("ndjson", r#"{"error":"quota exceeded"}"#),
        ("ndjson", r#"{"message":"quota exceeded"}"#),
    ] {
        for body in [format!("{FIX}\n{FIX}\n{error}\n"), error.to_owned()] {
            let service = Responder::json(200, &body);
            let home = home(&service.base_url(), &format!("format = \"{format}\""));
            let track = go(&home, &["track", "a"]).ends_with(4);
            track.says("quota exceeded");
            assert_eq!(track.stdout, "");
        }
    }
    // A record that cannot be used is none.
    let lost = r#"{"time_stamp":1,"latitude":null,"longitude":null,"message":"no sky"}"#;
    let service = Responder::json(200, &format!("{FIX}\n{lost}\n"));
    let home = home(&service.base_url(), "format = \"ndjson\"");
    go(&home, &["track", "a"])
        .ends_with(0)
        .says("1 record is invalid");
}

#[test]
fn a_later_page_of_another_shape_fails_or_is_counted() {
    let paged = |members: &str, first: String, second: &str| {
        let second = second.to_owned();
        let service = Responder::new(move |_, number| match number {
            0 => Act::with(200, &[("Link", "<?page=2>; rel=\"next\"")], &first),
            _ => Act::with(200, &[], &second),
        });
        let home = home(&service.base_url(), members);
        go(&home, &["track", "a"])
    };
    let first = || format!("[{FIX}]");
    paged("", first(), r#"[{"foo":1}]"#)
        .ends_with(0)
        .says("1 record is invalid");
    for (members, first, second) in [
        ("", first(), r#"{"foo":1}"#),
        (
            "items = \"/d\"",
            format!("{{\"d\":[{FIX}]}}"),
            r#"{"foo":1}"#,
        ),
        ("", first(), r#"{"error":"boom"}"#),
        ("format = \"csv\"", format!("{ROWS}\n"), "foo,bar\n1,2\n"),
        ("format = \"csv\"", format!("{ROWS}\n"), "Internal error"),
        (
            "format = \"ndjson\"",
            format!("{FIX}\n"),
            r#"{"error":"boom"}"#,
        ),
    ] {
        let failed = paged(members, first, second).ends_with(5);
        assert!(
            failed.stderr.contains("page 2"),
            "{members} {second}: {failed:#?}"
        );
    }
}
