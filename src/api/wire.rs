//! The objects that travel, as the service's description names them.

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

/// The answer to a create: it carries no identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlantEcho {
    /// The plant's name.
    pub name: String,
    /// The plant's tag.
    pub tag: String,
}

/// The Error object, as a service writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ErrorBody {
    /// The service's own number for what went wrong.
    pub error: i32,
    /// What went wrong, in words.
    pub message: String,
}

/// An Error object as it came: whatever of it is sound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ErrorRead {
    /// The number, also where it came as text or is larger than an int32.
    pub error: Option<i64>,
    /// The words, made harmless and at most 500 characters.
    pub message: Option<String>,
}

impl ErrorRead {
    /// Reads a body as an Error object, if it is an object with a member
    /// `error`. Members of an unexpected kind are left out.
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
