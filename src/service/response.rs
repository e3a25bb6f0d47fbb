//! Interprets the status and body of a response.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::header::DATE;
use reqwest::{Response, StatusCode};
use serde_json::{Map, Value};

use crate::failure::{Failure, FailureKind, ServiceError};

use super::address::Address;
use super::answer::{AnswerFault, page_title};
use super::transport::READ_SHORTER;
use super::wire::{ErrorRead, PlantRequest};

/// The error for a response with an error status, explained by its body.
pub(super) fn refusal(status: StatusCode, body: &[u8], what: &str, at: &Address) -> Failure {
    let origin = at.origin();
    let read = ErrorRead::explained(body);
    let said = words(status);
    let answered = format!("the service answered {said}");
    let service = FailureKind::Service;
    let (kind, mut reason, hint) = match status.as_u16() {
        401 => (
            FailureKind::NotAuthenticated,
            format!("{origin} refused the token ({said})"),
            "The token is DRIFTLINE_TOKEN if that is set, else that of `driftline auth login`: give a valid one there.",
        ),
        // About what was requested: the token may be good for everything else.
        403 => (
            FailureKind::Forbidden,
            format!("{origin} does not allow this with this token ({said})"),
            "Ask the service's operator for access, or log in with another token: `driftline auth login`.",
        ),
        429 | 503 => (service, answered, "Wait a little and try again."),
        511 => (
            service,
            format!("the network answered {said}"),
            "Open a web page and sign in to this network first.",
        ),
        500..600 => (
            service,
            answered,
            "Try again later; if it stays, report it to the service's operator.",
        ),
        _ => (service, answered, ""),
    };
    let hint = match hint {
        "" => format!("Check the identifier and the base address, {at}."),
        hint => hint.to_owned(),
    };
    reason.push_str(&explanation(&read, status, body));
    with_error(
        Failure::new(kind, reason, hint).context(what),
        status.as_u16(),
        read,
    )
}

/// A failure with the error that the service returned.
pub(super) fn with_error(failure: Failure, status: u16, read: ErrorRead) -> Failure {
    Failure {
        service: Some(Box::new(ServiceError {
            status,
            error: read.error,
            message: read.message,
            retry_after_s: None,
        })),
        ..failure
    }
}

/// The error for an Error object in a response with a success status.
pub(super) fn error_in_success(status: StatusCode, read: ErrorRead, what: &str) -> Failure {
    let reason = format!(
        "the service answered {} with an error{}",
        words(status),
        explanation(&read, status, b"")
    );
    let hint = "Check the identifier, and what else was typed.";
    let failure = Failure::new(FailureKind::Service, reason, hint);
    with_error(failure.context(what), status.as_u16(), read)
}

/// The error for a body without records.
pub(super) fn no_records(status: StatusCode, found: AnswerFault, what: &str) -> Failure {
    let hint = match &found {
        AnswerFault::Error(read) => return error_in_success(status, read.clone(), what),
        AnswerFault::WebPage(_) => {
            "This network may ask to sign in first: open a web page. Else check the base address."
        }
        AnswerFault::TooMuch | AnswerFault::Crowded => READ_SHORTER,
        _ => "Check the base address; if it is right, report it to the service's operator.",
    };
    let failure = Failure::new(FailureKind::NotUnderstood, found.to_string(), hint);
    with_error(failure.context(what), status.as_u16(), ErrorRead::default())
}

/// The error for a status that does not match the request.
pub(super) fn unexpected(status: StatusCode, what: &str) -> Failure {
    let reason = format!("unexpected status {}", words(status));
    let hint = "Check the base address; if it is right, report it to the service's operator.";
    let failure = Failure::new(FailureKind::NotUnderstood, reason, hint);
    with_error(failure.context(what), status.as_u16(), ErrorRead::default())
}

/// Parses the body of a 200 response as an Error object.
// Both members are required, so that an unusual plant is not read as an error.
pub(super) fn strict_error(status: StatusCode, body: &[u8]) -> Option<ErrorRead> {
    (status == StatusCode::OK)
        .then(|| ErrorRead::strict(body))
        .flatten()
}

/// A note on the answer to a successful create, if it differs from the request: another
/// name, tag or id, or a `Location` of another plant. `None` as `body` if it broke off.
pub(super) fn create_note(
    body: Option<&[u8]>,
    asked: &PlantRequest,
    location: Option<&str>,
) -> Option<String> {
    let of_body = match body.map(crate::text::without_byte_order_mark) {
        None => Some(
            "the plant was created, but the service's echo of it broke off or was not waited for"
                .to_owned(),
        ),
        Some(body) if body.iter().all(u8::is_ascii_whitespace) => None,
        Some(body) => echo_note(body, asked),
    };
    let id = asked.id.to_string();
    let elsewhere = location
        .filter(|at| at.trim_end_matches('/').rsplit('/').next() != Some(id.as_str()))
        .map(|at| format!("its Location is {}", crate::text::excerpt(at, 200)));
    match (of_body, elsewhere) {
        (Some(body), Some(location)) => Some(format!("{body}; {location}")),
        (None, Some(location)) => Some(format!("the plant was created, but {location}")),
        (note, None) => note,
    }
}

fn echo_note(body: &[u8], asked: &PlantRequest) -> Option<String> {
    if let Some(read) = ErrorRead::strict(body) {
        return Some(format!(
            "the plant was created by the status of the answer, whose body is an error{}",
            explanation(&read, StatusCode::CREATED, body)
        ));
    }
    let echo: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let echoed = |member: &str| match echo.get(member)? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    let (Some(name), Some(tag)) = (echoed("name"), echoed("tag")) else {
        return Some(
            "the plant was created, but the service's echo of it cannot be read".to_owned(),
        );
    };
    let mut others = Vec::new();
    for (member, echoed, asked) in [("name", name, &asked.name), ("tag", tag, &asked.tag)] {
        if echoed != *asked {
            others.push(format!("{member} {:?}", crate::text::excerpt(&echoed, 60)));
        }
    }
    // The interface's answer has no id. Of a service that sends one, another id is another
    // plant: `delete` of the one asked for would not delete it.
    let id = echoed("id").filter(|id| *id != asked.id.to_string());
    others.extend(id.map(|id| format!("id {}", crate::text::excerpt(&id, 60))));
    (!others.is_empty()).then(|| {
        format!(
            "the plant was created, but the service echoes another: {}",
            others.join(", ")
        )
    })
}

/// A note on the body of a successful delete, which should be empty: a sign-in page or an error
/// with the status 200 deletes nothing.
pub(super) fn delete_note(body: &[u8]) -> Option<String> {
    let body = String::from_utf8_lossy(crate::text::without_byte_order_mark(body));
    let said = web_page(body.as_bytes()).unwrap_or_else(|| crate::text::excerpt(body.trim(), 100));
    let is_empty = is_nothing(body.as_bytes());
    (!is_empty).then(|| format!("deleted by the status of the answer, which also says: {said}"))
}

/// A web page by its title; `None` for another body.
pub(super) fn web_page(body: &[u8]) -> Option<String> {
    let page = String::from_utf8_lossy(crate::text::without_byte_order_mark(body));
    let title = page_title(&page).filter(|_| is_web_page(body))?;
    Some(format!("a web page, '{title}'"))
}

/// `true` if a body says nothing.
pub(super) fn is_nothing(body: &[u8]) -> bool {
    let body = crate::text::without_byte_order_mark(body);
    matches!(body.trim_ascii(), b"" | b"null" | b"{}")
}

/// `true` if a body is a web page, whatever its declared media type.
pub(super) fn is_web_page(body: &[u8]) -> bool {
    let body = crate::text::without_byte_order_mark(body);
    body.trim_ascii_start().starts_with(b"<")
}

/// A status with its reason phrase: "503 Service Unavailable".
pub(super) fn words(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

/// A status with the error that the service gives in the body: "401
/// Unauthorized: error 17, token expired".
pub(super) fn words_of_service(status: StatusCode, body: &[u8]) -> String {
    match ErrorRead::from_body(body) {
        Some(read) if read.error.is_some() || read.message.is_some() => {
            format!("{}{}", words(status), explanation(&read, status, b""))
        }
        _ => words(status),
    }
}

/// The explanation in a body; an error number that repeats the status is left out.
fn explanation(read: &ErrorRead, status: StatusCode, body: &[u8]) -> String {
    let is_status = |error: &i64| *error == i64::from(status.as_u16());
    match (read.error.filter(|error| !is_status(error)), &read.message) {
        (Some(error), Some(message)) => format!(": error {error}, {message}"),
        (Some(error), None) => format!(": error {error}, without a message"),
        (None, Some(message)) => format!(": {message}"),
        (None, None) if read.error.is_some() => ", without a message".to_owned(),
        (None, None) => match page_title(&String::from_utf8_lossy(body)) {
            Some(title) => format!(", a web page titled {title:?}"),
            None => ", no explanation".to_owned(),
        },
    }
}

/// The start of 2100, UNIX seconds: a `Date` from then on is no clock.
const NO_CLOCK_S: u64 = 4_102_444_800;

/// The time of a `Date` header, if it is that of a clock: one of the year 9999 would make all
/// lost.
fn date(written: &str) -> Option<SystemTime> {
    let moment = httpdate::parse_http_date(written).ok()?;
    let since_1970 = moment.duration_since(UNIX_EPOCH).ok()?;
    (since_1970.as_secs() < NO_CLOCK_S).then_some(moment)
}

/// Seconds by which the service's clock is ahead of this computer's, from the
/// `Date` header.
pub(super) fn clock_ahead(response: &Response) -> Option<f64> {
    let moment = date(response.headers().get(DATE)?.to_str().ok()?)?;
    Some(match moment.duration_since(SystemTime::now()) {
        Ok(ahead) => ahead.as_secs_f64(),
        Err(behind) => -behind.duration().as_secs_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_beyond_any_clock_is_none() {
        let read = |written: &str| date(written).is_some();
        assert!(read("Sun, 29 Nov 2026 22:00:00 GMT"));
        assert!(!read("Fri, 31 Dec 9999 23:59:59 GMT"));
        assert!(!read("soon"));
    }

    #[test]
    fn the_body_of_a_delete_is_empty_and_another_is_a_note() {
        for body in ["", " \n", "null", "{}"] {
            assert_eq!(delete_note(body.as_bytes()), None);
        }
        for (body, said) in [
            (
                "<html><title>Hotel Wifi</title>",
                "a web page, 'Hotel Wifi'",
            ),
            ("{\"success\":false}", "{\"success\":false}"),
        ] {
            let note = delete_note(body.as_bytes()).unwrap();
            assert!(note.ends_with(said), "{note}");
        }
    }
}
