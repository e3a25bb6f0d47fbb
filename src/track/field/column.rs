//! A field's values in all records of an answer.

use super::value::FieldValue;

/// What a value is. Its word in the column has the rest of it.
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
    /// The type changes: one for each value.
    Each(Vec<Kind>),
}

/// Values of records one after the other.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The row of the first of them.
    row: u32,
    /// The place of its value among all values.
    at: u32,
}

/// A field's values in all records of an answer: those that there are, and in
/// which rows they are.
#[derive(Debug, Clone)]
pub(crate) struct FieldColumn {
    name: Box<str>,
    /// Ascending; a gap takes no room but a new run.
    runs: Vec<Run>,
    kinds: Kinds,
    /// The bits of a number, a truth value, or where a text is in `text`.
    words: Vec<u64>,
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
            words: Vec::new(),
            text: String::new(),
        }
    }

    /// The field's name, as the service has it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether all values are numbers, or null.
    pub(crate) fn is_numeric(&self) -> bool {
        let numeric = |kind: &Kind| matches!(kind, Kind::Null | Kind::Number | Kind::Digits);
        match &self.kinds {
            Kinds::Same(kind) => numeric(kind),
            Kinds::Each(kinds) => kinds.iter().all(numeric),
        }
    }

    /// The row of the last value.
    pub(super) fn last_row(&self) -> Option<u32> {
        let run = self.runs.last()?;
        Some(run.row + (count(self.words.len()) - run.at) - 1)
    }

    /// Adds the value of a row after the last one.
    pub(super) fn push(&mut self, row: u32, value: FieldValue<'_>) {
        let (kind, word) = match value {
            FieldValue::Null => (Kind::Null, 0),
            FieldValue::Truth(is) => (Kind::Truth, u64::from(is)),
            FieldValue::Number(number) => (Kind::Number, number.to_bits()),
            FieldValue::Digits(digits) => (Kind::Digits, self.place_of(digits)),
            FieldValue::Text(text) => (Kind::Text, self.place_of(text)),
        };
        if self.last_row().is_none_or(|last| last + 1 != row) {
            let at = count(self.words.len());
            self.runs.push(Run { row, at });
        }
        match &mut self.kinds {
            kinds @ Kinds::Same(_) if self.words.is_empty() => *kinds = Kinds::Same(kind),
            Kinds::Same(same) if *same == kind => {}
            Kinds::Same(same) => {
                let mut each = vec![*same; self.words.len()];
                each.push(kind);
                self.kinds = Kinds::Each(each);
            }
            Kinds::Each(each) => each.push(kind),
        }
        self.words.push(word);
    }

    /// Takes the last value off.
    pub(super) fn pop(&mut self) {
        let kind = match &mut self.kinds {
            Kinds::Same(kind) => Some(*kind),
            Kinds::Each(kinds) => kinds.pop(),
        };
        let Some(word) = self.words.pop() else {
            return;
        };
        if matches!(kind, Some(Kind::Digits | Kind::Text)) && self.words.last() != Some(&word) {
            let (start, length) = place(word);
            if start + length == self.text.len() {
                self.text.truncate(start);
            }
        }
        let left = count(self.words.len());
        if self.runs.last().is_some_and(|run| run.at >= left) {
            self.runs.pop();
        }
    }

    /// The value in a row, if the record has the field.
    pub(crate) fn value(&self, row: u32) -> Option<FieldValue<'_>> {
        let next = self.runs.partition_point(|run| run.row <= row);
        let run = self.runs.get(next.checked_sub(1)?)?;
        let end = self
            .runs
            .get(next)
            .map_or(self.words.len(), |next| next.at as usize);
        let at = run.at as usize + (row - run.row) as usize;
        if at >= end {
            return None;
        }
        let word = *self.words.get(at)?;
        let kind = match &self.kinds {
            Kinds::Same(kind) => *kind,
            Kinds::Each(kinds) => *kinds.get(at)?,
        };
        Some(match kind {
            Kind::Null => FieldValue::Null,
            Kind::Truth => FieldValue::Truth(word != 0),
            Kind::Number => FieldValue::Number(f64::from_bits(word)),
            Kind::Digits => FieldValue::Digits(self.text_at(word)?),
            Kind::Text => FieldValue::Text(self.text_at(word)?),
        })
    }

    /// Where a text is that is added. The same as the last one is there once.
    fn place_of(&mut self, text: &str) -> u64 {
        let kind = match &self.kinds {
            Kinds::Same(kind) => Some(*kind),
            Kinds::Each(kinds) => kinds.last().copied(),
        };
        if let (Some(Kind::Digits | Kind::Text), Some(&last)) = (kind, self.words.last())
            && self.text_at(last) == Some(text)
        {
            return last;
        }
        let start = self.text.len() as u64;
        self.text.push_str(text);
        (start << LENGTH_BITS) | text.len() as u64
    }

    fn text_at(&self, word: u64) -> Option<&str> {
        let (start, length) = place(word);
        self.text.get(start..start + length)
    }
}

/// Start and length of the text of a word.
fn place(word: u64) -> (usize, usize) {
    let number = |part: u64| usize::try_from(part).unwrap_or(usize::MAX / 2);
    (
        number(word >> LENGTH_BITS),
        number(word & ((1 << LENGTH_BITS) - 1)),
    )
}

/// A number of values. An answer has fewer than four thousand million records.
fn count(values: usize) -> u32 {
    u32::try_from(values).unwrap_or(u32::MAX)
}
