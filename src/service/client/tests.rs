//! Reads from a raw test server: the requests, the interpretation of responses,
//! and the retries.

use crate::service::Client;
use std::{
    io::Write,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use uuid::Uuid;

use crate::exchange::{Attempt, ExchangeOutcome};
use crate::failure::{Failure, FailureKind};
use crate::plant::log::{Operation, Outcome, WrittenEntry};
use crate::testing::plant;
use crate::testing::service::{Reply, Responder, client, http, token};
use crate::watch::{Answer, RequestBasis};

mod addresses;
mod ends;
mod slowness;

const LONG: Duration = Duration::from_secs(20);
const ONE: &str = r#"[{"time_stamp":1,"latitude":2,"longitude":3}]"#;

async fn read(service: &Responder) -> Result<Answer, Failure> {
    read_within(service, LONG).await
}

async fn read_within(service: &Responder, timeout: Duration) -> Result<Answer, Failure> {
    let (client, _) = client(&service.address, &service.address, timeout);
    ask(&client).await
}

async fn ask(client: &Client) -> Result<Answer, Failure> {
    let basis = RequestBasis::default();
    client
        .deployment_data(&token(), &Uuid::nil().into(), &basis, None)
        .await
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_read_looks_on_the_wire_as_the_interface_says() {
    let service =
        Responder::start(|_, _| http("200 OK", "Content-Type: text/plain\r\n", ONE.as_bytes()));
    let base = format!("{}/v1/", service.address);
    let (client, seen) = client(&base, &base, LONG);
    let told = Arc::new(Mutex::new(Vec::new()));
    let sink = told.clone();
    let deployment: Uuid = "67E55044-10B1-426F-9247-BB680E5FE0C8".parse().unwrap();
    let answer = client
        .deployment_data(
            &token(),
            &deployment.into(),
            &RequestBasis::default(),
            Some(Arc::new(move |progress| {
                sink.lock().unwrap().push(progress)
            })),
        )
        .await
        .unwrap();
    assert_eq!(answer.records.transmissions.len(), 1);
    assert_eq!((answer.status, answer.bytes), (200, ONE.len() as u64));
    let request = service.requests().remove(0);
    assert!(
        request.starts_with(
            "GET /v1/public/deployment/data/67e55044-10b1-426f-9247-bb680e5fe0c8 HTTP/1.1\r\n"
        ),
        "{request}"
    );
    let lower = request.to_ascii_lowercase();
    assert!(lower.contains("authorization: bearer secret-token"));
    assert!(lower.contains("accept: application/json"));
    assert!(lower.contains("accept-encoding: gzip\r\n"), "{request}");
    let last = *told.lock().unwrap().last().unwrap();
    assert_eq!((last.bytes, last.records), (ONE.len() as u64, 1));
    assert_eq!(last.total, Some(ONE.len() as u64));
    let seen = seen.lock().unwrap();
    assert_eq!((seen.len(), seen[0].bytes), (1, ONE.len() as u64));
    assert!(seen[0].url.starts_with(&base) && !format!("{seen:?}").contains("SECRET"));
}

#[tokio::test]
async fn what_an_answer_is_decides_what_it_counts_as() {
    let error = br#"{"error":7,"message":"no such \u001b deployment"}"#;
    for (reply, kind) in [
        (http("400 Bad Request", "", error), FailureKind::Service),
        (http("200 OK", "", error), FailureKind::Service),
        (http("404 Not Found", "", b""), FailureKind::Service),
        (
            http("501 Not Implemented", "", b"<html>"),
            FailureKind::Service,
        ),
        (http("999 Odd", "", b""), FailureKind::Service),
        (
            http("401 Unauthorized", "", error),
            FailureKind::NotAuthenticated,
        ),
        (
            http("403 Forbidden", "", b"\xff\xff"),
            FailureKind::Forbidden,
        ),
        (http("200 OK", "", b""), FailureKind::NotUnderstood),
        (http("200 OK", "", b"{\"a\":1}"), FailureKind::NotUnderstood),
        (
            http("200 OK", "", b"<title>Sign in</title>"),
            FailureKind::NotUnderstood,
        ),
        (
            http("200 OK", "Content-Encoding: gzip\r\n", b"[]"),
            FailureKind::NotUnderstood,
        ),
        // Packed by what was not asked for.
        (
            http("200 OK", "Content-Encoding: br\r\n", b"\x0b\x02\x80[]\x03"),
            FailureKind::NotUnderstood,
        ),
        (
            http("206 Partial Content", "", b"[]"),
            FailureKind::NotUnderstood,
        ),
        (
            http("304 Not Modified", "", b""),
            FailureKind::NotUnderstood,
        ),
        (http("302 Found", "", b""), FailureKind::NotUnderstood),
        (
            Reply::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec()),
            FailureKind::Unreachable,
        ),
        (
            Reply::Send(
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]".to_vec(),
            ),
            FailureKind::Unreachable,
        ),
        (
            Reply::Send(b"HTTP/1.1 200 OK\r\nX: \0\r\n\r\n[]".to_vec()),
            FailureKind::Unreachable,
        ),
        (
            Reply::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n".to_vec()),
            FailureKind::Unreachable,
        ),
        // Without a length or chunks, only the JSON itself shows a truncation.
        (
            Reply::Send(b"HTTP/1.1 200 OK\r\n\r\n[{\"time_stamp\":1,".to_vec()),
            FailureKind::Unreachable,
        ),
        // A response of the declared length is not a broken connection.
        (
            http("200 OK", "", b"[{\"time_stamp\":1,"),
            FailureKind::NotUnderstood,
        ),
    ] {
        let shown = match &reply {
            Reply::Send(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        };
        let service = Responder::start(move |_, _| reply.clone());
        let error = read(&service).await.unwrap_err();
        assert_eq!(error.kind, kind, "{shown}: {error}");
        assert!(
            !error.to_string().chars().any(char::is_control),
            "{error:?}"
        );
        assert!(!error.to_string().contains("SECRET"), "{error:?}");
    }
}

#[tokio::test]
async fn the_words_of_the_service_stand_in_the_error() {
    let service = Responder::start(|_, _| {
        http(
            "400 Bad Request",
            "",
            br#"{"error":7,"message":"no such deployment"}"#,
        )
    });
    let error = read(&service).await.unwrap_err();
    assert!(
        error
            .message()
            .contains("400 Bad Request: error 7, no such deployment"),
        "{error}"
    );
    let answer = error.service.unwrap();
    assert_eq!((answer.status, answer.error), (400, Some(7)));
}

#[tokio::test]
async fn what_is_sound_of_an_odd_error_object_is_kept() {
    for (body, error, message) in [
        (
            r#"{"error":1099511627776,"message":"m"}"#,
            Some(1_099_511_627_776),
            Some("m"),
        ),
        (r#"{"error":"7","message":"m"}"#, Some(7), Some("m")),
        (r#"{"error":7,"message":null}"#, Some(7), None),
        (r#"{"error":7.5,"message":["m"],"more":{}}"#, None, None),
        (r#"{"error":"broken"}"#, None, Some("broken")),
        (r#"{"message":"m"}"#, None, Some("m")),
        (r#"{"detail":"Not found."}"#, None, Some("Not found.")),
        (r#""no such buoy""#, None, Some("no such buoy")),
        ("no such buoy\nat line 7", None, Some("no such buoy")),
        (r#"[{"error":7}]"#, None, None),
    ] {
        let service = Responder::start(move |_, _| http("400 Bad Request", "", body.as_bytes()));
        let answer = read(&service).await.unwrap_err().service.unwrap();
        assert_eq!(
            (answer.error, answer.message.as_deref()),
            (error, message),
            "{body}"
        );
    }
    let long = format!(r#"{{"error":1,"message":"{}"}}"#, "x".repeat(100_000));
    let service = Responder::start(move |_, _| http("400 Bad Request", "", long.as_bytes()));
    assert!(read(&service).await.unwrap_err().message().chars().count() < 700);
}

#[tokio::test]
async fn no_content_and_an_empty_array_are_no_fixes() {
    for reply in [
        http("204 No Content", "", b""),
        http("200 OK", "", b"\xef\xbb\xbf[]"),
    ] {
        let service = Responder::start(move |_, _| reply.clone());
        let answer = read(&service).await.unwrap();
        assert!(answer.records.transmissions.is_empty());
    }
}

#[tokio::test]
async fn an_answer_cut_at_every_byte_is_never_taken_for_a_track() {
    let Reply::Send(framed) = http("200 OK", "", ONE.as_bytes()) else {
        panic!("a reply of bytes")
    };
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n{:x}\r\n{ONE}\r\n0\r\n\r\n",
        ONE.len()
    )
    .into_bytes();
    let unframed = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{ONE}\n\n").into_bytes();
    for whole in [framed, chunked, unframed] {
        // Without a length, no bytes are an empty response, not a broken one.
        let from = if whole.ends_with(b"\n\n") { 43 } else { 0 };
        for end in (from..whole.len() - 2).step_by(7).chain([whole.len() - 3]) {
            let (cut, good) = (whole[..end].to_vec(), whole.clone());
            // Truncated, then complete: the read is retried and nothing is
            // mixed.
            let service = Responder::start(move |number, _| {
                Reply::Send(if number == 0 {
                    cut.clone()
                } else {
                    good.clone()
                })
            });
            let answer = read(&service).await.unwrap();
            assert_eq!(answer.records.transmissions.len(), 1, "cut at {end}");
            assert_eq!(service.requests().len(), 2, "cut at {end}");
        }
    }
}

#[tokio::test]
async fn a_read_is_tried_again_as_often_as_its_fault_is_worth() {
    for (reply, requests, kind) in [
        (Reply::Drop, 3, FailureKind::Unreachable),
        (Reply::Reset, 3, FailureKind::Unreachable),
        (
            http("503 Service Unavailable", "", b""),
            3,
            FailureKind::Service,
        ),
        (
            http("429 Too Many Requests", "Retry-After: 0\r\n", b""),
            3,
            FailureKind::Service,
        ),
        (
            http("408 Request Timeout", "", b""),
            3,
            FailureKind::Service,
        ),
        (
            http("500 Internal Server Error", "", b""),
            2,
            FailureKind::Service,
        ),
        (http("400 Bad Request", "", b""), 1, FailureKind::Service),
        (
            http(
                "503 Service Unavailable",
                "Retry-After: 99999999999999999999\r\n",
                b"",
            ),
            1,
            FailureKind::Service,
        ),
        (
            http("503 Service Unavailable", "Retry-After: 3600\r\n", b""),
            1,
            FailureKind::Service,
        ),
    ] {
        let service = Responder::start(move |_, _| reply.clone());
        let started = Instant::now();
        let error = read(&service).await.unwrap_err();
        assert_eq!(
            (service.requests().len(), error.kind),
            (requests, kind),
            "{error}"
        );
        assert!(started.elapsed() < Duration::from_secs(5));
    }
    let service = Responder::start(|number, _| match number {
        0 => Reply::Drop,
        1 => http("503 Service Unavailable", "Retry-After: 1\r\n", b""),
        _ => http("200 OK", "", ONE.as_bytes()),
    });
    let (client, seen) = client(&service.address, &service.address, LONG);
    let started = Instant::now();
    assert!(ask(&client).await.is_ok());
    assert!(
        started.elapsed() >= Duration::from_secs(1),
        "Retry-After is honoured"
    );
    let seen = seen.lock().unwrap();
    let tries: Vec<_> = seen
        .iter()
        .map(|exchange| exchange.attempt.number)
        .collect();
    assert_eq!(tries, [1, 2, 3]);
    assert!(seen[1].detail().contains("again in 1.0 s"), "{:?}", seen[1]);
}

#[tokio::test]
async fn a_token_never_follows_a_redirect_to_another_origin() {
    let elsewhere = Responder::start(|_, _| http("200 OK", "", ONE.as_bytes()));
    let other = elsewhere.address.replace("127.0.0.1", "localhost");
    for status in [
        "301 Moved",
        "302 Found",
        "303 See Other",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let location = format!("Location: {other}/1?token=x\r\n");
        // First within the origin, then to another: only the second hop is
        // refused.
        let service = Responder::start(move |number, _| match number {
            0 => http(status, "Location: /again\r\n", b""),
            _ => http(status, &location, b""),
        });
        let error = read(&service).await.unwrap_err();
        assert_eq!(error.kind, FailureKind::Unreachable, "{error}");
        assert!(
            error.message().contains(&other) && !error.message().contains("token=x"),
            "{error}"
        );
        assert_eq!(service.requests().len(), 2);
    }
    assert!(
        elsewhere.requests().is_empty(),
        "{:?}",
        elsewhere.requests()
    );
}

#[tokio::test]
async fn a_read_follows_five_redirects_within_its_origin_and_not_six() {
    for (hops, good) in [(5, true), (6, false)] {
        let service = Responder::start(move |number, _| {
            if number < hops {
                http("302 Found", &format!("Location: /{number}\r\n"), b"")
            } else {
                http("200 OK", "", ONE.as_bytes())
            }
        });
        let answer = read(&service).await;
        assert_eq!(answer.is_ok(), good, "{answer:?}");
        assert!(
            service
                .requests()
                .iter()
                .all(|request| request.contains("SECRET-TOKEN"))
        );
    }
}

#[tokio::test]
async fn a_bomb_is_stopped_at_the_cap_and_honest_compression_is_read() {
    let body = gzip(&vec![b' '; 50 << 20]);
    let service = Responder::start(move |_, _| http("200 OK", "Content-Encoding: gzip\r\n", &body));
    let error = read(&service).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::NotUnderstood, "{error}");
    assert!(error.message().contains("larger than"), "{error}");

    let body = gzip(ONE.as_bytes());
    let cut = body[..body.len() - 6].to_vec();
    let service = Responder::start(move |_, _| http("200 OK", "Content-Encoding: gzip\r\n", &body));
    assert_eq!(read(&service).await.unwrap().records.transmissions.len(), 1);
    let (start, rest) = ONE.split_at(20);
    let two = [gzip(start.as_bytes()), gzip(rest.as_bytes())].concat();
    let service =
        Responder::start(move |_, _| http("200 OK", "Content-Encoding: x-gzip\r\n", &two));
    let answer = read(&service).await.unwrap();
    assert_eq!(
        (answer.records.count(), answer.bytes),
        (1, ONE.len() as u64)
    );
    let service = Responder::start(move |_, _| http("200 OK", "Content-Encoding: gzip\r\n", &cut));
    let error = read(&service).await.unwrap_err();
    assert_eq!(
        error.kind,
        FailureKind::Unreachable,
        "a stream that ends early broke: {error}"
    );
}

#[tokio::test]
async fn a_dropped_read_is_seen_as_cancelled() {
    let service = Responder::start(|_, _| Reply::ThenSilence(Vec::new()));
    let (client, seen) = client(&service.address, &service.address, LONG);
    let waited = tokio::time::timeout(Duration::from_millis(200), ask(&client)).await;
    assert!(waited.is_err());
    assert_eq!(seen.lock().unwrap()[0].outcome, ExchangeOutcome::Cancelled);
}

#[tokio::test]
async fn names_that_lead_nowhere_and_plain_http_where_tls_is_expected_are_said() {
    let address = "https://no-such-host.invalid";
    let (absent, _) = client(address, address, Duration::from_secs(4));
    let line = plant::outcome(0, Operation::Create, Outcome::Sending);
    let written = WrittenEntry::write(line, None, |_| Ok::<i64, ()>(1)).unwrap();
    let change = absent.change_plant(&token(), &written, Attempt::ONLY).await;
    assert_eq!(change.reply, None);
    let error = change.failure.unwrap();
    assert_eq!(error.kind, FailureKind::Unreachable);
    assert!(
        error.message().contains("cannot be found") || error.message().contains("no connection"),
        "{error}"
    );

    let service = Responder::start(|_, _| http("400 Bad Request", "", b"plain"));
    let address = service.address.replace("http:", "https:");
    let (encrypted, _) = client(&address, &address, Duration::from_secs(4));
    let error = ask(&encrypted).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Unreachable, "{error}");
    assert!(error.message().contains("plain HTTP"), "{error}");
}

#[tokio::test]
async fn what_is_known_is_asked_for_only_if_it_changed() {
    let service = Responder::start(|number, request| {
        if request.to_lowercase().contains("if-none-match: w/\"7\"") {
            http("304 Not Modified", "ETag: W/\"7\"\r\n", b"")
        } else {
            assert_eq!(number, 0, "asked again without what is known");
            http("200 OK", "ETag: W/\"7\"\r\n", ONE.as_bytes())
        }
    });
    let client = client(&service.address, &service.address, LONG).0;
    let first = ask(&client).await.unwrap();
    assert!(!first.is_unchanged() && first.records.transmissions.len() == 1);
    let basis = RequestBasis {
        validators: first.validators.clone(),
        ..RequestBasis::default()
    };
    let second = client
        .deployment_data(&token(), &Uuid::nil().into(), &basis, None)
        .await
        .unwrap();
    assert!(second.is_unchanged() && second.validators == first.validators);
}

#[tokio::test]
async fn a_304_that_was_not_asked_for_is_not_understood() {
    let service = Responder::start(|_, _| http("304 Not Modified", "", b""));
    let error = read(&service).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::NotUnderstood);
}
