//! Tests of requests: slashes and redirects that are remembered or refused,
//! fields, and what the answers to them are worth.

use uuid::Uuid;

use super::{LONG, ONE, read};
use crate::failure::{Failure, FailureKind};
use crate::service::{Client, Connection};
use crate::testing::service::{Responder, client, connection, http, token};
use crate::track::field::FieldChoice;
use crate::watch::{Answer, RequestBasis};

fn with_fields(service: &Responder, fields: Option<&[&str]>) -> Client {
    let names = |fields: &[&str]| fields.iter().map(ToString::to_string).collect();
    Client::new(Connection {
        fields: fields.map(names).map(FieldChoice::new),
        ..connection(&service.address, &service.address, LONG)
    })
}

async fn read_by(client: &Client, deployment: Uuid) -> Result<Answer, Failure> {
    let known = RequestBasis::default();
    client
        .deployment_data(&token(), &deployment.into(), &known, None)
        .await
}

/// The path and query of each request.
fn targets(service: &Responder) -> Vec<String> {
    let target = |request: &String| request.split(' ').nth(1).unwrap().to_owned();
    service.requests().iter().map(target).collect()
}

#[tokio::test]
async fn a_redirect_that_only_adds_or_takes_a_slash_is_remembered() {
    const DATA: &str = "/public/deployment/data/";
    for (wants_slash, statuses) in [(true, 301), (true, 302), (false, 308)] {
        let service = Responder::start(move |_, request| {
            let target = request.split(' ').nth(1).unwrap();
            match (target.strip_suffix('/'), wants_slash) {
                (None, true) => {
                    let place = format!("Location: {target}/\r\n");
                    http(&format!("{statuses} Moved"), &place, b"")
                }
                _ => http("200 OK", "", ONE.as_bytes()),
            }
        });
        let (client, _) = client(&service.address, &service.address, LONG);
        for uuid in [Uuid::nil(), Uuid::nil(), Uuid::max(), Uuid::nil()] {
            let answer = read_by(&client, uuid).await;
            assert_eq!(answer.unwrap().records.count(), 1);
        }
        let (nil, max) = (Uuid::nil(), Uuid::max());
        let expected: Vec<String> = if wants_slash {
            vec![
                format!("{DATA}{nil}"),
                format!("{DATA}{nil}/"),
                format!("{DATA}{nil}/"),
                format!("{DATA}{max}/"),
                format!("{DATA}{nil}/"),
            ]
        } else {
            [nil, nil, max, nil]
                .map(|uuid| format!("{DATA}{uuid}"))
                .into()
        };
        assert_eq!(targets(&service), expected);
    }
    // A service that changes its mind is followed, and so is its next word; any
    // other redirect is asked for every time.
    let service = Responder::start(|number, request| {
        let target = request.split(' ').nth(1).unwrap();
        let to = |place: String| http("301 Moved", &format!("Location: {place}\r\n"), b"");
        match (number, target.strip_suffix('/')) {
            (0, None) => to(format!("{target}/")),
            (2, Some(bare)) => to(bare.to_owned()),
            (5, None) => to("/other".to_owned()),
            _ => http("200 OK", "", b"[]"),
        }
    });
    let (client, _) = client(&service.address, &service.address, LONG);
    for _ in 0..5 {
        let read = read_by(&client, Uuid::nil());
        read.await.unwrap();
    }
    let ends: Vec<_> = targets(&service)
        .iter()
        .map(|target| target.ends_with('/'))
        .collect();
    assert_eq!(ends, [false, true, true, false, false, false, false, false]);
}

#[tokio::test]
async fn a_redirect_to_https_of_the_same_host_says_what_to_set() {
    let service = Responder::start(|_, request| {
        let host = request
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap();
        let host = host.split(':').next().unwrap().to_owned();
        let place = format!("Location: https://{host}:8443/v1/x\r\n");
        http("301 Moved", &place, b"")
    });
    let base = format!("{}/v1", service.address);
    let (client, _) = client(&base, &base, LONG);
    let read = read_by(&client, Uuid::nil());
    let error = read.await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Unreachable);
    assert_eq!(error.hint, "Set base_url to https://127.0.0.1:8443/v1.");
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn fields_are_asked_for_as_they_are_set() {
    for (fields, query) in [
        (None, ""),
        (
            Some(&[][..]),
            "?field=time_stamp&field=latitude&field=longitude",
        ),
        (
            Some(&["sst", "latitude", "a&b"][..]),
            "?field=time_stamp&field=latitude&field=longitude&field=sst&field=a%26b",
        ),
    ] {
        let service = Responder::start(|_, request| {
            let target = request.split(' ').nth(1).unwrap();
            match target.split_once('?') {
                Some((path, query)) if !path.ends_with('/') => {
                    let place = format!("Location: {path}/?{query}\r\n");
                    http("301 Moved", &place, b"")
                }
                _ => http("200 OK", "", ONE.as_bytes()),
            }
        });
        let client = with_fields(&service, fields);
        for _ in 0..2 {
            let read = read_by(&client, Uuid::nil());
            read.await.unwrap();
        }
        let targets = targets(&service);
        let path = format!("/public/deployment/data/{}", Uuid::nil());
        match fields {
            None => assert_eq!(targets, [path.clone(), path]),
            // The slash is remembered, the query stays.
            Some(_) => assert_eq!(
                targets,
                [
                    format!("{path}{query}"),
                    format!("{path}/{query}"),
                    format!("{path}/{query}")
                ]
            ),
        }
    }
}

#[tokio::test]
async fn a_failure_of_the_service_for_one_deployment_names_the_uuid_as_one_of_its_causes() {
    let page = b"<html><title>ValidationError at /data</title></html>";
    let service = Responder::start(move |_, _| http("500 Oh", "", page));
    let error = read(&service).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Service);
    assert!(error.hint.contains("check this UUID"), "{error}");
    // It is as likely that nothing is answered at all.
    assert!(error.hint.starts_with("Try again later."), "{error}");
    assert!(
        error
            .message()
            .contains("titled \"ValidationError at /data\""),
        "{error}"
    );
}

/// A page with a record at each of these times, and what its `Link` says.
fn page(times: &[u32], link: &str) -> crate::testing::service::Reply {
    let records = times.iter().map(|time| {
        format!("{{\"time_stamp\":{time},\"latitude\":60,\"longitude\":5,\"battery\":{time}}}")
    });
    let body = records.collect::<Vec<_>>().join(",");
    let headers = format!("ETag: \"x\"\r\nLink: {link}\r\n");
    http("200 OK", &headers, format!("[{body}]").as_bytes())
}

#[tokio::test]
async fn the_pages_of_an_answer_are_followed_to_the_last_and_are_one_track() {
    let service = Responder::start(|_, request| {
        match request.split(' ').nth(1).unwrap().split_once("page=") {
            None => page(&[1, 2], "<?page=2>; rel=\"next\""),
            Some((_, "2")) => page(&[3], "</a>; rel=prev, <?page=3>; rel=next"),
            // The address of an earlier page ends it, that of the first one, too.
            _ => page(&[4], "<?>; rel=\"prev\", <?page=2>; rel=\"next\""),
        }
    });
    let answer = read_by(&with_fields(&service, None), Uuid::nil()).await;
    let answer = answer.unwrap();
    let times = answer.records.transmissions.iter();
    let times: Vec<f64> = times.map(|one| one.time_stamp).collect();
    assert_eq!(times, [1.0, 2.0, 3.0, 4.0]);
    for (number, time) in times.iter().enumerate() {
        let fields: Vec<_> = answer.records.fields.of_fix(number).collect();
        let battery = crate::track::field::FieldValue::Number(*time);
        assert_eq!(fields, [("battery", battery)]);
    }
    // A validator of the first page says nothing of the others.
    assert!(answer.validators.is_empty());
    let requests = service.requests();
    assert_eq!(requests.len(), 3);
    assert!(
        requests
            .iter()
            .all(|one| one.contains("Bearer SECRET-TOKEN"))
    );
}

#[tokio::test]
async fn a_page_that_fails_is_a_failure_and_no_shorter_track() {
    let too_large = format!("[{}]", " ".repeat(700_000));
    for (link, second, kind) in [
        (
            "<?page=2>; rel=next",
            http("404 Not Found", "", b"{}"),
            FailureKind::Unreachable,
        ),
        (
            "<?page=2>; rel=next",
            http("200 OK", "", b"<html>"),
            FailureKind::Unreachable,
        ),
        (
            "<https://x.example/>; rel=next",
            page(&[3], ""),
            FailureKind::Unreachable,
        ),
        (
            "<?page=2>; rel=next",
            http("200 OK", "", too_large.as_bytes()),
            FailureKind::NotUnderstood,
        ),
    ] {
        let first = match kind {
            FailureKind::NotUnderstood => {
                http("200 OK", &format!("Link: {link}\r\n"), too_large.as_bytes())
            }
            _ => page(&[1, 2], link),
        };
        let service = Responder::start(move |number, _| match number {
            0 => first.clone(),
            _ => second.clone(),
        });
        let failed = read_by(&with_fields(&service, None), Uuid::nil()).await;
        assert_eq!(failed.unwrap_err().kind, kind, "{link}");
    }
}
