//! Fast path: parses a usual record in one pass. A usual record is an object
//! whose keys have no escapes and whose values are numbers, literals or simple
//! strings. All other records go to the general parser, which also reports
//! errors. This parser accepts valid records only.

use super::record_fields::RecordFields;
use crate::track::Transmission;
use crate::track::field::FieldValue;

/// Powers of ten that an `f64` represents exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// Digits at which every integer is below 2^53, so that an `f64` is exact.
const DIGITS: u32 = 15;

/// Parses the record at the start of `bytes` and returns it with its length in
/// bytes; `None` if it is incomplete, not of the usual shape or invalid. Its
/// fields go to `fields`, also of one that is left to the general parser.
pub(super) fn record(bytes: &[u8], fields: &mut RecordFields) -> Option<(Transmission, usize)> {
    let mut at = Cursor { bytes, at: 0 };
    at.expect(b'{')?;
    let mut numbers = [None; 3];
    loop {
        at.blanks();
        let key = at.string()?;
        at.blanks();
        at.expect(b':')?;
        at.blanks();
        let place = match key {
            b"time_stamp" => 0,
            b"latitude" => 1,
            b"longitude" => 2,
            _ => {
                at.field(key, fields)?;
                if at.ends()? {
                    break;
                }
                continue;
            }
        };
        let number = at.number()?;
        if numbers.get_mut(place)?.replace(number).is_some() {
            return None;
        }
        if at.ends()? {
            break;
        }
    }
    let [Some(time_stamp), Some(latitude), Some(longitude)] = numbers else {
        return None;
    };
    let transmission = Transmission::new(time_stamp, latitude, longitude).ok()?;
    Some((transmission, at.at))
}

/// A read position in the text.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
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

    /// Reads a string of printable ASCII without escapes.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let rest = self.bytes.get(self.at..)?;
        let length = rest
            .iter()
            .position(|byte| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\'))?;
        self.at += length;
        self.expect(b'"')?;
        rest.get(..length)
    }

    /// Reads the value of a field.
    fn field(&mut self, key: &[u8], fields: &mut RecordFields) -> Option<()> {
        let name = std::str::from_utf8(key).ok()?;
        let value = match self.peek()? {
            b'"' => FieldValue::Text(std::str::from_utf8(self.string()?).ok()?),
            b'-' | b'0'..=b'9' => {
                let from = self.at;
                let scanned = self.scan()?;
                match scanned.exact() {
                    Some(number) => FieldValue::Number(number),
                    None => {
                        let json = self.bytes.get(from..self.at)?;
                        FieldValue::from_number(std::str::from_utf8(json).ok()?)
                    }
                }
            }
            _ => {
                let rest = self.bytes.get(self.at..)?;
                // The next byte shows whether the literal has ended.
                let (word, value) = [
                    (&b"null"[..], FieldValue::Null),
                    (b"true", FieldValue::Truth(true)),
                    (b"false", FieldValue::Truth(false)),
                ]
                .into_iter()
                .find(|(word, _)| rest.starts_with(word))?;
                self.at += word.len();
                value
            }
        };
        // Of a field that is there twice the general parser tells.
        fields.add(name, value).ok()
    }

    /// Reads a finite number.
    fn number(&mut self) -> Option<f64> {
        let from = self.at;
        let scanned = self.scan()?;
        let value = match scanned.exact() {
            Some(value) => value,
            None => std::str::from_utf8(self.bytes.get(from..self.at)?)
                .ok()?
                .parse()
                .ok()?,
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
            let size = i32::try_from(exponent.digits).ok()?;
            if exponent.count > 6 {
                return None;
            }
            number.exponent += if negative { -size } else { size };
        }
        Some(number)
    }

    /// Scans one or more digits.
    fn digits(&mut self, number: &mut Scanned) -> Option<()> {
        let from = self.at;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            // Leading zeros are not significant.
            if number.digits != 0 || digit != b'0' {
                number.count += 1;
            }
            if number.count <= DIGITS {
                number.digits = number.digits * 10 + u64::from(digit - b'0');
            }
            self.at += 1;
        }
        number.seen += self.at - from;
        (self.at > from).then_some(())
    }
}

/// A scanned number.
#[derive(Default)]
struct Scanned {
    /// The significant digits as an integer.
    digits: u64,
    /// The number of significant digits.
    count: u32,
    /// The number of digits in the text, leading zeros included.
    seen: usize,
    /// The power of ten by which to multiply the digits.
    exponent: i32,
    negative: bool,
}

impl Scanned {
    /// The number, where it is found without rounding twice.
    fn exact(&self) -> Option<f64> {
        // Both exact, so their quotient or product is rounded once: Clinger,
        // "How to read floating point numbers accurately", PLDI 1990.
        let power = EXACT.get(usize::try_from(self.exponent.unsigned_abs()).ok()?)?;
        if self.count > DIGITS {
            return None;
        }
        #[allow(clippy::cast_precision_loss)] // below 2^53, as counted
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
        record(text.as_bytes(), &mut RecordFields::default()).map(|(one, length)| {
            (
                one.time_stamp,
                one.position.latitude,
                one.position.longitude,
                length,
            )
        })
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
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":{}}"#,
            r#"{"time_stamp":1,"latitude":2,"longitude":3,"x":"\n"}"#,
            "{\"time_stamp\":1,\"latitude\":2,\"longitude\":3,\"x\":\"\u{e4}\"}",
        ] {
            assert_eq!(read(record), None, "{record}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_number_is_what_the_standard_library_reads(
            text in "-?(0|[1-9][0-9]{0,18})(\\.[0-9]{1,20})?([eE][-+]?[0-9]{1,2})?"
        ) {
            let mut at = Cursor { bytes: text.as_bytes(), at: 0 };
            let number = at.number();
            let known: f64 = text.parse().unwrap();
            proptest::prop_assert_eq!(number.map(f64::to_bits), Some(known.to_bits()));
            proptest::prop_assert_eq!(at.at, text.len());
        }
    }
}
