//! Lists the causes of an error of the HTTP library.

use std::error::Error;
use std::io;

use crate::text;

/// The causes of an error, outermost first, sanitized and shortened.
pub(super) fn chain(first: Option<&(dyn Error + 'static)>) -> Vec<String> {
    let mut words = Vec::new();
    let mut link = first;
    while let Some(error) = link {
        let said = text::excerpt(&error.to_string(), 160);
        // A cause often repeats the message of its wrapper.
        if words.last() != Some(&said) {
            words.push(said);
        }
        link = error.source();
    }
    words
}

/// The causes of an error, including those inside an I/O error.
pub(super) fn links<'e>(
    error: &'e reqwest::Error,
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let mut found: Vec<&'e (dyn Error + 'static)> = Vec::new();
    let mut link = error.source();
    while let Some(error) = link {
        found.push(error);
        // `source` of an I/O error skips the error that it wraps.
        let mut inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        while let Some(wrapped) = inner {
            found.push(wrapped);
            inner = wrapped
                .downcast_ref::<io::Error>()
                .and_then(io::Error::get_ref);
        }
        link = error.source();
    }
    found.sort_by_key(|link| link.downcast_ref::<rustls::Error>().is_none());
    found.into_iter()
}
