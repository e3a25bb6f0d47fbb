//! The form in which fields are stored: the records of a batch, column by
//! column, packed. Numbers with few decimals are stored as whole numbers, each
//! as its difference from the one before: neighbours differ little.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::track::field::{FieldTable, FieldValue, FixKey};

/// The first byte of a batch.
const VERSION: u8 = 1;

/// More decimals are stored as the bits of the number.
const MOST_DECIMALS: u8 = 9;
/// Marks numbers that are stored as their bits.
const BITS: u8 = 0xff;
/// Marks values of several types.
const MIXED: u8 = 0xff;

/// What a value is; 0 is none.
const NULL: u8 = 1;
const FALSE: u8 = 2;
const TRUE: u8 = 3;
const NUMBER: u8 = 4;
const DIGITS: u8 = 5;
const TEXT: u8 = 6;

/// An unpacked batch.
pub(super) struct Batch {
    /// What the records are found by, in the order of the rows.
    pub(super) keys: Vec<FixKey>,
    /// Their fields.
    pub(super) table: FieldTable,
}

/// Packs the fields of records; `value` returns that of a column in a row.
///
/// # Errors
/// When memory runs out.
pub(super) fn pack<'a>(
    names: &[&str],
    keys: &[FixKey],
    value: impl Fn(usize, usize) -> Option<FieldValue<'a>>,
) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![VERSION];
    put(&mut bytes, keys.len() as u64);
    put(&mut bytes, names.len() as u64);
    for name in names {
        put_text(&mut bytes, name);
    }
    for part in [
        |key: &FixKey| key.0,
        |key: &FixKey| key.1,
        |key: &FixKey| key.2,
    ] {
        let numbers: Vec<f64> = keys.iter().map(|key| f64::from_bits(part(key))).collect();
        put_numbers(&mut bytes, &numbers);
    }
    for column in 0..names.len() {
        let mut tags = Vec::with_capacity(keys.len());
        let mut numbers = Vec::new();
        let mut texts = Vec::new();
        for row in 0..keys.len() {
            tags.push(match value(column, row) {
                None => 0,
                Some(FieldValue::Null) => NULL,
                Some(FieldValue::Truth(false)) => FALSE,
                Some(FieldValue::Truth(true)) => TRUE,
                Some(FieldValue::Number(number)) => {
                    numbers.push(number);
                    NUMBER
                }
                Some(FieldValue::Digits(digits)) => {
                    put_text(&mut texts, digits);
                    DIGITS
                }
                Some(FieldValue::Text(text)) => {
                    put_text(&mut texts, text);
                    TEXT
                }
            });
        }
        match tags.first() {
            Some(first) if tags.iter().all(|tag| tag == first) => bytes.push(*first),
            _ => {
                bytes.push(MIXED);
                bytes.extend_from_slice(&tags);
            }
        }
        put_numbers(&mut bytes, &numbers);
        bytes.extend_from_slice(&texts);
    }
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&bytes)?;
    packer.finish()
}

/// Unpacks a batch; `None` if it is not what [`pack`] made.
pub(super) fn unpack(packed: &[u8]) -> Option<Batch> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    let mut from = Source { rest: &bytes };
    if from.byte()? != VERSION {
        return None;
    }
    let (rows, columns) = (from.count()?, from.count()?);
    let mut names = Vec::new();
    for _ in 0..columns {
        names.push(from.text()?);
    }
    let (times, latitudes, longitudes) = (
        from.numbers(rows)?,
        from.numbers(rows)?,
        from.numbers(rows)?,
    );
    let keys = times.iter().zip(&latitudes).zip(&longitudes);
    let keys = keys.map(|((time, latitude), longitude)| {
        (time.to_bits(), latitude.to_bits(), longitude.to_bits())
    });
    let keys: Vec<FixKey> = keys.collect();
    let mut table = FieldTable::with_names(names.iter().copied());
    for name in &names {
        let first = from.byte()?;
        let tags: Vec<u8> = match first {
            MIXED => from.take(rows)?.to_vec(),
            tag => vec![tag; rows],
        };
        let count = tags.iter().filter(|tag| **tag == NUMBER).count();
        let mut numbers = from.numbers(count)?.into_iter();
        for (row, tag) in (0..).zip(tags) {
            let value = match tag {
                0 => continue,
                NULL => FieldValue::Null,
                FALSE => FieldValue::Truth(false),
                TRUE => FieldValue::Truth(true),
                NUMBER => FieldValue::Number(numbers.next()?),
                DIGITS => FieldValue::Digits(from.text()?),
                TEXT => FieldValue::Text(from.text()?),
                _ => return None,
            };
            table.add(row, name, value, |_| true).ok()?;
        }
    }
    from.rest.is_empty().then_some(Batch { keys, table })
}

/// The power of ten that makes whole numbers of all these.
fn decimals(numbers: &[f64]) -> Option<u8> {
    (0..=MOST_DECIMALS).find(|decimals| {
        numbers
            .iter()
            .all(|number| scaled(*number, *decimals).is_some())
    })
}

/// A number times a power of ten, where that is exact and reads back the same.
fn scaled(number: f64, decimals: u8) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let power = 10f64.powi(i32::from(decimals));
    let rounded = (number * power).round();
    if rounded.abs() >= EXACT || rounded.is_nan() {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // within 2^53
    let whole = rounded as i64;
    #[allow(clippy::cast_precision_loss)] // within 2^53
    let back = whole as f64 / power;
    (back.to_bits() == number.to_bits()).then_some(whole)
}

fn put_numbers(bytes: &mut Vec<u8>, numbers: &[f64]) {
    if let Some(decimals) = decimals(numbers) {
        bytes.push(decimals);
        let mut last = 0;
        for number in numbers {
            let whole = scaled(*number, decimals).unwrap_or_default();
            let step = whole - last;
            // The sign in the last bit keeps small numbers short.
            put(bytes, ((step << 1) ^ (step >> 63)).cast_unsigned());
            last = whole;
        }
        return;
    }
    bytes.push(BITS);
    for plane in (0..8).rev() {
        let mut last = 0;
        for number in numbers {
            let bits = number.to_bits();
            bytes.push(((bits ^ last) >> (8 * plane)) as u8);
            last = bits;
        }
    }
}

/// Writes a number in groups of seven bits, the lowest first.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number as u8) | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// The rest of a batch.
struct Source<'a> {
    rest: &'a [u8],
}

impl<'a> Source<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number of things that take a byte each at least.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        let mut numbers = Vec::new();
        match self.byte()? {
            BITS => {
                let planes = self.take(count.checked_mul(8)?)?;
                let mut last = 0;
                for at in 0..count {
                    let mut bits = 0u64;
                    for plane in 0..8 {
                        bits = (bits << 8) | u64::from(*planes.get(plane * count + at)?);
                    }
                    last ^= bits;
                    numbers.push(f64::from_bits(last));
                }
            }
            decimals if decimals <= MOST_DECIMALS => {
                let power = 10f64.powi(i32::from(decimals));
                let mut whole = 0i64;
                for _ in 0..count {
                    let coded = self.number()?;
                    let step = (coded >> 1).cast_signed() ^ -(coded & 1).cast_signed();
                    whole = whole.wrapping_add(step);
                    #[allow(clippy::cast_precision_loss)] // within 2^53
                    numbers.push(whole as f64 / power);
                }
            }
            _ => return None,
        }
        Some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn numbers_read_back_to_the_bit(
            bits in proptest::collection::vec(proptest::num::u64::ANY, 0..9),
            whole in proptest::collection::vec(-100_000i32..100_000, 0..9),
            decimals in 0..12,
        ) {
            let any: Vec<f64> = bits.into_iter().map(f64::from_bits).collect();
            let round = |whole: i32| f64::from(whole) / 10f64.powi(decimals);
            let few: Vec<f64> = whole.into_iter().map(round).collect();
            for numbers in [any, few, vec![-0.0, 0.0], vec![-9e15, 9e15]] {
                let mut bytes = Vec::new();
                put_numbers(&mut bytes, &numbers);
                let mut from = Source { rest: &bytes };
                let back = from.numbers(numbers.len()).unwrap();
                let bits = |numbers: &[f64]| -> Vec<u64> { numbers.iter().map(|one| one.to_bits()).collect() };
                proptest::prop_assert_eq!(bits(&back), bits(&numbers));
                proptest::prop_assert!(from.rest.is_empty());
            }
        }

        #[test]
        fn what_was_never_packed_is_refused(bytes: Vec<u8>) {
            let _ = unpack(&bytes);
            let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(&[&[VERSION], &bytes[..]].concat()).unwrap();
            let _ = unpack(&packer.finish().unwrap());
        }
    }
}
