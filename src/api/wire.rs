//! The JSON objects of the interface, named as in the service's description.

use serde::{Deserialize, Serialize};

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
    /// The error message.
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

impl ErrorRead {
    /// Parses a body as an Error object, if it is an object with a member
    /// `error`. Members of an unexpected type are `None`.
    pub(crate) fn from_body(body: &[u8]) -> Option<Self> {
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
            // Some services send the message in place of the number.
            (_, serde_json::Value::String(text)) if error.is_none() => Some(text),
            _ => None,
        };
        Some(Self {
            error,
            message: words.map(|text| crate::text::excerpt(text, 500)),
        })
    }
}
