//! The plant log around real requests: what is on the disk at which time, and
//! what is reported if it cannot be written.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{create, delete};
use crate::app::session::{Session, Setup, TokenFrom};
use crate::app::store::Store;
use crate::archive::Archive;
use crate::failure::FailureKind;
use crate::os::clock::unix_now;
use crate::plant::log::{Entry, Operation, Outcome};
use crate::plant::state::{self, State};
use crate::plant::{Draft, PlantId};
use crate::service::Address;
use crate::testing::plant;
use crate::testing::service::{Reply, Responder, http, token};
use crate::watch::Answer;

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
    let archive = Archive::open_existing(path).unwrap().unwrap();
    let lines = archive.plant_log(unix_now()).unwrap();
    lines.iter().map(Entry::outcome).collect()
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
    create(&session, &store, &draft(), None).await.unwrap();
    let id = PlantId::parse("42").unwrap();
    delete(&session, &store, &id).await.unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            vec![Outcome::Sending],
            vec![Outcome::Done, Outcome::Sending]
        ]
    );
    assert_eq!(outcomes(&path), [Outcome::Done, Outcome::Done]);
}

#[tokio::test]
async fn a_refused_create_does_not_name_the_plant_that_is_deleted() {
    let (_folder, path) = fresh();
    let service = Responder::start(move |number, _| match number {
        1 => http("409 Conflict", "", b""),
        _ => http("200 OK", "", b""),
    });
    let (session, store) = (session(&service), Store::at(path));
    create(&session, &store, &draft(), None).await.unwrap();
    let other = Draft {
        name: "Rose".to_owned(),
        tag: "red".to_owned(),
        ..draft()
    };
    create(&session, &store, &other, None).await.unwrap_err();
    let id = PlantId::parse("42").unwrap();
    delete(&session, &store, &id).await.unwrap();
    let lines = store.plant_log().await.unwrap();
    let plant = state::plant(&lines, &session.plant_service(), "42").unwrap();
    assert_eq!(plant.named().unwrap().name, "Kelp");
    assert_eq!(plant.state, State::Deleted);
}

#[tokio::test]
async fn nothing_is_sent_where_the_plant_log_cannot_be_written() {
    let (folder, path) = fresh();
    std::fs::write(&path, "a letter, and no folder").unwrap();
    let service = Responder::start(|_, _| http("200 OK", "", b""));
    let session = session(&service);
    // Below a file, in place of a folder, and in place of a file of another
    // kind.
    for place in [path.join("archive.db"), folder.path().to_owned(), path] {
        let store = Store::at(place);
        let id = PlantId::parse("42").unwrap();
        let created = create(&session, &store, &draft(), None).await;
        let deleted = delete(&session, &store, &id).await;
        for failure in [created.unwrap_err(), deleted.unwrap_err()] {
            assert_eq!(failure.kind, FailureKind::Other, "{failure}");
            assert!(
                failure.message().starts_with("nothing was sent"),
                "{failure}"
            );
        }
    }
    assert_eq!(service.requests().len(), 0);
}

#[tokio::test]
async fn a_line_that_cannot_be_completed_is_told_and_what_was_done_counts() {
    let (folder, path) = fresh();
    let place = folder.path().to_owned();
    let service = Responder::start(move |_, _| {
        std::fs::remove_dir_all(&place).unwrap();
        std::fs::write(&place, "a file where the folder was").unwrap();
        http("200 OK", "", b"")
    });
    let (session, store) = (session(&service), Store::at(path));
    let created = create(&session, &store, &draft(), None).await.unwrap();
    let note = created.reply.note.unwrap_or_default();
    assert!(note.contains("the plant log could not"), "{note}");
    std::fs::remove_file(folder.path()).unwrap();
}

#[tokio::test]
async fn an_outcome_stands_in_a_new_archive_where_the_old_one_was_removed_meanwhile() {
    let (folder, path) = fresh();
    let place = folder.path().to_owned();
    let service = Responder::start(move |_, _| {
        for entry in std::fs::read_dir(&place).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        http("200 OK", "", b"")
    });
    let (session, store) = (session(&service), Store::at(path.clone()));
    create(&session, &store, &draft(), None).await.unwrap();
    assert_eq!(outcomes(&path), [Outcome::Done]);
    let news = store.warnings().join("; ");
    assert!(news.contains("was removed or replaced"), "{news}");
}

#[tokio::test]
async fn an_outcome_is_written_down_when_nobody_waits_for_it_any_more() {
    let (_folder, path) = fresh();
    let service = Responder::start(|_, _| {
        std::thread::sleep(Duration::from_millis(300));
        http("201 Created", "", b"")
    });
    let (session, store, draft) = (session(&service), Store::at(path.clone()), draft());
    let create = create(&session, &store, &draft, None);
    assert!(
        tokio::time::timeout(Duration::from_millis(150), create)
            .await
            .is_err()
    );
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if path.exists() && outcomes(&path) == [Outcome::Done] {
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
        (http("524 A Timeout Occurred", "", b"<p>"), Outcome::Unknown),
    ] {
        let (_folder, path) = fresh();
        let service = Responder::start(move |_, _| reply.clone());
        let (session, store) = (session(&service), Store::at(path.clone()));
        create(&session, &store, &draft(), None).await.unwrap_err();
        assert_eq!(outcomes(&path), [expected]);
        assert_eq!(service.requests().len(), 1, "a create is sent once");
    }
}

/// The outcomes of deletes that are answered with these replies in turn, the statuses, and
/// whether the delete counts as done.
async fn deleted(replies: Vec<Reply>) -> (Vec<(Outcome, Option<u16>)>, bool) {
    let (_folder, path) = fresh();
    let service = Responder::start(move |number, _| replies[number].clone());
    let (session, store) = (session(&service), Store::at(path));
    let id = PlantId::parse("42").unwrap();
    let deleted = delete(&session, &store, &id).await;
    let lines = store.plant_log().await.unwrap();
    let lines = lines.iter().map(|line| (line.outcome(), line.reply.status));
    (lines.collect(), deleted.is_ok())
}

#[tokio::test]
async fn a_lost_delete_is_sent_once_more_as_a_line_of_its_own() {
    use Outcome::{Done, Refused, Unknown};
    let page = || http("404 Not Found", "", b"<h1>Not Found</h1>");
    let error = |status| http(status, "", br#"{"error":7,"message":"no"}"#);
    for (replies, lines, is_done) in [
        (
            vec![Reply::Drop, http("200 OK", "", b"")],
            vec![(Unknown, None), (Done, Some(200))],
            true,
        ),
        (
            vec![Reply::Drop, error("404 Not Found")],
            vec![(Unknown, None), (Done, Some(404))],
            true,
        ),
        (
            vec![Reply::Drop, http("410 Gone", "", b"")],
            vec![(Unknown, None), (Done, Some(410))],
            true,
        ),
        (
            vec![Reply::Drop, page()],
            vec![(Unknown, None), (Refused, Some(404))],
            false,
        ),
        (
            vec![
                http("502 Bad Gateway", "", b"<p>"),
                error("400 Bad Request"),
            ],
            vec![(Unknown, Some(502)), (Refused, Some(400))],
            false,
        ),
        (
            vec![Reply::Drop, Reply::Drop],
            vec![(Unknown, None), (Unknown, None)],
            false,
        ),
        (
            vec![error("404 Not Found")],
            vec![(Refused, Some(404))],
            false,
        ),
    ] {
        assert_eq!(deleted(replies).await, (lines, is_done));
    }
}

#[tokio::test]
async fn a_delete_without_an_answer_is_done_where_a_later_one_finds_nothing() {
    let (_folder, path) = fresh();
    let gone = || http("404 Not Found", "", br#"{"error":7,"message":"no"}"#);
    let service = Responder::start(move |number, _| match number {
        0 | 1 => Reply::Drop,
        _ => gone(),
    });
    let (session, store) = (session(&service), Store::at(path));
    let id = PlantId::parse("42").unwrap();
    let lost = delete(&session, &store, &id).await.unwrap_err();
    assert_eq!(lost.kind, FailureKind::OutcomeUnknown);
    let line = delete(&session, &store, &id).await.unwrap();
    assert_eq!(line.reply.status, Some(404));
    assert!(line.reply.note.unwrap().contains("no longer has it"));
    // Once that is known, the next is what the service says.
    let again = delete(&session, &store, &id).await.unwrap_err();
    assert_eq!(again.kind, FailureKind::Service);
}

#[tokio::test]
async fn what_was_not_sent_is_no_line() {
    let (_folder, path) = fresh();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address: Address = format!("http://{}", free.local_addr().unwrap())
        .parse()
        .unwrap();
    drop(free);
    let mut setup = Setup::new("test", address.clone(), address);
    setup.token = TokenFrom::Given(token());
    let (session, store) = (Session::new(setup).unwrap(), Store::at(path));
    let failure = create(&session, &store, &draft(), None).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable, "{failure}");
    assert_eq!(store.plant_log().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_begun_while_an_archive_is_mended_are_all_in_the_new_one() {
    let (_folder, path) = fresh();
    // Enough to make the recovery take a while.
    let mut records = crate::track::Records::default();
    for number in 0..20_000 {
        let time = f64::from(number);
        let one = crate::track::Transmission::new(time, 1.0, 2.0).unwrap();
        records.transmissions.push(one);
    }
    let uuid = uuid::Uuid::from_u128(7);
    {
        let mut archive = crate::archive::Archive::open(&path).unwrap();
        let answer = Answer {
            records: Arc::new(records),
            ..Answer::new(200, "https://a.example", 1.0)
        };
        archive.ingest(uuid, &answer).unwrap();
    }
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute("UPDATE deployment SET inside = 'round'", [])
        .unwrap();
    let writer = Store::at(path.clone());
    let writing = tokio::spawn(async move {
        for id in 0..150 {
            let line = Entry {
                id: id.to_string(),
                ..plant::outcome(0, Operation::Create, Outcome::Sending)
            };
            // On a busy machine the archive may be locked for longer than a program waits.
            let written = loop {
                let line = line.clone();
                match writer.write(move |archive| archive.begin(&line)).await {
                    Ok(written) => break written,
                    Err(locked) => assert!(locked.reason.contains("locked"), "{locked}"),
                }
            };
            let done = Entry {
                reply: crate::plant::log::Reply::new(Outcome::Done),
                ..written.entry().clone()
            };
            let completed = writer.write_anyway(move |archive| archive.complete(&done));
            completed.await.unwrap();
        }
    });
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert!(Store::at(path.clone()).recover().await.unwrap());
    writing.await.unwrap();
    let told = Store::at(path).plant_log().await.unwrap();
    let done = told.iter().filter(|line| line.outcome() == Outcome::Done);
    let ids: std::collections::BTreeSet<&str> = done.map(|line| line.id.as_str()).collect();
    assert_eq!(ids.len(), 150);
}
