//! The address that a read is redirected to.

use reqwest::header::{HeaderValue, LOCATION};
use reqwest::{Response, Url};

use super::Client;
use crate::failure::{Failure, FailureKind};
use crate::service::redirect::{self, Target};
use crate::service::response;

impl Client {
    /// The URL to which a read is redirected.
    pub(super) fn followed(
        &self,
        response: &Response,
        from: &Url,
        hops: usize,
        what: &str,
    ) -> Result<Url, Failure> {
        let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
        match redirect::target(from, location) {
        Target::Within(_) if hops > redirect::MOST => Err(Failure::new(
            FailureKind::Unreachable,
            format!("the service redirects more than {} times", redirect::MOST),
            "Check the base address; if it is right, tell the service's operator.",
        )
        .of(what)),
        Target::Within(url) => Ok(url),
        Target::Secure(origin) => {
            let base = &self.inner.connection.base;
            Err(Failure::new(
                FailureKind::Unreachable,
                format!("the service redirects to {origin}, where the token may not go by itself"),
                format!("Set base_url to {}.", base.at(&origin)),
            )
            .of(what))
        }
        Target::Elsewhere(place) => Err(Failure::new(
            FailureKind::Unreachable,
            format!("the service redirects to {place}, where the token may not go"),
            "This network may ask to sign in first (open a web page), or the service has moved: then set base_url.",
        )
        .of(what)),
        Target::Nowhere => Err(response::unexpected(response.status(), what)),
    }
    }
}
