//! The use cases against a raw test server, with a given token: neither the
//! environment nor the keyring is read.

use crate::service::Address;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::*;
use crate::app::plants::{create, delete};
use crate::app::session::login::try_token;
use crate::app::session::{Session, Setup, TokenFrom};
use crate::exchange::Exchange;
use crate::failure::FailureKind;
use crate::plant::{Draft, PlantId};
use crate::testing::fields::with_texts;
use crate::testing::service::{Reply, Responder, http, token};
use crate::token::Token;
use crate::track::{Platform, Track, TrackOptions};
use crate::watch::DeploymentId;
use crate::watch::{Answer, FetchDelta, Wanted};

const ONE: &[u8] = br#"[{"time_stamp":1,"latitude":2,"longitude":3},{"time_stamp":null}]"#;

fn session(service: &Responder) -> Session {
    let address: Address = service.address.parse().unwrap();
    let mut setup = Setup::new("test", address.clone(), address);
    setup.token = TokenFrom::Given(token());
    setup.connection.timeout = Duration::from_secs(20);
    Session::new(setup).unwrap()
}

fn source(session: &Session) -> Source {
    Source::Service(session.clone())
}

fn options() -> TrackOptions {
    TrackOptions::new(Platform::Drifter, 0.0)
}

fn request(keep: Keep, shown: Option<Arc<Track>>) -> FetchRequest {
    FetchRequest {
        deployment: Uuid::nil().into(),
        options: options(),
        flags: Flags::Given,
        keep,
        wanted: Wanted::Track { shown },
        turn: Turn::Now,
    }
}

async fn fetched(
    session: &Session,
    store: &Store,
    keep: Keep,
    shown: Option<Arc<Track>>,
) -> Update {
    let source = source(session);
    let outcome = update(&source, store, request(keep, shown), Reports::default());
    outcome.await.unwrap().now().unwrap()
}

fn draft() -> Draft {
    Draft {
        id: 42,
        name: "Kelp".to_owned(),
        tag: "brown".to_owned(),
    }
}

#[tokio::test]
async fn a_fetch_ends_in_an_assembled_track() {
    let service = Responder::start(|_, _| http("200 OK", "", ONE));
    let store = Store::in_memory();
    let update = fetched(&session(&service), &store, Keep::IfWatched, None).await;
    let track = update.track.unwrap();
    assert_eq!((track.len(), track.unusable().len()), (1, 1));
    assert_eq!(track.platform(), Platform::Drifter);
    assert_eq!(update.overview.fixes, 1);
    // Ages count from the time of the response.
    assert_eq!(update.options.now, update.fetched_at);
    // It is not watched.
    assert_eq!(update.delta, None);
    let known = store.read(crate::archive::Archive::known).await.unwrap();
    assert!(known.is_empty());
}

#[tokio::test]
async fn a_field_that_the_service_withdrew_is_in_the_track_as_the_archive_has_it() {
    let with: &[u8] = br#"[{"time_stamp":1,"latitude":2,"longitude":3,"battery":12.5}]"#;
    let without: &[u8] = br#"[{"time_stamp":1,"latitude":2,"longitude":3}]"#;
    let service =
        Responder::start(move |number, _| http("200 OK", "", [with, without][number.min(1)]));
    let (session, store) = (session(&service), Store::in_memory());
    for _ in 0..2 {
        let update = fetched(&session, &store, Keep::Always, None).await;
        let track = update.track.unwrap();
        let names: Vec<&str> = track.fields().of_fix(0).map(|(name, _)| name).collect();
        assert_eq!(names, ["battery"]);
    }
}

#[tokio::test]
async fn no_content_and_a_wrong_clock_are_noted() {
    let service = Responder::start(|_, _| {
        http(
            "204 No Content",
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
            b"",
        )
    });
    let store = Store::in_memory();
    let update = fetched(&session(&service), &store, Keep::IfWatched, None).await;
    assert_eq!(update.notes.len(), 2, "{:?}", update.notes);
    assert!(update.notes[1].contains("behind"), "{:?}", update.notes);
}

#[test]
fn an_answer_whose_ids_take_turns_says_so_and_other_texts_that_do_are_none() {
    let answer = |field: &str, value: fn(u32) -> &'static str| {
        let fixes = (0..40).map(|hour| (1.8e9 + 3600.0 * f64::from(hour), 60.0, 5.0));
        Answer {
            records: Arc::new(with_texts(fixes, field, move |row| value(row).to_owned())),
            ..Answer::new(200, "https://service.example", 1.8e9)
        }
    };
    let in_turn: fn(u32) -> &'static str = |row| if row % 2 == 0 { "A7" } else { "B9" };
    for (field, value, is_said) in [
        ("deployment", in_turn, true),
        ("buoy_id", in_turn, true),
        ("mode", in_turn, false),
        ("deployment", |_| "A7", false),
        // The name of an instrument was changed once.
        ("name", |row| if row < 20 { "A7" } else { "B9" }, false),
    ] {
        let notes = keep::about_answer(&answer(field, value));
        let said =
            format!("all is taken as one track, though the 2 values of '{field}' take turns");
        assert_eq!(notes.contains(&said), is_said, "{field}: {notes:?}");
    }
}

#[tokio::test]
async fn a_failure_keeps_what_the_service_said_and_nothing_of_the_token() {
    let service = Responder::start(|_, _| {
        http(
            "401 Unauthorized",
            "",
            br#"{"error":9,"message":"expired"}"#,
        )
    });
    let basis = RequestBasis::default();
    let source = source(&session(&service));
    let deployment = DeploymentId::default();
    let read = source.track(&deployment, &basis, None);
    let failure = read.await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotAuthenticated);
    assert!(failure.to_string().contains("auth login"), "{failure}");
    let said = failure.service.clone().unwrap();
    assert_eq!((said.status, said.error), (401, Some(9)));
    assert_eq!(said.message.as_deref(), Some("expired"));
    let printed = format!("{failure:?} {:?}", session(&service));
    assert!(!printed.contains("SECRET"), "{printed}");
}

#[tokio::test]
async fn a_create_runs_to_its_end_when_nobody_waits_any_more() {
    let service = Responder::start(|_, _| {
        std::thread::sleep(Duration::from_millis(300));
        http("201 Created", "", b"")
    });
    let (seen, observed) = std::sync::mpsc::channel();
    let address: Address = service.address.parse().unwrap();
    let mut setup = Setup::new("test", address.clone(), address);
    setup.token = TokenFrom::Given(token());
    let seen = std::sync::Mutex::new(seen);
    setup.connection.observer = Some(std::sync::Arc::new(move |exchange: Exchange| {
        if !exchange.is_under_way() {
            seen.lock().unwrap().send(exchange.status).unwrap();
        }
    }));
    let session = Session::new(setup).unwrap();
    let store = Store::in_memory();
    let given_up = tokio::time::timeout(
        Duration::from_millis(50),
        create(&session, &store, &draft(), None),
    )
    .await;
    assert!(given_up.is_err());
    let status = tokio::task::spawn_blocking(move || observed.recv_timeout(Duration::from_secs(5)))
        .await
        .unwrap();
    assert_eq!(status, Ok(Some(201)));
    assert_eq!(service.requests().len(), 1);
}

#[tokio::test]
async fn outcomes_of_changes_keep_their_kinds() {
    let service = Responder::start(|_, _| Reply::Drop);
    let store = Store::in_memory();
    let failure = create(&session(&service), &store, &draft(), None)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, FailureKind::OutcomeUnknown);
    assert!(failure.message().contains("42"), "{failure}");
    assert!(PlantId::parse("..").is_err());
    let service = Responder::start(|_, _| http("200 OK", "", b""));
    let id = PlantId::parse("42").unwrap();
    let deleted = delete(&session(&service), &store, &id).await.unwrap();
    assert_eq!(
        (deleted.reply.status, deleted.reply.note),
        (Some(200), None)
    );
}

#[tokio::test]
async fn a_token_is_taken_if_the_service_lets_it_in_whatever_it_says_of_the_deployment() {
    for (reply, kind) in [
        (http("200 OK", "", b"[]"), None),
        (
            http(
                "400 Bad Request",
                "",
                br#"{"error":1,"message":"no such deployment"}"#,
            ),
            None,
        ),
        (http("404 Not Found", "", b""), None),
        (
            http(
                "400 Bad Request",
                "",
                br#"{"error":2,"message":"Invalid access token"}"#,
            ),
            Some(FailureKind::Service),
        ),
        (
            http("401 Unauthorized", "", b""),
            Some(FailureKind::NotAuthenticated),
        ),
        (http("403 Forbidden", "", b""), Some(FailureKind::Forbidden)),
        // It tells nothing: the token is used, and not stored.
        (http("501 Not Implemented", "", b""), None),
        (
            http("200 OK", "", b"<title>Sign in</title>"),
            Some(FailureKind::NotUnderstood),
        ),
    ] {
        let service = Responder::start(move |_, _| reply.clone());
        let session = session(&service);
        let tried = try_token(&session, "another", Vec::new()).await;
        assert_eq!(tried.as_ref().err().map(|failure| failure.kind), kind);
        // It is about the token, and no deployment.
        let said = tried
            .err()
            .map_or_else(String::new, |failure| failure.to_string());
        assert!(!said.contains("00000000"), "{said}");
        assert!(service.requests()[0].contains("Bearer another"));
        // The next request has the token only if it was accepted.
        let _ = source(&session)
            .track(&Uuid::nil().into(), &RequestBasis::default(), None)
            .await;
        assert_eq!(
            service.requests()[1].contains("Bearer another"),
            kind.is_none()
        );
    }
}

#[tokio::test]
async fn a_service_that_repeats_the_token_brings_it_nowhere() {
    let reply = |_, request: &str| {
        let sent = request
            .lines()
            .find_map(|line| line.strip_prefix("authorization: "))
            .unwrap_or_default();
        let error = format!(r#"{{"error":1,"message":"bad header: {sent}"}}"#);
        match request.split(' ').next() {
            Some("POST") => http(
                "200 OK",
                "",
                format!(r#"{{"id":7,"name":"{sent}","tag":"t"}}"#).as_bytes(),
            ),
            Some("GET") if request.contains("/again") => {
                http("400 Bad Request", "", error.as_bytes())
            }
            Some("GET") => {
                let place = sent.trim_start_matches("Bearer ");
                http("302 Found", &format!("Location: /again/{place}\r\n"), b"")
            }
            _ => http("409 Conflict", "", error.as_bytes()),
        }
    };
    let service = Responder::start(reply);
    let told = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
    let ear = std::sync::Arc::clone(&told);
    let address: Address = service.address.parse().unwrap();
    let mut setup = Setup::new("test", address.clone(), address);
    setup.token = TokenFrom::Given(Token::new("a-secret-word".to_owned()).unwrap());
    setup.connection.observer = Some(std::sync::Arc::new(move |exchange: Exchange| {
        ear.lock()
            .unwrap()
            .push_str(&format!("{exchange:?} {exchange}\n"));
    }));
    let session = Session::new(setup).unwrap();
    let draft = Draft::parse("7", "n", "t").unwrap();
    let id = PlantId::parse("7").unwrap();
    let store = Store::in_memory();
    let read = source(&session)
        .track(&Uuid::nil().into(), &RequestBasis::default(), None)
        .await;
    let created = create(&session, &store, &draft, None).await;
    let deleted = delete(&session, &store, &id).await;
    let lines = store.plant_log().await;
    let all = format!(
        "{read:?} {created:?} {deleted:?} {lines:?} {}",
        told.lock().unwrap()
    );
    assert!(all.contains("[token]"), "{all}");
    assert!(!all.contains("a-secret-word"), "{all}");
}

#[test]
fn a_session_over_plain_http_to_another_machine_must_be_allowed() {
    let address: Address = "http://service.example".parse().unwrap();
    let mut setup = Setup::new("ship", address.clone(), address);
    let failure = Session::new(setup.clone()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    assert!(
        failure
            .message()
            .contains("allow_insecure_http = true in the profile \"ship\"")
    );
    setup.connection.allow_insecure_http = true;
    assert!(Session::new(setup).unwrap().is_insecure());
}

#[tokio::test]
async fn a_shown_track_stays_if_the_response_has_the_same_fixes() {
    const TWO: &[u8] =
        br#"[{"time_stamp":1,"latitude":2,"longitude":3},{"time_stamp":2,"latitude":2,"longitude":3}]"#;
    let service =
        Responder::start(|number, _| http("200 OK", "", if number < 2 { ONE } else { TWO }));
    let (session, store) = (session(&service), Store::in_memory());
    let load = async |shown| {
        let update = fetched(&session, &store, Keep::Always, shown).await;
        update.track.unwrap()
    };
    let first = load(None).await;
    let again = load(Some(Arc::clone(&first))).await;
    assert!(Arc::ptr_eq(&first, &again));
    let longer = load(Some(first)).await;
    assert_eq!((again.len(), longer.len()), (1, 2));
}

#[tokio::test]
async fn what_is_shown_first_is_the_track_that_is_stored() {
    let service = Responder::start(|_, _| http("200 OK", "", ONE));
    let (session, store) = (session(&service), Store::in_memory());
    let (report, assembled) = oneshot::channel();
    let reports = Reports {
        assembled: Some(report),
        ..Reports::default()
    };
    let source = source(&session);
    let outcome = update(&source, &store, request(Keep::Always, None), reports);
    let update = outcome.await.unwrap().now().unwrap();
    let first = assembled.await.unwrap();
    assert!(Arc::ptr_eq(&first.track, &update.track.unwrap()));
    assert_eq!(update.delta.unwrap().new, 1);
}

#[tokio::test]
async fn a_list_is_shown_from_the_archive_where_nothing_has_changed() {
    let tag = "ETag: \"1\"\r\n";
    let service = Responder::start(move |number, _| match number {
        0 => http("200 OK", tag, ONE),
        _ => http("304 Not Modified", tag, b""),
    });
    let (session, store) = (session(&service), Store::in_memory());
    let first = fetched(&session, &store, Keep::Always, None).await;
    let wanted = FetchRequest {
        wanted: Wanted::Overview,
        ..request(Keep::Always, None)
    };
    let source = source(&session);
    let outcome = update(&source, &store, wanted, Reports::default());
    let update = outcome.await.unwrap().now().unwrap();
    assert_eq!((update.track, update.unstored), (None, None));
    assert_eq!(update.overview, first.overview);
    assert_eq!(update.delta, Some(FetchDelta::default()));
    assert!(update.fetched_at >= first.fetched_at);
    // For the screen the track is made of what is archived.
    let whole = fetched(&session, &store, Keep::Always, None).await;
    assert_eq!(whole.track, first.track);
    assert_eq!(service.requests().len(), 3);
}

#[tokio::test]
async fn whoever_follows_the_alarms_hears_of_each_fetch_also_of_one_that_failed() {
    let service = Responder::start(|number, _| match number {
        0 => http("200 OK", "", ONE),
        _ => http("404 Not Found", "", b""),
    });
    let (session, store) = (session(&service), Store::in_memory());
    let changes = store.alarm_changes();
    for is_answered in [true, false] {
        let mut changes = changes.clone();
        changes.mark_unchanged();
        let request = request(Keep::Always, None);
        let outcome = update(&source(&session), &store, request, Reports::default()).await;
        assert_eq!(outcome.is_ok(), is_answered);
        assert!(changes.has_changed().unwrap());
    }
}

#[tokio::test]
async fn whoever_follows_the_alarms_hears_of_an_answer_that_came_with_the_test_of_a_token() {
    let store = Store::in_memory();
    let changes = store.alarm_changes();
    let answer = Answer::new(204, "http://127.0.0.1:1", 1.8e9);
    let request = request(Keep::Always, None);
    let update = keep(&store, request, answer, None);
    assert_eq!(update.await.unwrap().unstored, None);
    assert!(changes.has_changed().unwrap());
}

#[test]
fn what_another_program_asked_for_is_asked_for_when_it_is_due() {
    let now = 1.8e9;
    let four_hours = 14_400.0;
    let wait = |ago: f64, age: f64| {
        let answer = LastAnswer {
            at: now - ago,
            first_at: now - 9e6,
            last_fix: Some(now - age),
            interval_s: Some(four_hours),
            gaps: 20,
            ..LastAnswer::default()
        };
        not_due(answer, now, 60.0)
    };
    assert_eq!(wait(1800.0, 3600.0), Some(3.0 * 3600.0));
    assert_eq!(wait(1800.0, four_hours), None);
    // A clock that was ahead, and no interval.
    assert_eq!(wait(-9e9, 3600.0), None);
    let unknown = LastAnswer {
        at: now - 20.0,
        first_at: now - 20.0,
        ..LastAnswer::default()
    };
    assert_eq!(not_due(unknown, now, 60.0), Some(40.0));
}
