//! The token: validated, wiped when dropped, and never printed.

use std::path::Path;
use std::{env, fmt};

use super::withholding::Withholding;
use crate::os::files::read_regular;
use crate::text::base64;
use zeroize::{Zeroize, Zeroizing};

/// The environment variable for the token.
pub(crate) const VARIABLE: &str = "DRIFTLINE_TOKEN";

/// The most bytes of a file with a token: no service takes a header of that size.
const LONGEST: u64 = 8 << 10;

/// A bearer token: one or more bytes 0x21 to 0x7E.
///
/// It has no `Display` and no serialisation, its `Debug` prints `[redacted]`,
/// and its memory is wiped when it is dropped. Outside this module only
/// [`Token::authorization`] returns it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(Zeroizing<String>);

/// A token from outside the program that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} cannot be used: {reason}", place.words())]
pub(crate) struct UnusableToken {
    pub place: Source,
    /// Why.
    pub reason: String,
}

/// The source of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Source {
    /// The variable `DRIFTLINE_TOKEN`.
    Environment,
    /// The credential `token` that systemd gave the unit.
    Credential,
    /// The keyring of the operating system.
    Keyring,
    /// Given for this session only: by the demo, or typed by the user.
    #[strum(serialize = "session")]
    Given,
}

impl Token {
    /// Validates `text` as a token. The text is wiped on error too.
    ///
    /// # Errors
    /// The first byte outside 0x21 to 0x7E, or that it is empty; never the text.
    pub(crate) fn new(text: String) -> Result<Self, String> {
        Self::from_bytes(Zeroizing::new(text).as_bytes())
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut all = bytes.iter().zip(1..);
        if let Some((byte, position)) = all.find(|(byte, _)| !byte.is_ascii_graphic()) {
            return Err(format!(
                "the token holds a character that a header cannot carry (byte 0x{byte:02X} at {position})"
            ));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.is_empty() => Ok(Self(Zeroizing::new(text.to_owned()))),
            _ => Err("the token is empty".to_owned()),
        }
    }

    /// The token of a service without authentication: it is not sent, and redacts nothing.
    pub(crate) fn none() -> Self {
        Self(Zeroizing::new("-".to_owned()))
    }

    /// Validates piped or typed input as a token, without one trailing line
    /// end. The input is wiped on error too.
    ///
    /// # Errors
    /// As [`Token::new`].
    pub(crate) fn from_input(mut input: Vec<u8>) -> Result<Self, String> {
        let mut kept = input.as_slice();
        if let Some(rest) = kept.strip_suffix(b"\n") {
            kept = rest.strip_suffix(b"\r").unwrap_or(rest);
        }
        let token = Self::from_bytes(kept);
        input.zeroize();
        token
    }

    /// The token in `DRIFTLINE_TOKEN`, else in the credential that systemd gave the unit
    /// (`LoadCredential=token:FILE`); `None` if there is neither.
    ///
    /// # Errors
    /// When it is no token, or the credential cannot be read.
    pub(crate) fn from_environment() -> Result<Option<(Self, Source)>, UnusableToken> {
        let named = |variable| env::var_os(variable).filter(|text| !text.is_empty());
        let (place, token) = if let Some(text) = named(VARIABLE) {
            let bytes = Zeroizing::new(text.into_encoded_bytes());
            (Source::Environment, Self::from_bytes(&bytes))
        } else {
            let Some(folder) = named("CREDENTIALS_DIRECTORY") else {
                return Ok(None);
            };
            let token = match read_regular(&Path::new(&folder).join("token"), LONGEST) {
                Ok(bytes) => Self::from_input(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                Err(error) => Err(error.to_string()),
            };
            (Source::Credential, token)
        };
        match token {
            Ok(token) => Ok(Some((token, place))),
            Err(reason) => Err(UnusableToken { place, reason }),
        }
    }

    /// The value of the `Authorization` header: `Bearer …`, wiped on drop.
    pub(crate) fn authorization(&self) -> Zeroizing<String> {
        // Allocated once in the right size: a string that grows leaves copies
        // in memory.
        let mut value = Zeroizing::new(String::with_capacity(7 + self.0.len()));
        value.push_str("Bearer ");
        value.push_str(&self.0);
        value
    }

    /// The value of the `Authorization` header for a user and a password, which the token
    /// is with a colon between them: `Basic …`, wiped on drop.
    pub(crate) fn basic(&self) -> Zeroizing<String> {
        let coded = Zeroizing::new(base64(self.0.as_bytes()));
        let mut value = Zeroizing::new(String::with_capacity(6 + coded.len()));
        value.push_str("Basic ");
        value.push_str(&coded);
        value
    }

    /// The token for a header or a query of its own, wiped on drop.
    pub(crate) fn plain(&self) -> Zeroizing<String> {
        self.0.clone()
    }

    /// Redacts this token in service text.
    pub(crate) fn withholding(&self) -> Withholding {
        Withholding::new(&self.0)
    }

    /// The token as text, for the keyring only.
    pub(super) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl Source {
    /// The name of the source, for programs.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// The name of the source, for messages.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Environment => "the environment variable DRIFTLINE_TOKEN",
            Self::Credential => "the credential 'token' of this systemd unit",
            Self::Keyring => "the keyring of the operating system",
            Self::Given => "this session",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_94_visible_ascii_bytes_are_taken_at_any_place() {
        for place in 0..3 {
            let accepted = (0..=255u8)
                .filter(|&byte| {
                    let mut bytes = vec![b'a', b'b'];
                    bytes.insert(place, byte);
                    // A trailing line end is dropped, so the byte under test
                    // must not be last.
                    bytes.push(b'\n');
                    Token::from_input(bytes).is_ok()
                })
                .count();
            // At the end, a carriage return belongs to the line end.
            assert_eq!(accepted, if place == 2 { 95 } else { 94 });
        }
    }

    #[test]
    fn a_refusal_says_where_and_never_what() {
        let error = Token::new("sesame\topen".to_owned()).unwrap_err();
        assert_eq!(
            error,
            "the token holds a character that a header cannot carry (byte 0x09 at 7)"
        );
        let error = Token::from_input(b"sesame\xff".to_vec()).unwrap_err();
        assert!(error.contains("0xFF at 7"), "{error}");
    }

    #[test]
    fn one_line_end_of_piped_input_is_dropped_and_only_one() {
        let token = |text: &[u8]| Token::from_input(text.to_vec());
        assert_eq!(token(b"abc\n"), token(b"abc"));
        assert_eq!(token(b"abc\r\n"), token(b"abc"));
        assert!(token(b"abc\n\n").is_err());
        assert_eq!(token(b"\n"), Err("the token is empty".to_owned()));
    }

    #[test]
    fn a_user_and_a_password_are_written_in_base64() {
        // By `printf … | base64`.
        for (text, coded) in [
            ("root:s3cret", "cm9vdDpzM2NyZXQ="),
            ("a:bc", "YTpiYw=="),
            ("me:pass", "bWU6cGFzcw=="),
            ("a:b", "YTpi"),
        ] {
            let token = Token::new(text.to_owned()).unwrap();
            assert_eq!(*token.basic(), format!("Basic {coded}"));
        }
    }

    #[test]
    fn debug_tells_nothing() {
        let token = Token::new("sesame".to_owned()).unwrap();
        assert_eq!(
            format!("{token:?} {:?}", Some(&token)),
            "[redacted] Some([redacted])"
        );
        assert_eq!(*token.authorization(), "Bearer sesame");
    }
}
