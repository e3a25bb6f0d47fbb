//! Redirect targets. A token follows a redirect within the origin only (scheme,
//! host and port); every hop is checked.

use reqwest::header::{HeaderValue, LOCATION};
use reqwest::{Response, Url};

use super::address::Address;
use super::response::unexpected;
use crate::failure::{Failure, FailureKind};

/// Most redirects that a read follows.
pub(super) const MOST: usize = 5;

/// Target of a redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A URL within the same origin.
    Within(Url),
    /// The same host over https, at this origin: the token is sent there only
    /// if the user sets it.
    Secure(String),
    /// Another origin, without secrets.
    Elsewhere(String),
    /// A missing or invalid URL.
    Nowhere,
}

/// Classifies the `Location` header of a response from `from`.
pub(super) fn target(from: &Url, location: Option<&[u8]>) -> Target {
    let Some(url) = location
        .and_then(|value| std::str::from_utf8(value).ok())
        .and_then(|value| from.join(value).ok())
    else {
        return Target::Nowhere;
    };
    let carries_login = !url.username().is_empty() || url.password().is_some();
    if url.origin() == from.origin() && url.origin().is_tuple() && !carries_login {
        return Target::Within(url);
    }
    let is_same_host = url.host_str().is_some() && url.host_str() == from.host_str();
    if from.scheme() == "http" && url.scheme() == "https" && is_same_host && !carries_login {
        return Target::Secure(url.origin().ascii_serialization());
    }
    let name = if url.origin().is_tuple() {
        url.origin().ascii_serialization()
    } else {
        format!("{}:", url.scheme())
    };
    Target::Elsewhere(crate::text::excerpt(&name, 200))
}

/// The URL to which a read is redirected for the `hops`th time, at a service with this base
/// URL. `what` names the read in the failure.
pub(super) fn followed(
    response: &Response,
    from: &Url,
    hops: usize,
    base: &Address,
    what: &str,
) -> Result<Url, Failure> {
    let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
    let (why, hint) = match target(from, location) {
        Target::Within(url) if hops <= MOST => return Ok(url),
        Target::Within(_) => (
            format!("the service redirects more than {MOST} times"),
            "Check the base address; if it is right, report it to the service's operator.".to_owned(),
        ),
        Target::Secure(origin) => (
            format!("the service redirects to {origin}, where the token may not go by itself"),
            format!("Set base_url to {}.", base.at(&origin)),
        ),
        Target::Elsewhere(origin) => (
            format!("the service redirects to {origin}, where the token may not go"),
            "This network may ask to sign in first (open a web page), or the service has moved: then set base_url.".to_owned(),
        ),
        Target::Nowhere => return Err(unexpected(response.status(), what)),
    };
    Err(Failure::new(FailureKind::Unreachable, why, hint).context(what))
}

/// `Some` if two URLs differ only by a slash at the end of the path;
/// `Some(true)` if `to` has the slash.
pub(super) fn slash_only(from: &Url, to: &Url) -> Option<bool> {
    let old = from.path();
    let new = to.path();
    let adds = new.strip_suffix('/') == Some(old);
    let takes = old.strip_suffix('/') == Some(new);
    let same_else = from.query() == to.query() && from.origin() == to.origin();
    (same_else && (adds || takes)).then_some(adds)
}

/// `true` if the status is a redirect whose target is in `Location`.
pub(super) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_is_told_from_any_other_difference() {
        let slash =
            |from: &str, to: &str| slash_only(&Url::parse(from).unwrap(), &Url::parse(to).unwrap());
        assert_eq!(slash("http://a/x?q", "http://a/x/?q"), Some(true));
        assert_eq!(slash("http://a/x/", "http://a/x"), Some(false));
        for to in [
            "http://a/x",
            "http://a/x//",
            "http://a/y/",
            "http://a/x/?q",
            "http://b/x/",
        ] {
            assert_eq!(slash("http://a/x", to), None, "{to}");
        }
    }

    #[test]
    fn only_the_same_scheme_host_and_port_is_within() {
        let from = Url::parse("https://a.example/x/y?q").unwrap();
        let to = |location: &str| target(&from, Some(location.as_bytes()));
        for within in [
            "/z",
            "z",
            "?page=2",
            "https://a.example/z",
            "https://A.example:443/z",
            "//a.example/z",
        ] {
            assert!(matches!(to(within), Target::Within(_)), "{within}");
        }
        for (elsewhere, name) in [
            ("http://a.example/x", "http://a.example"),
            ("https://a.example:444/x", "https://a.example:444"),
            ("https://b.example/?token=7", "https://b.example"),
            ("//b.example/x", "https://b.example"),
            ("https://a.example.evil/", "https://a.example.evil"),
            ("javascript:alert(1)", "javascript:"),
            ("data:text/html,x", "data:"),
            ("https://me:pw@a.example/", "https://a.example"),
        ] {
            assert_eq!(
                to(elsewhere),
                Target::Elsewhere(name.to_owned()),
                "{elsewhere}"
            );
        }
        let plain = Url::parse("http://a.example:8080/x").unwrap();
        assert_eq!(
            target(&plain, Some(b"https://a.example:8443/x/")),
            Target::Secure("https://a.example:8443".to_owned())
        );
        assert!(matches!(
            target(&plain, Some(b"https://b.example/x")),
            Target::Elsewhere(_)
        ));
        assert_eq!(target(&from, None), Target::Nowhere);
        assert_eq!(target(&from, Some(b"\xff")), Target::Nowhere);
        assert_eq!(to("http://[::"), Target::Nowhere);
    }
}
