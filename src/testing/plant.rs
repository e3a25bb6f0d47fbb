//! Lines of the plant log.

use crate::plant::log::{AnswerBody, Entry, Operation, Outcome, PlantService, Reply};

/// A service with one address, that of [`super::dashboard::watched`].
pub(crate) fn service() -> PlantService {
    let address = "https://service.example/api";
    PlantService::new(address, address)
}

/// A line of the plant 42 at [`service`], with this number; a create has a name and a tag
/// that end with the number.
pub(crate) fn line(sequence: i64, operation: Operation, reply: Reply) -> Entry {
    let is_create = operation == Operation::Create;
    Entry {
        sequence,
        name: is_create.then(|| format!("rose {sequence}")),
        tag: is_create.then(|| format!("red {sequence}")),
        reply,
        ..Entry::new(1.8e9 + sequence as f64, operation, "42", &service())
    }
}

/// A line as [`line`], without an answer.
pub(crate) fn outcome(sequence: i64, operation: Operation, outcome: Outcome) -> Entry {
    line(sequence, operation, Reply::new(outcome))
}

/// The reply of a service that refuses with a status and an Error.
pub(crate) fn refused(status: u16) -> Reply {
    Reply {
        status: Some(status),
        error: Some(status.into()),
        message: Some("refused".to_owned()),
        body: Some(AnswerBody::Error),
        ..Reply::new(Outcome::Refused)
    }
}
