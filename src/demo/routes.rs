//! The interface as it is described, and what can be made to go wrong with it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use flate2::Compression;
use flate2::write::GzEncoder;
use uuid::Uuid;

use super::world::World;
use crate::api::wire::{ErrorBody, PlantEcho, PlantRequest};

/// What goes wrong on purpose.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// No request is ever answered.
    Silent,
    /// Every answer comes so much later.
    Late(Duration),
    /// Every answer is an Error object with this status.
    Status(u16),
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// Path and query, still encoded.
    pub path: String,
    /// Whether it carried the right token.
    pub authorized: bool,
    /// Its body as text.
    pub body: String,
}

/// Requests that are remembered.
const SEEN_KEPT: usize = 1000;
/// The largest body that is read, in bytes.
const LARGEST_BODY: usize = 1 << 20;

/// What the routes share.
#[derive(Clone)]
pub(super) struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    world: World,
    authorization: String,
    faults: Vec<Fault>,
    plants: Mutex<BTreeMap<i64, PlantEcho>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Service {
    pub(super) fn new(
        world: World,
        token: String,
        faults: Vec<Fault>,
        seen: Arc<Mutex<Vec<Seen>>>,
    ) -> Self {
        let inner = Inner {
            world,
            authorization: format!("Bearer {token}"),
            faults,
            plants: Mutex::new(BTreeMap::new()),
            seen,
        };
        Self {
            inner: Arc::new(inner),
        }
    }
}

/// The base address: tracks are read and plants deleted. It takes creates, too,
/// for a client that knows no sandbox.
pub(super) fn base(service: Service) -> Router {
    let router = Router::new()
        .route("/public/deployment/data/{uuid}", get(deployment_data))
        .route("/plants", post(create_plant))
        .route("/plants/{id}", delete(delete_plant));
    guarded(router, service)
}

/// The sandbox address: plants are created.
pub(super) fn sandbox(service: Service) -> Router {
    guarded(Router::new().route("/plants", post(create_plant)), service)
}

fn guarded(router: Router<Service>, service: Service) -> Router {
    router
        .fallback(|| async { error(StatusCode::NOT_FOUND, "no such resource") })
        .method_not_allowed_fallback(|| async {
            error(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
        })
        .layer(middleware::from_fn_with_state(service.clone(), guard))
        .with_state(service)
}

/// Writes the request down, checks host and token, and lets happen what was
/// asked to go wrong.
async fn guard(State(service): State<Service>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, LARGEST_BODY).await else {
        return error(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
    };
    let authorized = parts
        .headers
        .get(header::AUTHORIZATION)
        .is_some_and(|value| value.as_bytes() == service.inner.authorization.as_bytes());
    if let Ok(mut seen) = service.inner.seen.lock() {
        if seen.len() >= SEEN_KEPT {
            seen.remove(0);
        }
        seen.push(Seen {
            method: parts.method.to_string(),
            path: parts.uri.to_string(),
            authorized,
            body: String::from_utf8_lossy(&body).into_owned(),
        });
    }
    for fault in &service.inner.faults {
        match fault {
            Fault::Silent => std::future::pending().await,
            Fault::Late(by) => tokio::time::sleep(*by).await,
            Fault::Status(status) => {
                let status =
                    StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                return error(status, "it goes wrong on purpose");
            }
        }
    }
    // A page in a browser that was led here by a name of its own gets nothing.
    if !is_loopback_host(&parts.headers) {
        return error(
            StatusCode::MISDIRECTED_REQUEST,
            "this service answers to loopback names alone",
        );
    }
    if !authorized {
        let mut refused = error(
            StatusCode::UNAUTHORIZED,
            "the token is missing or not the right one",
        );
        refused
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return refused;
    }
    next.run(Request::from_parts(parts, Body::from(body))).await
}

fn is_loopback_host(headers: &HeaderMap) -> bool {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "127.0.0.1" | "localhost" | "[::1]") || name.ends_with(".localhost")
}

/// An Error object.
fn error(status: StatusCode, message: &str) -> Response {
    let body = ErrorBody {
        error: i32::from(status.as_u16()),
        message: message.to_owned(),
    };
    (status, axum::Json(body)).into_response()
}

async fn deployment_data(
    State(service): State<Service>,
    Path(uuid): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Ok(uuid) = Uuid::parse_str(&uuid) else {
        return error(
            StatusCode::BAD_REQUEST,
            "the deployment is not named by a UUID",
        );
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64());
    let world = service.inner.world.clone();
    // A long track takes a while to make, and a file a while to read.
    let body = tokio::task::spawn_blocking(move || world.body(uuid, now)).await;
    let Ok(Some(body)) = body else {
        return error(StatusCode::BAD_REQUEST, "no such deployment");
    };
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        track_response(body, &headers)
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The body as JSON, packed where that is accepted and pays.
fn track_response(body: Vec<u8>, headers: &HeaderMap) -> Response {
    const WORTH_PACKING: usize = 1024;
    let accepts = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|encodings| encodings.contains("gzip"));
    let json = (header::CONTENT_TYPE, "application/json");
    if accepts && body.len() > WORTH_PACKING {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        if encoder.write_all(&body).is_ok()
            && let Ok(packed) = encoder.finish()
        {
            return ([json, (header::CONTENT_ENCODING, "gzip")], packed).into_response();
        }
    }
    ([json], body).into_response()
}

async fn create_plant(State(service): State<Service>, method: Method, body: Bytes) -> Response {
    debug_assert_eq!(method, Method::POST);
    let plant: PlantRequest = match serde_json::from_slice(&body) {
        Ok(plant) => plant,
        Err(reason) => {
            return error(
                StatusCode::BAD_REQUEST,
                &format!("the plant cannot be read: {reason}"),
            );
        }
    };
    let Ok(mut plants) = service.inner.plants.lock() else {
        return error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the store is out of order",
        );
    };
    if plants.contains_key(&plant.id) {
        return error(
            StatusCode::CONFLICT,
            &format!("plant {} exists already", plant.id),
        );
    }
    let echo = PlantEcho {
        name: plant.name,
        tag: plant.tag,
    };
    plants.insert(plant.id, echo.clone());
    (StatusCode::CREATED, axum::Json(echo)).into_response()
}

async fn delete_plant(State(service): State<Service>, Path(id): Path<String>) -> Response {
    let Ok(mut plants) = service.inner.plants.lock() else {
        return error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the store is out of order",
        );
    };
    match id.parse().ok().and_then(|id: i64| plants.remove(&id)) {
        Some(_) => StatusCode::NO_CONTENT.into_response(),
        None => error(StatusCode::NOT_FOUND, "no such plant"),
    }
}
