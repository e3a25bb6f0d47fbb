//! Requests that change data: each is sent once, for a line of the plant log.

use std::time::{Duration, SystemTime};

use reqwest::{
    Response, StatusCode, Url,
    header::{CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER},
};

use super::{Client, Purpose};
use crate::exchange::{Attempt, Subject};
use crate::failure::{Failure, FailureKind};
use crate::plant::log::{AnswerBody, Entry, Operation, Outcome, Reply, WrittenEntry};
use crate::service::http_client::{JSON, bearer};
use crate::service::redirect::Target;
use crate::service::wire::{ErrorRead, PlantRequest};
use crate::service::{Address, redact, redirect, response, retry, transport};
use crate::token::Token;

/// The outcome of a create or delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The reply for the log; `None` if nothing was sent.
    pub reply: Option<Reply>,
    /// Why it was not done; `None` if it was.
    pub failure: Option<Failure>,
}

impl Change {
    fn not_sent(failure: Failure) -> Self {
        Self {
            reply: None,
            failure: Some(failure),
        }
    }
}

impl Client {
    /// Sends the create or delete of a line of the plant log, once. A second attempt at a
    /// delete waits a little before.
    ///
    /// The failure is of [`FailureKind::OutcomeUnknown`] if it was sent without a response,
    /// of [`FailureKind::Unreachable`] if it was not sent.
    pub(crate) async fn change_plant(
        &self,
        token: &Token,
        entry: &WrittenEntry,
        attempt: Attempt,
    ) -> Change {
        if self.inner.connection.service.is_some() {
            return Change::not_sent(Failure::usage(
                "the service of this profile has another shape, and no plants",
            ));
        }
        if attempt.number > 1 {
            tokio::time::sleep(retry::backoff(1)).await;
        }
        let change = self.change(token, entry.entry(), attempt).await;
        redacted(token, change.unwrap_or_else(Change::not_sent))
    }

    /// Sends the request of a line, once, and judges its response.
    async fn change(
        &self,
        token: &Token,
        entry: &Entry,
        attempt: Attempt,
    ) -> Result<Change, Failure> {
        let connection = &self.inner.connection;
        let operation = entry.operation;
        let plant = match operation {
            Operation::Create => Some(plant_request(entry)?),
            _ => None,
        };
        let shown = crate::text::excerpt(&entry.id, 60);
        let what = match plant {
            Some(_) => format!("plant {shown} could not be created"),
            None => format!("plant {shown} could not be deleted"),
        };
        let (url, method, request) = match &plant {
            Some(plant) => {
                let url = connection.sandbox.plants();
                let client = self.http_client(Purpose::Create)?;
                let body = serde_json::to_vec(plant)
                    .map_err(|error| Failure::usage(error.to_string()).context(&what))?;
                let request = client.post(url.clone()).body(body);
                (url, "POST", request.header(CONTENT_TYPE, JSON))
            }
            None => {
                let url = connection.base.plant(&entry.id)?;
                let client = self.http_client(Purpose::NewConnection)?;
                let request = client.delete(url.clone());
                (url, "DELETE", request)
            }
        };
        let request = bearer(request, token)?;
        let mut recording = self
            .record(token, method, &url, attempt)
            .about(Subject::Plant(shown))
            .begun();
        let response = match transport::send(request, connection.timeout).await {
            Ok(response) => response,
            Err(error) => {
                let found = self.explain(&error, &url);
                recording.failed(found.failure.reason.clone());
                return Ok(if found.sent {
                    let reply = Reply {
                        note: Some(found.failure.reason),
                        ..Reply::new(Outcome::Unknown)
                    };
                    lost(entry, reply, ErrorRead::default())
                } else {
                    let what = format!("{what}, nothing was sent");
                    Change::not_sent(found.into_error(&what))
                });
            }
        };
        let status = response.status();
        recording.exchange.status = Some(status.as_u16());
        let redirect = redirected_to(&response, &url);
        let header = |name| response.headers().get(name).map(HeaderValue::as_bytes);
        let location = header(LOCATION).map(|at| String::from_utf8_lossy(at).into_owned());
        let retry_after =
            header(RETRY_AFTER).and_then(|value| retry::retry_after(value, SystemTime::now()));
        let body = self.explanation(response).await;
        let bytes = body.as_deref().unwrap_or_default();
        recording.exchange.bytes = bytes.len() as u64;
        match &redirect {
            Some(target) => {
                recording.failed(format!(
                    "{}, not followed to {target}",
                    response::words(status)
                ));
            }
            None if status.is_success() => recording.done(""),
            None => recording.failed(response::words_of_service(status, bytes)),
        }
        // 520 to 524 are what a proxy in front says of a server whose answer it did not get.
        let gateway = matches!(status.as_u16(), 502 | 504 | 520..=524);
        // What JSON they send often has a text as `error`: an Error has the service's number.
        let is_error = ErrorRead::is_error(bytes);
        let read = ErrorRead::explained(bytes);
        let answer = Answered {
            status,
            body,
            redirect,
            location,
            retry_after_s: retry_after.map(|wait| wait.as_secs()),
        };
        if (gateway && !is_error) || status.is_informational() {
            let why = format!("something in between answered {}", response::words(status));
            return Ok(lost(entry, answer.reply(Outcome::Unknown, Some(why)), read));
        }
        let body = answer.body.as_deref();
        let note = match &plant {
            Some(plant) => response::create_note(body, plant, answer.location.as_deref()),
            None => response::delete_note(body.unwrap_or_default()),
        };
        let (reply, failure) = match self.check_answer(&answer, operation, &what) {
            Ok(()) => (answer.reply(Outcome::Done, note), None),
            Err(failure) => (answer.reply(Outcome::Refused, None), Some(failure)),
        };
        Ok(Change {
            reply: Some(reply),
            failure,
        })
    }

    /// Checks that a response says that the change was made.
    fn check_answer(
        &self,
        answer: &Answered,
        operation: Operation,
        what: &str,
    ) -> Result<(), Failure> {
        let status = answer.status;
        let body = answer.body.as_deref().unwrap_or_default();
        if let Some(read) = response::strict_error(status, body) {
            return Err(response::error_in_success(status, read, what));
        }
        if status.is_success() {
            return Ok(());
        }
        let mut error = response::refusal(status, body, what, self.target(operation));
        if let Some(service) = &mut error.service {
            service.retry_after_s = answer.retry_after_s;
        }
        if let Some(target) = &answer.redirect {
            error.reason.push_str(&format!(", and points to {target}"));
        }
        if let Some(hint) = self.hint(&error, operation, answer) {
            error.hint = hint;
        }
        Err(match answer.retry_after_s {
            Some(wait) => retry::asks_to_wait(error, Duration::from_secs(wait)),
            None => error,
        })
    }

    /// The address that requests of an operation go to.
    fn target(&self, operation: Operation) -> &Address {
        match operation {
            Operation::Create => &self.inner.connection.sandbox,
            _ => &self.inner.connection.base,
        }
    }

    /// The next step after a refused create or delete; `None` for that of any request.
    fn hint(&self, error: &Failure, operation: Operation, answer: &Answered) -> Option<String> {
        let base = &self.inner.connection.base;
        let sandbox = &self.inner.connection.sandbox;
        let service = error.service.as_ref()?;
        let is_create = operation == Operation::Create;
        let at = self.target(operation);
        // A service that explains the status is the right one, and so is one whose answer
        // counts for the state of the plant.
        let reply = answer.reply(Outcome::Refused, None);
        let has_plants = service.message.is_some() || reply.status_of_plant().is_some();
        let hint = match (service.status, is_create) {
            (300..400, _) => {
                "A create or delete is never sent on: set base_url or sandbox_url to where the service is."
            }
            (404 | 410, false) if has_plants => "Check the plant's identifier.",
            (404 | 410, true) if has_plants => return None,
            (404 | 410, _) if base == sandbox => {
                return Some(format!("There may be no plants at {at}."));
            }
            (404 | 410, _) => {
                return Some(format!(
                    "There may be no plants at {at}. Creates go to sandbox_url, {sandbox}; deletes to base_url, {base}."
                ));
            }
            (408, _) => "The service did not get the whole request in time: try again.",
            (409, true) => "Choose another identifier, or delete the plant that has it.",
            (409, false) => "Ask the service's operator why it cannot be deleted now.",
            (400 | 422, true) => "Check the plant's identifier, name and tag.",
            (400 | 422, false) => "Check the plant's identifier.",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// An answer to a request that changes data.
struct Answered {
    status: StatusCode,
    /// Its body; `None` if it broke off. The status alone decides the outcome.
    body: Option<Vec<u8>>,
    /// The target of its redirect.
    redirect: Option<String>,
    /// Its `Location`.
    location: Option<String>,
    retry_after_s: Option<u64>,
}

impl Answered {
    /// The reply for the log.
    fn reply(&self, outcome: Outcome, note: Option<String>) -> Reply {
        let bytes = self.body.as_deref().unwrap_or_default();
        let page = response::web_page(bytes);
        let (read, body) = match &self.body {
            None => (ErrorRead::default(), None),
            Some(body) => {
                let read = ErrorRead::explained(body);
                let is_error = outcome != Outcome::Done && ErrorRead::is_error(body);
                let kind = if is_error {
                    AnswerBody::Error
                } else if response::is_nothing(body) {
                    AnswerBody::Empty
                } else {
                    AnswerBody::Other
                };
                (read, Some(kind))
            }
        };
        let is_done = outcome == Outcome::Done;
        Reply {
            outcome,
            status: Some(self.status.as_u16()),
            error: read.error.filter(|_| !is_done),
            message: read.message.or(page).filter(|_| !is_done),
            body,
            note,
        }
    }
}

/// The change of a line whose request was sent, if no usable answer came, with what the service has
/// written.
fn lost(entry: &Entry, reply: Reply, read: ErrorRead) -> Change {
    let id = crate::text::excerpt(&entry.id, 60);
    let why = reply.note.clone().unwrap_or_default();
    let (reason, hint) = match entry.operation {
        Operation::Create => (
            format!("plant {id} may or may not exist: the create was sent, and {why}"),
            "The service has no way to look it up. Ask its operator and record the answer; or create it again, which may be refused if it exists; or delete it.",
        ),
        _ => (
            format!("plant {id} may or may not be deleted: the delete was sent, and {why}"),
            "Delete it again later: deleting twice does no harm.",
        ),
    };
    let unknown = Failure::new(FailureKind::OutcomeUnknown, reason, hint);
    let failure = match reply.status {
        Some(status) => response::with_error(unknown, status, read),
        None => unknown,
    };
    Change {
        reply: Some(reply),
        failure: Some(failure),
    }
}

/// The plant in the log entry of a create.
fn plant_request(entry: &Entry) -> Result<PlantRequest, Failure> {
    let no_number = |_| Failure::usage(format!("'{}' is not a whole number", entry.id));
    let id = entry.id.parse().map_err(no_number)?;
    Ok(PlantRequest {
        name: entry.name.clone().unwrap_or_default(),
        id,
        tag: entry.tag.clone().unwrap_or_default(),
    })
}

/// Target of a redirect that is not followed, for a message.
fn redirected_to(response: &Response, from: &Url) -> Option<String> {
    if !redirect::is_redirect(response.status().as_u16()) {
        return None;
    }
    let location = response.headers().get(LOCATION)?.as_bytes();
    match redirect::target(from, Some(location)) {
        Target::Within(url) => Some(crate::text::excerpt(url.path(), 100)),
        Target::Secure(origin) | Target::Elsewhere(origin) => Some(origin),
        Target::Nowhere => None,
    }
}

/// Redacts the token in what became of a create or delete.
fn redacted(token: &Token, mut change: Change) -> Change {
    let withholding = token.withholding();
    if let Some(reply) = &mut change.reply {
        for text in [&mut reply.message, &mut reply.note].into_iter().flatten() {
            *text = withholding.from(std::mem::take(text));
        }
    }
    change.failure = change.failure.map(|failure| redact::error(token, failure));
    change
}

#[cfg(test)]
mod tests;
