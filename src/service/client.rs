//! Client for the three operations of the service, with limits on each.

mod changes;
mod mapped;
mod pages;

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use reqwest::{Method, Response, StatusCode, Url, header::RETRY_AFTER};

use super::answer::{AnswerReader, Mapped};
use super::body::{BodyFault, Limits};
use super::causes::TransportError;
use super::connection::Connection;
use super::http_client::{JSON, LastOpen, authorized, build_client, with_token};
use super::recording::{ProgressSink, Recording};
use super::transport::Unanswered;
use super::{body, pace, redact, redirect, response, retry, transport, validators};
pub(crate) use changes::Change;
use pages::Page;

use crate::exchange::{Attempt, Progress, Subject};
use crate::failure::Failure;
use crate::mapping::Auth;
use crate::os::clock::unix_now;
use crate::token::Token;
use crate::track::field::FieldChoice;
use crate::watch::DeploymentId;
use crate::watch::listed::DeploymentList;
use crate::watch::{Answer, RequestBasis, Validators};

/// Most bytes read of a response without data. An error message needs no more.
const MOST_OF_A_REFUSAL: u64 = 1 << 20;

/// Longest time to read the body of a response whose status alone decides.
const EXPLANATION: Duration = Duration::from_secs(5);

/// Longest `Retry-After` that is obeyed.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The client of a service. A clone is cheap and shares the connections.
#[derive(Clone)]
pub(crate) struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    connection: Connection,
    /// A client for each purpose.
    clients: [OnceLock<Result<reqwest::Client, Failure>>; 3],
    /// `true` if the last redirect added a slash to the URL of a deployment's data.
    wants_slash: AtomicBool,
    last_open: LastOpen,
}

/// The use of an HTTP client.
#[derive(Clone, Copy)]
enum Purpose {
    /// A read, which may use an open connection.
    Read,
    /// A delete, or a read again: on a new connection, which the service cannot just have
    /// closed.
    NewConnection,
    /// A create, on a new connection to the sandbox.
    Create,
}

/// A request for the records of a deployment, sent at each attempt.
struct ReadRequest<'a> {
    /// The deployment that it asks for; `None` for the list of all.
    deployment: Option<uuid::Uuid>,
    token: &'a Token,
    address: Url,
    /// The validators for a conditional request.
    known: &'a Validators,
    /// The fields of the records to store; `None` stores all.
    fields: Option<&'a FieldChoice>,
    /// The request by the mapping of the service, if it has one.
    mapped: Option<Mapped>,
    /// The fields with a limit, which are stored however many others there are.
    limited: &'a [String],
    progress: Option<&'a ProgressSink>,
    /// The failure to report, should the request fail.
    what: String,
}

/// A failed attempt of a read and how often to retry it.
struct FailedAttempt {
    error: Failure,
    tries: u32,
    /// True if the request was sent and nothing came within the timeout.
    is_silent: bool,
    asked_wait: Option<Duration>,
    /// The bytes after which the body broke off.
    broke_at: Option<u64>,
    recording: Option<Recording>,
}

impl FailedAttempt {
    fn new(error: Failure, tries: u32, recording: impl Into<Option<Recording>>) -> Self {
        Self {
            error,
            tries,
            is_silent: false,
            asked_wait: None,
            broke_at: None,
            recording: recording.into(),
        }
    }
}

impl Client {
    /// A client. It connects and resolves names at the first request only.
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            inner: Arc::new(Inner {
                connection,
                clients: Default::default(),
                wants_slash: AtomicBool::new(false),
                last_open: LastOpen::default(),
            }),
        }
    }

    /// Reads the records of a deployment. Retries after a reset, a dropped
    /// connection and an overloaded service; follows redirects within the
    /// origin. With validators in `basis`, the service sends the records only if they
    /// changed.
    ///
    /// # Errors
    /// [`Failure`], after the last attempt.
    pub(crate) async fn deployment_data(
        &self,
        token: &Token,
        deployment: &DeploymentId,
        basis: &RequestBasis,
        progress: Option<ProgressSink>,
    ) -> Result<Answer, Failure> {
        pace::watched(progress, |progress| {
            self.read_track(token, deployment, basis, progress)
        })
        .await
        .map(|answer| redact::data(token, answer))
        .map_err(|error| redact::error(token, error))
    }

    /// Reads the deployments that the service lists.
    ///
    /// # Errors
    /// [`Failure`], after the last attempt; [`crate::failure::FailureKind::Usage`] if it has no list.
    pub(crate) async fn listed(&self, token: &Token) -> Result<DeploymentList, Failure> {
        match self.read_list(token).await {
            Ok(answer) => Ok(redact::data(token, answer).listed),
            Err(error) => Err(redact::error(token, error)),
        }
    }

    /// Sends a read of a page until it is answered, or was tried often enough.
    async fn read_page(&self, read: &ReadRequest<'_>) -> Result<Page, Failure> {
        let mut client = self.http_client(Purpose::Read)?;
        let mut attempt = Attempt {
            number: 1,
            most: retry::TRIES,
        };
        let (mut has_hung, mut limits) = (false, Limits::new(&self.inner.connection));
        loop {
            let may_be_open = !has_hung && self.inner.last_open.may_be_open();
            let mut failed = match self.read_once(client, read, attempt, limits).await {
                Ok(page) => return Ok(page),
                Err(failed) => failed,
            };
            if failed.is_silent && may_be_open {
                // The network or the service may have forgotten the open connection.
                client = self.http_client(Purpose::NewConnection)?;
                (failed.tries, has_hung) = (attempt.number + 1, true);
            }
            let wait = retry::backoff(attempt.number).max(failed.asked_wait.unwrap_or_default());
            let mut error = failed.error;
            if let (Some(answer), Some(asked)) = (&mut error.service, failed.asked_wait) {
                answer.retry_after_s = Some(asked.as_secs());
            }
            if attempt.number >= failed.tries {
                return Err(error);
            }
            if wait > LONGEST_WAIT {
                return Err(retry::asks_to_wait(error, wait));
            }
            if let Some(mut recording) = failed.recording {
                recording.exchange.retry_in_s = Some(wait.as_secs_f64());
            }
            tokio::time::sleep(wait).await;
            limits.broke_at = failed.broke_at;
            attempt.number += 1;
        }
    }

    async fn read_once(
        &self,
        client: &reqwest::Client,
        read: &ReadRequest<'_>,
        attempt: Attempt,
        limits: Limits,
    ) -> Result<Page, FailedAttempt> {
        let (mut recording, response) = self.respond(client, read, attempt).await?;
        let url = response.url().clone();
        let status = response.status();
        let is_unchanged = status == StatusCode::NOT_MODIFIED && !read.known.is_empty();
        let answer = Answer {
            clock_ahead_s: response::clock_ahead(&response),
            validators: if is_unchanged {
                read.known.clone()
            } else {
                validators::read(response.headers())
            },
            ..Answer::new(
                status.as_u16(),
                self.inner.connection.service_name(),
                unix_now(),
            )
        };
        let mut next = pages::next(&url, response.headers());
        let answer = if is_unchanged {
            recording.done("not modified");
            answer
        } else if status == StatusCode::NO_CONTENT {
            recording.done("no content");
            answer
        } else if status.is_informational()
            || status.is_redirection()
            || status == StatusCode::PARTIAL_CONTENT
        {
            recording.failed(format!("unexpected: {}", response::words(status)));
            let error = response::unexpected(status, &read.what);
            return Err(FailedAttempt::new(error, 1, recording));
        } else if status.is_success() {
            let (answer, page) = self
                .with_records(read, response, recording, answer, limits)
                .await?;
            let page = page.map(|page| redirect::target(&url, Some(page.as_bytes())));
            next = next.or(page);
            answer
        } else {
            self.refused_read(read, response, recording).await?;
            answer
        };
        let next = next.filter(|_| !is_unchanged);
        Ok(Page { answer, url, next })
    }

    /// The response to a read that is not a redirect, and its recording.
    async fn respond(
        &self,
        client: &reqwest::Client,
        read: &ReadRequest<'_>,
        attempt: Attempt,
    ) -> Result<(Recording, Response), FailedAttempt> {
        let mut url = read.address.clone();
        let service = self.inner.connection.service.as_deref();
        let auth = service.map_or(&Auth::Bearer, |service| &service.mapping.auth);
        let wants_slash = self.inner.wants_slash.load(Ordering::Relaxed);
        if wants_slash && read.mapped.is_none() && !url.path().ends_with('/') {
            url.set_path(&format!("{}/", read.address.path()));
        }
        let mut hops = 0;
        loop {
            let recording = self.record(read.token, "GET", &url, attempt);
            let about = read.deployment.map(Subject::Deployment);
            let mut recording = recording.about(about).begun();
            let mut request = client.request(Method::GET, with_token(&url, auth, read.token));
            if let Some((name, value)) = validators::conditional_header(read.known) {
                request = request.header(name, value);
            }
            let accepted = read.mapped.as_ref().map_or(JSON, Mapped::accepted);
            let request = authorized(request, read.token, auth, accepted)
                .map_err(|error| FailedAttempt::new(error, 1, None))?;
            let sent = transport::send(request, self.inner.connection.timeout);
            let response = match sent.await {
                Ok(response) => {
                    self.inner.last_open.note(response.headers());
                    response
                }
                Err(error) => {
                    let found = self.explain(&error, &url);
                    recording.failed(found.failure.reason.clone());
                    let tries = if found.transient { retry::TRIES } else { 1 };
                    let is_silent = matches!(error, Unanswered::Silent);
                    let error = found.into_error(&read.what);
                    return Err(FailedAttempt {
                        is_silent,
                        ..FailedAttempt::new(error, tries, recording)
                    });
                }
            };
            let status = response.status().as_u16();
            recording.exchange.status = Some(status);
            if !redirect::is_redirect(status) {
                return Ok((recording, response));
            }
            hops += 1;
            let base = &self.inner.connection.base;
            url = match redirect::followed(&response, &url, hops, base, &read.what) {
                Ok(next) => {
                    if read.mapped.is_none()
                        && let Some(slash) = redirect::slash_only(&url, &next)
                        && next.path().trim_end_matches('/') == read.address.path()
                    {
                        self.inner.wants_slash.store(slash, Ordering::Relaxed);
                    }
                    next
                }
                Err(error) => {
                    recording.failed(format!("redirected: {}", error.reason));
                    return Err(FailedAttempt::new(error, 1, recording));
                }
            };
            recording.done("redirected within the service");
        }
    }

    /// The failure of a read that the service refuses, with the explanation in its body. A 404 that
    /// says that there is nothing is an answer: Argovis sends an empty list with it, ERDDAP
    /// the number of rows.
    async fn refused_read(
        &self,
        read: &ReadRequest<'_>,
        response: Response,
        mut recording: Recording,
    ) -> Result<(), FailedAttempt> {
        let status = response.status();
        let retry_after = response.headers().get(RETRY_AFTER);
        let asked_wait =
            retry_after.and_then(|value| retry::retry_after(value.as_bytes(), SystemTime::now()));
        let explanation = self.explanation(response).await;
        let is_broken = explanation.is_none();
        let body = explanation.unwrap_or_default();
        recording.exchange.bytes = body.len() as u64;
        let is_mapped = read.mapped.is_some();
        let is_nothing =
            || body.trim_ascii() == b"[]" || String::from_utf8_lossy(&body).contains("(nRows = 0)");
        if is_mapped && status == 404 && is_nothing() {
            recording.done("no records");
            return Ok(());
        }
        let base = &self.inner.connection.base;
        let mut error = response::refusal(status, &body, &read.what, base);
        // Many services with a mapping answer so for a deployment without a fix.
        error.is_of_deployment = is_mapped && matches!(status.as_u16(), 404 | 410);
        if status.as_u16() == 500 {
            // Many services answer 500 for a deployment that they do not know.
            error.hint = "Try again later. If other deployments are answered, check this UUID: the service may not know it; else report it to the service's operator.".to_owned();
        }
        let words = response::words(status);
        if is_broken {
            recording.unusable(format!("{words}; its body broke off"));
        } else if response::is_web_page(&body) {
            recording.unusable(format!("{words}, a web page"));
        } else {
            recording.failed(response::words_of_service(status, &body));
        }
        let tries = retry::tries_for_status(status.as_u16());
        Err(FailedAttempt {
            asked_wait,
            ..FailedAttempt::new(error, tries, recording)
        })
    }

    /// The answer with the records of the response, and the URL of the next page in its body.
    async fn with_records(
        &self,
        read: &ReadRequest<'_>,
        response: Response,
        mut recording: Recording,
        answer: Answer,
        limits: Limits,
    ) -> Result<(Answer, Option<String>), FailedAttempt> {
        let connection = &self.inner.connection;
        let status = response.status();
        let exchange = recording.exchange.id;
        let attempt = recording.exchange.attempt.number;
        let progress = read.progress.cloned().map(|sink| -> ProgressSink {
            Arc::new(move |progress| {
                sink(Progress {
                    exchange,
                    attempt,
                    ..progress
                });
            })
        });
        let reader = AnswerReader::new(read.mapped.clone(), read.fields, read.limited);
        let progress = progress.as_ref();
        let content = body::read_records(response, limits, reader, progress);
        let (bytes, content) = match content.await {
            Ok(read) => read,
            Err(fault) => {
                let error = transport::body_error(&fault, &read.what, connection.timeout);
                if let BodyFault::Broken(so_far, _) | BodyFault::Silent(so_far, _) = fault {
                    recording.exchange.bytes = so_far;
                }
                recording.unusable(error.reason.clone());
                let (broke_at, tries) = match fault {
                    BodyFault::Broken(so_far, _) => (Some(so_far), retry::TRIES),
                    _ => (None, 1),
                };
                return Err(FailedAttempt {
                    broke_at,
                    ..FailedAttempt::new(error, tries, recording)
                });
            }
        };
        recording.exchange.bytes = bytes;
        match content {
            Ok(content) => {
                recording.done(content.counted());
                let answer = Answer {
                    records: Arc::new(content.records),
                    bytes,
                    received_at: unix_now(),
                    notes: content.notes,
                    others: content.others,
                    unmet: content.unmet,
                    listed: content.listed,
                    ..answer
                };
                Ok((answer, content.next))
            }
            Err(found) => {
                recording.unusable(found.to_string());
                let error = response::no_records(status, found, &read.what);
                Err(FailedAttempt::new(error, 1, recording))
            }
        }
    }

    /// The body of a response whose status alone decides; `None` if it breaks
    /// off, is too large, or is not complete in time.
    async fn explanation(&self, response: Response) -> Option<Vec<u8>> {
        let silence = EXPLANATION.min(self.inner.connection.timeout);
        let limits = Limits {
            bytes: MOST_OF_A_REFUSAL,
            silence,
            broke_at: None,
        };
        let body = body::read_all(response, limits);
        tokio::time::timeout(silence, body).await.ok()?.ok()
    }

    fn record(
        &self,
        token: &Token,
        method: &'static str,
        url: &Url,
        attempt: Attempt,
    ) -> Recording {
        let observer = self.inner.connection.observer.clone();
        // The query may hold a secret.
        let shown = format!("{}{}", url.origin().ascii_serialization(), url.path());
        Recording::new(observer, token.clone(), method, &shown, attempt)
    }

    fn explain(&self, error: &Unanswered, url: &Url) -> TransportError {
        transport::no_answer(error, url, self.inner.connection.timeout)
    }

    /// The HTTP client for a purpose, built at its first use, because reading trust stores
    /// would delay the start.
    fn http_client(&self, purpose: Purpose) -> Result<&reqwest::Client, Failure> {
        let connection = &self.inner.connection;
        let [read, new, create] = &self.inner.clients;
        let (client, address, most_idle) = match purpose {
            Purpose::Read => (read, &connection.base, usize::MAX),
            Purpose::NewConnection => (new, &connection.base, 0),
            Purpose::Create => (create, &connection.sandbox, 0),
        };
        address.may_carry_token(connection.allows_http())?;
        client
            .get_or_init(|| build_client(address, connection.timeout, most_idle))
            .as_ref()
            .map_err(Clone::clone)
    }
}

#[cfg(test)]
mod tests;
