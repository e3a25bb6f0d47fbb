//! A field's values in all records of an answer.

use std::ops::Range;

use super::FieldValue;

/// Values of records one after the other.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The row of the first of them.
    row: u32,
    /// The index of its value among all values.
    at: u32,
}

/// The values of a column, a word each.
#[derive(Debug, Clone)]
enum Words {
    /// Whole numbers, to be divided by ten to the power of `decimals`, and [`few`]'s words for
    /// null and truth values. Most instruments send such, and they need half the memory.
    Few { decimals: u8, words: Vec<i32> },
    /// Any values: the bits of a number, or [`NO_NUMBER`] with what there is instead.
    Any(Vec<u64>),
}

/// A field's values in the records of an answer that have it, and their rows.
#[derive(Debug, Clone)]
pub(crate) struct FieldColumn {
    name: Box<str>,
    /// Ascending; a gap needs only a new run.
    runs: Vec<Run>,
    words: Words,
    text: String,
}

/// Powers of ten; their number bounds the decimals.
const POWERS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// The words of null, `false` and `true` among whole numbers.
const NULL: i32 = i32::MIN;
const FALSE: i32 = NULL + 1;
const TRUE: i32 = NULL + 2;

/// The exponent of infinity and NaN, which no number of a field has. The other bits are the
/// start and the length of a text, or a word of [`few`] with [`NO_TEXT`] as the length.
const NO_NUMBER: u64 = f64::INFINITY.to_bits();
/// The sign bit: the text is the digits of a whole number.
const DIGITS: u64 = 1 << 63;
/// Bits of the length of a text: a replaced text may be longer than the longest value.
const LENGTH_BITS: u32 = 20;
/// A length that no text has.
const NO_TEXT: u64 = (1 << LENGTH_BITS) - 1;

/// The word of a value among whole numbers with so many decimals, if it is one exactly.
fn few(value: FieldValue<'_>, decimals: u8) -> Option<i32> {
    match value {
        FieldValue::Null => Some(NULL),
        FieldValue::Truth(false) => Some(FALSE),
        FieldValue::Truth(true) => Some(TRUE),
        FieldValue::Number(number) => {
            let power = POWERS.get(usize::from(decimals))?;
            let scaled = number * power;
            // `as` saturates.
            let whole = (scaled + 0.5f64.copysign(scaled)) as i32;
            // Both are exact, so their quotient is rounded once; negative zero is none.
            let is_same = (f64::from(whole) / power).to_bits() == number.to_bits();
            (is_same && whole > TRUE).then_some(whole)
        }
        FieldValue::Digits(_) | FieldValue::Text(_) => None,
    }
}

/// The value of a word of [`few`].
fn of_few(word: i32, decimals: u8) -> FieldValue<'static> {
    match word {
        NULL => FieldValue::Null,
        FALSE => FieldValue::Truth(false),
        TRUE => FieldValue::Truth(true),
        whole => {
            let power = POWERS.get(usize::from(decimals)).copied();
            FieldValue::Number(f64::from(whole) / power.unwrap_or(1.0))
        }
    }
}

/// The word of a value without a text among any values.
fn wide(value: FieldValue<'_>) -> u64 {
    match value {
        FieldValue::Number(number) if number.is_finite() => number.to_bits(),
        other => {
            let word = few(other, 0).unwrap_or(NULL);
            NO_NUMBER | u64::from(word.abs_diff(NULL)) << LENGTH_BITS | NO_TEXT
        }
    }
}

/// The span of the text of a word among any values, if it has one.
fn text_span(word: u64) -> Option<Range<usize>> {
    let length = word & NO_TEXT;
    if word & NO_NUMBER != NO_NUMBER || length == NO_TEXT {
        return None;
    }
    let number = |part: u64| usize::try_from(part).ok();
    let start = number((word & !NO_NUMBER & !DIGITS) >> LENGTH_BITS)?;
    Some(start..start + number(length)?)
}

impl FieldColumn {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            runs: Vec::new(),
            words: Words::Few {
                decimals: 0,
                words: Vec::new(),
            },
            text: String::new(),
        }
    }

    /// The field's name, as the service has it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The texts of all values, one after the other.
    pub(super) fn texts(&self) -> &str {
        &self.text
    }

    pub(super) fn rename(&mut self, name: &str) {
        self.name = name.into();
    }

    /// Makes its values again: `push` adds that of each row to the new column.
    pub(super) fn remake(&mut self, push: impl Fn(&mut Self, u32, FieldValue<'_>)) {
        let mut remade = Self::new(&self.name);
        for row in self.rows() {
            if let Some(value) = self.value(row) {
                push(&mut remade, row, value);
            }
        }
        *self = remade;
    }

    /// The rows that have a value, ascending.
    fn rows(&self) -> impl Iterator<Item = u32> {
        let runs = self.runs.iter();
        let ends = runs.skip(1).map(|run| run.at).chain([number(self.count())]);
        self.runs
            .iter()
            .zip(ends)
            .flat_map(|(run, end)| (0..end - run.at).map(|after| run.row + after))
    }

    /// `true` if all values are numbers, or null.
    pub(crate) fn is_numeric(&self) -> bool {
        match &self.words {
            Words::Few { words, .. } => !words.contains(&TRUE) && !words.contains(&FALSE),
            Words::Any(words) => words.iter().all(|word| {
                let value = self.of_wide(*word);
                !matches!(value, Some(FieldValue::Truth(_) | FieldValue::Text(_)))
            }),
        }
    }

    /// The number of values.
    fn count(&self) -> usize {
        match &self.words {
            Words::Few { words, .. } => words.len(),
            Words::Any(words) => words.len(),
        }
    }

    /// The bytes of memory that the values take.
    pub(super) fn bytes(&self) -> usize {
        let words = match &self.words {
            Words::Few { words, .. } => size_of_val(words.as_slice()),
            Words::Any(words) => size_of_val(words.as_slice()),
        };
        words + size_of_val(self.runs.as_slice()) + self.text.len()
    }

    /// The row of the last value.
    pub(super) fn last_row(&self) -> Option<u32> {
        let run = self.runs.last()?;
        Some(run.row + (number(self.count()) - run.at) - 1)
    }

    /// Adds the value of a row after the last one.
    pub(super) fn push(&mut self, row: u32, value: FieldValue<'_>) {
        self.begin(row);
        if let Words::Few { decimals, words } = &mut self.words {
            match few(value, *decimals) {
                Some(word) => return words.push(word),
                None => self.make_room(value),
            }
        }
        let wide = self.word(value);
        match &mut self.words {
            Words::Few { decimals, words } => words.extend(few(value, *decimals)),
            Words::Any(words) => words.push(wide),
        }
    }

    /// Adds the value of the row `from` as that of a row after the last one.
    pub(super) fn copy(&mut self, from: u32, row: u32) {
        let Some(at) = self.value_index(from) else {
            return;
        };
        self.begin(row);
        match &mut self.words {
            Words::Few { words, .. } => words.extend_from_within(at..=at),
            Words::Any(words) => words.extend_from_within(at..=at),
        }
    }

    /// Notes the row of a value before it is added.
    fn begin(&mut self, row: u32) {
        if self.last_row().is_none_or(|last| last + 1 != row) {
            let at = number(self.count());
            self.runs.push(Run { row, at });
        }
    }

    /// Makes room for a value that is none of [`few`] with the decimals so far: with more
    /// decimals for all, or for any values.
    fn make_room(&mut self, value: FieldValue<'_>) {
        let Words::Few { decimals, words } = &self.words else {
            return;
        };
        let all = words.iter().map(|word| of_few(*word, *decimals));
        let more = (*decimals..)
            .zip(POWERS.iter().skip((*decimals).into()))
            .map(|(decimals, _)| decimals)
            .find(|decimals| few(value, *decimals).is_some());
        let scaled = more.and_then(|decimals| {
            let words: Option<Vec<i32>> = all.clone().map(|value| few(value, decimals)).collect();
            words.map(|words| Words::Few { decimals, words })
        });
        self.words = scaled.unwrap_or_else(|| Words::Any(all.map(wide).collect()));
    }

    /// Removes the last value.
    pub(super) fn pop(&mut self) {
        match &mut self.words {
            Words::Few { words, .. } => {
                words.pop();
            }
            Words::Any(words) => {
                let gone = words.pop().filter(|word| words.last() != Some(word));
                if let Some(span) = gone.and_then(text_span)
                    && span.end == self.text.len()
                {
                    self.text.truncate(span.start);
                }
            }
        }
        let left = number(self.count());
        if self.runs.last().is_some_and(|run| run.at >= left) {
            self.runs.pop();
        }
    }

    /// The index of the value of a row, if the record has the field.
    fn value_index(&self, row: u32) -> Option<usize> {
        // Most fields are in every record.
        if let [run] = *self.runs {
            let at = row.checked_sub(run.row)? as usize;
            return (at < self.count()).then_some(at);
        }
        let next = self.runs.partition_point(|run| run.row <= row);
        let run = self.runs.get(next.checked_sub(1)?)?;
        let end = self
            .runs
            .get(next)
            .map_or(self.count(), |next| next.at as usize);
        let at = run.at as usize + (row - run.row) as usize;
        (at < end).then_some(at)
    }

    /// The value in a row, if the record has the field.
    pub(crate) fn value(&self, row: u32) -> Option<FieldValue<'_>> {
        let at = self.value_index(row)?;
        match &self.words {
            Words::Few { decimals, words } => Some(of_few(*words.get(at)?, *decimals)),
            Words::Any(words) => self.of_wide(*words.get(at)?),
        }
    }

    /// The value of a word among any values.
    fn of_wide(&self, word: u64) -> Option<FieldValue<'_>> {
        if word & NO_NUMBER != NO_NUMBER {
            return Some(FieldValue::Number(f64::from_bits(word)));
        }
        let Some(span) = text_span(word) else {
            let word = (word & !NO_NUMBER) >> LENGTH_BITS;
            return Some(of_few(NULL + i32::try_from(word).ok()?, 0));
        };
        let text = self.text.get(span)?;
        Some(match word & DIGITS {
            0 => FieldValue::Text(text),
            _ => FieldValue::Digits(text),
        })
    }

    /// The word of a value among any values. A text is added, unless it is the same as the last.
    fn word(&mut self, value: FieldValue<'_>) -> u64 {
        let (sign, text) = match value {
            FieldValue::Digits(digits) => (DIGITS, digits),
            FieldValue::Text(text) => (0, text),
            other => return wide(other),
        };
        if let Words::Any(words) = &self.words
            && let Some(last) = words.last()
            && self.of_wide(*last) == Some(value)
        {
            return *last;
        }
        let start = u32::try_from(self.text.len()).ok();
        let length = u64::try_from(text.len()).ok();
        // No text is so long, and 4 GB of them have no place in memory.
        let Some((start, length)) = start.zip(length.filter(|length| *length < NO_TEXT)) else {
            return wide(FieldValue::Null);
        };
        self.text.push_str(text);
        NO_NUMBER | sign | u64::from(start) << LENGTH_BITS | length
    }
}

/// A number of values. An answer has fewer than four thousand million records.
fn number(values: usize) -> u32 {
    u32::try_from(values).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_decimal_is_what_the_standard_library_reads(
            whole in proptest::num::i32::ANY, decimals in 0u8..10
        ) {
            let number: f64 = format!("{whole}e-{decimals}").parse().unwrap();
            let word = few(FieldValue::Number(number), decimals);
            proptest::prop_assert_eq!(word, Some(whole).filter(|whole| *whole > TRUE));
        }

        #[test]
        fn every_number_is_kept_to_its_last_bit(
            all in proptest::collection::vec((proptest::num::u64::ANY, -999_999i32..999_999, 0u8..12), 1..20)
        ) {
            let numbers = all.iter().flat_map(|(bits, whole, decimals)| {
                let decimal: f64 = format!("{whole}e-{decimals}").parse().unwrap();
                [decimal, f64::from_bits(*bits)]
            });
            let numbers: Vec<f64> = numbers.filter(|number| number.is_finite()).collect();
            // Without numbers of any bits they stay whole ones.
            for step in [1, 2] {
                let mut column = FieldColumn::new("x");
                let rows = || (0..).zip(numbers.iter().step_by(step));
                rows().for_each(|(row, number)| column.push(row, FieldValue::Number(*number)));
                for (row, number) in rows() {
                    let Some(FieldValue::Number(read)) = column.value(row) else {
                        panic!("{number}");
                    };
                    proptest::prop_assert_eq!(read.to_bits(), number.to_bits());
                }
            }
        }
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for number in [-0.0, 1e-10, 3e9, -3e9, f64::NAN, f64::INFINITY, 0.1 + 0.2] {
            let value = FieldValue::Number(number);
            assert!((0..12).all(|decimals| few(value, decimals).is_none()));
        }
    }
}
