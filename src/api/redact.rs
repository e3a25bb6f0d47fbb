//! Redacts the token from service text: an error message that echoes a header
//! must not show the token on the screen, in the plant log or in a log.

use super::plant_answer::CreateAnswer;
use std::sync::Arc;

use crate::auth::Token;
use crate::failure::Failure;
use crate::track::{Answer, RecordFault};

fn withhold(token: &Token, text: &mut String) {
    *text = token.redacted(std::mem::take(text));
}

/// Redacts the token in an error.
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

/// Redacts the token in the reasons of invalid records.
pub(super) fn data(token: &Token, mut answer: Answer) -> Answer {
    if answer.records.unusable.is_empty() {
        return answer;
    }
    for record in &mut Arc::make_mut(&mut answer.records).unusable {
        let reason = record.fault.to_string();
        let redacted = token.redacted(reason.clone());
        if redacted != reason {
            record.fault = RecordFault::Other(redacted.into());
        }
        withhold(token, &mut record.excerpt);
    }
    answer
}

/// Redacts the token in the response to a create.
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
