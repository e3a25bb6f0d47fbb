//! What a service says of an answer that it can be asked for again by: RFC
//! 9110, sections 8.8 (validators) and 13 (conditional requests).

use reqwest::header::{
    ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};

/// A longer validator is not kept: it would only be carried to and fro.
const LONGEST: usize = 1024;

/// The validators of an answer, as they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validators {
    /// The entity tag.
    pub etag: Option<String>,
    /// When it was last modified.
    pub modified: Option<String>,
}

impl Validators {
    /// Those of an answer. One with other than printable ASCII in it is as good
    /// as none.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text = |name| {
            let value = headers.get(name)?.to_str().ok()?.trim();
            // A bare `*` would match whatever is there (section 13.1.2).
            let usable = !value.is_empty()
                && value != "*"
                && value.len() <= LONGEST
                && value.bytes().all(|byte| (0x20..0x7f).contains(&byte));
            usable.then(|| value.to_owned())
        };
        Self {
            etag: text(ETAG),
            modified: text(LAST_MODIFIED),
        }
    }

    /// Whether there is nothing to ask by.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.modified.is_none()
    }

    /// The headers that ask for an answer only if it is another one. Where there
    /// is an entity tag the date adds nothing (section 13.1.3).
    pub(super) fn headers(&self) -> Option<(HeaderName, HeaderValue)> {
        let (name, value) = match (&self.etag, &self.modified) {
            (Some(etag), _) => (IF_NONE_MATCH, etag),
            (None, Some(modified)) => (IF_MODIFIED_SINCE, modified),
            (None, None) => return None,
        };
        Some((name, HeaderValue::from_str(value).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: HeaderName, value: &[u8]) -> Validators {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_bytes(value).unwrap());
        Validators::of(&headers)
    }

    #[test]
    fn a_tag_goes_back_as_it_came_weak_or_strong() {
        for tag in ["\"abc\"", "W/\"abc\"", "unquoted"] {
            let (name, value) = of(ETAG, tag.as_bytes()).headers().unwrap();
            assert_eq!((name, value.to_str().unwrap()), (IF_NONE_MATCH, tag));
        }
        let date = "Sat, 21 Nov 2026 02:00:00 GMT";
        let (name, value) = of(LAST_MODIFIED, date.as_bytes()).headers().unwrap();
        assert_eq!((name, value.to_str().unwrap()), (IF_MODIFIED_SINCE, date));
    }

    #[test]
    fn one_that_is_odd_is_as_good_as_none() {
        assert!(of(ETAG, b"").is_empty());
        assert!(of(ETAG, b"*").is_empty());
        assert!(of(ETAG, b"\"a\tb\"").is_empty());
        assert!(of(ETAG, "\"\u{e9}\"".as_bytes()).is_empty());
        assert!(of(ETAG, &[b'a'; 2000]).is_empty());
    }
}
