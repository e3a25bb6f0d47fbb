//! The stored form of fields: the records of a batch, column by column, serialized by
//! postcard and compressed. Numbers with few decimals are stored as whole numbers, each
//! as its difference from the previous number: neighbours differ little.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::{Deserialize, Serialize};

use crate::track::field::{FieldTable, FieldValue, FixKey};

/// Numbers with more decimals are stored unchanged.
const MOST_DECIMALS: u8 = 9;

/// An unpacked batch.
pub(super) struct Batch {
    /// The keys of the records, in the order of the rows.
    pub(super) keys: Vec<FixKey>,
    pub(super) table: FieldTable,
}

/// A batch as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    times: Numbers,
    latitudes: Numbers,
    longitudes: Numbers,
    columns: Vec<Column>,
}

/// A field of all records.
#[derive(Serialize, Deserialize)]
struct Column {
    name: String,
    /// Of each record.
    kinds: Vec<Kind>,
    /// Of the records that have a number.
    numbers: Numbers,
    /// Of the records that have a text or digits.
    texts: Vec<String>,
}

/// The kind of a value.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Kind {
    Missing,
    Null,
    False,
    True,
    Number,
    Digits,
    Text,
}

#[derive(Serialize, Deserialize)]
enum Numbers {
    /// Whole numbers, each as its difference from the previous number, of which this many
    /// digits are decimals.
    Steps { decimals: u8, steps: Vec<i64> },
    /// Unchanged.
    Exact(Vec<f64>),
}

impl Numbers {
    fn new(numbers: Vec<f64>) -> Self {
        let Some(decimals) = decimals(&numbers) else {
            return Self::Exact(numbers);
        };
        let mut last = 0;
        let step = |number: &f64| {
            let whole = scaled(*number, decimals).unwrap_or_default();
            whole - std::mem::replace(&mut last, whole)
        };
        let steps = numbers.iter().map(step).collect();
        Self::Steps { decimals, steps }
    }

    /// The numbers; `None` if [`Numbers::new`] did not make them.
    fn read(self) -> Option<Vec<f64>> {
        match self {
            Self::Exact(numbers) => Some(numbers),
            Self::Steps { decimals, steps } if decimals <= MOST_DECIMALS => {
                let power = 10f64.powi(i32::from(decimals));
                let mut whole = 0i64;
                let number = |step: i64| {
                    whole = whole.wrapping_add(step);
                    whole as f64 / power
                };
                Some(steps.into_iter().map(number).collect())
            }
            Self::Steps { .. } => None,
        }
    }
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
    let of_keys = |part: fn(&FixKey) -> u64| {
        let number = |key| f64::from_bits(part(key));
        Numbers::new(keys.iter().map(number).collect())
    };
    let column = |(index, name): (usize, &&str)| {
        let mut kinds = Vec::with_capacity(keys.len());
        let mut numbers = Vec::new();
        let mut texts = Vec::new();
        for row in 0..keys.len() {
            kinds.push(match value(index, row) {
                None => Kind::Missing,
                Some(FieldValue::Null) => Kind::Null,
                Some(FieldValue::Truth(false)) => Kind::False,
                Some(FieldValue::Truth(true)) => Kind::True,
                Some(FieldValue::Number(number)) => {
                    numbers.push(number);
                    Kind::Number
                }
                Some(FieldValue::Digits(digits)) => {
                    texts.push(digits.to_owned());
                    Kind::Digits
                }
                Some(FieldValue::Text(text)) => {
                    texts.push(text.to_owned());
                    Kind::Text
                }
            });
        }
        Column {
            name: (*name).to_owned(),
            kinds,
            numbers: Numbers::new(numbers),
            texts,
        }
    };
    let stored = Stored {
        times: of_keys(|key| key.0),
        latitudes: of_keys(|key| key.1),
        longitudes: of_keys(|key| key.2),
        columns: names.iter().enumerate().map(column).collect(),
    };
    let bytes = postcard::to_allocvec(&stored).map_err(std::io::Error::other)?;
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&bytes)?;
    packer.finish()
}

/// Unpacks a batch; `None` if [`pack`] did not make it.
pub(super) fn unpack(packed: &[u8]) -> Option<Batch> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    let stored: Stored = postcard::from_bytes(&bytes).ok()?;
    let times = stored.times.read()?;
    let latitudes = stored.latitudes.read()?;
    let longitudes = stored.longitudes.read()?;
    if latitudes.len() != times.len() || longitudes.len() != times.len() {
        return None;
    }
    let fixes = times.iter().zip(&latitudes).zip(&longitudes);
    let keys: Vec<FixKey> = fixes
        .map(|((time, latitude), longitude)| {
            (time.to_bits(), latitude.to_bits(), longitude.to_bits())
        })
        .collect();
    let names = stored.columns.iter().map(|column| column.name.as_str());
    let mut table = FieldTable::with_names(names);
    for column in stored.columns {
        if column.kinds.len() != keys.len() {
            return None;
        }
        let mut numbers = column.numbers.read()?.into_iter();
        let mut texts = column.texts.iter();
        for (row, kind) in (0..).zip(column.kinds) {
            let value = match kind {
                Kind::Missing => continue,
                Kind::Null => FieldValue::Null,
                Kind::False => FieldValue::Truth(false),
                Kind::True => FieldValue::Truth(true),
                Kind::Number => FieldValue::Number(numbers.next()?),
                Kind::Digits => FieldValue::Digits(texts.next()?),
                Kind::Text => FieldValue::Text(texts.next()?),
            };
            table.add(row, &column.name, value, |_| true).ok()?;
        }
    }
    Some(Batch { keys, table })
}

/// The power of ten that makes whole numbers of all these.
fn decimals(numbers: &[f64]) -> Option<u8> {
    (0..=MOST_DECIMALS).find(|decimals| {
        numbers
            .iter()
            .all(|number| scaled(*number, *decimals).is_some())
    })
}

/// A number times a power of ten; `None` if that is not exact.
fn scaled(number: f64, decimals: u8) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let power = 10f64.powi(i32::from(decimals));
    let rounded = (number * power).round();
    if rounded.abs() >= EXACT || rounded.is_nan() {
        return None;
    }
    // Within 2^53.
    let whole = rounded as i64;
    let back = whole as f64 / power;
    (back.to_bits() == number.to_bits()).then_some(whole)
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
                let bytes = postcard::to_allocvec(&Numbers::new(numbers.clone())).unwrap();
                let back: Numbers = postcard::from_bytes(&bytes).unwrap();
                let bits = |numbers: &[f64]| -> Vec<u64> { numbers.iter().map(|one| one.to_bits()).collect() };
                proptest::prop_assert_eq!(bits(&back.read().unwrap()), bits(&numbers));
            }
        }

        #[test]
        fn what_was_never_packed_is_refused(bytes: Vec<u8>) {
            let _ = unpack(&bytes);
            let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(&bytes).unwrap();
            let _ = unpack(&packer.finish().unwrap());
        }
    }
}
