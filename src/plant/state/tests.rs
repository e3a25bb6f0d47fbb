//! What the lines of a plant say of it: every outcome, each after each, and any order of
//! requests at one address and at two.

use proptest::prelude::*;

use super::*;
use crate::plant::log::{AnswerBody, Reply};
use crate::testing::plant::{line, outcome, refused, service};

/// The outcomes of a request, each with a short name.
fn replies() -> Vec<(&'static str, Reply)> {
    let done = |status| Reply {
        status: Some(status),
        ..Reply::new(Outcome::Done)
    };
    let page = |status| Reply {
        body: Some(AnswerBody::Other),
        ..refused(status)
    };
    let empty = |status| Reply {
        body: Some(AnswerBody::Empty),
        error: None,
        message: None,
        ..refused(status)
    };
    vec![
        ("done", done(201)),
        ("400", refused(400)),
        ("404", refused(404)),
        ("409", refused(409)),
        ("410", refused(410)),
        ("422", refused(422)),
        ("500", refused(500)),
        ("unknown", Reply::new(Outcome::Unknown)),
        ("404 empty", empty(404)),
        ("409 empty", empty(409)),
        ("404 page", page(404)),
        ("409 page", page(409)),
    ]
}

fn reply(name: &str) -> Reply {
    let found = replies().into_iter().find(|(known, _)| *known == name);
    found.unwrap().1
}

/// The lines of a history such as "+done -404": creates and deletes with what came of them.
fn lines(history: &str) -> Vec<Entry> {
    let words = history.split(", ").filter(|word| !word.is_empty());
    let lines = (1..).zip(words).map(|(number, word)| match word {
        "exists" => outcome(number, Operation::FoundExisting, Outcome::Done),
        "absent" => outcome(number, Operation::FoundAbsent, Outcome::Done),
        _ => {
            let operation = if word.starts_with('+') {
                Operation::Create
            } else {
                Operation::Delete
            };
            line(number, operation, reply(&word[1..]))
        }
    });
    lines.collect()
}

/// State, deciding line, and name of the plant of a history, a name that is not sure with `?`.
fn said(history: &str) -> String {
    let lines = lines(history);
    let Some(plant) = plant(&lines, &service(), "42") else {
        return "none".to_owned();
    };
    let since = lines.iter().find(|line| line.at == plant.since).unwrap();
    let name = plant.named().map_or("-".to_owned(), Named::label);
    format!("{} {} {name}", plant.state, since.sequence)
}

#[test]
fn one_request_says_what_its_answer_says_and_no_more() {
    for (history, expected) in [
        ("", "none"),
        ("+done", "exists 1 rose 1"),
        ("+400", "refused 1 -"),
        ("+404", "refused 1 -"),
        ("+409", "exists 1 -"),
        ("+409 empty", "exists 1 -"),
        ("+409 page", "refused 1 -"),
        ("+410", "refused 1 -"),
        ("+422", "refused 1 -"),
        ("+500", "refused 1 -"),
        ("+unknown", "unknown 1 rose 1?"),
        ("-done", "deleted 1 -"),
        ("-400", "refused 1 -"),
        ("-404", "absent 1 -"),
        ("-404 empty", "absent 1 -"),
        ("-404 page", "refused 1 -"),
        ("-409", "refused 1 -"),
        ("-410", "absent 1 -"),
        ("-422", "refused 1 -"),
        ("-500", "refused 1 -"),
        ("-unknown", "unknown 1 -"),
    ] {
        assert_eq!(said(history), expected, "{history}");
    }
}

#[test]
fn a_later_request_is_judged_by_what_was_known() {
    for (history, expected) in [
        // Created.
        ("+done, +done", "exists 2 rose 2"),
        ("+done, +409", "exists 1 rose 1"),
        ("+done, +400", "exists 1 rose 1"),
        ("+done, +unknown", "unknown 2 rose 1"),
        ("+done, -done", "deleted 2 rose 1"),
        ("+done, -404", "absent 2 rose 1"),
        ("+done, -410", "absent 2 rose 1"),
        ("+done, -404 page", "exists 1 rose 1"),
        ("+done, -400", "exists 1 rose 1"),
        ("+done, -409", "exists 1 rose 1"),
        ("+done, -422", "exists 1 rose 1"),
        ("+done, -500", "exists 1 rose 1"),
        ("+done, -unknown", "unknown 2 rose 1"),
        // The answer was lost.
        ("+unknown, +done", "exists 2 rose 2"),
        ("+unknown, +409", "exists 2 rose 1?"),
        ("+unknown, +400", "unknown 1 rose 1?"),
        ("+unknown, +500", "unknown 1 rose 1?"),
        ("+unknown, -404", "absent 2 rose 1?"),
        ("+unknown, -done", "deleted 2 rose 1?"),
        ("+unknown, -unknown", "unknown 2 rose 1?"),
        ("-unknown, -404", "deleted 2 -"),
        ("-unknown, -410", "deleted 2 -"),
        ("-unknown, -500", "unknown 1 -"),
        ("-unknown, -500, -404", "deleted 3 -"),
        ("-unknown, +409", "exists 2 -"),
        ("-unknown, +unknown, -404", "absent 3 rose 2?"),
        ("+done, -unknown, -404", "deleted 3 rose 1"),
        // Deleted, or not there.
        ("-done, -404", "deleted 1 -"),
        ("-done, -410", "deleted 1 -"),
        ("-done, +400", "deleted 1 -"),
        ("-404, -404", "absent 1 -"),
        ("-404, +500", "absent 1 -"),
        ("-404, +done", "exists 2 rose 2"),
        ("+done, -done, +unknown", "unknown 3 rose 3?"),
        ("+done, -done, +409", "exists 3 -"),
        ("+done, -done, +400", "deleted 2 rose 1"),
        // Refused.
        ("+400, +400", "refused 2 -"),
        ("+400, -500", "refused 2 -"),
        ("+400, -404", "absent 2 -"),
        ("+400, +unknown", "unknown 2 rose 2?"),
        ("+409, -done", "deleted 2 -"),
        // What a person found out.
        ("+unknown, exists", "exists 2 rose 1?"),
        ("+unknown, absent", "absent 2 rose 1?"),
        ("+done, -unknown, exists", "exists 3 rose 1"),
        ("+done, -unknown, absent", "absent 3 rose 1"),
        ("+unknown, absent, -404", "absent 2 rose 1?"),
        // A person who was mistaken says so.
        ("+unknown, exists, absent", "absent 3 rose 1?"),
        ("+unknown, absent, exists", "exists 3 rose 1?"),
        ("+done, absent, +409", "exists 3 rose 1"),
        ("+done, absent, +unknown", "unknown 3 rose 3?"),
        ("+unknown, exists, +400, absent", "absent 4 rose 1?"),
    ] {
        assert_eq!(said(history), expected, "{history}");
    }
}

#[test]
fn of_two_same_requests_the_second_says_what_the_first_did() {
    // But a create that is refused because the first one is there.
    for operation in ['+', '-'] {
        for (name, _) in replies() {
            let once = said(&format!("{operation}{name}"));
            let twice = said(&format!("{operation}{name}, {operation}{name}"));
            let word = |said: &str| said.split(' ').next().unwrap().to_owned();
            assert_eq!(word(&once), word(&twice), "{operation}{name}");
        }
    }
}

#[test]
fn a_plant_is_being_sent_only_while_a_line_of_it_is() {
    let mut lines = lines("+done, -unknown");
    lines.push(outcome(3, Operation::Delete, Outcome::Sending));
    let state = |lines: &[Entry]| plant(lines, &service(), "42").unwrap().state;
    assert_eq!(state(&lines), State::Sending);
    lines.push(outcome(4, Operation::Create, Outcome::Done));
    assert_eq!(state(&lines), State::Sending);
    lines[2].reply.outcome = Outcome::Unknown;
    assert_eq!(state(&lines), State::Exists);
}

/// The base and the sandbox of a service with two addresses.
const BASE: &str = "https://base.example";
const SANDBOX: &str = "https://sandbox.example";

/// The lines where creates and deletes go to two addresses; what a person finds out is of the
/// address that the state comes from.
fn at_two_addresses(lines: Vec<Entry>) -> Vec<Entry> {
    let service = PlantService::new(BASE, SANDBOX);
    let mut written: Vec<Entry> = Vec::new();
    for line in lines {
        let address = match line.operation {
            Operation::Create => SANDBOX.to_owned(),
            Operation::Delete => BASE.to_owned(),
            Operation::FoundExisting | Operation::FoundAbsent => {
                let known = plant(&written, &service, &line.id);
                known.map_or(BASE.to_owned(), |known| known.address)
            }
        };
        written.push(Entry {
            address,
            service: service.clone(),
            ..line
        });
    }
    written
}

#[test]
fn what_one_address_says_changes_the_other_only_by_a_delete_that_succeeded() {
    for (history, state, address, name) in [
        ("+done", State::Exists, SANDBOX, Some("rose 1")),
        ("+done, -404", State::Exists, SANDBOX, Some("rose 1")),
        ("+done, -400", State::Exists, SANDBOX, Some("rose 1")),
        ("+done, -done", State::Deleted, BASE, None),
        ("+done, -unknown", State::Unknown, BASE, None),
        (
            "+done, -unknown, -404",
            State::Exists,
            SANDBOX,
            Some("rose 1"),
        ),
        ("+done, -unknown, -done", State::Deleted, BASE, None),
        ("+done, -unknown, absent", State::Absent, BASE, None),
        ("-unknown, +done", State::Exists, SANDBOX, Some("rose 2")),
        ("+unknown, -404", State::Unknown, SANDBOX, Some("rose 1")),
        ("+unknown, -done", State::Deleted, BASE, None),
        ("-404, +400", State::Absent, BASE, None),
        ("+400, -404", State::Absent, BASE, None),
        ("-done, +done", State::Exists, SANDBOX, Some("rose 2")),
        ("-404", State::Absent, BASE, None),
        ("+409, -404", State::Exists, SANDBOX, None),
        ("-done, exists", State::Exists, BASE, None),
        ("+done, -done, exists", State::Exists, BASE, None),
        // What a person said of the sandbox is over once the sandbox has said more.
        (
            "+unknown, absent, +done",
            State::Exists,
            SANDBOX,
            Some("rose 3"),
        ),
        (
            "+unknown, absent, +unknown",
            State::Unknown,
            SANDBOX,
            Some("rose 3"),
        ),
        (
            "+unknown, absent, +409",
            State::Exists,
            SANDBOX,
            Some("rose 1"),
        ),
        (
            "+unknown, absent, exists",
            State::Exists,
            SANDBOX,
            Some("rose 1"),
        ),
    ] {
        let lines = at_two_addresses(lines(history));
        let plant = plant(&lines, &lines[0].service, "42").unwrap();
        let said = (plant.state, plant.address.as_str());
        assert_eq!(said, (state, address), "{history}");
        let named = plant.named().map(|named| named.name.as_str());
        assert_eq!(named, name, "{history}");
    }
}

#[test]
fn an_id_is_one_plant_at_each_service_and_text_of_a_number_is_the_number() {
    let at = |sequence, id: &str, address: &str| Entry {
        id: id.to_owned(),
        service: PlantService::new(address, address),
        address: address.to_owned(),
        ..outcome(sequence, Operation::Delete, Outcome::Done)
    };
    let lines = [
        at(1, "7", "http://127.0.0.1:1"),
        at(2, "007", "http://127.0.0.1:1"),
        at(3, "7", "http://127.0.0.1:2"),
        at(4, "7", "http://127.0.0.1:1/api"),
        at(5, "7", "http://127.0.0.1:1"),
    ];
    let all = plants(&lines);
    let of: Vec<&[usize]> = all.iter().map(|plant| plant.lines.as_slice()).collect();
    assert_eq!(of, [&[0, 4][..], &[3], &[2], &[1]]);
}

/// The plants that a careful person would say may be at the service after each line, for one address:
/// whether the plant may be there, and whether it may be missing.
fn possible(lines: &[Entry]) -> (bool, bool) {
    let mut known = (true, true);
    for line in lines {
        let evidence = line.reply.status_of_plant();
        known = match (line.operation, line.outcome()) {
            (Operation::FoundExisting, _) | (Operation::Create, Outcome::Done) => (true, false),
            (Operation::FoundAbsent, _) | (Operation::Delete, Outcome::Done) => (false, true),
            (Operation::Create, Outcome::Unknown) => (true, known.1),
            (Operation::Delete, Outcome::Unknown) => (known.0, true),
            (Operation::Create, Outcome::Refused) if evidence == Some(409) => (true, false),
            (Operation::Delete, Outcome::Refused) if matches!(evidence, Some(404 | 410)) => {
                (false, true)
            }
            _ => known,
        };
    }
    known
}

fn any_line() -> impl Strategy<Value = (Operation, Reply)> {
    let replies = proptest::sample::select(replies()).prop_map(|(_, reply)| reply);
    let found = Just(Reply::new(Outcome::Done));
    prop_oneof![
        4 => (Just(Operation::Create), replies.clone()),
        4 => (Just(Operation::Delete), replies),
        1 => (Just(Operation::FoundExisting), found.clone()),
        1 => (Just(Operation::FoundAbsent), found),
    ]
}

/// `true` if a line is an answer of the service that says whether the plant exists.
fn is_evidence(line: &Entry) -> bool {
    let status = line.reply.status_of_plant();
    match (line.operation, line.outcome()) {
        (Operation::Create, Outcome::Refused) => status == Some(409),
        (Operation::Delete, Outcome::Refused) => matches!(status, Some(404 | 410)),
        (operation, outcome) => operation.is_request() && outcome == Outcome::Done,
    }
}

proptest! {
    #[test]
    fn what_a_person_said_is_corrected_by_a_person_until_an_answer_confirms_it(
        requests in proptest::collection::vec(any_line(), 1..12),
        has_two_addresses in any::<bool>(),
    ) {
        let lines: Vec<Entry> = (1..).zip(requests).map(|(n, (what, came))| line(n, what, came)).collect();
        let lines = if has_two_addresses { at_two_addresses(lines) } else { lines };
        let known = plant(&lines, &lines[0].service, "42").unwrap();
        let decides = lines.iter().position(|line| line.at == known.since).unwrap();
        let after = lines.iter().skip(decides + 1);
        let is_confirmed = after.filter(|line| line.address == known.address).any(is_evidence);
        let is_of_person = !lines[decides].operation.is_request();
        prop_assert_eq!(known.is_said, is_of_person && !is_confirmed);
        prop_assert_eq!(known.can_be_resolved(), known.is_said || known.state == State::Unknown);
        if known.is_said {
            for (found, state) in [
                (Operation::FoundExisting, State::Exists),
                (Operation::FoundAbsent, State::Absent),
            ] {
                let number = i64::try_from(lines.len()).unwrap() + 1;
                let answer = Entry {
                    address: known.address.clone(),
                    service: known.service.clone(),
                    ..outcome(number, found, Outcome::Done)
                };
                let corrected: Vec<Entry> = lines.iter().cloned().chain([answer]).collect();
                let corrected = plant(&corrected, &known.service, "42").unwrap();
                prop_assert_eq!((corrected.state, corrected.is_said), (state, true));
            }
        }
    }

    #[test]
    fn what_is_said_never_claims_more_than_the_lines_do(
        requests in proptest::collection::vec(any_line(), 1..12),
        has_two_addresses in any::<bool>(),
    ) {
        let lines: Vec<Entry> = (1..).zip(requests).map(|(n, (what, came))| line(n, what, came)).collect();
        let lines = if has_two_addresses { at_two_addresses(lines) } else { lines };
        let service = &lines[0].service;
        let plant = plant(&lines, service, "42").unwrap();
        // At the address that the state names only its own lines count, and a delete that
        // succeeded.
        let counts = |line: &&Entry| {
            line.address == plant.address
                || line.operation == Operation::Delete && line.outcome() == Outcome::Done
        };
        let counting: Vec<Entry> = lines.iter().filter(counts).cloned().collect();
        let (may_be, may_be_missing) = possible(&counting);
        match plant.state {
            State::Exists => prop_assert!(may_be && !may_be_missing),
            State::Deleted | State::Absent => prop_assert!(may_be_missing && !may_be),
            // Nothing but refusals: nothing is known of it.
            State::Refused => prop_assert!(lines.iter().filter(|line| line.address == plant.address)
                .all(|line| line.outcome() == Outcome::Refused)),
            State::Unknown => prop_assert!(lines.iter().any(|line| line.outcome() == Outcome::Unknown)),
            State::Sending => prop_assert!(false, "no line is being sent"),
        }
        // A create that may have been made is over only where an answer says so.
        let last = lines.last().unwrap();
        if last.outcome() == Outcome::Unknown {
            prop_assert_eq!(plant.state, State::Unknown);
        }
        let decides = lines.iter().filter(|line| line.at == plant.since);
        prop_assert!(decides.clone().all(|line| line.address == plant.address));
        prop_assert_eq!(decides.count(), 1);
        if let Some(named) = plant.named() {
            let is_of = |line: &&Entry| line.name.as_deref() == Some(named.name.as_str());
            let create = lines.iter().find(is_of).unwrap();
            prop_assert_eq!(create.outcome() == Outcome::Done, named.is_sure);
            prop_assert_eq!(&create.address, &plant.address);
        }
    }

    #[test]
    fn all_plants_of_a_log_are_each_as_if_alone(
        requests in proptest::collection::vec((any_line(), 0..4_u8), 0..40),
    ) {
        let lines: Vec<Entry> = (1..).zip(requests).map(|(n, ((what, came), id))| Entry {
            id: id.to_string(),
            ..line(n, what, came)
        }).collect();
        let all = plants(&lines);
        let count: usize = all.iter().map(|plant| plant.lines.len()).sum();
        prop_assert_eq!(count, lines.len());
        for found in &all {
            let alone = plant(&lines, &found.service, &found.id);
            prop_assert_eq!(alone.as_ref(), Some(found));
        }
        let newest: Vec<f64> = all.iter().map(|plant| plant.since).collect();
        prop_assert!(newest.is_sorted_by(|newer, older| newer > older));
    }
}
