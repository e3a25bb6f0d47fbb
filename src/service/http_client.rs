//! Sets up the HTTP client: timeouts, proxies, certificates, and the token in
//! its header.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{
    RequestBuilder, Url,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, HeaderMap, HeaderValue},
};

use super::address::Address;
use super::causes::chain;
use super::proxy;
use super::resolve::Resolver;
use crate::failure::{Failure, FailureKind};
use crate::mapping::Auth;
use crate::token::Token;

/// An idle connection is kept open this long for the next read.
const IDLE: Duration = Duration::from_secs(30);

/// When a response last left its connection open.
#[derive(Debug, Default)]
pub(super) struct LastOpen(Mutex<Option<Instant>>);

impl LastOpen {
    /// Records a response with these headers.
    pub(super) fn note(&self, headers: &HeaderMap) {
        let closes = headers.get(CONNECTION);
        if closes.is_none_or(|value| !value.as_bytes().eq_ignore_ascii_case(b"close")) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
    }

    /// `true` if the next request may use an open connection.
    pub(super) fn may_be_open(&self) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|at| at.elapsed() <= IDLE)
    }
}

/// Connect timeout, shorter than the idle timeout. With equal timeouts, a
/// failed connection could not be distinguished from a missing response.
pub(super) fn connect_timeout(silence: Duration) -> Duration {
    (silence / 2).min(Duration::from_secs(10))
}

/// HTTP client without the defaults that are unsafe for a token, and with at most
/// `most_idle` open connections for the next requests.
///
/// # Errors
/// When no trust store can be read, or the proxy of the environment is none.
pub(super) fn build_client(
    address: &Address,
    timeout: Duration,
    most_idle: usize,
) -> Result<reqwest::Client, Failure> {
    // Fails only if a provider is already installed, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("driftline/", env!("CARGO_PKG_VERSION")))
        .http1_only()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .dns_resolver(Resolver)
        // That of silence is driftline's: reqwest's goes on while a piece waits to be read.
        .connect_timeout(connect_timeout(timeout))
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(most_idle);
    if !address.is_https() || address.is_loopback() {
        // Over plain http a proxy would see the token unencrypted.
        builder = builder.no_proxy();
    } else {
        proxy::check(address)?;
    }
    if !address.is_https() {
        // Plain http needs no trust store.
        builder = builder.tls_certs_only(std::iter::empty());
    }
    builder.build().map_err(|error| {
        let causes = chain(std::error::Error::source(&error));
        let why = causes.last().map_or("no reason was given", String::as_str);
        let origin = address.origin();
        Failure::new(
            FailureKind::Unreachable,
            format!("no connection to {origin} can be prepared: {why}"),
            "Check that this machine has certificates, or set SSL_CERT_FILE to a CA bundle.",
        )
    })
}

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";

/// Adds the token to a request of the interface, in the `Authorization` header.
pub(super) fn bearer(request: RequestBuilder, token: &Token) -> Result<RequestBuilder, Failure> {
    authorized(request, token, &Auth::Bearer, JSON)
}

/// Adds the accepted media types to a request, and the token unless it is in the query.
pub(super) fn authorized(
    request: RequestBuilder,
    token: &Token,
    auth: &Auth,
    accepted: &'static str,
) -> Result<RequestBuilder, Failure> {
    let request = match auth {
        Auth::Bearer => request.header(AUTHORIZATION, secret(&token.authorization())?),
        Auth::Basic => request.header(AUTHORIZATION, secret(&token.basic())?),
        Auth::Header(name) => request.header(name, secret(&token.plain())?),
        Auth::None | Auth::Query(_) => request,
    };
    Ok(request
        .header(ACCEPT, accepted)
        .header(ACCEPT_ENCODING, "gzip"))
}

/// The URL, with the token if that is a parameter of the query. The URL of a next page may
/// have it already.
pub(super) fn with_token(url: &Url, auth: &Auth, token: &Token) -> Url {
    let mut url = url.clone();
    if let Auth::Query(name) = auth
        && !url.query_pairs().any(|(known, _)| known == *name)
    {
        url.query_pairs_mut().append_pair(name, &token.plain());
    }
    url
}

/// The value of a header, marked so that no log shows it.
fn secret(text: &str) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        Failure::usage("the token cannot be sent in a header")
            .with_hint("Log in again with `driftline auth login`.")
    })?;
    value.set_sensitive(true);
    Ok(value)
}
