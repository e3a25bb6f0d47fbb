//! A field's values in all records of an answer.

use super::FieldValue;
use super::decimal::Decimal;

/// The type of a value, whose content is in a word of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    Truth,
    Number,
    Digits,
    Text,
}

/// The kinds of a column's values.
#[derive(Debug, Clone)]
enum Kinds {
    /// All values have this one.
    Same(Kind),
    /// The type changes: the kind of each value.
    Each(Vec<Kind>),
}

/// Values of records one after the other.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The row of the first of them.
    row: u32,
    /// The index of its value among all values.
    at: u32,
}

/// The values of a column, apart from their kinds: the bits of a number, a truth
/// value, or where a text is.
#[derive(Debug, Clone)]
enum Words {
    /// Every number has at most this many decimals, and no value is a text. This needs half
    /// the memory, and is printed twice as fast.
    Few { decimals: u8, words: Vec<i32> },
    /// Any values.
    Any(Vec<u64>),
}

/// A field's values in the records of an answer that have it, and their rows.
#[derive(Debug, Clone)]
pub(crate) struct FieldColumn {
    name: Box<str>,
    /// Ascending; a gap needs only a new run.
    runs: Vec<Run>,
    kinds: Kinds,
    words: Words,
    text: String,
}

/// Bits of the length of a text in its word.
const LENGTH_BITS: u32 = 20;

impl FieldColumn {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            runs: Vec::new(),
            kinds: Kinds::Same(Kind::Null),
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

    /// Replaces the texts for which `holds` is true by the result of `to`.
    pub(super) fn change(&mut self, holds: &impl Fn(&str) -> bool, to: &impl Fn(&str) -> String) {
        if !holds(&self.text) {
            return;
        }
        let mut changed = Self::new(&self.name);
        for row in self.rows() {
            match self.value(row) {
                Some(FieldValue::Digits(text) | FieldValue::Text(text)) if holds(text) => {
                    changed.push(row, FieldValue::Text(&to(text)));
                }
                Some(value) => changed.push(row, value),
                None => {}
            }
        }
        *self = changed;
    }

    /// Reads texts as the numbers that they are.
    pub(super) fn read_texts(&mut self, number: &impl Fn(&str) -> Option<f64>) {
        let mut read = Self::new(&self.name);
        for row in self.rows() {
            match self.value(row) {
                Some(FieldValue::Text(text)) => {
                    let value = number(text).map_or(FieldValue::Text(text), FieldValue::Number);
                    read.push(row, value);
                }
                Some(value) => read.push(row, value),
                None => {}
            }
        }
        *self = read;
    }

    /// The rows that have a value, ascending.
    fn rows(&self) -> impl Iterator<Item = u32> {
        let ends = self.runs.iter().skip(1).map(|run| run.at);
        let ends = ends.chain([number(self.count())]);
        self.runs
            .iter()
            .zip(ends)
            .flat_map(|(run, end)| (0..end - run.at).map(|after| run.row + after))
    }

    /// `true` if all values are numbers, or null.
    pub(crate) fn is_numeric(&self) -> bool {
        let numeric = |kind: &Kind| matches!(kind, Kind::Null | Kind::Number | Kind::Digits);
        match &self.kinds {
            Kinds::Same(kind) => numeric(kind),
            Kinds::Each(kinds) => kinds.iter().all(numeric),
        }
    }

    /// The number of values.
    fn count(&self) -> usize {
        match &self.words {
            Words::Few { words, .. } => words.len(),
            Words::Any(words) => words.len(),
        }
    }

    /// The row of the last value.
    pub(super) fn last_row(&self) -> Option<u32> {
        let run = self.runs.last()?;
        Some(run.row + (number(self.count()) - run.at) - 1)
    }

    /// Adds the value of a row after the last one.
    pub(super) fn push(&mut self, row: u32, value: FieldValue<'_>) {
        match value {
            FieldValue::Null => self.push_few(row, Kind::Null, 0),
            FieldValue::Truth(is) => self.push_few(row, Kind::Truth, i32::from(is)),
            FieldValue::Number(number) => {
                let few = match self.words {
                    Words::Few { decimals, .. } => Decimal::of(number, decimals),
                    Words::Any(_) => None,
                };
                match few {
                    Some(decimal) => self.push_decimal(row, decimal),
                    None => self.push_any(row, Kind::Number, number.to_bits()),
                }
            }
            FieldValue::Digits(digits) => {
                let word = self.add_text(digits);
                self.push_any(row, Kind::Digits, word);
            }
            FieldValue::Text(text) => {
                let word = self.add_text(text);
                self.push_any(row, Kind::Text, word);
            }
        }
    }

    /// Adds the value of the row `from` as that of a row after the last one.
    pub(super) fn copy(&mut self, from: u32, row: u32) {
        match self.value(from) {
            None => {}
            Some(FieldValue::Null) => self.push(row, FieldValue::Null),
            Some(FieldValue::Truth(is)) => self.push(row, FieldValue::Truth(is)),
            Some(FieldValue::Number(number)) => match self.decimal(from) {
                Some(decimal) => self.push_decimal(row, decimal),
                None => self.push(row, FieldValue::Number(number)),
            },
            Some(FieldValue::Digits(digits)) => {
                let digits = digits.to_owned();
                self.push(row, FieldValue::Digits(&digits));
            }
            Some(FieldValue::Text(text)) => {
                let text = text.to_owned();
                self.push(row, FieldValue::Text(&text));
            }
        }
    }

    /// Adds the number of a row after the last one.
    fn push_decimal(&mut self, row: u32, decimal: Decimal) {
        if let Words::Few { decimals, .. } = self.words {
            if decimal.decimals() > decimals {
                self.set_decimals(decimal.decimals());
            }
            if let Words::Few { decimals, .. } = self.words
                && let Some(same) = decimal.with_decimals(decimals)
            {
                return self.push_few(row, Kind::Number, same.whole());
            }
        }
        self.push_any(row, Kind::Number, decimal.number().to_bits());
    }

    fn push_few(&mut self, row: u32, kind: Kind, word: i32) {
        self.note(row, kind);
        match &mut self.words {
            Words::Few { words, .. } => words.push(word),
            // No number comes here, whose bits would be others.
            Words::Any(words) => words.push(u64::from(word.unsigned_abs())),
        }
    }

    fn push_any(&mut self, row: u32, kind: Kind, word: u64) {
        self.widen();
        self.note(row, kind);
        if let Words::Any(words) = &mut self.words {
            words.push(word);
        }
    }

    /// Notes row and kind of a value before it is added.
    fn note(&mut self, row: u32, kind: Kind) {
        let count = self.count();
        if self.last_row().is_none_or(|last| last + 1 != row) {
            let at = number(count);
            self.runs.push(Run { row, at });
        }
        match &mut self.kinds {
            Kinds::Same(same) if *same == kind => {}
            kinds @ Kinds::Same(_) if count == 0 => *kinds = Kinds::Same(kind),
            Kinds::Same(same) => {
                let mut each = vec![*same; count];
                each.push(kind);
                self.kinds = Kinds::Each(each);
            }
            Kinds::Each(each) => each.push(kind),
        }
    }

    /// Gives all numbers this many decimals, if there is room for them.
    fn set_decimals(&mut self, new: u8) {
        let Words::Few { decimals, words } = &self.words else {
            return;
        };
        let scaled = words
            .iter()
            .enumerate()
            .map(|(at, word)| match self.kind(at) {
                Some(Kind::Number) => {
                    let same = Decimal::stored(*word, *decimals).with_decimals(new)?;
                    Some(same.whole())
                }
                _ => Some(*word),
            });
        match scaled.collect() {
            Some(words) => {
                self.words = Words::Few {
                    decimals: new,
                    words,
                };
            }
            None => self.widen(),
        }
    }

    /// Makes room for any values.
    fn widen(&mut self) {
        let Words::Few { decimals, words } = &self.words else {
            return;
        };
        let any = words
            .iter()
            .enumerate()
            .map(|(at, word)| match self.kind(at) {
                Some(Kind::Number) => Decimal::stored(*word, *decimals).number().to_bits(),
                _ => u64::from(word.unsigned_abs()),
            });
        self.words = Words::Any(any.collect());
    }

    /// Removes the last value.
    pub(super) fn pop(&mut self) {
        let kind = match &mut self.kinds {
            Kinds::Same(kind) => Some(*kind),
            Kinds::Each(kinds) => kinds.pop(),
        };
        match &mut self.words {
            Words::Few { words, .. } => {
                words.pop();
            }
            Words::Any(words) => {
                let word = words.pop();
                if let (Some(Kind::Digits | Kind::Text), Some(word)) = (kind, word)
                    && words.last() != Some(&word)
                {
                    let (start, length) = text_span(word);
                    if start + length == self.text.len() {
                        self.text.truncate(start);
                    }
                }
            }
        }
        let left = number(self.count());
        if self.runs.last().is_some_and(|run| run.at >= left) {
            self.runs.pop();
        }
    }

    /// The index of the value of a row, if the record has the field.
    fn index_of(&self, row: u32) -> Option<usize> {
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

    fn kind(&self, at: usize) -> Option<Kind> {
        match &self.kinds {
            Kinds::Same(kind) => Some(*kind),
            Kinds::Each(kinds) => kinds.get(at).copied(),
        }
    }

    /// The value in a row, if the record has the field.
    pub(crate) fn value(&self, row: u32) -> Option<FieldValue<'_>> {
        let at = self.index_of(row)?;
        let kind = self.kind(at)?;
        let word = match &self.words {
            Words::Few { decimals, words } => {
                let word = *words.get(at)?;
                match kind {
                    Kind::Number => Decimal::stored(word, *decimals).number().to_bits(),
                    _ => u64::from(word.unsigned_abs()),
                }
            }
            Words::Any(words) => *words.get(at)?,
        };
        Some(match kind {
            Kind::Null => FieldValue::Null,
            Kind::Truth => FieldValue::Truth(word != 0),
            Kind::Number => FieldValue::Number(f64::from_bits(word)),
            Kind::Digits => FieldValue::Digits(self.text_at(word)?),
            Kind::Text => FieldValue::Text(self.text_at(word)?),
        })
    }

    /// The number in a row, if all numbers of the column have few decimals:
    /// [`FieldColumn::value`] has the same for all.
    pub(crate) fn decimal(&self, row: u32) -> Option<Decimal> {
        let Words::Few { decimals, words } = &self.words else {
            return None;
        };
        let at = self.index_of(row)?;
        if self.kind(at)? != Kind::Number {
            return None;
        }
        Some(Decimal::stored(*words.get(at)?, *decimals))
    }

    /// Adds a text, unless it is the same as the last; returns its word.
    fn add_text(&mut self, text: &str) -> u64 {
        if let Words::Any(words) = &self.words
            && let Some(last) = words.last()
            && let Some(Kind::Digits | Kind::Text) = self.kind(words.len() - 1)
            && self.text_at(*last) == Some(text)
        {
            return *last;
        }
        let start = self.text.len() as u64;
        self.text.push_str(text);
        (start << LENGTH_BITS) | text.len() as u64
    }

    fn text_at(&self, word: u64) -> Option<&str> {
        let (start, length) = text_span(word);
        self.text.get(start..start + length)
    }
}

/// Start and length of the text of a word.
fn text_span(word: u64) -> (usize, usize) {
    let number = |part: u64| usize::try_from(part).unwrap_or(usize::MAX / 2);
    (
        number(word >> LENGTH_BITS),
        number(word & ((1 << LENGTH_BITS) - 1)),
    )
}

/// A number of values. An answer has fewer than four thousand million records.
fn number(values: usize) -> u32 {
    u32::try_from(values).unwrap_or(u32::MAX)
}
