//! The fields that a request asks for: `?field=time_stamp&field=latitude`.

use serde_json::value::RawValue;

use crate::formats::each_member;

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

/// The records of a body with only the members of these names; an invalid record stays
/// unchanged. `None` if the body is not an array.
pub(super) fn only(body: &[u8], names: &[String]) -> Option<Vec<u8>> {
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
        let asked = names(Some("x=1&field=b&field=a+b%C3%A5"));
        assert_eq!(asked, ["b", "a b\u{e5}"]);
        let body = "[{\"a b\u{e5}\":1.50,\"c\":2,\"b\":[1]},7,{}]".as_bytes();
        let kept = String::from_utf8(only(body, &asked).unwrap()).unwrap();
        assert_eq!(kept, "[{\"a b\u{e5}\":1.50,\"b\":[1]},7,{}]");
        assert_eq!(only(b"{}", &asked), None);
        assert!(names(None).is_empty() && names(Some("a=b&x")).is_empty());
    }
}
