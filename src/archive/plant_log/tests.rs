//! Lines of the plant log: begun, completed, claimed.

use super::*;
use crate::plant::log::AnswerBody;

fn service() -> PlantService {
    PlantService::new("https://a.example", "https://a.example")
}

fn asked(operation: Operation, id: &str) -> Entry {
    Entry {
        name: Some("rose".to_owned()),
        tag: Some("red".to_owned()),
        ..Entry::new(10.0, operation, id, &service())
    }
}

fn replied(entry: &Entry, outcome: Outcome) -> Entry {
    Entry {
        reply: Reply::new(outcome),
        ..entry.clone()
    }
}

#[test]
fn a_line_is_being_sent_until_it_is_completed() {
    let mut archive = Archive::in_memory().unwrap();
    let written = archive.begin(&asked(Operation::Create, "42")).unwrap();
    let mut entry = archive.plant_log(20.0).unwrap().pop().unwrap();
    assert_eq!(&entry, written.entry());
    assert_eq!(entry.outcome(), Outcome::Sending);
    entry.reply = Reply {
        outcome: Outcome::Refused,
        status: Some(409),
        error: Some(-7),
        message: Some("taken".to_owned()),
        body: Some(AnswerBody::Error),
        note: Some("a note".to_owned()),
    };
    archive.complete(&entry).unwrap();
    assert_eq!(archive.plant_log(20.0).unwrap(), [entry]);
}

#[test]
fn an_outcome_is_never_written_onto_the_line_of_another_request() {
    let mut archive = Archive::in_memory().unwrap();
    // The archive was replaced: the number belongs to the line of another request.
    let other = archive.begin(&asked(Operation::Create, "42")).unwrap();
    let mut entry = replied(&asked(Operation::Create, "42"), Outcome::Done);
    entry.sequence = other.entry().sequence;
    archive.complete(&entry).unwrap();
    let lines = archive.plant_log(20.0).unwrap();
    let outcomes: Vec<Outcome> = lines.iter().map(Entry::outcome).collect();
    assert_eq!(outcomes, [Outcome::Sending, Outcome::Done]);
    // One that was not sent is no line, and no other goes with it.
    archive.withdraw(&entry).unwrap();
    archive.withdraw(other.entry()).unwrap();
    let outcomes = archive.plant_log(20.0).unwrap();
    assert_eq!(outcomes.len(), 1);
}

#[test]
fn a_create_that_is_to_be_made_once_is_begun_once() {
    let mut archive = Archive::in_memory().unwrap();
    let create = asked(Operation::Create, "42");
    let first = archive.begin_if(&create, BeginIf::Free).unwrap();
    assert!(first.is_some());
    assert!(archive.begin_if(&create, BeginIf::Free).unwrap().is_none());
    let elsewhere = Entry {
        service: PlantService::new("https://a.example", "https://b.example"),
        ..create
    };
    let begun = archive.begin_if(&elsewhere, BeginIf::Free).unwrap();
    assert!(begun.is_some());
}

#[test]
fn a_create_over_one_whose_outcome_another_program_does_not_know_is_not_begun() {
    let mut archive = Archive::in_memory().unwrap();
    let create = asked(Operation::Create, "42");
    let first = archive.begin(&create).unwrap();
    assert!(
        archive
            .begin_if(&create, BeginIf::NotOpen)
            .unwrap()
            .is_none()
    );
    // Its program has ended.
    let number = first.entry().sequence;
    drop(first);
    assert!(
        archive
            .begin_if(&create, BeginIf::NotOpen)
            .unwrap()
            .is_none()
    );
    let again = BeginIf::LastLine(number);
    assert!(archive.begin_if(&create, again).unwrap().is_some());
}

#[test]
fn of_two_programs_that_create_a_deleted_plant_again_one_does() {
    let mut archive = Archive::in_memory().unwrap();
    let delete = archive.begin(&asked(Operation::Delete, "42")).unwrap();
    let condition = BeginIf::LastLine(delete.entry().sequence);
    let create = asked(Operation::Create, "42");
    let other = asked(Operation::Create, "42");
    assert!(archive.begin_if(&create, condition).unwrap().is_some());
    assert!(archive.begin_if(&other, condition).unwrap().is_none());
    let none = BeginIf::LastLine(0);
    assert!(
        archive
            .begin_if(&asked(Operation::Create, "7"), none)
            .unwrap()
            .is_some()
    );
}

#[test]
fn what_a_person_found_out_is_a_line_unless_something_came_since() {
    let mut archive = Archive::in_memory().unwrap();
    let create = archive.begin(&asked(Operation::Create, "42")).unwrap();
    let unknown = replied(create.entry(), Outcome::Unknown);
    archive.complete(&unknown).unwrap();
    let finding = replied(&asked(Operation::FoundAbsent, "42"), Outcome::Done);
    assert!(archive.record_finding(&finding, unknown.sequence).unwrap());
    assert!(!archive.record_finding(&finding, unknown.sequence).unwrap());
    let lines = archive.plant_log(20.0).unwrap();
    let words: Vec<&str> = lines.iter().map(Entry::word).collect();
    assert_eq!(words, ["unknown", "absent"]);
}

#[test]
fn a_line_is_being_sent_only_while_its_claim_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut archive = Archive::open(&path).unwrap();
    let outcome = |archive: &Archive| archive.plant_log(20.0).unwrap()[0].outcome();
    let left = || std::fs::read_dir(folder.path()).unwrap().count();
    let before = left();
    let written = archive.begin(&asked(Operation::Create, "42")).unwrap();
    // Seen so by this program and by another one.
    let other = Archive::open_existing(&path).unwrap().unwrap();
    assert_eq!(outcome(&archive), Outcome::Sending);
    assert_eq!(outcome(&other), Outcome::Sending);
    assert_eq!(left(), before + 1);
    drop(written);
    assert_eq!(outcome(&archive), Outcome::Unknown);
    assert_eq!(outcome(&other), Outcome::Unknown);
    assert_eq!(left(), before);
}

#[test]
fn what_a_program_left_that_was_killed_is_removed_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.db");
    let mut archive = Archive::open(&path).unwrap();
    let entry = asked(Operation::Create, "42");
    let written = archive.begin(&entry).unwrap();
    drop(written);
    // The system frees the lock of a program that was killed, and leaves its file.
    let left = folder
        .path()
        .join(format!("archive.db-sending-{}", entry.sender));
    std::fs::write(&left, b"").unwrap();
    assert_eq!(
        archive.plant_log(20.0).unwrap()[0].outcome(),
        Outcome::Unknown
    );
    drop(archive.begin(&asked(Operation::Create, "7")).unwrap());
    assert!(!left.exists());
}
