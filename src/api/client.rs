//! The client: the three operations of the service, each within its bounds.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use reqwest::{
    Method, RequestBuilder, Response, Url,
    header::{CONTENT_TYPE, DATE, HeaderValue, LOCATION, RETRY_AFTER},
};

use super::{
    address::Address,
    answer,
    body::{self, BodyFault},
    error::{Error, ErrorKind},
    exchange::{Observer, ProgressSink, Recording},
    line::{authorized, connect_timeout, make_line},
    records,
    redirect::{self, Target},
    retry,
    transport::{self, NoAnswer},
    wire::{PlantEcho, PlantRequest},
};
use crate::{auth::Token, track::Records};

/// Bytes of an answer that is no data: more than this is not explained better.
const MOST_OF_A_REFUSAL: u64 = 1 << 20;

/// The longest wait that a service may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Where a client talks to, and within which bounds.
#[derive(Clone)]
pub struct Connection {
    /// The service.
    pub base: Address,
    /// Where plants are created.
    pub sandbox: Address,
    /// Whether the profile allows a token over plain http.
    pub allow_insecure_http: bool,
    /// Silence after which a connection is given up.
    pub timeout: Duration,
    /// Bytes an answer may have, decompressed.
    pub max_response: u64,
    /// Told of every exchange.
    pub observer: Option<Observer>,
}

/// A deployment's records as they came.
#[derive(Debug, Clone, PartialEq)]
pub struct DataAnswer {
    /// The records, in the service's order.
    pub records: Records,
    /// The HTTP status.
    pub status: u16,
    /// Bytes of the body, decompressed.
    pub bytes: u64,
    /// Seconds that the service's clock is ahead of this machine's, where it
    /// said its time.
    pub clock_ahead_s: Option<f64>,
}

/// A plant was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What the service echoed, if it could be read.
    pub echo: Option<PlantEcho>,
    /// What is odd about the answer.
    pub note: Option<String>,
}

/// A plant was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What is odd about the answer: confirmed at the second try.
    pub note: Option<String>,
}

/// A client of one service. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    connection: Connection,
    reader: OnceLock<Result<reqwest::Client, String>>,
    deleter: OnceLock<Result<reqwest::Client, String>>,
    creator: OnceLock<Result<reqwest::Client, String>>,
}

/// A read that did not succeed, and what another try is worth.
struct Setback {
    error: Error,
    tries: u32,
    asked_wait: Option<Duration>,
    recording: Option<Recording>,
}

impl Setback {
    fn last(error: Error, recording: Recording) -> Self {
        Self {
            error,
            tries: 1,
            asked_wait: None,
            recording: Some(recording),
        }
    }
}

impl Client {
    /// A client; nothing is connected or looked up yet.
    pub fn new(connection: Connection) -> Self {
        Self {
            inner: Arc::new(Inner {
                connection,
                reader: OnceLock::new(),
                deleter: OnceLock::new(),
                creator: OnceLock::new(),
            }),
        }
    }

    /// The records of a deployment. Reset, dropped and overloaded tries are
    /// tried again; redirects are followed within the origin.
    ///
    /// # Errors
    /// [`Error`], after the last try.
    pub async fn deployment_data(
        &self,
        token: &Token,
        deployment: uuid::Uuid,
        progress: Option<ProgressSink>,
    ) -> Result<DataAnswer, Error> {
        let base = &self.inner.connection.base;
        let what = format!("deployment {deployment} could not be fetched");
        let client = self.line(&self.inner.reader, base, true)?;
        let mut attempt = 1;
        loop {
            let tried = self
                .read_once(client, token, deployment, attempt, progress.as_ref(), &what)
                .await;
            let setback = match tried {
                Ok(answer) => return Ok(answer),
                Err(setback) => setback,
            };
            let wait = retry::backoff(attempt).max(setback.asked_wait.unwrap_or_default());
            if attempt >= setback.tries {
                return Err(setback.error);
            }
            if wait > LONGEST_WAIT {
                return Err(asks_too_long(setback.error, wait));
            }
            let mut recording = setback.recording;
            if let Some(recording) = recording.as_mut() {
                recording.again_in(wait);
            }
            drop(recording);
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn read_once(
        &self,
        client: &reqwest::Client,
        token: &Token,
        deployment: uuid::Uuid,
        attempt: u32,
        progress: Option<&ProgressSink>,
        what: &str,
    ) -> Result<DataAnswer, Setback> {
        let base = &self.inner.connection.base;
        let mut url = base.deployment_data(deployment);
        let mut hops = 0;
        let (mut recording, response) = loop {
            let mut recording = self.record("GET", &url, (attempt, retry::TRIES));
            let request =
                authorized(client.request(Method::GET, url.clone()), token).map_err(|error| {
                    Setback {
                        error,
                        tries: 1,
                        asked_wait: None,
                        recording: None,
                    }
                })?;
            let response = match request.send().await {
                Ok(response) => response,
                Err(error) => {
                    let found = self.explain(&error, &url);
                    recording.outcome(found.why.clone());
                    return Err(Setback {
                        tries: if found.passing { retry::TRIES } else { 1 },
                        error: found.into_error(what),
                        asked_wait: None,
                        recording: Some(recording),
                    });
                }
            };
            let status = response.status().as_u16();
            recording.status(status);
            if !redirect::is_redirect(status) {
                break (recording, response);
            }
            hops += 1;
            url = match followed(&response, &url, hops, what) {
                Ok(next) => next,
                Err(error) => {
                    recording.outcome(format!("redirected: {}", error.message));
                    return Err(Setback::last(error, recording));
                }
            };
            recording.outcome("redirected within the service");
        };
        self.understood(response, &mut recording, attempt, progress, what)
            .await
            .map_err(|(error, tries, asked_wait)| Setback {
                error,
                tries,
                asked_wait,
                recording: Some(recording),
            })
    }

    /// The answer to a read, once it is not a redirect. On failure: the error,
    /// the tries it is worth, and the wait that was asked for.
    async fn understood(
        &self,
        response: Response,
        recording: &mut Recording,
        attempt: u32,
        progress: Option<&ProgressSink>,
        what: &str,
    ) -> Result<DataAnswer, (Error, u32, Option<Duration>)> {
        let connection = &self.inner.connection;
        let status = response.status();
        let clock_ahead_s = clock_ahead(&response);
        if status.as_u16() == 204 {
            recording.outcome("no content");
            return Ok(DataAnswer {
                records: Records::default(),
                status: 204,
                bytes: 0,
                clock_ahead_s,
            });
        }
        if status.is_informational() || status.is_redirection() || status.as_u16() == 206 {
            let error = answer::unexpected(status, what);
            recording.outcome(format!("unexpected: {}", answer::words(status)));
            return Err((error, 1, None));
        }
        if !status.is_success() {
            let asked_wait = response
                .headers()
                .get(RETRY_AFTER)
                .and_then(|value| retry::retry_after(value.as_bytes(), SystemTime::now()));
            let said = body::take_in(response, MOST_OF_A_REFUSAL, attempt, None)
                .await
                .unwrap_or_default();
            recording.bytes(said.len());
            let error = answer::refusal(status, &said, what, &connection.base.origin());
            recording.outcome(answer::words(status));
            return Err((error, retry::tries_for_status(status.as_u16()), asked_wait));
        }
        let came = body::take_in(response, connection.max_response, attempt, progress).await;
        let body = match came {
            Ok(body) => body,
            Err(fault) => {
                let error = transport::body_error(&fault, what, connection.timeout);
                if let BodyFault::Broken(so_far, _) | BodyFault::Silent(so_far, _) = fault {
                    recording.bytes(usize::try_from(so_far).unwrap_or(usize::MAX));
                }
                recording.outcome(
                    error
                        .message
                        .trim_start_matches(what)
                        .trim_start_matches(": "),
                );
                let tries = if transport::is_passing(&fault) {
                    retry::TRIES
                } else {
                    1
                };
                return Err((error, tries, None));
            }
        };
        recording.bytes(body.len());
        let bytes = body.len() as u64;
        let parsed = tokio::task::spawn_blocking(move || records::parse(&body)).await;
        match parsed {
            Ok(Ok(records)) => {
                recording.outcome(format!(
                    "{} records",
                    records.transmissions.len() + records.unusable.len()
                ));
                Ok(DataAnswer {
                    records,
                    status: status.as_u16(),
                    bytes,
                    clock_ahead_s,
                })
            }
            Ok(Err(found)) => {
                recording.outcome(found.to_string());
                Err((answer::no_records(status, found, what), 1, None))
            }
            Err(_) => Err((
                Error::new(
                    ErrorKind::NotUnderstood,
                    format!("{what}: reading the answer was given up"),
                    "",
                ),
                1,
                None,
            )),
        }
    }

    /// Creates a plant. Sent once, whatever happens, on a connection of its
    /// own.
    ///
    /// # Errors
    /// [`Error`]; [`ErrorKind::OutcomeUnknown`] if it was sent and not
    /// answered, [`ErrorKind::Unreachable`] if it was not sent.
    pub async fn create_plant(
        &self,
        token: &Token,
        plant: &PlantRequest,
    ) -> Result<CreateAnswer, Error> {
        let sandbox = &self.inner.connection.sandbox;
        let id = plant.id;
        let what = format!("plant {id} could not be created");
        let unknown = |why: &str| {
            Error::new(
                ErrorKind::OutcomeUnknown,
                format!("plant {id} may or may not exist: the create was sent, and {why}"),
                format!(
                    "The service has no way to look it up: ask its operator, or delete {id} and create it again."
                ),
            )
        };
        let client = self.line(&self.inner.creator, sandbox, false)?;
        let body = serde_json::to_vec(plant)
            .map_err(|error| Error::new(ErrorKind::Usage, format!("{what}: {error}"), ""))?;
        let request = authorized(client.request(Method::POST, sandbox.plants()), token)?
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        match self
            .change(request, "POST", &sandbox.plants(), (1, 1))
            .await
        {
            Change::NotSent(found) => Err(found.into_error(&format!("{what}, nothing was sent"))),
            Change::Lost(why) => Err(unknown(&why)),
            Change::Answered(status, said) => {
                if let Some(read) = answer::strict_error(status, said.bytes()) {
                    return Err(answer::error_in_success(status, read, &what));
                }
                if !status.is_success() {
                    return Err(refused(status, &said, &what, &sandbox.origin()));
                }
                let (echo, note) = match &said {
                    Said::Whole(body) => answer::echo(body, plant),
                    Said::Broken => (
                        None,
                        Some(
                            "the plant was created, but the service's echo of it broke off"
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

    /// Deletes a plant. A lost answer is tried once more on a new connection;
    /// "not there" at the second try counts as deleted.
    ///
    /// # Errors
    /// [`Error`], as [`Client::create_plant`].
    pub async fn delete_plant(&self, token: &Token, id: &str) -> Result<DeleteAnswer, Error> {
        let base = &self.inner.connection.base;
        let url = base.plant(id)?;
        let shown = crate::text::excerpt(id, 60);
        let what = format!("plant {shown} could not be deleted");
        let client = self.line(&self.inner.deleter, base, false)?;
        let request = || authorized(client.request(Method::DELETE, url.clone()), token);
        let first = self.change(request()?, "DELETE", &url, (1, 2)).await;
        let lost = match first {
            Change::NotSent(found) => {
                return Err(found.into_error(&format!("{what}, nothing was sent")));
            }
            Change::Answered(status, said) => {
                if let Some(read) = answer::strict_error(status, said.bytes()) {
                    return Err(answer::error_in_success(status, read, &what));
                }
                if !status.is_success() {
                    return Err(refused(status, &said, &what, &base.origin()));
                }
                return Ok(DeleteAnswer {
                    status: status.as_u16(),
                    note: None,
                });
            }
            Change::Lost(why) => why,
        };
        tokio::time::sleep(retry::backoff(1)).await;
        let second = self.change(request()?, "DELETE", &url, (2, 2)).await;
        if let Change::Answered(status, said) = &second
            && (status.is_success() || status.as_u16() == 404)
            && answer::strict_error(*status, said.bytes()).is_none()
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
                format!("the service answered {}", answer::words(status))
            }
        };
        Err(Error::new(
            ErrorKind::OutcomeUnknown,
            format!(
                "plant {shown} may or may not be deleted: the delete was sent, and {lost}; at the second try {then}"
            ),
            "Delete it again later: deleting twice does no harm.",
        ))
    }

    /// Sends a request that changes something, once, and takes its answer.
    async fn change(
        &self,
        request: RequestBuilder,
        method: &'static str,
        url: &Url,
        attempt: (u32, u32),
    ) -> Change {
        let mut recording = self.record(method, url, attempt);
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                let found = self.explain(&error, url);
                recording.outcome(found.why.clone());
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
        let said = match body::take_in(response, MOST_OF_A_REFUSAL, attempt.0, None).await {
            Ok(body) => Said::Whole(body),
            Err(_) => Said::Broken,
        };
        recording.bytes(said.bytes().len());
        recording.outcome(match &place {
            Some(place) => format!("{}, not followed to {place}", answer::words(status)),
            None => answer::words(status),
        });
        let gateway = matches!(status.as_u16(), 502 | 504);
        let explained = super::wire::ErrorRead::from_body(said.bytes()).is_some();
        if (gateway && !explained) || status.is_informational() {
            return Change::Lost(format!(
                "something in between answered {}",
                answer::words(status)
            ));
        }
        Change::Answered(status, said)
    }

    fn record(&self, method: &'static str, url: &Url, attempt: (u32, u32)) -> Recording {
        Recording::start(self.inner.connection.observer.clone(), method, url, attempt)
    }

    fn explain(&self, error: &reqwest::Error, url: &Url) -> NoAnswer {
        let timeout = self.inner.connection.timeout;
        transport::no_answer(error, url, connect_timeout(timeout), timeout)
    }

    /// The client for `address`, made at its first use: reading trust stores
    /// takes time that a start does not have. `pooled` keeps connections for a
    /// next request; what changes something never meets one that the service
    /// has just closed.
    fn line<'c>(
        &self,
        slot: &'c OnceLock<Result<reqwest::Client, String>>,
        address: &Address,
        pooled: bool,
    ) -> Result<&'c reqwest::Client, Error> {
        address.may_carry_token(self.inner.connection.allow_insecure_http)?;
        slot.get_or_init(|| make_line(address, self.inner.connection.timeout, pooled))
            .as_ref()
            .map_err(|why| {
                Error::new(
                    ErrorKind::Unreachable,
                    format!("no connection to {} can be prepared: {why}", address.origin()),
                    "Check that this machine has certificates, or set SSL_CERT_FILE to a CA bundle.",
                )
            })
    }
}

/// What came of a request that changes something.
enum Change {
    /// It was not sent.
    NotSent(NoAnswer),
    /// It was sent, and nothing of worth came back, for this reason.
    Lost(String),
    /// It was answered.
    Answered(reqwest::StatusCode, Said),
}

/// The body of an answer whose status already says what counts.
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

/// The next address of a read that is redirected.
fn followed(response: &Response, from: &Url, hops: usize, what: &str) -> Result<Url, Error> {
    let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
    match redirect::target(from, location) {
        Target::Within(_) if hops > redirect::MOST => Err(Error::new(
            ErrorKind::Unreachable,
            format!(
                "{what}: the service redirects more than {} times",
                redirect::MOST
            ),
            "Check the base address; if it is right, tell the service's operator.",
        )),
        Target::Within(url) => Ok(url),
        Target::Elsewhere(place) => Err(Error::new(
            ErrorKind::Unreachable,
            format!("{what}: the service redirects to {place}, where the token may not go"),
            "This network may ask to sign in first (open a web page), or the service has moved: then set base_url.",
        )),
        Target::Nowhere => Err(answer::unexpected(response.status(), what)),
    }
}

/// Where a redirect that is not followed would lead.
fn redirected_to(response: &Response, from: &Url) -> Option<String> {
    let location = response.headers().get(LOCATION)?.as_bytes();
    match redirect::target(from, Some(location)) {
        Target::Within(url) => Some(crate::text::excerpt(url.path(), 100)),
        Target::Elsewhere(place) => Some(place),
        Target::Nowhere => None,
    }
}

/// An answer of no success to a request that changes something.
fn refused(status: reqwest::StatusCode, said: &Said, what: &str, origin: &str) -> Error {
    let mut error = answer::refusal(status, said.bytes(), what, origin);
    if status.is_redirection() {
        error.hint =
            "A create or delete is never sent on: set base_url or sandbox_url to where the service is."
                .to_owned();
    }
    error
}

/// A service that asks for a longer wait than a person wants to watch.
fn asks_too_long(error: Error, wait: Duration) -> Error {
    let when = jiff::SignedDuration::try_from(wait)
        .ok()
        .and_then(|wait| jiff::Timestamp::now().checked_add(wait).ok())
        .map_or_else(
            || "for longer than a calendar holds".to_owned(),
            |moment| format!("until {}", moment.strftime("%Y-%m-%d %H:%MZ")),
        );
    Error {
        hint: format!("The service asks to wait {when}."),
        ..error
    }
}

/// How far the service's clock is ahead of this machine's, by its answer.
fn clock_ahead(response: &Response) -> Option<f64> {
    let said = response.headers().get(DATE)?.to_str().ok()?;
    let moment = httpdate::parse_http_date(said).ok()?;
    Some(match moment.duration_since(SystemTime::now()) {
        Ok(ahead) => ahead.as_secs_f64(),
        Err(behind) => -behind.duration().as_secs_f64(),
    })
}
