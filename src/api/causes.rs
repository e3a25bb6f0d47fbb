//! Lists the causes of an error of the HTTP library.

use std::error::Error;

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
