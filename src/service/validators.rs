//! ETag and Last-Modified for conditional requests: RFC 9110, sections 8.8
//! (validators) and 13 (conditional requests).

use std::time::Duration;

use reqwest::header::{
    DATE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};

use crate::watch::Validators;

/// The longest validator that is stored, in bytes.
const LONGEST: usize = 1024;

/// A date of the last change is a validator from this long after it on: until then there
/// may be another change in the same second (section 8.8.2.2).
const SETTLED: Duration = Duration::from_secs(1);

/// The validators of a response. A validator with anything but printable ASCII counts as
/// missing, and so does a date of the last change that is less than a second older than the
/// response.
pub(super) fn read(headers: &HeaderMap) -> Validators {
    let text = |name| {
        let value = headers.get(name)?.to_str().ok()?.trim();
        // A bare `*` would match any response (section 13.1.2).
        let usable = !value.is_empty()
            && value != "*"
            && value.len() <= LONGEST
            && value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        usable.then(|| value.to_owned())
    };
    Validators {
        etag: text(ETAG),
        modified: text(LAST_MODIFIED).filter(|modified| is_settled(modified, headers)),
    }
}

/// `true` if a response was made at least a second after the last change, and if one of the
/// two dates is unknown.
fn is_settled(modified: &str, headers: &HeaderMap) -> bool {
    let made = headers
        .get(DATE)
        .and_then(|date| date.to_str().ok())
        .and_then(|date| httpdate::parse_http_date(date).ok());
    let changed = httpdate::parse_http_date(modified).ok();
    let Some((changed, made)) = changed.zip(made) else {
        return true;
    };
    made.duration_since(changed).is_ok_and(|age| age >= SETTLED)
}

/// The request header that makes a read conditional. With an entity tag the
/// date adds nothing (section 13.1.3).
pub(super) fn conditional_header(known: &Validators) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = match (&known.etag, &known.modified) {
        (Some(etag), _) => (IF_NONE_MATCH, etag),
        (None, Some(modified)) => (IF_MODIFIED_SINCE, modified),
        (None, None) => return None,
    };
    Some((name, HeaderValue::from_str(value).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: HeaderName, value: &[u8]) -> Validators {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_bytes(value).unwrap());
        read(&headers)
    }

    #[test]
    fn a_tag_goes_back_as_it_came_weak_or_strong() {
        for tag in ["\"abc\"", "W/\"abc\"", "unquoted"] {
            let (name, value) = conditional_header(&parse(ETAG, tag.as_bytes())).unwrap();
            assert_eq!((name, value.to_str().unwrap()), (IF_NONE_MATCH, tag));
        }
        let date = "Sat, 21 Nov 2026 02:00:00 GMT";
        let (name, value) = conditional_header(&parse(LAST_MODIFIED, date.as_bytes())).unwrap();
        assert_eq!((name, value.to_str().unwrap()), (IF_MODIFIED_SINCE, date));
    }

    #[test]
    fn a_date_of_the_second_of_the_response_is_no_validator() {
        let changed = "Sat, 21 Nov 2026 02:00:00 GMT";
        for (made, is_kept) in [
            (Some("Sat, 21 Nov 2026 01:59:59 GMT"), false),
            (Some("Sat, 21 Nov 2026 02:00:00 GMT"), false),
            (Some("Sat, 21 Nov 2026 02:00:01 GMT"), true),
            (Some("yesterday"), true),
            (None, true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(LAST_MODIFIED, HeaderValue::from_static(changed));
            headers.insert(ETAG, HeaderValue::from_static("\"a\""));
            if let Some(made) = made {
                headers.insert(DATE, HeaderValue::from_static(made));
            }
            let read = read(&headers);
            assert_eq!(read.modified.is_some(), is_kept, "{made:?}");
            assert!(read.etag.is_some());
        }
    }

    #[test]
    fn one_that_is_odd_is_as_good_as_none() {
        assert!(parse(ETAG, b"").is_empty());
        assert!(parse(ETAG, b"*").is_empty());
        assert!(parse(ETAG, b"\"a\tb\"").is_empty());
        assert!(parse(ETAG, "\"\u{e9}\"".as_bytes()).is_empty());
        assert!(parse(ETAG, &[b'a'; 2000]).is_empty());
    }
}
