//! The JSON objects of the interface, named as in the service's description.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::formats::each_member;
use crate::text;

/// The body of a create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlantRequest {
    /// The plant's name.
    pub name: String,
    /// The plant's identifier.
    pub id: i64,
    /// The plant's tag.
    pub tag: String,
}

/// The response to a create. It contains no identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlantEcho {
    /// The plant's name.
    pub name: String,
    /// The plant's tag.
    pub tag: String,
}

/// The Error object, as a service sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ErrorBody {
    /// The service's own error number.
    pub error: i32,
    pub message: String,
}

/// A received Error object: its valid members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ErrorRead {
    /// The number, also if it was sent as text or exceeds an int32.
    pub error: Option<i64>,
    /// The message, sanitized, at most 500 characters.
    pub message: Option<String>,
}

/// Characters of a service's message that are shown.
const SHOWN: usize = 500;

/// The members in which services explain an error, in the order of preference (RFC 9457 has `detail` and `title`, RFC 6749 `error_description`).
const WORDS: [&str; 5] = [
    "message",
    "detail",
    "title",
    "description",
    "error_description",
];

impl ErrorRead {
    /// Parses a body as an Error object, if it is an object with a member
    /// `error`. Members of an unexpected type are `None`.
    pub(crate) fn from_body(body: &[u8]) -> Option<Self> {
        let text = body_text(body);
        let members = Members::new(&text).filter(|members| members.error.is_some());
        members.map(|members| members.read())
    }

    /// Reads a body as an Error object that has both of its members, so that an unusual
    /// plant is not mistaken for an error.
    pub(crate) fn strict(body: &[u8]) -> Option<Self> {
        let text = body_text(body);
        let members = Members::new(&text)?;
        Some(Self {
            error: Some(whole_number(members.error?.get())?),
            message: Some(text::excerpt(&string(members.words[0]?)?, SHOWN)),
        })
    }

    /// `true` if a body is an Error object: it has the service's number of an error.
    pub(crate) fn is_error(body: &[u8]) -> bool {
        Self::from_body(body).is_some_and(|read| read.error.is_some())
    }

    /// Reads the explanation in the body of a refusal, whatever shape it has:
    /// an object with words in it, a JSON string, or the first line of a plain
    /// text.
    pub(crate) fn explained(body: &[u8]) -> Self {
        let text = body_text(body);
        if let Some(members) = Members::new(&text) {
            return members.read();
        }
        let words = json_string(&text).or_else(|| first_line(&text));
        Self {
            error: None,
            message: words.map(|words| text::excerpt(&words, SHOWN)),
        }
    }
}

fn body_text(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text::without_byte_order_mark(body))
}

/// The members of an object that may explain an error.
#[derive(Default)]
struct Members<'a> {
    error: Option<&'a RawValue>,
    words: [Option<&'a RawValue>; WORDS.len()],
}

impl<'a> Members<'a> {
    fn new(json: &'a str) -> Option<Self> {
        let mut members = Self::default();
        each_member(json, |key, value| {
            if key == "error" {
                members.error = Some(value);
            }
            let index = WORDS.iter().position(|name| *name == key);
            if let Some(words) = index.and_then(|index| members.words.get_mut(index)) {
                *words = Some(value);
            }
        })
        .ok()?;
        Some(members)
    }

    fn read(&self) -> ErrorRead {
        ErrorRead {
            error: self.error.and_then(|raw| whole_number(raw.get())),
            message: self.words().map(|words| text::excerpt(&words, SHOWN)),
        }
    }

    fn words(&self) -> Option<String> {
        let direct = self.words.into_iter().flatten().find_map(string);
        direct.or_else(|| {
            let error = self.error?;
            // Some services send a text instead of the number, or an object with the
            // text.
            match whole_number(error.get()) {
                Some(_) => None,
                None => string(error).or_else(|| {
                    let within = Members::new(error.get())?;
                    within.words.into_iter().flatten().find_map(string)
                }),
            }
        })
    }
}

/// A whole number, or a string with a whole number.
fn whole_number(json: &str) -> Option<i64> {
    json.parse()
        .ok()
        .or_else(|| json_string(json)?.trim().parse().ok())
}

fn string(raw: &RawValue) -> Option<String> {
    json_string(raw.get())
}

/// A JSON string, unless it is blank.
fn json_string(json: &str) -> Option<String> {
    let string: String = serde_json::from_str(json).ok()?;
    (!string.trim().is_empty()).then_some(string)
}

/// The message of an error object of the Data Access Protocol, as ERDDAP and other servers send
/// it: `Error { code=404; message="…"; }`.
fn dap_message(text: &str) -> Option<String> {
    let members = text.trim_start().strip_prefix("Error")?.trim_start();
    let (_, message) = members.strip_prefix('{')?.split_once("message=\"")?;
    let (quoted, _) = message.rsplit_once('"')?;
    (!quoted.trim().is_empty()).then(|| quoted.replace("\\\"", "\""))
}

/// The first line of a plain text that is not blank; `None` of a web page, other JSON or
/// binary data.
fn first_line(text: &str) -> Option<String> {
    if let Some(message) = dap_message(text) {
        return Some(message);
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_text = !line
        .contains(|char: char| (char.is_control() && char != '\t') || char == '\u{fffd}')
        && !line.starts_with(['<', '{', '[']);
    (is_text && serde_json::from_str::<IgnoredAny>(text).is_err()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_error_are_found_in_every_shape_a_service_gives_them() {
        for (body, words) in [
            (r#"{"error":7,"message":"a","detail":"b"}"#, Some("a")),
            (r#"{"detail":"Not found.","title":"c"}"#, Some("Not found.")),
            (
                r#"{"type":"x","title":"c","error_description":"d"}"#,
                Some("c"),
            ),
            (
                r#"{"error":"invalid_token","error_description":"it has expired"}"#,
                Some("it has expired"),
            ),
            (r#"{"error":"invalid_token"}"#, Some("invalid_token")),
            (r#"{"error":{"code":7,"message":"within"}}"#, Some("within")),
            (r#"{"message":"","detail":"b"}"#, Some("b")),
            (r#"{"message":[1],"detail":"b"}"#, Some("b")),
            ("\u{feff}\"only \\u0061 string\"", Some("only a string")),
            (
                "\r\n no such deployment \r\nat line 7",
                Some("no such deployment"),
            ),
            ("Method Not Allowed", Some("Method Not Allowed")),
            (
                "Error {\n    code=404;\n    message=\"Not Found: no \\\"x\\\" (nRows = 0)\";\n}\n",
                Some("Not Found: no \"x\" (nRows = 0)"),
            ),
            ("Error { code = 500; }", Some("Error { code = 500; }")),
            (
                "Error {code=503; message=\"\"; }",
                Some("Error {code=503; message=\"\"; }"),
            ),
            ("a\tb", Some("a^Ib")),
            ("{}", None),
            ("", None),
            (" \n", None),
            ("[\"x\"]", None),
            ("null", None),
            ("7", None),
            ("\"\"", None),
            ("<html><title>x</title>", None),
            ("{\"detail\":\"cut", None),
            ("PNG\u{1}\u{2}", None),
        ] {
            assert_eq!(
                ErrorRead::explained(body.as_bytes()).message.as_deref(),
                words,
                "{body}"
            );
        }
        assert_eq!(ErrorRead::explained(b"\xff\xfe\0x").message, None);
        let long = "w".repeat(10_000);
        let words = ErrorRead::explained(long.as_bytes()).message.unwrap();
        assert_eq!(words.chars().count(), SHOWN);
    }

    #[test]
    fn an_error_object_is_one_that_has_its_number() {
        let read = |body: &str| ErrorRead::from_body(body.as_bytes());
        assert_eq!(read(r#"{"detail":"x"}"#), None);
        assert_eq!(read(r#"{"error":"7"}"#).unwrap().error, Some(7));
        assert_eq!(ErrorRead::strict(br#"{"error":7,"detail":"x"}"#), None);
        assert_eq!(ErrorRead::strict(br#"{"name":"x","message":"y"}"#), None);
        assert!(ErrorRead::strict(br#"{"error":7,"message":"x"}"#).is_some());
    }
}
