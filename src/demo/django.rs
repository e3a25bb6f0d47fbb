//! The ways of an open-source backend of such a service, which is built on
//! Django: 301 to the path with a slash before it looks at the token, 403 for a
//! bad token and for what may not be read, a page for what it does not know,
//! records of 70 members and 4 kB, and no plants.

use std::fmt::Write;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::deployment::Deployment;
use super::request_log::Credentials;
use super::world::World;
use crate::track::Platform;

/// A deployment that no token may read.
const PRIVATE: Uuid = Uuid::from_u128(0x9b1d_3c54_70e2_4f0a_8d57_1f0c_6f2e_0001);
/// A deployment one of whose records holds a NaN.
const BROKEN: Uuid = Uuid::from_u128(0x9b1d_3c54_70e2_4f0a_8d57_1f0c_6f2e_0002);
/// The member that holds it.
const NOT_A_NUMBER: &str = "battery_voltage";
/// Members of a record.
const MEMBERS: usize = 70;
/// Numbers of the thermistor string among them.
const PROFILE: usize = 48;
/// Records that an answer has at most, the latest ones: 10 MB.
const MOST_RECORDS: usize = 2_500;

/// What it knows besides the tracks of the world.
pub(super) fn deployments() -> Vec<Deployment> {
    let one = |uuid, label: &str| Deployment {
        uuid,
        label: label.to_owned(),
        platform: Platform::Drifter,
        circle: None,
    };
    vec![
        one(PRIVATE, "of another user"),
        one(BROKEN, "with a NaN in it"),
    ]
}

/// The answer to a request at a time in the world (UNIX seconds).
pub(super) fn answer(world: &World, now: f64, head: &Parts, token: Credentials) -> Response {
    const DATA: &str = "/public/deployment/data/";
    let path = head.uri.path();
    let named = path
        .strip_prefix(DATA)
        .filter(|_| head.method == Method::GET);
    let Some(named) = named else {
        return page(StatusCode::NOT_FOUND, "Page not found");
    };
    let Some(named) = named.strip_suffix('/') else {
        return with_slash(&head.uri);
    };
    if named.is_empty() || named.contains('/') {
        return page(StatusCode::NOT_FOUND, "Page not found");
    }
    match token {
        Credentials::Right => {}
        Credentials::Missing => return detail("Authentication credentials were not provided."),
        Credentials::Wrong => return detail("Invalid token."),
    }
    let Ok(uuid) = Uuid::parse_str(named) else {
        return page(StatusCode::INTERNAL_SERVER_ERROR, "Server Error (500)");
    };
    if named != uuid.hyphenated().to_string() {
        // It compares text: written otherwise, nothing is found.
        return json(StatusCode::OK, b"[]".to_vec());
    }
    if uuid == PRIVATE {
        return detail("You do not have permission to perform this action.");
    }
    let of = match uuid {
        BROKEN => world.deployments().first().map(|one| one.uuid),
        other => Some(other),
    };
    let body = of.and_then(|uuid| world.body(uuid, now)?.ok());
    let records = body.and_then(|body| records(&body, &picked(&head.uri), uuid == BROKEN));
    match records {
        Some(records) => json(StatusCode::OK, records),
        None => page(StatusCode::INTERNAL_SERVER_ERROR, "Server Error (500)"),
    }
}

/// The same address with a slash at the end of its path.
fn with_slash(uri: &Uri) -> Response {
    let query = uri
        .query()
        .map_or_else(String::new, |query| format!("?{query}"));
    let place = format!("{}/{query}", uri.path());
    let mut response = StatusCode::MOVED_PERMANENTLY.into_response();
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body).into_response()
}

fn detail(words: &str) -> Response {
    let body = serde_json::json!({ "detail": words }).to_string();
    json(StatusCode::FORBIDDEN, body.into_bytes())
}

fn page(status: StatusCode, title: &str) -> Response {
    let body = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n  <title>{title}</title>\n</head>\n<body>\n  <h1>{title}</h1><p></p>\n</body>\n</html>\n"
    );
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (status, kind, Body::from(body)).into_response()
}

/// The members that the query asks for; none where it names none.
fn picked(uri: &Uri) -> Vec<String> {
    let query = uri.query().unwrap_or_default();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(name, _)| *name == "field")
        .map(|(_, value)| value.to_owned())
        .collect()
}

/// An array of records with all their members, or with those that are asked
/// for; none where a member of them has no JSON form.
fn records(body: &[u8], picked: &[String], broken: bool) -> Option<Vec<u8>> {
    let all: Vec<&RawValue> = serde_json::from_slice(body).ok()?;
    let wanted = |name: &str| picked.is_empty() || picked.iter().any(|one| one == name);
    if broken && wanted(NOT_A_NUMBER) {
        return None;
    }
    let latest = all.get(all.len().saturating_sub(MOST_RECORDS)..)?;
    let mut text = String::from("[");
    for (number, record) in latest.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        // What is no object is odd on purpose, and stays as it is.
        match serde_json::from_str::<Map<String, Value>>(record.get()) {
            Ok(known) => text.push_str(&in_full(known, number, &wanted)),
            Err(_) => text.push_str(record.get()),
        }
    }
    text.push(']');
    Some(text.into_bytes())
}

/// A record with [`MEMBERS`] members.
fn in_full(
    mut record: Map<String, Value>,
    number: usize,
    wanted: &impl Fn(&str) -> bool,
) -> String {
    #[allow(clippy::cast_precision_loss)] // a few thousand
    let wave = |phase: usize| ((number + 7 * phase) as f64 / 40.0).sin();
    let mut add = |name: String, value: Value| {
        if wanted(&name) {
            record.insert(name, value);
        }
    };
    add(NOT_A_NUMBER.to_owned(), Value::from(12.0 + wave(0)));
    for place in 0..PROFILE {
        add(
            format!("dtc_values_{place}"),
            Value::from(-2.0 + wave(place)),
        );
    }
    add("raw_message".to_owned(), Value::from(raw_message(number)));
    // The three of a position are the rest.
    for place in 0..MEMBERS - PROFILE - 5 {
        let value = Value::from(1000.0 + wave(place));
        add(format!("housekeeping_channel_{place:02}"), value);
    }
    record.retain(|name, _| wanted(name));
    Value::Object(record).to_string()
}

/// The transmission as the satellite sent it, in hexadecimal digits.
fn raw_message(number: usize) -> String {
    (0..750).fold(String::with_capacity(1500), |mut text, place| {
        let byte = (number * 31 + place * 17) % 256;
        // Writing to a text never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
