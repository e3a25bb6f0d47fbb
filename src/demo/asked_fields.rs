//! The fields that a request asks for: `?field=time_stamp&field=latitude`.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The names in a query.
pub(super) fn names(query: Option<&str>) -> Vec<String> {
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

/// The records of a body with the members of these names alone; what is no
/// record stays as it is. `None` if the body is not an array.
pub(super) fn only(body: &[u8], names: &[String]) -> Option<Vec<u8>> {
    let records: Vec<&RawValue> = serde_json::from_slice(body).ok()?;
    let mut text = String::from("[");
    for (number, record) in records.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        let Ok(Members(members)) = serde_json::from_str(record.get()) else {
            text.push_str(record.get());
            continue;
        };
        let asked = members.iter().filter(|(name, _)| names.contains(name));
        let asked: Option<Vec<String>> = asked
            .map(|(name, value)| {
                let name = serde_json::to_string(name).ok()?;
                Some(format!("{name}:{}", value.get()))
            })
            .collect();
        text.push('{');
        text.push_str(&asked?.join(","));
        text.push('}');
    }
    text.push(']');
    Some(text.into_bytes())
}

/// The members of a record in their order.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_what_is_asked_for_in_its_own_order() {
        let asked = names(Some("x=1&field=b&field=a+b%C3%A5"));
        assert_eq!(asked, ["b", "a b\u{e5}"]);
        let body = "[{\"a b\u{e5}\":1.50,\"c\":2,\"b\":[1]},7,{}]".as_bytes();
        let kept = String::from_utf8(only(body, &asked).unwrap()).unwrap();
        assert_eq!(kept, "[{\"a b\u{e5}\":1.50,\"b\":[1]},7,{}]");
        assert_eq!(only(b"{}", &asked), None);
        assert!(names(None).is_empty() && names(Some("a=b&x")).is_empty());
    }
}
