//! The objects that travel, as the service's description names them.

use serde::{Deserialize, Serialize};

/// One transmission record, as a service writes it. Reading is done record by
/// record elsewhere: what comes need not look like this.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DeploymentData {
    /// UNIX time in seconds, UTC.
    pub time_stamp: f64,
    /// Latitude, decimal degrees.
    pub latitude: f64,
    /// Longitude, decimal degrees.
    pub longitude: f64,
}

/// The body of a create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlantRequest {
    /// The plant's name.
    pub name: String,
    /// The plant's identifier.
    pub id: i64,
    /// The plant's tag.
    pub tag: String,
}

/// The answer to a create: it carries no identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlantEcho {
    /// The plant's name.
    pub name: String,
    /// The plant's tag.
    pub tag: String,
}

/// The Error object, as a service writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorBody {
    /// The service's own number for what went wrong.
    pub error: i32,
    /// What went wrong, in words.
    pub message: String,
}

/// An Error object as it came: whatever of it is sound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorRead {
    /// The number, also where it came as text or is larger than an int32.
    pub error: Option<i64>,
    /// The words, made harmless and at most 500 characters.
    pub message: Option<String>,
}

impl ErrorRead {
    /// Reads a body as an Error object, if it is an object with a member
    /// `error`. Members of an unexpected kind are left out.
    pub fn from_body(body: &[u8]) -> Option<Self> {
        let body = crate::text::without_byte_order_mark(body);
        let value: serde_json::Value = serde_json::from_slice(body).ok()?;
        let members = value.as_object()?;
        let number = members.get("error")?;
        let error = match number {
            serde_json::Value::Number(number) => number.as_i64(),
            serde_json::Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let words = match (members.get("message"), number) {
            (Some(serde_json::Value::String(text)), _) => Some(text),
            // Some services put the words where the number belongs.
            (_, serde_json::Value::String(text)) if error.is_none() => Some(text),
            _ => None,
        };
        Some(Self {
            error,
            message: words.map(|text| crate::text::excerpt(text, 500)),
        })
    }
}
