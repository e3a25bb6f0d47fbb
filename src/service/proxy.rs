//! The proxy of a request, and why there is no connection through it.

use std::io;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

use super::address::Address;
use super::causes::{TransportError, chain, links};
use crate::failure::{Failure, FailureKind};

/// The variables that name a proxy for https.
const VARIABLES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// The proxy of a request, without its password, and the variable that names it; `None` if the
/// request needs none, or NO_PROXY excepts its host.
pub(super) fn in_use(url: &Url) -> Option<String> {
    if url.scheme() != "https" || crate::os::loopback::is_host(url.host_str()?) {
        return None;
    }
    Matcher::from_env().intercept(&url.as_str().parse().ok()?)?;
    VARIABLES.into_iter().find_map(|variable| {
        let value = std::env::var(variable).ok().filter(|it| !it.is_empty())?;
        let proxy = Url::parse(&value)
            .or_else(|_| Url::parse(&format!("http://{value}")))
            .ok()?;
        let host = proxy.host_str()?;
        Some(match proxy.port_or_known_default() {
            Some(port) => format!("proxy {host}:{port} from {variable}"),
            None => format!("proxy {host} from {variable}"),
        })
    })
}

/// Looks for a variable of the environment that says that there is a proxy, and not which.
///
/// # Errors
/// [`FailureKind::Usage`]: without the proxy, requests would go where they are not meant to.
// reqwest passes over such a value without a word.
pub(super) fn check(address: &Address) -> Result<(), Failure> {
    let is_excepted = || {
        let no = ["NO_PROXY", "no_proxy"]
            .into_iter()
            .find_map(|name| std::env::var(name).ok());
        let uri = address.origin().parse().ok();
        let any = Matcher::builder()
            .all("http://proxy.invalid")
            .no(no.unwrap_or_default())
            .build();
        uri.is_some_and(|uri| any.intercept(&uri).is_none())
    };
    for variable in VARIABLES {
        let value = std::env::var(variable).unwrap_or_default();
        if !value.is_empty() && reqwest::Proxy::all(&value).is_err() && !is_excepted() {
            // The value may have a password.
            let what = format!("{variable} is no address of a proxy");
            let hint = "Set it to http://HOST:PORT, or unset it.";
            return Err(Failure::new(FailureKind::Usage, what, hint));
        }
    }
    Ok(())
}

/// The failure `found` of a connection through a proxy, in words about the proxy if it is the
/// one that failed.
pub(super) fn explained(
    error: &reqwest::Error,
    mut found: TransportError,
    proxy: &str,
    host: &str,
) -> TransportError {
    let causes = chain(std::error::Error::source(error));
    let says = |words: &str| causes.iter().any(|cause| cause.contains(words));
    let is_refused = |io: &io::Error| io.kind() == io::ErrorKind::ConnectionRefused;
    let mut broken = links(error).filter_map(|link| link.downcast_ref::<io::Error>());
    let (why, hint) = if says("proxy authorization required") {
        (
            format!("the {proxy} wants a user and a password"),
            "Give them in that variable: http://USER:PASSWORD@HOST:PORT.",
        )
    } else if says("tunnel error: unsuccessful") {
        (
            format!("the {proxy} makes no connection to {host}"),
            "Ask who runs the proxy, or except this host with NO_PROXY.",
        )
    } else if broken.any(is_refused) {
        (
            format!("the {proxy} refused the connection"),
            "Check that variable, and whether the proxy is running.",
        )
    } else {
        found.failure.reason += &format!(" (through {proxy})");
        return found;
    };
    found.failure.reason = why;
    found.failure.hint = hint.to_owned();
    found
}
