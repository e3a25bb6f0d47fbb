//! What the status and body of an answer mean.

use reqwest::StatusCode;

use super::{
    error::{Answered, Error, ErrorKind},
    records::{NotRecordArray, page_title},
    wire::{ErrorRead, PlantEcho, PlantRequest},
};

/// An answer that says no: status and what its body explains.
pub fn refusal(status: StatusCode, body: &[u8], what: &str, origin: &str) -> Error {
    let read = ErrorRead::from_body(body).unwrap_or_default();
    let (kind, mut message, hint) = match status.as_u16() {
        401 | 403 => (
            ErrorKind::Unauthenticated,
            format!("{what}: {origin} refused the token ({})", words(status)),
            "Log in again with `driftline auth login`, or set DRIFTLINE_TOKEN.",
        ),
        429 | 503 => (
            ErrorKind::Service,
            format!("{what}: the service answered {}", words(status)),
            "Wait a little and try again.",
        ),
        511 => (
            ErrorKind::Service,
            format!("{what}: the network answered {}", words(status)),
            "Open a web page and sign in to this network first.",
        ),
        500..600 => (
            ErrorKind::Service,
            format!("{what}: the service answered {}", words(status)),
            "Try again later; if it stays, tell the service's operator.",
        ),
        404 => (
            ErrorKind::Service,
            format!("{what}: the service answered {}", words(status)),
            "Check the identifier and the base address.",
        ),
        _ => (
            ErrorKind::Service,
            format!("{what}: the service answered {}", words(status)),
            "Check what was asked for.",
        ),
    };
    message.push_str(&explanation(&read, body));
    Error {
        kind,
        message,
        hint: hint.to_owned(),
        answer: Some(Answered {
            status: status.as_u16(),
            error: read.error,
            message: read.message,
        }),
    }
}

/// An Error object in an answer of success.
pub fn error_in_success(status: StatusCode, read: ErrorRead, what: &str) -> Error {
    let message = format!(
        "{what}: the service answered {} with an error{}",
        words(status),
        explanation(&read, b"")
    );
    Error {
        kind: ErrorKind::Service,
        message,
        hint: "Check what was asked for.".to_owned(),
        answer: Some(Answered {
            status: status.as_u16(),
            error: read.error,
            message: read.message,
        }),
    }
}

/// A body that holds no records.
pub fn no_records(status: StatusCode, found: NotRecordArray, what: &str) -> Error {
    let hint = match &found {
        NotRecordArray::Error(read) => return error_in_success(status, read.clone(), what),
        NotRecordArray::WebPage(_) => {
            "This network may ask to sign in first: open a web page. Else check the base address."
        }
        _ => "Check the base address; if it is right, tell the service's operator.",
    };
    Error {
        answer: Some(Answered {
            status: status.as_u16(),
            ..Answered::default()
        }),
        ..Error::new(ErrorKind::NotUnderstood, format!("{what}: {found}"), hint)
    }
}

/// A status that is no answer to what was asked.
pub fn unexpected(status: StatusCode, what: &str) -> Error {
    Error {
        answer: Some(Answered {
            status: status.as_u16(),
            ..Answered::default()
        }),
        ..Error::new(
            ErrorKind::NotUnderstood,
            format!("{what}: unexpected status {}", words(status)),
            "Check the base address; if it is right, tell the service's operator.",
        )
    }
}

/// Whether an answer of 200 is an Error object after all: it must have both
/// members, so that an odd echo is not taken for one.
pub fn strict_error(status: StatusCode, body: &[u8]) -> Option<ErrorRead> {
    (status == StatusCode::OK)
        .then(|| ErrorRead::from_body(body))
        .flatten()
        .filter(|read| read.error.is_some() && read.message.is_some())
}

/// What the service echoed of a create, and what is odd about it.
pub fn echo(body: &[u8], asked: &PlantRequest) -> (Option<PlantEcho>, Option<String>) {
    let body = crate::text::without_byte_order_mark(body);
    if body.iter().all(u8::is_ascii_whitespace) {
        return (None, None);
    }
    match serde_json::from_slice::<serde_json::Value>(body)
        .ok()
        .filter(serde_json::Value::is_object)
        .and_then(|value| serde_json::from_value::<PlantEcho>(value).ok())
    {
        None => (
            None,
            Some("the plant was created, but the service's echo of it cannot be read".to_owned()),
        ),
        Some(echo) if echo.name != asked.name || echo.tag != asked.tag => {
            let note = format!(
                "the plant was created, but the service echoes another: name {:?}, tag {:?}",
                crate::text::excerpt(&echo.name, 60),
                crate::text::excerpt(&echo.tag, 60)
            );
            (Some(echo), Some(note))
        }
        Some(echo) => (Some(echo), None),
    }
}

/// A status with its reason: "503 Service Unavailable".
pub fn words(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn explanation(read: &ErrorRead, body: &[u8]) -> String {
    match (read.error, &read.message) {
        (Some(error), Some(message)) => format!(": error {error}, {message}"),
        (Some(error), None) => format!(": error {error}, without a message"),
        (None, Some(message)) => format!(": {message}"),
        (None, None) => match page_title(&String::from_utf8_lossy(body)) {
            Some(title) => format!(", a web page titled {title:?}"),
            None => ", no explanation".to_owned(),
        },
    }
}
