//! Creates and deletes against a raw test server: how often they are sent, and
//! how responses are interpreted.

use std::time::{Duration, Instant};

use super::Change;
use crate::exchange::Attempt;
use crate::failure::FailureKind;
use crate::plant::log::{AnswerBody, Entry, Operation, Outcome, WrittenEntry};
use crate::testing::plant;
use crate::testing::service::{Reply, Responder, client, http, token};

const SHORT: Duration = Duration::from_millis(400);
const LONG: Duration = Duration::from_secs(20);

/// A line as [`crate::archive`] returns it after writing it to disk.
fn written(operation: Operation, id: &str) -> WrittenEntry {
    let line = Entry {
        id: id.to_owned(),
        name: Some("Kelp".to_owned()),
        tag: Some("brown".to_owned()),
        ..plant::outcome(0, operation, Outcome::Sending)
    };
    WrittenEntry::write(line, None, |_| Ok::<i64, ()>(1)).unwrap()
}

/// The note on a change that was done, or the kind of its failure.
fn note(change: Change) -> Result<Option<String>, FailureKind> {
    match change.failure {
        None => Ok(change.reply.unwrap().note),
        Some(failure) => Err(failure.kind),
    }
}

async fn create(service: &Responder, timeout: Duration) -> Result<Option<String>, FailureKind> {
    let (client, _) = client(&service.address, &service.address, timeout);
    let line = written(Operation::Create, "42");
    note(client.change_plant(&token(), &line, Attempt::ONLY).await)
}

async fn delete(service: &Responder, id: &str) -> Result<Option<String>, FailureKind> {
    let (client, _) = client(&service.address, &service.address, LONG);
    let line = written(Operation::Delete, id);
    note(client.change_plant(&token(), &line, Attempt::ONLY).await)
}

#[tokio::test]
async fn a_create_looks_on_the_wire_as_the_interface_says() {
    let service =
        Responder::start(|_, _| http("201 Created", "", br#"{"name":"Kelp","tag":"brown"}"#));
    let sandbox = format!("{}/sand/box/", service.address);
    let (client, seen) = client("http://127.0.0.1:9", &sandbox, LONG);
    let line = written(Operation::Create, "42");
    let change = client.change_plant(&token(), &line, Attempt::ONLY).await;
    let reply = change.reply.unwrap();
    assert_eq!(change.failure, None);
    assert_eq!((reply.status, reply.note), (Some(201), None));
    let requests = service.requests();
    let [request] = requests.as_slice() else {
        panic!("{requests:?}")
    };
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let lower = head.to_ascii_lowercase();
    assert!(
        head.starts_with("POST /sand/box/plants HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(head.contains("Bearer SECRET-TOKEN"), "{head}");
    assert!(lower.contains("content-type: application/json"), "{head}");
    assert!(lower.contains("user-agent: driftline/"), "{head}");
    assert!(!lower.contains("referer"), "{head}");
    assert_eq!(body, r#"{"name":"Kelp","id":42,"tag":"brown"}"#);
    let seen = seen.lock().unwrap();
    assert_eq!((seen.len(), seen[0].status), (1, Some(201)));
    assert!(!format!("{seen:?}").contains("SECRET"));
}

#[tokio::test]
async fn any_success_is_created_and_an_odd_echo_is_a_note() {
    for (status, body, noted) in [
        ("200 OK", r#"{"name":"Kelp","tag":"brown"}"#, false),
        ("200 OK", "", false),
        ("204 No Content", "", false),
        ("201 Created", "thank you", true),
        ("202 Accepted", r#"{"name":"Kelp"}"#, true),
        ("201 Created", r#"{"name":"Kelp","tag":"red"}"#, true),
        ("201 Created", r#"["Kelp","brown"]"#, true),
        ("299 Odd", "null", true),
    ] {
        let service = Responder::start(move |_, _| http(status, "", body.as_bytes()));
        let note = create(&service, LONG).await.unwrap();
        assert_eq!(note.is_some(), noted, "{status} {body}: {note:?}");
    }
    let cut = b"HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{\"name\"".to_vec();
    let service = Responder::start(move |_, _| Reply::Send(cut.clone()));
    assert!(create(&service, LONG).await.unwrap().is_some());
}

#[tokio::test]
async fn what_a_create_is_answered_decides_what_it_counts_as() {
    let error = br#"{"error":7,"message":"taken"}"#;
    for (reply, kind) in [
        (http("400 Bad Request", "", error), FailureKind::Service),
        (http("409 Conflict", "", b""), FailureKind::Service),
        (
            http("500 Internal Server Error", "", b""),
            FailureKind::Service,
        ),
        (
            http("503 Service Unavailable", "Retry-After: 1\r\n", b""),
            FailureKind::Service,
        ),
        (http("502 Bad Gateway", "", error), FailureKind::Service),
        (http("200 OK", "", error), FailureKind::Service),
        (
            http("502 Bad Gateway", "", b"<html>"),
            FailureKind::OutcomeUnknown,
        ),
        // The pages of gateways in JSON: none has the number of the service's Error.
        (
            http(
                "502 Bad Gateway",
                "",
                br#"{"status":502,"error":"Bad Gateway","message":"reset"}"#,
            ),
            FailureKind::OutcomeUnknown,
        ),
        (
            http("504 Gateway Timeout", "", br#"{"error":{"code":504}}"#),
            FailureKind::OutcomeUnknown,
        ),
        (
            http("502 Bad Gateway", "", br#"{"error":1.5,"message":"x"}"#),
            FailureKind::OutcomeUnknown,
        ),
        (
            http("504 Gateway Timeout", "", b""),
            FailureKind::OutcomeUnknown,
        ),
        (
            http("401 Unauthorized", "", error),
            FailureKind::NotAuthenticated,
        ),
        (http("403 Forbidden", "", b""), FailureKind::Forbidden),
        (
            http("302 Found", "Location: /elsewhere\r\n", b""),
            FailureKind::Service,
        ),
        (
            http("307 Temporary Redirect", "Location: /plants\r\n", b""),
            FailureKind::Service,
        ),
        (Reply::Drop, FailureKind::OutcomeUnknown),
        (Reply::Reset, FailureKind::OutcomeUnknown),
        (
            Reply::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()),
            FailureKind::OutcomeUnknown,
        ),
        (Reply::ThenSilence(Vec::new()), FailureKind::OutcomeUnknown),
        (
            Reply::ThenSilence(b"HTTP/1.1 20".to_vec()),
            FailureKind::OutcomeUnknown,
        ),
    ] {
        let service = Responder::start(move |_, _| reply.clone());
        assert_eq!(
            create(&service, SHORT).await,
            Err(kind),
            "{:?}",
            service.requests()
        );
        assert_eq!(service.requests().len(), 1, "a create is sent once");
    }
}

#[tokio::test]
async fn the_status_is_the_answer_however_slowly_its_body_comes() {
    let slow = |status: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: 100000\r\n\r\n");
        // Never silent for as long as the time-out.
        Reply::Drip(head.into_bytes(), body.repeat(200), SHORT / 4)
    };
    for (status, kind) in [
        ("201 Created", None),
        ("400 Bad Request", Some(FailureKind::Service)),
        ("401 Unauthorized", Some(FailureKind::NotAuthenticated)),
        ("502 Bad Gateway", Some(FailureKind::OutcomeUnknown)),
    ] {
        let reply = slow(status, b"{\"");
        let service = Responder::start(move |_, _| reply.clone());
        let began = Instant::now();
        let answer = create(&service, SHORT).await;
        assert_eq!(answer.as_ref().err(), kind.as_ref(), "{status}");
        if kind.is_none() {
            assert!(answer.unwrap().unwrap().contains("not waited for"));
        }
        assert!(began.elapsed() < 3 * SHORT, "{:?}", began.elapsed());
        assert_eq!(service.requests().len(), 1);
    }
    // With more patience it is five seconds in all.
    let reply = slow("200 OK", b" ");
    let service = Responder::start(move |_, _| reply.clone());
    let began = Instant::now();
    assert_eq!(delete(&service, "42").await, Ok(None));
    let took = began.elapsed().as_secs_f64();
    assert!((4.9..6.5).contains(&took), "{took}");
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_cut_at_every_byte_never_makes_a_second_create() {
    let Reply::Send(whole) = http("201 Created", "", br#"{"name":"Kelp","tag":"brown"}"#) else {
        panic!("a reply of bytes")
    };
    let head = whole
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap()
        + 4;
    for end in 0..whole.len() {
        let cut = whole[..end].to_vec();
        let service = Responder::start(move |_, _| Reply::Send(cut.clone()));
        let answer = create(&service, LONG).await;
        if end < head {
            assert_eq!(answer, Err(FailureKind::OutcomeUnknown), "cut at {end}");
        } else {
            assert!(matches!(answer, Ok(Some(_))), "cut at {end}: {answer:?}");
        }
        assert_eq!(service.requests().len(), 1, "cut at {end}");
    }
}

#[tokio::test]
async fn a_connection_that_never_stood_is_no_unknown_outcome() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let (client, _) = client(&address, &address, LONG);
    for operation in [Operation::Create, Operation::Delete] {
        let line = written(operation, "42");
        let change = client.change_plant(&token(), &line, Attempt::ONLY).await;
        let error = change.failure.unwrap();
        assert_eq!(change.reply, None);
        assert_eq!(error.kind, FailureKind::Unreachable, "{error}");
        assert!(error.message().contains("nothing was sent"), "{error}");
    }
}

#[tokio::test]
async fn a_delete_names_one_plant_and_nothing_else() {
    let service = Responder::start(|_, _| http("204 No Content", "", b""));
    assert_eq!(delete(&service, "a/b ü?").await, Ok(None));
    let request = service.requests().remove(0);
    assert!(
        request.starts_with("DELETE /plants/a%2Fb%20%C3%BC%3F HTTP/1.1\r\n"),
        "{request}"
    );
    for id in ["", ".", "..", "a\tb", "\n", "\u{9b}"] {
        assert_eq!(
            delete(&service, id).await,
            Err(FailureKind::Usage),
            "{id:?}"
        );
    }
    assert_eq!(delete(&service, "%2e%2e").await, Ok(None));
    assert!(service.requests()[1].starts_with("DELETE /plants/%252e%252e "));
    assert_eq!(
        service.requests().len(),
        2,
        "nothing is sent for the others"
    );
}

#[tokio::test]
async fn an_answer_about_another_plant_is_a_note() {
    for (head, body, part) in [
        ("", r#"{"name":"Kelp","tag":"brown","id":43}"#, "id 43"),
        ("", r#"{"name":"Kelp","tag":"brown","id":"x"}"#, "id x"),
        ("Location: /plants/77\r\n", "", "/plants/77"),
        (
            "Location: /plants/77/\r\n",
            r#"{"name":"Kelp","tag":"b"}"#,
            "/plants/77",
        ),
    ] {
        let service = Responder::start(move |_, _| http("201 Created", head, body.as_bytes()));
        let note = create(&service, LONG).await.unwrap().unwrap();
        assert!(note.contains(part), "{head} {body}: {note}");
    }
    for (head, body) in [
        ("", r#"{"name":"Kelp","tag":"brown","id":42}"#),
        ("", r#"{"name":"Kelp","tag":"brown","id":"42"}"#),
        ("", r#"{"name":"Kelp","tag":"brown","id":null}"#),
        ("Location: https://a.example/x/plants/42\r\n", ""),
    ] {
        let service = Responder::start(move |_, _| http("201 Created", head, body.as_bytes()));
        assert_eq!(create(&service, LONG).await, Ok(None), "{head} {body}");
    }
}

#[tokio::test]
async fn the_log_has_what_the_service_said_and_whether_it_was_the_service() {
    let error = br#"{"error":-7,"message":"taken"}"#;
    for (body, kind, said) in [
        (&error[..], AnswerBody::Error, (Some(-7), Some("taken"))),
        (br#"{"error":409}"#, AnswerBody::Error, (Some(409), None)),
        (b"", AnswerBody::Empty, (None, None)),
        (b"<h1>No such page</h1>", AnswerBody::Other, (None, None)),
        (br#"{"detail":"no"}"#, AnswerBody::Other, (None, Some("no"))),
    ] {
        let service = Responder::start(move |_, _| http("409 Conflict", "", body));
        let (client, _) = client(&service.address, &service.address, LONG);
        let line = written(Operation::Create, "42");
        let change = client.change_plant(&token(), &line, Attempt::ONLY).await;
        let reply = change.reply.unwrap();
        assert_eq!((reply.outcome, reply.status), (Outcome::Refused, Some(409)));
        assert_eq!(reply.body, Some(kind));
        assert_eq!((reply.error, reply.message.as_deref()), said);
    }
}

#[tokio::test]
async fn a_404_of_a_service_that_has_plants_does_not_say_that_there_may_be_none() {
    for body in [
        &br#"{"error":404,"message":"no such plant"}"#[..],
        br#"{"error":404}"#,
        br#"{"detail":"no such plant"}"#,
        b"",
    ] {
        let service = Responder::start(move |_, _| http("404 Not Found", "", body));
        for sandbox in [
            service.address.clone(),
            format!("{}/sandbox", service.address),
        ] {
            let (client, _) = client(&service.address, &sandbox, LONG);
            let line = written(Operation::Delete, "42");
            let change = client.change_plant(&token(), &line, Attempt::ONLY).await;
            let hint = change.failure.unwrap().hint;
            assert_eq!(hint, "Check the plant's identifier.");
        }
    }
}

#[tokio::test]
async fn a_404_says_that_there_may_be_no_plants_and_names_both_addresses() {
    let service = Responder::start(|_, _| http("404 Not Found", "", b"<h1>Not Found</h1>"));
    let base = format!("{}/api", service.address);
    let sandbox = format!("{}/sandbox", service.address);
    let (client, _) = client(&base, &sandbox, LONG);
    let (create, delete) = (
        written(Operation::Create, "42"),
        written(Operation::Delete, "42"),
    );
    let created = client.change_plant(&token(), &create, Attempt::ONLY).await;
    let deleted = client.change_plant(&token(), &delete, Attempt::ONLY).await;
    for (change, at) in [(created, &sandbox), (deleted, &base)] {
        let error = change.failure.unwrap();
        assert_eq!(error.kind, FailureKind::Service);
        let words = format!(
            "There may be no plants at {at}. Creates go to sandbox_url, {sandbox}; deletes to base_url, {base}."
        );
        assert_eq!(error.hint, words);
    }
}
