//! The track of an answer.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::Content;
use super::fix::FixReader;
use super::record::{Record, cell_text, goes_through, is_same};
use super::shaped::Taker;
use crate::formats::each_member;
use crate::formats::elements::ArrayFault;
use crate::formats::read::delimited::field_value;
use crate::formats::read::gathered::Gathered;
use crate::formats::read::json::Member as Cell;
use crate::formats::read::marks::truth;
use crate::formats::read::times::bracketed;
use crate::mapping::{AnswerFormat, AnswerShape, TimeFormat};
use crate::track::field::{FieldChoice, FieldValue};
use crate::track::quality::MARKED_INVALID;
use crate::track::{Transmission, Unusable};
use crate::watch::answer::Unmet;

/// Takes records as those of one deployment.
#[derive(Debug)]
pub(super) struct TrackTaker {
    pub(super) fixes: FixReader,
    /// `true` if a record is a fix by three numbers with the names of time, latitude and
    /// longitude, and nothing else of it is read.
    is_plain: bool,
    id: String,
    /// The fields to store; `None` for all.
    asked: Option<FieldChoice>,
    gathered: Gathered,
    /// Why an element is no JSON; the whole answer is then invalid.
    pub(super) fault: Option<ArrayFault>,
    others: usize,
    /// The records that are not those of `where`.
    unmet: usize,
}

impl TrackTaker {
    /// Keeps the fields that were `asked` for, or all, and the `limited` ones however many
    /// others there are.
    pub(super) fn new(
        shape: &AnswerShape,
        id: &str,
        asked: Option<&FieldChoice>,
        limited: &[String],
    ) -> Self {
        Self {
            fixes: FixReader::new(shape),
            is_plain: is_plain(shape),
            id: id.to_owned(),
            asked: asked.map(|asked| asked.with(&[MARKED_INVALID.to_owned()])),
            gathered: Gathered::keeping(limited),
            fault: None,
            others: 0,
            unmet: 0,
        }
    }

    /// The number of records so far, with those left out.
    pub(super) fn count(&self) -> usize {
        self.gathered.count() + self.others + self.unmet
    }

    /// `true` once the records take more memory than those of an answer may.
    pub(super) fn is_full(&self) -> bool {
        self.gathered.is_full
    }

    /// The bytes of memory that the records take, about.
    pub(super) fn held(&self) -> usize {
        self.gathered.bytes()
    }

    /// Takes the record that JSON is, if it is a fix of which nothing but members is read. An
    /// invalid one leaves nothing: its fault is found in the whole record.
    pub(super) fn take_fix(&mut self, json: &str) -> bool {
        if !self.is_plain || !json.starts_with('{') {
            return false;
        }
        let names = &self.fixes.paths;
        let is_wanted = wanted(self.asked.as_ref(), &self.fixes.shape);
        let (mut numbers, mut is_usable) = ([None; 3], true);
        self.gathered.begin();
        let read = each_member(json, |name, json| {
            let json = json.get();
            let at = names.iter().position(|known| known == name);
            is_usable &= match at.and_then(|at| numbers.get_mut(at)) {
                Some(number) => {
                    let is_first = number.is_none();
                    *number = json.parse::<f64>().ok();
                    is_first && number.is_some()
                }
                None => {
                    let value = Cell::new(json);
                    let added = self.gathered.add_field(name, value.value(), &is_wanted);
                    added.is_ok()
                }
            };
        });
        let numbers = || {
            let [time, latitude, longitude] = numbers;
            Transmission::new(time?, latitude?, longitude?).ok()
        };
        let fix = numbers().filter(|_| is_usable && read.is_ok());
        self.gathered.end(fix);
        fix.is_some()
    }

    /// The records taken.
    pub(super) fn content(self) -> Content {
        let only = self.fixes.shape.only.iter();
        let filter = only.map(|(path, value)| format!("{path} = {value}"));
        Content {
            others: self.others,
            unmet: Unmet {
                count: self.unmet,
                filter: filter.collect::<Vec<_>>().join(" and "),
            },
            notes: Vec::from_iter(self.fixes.clock.note()),
            records: self.gathered.records(),
            ..Content::default()
        }
    }

    fn add_unusable(&mut self, unusable: Unusable, written: &str) {
        let written = || written.to_owned();
        self.gathered.add_unusable(unusable, written);
    }

    fn add(&mut self, fix: Transmission, record: &Record<'_>, written: &str) {
        let cells = self.fields(record);
        let shape = &self.fixes.shape;
        let is_wanted = wanted(self.asked.as_ref(), shape);
        let fields = cells.iter().map(|(name, cell)| {
            let value = match cell {
                Cell::Text(text) if shape.has_cells() => field_value(text),
                cell => cell.value(),
            };
            let is_missing = value
                .number()
                .is_some_and(|number| shape.missing.contains(&number));
            (
                name.as_ref(),
                if is_missing { FieldValue::Null } else { value },
            )
        });
        let valid = shape.valid.as_ref().and_then(|valid| record.get(valid));
        let is_invalid = valid.is_some_and(|cell| truth(cell.value()) == Some(false));
        let mark = is_invalid.then_some((MARKED_INVALID, FieldValue::Truth(true)));
        self.gathered
            .add(Ok(fix), fields.chain(mark), is_wanted, || {
                written.to_owned()
            });
    }

    /// The members of a record that are its fields. Of an object that a pointer goes
    /// through, these are its other members.
    fn fields<'r>(&self, record: &Record<'r>) -> Vec<(Cow<'r, str>, Cell<'r>)> {
        let paths = &self.fixes.paths;
        let is_read = |name: &str| paths.iter().any(|path| goes_through(path, name));
        let fields = record.members.iter().filter(|(name, _)| !is_read(name));
        let mut found: Vec<(Cow<'r, str>, Cell<'r>)> = fields.cloned().collect();
        let mut known = HashSet::new();
        let mut within = Vec::new();
        if record.json.starts_with('{') && paths.iter().any(|path| path.starts_with('/')) {
            known.extend(found.iter().map(|(name, _)| name.clone()));
            within.push((String::new(), record.json));
        }
        while let Some((path, json)) = within.pop() {
            let _ = each_member(json, |name, value| {
                let below = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                let rest: Vec<&str> = paths
                    .iter()
                    .filter_map(|path| path.strip_prefix(below.as_str()))
                    .collect();
                if rest.iter().any(|rest| rest.starts_with('/')) {
                    within.push((below, value.get()));
                } else if !path.is_empty()
                    && !rest.contains(&"")
                    && known.insert(Cow::Owned(name.to_owned()))
                {
                    found.push((Cow::Owned(name.to_owned()), Cell::new(value.get())));
                }
            });
        }
        found
    }
}

impl Taker for TrackTaker {
    fn needed(&self) -> &[String] {
        &self.fixes.paths
    }

    fn take_units(&mut self, row: &Record<'_>) {
        self.fixes.take_units(row);
    }

    fn record(&mut self, record: &Record<'_>, written: &str) {
        if let Some(fault) = record.fault.clone() {
            let time_stamp = self.fixes.time(record).ok();
            let unusable = Unusable { time_stamp, fault };
            return self.add_unusable(unusable, written);
        }
        let shape = &self.fixes.shape;
        let is_wanted = |(path, value): &(String, Value)| {
            record.get(path).is_some_and(|cell| is_same(&cell, value))
        };
        if !shape.only.iter().all(is_wanted) {
            self.unmet += 1;
            return;
        }
        if let Some(same) = &shape.same {
            // A table that was a data frame has whole numbers as `4900001.0`.
            let is_own = |written: &str| {
                let number = field_value(written).number();
                written == self.id || number.is_some_and(|number| number.to_string() == self.id)
            };
            let id = record.get(same).map(|cell| cell_text(&cell));
            if !id.is_some_and(|id| is_own(&id)) {
                self.others += 1;
                return;
            }
        }
        match self.fixes.transmission(record) {
            Ok(fix) => self.add(fix, record, written),
            Err(unusable) => self.add_unusable(unusable, written),
        }
    }
}

/// `true` if a record is a fix by three numbers at names.
fn is_plain(shape: &AnswerShape) -> bool {
    let positions = [&shape.latitude, &shape.longitude];
    let mut names = shape.time.iter().chain(positions);
    let is_filtered = shape.same.is_some() || !shape.only.is_empty() || shape.valid.is_some();
    let is_number = shape.time_format == TimeFormat::Unix && shape.missing.is_empty();
    // A unit in a name may say the side of degrees.
    let is_more = |name: &String| name.starts_with('/') || bracketed(name).is_some();
    is_number && !is_filtered && shape.time.len() == 1 && !names.any(is_more)
}

/// If a field is stored, by its name.
fn wanted<'a>(
    asked: Option<&'a FieldChoice>,
    shape: &'a AnswerShape,
) -> impl Fn(&str) -> bool + 'a {
    move |name| {
        let is_ignored = shape.ignored.iter().any(|ignored| ignored == name);
        asked.is_none_or(|asked| asked.takes(name)) && !is_ignored
    }
}

impl AnswerShape {
    /// `true` if its records are rows of cells.
    pub(super) fn has_cells(&self) -> bool {
        matches!(self.format, AnswerFormat::Csv | AnswerFormat::Table)
    }
}
