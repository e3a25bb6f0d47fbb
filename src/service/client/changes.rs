//! Requests that change data: a create is sent once only; a delete is sent
//! again once if its response is lost.

use reqwest::{
    Method, RequestBuilder, Response, StatusCode, Url,
    header::{CONTENT_TYPE, LOCATION},
};

use super::Client;
use crate::exchange::Attempt;
use crate::failure::{Failure, FailureKind};
use crate::plant::ledger::{Entry, WrittenEntry};
use crate::service::http_client::bearer;
use crate::service::plant_answer::{CreateAnswer, DeleteAnswer};
use crate::service::redirect::Target;
use crate::service::transport::TransportError;
use crate::service::wire::{ErrorRead, PlantRequest};
use crate::service::{Address, redact, redirect, response, retry};
use crate::token::Token;

impl Client {
    /// Creates the plant of a log entry. The request is sent once only, on a
    /// connection of its own.
    ///
    /// # Errors
    /// [`Failure`]; [`FailureKind::OutcomeUnknown`] if it was sent without a
    /// response, [`FailureKind::Unreachable`] if it was not sent.
    pub(crate) async fn create_plant(
        &self,
        token: &Token,
        entry: &WrittenEntry,
    ) -> Result<CreateAnswer, Failure> {
        self.has_plants()?;
        let plant = plant_of(entry.entry())?;
        self.create(token, &plant)
            .await
            .map(|answer| redact::created(token, answer))
            .map_err(|error| redact::error(token, error))
    }

    async fn create(&self, token: &Token, plant: &PlantRequest) -> Result<CreateAnswer, Failure> {
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
        let client = self.http_client(&self.inner.creator, sandbox, false)?;
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
            Change::Answered(status, said) => {
                if let Some(read) = response::strict_error(status, said.bytes()) {
                    return Err(response::error_in_success(status, read, &what));
                }
                if !status.is_success() {
                    return Err(self.refused(status, &said, &what, sandbox));
                }
                let (echo, note) = match &said {
                    Said::Whole(body) => response::echo(body, plant),
                    Said::Broken => (
                        None,
                        Some(
                            "the plant was created, but the service's echo of it broke off or was not waited for"
                                .to_owned(),
                        ),
                    ),
                };
                Ok(CreateAnswer {
                    status: status.as_u16(),
                    echo,
                    note,
                })
            }
        }
    }

    /// Deletes the plant of a log entry. After a lost response it is sent once
    /// more on a new connection; "not found" at the second attempt counts as
    /// deleted.
    ///
    /// # Errors
    /// [`Failure`], as [`Client::create_plant`].
    pub(crate) async fn delete_plant(
        &self,
        token: &Token,
        entry: &WrittenEntry,
    ) -> Result<DeleteAnswer, Failure> {
        self.has_plants()?;
        self.delete(token, &entry.entry().id)
            .await
            .map_err(|error| redact::error(token, error))
    }

    /// Refuses a change at a service of another shape.
    fn has_plants(&self) -> Result<(), Failure> {
        match self.inner.connection.service {
            None => Ok(()),
            Some(_) => Err(Failure::usage(
                "the service of this profile has another shape, and no plants",
            )),
        }
    }

    async fn delete(&self, token: &Token, id: &str) -> Result<DeleteAnswer, Failure> {
        let base = &self.inner.connection.base;
        let url = base.plant(id)?;
        let shown = crate::text::excerpt(id, 60);
        let what = format!("plant {shown} could not be deleted");
        let client = self.http_client(&self.inner.deleter, base, false)?;
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
            Change::Answered(status, said) => {
                if let Some(read) = response::strict_error(status, said.bytes()) {
                    return Err(response::error_in_success(status, read, &what));
                }
                if !status.is_success() {
                    return Err(self.refused(status, &said, &what, base));
                }
                return Ok(DeleteAnswer {
                    status: status.as_u16(),
                    note: None,
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
        if let Change::Answered(status, said) = &second
            && (status.is_success() || status.as_u16() == 404)
            && response::strict_error(*status, said.bytes()).is_none()
        {
            return Ok(DeleteAnswer {
                status: status.as_u16(),
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
        let place = redirect::is_redirect(status.as_u16())
            .then(|| redirected_to(&response, url))
            .flatten();
        let said = match self.explanation(response).await {
            Some(body) => Said::Whole(body),
            None => Said::Broken,
        };
        recording.bytes(said.bytes().len());
        match &place {
            Some(place) => {
                recording.failed(format!(
                    "{}, not followed to {place}",
                    response::words(status)
                ));
            }
            None if status.is_success() => recording.done(""),
            None => recording.failed(response::words_of_service(status, said.bytes())),
        }
        let gateway = matches!(status.as_u16(), 502 | 504);
        let explained = ErrorRead::from_body(said.bytes()).is_some();
        if (gateway && !explained) || status.is_informational() {
            return Change::Lost(format!(
                "something in between answered {}",
                response::words(status)
            ));
        }
        Change::Answered(status, said)
    }

    /// An answer of no success to a request that changes something.
    fn refused(&self, status: StatusCode, said: &Said, what: &str, at: &Address) -> Failure {
        let mut error = response::refusal(status, said.bytes(), what, at);
        let (base, sandbox) = (&self.inner.connection.base, &self.inner.connection.sandbox);
        if status.is_redirection() {
            error.hint =
                "A create or delete is never sent on: set base_url or sandbox_url to where the service is."
                    .to_owned();
        } else if status == StatusCode::NOT_FOUND {
            let is_of_plants = error
                .service
                .as_ref()
                .is_some_and(|told| told.message.is_some());
            error.hint = match base == sandbox {
                // The service has said it: the address is right.
                true if is_of_plants => {
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
        error
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
    Answered(reqwest::StatusCode, Said),
}

/// The body of a response; the status alone decides the outcome.
enum Said {
    Whole(Vec<u8>),
    Broken,
}

impl Said {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Whole(body) => body,
            Self::Broken => b"",
        }
    }
}

/// Target of a redirect that is not followed, for a message.
fn redirected_to(response: &Response, from: &Url) -> Option<String> {
    let location = response.headers().get(LOCATION)?.as_bytes();
    match redirect::target(from, Some(location)) {
        Target::Within(url) => Some(crate::text::excerpt(url.path(), 100)),
        Target::Secure(place) | Target::Elsewhere(place) => Some(place),
        Target::Nowhere => None,
    }
}

#[cfg(test)]
mod tests;
