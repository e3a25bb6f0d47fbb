//! The members of a JSON object and the elements of an array, one at a time: one that is not
//! needed takes no memory.

use std::{borrow::Cow, fmt};

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::track::JsonKind;

/// Calls `each` with every member of the object that `json` is, in its order.
///
/// # Errors
/// The parser's, if it is not an object, or not a complete one.
pub(crate) fn each_member<'a>(
    json: &'a str,
    each: impl FnMut(&str, &'a RawValue),
) -> serde_json::Result<()> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_map(Each(each))?;
    reader.end()
}

/// Calls `each` with every element of the array that `json` is, in its order.
///
/// # Errors
/// The parser's, if it is not an array, or not a complete one.
pub(crate) fn each_element<'a>(
    json: &'a str,
    mut each: impl FnMut(&'a RawValue),
) -> serde_json::Result<()> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.deserialize_seq(Each(|_: &str, element| each(element)))?;
    reader.end()
}

/// The kind of a JSON value, from its first character.
pub(crate) fn json_kind(json: &str) -> JsonKind {
    match json.as_bytes().first() {
        Some(b'n') => JsonKind::Null,
        Some(b't' | b'f') => JsonKind::Boolean,
        Some(b'"') => JsonKind::Text,
        Some(b'[') => JsonKind::Array,
        Some(b'{') => JsonKind::Object,
        _ => JsonKind::Number,
    }
}

/// Calls a function with each member, or with each element and no key.
struct Each<F>(F);

impl<'de, F: FnMut(&str, &'de RawValue)> Visitor<'de> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            (self.0)(&key.0, map.next_value()?);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element()? {
            (self.0)("", element);
        }
        Ok(())
    }
}

/// A key, borrowed if it has no escape.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_their_order_and_only_of_a_whole_object() {
        let read = |json| {
            let mut found = Vec::new();
            each_member(json, |key, value| {
                found.push(format!("{key}={}", value.get()));
            })
            .ok()
            .map(|()| found)
        };
        let all = read(r#"{"b":[1, {}],"\u0061":"x","b":null}"#).unwrap();
        assert_eq!(all, ["b=[1, {}]", "a=\"x\"", "b=null"]);
        for none in ["", "[]", "7", "{\"a\":1", "{\"a\":1} x", "{\"a\":nul}"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
