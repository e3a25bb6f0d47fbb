//! The token kept out of what a service says: one that repeats a header in its
//! message must not bring the token onto a screen, into the ledger or a log.

use super::client::{CreateAnswer, DataAnswer};
use super::error::Error;
use crate::auth::Token;
use crate::track::RecordFault;

fn withhold(token: &Token, text: &mut String) {
    *text = token.withheld_from(std::mem::take(text));
}

/// An error without the token.
pub(super) fn error(token: &Token, mut error: Error) -> Error {
    withhold(token, &mut error.message);
    withhold(token, &mut error.hint);
    if let Some(message) = error.answer.as_mut().and_then(|said| said.message.as_mut()) {
        withhold(token, message);
    }
    error
}

/// Records without the token in the words about those that cannot be used.
pub(super) fn data(token: &Token, mut answer: DataAnswer) -> DataAnswer {
    for record in &mut answer.records.unusable {
        let words = record.fault.to_string();
        let kept = token.withheld_from(words.clone());
        if kept != words {
            record.fault = RecordFault::Other(kept.into());
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
