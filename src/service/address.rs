//! Base URL of a service, and the URLs of its three operations below it.

use crate::failure::Failure;
use std::{fmt, str::FromStr};

use percent_encoding::utf8_percent_encode;
use reqwest::Url;

use crate::mapping::RESERVED;
use crate::os::loopback;
use crate::watch::DeploymentId;

/// A base URL: http or https, a host, optionally a port and a path prefix.
///
/// It is stored in one canonical form (lower-case host, no default port, no
/// trailing slash), which [`fmt::Display`] prints and [`FromStr`] parses back
/// unchanged. It never contains a user, a password, a query or a fragment.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Address {
    url: Url,
}

/// Why a base URL or a path segment is rejected. It never echoes a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct AddressError(String);

impl Address {
    /// Scheme, host and port, as `https://host` or `http://host:8080`.
    pub(crate) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The host as the address names it; IPv6 addresses in brackets.
    pub(crate) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// `true` if the scheme is https.
    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// `true` if the host is this computer, by the rule of [`crate::os::loopback`].
    /// The resolver checks at connect time that a name resolves to loopback
    /// only.
    pub(crate) fn is_loopback(&self) -> bool {
        loopback::is_host(self.host())
    }

    /// Checks that a token may be sent to this URL: over https, to loopback, or if the
    /// profile allows plain http.
    ///
    /// # Errors
    /// [`AddressError`] names the origin.
    pub(crate) fn may_carry_token(&self, allow_insecure_http: bool) -> Result<(), AddressError> {
        if self.is_https() || self.is_loopback() || allow_insecure_http {
            Ok(())
        } else {
            Err(AddressError(format!(
                "a token is never sent over plain http to {}; use https, or set allow_insecure_http = true in the profile",
                self.origin()
            )))
        }
    }

    /// The same path at another origin.
    pub(super) fn at(&self, origin: &str) -> String {
        format!("{origin}{}", self.url.path().trim_end_matches('/'))
    }

    /// URL of a deployment's data.
    pub(crate) fn deployment_data(&self, deployment: &DeploymentId) -> Url {
        self.below(&format!("public/deployment/data/{deployment}"))
    }

    /// URL to which a create is posted.
    pub(crate) fn plants(&self) -> Url {
        self.below("plants")
    }

    /// URL of a plant: its identifier as a single percent-encoded path segment.
    ///
    /// # Errors
    /// [`AddressError`] for an identifier that is empty, `.` or `..`
    /// (which a URL parser resolves as a folder), or contains a control
    /// character.
    pub(crate) fn plant(&self, id: &str) -> Result<Url, AddressError> {
        Ok(self.below(&format!("plants/{}", segment(id)?)))
    }

    fn below(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        let prefix = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{prefix}/{path}"));
        url
    }
}

/// `id` as one path segment: all but the unreserved characters of RFC 3986
/// percent-encoded.
///
/// # Errors
/// [`AddressError`], as for [`Address::plant`].
pub(crate) fn segment(id: &str) -> Result<String, AddressError> {
    if matches!(id, "" | "." | "..") || id.chars().any(char::is_control) {
        return Err(AddressError(format!(
            "the identifier {:?} cannot be part of an address: it may not be empty, \".\" or \"..\", or hold a control character",
            crate::text::excerpt(id, 60)
        )));
    }
    Ok(utf8_percent_encode(id, RESERVED).to_string())
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = |why: &str| Err(AddressError(why.to_owned()));
        if text.is_empty() {
            return refused("the address is empty");
        }
        let rest = ["https://", "http://"].into_iter().find_map(|scheme| {
            let head = text.get(..scheme.len())?;
            head.eq_ignore_ascii_case(scheme)
                .then(|| text.get(scheme.len()..))
                .flatten()
        });
        // This check precedes every error that echoes the text: a user and a
        // password before the host are secret.
        let authority = rest.unwrap_or(text).split(['/', '?', '#', '\\']).next();
        if authority.is_some_and(|authority| authority.contains('@'))
            || (rest.is_none() && text.contains('@'))
        {
            return refused(
                "an address may not hold a user or a password; the token goes into DRIFTLINE_TOKEN or the keyring (driftline auth login)",
            );
        }
        if text
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || c == '\\')
        {
            return refused("an address may not hold spaces, control characters or backslashes");
        }
        if text.contains(['?', '#']) {
            return refused("a base address may not hold a query (?) or a fragment (#)");
        }
        let shown = crate::text::excerpt(text, 100);
        let unreadable = |why: &str| AddressError(format!("{shown:?} is not an address: {why}"));
        let Some(rest) = rest else {
            return Err(unreadable("it starts with neither https:// nor http://"));
        };
        // A URL parser skips surplus slashes here and reads the path as a host.
        if rest.is_empty() || rest.starts_with('/') {
            return Err(unreadable("the host is missing"));
        }
        let mut url = Url::parse(text).map_err(|error| unreadable(&error.to_string()))?;
        if url.port() == Some(0) {
            return Err(unreadable("port 0 cannot be connected to"));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self { url })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.url.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl From<AddressError> for Failure {
    fn from(error: AddressError) -> Self {
        Self::usage(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Result<Address, AddressError> {
        text.parse()
    }

    #[test]
    fn an_address_has_one_form_which_reads_back_the_same() {
        for (given, shown) in [
            ("https://Data.Example.ORG", "https://data.example.org"),
            ("HTTPS://data.example.org:443/", "https://data.example.org"),
            ("http://127.0.0.1:8080/api//", "http://127.0.0.1:8080/api"),
            ("http://[::1]:9000/a/b", "http://[::1]:9000/a/b"),
            ("http://0x7f000001/", "http://127.0.0.1"),
            (
                "https://bücher.example/ä",
                "https://xn--bcher-kva.example/%C3%A4",
            ),
            ("https://a.example/x/../y/", "https://a.example/y"),
        ] {
            let parsed = address(given).unwrap();
            assert_eq!(parsed.to_string(), shown);
            assert_eq!(address(shown).unwrap(), parsed, "{shown} reads back");
        }
    }

    #[test]
    fn what_is_no_base_address_is_refused() {
        for text in [
            "",
            "data.example.org",
            "ftp://a.example",
            "file:///etc/passwd",
            "http://",
            "http:///",
            "http:///a.example",
            "https:a.example",
            "http://a b",
            " http://a.example",
            "http://a.example\n",
            "http://256.256.256.256",
            "http://a.example:99999",
            "http://a.example:0",
            "http://[::1",
            "http://a.example/?q=1",
            "http://a.example/#x",
            "http:\\\\a.example",
            "http://a.example\\@b",
            "javascript:alert(1)",
            "http://%2F/",
            "http://\u{9b}/",
        ] {
            assert!(address(text).is_err(), "{text:?} was taken");
        }
    }

    #[test]
    fn a_password_is_refused_and_never_repeated() {
        for text in [
            "https://me:hunter2@a.example/",
            "https://hunter2@a.example",
            "https://:hunter2@a.example",
            "me:hunter2@a.example",
            "ftp://me:hunter2@a.example",
            "https://a.example?token=hunter2",
            "https://a.example/#hunter2",
            "https://me:hunter2@a.example\n",
            "https:\\\\me:hunter2@a.example",
        ] {
            let error = address(text).unwrap_err();
            assert!(
                !format!("{error} {error:?}").contains("hunter2"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn loopback_is_judged_on_the_parsed_host() {
        for host in [
            "127.0.0.1",
            "127.1",
            "127.255.255.254",
            "0x7f000001",
            "2130706433",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[0:0:0:0:0:0:0:1]",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "demo.localhost",
        ] {
            let address = address(&format!("http://{host}:8080/")).unwrap();
            assert!(address.is_loopback(), "{host}");
            assert!(address.may_carry_token(false).is_ok(), "{host}");
        }
        for host in [
            "0.0.0.0",
            "10.0.0.1",
            "128.0.0.1",
            "[::]",
            "[::2]",
            "[::ffff:10.0.0.1]",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "notlocalhost",
            "xlocalhost",
            "localhost.localdomain",
        ] {
            let insecure = address(&format!("http://{host}/")).unwrap();
            assert!(!insecure.is_loopback(), "{host}");
            assert!(insecure.may_carry_token(false).is_err(), "{host}");
            assert!(insecure.may_carry_token(true).is_ok(), "{host}");
            let secure = address(&format!("https://{host}/")).unwrap();
            assert!(secure.may_carry_token(false).is_ok(), "{host}");
        }
    }

    #[test]
    fn operations_lie_below_the_prefix() {
        let base = address("https://a.example/v1/").unwrap();
        let nil = uuid::Uuid::nil();
        assert_eq!(
            base.deployment_data(&nil.into()).as_str(),
            "https://a.example/v1/public/deployment/data/00000000-0000-0000-0000-000000000000"
        );
        assert_eq!(base.plants().as_str(), "https://a.example/v1/plants");
        let bare = address("https://a.example").unwrap();
        assert_eq!(
            bare.plant("7").unwrap().as_str(),
            "https://a.example/plants/7"
        );
    }

    #[test]
    fn of_all_bytes_only_the_unreserved_ones_stand_as_they_are() {
        for byte in 0..=u8::MAX {
            let expected = match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    char::from(byte).to_string()
                }
                _ => format!("%{byte:02X}"),
            };
            let encoded = percent_encoding::percent_encode(&[byte], RESERVED).to_string();
            assert_eq!(encoded, expected);
        }
        assert_eq!(segment("a/é 北~").unwrap(), "a%2F%C3%A9%20%E5%8C%97~");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered_and_what_is_taken_reads_back(text in "(https?://)?.*") {
            if let Ok(parsed) = address(&text) {
                proptest::prop_assert_eq!(address(&parsed.to_string()), Ok(parsed));
            }
        }

        #[test]
        fn any_identifier_is_one_segment_or_refused(id in ".*") {
            let base = address("https://a.example/v1").unwrap();
            if let Ok(url) = base.plant(&id) {
                let segments: Vec<_> = url.path_segments().unwrap().collect();
                proptest::prop_assert_eq!(segments.len(), 3, "{}", url);
                let mut bytes = Vec::new();
                let mut rest = segments[2].bytes();
                while let Some(byte) = rest.next() {
                    if byte == b'%' {
                        let pair = [rest.next().unwrap(), rest.next().unwrap()];
                        bytes.push(u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap());
                    } else {
                        bytes.push(byte);
                    }
                }
                proptest::prop_assert_eq!(bytes, id.into_bytes());
            }
        }
    }
}
