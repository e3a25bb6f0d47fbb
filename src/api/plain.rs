//! Fast path: parses a usual record in one pass. A usual record is an object
//! whose keys have no escapes. All other records go to the general parser, which
//! also reports errors. This parser accepts valid records only.

use serde_json::value::RawValue;

use super::record_fields::RecordFields;
use crate::track::Transmission;
use crate::track::field::{Decimal, FieldPlace, FieldValue};

/// Powers of ten that an `f64` represents exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// Every integer up to here is an `f64`.
const LARGEST_EXACT: u64 = 1 << 53;
/// This many digits never overflow a `u64`.
const DIGITS: usize = 19;

/// Why a record is left to the general parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotPlain {
    /// The text ends before it does.
    Cut,
    /// It is not of the usual shape, or invalid.
    Unusual,
}

/// Parses the record at the start of `text` and returns it with its length in
/// bytes. Its fields go to `fields`, also of one that is left to the general
/// parser.
///
/// # Errors
/// [`NotPlain`] where it is left to that.
pub(super) fn record(
    text: &str,
    fields: &mut RecordFields,
) -> Result<(Transmission, usize), NotPlain> {
    let mut at = Cursor { text, at: 0 };
    match at.record(fields) {
        Some(transmission) => Ok((transmission, at.at)),
        None if at.at >= text.len() => Err(NotPlain::Cut),
        None => Err(NotPlain::Unusual),
    }
}

/// A read position in the text. What is not found because the text ends leaves
/// it at that end.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// The key of a member.
enum Key {
    /// One of the three numbers, by its place among them.
    Number(usize),
    /// A field; none where it is not kept.
    Field(Option<FieldPlace>),
}

impl<'a> Cursor<'a> {
    fn record(&mut self, fields: &mut RecordFields) -> Option<Transmission> {
        self.expect(b'{')?;
        let mut numbers = [None; 3];
        loop {
            self.blanks();
            let key = self.key(fields)?;
            self.blanks();
            self.expect(b':')?;
            self.blanks();
            match key {
                Key::Number(place) => {
                    let number = self.number()?;
                    if numbers.get_mut(place)?.replace(number).is_some() {
                        return None;
                    }
                }
                Key::Field(place) => self.field(place, fields)?,
            }
            if self.ends()? {
                break;
            }
        }
        let [Some(time_stamp), Some(latitude), Some(longitude)] = numbers else {
            return None;
        };
        Transmission::new(time_stamp, latitude, longitude).ok()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Reads a comma or a closing brace. Returns whether it was the brace.
    fn ends(&mut self) -> Option<bool> {
        self.blanks();
        let ends = match self.peek()? {
            b',' => false,
            b'}' => true,
            _ => return None,
        };
        self.at += 1;
        Some(ends)
    }

    /// Reads a key. That of the expected field is compared and not searched for
    /// its end.
    fn key(&mut self, fields: &mut RecordFields) -> Option<Key> {
        if let Some((place, name)) = fields.expected()
            && let [b'"', rest @ ..] = self.rest()
            && let Some([b'"', ..]) = rest.strip_prefix(name.as_bytes())
        {
            self.at += name.len() + 2;
            return Some(Key::Field(Some(place)));
        }
        Some(match self.string()? {
            "time_stamp" => Key::Number(0),
            "latitude" => Key::Number(1),
            "longitude" => Key::Number(2),
            name => Key::Field(fields.find(name)),
        })
    }

    /// Reads a string without escapes; the position stays if it has one.
    fn string(&mut self) -> Option<&'a str> {
        let (b'"', rest) = self.rest().split_first()? else {
            return None;
        };
        let Some(length) = unescaped(rest) else {
            self.at = self.text.len();
            return None;
        };
        if rest.get(length) != Some(&b'"') {
            return None;
        }
        let string = self.text.get(self.at + 1..self.at + 1 + length)?;
        self.at += length + 2;
        Some(string)
    }

    /// Reads the value of a field.
    fn field(&mut self, place: Option<FieldPlace>, fields: &mut RecordFields) -> Option<()> {
        let value = match self.peek()? {
            b'"' => match self.string() {
                Some(text) => FieldValue::Text(text),
                None => return self.json(place, fields),
            },
            b'-' | b'0'..=b'9' => {
                let from = self.at;
                let scanned = self.scan()?;
                if let Some(decimal) = scanned.decimal() {
                    return match place {
                        Some(place) => fields.put_decimal(place, decimal).ok(),
                        None => Some(()),
                    };
                }
                match scanned.exact() {
                    Some(number) => FieldValue::Number(number),
                    None => FieldValue::from_number(self.text.get(from..self.at)?),
                }
            }
            b'{' | b'[' => return self.json(place, fields),
            first => self.literal(first)?,
        };
        // Of a field that is there twice the general parser tells.
        match place {
            Some(place) => fields.put(place, value).ok(),
            None => Some(()),
        }
    }

    /// Reads `null`, `true` or `false`; the next byte shows whether it has ended.
    fn literal(&mut self, first: u8) -> Option<FieldValue<'a>> {
        let (word, value) = match first {
            b'n' => ("null", FieldValue::Null),
            b't' => ("true", FieldValue::Truth(true)),
            _ => ("false", FieldValue::Truth(false)),
        };
        let rest = self.rest();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Some(value);
        }
        if word.as_bytes().starts_with(rest) {
            self.at = self.text.len();
        }
        None
    }

    /// Reads a string with escapes, an object or an array.
    fn json(&mut self, place: Option<FieldPlace>, fields: &mut RecordFields) -> Option<()> {
        let Some(length) = length_of_value(self.rest()) else {
            self.at = self.text.len();
            return None;
        };
        let json = self.text.get(self.at..self.at + length)?;
        let raw: &RawValue = serde_json::from_str(json).ok()?;
        self.at += length;
        match place {
            Some(place) => fields.put_json(place, raw).ok(),
            None => Some(()),
        }
    }

    /// Reads a finite number.
    fn number(&mut self) -> Option<f64> {
        let from = self.at;
        let scanned = self.scan()?;
        let value = match scanned.exact() {
            Some(value) => value,
            None => self.text.get(from..self.at)?.parse().ok()?,
        };
        value.is_finite().then_some(value)
    }

    /// Scans a number in JSON syntax.
    fn scan(&mut self) -> Option<Scanned> {
        let mut number = Scanned {
            negative: self.expect(b'-').is_some(),
            ..Scanned::default()
        };
        let leading = self.peek()?;
        self.digits(&mut number)?;
        // JSON allows no digit after a leading zero.
        if leading == b'0' && number.seen > 1 {
            return None;
        }
        if self.expect(b'.').is_some() {
            let before = number.seen;
            self.digits(&mut number)?;
            number.exponent = -i32::try_from(number.seen - before).ok()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            let negative = match self.peek()? {
                b'-' => true,
                b'+' => false,
                b'0'..=b'9' => {
                    self.at -= 1;
                    false
                }
                _ => return None,
            };
            self.at += 1;
            let mut exponent = Scanned::default();
            self.digits(&mut exponent)?;
            // A larger exponent goes to the general parser.
            if exponent.seen > 6 {
                return None;
            }
            let size = i32::try_from(exponent.digits).ok()?;
            number.exponent += if negative { -size } else { size };
        }
        Some(number)
    }

    /// Scans one or more digits.
    fn digits(&mut self, number: &mut Scanned) -> Option<()> {
        let mut digits = number.digits;
        let mut count = 0;
        for byte in self.rest() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            // Where there are more than `DIGITS`, this is not used.
            digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
            count += 1;
        }
        number.digits = digits;
        number.seen += count;
        self.at += count;
        (count > 0).then_some(())
    }
}

/// The number of bytes before the first one that ends a string or is escaped in
/// it.
fn unescaped(bytes: &[u8]) -> Option<usize> {
    /// This many are compared at once.
    const TOGETHER: usize = 16;
    let is_other = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    let has_none = |part: &&[u8]| !part.iter().fold(false, |any, byte| any | is_other(byte));
    let parts = bytes.chunks_exact(TOGETHER);
    let skipped = TOGETHER * parts.take_while(has_none).count();
    let rest = bytes.get(skipped..)?;
    Some(skipped + rest.iter().position(is_other)?)
}

/// The length of the string, object or array at the start, if it is whole. For
/// text that is not JSON it may be any.
fn length_of_value(bytes: &[u8]) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, byte) in bytes.iter().enumerate() {
        match (in_string, *byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 && !in_string {
            return Some(at + 1);
        }
    }
    None
}

/// A scanned number.
#[derive(Default)]
struct Scanned {
    /// The digits as an integer, if they are at most [`DIGITS`].
    digits: u64,
    /// The number of digits in the text, leading zeros included.
    seen: usize,
    /// The power of ten by which to multiply the digits.
    exponent: i32,
    negative: bool,
}

impl Scanned {
    /// The number, where it has few decimals.
    fn decimal(&self) -> Option<Decimal> {
        let decimals = u32::try_from(self.exponent.checked_neg()?).ok()?;
        if self.seen > DIGITS {
            return None;
        }
        Decimal::new(self.digits, self.negative, decimals)
    }

    /// The number, where it is found without rounding twice.
    fn exact(&self) -> Option<f64> {
        // Both exact, so their quotient or product is rounded once: Clinger,
        // "How to read floating point numbers accurately", PLDI 1990.
        let power = EXACT.get(usize::try_from(self.exponent.unsigned_abs()).ok()?)?;
        if self.seen > DIGITS || self.digits > LARGEST_EXACT {
            return None;
        }
        #[allow(clippy::cast_precision_loss)] // at most 2^53
        let digits = self.digits as f64;
        let value = if self.exponent < 0 {
            digits / power
        } else {
            digits * power
        };
        Some(if self.negative { -value } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(f64, f64, f64, usize)> {
        let (one, length) = record(text, &mut RecordFields::default()).ok()?;
        Some((
            one.time_stamp,
            one.position.latitude,
            one.position.longitude,
            length,
        ))
    }

    #[test]
    fn a_plain_record_is_read_to_its_end_and_no_further() {
        let plain = r#"{"time_stamp":1.5e3,"latitude":-80.25,"longitude":10}"#;
        assert_eq!(
            read(&format!("{plain},{{")),
            Some((1500.0, -80.25, 10.0, plain.len()))
        );
        let more = r#"{ "id" : "a b" , "longitude" : 1 , "x":null,"y":-0.5E-1, "latitude":2 ,"ok":true,"time_stamp":3 }"#;
        assert_eq!(read(more), Some((3.0, 2.0, 1.0, more.len())));
        let texts = r#"{"a":"ä","ä":"\ud83d\ude00 \"}]","c":{"d":["}",{}]},"e":[ ],"time_stamp":3,"latitude":2,"longitude":1}"#;
        assert_eq!(read(texts), Some((3.0, 2.0, 1.0, texts.len())));
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_other_reader() {
        for record in [
            "",
            "{",
            "{}",
            r#"{"time_stamp":1,"latitude":2}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,}"#,
            r#"{"time_stamp":1,"time_stamp":1,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":01,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":00,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":1.,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":.1,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":1e,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":1e+,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":+1,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":-,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":1e999,"latitude":2,"longitude":3}"#,
            r#"{"time_stamp":1,"latitude":91,"longitude":3}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":nul}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":nullx}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":{]}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":{"a"}}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":"\x"}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"\u0061":1}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":1,"x":1}"#,
            "{\"time_stamp\":1,\"latitude\":2,\"longitude\":3,\"x\":\"\n\"}",
        ] {
            assert_eq!(read(record), None, "{record}");
        }
    }

    #[test]
    fn a_record_that_is_cut_is_told_from_an_unusual_one() {
        let plain = r#"{"a":"b c","d":-1.5e-3,"e":null,"f":{"g":"\""},"time_stamp":1,"latitude":2,"longitude":3}"#;
        for end in 0..plain.len() {
            let cut = plain.get(..end).unwrap();
            let seen = record(cut, &mut RecordFields::default());
            assert_eq!(seen, Err(NotPlain::Cut), "{cut}");
        }
        for unusual in ["7, 8", r#"{"a":nil}"#, r#"{"\u0061":1}"#, "{ }"] {
            let seen = record(unusual, &mut RecordFields::default());
            assert_eq!(seen, Err(NotPlain::Unusual), "{unusual}");
        }
    }

    #[test]
    fn an_expected_name_that_json_escapes_is_not_mistaken() {
        let mut fields = RecordFields::default();
        fields.begin(0);
        let place = fields.find("a\":1,\"b").unwrap();
        fields.put(place, FieldValue::Null).unwrap();
        fields.begin(1);
        let two = r#"{"a":1,"b":2,"time_stamp":1,"latitude":2,"longitude":3}"#;
        record(two, &mut fields).unwrap();
        let rows = fields.finish();
        let of_two: Vec<&str> = rows.of_fix(1).map(|(name, _)| name).collect();
        assert_eq!(of_two, ["a", "b"]);
    }

    proptest::proptest! {
        #[test]
        fn a_number_is_what_the_standard_library_reads(
            text in "-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,20})?([eE][-+]?[0-9]{1,2})?"
        ) {
            let mut at = Cursor { text: &text, at: 0 };
            let number = at.number();
            let known: f64 = text.parse().unwrap();
            proptest::prop_assert_eq!(number.map(f64::to_bits), Some(known.to_bits()));
            proptest::prop_assert_eq!(at.at, text.len());
        }
    }
}
