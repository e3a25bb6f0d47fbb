//! Requests that change data: a create is sent once only; a delete is sent
//! again once if its response is lost.

use reqwest::{
    Method, RequestBuilder, Response, StatusCode, Url,
    header::{CONTENT_TYPE, LOCATION},
};

use super::{Client, Purpose};
use crate::exchange::Attempt;
use crate::failure::{Failure, FailureKind};
use crate::plant::ledger::{Entry, Operation, WrittenEntry};
use crate::service::http_client::bearer;
use crate::service::redirect::Target;
use crate::service::transport::TransportError;
use crate::service::wire::{ErrorRead, PlantEcho, PlantRequest};
use crate::service::{Address, redact, redirect, response, retry};
use crate::token::Token;

/// The response to a successful create or delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlantAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The plant that the service returned to a create, if it could be parsed.
    pub echo: Option<PlantEcho>,
    /// A peculiarity of the response that the user should know.
    pub note: Option<String>,
}

/// The body of a response; `None` if it broke off. The status alone decides the outcome.
type Explanation = Option<Vec<u8>>;

impl Client {
    /// Creates or deletes the plant of a log entry. A create is sent once only, on a
    /// connection of its own. After a lost response a delete is sent once more on a new
    /// connection; "not found" at the second attempt counts as deleted.
    ///
    /// # Errors
    /// [`Failure`]; [`FailureKind::OutcomeUnknown`] if it was sent without a
    /// response, [`FailureKind::Unreachable`] if it was not sent.
    pub(crate) async fn change_plant(
        &self,
        token: &Token,
        entry: &WrittenEntry,
    ) -> Result<PlantAnswer, Failure> {
        if self.inner.connection.service.is_some() {
            return Err(Failure::usage(
                "the service of this profile has another shape, and no plants",
            ));
        }
        let entry = entry.entry();
        let answer = match entry.operation {
            Operation::Create => self.create(token, &plant_of(entry)?).await,
            Operation::Delete => self.delete(token, &entry.id).await,
        };
        answer
            .map(|answer| redact::plant(token, answer))
            .map_err(|error| redact::error(token, error))
    }

    async fn create(&self, token: &Token, plant: &PlantRequest) -> Result<PlantAnswer, Failure> {
        let sandbox = &self.inner.connection.sandbox;
        let id = plant.id;
        let what = format!("plant {id} could not be created");
        let unknown = |why: &str| {
            Failure::new(
                FailureKind::OutcomeUnknown,
                format!("plant {id} may or may not exist: the create was sent, and {why}"),
                format!(
                    "The service has no way to look it up: ask its operator, or delete {id} and create it again."
                ),
            )
        };
        let client = self.http_client(Purpose::Create)?;
        let body = serde_json::to_vec(plant)
            .map_err(|error| Failure::usage(error.to_string()).of(&what))?;
        let request = bearer(client.request(Method::POST, sandbox.plants()), token)?
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        match self
            .change(token, request, "POST", &sandbox.plants(), Attempt::ONLY)
            .await
        {
            Change::NotSent(found) => Err(found.into_error(&format!("{what}, nothing was sent"))),
            Change::Lost(why) => Err(unknown(&why)),
            Change::Answered(status, body) => {
                self.check_answer(status, body.as_deref(), &what, sandbox)?;
                let (echo, note) = match &body {
                    Some(body) => response::echo(body, plant),
                    None => (
                        None,
                        Some(
                            "the plant was created, but the service's echo of it broke off or was not waited for"
                                .to_owned(),
                        ),
                    ),
                };
                Ok(PlantAnswer {
                    status: status.as_u16(),
                    echo,
                    note,
                })
            }
        }
    }

    async fn delete(&self, token: &Token, id: &str) -> Result<PlantAnswer, Failure> {
        let base = &self.inner.connection.base;
        let url = base.plant(id)?;
        let shown = crate::text::excerpt(id, 60);
        let what = format!("plant {shown} could not be deleted");
        let client = self.http_client(Purpose::NewConnection)?;
        let request = || bearer(client.request(Method::DELETE, url.clone()), token);
        let first = self
            .change(
                token,
                request()?,
                "DELETE",
                &url,
                Attempt { number: 1, most: 2 },
            )
            .await;
        let lost = match first {
            Change::NotSent(found) => {
                return Err(found.into_error(&format!("{what}, nothing was sent")));
            }
            Change::Answered(status, body) => {
                self.check_answer(status, body.as_deref(), &what, base)?;
                return Ok(PlantAnswer {
                    status: status.as_u16(),
                    echo: None,
                    note: response::delete_note(body.as_deref().unwrap_or_default()),
                });
            }
            Change::Lost(why) => why,
        };
        tokio::time::sleep(retry::backoff(1)).await;
        let second = self
            .change(
                token,
                request()?,
                "DELETE",
                &url,
                Attempt { number: 2, most: 2 },
            )
            .await;
        if let Change::Answered(status, body) = &second
            && (status.is_success() || status.as_u16() == 404)
            && response::strict_error(*status, body.as_deref().unwrap_or_default()).is_none()
        {
            return Ok(PlantAnswer {
                status: status.as_u16(),
                echo: None,
                note: Some("the first answer was lost; confirmed at the second try".to_owned()),
            });
        }
        let then = match second {
            Change::NotSent(found) => found.why,
            Change::Lost(why) => why,
            Change::Answered(status, _) => {
                format!("the service answered {}", response::words(status))
            }
        };
        Err(Failure::new(
            FailureKind::OutcomeUnknown,
            format!(
                "plant {shown} may or may not be deleted: the delete was sent, and {lost}; at the second try {then}"
            ),
            "Delete it again later: deleting twice does no harm.",
        ))
    }

    /// Sends a request that changes data, once, and reads its response.
    async fn change(
        &self,
        token: &Token,
        request: RequestBuilder,
        method: &'static str,
        url: &Url,
        attempt: Attempt,
    ) -> Change {
        let mut recording = self.record(token, method, url, attempt);
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                let found = self.explain(&error, url);
                recording.failed(found.why.clone());
                return if found.sent {
                    Change::Lost(found.why)
                } else {
                    Change::NotSent(found)
                };
            }
        };
        let status = response.status();
        recording.status(status.as_u16());
        let target = redirect::is_redirect(status.as_u16())
            .then(|| redirected_to(&response, url))
            .flatten();
        let body = self.explanation(response).await;
        let bytes = body.as_deref().unwrap_or_default();
        recording.bytes(bytes.len());
        match &target {
            Some(target) => {
                recording.failed(format!(
                    "{}, not followed to {target}",
                    response::words(status)
                ));
            }
            None if status.is_success() => recording.done(""),
            None => recording.failed(response::words_of_service(status, bytes)),
        }
        let gateway = matches!(status.as_u16(), 502 | 504);
        let explained = ErrorRead::from_body(bytes).is_some();
        if (gateway && !explained) || status.is_informational() {
            return Change::Lost(format!(
                "something in between answered {}",
                response::words(status)
            ));
        }
        Change::Answered(status, body)
    }

    /// Checks that a response says that the change was made.
    fn check_answer(
        &self,
        status: StatusCode,
        body: Option<&[u8]>,
        what: &str,
        at: &Address,
    ) -> Result<(), Failure> {
        let body = body.unwrap_or_default();
        if let Some(read) = response::strict_error(status, body) {
            return Err(response::error_in_success(status, read, what));
        }
        if status.is_success() {
            return Ok(());
        }
        let mut error = response::refusal(status, body, what, at);
        let base = &self.inner.connection.base;
        let sandbox = &self.inner.connection.sandbox;
        if status.is_redirection() {
            error.hint =
                "A create or delete is never sent on: set base_url or sandbox_url to where the service is."
                    .to_owned();
        } else if status == StatusCode::NOT_FOUND {
            // A service that explains the status is the right one.
            let is_explained = (error.service.as_ref()).is_some_and(|read| read.message.is_some());
            error.hint = match base == sandbox {
                true if is_explained => {
                    "`driftline plants list` lists those that were created from here.".to_owned()
                }
                true => format!("There may be no plants at {at}."),
                false => format!(
                    "There may be no plants at {at}. Creates go to sandbox_url, {sandbox}; deletes to base_url, {base}."
                ),
            };
        } else if matches!(status.as_u16(), 400 | 422) {
            error.hint = "Check the plant's identifier, name and tag.".to_owned();
        }
        Err(error)
    }
}

/// The plant in the log entry of a create.
fn plant_of(entry: &Entry) -> Result<PlantRequest, Failure> {
    let id = entry
        .id
        .parse()
        .map_err(|_| Failure::usage(format!("'{}' is not a whole number", entry.id)))?;
    Ok(PlantRequest {
        name: entry.name.clone().unwrap_or_default(),
        id,
        tag: entry.tag.clone().unwrap_or_default(),
    })
}

/// The outcome of a request that changes data.
enum Change {
    /// It was not sent.
    NotSent(TransportError),
    /// It was sent without a usable response; the reason.
    Lost(String),
    /// The service responded.
    Answered(StatusCode, Explanation),
}

/// Target of a redirect that is not followed, for a message.
fn redirected_to(response: &Response, from: &Url) -> Option<String> {
    let location = response.headers().get(LOCATION)?.as_bytes();
    match redirect::target(from, Some(location)) {
        Target::Within(url) => Some(crate::text::excerpt(url.path(), 100)),
        Target::Secure(origin) | Target::Elsewhere(origin) => Some(origin),
        Target::Nowhere => None,
    }
}

#[cfg(test)]
mod tests;
