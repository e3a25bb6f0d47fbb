//! The ledger around real requests: what is on the disk when, and what is told
//! when it cannot be.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::api::responder::{Reply, Responder, http, token};
use crate::archive::Archive;

fn session(service: &Responder) -> Session {
    let address: Address = service.address.parse().unwrap();
    let mut setup = Setup::new("test", address.clone(), address);
    setup.token = TokenFrom::Given(token());
    Session::new(setup).unwrap()
}

fn draft() -> Draft {
    Draft {
        id: 42,
        name: "Kelp".to_owned(),
        tag: "brown".to_owned(),
    }
}

fn outcomes(path: &Path) -> Vec<Outcome> {
    let archive = Archive::open_read_only(path).unwrap().unwrap();
    let ledger = archive.ledger(fetch::unix_now()).unwrap();
    ledger.into_iter().map(|entry| entry.outcome).collect()
}

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    (folder, path)
}

#[tokio::test]
async fn a_line_is_on_the_disk_before_its_request_is_sent() {
    let (_folder, path) = fresh();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (looked, at) = (seen.clone(), path.clone());
    let service = Responder::start(move |_, _| {
        looked.lock().unwrap().push(outcomes(&at));
        http("200 OK", "", b"")
    });
    let (session, store) = (session(&service), Store::at(path.clone()));
    ledger::create(&session, &store, &draft()).await.unwrap();
    let id = PlantId::parse("42").unwrap();
    ledger::delete(&session, &store, &id).await.unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            vec![Outcome::Pending],
            vec![Outcome::Done, Outcome::Pending]
        ]
    );
    assert_eq!(outcomes(&path), [Outcome::Done, Outcome::Done]);
    // A delete knows what the plant was called.
    let entry = store.ledger().await.unwrap().pop().unwrap();
    assert_eq!(entry.name.as_deref(), Some("Kelp"));
}

#[tokio::test]
async fn nothing_is_sent_where_the_ledger_cannot_be_written() {
    let (folder, path) = fresh();
    std::fs::write(&path, "a letter, and no folder").unwrap();
    let service = Responder::start(|_, _| http("200 OK", "", b""));
    let session = session(&service);
    // Under a file, in place of a folder, and where something else lies.
    for place in [path.join("archive.db"), folder.path().to_owned(), path] {
        let store = Store::at(place);
        let id = PlantId::parse("42").unwrap();
        let created = ledger::create(&session, &store, &draft()).await;
        let deleted = ledger::delete(&session, &store, &id).await;
        for failure in [created.unwrap_err(), deleted.unwrap_err()] {
            assert_eq!(failure.kind, FailureKind::Other, "{failure}");
            assert!(failure.message.starts_with("nothing was sent"), "{failure}");
        }
    }
    assert_eq!(service.requests().len(), 0);
}

#[tokio::test]
async fn a_line_that_cannot_be_completed_is_told_and_what_was_done_counts() {
    let (folder, path) = fresh();
    let place = folder.path().to_owned();
    let service = Responder::start(move |_, _| {
        for entry in std::fs::read_dir(&place).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        http("200 OK", "", b"")
    });
    let (session, store) = (session(&service), Store::at(path));
    let created = ledger::create(&session, &store, &draft()).await.unwrap();
    let note = created.note.unwrap_or_default();
    assert!(note.contains("the ledger could not"), "{note}");
}

#[tokio::test]
async fn an_outcome_is_written_down_when_nobody_waits_for_it_any_more() {
    let (_folder, path) = fresh();
    let service = Responder::start(|_, _| {
        std::thread::sleep(Duration::from_millis(300));
        http("201 Created", "", b"")
    });
    let (session, store, draft) = (session(&service), Store::at(path.clone()), draft());
    let create = ledger::create(&session, &store, &draft);
    assert!(
        tokio::time::timeout(Duration::from_millis(150), create)
            .await
            .is_err()
    );
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if outcomes(&path) == [Outcome::Done] {
            return;
        }
    }
    assert_eq!(outcomes(&path), [Outcome::Done]);
}

#[tokio::test]
async fn what_came_of_a_request_has_its_own_word() {
    for (reply, expected) in [
        (Reply::Drop, Outcome::Unknown),
        (http("409 Conflict", "", b""), Outcome::Refused),
        (http("401 Unauthorized", "", b""), Outcome::Refused),
        (http("503 Service Unavailable", "", b""), Outcome::Refused),
        (http("502 Bad Gateway", "", b""), Outcome::Unknown),
    ] {
        let (_folder, path) = fresh();
        let service = Responder::start(move |_, _| reply.clone());
        let (session, store) = (session(&service), Store::at(path.clone()));
        ledger::create(&session, &store, &draft())
            .await
            .unwrap_err();
        assert_eq!(outcomes(&path), [expected]);
        assert_eq!(service.requests().len(), 1, "a create is sent once");
    }
    let (_folder, path) = fresh();
    let service = Responder::start(|_, _| http("404 Not Found", "", b""));
    let (session, store) = (session(&service), Store::at(path.clone()));
    let id = PlantId::parse("42").unwrap();
    ledger::delete(&session, &store, &id).await.unwrap_err();
    assert_eq!(outcomes(&path), [Outcome::Gone]);
}
