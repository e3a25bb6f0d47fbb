//! JSON whose strings hold no character that a terminal acts on.

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// The first byte of U+0080 to U+00BF in UTF-8.
const LEAD: u8 = 0xc2;

/// Escapes U+007F and U+0080 to U+009F in JSON that is written through it, as
/// JSON itself escapes the controls below U+0020. Outside of strings JSON holds
/// none of them.
pub(crate) struct JsonWriter<W> {
    out: W,
    /// `true` if the last byte was [`LEAD`], whose character ends in what comes.
    pending: bool,
}

impl<W: Write> JsonWriter<W> {
    /// A writer to `out`. What is written has to end with a whole character, as
    /// JSON does.
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            pending: false,
        }
    }
}

impl<W: Write> Write for JsonWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(&first) = bytes.first() else {
            return Ok(0);
        };
        if self.pending {
            match first {
                0x80..=0x9f => write!(self.out, "\\u{first:04x}")?,
                _ => self.out.write_all(&[LEAD, first])?,
            }
            self.pending = false;
            return Ok(1);
        }
        match first {
            LEAD => self.pending = true,
            0x7f => self.out.write_all(b"\\u007f")?,
            _ => {
                let end = bytes.iter().position(|&byte| matches!(byte, LEAD | 0x7f));
                return self
                    .out
                    .write(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes));
            }
        }
        Ok(1)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A value as a line of JSON with these characters escaped.
///
/// # Errors
/// When the value cannot be serialized.
pub(crate) fn line(value: &impl Serialize) -> serde_json::Result<String> {
    let mut line = Vec::new();
    serde_json::to_writer(JsonWriter::new(&mut line), value)?;
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
    fn however_it_is_cut_the_same_is_escaped_and_nothing_else() {
        let json = "{\"a\u{7f}\":\"\u{9b}6n\u{80}\u{9f}\u{a0}å\u{c2}北\u{1}\"}";
        let expected = "{\"a\\u007f\":\"\\u009b6n\\u0080\\u009f\u{a0}å\u{c2}北\u{1}\"}";
        let text = "\u{9b}6n\u{7f}å";
        assert_eq!(line(&text).unwrap(), "\"\\u009b6n\\u007få\"");
        for step in 1..=json.len() {
            let mut out = Vec::new();
            let mut writer = JsonWriter::new(&mut out);
            for part in json.as_bytes().chunks(step) {
                writer.write_all(part).unwrap();
            }
            writer.flush().unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{step}");
        }
    }
}
