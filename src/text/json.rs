//! JSON whose strings hold no character that a terminal acts on.

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use serde_json::value::{RawValue, to_raw_value};

/// Escapes U+007F to U+009F, as JSON itself escapes the controls below U+0020. Outside of strings
/// JSON holds none of them.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        let mut written = 0;
        for (at, unsafe_one) in text.match_indices(|letter| matches!(letter, '\u{7f}'..='\u{9f}')) {
            out.write_all(text.get(written..at).unwrap_or_default().as_bytes())?;
            for letter in unsafe_one.chars() {
                write!(out, "\\u{:04x}", u32::from(letter))?;
            }
            written = at + unsafe_one.len();
        }
        out.write_all(text.get(written..).unwrap_or_default().as_bytes())
    }

    fn write_raw_fragment<W: Write + ?Sized>(&mut self, out: &mut W, json: &str) -> io::Result<()> {
        self.write_string_fragment(out, json)
    }
}

/// Writes a value as JSON with these characters escaped.
///
/// # Errors
/// When the value cannot be serialized, or writing fails.
pub(crate) fn write(out: impl Write, value: &impl Serialize) -> serde_json::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, Escaping))
}

/// A value as a line of JSON with these characters escaped.
///
/// # Errors
/// When the value cannot be serialized.
pub(crate) fn line(value: &impl Serialize) -> serde_json::Result<String> {
    let mut line = Vec::new();
    write(&mut line, value)?;
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// An object of JSON, whose members stay in the order in which they are written.
// `serde_json::json` sorts them.
pub(crate) struct Object(pub(crate) Vec<(&'static str, Box<RawValue>)>);

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The value of a member; `null` for what JSON cannot have.
pub(crate) fn member(value: impl Serialize) -> Box<RawValue> {
    to_raw_value(&value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// An [`Object`] of members, each with its name.
macro_rules! object {
    ($($name:ident: $value:expr),* $(,)?) => {
        $crate::text::json::Object(vec![
            $((stringify!($name), $crate::text::json::member($value))),*
        ])
    };
}
pub(crate) use object;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn these_characters_are_escaped_in_strings_names_and_raw_values_and_nothing_else() {
        let text = "a\u{7f}\u{9b}6n\u{80}\u{9f}\u{a0}å\u{c2}北\u{1}";
        let escaped = "\"a\\u007f\\u009b6n\\u0080\\u009f\u{a0}å\u{c2}北\\u0001\"";
        assert_eq!(line(&text).unwrap(), escaped);
        let raw = object! { member: text };
        assert_eq!(line(&raw).unwrap(), format!("{{\"member\":{escaped}}}"));
        let named = std::collections::BTreeMap::from([(text, 1)]);
        assert_eq!(line(&named).unwrap(), format!("{{{escaped}:1}}"));
    }
}
