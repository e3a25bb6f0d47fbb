//! Reads the members of a usual record in one pass, without finding its end first.
//!
//! With the general JSON parser alone, a million fixes of a service to CSV take a fifth more
//! processor time (0.69 s instead of 0.58 s). That parser reads unusual and invalid records.

/// Calls `each` with the name and the JSON of every member of the record at the start
/// of `text`, and returns the length of the record. `None` if it is not an object without
/// escapes, objects and arrays that ends in `text`.
pub(crate) fn usual_members<'a>(
    text: &'a str,
    mut each: impl FnMut(&'a str, &'a str),
) -> Option<usize> {
    let mut rest = after(text, b'{')?;
    loop {
        let name = string(blank(rest))?;
        rest = blank(blank(rest).get(name.len()..)?);
        rest = blank(after(rest, b':')?);
        let value = match rest.as_bytes().first()? {
            b'"' => string(rest)?,
            b'-' | b'0'..=b'9' => number(rest)?,
            _ => ["null", "true", "false"]
                .into_iter()
                .find(|word| rest.starts_with(word))?,
        };
        each(name.get(1..name.len() - 1)?, rest.get(..value.len())?);
        rest = blank(rest.get(value.len()..)?);
        match rest.as_bytes().first()? {
            b',' => rest = rest.get(1..)?,
            b'}' => return Some(text.len() - rest.len() + 1),
            _ => return None,
        }
    }
}

/// The text after its first blanks.
fn blank(text: &str) -> &str {
    match text.as_bytes().first() {
        Some(b' ' | b'\t' | b'\n' | b'\r') => text.trim_start_matches([' ', '\t', '\n', '\r']),
        _ => text,
    }
}

/// The text after its first byte, if that is an ASCII `byte`. `strip_prefix` may call a
/// function of the C library for it.
fn after(text: &str, byte: u8) -> Option<&str> {
    let is_first = text.as_bytes().first() == Some(&byte);
    text.get(1..).filter(|_| is_first)
}

/// The string without escapes at the start of `text`, with its quotes.
fn string(text: &str) -> Option<&str> {
    let within = after(text, b'"')?.as_bytes();
    let is_other = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
    let length = within.iter().position(is_other)?;
    if within.get(length) != Some(&b'"') {
        return None;
    }
    text.get(..length + 2)
}

/// The JSON number at the start of `text`, if it ends there.
fn number(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let digits = bytes.get(from..).unwrap_or_default().iter();
        let count = digits.take_while(|byte| byte.is_ascii_digit()).count();
        (count > 0).then_some(from + count)
    };
    let first = usize::from(bytes.first() == Some(&b'-'));
    let mut end = digits(first)?;
    // JSON allows no digit after a leading zero.
    if bytes.get(first) == Some(&b'0') && end > first + 1 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign)?;
    }
    text.get(..end)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;

    use super::*;

    fn read(text: &str) -> Option<(String, usize)> {
        let mut members = Vec::new();
        let length = usual_members(text, |name, json| members.push(format!("{name}={json}")))?;
        Some((members.join(" "), length))
    }

    #[test]
    fn a_usual_record_is_read_to_its_end_and_no_further() {
        let record = r#"{"time_stamp":1.5e3,"å":-80.25,"c":"a b"}"#;
        let members = "time_stamp=1.5e3 å=-80.25 c=\"a b\"".to_owned();
        assert_eq!(read(&format!("{record},{{")), Some((members, record.len())));
        let blanks = "{ \"a\" : null\n,\t\"b\":true ,\"c\":-0.5E-1, \"d\" :false }";
        let members = "a=null b=true c=-0.5E-1 d=false".to_owned();
        assert_eq!(read(blanks), Some((members, blanks.len())));
        for end in 0..blanks.len() {
            assert_eq!(read(&blanks[..end]), None);
        }
    }

    #[test]
    fn what_is_not_usual_is_left_to_the_parser() {
        for value in [
            "01", "00", "-", "1.", ".1", "1e", "1e+", "+1", "1x", "nul", "nullx", "{}", "[1]",
            "\"\\n\"", "\"\n\"", "", "NaN", "inf", "1 2",
        ] {
            assert_eq!(read(&format!("{{\"a\":{value}}}")), None, "{value}");
        }
        for record in [
            "",
            "{",
            "{}",
            "{\"a\":1,}",
            "{\"\\u0061\":1}",
            "7",
            "[]",
            "{\"a\"1}",
        ] {
            assert_eq!(read(record), None, "{record}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_read_is_json(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "{", "}", ",", ":", " ", "\"a\"", "\"b", "1", "-2.5", "1e3", "0", ".", "-", "e", "null", "\\",
            ]), 0..12)
        ) {
            let text = format!("{{\"a\":{}", parts.concat());
            if let Some((_, length)) = read(&text) {
                // By the grammar: a number beyond the largest is one, too.
                let json = serde_json::from_str::<BTreeMap<String, &RawValue>>(&text[..length]);
                proptest::prop_assert!(json.is_ok(), "{}", &text[..length]);
            }
        }
    }
}
