//! Routes: three operations on two base URLs, and the checks before them.

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{DefaultBodyLimit, Path, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::plants::Plants;
use super::world::{Clock, World};
use crate::formats::each_member;
use crate::os::loopback;
use crate::service::wire::{ErrorBody, PlantRequest};

/// Largest request body, in bytes.
const LARGEST_BODY: usize = 64 << 10;

/// State shared by both endpoints.
pub(super) struct Service {
    pub(super) world: World,
    pub(super) clock: Clock,
    pub(super) token: String,
    pub(super) plants: Plants,
}

/// Routes of the base URL. They include creates, which a client without a
/// sandbox URL sends here.
pub(super) fn base(service: &Arc<Service>) -> Router {
    let routes = Router::new()
        .route("/public/deployment/data/{uuid}", get(deployment_data))
        .route("/plants", post(create_plant))
        .route("/plants/{id}", delete(delete_plant));
    guarded(routes, service)
}

/// Routes of the sandbox.
pub(super) fn sandbox(service: &Arc<Service>) -> Router {
    let routes = Router::new().route("/plants", post(create_plant));
    guarded(routes, service)
}

fn guarded(routes: Router<Arc<Service>>, service: &Arc<Service>) -> Router {
    routes
        .fallback(nothing_here)
        .method_not_allowed_fallback(nothing_here)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(service), guard))
        .with_state(Arc::clone(service))
}

/// Checks the credentials.
async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    match refusal(&request, &service.token) {
        Some(refused) => refused,
        None => next.run(request).await,
    }
}

/// The error for a request that is not permitted; `None` if it is.
fn refusal(request: &Request, token: &str) -> Option<Response> {
    if !is_addressed_here(request) {
        // A web page whose host name resolves to loopback (DNS rebinding).
        return Some(error(
            StatusCode::MISDIRECTED_REQUEST,
            "this service answers to loopback addresses and localhost only",
        ));
    }
    let mut given = request.headers().get_all(header::AUTHORIZATION).iter();
    let message = match (given.next(), given.next()) {
        (None, _) => "a bearer token is needed: Authorization: Bearer TOKEN",
        (Some(given), None) if is_bearer(given, token) => return None,
        _ => "this is not the token of this service",
    };
    let mut refused = error(StatusCode::UNAUTHORIZED, message);
    refused
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Some(refused)
}

/// `true` if the `Host` is loopback. Any port is accepted: a tunnel may use
/// another one, and a foreign web page cannot choose the host name.
fn is_addressed_here(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    host.to_str().is_ok_and(loopback::is_authority)
        && request
            .uri()
            .authority()
            .is_none_or(|authority| loopback::is_authority(authority.as_str()))
}

/// True for the `Authorization` with this bearer token.
fn is_bearer(given: &HeaderValue, token: &str) -> bool {
    let value = given.to_str().unwrap_or_default();
    value.split_once(' ').is_some_and(|(scheme, given)| {
        scheme.eq_ignore_ascii_case("bearer") && given.trim_start_matches(' ') == token
    })
}

async fn nothing_here() -> Response {
    error(StatusCode::NOT_FOUND, "there is nothing at this address")
}

async fn deployment_data(
    State(service): State<Arc<Service>>,
    uuid: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some(uuid) = uuid.ok().and_then(|Path(text)| Uuid::parse_str(&text).ok()) else {
        return error(StatusCode::BAD_REQUEST, "a deployment is named by a UUID");
    };
    let asked = asked_fields(query.as_deref());
    let known = headers.get(header::IF_NONE_MATCH).cloned();
    // Producing months of track takes long.
    let made = tokio::task::spawn_blocking(move || {
        let Some(whole) = service.world.body(uuid, service.clock.now()) else {
            return error(StatusCode::BAD_REQUEST, "there is no such deployment");
        };
        let part = (!asked.is_empty()).then(|| only(&whole, &asked));
        track(part.flatten().unwrap_or(whole), known.as_ref())
    });
    made.await
        .unwrap_or_else(|_| error(StatusCode::INTERNAL_SERVER_ERROR, "the track was not made"))
}

/// A track as a response: 304 if the client has it.
fn track(body: Vec<u8>, known: Option<&HeaderValue>) -> Response {
    let tag = format!("\"{}\"", Uuid::new_v5(&Uuid::NAMESPACE_OID, &body).simple());
    let mut response = if known.is_some_and(|known| names(known, &tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        json(StatusCode::OK, body)
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-cache"),
    );
    response
}

/// `true` if an `If-None-Match` contains the tag (weak comparison, RFC 9110,
/// section 8.8.3.2).
fn names(known: &HeaderValue, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    known.to_str().is_ok_and(|known| {
        known.trim() == "*" || known.split(',').any(|known| opaque(known) == opaque(tag))
    })
}

async fn create_plant(
    State(service): State<Arc<Service>>,
    // serde would accept an array of the three values, which is not a plant.
    members: Result<Json<Map<String, Value>>, JsonRejection>,
) -> Response {
    let members = match members {
        Ok(Json(members)) => members,
        Err(why) if why.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return error(why.status(), &why.body_text());
        }
        Err(why) => return error(StatusCode::BAD_REQUEST, &why.body_text()),
    };
    let plant: PlantRequest = match serde_json::from_value(members.into()) {
        Ok(plant) => plant,
        Err(reason) => {
            let message =
                format!("a plant has name (string), id (integer), tag (string): {reason}");
            return error(StatusCode::BAD_REQUEST, &message);
        }
    };
    let id = plant.id;
    let created = service.plants.create(plant);
    if service.plants.loses_answer(id) {
        return StatusCode::GATEWAY_TIMEOUT.into_response();
    }
    match created.map(|echo| serde_json::to_vec(&echo)) {
        Some(echo) => json(StatusCode::CREATED, echo.unwrap_or_default()),
        None => {
            let message = format!("a plant with the id {id} exists already");
            error(StatusCode::CONFLICT, &message)
        }
    }
}

async fn delete_plant(
    State(service): State<Arc<Service>>,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    match id {
        Ok(Path(id)) if service.plants.delete(&id) => StatusCode::NO_CONTENT.into_response(),
        _ => error(StatusCode::NOT_FOUND, "there is no plant with this id"),
    }
}

/// A response with an Error object whose number is the status.
fn error(status: StatusCode, message: &str) -> Response {
    let object = ErrorBody {
        error: i32::from(status.as_u16()),
        message: message.to_owned(),
    };
    // A number and a string always serialize.
    json(status, serde_json::to_vec(&object).unwrap_or_default())
}

fn json(status: StatusCode, body: Vec<u8>) -> Response {
    let kind = [
        (header::CONTENT_TYPE, "application/json"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, kind, body).into_response()
}

/// The names in a query.
fn asked_fields(query: Option<&str>) -> Vec<String> {
    let pairs = query.unwrap_or_default().split('&');
    let values = pairs.filter_map(|pair| pair.strip_prefix("field="));
    values
        .map(|value| {
            let value = value.replace('+', " ");
            let decoded = percent_encoding::percent_decode_str(&value);
            decoded.decode_utf8_lossy().into_owned()
        })
        .collect()
}

/// The records of a body with only the members of these names; an invalid record stays
/// unchanged. `None` if the body is not an array.
fn only(body: &[u8], names: &[String]) -> Option<Vec<u8>> {
    let records: Vec<&RawValue> = serde_json::from_slice(body).ok()?;
    let mut text = String::from("[");
    for (number, record) in records.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        let mut asked = Vec::new();
        let read = each_member(record.get(), |name, value| {
            if names.iter().any(|wanted| wanted == name) {
                asked.push(format!("{}:{}", serde_json::Value::from(name), value.get()));
            }
        });
        match read {
            Ok(()) => text.push_str(&format!("{{{}}}", asked.join(","))),
            Err(_) => text.push_str(record.get()),
        }
    }
    text.push(']');
    Some(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_what_is_asked_for_in_its_own_order() {
        let asked = asked_fields(Some("x=1&field=b&field=a+b%C3%A5"));
        assert_eq!(asked, ["b", "a b\u{e5}"]);
        let body = "[{\"a b\u{e5}\":1.50,\"c\":2,\"b\":[1]},7,{}]".as_bytes();
        let kept = String::from_utf8(only(body, &asked).unwrap()).unwrap();
        assert_eq!(kept, "[{\"a b\u{e5}\":1.50,\"b\":[1]},7,{}]");
        assert_eq!(only(b"{}", &asked), None);
        assert!(asked_fields(None).is_empty() && asked_fields(Some("a=b&x")).is_empty());
    }
}
