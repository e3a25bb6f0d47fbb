//! The token kept out of what a service says: one that repeats a header in its
//! message must not bring the token onto a screen, into the ledger or a log.

use super::plant_answer::CreateAnswer;
use std::sync::Arc;

use crate::auth::Token;
use crate::failure::Failure;
use crate::track::{Answer, RecordFault};

fn withhold(token: &Token, text: &mut String) {
    *text = token.withheld_from(std::mem::take(text));
}

/// An error without the token.
pub(super) fn error(token: &Token, mut error: Failure) -> Failure {
    withhold(token, &mut error.what);
    withhold(token, &mut error.reason);
    withhold(token, &mut error.hint);
    if let Some(message) = error
        .service
        .as_mut()
        .and_then(|said| said.message.as_mut())
    {
        withhold(token, message);
    }
    error
}

/// Records without the token in the words about those that cannot be used.
pub(super) fn data(token: &Token, mut answer: Answer) -> Answer {
    if answer.records.unusable.is_empty() {
        return answer;
    }
    for record in &mut Arc::make_mut(&mut answer.records).unusable {
        let reason = record.fault.to_string();
        let redacted = token.withheld_from(reason.clone());
        if redacted != reason {
            record.fault = RecordFault::Other(redacted.into());
        }
        withhold(token, &mut record.excerpt);
    }
    answer
}

/// An echo without the token.
pub(super) fn created(token: &Token, mut answer: CreateAnswer) -> CreateAnswer {
    if let Some(echo) = &mut answer.echo {
        withhold(token, &mut echo.name);
        withhold(token, &mut echo.tag);
    }
    if let Some(note) = &mut answer.note {
        withhold(token, note);
    }
    answer
}
